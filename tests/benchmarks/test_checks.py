from __future__ import annotations

import numpy as np
import pytest

from benchmarks import checks, data
from benchmarks.peers.self_lists import without_self


def lists(X, k=3):
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    index = np.argsort(squared, axis=1, kind="stable")[:, : k + 1]
    return without_self(np.take_along_axis(squared, index, axis=1), index)


@pytest.mark.parametrize("wrong", [0.5 + 2e-6, np.nan])
def test_an_auroc_that_differs_is_reported_with_its_class(wrong):
    ours = {"auroc_knn": np.array([0.9, 0.5]), "auroc_lof": np.array([0.7, 0.7])}
    peer = {"auroc_knn": np.array([0.9, wrong])}
    (complaint,) = checks.aurocs(ours, peer, "peer")
    assert "auroc_knn differs from peer in 1 of 2 classes; class 1: 0.5" in complaint
    assert checks.aurocs(ours, {"auroc_knn": np.array([0.9, 0.5 + 5e-7])}, "peer") == []


def test_results_without_anything_in_common_are_not_equal():
    assert checks.aurocs({"auroc_knn": np.ones(2)}, {"auroc_lof": np.ones(2)}, "peer")
    assert checks.aurocs({"auroc_knn": np.ones(2)}, {"auroc_knn": np.ones(3)}, "peer")


def test_ties_may_move_the_leakage_and_nothing_else():
    ours, peer = {"leakage": np.array(0.25)}, {"leakage": np.array(0.27)}
    assert checks.leakage(ours, peer, "peer", tied_slots=0, slots=100)
    assert checks.leakage(ours, peer, "peer", tied_slots=2, slots=100) == []


def test_wrong_lists_are_counted():
    X = data.gaussian(50, 4)["X"].astype(float)
    found = lists(X)
    assert checks.exact_lists(X, found, k=3) == []
    assert checks.float32_lists(X, found, found, "peer") == []
    wrong = {"distance": found["distance"] * 1.01}
    assert checks.exact_lists(X, wrong, k=3) == ["20 of 20 lists differ from exact ones."]
    assert "50 of 50 lists differ from peer" in checks.float32_lists(X, found, wrong, "peer")[0]


def test_recall_is_the_share_within_the_last_true_neighbour():
    exact = {"distance": np.array([[1.0, 2.0]])}
    assert checks.recall(exact, {"distance": np.array([[1.0, 3.0]])}) == 0.5


def test_a_row_is_left_out_of_its_list_wherever_it_stands():
    index = np.array([[1, 0, 2], [1, 0, 2], [0, 1, 3]])
    found = without_self(np.array([[0.0, 0.0, 4.0]] * 3), index)
    assert found["index"].tolist() == [[1, 2], [0, 2], [0, 1]]
    assert found["distance"].tolist() == [[0.0, 2.0], [0.0, 2.0], [0.0, 0.0]]
