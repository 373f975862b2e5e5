from __future__ import annotations

import re
from enum import Enum

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pytest_splitcheck import ClassSplit, InputError
from pytest_splitcheck.declare.class_split import HeldOut

X = np.arange(24.0).reshape(12, 2) + 1
Y = ["cat", "dog", "eel"] * 4


def declare(rows=X, labels=Y, **options):
    return ClassSplit(rows, labels, **options)


def held_out(entries, labels=Y):
    return declare(X, labels, held_out=entries).held_out


# --- what is declared -----------------------------------------------------------------------


def test_classes_and_counts():
    split = declare(X[:5], ["b", "a", "b", "c", "b"])
    assert split.classes == ("a", "b", "c")
    assert split.counts == (1, 3, 1)
    assert split.codes.tolist() == [1, 0, 1, 2, 1]


def test_every_class_is_held_out_in_turn():
    assert declare().held_out == (HeldOut("cat", (0,)), HeldOut("dog", (1,)), HeldOut("eel", (2,)))


def test_a_training_pool_may_have_classes_of_its_own():
    split = declare(train=(X[:4], ["zebra", "dog", "ant", "cat"]))
    assert split.classes == ("cat", "dog", "eel")
    assert split.train.codes.tolist() == [4, 1, 3, 0]


def test_the_representation_may_be_a_name():
    split = declare(representation="pixels")
    assert (split.representation, split.transformer) == ("pixels", None)


def test_a_transformer_goes_by_its_type():
    scaler = StandardScaler()
    split = declare(representation=scaler)
    assert (split.representation, split.transformer) == ("StandardScaler()", scaler)


def test_a_pipeline_goes_by_its_steps():
    pipeline = make_pipeline(StandardScaler(), PCA(2))
    assert (
        declare(representation=pipeline).representation == "StandardScaler() + PCA(n_components=2)"
    )


def test_its_repr_says_what_matters():
    assert repr(declare(name="pets", representation="raw")) == (
        "ClassSplit(name='pets', representation='raw', m=12, d=2, "
        "classes=['cat', 'dog', 'eel'], folds=5)"
    )
    assert repr(declare(train=(X, Y), metric="cosine")).endswith("train=12, metric='cosine')")


# --- held-out classes and groups ------------------------------------------------------------


def test_chosen_classes_in_the_order_given():
    assert [one.label for one in held_out(["eel", "cat"])] == ["eel", "cat"]


@pytest.mark.parametrize("group", [("eel", "cat"), ["cat", "eel"], {"cat", "eel"}])
def test_a_group_is_in_order_of_the_classes(group):
    assert held_out([group]) == (HeldOut(("cat", "eel"), (0, 2)),)


def test_a_group_of_one_is_that_class():
    assert held_out([["eel"]]) == (HeldOut("eel", (2,)),)


def test_a_class_named_twice_in_a_group_counts_once():
    assert held_out([["eel", "eel", "cat"]])[0].codes == (0, 2)


def test_a_tuple_that_is_a_class_is_that_class():
    labels = [("a", 1), ("b", 2), "c"] * 4
    assert held_out([("a", 1)], labels)[0].codes == (1,)


@pytest.mark.parametrize("entries", [np.array([2, 0]), (2, 0), iter([2, 0]), [np.int64(2), 0]])
def test_classes_in_any_iterable(entries):
    assert [one.label for one in held_out(entries, [0, 1, 2] * 4)] == [2, 0]


@pytest.mark.parametrize("unit", ["D", "ns"])
def test_dates_can_be_held_out(unit):
    days = np.array(["2020-01-01", "2021-01-01", "2022-01-01"] * 4, dtype=f"datetime64[{unit}]")
    assert held_out(days[1:2], days)[0].codes == (1,)


def test_classes_of_torch():
    chosen = pytest.importorskip("torch").tensor([2, 0])
    assert [one.label for one in held_out(chosen, [0, 1, 2] * 4)] == [2, 0]


