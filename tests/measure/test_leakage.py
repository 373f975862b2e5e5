from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck.measure.leakage import measure_leakage
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers
from tests import reference
from tests.builders import grid, labelled_grids, labels, plain


def leakage(X, codes, k, *, threads=1):
    codes = np.asarray(codes)
    classes = tuple("abcdefghij"[: int(codes.max()) + 1])
    return measure_leakage([Rows(np.asarray(X))], codes, classes, k, Workers(threads))


def test_a_line_of_five_by_hand():
    # neighbours of 0: 1, 2; of 1: 0, 2; of 2: 1, then 0 and 4 tied; of 4: 2, 1; of 8: 4, 2
    found = leakage([[0], [1], [2], [4], [8]], [0, 0, 1, 1, 1], 2)
    np.testing.assert_allclose(found.pointwise, [1 / 2, 1 / 2, 3 / 4, 1 / 2, 0])
    assert found.value == pytest.approx(2.25 / 5)
    assert found.per_class == pytest.approx({"a": 1 / 2, "b": 1.25 / 3})
    assert found.macro == pytest.approx((1 / 2 + 1.25 / 3) / 2)
    np.testing.assert_allclose(found.matrix, [[2 / 4, 2 / 4], [2.5 / 6, 3.5 / 6]])
    assert found.slot_share == pytest.approx({"a": 4.5 / 10, "b": 5.5 / 10})
    assert found.chance == pytest.approx(1 - (2 + 6) / 20)
    assert found.ratio == pytest.approx(2.25 / 5 / 0.6)


@given(labelled_grids())
def test_everything_equals_its_definition(data):
    X, codes, k = data
    found = leakage(X, codes, k)
    n, m = int(codes.max()) + 1, len(X)
    slots = reference.neighbour_shares(X, codes, n, k)
    l_k = reference.pointwise(X, codes, k)
    of = [[i for i in range(m) if codes[i] == c] for c in range(n)]
    matrix = [
        [sum(slots[i][b] for i in of[a]) / (len(of[a]) * k) for b in range(n)] for a in range(n)
    ]
    share = [sum(row[c] for row in slots) / (m * k) for c in range(n)]
    close = {"rtol": 0, "atol": 1e-12}
    np.testing.assert_allclose(found.pointwise, np.array(l_k, float), **close)
    assert found.value == pytest.approx(float(sum(l_k) / m), abs=1e-12)
    np.testing.assert_allclose(found.matrix, np.array(matrix, float), **close)
    np.testing.assert_allclose(list(found.slot_share.values()), np.array(share, float), **close)
    assert found.chance == pytest.approx(float(reference.chance([len(x) for x in of])))


@pytest.fixture(scope="module")
def mixed():
    return leakage(grid(60, high=5), labels(60, 4), 7)


def test_rows_of_the_matrix_sum_to_one(mixed):
    np.testing.assert_allclose(mixed.matrix.sum(axis=1), 1)


def test_the_diagonal_is_what_stays_at_home(mixed):
    np.testing.assert_allclose(1 - np.diag(mixed.matrix), list(mixed.per_class.values()))


def test_slot_shares_sum_to_one(mixed):
    assert sum(mixed.slot_share.values()) == pytest.approx(1)


def test_the_mean_over_rows_is_weighted_by_class_size():
    X, codes = plain(50), np.repeat([0, 1], [40, 10])
    found = leakage(X, codes, 5)
    a, b = found.per_class.values()
    assert found.value == pytest.approx((40 * a + 10 * b) / 50)
    assert found.macro == pytest.approx((a + b) / 2)


def test_chance_of_ten_classes_of_a_thousand():
    found = leakage(np.arange(10_000.0)[:, None], np.repeat(np.arange(10), 1000), 1)
    assert found.chance == pytest.approx(0.9001, abs=5e-5)


