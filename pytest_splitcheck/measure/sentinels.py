"""Rows far outside all data, on which a detector shows which way its scores point."""

from __future__ import annotations

import numpy as np

from pytest_splitcheck.declare.arrays import Matrix
from pytest_splitcheck.measure.rows import Rows

__all__ = ["far_rows"]

_SENTINELS = 16
_SEED = 0


def far_rows(pool: Rows, evaluation: Rows) -> Matrix:
    """Return 16 rows far outside a pool and the rows to score, as `Rows.copy` would give them.

    Each value is half a column's range beyond one of its ends. Which end is random from a fixed seed, and the
    second half of the rows takes the other one, so that a score that is linear in the values ranks half of
    them on either side. A column of range 0 moves as far as the middle one of those that have a range.

    Not farther: ten ranges out, a classifier of ReLUs is surer of its classes than of any real row (Hein et
    al., CVPR 2019), and a score made from it would look turned, which at this distance it does not.

    Parameters
    ----------
    pool : Rows of length n
    evaluation : Rows of length m

    Returns
    -------
    ndarray of shape (16, d)
        Infinite where the type does not reach that far.
    """
    rows = [Rows(part.matrix, part.index) for part in (pool, evaluation)]  # as a detector sees them
    ends = [
        (block.min(axis=0), block.max(axis=0))
        for part in rows
        for block in map(part.take, part.blocks())
    ]
    with np.errstate(over="ignore", invalid="ignore"):
        low = np.min([low for low, _ in ends], axis=0)
        high = np.max([high for _, high in ends], axis=0)
        reach = high - low
        moving = reach[reach > 0]
        reach[reach == 0] = np.median(moving) if len(moving) else 1.0
        half = np.random.default_rng(_SEED).choice([-1.0, 1.0], size=(_SENTINELS // 2, len(reach)))
        far = low / 2 + high / 2 + reach * np.concatenate([half, -half])
        return np.asarray(far.astype(rows[0].subset(np.arange(1)).copy().dtype))