@pytest.mark.parametrize("group", [np.array(["cat", "eel"]), (np.str_("cat"), np.str_("eel"))])
def test_a_group_of_numpy_strings(group):
    assert held_out([group])[0].label == ("cat", "eel")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("cat", r"held_out must be a list of classes; write held_out=\['cat'\]"),
        (3, r"write held_out=\[3\]"),
        ([], "held_out is empty"),
        ([[]], "held_out has an empty group"),
        ([()], "held_out has an empty group"),
        (["dgo"], "held_out names 'dgo', which is not a class of y; did you mean 'dog'"),
        ([("cat", "ell")], "held_out names 'ell', .* did you mean 'eel'"),
        (["?"], "held_out names '?', which is not a class of y: 'cat', 'dog', 'eel'"),
        ([None], "held_out names None"),
        (["cat", "cat"], "held_out names 'cat' more than once"),
        (["cat", ["cat"]], "held_out names 'cat' more than once"),
        ([("cat", "eel"), ("eel", "cat")], "held_out names .* more than once"),
        ([("cat", "dog", "eel")], "a group of all classes"),
        ([[["cat"]]], r"held_out names \['cat'\]"),
        ([{"cat": 1}], "held_out names {'cat': 1}"),
    ],
)
def test_what_cannot_be_held_out_is_refused(entries, message):
    with pytest.raises(InputError, match=message.replace("'?'", r"'\?'")):
        held_out(entries)


def test_a_group_within_a_group_is_refused():
    with pytest.raises(InputError, match="held_out names"):
        held_out([(["cat"], "dog")])


def test_a_number_is_not_the_text_of_it():
    with pytest.raises(InputError, match=r"held_out names '1', .* did you mean 1\?"):
        held_out(["1"], [0, 1, 2] * 4)


def test_a_group_and_a_class_of_the_same_label_are_refused():
    labels = ["a", "b", ("a", "b")] * 4
    with pytest.raises(InputError, match=r"held_out names \('a', 'b'\) more than once"):
        held_out([["a", "b"], ("a", "b")], labels)


def test_many_classes_are_not_all_listed():
    rows = np.arange(30.0)[:, None]
    with pytest.raises(InputError, match=r"9, \.\.\. \(15 in all\)"):
        ClassSplit(rows, list(range(15)) * 2, held_out=["none"])


# --- what cannot be declared ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": ["cat"] * 12}, r"y has one class only \('cat'\)"),
        ({"labels": Y[:11]}, "y has 11 labels for 12 rows"),
        ({"labels": np.eye(12)[:, :3]}, "Pass its argmax"),
        ({"rows": np.full((12, 2), np.nan)}, "X has 24 values that are NaN"),
        ({"train": X}, r"train must be a pair \(X_train, y_train\)"),
        ({"train": (X,)}, "train must be a pair"),
        ({"train": (X, Y[:4])}, "train y has 4 labels for 12 rows"),
        ({"train": (X[:, :1], Y)}, "train X has 1 values per row, X has 2"),
        ({"train": (X * np.inf, Y)}, "train X has 24 values"),
        (
            {"train": (X, [None] * 12)},
            r"train y has no label in 12 of 12 .* from train X and train y\.$",
        ),
        ({"name": 3}, "name must be a string; got 3"),
        ({"metric": "manhattan"}, "metric must be 'euclidean' or 'cosine'; got 'manhattan'"),
        ({"metric": None}, "metric must be"),
        ({"metric": ["cosine"]}, "metric must be"),
        ({"representation": StandardScaler}, "representation must be a label .* or an object"),
        ({"representation": object()}, "representation must be"),
        ({"representation": 7}, "representation must be .* got 7"),
        ({"folds": 1}, "folds must be a whole number of 2 or more; got 1"),
        ({"folds": True}, "folds must be"),
        ({"folds": 2.0}, "folds must be"),
        ({"folds": None}, "folds must be"),
        ({"folds": 13}, "folds is 13, but X has 12 rows only"),
    ],
)
def test_what_cannot_be_declared_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        declare(**options)


def test_folds_are_not_needed_beside_a_training_pool():
    assert declare(X[:4], Y[:4], train=(X, Y)).counts == (2, 1, 1)


def test_an_error_of_the_declaration_is_a_value_error():
    assert issubclass(InputError, ValueError)


# --- fingerprint ----------------------------------------------------------------------------


def test_the_same_declaration_has_the_same_fingerprint():
    assert declare().fingerprint == declare(X.copy(), tuple(Y)).fingerprint
    assert re.fullmatch("[0-9a-f]{32}", declare().fingerprint)


