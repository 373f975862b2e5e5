"""Loops that numba compiles: the same results as without them, and nothing of them for small work."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import tracemalloc

import numba
import numpy as np
import pytest

from pytest_splitcheck.measure import compiled, kernels
from pytest_splitcheck.measure.forest import Draws
from pytest_splitcheck.measure.forests import forest_scores
from pytest_splitcheck.measure.neighbours import search, surviving_neighbours
from pytest_splitcheck.measure.neighbours.cheapest import cheapest_tiles
from pytest_splitcheck.measure.neighbours.exact import exact_distances
from pytest_splitcheck.measure.neighbours.symmetric import Symmetric
from pytest_splitcheck.measure.neighbours.tiles import Across
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.splits import tasks
from pytest_splitcheck.measure.workers import Workers
from tests.builders import clusters, grid, labels, plain
from tests.measure.paths import taken

# --- when -------------------------------------------------------------------------------------


def test_the_size_of_the_work_decides():
    assert compiled.loops(2.9) is None
    assert compiled.loops(3.0) is kernels
    assert compiled.saved_by_search(10_000, 10_000, 784) < 1
    assert compiled.saved_by_search(60_000, 10_000, 784) > 5


def run(code):
    code = textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


LISTS = """
    import sys
    import numpy as np
    from pytest_splitcheck.measure import compiled
    from pytest_splitcheck.measure.neighbours import search, surviving_neighbours
    from pytest_splitcheck.measure.rows import Rows
    from pytest_splitcheck.measure.workers import Workers

    {before}
    X = np.random.default_rng(0).normal(size=(300, 9))
    found = surviving_neighbours(
        Rows(X), np.arange(300) % 3, Rows(X), k=3, removals=[(0,), (1,)], workers=Workers(2)
    )
    print(round(float(found.distance[:, :3].sum()), 6), "numba.core" in sys.modules)
