from __future__ import annotations

import enum
import os
import subprocess
import sys

import numpy as np
import pytest

from pytest_splitcheck import InputError
from pytest_splitcheck.declare.labels import as_labels, encode, in_order, spelt

NAN = float("nan")


def pandas():
    return pytest.importorskip("pandas")


def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (("a", "b"), ["a", "b"]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array([3, -1], dtype=np.int8), [3, -1]),
        (np.array([True, False]), [True, False]),
        ([np.int64(3), np.str_("a")], [3, "a"]),
        ([("a", 1), None.__class__], [("a", 1), type(None)]),
        ([frozenset("a"), b"b"], [frozenset("a"), b"b"]),
        ((label for label in "ab"), ["a", "b"]),
        (range(2), [0, 1]),
    ],
)
def test_labels_become_plain(labels, expected):
    found = as_labels(labels, "y", 2)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def test_labels_of_pandas_are_taken_by_position():
    series = pandas().Series(["a", "b", "c"], index=[2, 0, 2])
    assert as_labels(series, "y", 3) == ["a", "b", "c"]


@pytest.mark.parametrize("dtype", ["category", "string", "object"])
def test_labels_of_pandas_keep_their_values(dtype):
    assert as_labels(pandas().Series(["b", "a"], dtype=dtype), "y", 2) == ["b", "a"]


def test_labels_of_torch_become_plain():
    tensor = torch().tensor([1, 0])
    assert list(map(type, as_labels(tensor, "y", 2))) == [int, int]
    assert list(map(type, as_labels(list(tensor), "y", 2))) == [int, int]


def test_enumerations_are_labels():
    colour = enum.Enum("Colour", ["RED", "BLUE"])
    assert in_order([colour.RED, colour.BLUE]) == (colour.BLUE, colour.RED)


def test_dates_stay_dates():
    days = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")
    assert "2020" in str(as_labels(days, "y", 2)[0])


# --- what is no label -----------------------------------------------------------------------


@pytest.mark.parametrize("n_labels", [0, 1, 3])
def test_a_wrong_number_of_labels(n_labels):
    with pytest.raises(InputError, match=f"y has {n_labels} labels for 2 rows"):
        as_labels(["a"] * n_labels, "y", 2)


@pytest.mark.parametrize(
    "labels",
    [
        ["a", None, "b", "a"],
        [0.0, NAN, 1.0, 0.0],
        np.array([0.0, NAN, 1.0, 0.0]),
        np.array(["a", None, "b", "a"], dtype=object),
        ["a", np.float32("nan"), "b", "a"],
        np.array(["2020", "NaT", "2021", "2020"], dtype="datetime64[D]"),
        np.ma.masked_array([1, 2, 3, 4], mask=[0, 1, 0, 0]),
    ],
    ids=["None", "NaN", "array", "objects", "numpy NaN", "NaT", "masked"],
)
def test_a_missing_label_is_found(labels):
    with pytest.raises(
        InputError, match=r"y has no label in 1 of 4 rows: 1\. Fill .* rows from X and y"
    ):
        as_labels(labels, "y", 4)


@pytest.mark.parametrize("dtype", ["Int64", "string", "category", "Float64", "boolean"])
def test_a_missing_label_of_pandas_is_found(dtype):
    pd = pandas()
    values = ["a", None, "b"] if dtype in ("string", "category") else [0, None, 1]
    with pytest.raises(InputError, match="y has no label in 1 of 3 rows: 1"):
        as_labels(pd.Series(values, dtype=dtype), "y", 3)


def test_pandas_na_in_a_list_is_found():
    with pytest.raises(InputError, match="y has no label in 1 of 2 rows: 0"):
        as_labels([pandas().NA, "a"], "y", 2)


