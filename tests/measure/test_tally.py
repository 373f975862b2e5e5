from __future__ import annotations

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, Thresholds, evaluate, judge
from tests.builders import FirstColumn, auroc, clusters, plain


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


# --- labels in the place of scores ----------------------------------------------------------


class Predicts(FirstColumn):
    def fit(self, X):
        self.limit = float(np.median(X[:, 0]))

    def score(self, X):
        return np.where(X[:, 0] > self.limit, 1, -1)


def test_hard_labels_lose_what_scores_tell():
    y = np.array([0, 0, 0, 1, 1])
    assert auroc(np.array([0, 0, 1, 1, 1.0]), y == 1) == pytest.approx(5 / 6)
    assert auroc(np.array([0.1, 0.2, 0.6, 0.7, 0.9]), y == 1) == 1.0


@pytest.mark.parametrize("folds", [2, 5])
def test_two_distinct_scores_are_labels(folds):
    X, y = clusters([[0, 0], [3, 0], [6, 0]], 30)
    report = evaluate(ClassSplit(X, y, folds=folds), detectors={"it": Predicts()})
    assert report.detectors["it"].hard_labels == (0, 1, 2)
    verdict = judge(report, Thresholds(max_rho_dir=None))
    assert verdict.status == "undecided"
    (finding,) = verdict.findings
    assert (finding.kind, finding.classes) == ("hard labels", (0, 1, 2))
    assert "two distinct scores only, as labels are, in 3 of 3 splits" in finding.message
    assert "not predict" in finding.remedy


def test_labels_take_the_force_from_limits_on_rates():
    X, y = clusters([[0, 0], [3, 0], [6, 0]], 30)
    verdict = judge(evaluate(ClassSplit(X, y), detectors={"it": Predicts()}))
    assert {finding.kind for finding in verdict.findings} == {"limit", "hard labels"}
    assert verdict.status == "undecided"


def test_three_distinct_scores_are_scores():
    class Three(FirstColumn):
        def score(self, X):
            return np.digitize(X[:, 0], [1.5, 4.5])

    X, y = clusters([[0, 0], [3, 0], [6, 0]], 30)
    found = evaluate(ClassSplit(X, y), detectors={"it": Three()})
    assert found.detectors["it"].hard_labels == ()


def test_a_constant_is_no_ranking_and_not_a_label():
    X, y = clusters([[0, 0], [3, 0]], 30)
    report = evaluate(ClassSplit(X, y), detectors={"it": lambda pool, rows: np.zeros(len(rows))})
    found = report.detectors["it"]
    assert (found.no_ranking, found.hard_labels) == ((0, 1), ())
    assert [one.kind for one in judge(report, Thresholds(max_rho_dir=None)).findings] == [
        "no ranking"
    ]


@pytest.mark.parametrize(
    ("elsewhere", "no_ranking", "hard_labels"),
    [(0.0, (1,), (1,)), (np.arange(10), (), ())],
    ids=["constant", "graded"],
)
def test_labels_in_one_fold_of_two(elsewhere, no_ranking, hard_labels):
    rows = np.arange(20.0)[:, None]
    split = ClassSplit(rows, [0, 1] * 10, folds=2, held_out=[1])

    def labels_without_row_0(pool, rows):
        return rows[:, 0] > 9 if 0 in pool else np.zeros(len(rows)) + elsewhere

    found = evaluate(split, k=1, detectors=[labels_without_row_0]).detectors["labels_without_row_0"]
    assert (found.no_ranking, found.hard_labels) == (no_ranking, hard_labels)


def test_folds_of_two_rows_say_nothing_of_labels():
    X = np.r_[np.arange(30.0), np.arange(100.0, 130.0)][:, None]
    split = ClassSplit(X, np.repeat([0, 1], 30), folds=30)
    assert evaluate(split, detectors=("knn",)).detectors["knn"].hard_labels == ()


def test_dates_of_numpy_are_held_out_together():
    days = np.array(["2020", "2021", "2022"], dtype="datetime64[D]")
    X, y = clusters([[0, 0], [1, 0], [4, 4]], 30)
    by_number = evaluate(ClassSplit(X, y, held_out=[(0, 1), 2]), detectors=("knn",)).detectors[
        "knn"
    ]
    held_out = [(days[0], days[1]), days[2]]
    by_day = evaluate(ClassSplit(X, days[y], held_out=held_out), detectors=("knn",)).detectors[
        "knn"
    ]
    assert list(by_day.auroc.values()) == list(by_number.auroc.values())
