"""The road from a declared benchmark to its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.detectors import Detector, resolve_detectors
from pytest_splitcheck.measure.instability import combine, summarise
from pytest_splitcheck.measure.leakage import measure_leakage
from pytest_splitcheck.measure.protocol import BUILT_IN_DETECTORS, Protocol
from pytest_splitcheck.measure.results import DetectorResult, Report
from pytest_splitcheck.measure.roc import is_constant, ordered_pairs
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.splits import Task, check_pools, evaluation_sets, tasks

__all__ = ["evaluate"]


def evaluate(
    benchmark: ClassSplit,
    *,
    k: int = 10,
    epsilon: float = 0.05,
    detectors: Sequence[Any] | Mapping[str, Any] = BUILT_IN_DETECTORS,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    n_jobs: int | None = None,
) -> Report:
    """Measure the leakage and the direction instability of a class-split benchmark.

    Parameters
    ----------
    benchmark : ClassSplit
    k : int, default 10
        Neighbours per row, for leakage and for the ``"knn"`` detector; from 1 to m - 1.
    epsilon : float, default 0.05
        Half-width of the band around AUROC 1/2 that counts as random, in [0, 0.5).
    detectors : sequence or dict, default ("knn", "lof", "iforest")
        Names of built-in detectors, objects with ``fit(X)`` and ``score(X)`` (higher = more
        anomalous), or a dictionary from name to either. Empty: leakage alone.

        ``"knn"`` is the mean distance to the `k` nearest rows of the normal pool, ``"lof"`` the local
        outlier factor in novelty mode with 20 neighbours, ``"iforest"`` scikit-learn's isolation
        forest with 100 trees.
    seeds : sequence of int, default (0, 1, 2, 3, 4)
        Seeds of the detectors that draw at random; AUC(c) is the mean over them.
    n_jobs : int, optional
        Threads; all cores by default. The report does not depend on it.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        If the benchmark cannot be measured this way: `k` out of range, a pool too small for a
        detector, an unknown detector, scores that are NaN or of the wrong shape.

    References
    ----------
    Ascárate et al., arXiv 2606.02601 (2026), for L_k, rho_rnd, rho_inv and rho_dir. Forman and Scholz,
    "Apples-to-apples in cross-validation studies", SIGKDD Explorations 12 (2010), for comparing
    cross-fitted scores within folds only.

    Examples
    --------
    >>> from pytest_splitcheck import ClassSplit, evaluate
    >>> report = evaluate(
    ...     ClassSplit([[0.0], [0.1], [5.0], [5.1]], ["a", "a", "b", "b"], folds=2),
    ...     k=1,
    ...     detectors=(),
    ... )
    >>> report.leakage.value
    0.0
    """
    if not isinstance(benchmark, ClassSplit):
        raise InputError(f"a ClassSplit is needed; got {type(benchmark).__name__}.")
    protocol = Protocol(k=k, epsilon=epsilon, detectors=detectors, seeds=seeds, n_jobs=n_jobs)
    m = len(benchmark.X)
    if k > m - 1:
        raise InputError(
            f"k = {k} neighbours need {k + 1} rows or more, but the evaluation set has m = {m}."
        )
    resolved = resolve_detectors(detectors, k, seeds)
    check_pools(benchmark, [(name, one.least_rows) for name, one in resolved.items()])
    leakage = measure_leakage(
        evaluation_sets(benchmark), benchmark.codes, benchmark.classes, k, protocol.threads
    )
    results = _run(benchmark, resolved, protocol)
    positives = {
        split.label: int(np.isin(benchmark.codes, split.codes).sum())
        for split in benchmark.held_out
    }
    return Report(
        name=benchmark.name,
        representation=benchmark.representation,
        metric=benchmark.metric,
        m=m,
        n_features=benchmark.X.shape[1],
        n_train=None if benchmark.train is None else len(benchmark.train.X),
        folds=benchmark.folds if benchmark.train is None else None,
        classes=benchmark.classes,
        counts=dict(zip(benchmark.classes, benchmark.counts, strict=True)),
        positives=positives,
        k=int(k),
        epsilon=float(epsilon),
        constant=_is_constant(Rows(benchmark.X)),
        leakage=leakage,
        detectors={result.name: result for result in results},
        instability=combine(results),
        fingerprint=benchmark.fingerprint,
    )


def _run(
    benchmark: ClassSplit, detectors: dict[str, Detector], protocol: Protocol
) -> list[DetectorResult]:
    """Score every split with every detector, and count the pairs that the scores put in order."""
    if not detectors:
        return []
    tallies = {name: _Tally(benchmark, detector) for name, detector in detectors.items()}
    list_size = max(detector.list_size for detector in detectors.values())
    for task in tasks(benchmark, list_size, protocol.threads):
        for name, detector in detectors.items():
            tallies[name].add(task, detector)
    return [tally.result(name, protocol.epsilon) for name, tally in tallies.items()]


class _Tally:
    """Pairs of an anomaly and a normal row in order, by split and seed, over the pools."""

    def __init__(self, benchmark: ClassSplit, detector: Detector) -> None:
        self.codes = benchmark.codes
        self.seeds = detector.seeds
        self.labels = [split.label for split in benchmark.held_out]
        self.above = np.zeros((len(self.labels), max(1, len(self.seeds))), dtype=np.int64)
        self.pairs = np.zeros((len(self.labels), 1), dtype=np.int64)
        self.no_ranking: set[int] = set()

    def add(self, task: Task, detector: Detector) -> None:
        scores = detector.score(task)
        for split, by_seed in zip(task.splits, scores.values, strict=True):
            row = self.labels.index(split.label)
            positive = np.isin(self.codes[task.scored], split.codes)
            for seed, values in enumerate(by_seed):
                above, pairs = ordered_pairs(values, positive)
                if is_constant(values, scores.resolution):
                    self.no_ranking.add(row)
                    above = pairs // 2
                self.above[row, seed] += above
            self.pairs[row] += pairs

    def result(self, name: str, epsilon: float) -> DetectorResult:
        for label, (pairs,) in zip(self.labels, self.pairs, strict=True):
            if pairs == 0:
                raise InputError(
                    f"the AUROC of held-out class {label!r} is undefined: no fold has one of its rows "
                    "beside a normal row; lower folds or pass a training pool."
                )
        return summarise(
            name,
            self.labels,
            self.above / self.pairs,
            epsilon=epsilon,
            no_ranking=[self.labels[row] for row in sorted(self.no_ranking)],
            seeds=self.seeds,
        )


def _is_constant(rows: Rows) -> bool:
    first = rows.take(slice(0, 1))
    return all(bool((rows.take(block) == first).all()) for block in rows.blocks())
