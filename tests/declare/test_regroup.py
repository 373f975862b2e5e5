from __future__ import annotations

import enum

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pytest_splitcheck import ClassSplit, InputError, evaluate
from pytest_splitcheck.declare.call import written
from pytest_splitcheck.declare.class_split import HeldOut

X = np.arange(32.0).reshape(16, 2) + 1
Y = ["cat", "dog", "eel", "fox"] * 4


def declare(rows=X, labels=Y, **options):
    return ClassSplit(rows, labels, **options)


# --- merge ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "merge", [[("eel", "cat")], [["cat", "eel"]], [{"cat", "eel"}], (np.array(["eel", "cat"]),)]
)
def test_a_merged_class_is_the_tuple_of_its_members_in_the_place_of_the_first(merge):
    split = declare(merge=merge)
    assert split.classes == (("cat", "eel"), "dog", "fox")
    assert split.codes.tolist() == [0, 1, 0, 2] * 4
    assert split.counts == (8, 4, 4)
    assert split.merge == (("cat", "eel"),)


def test_a_merged_class_is_held_out_together():
    split = declare(merge=[("dog", "cat")])
    assert split.held_out[0] == HeldOut(("cat", "dog"), (0,))
    assert len(split.held_out) == 3


@pytest.mark.parametrize("entry", [("dog", "cat"), ("cat", "dog"), ["dog", "cat"], {"cat", "dog"}])
def test_a_merged_class_is_named_by_its_members_in_any_order(entry):
    split = declare(merge=[("cat", "dog")], held_out=[entry, "fox"])
    assert [one.label for one in split.held_out] == [("cat", "dog"), "fox"]


def test_a_merged_class_within_a_group_that_is_held_out():
    split = declare(merge=[("cat", "dog")], held_out=[(("dog", "cat"), "fox")])
    assert split.held_out == (HeldOut((("cat", "dog"), "fox"), (0, 2)),)
    assert evaluate(split, k=2, detectors=()).names[split.held_out[0].label] == "cat+dog+fox"


def test_rows_of_the_training_pool_are_merged_too():
    split = declare(train=(X[:5] / 2, ["yak", "fox", "dog", "cat", "ant"]), merge=[("cat", "dog")])
    assert split.train.codes.tolist() == [4, 2, 0, 0, 3]


def test_merged_classes_do_not_leak_into_each_other():
    rows = np.array([[0.0], [1.0], [10.0], [11.0]])
    apart = evaluate(ClassSplit(rows, list("abcd"), folds=2), k=1, detectors=()).leakage
    split = ClassSplit(rows, list("abcd"), folds=2, merge=[("a", "b")])
    merged = evaluate(split, k=1, detectors=()).leakage
    assert (apart.value, merged.value) == (1.0, 0.5)
    assert merged.per_class == {("a", "b"): 0.0, "c": 1.0, "d": 1.0}


# --- drop -----------------------------------------------------------------------------------


def test_the_rows_of_a_dropped_class_leave_both_sets():
    split = declare(train=(X[::-1] / 2, Y[::-1]), drop=["dog", "fox"])
    assert split.classes == ("cat", "eel")
    assert split.X.tolist() == X[::2].tolist()
    assert split.train.X.tolist() == (X[::-1] / 2)[1::2].tolist()
    assert split.train.codes.tolist() == [1, 0] * 4
    assert split.drop == ("dog", "fox")


def test_a_report_numbers_rows_as_the_author_does():
    found = evaluate(declare(drop=["cat"]), k=2, detectors=())
    assert found.leakage.rows.tolist() == [row for row in range(16) if row % 4]
    assert (found.m, found.leakage.m) == (12, 12)


def test_a_row_of_zeros_goes_by_the_authors_number():
    rows = X.copy()
    rows[[0, 6]] = 0
    with pytest.raises(InputError, match=r"X has 1 row of zeros \(the first is row 6\)"):
        declare(rows, drop=["cat"], metric="cosine")


def test_data_are_copied_only_where_rows_leave(tmp_path):
    np.save(tmp_path / "X.npy", X)
    on_disk = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert np.shares_memory(declare(on_disk, merge=[("cat", "dog")]).X, on_disk)
    dropped = declare(on_disk, drop=["cat"]).X
    assert not np.shares_memory(dropped, on_disk)
    assert dropped.nbytes == X.nbytes * 3 // 4


