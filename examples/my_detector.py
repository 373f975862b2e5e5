"""The method that this repository is about."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Mahalanobis:
    """Distance from the mean of the normal rows, in units of their spread.

    Parameters
    ----------
    shrinkage : float, default 0.3
        Weight, in (0, 1], of a sphere of the same mean variance in the covariance, which makes it
        invertible where pixels are constant.
    """

    def __init__(self, shrinkage: float = 0.3) -> None:
        self.shrinkage = shrinkage

    def fit(self, X: Array) -> Self:
        """Estimate mean and covariance from normal rows, shape (n, d)."""
        self.mean_ = X.mean(axis=0)
        covariance = np.cov(X, rowvar=False)
        sphere = np.eye(len(covariance)) * np.trace(covariance) / len(covariance)
        shrunk = (1 - self.shrinkage) * covariance + self.shrinkage * sphere
        self.whitening_ = np.linalg.cholesky(np.linalg.inv(shrunk))
        return self

    def score(self, X: Array) -> Array:
        """Return the distance of each row of `X`, shape (m,); higher = more anomalous."""
        distance: Array = np.linalg.norm((X - self.mean_) @ self.whitening_, axis=1)
        return distance
