"""Area under the ROC curve, by exact counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.rows import Float64

__all__ = ["Comparison", "compare", "is_constant", "is_graded", "ordered_pairs"]

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


def compare(scores: Float64, positive: npt.NDArray[np.bool_]) -> Comparison:
    """Compare each positive row with each negative one.

    Parameters
    ----------
    scores : ndarray of shape (m,)
        Higher = more anomalous.
    positive : ndarray of bool, shape (m,)
    """
    negatives = np.sort(scores[~positive])
    positives = np.sort(scores[positive])  # sorted ones are found faster
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
    compared = compare(scores, positive)
    return compared.above, compared.pairs


def is_constant(scores: Float64, resolution: float) -> bool:
    """Tell whether scores give no ranking: one value, or a spread at rounding level.

    Parameters
    ----------
    scores : ndarray of shape (m,)
    resolution : float
        Relative spacing of the floating-point type that the scores came in.
    """
    low, high = float(scores.min()), float(scores.max())
    if low == high or np.isinf([low, high]).any():
        return low == high
    return high - low <= _ROUNDING_STEPS * resolution * max(abs(low), abs(high))


def is_graded(scores: Float64) -> bool:
    """Tell whether there are more than two distinct scores, shape (m,), as those of a label are not."""
    return not bool(((scores == scores.min()) | (scores == scores.max())).all())
