"""Which way the scores point, class by class, and how often that changes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.measure.histogram import Histogram
from pytest_splitcheck.measure.results import DetectorResult, Instability
from pytest_splitcheck.measure.rows import Float64

__all__ = ["combine", "direction", "summarise"]

BAND_TOLERANCE = 1e-9
"""The band around 1/2 is closed on both sides in spite of rounding."""


def direction(auroc: float, epsilon: float) -> int:
    """Return d(c): the sign of AUC - 1/2, or 0 where abs(AUC - 1/2) <= epsilon."""
    if abs(auroc - 0.5) <= epsilon + BAND_TOLERANCE:
        return 0
    return 1 if auroc > 0.5 else -1


def _flips(by_seed: list[float], mean: float) -> float:
    """Return the share of the seeds on the other side of 1/2 than the mean."""
    above, below = sum(one > 0.5 for one in by_seed), sum(one < 0.5 for one in by_seed)
    others = min(above, below) if mean == 0.5 else below if mean > 0.5 else above
    return others / len(by_seed)


def _resolved(interval: tuple[float, float], epsilon: float) -> int | None:
    low, high = interval
    if direction(low, epsilon) == direction(high, epsilon) == 0:
        return 0
    return 1 if low > 0.5 else -1 if high < 0.5 else None


def summarise(
    name: str,
    labels: Sequence[Hashable],
    aurocs: Float64,
    *,
    epsilon: float,
    intervals: Sequence[tuple[float, float]],
    no_ranking: Sequence[Hashable],
    seeds: tuple[int, ...],
    hard_labels: Sequence[Hashable] = (),
    far_auroc: float | None = None,
    approximation: Approximation | None = None,
    histograms: Mapping[Hashable, Histogram] | None = None,
) -> DetectorResult:
    """Turn the AUROCs of one detector, shape (splits, seeds), into its rates.

    The AUROC of a class is the mean over seeds, which its interval is around; the rates are those of arXiv
    2606.02601, and the least of them that the intervals leave open.
    """
    n = len(labels)
    means = [math.fsum(row) / len(row) for row in aurocs]
    directions = [direction(value, epsilon) for value in means]
    flips = [_flips(row, mean) for row, mean in zip(aurocs.tolist(), means, strict=True)]
    settled = [not flip and c not in no_ranking for c, flip in zip(labels, flips, strict=True)]
    within = [
        range(direction(low, epsilon), direction(high, epsilon) + 1) for low, high in intervals
    ]
    open_ = [tuple(d) if is_ else (-1, 0, 1) for d, is_ in zip(within, settled, strict=True)]
    resolved = [
        _resolved(ends, epsilon) if is_ else None
        for ends, is_ in zip(intervals, settled, strict=True)
    ]
    quarter, three_quarters = np.quantile(means, [0.25, 0.75])
    return DetectorResult(
        name=name,
        auroc=dict(zip(labels, means, strict=True)),
        spread=dict(zip(labels, aurocs.std(axis=1).tolist(), strict=True)),
        mean=math.fsum(means) / n,
        variance=float(np.var(means)),
        iqr=float(three_quarters - quarter),
        rho_rnd=directions.count(0) / n,
        rho_inv=sum(value < 0.5 for value in means) / n,
        rho_dir=(n - max(directions.count(1), directions.count(-1))) / n,
        direction=dict(zip(labels, directions, strict=True)),
        interval=dict(zip(labels, intervals, strict=True)),
        flips=dict(zip(labels, flips, strict=True)),
        open_directions=dict(zip(labels, open_, strict=True)),
        resolved=dict(zip(labels, resolved, strict=True)),
        no_ranking=tuple(no_ranking),
        hard_labels=tuple(hard_labels),
        far_auroc=far_auroc,
        seeds=seeds,
        approximation=approximation,
        histogram={} if histograms is None else {one: histograms[one] for one in labels},
    )


def combine(results: Sequence[DetectorResult]) -> Instability | None:
    """Average the figures of several detectors, and name the worst of each; None for no detector."""
    if not results:
        return None

    def mean_of(figure: str) -> float:
        return math.fsum(getattr(result, figure) for result in results) / len(results)

    worst = {
        rate: max(((r.name, getattr(r, rate)) for r in results), key=lambda entry: entry[1])
        for rate in ("rho_rnd", "rho_inv", "rho_dir")
    }
    worst["mean"] = min(((r.name, r.mean) for r in results), key=lambda entry: entry[1])
    return Instability(
        rho_rnd=mean_of("rho_rnd"),
        rho_inv=mean_of("rho_inv"),
        rho_dir=mean_of("rho_dir"),
        rho_dir_resolved=mean_of("rho_dir_resolved"),
        rho_inv_resolved=mean_of("rho_inv_resolved"),
        mean=mean_of("mean"),
        variance=mean_of("variance"),
        iqr=mean_of("iqr"),
        worst=worst,
    )
