from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from pytest_splitcheck import InputError
from pytest_splitcheck.declare import arrays
from pytest_splitcheck.declare.arrays import as_matrix, blocks, zero_rows


def pandas():
    return pytest.importorskip("pandas")


def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float16", "float64"])
def test_the_type_is_kept(dtype):
    assert as_matrix(np.ones((3, 2), dtype=dtype), "X").dtype == dtype


def test_long_doubles_become_float64():
    assert as_matrix(np.ones((3, 2), dtype=np.longdouble), "X").dtype == np.float64


def test_further_axes_are_flattened():
    images = np.arange(24).reshape(2, 3, 4)
    assert as_matrix(images, "X").tolist() == [list(range(12)), list(range(12, 24))]


def test_a_vector_is_a_column():
    assert as_matrix([1.0, 2.0], "X").tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize(
    "change",
    [lambda X: X, lambda X: X.reshape(4, 3, 2), lambda X: X[::2], lambda X: X[:, :2]],
    ids=["plain", "images", "every other row", "some columns"],
)
def test_what_numpy_can_view_is_not_copied(change):
    X = np.arange(24.0).reshape(4, 6)
    assert np.shares_memory(as_matrix(change(X), "X"), X)


def test_a_memory_map_is_not_read_into_memory(tmp_path):
    np.save(tmp_path / "X.npy", np.arange(12.0).reshape(4, 3))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert np.shares_memory(as_matrix(X, "X"), X)


def test_a_tensor_is_not_copied():
    X = torch().ones((4, 3), requires_grad=True)
    assert np.shares_memory(as_matrix(X, "X"), X.detach().numpy())


def test_frames_of_other_libraries_are_read():
    class DataArray:
        dtype = np.dtype(float)

        def to_numpy(self):
            return np.ones((2, 3))

    assert as_matrix(DataArray(), "X").shape == (2, 3)


def test_bfloat16_is_read_exactly():
    X = torch().tensor([[1.5], [-3.0], [1e30]], dtype=torch().bfloat16)
    assert as_matrix(X, "X").tolist() == X.float().tolist()


# --- what is no matrix ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "count"), [(np.nan, "1 value that is"), (np.inf, "1 value"), (-np.inf, "1 value")]
)
def test_a_value_that_is_not_finite_is_found(value, count):
    X = np.zeros((5, 4))
    X[3, 2] = value
    message = rf"X has {count}.* in row 3, column 2 \({value}\)"
    with pytest.raises(InputError, match=message):
        as_matrix(X, "X")


def test_all_values_that_are_not_finite_are_counted(monkeypatch):
    monkeypatch.setattr(arrays, "_BLOCK_VALUES", 4)  # one row to a block
    X = np.zeros((5, 4))
    X[[1, 3, 3], [3, 0, 2]] = np.nan
    with pytest.raises(InputError, match=r"X has 3 values that are .* in row 1, column 3"):
        as_matrix(X, "X")


@pytest.mark.parametrize("dtype", ["float16", "float32", "longdouble"])
def test_values_that_are_not_finite_in_other_types(dtype):
    with pytest.raises(InputError, match="row 1, column 0"):
        as_matrix(np.array([[0], [np.inf]], dtype=dtype), "X")


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="no wider type")
def test_values_beyond_float64_are_refused():
    with pytest.raises(InputError, match="row 0, column 0"):
        as_matrix(np.full((2, 1), np.finfo(np.longdouble).max), "X")


