"""Several k in one check, as its author sees it."""

from __future__ import annotations

import re

import pytest

from tests.plugin.summaries import section, table

SWITCHES = """
import numpy as np
import pytest
from pytest_splitcheck import ClassSplit

@pytest.fixture
def threes():
    # Pairs of one class lie together, and no two pairs: the nearest row is a friend, the next a foe.
    X = np.repeat(np.arange(40.0), 2) + np.tile([0.0, 0.1], 40)
    return ClassSplit(X, np.repeat(["a", "b"] * 20, 2))

"""


def write(suite, call, mark=""):
    suite.makepyfile(f"{SWITCHES}\n{mark}\ndef test_it(splitcheck, threes):\n    {call}\n")


def test_the_first_k_decides(suite):
    write(suite, "splitcheck(threes, k=(1, 5))\n    splitcheck(threes, k=[5, 1])")
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E * ill posed: threes: L_5 = 0.780 > 0.5"])


def test_the_report_has_all(suite):
    write(
        suite,
        "report = splitcheck(threes)\n"
        "    assert (report.k, list(report.other_k)) == (1, [5, 3])\n"
        "    assert report.leakage.value == 0\n"
        "    assert report.other_k[3].leakage.value > 0.6",
        "@pytest.mark.splitcheck(k=(1, 5, 3))",
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize("source", ["flag", "ini", "marker"])
def test_the_summary_has_a_line_for_each_and_tells_what_depends_on_k(suite, source):
    mark = "@pytest.mark.splitcheck(k=(1, 3, 5))" if source == "marker" else ""
    write(suite, "splitcheck(threes)", mark)
    if source == "ini":
        path = suite.path / "pytest.ini"
        path.write_text(path.read_text() + "\nsplitcheck_k = 1,3,5\n")
    result = suite.runpytest_inprocess(*["--splitcheck-k=1,3,5"] * (source == "flag"))
    result.assert_outcomes(passed=1)
    assert [(row[0], row[3], row[-1]) for row in table(result)[:3]] == [
        ("threes", "1", "well posed"),
        ("", "3", "ill posed"),
        ("", "5", "ill posed"),
    ]
    assert section(result)[4] == (
        "threes: the verdict depends on k: well posed at 1, ill posed at 3 and 5"
    )


def test_a_failure_tells_it_too(suite):
    write(suite, "splitcheck(threes, k=(5, 1, 3))")
    result = suite.runpytest_inprocess()
    text = " ".join(re.sub(r"^E +", "", line) for line in result.outlines)
    assert "k = 5; L_5 by chance 0.5063; L_1 = 0.000, L_3 = 0.6" in text
    assert "The verdict depends on k: ill posed at 5 and 3, well posed at 1." in text


def test_where_nothing_depends_on_k_nothing_is_told(suite):
    write(suite, "splitcheck(threes, k=(1, 3, 5), max_leakage=1)")
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    assert "depends on k" not in result.stdout.str()
    assert len(section(result)) == 4


def test_v_has_every_l_k(suite):
    write(suite, "splitcheck(threes, k=(1, 3), detectors=('knn', 'lof'), max_rho_dir=None)")
    result = suite.runpytest_inprocess("-v")
    head = next(line.split() for line in section(result) if line.startswith("  class"))
    assert head == ["class", "rows", "L_1", "L_3", "slots", "geo", "knn", "lof", "knn", "at", "3"]
    assert [line.split()[0] for line in section(result) if line.startswith("  L_")] == [
        "L_1",
        "L_3",
    ]


def test_a_wrong_one_is_named(suite):
    write(suite, "splitcheck(threes, k=(1, 80))")
    result = suite.runpytest_inprocess()
    result.stdout.fnmatch_lines(
        [
            "E * k = 80 neighbours need 81 rows or more, but the evaluation set has m = 80. Set k to 79 or less, or*"
        ]
    )
