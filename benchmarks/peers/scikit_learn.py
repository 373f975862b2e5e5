"""scikit-learn, in the loop over held-out classes that a careful researcher writes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

from benchmarks.data import Array, Arrays
from benchmarks.stopwatch import ALL, Stopwatch


def splits(arrays: Arrays, watch: Stopwatch, *, detectors: Sequence[str], k: int = 10) -> Arrays:
    """Measure the leakage, and every split with every detector.

    Returns
    -------
    dict
        ``leakage`` and, for each detector, ``auroc_*``, shape (K,), in the order of the classes.
    """
    X, y = arrays["X"].astype(np.float64), arrays["y"]
    X_train, y_train = arrays["X_train"].astype(np.float64), arrays["y_train"]
    aurocs: dict[str, list[float]] = {name: [] for name in detectors}
    with watch.part(ALL):
        nearest = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=-1).fit(X)
        index = nearest.kneighbors(return_distance=False)
        leakage = float((y[index] != y[:, None]).mean())
        for held_out in np.unique(y):
            pool = X_train[y_train != held_out]
            for name in detectors:
                with watch.part(name):
                    score = _score(name, pool, X, k)
                    aurocs[name].append(float(roc_auc_score(y == held_out, score)))
    return {
        "leakage": np.array(leakage),
        **{f"auroc_{name}": np.array(values) for name, values in aurocs.items()},
    }


def _score(name: str, pool: Array, X: Array, k: int) -> Array:
    if name == "knn":
        nearest = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=-1).fit(pool)
        distance, _ = nearest.kneighbors(X)
        return np.asarray(distance.mean(axis=1))
    if name == "lof":
        detector = LocalOutlierFactor(n_neighbors=20, novelty=True, n_jobs=-1)
    else:
        detector = IsolationForest(n_estimators=100, random_state=0)
    return np.asarray(-detector.fit(pool).score_samples(X))
