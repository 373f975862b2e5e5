from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from pytest_splitcheck.declare import arrays
from pytest_splitcheck.measure.neighbours import (
    blocks,
    columns,
    exact,
    neighbour_shares,
    neighbour_shares_in_turn,
    surviving_neighbours,
)
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers
from tests import reference
from tests.builders import grid, labelled_grids, labels, plain
from tests.measure.paths import PATHS, taken


def shares(X, codes, k, *, threads=1, unit=False):
    codes = np.asarray(codes)
    rows, workers = Rows(np.asarray(X), unit=unit), Workers(threads)
    return neighbour_shares(rows, codes, int(codes.max()) + 1, k, workers)


def survivors(base, codes, queries, k, removals, *, own=None, threads=1):
    return surviving_neighbours(
        Rows(np.asarray(base)),
        np.asarray(codes),
        Rows(np.asarray(queries)),
        k=k,
        removals=removals,
        workers=Workers(threads),
        own=None if own is None else np.asarray(own),
    )


def assert_shares(X, codes, k):
    n_classes = int(np.max(codes)) + 1
    expected = reference.neighbour_shares(np.asarray(X), codes, n_classes, k)
    np.testing.assert_allclose(shares(X, codes, k), np.array(expected, dtype=float), atol=1e-12)


def assert_survivors(base, codes, queries, k, removals, own=None):
    found = survivors(base, codes, queries, k, removals, own=own)
    for removed in [(), *removals]:
        distance, index = found.without(removed, k)
        expected = reference.nearest(
            np.asarray(base), codes, np.asarray(queries), k, set(removed), own
        )
        assert index.tolist() == [[j for _, j in row] for row in expected]
        lengths = [[math.sqrt(d) for d, _ in row] for row in expected]
        np.testing.assert_allclose(distance, lengths, rtol=1e-12)
        mean = found.mean_without(removed, k)
        np.testing.assert_allclose(mean, np.mean(lengths, axis=1), rtol=1e-12)


@pytest.fixture(autouse=True, scope="module", params=PATHS)
def path(request):
    """Let every test hold on every path."""
    with taken(request.param):
        yield


@pytest.fixture
def small_blocks(monkeypatch):
    """Make a few dozen rows fall into several blocks, tiles and chunks of pairs."""
    monkeypatch.setattr(blocks, "_QUERIES", 16)
    monkeypatch.setattr(blocks, "_PAIRS", 20)
    monkeypatch.setattr(columns, "_TILE_COLUMNS", (1, 7))
    monkeypatch.setattr(exact, "_PAIR_VALUES", 5)
    monkeypatch.setattr(arrays, "_BLOCK_VALUES", 11)


# --- who fills the slots --------------------------------------------------------------------


def test_duplicates_are_neighbours_and_the_row_itself_is_not():
    X = [[0, 1], [0, 1], [-1, 2], [5, 7], [-3, 2], [9, 9]]
    own_class_each = shares(X, np.arange(6), 2)
    assert np.flatnonzero(own_class_each[1]).tolist() == [0, 2]


def test_six_equal_rows_share_their_slots():
    found = shares(np.zeros((6, 2)), [0, 0, 0, 1, 1, 1], 2)
    np.testing.assert_allclose(1 - found[:, 0] / 2, [0.6, 0.6, 0.6, 0.4, 0.4, 0.4])


def test_rows_tied_at_the_border_share_what_is_left():
    X = [[0], [1], [2], [-2], [2]]  # row 0: one closer row, three tied for one slot
    np.testing.assert_allclose(shares(X, [0, 1, 2, 2, 3], 2)[0], [0, 1, 2 / 3, 1 / 3])


def test_every_other_row_is_a_neighbour_at_the_largest_k():
    codes = np.array([0, 0, 1, 1, 1])
    found = shares(plain(5), codes, 4)
    assert found[0].tolist() == [1, 3]
    assert found[4].tolist() == [2, 2]


@given(labelled_grids())
def test_shares_equal_the_definition_on_grids(data):
    assert_shares(*data)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("m", [15, 16, 17, 32, 33, 50])
@pytest.mark.parametrize("k", [1, 4, 14])
def test_shares_do_not_depend_on_blocks(m, k):
    assert_shares(grid(m), labels(m), k)
    assert_shares(plain(m), labels(m), k)


def test_shares_sum_to_k():
    np.testing.assert_allclose(shares(grid(60), labels(60), 7).sum(axis=1), 7)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("X", [grid(50), plain(50)], ids=["grid", "plain"])
def test_shares_of_chosen_rows_are_those_among_all(X):
    codes, chosen = labels(50), np.random.default_rng(0).permutation(50)[:40]
    expected = shares(X, codes, 4)[chosen]
    batches = np.split(chosen, [1, 20])
    parts = neighbour_shares_in_turn(Rows(X), codes, 3, 4, Workers(2), batches)
    np.testing.assert_array_equal(np.concatenate(list(parts)), expected)


# --- who survives a removal -----------------------------------------------------------------


