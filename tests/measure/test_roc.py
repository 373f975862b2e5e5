from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck.measure.roc import is_constant, ordered_pairs
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
