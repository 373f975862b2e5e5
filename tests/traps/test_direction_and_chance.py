"""Which way scores point, and what is chance."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import IsolationForest

from pytest_splitcheck import ClassSplit, HighIsNormal, RecordedScores, Thresholds, evaluate, judge
from tests.builders import FirstColumn, clusters
from tests.traps.scored import report_of


def test_01_a_useless_detector_is_never_well_posed():
    y = ["normal"] * 998 + ["odd"] * 2
    lenient = Thresholds(min_auroc=0.5, max_rho_dir=None, min_positives=None)
    constant = judge(report_of(np.full(1000, 0.5), y, "odd"), lenient)
    assert constant.status != "well posed"
    assert "no ranking" in {finding.kind for finding in constant.findings}
    passed, unresolved = 0, 0
    for seed in range(20):
        noise = report_of(np.random.default_rng(seed).normal(size=1000), y, "odd")
        passed += noise.instability.mean >= 0.5
        verdict = judge(noise, Thresholds(min_auroc=0.5, max_leakage=None, max_rho_dir=None))
        assert verdict.status == "undecided"
        unresolved += noise.detectors["it"].resolved["odd"] is None
    assert 4 < passed < 16
    assert unresolved >= 17


def test_02_a_score_that_is_constant_up_to_rounding_is_no_ranking():
    scores = 0.5 + 1e-17 * np.random.default_rng(0).normal(size=1000)
    assert len(np.unique(scores)) > 1
    found = report_of(scores, ["normal"] * 500 + ["odd"] * 500, "odd")
    assert found.detectors["it"].no_ranking == ("odd",)
    assert found.detectors["it"].auroc == {"odd": 0.5}
    limits = Thresholds(max_leakage=None, max_rho_dir=None)
    assert judge(found, limits).status == "undecided"


def test_03_an_inverted_score_stays_inverted():
    found = report_of([4, 3, 2, 1], [0, 0, 1, 1], 1)
    result = found.detectors["it"]
    assert (result.auroc, result.direction, result.rho_inv) == ({1: 0.0}, {1: -1}, 1.0)
    limits = Thresholds(max_rho_inv=0.2, min_positives=None)
    assert "max_rho_inv" in {finding.limit for finding in judge(found, limits).findings}


class Forest(BaseEstimator):
    """scikit-learn's isolation forest, scored by one of its methods, turned or not."""

    def __init__(self, method="score_samples", sign=-1, contamination="auto"):
        self.method = method
        self.sign = sign
        self.contamination = contamination

    def fit(self, X):
        forest = IsolationForest(contamination=self.contamination, random_state=0)
        self.forest = forest.fit(X)

    def score(self, X):
        return self.sign * getattr(self.forest, self.method)(X)


@pytest.fixture(scope="module")
def blobs():
    X, y = clusters([[0, 0], [20, 20]], 10)
    pool, _ = clusters([[0, 0]], 80, seed=1)
    return ClassSplit(X, y, train=(pool, [0] * 80), held_out=[1])


@pytest.mark.parametrize("method", ["score_samples", "decision_function"])
def test_04_the_direction_of_a_score_is_known_or_declared(blobs, method):
    detectors = {
        "as it is": Forest(method, 1),
        "turned": Forest(method, -1),
        "declared": HighIsNormal(Forest(method, 1)),
        "scikit-learn": IsolationForest(random_state=0),
        "iforest": "iforest",
    }
    found = evaluate(blobs, detectors=detectors, seeds=(0,))
    aurocs = {name: result.auroc[1] for name, result in found.detectors.items()}
    assert aurocs == {**dict.fromkeys(detectors, 1.0), "as it is": 0.0}
    verdict = judge(found, Thresholds(min_positives=None))
    reversed_ = [one for one in verdict.findings if one.kind == "looks reversed"]
    assert [finding.message.split()[1:3] for finding in reversed_] == [["as", "it"]]
    assert verdict.status == "undecided"


def test_04_detectors_of_pyod_are_high_for_anomalies(blobs):
    iforest = pytest.importorskip("pyod.models.iforest")
    knn = pytest.importorskip("pyod.models.knn")
    found = evaluate(blobs, detectors=[iforest.IForest(random_state=0), knn.KNN()])
    assert {result.auroc[1] for result in found.detectors.values()} == {1.0}
    verdict = judge(found, Thresholds(min_positives=None))
    assert "looks reversed" not in {finding.kind for finding in verdict.findings}


@pytest.mark.parametrize("declared", [False, True], ids=["as they are", "declared"])
@pytest.mark.parametrize("beside", [(), ("knn",)], ids=["alone", "beside knn"])
def test_04_recorded_scores_with_the_wrong_sign_are_told(beside, declared):
    X, y = clusters([[0, 0], [8, 0], [0, 8], [8, 8]], 30)
    pool, labels = clusters([[0, 0], [8, 0], [0, 8], [8, 8]], 30, seed=1)
    split = ClassSplit(X, y, train=(pool, labels))
    likelihood = {
        c: -np.linalg.norm(X[:, None] - pool[labels != c], axis=2).min(axis=1) for c in range(4)
    }
    record = RecordedScores(
        np.repeat(range(4), len(X)),
        np.tile(np.arange(len(X)), 4),
        np.concatenate([*likelihood.values()]),
    )
    mine = HighIsNormal(record) if declared else record
    found = evaluate(split, detectors={"mine": mine} | {one: one for one in beside})
    assert (found.detectors["mine"].mean > 0.99) == declared
    assert found.instability.rho_dir == 0.0  # which the sign does not change
    verdict = judge(found)
    assert verdict.status == ("well posed" if declared else "undecided")
    assert [one.kind for one in verdict.findings] == ["looks reversed"] * (not declared)