@given(labelled_grids(), st.booleans())
def test_survivors_equal_brute_force_for_every_removal(data, itself_left_out):
    X, codes, k = data
    counts = np.bincount(codes, minlength=3)
    n = len(X) - itself_left_out
    removals = [(c,) for c in range(3) if n - counts[c] >= k]
    removals += [(a, b) for a, b in [(0, 1), (1, 2)] if n - counts[a] - counts[b] >= k]
    assert_survivors(X, codes, X, k, removals, np.arange(len(X)) if itself_left_out else None)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("q", [15, 16, 17, 33])
@pytest.mark.parametrize("own", [False, True])
def test_survivors_do_not_depend_on_blocks(q, own):
    base, codes = grid(40, high=6), labels(40, 4)
    rows = np.random.default_rng(q).integers(0, 40, size=q)
    queries = base[rows] if own else grid(q, high=6, seed=3)
    removals = [(0,), (1,), (2,), (3,), (0, 2), (1, 2, 3)]
    assert_survivors(base, codes, queries, 5, removals, rows if own else None)


def test_a_class_that_fills_all_slots_can_be_removed():
    X, codes = np.r_[plain(30), 5 + plain(30, seed=1)], np.repeat([0, 1], 30)
    assert_survivors(X, codes, X[:10], 8, [(0,), (1,)])


def test_a_removed_class_without_rows_changes_nothing():
    X, codes = plain(20), np.zeros(20, dtype=int)
    assert_survivors(X, codes, plain(4, seed=2), 3, [(7,)])


@given(labelled_grids())
def test_lists_hold_2k_rows_at_most(data):
    X, codes, k = data
    k = min(k, int(len(X) - np.bincount(codes).max())) or 1
    removals = [(c,) for c in range(3) if (codes != c).sum() >= k]
    found = survivors(X, codes, X, k, removals)
    assert found.code.shape[1] <= 2 * k


def test_equal_distances_are_in_order_of_the_index():
    found = survivors(np.zeros((7, 1)), [2, 1, 0, 2, 1, 0, 2], [[1.0]], 3, [(2,)])
    assert found.without((), 3)[1].tolist() == [[0, 1, 2]]
    assert found.without((2,), 3)[1].tolist() == [[1, 2, 4]]


def test_neighbours_equal_those_of_scikit_learn():
    base, queries = plain(300, 5), plain(50, 5, seed=9)
    distance, index = NearestNeighbors(n_neighbors=9).fit(base).kneighbors(queries)
    found = survivors(base, np.zeros(300, int), queries, 9, [])
    assert found.without((), 9)[1].tolist() == index.tolist()
    np.testing.assert_allclose(found.without((), 9)[0], distance, rtol=1e-12)


# --- numbers of any kind --------------------------------------------------------------------

SCALES = [1e-3, 1e3, 1e-300, 1e200, 1e300]


@pytest.mark.parametrize("scale", SCALES)
def test_scale_changes_no_neighbour(scale):
    X, codes = plain(40), labels(40)
    np.testing.assert_array_equal(shares(X * scale, codes, 5), shares(X, codes, 5))
    removals = [(0,), (1, 2)]
    scaled = survivors(X * scale, codes, X[:9] * scale, 5, removals)
    same = survivors(X, codes, X[:9], 5, removals)
    np.testing.assert_array_equal(scaled.index, same.index)
    np.testing.assert_allclose(scaled.distance, same.distance * scale, rtol=1e-12)


@pytest.mark.parametrize("exponent", [-1074, -1000, -301, -299, 299, 301, 1000])
def test_a_power_of_two_changes_no_neighbour_and_no_tie(exponent):
    X, codes = grid(40).astype(float), labels(40)
    scaled = np.ldexp(X, exponent)
    np.testing.assert_array_equal(shares(scaled, codes, 5), shares(X, codes, 5))
    np.testing.assert_array_equal(
        survivors(scaled, codes, scaled, 5, [(0,)]).index, survivors(X, codes, X, 5, [(0,)]).index
    )


@pytest.mark.parametrize("offset", [1e8, -1e8, 2.0**40])
def test_an_offset_changes_no_neighbour_and_no_tie(offset):
    X, codes = grid(40) / 8, labels(40)
    np.testing.assert_array_equal(shares(X + offset, codes, 5), shares(X, codes, 5))
    moved = survivors(X + offset, codes, X + offset, 5, [(0,), (1, 2)], own=np.arange(40))
    same = survivors(X, codes, X, 5, [(0,), (1, 2)], own=np.arange(40))
    np.testing.assert_array_equal(moved.index, same.index)
    np.testing.assert_array_equal(moved.distance, same.distance)


def test_rows_far_from_the_origin_are_told_apart():
    X = (1e8 + np.arange(6.0))[:, None]
    found = survivors(X, np.zeros(6, int), X, 1, [], own=np.arange(6)).without((), 1)[0]
    assert found.tolist() == [[1.0]] * 6


