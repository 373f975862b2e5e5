"""Neighbours in every pool of a cross-fit, from one search of the evaluation set in itself.

The pools of a cross-fit have most of their rows in common: searched one by one, each pair of rows is
compared once per fold. One search whose lists are long enough to lose a fold answers for all of them. Lists
that are too short for that, where a fold has more than its share of a row's neighbours, are made anew so that
they survive every fold together with every held-out group.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.measure.neighbours import Neighbours, surviving_neighbours
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.rows import Integers, Rows
from pytest_splitcheck.measure.workers import Workers

__all__ = ["cross_fit_search"]

_DEVIATIONS = 3.5
"""How many standard deviations more of a list than its share may lie in one fold: hardly a list is made anew."""

_BYTES_PER_ENTRY = 24
_LISTS = 3
"""All lists, and those of one pool's rows and of the rows that it scores."""


def cross_fit_search(
    benchmark: ClassSplit, fold_of: Integers | None, list_size: int, workers: Workers
) -> Callable[..., Neighbours]:
    """Return `surviving_neighbours`, or what gives the same lists in the pools of a cross-fit sooner.

    Parameters
    ----------
    benchmark : ClassSplit
    fold_of : ndarray of int, shape (m,), or None
        The fold of each evaluation row; None with a training pool.
    list_size : int
        Neighbours that are to be left after any removal.
    workers : Workers
    """
    if fold_of is None or benchmark.transformer is not None or not list_size:
        return surviving_neighbours
    search = _CrossFitSearch(benchmark, fold_of, list_size)
    entries = len(benchmark.X) * 2 * search.long
    if search.least <= list_size or (_LISTS * _BYTES_PER_ENTRY * entries > workers.part):
        return surviving_neighbours
    return search.surviving_neighbours


class _CrossFitSearch:
    """A search that is made at the first question.

    Attributes
    ----------
    long : int
        Neighbours that the lists hold, so that k are left without a fold.
    least : int
        Rows of the smallest normal pool.
    """

    def __init__(self, benchmark: ClassSplit, fold_of: Integers, k: int) -> None:
        self._rows = Rows(benchmark.X, unit=benchmark.metric == "cosine")
        self._codes, self._fold_of, self._folds = benchmark.codes, fold_of, benchmark.folds
        self._lists: Neighbours | None = None
        self._is_one = True
        normal = [~np.isin(self._codes, split.codes) for split in benchmark.held_out]
        everywhere = min(int(rows.sum()) for rows in normal)
        self.least = min(
            int((rows & (fold_of != fold)).sum()) for rows in normal for fold in range(self._folds)
        )
        self.long = min(_long(k, self._folds), everywhere - 1)

    def surviving_neighbours(
        self,
        base: Rows,
        codes: Integers,
        queries: Rows,
        *,
        k: int,
        removals: Sequence[Sequence[int]],
        workers: Workers,
        own: Integers | None = None,
    ) -> Neighbours:
        """Return lists as `surviving_neighbours` does, of a pool and rows of the evaluation set.

        Beside the rows of theirs they may hold farther ones.
        """
        if self._lists is None and self._is_one:
            self._lists = self._search(k, removals, workers)
            if not self._lists.clear:  # what is tied may depend on the rows that a fold leaves out
                self._lists, self._is_one = None, False
        if self._lists is None:
            return surviving_neighbours(
                base, codes, queries, k=k, removals=removals, workers=workers, own=own
            )
        assert base.index is not None
        assert queries.index is not None
        place = np.full(len(self._rows), -1)
        place[base.index] = np.arange(len(base))
        return self._lists.some(queries.index).among(place)

    def _search(self, k: int, removals: Sequence[Sequence[int]], workers: Workers) -> Neighbours:
        rows, everything = self._rows, np.arange(len(self._rows))
        n_classes = int(self._codes.max()) + 1
        lists = surviving_neighbours(
            rows, self._codes, rows, k=self.long, removals=removals, workers=workers, own=everything
        )
        short = np.flatnonzero(self._short(lists, Removals(removals, n_classes, self.long), k))
        if not len(short):
            return lists
        both = [
            [*range(fold * n_classes, (fold + 1) * n_classes)]
            + [other * n_classes + code for other in range(self._folds) for code in classes]
            for fold in range(self._folds)
            for classes in removals
        ]
        anew = surviving_neighbours(
            rows,
            self._fold_of * n_classes + self._codes,
            rows.subset(short),
            k=k,
            removals=both,
            workers=workers,
            own=short,
        )
        return lists.replaced(short, anew, self._codes)

    def _short(self, lists: Neighbours, taken: Removals, k: int) -> npt.NDArray[np.bool_]:
        """Tell which lists have fewer than k rows left somewhere without a fold, shape (m,)."""
        fold = np.where(lists.index >= 0, self._fold_of[lists.index], -1)
        kind = np.where(lists.code >= 0, taken.kind[lists.code], -1)
        most = self._most_of_a_fold(fold[:, : self.long])
        for _, changed, rank in taken.ranks(kind):
            within = (rank > 0) & (rank <= self.long)
            counted = self._most_of_a_fold(np.where(within, fold[changed], -1))
            np.maximum.at(most, changed, counted)
        return most > self.long - k

    def _most_of_a_fold(self, fold: Integers) -> Integers:
        """Return how many of each row's entries lie in the fold that has most of them."""
        counts = [(fold == one).sum(axis=1) for one in range(self._folds)]
        return np.asarray(np.max(counts, axis=0))


def _long(k: int, folds: int) -> int:
    """Return how many neighbours leave k without a fold that has its share of them, or somewhat more."""
    share, n = 1 / folds, k
    while n * (1 - share) - _DEVIATIONS * math.sqrt(n * share * (1 - share)) < k:
        n += 1
    return n
