"""What an author may pass as a detector: estimators of known libraries, functions, and declarations."""

from __future__ import annotations

import functools
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.cluster import KMeans
from sklearn.covariance import EllipticEnvelope
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression, SGDOneClassSVM
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from pytest_splitcheck import ClassSplit, HighIsNormal, InputError, Thresholds, evaluate, judge
from pytest_splitcheck.measure.adapters import named_detectors
from tests.builders import FirstColumn, auroc, clusters

SCIKIT_LEARN = {
    "IsolationForest": IsolationForest(random_state=0),
    "OneClassSVM": OneClassSVM(),
    "EllipticEnvelope": EllipticEnvelope(random_state=0),
    "LocalOutlierFactor": LocalOutlierFactor(novelty=True),
    "KernelDensity": KernelDensity(),
    "GaussianMixture": GaussianMixture(random_state=0),
    "BayesianGaussianMixture": BayesianGaussianMixture(random_state=0),
    "PCA": PCA(n_components=1),
    "Pipeline": make_pipeline(StandardScaler(), OneClassSVM()),
    "Pipeline of a density": make_pipeline(StandardScaler(), KernelDensity()),
    "search": GridSearchCV(KernelDensity(), {"bandwidth": [0.5, 1.0]}, cv=2),
    "search in a pipeline": make_pipeline(
        StandardScaler(), GridSearchCV(KernelDensity(), {"bandwidth": [0.5, 1.0]}, cv=2)
    ),
}


def pyod(name, **options):
    module = {"KNN": "knn", "IForest": "iforest", "ECOD": "ecod", "HBOS": "hbos"}[name]
    imported = __import__(f"pyod.models.{module}", fromlist=[name])
    return getattr(imported, name)(**options)


PYOD = {
    "KNN": functools.partial(pyod, "KNN"),
    "IForest": functools.partial(pyod, "IForest", random_state=0),
    "ECOD": functools.partial(pyod, "ECOD"),
    "HBOS": functools.partial(pyod, "HBOS"),
    "Pipeline": lambda: make_pipeline(StandardScaler(), pyod("KNN")),
}


def two_blobs(**options):
    """Return one normal and one held-out cluster far apart, with a pool of the normal one."""
    T, t = clusters([[0, 0], [20, 20]], 60)
    pool, y = clusters([[0, 0]], 200, seed=1)
    return ClassSplit(T[:80], t[:80], train=(pool, y), held_out=[1], **options)


def result(detector, split=None, **options):
    split = split or two_blobs()
    found = evaluate(split, k=5, detectors={"it": detector}, **{"seeds": (0,), **options})
    return found.detectors["it"]


def kinds(detector):
    """Return the kinds of the findings on two clean blobs."""
    report = evaluate(two_blobs(), k=5, detectors={"it": detector}, seeds=(0,))
    return [finding.kind for finding in judge(report, Thresholds(max_rho_dir=None)).findings]


class Wrong:
    """A detector that hands on scores of a library which are high for normal rows."""

    def __init__(self, detector, method, sign):
        self.detector, self.method, self.sign = detector, method, sign

    def fit(self, X):
        self.detector.fit(X)

    def score(self, X):
        return self.sign * getattr(self.detector, self.method)(X)


# --- scikit-learn ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCIKIT_LEARN)
def test_detectors_of_scikit_learn_find_the_far_blob(name):
    found = result(SCIKIT_LEARN[name])
    assert found.auroc[1] > 0.99
    assert kinds(SCIKIT_LEARN[name]) == []


@pytest.mark.parametrize("name", SCIKIT_LEARN)
def test_their_score_samples_as_it_is_looks_reversed(name):
    wrong = Wrong(SCIKIT_LEARN[name], "score_samples", 1)
    assert result(wrong).auroc[1] < 0.01
    assert kinds(wrong) == ["looks reversed"]
    assert kinds(HighIsNormal(wrong)) == []


@pytest.mark.parametrize("name", ["IsolationForest", "GaussianMixture", "Pipeline"])
def test_their_scores_are_their_score_samples_with_the_sign_turned(name):
    T, t = clusters([[0, 0, 0], [2, 0, 1]], 40, seed=2)
    pool, y = clusters([[0, 0, 0], [2, 0, 1]], 80, seed=1)
    found = result(SCIKIT_LEARN[name], ClassSplit(T, t, train=(pool, y)))
    for label in (0, 1):
        fitted = SCIKIT_LEARN[name].fit(pool[y != label])
        assert found.auroc[label] == auroc(-fitted.score_samples(T), t == label)


