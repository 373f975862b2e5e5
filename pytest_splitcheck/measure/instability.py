"""Which way the scores point, class by class, and how often that changes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from pytest_splitcheck.measure.audit import Approximation
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


def summarise(
    name: str,
    labels: Sequence[Hashable],
    aurocs: Float64,
    *,
    epsilon: float,
    no_ranking: Sequence[Hashable],
    seeds: tuple[int, ...],
    hard_labels: Sequence[Hashable] = (),
    far_auroc: float | None = None,
    approximation: Approximation | None = None,
) -> DetectorResult:
    """Turn the AUROCs of one detector, shape (splits, seeds), into its rates.

    The AUROC of a class is the mean over seeds; the rates are those of arXiv 2606.02601.
    """
    n = len(labels)
    means = [math.fsum(row) / len(row) for row in aurocs]
    directions = [direction(value, epsilon) for value in means]
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
        no_ranking=tuple(no_ranking),
        hard_labels=tuple(hard_labels),
        far_auroc=far_auroc,
        seeds=seeds,
        approximation=approximation,
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
        mean=mean_of("mean"),
        variance=mean_of("variance"),
        iqr=mean_of("iqr"),
        worst=worst,
    )