def test_memory_order_is_no_part_of_the_fingerprint():
    assert declare(np.asfortranarray(X)).fingerprint == declare().fingerprint


@pytest.mark.parametrize(
    "options",
    [
        {"rows": np.where(X == 5, 5.5, X)},
        {"rows": X.astype(np.float32)},
        {"labels": Y[::-1]},
        {"labels": ["cat", "dog", "owl"] * 4},
        {"train": (X, Y)},
        {"name": "pets"},
        {"representation": "raw"},
        {"metric": "cosine"},
        {"held_out": ["cat"]},
        {"folds": 4},
    ],
    ids=lambda options: next(iter(options)),
)
def test_whatever_else_is_declared_has_another_fingerprint(options):
    assert declare(**options).fingerprint != declare().fingerprint


def test_the_training_pool_is_part_of_the_fingerprint():
    one, other = declare(train=(X, Y)), declare(train=(X, Y[::-1]))
    assert one.fingerprint != other.fingerprint
    assert declare(train=(X + 1, Y)).fingerprint != one.fingerprint


def test_classes_of_the_training_pool_alone_are_part_of_the_fingerprint():
    one = declare(train=(X[:4], ["ant", "bee", "cat", "ant"]))
    other = declare(train=(X[:4], ["ant", "bee", "cat", "bee"]))
    assert one.fingerprint != other.fingerprint


def test_training_labels_of_another_type_are_refused():
    with pytest.raises(InputError, match="no class in common: '0', '1' against 0, 1; use the same"):
        ClassSplit([[0.0], [1.0]], [0, 1], train=([[0.0], [1.0]], ["0", "1"]))


# --- the shape of rows ----------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4,), (2, 2), (2, 2, 3)])
def test_the_shape_of_a_row_is_kept(shape):
    X = np.arange(6 * np.prod(shape)).reshape(6, *shape)
    y = [0, 0, 1, 1, 2, 2]
    assert ClassSplit(X, y, folds=2).row_shape == shape
    assert ClassSplit(X.tolist(), y, folds=2).row_shape == shape
    assert ClassSplit(X, y, folds=2, drop=[0]).row_shape == shape
    assert ClassSplit(X, y, folds=2).regrouped([(0, 1), (2,)]).row_shape == shape


def test_labels_of_one_text_that_are_not_equal_have_another_identity():
    first, second = (Enum("Kind", "cat dog") for _ in range(2))
    one, same, other = (declare(labels=[kind.cat, kind.dog] * 6) for kind in (first, first, second))
    assert one.fingerprint == other.fingerprint
    assert one.identity == same.identity
    assert one.identity != other.identity


def test_the_fingerprint_knows_which_rows_were_dropped():
    X, y = np.arange(6.0)[:, None], ["z", "a", "b", "a", "b", "z"]
    first = ClassSplit(X[:5], y[:5], drop=["z"], folds=2)
    last = ClassSplit(X[1:], y[1:], drop=["z"], folds=2)
    assert np.array_equal(first.X, last.X)
    assert first.fingerprint != last.fingerprint


@pytest.mark.parametrize("labels", [Y, [0, 1, 2] * 4])
def test_rows_and_labels_in_the_wrong_order_are_told_as_such(labels):
    told = r"X and y look swapped: X has shape \(12,\), and y \(12, 3\)\. .*ClassSplit\(X, y\)\."
    with pytest.raises(InputError, match=told):
        ClassSplit(np.array(labels), np.zeros((12, 3)))


def test_the_names_of_features_stay():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["ash", "hue"])
    split = ClassSplit(frame, Y, folds=2)
    assert split.features == ("ash", "hue")
    assert split.regrouped([(0, 1), (2,)]).features == ("ash", "hue")
    assert ClassSplit(frame, Y, folds=2, drop=["cat"]).features == ("ash", "hue")
    assert split.fingerprint == ClassSplit(X, Y, folds=2).fingerprint
    for names in (["ash", "ash"], ["ash", 1], [0, 1]):
        assert ClassSplit(frame.set_axis(names, axis=1), Y, folds=2).features is None
    assert declare().features is None
    with pytest.raises(InputError, match=r"first in row 0, column 'hue' \(nan\)"):
        ClassSplit(frame.replace(2.0, float("nan")), Y)
