"""Undecided verdicts: what they do to a test, from every source; and directions that count if known."""

from __future__ import annotations

import re
import warnings

import pytest

from tests.plugin.markers import PRECONDITION, ran
from tests.plugin.sources import FILES, PLACES
from tests.plugin.summaries import section, table

FEW = (
    "undecided: scarce: 1 of 2 held-out classes have fewer than 20 rows"  # its first line, in full
)
CALL = """
def test_it(splitcheck, scarce, coordinate):
    report = splitcheck(scarce, detectors=coordinate, max_rho_dir=None{keywords})
    assert report.positives["a"] == 15
"""


@pytest.fixture(autouse=True)
def no_filters():
    """Take away the filters of the run around, which a run in this process would have too."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        yield


def run(suite, source, undecided):
    """Run a check of too few positives, under options from one source."""
    arguments, keywords, mark = [], "", ""
    if source in PLACES:
        PLACES[source].put(suite, {"undecided": undecided})
    elif source == "-o":
        arguments = ["-o", f"splitcheck_undecided={undecided}"]
    elif source == "flag":
        arguments = [f"--splitcheck-undecided={undecided}"]
    elif source == "marker":
        mark = f"import pytest\n\n@pytest.mark.splitcheck(undecided={undecided!r})"
    elif source == "call":
        keywords = f", undecided={undecided!r}"
    suite.makepyfile(mark + CALL.format(keywords=keywords))
    return suite.runpytest_inprocess(*arguments)


SOURCES = [*FILES, "-o", "flag", "marker", "call"]


def status(result):
    ((*_, told),) = table(result)
    return told


@pytest.mark.parametrize("source", SOURCES)
def test_it_warns(bare, source):
    result = run(bare, source, undecided="warn")
    result.assert_outcomes(passed=1, warnings=1)
    assert f"UndecidedSplitWarning: {FEW}" in result.stdout.str()
    assert status(result) == "undecided (min_positives)"


@pytest.mark.parametrize("source", SOURCES)
def test_it_passes(bare, source):
    result = run(bare, source, undecided="pass")
    result.assert_outcomes(passed=1, warnings=0)
    assert status(result) == "undecided (min_positives)"


@pytest.mark.parametrize("source", ["default", "flag"])
def test_it_fails(bare, source):
    result = run(bare, source, undecided="fail")
    result.assert_outcomes(failed=1)
    assert f"UndecidedSplit: {FEW}" in result.stdout.str()
    assert status(result) == "undecided (min_positives)"


def test_a_warning_says_what_to_do(bare):
    bare.makepyfile(
        """
        def nearness(pool, rows):
            return -abs(rows - pool.mean(axis=0)).sum(axis=1)

        def test_it(splitcheck, blocks):
            splitcheck(blocks, detectors=[nearness], max_leakage=None, undecided="warn")
        """
    )
    result = bare.runpytest_inprocess()
    result.assert_outcomes(passed=1, warnings=1)
    assert (
        "undecided: blocks: detector nearness ranks far-away rows as normal (AUROC 0.000). nearness gives rows "
        "far outside the pool lower scores than normal rows. If its scores"
    ) in result.stdout.str()


def test_a_warning_is_placed_at_the_test(bare):
    result = run(bare, "flag", undecided="warn")
    assert re.search(r"test_a_warning_\w+\.py:1: UndecidedSplitWarning", result.stdout.str())


FILTERS = {
    "error": ["-W", "error"],
    "category": ["-W", "error::pytest_splitcheck.UndecidedSplitWarning"],
    "ini": ["-o", "filterwarnings=error"],
}


@pytest.mark.parametrize("how", FILTERS)
def test_a_filter_makes_the_warning_an_error(bare, nothing_of_ours, how):
    bare.makepyfile(CALL.format(keywords=', undecided="warn"'))
    result = bare.runpytest_inprocess(*FILTERS[how])
    result.assert_outcomes(failed=1)
    output = result.stdout.str()
    assert f"UndecidedSplitWarning: {FEW}" in output
    assert "nodes.py" not in output
    nothing_of_ours(result)
    assert status(result) == "undecided (min_positives)"


def test_a_filter_hides_the_warning(bare):
    bare.makepyfile(CALL.format(keywords=', undecided="warn"'))
    result = bare.runpytest_inprocess("-W", "ignore::pytest_splitcheck.UndecidedSplitWarning")
    result.assert_outcomes(passed=1, warnings=0)


@pytest.mark.parametrize(
    ("word", "outcome"),
    [("fail", {"failed": 1}), ("warn", {"passed": 1, "warnings": 1}), ("pass", {"passed": 1})],
)
def test_a_precondition(bare, word, outcome):
    bare.makepyfile(
        PRECONDITION.format(arguments=f'"scarce", undecided="{word}", detectors=["knn"], k=3')
    )
    result = bare.runpytest_inprocess()
    result.assert_outcomes(**outcome)
    assert ran(bare) == (word != "fail")
    assert status(result).startswith("undecided")


def test_a_precondition_under_a_filter(bare, nothing_of_ours):
    arguments = '"scarce", undecided="warn", detectors=["knn"], k=3'
    bare.makepyfile(PRECONDITION.format(arguments=arguments))
    result = bare.runpytest_inprocess("-W", "error")
    result.assert_outcomes(failed=1)
    assert re.search(f"^{FEW}$|UndecidedSplitWarning: {FEW}", result.stdout.str(), re.M)
    assert not ran(bare)
    nothing_of_ours(result)


@pytest.mark.parametrize("word", ["warn", "pass"])
def test_an_ill_posed_benchmark_fails_all_the_same(suite, word):
    suite.makepyfile("def test_it(splitcheck, mixed): splitcheck(mixed)")
    result = suite.runpytest_inprocess(f"--splitcheck-undecided={word}")
    result.assert_outcomes(failed=1)
    assert "IllPosedSplit: ill posed" in result.stdout.str()


def test_workers_warn_too(bare):
    pytest.importorskip("xdist")
    bare.makepyfile(CALL.format(keywords=', undecided="warn"'))
    result = bare.runpytest_inprocess("-n1")
    result.assert_outcomes(passed=1, warnings=1)
    assert FEW in result.stdout.str()


# --- confident ------------------------------------------------------------------------------

UNSURE = """
import numpy as np
import pytest
from pytest_splitcheck import ClassSplit, UndecidedSplit

