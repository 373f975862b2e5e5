"""How far an AUROC may be off: its 95 % interval, over other rows of the same classes and other seeds.

The interval is Newcombe's (Statistics in Medicine 25 (2006) 559-573, method 5): it holds every theta whose
distance from the AUROC is at most t standard deviations of an AUROC that is theta in truth. So it has a width
at 0 and 1, and ends there. Newcombe's variance assumes groups of equal spread; where the anomaly is more
widely spread than the normal rows, such intervals hold the truth in 80 % of cases only. The variance is
therefore multiplied by what the rows say of it: the variances of their placements, the share of negatives
below each positive and of positives above each negative (DeLong et al., Biometrics 44 (1988) 837-845), over
what they would be by Newcombe. Few rows, and rows of an AUROC near 0 or 1, say little; the ratio is shrunk
towards an assumption, and t is Student's. ``python -m benchmarks coverage`` shows how often the interval holds
the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.rows import Float64

__all__ = ["auroc_intervals"]

_LEVEL: Final = 0.95

_ASSUMED_ROWS: Final = 2.0
"""How many rows the assumption about the variance of placements counts for."""

_DEGREES_PER_ROW: Final = 2.5
"""Placements of equal groups are uniform, and the variance of m uniform values is known as well as that of
2.5 m normal ones."""

_HALVINGS: Final = 50


def auroc_intervals(compared: npt.ArrayLike) -> Float64:
    """Return the 95 % interval of the AUROC of each split, a mean over seeds.

    What varies is which rows of the classes were drawn and, with several seeds, which seeds: to the variance
    by the rows, a mean over seeds, comes the variance among the seeds divided by their number. Pools are taken
    as they are.

    Parameters
    ----------
    compared : array_like of shape (splits, seeds, pools, 6)
        For each split, seed and pool a `Comparison`. Rows of different pools are not compared: the AUROC
        of a seed is the mean over pools, weighted by their pairs.

    Returns
    -------
    ndarray of shape (splits, 2)
        In [0, 1], on either side of the AUROC, nowhere of no width.
    """
    from scipy.special import stdtrit

    fields = np.moveaxis(np.asarray(compared, dtype=np.float64), -1, 0)
    above, pairs, positives, negatives, by_positive, by_negative = fields
    by_seed = above.sum(axis=2) / pairs.sum(axis=2)
    auroc = by_seed.mean(axis=1)
    n_seeds = by_seed.shape[1]
    among_seeds = by_seed.var(axis=1, ddof=1) / n_seeds if n_seeds > 1 else np.zeros(len(auroc))

    m, n = positives[:, 0], negatives[:, 0]  # the same for every seed
    weight = pairs[:, 0] / pairs[:, 0].sum(axis=1, keepdims=True)
    per_positive, per_negative, per_pair = (
        (weight**2 / np.maximum(1, rows)).sum(axis=1) for rows in (m, n, m * n)
    )
    ratios, degrees = [], []
    for rows, others, squares in ((m, negatives, by_positive), (n, positives, by_negative)):
        sums = (above / np.maximum(1, 2 * others)).sum(axis=2)
        total = np.where(pairs[:, 0] > 0, rows, 0).sum(axis=1)
        about = squares.sum(axis=2) - 2 * by_seed * sums + total[:, None] * by_seed**2
        ratios.append(_ratio(auroc, np.maximum(0, about).mean(axis=1), total))
        degrees.append(_ASSUMED_ROWS + _DEGREES_PER_ROW * (total - 1))
    shares = ratios[0] * per_positive, ratios[1] * per_negative
    ratio = sum(shares) / (per_positive + per_negative)

    def variance(theta: Float64) -> Float64:
        """Return Newcombe's variance of an AUROC that is theta in truth, corrected, and that of seeds."""
        both = (per_positive + per_negative) / 2 - per_pair
        newcombe = theta * (1 - theta) * per_pair + 2 * both * _of_placements(theta)
        return np.asarray(ratio * newcombe + among_seeds)

    # Satterthwaite's degrees of freedom, of a sum of variances that are known more or less well.
    parts = [*(share * _of_placements(_inside(auroc)) for share in shares), among_seeds]
    degrees.append(np.full(len(auroc), max(1, n_seeds - 1)))
    doubt = sum(part**2 / known for part, known in zip(parts, degrees, strict=True))
    t = stdtrit(sum(parts) ** 2 / doubt, (1 + _LEVEL) / 2)
    return np.stack([_end(auroc, end, t, variance) for end in (0.0, 1.0)], axis=1)


def _ratio(auroc: Float64, squares: Float64, rows: Float64) -> Float64:
    """Return the variance of placements over Newcombe's, from their sum of squares and their number.

    What is assumed is the larger of Hanley and McNeil's two variances, for which Newcombe has their mean.
    """
    theta = _inside(auroc)
    assumed = theta * (1 - theta) * np.maximum(theta / (1 + theta), (1 - theta) / (2 - theta))
    evidence = 4 * auroc * (1 - auroc)
    known = evidence * squares / _of_placements(theta)
    guess = _ASSUMED_ROWS * assumed / _of_placements(theta)
    return np.asarray((guess + known) / (_ASSUMED_ROWS + evidence * (rows - 1)))


def _of_placements(theta: Float64) -> Float64:
    """Return Newcombe's variance of a placement, the mean of those of Hanley and McNeil (1982)."""
    slope = theta / (1 + theta) + (1 - theta) / (2 - theta)
    return np.asarray(theta * (1 - theta) * slope / 2)


def _inside(auroc: Float64) -> Float64:
    return np.clip(auroc, 1e-9, 1 - 1e-9)


def _end(
    auroc: Float64, outside: float, t: Float64, variance: Callable[[Float64], Float64]
) -> Float64:
    """Return the end of the interval on the side of `outside`, 0 or 1, by bisection."""
    inner, outer = auroc.copy(), np.full(len(auroc), outside)
    for _ in range(_HALVINGS):
        middle = (inner + outer) / 2
        beyond = np.abs(auroc - middle) > t * np.sqrt(variance(middle))
        outer, inner = np.where(beyond, middle, outer), np.where(beyond, inner, middle)
    return outer
