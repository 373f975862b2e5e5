"""Which classes fill the neighbour slots of each row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from pytest_splitcheck.measure.neighbours.reach import tie_margin
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.search import Candidates, Search
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.workers import Workers

__all__ = ["neighbour_shares", "neighbour_shares_in_turn", "slots"]


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
    everything = np.arange(len(rows))
    return _Slots(rows, codes, n_classes, k, workers).filled(everything)


def neighbour_shares_in_turn(
    rows: Rows,
    codes: Integers,
    n_classes: int,
    k: int,
    workers: Workers,
    batches: Iterable[Integers],
) -> Iterator[Float64]:
    """Yield the `neighbour_shares` of one batch of rows after the other, each when it is asked for.

    What the batches have in common is computed once.
    """
    slots = _Slots(rows, codes, n_classes, k, workers)
    for batch in batches:
        yield slots.filled(batch)


class _Slots:
    """The neighbour slots of some rows among all of them."""

    def __init__(
        self, rows: Rows, codes: Integers, n_classes: int, k: int, workers: Workers
    ) -> None:
        self.codes, self.n_classes, self.k = codes, n_classes, k
        self.search = Search(
            rows, codes, rows, np.arange(len(rows)), Removals([], n_classes, k), workers
        )

    def filled(self, rows: Integers) -> Float64:
        """Return what fills the slots of `rows`, shape (len(rows), n_classes)."""
        place = np.empty(len(self.codes), dtype=np.intp)
        place[rows] = np.arange(len(rows))
        shares = np.empty((len(rows), self.n_classes))
        for queries, part in self.search.run("leakage", self._shares, rows):
            shares[place[queries]] = part
        return shares

    def _shares(self, found: Candidates) -> Float64:
        return slots(found, self.search.rows, self.codes, self.n_classes, self.k)


def slots(found: Candidates, rows: Rows, codes: Integers, n_classes: int, k: int) -> Float64:
    """Return the slots of each query that each class fills, shape (b, n_classes).

    Parameters
    ----------
    found : Candidates
        The k nearest of each query and what is tied with the last of them, or more.
    rows : Rows
        What the candidates are rows of.
    codes, n_classes, k
        As for `neighbour_shares`.
    """
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
