"""Rows far outside all data, and what a detector says of them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from pytest_splitcheck import ClassSplit, evaluate
from tests.builders import clusters


def two_blobs():
    """Return one normal and one held-out cluster far apart, with a pool of the normal one."""
    T, t = clusters([[0, 0], [20, 20]], 60)
    pool, y = clusters([[0, 0]], 200, seed=1)
    return ClassSplit(T[:80], t[:80], train=(pool, y), held_out=[1])


def result(detector, split=None):
    split = two_blobs() if split is None else split
    return evaluate(split, k=5, detectors={"it": detector}, seeds=(0,)).detectors["it"]


def distance(pool, rows):
    return np.linalg.norm(rows - pool.mean(axis=0), axis=1)


def far_of(score, split=None):
    class Scored:
        def fit(self, X):
            pass

        def score(self, X):
            return score(X)

    return result(Scored(), split).far_auroc


def sentinels_of(split):
    """Return the rows that a detector is shown beside the evaluation set."""
    seen = []
    far_of(lambda X: seen.append(X) or np.arange(len(X)), split)
    (far,) = [X for X in seen if len(X) == 16]
    return far


def test_far_rows_lie_half_a_range_beyond_all_rows_on_either_side():
    split = two_blobs()
    far = sentinels_of(split)
    both = np.r_[split.train.X, split.X]
    middle = (both.min(axis=0) + both.max(axis=0)) / 2
    steps = (far - middle) / np.ptp(both, axis=0)
    np.testing.assert_allclose(np.abs(steps), 1)
    np.testing.assert_allclose(steps.sum(axis=0), 0, atol=1e-9)  # each row has its opposite
    assert len(np.unique(np.sign(steps), axis=0)) > 2


def test_a_constant_column_moves_as_far_as_the_others():
    T, t = clusters([[0, 0, 7], [20, 30, 7]], 30)
    T[:, 2] = 7
    split = ClassSplit(T, t, train=(T[:9], t[:9]), held_out=[1])
    far = sentinels_of(split)
    np.testing.assert_allclose(np.abs(far[:, 2] - 7), np.ptp(T[:, :2], axis=0).mean())
    one_value = ClassSplit(np.full((40, 2), 3.0), t[10:50], folds=2)
    np.testing.assert_array_equal(np.abs(sentinels_of(one_value) - 3), 1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "float16", "bool"])
def test_far_rows_have_the_type_of_the_others(dtype):
    T, t = clusters([[0, 0], [20, 20]], 30)
    split = ClassSplit(T.astype(dtype), t, folds=2, held_out=[1])
    assert sentinels_of(split).dtype == (np.float32 if dtype == "float32" else np.float64)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_linear_score_has_no_side(metric):
    X, y = clusters([[0, 0, 9], [20, 20, 9]], 30)
    split = ClassSplit(X, y, held_out=[1], metric=metric)
    assert far_of(lambda X: X @ [1.0, 2.0, -0.5], split) == 0.5


@pytest.mark.parametrize(
    "score",
    [
        lambda X: 1 / 0 if len(X) == 16 else X[:, 0],
        lambda X: np.full(16, np.nan) if len(X) == 16 else X[:, 0],
        lambda X: X[:3, 0] if len(X) == 16 else X[:, 0],
    ],
    ids=["error", "nan", "shape"],
)
def test_no_answer_on_far_rows_is_no_error(score):
    assert far_of(score) is None


def test_an_answer_on_far_rows_that_warns_counts():
    def score(X):
        return np.exp(X**2).sum(axis=1) if len(X) == 16 else X[:, 0]

    with np.errstate(over="warn"):
        assert far_of(score) == 1.0


def test_rows_beyond_the_floating_point_range_are_not_asked():
    split = ClassSplit([[1e308], [-1e308], [0.0]] * 10, [0, 0, 1] * 10, folds=2, held_out=[1])
    assert far_of(lambda X: np.abs(X[:, 0]) if np.isfinite(X).all() else 1 / 0, split) is None


def test_a_score_from_a_classifier_of_relus_does_not_look_reversed():
    X, y = load_digits(return_X_y=True)
    X = X / 16

    def energy(pool, rows):
        """Minus the largest logit, which falls without bound far out."""
        kinds = KMeans(9, n_init=1, random_state=0).fit_predict(pool)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            network = MLPClassifier((64,), max_iter=40, random_state=0).fit(pool, kinds)
        (first, last), (bias, last_bias) = network.coefs_, network.intercepts_
        return -(np.maximum(rows @ first + bias, 0) @ last + last_bias).max(axis=1)

    split = ClassSplit(X[900:], y[900:], train=(X[:900], y[:900]), held_out=[0])
    found = result(energy, split)
    assert found.auroc[0] > 0.6
    assert 0.3 < found.far_auroc < 0.7
    rows = np.r_[split.X, 10 * sentinels_of(split)]
    scores = energy(split.train.X[split.train.codes != 0], rows)
    assert np.median(scores[len(split.X) :]) < scores[: len(split.X)].min()


def test_built_in_detectors_are_not_asked():
    found = evaluate(two_blobs(), k=5, seeds=(0,)).detectors
    assert {result.far_auroc for result in found.values()} == {None}


def test_scores_that_depend_on_the_batch_are_those_of_the_evaluation_rows():
    def ranks(pool, rows):
        return distance(pool, rows).argsort().argsort()

    assert result(ranks).auroc[1] == 1.0


def test_a_buffer_that_is_used_again_keeps_the_scores():
    class Buffered:
        def fit(self, X):
            self.buffer = np.zeros(1000)

        def score(self, X):
            self.buffer[: len(X)] = X[:, 0]
            return self.buffer[: len(X)]

    assert result(Buffered()).auroc[1] == 1.0


def test_far_rows_are_asked_once_and_scored_apart():
    sizes = []

    def counted(pool, rows):
        sizes.append(len(rows))
        return rows[:, 0]

    X, y = clusters([[0, 0], [1, 1], [2, 0]], 30)
    result(counted, ClassSplit(X, y, folds=3))
    assert sorted(sizes) == [16] + [30] * 9
