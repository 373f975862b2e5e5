"""Candidates among the few rows of a base that some like queries have to be compared with.

Queries come in cells of some that are near each other. The rows around them tell how far their neighbours
can be, and lower bounds which rows no query of the cell has within that. Where the data has few directions
of much variance, as images have, a tenth of the base is left for products in full.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from pytest_splitcheck.measure.neighbours.blocks import near_groups, near_members, runs
from pytest_splitcheck.measure.neighbours.bounds import Bounds
from pytest_splitcheck.measure.neighbours.cells import Cells
from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.neighbours.part import Part
from pytest_splitcheck.measure.neighbours.products import Products, lengths
from pytest_splitcheck.measure.neighbours.reach import Pairs, is_crowded, reach_of_groups
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.scratch import Scratch
from pytest_splitcheck.measure.neighbours.vicinity import Vicinity
from pytest_splitcheck.measure.rows import Float64, Integers
from pytest_splitcheck.measure.workers import Workers

__all__ = ["PARTS", "Shortlists"]

PARTS = 6
"""Parts of a cell that have a list of their own: their queries are nearer to each other."""

_BYTES_PER_PAIR = 8
"""Memory for a distance, and its share of the minima."""


class Shortlists:
    """Candidates by the distances to some of the base, for the queries of one cell after the other.

    Parameters
    ----------
    products : Products
        In float32, with factors that are kept.
    bounds : Bounds
        Asked by the same queries.
    removals : Removals
    vicinity : Vicinity
        In the coordinates of `bounds`.
    cells : Cells
        Of all queries.
    room : int
        Bytes for the distances of a cell. Where its list is too long for that, its queries are left.
    """

    bytes_per_thread = 0

    def __init__(
        self,
        products: Products,
        bounds: Bounds,
        removals: Removals,
        vicinity: Vicinity,
        cells: Cells,
        room: int,
    ) -> None:
        self.products, self.bounds, self.removals = products, bounds, removals
        self.vicinity, self.cells, self.room = vicinity, cells, room
        self._squared = [Scratch() for _ in range(1 + PARTS)]
        self._factors = Scratch()

    def blocks(self, queries: Integers, workers: Workers) -> list[Integers]:
        """Return the cells, which are all queries."""
        return self.cells.members

    def near_pairs(
        self, queries: Integers, own: Integers | None
    ) -> tuple[Iterator[Pairs], Integers]:
        """Return candidates, and the queries that need another way.

        Parameters
        ----------
        queries : ndarray of int, shape (b,)
            A cell.
        own : ndarray of int, shape (b,), optional
            The base row that each query is.
        """
        left, *projected = self.bounds.factors(self.products, queries)
        looks = _Looks(self.products, self.removals, queries, own, left, self.room)
        around = self.vicinity.around(self.bounds.centre(projected))
        reach = looks.at(around, self._squared[0], self._factors)
        size = -(-len(queries) // PARTS)  # as the cell was cut, within a row
        parts = [slice(start, start + size) for start in range(0, len(queries), size)]
        lists = self.bounds.near_rows(projected, reach, looks.length, around, parts)
        # Of memory that parts of other cells use again, each may take as much.
        if max(map(len, lists)) * PARTS * size * _BYTES_PER_PAIR > self.room:
            return iter(()), queries
        found, left_over = [], []
        for part, rows, scratch in zip(parts, lists, self._squared[1:], strict=False):
            some, within = looks.some(part), reach[part]
            if len(rows):
                within = some.at(rows, scratch, self._factors)
            pairs, crowded = some.near_pairs(within)
            found.append(pairs)
            left_over.append(crowded)
        return itertools.chain(*found), np.concatenate(left_over)


class _Looks:
    """Distances of the queries of a cell to one part of the base after the other.

    Parameters
    ----------
    products : Products
    removals : Removals
    queries : ndarray of int, shape (b,)
    own : ndarray of int, shape (b,), optional
    left : ndarray, shape (b, t)
        Factors of the queries.
    room : int
        Bytes for the pairs that are looked at together.
    """

    def __init__(
        self,
        products: Products,
        removals: Removals,
        queries: Integers,
        own: Integers | None,
        left: Reals,
        room: int,
    ) -> None:
        self.products, self.removals, self.queries, self.own = products, removals, queries, own
        self.left, self.room = left, room
        self.length: Float64 = lengths(left)
        self.parts: list[tuple[Part, Reals, Reals]] = []

    def at(self, rows: Integers, scratch: Scratch, factors: Scratch) -> Reals:
        """Look at some rows; return how far neighbours can be, by all that was looked at."""
        part = Part.of(self.products, rows, self.removals)
        self.parts.append((part, *part.squared(self.left, self.own, scratch, factors)))
        minima = np.concatenate([minima for *_, minima in self.parts], axis=1)
        kinds = np.concatenate([part.columns.kind_of_group for part, _, _ in self.parts])
        return reach_of_groups(self.products, self.removals, self.length, minima, kinds)

    def some(self, which: slice) -> _Looks:
        """Return what was looked at for some of the queries."""
        own = None if self.own is None else self.own[which]
        queries, left = self.queries[which], self.left[which]
        looks = _Looks(self.products, self.removals, queries, own, left, self.room)
        looks.parts = [
            (part, squared[:, which], minima[which]) for part, squared, minima in self.parts
        ]
        return looks

    def near_pairs(self, reach: Reals) -> tuple[Iterator[Pairs], Integers]:
        """Return the pairs within reach, and the queries with too many for float32."""
        near = [near_groups(part.columns, minima, reach) for part, _, minima in self.parts]
        opened = np.sum([one.sum(axis=1) for one in near], axis=0)
        pairs = np.sum(
            [
                one.sum(axis=1) * part.columns.group
                for one, (part, _, _) in zip(near, self.parts, strict=True)
            ],
            axis=0,
        )
        crowded = is_crowded(opened, self.removals)

        def found() -> Iterator[Pairs]:
            for some in runs(np.flatnonzero(~crowded), pairs, self.room):
                query, row = [], []
                for (part, squared, _), groups in zip(self.parts, near, strict=True):
                    position, place = near_members(part.columns, squared, groups, reach, some)
                    query.append(position)
                    row.append(part.rows[place])
                yield Pairs(self.queries[some], np.concatenate(query), np.concatenate(row))

        return found(), self.queries[crowded]
