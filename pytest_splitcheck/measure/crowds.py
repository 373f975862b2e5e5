"""What the neighbours that detectors read tell of duplicates: near ones, and piles under LOF."""

from __future__ import annotations

import numpy as np

from pytest_splitcheck.declare.class_split import ClassSplit, HeldOut
from pytest_splitcheck.measure.equal import equal_sets
from pytest_splitcheck.measure.neighbours.reach import tie_margin
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.search import Candidates, Search
from pytest_splitcheck.measure.results import Piles
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.splits import Task
from pytest_splitcheck.measure.workers import Workers

__all__ = ["NEAR", "Crowds", "rows_of", "spacing"]

_SEED = 0
_SAMPLE = 256
"""Rows that a spacing is taken from: of its median a tenth is neither here nor there."""

_NEIGHBOURS = 5
"""Of these one at least is no copy."""

NEAR = 1e-3
"""Of the usual distance between neighbours: what is nearer is a copy, not a neighbour."""


class Crowds:
    """Looks at the lists of one task after the other.

    Parameters
    ----------
    benchmark : ClassSplit
    lof : int
        Neighbours that LOF reads; 0 where it is not run.

    Attributes
    ----------
    distance : ndarray of float64, shape (m,)
        From each evaluation row to its nearest pool row; NaN where no lists were read, or where each split
        has a representation of its own.
    nearest : ndarray of int, shape (m,)
        That row: a position in the training pool or, where detectors are cross-fitted, in the evaluation
        set.
    outside : list of ndarray of float64
        For each split, from each row of its classes, in their order, to the nearest row of its normal pool, which
        a nearer one of the right class does not hide. NaN as in `distance`.
    """

    def __init__(self, benchmark: ClassSplit, lof: int) -> None:
        self.lof, self.plain = lof, benchmark.transformer is None
        self.distance = np.full(len(benchmark.X), np.nan)
        self.nearest = np.full(len(benchmark.X), -1, dtype=np.intp)
        self.outside = [
            np.full(len(rows_of(benchmark.codes, split)), np.nan) for split in benchmark.held_out
        ]
        self._codes = benchmark.codes
        self._largest = 0
        self._beside = np.zeros(len(benchmark.X), dtype=bool)

    @property
    def piles(self) -> Piles:
        """The piles so far."""
        return Piles(largest=self._largest, beside=np.flatnonzero(self._beside))

    def look(self, task: Task) -> None:
        """Look at a task whose lists are there."""
        if task.list_size and self.plain:
            found = task.evaluation_lists.index[:, 0]
            self.distance[task.scored] = task.evaluation_lists.distance[:, 0]
            self.nearest[task.scored] = found if task.pool.index is None else task.pool.index[found]
            self._look_outside(task)
        if self.lof:
            self._look_for_piles(task)

    def _look_outside(self, task: Task) -> None:
        codes = self._codes[task.scored]
        for split, outside in zip(task.splits, self.outside, strict=True):
            own = rows_of(codes, split)
            place = np.searchsorted(rows_of(self._codes, split), task.scored[own])
            outside[place] = task.evaluation_lists.some(own).without(split.codes, 1)[0][:, 0]

    def _look_for_piles(self, task: Task) -> None:
        k, lists = self.lof, task.pool_lists
        nothing = tie_margin(np.zeros(1), task.pool)[0]
        # Taking classes away makes no distance smaller.
        near = np.flatnonzero(lists.distance[:, k - 1] <= nothing)
        if not len(near):
            return
        alike, crowd = task.pool.subset(near), np.full(len(task.pool), -1)
        crowd[near] = equal_sets(lambda: map(alike.take, alike.blocks()))
        for split in task.splits:
            piled = near[lists.some(near).without(split.codes, k)[0][:, -1] <= nothing]
            piled = piled[~np.isin(task.codes[piled], split.codes)]
            if not len(piled):
                continue
            in_pile = np.zeros(len(task.pool), dtype=bool)
            in_pile[piled] = True
            distance, index = task.evaluation_lists.without(split.codes, k)
            beside = in_pile[index].any(axis=1) & (distance[:, -1] > nothing)
            self._beside[task.scored[beside]] = True
            self._largest = max(self._largest, k + 1, int(np.bincount(crowd[piled]).max()))


def rows_of(codes: Integers, split: HeldOut) -> Integers:
    """Return the rows of the classes that `split` holds out, ascending."""
    return np.flatnonzero(np.isin(codes, split.codes))


def spacing(rows: Rows, workers: Workers) -> float:
    """Return the median distance from a row to its nearest other one that is no copy of it.

    A copy is a thousand times nearer than the fifth; else, where each row has a copy, its distance would pass for
    usual. From some rows, drawn with a fixed seed, whose neighbours are sought among all. 0 if all are copies.
    """
    m = len(rows)
    k = min(_NEIGHBOURS, m - 1)
    asked = np.random.default_rng(_SEED).choice(m, min(m, _SAMPLE), replace=False)
    one_class = np.zeros(m, dtype=np.intp)
    search = Search(rows, one_class, rows, np.arange(m), Removals([], 1, k), workers)

    def nearest(found: Candidates) -> Float64:
        first = np.searchsorted(found.query, np.arange(len(found.queries)))
        return np.asarray(found.distance[first[:, None] + np.arange(k)])

    parts = search.run("spacing", nearest, np.sort(asked))
    distance = np.concatenate([part for _, part in parts])
    apart = distance > NEAR * distance[:, -1:]
    found = distance[apart & (np.cumsum(apart, axis=1) == 1)]
    with np.errstate(over="ignore"):  # as far as the largest number, if beyond
        usual = np.ldexp(np.median(found), search.exponent) if len(found) else 0.0
    return float(min(usual, np.finfo(np.float64).max))
