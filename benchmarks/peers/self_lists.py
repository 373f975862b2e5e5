"""Lists of the nearest rows of a base, searched with the base itself."""

from __future__ import annotations

import numpy as np

from benchmarks.data import Array, Arrays


def without_self(squared: Array, index: Array) -> Arrays:
    """Leave each row out of its own list, shape (n, k + 1).

    A row that is not in its list, since duplicates of it have taken the places or since the search is
    approximate, loses the farthest entry instead.

    Returns
    -------
    dict
        ``distance`` and ``index``, shape (n, k).
    """
    own = index == np.arange(len(index))[:, None]
    own[~own.any(axis=1), -1] = True
    shape = len(index), index.shape[1] - 1
    distance = np.sqrt(np.maximum(squared, 0.0).astype(np.float64))
    return {"distance": distance[~own].reshape(shape), "index": index[~own].reshape(shape)}
