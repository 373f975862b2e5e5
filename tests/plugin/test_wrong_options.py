"""Options that are misspelt or of a wrong value: refused before any test runs, in one line."""

from __future__ import annotations

import itertools

import pytest

from tests.plugin.sources import FILES, ON_MARKER, PLACES, flags, overrides, write_test

MISSPELT = {
    "max_leakge": "max_leakage",
    "max-leakage": "max_leakage",
    "detector": "detectors",
    "max_rho_dri": "max_rho_dir",
    "njobs": "n_jobs",
    "samplng": "sampling",
    "K": "k",
}


@pytest.mark.parametrize(
    ("source", "misspelt"),
    [
        *itertools.product([*FILES, "-o", "flag"], list(MISSPELT)[:2]),
        *itertools.product(["pytest.ini", "-o", "flag"], list(MISSPELT)[2:]),
    ],
)
def test_a_misspelt_option_is_refused_with_the_nearest(bare, refusal, source, misspelt):
    write_test(bare)
    arguments = []
    nearest = MISSPELT[misspelt]
    wanted = f"splitcheck_{nearest}"
    if source in PLACES:
        PLACES[source].put(bare, {misspelt: 1})
    elif source == "-o":
        arguments = ["-o", f"splitcheck_{misspelt}=1"]
    else:
        misspelt = misspelt.replace("_", "-") if "_" in misspelt else misspelt.replace("-", "_")
        wanted = f"--splitcheck-{nearest.replace('_', '-')}"
        arguments = [f"--splitcheck-{misspelt}=1"]
    line = refusal(bare.runpytest_inprocess(*arguments))
    assert f"splitcheck{'-' if source == 'flag' else '_'}{misspelt}" in line
    assert f"did you mean {wanted}?" in line
    if source in PLACES:
        assert line.startswith(PLACES[source].file)


@pytest.mark.parametrize(
    "lines",
    [
        "splitcheck_max_leakge: 0.3",
        "splitcheck_max_leakge=0.3",
        "splitcheck_max_leakge =\n    0.3",
        "addopts = -q\n    -x\n\n# a comment\nsplitcheck_max_leakge = 0.3",
    ],
)
def test_a_misspelt_key_however_it_is_written(bare, refusal, lines):
    # Pytest's ini files take a colon in the place of the equals sign.
    write_test(bare)
    (bare.path / "pytest.ini").write_text(f"[pytest]\n{lines}\n")
    line = refusal(bare.runpytest_inprocess())
    assert "splitcheck_max_leakge; did you mean splitcheck_max_leakage?" in line


@pytest.mark.parametrize(
    "text",
    [
        '[tool.pytest.ini_options]\n"splitcheck_max_leakge" = 0.3\n',
        "[tool.pytest.ini_options]\nsplitcheck_max_leakge=0.3\n",
        "[tool]\npytest.ini_options.splitcheck_max_leakge = 0.3\n",
        "[tool.pytest]\nini_options = {splitcheck_max_leakge = 0.3}\n",
    ],
)
def test_a_misspelt_key_in_any_toml(bare, refusal, text):
    write_test(bare)
    (bare.path / "pyproject.toml").write_text(text)
    line = refusal(bare.runpytest_inprocess())
    assert "splitcheck_max_leakge; did you mean splitcheck_max_leakage?" in line


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tox.ini", "[pytest]\naddopts =\n[testenv]\nsplitcheck_home = here\n"),
        ("setup.cfg", "[tool:pytest]\naddopts =\n[mypy]\nsplitcheck_home = here\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ''\n[tool.x]\nsplitcheck_a = 1\n"),
        ("pytest.ini", "[pytest]\n# splitcheck_max_leakge = 0.3\n; splitcheck_kk = 3\n"),
        (
            "pytest.ini",
            "[pytest]\nmarkers =\n    splitcheck_slow: a mark\n    splitcheck_x = a mark\n",
        ),
        ("pytest.ini", "[pytest]\nsplitchecks_k = 0.3\n"),
    ],
    ids=["tox", "setup.cfg", "pyproject", "comments", "markers", "other name"],
)
def test_what_only_looks_like_a_key_is_let_be(bare, file, text):
    write_test(bare)
    (bare.path / file).write_text(text)
    bare.runpytest_inprocess("--splitcheck-detectors=").assert_outcomes(passed=1, warnings=None)


@pytest.mark.parametrize("how", ["addopts", "PYTEST_ADDOPTS"])
def test_a_misspelt_flag_that_is_always_given(bare, refusal, monkeypatch, how):
    if how == "addopts":
        (bare.path / "pytest.ini").write_text("[pytest]\naddopts = --splitcheck-max-leakge=0.3\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", "--splitcheck-max-leakge=0.3")
    write_test(bare)
    assert "did you mean --splitcheck-max-leakage?" in refusal(bare.runpytest_inprocess())


WRONG = [
    ("max_leakage", "abc"),
    ("max_leakage", 2.0),
    ("max_leakage", -1),
    ("k", 0),
    ("k", (3, 0)),
    ("detectors", ("knn", "looof")),
    ("seeds", ("a", "b")),
]
"""Wrong values that are tried from every source."""

