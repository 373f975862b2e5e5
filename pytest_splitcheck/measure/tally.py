"""Pairs of an anomaly and a normal row that the scores put in order, over splits, seeds and pools."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.approximate import ApproximateSearch
from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.measure.detectors import Detector
from pytest_splitcheck.measure.intervals import auroc_intervals
from pytest_splitcheck.measure.neighbours import surviving_neighbours
from pytest_splitcheck.measure.roc import Comparison, compare, is_constant
from pytest_splitcheck.measure.rows import Float64
from pytest_splitcheck.measure.splits import Task, tasks
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Tally", "tally_detectors"]


def tally_detectors(
    benchmark: ClassSplit,
    detectors: Mapping[str, Detector],
    workers: Workers,
    *,
    approximate: bool = False,
) -> dict[str, Tally]:
    """Score every split of `benchmark` with every detector, and count.

    With `approximate`, the neighbours that they read are found by an index.

    Raises
    ------
    InputError
        If the AUROC of a held-out class is undefined.
    """
    if not detectors:
        return {}
    tallies = {name: Tally(benchmark, detector) for name, detector in detectors.items()}
    list_size = max(detector.list_size for detector in detectors.values())
    by_index = ApproximateSearch()
    search = by_index.surviving_neighbours if approximate else surviving_neighbours
    for task in tasks(benchmark, list_size, workers, search):
        for name, detector in detectors.items():
            tallies[name].add(task, detector)
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
    """

    def __init__(self, benchmark: ClassSplit, detector: Detector) -> None:
        self.codes = benchmark.codes
        self.labels = [split.label for split in benchmark.held_out]
        self.above = np.zeros((len(self.labels), max(1, len(detector.seeds))), dtype=np.int64)
        self.pairs = np.zeros((len(self.labels), 1), dtype=np.int64)
        self.compared: list[list[list[Comparison]]] = [
            [[] for _ in by_seed] for by_seed in self.above
        ]
        self.constant: set[int] = set()
        self.approximation: Approximation | None = None

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

    def add(self, task: Task, detector: Detector) -> None:
        """Let `detector` do `task`, and count the pairs."""
        scores = detector.score(task)
        codes = self.codes[task.scored]
        every_code = np.arange(self.codes.max() + 1)
        for split, by_seed in zip(task.splits, scores.values, strict=True):
            row = self.labels.index(split.label)
            positive = np.isin(every_code, split.codes)[codes]
            for seed, values in enumerate(by_seed):
                compared = compare(values, positive)
                if compared.pairs and is_constant(values, scores.resolution):
                    self.constant.add(row)
                    compared = compare(np.zeros(len(values)), positive)
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
