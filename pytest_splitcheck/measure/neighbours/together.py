"""Which classes fill the neighbour slots of each row, and lists that survive removals, from one search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pytest_splitcheck.measure.neighbours.lists import Neighbours, joined, survivors
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.search import Candidates, Search
from pytest_splitcheck.measure.neighbours.shares import slots
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.workers import Workers

__all__ = ["shares_and_lists"]


def shares_and_lists(
    rows: Rows,
    codes: Integers,
    n_classes: int,
    k: int,
    removals: Sequence[Sequence[int]],
    workers: Workers,
) -> tuple[Float64, Neighbours]:
    """Return the `neighbour_shares` of all rows, and their `surviving_neighbours` among each other.

    Both are bit for bit what the two searches would give: no removal at all is one of those that a
    search allows for, so that the k nearest rows and what is tied with the last of them are among its
    candidates.

    Parameters
    ----------
    rows : Rows of length m
    codes : ndarray of int, shape (m,)
        Class of each row, in ``range(n_classes)``.
    k : int
        After every removal at least k rows must be left, beside the row itself.
    removals : sequence of sequences of int
        Classes that are taken away together.
    """
    m, taken = len(rows), Removals(removals, n_classes, k)
    kind, shares, parts = taken.kind[codes], np.empty((m, n_classes)), []

    def finish(found: Candidates) -> tuple[Float64, Candidates]:
        return slots(found, rows, codes, n_classes, k), survivors(found, rows, taken, kind)

    search = Search(rows, codes, rows, np.arange(m), taken, workers)
    for queries, (filled, kept) in search.run("leakage", finish, np.arange(m)):
        shares[queries] = filled
        parts.append(kept)
    exponent = search.exponent
    del search  # what it keeps of the rows is as large as the lists
    return shares, joined(parts, codes, m, exponent)
