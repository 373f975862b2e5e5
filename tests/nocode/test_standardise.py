from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from pytest_splitcheck import InputError
from pytest_splitcheck.nocode.standardise import standardised

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) * [1e-3, 1.0, 1e5] + [0.0, 1e4, -3.0]
POOL = RNG.normal(size=(90, 3)) * [2e-3, 3.0, 1e4]


def test_it_is_the_scale_of_the_rows_themselves_where_there_is_no_pool():
    found, pool = standardised(X)
    assert pool is None
    assert found == pytest.approx(StandardScaler().fit_transform(X), rel=1e-6, abs=1e-9)


def test_it_is_the_scale_of_the_pool_for_both():
    found, pool = standardised(X, POOL)
    scaler = StandardScaler().fit(POOL)
    assert found == pytest.approx(scaler.transform(X), rel=1e-6, abs=1e-9)
    assert pool == pytest.approx(scaler.transform(POOL), rel=1e-6, abs=1e-9)


def test_a_column_that_is_constant_is_moved_and_no_more():
    found, _ = standardised([[3.1, 0.0], [3.1, 4.0]])
    assert found.tolist() == [[0.0, -1.0], [0.0, 1.0]]
    found, pool = standardised([[4.0], [1.0]], [[3.0], [3.0]])
    assert (found.tolist(), pool.tolist()) == ([[1.0], [-2.0]], [[0.0], [0.0]])


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1.7e308])
def test_numbers_at_the_ends_of_float64(scale):
    found, _ = standardised(np.array([[-1.0, 1.0], [1.0, 2.0], [0.0, 6.0]]) * [scale, 1.0])
    assert found == pytest.approx(StandardScaler().fit_transform([[-1, 1], [1, 2], [0, 6]]))


def test_what_is_beyond_float64_is_infinite_without_a_warning():
    found, _ = standardised([[1e300], [0.0]], [[1e-300], [0.0]])
    assert found.tolist() == [[np.inf], [-1.0]]


def test_many_rows_are_read_in_blocks(monkeypatch):
    whole, whole_pool = standardised(X, POOL)
    monkeypatch.setattr("pytest_splitcheck.declare.arrays._BLOCK_VALUES", 21)
    found, pool = standardised(X, POOL)
    assert found == pytest.approx(whole, rel=1e-9, abs=1e-12)
    assert pool == pytest.approx(whole_pool, rel=1e-9, abs=1e-12)


def test_images_keep_their_shape():
    images = RNG.integers(0, 255, size=(20, 4, 5, 3), dtype=np.uint8)
    found, _ = standardised(images)
    assert found.shape == images.shape
    assert found.dtype == np.float32
    expected = StandardScaler().fit_transform(images.reshape(20, -1).astype(float))
    assert found.reshape(20, -1) == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_rows_that_are_in_both_are_equal_in_both():
    rows = RNG.integers(0, 9, size=(30, 4))
    found, pool = standardised(rows.astype(np.float32), rows[::-1].astype(np.float64) + 0.0)
    assert found.dtype == pool.dtype
    assert (found == pool[::-1]).all()


@pytest.mark.parametrize(
    ("rows", "pool", "message"),
    [
        ([["a"]], None, "X "),
        ([[np.nan]], None, "X has"),
        ([[1.0]], [[np.inf]], "train X has"),
        ([[1.0]], [[1.0, 2.0]], "train X has 2 values per row, X has 1."),
    ],
)
def test_what_is_no_such_data_is_refused(rows, pool, message):
    with pytest.raises(InputError, match=f"^{message}"):
        standardised(rows, pool)