def test_a_linear_one_class_svm_is_read_the_same_way():
    T, t = clusters([[5, 5], [-5, -5]], 30)
    pool, y = clusters([[5, 5]], 100, seed=1)
    split = ClassSplit(T, t, train=(pool, y), held_out=[1])
    found = result(SGDOneClassSVM(random_state=0), split)
    assert found.auroc[1] == 1.0


@pytest.mark.parametrize("estimator", [IsolationForest, LocalOutlierFactor])
def test_contamination_moves_no_auroc(estimator):
    T, t = clusters([[0, 0], [1, 1]], 60)
    split = ClassSplit(T, t, folds=2)
    options = {"novelty": True} if estimator is LocalOutlierFactor else {"random_state": 0}
    found = [
        result(estimator(contamination=share, **options), split).auroc
        for share in ("auto", 0.01, 0.2, 0.5)
    ]
    assert found == [found[0]] * 4
    assert found[0][1] not in (0.5, 1.0)


def test_an_estimator_that_leaves_its_random_state_to_chance_gets_the_seeds():
    assert result(IsolationForest(n_estimators=5), seeds=(3, 4)).seeds == (3, 4)
    assert result(IsolationForest(n_estimators=5, random_state=0), seeds=(3, 4)).seeds == ()
    assert result(make_pipeline(IsolationForest(n_estimators=5)), seeds=(3, 4)).seeds == (3, 4)


@pytest.mark.parametrize("wrap", [lambda one: one, make_pipeline], ids=["alone", "pipeline"])
def test_local_outlier_factor_without_novelty_is_told_how_to_have_it(wrap):
    with pytest.raises(InputError, match=r"'it' .* scores no new rows.*novelty=True\.$"):
        result(wrap(LocalOutlierFactor()))


def test_a_search_that_keeps_no_estimator_is_refused():
    search = GridSearchCV(KernelDensity(), {"bandwidth": [1.0]}, refit=False)
    with pytest.raises(InputError, match=r"'it' .* keeps no estimator.*refit=True\.$"):
        result(search)