def test_dropping_is_leaving_out():
    here = np.array(Y) != "dog"
    by_hand = ClassSplit(X[here], np.array(Y)[here])
    dropped = declare(drop=["dog"])
    one, other = (
        evaluate(split, k=3, detectors=("knn",)).to_dict() for split in (by_hand, dropped)
    )
    assert one.pop("fingerprint") != other.pop("fingerprint")
    assert one == other


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"merge": "cat"}, r"merge must be a list of groups of classes, .*; got 'cat'"),
        ({"merge": 3}, "merge must be a list of groups"),
        (
            {"merge": ["cat", "dog"]},
            r"merge must be a list of groups .*; to merge 'cat', 'dog', write merge=\[\('cat', 'dog'\)\]\.",
        ),
        ({"merge": np.array(["cat", "dog"])}, r"write merge=\[\('cat', 'dog'\)\]"),
        ({"merge": [("cat", "dog"), "eel"]}, "merge must be a list of groups .*; it has 'eel'"),
        ({"merge": [("cat",)]}, r"merge has a group of one class: \('cat',\)"),
        ({"merge": [()]}, r"merge has a group of none: \(\)"),
        ({"merge": [("cat", "dgo")]}, "merge names 'dgo', .* did you mean 'dog'"),
        ({"merge": [("cat", ["dog"])]}, r"merge names \['dog'\]"),
        ({"merge": [("cat", "cat")]}, "merge names 'cat' more than once"),
        ({"merge": [("cat", "dog"), ("dog", "eel")]}, "merge names 'dog' more than once"),
        ({"merge": [("cat", "dog", "eel", "fox")]}, "merge leaves one class only"),
        ({"drop": "cat"}, r"drop must be a list of classes; write drop=\['cat'\]"),
        ({"drop": 3}, r"write drop=\[3\]"),
        ({"drop": ["fxo"]}, "drop names 'fxo', which is not a class of y; did you mean 'fox'"),
        ({"drop": ["cat", "cat"]}, "drop names 'cat' more than once"),
        ({"drop": ["cat", "dog", "eel"]}, "drop leaves one class only"),
        ({"drop": ["cat", "dog", "eel", "fox"]}, "drop leaves no class"),
        ({"merge": [("cat", "dog")], "drop": ["cat"]}, "merge and drop both name 'cat'"),
        ({"merge": [("cat", "dog")], "drop": ["eel", "fox"]}, "merge and drop leave one class"),
        (
            {"merge": [("cat", "dog")], "held_out": ["cat"]},
            r"held_out names 'cat', which is merged; write \('cat', 'dog'\)",
        ),
        (
            {"merge": [("cat", "dog")], "held_out": [("cat", "eel")]},
            "held_out names 'cat', which is merged",
        ),
        ({"drop": ["cat"], "held_out": ["cat"]}, "held_out names 'cat', which is dropped"),
        ({"drop": ["cat"], "train": (X[:1], ["cat"])}, "drop leaves no row in the training pool"),
    ],
)
def test_what_cannot_be_regrouped_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        declare(**options)


def test_a_merged_class_must_be_new():
    with pytest.raises(InputError, match=r"merge makes a class \('a', 'b'\), which y has already"):
        ClassSplit(X, ["a", "b", ("a", "b"), "c"] * 4, merge=[["a", "b"]])


def test_a_class_that_is_a_tuple_is_no_group():
    with pytest.raises(InputError, match=r"it has \('a', 1\)"):
        ClassSplit(X, [("a", 1), "b", "c", "d"] * 4, merge=[("a", 1)])


# --- how it is told -------------------------------------------------------------------------


def test_its_repr_tells_what_was_regrouped():
    assert repr(declare(merge=[("dog", "cat")], drop=["fox"])) == (
        "ClassSplit(m=12, d=2, classes=[('cat', 'dog'), 'eel'], folds=5, merge=[('cat', 'dog')], "
        "drop=['fox'])"
    )


@pytest.mark.parametrize("options", [{"merge": [("cat", "dog")]}, {"drop": ["cat"]}])
def test_what_was_regrouped_is_part_of_the_fingerprint(options):
    assert declare(**options).fingerprint != declare().fingerprint


def test_the_order_in_which_it_is_declared_is_no_part_of_the_fingerprint():
    one = declare(merge=[("cat", "dog"), ("eel", "fox")])
    assert declare(merge=[("fox", "eel"), ("dog", "cat")]).fingerprint == one.fingerprint


def test_a_tuple_as_a_label_is_told_apart_from_a_merged_class():
    merged = declare(merge=[("cat", "dog")])
    labels = [("cat", "dog") if label in ("cat", "dog") else label for label in Y]
    natural = ClassSplit(X, labels)
    assert merged.fingerprint != natural.fingerprint


# --- the call -------------------------------------------------------------------------------


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