def test_05_hard_labels_are_no_scores():
    y = [0, 0, 0, 1, 1]
    limits = Thresholds(min_positives=None, max_leakage=None, max_rho_dir=None)
    hard, graded = report_of([0, 0, 1, 1, 1], y, 1), report_of([0.1, 0.2, 0.6, 0.7, 0.9], y, 1)
    assert hard.detectors["it"].auroc[1] == pytest.approx(0.8333, abs=5e-5)
    assert hard.detectors["it"].hard_labels == (1,)
    assert "hard labels" in {finding.kind for finding in judge(hard, limits).findings}
    assert judge(hard, limits).status == "undecided"
    assert graded.detectors["it"].auroc[1] == 1.0
    assert graded.detectors["it"].hard_labels == ()


def test_06_contamination_moves_no_auroc():
    X, y = clusters([[0, 0, 0], [2, 0, 1]], 40)
    pool, labels = clusters([[0, 0, 0], [2, 0, 1]], 40, seed=1)
    split = ClassSplit(X, y, train=(pool, labels), held_out=[1])
    detectors = {
        str(share): Forest("decision_function", contamination=share)
        for share in ("auto", 0.01, 0.2, 0.5)
    }
    detectors |= {
        f"scikit-learn {share}": IsolationForest(contamination=share, random_state=0)
        for share in (0.01, 0.5)
    }
    found = evaluate(split, detectors=detectors).detectors
    assert 0.5 < found["auto"].auroc[1] < 1.0
    assert {result.auroc[1] for result in found.values()} == {found["auto"].auroc[1]}


def test_07_a_class_inside_a_wide_normal_cloud_is_inverted():
    rng = np.random.default_rng(1)
    normal, held_out = rng.normal(0, 3, size=(400, 2)), rng.normal(0, 0.5, size=(400, 2))
    pool = rng.normal(0, 3, size=(2000, 2))
    split = ClassSplit(
        np.r_[normal, held_out],
        ["wide"] * 400 + ["inside"] * 400,
        train=(pool, ["wide"] * 2000),
        held_out=["inside"],
    )
    found = evaluate(split, seeds=(0,))
    aurocs = {name: result.auroc["inside"] for name, result in found.detectors.items()}
    assert aurocs == pytest.approx({"knn": 0.19, "iforest": 0.07, "lof": 0.40}, abs=0.05)
    assert {result.direction["inside"] for result in found.detectors.values()} == {-1}
    assert found.geometry.direction["inside"] == -1
    assert found.attribution == {name: {"inside": "geometry"} for name in found.detectors}
    verdict = judge(found, Thresholds(max_rho_inv=0.5))
    assert verdict.status == "ill posed"
    (finding,) = [one for one in verdict.findings if one.limit == "max_rho_inv"]
    assert finding.classes == ("inside",)


@pytest.mark.parametrize("left", ["equal", "nearly equal"])
def test_08_a_held_out_class_that_is_left_in_the_pool_is_told(left):
    X, y = clusters([[0, 0], [3, 0], [0, 3]], 40)
    pool, labels = clusters([[0, 0], [3, 0], [0, 3]], 40, seed=1)
    odd = X[y == 2] + (1e-9 if left == "nearly equal" else 0)
    clean, spoilt = (
        evaluate(ClassSplit(X, y, train=train, held_out=[2]), k=1, detectors=("knn",))
        for train in (
            (pool, labels),
            (np.r_[pool, odd], np.r_[labels, np.ones(40, dtype=int)]),
        )
    )
    assert spoilt.detectors["knn"].auroc[2] < 0.1 < 0.9 < clean.detectors["knn"].auroc[2]
    assert judge(clean).status == "well posed"
    found = judge(spoilt)
    assert found.status == "ill posed"
    (finding,) = [one for one in found.findings if one.kind == "contaminated pool"]
    assert finding.classes == (2,)
    assert spoilt.integrity.contaminated[2].tolist() == np.flatnonzero(y == 2).tolist()


def test_09_noise_of_few_positives_is_unresolved():
    y, found = [0] * 200 + [1] * 20, []
    for seed in range(100):
        scores = np.random.default_rng(seed).normal(size=220)
        found.append(report_of(scores, y, 1).detectors["it"])
    aurocs = [one.auroc[1] for one in found]
    assert np.std(aurocs) == pytest.approx(0.066, abs=0.01)
    assert np.mean([one.direction[1] != 0 for one in found]) == pytest.approx(0.44, abs=0.12)
    held = [low <= 0.5 <= high for low, high in (one.interval[1] for one in found)]
    assert sum(held) >= 90
    assert [one.resolved[1] is None for one in found] == held
    assert sum(one.rho_inv_resolved for one in found) <= 5


def test_10_the_band_is_closed_on_both_sides():
    # Of 100 pairs, those of "high" have 55 in order, those of "low" 45.
    low, high = np.arange(0.0, 100.0, 10.0), np.r_[np.full(5, 45.0), np.full(5, 55.0)]
    split = ClassSplit(
        np.r_[low, high][:, None],
        ["low"] * 10 + ["high"] * 10,
        train=([[-1000.0], [-2000.0]], ["low", "high"]),
    )
    found = evaluate(split, k=1, detectors={"it": FirstColumn()}, epsilon=0.05).detectors["it"]
    assert found.auroc == {"low": 0.45, "high": 0.55}
    assert found.direction == {"low": 0, "high": 0}
    assert (found.rho_rnd, found.rho_inv) == (1.0, 0.5)
