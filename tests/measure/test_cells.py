"""Cells of rows, and what is around them and beyond them."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_splitcheck.measure.neighbours.bounds import Bounds
from pytest_splitcheck.measure.neighbours.cells import Cells
from pytest_splitcheck.measure.neighbours.columns import Columns
from pytest_splitcheck.measure.neighbours.products import Frame, Products, lengths
from pytest_splitcheck.measure.neighbours.projection import principal_directions
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.vicinity import Vicinity
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers
from tests.builders import plain

# --- cells ------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize("size", [1, 7, 64, 1000])
@pytest.mark.parametrize(
    "values",
    [
        plain(200, 5),
        np.zeros((200, 3)),
        np.repeat(plain(2, 4), 100, axis=0),
        plain(200, 2) * 1e-20,
        np.full((200, 1), 3e5) + plain(200, 1),
        plain(1, 3),
        np.outer(plain(200, 1)[:, 0], [2.0**40, 0.0]),
    ],
    ids=["plain", "all equal", "two points", "tiny", "far away", "one row", "huge"],
)
def test_cells_hold_every_row_once_and_are_of_one_size(values, size, parts):
    values = values.astype(np.float32)
    cells = Cells.of(values, size, parts)
    assert sorted(np.concatenate(cells.members).tolist()) == list(range(len(values)))
    sizes = [len(members) for members in cells.members]
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1
    for members, centre in zip(cells.members, cells.centres, strict=True):
        if parts == 1:
            assert members.tolist() == sorted(members)
        np.testing.assert_allclose(centre, values[members].mean(axis=0), rtol=1e-3, atol=1e-30)


def test_rows_of_a_cell_are_near_each_other():
    blobs = np.repeat(np.arange(4), 64)[np.random.default_rng(0).permutation(256)]
    values = plain(256, 3) + 100.0 * np.eye(4, 3)[blobs]
    assert all(len(set(blobs[members])) == 1 for members in Cells.of(values, 64).members)


def test_rows_of_a_part_are_next_to_each_other():
    blobs = np.repeat(np.arange(4), 64)[np.random.default_rng(0).permutation(256)]
    values = plain(256, 3) + 100.0 * np.eye(4, 3)[blobs]
    (members,) = Cells.of(values, 256, 4).members
    assert all(len(set(part)) == 1 for part in blobs[members].reshape(4, 64))


# --- rows around ------------------------------------------------------------------------------


def test_rows_around_are_the_nearest_and_of_every_removal():
    line = np.arange(4000.0)[:, None]
    kind = (line[:, 0] >= 2000).astype(np.intp)  # far from the left end, all rows of one kind
    removals = Removals([(0,), (1,)], 2, 3)
    around = Vicinity(Cells.of(line, 10), kind[:], removals).around(np.zeros(1))
    assert np.all(np.diff(around) > 0)
    assert around[:500].tolist() == list(range(500))
    left = around[kind[around] == 1]
    assert len(left) >= 500
    assert left.max() < 2600


# --- rows beyond ------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("queries_are_rows", [True, False])
def test_no_row_within_reach_is_left_out(offset, queries_are_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)) @ rng.normal(size=(3, 20)) + 0.05 * rng.normal(size=(500, 20))
    X += offset
    base = Rows(X)
    queries = base if queries_are_rows else Rows(X[:40] + 0.1)
    kind = np.arange(500) % 2
    removals = Removals([(0,), (1,)], 2, 5)
    frame = Frame.of(base, queries)
    products = Products(Columns(kind, removals, 20), base, queries, frame, np.float32, 1 << 30)
    products.prepare(Workers())
    directions = principal_directions(products.kept[:, :-2], 4, rng)
    np.testing.assert_allclose(directions.T @ directions, np.eye(4), atol=1e-14)
    bounds = Bounds(products, directions, (2, 4), removals, Workers())
    some, parts = np.arange(25), [slice(0, 9), slice(9, 18), slice(18, 25)]
    left, *projected = bounds.factors(products, some)
    squared = ((queries.take(some)[:, None] - X) ** 2).sum(axis=2)
    reach = np.quantile(squared, [0.02, 0.04], axis=1).T.astype(np.float32)
    known = np.array([0, 3, 499])
    lists = bounds.near_rows(projected, reach, lengths(left), known, parts)
    for part, found in zip(parts, lists, strict=True):
        within = np.flatnonzero((squared[part] <= reach[part][:, kind]).any(axis=0))
        assert set(within) - set(known) <= set(found)
        assert not set(known) & set(found)
        assert found.tolist() == sorted(found)
        assert len(found) < 450 or offset == 1e6
