"""Rows as points in the plane: principal components, or t-SNE."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from pytest_splitcheck.measure.protocol import Embedding
from pytest_splitcheck.measure.rows import Float64, Rows, common_exponent

__all__ = ["embed", "most_rows"]

_ROWS = 2000
_VALUES = 1 << 25
"""Values of the rows that are looked at in one go: 256 MiB as float64."""

_COMPONENTS = 50
"""Principal components that t-SNE reads."""

_SEED = 0
_PERPLEXITY = 30.0
_SPREAD = 1e-4
"""Standard deviation of the first coordinate that t-SNE starts from, as scikit-learn has it."""


def most_rows(n_features: int) -> int:
    """Return how many rows of that many values are shown at most."""
    return min(_ROWS, max(20, _VALUES // n_features))


def embed(rows: Rows, kind: Embedding) -> Float64:
    """Return a point in the plane for each row, shape (n, 2), on any machine the same but for rounding.

    Parameters
    ----------
    rows : Rows
        `most_rows` at most.
    kind : "pca" or "tsne"
        The first two principal components, or scikit-learn's t-SNE of the first 50, from the first two.

    References
    ----------
    van der Maaten and Hinton, "Visualizing data using t-SNE", JMLR 9 (2008).
    """
    components = _principal(rows, 2 if kind == "pca" else _COMPONENTS)
    plane = components[:, :2]
    spread = float(plane[:, 0].std())
    if kind == "pca" or len(rows) < 4 or spread == 0:
        return plane
    from sklearn.manifold import TSNE

    start = plane / spread * _SPREAD
    perplexity = min(_PERPLEXITY, (len(rows) - 1) / 3)
    tsne = TSNE(perplexity=perplexity, init=start.astype(np.float32), random_state=_SEED)
    with threadpool_limits(1):  # its sums depend on the number of threads
        found: Any = tsne.fit_transform(components / spread)
    return np.asarray(found, dtype=np.float64)


def _principal(rows: Rows, n: int) -> Float64:
    """Return the first `n` principal components of the rows, or 2 or as many as there are.

    Each has the sign that makes its largest value positive.
    """
    rows = rows.scaled(common_exponent(rows))
    values = rows.take(slice(None)) - rows.centre
    values -= values.mean(axis=0)
    largest = float(np.abs(values).max())
    if largest > 0:
        values /= largest  # its square may be beyond float64, or 0
    components = _scores(values, min(n, *values.shape))
    first = components[np.abs(components).argmax(axis=0), np.arange(components.shape[1])]
    components *= np.where(first < 0, -1.0, 1.0)
    lacking = max(0, 2 - components.shape[1])
    return np.asarray(np.pad(components, ((0, 0), (0, lacking))))


def _scores(values: Float64, n: int) -> Float64:
    """Return the coordinates of centred rows along their `n` longest axes, the longest first."""
    from scipy.linalg import eigh

    wide = values.shape[1] > values.shape[0]
    square = values @ values.T if wide else values.T @ values
    size = len(square)
    lengths, axes = eigh(square, subset_by_index=[size - n, size - 1])
    axes = axes[:, ::-1]
    return np.asarray(axes * np.sqrt(np.maximum(lengths[::-1], 0)) if wide else values @ axes)
