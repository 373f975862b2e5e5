"""PyOD's kNN and LOF, in the loop over held-out classes."""

from __future__ import annotations

import numpy as np
from pyod.models.knn import KNN
from pyod.models.lof import LOF
from sklearn.metrics import roc_auc_score

from benchmarks.data import Arrays
from benchmarks.stopwatch import ALL, Stopwatch


def splits(arrays: Arrays, watch: Stopwatch, *, k: int = 10) -> Arrays:
    """Score every split with both detectors.

    Returns
    -------
    dict
        ``auroc_knn`` and ``auroc_lof``, shape (K,), in the order of the classes.
    """
    X, y = arrays["X"].astype(np.float64), arrays["y"]
    X_train, y_train = arrays["X_train"].astype(np.float64), arrays["y_train"]
    aurocs: dict[str, list[float]] = {"auroc_knn": [], "auroc_lof": []}
    with watch.part(ALL):
        for held_out in np.unique(y):
            pool = X_train[y_train != held_out]
            detectors = {
                "auroc_knn": KNN(n_neighbors=k, method="mean", n_jobs=-1),
                "auroc_lof": LOF(n_neighbors=20, novelty=True, n_jobs=-1),
            }
            for name, detector in detectors.items():
                score = detector.fit(pool).decision_function(X)
                aurocs[name].append(float(roc_auc_score(y == held_out, score)))
    return {name: np.array(values) for name, values in aurocs.items()}
