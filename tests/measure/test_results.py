from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, evaluate
from pytest_splitcheck.measure.results import class_names
from tests.builders import FirstColumn, clusters, grid, labels


@pytest.fixture(scope="module")
def found():
    rows, y = clusters([[0, 0], [3, 0], [0, 4]], 12)
    names = np.array(["a", "b", "c"])[y]
    split = ClassSplit(
        rows, names, name="three", representation="raw", folds=2, held_out=["a", ("b", "c")]
    )
    return evaluate(
        split, k=3, detectors={"knn": "knn", "mine": FirstColumn(), "forest": "iforest"}, seeds=(0,)
    )


def through_json(found):
    return json.loads(json.dumps(found.to_dict(), allow_nan=False))


def plain_only(value):
    """Tell whether a value is made of Python's own types alone, which pytest-xdist asks for."""
    if isinstance(value, dict):
        return all(type(key) is str and plain_only(one) for key, one in value.items())
    if isinstance(value, list):
        return all(map(plain_only, value))
    return value is None or type(value) in (str, int, float, bool)


@pytest.mark.parametrize("part", ["whole", "leakage", "instability", "knn", "forest"])
def test_every_result_is_plain(found, part):
    result = found if part == "whole" else getattr(found, part, None) or found.detectors[part]
    assert plain_only(result.to_dict())
    assert through_json(result) == result.to_dict()


def test_json_says_what_was_measured(found):
    said = through_json(found)
    assert (said["name"], said["representation"], said["metric"]) == ("three", "raw", "euclidean")
    assert (said["m"], said["n_features"], said["k"], said["epsilon"]) == (36, 2, 3, 0.05)
    assert (said["n_train"], said["folds"]) == (None, 2)
    assert said["classes"] == ["a", "b", "c"]
    assert said["counts"] == {"a": 12, "b": 12, "c": 12}
    assert said["positives"] == {"a": 12, "b+c": 24}
    assert said["leakage"]["value"] == found.leakage.value
    assert said["leakage"]["matrix"] == found.leakage.matrix.tolist()
    assert list(said["detectors"]) == ["knn", "mine", "forest"]
    assert said["detectors"]["knn"]["auroc"] == {
        "a": found.detectors["knn"].auroc["a"],
        "b+c": found.detectors["knn"].auroc["b", "c"],
    }
    assert said["detectors"]["forest"]["seeds"] == [0]
    mine = said["detectors"]["mine"]
    assert (mine["hard_labels"], mine["far_auroc"]) == ([], found.detectors["mine"].far_auroc)
    assert said["detectors"]["knn"]["far_auroc"] is None
    knn = found.detectors["knn"]
    assert said["detectors"]["knn"]["interval"]["b+c"] == list(knn.interval["b", "c"])
    assert said["detectors"]["knn"]["resolved"] == {"a": knn.resolved["a"], "b+c": 1}
    assert said["detectors"]["knn"]["flips"] == {"a": 0.0, "b+c": 0.0}
    assert said["detectors"]["knn"]["open_directions"]["b+c"] == [1]
    assert said["detectors"]["knn"]["rho_dir_resolved"] == knn.rho_dir_resolved
    assert said["detectors"]["knn"]["rho_inv_resolved"] == knn.rho_inv_resolved
    assert said["instability"]["rho_dir_resolved"] == found.instability.rho_dir_resolved
    assert said["instability"]["rho_inv_resolved"] == found.instability.rho_inv_resolved
    assert said["instability"]["rho_dir"] == found.instability.rho_dir
    assert said["instability"]["worst"]["mean"] == list(found.instability.worst["mean"])


def test_a_report_on_a_training_pool():
    split = ClassSplit(grid(10), labels(10, 2), train=(grid(20), labels(20, 2)))
    said = through_json(evaluate(split, k=2, detectors=()))
    assert (said["n_train"], said["folds"]) == (20, None)
    assert (said["detectors"], said["instability"]) == ({}, None)


@pytest.mark.parametrize("seed", [np.int64(3), np.uint8(3)])
def test_seeds_of_numpy_become_plain(seed):
    split = ClassSplit(grid(10), labels(10, 2), folds=2, held_out=[0])
    assert plain_only(evaluate(split, k=2, detectors=("iforest",), seeds=(seed,)).to_dict())


def test_numpy_numbers_as_choices_become_plain():
    split = ClassSplit(grid(10), labels(10, 2), folds=np.int64(2))
    found = evaluate(split, k=np.int64(2), epsilon=np.float32(0.1), detectors=("knn",))
    assert plain_only(found.to_dict())


def test_results_are_frozen(found):
    with pytest.raises(FrozenInstanceError):
        found.k = 4


def test_results_can_be_pickled(found):
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["b", "a"], ["b", "a"]),
        ([0, 1], ["0", "1"]),
        ([True, False], ["True", "False"]),
        ([1, "1"], ["1", "'1'"]),
        ([("a", "b"), "a"], ["a+b", "a"]),
        ([("a", 1)], ["a+1"]),
        ([("a", "b"), "a+b"], ["'a'+'b'", "'a+b'"]),
        ([None.__class__], ["<class 'NoneType'>"]),
    ],
)
def test_names_of_classes(labels, names):
    assert list(class_names(labels).values()) == names


@pytest.mark.parametrize("labels", [[1, "1", "'1'"], [("a", ("b",)), "a+('b',)", "'a'+('b',)"]])
def test_names_of_classes_always_differ(labels):
    assert len(set(class_names(labels).values())) == len(labels)


def test_a_class_has_one_name_throughout_a_report():
    split = ClassSplit(grid(12), [1, "1"] * 6, held_out=["1"], folds=2)
    said = evaluate(split, k=2, detectors=("knn",)).to_dict()
    (held_out,) = said["detectors"]["knn"]["auroc"]
    assert held_out == class_names(split.classes)["1"]


def test_a_group_and_a_class_of_the_same_text_have_different_names():
    y = ["a", "b", "a+b", "c"] * 6
    split = ClassSplit(grid(24), y, held_out=[("a", "b")], folds=2)
    said = evaluate(split, k=2, detectors=("knn",)).to_dict()
    (held_out,) = said["positives"]
    assert held_out not in said["counts"]
