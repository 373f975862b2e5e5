from __future__ import annotations

import math

import numpy as np
import pytest

from pytest_splitcheck import InputError
from pytest_splitcheck.measure.protocol import Protocol


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be 1 or more; got 0"),
        ({"k": -1}, "k must be 1 or more"),
        ({"k": 2.0}, r"k must be a whole number; got 2\.0"),
        ({"k": True}, "k must be a whole number; got True"),
        ({"k": "3"}, "k must be a whole number; got '3'"),
        ({"k": b"3"}, "k must be a whole number; got b'3'"),
        ({"k": ()}, r"k must be a whole number, or a list of one or more; got \(\)"),
        ({"k": (3, 0)}, "k must be 1 or more; got 0"),
        ({"k": [3, 2.5]}, r"k must be a whole number; got 2\.5"),
        ({"k": (3, "4")}, "k must be a whole number; got '4'"),
        ({"k": (3, 5, 3)}, r"numbers of neighbours k must differ; got \(3, 5, 3\)"),
        ({"k": {3, 5}}, r"k must be a whole number; got \{3, 5\}"),
        ({"n_jobs": 0}, "n_jobs must be 1 or more"),
        ({"alpha": 5e-324}, "alpha must lie in"),
        ({"memory": 0.01}, "memory must be 0.0625 GiB or more"),
        ({"memory": math.inf}, "memory must be 0.0625 GiB or more; got inf"),
        ({"memory": True}, "memory must be a number"),
        ({"epsilon": 0.5}, r"epsilon must lie in \[0, 0.5\); got 0.5"),
        ({"epsilon": -0.1}, "epsilon must lie in"),
        ({"epsilon": float("nan")}, "epsilon must lie in"),
        ({"epsilon": "0.1"}, "epsilon must be a number"),
        ({"alpha": 0}, r"alpha must lie in \(0, 0.5\); got 0\. .* sampling to 'never'"),
        ({"alpha": 0.5}, "alpha must lie in"),
        ({"alpha": float("nan")}, "alpha must lie in"),
        ({"alpha": "0.1"}, "alpha must be a number"),
        (
            {"sampling": "Always"},
            r"sampling must be one of auto, never, always; got 'Always'; did you mean 'always'\?",
        ),
        ({"sampling": True}, "sampling must be one of"),
        ({"sampling": None}, "sampling must be one of"),
        ({"seeds": ()}, "seeds must be a list of one or more"),
        ({"seeds": 0}, "seeds must be a list"),
        ({"seeds": (0, 0)}, "seeds must differ"),
        ({"seeds": (-1,)}, "a seed must be 0 or more"),
        ({"seeds": (0.5,)}, "a seed must be a whole number"),
        ({"detectors": "knn"}, "detectors must be a list"),
        ({"detectors": None}, "detectors must be a list"),
        ({"detectors": ["kNN"]}, r"no built-in detector 'kNN'; did you mean 'knn'\? There are"),
        ({"detectors": ["IForest"]}, r"'IForest'; did you mean 'iforest'\?"),
    ],
)
def test_choices_out_of_range(options, message):
    with pytest.raises(InputError, match=message):
        Protocol(**options)


def test_a_seed_that_scikit_learn_refuses():
    with pytest.raises(InputError, match="seed"):
        Protocol(seeds=(2**32,))


def test_numbers_of_numpy():
    chosen = Protocol(
        k=np.int64(3), epsilon=np.float32(0.25), seeds=(np.int64(0),), n_jobs=np.int8(2)
    )
    assert (chosen.k, chosen.epsilon, chosen.seeds, chosen.threads) == (3, 0.25, (0,), 2)


@pytest.mark.parametrize(
    ("k", "ks"), [(3, (3,)), ((5, 3), (5, 3)), ([np.int64(5)], (5,)), (range(1, 3), (1, 2))]
)
def test_one_k_or_several(k, ks):
    found = Protocol(k=k).ks
    assert found == ks
    assert {type(one) for one in found} == {int}


def test_all_cores_are_used_unless_told_otherwise():
    assert Protocol().threads >= 1
    assert Protocol(n_jobs=3).threads == 3
