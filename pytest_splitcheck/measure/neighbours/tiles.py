"""Pairs of queries and tiles of the base that are near enough, given how far that is.

This takes loops that numba compiles. A lower bound of the distance, by a `Projection`, is enough to leave
out most pairs where the data has few directions of much variance, as images have: there a hundredth of
them is left for the product in full.
"""

from __future__ import annotations

import threading
from types import ModuleType
from typing import NamedTuple

import numpy as np

from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.neighbours.products import Products
from pytest_splitcheck.measure.neighbours.reach import Pairs, widened
from pytest_splitcheck.measure.neighbours.tighten import Near, tightened
from pytest_splitcheck.measure.neighbours.vicinity import Vicinity
from pytest_splitcheck.measure.rows import Float64, Integers
from pytest_splitcheck.measure.workers import Workers

__all__ = ["NEVER", "Across", "Block", "Tiles"]

NEVER = np.finfo(np.float32).min
"""A limit that nothing is within: finite, since infinity less infinity is no number."""

_ROWS = 256
"""Queries whose bounds are made at once: 1 MB for a tile, which stays in a core's cache."""

_QUERIES = 512
"""Queries of a block."""

_ROOM = 1 << 16
"""Pairs that are found at once."""


class Block(NamedTuple):
    """Some queries, and how far their neighbours can be.

    Attributes
    ----------
    factors : tuple of ndarray, shapes (b, t)
        By each of the products of `Tiles`.
    own : ndarray of int, shape (b,)
        The column that each query is; -1 for none.
    limits : tuple of ndarray, shapes (b, kinds)
        How far each of the products may be.
    """

    factors: tuple[Reals, ...]
    own: Integers
    limits: tuple[Reals, ...]


class Tiles:
    """What queries are compared with.

    Parameters
    ----------
    products : Products
        In float32, with its factors kept. All pairs have the first of its `bounds`, those that pass have the
        second, and only those that pass that too have a product in full. Where there are no bounds, all have.
    loops : module
        Compiled `kernels`.

    Attributes
    ----------
    by : tuple of Products
        The bounds, if any, and the products.
    """

    def __init__(self, products: Products, loops: ModuleType) -> None:
        self.products, self.loops = products, loops
        self.by = (*(one.asked_by(products.queries) for one in products.bounds), products)
        self._scratch = threading.local()

    def limits(self, reach: Reals, length: Float64) -> tuple[Reals, ...]:
        """Return how far each of the products may be, where those in full may be as far as `reach`."""
        limits = (*(widened(one, reach, length) for one in self.by[:-1]), reach)
        # What is infinite is padding.
        return tuple(np.minimum(one, np.finfo(one.dtype).max) for one in limits)

    def near(self, block: Block, tile: slice, others: tuple[Reals, ...] | None = None) -> Near:
        """Return the pairs of a block and a tile near enough for the query, or for the column as a query.

        Columns are numbered as those of the base, and queries by their place in the block.

        Parameters
        ----------
        block : Block
        tile : slice
            Of columns of the base.
        others : tuple of ndarray, shapes (c, kinds), optional
            Limits of the columns of the tile as queries.
        """
        base = self.products.base
        group_kind = base.kind_of_group[base.groups(tile)]
        right = [one.right(tile) for one in self.by]
        if others is None:
            row_kind = np.zeros(len(block.own), dtype=np.intp)
            never = np.full((1, base.group, len(group_kind)), NEVER, dtype=right[0].dtype)
            of_columns = (never,) * len(self.by)
        else:
            row_kind = base.kind_of_column[block.own]
            shape = -1, base.group, len(group_kind)
            of_columns = tuple(np.ascontiguousarray(one.T).reshape(shape) for one in others)
        room, *found = self._room(len(right[0]))
        parts = []
        for first in range(0, len(block.own), _ROWS):
            rows = slice(first, first + _ROWS)
            left, own = block.factors[0][rows], block.own[rows]
            bounds = room[: len(left)]
            # Padding is infinite, and BLAS may multiply it by nothing.
            with np.errstate(invalid="ignore"):
                np.matmul(left, right[0].T, out=bounds)
            itself = np.flatnonzero((own >= tile.start) & (own < tile.stop))
            bounds[itself, own[itself] - tile.start] = np.inf
            start = 0
            while start < len(bounds):
                pairs, start = self.loops.near_pairs(
                    bounds.reshape(len(bounds), base.group, -1),
                    start,
                    row_kind[rows],
                    group_kind,
                    _three(tuple(one[rows] for one in block.limits)),
                    _three(of_columns),
                    _two(tuple(one[rows] for one in block.factors)),
                    _two(tuple(right)),
                    tuple(found),
                )
                query, column, value = (one[:pairs] for one in found)
                parts.append(
                    Near(query + np.int32(first), column + np.int32(tile.start), value.copy())
                )
        return Near.joined(parts)

    def _room(self, width: int) -> tuple[Reals, Integers, Integers, Reals]:
        """Return memory of this thread, used again, for bounds of some width and for pairs."""
        if getattr(self._scratch, "width", 0) < width:
            dtype, room = self.products.dtype, max(_ROOM, width)
            self._scratch.width = width
            self._scratch.bounds = np.empty(_ROWS * width, dtype)
            self._scratch.found = tuple(np.empty(room, one) for one in (np.int32, np.int32, dtype))
        return self._scratch.bounds[: _ROWS * width].reshape(_ROWS, width), *self._scratch.found


