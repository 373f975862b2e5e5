"""The way out in the message of a failed check."""

from __future__ import annotations

import pytest

from pytest_splitcheck.measure import advice

BENCHMARK = """
import numpy as np
import pytest
from pytest_splitcheck import ClassSplit


class Plain:
    # A representation, which may take its time.

    def fit(self, X):
        pass

    def transform(self, X):
        return X


def twins(**options):
    # a and b lie in one place, c and d each in its own.
    place = np.repeat([[0.0, 0.0], [0.0, 0.0], [20.0, 0.0], [0.0, 20.0]], 30, axis=0)
    rows = place + np.random.default_rng(0).normal(size=place.shape)
    return ClassSplit(rows, np.repeat(list("abcd"), 30), folds=2, **options)


@pytest.fixture(scope="session")
def benchmark():
    return twins()


@pytest.fixture(scope="session")
def fitted():
    return twins(representation=Plain())
"""

CALL = "ClassSplit(X, y, folds=2, merge=[('a', 'b')])"
NOT_MEASURED = "*No other splits were measured*"


@pytest.fixture
def twins(suite):
    suite.makeconftest(BENCHMARK)
    suite.makefile(".ini", pytest="[pytest]\nsplitcheck_detectors = knn\n")
    suite.makepyfile("def test_it(splitcheck, benchmark): splitcheck(benchmark)")
    return suite


def test_a_failure_proposes_what_to_do(twins):
    result = twins.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E * way out",
            "E * leaks most (share of neighbours): b->a 0.*",
            "E * ranked the right way by every detector: c, d",
            "E * merge a+b: L_10 = 0.000, rho_dir = 0.000, K = 3, m = 120",
            "E * ClassSplit(X, y, folds=2, merge=[[]('a', 'b')])",
            "E * drop *: L_10 = 0.000, rho_dir = 0.000, K = 3, m = 90",
            "E * ClassSplit(X, y, folds=2, drop=[[]*])",
        ]
    )


def test_what_is_proposed_passes(twins):
    twins.makepyfile(
        f"""
        import numpy as np
        from conftest import twins
        from pytest_splitcheck import ClassSplit

        def test_it(splitcheck):
            benchmark = twins()
            X, y = benchmark.X, np.repeat(list("abcd"), 30)
            found = splitcheck({CALL})
            assert (found.leakage.value, found.instability.rho_dir) == (0.0, 0.0)
        """
    )
    twins.runpytest_inprocess().assert_outcomes(passed=1)


def test_proposals_keep_the_limits_of_the_check(twins):
    twins.makepyfile("def test_it(splitcheck, benchmark): splitcheck(benchmark, min_positives=31)")
    result = twins.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*ClassSplit(X*")

    twins.makepyfile("def test_it(splitcheck, benchmark): splitcheck(benchmark, max_leakage=0.01)")
    result = twins.runpytest_inprocess()
    result.stdout.fnmatch_lines([f"E * {CALL.replace('[', '[[]')}"])


def test_a_benchmark_that_passes_has_no_way_out(twins):
    twins.makepyfile("def test_it(splitcheck, benchmark): splitcheck(benchmark, max_rho_dir=None)")
    result = twins.runpytest_inprocess("-v")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*way out*")


def test_a_verdict_for_want_of_data_has_no_way_out(suite):
    suite.makepyfile(
        "def test_it(splitcheck, scarce, coordinate): splitcheck(scarce, detectors=coordinate)"
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*UndecidedSplit*"])
    result.stdout.no_fnmatch_line("*way out*")


def test_what_is_not_quick_is_not_measured_again_unless_asked(twins):
    twins.makepyfile(
        "def test_it(splitcheck, fitted): splitcheck(fitted, detectors=[], max_leakage=0.1)"
    )
    result = twins.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E * way out", "E *->* 0.*", f"E {NOT_MEASURED}"])
    result.stdout.no_fnmatch_line("*ClassSplit(X*")

    result = twins.runpytest_inprocess("--splitcheck-advice", "always")
    result.stdout.fnmatch_lines(["E * ClassSplit(X, y, representation=representation, folds=2, *"])


def test_detectors_that_are_fitted_one_by_one_are_not_run_again_unless_asked(twins):
    result = twins.runpytest_inprocess("--splitcheck-detectors=knn,iforest", "--splitcheck-seeds=0")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E {NOT_MEASURED}"])


def test_many_rows_are_not_measured_again_unless_asked(twins, monkeypatch):
    monkeypatch.setattr(advice, "_QUICK_ROWS", 119)
    result = twins.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E {NOT_MEASURED}"])


def test_it_can_be_left_out(twins):
    result = twins.runpytest_inprocess("--splitcheck-advice=never")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E {NOT_MEASURED}"])


def test_the_exception_has_the_report_to_ask(twins):
    twins.makepyfile(
        """
        import pytest
        from pytest_splitcheck import IllPosedSplit

        def test_it(splitcheck, benchmark):
            with pytest.raises(IllPosedSplit) as failure:
                splitcheck(benchmark, advice="never")
            proposals = failure.value.report.advice().proposals
            assert [one.kind for one in proposals] == ["merge", "drop"]
        """
    )
    twins.runpytest_inprocess().assert_outcomes(passed=1)


WEAK = """
import numpy as np
import pytest
from pytest_splitcheck import ClassSplit

def blunt(pool, rows):
    # The distance to the pool, and as much noise.
    far = np.abs(rows[:, None] - pool).sum(axis=2).min(axis=1)
    return far + np.random.default_rng(0).normal(scale=20, size=len(rows))

@pytest.fixture(scope="session")
def apart():
    place = np.repeat([[0.0, 0.0], [20.0, 0.0], [0.0, 20.0], [20.0, 20.0]], 30, axis=0)
    rows = place + np.random.default_rng(0).normal(size=place.shape)
    return ClassSplit(rows, np.repeat(list("abcd"), 30), folds=2)

def test_it(splitcheck, apart):
    splitcheck(apart, detectors=[blunt, "knn"], min_auroc=0.9, advice="always")
"""


def test_a_weak_detector_is_no_reason_for_another_split(suite):
    suite.makepyfile(WEAK)
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E * min_auroc  mean AUROC = 0.8* < 0.9  min_auroc= in the call",
            "E * fault (below the limit): blunt alone: *",
            "E * way out",
            "E * The split is sound by its geometry (rho_dir of geometry alone = 0.000, its mean",
            "E * AUROC = 1.000): what is wrong is blunt. Look at its scores, or use another",
        ]
    )
    result.stdout.no_fnmatch_line("*ClassSplit(X*")
