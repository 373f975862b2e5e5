"""Area under the ROC curve, by exact counts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.rows import Float64

__all__ = ["is_constant", "is_graded", "ordered_pairs"]

_ROUNDING_STEPS = 8
"""Scores that differ by fewer floating-point steps than this are the same score."""


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
    negatives = np.sort(scores[~positive])
    positives = np.sort(scores[positive])  # sorted ones are found faster
    below = int(np.searchsorted(negatives, positives, side="left").sum(dtype=np.int64))
    not_above = int(np.searchsorted(negatives, positives, side="right").sum(dtype=np.int64))
    return below + not_above, 2 * len(positives) * len(negatives)


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