class Across:
    """Candidates for queries, a block of them after the other, among all tiles.

    Parameters
    ----------
    tiles : Tiles
    vicinity : Vicinity
        Of the queries.
    workers : Workers

    Attributes
    ----------
    units : list of ndarray of int
        Queries.
    crowded : list of ndarray of int
        Queries that are not answered here.
    """

    def __init__(self, tiles: Tiles, vicinity: Vicinity, workers: Workers) -> None:
        self.tiles, self.removals, self.own = tiles, vicinity.removals, vicinity.own
        products = tiles.products
        shape = len(products.queries), self.removals.n_kinds
        self.reach = np.empty(shape, dtype=products.dtype)

        def look_around(unit: tuple[int, Integers]) -> tuple[Integers, Integers]:
            queries, reach, crowded = vicinity.reach(unit)
            self.reach[queries] = reach
            return queries, crowded

        parts = workers.map("sampling", look_around, vicinity.units)
        queries = np.concatenate([part for part, _ in parts])
        self.crowded = [part for _, part in parts]
        self.units = [
            queries[start : start + _QUERIES] for start in range(0, len(queries), _QUERIES)
        ]

    def complete(self, unit: Integers) -> list[Pairs]:
        """Return the candidates of some queries."""
        products, reach = self.tiles.products, self.reach[unit]
        length = products.lengths(unit)
        factors = tuple(one.left(unit) for one in self.tiles.by)
        block = Block(factors, self._own(unit), self.tiles.limits(reach, length))
        near = Near.joined([self.tiles.near(block, tile) for tile in products.base.tiles])
        near, _ = tightened(products, self.removals, length, near)
        return [Pairs(unit, near.query, products.base.row[near.column])]

    def _own(self, queries: Integers) -> Integers:
        if self.own is None:
            return np.full(len(queries), -1, dtype=np.intp)
        own = self.own[queries]
        return np.where(own < 0, -1, self.tiles.products.base.column[own])


def _three(limits: tuple[Reals, ...]) -> tuple[Reals, ...]:
    """Return limits of three products; one alone stands for all."""
    return limits * 3 if len(limits) == 1 else limits


def _two(factors: tuple[Reals, ...]) -> tuple[Reals, ...]:
    """Return the factors of the second and third products; of one alone, none."""
    return (factors[0][:0],) * 2 if len(factors) == 1 else factors[1:]