HOSTILE = {
    "quotes": ["it's", 'say "a"', "both '\"", "plain"],
    "control": ["a\nb", "a\tb", "\x1b[31m", "\u202eevil"],
    "backslash": ["\\n", "\\", "a\\'", "{a}"],
    "whole numbers": [0, -1, 10, 2],
    "numpy": [np.int64(3), np.int8(-3), np.int64(7), np.int64(9)],
    "bytes": [b"a", b"\xff", b"'", b""],
    "tuples": [("a", 1), ("b",), (("c", 2), "d"), ()],
    "mixed": ["1", 1.5, 1, None.__class__.__name__],
    "booleans": [True, False, "True", 5],
    "enumeration": [Colour.RED, Colour.BLUE, "RED", ("x", Colour.RED)],
    "dates": list(np.array(["2020", "2021", "2022", "2023"], dtype="datetime64[D]")),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("groups", [((0, 1), (2,), (3,)), ((0,), (2,), (3,)), ((0, 3), (1,))])
def test_the_call_declares_the_same_benchmark(kind, groups):
    y = HOSTILE[kind] * 4
    split = ClassSplit(X, y, name="it's\n", folds=3, metric="cosine").regrouped(groups)
    call = written(split)
    assert len(call.splitlines()) == 1
    names = {"ClassSplit": ClassSplit, "X": X, "y": y, "np": np, "Colour": Colour}
    again = eval(call, names)
    assert again.fingerprint == split.fingerprint
    assert again.held_out == split.held_out


def test_the_call_repeats_what_was_declared():
    train = (X / 2, Y)
    split = declare(
        train=train, name="pets", representation="raw", held_out=["dog", ("cat", "fox")]
    ).regrouped([(0, 3), (1,), (2,)])
    call = written(split)
    assert call == (
        "ClassSplit(X, y, train=(X_train, y_train), name='pets', representation='raw', "
        "held_out=['dog', ('cat', 'fox')], merge=[('cat', 'fox')])"
    )
    names = {"ClassSplit": ClassSplit, "X": X, "y": Y, "X_train": train[0], "y_train": train[1]}
    assert eval(call, names).fingerprint == split.fingerprint


def test_a_transformer_goes_by_its_repr():
    pipeline = make_pipeline(StandardScaler(), PCA(n_components=2, whiten=True, svd_solver="full"))
    call = written(declare(representation=pipeline, drop=["cat"]))
    assert len(call.splitlines()) == 1
    names = {"ClassSplit": ClassSplit, "X": X, "y": Y, "PCA": PCA, "StandardScaler": StandardScaler}
    from sklearn.pipeline import Pipeline

    again = eval(call, {**names, "Pipeline": Pipeline})
    assert repr(again.transformer) == repr(pipeline)


class Wordless:
    def fit(self, X):
        pass

    def transform(self, X):
        return X


class Broken(Wordless):
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize("transformer", [Wordless(), Broken()])
def test_a_transformer_without_such_a_repr_goes_by_a_name(transformer):
    split = declare(representation=transformer, drop=["cat"])
    call = written(split)
    assert call == "ClassSplit(X, y, representation=representation, drop=['cat'])"
    names = {"ClassSplit": ClassSplit, "X": X, "y": Y, "representation": transformer}
    assert eval(call, names).fingerprint == split.fingerprint


# --- regrouped again ------------------------------------------------------------------------


def test_what_was_merged_and_dropped_stays_so():
    split = declare(merge=[("cat", "eel")], drop=["fox"], folds=2)
    assert split.classes == (("cat", "eel"), "dog")
    y = ["cat", "dog", "eel", "fox", "gnu"] * 4
    rows = np.arange(20.0)[:, None]
    split = ClassSplit(rows, y, merge=[("cat", "eel")], drop=["fox"])
    again = split.regrouped([(0,), (1, 2)])
    assert again.merge == (("cat", "eel"), ("dog", "gnu"))
    assert again.drop == ("fox",)
    again = split.regrouped([(2, 0), (1,)])
    assert again.merge == (("cat", "eel", "gnu"),)
    again = split.regrouped([(1,), (2,)])
    assert (again.merge, again.drop) == ((), ("cat", "eel", "fox"))


def test_chosen_classes_are_held_out_with_what_they_are_merged_with():
    split = declare(held_out=["cat", "dog", ("cat", "fox")]).regrouped([(0, 1), (2,), (3,)])
    assert [one.label for one in split.held_out] == [("cat", "dog"), (("cat", "dog"), "fox")]
    split = declare(held_out=["cat", "dog"]).regrouped([(0,), (2,), (3,)])
    assert [one.label for one in split.held_out] == ["cat"]


def test_nothing_to_hold_out_is_refused():
    with pytest.raises(InputError, match="held_out is empty"):
        declare(held_out=["cat"]).regrouped([(1,), (2,)])
