"""Every way through the search against a brute force in float64, on hundreds of rows."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pytest_splitcheck.measure.neighbours import (
    blocks,
    columns,
    neighbour_shares,
    shortlists,
    surviving_neighbours,
    symmetric,
    tree,
)
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers
from tests.measure.paths import PATHS, taken


def brute_force(base, queries, own=None):
    """Return all distances, shape (q, n), from differences; infinite for the row itself."""
    distance = np.array([np.sqrt(((base - query) ** 2).sum(axis=1)) for query in queries])
    if own is not None:
        distance[np.arange(len(queries)), own] = np.inf
    return distance


def assert_lists(base, codes, queries, k, removals, own=None, workers=None):
    found = surviving_neighbours(
        Rows(base),
        codes,
        Rows(queries),
        k=k,
        removals=removals,
        workers=workers or Workers(2),
        own=own,
    )
    distance = brute_force(base.astype(float), queries.astype(float), own)
    for removed in [(), *removals]:
        left = np.flatnonzero(~np.isin(codes, removed))
        near, index = found.without(removed, k)
        expected = np.sort(distance[:, left], axis=1)[:, :k]
        np.testing.assert_allclose(near, expected, rtol=1e-12)
        # The rows named are at these distances, none twice, none removed.
        named = np.take_along_axis(distance, index, axis=1)
        np.testing.assert_allclose(named, expected, rtol=1e-12)
        assert all(len(set(row)) == k for row in index.tolist())
        assert not np.isin(codes[index], removed).any()
    return found


def assert_shares(X, codes, k):
    n_classes = int(codes.max()) + 1
    found = neighbour_shares(Rows(X), codes, n_classes, k, Workers(2))
    distance = brute_force(X.astype(float), X.astype(float), np.arange(len(X)))
    border = np.sort(distance, axis=1)[:, k - 1, None]
    closer, tied = distance < border * (1 - 1e-9), np.abs(distance - border) <= border * 1e-9
    each = (k - closer.sum(axis=1)) / tied.sum(axis=1)
    weight = closer + tied * each[:, None]
    expected = np.stack([weight[:, codes == c].sum(axis=1) for c in range(n_classes)], axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def clustered(n, d, n_classes=4, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n)
    codes[:n_classes] = np.arange(n_classes)
    return rng.normal(size=(n, d)) + spread * rng.normal(size=(n_classes, d))[codes], codes


@pytest.fixture(autouse=True, scope="module", params=PATHS)
def path(request):
    with taken(request.param):
        yield request.param


def singles(codes):
    return [(c,) for c in range(int(codes.max()) + 1)]


# --- the path is the one that it says ---------------------------------------------------------


def test_the_path_is_taken(path, monkeypatch):
    asked = []

    def watch(owner, name):
        original = getattr(owner, name)

        def watched(self, *args, **kwargs):
            asked.append((owner, str(getattr(getattr(self, "products", None), "dtype", ""))))
            return original(self, *args, **kwargs)

        monkeypatch.setattr(owner, name, watched)

    watch(blocks.Blocks, "near_pairs")
    watch(symmetric.Symmetric, "complete")
    watch(shortlists.Shortlists, "near_pairs")
    watch(tree.Trees, "near_pairs")
    X, codes = clustered(300, 6)
    assert_lists(X, codes, X, 5, singles(codes), np.arange(300))
    first, tiles = asked[0], (symmetric.Symmetric, "float32")
    assert first == {
        "float64": (blocks.Blocks, "float64"),
        "float32": (blocks.Blocks, "float32"),
        "too crowded for float32": (blocks.Blocks, "float32"),
        "trees": (tree.Trees, ""),
        "trees, many ties": (tree.Trees, ""),
    }.get(path, tiles if "tiles" in path else (shortlists.Shortlists, "float32"))
    if "crowded" in path:
        assert (blocks.Blocks, "float64") in asked
    if "too long" in path:
        assert (blocks.Blocks, "float32") in asked


# --- sizes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [255, 256, 257, 511, 513])
def test_sizes_around_a_block_and_a_tile(n, monkeypatch):
    monkeypatch.setattr(blocks, "_QUERIES", 256)
    monkeypatch.setattr(columns, "_TILE_COLUMNS", (256, 256))
    X, codes = clustered(n, 7)
    assert_lists(X, codes, X, 6, singles(codes), np.arange(n))
    assert_shares(X, codes, 6)


def test_queries_that_are_not_the_base():
    base, codes = clustered(400, 5)
    queries, _ = clustered(130, 5, seed=1)
    assert_lists(base, codes, queries, 9, singles(codes))


@pytest.mark.parametrize("own", ["none", "some", "others"])
def test_a_base_asked_by_its_own_rows_that_are_not_left_out(own):
    X, codes = clustered(300, 6)
    rows, everyone = Rows(X), np.arange(300)
    of_query = {
        "none": None,
        "some": np.where(everyone % 2, everyone, -1),
        "others": np.roll(everyone, 1),
    }[own]
    found = surviving_neighbours(
        rows, codes, rows, k=4, removals=singles(codes), workers=Workers(2), own=of_query
    )
    distance = brute_force(X, X)
    if of_query is not None:
        left_out = of_query >= 0
        distance[everyone[left_out], of_query[left_out]] = np.inf
    expected = np.sort(distance, axis=1)[:, :4]
    np.testing.assert_allclose(found.without((), 4)[0], expected, rtol=1e-12)


def test_a_chain_of_ties_is_no_tie(path):
    rng, k = np.random.default_rng(5), 3
    X = rng.normal(size=(600, 6))
    ring = rng.permutation(np.arange(1, 600))[:60]
    around = rng.normal(size=(60, 6))
    steps = 1e-2 * (1 + 3e-11 * np.arange(60))  # each is tied with the next
    X[0], X[ring] = 0, around / np.sqrt((around**2).sum(axis=1))[:, None] * steps[:, None]
    codes = rng.integers(0, 3, 600)
    rows = Rows(X)
    for memory in (1 << 30, 1 << 18):
        found = surviving_neighbours(
            rows,
            codes,
            rows,
            k=k,
            removals=singles(codes),
            workers=Workers(2, memory),
            own=np.arange(600),
        )
        distance, index = (one[0] for one in found.without((), k))
        # The first two are tied, the third is tied with the second alone.
        assert index.tolist() == [*sorted(ring[:2]), min(ring[2:4])]
        np.testing.assert_allclose(distance, [steps[0], steps[0], steps[2]], rtol=1e-14)


def test_groups_of_classes_and_overlapping_removals():
    X, codes = clustered(300, 4, n_classes=6)
    removals = [(0, 1), (1, 2, 3), (5,), (0, 4)]
    assert_lists(X, codes, X, 7, removals, np.arange(300))


def test_a_thousand_classes_of_three_rows():
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(1000), 3))
    X = np.random.default_rng(1).normal(size=(3000, 3)) + codes[:, None] % 7
    found = surviving_neighbours(
        Rows(X),
        codes,
        Rows(X),
        k=5,
        removals=singles(codes),
        workers=Workers(2),
        own=np.arange(3000),
    )
    some = np.random.default_rng(2).choice(3000, 40, replace=False)
    for i in some:
        distance = np.sqrt(((X - X[i]) ** 2).sum(axis=1))
        distance[i] = np.inf
        for removed in set(codes[np.argsort(distance)[:5]].tolist()):
            left = np.where(codes == removed, np.inf, distance)
            near, _ = found.without((removed,), 5)
            np.testing.assert_allclose(near[i], np.sort(left)[:5], rtol=1e-12)


def test_one_class_larger_than_all_others():
    X, codes = clustered(600, 5, n_classes=3, spread=4.0)
    codes = np.where(np.arange(600) < 560, 0, 1 + codes % 2)
    assert_lists(X, codes, X, 15, [(1,), (2,), (0,)], np.arange(600))
    assert_shares(X, codes, 15)


@pytest.mark.parametrize("k", [37, 38, 39])
def test_k_near_the_size_of_what_is_left(k):
    X, codes = clustered(60, 4, n_classes=3)
    codes = np.repeat([0, 1, 2], 20)
    assert_lists(X, codes, X, k, singles(codes), np.arange(60))


# --- hostile data -----------------------------------------------------------------------------


def hostile():
    rng = np.random.default_rng(3)
    plain, codes = clustered(300, 6)
    whole = rng.integers(0, 3, size=(300, 3))
    two = np.zeros((300, 4))
    two[rng.random(300) < 0.5] = 1.0
    far = rng.normal(size=(300, 4)) + 1e7 * (codes % 2)[:, None]
    yield "all equal", np.zeros((300, 4)), codes
    yield "two points", two, codes
    yield "whole numbers", whole, codes
    yield "whole numbers as float32", whole.astype(np.float32), codes
    yield "a huge offset", plain + 1e9, codes
    yield "clusters far apart", far, codes
    yield "tiny", plain * 1e-300, codes
    yield "huge", plain * 1e30, codes
    yield "columns of unlike scale", plain * 10.0 ** np.arange(-6, 6, 2), codes
    yield "one row far away", np.r_[plain[:-1], [[1e12] * 6]], codes
    yield "half of the rows equal", np.r_[np.ones((150, 6)), plain[150:]], codes


@pytest.mark.parametrize(
    ("X", "codes"), [pytest.param(X, codes, id=name) for name, X, codes in hostile()]
)
def test_hostile_data(X, codes):
    scale = 1e300 if np.abs(X).max() < 1e-290 else 1.0  # so that the brute force can square it
    found = surviving_neighbours(
        Rows(X),
        codes,
        Rows(X),
        k=6,
        removals=singles(codes),
        workers=Workers(2),
        own=np.arange(len(X)),
    )
    distance = brute_force(X * scale, X * scale, np.arange(len(X)))
    for removed in [(), *singles(codes)]:
        left = np.sort(distance[:, ~np.isin(codes, removed)], axis=1)[:, :6]
        near, _ = found.without(removed, 6)
        np.testing.assert_allclose(near * scale, left, rtol=1e-11)
    if scale == 1.0 and np.abs(X).max() < 1e6:
        assert_shares(X, codes, 6)


def test_ties_beside_a_row_far_away():
    rng = np.random.default_rng(0)
    whole = rng.integers(0, 12, size=(400, 2))
    X = whole / 10.0
    X[0] = 1e9
    exact = whole.astype(float)
    exact[0] = 1e10
    codes = rng.integers(0, 3, 400)
    found, expected = (neighbour_shares(Rows(one), codes, 3, 6, Workers(1)) for one in (X, exact))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_digits():
    X, y = load_digits(return_X_y=True)
    assert_lists(X[:700], y[:700], X[700:900], 20, singles(y))
    assert_shares(X[:700], y[:700], 10)


# --- threads and memory -----------------------------------------------------------------------


def bytes_of(lists):
    return [part.tobytes() for part in (lists.distance, lists.index, lists.code)]


def test_threads_and_memory_change_no_byte():
    X, codes = clustered(700, 6)
    expected = bytes_of(assert_lists(X, codes, X, 8, singles(codes), np.arange(700)))
    for workers in (Workers(1), Workers(3), Workers(2, memory=1 << 20), Workers(1, memory=1)):
        lists = surviving_neighbours(
            Rows(X),
            codes,
            Rows(X),
            k=8,
            removals=singles(codes),
            workers=workers,
            own=np.arange(700),
        )
        assert bytes_of(lists) == expected


def test_calls_from_several_threads_at_once():
    X, codes = clustered(500, 6)
    expected = neighbour_shares(Rows(X), codes, 4, 8, Workers(1)).tobytes()
    found = []
    threads = [
        threading.Thread(
            target=lambda: found.append(
                neighbour_shares(Rows(X), codes, 4, 8, Workers(2)).tobytes()
            )
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.parametrize("n", [13, 15, 16, 17, 29])
@pytest.mark.filterwarnings("error")
def test_padding_gives_no_warning(n):
    X, codes = clustered(n, 3, n_classes=3)
    surviving_neighbours(
        Rows(X), codes, Rows(X), k=1, removals=[(0,), (1,)], workers=Workers(1), own=np.arange(n)
    )


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("path", [name for name in PATHS if "compiled" not in name])
def test_what_is_nearly_tied_is_so_on_every_path(path, threads):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(400, 8)) + 1e-9 * rng.normal(size=(400, 8))
    how = {"k": 5, "removals": [(0,), (1,)], "own": np.arange(400)}
    found = []
    for one in ("float64", path):
        rows = Rows(X)
        with taken(one):
            lists = surviving_neighbours(
                rows, np.arange(400) % 4, rows, workers=Workers(threads), **how
            )
        found.append([lists.distance.tobytes(), lists.index.tolist()])
    assert found[0] == found[1]


def test_what_is_nearly_tied_with_a_removed_row_is_as_without_it():
    X, codes = np.array([[1 - 1e-8], [1.0], [1 + 6e-11], [1 + 3e-11]]), np.array([0, 0, 1, 1])
    query = Rows(np.zeros((1, 1)))
    for path in PATHS:
        with taken(path):
            lists = surviving_neighbours(
                Rows(X), codes, query, k=1, removals=[(0,)], workers=Workers()
            )
            alone = surviving_neighbours(
                Rows(X[2:]), codes[2:], query, k=1, removals=[], workers=Workers()
            )
        distance, index = lists.without((0,), 1)
        assert (distance, index) == (alone.distance, alone.index + 2)
