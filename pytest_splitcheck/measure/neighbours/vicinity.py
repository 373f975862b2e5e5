"""How far the neighbours of a query can be, seen from the rows of the base around it."""

from __future__ import annotations

import numpy as np

from pytest_splitcheck.measure.neighbours.blocks import near_groups
from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.neighbours.products import Products
from pytest_splitcheck.measure.neighbours.reach import is_crowded, reach_of_groups
from pytest_splitcheck.measure.neighbours.removals import Flags, Removals
from pytest_splitcheck.measure.rows import Integers, Rows
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Vicinity", "rows_around"]

_ROWS_PER_CENTRE = 512
_AROUND = 1024
"""Rows that a query is compared with, at least: twice as many make its reach a tenth smaller, on
Fashion-MNIST, and its search no quicker."""

_ANYWHERE = 256
"""Rows from everywhere that it is compared with too."""

_LEFT = 1024
"""Rows that every removal leaves, if there are so many."""

_QUERIES = 512
"""Most queries per block."""

_SEED = 0


class Vicinity:
    """Blocks of queries, each with the rows of the base around it and some from everywhere.

    Each row belongs to the nearest of some centres, which are rows of the base themselves. The rows of the
    centres around its own hold most of its neighbours, so that they tell how far these can be: hardly too
    far, and never too near. Where a removal leaves few of them, the nearest others that it leaves are added.

    Parameters
    ----------
    products : Products
        With factors that are kept.
    own : ndarray of int, shape (q,), optional
        The base row that each query is; -1 for none.
    removals : Removals
    workers : Workers
    """

    def __init__(
        self, products: Products, own: Integers | None, removals: Removals, workers: Workers
    ) -> None:
        self.products, self.own, self.removals = products, own, removals
        n = len(products.rows)
        number = max(1, n // _ROWS_PER_CENTRE)
        centres = np.sort(np.random.default_rng(_SEED).choice(n, number, replace=False))

        def members(rows: Rows) -> list[Integers]:
            pilot = products.asked_by(rows).part(centres, removals)

            def nearest(block: Integers) -> Integers:
                return np.asarray(pilot.base.row[pilot.squared(block, None)[0].argmin(axis=1)])

            centre = np.concatenate(workers.map("sampling", nearest, _blocks(np.arange(len(rows)))))
            ends = np.cumsum(np.bincount(centre, minlength=number))[:-1]
            return np.split(np.argsort(centre, kind="stable"), ends)

        self.rows = members(products.rows)
        self.queries = self.rows if products.queries is products.rows else members(products.queries)
        pilot = products.asked_by(products.rows).part(centres, removals)
        apart = pilot.squared(centres, None)[0][:, pilot.base.column]
        self.order = np.argsort(apart, axis=1, kind="stable")
        self.kind = products.base.kind_of_column[products.base.column]
        self.anywhere = np.arange(0, n, max(1, n // _ANYWHERE))

    @property
    def units(self) -> list[tuple[int, Integers]]:
        """Centres with queries that belong to them; together all queries."""
        return [
            (centre, block)
            for centre, members in enumerate(self.queries)
            for block in _blocks(members)
        ]

    def reach(self, unit: tuple[int, Integers]) -> tuple[Integers, Reals, Integers]:
        """Return queries of a unit, how far their neighbours of each kind can be, and the other queries.

        Of those, too many rows are near for float32: see `is_crowded`. The shapes are (b,), (b, kinds), (c,).
        """
        centre, queries = unit
        rows = self._around(centre)
        part = self.products.part(rows, self.removals)
        own = None if self.own is None else _places(self.own[queries], rows)
        _, minima = part.squared(queries, own)
        reach = reach_of_groups(part, self.removals, queries, minima)
        crowded = is_crowded(near_groups(part, minima, reach).sum(axis=1), self.removals)
        return queries[~crowded], reach[~crowded], queries[crowded]

    def _around(self, centre: int) -> Integers:
        """Return the rows that the queries of a centre are compared with, ascending."""
        cells = [self.rows[other] for other in self.order[centre]]
        n_cells = np.searchsorted(np.cumsum([len(cell) for cell in cells]), _AROUND) + 1
        rows = np.concatenate(cells[:n_cells])
        # A centre may have very many.
        rows = np.union1d(rows[:: max(1, len(rows) // _AROUND)], self.anywhere)
        sizes = np.bincount(self.kind[rows], minlength=self.removals.n_kinds)
        left = len(rows) - (sizes * self.removals.takes[:, :-1]).sum(axis=1)
        wanted = max(_LEFT, self.removals.k + 1)  # beside the query itself
        for removal in np.flatnonzero(left < wanted):
            rows = np.union1d(rows, self._nearest_left(cells, self.removals.takes[removal], wanted))
        return rows

    def _nearest_left(self, cells: list[Integers], taken: Flags, wanted: int) -> Integers:
        """Return rows of the first cells that are not of the kinds `taken`: as many as wanted, or all."""
        found: list[Integers] = []
        for cell in cells:
            found.append(cell[~taken[self.kind[cell]]])
            if sum(map(len, found)) >= wanted:
                break
        return np.concatenate(found)[:wanted]


def rows_around(products: Products) -> int:
    """Return about how many rows each query is compared with."""
    n = len(products.rows)
    return min(n, _AROUND + _ROWS_PER_CENTRE // 2 + _ANYWHERE + _LEFT // 2)


def _blocks(queries: Integers) -> list[Integers]:
    return [queries[start : start + _QUERIES] for start in range(0, len(queries), _QUERIES)]


def _places(wanted: Integers, rows: Integers) -> Integers:
    """Return where in ascending `rows` each wanted one is, -1 where it is not."""
    place = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    return np.where(rows[place] == wanted, place, -1)
