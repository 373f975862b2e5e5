"""Which detectors and representations are the same in another run."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

import numpy as np
import pytest
from pyod.models.ecod import ECOD
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from pytest_splitcheck import HighIsNormal, RecordedScores
from pytest_splitcheck.cache.identity import Passing, identify


def scores(pool, rows):
    return rows[:, 0]


class Mine:
    def fit(self, X):
        return self

    def score(self, X):
        return X[:, 0]


class MineFromTheirs(PCA):
    pass


def patched():
    forest = IsolationForest()
    forest.fit = scores
    return forest


LASTING = {
    "None": None,
    "name": "knn",
    "numpy name": np.str_("knn"),
    "estimator": IsolationForest(random_state=np.random.RandomState(3)),
    "fitted": StandardScaler().fit([[0.0], [1.0]]),
    "pipeline": make_pipeline(StandardScaler(), FunctionTransformer(np.log1p), KernelDensity()),
    "PyOD": ECOD(),
    "recorded": RecordedScores(["a", "b"], [0, 0], [1.0, 2.0]),
    "turned": HighIsNormal(RecordedScores(["a", "b"], [0, 0], [1.0, 2.0])),
}

FOREIGN = {
    "function": scores,
    "object": Mine(),
    "subclass": MineFromTheirs(2),
    "in a pipeline": make_pipeline(StandardScaler(), MineFromTheirs(2)),
    "in a function transformer": FunctionTransformer(scores),
    "in a partial": functools.partial(scores, rows=None),
    "turned": HighIsNormal(scores),
    "as an attribute": patched(),
    "vectorised": np.vectorize(scores),
    "class": Mine,
    "method": Mine().score,
}


@pytest.mark.parametrize("name", LASTING)
def test_code_of_the_known_packages_lasts(name):
    found = identify(LASTING[name])
    assert isinstance(found, str)
    assert found == identify(LASTING[name])


@pytest.mark.parametrize("name", FOREIGN)
def test_code_of_the_authors_does_not(name):
    found = identify(FOREIGN[name])
    assert isinstance(found, Passing)
    assert found == identify(FOREIGN[name])
    assert found != identify(Mine()) or name == "object"


def test_what_cannot_be_pickled_is_something_else_each_time():
    thing = lambda pool, rows: rows[:, 0]  # noqa: E731
    assert identify(thing) != identify(thing)


def test_a_parameter_makes_another_identity():
    assert identify(IsolationForest()) != identify(IsolationForest(n_estimators=7))
    assert identify(RecordedScores(["a"], [0], [1.0])) != identify(RecordedScores(["a"], [0], [2]))


def test_it_is_the_same_in_another_process():
    """Whatever the seed of the hashes of strings."""
    program = "; ".join(
        [
            "from tests.cache.test_identity import LASTING, identify",
            "print(*map(identify, LASTING.values()))",
        ]
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert told == {" ".join(map(identify, LASTING.values())) + "\n"}
