from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pytest_splitcheck import ClassSplit, evaluate, judge
from pytest_splitcheck.measure.scales import pool_spread

X, Y = load_digits(return_X_y=True)
HALF = np.arange(len(X)) % 2 == 0


def split(factor=1.0, shift=0.0, **options):
    return ClassSplit(X[HALF], Y[HALF], train=(X[~HALF] * factor + shift, Y[~HALF]), **options)


@pytest.mark.parametrize("factor", [1.0, 1 / 16, 255.0, 1e200])
def test_is_the_factor_between_them(factor):
    assert pool_spread(split(factor, shift=5.0)) == pytest.approx(factor, rel=0.05)


def test_is_none_where_it_means_nothing():
    assert pool_spread(ClassSplit(X, Y)) is None
    few = [row for digit in range(10) for row in np.flatnonzero(digit == Y)[:4]]
    assert pool_spread(ClassSplit(X, Y, train=(X[few], Y[few]))) is None
    assert pool_spread(split(1 / 16, metric="cosine")) is None


def test_constant_sets():
    zeros = np.zeros_like(X)
    assert pool_spread(ClassSplit(X, Y, train=(zeros, Y))) == 0
    assert pool_spread(ClassSplit(zeros, Y, train=(X, Y))) is None


def test_anomalies_far_out_in_one_set_do_not_count():
    far = X[HALF].copy()
    far[Y[HALF] == 9] *= 1000
    spread = pool_spread(ClassSplit(far, Y[HALF], train=(X[~HALF], Y[~HALF])))
    assert spread == pytest.approx(1, rel=0.05)


def test_the_classic_slip_is_found_and_told():
    report = evaluate(split(1 / 16), detectors=("knn",))
    (finding,) = judge(report).findings
    assert finding.kind == "pool on another scale"
    assert finding.value == pytest.approx(1 / 16, rel=0.05)
    assert judge(evaluate(split(), detectors=("knn",))).status == "well posed"