class Lower(OutlierMixin, BaseEstimator):
    """An outlier detector by scikit-learn's rules: the lower, the more abnormal."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def score_samples(self, X):
        return -np.linalg.norm(X, axis=1)


class LowerMixedUp(BaseEstimator, OutlierMixin):
    """The same with its bases in the order that hides its tags."""

    fit, score_samples = Lower.fit, Lower.score_samples

    def score(self, X, y=None):  # the mean, as that of a density
        return float(self.score_samples(X).mean())


class DecisionAlone(OutlierMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def decision_function(self, X):
        return X[:, 0]


class OwnScore(IsolationForest):
    """A subclass that brings a score of its own, higher = more anomalous."""

    def score(self, X, y=None):
        return X[:, 0]


@pytest.mark.parametrize("estimator", [Lower, LowerMixedUp])
def test_an_outlier_detector_by_its_mixin_follows_scikit_learn(estimator):
    assert result(estimator()).auroc[1] == 1.0


def test_an_outlier_detector_without_score_samples_is_told_what_to_do():
    with pytest.raises(InputError, match=r"'it' .* has no score_samples\(X\), .*function \(pool"):
        result(DecisionAlone())


def test_a_score_of_ones_own_comes_before_what_a_library_brings():
    found = result(OwnScore(random_state=0))
    assert found.far_auroc == 0.5  # linear: the first column
    assert result(HighIsNormal(OwnScore(random_state=0))).auroc[1] == 0.0


@pytest.mark.parametrize("estimator", [KMeans(), LogisticRegression(), make_pipeline(KMeans())])
def test_a_score_of_scikit_learn_is_no_score_of_rows(estimator):
    with pytest.raises(
        InputError, match=r"score\(X\) is scikit-learn's, a single number.*function"
    ):
        result(estimator)


class BlindFarOut(IsolationForest):
    """Beyond the range of its pool it says "normal", as some detectors of libraries do."""

    def score_samples(self, X):
        inside = super().score_samples(X)
        return np.where(np.abs(X - 10).max(axis=1) > 20, inside.max() + 1, inside)


def test_far_rows_say_nothing_of_the_sign_of_a_library(monkeypatch):
    # QMCD and LODA of PyOD rank rows far outside as normal, and others rightly.
    report = evaluate(two_blobs(), k=5, detectors={"it": BlindFarOut(random_state=0)})
    assert report.detectors["it"].far_auroc < 0.1  # the class is not scikit-learn's
    monkeypatch.setattr(BlindFarOut, "__module__", "sklearn.ensemble.blind")
    report = evaluate(two_blobs(), k=5, detectors={"it": BlindFarOut(random_state=0)})
    assert report.detectors["it"].auroc[1] > 0.99
    assert report.detectors["it"].far_auroc is None
    assert judge(report, Thresholds(max_rho_dir=None)).findings == ()


def test_scores_of_a_derived_class_can_look_reversed():
    class Turned(IsolationForest):
        def score_samples(self, X):
            return -super().score_samples(X)

    class AsItIs(IsolationForest):
        pass

    assert kinds(Turned(random_state=0)) == ["looks reversed"]
    assert result(AsItIs(random_state=0)).far_auroc is None


# --- PyOD -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PYOD)
def test_detectors_of_pyod_find_the_far_blob(name):
    found = result(PYOD[name]())
    assert found.auroc[1] > 0.99
    assert kinds(PYOD[name]()) == []


@pytest.mark.parametrize("name", PYOD)
def test_their_scores_with_the_sign_turned_look_reversed(name):
    assert kinds(Wrong(PYOD[name](), "decision_function", -1)) == ["looks reversed"]


@pytest.mark.parametrize("name", ["KNN", "ECOD"])
def test_their_scores_are_their_decision_function(name):
    T, t = clusters([[0, 0, 0], [2, 0, 1]], 40, seed=2)
    pool, y = clusters([[0, 0, 0], [2, 0, 1]], 80, seed=1)
    found = result(PYOD[name](), ClassSplit(T, t, train=(pool, y)))
    for label in (0, 1):
        detector = PYOD[name]()
        detector.fit(pool[y != label])
        assert found.auroc[label] == auroc(detector.decision_function(T), t == label)


def test_contamination_of_pyod_moves_no_auroc():
    T, t = clusters([[0, 0], [1, 1]], 60)
    split = ClassSplit(T, t, folds=2)
    low, high = (result(pyod("KNN", contamination=share), split).auroc for share in (0.01, 0.5))
    assert low == high


def test_pyod_leaves_its_random_state_to_the_seeds():
    assert result(pyod("IForest", n_estimators=5), seeds=(3, 4)).seeds == (3, 4)


# --- functions ------------------------------------------------------------------------------


def distance(pool, rows):
    return np.linalg.norm(rows - pool.mean(axis=0), axis=1)


def likelihood(pool, rows, power=1):
    return -(distance(pool, rows) ** power)


class Callable:
    def __init__(self, sign):
        self.sign = sign

    def __call__(self, pool, rows):
        return self.sign * distance(pool, rows)


@pytest.mark.parametrize(
    "function",
    [
        distance,
        lambda pool, rows: distance(pool, rows),
        Callable(1),
        HighIsNormal(likelihood),
        HighIsNormal(functools.partial(likelihood, power=2)),
        HighIsNormal(Callable(-1)),
        functools.partial(distance),
    ],
    ids=["function", "lambda", "object", "likelihood", "partial", "object turned", "plain partial"],
)
def test_functions_of_pool_and_rows(function):
    found = result(function)
    assert (found.auroc[1], found.far_auroc) == (1.0, 1.0)


def test_a_function_is_shown_the_normal_pool_and_the_rows_and_then_far_rows():
    seen = []

    def function(pool, rows):
        seen.append((pool.copy(), rows.copy()))
        pool[:] = rows[:] = 0
        return np.arange(len(rows))

    X, y = clusters([[0, 0], [3, 3], [9, 9]], 10)
    split = ClassSplit(X, y, folds=2)
    result(function, split)
    assert len(seen) == 2 * 3 + 1
    for pool, _ in seen:
        assert pool.shape == (10, 2)
        assert set(map(tuple, pool)) <= set(map(tuple, X))
    assert [len(rows) for _, rows in seen] == [15, 16, 15, 15, 15, 15, 15]
    np.testing.assert_array_equal(seen[0][0], seen[1][0])


@pytest.mark.parametrize(
    "function",
    [lambda rows: rows, lambda: 0, lambda pool, rows, seed: rows],
    ids=["one", "none", "three"],
)
def test_a_function_of_other_arguments_is_refused_before_it_is_called(function):
    with pytest.raises(InputError, match=r"'it' .* must take two arguments, \(pool, rows\)"):
        result(function)


def test_a_function_whose_arguments_are_not_known_is_called():
    class Hidden(Callable):
        __signature__ = "none"

    assert result(Hidden(1)).auroc[1] == 1.0


def test_an_error_within_a_function_is_told_as_its_own():
    def broken(pool, rows):
        return distance(pool)

    with pytest.raises(TypeError, match="rows") as raised:
        result(broken)
    assert raised.value.__notes__ == [
        "Raised by detector 'it', held-out class 1, while it was fitted or while it scored"
    ]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda rows: rows, r"the function must return one score per row.*shape \(80, 2\)"),
        (lambda rows: rows[:, 0] * np.nan, "'it', held-out class 1: 80 of 80 scores are NaN"),
        (lambda rows: None, "'it', held-out class 1: "),
    ],
    ids=["matrix", "nan", "none"],
)
def test_what_a_function_must_return(returned, message):
    with pytest.raises(InputError, match=message):
        result(lambda pool, rows: returned(rows))


def test_functions_in_a_list_go_by_their_name():
    listed = [distance, HighIsNormal(functools.partial(likelihood, power=2)), Callable(1), "knn"]
    assert list(named_detectors(listed)) == ["distance", "likelihood", "Callable", "knn"]


# --- directions -----------------------------------------------------------------------------


class Unknown:
    """A detector of a library that nobody knows."""

    def fit(self, X):
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return X[:, 0] > 0


class UnknownDensity(BaseEstimator):
    def fit(self, X):
        return self

    def score_samples(self, X):
        return X[:, 0]


@pytest.mark.parametrize("wrap", [lambda one: one, HighIsNormal], ids=["as it is", "declared"])
@pytest.mark.parametrize("detector", [Unknown(), UnknownDensity()])
def test_a_direction_that_is_not_known_is_never_guessed(detector, wrap):
    with pytest.raises(InputError, match="it is not known whether it is high") as raised:
        result(wrap(detector))
    assert "function (pool, rows)" in str(raised.value)
    assert "HighIsNormal(function)" in str(raised.value)


@pytest.mark.parametrize(
    "detector",
    [
        "knn",
        IsolationForest(),
        make_pipeline(StandardScaler(), KernelDensity()),
        HighIsNormal(FirstColumn()),
    ],
    ids=["built-in", "scikit-learn", "pipeline", "twice"],
)
def test_a_direction_that_is_known_is_not_declared(detector):
    with pytest.raises(InputError, match=r"the direction of .* is known; pass it without"):
        HighIsNormal(detector)


def test_the_direction_of_pyod_is_not_declared():
    with pytest.raises(InputError, match="the direction of KNN, a detector of PyOD, is known"):
        HighIsNormal(pyod("KNN"))


def test_a_class_is_refused_in_a_declaration_too():
    with pytest.raises(InputError, match="'it' is a class; pass an instance"):
        result(HighIsNormal(FirstColumn))


def test_turning_the_sign_turns_the_auroc():
    X, y = clusters([[0, 0], [1, 1], [2, 0]], 30)
    split = ClassSplit(X, y)
    up, down = result(FirstColumn(), split), result(HighIsNormal(FirstColumn()), split)
    assert [up.auroc[c] + down.auroc[c] for c in range(3)] == pytest.approx([1.0] * 3)
    assert up.direction == {c: -d for c, d in down.direction.items()}


def test_a_declaration_survives_a_pickle():
    again = pickle.loads(pickle.dumps(HighIsNormal(FirstColumn())))
    assert isinstance(again.detector, FirstColumn)


def test_labels_of_any_kind_play_the_anomaly_by_being_held_out():
    X, y = clusters([[0, 0], [20, 20]], 30)
    pool = clusters([[0, 0]], 100, seed=1)[0]
    for normal, anomaly in [
        ("inlier", "outlier"),
        ("normal", "anomaly"),
        (False, True),
        (True, False),
        (1, -1),
        (0, 1),
    ]:
        labels = [anomaly if one else normal for one in y]
        split = ClassSplit(X, labels, train=(pool, [normal] * 100), held_out=[anomaly])
        assert result(distance, split).auroc == {anomaly: 1.0}


# --- without the libraries ------------------------------------------------------------------


def test_the_public_names_cost_no_library():
    code = (
        "import sys; from pytest_splitcheck import HighIsNormal, RecordedScores; "
        "print({'sklearn', 'pyod', 'pandas', 'pyarrow', 'torch'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
