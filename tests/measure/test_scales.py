from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pytest_splitcheck import ClassSplit, evaluate, judge
from pytest_splitcheck.measure.scales import pool_spread
from pytest_splitcheck.measure.workers import Workers

X, Y = load_digits(return_X_y=True)
HALF = np.arange(len(X)) % 2 == 0


def split(factor=1.0, shift=0.0, **options):
    return ClassSplit(X[HALF], Y[HALF], train=(X[~HALF] * factor + shift, Y[~HALF]), **options)


@pytest.mark.parametrize("factor", [1.0, 1 / 16, 255.0, 1e200])
def test_is_the_factor_between_them(factor):
    assert pool_spread(split(factor, shift=5.0), Workers(2)) == pytest.approx(factor, rel=0.05)


def test_is_none_where_it_means_nothing():
    assert pool_spread(ClassSplit(X, Y), Workers(2)) is None
    few = [row for digit in range(10) for row in np.flatnonzero(digit == Y)[:19]]
    assert pool_spread(ClassSplit(X, Y, train=(X[few], Y[few])), Workers(2)) is None
    assert pool_spread(split(1 / 16, metric="cosine"), Workers(2)) is None


def test_constant_sets():
    zeros = np.zeros_like(X)
    assert pool_spread(ClassSplit(X, Y, train=(zeros, Y)), Workers(2)) == 0
    assert pool_spread(ClassSplit(zeros, Y, train=(X, Y)), Workers(2)) is None


def test_anomalies_far_out_in_one_set_do_not_count():
    far = X[HALF].copy()
    far[Y[HALF] == 9] *= 1000
    spread = pool_spread(ClassSplit(far, Y[HALF], train=(X[~HALF], Y[~HALF])), Workers(2))
    assert spread == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, y: (
            5.0 * y[:, None] + (rng.random((len(y), 1)) < 0.5) * rng.exponential(3, (len(y), 4))
        ),
        lambda rng, y: (rng.random((len(y), 3)) < 0.2).astype(float),
        lambda rng, y: rng.poisson(0.35, (len(y), 2)).astype(float),
        lambda rng, y: (rng.random((len(y), 50)) < 0.02) * rng.random((len(y), 50)),
    ],
    ids=["zero-inflated", "binary", "counts", "sparse"],
)
def test_two_samples_of_one_data_set_are_on_one_scale(draw, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(400) % 4
    spread = pool_spread(ClassSplit(draw(rng, y), y, train=(draw(rng, y), y)), Workers(2))
    assert spread is None or 1 / 3 < spread < 3


def test_the_classic_slip_is_found_and_told():
    report = evaluate(split(1 / 16), detectors=("knn",))
    (finding,) = judge(report).findings
    assert finding.kind == "pool on another scale"
    assert finding.value == pytest.approx(1 / 16, rel=0.05)
    assert judge(evaluate(split(), detectors=("knn",))).status == "well posed"
