"""Leakage from a sample of the rows, in a real run."""

from __future__ import annotations

import re

import pytest

from tests.plugin.summaries import section, table

TESTS = """
import numpy as np
import pytest
from pytest_splitcheck import ClassSplit

RNG = np.random.default_rng(0)
Y = RNG.permutation(np.arange(1000) % 4)
X = RNG.normal(size=(1000, 3))

@pytest.fixture(scope="session")
def leaks():
    return ClassSplit(X, Y)

@pytest.fixture(scope="session")
def keeps():
    return ClassSplit(X + 2 * np.eye(4, 3)[Y], Y)

@pytest.mark.splitcheck("leaks")
def test_leaks(): ...

@pytest.mark.splitcheck("keeps")
def test_keeps(): ...
"""


def test_both_verdicts_come_with_queries_and_alpha(suite):
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess("--splitcheck-sampling=always")
    result.assert_outcomes(passed=1, failed=1)
    output = result.stdout.str()
    assert re.search(
        r"^ill posed: leaks: L_10 = 0\.7\d* > 0\.5 \(sampled: \d+ of 1,000 rows, alpha 0\.001\)$",
        output,
        re.M,
    )
    rows = table_above_notes(result)
    assert [(row[0], row[4][:2], row[-1]) for row in rows] == [
        ("keeps", "~0", "well posed"),
        ("leaks", "~0", "ill posed (max_leakage)"),
    ]
    for name in ("keeps", "leaks"):
        assert re.search(rf"^~ {name}: L_10 is estimated from \d+ of 1,000 rows", output, re.M)


def table_above_notes(result):
    lines = [line for line in section(result) if line and line[0] not in "~ "]
    return [re.split(" {2,}", line) for line in lines[1:]]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--splitcheck-sampling=never"],
        ["--splitcheck-sampling=always", "--splitcheck-max-leakage=1"],
    ],
)
def test_otherwise_the_value_is_exact(suite, arguments):
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess(*arguments)
    assert "sampled" not in result.stdout.str()
    assert "~" not in "".join(row[4] for row in table(result))


def test_more_than_fifty_thousand_rows_are_sampled_without_being_asked(suite):
    suite.makepyfile(
        """
        import numpy as np
        from pytest_splitcheck import ClassSplit

        def test_it(splitcheck):
            X = np.random.default_rng(0).normal(size=(50_001, 1))
            report = splitcheck(ClassSplit(X, X[:, 0] > 0))
            assert 10 < report.leakage.queries < 100
            assert report.leakage.alpha == 0.001
            assert report.leakage.interval[1] < 0.5
        """
    )
    suite.runpytest_inprocess("-s").assert_outcomes(passed=1)


def test_a_stricter_limit_asks_for_more_queries_and_an_exact_value_serves_no_sample(suite):
    suite.makepyfile(
        TESTS
        + """
def test_it(splitcheck, keeps):
    first = splitcheck(keeps, sampling="always").leakage
    stricter = splitcheck(keeps, sampling="always", max_leakage=0.4).leakage
    assert first.queries < stricter.queries < 1000
    assert first.interval[1] < 0.5 and stricter.interval[1] < 0.4
    assert splitcheck(keeps, sampling="always").leakage is first
    by_ratio = dict(max_leakage=None, max_leakage_ratio=0.9, sampling="always")
    ratio = splitcheck(keeps, **by_ratio).leakage
    assert ratio.interval[1] / ratio.chance < 0.9
    assert not ratio.exact
    exact = splitcheck(keeps, sampling="never").leakage
    assert exact.exact
    for limits in ({}, {"max_leakage": 0.4}):
        assert splitcheck(keeps, **limits).leakage is exact
    assert splitcheck(keeps, **by_ratio).leakage is ratio
"""
    )
    result = suite.runpytest_inprocess("-k", "test_it", "--splitcheck-max-rho-dir=1")
    result.assert_outcomes(passed=1, deselected=2)


def test_the_marker_takes_it(suite):
    suite.makepyfile(
        TESTS.replace('("keeps")', '("keeps", sampling="always", alpha=0.2)').replace(
            '("leaks")', '("leaks", max_leakage=1.0)'
        )
    )
    result = suite.runpytest_inprocess("-v", "--splitcheck-max-rho-dir=1")
    result.assert_outcomes(passed=2)
    output = re.sub(r"\s+", " ", result.stdout.str())
    assert "wrong with probability 0.2 at most" in output
    assert "L_10 ~0." in output
    assert output.count("is estimated from") == 1


def test_workers_send_it(suite):
    pytest.importorskip("xdist")
    suite.makepyfile(TESTS)
    alone = suite.runpytest_inprocess("--splitcheck-sampling=always")
    shared = suite.runpytest_inprocess("--splitcheck-sampling=always", "-n2")
    shared.assert_outcomes(passed=1, failed=1)
    assert section(shared) == section(alone)
