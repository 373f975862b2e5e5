"""A search of a base in itself, in which each pair of tiles is multiplied once for both."""

from __future__ import annotations

import threading

import numpy as np

from pytest_splitcheck.measure.neighbours.blocks import near_groups
from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.neighbours.part import Part
from pytest_splitcheck.measure.neighbours.products import Products, lengths, turned_round
from pytest_splitcheck.measure.neighbours.reach import Pairs, is_crowded, reach_of_groups
from pytest_splitcheck.measure.neighbours.removals import Flags, Removals
from pytest_splitcheck.measure.neighbours.scratch import Scratch
from pytest_splitcheck.measure.neighbours.tighten import Near, tightened
from pytest_splitcheck.measure.neighbours.vicinity import Vicinity
from pytest_splitcheck.measure.rows import Integers
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Symmetric"]

_NEVER = np.finfo(np.float32).min
"""A limit that nothing is within."""

_WAITING = 10
"""Pairs that wait for their tile, per row and neighbour, before those that drop out by now are left out."""

_BYTES_PER_PAIR = 24
"""Room for it, and for what it is sorted into."""


class Symmetric:
    """Candidates for every row of a base in the base itself.

    Parameters
    ----------
    products : Products
        In float32, with factors that are kept.
    removals : Removals
    vicinity : Vicinity
    workers : Workers

    Attributes
    ----------
    units : list of (int, int)
        Pairs of tiles.
    crowded : list of ndarray of int
        Queries that are not answered here.
    """

    def __init__(
        self, products: Products, removals: Removals, vicinity: Vicinity, workers: Workers
    ) -> None:
        self.products, self.removals, self.vicinity = products, removals, vicinity
        self.base = products.base
        n_tiles = len(self.base.tiles)
        self.units = [(i, j) for i in range(n_tiles) for j in range(i, n_tiles)]
        # Of columns; what is never within reach is padding, and what float32 cannot answer.
        shape = len(self.base.row), removals.n_kinds
        self.reach = np.full(shape, _NEVER, products.dtype)
        self.near: list[list[Near]] = [[] for _ in range(n_tiles)]
        self.missing = [n_tiles] * n_tiles
        self.lock = threading.Lock()
        self._latest = threading.local()
        self._factors, self._scratch = Scratch(), Scratch()
        cells = vicinity.cells
        units = list(zip(cells.members, cells.centres, strict=True))
        self.crowded = workers.map("sampling", self._look_around, units)

    @staticmethod
    def fits(products: Products, removals: Removals, workers: Workers) -> bool:
        """Tell whether there is room for limits, and for pairs that wait."""
        each = 4 * removals.n_kinds + _BYTES_PER_PAIR * _WAITING * removals.k
        return bool(len(products.rows) * each <= workers.part)

    def _look_around(self, cell: tuple[Integers, Reals]) -> Integers:
        """Write how far the neighbours of a cell's rows can be; return those too crowded for float32."""
        queries, centre = cell
        products, removals = self.products, self.removals
        part = Part.of(products, self.vicinity.around(centre), removals)
        left = products.left(queries)
        _, minima = part.squared(left, queries, self._scratch, self._factors)
        length = lengths(left)
        reach = reach_of_groups(products, removals, length, minima, part.columns.kind_of_group)
        crowded = is_crowded(near_groups(part.columns, minima, reach).sum(axis=1), removals)
        self.reach[self.base.column[queries[~crowded]]] = reach[~crowded]
        return queries[crowded]

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
        squared = self._scratch.array(
            (rows.stop - rows.start, columns.stop - columns.start), self.products.dtype
        )
        # Padding is infinite, and BLAS may multiply it by nothing.
        with np.errstate(invalid="ignore"):
            np.matmul(self._left(first), self.products.right(columns).T, out=squared)
        if first == second:
            np.fill_diagonal(squared, np.inf)
        place = np.flatnonzero(self._within(squared, first, second))
        row, column = np.divmod(place, squared.shape[1])
        value = squared.reshape(-1)[place]
        row, column = (row + rows.start).astype(np.int32), (column + columns.start).astype(np.int32)
        kind = self.base.kind_of_column
        sides = [(row, column)] if first == second else [(row, column), (column, row)]
        return [
            Near(query, other, value).some(value <= self.reach[query, kind[other]])
            for query, other in sides
        ]

    def _within(self, squared: Reals, first: int, second: int) -> Flags:
        """Return which pairs of two tiles are within the reach of one of the two."""
        rows, columns = (self.base.tiles[tile] for tile in (first, second))
        of_rows, of_columns = self.reach[rows], self.reach[columns].T
        if self.removals.n_kinds > 1:
            kind = self.base.kind_of_column
            of_rows = of_rows.take(kind[columns], axis=1)
            of_columns = of_columns.take(kind[rows], axis=0)
        near: Flags = squared <= of_rows
        near |= squared <= of_columns
        return near

    def _left(self, tile: int) -> Reals:
        """Return the factors of a tile as queries, which most units of a thread share."""
        if getattr(self._latest, "tile", None) != tile:
            self._latest.left = turned_round(self.products.right(self.base.tiles[tile]))
            self._latest.tile = tile
        left: Reals = self._latest.left
        return left

    def _most_waiting(self, tile: int) -> int:
        columns = self.base.tiles[tile]
        return (columns.stop - columns.start) * self.removals.k * _WAITING

    def _condensed(self, tile: int) -> Near:
        """Return the pairs that have not dropped out by now; of queries with too many, none."""
        columns, queries = self._answered(tile)
        near, reach = self._tightened(columns, queries, Near.joined(self.near[tile]))
        too_many = np.bincount(near.query, minlength=len(queries)) > _WAITING * self.removals.k
        self.reach[columns] = np.minimum(reach, self.reach[columns])
        self.reach[columns[too_many]] = _NEVER
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
        columns = start + np.flatnonzero(self.reach[start:stop].max(axis=1) > _NEVER)
        return columns, self.base.row[columns]

    def _tightened(self, columns: Integers, queries: Integers, near: Near) -> tuple[Near, Reals]:
        """Return pairs, by the place of their query among `columns`, once they say how far they can be."""
        near = near.some(np.isin(near.query, columns))
        near = Near(np.searchsorted(columns, near.query), near.column, near.value)
        length = lengths(self.products.left(queries))
        return tightened(self.products, self.removals, length, near)
