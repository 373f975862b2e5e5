"""The method of this repository, held to its published figure on a benchmark that is well posed."""

from __future__ import annotations

import numpy as np
import pytest
from benchmark_data import load_digits
from my_detector import Mahalanobis
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KernelDensity

PUBLISHED_AUROC = 0.814  # mean over the ten held-out digits


def test_split_as_my_detector_sees_it(splitcheck, digits):
    detectors = {
        "mahalanobis": Mahalanobis(),
        "density": KernelDensity(bandwidth=8.0),  # scikit-learn's, as it is
        "knn": "knn",
    }
    report = splitcheck(digits, detectors=detectors)
    assert report.detectors["mahalanobis"].mean == pytest.approx(PUBLISHED_AUROC, abs=0.005)


@pytest.mark.splitcheck("digits")
def test_published_auroc():
    X, y, (X_train, y_train) = load_digits()
    aurocs = [
        roc_auc_score(y == digit, Mahalanobis().fit(X_train[y_train != digit]).score(X))
        for digit in range(10)
    ]
    assert np.mean(aurocs) == pytest.approx(PUBLISHED_AUROC, abs=0.005)
