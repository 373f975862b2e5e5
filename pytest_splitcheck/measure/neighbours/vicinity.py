"""The rows of a base around some queries, which tell how far the neighbours of these can be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pytest_splitcheck.measure.neighbours.cells import Cells
from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.neighbours.removals import Flags, Removals
from pytest_splitcheck.measure.rows import Integers

__all__ = ["Vicinity", "rows_around"]

_AROUND = 512
"""Rows that queries are compared with, at least."""

_LEFT = 512
"""Rows that every removal leaves, if there are so many."""


class Vicinity:
    """Rows of a base by the cells that they belong to, nearest first.

    They hold most of the neighbours of a point amid some queries, so that they tell how far these can be:
    hardly too far, and never too near. Where a removal leaves few of them, the nearest others that it
    leaves are added.

    Parameters
    ----------
    cells : Cells
        Of the base.
    kind : ndarray of int, shape (n,)
        Kind of each row of it.
    removals : Removals
    """

    def __init__(self, cells: Cells, kind: Integers, removals: Removals) -> None:
        self.cells, self.kind, self.removals = cells, kind, removals
        self._squared = np.einsum("ij,ij->i", cells.centres, cells.centres)

    def around(self, centre: Reals) -> Integers:
        """Return the rows around a point, shape (d,), ascending."""
        apart = self._squared - 2.0 * (self.cells.centres @ centre)
        nearest = [self.cells.members[cell] for cell in np.argsort(apart, kind="stable")]
        rows = _first(nearest, _AROUND)
        sizes = np.bincount(self.kind[rows], minlength=self.removals.n_kinds)
        left = len(rows) - (sizes * self.removals.takes[:, :-1]).sum(axis=1)
        wanted = max(_LEFT, self.removals.k + 1)  # beside the query itself
        parts = [rows]
        for removal in np.flatnonzero(left < wanted):
            parts.append(_first(nearest, wanted, ~self.removals.takes[removal][self.kind]))
        return np.unique(np.concatenate(parts))


def rows_around() -> int:
    """Return about how many rows queries are compared with."""
    return _AROUND + _LEFT


def _first(cells: Sequence[Integers], number: int, which: Flags | None = None) -> Integers:
    """Return rows of the first cells, as many as wanted or somewhat more; only some, if `which` says so."""
    found: list[Integers] = []
    missing = number
    for members in cells:
        found.append(members if which is None else members[which[members]])
        missing -= len(found[-1])
        if missing <= 0:
            break
    return np.concatenate(found)
