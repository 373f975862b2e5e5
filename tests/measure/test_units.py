"""Units, a translation, the last digits and the layout of the memory: none of them changes a number."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from pytest_splitcheck import ClassSplit, evaluate
from tests.builders import clusters, grid, labels, plain


def three_blobs():
    """Return continuous rows whose normal pools are hardly larger than LOF's 20 neighbours."""
    rng = np.random.default_rng(9)
    X = np.concatenate([rng.normal(size=(14, 3)) + centre for centre in np.eye(3)])
    return X, np.repeat([0, 1, 2], 14)


def figures(X, y, detectors=("knn", "lof"), **options):
    found = evaluate(ClassSplit(X, y, **options), k=5, detectors=detectors)
    aurocs = {name: one.auroc for name, one in found.detectors.items()}
    return {**aurocs, "geometry": found.geometry.auroc, "leakage": found.leakage.value}


SCALES = [3, 1 / 7, 1e-3, 1e-9, 1e-11, 1e-200, 1e-310, 1e200, 1e307]


@pytest.mark.parametrize("scale", SCALES)
def test_units_break_no_tie_of_lof(scale):
    X, y = three_blobs()
    assert figures(X * scale, y) == figures(X, y)


@pytest.mark.parametrize("scale", SCALES)
def test_units_change_no_figure_of_many_rows(scale):
    X, y = clusters([[0, 0, 0], [1, 0, 1], [0, 1, 1]], 100, seed=3)
    assert figures(X * scale, y) == figures(X, y)


@pytest.mark.parametrize(
    ("metric", "moved"),
    [
        ("euclidean", lambda X: X + 100),
        ("euclidean", lambda X: np.round(X * 10)),
        ("euclidean", lambda X: X / 3),
        ("euclidean", lambda X: X[:, ::-1] - 7),
        ("cosine", lambda X: np.round(X * 10)),
        ("cosine", lambda X: X[:, ::-1] / 3),
    ],
)
def test_ties_on_a_grid_of_tenths_stay_ties(metric, moved):
    X, y = (grid(200, 3, 6, seed=9) + 1) * 0.1, labels(200)
    assert figures(moved(X), y, metric=metric) == figures(X, y, metric=metric)


def test_ties_up_to_rounding_are_those_of_whole_numbers():
    """Distances of whole numbers are equal exactly, or differ by far more than rounding."""
    X, y = grid(60, 2, 4), labels(60)
    train = (grid(90, 2, 4, seed=5), labels(90))
    whole = evaluate(ClassSplit(X, y, train=train), k=3, detectors=["knn"])
    tenths = evaluate(
        ClassSplit(X * 0.1, y, train=(train[0] * 0.1, train[1])), k=3, detectors=["knn"]
    )
    assert tenths.detectors["knn"].auroc == whole.detectors["knn"].auroc


def test_lof_on_rows_without_ties_has_the_aurocs_of_scikit_learn():
    X, y = clusters([[0, 0, 0], [1, 0, 1], [0, 1, 1]], 100, seed=3)
    pool, codes = clusters([[0, 0, 0], [1, 0, 1], [0, 1, 1]], 80, seed=4)
    found = evaluate(ClassSplit(X, y, train=(pool, codes)), detectors=["lof"]).detectors["lof"]
    for label, value in found.auroc.items():
        lof = LocalOutlierFactor(novelty=True).fit(pool[codes != label])
        assert value == pytest.approx(roc_auc_score(y == label, -lof.score_samples(X)), abs=1e-6)


def test_one_row_beyond_all_others_leaves_lof_its_ranking():
    pool = np.r_[plain(60), [[1e308, 0, 0]]]
    X = np.r_[plain(20, seed=1), plain(20, seed=2) + 9, [[-1e308, 0, 0]]]
    split = ClassSplit(X, [0] * 20 + [1] * 21, train=(pool, [0] * 61), held_out=[1])
    found = evaluate(split, k=3, detectors=["knn", "lof"], sampling="never").detectors
    assert (found["knn"].auroc[1], found["lof"].auroc[1]) == (1.0, 1.0)


def test_distances_beyond_the_largest_number_are_as_far_as_that():
    pool, y = np.full((30, 1), -1.7e308), [0] * 30
    X = np.array([[-1.7e308], [-1.7e308], [1.7e308], [1.6e308]])
    split = ClassSplit(X, [0, 0, 1, 1], train=(pool, y), held_out=[1])
    found = evaluate(split, k=1, detectors=["knn", "lof"]).detectors
    assert (found["knn"].auroc[1], found["lof"].auroc[1]) == (1.0, 1.0)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize(
    "laid_out",
    [np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2], lambda X: X[::-1].copy()[::-1]],
    ids=["Fortran", "strided", "backwards"],
)
def test_the_layout_of_the_memory_plays_no_part(laid_out, metric):
    for seed in range(4):
        X, y = plain(300, 13, seed=seed), labels(300)
        X[:, 0] *= 3
        same, other = (
            evaluate(ClassSplit(one, y, metric=metric), seeds=(0,)).to_dict()
            for one in (X, laid_out(X))
        )
        assert other == same
