"""Broken benchmarks in a run of pytest: what the author reads, and that geometry is not blamed."""

from __future__ import annotations

import re

import pytest

from tests.plugin.summaries import section

BENCHMARKS = """
import numpy as np
import pytest
from pytest_splitcheck import ClassSplit

rng = np.random.default_rng(0)
y = np.repeat(["cat", "dog", "eel"], 50)
CENTRES = {"cat": [0, 0], "dog": [9, 0], "eel": [0, 9]}


def draw():
    return np.array([CENTRES[label] for label in y]) + rng.normal(size=(150, 2))


@pytest.fixture(scope="session")
def contaminated():
    X, pool = draw(), draw()
    pool[100:] = X[100:]
    return ClassSplit(X, y, train=(pool, np.where(y == "eel", "cat", y)))


@pytest.fixture(scope="session")
def duplicated():
    X = draw()
    X[1::2] = X[::2].astype(np.float32)
    return ClassSplit(X, y)


@pytest.fixture(scope="session")
def nearly():
    X, pool = draw(), draw()
    pool[:2] = X[:2]
    return ClassSplit(X, y, train=(pool, y))
"""


@pytest.fixture
def broken(suite):
    suite.makeconftest(BENCHMARKS)
    suite.makefile(".ini", pytest="[pytest]\nsplitcheck_detectors = knn\nsplitcheck_k = 5\n")
    return suite


def told(result):
    lines = [line[1:].strip() for line in result.outlines if line.startswith("E   ")]
    return lines[0], " ".join(" ".join(lines[1:]).split())


def a_test_of(name, call=""):
    return f"def test_it(splitcheck, {name}):\n    splitcheck({name}, {call})\n"


def test_a_contaminated_split(broken):
    broken.makepyfile(a_test_of("contaminated"))
    result = broken.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    first, rest = told(result)
    assert first == (
        "pytest_splitcheck.IllPosedSplit: ill posed: contaminated: rows of eel that its normal pool "
        "holds = 1.000 > 0.05, rows that are in the training pool too = 0.333 > 0.05"
    )
    assert "eel (50 of 50 rows)" in rest
    assert "rows of eel: 100, 101, 102, 103, 104 and 45 more." in rest
    assert "Mend the labels of the pool, or drop" in rest
    for blamed in ("max_rho_dir", "max_leakage", "L_5 =", "rho_dir ="):
        assert blamed not in first + rest
    assert "ill posed (contaminated pool, shared rows)" in "\n".join(section(result))


def test_a_duplicated_split(broken):
    broken.makepyfile(a_test_of("duplicated"))
    result = broken.runpytest_inprocess("--splitcheck-max-leakage=0.001")
    first, rest = told(result)
    assert first.startswith(
        "pytest_splitcheck.IllPosedSplit: ill posed: duplicated: rows that are in other folds too = 0."
    )
    assert "L_5 =" not in first + rest
    assert "max_duplicates" in rest
    assert re.search(
        r"Drop the rows of X and y at evaluate\(benchmark\)\.integrity\.shared\.drop \(\d+ rows\), again until there are "
        "none; leakage and rates are judged after that",
        rest,
    )


def test_what_the_message_says_mends_it(broken):
    broken.makepyfile(
        """
        import numpy as np
        from pytest_splitcheck import ClassSplit, IllPosedSplit

        def test_it(splitcheck, duplicated):
            X, y = duplicated.X, np.array(duplicated.classes)[duplicated.codes]
            for _ in range(9):
                try:
                    splitcheck(ClassSplit(X, y))
                except IllPosedSplit as error:
                    drop = error.report.integrity.shared.drop
                    X, y = np.delete(X, drop, axis=0), np.delete(y, drop)
            splitcheck(ClassSplit(X, y))
            assert len(X) == 75
        """
    )
    broken.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_few_shared_rows_are_a_note(broken):
    broken.makepyfile(a_test_of("nearly", "max_duplicates=0.02"))
    result = broken.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    assert "pool too" not in "\n".join(section(result))
    shown = "\n".join(section(broken.runpytest_inprocess("-v")))
    assert "  2 rows are in the training pool too (of 150): 0, 1." in shown


@pytest.mark.parametrize("limit", ["0.4", "1"])
def test_the_limit_can_be_raised(broken, limit):
    broken.makepyfile(a_test_of("contaminated"))
    result = broken.runpytest_inprocess(f"--splitcheck-max-duplicates={limit}")
    first = told(result)[0] if result.parseoutcomes().get("failed") else ""
    assert ("normal pool holds" in first) == (limit == "0.4")
    assert "training pool too" not in first


def test_records_cross_processes(broken):
    pytest.importorskip("xdist")
    broken.makepyfile(a_test_of("contaminated") + a_test_of("duplicated").replace("it", "other", 1))
    result = broken.runpytest_inprocess("-n1")
    result.assert_outcomes(failed=2)
    assert "ill posed (contaminated pool, shared rows)" in "\n".join(section(result))
