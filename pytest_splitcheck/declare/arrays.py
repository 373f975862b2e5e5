"""The door for data: whatever holds numbers becomes an (m, d) array, without a copy where it can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = [
    "as_matrix",
    "as_shaped_matrix",
    "blocks",
    "check_cosine",
    "check_order",
    "check_width",
    "feature_names",
    "zero_rows",
]

Matrix = npt.NDArray[Any]

_BLOCK_VALUES = 1 << 21
"""Values looked at in one go: 16 MiB as float64."""


_LARGEST_INTEGER = 2**53


def blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield slices over `n_rows` rows that hold about two million values each."""
    step = max(1, _BLOCK_VALUES // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def as_matrix(data: object, what: str) -> Matrix:
    """Return `data` as a finite numeric array of one row per sample.

    Parameters
    ----------
    data : array-like of shape (m, ...)
        numpy array (memory-mapped and read-only ones too), pandas frame or series, torch tensor on
        the CPU, or nested lists. Further axes are flattened.
    what : str
        How the messages call it, such as ``"X"``.

    Returns
    -------
    ndarray of shape (m, d)
        Boolean, integer or real; a view of `data` where numpy allows it. The type is kept: whoever
        computes with it casts first.

    Raises
    ------
    InputError
        If `data` is empty, not numeric, or has a value that is NaN or infinite.
    """
    return as_shaped_matrix(data, what)[0]


def as_shaped_matrix(data: object, what: str) -> tuple[Matrix, tuple[int, ...]]:
    """Return what `as_matrix` does, and the shape that each row had: ``(d,)``, or that of an image."""
    array = _as_array(data, what)
    if array.ndim == 0:
        raise InputError(f"{what} must have one row per sample; got {_kind(data)}.")
    if array.size == 0:
        raise InputError(f"{what} is empty: its shape is {array.shape}.")
    if array.dtype.kind not in "biuf":
        raise InputError(_not_numeric(array, what))
    matrix = array.reshape(len(array), -1)
    if matrix.dtype.kind == "f":
        if matrix.dtype.itemsize > 8:
            with np.errstate(over="ignore"):  # what becomes infinite is refused as such
                matrix = matrix.astype(np.float64)
        _check_finite(matrix, what, feature_names(data))
    elif matrix.dtype.itemsize == 8:
        _check_exact(matrix, what)
    return matrix, array.shape[1:]


def feature_names(data: object) -> tuple[str, ...] | None:
    """Return what the columns of a frame are called, if each has a name of its own, which is text."""
    columns = getattr(data, "columns", None)
    names = () if columns is None or callable(columns) else tuple(columns)
    if not names or not all(isinstance(name, str) for name in names):
        return None
    return tuple(map(str, names)) if len(set(names)) == len(names) else None


def check_order(X: Any, y: Any) -> None:
    """Refuse labels in the place of rows, and rows in the place of labels, where shapes tell.

    Raises
    ------
    InputError
    """
    rows, labels = (getattr(one, "shape", None) for one in (X, y))
    if rows is None or labels is None or len(rows) != 1 or len(labels) < 2 or labels[1] < 2:
        return
    raise InputError(
        f"X and y look swapped: X has shape {tuple(rows)}, and y {tuple(labels)}. The rows come first, "
        "then one label for each: ClassSplit(X, y). One-hot labels go as their argmax."
    )


def check_width(pool: Matrix, width: int) -> None:
    """Refuse a training pool whose rows have not as many values as those of `X`.

    Raises
    ------
    InputError
    """
    if pool.shape[1] != width:
        raise InputError(f"train X has {pool.shape[1]} values per row, X has {width}.")


def check_cosine(matrix: Matrix, what: str, kept: npt.NDArray[np.intp] | None = None) -> None:
    """Refuse rows of zeros, which have no direction; messages number rows by `kept`.

    Raises
    ------
    InputError
        With the number of such rows and the first of them.
    """
    zeros = zero_rows(matrix)
    if len(zeros):
        first = zeros[0] if kept is None else kept[zeros[0]]
        raise InputError(
            f"{what} has {len(zeros)} {'row' if len(zeros) == 1 else 'rows'} of zeros "
            f"(the first is row {first}), for which the cosine distance is undefined; "
            "drop them or use metric='euclidean'."
        )


def zero_rows(matrix: Matrix) -> npt.NDArray[np.intp]:
    """Return the indices of the rows of `matrix`, shape (m, d), that hold only zeros."""
    found = [
        np.flatnonzero(~matrix[rows].any(axis=1)) + rows.start for rows in blocks(*matrix.shape)
    ]
    return np.concatenate(found)


def _as_array(data: object, what: str) -> Matrix:
    if hasattr(data, "tocsr"):
        raise InputError(f"{what} is a sparse matrix; make it dense with its toarray().")
    if isinstance(data, np.ma.MaskedArray):
        return data.data if not data.mask.any() else np.ma.filled(data.astype(np.float64), np.nan)
    if hasattr(data, "to_numpy"):
        return _from_frame(data, what)
    if hasattr(data, "detach") and hasattr(data, "numpy"):
        data = data.detach()
        if "bfloat16" in str(getattr(data, "dtype", "")):
            data = data.float()  # type: ignore[attr-defined]
    try:
        return np.asarray(data)
    except (TypeError, ValueError, RuntimeError) as error:
        hint = "; move it with .cpu()" if hasattr(data, "device") else ""
        raise InputError(f"{what} cannot be read as an array: {error}{hint}") from None


def _from_frame(data: Any, what: str) -> Matrix:
    """Read a pandas object by position; nullable columns give NaN for their missing values."""
    dtypes = list(data.dtypes) if hasattr(data, "columns") else [data.dtype]
    columns = list(data.columns) if hasattr(data, "columns") else [getattr(data, "name", None)]
    wrong = [
        f"{column!r} ({dtype})"
        for column, dtype in zip(columns, dtypes, strict=True)
        if getattr(dtype, "kind", "f") not in "biuf"
    ]
    if wrong:
        raise InputError(
            f"{what} has {len(wrong)} of {len(columns)} columns that are not numeric: "
            f"{', '.join(wrong[:5])}{' and others' if len(wrong) > 5 else ''}. Encode or drop them."
        )
    try:
        if all(isinstance(dtype, np.dtype) for dtype in dtypes):
            return np.asarray(data.to_numpy(dtype=np.result_type(*dtypes)))
        return np.asarray(data.to_numpy(dtype=np.float64, na_value=np.nan))
    except TypeError:  # not of pandas: its to_numpy takes other arguments
        return np.asarray(data.to_numpy())


def _not_numeric(array: Matrix, what: str) -> str:
    if array.dtype.kind == "O":
        for position in np.ndindex(array.shape):
            value = array[position]
            if not isinstance(value, int | float | np.number):
                place = ", ".join(map(str, position))
                return (
                    f"{what} is an array of objects, not of numbers: {what}[{place}] is "
                    f"{_kind(value)}. Rows of different lengths and mixed columns give this too."
                )
        return f"{what} is an array of objects; convert it with {what}.astype(float)."
    return f"{what} has dtype {array.dtype}; the values must be real numbers."


def _check_finite(matrix: Matrix, what: str, names: Sequence[str] | None) -> None:
    count, first = 0, None
    for rows in blocks(*matrix.shape):
        finite = np.isfinite(matrix[rows])
        if finite.all():
            continue
        bad = np.argwhere(~finite)
        count += len(bad)
        if first is None:
            first = (rows.start + int(bad[0, 0]), int(bad[0, 1]))
    if first is not None:
        column = first[1] if names is None else repr(names[first[1]])
        raise InputError(
            f"{what} has {count} {'value' if count == 1 else 'values'} that {'is' if count == 1 else 'are'} "
            f"NaN or infinite, the first in row {first[0]}, column {column} ({matrix[first]}). "
            "Impute or drop such rows before the benchmark is declared."
        )


def _check_exact(matrix: Matrix, what: str) -> None:
    for rows in blocks(*matrix.shape):
        block = matrix[rows]
        if block.max() > _LARGEST_INTEGER or block.min() < -_LARGEST_INTEGER:
            raise InputError(
                f"{what} has whole numbers beyond 2**53, which float64 cannot tell apart, in rows "
                f"{rows.start} to {rows.stop - 1}; subtract an offset before the benchmark is declared."
            )


def _kind(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 40 else text[:37] + '...'} ({type(value).__name__})"