MORE_WRONG = [
    ("max_leakage_ratio", -0.1),
    ("max_rho_dir", 1.5),
    ("max_rho_inv", "abc"),
    ("max_rho_rnd", -1),
    ("min_auroc", 50),
    ("min_positives", -1),
    ("min_positives", 2.5),
    ("k", -1),
    ("k", "abc"),
    ("k", 2.5),
    ("k", ()),
    ("k", (3, "x")),
    ("k", (5, 5)),
    ("epsilon", 0.5),
    ("epsilon", -1),
    ("seeds", (-1,)),
    ("seeds", (1, 1)),
    ("seeds", ()),
    ("confident", "perhaps"),
    ("undecided", "ignore"),
    ("sampling", "sometimes"),
    ("alpha", 0),
    ("alpha", 0.5),
    ("alpha", "abc"),
    ("n_jobs", 0),
    ("n_jobs", "abc"),
    ("memory", 0),
    ("memory", "1 GiB"),
]


@pytest.mark.parametrize(
    ("source", "name", "value"),
    [
        *itertools.chain.from_iterable(
            [(source, *wrong) for wrong in WRONG] for source in [*FILES, "-o", "flag", "marker"]
        ),
        *itertools.chain.from_iterable(
            [
                (source, *wrong)
                for wrong in MORE_WRONG
                if wrong[0] in ON_MARKER or source != "marker"
            ]
            for source in ["pytest.ini", "flag", "marker"]
        ),
        ("pytest.ini", "max_leakage", float("nan")),
        ("flag", "max_leakage", float("nan")),
    ],
    ids=str,
)
def test_a_wrong_value_is_refused(bare, refusal, source, name, value):
    write_test(bare, marker={name: value} if source == "marker" else None)
    arguments = []
    if source in PLACES:
        PLACES[source].put(bare, {name: value})
    elif source == "-o":
        arguments = overrides({name: value})
    elif source == "flag":
        arguments = flags({name: value})
    line = refusal(bare.runpytest_inprocess(*arguments))
    if source in PLACES:
        assert PLACES[source].file in line
        assert f"splitcheck_{name}" in line
    else:
        dashed = name.replace("_", "-")
        label = {"-o": f"-o splitcheck_{name}", "flag": f"--splitcheck-{dashed}"}
        assert label.get(source, "marker of test_it") in line
    told = value[-1:] if isinstance(value, tuple) else (value,)
    assert all(str(one) in line for one in told)


@pytest.mark.parametrize("source", ["pytest.ini", "-o", "flag", "marker"])
def test_a_detector_named_twice_is_refused(bare, refusal, source):
    values = {"detectors": ("knn", "knn")}
    write_test(bare, marker=values if source == "marker" else None)
    if source in PLACES:
        PLACES[source].put(bare, values)
    arguments = {"-o": overrides(values), "flag": flags(values)}.get(source, [])
    assert "knn" in refusal(bare.runpytest_inprocess(*arguments))


def test_a_detector_that_is_unknown_offers_the_nearest(bare, refusal):
    write_test(bare)
    line = refusal(bare.runpytest_inprocess("--splitcheck-detectors=knn,iforst"))
    assert line.startswith("--splitcheck-detectors: ")
    assert "'iforst'; did you mean 'iforest'?" in line


@pytest.mark.parametrize("wrong", ["splitcheck_max_leakage = abc", "splitcheck_kk = 3"])
def test_help_is_there_in_spite_of_a_wrong_option(bare, wrong):
    # Pytest prints help in spite of its own usage errors.
    (bare.path / "pytest.ini").write_text(f"[pytest]\n{wrong}\n")
    result = bare.runpytest_inprocess("--help")
    assert "--splitcheck-max-leakage=" in result.stdout.str()


@pytest.mark.parametrize("option", ["--markers", "--fixtures", "--version"])
def test_listings_end_in_good_order_in_spite_of_a_wrong_option(bare, option):
    (bare.path / "pytest.ini").write_text("[pytest]\nsplitcheck_max_leakage = abc\n")
    result = bare.runpytest_inprocess(option)
    output = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in output
    assert "Traceback" not in output


@pytest.mark.parametrize("value", ["abc", "1.5"])
def test_a_wrong_verbosity_is_refused(bare, refusal, value):
    # Pytest reads it after all tests have run.
    write_test(bare)
    arguments = ["-o", f"verbosity_splitcheck={value}", "--splitcheck-detectors="]
    assert "verbosity_splitcheck" in refusal(bare.runpytest_inprocess(*arguments))


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("max_leakage", "abc", "a number"),
        ("max_leakage", "", "a number"),
        ("min_positives", "3.5", "a whole number"),
    ],
)
def test_what_is_no_number_is_told_as_such(bare, refusal, key, value, what):
    write_test(bare)
    line = refusal(bare.runpytest_inprocess("-o", f"splitcheck_{key}={value}"))
    assert line == f"-o splitcheck_{key}: {key} must be {what}; got {value!r}."
    (bare.path / "pytest.ini").write_text(f"[pytest]\nsplitcheck_{key} = {value}\n")
    line = refusal(bare.runpytest_inprocess())
    assert line == f"pytest.ini splitcheck_{key}: {key} must be {what}; got {value!r}."
