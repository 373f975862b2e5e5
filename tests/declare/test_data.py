import datetime
import pickle
import sys

import numpy as np
import pytest

from pytest_splitcheck import InputError
from pytest_splitcheck.declare.data import read_array, read_arrays, read_table

X = np.array([[1.5, 2], [3, 4], [5, 6.25]])
CSV = "id,label,p1,p2,q\n7,cat,1.5,2,0\n8,dog,3,4,0\n\n9,cat,5,6.25,1\n"


@pytest.fixture
def csv(tmp_path):
    def write(text=CSV, name="rows.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    def write(columns):
        path = tmp_path / "rows.parquet"
        parquet.write_table(pyarrow.table(columns), path)
        return path

    return write


@pytest.mark.parametrize(
    ("chosen", "columns"),
    [
        (None, ["id", "p1", "p2", "q"]),
        (["p1", "p2"], ["p1", "p2"]),
        (["p2", "p1"], ["p2", "p1"]),
        (["p*"], ["p1", "p2"]),
        (["q", "p*"], ["q", "p1", "p2"]),
        (["l*", "p1", "*"], None),
    ],
)
def test_columns_of_a_table(csv, chosen, columns):
    if columns is None:
        with pytest.raises(InputError, match="no column 'l\\*'"):
            read_table(csv(), "rows.csv", chosen, "label")
        return
    found = read_table(csv(), "rows.csv", chosen, "label")
    by_name = {"id": [7, 8, 9], "p1": X[:, 0], "p2": X[:, 1], "q": [0, 0, 1]}
    np.testing.assert_array_equal(found.X, np.transpose([by_name[name] for name in columns]))
    assert found.columns == tuple(columns)
    assert found.y == ["cat", "dog", "cat"]
    assert found.untyped


def test_a_star_that_is_part_of_a_name(csv):
    found = read_table(csv("y,p*,p1\na,1,2\n"), "", ["p*"], "y")
    assert found.columns == ("p*",)


@pytest.mark.parametrize(
    ("text", "chosen", "y", "message"),
    [
        (
            CSV,
            None,
            "lable",
            "has no column 'lable'; it has 'id', 'label', .* Did you mean 'label'?",
        ),
        (CSV, ["p1", "p3"], "label", "has no column 'p3'; it has 'id', 'label', 'p1', 'p2', 'q'"),
        (CSV, ["r*"], "label", r"has no column 'r\*'"),
        (CSV, ["label"], "label", "X names 'label', the column of the labels"),
        (CSV, ["p*", "p1"], "label", "X names the column 'p1' more than once"),
        (CSV, [], "label", "X names no column"),
        ("y\na\n", None, "y", "has no column but 'y', the labels"),
        (
            ",y,a\n0,a,1\n",
            None,
            "y",
            "has a column without a name, as where pandas saved its index",
        ),
        ("y,a,a\nx,1,2\n", None, "y", "more than one column 'a'"),
        (
            "y,colour\na,red\n",
            None,
            "y",
            "line 2: colour is 'red', not a number. Name the columns that",
        ),
        ("y,\x1b[31m\na,red\n", None, "y", r"line 2: '\\x1b\[31m' is 'red', not a number"),
        (
            "y,a\nb,1\nb,\n",
            None,
            "y",
            r"line 3: a is empty; fill it in, or leave that row out\.$",
        ),
        (
            "y,a\nb,1\nb,?\n",
            None,
            "y",
            r"line 3: a is '\?', not a number\. The lines above have numbers there: correct it, or leave",
        ),
        ("y;a\nb;1\n", None, "y", "separated by commas"),
        (
            "y," + ",".join(f"c{i}" for i in range(500)) + "\n",
            None,
            "z",
            r"no column 'z'; it has 'y', 'c0', .* \(501 in all\)",
        ),
    ],
)
def test_what_is_no_table_is_refused(csv, text, chosen, y, message):
    with pytest.raises(InputError, match=message):
        read_table(csv(text), "rows.csv", chosen, y)


def test_a_parquet_keeps_its_types(parquet):
    labels = ["1", "2", "1"]
    path = parquet({"y": labels, "a": [1, 2, 3], "b": [0.5, None, 1], "c": [True, False, True]})
    found = read_table(path, "rows.parquet", None, "y")
    np.testing.assert_array_equal(found.X, [[1, 0.5, 1], [2, np.nan, 0], [3, 1, 1]])
    assert found.y == labels
    assert not found.untyped
    assert read_table(path, "", ["b"], "a").y == [1, 2, 3]


def test_columns_of_a_parquet_that_are_no_numbers_are_named(parquet):
    path = parquet({"y": [1], "a": [1], "colour": ["red"], "when": [datetime.date(2020, 1, 1)]})
    with pytest.raises(
        InputError, match=r"has 2 of 3 columns that are not of numbers: 'colour', 'when'\. Name"
    ):
        read_table(path, "rows.parquet", None, "y")


def test_the_index_of_pandas_is_no_value(parquet, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": [1, 2], "a": [1.0, 2.0]}, index=[5, 4])
    frame.to_parquet(tmp_path / "frame.parquet")
    frame.to_csv(tmp_path / "frame.csv")
    for name in ("frame.parquet", "frame.csv"):
        with pytest.raises(InputError, match="a column without a name"):
            read_table(tmp_path / name, name, None, "y")
        found = read_table(tmp_path / name, name, ["a"], "y")
        np.testing.assert_array_equal(found.X, [[1.0], [2.0]])


def test_without_pyarrow(parquet, monkeypatch):
    path = parquet({"y": [1], "a": [1]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"install pyarrow .* or save the table as CSV or npz"):
        read_table(path, "rows.parquet", None, "y")


def test_arrays_keep_their_shape(tmp_path):
    images = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    np.savez(tmp_path / "a.npz", images=images, labels=["a", "b"])
    found = read_arrays(tmp_path / "a.npz", "a.npz", "images", "labels")
    assert found.X.dtype == np.uint8
    np.testing.assert_array_equal(found.X, images)
    assert list(found.y) == ["a", "b"]
    assert not found.untyped
    with pytest.raises(InputError, match=r"a\.npz has no column 'label'.* Did you mean 'labels'"):
        read_arrays(tmp_path / "a.npz", "a.npz", "images", "label")


def test_rows_stay_on_the_disk(tmp_path):
    np.save(tmp_path / "X.npy", X)
    found = read_array(tmp_path / "X.npy", "X.npy")
    assert isinstance(found, np.memmap)
    assert not found.flags.writeable
    np.testing.assert_array_equal(found, X)


class Bomb:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("form", ["objects", "pickle", "text", "npz", "nothing"])
def test_what_is_no_array_is_refused_and_never_unpickled(tmp_path, form):
    path, bomb = tmp_path / "X.npy", Bomb(tmp_path / "went off")
    if form == "objects":
        np.save(path, np.array([bomb], dtype=object), allow_pickle=True)
    elif form == "npz":
        with open(path, "wb") as file:
            np.savez(file, X)
    else:
        content = {"pickle": pickle.dumps(bomb), "text": b"1,2,3", "nothing": b""}[form]
        path.write_bytes(content)
    message = {
        "objects": "holds pickled objects, and nothing is ever unpickled",
        "pickle": "holds pickled objects",
        "npz": "holds several arrays",
    }
    with pytest.raises(InputError, match=rf"X\.npy {message.get(form, '')}"):
        read_array(path, "X.npy")
    assert not bomb.path.exists()
