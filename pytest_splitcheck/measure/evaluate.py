"""The road from a declared benchmark to its report."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.approximate import ApproximateSearch
from pytest_splitcheck.measure.detectors import named_detectors, resolve_detector
from pytest_splitcheck.measure.instability import combine, summarise
from pytest_splitcheck.measure.leakage import measure_leakage
from pytest_splitcheck.measure.protocol import BUILT_IN_DETECTORS, Protocol
from pytest_splitcheck.measure.results import Leakage, Report
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.splits import check_pools, evaluation_sets
from pytest_splitcheck.measure.tally import tally_detectors

__all__ = ["evaluate", "measure"]


def evaluate(
    benchmark: ClassSplit,
    *,
    k: int = 10,
    epsilon: float = 0.05,
    detectors: Sequence[Any] | Mapping[str, Any] = BUILT_IN_DETECTORS,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    neighbors: str = "exact",
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
    neighbors : "exact" or "approximate", default "exact"
        ``"approximate"`` finds neighbours by pynndescent, for sets beyond the reach of an exact search;
        ``report.leakage.approximation`` and that of a detector tell how far they are off. Sets of too few
        rows for that to pay are searched exactly all the same.
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
    protocol = Protocol(
        k=k,
        epsilon=epsilon,
        detectors=detectors,
        seeds=seeds,
        neighbors=neighbors,
        n_jobs=n_jobs,
    )
    return measure(benchmark, protocol, {}, id)


def measure(
    benchmark: ClassSplit,
    protocol: Protocol,
    memory: dict[Hashable, Any],
    identify: Callable[[object], Hashable],
) -> Report:
    """Measure what `memory` does not hold yet, and put the report together.

    Parameters
    ----------
    benchmark : ClassSplit
    protocol : Protocol
    memory : dict
        Leakage and tallies of this benchmark by what they depend on; new ones are added.
    identify : callable
        Returns equal values for detectors that give the same scores.
    """
    if not isinstance(benchmark, ClassSplit):
        raise InputError(f"a ClassSplit is needed; got {type(benchmark).__name__}.")
    k, epsilon, seeds = int(protocol.k), float(protocol.epsilon), tuple(map(int, protocol.seeds))
    m = len(benchmark.X)
    if k > m - 1:
        raise InputError(
            f"k = {k} neighbours need {k + 1} rows or more, but the evaluation set has m = {m}."
        )
    entries = named_detectors(protocol.detectors)
    detectors = {name: resolve_detector(name, one, k, seeds) for name, one in entries.items()}
    check_pools(benchmark, [(name, one.least_rows) for name, one in detectors.items()])
    approximate = protocol.neighbors == "approximate"
    leakage_key = (k, approximate)
    if leakage_key not in memory:
        memory[leakage_key] = _leakage(benchmark, k, protocol.threads, approximate=approximate)
    keys = {name: (identify(one), k, seeds, approximate) for name, one in entries.items()}
    new = {name: one for name, one in detectors.items() if keys[name] not in memory}
    tallies = tally_detectors(benchmark, new, protocol.threads, approximate=approximate)
    for name, tally in tallies.items():
        memory[keys[name]] = tally
    results = [
        summarise(
            name,
            [split.label for split in benchmark.held_out],
            memory[keys[name]].aurocs,
            epsilon=epsilon,
            no_ranking=memory[keys[name]].no_ranking,
            seeds=detector.seeds,
            approximation=memory[keys[name]].approximation,
        )
        for name, detector in detectors.items()
    ]
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
        positives={
            split.label: int(np.isin(benchmark.codes, split.codes).sum())
            for split in benchmark.held_out
        },
        k=k,
        epsilon=epsilon,
        constant=_is_constant(Rows(benchmark.X)),
        leakage=memory[leakage_key],
        detectors={result.name: result for result in results},
        instability=combine(results),
        fingerprint=benchmark.fingerprint,
    )


def _leakage(benchmark: ClassSplit, k: int, threads: int, *, approximate: bool) -> Leakage:
    sets = evaluation_sets(benchmark)
    if not approximate:
        return measure_leakage(sets, benchmark.codes, benchmark.classes, k, threads)
    by_index = ApproximateSearch()
    found = measure_leakage(
        sets, benchmark.codes, benchmark.classes, k, threads, by_index.neighbour_shares
    )
    return replace(found, approximation=by_index.approximation)


def _is_constant(rows: Rows) -> bool:
    first = rows.take(slice(0, 1))
    return all(bool((rows.take(block) == first).all()) for block in rows.blocks())