def test_many_missing_labels_are_not_all_listed():
    with pytest.raises(InputError, match=r"no label in 9 of 9 rows: 0, 1, 2, 3, 4, \.\.\."):
        as_labels([None] * 9, "y", 9)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([["a"], ["b"]], r"y\[0\] is a list, which cannot be a label"),
        (["a", {"b": 1}], r"y\[1\] is a dict"),
        (["a", {"b"}], r"y\[1\] is a set"),
        (["a", ("b", [])], r"y\[1\] is a tuple"),
        ("ab", "must hold one label per row; got 'ab'"),
        (3, "must hold one label per row; got 3"),
        (None, "must hold one label per row; got None"),
        (np.eye(2), r"shape \(2,\); its shape is \(2, 2\)\. Pass its argmax for one-hot"),
        (np.zeros((2, 1)), r"shape \(2,\); its shape is \(2, 1\)"),
        (np.array(3), r"its shape is \(\)"),
    ],
)
def test_what_is_no_label_is_refused(labels, message):
    with pytest.raises(InputError, match=message):
        as_labels(labels, "y", 2)


def test_a_column_of_labels_is_refused_in_a_whole_sentence():
    with pytest.raises(InputError) as raised:
        as_labels(np.zeros((2, 1)), "y", 2)
    assert str(raised.value).endswith(".")


def test_one_hot_labels_of_torch_and_pandas_are_refused():
    for one_hot in (torch().eye(2), pandas().DataFrame(np.eye(2))):
        with pytest.raises(InputError, match="argmax"):
            as_labels(one_hot, "y", 2)


def test_a_list_of_one_hot_arrays_is_refused():
    with pytest.raises(InputError, match=r"y\[0\] is a ndarray"):
        as_labels(list(np.eye(2)), "y", 2)


def test_a_set_has_no_rows():
    with pytest.raises(InputError, match="y"):
        as_labels({"a", "b"}, "y", 2)


# --- order and codes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("bab", ("a", "b")),
        ([10, 9, -1], (-1, 9, 10)),
        ([True, False], (False, True)),
        ([("b", 1), ("a", 2)], (("a", 2), ("b", 1))),
        (["a", 1, None.__class__], (1, "a", type(None))),
        ([0.5, 1, "a", -2], (0.5, -2, 1, "a")),
    ],
)
def test_classes_are_in_order_whatever_the_order_of_rows(labels, expected):
    assert in_order(labels) == expected
    assert in_order(list(labels)[::-1]) == expected


def test_codes_are_positions_in_the_classes():
    codes = encode(["b", "a", "c", "b"], ("a", "b", "c"))
    assert codes.tolist() == [1, 0, 2, 1]
    assert codes.dtype == np.intp


SETS = """
from pytest_splitcheck import ClassSplit, InputError
from pytest_splitcheck.declare.call import written
from pytest_splitcheck.measure.results import class_names

one, two = frozenset({"cat", "dog", "eel"}), frozenset({"ant", ("bee", frozenset({"fly", "gnu"}))})
three, four = (1, frozenset({"hen", "ibis"})), (1, frozenset({"jay", "koi"}))
labels = [one, two, three, four]
split = ClassSplit([[float(i)] for i in range(8)], labels * 2, folds=2, held_out=labels)
print(written(split), split.fingerprint, class_names(split.classes).values(), sep="\\n")
print(eval(written(split), {"ClassSplit": ClassSplit, "X": split.X, "y": labels * 2}).classes == split.classes)
try:
    ClassSplit(split.X, labels * 2, drop=[frozenset()])
except InputError as error:
    print(error)
"""


def test_sets_are_the_same_in_every_process():
    def told(seed):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        command = [sys.executable, "-c", SETS]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    first = told(0)
    assert "frozenset({'cat', 'dog', 'eel'})" in first
    assert "frozenset({'ant', ('bee', frozenset({'fly', 'gnu'}))})" in first
    assert "\nTrue\n" in first
    assert {told(seed) for seed in range(1, 6)} == {first}


@pytest.mark.parametrize("label", ["a", ("a", 1), ("a",), (), frozenset(), 1.5, ("a", ("b", 2))])
def test_labels_without_two_members_in_a_set_are_spelt_as_python_has_them(label):
    assert spelt(label) == repr(label)


def test_a_frame_of_one_column_is_told_what_a_frame_can_do():
    frame = pandas().DataFrame({"y": ["a", "b"]})
    with pytest.raises(InputError, match=r"its shape is \(2, 1\)\. Pass y\.squeeze\(\)\."):
        as_labels(frame, "y", 2)
    assert as_labels(frame.squeeze(), "y", 2) == ["a", "b"]
