"""The JSON of real runs of every kind, by the schema that is shipped."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pytest

FILE = resources.files("pytest_splitcheck.report") / "schema" / "splitcheck-1.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(FILE.read_text(encoding="utf-8")))

KINDS = """
import numpy as np
import pytest
from pytest_splitcheck import ClassSplit, RecordedScores

X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [1, 0], [9, 9]], 30, axis=0)
Y = np.repeat(["a", "b", "c"], 30)
LIMITS = dict(max_leakage=1.0, max_rho_dir=1.0, max_rho_inv=1.0)

def recorded():
    held_out = np.repeat(["a", "b", "c"], 90)
    return RecordedScores(held_out, np.tile(np.arange(90), 3), np.arange(270.0))

CASES = {
    "no detectors": (ClassSplit(X, Y), {}),
    "detectors": (ClassSplit(X, Y), dict(detectors=("knn", "lof", "iforest"), seeds=(0, 1))),
    "own detectors": (ClassSplit(X, Y), dict(detectors={
        "mine": lambda pool, rows: rows[:, 0], "recorded": recorded()})),
    "hard labels": (ClassSplit(X, Y), dict(detectors={"x": lambda pool, rows: rows[:, 0] > 0})),
    "no ranking": (ClassSplit(X, Y), dict(detectors={"x": lambda pool, rows: rows[:, 0] * 0})),
    "sampled": (ClassSplit(np.tile(X, (9, 1)) + np.arange(810)[:, None] % 7, np.tile(Y, 9)),
                dict(sampling="always", alpha=0.1, max_leakage=0.9)),
    "several k": (ClassSplit(X, Y), dict(k=(5, 10, 20), detectors=("knn", "lof"))),
    "advice": (ClassSplit(X, Y), dict(detectors=("knn",), advice="always", max_leakage=0.1)),
    "unresolved": (ClassSplit(X, Y), dict(
        detectors={"noise": lambda pool, rows: np.sin(rows[:, 0] * 1e3)}, max_rho_inv=0.0, confident=True)),
    "shared rows": (ClassSplit(X, Y, train=(X, Y)), dict(detectors=("knn", "lof"))),
    "contaminated": (ClassSplit(X, Y, train=(X + [[0.0, 1e-9]], np.roll(Y, 30))), dict(detectors=("knn",))),
    "conflicts": (ClassSplit(np.vstack([X, X]), np.concatenate([Y, np.roll(Y, 30)])), {}),
    "dominance": (ClassSplit(X * [1e4, 1], Y), {}),
    "piles": (ClassSplit(np.vstack([X, np.zeros((30, 2))]), [*Y, *"c" * 30]), dict(detectors=("lof",))),
    "constant": (ClassSplit(X * 0, Y), {}),
    "undecided": (ClassSplit(X[:70], Y[:70]), dict(detectors=("knn",))),
    "absent": (ClassSplit(X, Y, train=(X[30:] + 1e-3, Y[30:])), dict(detectors=("knn",))),
    "groups": (ClassSplit(X, Y, held_out=[("a", "b"), "c"]), dict(detectors=("knn",))),
    "merged": (ClassSplit(X, Y, merge=[("a", "b")]), dict(detectors=("knn",))),
    "fitted": (ClassSplit(X, Y, representation=__import__("sklearn.preprocessing").preprocessing
               .StandardScaler(), metric="cosine"), dict(detectors=("knn",))),
    "approximate": (ClassSplit(X, Y), dict(neighbors="approximate", detectors=("knn",))),
    "hostile": (ClassSplit(X, np.repeat(["\\x1b[31m", "<script>", "\\u202e\\ud800\\n"], 30),
                name="\\n=1", representation="</script>"), dict(detectors=("knn",))),
}

@pytest.mark.parametrize("case", CASES)
def test_it(splitcheck, case, request):
    benchmark, options = CASES[case]
    splitcheck(benchmark, **{**LIMITS, **options})
"""

STATUSES = {
    "well posed": {"no detectors", "detectors", "sampled", "groups", "merged", "fitted"},
    "ill posed": {"advice", "shared rows", "contaminated", "constant"},
    "undecided": {"hard labels", "no ranking", "undecided", "unresolved"},
}


@pytest.fixture
def kinds(suite):
    suite.makepyfile(test_kinds=KINDS)
    return suite


def run(suite, *options):
    result = suite.runpytest_inprocess("--splitcheck-json=out.json", "-q", *options)
    text = (suite.path / "out.json").read_bytes()
    return result, text


def test_every_kind_is_valid(kinds):
    result, text = run(kinds)
    assert "InputError" not in result.stdout.str()
    content = json.loads(text)
    VALIDATOR.validate(content)
    by_test = {one["nodeid"].partition("[")[2][:-1]: one for one in content["benchmarks"]}
    for status, names in STATUSES.items():
        found = {name for name in names if by_test[name]["verdict"]["status"] != status}
        assert not found, status
    assert len(by_test) == len(content["benchmarks"]) >= 20
    names = [one["name"] for one in content["benchmarks"]]
    assert names == sorted(names)
    # Each case is what it is there for.
    report = {name: one["report"] for name, one in by_test.items()}
    assert report["sampled"]["leakage"]["alpha"] == 0.1
    assert set(report["several k"]["other_k"]) == {"10", "20"}
    assert by_test["advice"]["advice"]["proposals"]
    assert report["shared rows"]["integrity"]["shared"]["exact"] == 90
    assert report["contaminated"]["integrity"]["contaminated"]
    assert report["conflicts"]["integrity"]["conflicts"]["groups"] > 0
    assert report["dominance"]["integrity"]["dominance"]["standardised"] is not None
    assert report["piles"]["integrity"]["piles"]["largest"] > 20
    assert report["absent"]["integrity"]["absent"] == ["a"]
    assert report["constant"]["constant"]
    assert list(report["own detectors"]["detectors"]) == ["mine", "recorded"]
    assert by_test["detectors"]["options"]["seeds"] == {
        "value": [0, 1], "source": "seeds= in the call"
    }  # fmt: skip
    assert report["hostile"]["classes"][1] == "<script>"


def test_the_same_bytes_by_one_process_and_by_two(kinds):
    _, alone = run(kinds, "-k", "detectors or hostile or several")
    _, again = run(kinds, "-k", "detectors or hostile or several", "-p", "no:randomly")
    _, shared = run(kinds, "-k", "detectors or hostile or several", "-n2")
    assert alone == again == shared
    assert str(kinds.path).encode() not in alone


def test_no_array_is_larger_than_the_square_of_the_classes(suite):
    suite.makepyfile("def test_it(splitcheck, blocks):\n    splitcheck(blocks)\n")
    _, text = run(suite)

    def lengths(part):
        members = part.values() if isinstance(part, dict) else part
        if isinstance(part, dict | list):
            yield len(part)
            for one in members:
                yield from lengths(one)

    (one,) = json.loads(text)["benchmarks"]
    assert max(lengths(one["report"]["leakage"]["matrix"])) == 2
    assert max(lengths({**one["report"], "options": 0})) < 50  # m is 50; there are fewer members