def test_float32_rows_far_from_the_origin_are_told_apart():
    X = np.array([[512695], [512804], [512800]], dtype=np.float32)
    distance, index = survivors(X, [0, 0, 0], X[:1], 2, [], own=np.array([0])).without((), 2)
    assert index.tolist() == [[2, 1]]
    assert distance.tolist() == [[105.0, 109.0]]


def test_near_rows_beside_one_far_row_are_told_apart():
    X = np.array([[0.0], [1.0], [3.0], [7.0], [1e10]])
    nearest = shares(X, [0, 1, 2, 3, 4], 1)[:4].argmax(axis=1)
    assert nearest.tolist() == [1, 0, 1, 2]
    assert_survivors(X, [0, 1, 2, 3, 4], X, 2, [(1,), (2, 3)], own=range(5))


def test_the_largest_number_takes_no_digit_from_small_ones():
    X = plain(60, 3) * 1e-20
    X[0] = np.finfo(float).max
    found = survivors(X, np.zeros(60, int), X, 3, [], own=np.arange(60))
    near, index = found.without((), 3)
    expected = reference.nearest(X[1:], np.zeros(59, int), X[1:], 3, set(), np.arange(59))
    assert (index[1:] - 1).tolist() == [[j for _, j in row] for row in expected]
    lengths = [[math.sqrt(d) for d, _ in row] for row in expected]
    np.testing.assert_allclose(near[1:], lengths, rtol=1e-12)


def test_gaps_that_vanish_when_squared_are_told_apart():
    X = np.array([[0.0], [1e-170], [3e-170], [1.0]])
    nearest = shares(X, [0, 1, 2, 3], 1)[:3]
    assert nearest.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint64", "float16", "float32"])
def test_small_types_are_cast_before_any_arithmetic(dtype):
    X = np.array([[0, 1], [255, 0], [100, 7], [1, 1], [30, 90], [127, 3]])
    X = (X % 2 if dtype == "bool" else np.minimum(X, 127) if dtype == "int8" else X).astype(dtype)
    assert_shares(X, [0, 1, 2, 3, 4, 5], 2)


def test_uint8_does_not_wrap():
    X = np.array([[0], [255], [20]], dtype=np.uint8)  # wrapped, 0 and 255 are 1 apart
    assert np.flatnonzero(shares(X, [0, 1, 2], 1)[0]).tolist() == [2]


def test_float16_does_not_overflow():
    X = np.array([[0], [300], [1000]], dtype=np.float16)
    assert np.flatnonzero(shares(X, [0, 1, 2], 1)[0]).tolist() == [1]


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_change_no_bit(threads, small_blocks):
    X, codes = plain(90), labels(90)
    assert shares(X, codes, 5, threads=threads).tobytes() == shares(X, codes, 5).tobytes()
    removals = [(0,), (1, 2)]
    many = survivors(X, codes, X, 5, removals, threads=threads)
    one = survivors(X, codes, X, 5, removals)
    assert many.distance.tobytes() == one.distance.tobytes()
    assert many.index.tobytes() == one.index.tobytes()


def test_memory_order_changes_no_neighbour():
    X, codes = grid(60, 3) / 255, labels(60)
    np.testing.assert_array_equal(shares(np.asfortranarray(X), codes, 5), shares(X, codes, 5))


@given(labelled_grids(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_share(data, random):
    X, codes, k = data
    order = list(range(len(X)))
    random.shuffle(order)
    np.testing.assert_array_equal(
        neighbour_shares(Rows(X[order]), codes[order], 3, k, Workers()),
        neighbour_shares(Rows(X), codes, 3, k, Workers())[order],
    )


def test_rounding_tears_no_tie_apart():
    X = np.array([[0.1], [0.2], [0.3]])  # in float64, 0.2 lies nearer to 0.3 than to 0.1
    assert shares(X, [0, 1, 2], 1)[1].tolist() == [0.5, 0, 0.5]


def test_pixels_divided_by_255_keep_their_ties():
    X = grid(80, 3, high=60)
    np.testing.assert_array_equal(shares(X / 255, labels(80), 4), shares(X, labels(80), 4))


# --- unit length ----------------------------------------------------------------------------


def test_unit_length_ignores_how_long_rows_are():
    X, codes = plain(50), labels(50)
    longer = X * np.random.default_rng(5).uniform(0.01, 100, size=(50, 1))
    np.testing.assert_array_equal(
        shares(longer, codes, 5, unit=True), shares(X, codes, 5, unit=True)
    )


def test_equal_directions_are_tied():
    direction = np.array([0.3, 0.1, 0.7])
    X = np.r_[np.outer([1, 2, 3, 7, 11, 13], direction), [[1, 0, 0]]]
    found = shares(X, [0, 0, 0, 1, 1, 1, 2], 2, unit=True)
    np.testing.assert_allclose(found[0], [0.8, 1.2, 0.0])


@pytest.mark.parametrize("scale", SCALES)
def test_unit_length_at_any_scale(scale):
    X, codes = plain(30), labels(30)
    np.testing.assert_array_equal(
        shares(X * scale, codes, 4, unit=True), shares(X, codes, 4, unit=True)
    )
