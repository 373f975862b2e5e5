"""The road from a declared benchmark to its report."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.asked import asked_detectors
from pytest_splitcheck.measure.attribution import attribute
from pytest_splitcheck.measure.chosen_leakage import binding, leakage_of, way_of
from pytest_splitcheck.measure.geometry import GEOMETRY, check_geometry
from pytest_splitcheck.measure.instability import combine, summarise
from pytest_splitcheck.measure.integrity import Inspection
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.passes import run_detectors
from pytest_splitcheck.measure.protocol import (
    BUILT_IN_DETECTORS,
    Neighbors,
    Protocol,
    Sampling,
)
from pytest_splitcheck.measure.recorded import Recorded
from pytest_splitcheck.measure.results import DetectorResult, Leakage, Report
from pytest_splitcheck.measure.results.source import Source
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.splits import check_pools, folds
from pytest_splitcheck.measure.tally import Tally
from pytest_splitcheck.measure.workers import Progress

__all__ = ["evaluate", "measure"]

_FOLDS: Final = "folds"
"""What memory keeps the folds of a benchmark under."""


def evaluate(
    benchmark: ClassSplit,
    *,
    k: int | Sequence[int] = 10,
    epsilon: float = 0.05,
    detectors: Sequence[Any] | Mapping[str, Any] = BUILT_IN_DETECTORS,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    neighbors: Neighbors = "exact",
    n_jobs: int | None = None,
    sampling: Sampling = "auto",
    alpha: float = 0.001,
    leakage_limits: Sequence[float] = (),
    geometry: bool = False,
    memory: float = 1.0,
    progress: Progress | None = None,
) -> Report:
    """Measure the leakage and the direction instability of a class-split benchmark.

    Parameters
    ----------
    benchmark : ClassSplit
    k : int or sequence of int, default 10
        Neighbours per row, for leakage and for the ``"knn"`` detector; from 1 to m - 1. Of several numbers
        the report is that of the first, and holds those of the others in ``other_k``.
    epsilon : float, default 0.05
        Half-width of the band around AUROC 1/2 that counts as random, in [0, 0.5).
    detectors : sequence or dict, default ("knn", "lof", "iforest")
        Names of built-in detectors, detectors of one's own, or a dictionary from name to either. Empty:
        leakage and geometry.

        One's own are outlier detectors and density models of scikit-learn, detectors of PyOD, objects with
        ``fit(X)`` and ``score(X)``, functions ``(pool, rows) -> scores`` and `RecordedScores`. Scores are
        high for anomalies, except as scikit-learn has it, or within `HighIsNormal`. ``contamination`` and
        ``predict`` are never used. They receive numpy arrays of shape (rows, d), images flattened: float32
        or float64 as the benchmark has them, any other type as float64. A network, which takes neither, goes
        into such a class or function.

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
    geometry : bool, default False
        Whether to search all rows exactly, which gives geometry alone, even where leakage could be
        sampled or its neighbours be approximate. Where leakage takes that search anyway, geometry comes
        with it.
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
        detector, an unknown detector, scores that are NaN or of the wrong shape, too few rows for
        geometry where it is asked for.

    References
    ----------
    Ascárate et al., arXiv 2606.02601 (2026), for L_k, rho_rnd, rho_inv and rho_dir. Forman and Scholz,
    "Apples-to-apples in cross-validation studies", SIGKDD Explorations 12 (2010), for comparing
    cross-fitted scores within folds only. Waudby-Smith and Ramdas, "Estimating means of bounded random
    variables by betting", JRSS B 86 (2024), for the guarantee of sampling. Newcombe, "Confidence intervals
    for an effect size measure based on the Mann-Whitney statistic. Part 2", Statistics in Medicine 25 (2006),
    for the intervals.

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
    memories: dict[Hashable, Memory] = {}

    def again(split: ClassSplit, protocol: Protocol) -> Report:
        identity = split.identity
        known = memories.setdefault(identity, Memory(fingerprint=identity[0]))
        return measure(split, protocol, known, id, leakage_limits, geometry, progress, again)

    return measure(benchmark, protocol, Memory(), id, leakage_limits, geometry, progress, again)


