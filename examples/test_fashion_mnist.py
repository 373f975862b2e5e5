"""Fashion-MNIST in full, on pixels: well posed. Both tests share one measurement of some minutes."""

from __future__ import annotations

import pytest
from benchmark_data import load_fashion_mnist
from my_detector import Mahalanobis
from sklearn.metrics import roc_auc_score


@pytest.mark.splitcheck("fashion_mnist")
def test_trousers_are_an_anomaly():
    X, y, (X_train, y_train) = load_fashion_mnist()
    detector = Mahalanobis().fit(X_train[y_train != "Trouser"])
    assert roc_auc_score(y == "Trouser", detector.score(X)) > 0.8


def test_shirts_mix_with_other_classes(splitcheck, fashion_mnist):
    report = splitcheck(fashion_mnist)
    assert report.leakage.value < 0.3
    per_class = report.leakage.per_class
    assert max(per_class, key=per_class.get) == "Shirt"
