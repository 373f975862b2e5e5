"""The road from a declared benchmark to its report."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.approximate import ApproximateSearch
from pytest_splitcheck.measure.detectors import named_detectors, resolve_detector
from pytest_splitcheck.measure.instability import combine, summarise
from pytest_splitcheck.measure.leakage import measure_leakage, sample_leakage
from pytest_splitcheck.measure.protocol import (
    BUILT_IN_DETECTORS,
    Neighbors,
    Protocol,
    Sampling,
)
from pytest_splitcheck.measure.results import Leakage, Report
from pytest_splitcheck.measure.results.source import Source
from pytest_splitcheck.measure.rows import Integers, Rows
from pytest_splitcheck.measure.splits import check_pools, evaluation_sets
from pytest_splitcheck.measure.tally import tally_detectors
from pytest_splitcheck.measure.workers import Progress, Workers

__all__ = ["evaluate", "measure"]


def evaluate(
    benchmark: ClassSplit,
    *,
    k: int = 10,
    epsilon: float = 0.05,
    detectors: Sequence[Any] | Mapping[str, Any] = BUILT_IN_DETECTORS,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    neighbors: Neighbors = "exact",
    n_jobs: int | None = None,
    sampling: Sampling = "auto",
    alpha: float = 0.001,
    leakage_limits: Sequence[float] = (),
    memory: float = 1.0,
    progress: Progress | None = None,
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
        rows for that to pay are searched exactly all the same, and so are the rows of a sample.
    n_jobs : int, optional
        Threads; all cores by default. The report does not depend on it.
    sampling : "auto", "never" or "always", default "auto"
        Whether leakage is measured on rows drawn at random, until it is known to lie on one side of every
        one of `leakage_limits`. Automatically with more than 50,000 rows. Their neighbours are exact.
    alpha : float, default 0.001
        The probability at most, over the order of the draws, that sampling gets a side wrong; in
        (0, 0.5).
    leakage_limits : sequence of float, default ()
        Values of L_k, 0 or more. Without any below 1, all rows are measured.
    memory : float, default 1.0
        GiB of working memory beyond the data. The report does not depend on it.
    progress : callable, optional
        Called as ``progress(stage, done, total)`` while the measurement goes on.

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
    cross-fitted scores within folds only. Waudby-Smith and Ramdas, "Estimating means of bounded random
    variables by betting", JRSS B 86 (2024), for the guarantee of sampling.

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
        sampling=sampling,
        alpha=alpha,
        n_jobs=n_jobs,
        memory=memory,
    )
    memories: dict[str, dict[Hashable, Any]] = {}

    def again(split: ClassSplit, protocol: Protocol) -> Report:
        known = memories.setdefault(split.fingerprint, {})
        return measure(split, protocol, known, id, leakage_limits, progress, again)

    return measure(benchmark, protocol, {}, id, leakage_limits, progress, again)


def measure(
    benchmark: ClassSplit,
    protocol: Protocol,
    memory: dict[Hashable, Any],
    identify: Callable[[object], Hashable],
    leakage_limits: Sequence[float] = (),
    progress: Progress | None = None,
    again: Callable[[ClassSplit, Protocol], Report] | None = None,
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
    leakage_limits, progress
        As for `evaluate`.
    again : callable, optional
        Measures other splits for the report's `advice`, which there is none of without.
    """
    if not isinstance(benchmark, ClassSplit):
        raise InputError(f"a ClassSplit is needed; got {type(benchmark).__name__}.")
    k, epsilon, seeds = int(protocol.k), float(protocol.epsilon), tuple(map(int, protocol.seeds))
    m = len(benchmark.X)
    if k > m - 1:
        raise InputError(
            f"k = {k} neighbours need {k + 1} rows or more, but the evaluation set has m = {m}."
        )
    workers = protocol.workers(progress)
    entries = named_detectors(protocol.detectors)
    detectors = {name: resolve_detector(name, one, k, seeds) for name, one in entries.items()}
    check_pools(benchmark, [(name, one.least_rows) for name, one in detectors.items()])
    approximate = protocol.neighbors == "approximate"
    leakage = _leakage(benchmark, protocol, memory, _binding(leakage_limits), workers)
    keys = {name: (identify(one), k, seeds, approximate) for name, one in entries.items()}
    new = {name: one for name, one in detectors.items() if keys[name] not in memory}
    tallies = tally_detectors(benchmark, new, workers, approximate=approximate)
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
            split.label: sum(benchmark.counts[code] for code in split.codes)
            for split in benchmark.held_out
        },
        k=k,
        epsilon=epsilon,
        constant=_is_constant(Rows(benchmark.X)),
        leakage=_numbered(leakage, benchmark),
        detectors={result.name: result for result in results},
        instability=combine(results),
        fingerprint=benchmark.fingerprint,
        source=None if again is None else Source(benchmark, protocol, again),
    )


def _leakage(
    benchmark: ClassSplit,
    protocol: Protocol,
    memory: dict[Hashable, Any],
    limits: tuple[float, ...],
    workers: Workers,
) -> Leakage:
    """Return the leakage of all rows, or of a sample where one will do and `memory` has none of all rows.

    Rows of a sample are searched exactly, whatever the protocol says of neighbours.
    """
    k, alpha = int(protocol.k), float(protocol.alpha)
    what = (benchmark.codes, benchmark.classes, k, workers)
    in_full, in_part = ("leakage", k), ("leakage", k, limits, alpha)
    if limits and protocol.samples(len(benchmark.X)):
        found: Leakage | None = memory.get(in_full, memory.get(in_part))
        if found is None:
            found = sample_leakage(evaluation_sets(benchmark), *what, limits, alpha)
            memory[in_full if found.exact else in_part] = found
        return found
    if protocol.neighbors == "exact":
        if in_full not in memory:
            memory[in_full] = measure_leakage(evaluation_sets(benchmark), *what)
        return memory[in_full]  # type: ignore[no-any-return]
    by_index = ("leakage", k, "approximate")
    if by_index not in memory:
        memory[by_index] = _approximate_leakage(evaluation_sets(benchmark), *what)
    return memory[by_index]  # type: ignore[no-any-return]


def _numbered(leakage: Leakage, benchmark: ClassSplit) -> Leakage:
    """Return `leakage` with the author's numbers of its rows."""
    if benchmark.kept is None:
        return leakage
    return replace(leakage, rows=benchmark.numbered(leakage.rows))


def _approximate_leakage(
    representations: Iterable[Rows],
    codes: Integers,
    classes: tuple[Hashable, ...],
    k: int,
    workers: Workers,
) -> Leakage:
    """Return what `measure_leakage` does, from neighbours that an index finds."""
    search = ApproximateSearch()
    found = measure_leakage(representations, codes, classes, k, workers, search.neighbour_shares)
    told = search.approximation
    error = 0.0 if told is None or told.error is None else told.error
    interval = (max(0.0, found.value - error), min(1.0, found.value + error))
    return replace(found, approximation=told, interval=interval)


def _binding(limits: Sequence[float]) -> tuple[float, ...]:
    """Return the limits that L_k can exceed, each once, in order.

    Raises
    ------
    InputError
    """
    for limit in limits:
        if isinstance(limit, bool) or not isinstance(limit, Real) or not limit >= 0:
            raise InputError(
                f"leakage_limits must be values of L_k, numbers of 0 or more; got {limit!r}."
            )
    return tuple(sorted({float(limit) for limit in limits if limit < 1}))


def _is_constant(rows: Rows) -> bool:
    first = rows.take(slice(0, 1))
    return all(bool((rows.take(block) == first).all()) for block in rows.blocks())
