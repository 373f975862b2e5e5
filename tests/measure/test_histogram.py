from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck import ClassSplit, RecordedScores, evaluate
from pytest_splitcheck.measure.histogram import histogram
from tests.builders import FirstColumn, auroc, clusters, plain


def of(normal, anomalous):
    return histogram(np.sort(np.array(normal, float)), np.sort(np.array(anomalous, float)))


def middles(found):
    edges = np.array(found.edges)
    return (edges[1:] + edges[:-1]) / 2


def test_every_row_is_counted_once():
    rng = np.random.default_rng(0)
    normal, anomalous = rng.normal(size=1000), rng.normal(1, size=300)
    found = of(normal, anomalous)
    assert (sum(found.normal), sum(found.anomalous)) == (1000, 300)
    inside = (normal >= found.edges[1]) & (normal < found.edges[-2])
    expected, _ = np.histogram(normal[inside], found.edges)
    assert list(found.normal[1:-1]) == expected[1:-1].tolist()


def test_the_ends_are_closed_and_hold_what_lies_beyond():
    found = of(np.r_[np.arange(101.0), 1e9, np.inf], np.r_[np.arange(101.0), -1e9, -np.inf])
    # Of the 102 finite scores the upper quartile is 75.75, and the range between quartiles 50.5.
    assert found.edges[-1] == 75.75 + 3 * 50.5
    assert found.edges[0] == 24.25 - 3 * 50.5
    assert (found.normal[-1], found.anomalous[0]) == (2, 2)
    assert (sum(found.normal), sum(found.anomalous)) == (103, 103)


def test_scores_may_lie_as_far_apart_as_numbers_can():
    largest = np.finfo(float).max
    found = of([0.0, 1.0], [-largest] * 3 + [largest])
    assert np.all(np.diff(found.edges) > 0)
    assert (found.edges[0], found.edges[-1]) == (-largest, largest)
    assert (found.anomalous[0], found.anomalous[-1], sum(found.normal)) == (3, 1, 2)
    for value in (largest, -largest):
        found = of([value], [value, value])
        assert np.all(np.diff(found.edges) > 0)
        assert (sum(found.normal), sum(found.anomalous)) == (1, 2)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40), st.integers(1, 30))
def test_the_ends_come_from_the_quartiles(scores, others):
    found = of(scores, np.arange(others))
    reaches = []
    for group in (np.array(scores), np.arange(others)):
        quarter, three_quarters = np.quantile(group, [0.25, 0.75])
        reach = 3 * (three_quarters - quarter)
        reaches.append(
            (max(group.min(), quarter - reach), min(group.max(), three_quarters + reach))
        )
    low, high = min(low for low, _ in reaches), max(high for _, high in reaches)
    if low < high:
        assert (found.edges[0], found.edges[-1]) == pytest.approx((low, high))


def test_a_few_exploded_scores_flatten_nothing():
    rng = np.random.default_rng(0)
    normal = rng.normal(size=2000)
    normal[:20] *= 1e12
    found = of(normal, rng.normal(2, size=500))
    assert found.edges[-1] - found.edges[0] < 20
    assert max(found.normal) < 0.5 * sum(found.normal)


def test_a_class_far_off_is_in_sight():
    found = of(np.arange(100.0), 1e4 + np.arange(100.0))
    assert found.edges[0] <= 0
    assert found.edges[-1] >= 10099
    assert max(found.anomalous) == found.anomalous[-1] == 100


@pytest.mark.parametrize(("least", "bins"), [(5, 10), (100, 10), (1000, 20), (50_000, 30)])
def test_few_rows_have_few_bins(least, bins):
    assert len(of(np.arange(50_000.0), np.arange(float(least))).normal) == bins


