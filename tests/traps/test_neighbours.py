"""Which rows are neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, InputError, Thresholds, evaluate, judge
from pytest_splitcheck.measure import approximate, descent
from tests.builders import labels, plain
from tests.traps.rows import neighbours


def test_11_duplicates_are_neighbours_and_the_row_itself_is_not():
    assert neighbours([[0, 1], [0, 1], [-1, 2], [5, 7], [-3, 2], [9, 9]], k=2)[1] == {0, 2}


@pytest.mark.parametrize("y", [[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 1, 0], [1, 0, 0, 1, 0, 1]])
def test_12_equal_rows_share_their_slots_whatever_their_order(y):
    split = ClassSplit(np.zeros((6, 2)), y, folds=2)
    found = evaluate(split, k=2, detectors=()).leakage
    np.testing.assert_allclose(found.pointwise, 0.6, rtol=0, atol=1e-15)
    assert found.value == pytest.approx(0.6, abs=1e-15)


def test_13_no_row_is_scored_by_a_detector_that_saw_it():
    split = ClassSplit(plain(200), labels(200, 2))
    found = evaluate(split, k=1, detectors=("knn",)).detectors["knn"]
    assert all(abs(value - 0.5) < 0.12 for value in found.auroc.values())


def test_13_rows_of_the_pool_among_those_scored_are_told():
    X, y = plain(200), labels(200, 2)
    normal = np.flatnonzero(y == 0)
    split = ClassSplit(X, y, train=(X[normal], y[normal]), held_out=[1])
    found = evaluate(split, k=1, detectors=("knn",))
    assert found.detectors["knn"].auroc == {1: 1.0}
    assert found.integrity.shared.rows.tolist() == normal.tolist()
    verdict = judge(found, Thresholds(max_leakage=None))
    assert verdict.status == "ill posed"
    assert [one.kind for one in verdict.findings] == ["shared rows"]


def test_14_a_row_beside_a_pile_of_duplicates_is_told():
    pile, beside = np.full(25, 0.1), np.linspace(0.1, 0.2, 30)
    pool = np.r_[pile, beside, 26.9, 81.3, 63.7][:, None]
    X = np.r_[0.1001, np.linspace(0.15, 0.198, 19), 50.0][:, None]
    y = ["normal"] * 20 + ["odd"]
    split = ClassSplit(X, y, train=(pool, ["normal"] * 58), held_out=["odd"])
    found = evaluate(split, k=1, detectors=("lof",))
    assert found.detectors["lof"].auroc == {"odd": 19 / 20}  # .1001 scores worse than 50
    assert found.integrity.piles.beside.tolist() == [0]
    limits = {"min_positives": None, "max_leakage": None, "max_rho_inv": 0.5}
    verdict = judge(found, Thresholds(**limits, max_duplicates=0.01))
    assert verdict.status == "undecided"
    assert "duplicates under LOF" in [one.kind for one in verdict.findings]


FAULTS = {
    "none found": lambda index: index[::3, -2:].fill(-1),
    "nothing found": lambda index: index[::3].fill(-1),
    "a repeat": lambda index: np.copyto(index[::3, 2], index[::3, 1]),
    "itself again": lambda index: np.copyto(index[::3, 3], index[::3, 0]),
    "out of range": lambda index: index[::3, 1].fill(10**6),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_15_an_index_is_not_believed(monkeypatch, fault):
    class Faulty:
        """What pynndescent's index looks like from outside."""

        def __init__(self, data, n_neighbors, random_state, n_jobs):
            distance = np.linalg.norm(data[:, None] - data, axis=2)
            index = np.argsort(distance, axis=1)[:, :n_neighbors].astype(np.int32)
            lengths = np.take_along_axis(distance, index, axis=1)
            fault(index)
            self.neighbor_graph = index, lengths

    monkeypatch.setattr(approximate, "_LEAST_ROWS", 8)
    monkeypatch.setattr(approximate, "_ROWS_PER_NEIGHBOUR", 1)
    monkeypatch.setattr(descent, "nn_descent", lambda: Faulty)
    split = ClassSplit(plain(60), labels(60, 2))
    found = evaluate(split, k=5, detectors=(), neighbors="approximate").leakage
    exact = evaluate(split, k=5, detectors=()).leakage
    assert found.approximation.repaired == 20
    np.testing.assert_allclose(found.pointwise, exact.pointwise, rtol=0, atol=1e-12)


@pytest.mark.parametrize("neighbors", ["exact", "approximate"])
@pytest.mark.parametrize(("m", "k"), [(3, 10), (3, 3), (36, 36)])
def test_16_k_of_m_rows_or_more_is_an_error(m, k, neighbors):
    split = ClassSplit(plain(m), [0] + [1] * (m - 1), folds=2)
    with pytest.raises(
        InputError, match=rf"k = {k} neighbours need {k + 1} rows .* m = {m}\. Set k"
    ):
        evaluate(split, k=k, detectors=(), neighbors=neighbors)
    assert evaluate(split, k=m - 1, detectors=(), neighbors=neighbors).leakage.k == m - 1
