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


def with_parameter(value):
    return IsolationForest(max_features=value)


WORDS = [f"word {number}" for number in range(9)]

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
    "set": with_parameter(set(WORDS)),
    "set in sets": with_parameter(
        {frozenset(WORDS[:3]), frozenset(WORDS[3:]), ("a", frozenset(WORDS))}
    ),
    "set in a dictionary": with_parameter({"a": [set(WORDS)]}),
    "set of several types": with_parameter({1, 2.5, "a", None, (1, "b"), np.float64(3.0)}),
}

FOREIGN = {
    "object": Mine(),
    "subclass": MineFromTheirs(2),
    "in a pipeline": make_pipeline(StandardScaler(), MineFromTheirs(2)),
    "turned": HighIsNormal(Mine()),
    "class": Mine,
    "in a set": with_parameter({Mine}),
}

BY_NAME_ALONE = {
    "function": scores,
    "in a function transformer": FunctionTransformer(scores),
    "in a partial": functools.partial(scores, rows=None),
    "turned": HighIsNormal(scores),
    "as an attribute": patched(),
    "vectorised": np.vectorize(scores),
    "method": Mine().score,
    "in a set": with_parameter({scores}),
    "in a set in a set": with_parameter({frozenset([scores])}),
}
"""What reads globals that no pickle has."""


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


@pytest.mark.parametrize("name", BY_NAME_ALONE)
def test_a_function_of_the_authors_is_something_else_each_time(name):
    assert identify(BY_NAME_ALONE[name]) != identify(BY_NAME_ALONE[name])


def test_what_cannot_be_pickled_is_something_else_each_time():
    thing = lambda pool, rows: rows[:, 0]  # noqa: E731
    assert identify(thing) != identify(thing)


def test_a_parameter_makes_another_identity():
    assert identify(IsolationForest()) != identify(IsolationForest(n_estimators=7))
    assert identify(RecordedScores(["a"], [0], [1.0])) != identify(RecordedScores(["a"], [0], [2]))


def test_a_set_counts_by_its_members():
    def told(value):
        return identify(with_parameter(value))

    assert told(set(WORDS)) == told({*WORDS[5:], *WORDS[:5]})
    others = [set(WORDS), set(WORDS[1:]), frozenset(WORDS), sorted(WORDS), tuple(WORDS), set(), {1}]
    others += [
        {"1"},
        {frozenset()},
        {frozenset(WORDS)},
        {frozenset(WORDS[:2]), frozenset(WORDS[2:])},
    ]
    assert len({told(one) for one in others}) == len(others)


def test_a_set_that_holds_itself_is_something_else_each_time():
    one = functools.partial(sorted, set())
    one.args[0].add(one)
    assert identify(one) != identify(one)


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
