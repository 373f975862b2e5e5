"""What floating point does to distances."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, InputError, Thresholds, evaluate, judge
from tests.traps.rows import knn_auroc, neighbours


@pytest.mark.parametrize("offset", [1e8, -1e8])
def test_17_an_offset_changes_no_neighbour(offset):
    X = np.arange(6.0)[:, None]
    for k in (1, 2, 3):
        assert neighbours(offset + X, k) == neighbours(X, k)
    assert neighbours(offset + X, 1) == [{1}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4}]
    assert knn_auroc(offset, offset + 0.25, offset + 0.75) == 1.0


def test_18_float32_rows_far_from_the_origin_are_told_apart():
    X = np.array([[512695], [512804], [512800], [512700]], dtype=np.float32)
    assert neighbours(X, 1) == [{3}, {2}, {1}, {0}]
    assert knn_auroc(512695, 512700, 512804, "float32") == 1.0


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([0, 20, 255], "uint8"),
        ([255, 235, 0], "uint8"),
        ([0, 300, 400], "float16"),
        ([-100, 20, 90], "int8"),
    ],
)
def test_19_small_types_are_cast_before_any_arithmetic(values, dtype):
    first, near, far = values
    X = np.array(values, dtype=dtype)[:, None]
    assert neighbours(X, 1)[0] == {1}
    assert knn_auroc(first, near, far, dtype) == 1.0


def test_20_a_row_of_zeros_has_no_cosine():
    rows = np.arange(24.0).reshape(12, 2) + 1
    y = ["a", "b"] * 6
    zeros = rows.copy()
    zeros[[2, 5]] = 0
    with pytest.raises(InputError, match=r"^X has 2 rows of zeros \(the first is row 2\)"):
        ClassSplit(zeros, y, metric="cosine")
    with pytest.raises(InputError, match=r"^train X has 2 rows of zeros \(the first is row 2\)"):
        ClassSplit(rows, y, train=(zeros, y), metric="cosine")
    assert ClassSplit(zeros, y).metric == "euclidean"
    assert ClassSplit(rows, y, metric="cosine").metric == "cosine"


def test_21_a_noise_column_drowns_a_separable_one():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    X = np.column_stack([y * 10 + rng.normal(size=300), rng.normal(scale=1e4, size=300)])
    raw, standardised = (
        evaluate(ClassSplit(rows, y), detectors=()) for rows in (X, X / X.std(axis=0))
    )
    assert raw.leakage.value == pytest.approx(0.48, abs=0.03)
    assert standardised.leakage.value == pytest.approx(0.0, abs=0.01)
    assert judge(standardised, Thresholds(max_leakage=0.4)).status == "well posed"
    (finding,) = judge(raw, Thresholds(max_leakage=0.4)).findings
    assert (finding.kind, finding.status) == ("dominated by one feature", "ill posed")
    assert raw.integrity.dominance.column == 1
