"""Lists of neighbours once they are found: what a removal leaves of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck.measure.neighbours.lists import Neighbours


def lists(distance, code):
    code = np.array(code)
    index = np.where(code >= 0, np.arange(code.shape[1]), -1)
    return Neighbours(np.array(distance, float), index, code)


@given(st.data())
def test_what_a_removal_leaves_is_found_row_by_row(data):
    n_classes, q, k = (data.draw(st.integers(1, most)) for most in (5, 6, 4))
    removed = sorted(data.draw(st.sets(st.integers(0, n_classes), max_size=2)))
    some = st.lists(st.integers(0, n_classes - 1), max_size=8)
    rows = [data.draw(some) + [n_classes + 1] * k for _ in range(q)]
    width = max(map(len, rows))
    code = np.array([row + [-1] * (width - len(row)) for row in rows])
    found = lists(np.where(code >= 0, np.arange(1.0, width + 1), np.inf), code)
    left = [[j for j, one in enumerate(row) if one not in removed][:k] for row in rows]
    distance, index = found.without(removed, k)
    assert index.tolist() == left
    assert distance.tolist() == [[j + 1.0 for j in row] for row in left]
    mean = found.mean_without(removed, k)
    assert mean == pytest.approx([np.mean(row) + 1.0 for row in left], rel=1e-15)


def test_each_list_size_has_its_own_means():
    found = lists([[1.0, 2.0, 6.0]], [[0, 1, 1]])
    assert [found.mean_without((), k).tolist() for k in (1, 2, 3, 1)] == [
        [1.0],
        [1.5],
        [3.0],
        [1.0],
    ]
    assert [found.mean_without((0,), k).tolist() for k in (1, 2)] == [[2.0], [4.0]]


def test_scaled_lists_have_scaled_means():
    found = lists([[1.0, 2.0]], [[0, 1]])
    assert found.mean_without((), 2).tolist() == [1.5]
    assert replace(found, distance=found.distance / 2).mean_without((), 2).tolist() == [0.75]


def test_the_largest_distances_have_a_mean_and_make_no_small_one_nothing():
    largest = np.finfo(float).max
    found = lists([[largest] * 3, [1e-300] * 3, [1e-300, 1.0, largest]], [[0, 0, 0]] * 3)
    assert found.mean_without((), 3).tolist() == [largest, 1e-300, pytest.approx(largest / 3)]


@pytest.mark.parametrize("n_classes", [40_000, 70_000])
def test_many_classes(n_classes):
    code = np.arange(n_classes).reshape(-1, 4)
    found = lists(np.tile(np.arange(4.0), (len(code), 1)), code)
    _, index = found.without((n_classes - 4, 2), 3)
    assert index[-1].tolist() == [1, 2, 3]
    assert index[0].tolist() == [0, 1, 3]
    assert (index[1:-1] == [0, 1, 2]).all()
    assert found.mean_without((n_classes - 4,), 3)[[0, -1]].tolist() == [1.0, 2.0]