@pytest.mark.parametrize("missing", ["Int64", "Float64", "boolean"])
def test_a_missing_value_of_a_nullable_column_is_found(missing):
    pd = pandas()
    frame = pd.DataFrame({"a": [0, 1, 1], "b": pd.array([1, 0, pd.NA], dtype=missing)})
    with pytest.raises(InputError, match=r"X has 1 value .* row 2, column 'b'"):
        as_matrix(frame, "X")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], r"X is empty: its shape is \(0,\)"),
        ([[], []], r"X is empty: its shape is \(2, 0\)"),
        (np.zeros((0, 3)), r"X is empty: its shape is \(0, 3\)"),
        (1.0, r"X must have one row per sample; got 1.0 \(float\)"),
        (None, r"X must have one row per sample; got None \(NoneType\)"),
        ("text", r"X must have one row per sample; got 'text' \(str\)"),
        ({"a": [1]}, r"X must have one row per sample; got {'a': \[1\]} \(dict\)"),
        ([["1", "2"]], "X has dtype <U1; the values must be real numbers"),
        (np.ones((2, 2)) * 1j, "X has dtype complex128; the values must be real"),
        (np.array(["2020"], dtype="datetime64[D]"), r"X has dtype datetime64\[D\]"),
        ([[1, None], [2, 3]], r"X\[0, 1\] is None \(NoneType\)"),
        (np.array([[1, 2], ["a", 3]], dtype=object), r"X\[1, 0\] is 'a' \(str\)"),
        ([[Decimal(1)], [Decimal(2)]], r"X\[0, 0\] is Decimal\('1'\) \(Decimal\)"),
        (np.array([[1], [2]], dtype=object), r"convert it with X\.astype\(float\)"),
        ([[1, 2], [3]], "X cannot be read as an array: .*inhomogeneous"),
    ],
)
def test_what_is_no_matrix_is_refused(data, message):
    with pytest.raises(InputError, match=message):
        as_matrix(data, "X")


def test_ragged_rows_in_an_object_array_are_refused():
    ragged = np.empty(2, dtype=object)
    ragged[:] = [[1, 2], [3]]
    with pytest.raises(
        InputError, match=r"X\[0\] is \[1, 2\] \(list\)\. Rows of different lengths"
    ):
        as_matrix(ragged, "X")


@pytest.mark.parametrize("kind", ["csr_matrix", "coo_array"])
def test_a_sparse_matrix_is_refused(kind):
    sparse = getattr(pytest.importorskip("scipy.sparse"), kind)(np.eye(3))
    with pytest.raises(InputError, match=r"X is a sparse matrix; .*toarray\(\)"):
        as_matrix(sparse, "X")


def test_columns_that_are_not_numeric_are_named():
    frame = pandas().DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [1.0, 2.0]})
    frame["d"] = pandas().Categorical([1, 2])
    with pytest.raises(InputError, match=r"X has 2 of 4 columns .* 'b' \(.*'d' \(category\)"):
        as_matrix(frame, "X")


def test_many_columns_that_are_not_numeric_are_not_all_listed():
    frame = pandas().DataFrame([["x"] * 9, ["y"] * 9])
    with pytest.raises(InputError, match=r"9 of 9 columns .* 4 \(\w+\) and others"):
        as_matrix(frame, "X")


def test_a_masked_value_is_missed():
    with pytest.raises(InputError, match="row 1, column 0"):
        as_matrix(np.ma.masked_array([[0.0], [1.0]], mask=[[0], [1]]), "X")


def test_a_tensor_on_another_device_says_how_to_move_it():
    with pytest.raises(InputError, match=r"X cannot be read as an array: .*\.cpu\(\)"):
        as_matrix(torch().ones((2, 2), device="meta"), "X")


# --- blocks ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_rows", "n_columns"), [(1, 1), (7, 3), (9, 10), (10, 100)])
def test_blocks_cover_all_rows_in_order(n_rows, n_columns, monkeypatch):
    monkeypatch.setattr(arrays, "_BLOCK_VALUES", 10)
    rows = [row for block in blocks(n_rows, n_columns) for row in range(n_rows)[block]]
    assert rows == list(range(n_rows))
    assert all(
        (block.stop - block.start) * n_columns <= max(10, n_columns)
        for block in blocks(n_rows, n_columns)
    )


def test_rows_of_zeros(monkeypatch):
    monkeypatch.setattr(arrays, "_BLOCK_VALUES", 4)
    X = np.ones((7, 2))
    X[[1, 4, 6]] = 0
    X[5] = [0, 1e-300]
    assert zero_rows(X).tolist() == [1, 4, 6]
