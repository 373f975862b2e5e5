from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from pytest_splitcheck.measure.rows import Rows, common_exponent, row_means
from tests.builders import plain

X = np.array([[3, 4], [0, 2], [5, 0], [1, 1]], dtype=np.uint8)


def test_rows_are_read_as_float64():
    taken = Rows(X).take(slice(1, 3))
    assert taken.dtype == np.float64
    assert taken.tolist() == [[0, 2], [5, 0]]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "how", [{}, {"unit": True}, {"exponent": 3}, {"weights": np.array([2.0, 0.5])}]
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, ">f8"])
def test_rows_are_written_as_they_are_taken(dtype, how, order):
    rows = Rows(np.asarray(X.astype(dtype), order=order), np.array([3, 0, 2]), **how)
    out = np.full((4, 2), np.nan)
    which = np.array([2, 0, 0, 1])
    rows.take_into(which, out)
    assert out.tolist() == rows.take(which).tolist()


def test_rows_of_equal_values_have_equal_means():
    rng = np.random.default_rng(0)
    row = rng.normal(size=11)
    means = row_means(np.tile(row, (101, 1)))
    assert len(set(means.tolist())) == 1
    assert means[0] == pytest.approx(row.mean(), rel=1e-14)


def test_a_selection_of_a_selection():
    chosen = Rows(X, np.array([3, 0, 2])).subset(np.array([2, 0]))
    assert chosen.take(slice(None)).tolist() == [[5, 0], [1, 1]]
    assert len(chosen) == 2


def test_rows_of_unit_length():
    assert Rows(X, unit=True).take(np.array([0, 1])).tolist() == [[0.6, 0.8], [0, 1]]


def test_original_rows_have_their_own_length_and_type():
    original = Rows(X, np.array([0]), unit=True, exponent=3).original(slice(None))
    assert original.tolist() == [[3, 4]]
    assert original.dtype == np.uint8


def test_a_selection_keeps_the_scale():
    scaled = Rows(X.astype(float)).scaled(1).subset(np.array([1]))
    assert scaled.take(slice(None)).tolist() == [[0, 1]]


def test_no_far_row_moves_the_centre():
    rows = np.r_[np.arange(5000.0), 1e300][:, None]
    assert 2000 < Rows(rows).centre[0] < 3000


@pytest.mark.parametrize(
    ("dtype", "copied"),
    [("float64", "float64"), ("float32", "float32"), ("float16", "float64"), ("bool", "float64")],
)
def test_a_copy_is_real_and_apart(dtype, copied):
    original = X.astype(dtype)
    copy = Rows(original).copy()
    assert copy.dtype == copied
    assert not np.shares_memory(copy, original)


@pytest.mark.parametrize(
    ("largest", "exponent"),
    [
        (0.0, 0),
        (1.0, 0),
        (1e8, 0),
        (2.0**299, 0),
        (2.0**300, 1),
        (1.7e308, 724),
        (1e-300, -996),
        (5e-324, -1073),
    ],
)
def test_only_extreme_values_are_scaled(largest, exponent):
    assert (
        common_exponent(Rows(np.array([[largest, 0.0]])), Rows(np.array([[-largest]]))) == exponent
    )


def test_rows_of_unit_length_need_no_scale():
    assert common_exponent(Rows(plain(3) * 1e300, unit=True)) == 0


@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_a_few_rows_are_taken_without_a_copy_of_all(order):
    whole = np.zeros((4000, 300))
    matrix = whole[::2] if order == "strided" else np.asarray(whole, order=order)
    tracemalloc.start()
    Rows(matrix).take(np.array([5, 1, 7]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < matrix.nbytes / 100
