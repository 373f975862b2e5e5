"""A search of a base in itself, in which each pair of tiles is compared once for both."""

from __future__ import annotations

import threading

import numpy as np

from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.neighbours.products import turned_round
from pytest_splitcheck.measure.neighbours.reach import Pairs
from pytest_splitcheck.measure.neighbours.tighten import Near, tightened
from pytest_splitcheck.measure.neighbours.tiles import NEVER, Block, Tiles
from pytest_splitcheck.measure.neighbours.vicinity import Vicinity
from pytest_splitcheck.measure.rows import Integers
from pytest_splitcheck.measure.workers import Workers

__all__ = ["BYTES_PER_NEIGHBOUR", "Symmetric"]

_WAITING = 10
"""Pairs that wait for their tile, per row and neighbour, before those that drop out by now are left out."""

BYTES_PER_NEIGHBOUR = 24 * _WAITING
"""Room for them, and for what they are sorted into."""


class Symmetric:
    """Candidates for every row of a base in the base itself.

    Parameters
    ----------
    tiles : Tiles
        Of the base, whose rows are the queries.
    vicinity : Vicinity
        Of the same rows.
    workers : Workers

    Attributes
    ----------
    units : list of (int, int)
        Pairs of tiles.
    crowded : list of ndarray of int
        Queries that are not answered here.
    """

    def __init__(self, tiles: Tiles, vicinity: Vicinity, workers: Workers) -> None:
        self.tiles, self.removals = tiles, vicinity.removals
        self.base = tiles.products.base
        n_tiles = len(self.base.tiles)
        self.units = [(i, j) for i in range(n_tiles) for j in range(i, n_tiles)]
        # Of columns; what is never within reach is padding, and what float32 cannot answer.
        shape, dtype = (len(self.base.row), self.removals.n_kinds), tiles.products.dtype
        self.limits = tuple(np.full(shape, NEVER, dtype) for _ in tiles.by)
        self.reach = self.limits[-1]
        self.near: list[list[Near]] = [[] for _ in range(n_tiles)]
        self.missing = [n_tiles] * n_tiles
        self.lock = threading.Lock()
        self._latest = threading.local()

        def look_around(unit: tuple[int, Integers]) -> Integers:
            queries, reach, crowded = vicinity.reach(unit)
            self._limit(self.base.column[queries], reach)
            return crowded

        self.crowded = workers.map("sampling", look_around, vicinity.units)

    def _limit(self, columns: Integers, reach: Reals) -> None:
        length = self.tiles.products.lengths(self.base.row[columns])
        for limits, limit in zip(self.limits, self.tiles.limits(reach, length), strict=True):
            limits[columns] = limit

    def complete(self, unit: tuple[int, int]) -> list[Pairs]:
        """Compare two tiles; return the candidates of those of them that are complete now."""
        found = self._compare(*unit)
        ready = []
        with self.lock:
            for tile, near in zip(dict.fromkeys(unit), found, strict=True):
                self.near[tile].append(near)
                self.missing[tile] -= 1
                if not self.missing[tile]:
                    ready.append((tile, self.near[tile]))
                    self.near[tile] = []
                elif sum(len(part.value) for part in self.near[tile]) > self._most_waiting(tile):
                    self.near[tile] = [self._condensed(tile)]
        return [self._answer(tile, Near.joined(near)) for tile, near in ready]

    def _compare(self, first: int, second: int) -> list[Near]:
        """Return the near pairs of a tile with another, and, if it is another, the same turned round."""
        rows, columns = self.base.tiles[first], self.base.tiles[second]
        block = self._block(first)
        others = None if first == second else tuple(one[columns] for one in self.limits)
        found = self.tiles.near(block, columns, others)
        row, kind = found.query + np.int32(rows.start), self.base.kind_of_column
        if first == second:
            return [Near(row, found.column, found.value)]
        forth = found.value <= self.reach[row, kind[found.column]]
        back = found.value <= self.reach[found.column, kind[row]]
        pairs = Near(row, found.column, found.value)
        turned = Near(found.column, row, found.value)
        return [pairs.some(forth), turned.some(back)]

    def _block(self, tile: int) -> Block:
        """Return the columns of a tile as queries; most units of a thread share their factors."""
        columns = self.base.tiles[tile]
        if getattr(self._latest, "tile", None) != tile:
            self._latest.factors = tuple(turned_round(one.right(columns)) for one in self.tiles.by)
            self._latest.tile = tile
        own = np.arange(columns.start, columns.stop)
        return Block(self._latest.factors, own, tuple(one[columns] for one in self.limits))

    def _most_waiting(self, tile: int) -> int:
        columns = self.base.tiles[tile]
        return (columns.stop - columns.start) * self.removals.k * _WAITING

    def _condensed(self, tile: int) -> Near:
        """Return the pairs that have not dropped out by now; of queries with too many, none."""
        columns, queries = self._answered(tile)
        near, reach = self._tightened(columns, queries, Near.joined(self.near[tile]))
        too_many = np.bincount(near.query, minlength=len(queries)) > _WAITING * self.removals.k
        self._limit(columns, np.minimum(reach, self.reach[columns]))
        for limits in self.limits:
            limits[columns[too_many]] = NEVER
        self.crowded.append(queries[too_many])
        near = near.some(~too_many[near.query])
        return Near(columns[near.query].astype(np.int32), near.column, near.value)

    def _answer(self, tile: int, near: Near) -> Pairs:
        columns, queries = self._answered(tile)
        near, _ = self._tightened(columns, queries, near)
        return Pairs(queries, near.query, self.base.row[near.column])

    def _answered(self, tile: int) -> tuple[Integers, Integers]:
        """Return the columns of a tile that are queries answered here, and their rows."""
        start, stop = self.base.tiles[tile].start, self.base.tiles[tile].stop
        columns = start + np.flatnonzero(self.reach[start:stop].max(axis=1) > NEVER)
        return columns, self.base.row[columns]

    def _tightened(self, columns: Integers, queries: Integers, near: Near) -> tuple[Near, Reals]:
        """Return pairs, by the place of their query among `columns`, once they say how far they can be."""
        near = near.some(np.isin(near.query, columns))
        near = Near(np.searchsorted(columns, near.query), near.column, near.value)
        length = self.tiles.products.lengths(queries)
        return tightened(self.tiles.products, self.removals, length, near)