class Coordinate:
    def fit(self, X):
        pass

    def score(self, X):
        return X[:, 0]

@pytest.fixture(scope="session")
def unsure():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(40, 1)) - 0.2, rng.normal(size=(60, 1))]
    return ClassSplit(X, ["b"] * 40 + ["a"] * 60, held_out=["b"])

{mark}
def test_it(splitcheck, unsure):
    splitcheck(
        unsure, detectors=[Coordinate()], max_leakage=None, max_rho_dir=None, max_rho_inv=0.4{keywords}
    )
"""


def confident(suite, source, value=True):
    keywords = f", confident={value}" if source == "call" else ""
    mark = f"@pytest.mark.splitcheck(confident={value})" if source == "marker" else ""
    suite.makepyfile(UNSURE.format(mark=mark, keywords=keywords))
    if source in PLACES:
        PLACES[source].put(suite, {"confident": value})
    word = "confident" if value else "no-confident"
    arguments = {"-o": ["-o", f"splitcheck_confident={value}"], "flag": [f"--splitcheck-{word}"]}
    result = suite.runpytest_inprocess(*arguments.get(source, []))
    result.assert_outcomes(failed=1)
    return result.stdout.str()


@pytest.mark.parametrize("source", SOURCES)
def test_only_known_directions_count(bare, source):
    output = confident(bare, source)
    assert "UndecidedSplit: undecided: unsure: rho_inv = 1.000 > 0.4 (resolved: 0.000)" in output


@pytest.mark.parametrize("source", ["default", *FILES, "-o", "flag", "marker", "call"])
def test_or_all_count(bare, source):
    output = confident(bare, source, value=False)
    assert "IllPosedSplit: ill posed: unsure: rho_inv = 1.000 > 0.4" in output


@pytest.mark.parametrize(
    ("first", "last", "kind"),
    [
        ("confident", "no-confident", "IllPosedSplit"),
        ("no-confident", "confident", "UndecidedSplit"),
    ],
)
def test_the_last_of_two_flags_counts(bare, first, last, kind):
    bare.makepyfile(UNSURE.format(mark="", keywords=""))
    result = bare.runpytest_inprocess(f"--splitcheck-{first}", f"--splitcheck-{last}")
    assert f"{kind}: " in result.stdout.str()


def test_a_flag_says_no_to_a_file(bare):
    PLACES["pytest.ini"].put(bare, {"confident": True})
    bare.makepyfile(UNSURE.format(mark="", keywords=""))
    result = bare.runpytest_inprocess("--splitcheck-no-confident")
    assert "IllPosedSplit: " in result.stdout.str()


def test_a_flag_leaves_what_follows_alone(bare):
    bare.makepyfile(UNSURE.format(mark="", keywords=""))
    result = bare.runpytest_inprocess("--splitcheck-confident", ".")
    result.assert_outcomes(failed=1)


@pytest.mark.parametrize("flag", ["--splitcheck-no-confidnt", "--splitcheck-not-confident"])
def test_a_misspelt_no_is_refused(bare, refusal, flag):
    bare.makepyfile(UNSURE.format(mark="", keywords=""))
    line = refusal(bare.runpytest_inprocess(flag))
    assert "did you mean --splitcheck-no-confident?" in line


def test_a_limit_that_is_unresolved_can_pass(bare):
    bare.makepyfile(UNSURE.format(mark="", keywords=', confident=True, undecided="pass"'))
    result = bare.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    assert any("undecided" in line for line in section(result))
