"""What splits and random draws depend on."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from pytest_splitcheck import ClassSplit, evaluate
from tests.builders import auroc, clusters, grid, labels


class Random(BaseEstimator):
    """Scores are the seed's alone; the representation too."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def score(self, X):
        return np.random.default_rng(self.random_state).normal(size=len(X))

    def transform(self, X):
        return X + np.random.default_rng(self.random_state).normal(size=X.shape[1])


def as_bytes(report):
    return json.dumps(report.to_dict(), allow_nan=False).encode()


def test_29_seed_0_is_a_seed():
    X, y = clusters([[0, 0], [2, 0]], 30)
    split = ClassSplit(X, y, train=(X + 0.25, y), representation=Random(), held_out=[1])
    first, again = (
        evaluate(split, detectors={"it": Random(), "iforest": "iforest"}, seeds=(0,))
        for _ in range(2)
    )
    assert first.detectors["it"].seeds == first.detectors["iforest"].seeds == (0,)
    assert first.detectors["it"].auroc[1] == auroc(Random(0).score(X), y == 1)
    assert as_bytes(first) == as_bytes(again)


@pytest.mark.parametrize("index", [np.arange(36)[::-1], np.zeros(36, dtype=int)])
def test_31_labels_count_by_position_whatever_the_index(index):
    X, y = grid(36, 3, high=9), labels(36, 3)
    plain, indexed = (
        evaluate(split, k=3, detectors=("knn",))
        for split in (
            ClassSplit(X, y.tolist(), folds=3),
            ClassSplit(pd.DataFrame(X, index=index[::-1]), pd.Series(y, index=index), folds=3),
        )
    )
    assert as_bytes(plain) == as_bytes(indexed)


def test_32_the_number_of_threads_changes_no_neighbour():
    X, y = clusters([[0, 0, 0], [2, 1, 0], [0, 2, 2]], 40)
    split = ClassSplit(X, y, train=(X[::-1] + 0.25, y[::-1]), held_out=[0, 1])
    found = [evaluate(split, k=5, seeds=(0, 1), n_jobs=n_jobs) for n_jobs in (None, 1, 2, 4)]
    assert len({as_bytes(one) for one in found}) == 1
    assert len({one.leakage.pointwise.tobytes() for one in found}) == 1
    assert found[0].leakage.exact
    assert all(one.approximation is None for one in found[0].detectors.values())