def measure(
    benchmark: ClassSplit,
    protocol: Protocol,
    memory: Memory,
    identify: Callable[[object], Hashable],
    leakage_limits: Sequence[float] = (),
    geometry: bool = False,
    progress: Progress | None = None,
    again: Callable[[ClassSplit, Protocol], Report] | None = None,
) -> Report:
    """Measure what `memory` does not hold yet, and put the report together.

    Parameters
    ----------
    benchmark : ClassSplit
    protocol : Protocol
    memory : Memory
        Leakage and tallies of this benchmark by what they depend on; new ones are added. What it holds
        spares time, and changes no figure.
    identify : callable
        Returns equal values for detectors that give the same scores.
    leakage_limits, geometry, progress
        As for `evaluate`.
    again : callable, optional
        Measures other splits for the report's `advice`, which there is none of without.
    """
    if not isinstance(benchmark, ClassSplit):
        raise InputError(f"a ClassSplit is needed; got {type(benchmark).__name__}.")
    ks, epsilon = protocol.ks, float(protocol.epsilon)
    m = len(benchmark.X)
    for k in ks:
        if k > m - 1:
            raise InputError(
                f"k = {k} neighbours need {k + 1} rows or more, but the evaluation set has m = {m}. "
                f"Set k to {m - 1} or less, or add rows."
            )
    workers = protocol.workers(progress)
    detectors = asked_detectors(benchmark, protocol, identify)
    if _FOLDS not in memory:
        memory[_FOLDS] = (
            memory.measured(_FOLDS, lambda: folds(benchmark)) if benchmark.train is None else None
        )
    fold_of = memory[_FOLDS]
    needs = [(one.name, one.detector.least_rows) for one in detectors]
    check_pools(benchmark, needs, fold_of)
    if geometry:
        check_geometry(benchmark, max(ks))
    limits = binding(leakage_limits)
    # Before an author's detector sees the data, which it may write to.
    memory.fingerprint = memory.fingerprint or benchmark.fingerprint

    def of(k: int, rescaled: Rows | None = None) -> Leakage:
        return leakage_of(
            benchmark, protocol, k, memory, limits, workers, geometry=geometry, rescaled=rescaled
        )

    leakage = {k: of(k) for k in ks}
    new = {one.key: one.detector for one in detectors if one.key not in memory}
    approximate = protocol.neighbors == "approximate"
    fitted = [one.detector for one in detectors if not isinstance(one.detector, Recorded)]
    how: dict[str, Any] = {"approximate": approximate, "fold_of": fold_of}
    inspection = Inspection(benchmark, fitted, memory, workers, **how)
    memory.update(run_detectors(benchmark, new, memory, inspection, workers, **how))
    inspection.remember()

    def at(k: int) -> dict[str, Any]:
        results = [
            replace(
                _summary(one.name, benchmark, memory[one.key], epsilon, one.detector.seeds),
                recorded=isinstance(one.detector, Recorded),
            )
            for one in detectors
            if one.k == k
        ]
        by_all = way_of(benchmark, protocol, k, limits, geometry=geometry) == "all"
        counted = memory.get((GEOMETRY, k)) if by_all else None
        alone = counted and _summary(GEOMETRY, benchmark, counted, epsilon, ())
        return {
            "k": k,
            "source": again and Source(benchmark, replace(protocol, k=k), again),
            "leakage": _numbered(leakage[k], benchmark),
            "detectors": {result.name: result for result in results},
            "instability": combine(results),
            "geometry": alone,
            "attribution": attribute(results, alone),
            "integrity": inspection.result(
                k, lambda rescaled: _numbered(of(k, rescaled), benchmark)
            ),
        }

    report = Report(
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
        epsilon=epsilon,
        constant=_is_constant(Rows(benchmark.X)),
        fingerprint=memory.fingerprint,
        **at(ks[0]),
    )
    return replace(report, other_k={k: replace(report, **at(k)) for k in ks[1:]})


def _summary(
    name: str, benchmark: ClassSplit, tally: Tally, epsilon: float, seeds: tuple[int, ...]
) -> DetectorResult:
    return summarise(
        name,
        [split.label for split in benchmark.held_out],
        tally.aurocs,
        epsilon=epsilon,
        intervals=tally.intervals,
        no_ranking=tally.no_ranking,
        hard_labels=tally.hard_labels,
        far_auroc=tally.far_auroc,
        seeds=seeds,
        approximation=tally.approximation,
        histograms=tally.histograms,
    )


def _numbered(leakage: Leakage, benchmark: ClassSplit) -> Leakage:
    """Return `leakage` with the author's numbers of its rows."""
    if benchmark.kept is None:
        return leakage
    return replace(leakage, rows=benchmark.numbered(leakage.rows))


def _is_constant(rows: Rows) -> bool:
    first = rows.take(slice(0, 1))
    return all(bool((rows.take(block) == first).all()) for block in rows.blocks())
