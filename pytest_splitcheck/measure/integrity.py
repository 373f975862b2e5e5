"""What can spoil a benchmark whatever its geometry."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.measure.crowds import NEAR, Crowds, rows_of, spacing
from pytest_splitcheck.measure.detectors import Detector, LocalOutlierFactor
from pytest_splitcheck.measure.duplicates import Duplicates, conflicts, find_duplicates
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.results import (
    Conflicts,
    Dominance,
    Integrity,
    Leakage,
    Piles,
    SharedRows,
)
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, common_exponent
from pytest_splitcheck.measure.scales import pool_spread
from pytest_splitcheck.measure.splits import Task, evaluation_sets
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Inspection"]

Flags = npt.NDArray[np.bool_]

_DOMINANT = 0.9
"""Share of the variance from which it is worth a look what the other features say."""


class Inspection:
    """Inspects a benchmark while its detectors are at work.

    Parameters
    ----------
    benchmark : ClassSplit
    detectors : collection of Detector
        All whose scores are asked for, whether they are in `memory` or still to be run.
    memory : Memory
        What was found of this benchmark before; what is found anew is added.
    approximate : bool
        Whether detectors read approximate neighbours.
    fold_of : ndarray of int, shape (m,), optional
        As for `pools`.
    workers : Workers
    """

    def __init__(
        self,
        benchmark: ClassSplit,
        detectors: Collection[Detector],
        memory: Memory,
        workers: Workers,
        *,
        approximate: bool,
        fold_of: Integers | None = None,
    ) -> None:
        self.benchmark, self.memory, self.workers = benchmark, memory, workers
        self.fold_of = fold_of
        self.lof = next((d.list_size for d in detectors if isinstance(d, LocalOutlierFactor)), 0)
        self.has_pools = benchmark.train is not None or bool(detectors)
        self.reads_lists = any(detector.list_size for detector in detectors)
        readers = sorted({(type(d).__name__, d.list_size) for d in detectors if d.list_size})
        # An index finds what all of them need.
        self.key = ("crowds", tuple(readers) if approximate else None)
        known: Crowds | None = memory.get(self.key)
        self.is_new = known is None or (self.lof > 0 and not known.lof)
        self.crowds = Crowds(benchmark, self.lof) if known is None or self.is_new else known

    @property
    def lasting_key(self) -> Hashable:
        """What a shelf keeps `crowds` under: it has none that saw less, in the place of those that saw more."""
        return (*self.key, self.lof)

    def adopt(self, crowds: Crowds | None) -> None:
        """Take what was seen before, in the place of a look at the tasks of detectors that read lists."""
        if crowds is not None:
            self.crowds, self.is_new = crowds, False

    def look(self, task: Task) -> None:
        """Look at a task that detectors have done."""
        if self.is_new:
            self.crowds.look(task)

    def remember(self) -> None:
        """Put what was seen beside the tallies: detectors that were run are not looked at again."""
        if self.reads_lists:
            self.memory[self.key] = self.crowds

    def result(self, k: int, leakage_of: Callable[[Rows], Leakage]) -> Integrity:
        """Put together what was found.

        Parameters
        ----------
        k : int
        leakage_of : callable
            Measures the leakage of the evaluation rows on another scale.
        """
        benchmark = self.benchmark
        duplicates = self.memory.once(
            "duplicates", lambda: find_duplicates(benchmark, self.fold_of)
        )
        if not self.has_pools:  # folds of which nobody makes use
            duplicates = replace(duplicates, partner=np.full(len(benchmark.X), -1), contaminated={})
        close: list[Flags] = []
        near, scale = np.zeros(len(benchmark.X), dtype=bool), None
        if self.reads_lists and benchmark.transformer is None:
            (rows,) = evaluation_sets(benchmark)
            scale = NEAR * self.memory.once("spacing", lambda: spacing(rows, self.workers))
            near = (duplicates.partner < 0) & (self.crowds.distance <= scale)
            close = [distance <= scale for distance in self.crowds.outside]
        return Integrity(
            shared=_shared(benchmark, duplicates, near, self.crowds.nearest, scale),
            contaminated=_contaminated(benchmark, duplicates, close),
            absent=_absent(benchmark),
            conflicts=self._conflicts(duplicates, k),
            piles=self._piles() if self.lof else None,
            dominance=_dominance(benchmark, leakage_of, self.workers),
            pool_spread=pool_spread(benchmark, self.workers),
        )

    def _conflicts(self, duplicates: Duplicates, k: int) -> Conflicts:
        benchmark = self.benchmark
        bounds = benchmark.metric == "euclidean" and benchmark.transformer is None
        found = conflicts(duplicates.equal, benchmark.codes, k, bounds=bounds)
        return replace(found, rows=benchmark.numbered(found.rows))

    def _piles(self) -> Piles:
        found = self.crowds.piles
        return replace(found, beside=self.benchmark.numbered(found.beside))


def _shared(
    benchmark: ClassSplit,
    duplicates: Duplicates,
    near: Flags,
    nearest: Integers,
    scale: float | None,
) -> SharedRows:
    partner = np.where(near, nearest, duplicates.partner)
    rows = np.flatnonzero(partner >= 0)
    n_near = int(near.sum())
    train = benchmark.train
    drop = rows if train is not None else _repeated(duplicates.equal, near, nearest)
    return SharedRows(
        rows=benchmark.numbered(rows),
        partners=(benchmark if train is None else train).numbered(partner[rows]),
        exact=len(rows) - n_near,
        near=None if scale is None else n_near,
        scale=scale,
        drop=benchmark.numbered(drop),
    )


def _contaminated(
    benchmark: ClassSplit, duplicates: Duplicates, close: Sequence[Flags]
) -> dict[Hashable, Integers]:
    """Return the rows of each held-out class that are equal or near to a row of their normal pool.

    `close` tells, for each split, which rows of its classes are near to one; empty where that is not known.
    """
    found = {}
    for number, split in enumerate(benchmark.held_out):
        own = rows_of(benchmark.codes, split)
        left = own[close[number]] if close else own[:0]
        rows = np.union1d(duplicates.contaminated.get(split.label, own[:0]), left)
        if len(rows):
            found[split.label] = benchmark.numbered(rows)
    return found


def _repeated(equal: Integers, near: Flags, nearest: Integers) -> Integers:
    """Return the rows that are equal to an earlier one, or near to one in another fold."""
    again = near & (nearest < np.arange(len(near)))
    again |= ~np.isin(np.arange(len(near)), np.unique(equal, return_index=True)[1])
    return np.flatnonzero(again)


def _absent(benchmark: ClassSplit) -> tuple[Hashable, ...]:
    """Return the held-out classes that the training pool has no row of, if it has some of others."""
    if benchmark.train is None:
        return ()
    inside = np.unique(benchmark.train.codes)
    absent = [split for split in benchmark.held_out if not np.isin(split.codes, inside).any()]
    return tuple(split.label for split in absent)


def _dominance(
    benchmark: ClassSplit, leakage_of: Callable[[Rows], Leakage], workers: Workers
) -> Dominance | None:
    """Return the feature with the largest variance and, if it is dominant, leakage without its weight."""
    if benchmark.transformer is not None or benchmark.X.shape[1] < 2:
        return None
    (rows,) = evaluation_sets(benchmark)
    variance = _variances(rows, workers)
    total = variance.sum()
    if total == 0:
        return None
    column = int(np.argmax(variance))
    share = float(variance[column] / total)
    feature = benchmark.features[column] if benchmark.features else None
    if share < _DOMINANT:
        return Dominance(column=column, share=share, standardised=None, feature=feature)
    spread = np.sqrt(_variances(Rows(benchmark.X), workers))
    # Quotients, so that the scale of all features together plays no part.
    least = spread[spread > 0].min()
    weights = np.divide(least, spread, out=np.ones_like(spread), where=spread > 0)
    standardised = leakage_of(Rows(benchmark.X, unit=rows.unit, weights=weights))
    return Dominance(column=column, share=share, standardised=standardised, feature=feature)


def _variances(rows: Rows, workers: Workers) -> Float64:
    """Return the variance of each column, shape (d,), up to a common factor."""
    rows = rows.scaled(common_exponent(rows))
    centre = rows.centre  # exact for a constant column, and never far from the mean

    def sums(block: slice) -> tuple[Float64, Float64]:
        # In one order of memory, so that sums of the same numbers are the same.
        difference = np.ascontiguousarray(rows.take(block) - centre)
        return difference.sum(axis=0), np.einsum("ij,ij->j", difference, difference)

    total, squares = map(sum, zip(*workers.map("preparing", sums, rows.blocks()), strict=True))
    return np.asarray(np.maximum(0.0, squares / len(rows) - (total / len(rows)) ** 2))
