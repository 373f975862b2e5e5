from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck.measure.detectors import as_numbers
from pytest_splitcheck.measure.roc import is_constant, merge_ties, ordered_pairs
from tests import reference
from tests.builders import auroc

EPS = float(np.finfo(np.float64).eps)


def area(y, scores):
    return auroc(np.array(scores, dtype=float), np.array(y, dtype=bool))


@st.composite
def scored(draw):
    few = st.integers(-3, 3).map(float)
    any_value = st.floats(allow_nan=False)
    y = draw(st.lists(st.booleans(), min_size=2, max_size=25).filter(lambda y: 0 < sum(y) < len(y)))
    scores = draw(st.lists(few | any_value, min_size=len(y), max_size=len(y)))
    return np.array(y), np.array(scores)


@pytest.mark.parametrize(
    ("y", "scores", "expected"),
    [
        ([0, 0, 1, 1], [1, 2, 3, 4], 1.0),
        ([0, 1], [0, 0], 0.5),
        ([0, 1], [-np.inf, np.inf], 1.0),
    ],
)
def test_by_hand(y, scores, expected):
    assert area(y, scores) == expected


@pytest.mark.parametrize("y", [[0, 0], [1, 1]])
def test_one_class_only_is_undefined(y):
    with pytest.raises(ZeroDivisionError):
        area(y, [1, 2])


@given(scored())
def test_equals_the_count_of_all_pairs(data):
    y, scores = data
    assert auroc(scores, y) == float(reference.auroc(scores.tolist(), y.tolist()))


@given(scored())
def test_negated_scores_give_the_complement(data):
    y, scores = data
    above, pairs = ordered_pairs(scores, y)
    assert ordered_pairs(-scores, y) == (pairs - above, pairs)


@given(scored())
def test_swapped_classes_give_the_complement(data):
    y, scores = data
    above, pairs = ordered_pairs(scores, y)
    assert ordered_pairs(scores, ~y) == (pairs - above, pairs)


@given(scored())
def test_only_ranks_matter(data):
    y, scores = data
    ranks = np.unique(scores, return_inverse=True)[1].astype(float)
    assert ordered_pairs(1000 * ranks - 7, y) == ordered_pairs(scores, y)


@given(scored(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(data, random):
    y, scores = data
    order = list(range(len(y)))
    random.shuffle(order)
    assert ordered_pairs(scores[order], y[order]) == ordered_pairs(scores, y)


def test_counts_are_plain_numbers_and_do_not_overflow():
    y = np.repeat([False, True], 70_000)  # 9.8e9 half pairs, beyond 32 bits
    above, pairs = ordered_pairs(np.arange(140_000.0), y)
    assert above == pairs == 2 * 70_000**2
    assert type(above) is type(pairs) is int


@pytest.mark.parametrize(
    "scores",
    [
        np.full(1000, 0.5),
        np.zeros(3),
        0.5 + 1e-17 * np.random.default_rng(0).normal(size=1000),
        0.5 + EPS * np.arange(4),
        -1e6 * (1 + EPS * np.arange(4)),
        np.full(3, np.inf),
    ],
)
def test_no_ranking(scores):
    assert is_constant(scores, EPS)


@pytest.mark.parametrize(
    "scores",
    [
        np.array([0.0, 1.0]),
        np.array([0.5, 0.5 + 1e-12]),
        np.array([0.0, 1e-300]),
        np.array([-1.0, 1.0]) * 1e-310,
    ],
)
def test_a_ranking(scores):
    assert not is_constant(scores, EPS)


@pytest.mark.parametrize("extreme", [np.inf, -np.inf])
def test_one_infinite_score_leaves_the_ranking_of_the_others(extreme):
    assert not is_constant(np.array([0.0, 1.0, 2.0, extreme]), EPS)


def test_the_resolution_is_that_of_the_type_of_the_scores():
    scores = np.array([1.0, 1.0 + 3e-7])
    assert is_constant(scores, float(np.finfo(np.float32).eps))
    assert not is_constant(scores, EPS)


def test_two_steps_of_a_narrow_type_are_no_rounding():
    levels = (1 - np.arange(1, 12) * 2.0**-11).astype(np.float16)
    _, resolution = as_numbers(levels, "they")
    for n in range(2, 12):
        assert is_constant(levels[:n].astype(float), resolution) == (n <= 3)


@pytest.mark.parametrize("top", [0.5, 0.51, 0.99, 1.0, 1.01, 3e5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_is_counted_in_steps_of_the_type(top, dtype):
    top = dtype(top)
    step = np.spacing(np.nextafter(top, dtype(0)))  # of the numbers below
    if top in (0.5, 1.0):  # the steps change there
        step = np.spacing(top)
    _, resolution = as_numbers(np.array([top]), "they")
    for steps in (8, 9):
        low = top - steps * step
        assert is_constant(np.array([low, top], dtype=float), resolution) == (steps == 8)


# --- ties up to rounding --------------------------------------------------------------------


def test_scores_within_their_margin_of_the_next_are_one():
    scores = np.array([5.0, 1.0, 1.1, 3.0, 1.2, 0.0])
    merged = merge_ties(scores, np.full(6, 0.11))
    assert merged.tolist() == [5.0, 1.0, 1.0, 3.0, 1.0, 0.0]


def test_the_margin_is_that_of_the_larger_score():
    merged = merge_ties(np.array([10.0, 9.5, 1.0, 0.5]), np.array([1.0, 0.1, 0.1, 1.0]))
    assert merged.tolist() == [9.5, 9.5, 1.0, 0.5]


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=20), st.floats(0, 2))
def test_merging_keeps_the_order_and_makes_nothing_larger(values, width):
    scores = np.array(values)
    merged = merge_ties(scores, width * scores)
    assert (merged <= scores).all()
    assert set(merged.tolist()) <= set(values)
    order = np.argsort(scores)
    assert (np.diff(merged[order]) >= 0).all()
    if width == 0:
        assert merged.tolist() == values