def test_random_labels_leak_as_by_chance():
    found = leakage(plain(2000, 2), labels(2000, 5), 10)
    assert found.ratio == pytest.approx(1, abs=0.03)


def test_classes_that_never_mix_do_not_leak():
    X, codes = np.r_[plain(30), 100 + plain(30)], np.repeat([0, 1], 30)
    found = leakage(X, codes, 10)
    assert (found.value, found.ratio) == (0.0, 0.0)


@pytest.mark.parametrize(("size", "floor"), [(1, 1.0), (2, 0.75), (4, 0.25), (5, 0), (9, 0)])
def test_floor_of_a_small_class(size, floor):
    X = np.r_[plain(size) / 1e6, 100 + plain(20)]
    found = leakage(X, np.repeat([0, 1], [size, 20]), 4)
    assert found.floor == {"a": floor, "b": 0.0}
    assert found.per_class["a"] == pytest.approx(floor)  # which so tight a class attains


def test_a_class_of_one_row_leaks_fully():
    found = leakage([[0], [1], [2], [3]], [0, 1, 1, 1], 1)
    assert found.per_class["a"] == 1.0
    assert found.matrix[0].tolist() == [0.0, 1.0]


def test_at_the_largest_k_geometry_plays_no_part():
    codes = np.array([0, 0, 1, 1, 1])
    found = leakage(plain(5), codes, 4)
    assert found.value == pytest.approx(float(reference.chance([2, 3])))
    assert found.ratio == pytest.approx(1)


def test_two_rows_of_two_classes():
    found = leakage([[0], [1]], [0, 1], 1)
    assert (found.value, found.chance, found.ratio) == (1.0, 1.0, 1.0)


def test_leakage_is_never_negative_by_rounding():
    X = np.r_[np.zeros(10), 9][:, None]  # nine tied rows share one slot: 9 * (1 / 9) > 1
    assert leakage(X, [0] * 10 + [1], 1).pointwise.min() == 0


def test_several_representations_are_averaged():
    X, codes = plain(40), labels(40)
    first, second = (leakage(one, codes, 5) for one in (X, X[:, :1]))
    both = measure_leakage([Rows(X), Rows(X[:, :1])], codes, ("a", "b", "c"), 5, Workers(1))
    np.testing.assert_allclose(both.pointwise, (first.pointwise + second.pointwise) / 2)
    np.testing.assert_allclose(both.matrix, (first.matrix + second.matrix) / 2)


@given(labelled_grids(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_figure(data, random):
    X, codes, k = data
    order = list(range(len(X)))
    random.shuffle(order)
    found, moved = leakage(X, codes, k), leakage(X[order], codes[order], k)
    assert moved.value == found.value
    assert moved.per_class == found.per_class
    np.testing.assert_array_equal(moved.pointwise, found.pointwise[order])
    np.testing.assert_allclose(moved.matrix, found.matrix, atol=1e-14)


@given(labelled_grids())
def test_renaming_the_classes_renames_the_figures(data):
    X, codes, k = data
    last = int(codes.max())
    found, renamed = leakage(X, codes, k), leakage(X, last - codes, k)
    assert renamed.value == found.value
    assert list(renamed.per_class.values()) == list(found.per_class.values())[::-1]
    np.testing.assert_allclose(renamed.matrix, found.matrix[::-1, ::-1], atol=1e-14)


@given(labelled_grids(), st.sampled_from([1e8, -1e8, 2.0**45]))
def test_an_offset_changes_no_bit(data, offset):
    X, codes, k = data
    moved = leakage(X / 4 + offset, codes, k)
    assert moved.pointwise.tobytes() == leakage(X / 4, codes, k).pointwise.tobytes()


@given(labelled_grids(), st.sampled_from([1e-3, 1e3]))
def test_scale_changes_no_bit(data, scale):
    X, codes, k = data
    scaled = leakage(X * scale, codes, k)
    assert scaled.pointwise.tobytes() == leakage(X, codes, k).pointwise.tobytes()
