"""Which classes fill the neighbour slots of each row."""

from __future__ import annotations

import numpy as np

from pytest_splitcheck.measure.neighbours.reach import tie_margin
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.search import Candidates, Search
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.workers import Workers

__all__ = ["neighbour_shares"]


def neighbour_shares(
    rows: Rows, codes: Integers, n_classes: int, k: int, workers: Workers
) -> Float64:
    """Return how many of each row's k neighbour slots each class fills, shape (m, n_classes).

    A row is never its own neighbour. Rows strictly closer than the k-th neighbour fill one slot each;
    the rows tied at its distance share the slots that are left equally, so that the numbers are
    expectations over random tie-breaking and do not depend on the order of the rows.

    Parameters
    ----------
    rows : Rows of length m
    codes : ndarray of int, shape (m,)
        Class of each row, in ``range(n_classes)``.
    k : int
        From 1 to m - 1.
    """
    search = Search(rows, codes, rows, np.arange(len(rows)), Removals([], n_classes, k), workers)

    def finish(found: Candidates) -> Float64:
        n_queries = len(found.queries)
        first = np.searchsorted(found.query, np.arange(n_queries))
        border = found.distance[first + k - 1][found.query]
        margin = tie_margin(border, rows)
        closer = found.distance < border - margin
        tied = ~closer & (found.distance <= border + margin)
        n_closer = np.bincount(found.query[closer], minlength=n_queries)
        n_tied = np.bincount(found.query[tied], minlength=n_queries)
        weight = np.where(tied, ((k - n_closer) / n_tied)[found.query], closer)
        cell = found.query * n_classes + codes[found.row]
        total = np.bincount(cell, weights=weight, minlength=n_queries * n_classes)
        return np.asarray(total, dtype=np.float64).reshape(n_queries, n_classes)

    shares = np.empty((len(rows), n_classes))
    for queries, part in search.run("leakage", finish):
        shares[queries] = part
    return shares
