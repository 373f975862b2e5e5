from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_splitcheck import ClassSplit, evaluate
from pytest_splitcheck.measure.regroup import class_slots, merge_closest, regrouped_leakage
from tests import reference
from tests.builders import labelled_grids, labels, plain


def regrouped(found, groups):
    """Return the leakage to be expected of a report's classes in groups."""
    names = found.classes
    classes = tuple(
        names[group[0]] if len(group) == 1 else tuple(names[code] for code in group)
        for group in groups
    )
    counts = [found.counts[label] for label in names]
    slots = class_slots(found.leakage, counts)
    return regrouped_leakage(found.leakage, slots, counts, groups, classes)


FIGURES = ("value", "interval", "macro", "chance", "ratio", "k", "m", "classes", "floor")


@settings(max_examples=60)
@given(labelled_grids(), st.sampled_from([((0, 1), (2,)), ((0, 2), (1,)), ((0,), (1, 2))]))
def test_merging_needs_no_search(data, groups):
    rows, y, k = data
    assume(y.max() == 2)  # three classes
    found = evaluate(ClassSplit(rows, y, folds=2), k=k, detectors=())
    expected = regrouped(found, groups)
    number = {code: place for place, group in enumerate(groups) for code in group}
    merged = np.array([number[code] for code in y])
    assert expected.value == pytest.approx(
        float(sum(reference.pointwise(rows, merged, k)) / len(y)), abs=1e-12
    )
    measured = evaluate(ClassSplit(rows, y, folds=2).regrouped(groups), k=k, detectors=()).leakage
    for figure in FIGURES:
        told, true = getattr(expected, figure), getattr(measured, figure)
        assert told == true if figure == "classes" else told == pytest.approx(true, abs=1e-12)
    assert expected.per_class == pytest.approx(measured.per_class, abs=1e-12)
    assert expected.slot_share == pytest.approx(measured.slot_share, abs=1e-12)
    np.testing.assert_allclose(expected.matrix, measured.matrix, rtol=0, atol=1e-12)


def test_the_slots_of_a_dropped_class_are_dealt_out_in_proportion():
    rows = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0]])
    found = evaluate(ClassSplit(rows, list("aabbcc"), folds=2), k=2, detectors=())
    # Neighbours: 0: ab, 1: ab (1: 0 and 2), 2: ab (1 and 3), 3: bc, 4: bc, 5: bc
    assert found.leakage.matrix.tolist() == [[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
    expected = regrouped(found, ((0,), (1,)))
    # Of b's slots 1/4 + 1/2 are left, a third of them a's; of a's all, half of them b's.
    assert expected.value == pytest.approx(float((Fraction(1, 2) + Fraction(1, 3)) / 2))
    assert expected.m == 4


def test_a_class_without_a_sampled_row_counts_for_nothing():
    rows, y = plain(30), labels(30)
    found = evaluate(ClassSplit(rows, y), k=3, detectors=()).leakage
    counts = [10, 10, 10]
    slots = class_slots(found, counts)
    found.matrix[1] = np.nan
    unknown = class_slots(found, counts)
    assert unknown[1].tolist() == [0, 0, 0]
    expected = regrouped_leakage(found, unknown, counts, ((0,), (1,), (2,)), (0, 1, 2))
    assert expected.per_class[1] is None
    assert expected.macro is None
    assert expected.value == pytest.approx(1 - (slots[0, 0] + slots[2, 2]) / 20)


def test_the_two_groups_that_leak_most_are_merged():
    slots = np.array([[8.0, 1.0, 1.0], [0.0, 6.0, 4.0], [1.0, 3.0, 6.0]])
    counts = [10, 10, 10]
    assert merge_closest(((0,), (1,), (2,)), slots, counts) == ((0,), (1, 2))
    assert merge_closest(((0,), (1, 2)), slots, counts) == ((0, 1, 2),)


def test_leakage_counts_by_pair_of_rows():
    # Class 0 is ten times as large: it leaks 4 into 1 and 2 each, these 1 into each other.
    slots = np.array([[92.0, 4.0, 4.0], [4.0, 5.0, 1.0], [4.0, 1.0, 5.0]])
    assert merge_closest(((0,), (1,), (2,)), slots, [100, 10, 10]) == ((0,), (1, 2))


def test_of_equal_leakage_the_first_are_merged():
    slots = np.full((3, 3), 1 / 3)
    assert merge_closest(((0,), (1,), (2,)), slots, [1, 1, 1]) == ((0, 1), (2,))


def test_dropped_classes_are_not_merged():
    slots = np.array([[0.0, 9.0, 1.0], [9.0, 0.0, 1.0], [1.0, 1.0, 8.0]])
    assert merge_closest(((0,), (2,)), slots, [10, 10, 10]) == ((0, 2),)
