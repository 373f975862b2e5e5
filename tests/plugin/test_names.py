"""Names of any kind and terminals of any width in the splitcheck section."""

from __future__ import annotations

import re
import unicodedata

import pytest

from tests.plugin.summaries import section

HOSTILE = [
    "\x1b[31mred",
    "two\nlines",
    "carriage\rreturn",
    "bell\a tab\t",
    "right\u202eto left",
    "zero\u200bwidth",
    "surrogate \ud800",
    "日本語のクラス",
    "e\u0301 combined",
    "",
    " ",
    "%s %d {0} {name}",
    "[bold]not markup[/bold]",
    "<b>&amp;",
    "a" * 300,
    "well posed",
]


def cells(text: str) -> int:
    """Terminal cells that `text` takes."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


NAMES = """
from pytest_splitcheck import ClassSplit

NAMES = {names!r}

class Coordinate:
    def fit(self, X): pass
    def score(self, X): return X[:, 0]

def test_it(splitcheck):
    rows = [[float(row)] for row in range(25 * len(NAMES))]
    labels = [name for name in NAMES for _ in range(25)]
    for name in {benchmarks!r}:
        splitcheck(
            ClassSplit(rows, labels, name=name, representation={representation!r}, folds=2),
            detectors={{detector: Coordinate() for detector in {detectors!r}}},
            max_rho_dir=1.0,
            max_leakage={max_leakage},
        )
"""


@pytest.mark.parametrize("columns", [40, 80, 140])
@pytest.mark.parametrize("max_leakage", [1.0, 0.0], ids=["passes", "fails"])
@pytest.mark.parametrize("kind", ["plain", "long", "hostile"])
def test_no_line_is_wider_than_the_terminal(suite, monkeypatch, kind, max_leakage, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    names = {
        "plain": ["a", "b", "c"],
        "long": [f"the class of this name, number {at} of ten" for at in range(10)],
        "hostile": HOSTILE,
    }[kind]
    suite.makepyfile(
        NAMES.format(
            names=names,
            benchmarks=["short", names[-1] or "x"],
            representation=None if kind == "plain" else "features of the last layer but one",
            detectors=["one", "two", "three", "four", "five", "six"],
            max_leakage=max_leakage,
        )
    )
    result = suite.runpytest_inprocess("-v")
    result.assert_outcomes(**{"failed" if max_leakage == 0 else "passed": 1})
    lines = section(result)
    assert len(lines) > len(names)
    if columns == 40:  # the figures alone take more; they have lines of their own
        lines = [line for line in lines if not re.match(r" *\d* .*(posed|verdict)$", line)]
    assert [line for line in lines if cells(line) > columns] == []


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_in_its_line(suite, name):
    suite.makepyfile(
        NAMES.format(
            names=[name, "other"],
            benchmarks=[name or "x"],
            representation=name or "x",
            detectors=[name or "x"],
            max_leakage=0.01,
        )
    )
    result = suite.runpytest_inprocess("-v", "--tb=short")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs")} <= {"\n"}
    lines = section(result)
    classes = [line for line in lines if re.search(r" 25  0\.0600 ", line)]
    assert len(classes) == 2
    first = next(line for line in result.outlines if line.startswith("E   "))
    assert first.endswith("L_10 = 0.060 > 0.01")


def test_names_that_differ_are_told_apart(suite, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    hostile = [name for name in HOSTILE if name != " "]
    names = [*hostile, *(name + "x" for name in hostile)]
    suite.makepyfile(
        NAMES.format(
            names=names, benchmarks=["b"], representation=None, detectors=[], max_leakage=1.0
        )
    )
    result = suite.runpytest_inprocess("-v")
    result.assert_outcomes(passed=1)
    classes = [line for line in section(result) if re.search(r" 25  0\.(06|12)00 ", line)]
    assert len(set(classes)) == len(names)