@pytest.mark.parametrize(
    "scores",
    [[0.5], [0.0], [np.inf], [-np.inf], [1e308, -1e308, 0], [5e-324, 0], [1.0, np.nextafter(1, 2)]],
    ids=str,
)
def test_scores_without_a_spread_or_beyond_all_bounds_are_counted(scores):
    found = of(scores, scores)
    assert found.normal == found.anomalous
    assert sum(found.normal) == len(scores)
    assert np.isfinite(found.edges).all()
    assert (np.diff(found.edges) > 0).all()


# --- which scores they are ------------------------------------------------------------------


def test_with_a_pool_they_are_those_of_all_rows():
    X, y = clusters([[0.0], [10.0]], 30)
    split = ClassSplit(X, y, train=(X[:40] + 0.01, y[:40]))
    found = evaluate(split, k=1, detectors=[FirstColumn()]).detectors["FirstColumn"].histogram
    assert list(found) == [0, 1]
    assert (sum(found[0].normal), sum(found[0].anomalous)) == (30, 30)
    assert (middles(found[1])[:15] @ found[1].normal[:15]) / 30 == pytest.approx(0, abs=1)
    assert found[1].edges[-1] == pytest.approx(X.max())


def test_of_a_cross_fit_they_are_those_of_one_fold():
    class FoldBlind(FirstColumn):
        def fit(self, X):
            self.offset = 1e6 * X[:, 1].sum()

        def score(self, X):
            return self.offset + X[:, 0]

    X, y = clusters([[0.0], [10.0]], 50)
    split = ClassSplit(np.c_[X, plain(100, 1)], y, folds=5)
    found = evaluate(split, k=1, detectors={"it": FoldBlind()}).detectors["it"].histogram[1]
    assert (sum(found.normal), sum(found.anomalous)) == (10, 10)
    assert found.edges[-1] - found.edges[0] < 20


def test_of_several_seeds_they_are_those_of_the_first():
    X, y = clusters([[0.0], [10.0]], 50)
    ones, others = (
        evaluate(ClassSplit(X, y), detectors=("iforest",), seeds=seeds) for seeds in ((3,), (3, 4))
    )
    assert ones.detectors["iforest"].histogram == others.detectors["iforest"].histogram


def test_recorded_scores_have_them():
    X, y = clusters([[0.0], [10.0]], 20)
    rows = np.arange(40)
    scores = RecordedScores([0] * 40 + [1] * 40, [*rows, *rows], [*rows, *rows])
    found = evaluate(ClassSplit(X, y), k=1, detectors={"mine": scores}).detectors["mine"]
    assert list(found.histogram[1].edges) == np.linspace(0, 39, 11).tolist()
    assert sum(found.histogram[1].anomalous[5:]) == 20


def test_geometry_has_them_too():
    X, y = clusters([[0.0], [10.0]], 30)
    found = evaluate(ClassSplit(X, y), detectors=()).geometry
    assert (sum(found.histogram[0].normal), sum(found.histogram[0].anomalous)) == (30, 30)


def test_counts_agree_with_the_auroc():
    """As near as bins allow: the pairs in one bin count as ties."""
    X, y = clusters([[0.0, 0.0], [2.0, 0.0]], 400)
    split = ClassSplit(X, y, train=clusters([[0.0, 0.0], [2.0, 0.0]], 400, seed=1))
    result = evaluate(split, detectors=("knn",)).detectors["knn"]
    for label, found in result.histogram.items():
        values = np.r_[
            np.repeat(middles(found), found.normal), np.repeat(middles(found), found.anomalous)
        ]
        positive = np.arange(len(values)) >= sum(found.normal)
        assert auroc(values, positive) == pytest.approx(result.auroc[label], abs=0.05)


def test_they_are_no_part_of_plain_data_or_comparisons():
    X, y = clusters([[0.0], [10.0]], 30)
    found = evaluate(ClassSplit(X, y), detectors=("knn",)).detectors["knn"]
    assert "histogram" not in found.to_dict()
    assert "histogram" not in repr(found)
