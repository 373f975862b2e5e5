from __future__ import annotations

import numpy as np

from pytest_splitcheck import ClassSplit, evaluate
from tests.builders import plain


def test_cross_fitted_scores_are_compared_within_folds():
    """Give the folds scores of different sizes: only the order within a fold may count."""

    class FoldBlind:
        def fit(self, X):
            self.offset = 1e6 * X[:, 1].sum()

        def score(self, X):
            return self.offset + X[:, 0]

    rows = np.column_stack([np.r_[np.arange(10), 20 + np.arange(10)], plain(20, 1)[:, 0]])
    split = ClassSplit(rows, [0] * 10 + [1] * 10, held_out=[1], folds=4)
    assert evaluate(split, k=1, detectors=[FoldBlind()]).instability.mean == 1.0


def test_a_fold_without_ranking_makes_the_class_unranked():
    class SometimesConstant:
        def fit(self, X):
            self.constant = 0 in X[:, 1]

        def score(self, X):
            return np.zeros(len(X)) if self.constant else X[:, 0]

    rows = np.column_stack([np.arange(20), np.arange(20)])
    split = ClassSplit(rows, [0, 1] * 10, folds=2, held_out=[1])  # row 0 is in one pool of the two
    found = evaluate(split, k=1, detectors=[SometimesConstant()]).detectors["SometimesConstant"]
    assert found.no_ranking == (1,)


def test_a_fold_of_one_row_says_nothing_about_a_ranking():
    X = np.r_[np.arange(30.0), np.arange(100.0, 130.0)][:, None]
    split = ClassSplit(X, np.repeat([0, 1], 30), folds=40)
    assert evaluate(split, detectors=("knn",)).detectors["knn"].no_ranking == ()
