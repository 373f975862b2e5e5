"""Ties that rounding tore apart, made whole."""

from __future__ import annotations

import numpy as np

from pytest_splitcheck.measure.neighbours.order import rows_in_order
from pytest_splitcheck.measure.neighbours.reach import layout, tie_margin
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.search import Candidates
from pytest_splitcheck.measure.rows import Integers, Rows

__all__ = ["with_whole_ties"]

_SAME = 1e-3
"""Part of the margin of ties that rounding by itself stays within."""


def with_whole_ties(found: Candidates, rows: Rows, taken: Removals, kind: Integers) -> Candidates:
    """Return candidates of which those at the same distance, up to rounding, are in order of the row.

    Else the last digits, which depend on units and on a translation, chose between them.

    Parameters
    ----------
    found : Candidates
        All that are among the k nearest after a removal or none, and what is tied with them, or more.
    rows : Rows
        What the candidates are rows of.
    taken : Removals
    kind : ndarray of int, shape (n,)
        Kind of each base row.
    """
    gap, margin = np.diff(found.distance), tie_margin(found.distance[1:], rows)
    if not ((np.diff(found.query) == 0) & (gap <= margin) & (gap > 0)).any():
        return found
    return _ties_by_row(_within_reach(found, rows, taken, kind), rows)


def _within_reach(found: Candidates, rows: Rows, taken: Removals, kind: Integers) -> Candidates:
    """Return the candidates no farther than what is tied with the k-th after some removal that leaves them.

    How many more there are depends on how they were found, and so would ties that lean on them.
    """
    column, shape = layout(found.query, len(found.queries))
    distances, kinds = np.full(shape, np.inf), np.full(shape, -1, dtype=np.intp)
    distances[found.query, column] = found.distance
    kinds[found.query, column] = kind[found.row]
    reach = taken.reach(distances, kinds, lambda removal, lists: np.full(len(lists), np.inf))
    reach = (reach + tie_margin(reach, rows))[found.query, kind[found.row]]
    return found.some(found.distance <= reach)


def _ties_by_row(found: Candidates, rows: Rows) -> Candidates:
    """Return candidates with each run of ties at the distance of its nearest, in order of the row.

    So runs depend on nothing farther, and a chain of ties is no tie.
    """
    gap, margin = np.diff(found.distance), tie_margin(found.distance, rows)
    apart = (np.diff(found.query) > 0) | (gap > margin[1:])
    starts = np.concatenate([[True], apart])
    # Rows that are near a tie, and no more, may lean on one that another part of the base has not.
    clear = bool((apart | (gap <= _SAME * margin[1:])).all())
    while True:
        run = np.cumsum(starts) - 1
        nearest = found.distance[starts][run]
        beyond = np.flatnonzero(found.distance - nearest > margin)
        if not len(beyond):
            break
        clear = False
        starts[beyond[np.unique(run[beyond], return_index=True)[1]]] = True
    row = found.row[rows_in_order(found.row, ~starts[1:])]
    return Candidates(found.queries, found.query, row, nearest, clear)
