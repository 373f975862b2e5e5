"""What the failure message and the summary say of the integrity of a benchmark."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_splitcheck import Thresholds, judge
from pytest_splitcheck.measure.results import Conflicts, Dominance, Piles, SharedRows
from pytest_splitcheck.report.failure import failure_message
from pytest_splitcheck.report.record import record
from pytest_splitcheck.report.terminal import summary_lines
from pytest_splitcheck.report.text import cells
from tests.builders import integrity, leakage, report


def rows(*positions):
    return np.array(positions, dtype=np.intp)


def shared(near=0, *positions):
    found = rows(*positions)
    return SharedRows(
        rows=found, partners=found, exact=len(found) - near, near=near, scale=0.01234, drop=found
    )


EVERYTHING = integrity(
    shared=shared(1, 3, 14, 15, 26, 27, 31),
    contaminated={"b": rows(4)},
    absent=("c",),
    conflicts=Conflicts(groups=2, rows=rows(5, 6, 7, 8, 9), floor=0.02),
    piles=Piles(largest=40, beside=rows(8)),
    dominance=Dominance(column=2, share=0.95, standardised=leakage(0.25)),
)
NOTES = [
    "6 rows are in the training pool too (of 10,000), 1 of them nearly (within 0.0123): "
    "3, 14, 15, 26, 27 and 1 more",
    "Left in the training pool under another label when they are held out: b (1 of 300 rows: 4).",
    "5 rows are in 2 sets of equal rows with different labels, which keep L_10 at 0.02 or more: "
    "5, 6, 7, 8, 9.",
    "1 row is beside a pile of up to 40 equal rows in a normal pool, where LOF has no bound: 8.",
    "Column 2 has 0.950 of the variance; L_10 is 0.100, and 0.250 with features of equal variance.",
    "Held out without a row of their own in the training pool: c.",
]


def entry(found=EVERYTHING, limits=None, **changes):
    figures = {
        "integrity": found,
        "m": 10_000,
        "positives": dict.fromkeys("abc", 300),
        "n_train": 600,
        "folds": None,
    }
    made = report(**{**figures, **changes})
    return record(made, judge(made, Thresholds(**(limits or {}))), "fixture")


def detail(one, width=80):
    return [line.text for line in summary_lines([one], width, detail=True)]


def joined(lines):
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize("note", NOTES)
def test_what_is_within_its_limit_is_a_note_in_the_details_and_in_a_failure(note):
    assert note in joined(detail(entry()))
    assert note in joined(failure_message(entry(limits={"max_leakage": 0.05}), 80).split())


def test_notes_make_no_failure():
    assert entry()["verdict"]["status"] == "well posed"
    assert len(summary_lines([entry()], 80, detail=False)) == 2


def test_nothing_found_is_nothing_said():
    lines = detail(entry(integrity()))
    for word in ("pool too", "under another", "equal rows", "Column", "Held out"):
        assert word not in joined(lines)


def test_rows_of_a_cross_fit_are_in_other_folds():
    one = entry(integrity(shared=shared(0, 3)), n_train=None, folds=5)
    assert "1 row is in other folds too (of 10,000): 3." in joined(detail(one))


def test_rows_that_are_kept_in_one_fold_are_told():
    none = rows()
    kept = SharedRows(rows=none, partners=none, exact=0, near=0, scale=0.1, drop=rows(5, 6))
    note = "2 of 10,000 rows repeat others, with which they share a fold."
    assert note in joined(detail(entry(integrity(shared=kept), n_train=None, folds=5)))
    assert note not in joined(detail(entry(integrity(shared=kept))))


def test_a_finding_is_told_once_with_what_to_do():
    one = entry(limits={"max_duplicates": 1e-6})
    text = joined(failure_message(one, 80).split())
    assert text.startswith("ill posed: bench: rows of b that its normal pool holds = 0.003 > 1e-06")
    assert "b (1 of 300 rows)" in text
    assert "Drop the rows of X and y at evaluate(benchmark).integrity.shared.drop (6 rows)" in text
    for note in (NOTES[0], NOTES[1], NOTES[3]):
        assert note not in text
    for note in (NOTES[2], NOTES[4], NOTES[5]):
        assert note in text


def test_the_table_says_what_it_is_and_not_which_limit():
    one = entry(limits={"max_duplicates": 1e-6})
    (line,) = [line.coloured for line in summary_lines([one], 200, detail=False)[1:]]
    assert line == "ill posed (contaminated pool, shared rows, duplicates under LOF)"


@pytest.mark.parametrize("width", [40, 80, 140])
@pytest.mark.parametrize("odd", ["a\x1b[31m\n", "漢字" * 30, "a name of many words " * 6])
def test_every_line_keeps_the_width(width, odd):
    found = integrity(
        shared=shared(1, *range(100)),
        contaminated={odd: rows(4)},
        absent=(odd,),
        piles=Piles(largest=40, beside=rows(*range(200))),
    )
    changes = {"classes": (odd, "b"), "positives": {odd: 3, "b": 30}, "aurocs": {}}
    for limits in ({}, {"max_leakage": 0.01}, {"max_leakage": 0.01, "max_duplicates": None}):
        one = entry(found, limits, leakage=leakage(classes=(odd, "b")), **changes)
        lines = failure_message(one, width).splitlines()[1:]
        if width > 40:
            lines += detail(one, width)
        assert [line for line in lines if cells(line) > width] == []
        assert all(line.isprintable() for line in lines)
