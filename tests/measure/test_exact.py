"""Distances of pairs, and their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pytest_splitcheck.measure.neighbours import surviving_neighbours
from pytest_splitcheck.measure.neighbours.exact import exact_distances, pixels_of
from pytest_splitcheck.measure.neighbours.order import in_order, rows_in_order
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers

WORKERS = Workers(2, 1 << 24)


def pixels(n=40, d=300, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (n, d)).astype(np.uint8)


# --- whole numbers of a byte ------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64", "float16", ">f8"])
def test_distances_of_pixels_are_the_same_in_every_bit(dtype):
    X = pixels()
    X[0], X[1] = 0, 255  # as far apart as can be
    base, queries = Rows(X.astype(dtype)), Rows(X[::2].astype(dtype))
    pairs = queries, np.repeat(np.arange(20), 40), base, np.tile(np.arange(40), 20)
    found = exact_distances(*pairs, pixels=pixels_of(base, queries, WORKERS))
    assert pixels_of(base, queries, WORKERS) is not None
    wide = X.astype(int)
    expected = np.sqrt(((wide[::2, None] - wide) ** 2).sum(axis=2)).ravel()
    assert found.tobytes() == expected.tobytes() == exact_distances(*pairs).tobytes()


def test_pixels_of_a_selection():
    X, index = pixels().astype(float), np.array([3, 1, 7])
    for rows in (Rows(X, index), Rows(X.astype(np.uint8), index)):
        assert np.array_equal(pixels_of(rows, rows, WORKERS), X[index])


@pytest.mark.parametrize("lay", [np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2]])
def test_pixels_lie_row_by_row(lay):
    X = pixels()
    for Y in (lay(X), lay(X.astype(float))):
        found = pixels_of(Rows(Y), Rows(Y), WORKERS)
        assert found.flags.c_contiguous  # of other arrays, numpy takes rows by way of a copy
        assert np.array_equal(found, X)
        pairs = Rows(Y), np.arange(39), Rows(Y), np.arange(1, 40)
        expected = np.sqrt((np.diff(X.astype(int), axis=0) ** 2).sum(axis=1))
        assert exact_distances(*pairs, pixels=found).tobytes() == expected.tobytes()


@pytest.mark.parametrize("value", [-1.0, 256.0, 0.5, 1e300, 2.0**-1074])
def test_one_other_value_anywhere_is_enough(value):
    X = pixels().astype(float)
    assert pixels_of(Rows(X), Rows(X), WORKERS) is not None
    X[-1, -1] = value
    for pair in [(X, X), (pixels(), X), (X, pixels())]:
        assert pixels_of(*map(Rows, pair), WORKERS) is None


@pytest.mark.parametrize("how", [{"unit": True}, {"exponent": 2}, {"weights": np.ones(300)}])
def test_rows_that_are_scaled_are_no_pixels(how):
    rows = Rows(np.maximum(pixels(), 1), **how)
    assert pixels_of(rows, rows, WORKERS) is None


def test_copies_are_made_where_there_is_room():
    base, wide = Rows(pixels()), Rows(pixels().astype(float))
    assert pixels_of(base, base, Workers(1, 0)) is not None
    assert pixels_of(wide, wide, Workers(1, 16 * 40 * 300 - 1)) is None
    assert pixels_of(wide, wide, Workers(1, 16 * 40 * 300)) is not None
    some = Rows(base.matrix, np.arange(20))
    assert pixels_of(some, some, Workers(1, 16 * 20 * 300 - 1)) is None
    assert pixels_of(some, some, Workers(1, 16 * 20 * 300)) is not None


def test_more_values_than_32_bits_have_room_for():
    d = 33_025
    base = Rows(np.stack([np.zeros(d + 1, np.uint8), np.full(d + 1, 255, np.uint8)]))
    assert pixels_of(base, base, WORKERS) is None
    base = Rows(base.matrix[:, :d])
    found = exact_distances(base, [0], base, [1], pixels=pixels_of(base, base, WORKERS))
    assert found.tolist() == [np.sqrt(255**2 * d)]


def test_lists_of_bytes_are_those_of_numbers():
    X, y = pixels(300, 8), np.arange(300) % 3

    def lists(matrix, memory=1 << 30):
        rows = Rows(matrix)
        return surviving_neighbours(
            rows,
            y,
            rows,
            k=5,
            removals=[(0,), (1,)],
            workers=Workers(2, memory),
            own=np.arange(300),
        )

    expected = lists(X + np.float64(0.5))  # moved, so that nothing is a whole number
    for found in (lists(X), lists(X.astype(float)), lists(X.astype(float), 1 << 14)):
        assert found.index.tobytes() == expected.index.tobytes()
        np.testing.assert_array_equal(found.distance, expected.distance)


# --- order ------------------------------------------------------------------------------------


@given(st.data(), st.integers(0, 60), st.sampled_from([3, 1 << 17]))
def test_pairs_are_in_order_of_query_distance_and_row(data, n, most):
    query, row = (
        data.draw(hnp.arrays(np.intp, n, elements=st.integers(0, top))) for top in (most, 50)
    )
    distance = data.draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 0.5, 1.0, 7.0])))
    expected = np.lexsort((row, distance, query))
    found = in_order(query, distance, row)
    for one in (query, distance, row):
        assert one[found].tolist() == one[expected].tolist()


def test_rows_are_put_in_order_within_ties_alone():
    row, tied = np.array([5, 9, 3, 4, 2, 1]), np.array([False, True, True, False, True])
    assert row[rows_in_order(row, tied)].tolist() == [5, 3, 4, 9, 1, 2]
