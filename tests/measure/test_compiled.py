"""Loops that numba compiles: the same results as without them, and nothing of them for small work."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numba
import numpy as np
import pytest

from pytest_splitcheck.measure import compiled, kernels
from pytest_splitcheck.measure.forest import Draws
from pytest_splitcheck.measure.forests import forest_scores
from pytest_splitcheck.measure.neighbours import surviving_neighbours
from pytest_splitcheck.measure.neighbours.exact import exact_distances
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.splits import tasks
from pytest_splitcheck.measure.workers import Workers
from tests.builders import clusters, grid, labels, plain
from tests.measure.paths import taken

# --- when -------------------------------------------------------------------------------------


def test_the_size_of_the_work_decides():
    assert compiled.loops(1.4) is None
    assert compiled.loops(1.5) is kernels
    assert compiled.saved_by_distances(10_000, 20, 784) < 0.5
    assert compiled.saved_by_distances(60_000, 20, 784) > 1.5
    assert compiled.saved_by_forests(10, 10_000) < 0.5
    assert compiled.saved_by_forests(100, 10_000) > 1.5


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
    return exact_distances(*some), exact_distances(*some, loops=kernels)


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


# --- what searches share ----------------------------------------------------------------------


@pytest.mark.parametrize("path", ["float64", "float32", "tiles", "shortlists"])
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
        assert len(shared.prepared.keys() - {"pixels"}) == 1
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
    assert len(base.prepared.keys() - {"pixels"}) == 2


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
