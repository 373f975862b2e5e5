"""Detectors of an author's own in a suite: what is measured, and what the author reads."""

from __future__ import annotations

import re

import pytest

LIMITS = "max_rho_dir=None, max_leakage=None, k=3"

DETECTORS = f"""
import numpy as np
import pytest
from pytest_splitcheck import HighIsNormal, RecordedScores
from sklearn.neighbors import KernelDensity

LIMITS = dict({LIMITS})


def distance(pool, rows):
    return np.abs(rows - pool.mean(axis=0)).sum(axis=1)


def nearness(pool, rows):
    return -distance(pool, rows)


class Unknown:
    def fit(self, X): pass
    def decision_function(self, X): return X[:, 0]


@pytest.fixture
def recorded():
    return RecordedScores.read("scores.csv")
"""


@pytest.fixture
def authors(suite):
    """A suite with detectors, and a file of scores for every row of the benchmark `blocks`."""
    lines = ["held_out,row,score"]
    lines += [f"a,{row},{-row}" for row in range(50)] + [f"b,{row},{row}" for row in range(50)]
    (suite.path / "scores.csv").write_text("\n".join(lines))

    def write(body):
        suite.makepyfile(DETECTORS + body)
        return suite

    return write


def first_line(result):
    (line,) = [line for line in result.outlines if re.match(r"E +pytest_splitcheck\.\w+:", line)]
    return line.lstrip("E ")


def test_every_form_of_a_detector_in_one_call(authors):
    suite = authors(
        """
def test_it(splitcheck, blocks, recorded):
    detectors = {
        "density": KernelDensity(),
        "distance": distance,
        "nearness": HighIsNormal(nearness),
        "recorded": recorded,
        "knn": "knn",
    }
    report = splitcheck(blocks, detectors=detectors, **LIMITS)
    for name, result in report.detectors.items():
        assert result.auroc["a"] > 0.9, name
    assert report.detectors["recorded"].auroc == {"a": 1.0, "b": 1.0}
    assert report.detectors["nearness"].auroc == report.detectors["distance"].auroc
"""
    )
    suite.runpytest_inprocess("-p", "no:warnings").assert_outcomes(passed=1)


def test_what_was_recorded_or_fitted_is_measured_once(authors, fits):
    suite = authors(
        """
@pytest.mark.parametrize("round", range(3))
def test_it(splitcheck, counted, recorded, round):
    detectors = {"density": KernelDensity(), "recorded": recorded}
    splitcheck(counted, detectors=detectors, **LIMITS)
"""
    )
    suite.runpytest_inprocess("-p", "no:warnings").assert_outcomes(passed=3)
    # One fit for leakage and each class, then one for each of two folds.
    assert fits() == 2 + 4


def test_a_function_is_asked_anew_whatever_it_reads(authors):
    suite = authors(
        """
import sys
import numpy as np

SIGN = 1

def signed(pool, rows):
    return SIGN * np.linalg.norm(rows - pool.mean(axis=0), axis=1)

@pytest.mark.parametrize("sign", [1, -1])
def test_it(splitcheck, blocks, sign, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "SIGN", sign)
    report = splitcheck(blocks, detectors=[signed], max_rho_dir=None, undecided="pass")
    assert (report.detectors["signed"].mean > 0.5) == (sign > 0)
"""
    )
    suite.runpytest_inprocess().assert_outcomes(passed=2)


def test_recorded_scores_with_the_wrong_sign_are_told(authors):
    suite = authors(
        """
def test_it(splitcheck, blocks, recorded):
    splitcheck(blocks, detectors={"mine": HighIsNormal(recorded)}, k=3)
"""
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    assert first_line(result) == (
        "pytest_splitcheck.UndecidedSplit: undecided: blocks: detector mine is below 1/2 in the 2 classes "
        "that geometry alone ranks the right way"
    )
    output = " ".join(line.removeprefix("E").strip() for line in result.outlines)
    assert "looks reversed: Seen from the geometry of the evaluation set" in output
    assert (
        "classes (AUROC): a (mine 0.000, geometry 0.998), b (mine 0.000, geometry 0.998)" in output
    )


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (
            "splitcheck(blocks, detectors=[nearness], **LIMITS)",
            "pytest_splitcheck.UndecidedSplit: undecided: blocks: detector nearness ranks far-away rows as "
            "normal (AUROC 0.000)",
        ),
        (
            "splitcheck(blocks, detectors=[lambda pool, rows: distance(pool, rows) > 20], **LIMITS)",
            "pytest_splitcheck.UndecidedSplit: undecided: blocks: detector <lambda> gives two distinct scores "
            "only, as labels are, in 2 of 2 splits",
        ),
        (
            "splitcheck(blocks, detectors=[lambda pool, rows: 0 * rows], min_auroc=0.5, **LIMITS)",
            "pytest_splitcheck.UndecidedSplit: undecided: blocks: detector <lambda> gives all rows the same "
            "score in 2 of 2 splits",
        ),
        (
            "splitcheck(thirds, detectors={'mine': recorded}, **LIMITS)",
            "pytest_splitcheck.InputError: detector 'mine', held-out class 'a': 25 of 75 rows have no recorded "
            "score: rows 50, 51, 52, 53, 54 and others.",
        ),
    ],
)
def test_what_the_author_reads(authors, nothing_of_ours, call, line):
    suite = authors(f"\ndef test_it(splitcheck, blocks, thirds, recorded):\n    {call}\n")
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    assert first_line(result) == line
    nothing_of_ours(result)


def test_an_unknown_direction_is_told_without_a_traceback_of_ours(authors, nothing_of_ours):
    suite = authors(
        "\ndef test_it(splitcheck, blocks):\n    splitcheck(blocks, detectors=[Unknown()])\n"
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    assert "has decision_function(X), of which it is not known" in first_line(result)
    nothing_of_ours(result)


def test_an_error_within_an_authors_function_shows_where_it_is(authors, nothing_of_ours):
    suite = authors(
        """
def broken(pool, rows):
    return rows.no_such_thing


def test_it(splitcheck, blocks):
    splitcheck(blocks, detectors=[broken])
"""
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    assert re.search(r"^> +return rows.no_such_thing$", shown, re.MULTILINE)
    assert "Raised by detector 'broken', held-out class 'a'" in shown
    nothing_of_ours(result)
