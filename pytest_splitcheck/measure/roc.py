"""Area under the ROC curve, by exact counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.rows import Float64

__all__ = [
    "Comparison",
    "compare",
    "groups",
    "is_constant",
    "is_graded",
    "merge_ties",
    "ordered_pairs",
]

_ROUNDING_STEPS = 8
"""Scores that differ by fewer floating-point steps than this are the same score."""


class Comparison(NamedTuple):
    """How the positive and the negative rows of one pool compare by their scores.

    Attributes
    ----------
    above, pairs : int
        As `ordered_pairs` has them.
    positives, negatives : int
        Rows.
    by_positive : float
        Sum over the positives of the square of the share of negatives below; a tie counts one half.
    by_negative : float
        Sum over the negatives of the square of the share of positives above.
    """

    above: int
    pairs: int
    positives: int
    negatives: int
    by_positive: float
    by_negative: float


def groups(scores: Float64, positive: npt.NDArray[np.bool_]) -> tuple[Float64, Float64]:
    """Return the scores of the negative rows and those of the positive ones, each ascending.

    Parameters
    ----------
    scores : ndarray of shape (m,)
        Higher = more anomalous.
    positive : ndarray of bool, shape (m,)
    """
    return np.sort(scores[~positive]), np.sort(scores[positive])


def compare(negatives: Float64, positives: Float64) -> Comparison:
    """Compare each positive row with each negative one, by the scores of both in ascending order."""
    below = np.searchsorted(negatives, positives, side="left")
    not_above = np.searchsorted(negatives, positives, side="right")
    m, n = len(positives), len(negatives)
    # The share of positives above falls by 1/2m at each of these places in the order of the negatives.
    steps = np.sort(np.concatenate([below, not_above]))
    shares = np.arange(2 * m, 0, -1) / max(1, 2 * m)
    return Comparison(
        above=int(below.sum(dtype=np.int64) + not_above.sum(dtype=np.int64)),
        pairs=2 * m * n,
        positives=m,
        negatives=n,
        by_positive=float((((below + not_above) / max(1, 2 * n)) ** 2).sum()),
        by_negative=float((np.diff(steps, prepend=0) * shares**2).sum()),
    )


def ordered_pairs(scores: Float64, positive: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """Count the pairs of a positive and a negative row that the scores put in order.

    Parameters
    ----------
    scores : ndarray of shape (m,)
        Higher = more anomalous.
    positive : ndarray of bool, shape (m,)

    Returns
    -------
    (int, int)
        Twice the number of pairs with the positive above (a tie counts one half), and twice the
        number of all pairs. Their quotient is the AUROC with mid-ranks (the Mann-Whitney statistic).
    """
    compared = compare(*groups(scores, positive))
    return compared.above, compared.pairs


def merge_ties(scores: Float64, margin: Float64) -> Float64:
    """Give scores that are equal up to rounding the same value, the least of them.

    A score within its margin of the next lower one is tied with it, and so with what that is tied with.

    Parameters
    ----------
    scores : ndarray of shape (m,)
        Finite.
    margin : ndarray of shape (m,)
        How far below each score another one is still the same.

    Returns
    -------
    ndarray of shape (m,)
    """
    order = np.argsort(scores)
    ascending = scores[order]
    starts = np.ones(len(scores), dtype=bool)
    starts[1:] = ascending[:-1] < ascending[1:] - margin[order][1:]
    merged = np.empty_like(scores)
    merged[order] = ascending[starts][np.cumsum(starts) - 1]
    return merged


def is_constant(scores: Float64, resolution: float) -> bool:
    """Tell whether scores give no ranking: one value, or a spread at rounding level.

    Parameters
    ----------
    scores : ndarray of shape (m,)
    resolution : float
        Distance from 1 to the next number of the floating-point type that the scores came in.
    """
    low, high = float(scores.min()), float(scores.max())
    if low == high or np.isinf([low, high]).any():
        return low == high
    exponent = int(np.frexp(max(abs(low), abs(high)))[1]) - 1
    return high - low <= _ROUNDING_STEPS * float(np.ldexp(resolution, exponent))


def is_graded(scores: Float64) -> bool:
    """Tell whether there are more than two distinct scores, shape (m,), as those of a label are not."""
    return not bool(((scores == scores.min()) | (scores == scores.max())).all())
