"""What splits and random draws depend on."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from pytest_splitcheck import ClassSplit, InputError, evaluate
from tests.builders import Random, auroc, clusters, grid, labels, plain


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


@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8", "int64"])
def test_30_a_duplicate_is_one_whatever_its_type(dtype):
    X, y = np.arange(120).reshape(60, 2), labels(60, 2)
    pool = np.r_[1000 + X, X[[3, 7]]].astype(dtype if dtype != "uint8" else "int16")
    split = ClassSplit(X.astype(dtype), y, train=(pool.astype(float), [*y, y[3], y[7]]))
    found = evaluate(split, k=3, detectors=()).integrity.shared
    assert (found.rows.tolist(), found.exact) == ([3, 7], 2)
    assert found.partners.tolist() == [60, 61]


def test_30_values_on_either_side_of_a_rounding_cell_are_near_duplicates():
    X, y = plain(60), labels(60, 2)
    edge = 0.123456785  # rounds up, and the next number below it down
    X[5] = edge
    pool = np.r_[plain(60, seed=1), np.full((1, 3), np.nextafter(edge, 0))]
    split = ClassSplit(X, y, train=(pool, [*y, y[5]]))
    found = evaluate(split, k=3, detectors=("knn",)).integrity.shared
    assert (found.rows.tolist(), found.exact, found.near) == ([5], 0, 1)


def test_30_duplicates_in_other_folds_are_told():
    X, y = plain(60), labels(60, 2)
    X[40:45] = X[4]
    found = evaluate(ClassSplit(X, y), k=3, detectors=("knn",)).integrity.shared
    assert found.rows.tolist() == [4, 40, 41, 42, 43, 44]
    assert found.drop.tolist() == [40, 41, 42, 43, 44]


@pytest.mark.parametrize("index", [np.arange(36)[::-1], np.zeros(36, dtype=int)])
def test_31_labels_count_by_position_whatever_the_index(index):
    X, y = grid(36, 3, high=9), labels(36, 3)
    indexed = pd.Series(y, index=index)
    found = [
        evaluate(split, k=3, detectors=("knn",))
        for split in (
            ClassSplit(X, y.tolist(), folds=3),
            ClassSplit(X, indexed, folds=3),
            ClassSplit(pd.DataFrame(X, index=index), indexed, folds=3),
        )
    ]
    assert len({as_bytes(one) for one in found}) == 1
    # Never by an index that tells another order: the author says which is meant.
    if len(set(index)) > 1:
        with pytest.raises(InputError, match="the same index in another order"):
            ClassSplit(pd.DataFrame(X), indexed)


def test_32_the_number_of_threads_changes_no_neighbour():
    X, y = clusters([[0, 0, 0], [2, 1, 0], [0, 2, 2]], 40)
    split = ClassSplit(X, y, train=(X[::-1] + 0.25, y[::-1]), held_out=[0, 1])
    found = [evaluate(split, k=5, seeds=(0, 1), n_jobs=n_jobs) for n_jobs in (None, 1, 2, 4)]
    assert len({as_bytes(one) for one in found}) == 1
    assert len({one.leakage.pointwise.tobytes() for one in found}) == 1
    assert found[0].leakage.exact
    assert all(one.approximation is None for one in found[0].detectors.values())
