"""Pairs of an anomaly and a normal row that the scores put in order, over splits, seeds and pools."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np

from pytest_splitcheck.declare.class_split import ClassSplit, HeldOut
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.approximate import ApproximateSearch
from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.measure.compiled import begin_loading, saved_by_forests
from pytest_splitcheck.measure.cross_fit import cross_fit_search
from pytest_splitcheck.measure.detectors import Detector, IsolationForest, Scores
from pytest_splitcheck.measure.histogram import Histogram, histogram
from pytest_splitcheck.measure.intervals import auroc_intervals
from pytest_splitcheck.measure.recorded import Recorded
from pytest_splitcheck.measure.roc import (
    Comparison,
    compare,
    groups,
    is_constant,
    is_graded,
    ordered_pairs,
)
from pytest_splitcheck.measure.rows import Float64, Integers
from pytest_splitcheck.measure.splits import Task, folds, tasks
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Tally", "tally_detectors"]

_LEAST_GRADED = 3
"""Rows of which a fit has to score so many before two distinct scores say something of it."""


def tally_detectors(
    benchmark: ClassSplit,
    detectors: Mapping[Hashable, Detector | Recorded],
    workers: Workers,
    *,
    approximate: bool = False,
    look: Callable[[Task], object] | None = None,
    fold_of: Integers | None = None,
) -> dict[Hashable, Tally]:
    """Score every split of `benchmark` with every detector, and count.

    With `approximate`, the neighbours that they read are found by an index. Each task that is done is shown to
    `look`. `fold_of` is as for `pools`.

    Raises
    ------
    InputError
        If the AUROC of a held-out class is undefined.
    """
    if not detectors:
        return {}
    tallies = {name: Tally(benchmark, detector) for name, detector in detectors.items()}
    fitted: dict[Hashable, Detector] = {}
    for name, detector in detectors.items():
        if isinstance(detector, Recorded):
            tallies[name].add(benchmark.held_out, np.arange(len(benchmark.X)), detector.scores)
        else:
            fitted[name] = detector
    list_size = max((detector.list_size for detector in fitted.values()), default=0)
    by_index = ApproximateSearch()
    fold_of = folds(benchmark) if fold_of is None else fold_of
    exact = cross_fit_search(benchmark, fold_of, list_size, workers)
    search = by_index.surviving_neighbours if approximate else exact
    for task in tasks(benchmark, list_size, workers, search, fold_of) if fitted else ():
        for one in fitted.values():
            if isinstance(one, IsolationForest):  # neighbours are searched before
                begin_loading(saved_by_forests(len(task.splits) * len(one.seeds), len(task.scored)))
        for name, one in fitted.items():
            tallies[name].add(task.splits, task.scored, one.score(task))
        if look is not None:
            look(task)
    for name, tally in tallies.items():
        tally.check()
        tally.approximation = by_index.approximation if detectors[name].list_size else None
    return tallies


class Tally:
    """The counts of one detector.

    Scores of different fits are not compared: what counts is the pairs within each pool's rows.

    Attributes
    ----------
    approximation : Approximation or None
        How far the neighbours that it read are off; None if not at all.
    far_auroc : float or None
        As of a `DetectorResult`.
    histograms : dict from held-out class to Histogram
        Of the scores of the first fit for each.
    """

    def __init__(self, benchmark: ClassSplit, detector: Detector | Recorded) -> None:
        self.codes = benchmark.codes
        self.labels = [split.label for split in benchmark.held_out]
        self.above = np.zeros((len(self.labels), max(1, len(detector.seeds))), dtype=np.int64)
        self.pairs = np.zeros((len(self.labels), 1), dtype=np.int64)
        self.compared: list[list[list[Comparison]]] = [
            [[] for _ in by_seed] for by_seed in self.above
        ]
        self.constant: set[int] = set()
        self.two_valued = np.zeros_like(self.above, dtype=bool)
        self.graded = np.zeros_like(self.above, dtype=bool)
        self.far_auroc: float | None = None
        self.approximation: Approximation | None = None
        self.histograms: dict[Hashable, Histogram] = {}

    @property
    def aurocs(self) -> Float64:
        """AUC(c) of each held-out class and seed, shape (splits, seeds)."""
        return np.asarray(self.above / self.pairs)

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """95 % interval of the AUC(c) of each held-out class."""
        return [(low, high) for low, high in auroc_intervals(self.compared).tolist()]

    @property
    def no_ranking(self) -> list[Hashable]:
        """The held-out classes for which some fit gave every row the same score."""
        return [self.labels[row] for row in sorted(self.constant)]

    @property
    def hard_labels(self) -> list[Hashable]:
        """The held-out classes whose rows some seed gives two distinct scores only, in every fit."""
        found = (self.two_valued & ~self.graded).any(axis=1)
        return [self.labels[row] for row in np.flatnonzero(found)]

    def add(self, splits: Sequence[HeldOut], scored: Integers, scores: Scores) -> None:
        """Count the pairs of the rows `scored`, by the scores that fits for `splits` gave them."""
        codes = self.codes[scored]
        if scores.far is not None:
            normal = ~np.isin(codes, splits[0].codes)
            self.far_auroc = _far_auroc(scores.far, scores.values[0, 0, normal])
        for split, by_seed in zip(splits, scores.values, strict=True):
            self.count(split, codes, by_seed, scores.resolution)

    def count(self, split: HeldOut, codes: Integers, by_seed: Float64, resolution: float) -> None:
        """Count the pairs of rows of the classes `codes`, shape (q,), by their scores, shape (seeds, q)."""
        # Not by list.index: a date of numpy's cannot be compared with a tuple.
        row = {label: row for row, label in enumerate(self.labels)}[split.label]
        held_out = np.zeros(self.codes.max() + 1, dtype=bool)
        held_out[list(split.codes)] = True
        positive = held_out[codes]
        for seed, values in enumerate(by_seed):
            both = groups(values, positive)
            compared = compare(*both)
            if compared.pairs and split.label not in self.histograms:
                self.histograms[split.label] = histogram(*both)
            if compared.pairs and is_constant(values, resolution):
                self.constant.add(row)
                compared = compare(*map(np.zeros_like, both))
            elif compared.pairs and len(values) >= _LEAST_GRADED:
                kinds = self.graded if is_graded(values) else self.two_valued
                kinds[row, seed] = True
            self.above[row, seed] += compared.above
            self.compared[row][seed].append(compared)
        self.pairs[row] += compared.pairs

    def check(self) -> None:
        """Refuse a held-out class whose rows are nowhere beside a normal row."""
        for label, (pairs,) in zip(self.labels, self.pairs, strict=True):
            if pairs == 0:
                raise InputError(
                    f"the AUROC of held-out class {label!r} is undefined: no fold has one of its rows "
                    "beside a normal row; lower folds or pass a training pool."
                )


def _far_auroc(far: Float64, normal: Float64) -> float | None:
    is_far = np.arange(len(far) + len(normal)) < len(far)
    above, pairs = ordered_pairs(np.concatenate([far, normal]), is_far)
    return above / pairs if pairs else None