"""


def test_where_numba_cannot_be_imported_numpy_does_it():
    without = run(
        LISTS.format(before="sys.modules['numba'] = None; compiled._REPAYS = search._SMALL = 0")
    )
    alone = run(LISTS.format(before=""))
    assert without == alone
    assert alone[1] == "False"


def test_without_a_folder_to_write_to_loops_are_compiled_each_time(monkeypatch):
    original = numba.njit

    def njit(**options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return original(**options)

    monkeypatch.setattr(numba, "njit", njit)

    @kernels._compiled()
    def doubled(number):
        return 2 * number

    assert doubled(4) == 8


# --- distances --------------------------------------------------------------------------------


def both(base, queries, query, row):
    some = Rows(queries), np.asarray(query), base, np.asarray(row)
    return exact_distances(*some), exact_distances(*some, kernels)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "int64", ">f8"])
@pytest.mark.parametrize("d", [1, 7, 64, 301])
def test_distances_are_those_of_numpy_up_to_rounding(dtype, d):
    rng = np.random.default_rng(d)
    base, queries = (rng.integers(0, 255, (40, d)).astype(dtype) for _ in range(2))
    pairs = rng.integers(0, 40, (2, 200))
    alone, by_loops = both(Rows(base), queries, *pairs)
    np.testing.assert_allclose(by_loops, alone, rtol=4e-16 * max(1, d))
    expected = np.sqrt(((queries[pairs[0]] - base[pairs[1]].astype(float)) ** 2).sum(axis=1))
    np.testing.assert_allclose(by_loops, expected, rtol=1e-13)


@pytest.mark.parametrize(
    "rows",
    [
        lambda X: Rows(X, np.arange(0, 60, 2)),
        lambda X: Rows(X.T.copy().T),
        lambda X: Rows(X, unit=True),
        lambda X: Rows(X, exponent=3),
        lambda X: Rows(X, weights=np.arange(1.0, 6.0)),
    ],
    ids=["some rows", "column by column", "unit length", "divided", "weighted"],
)
def test_rows_that_are_not_as_they_lie_in_memory(rows):
    X = np.abs(plain(60, 5)) + 0.1
    alone, by_loops = both(rows(X), X[:4], [0, 1, 2, 3], [0, 7, 8, 29])
    np.testing.assert_allclose(by_loops, alone, rtol=1e-15)


def test_gaps_that_vanish_when_squared():
    X = np.array([[0.0, 0.0], [3e-200, 4e-200], [1.0, 0.0]])
    alone, by_loops = both(Rows(X), X[:1], [0, 0, 0], [0, 1, 2])
    assert by_loops.tolist() == alone.tolist() == [0.0, 5e-200, 1.0]


# --- pairs within reach -----------------------------------------------------------------------


@pytest.mark.parametrize("exact", [True, False], ids=["bounds are the products", "three levels"])
def test_pairs_are_those_within_all_limits_of_either_side(exact):
    rng = np.random.default_rng(1)
    m, strips, groups, kinds = 23, 4, 6, 3
    n = strips * groups
    bounds = rng.random((m, strips, groups), dtype=np.float32)
    bounds[3, 2, 1] = np.inf
    row_kind, group_kind = rng.integers(0, kinds, m), np.sort(rng.integers(0, kinds, groups))
    of_rows = tuple(rng.random((m, kinds), dtype=np.float32) / 2 for _ in range(3))
    of_columns = tuple(rng.random((kinds, strips, groups), dtype=np.float32) / 2 for _ in range(3))
    left, right = (
        [rng.random((size, 5), dtype=np.float32) / 4 for _ in range(2)] for size in (m, n)
    )
    levels = [bounds.reshape(m, n)] * 3 if exact else [
        bounds.reshape(m, n), *(one @ other.T for one, other in zip(left, right, strict=True))
    ]  # fmt: skip
    if exact:
        left, right = ([one[:0] for one in some] for some in (left, right))
        of_rows, of_columns = of_rows[:1] * 3, of_columns[:1] * 3
    kind_of_column = np.tile(group_kind, strips)
    near = np.ones((m, n), dtype=bool)
    for level, of_row, of_column in zip(levels, of_rows, of_columns, strict=True):
        near &= level <= np.maximum(
            of_row[:, kind_of_column], of_column.reshape(kinds, n)[row_kind]
        )
    assert 20 < near.sum() < m * n - 20
    found = (np.empty(n + 5, np.int32), np.empty(n + 5, np.int32), np.empty(n + 5, np.float32))
    rows, columns, values, start = [], [], [], 0
    while start < m:
        pairs, start = kernels.near_pairs(
            bounds,
            start,
            row_kind,
            group_kind,
            of_rows,
            of_columns,
            tuple(left),
            tuple(right),
            found,
        )
        for some, kept in zip(found, (rows, columns, values), strict=True):
            kept += some[:pairs].tolist()
    assert sorted(zip(rows, columns, strict=True)) == list(zip(*np.nonzero(near), strict=True))
    np.testing.assert_allclose(values, levels[2][rows, columns], rtol=1e-6)


# --- memory -----------------------------------------------------------------------------------


@pytest.mark.parametrize("own", [True, False], ids=["a base in itself", "other queries"])
def test_what_tiles_keep_is_within_the_budget(own):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(6_000, 4)) @ rng.normal(size=(4, 40))).astype(np.float32)
    y, queries = np.arange(6_000) % 3, None if own else X + 0.1
    memory = 48 << 20
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_REPAYS", 0.0)
        asked = []
        patch.setattr(
            search, "cheapest_tiles", lambda *some: asked.append(cheapest_tiles(*some)) or asked[-1]
        )
        base = Rows(X)
        tracemalloc.start()
        try:
            surviving_neighbours(
                base,
                y,
                base if own else Rows(queries),
                k=5,
                removals=[(0,), (1,)],
                workers=Workers(2, memory),
                own=np.arange(6_000) if own else None,
            )
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert isinstance(asked[0], Symmetric if own else Across)
    assert len(asked[0].tiles.by) == 3
    assert peak < memory


def test_without_room_for_them_there_are_no_tiles():
    base = Rows(plain(8_000, 40))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_REPAYS", 0.0)
        patch.setattr(search, "cheapest_tiles", lambda *some: found.append(cheapest_tiles(*some)))
        found = []
        for memory in (1 << 22, 1 << 28):
            surviving_neighbours(
                base,
                np.arange(8_000) % 2,
                base,
                k=3,
                removals=[],
                workers=Workers(2, memory),
                own=np.arange(8_000),
            )
            base.prepared.clear()
    assert found[0] is None
    assert isinstance(found[1], Symmetric)


# --- what searches share ----------------------------------------------------------------------


@pytest.mark.parametrize("path", ["float64", "float32", "tiles", "tiles, projected"])
def test_what_searches_of_one_base_share_changes_no_byte(path):
    X, y = clusters(np.eye(3, 6) * 3, 60)
    queries = plain(50, 6, seed=3)

    def lists(base, rows, own=None):
        return surviving_neighbours(
            base, y, rows, k=5, removals=[(0,), (1,), (2,)], workers=Workers(2), own=own
        )

    with taken(path):
        shared = Rows(X)
        together = lists(shared, Rows(queries)), lists(shared, shared, np.arange(len(X)))
        assert len(shared.prepared) == 1
        alone = lists(Rows(X), Rows(queries)), lists(Rows(X), Rows(X), np.arange(len(X)))
    for one, other in zip(together, alone, strict=True):
        assert one.distance.tobytes() == other.distance.tobytes()
        assert one.index.tobytes() == other.index.tobytes()


def test_what_searches_share_depends_on_the_scale_of_the_queries():
    base = Rows(plain(40, 3))
    for scale in (1.0, 1e250):
        surviving_neighbours(
            base,
            np.arange(40) % 2,
            Rows(plain(9, 3, seed=2) * scale),
            k=2,
            removals=[],
            workers=Workers(),
        )
    assert len(base.prepared) == 2


# --- forests ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pool", "rows"),
    [
        (plain(300, 4), plain(130, 4, seed=2)),
        (grid(400, 3), grid(64, 3)),
        (np.ones((300, 2)), plain(10, 2)),
        (plain(500, 3) * 1e-6 + 1e4, plain(65, 3) * 1e-6 + 1e4),
        (plain(2, 1), plain(3, 1, seed=4)),
        (
            (plain(300, 5) * 9).round().astype(np.float32),
            (plain(70, 5) * 9).round().astype(np.float32),
        ),
    ],
    ids=["plain", "few values", "constant", "far from the origin", "two rows", "float32"],
)
def test_forests_score_the_same_bit_for_bit(pool, rows, monkeypatch):
    from pytest_splitcheck import ClassSplit

    split = ClassSplit(rows, labels(len(rows)), train=(pool, labels(len(pool), 2)), held_out=[2])
    (task,) = tasks(split, 0, Workers(2))
    alone = forest_scores(task, (0, 7), Draws)
    monkeypatch.setattr(compiled, "_REPAYS", 0.0)
    assert forest_scores(task, (0, 7), Draws).tobytes() == alone.tobytes()
