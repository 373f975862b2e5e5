"""Rows and labels from files: tables, arrays of numpy, folders of images. Nothing is ever unpickled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.columns import Columns, lacking, named, read_columns
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["Data", "read_array", "read_arrays", "read_table"]

_INDEX = ("", "__index_level_0__")
"""What pandas calls the column of its index in a CSV and in a parquet file."""

_HINT = " Name the columns that are numbers by X, such as X = ['width', 'pixel*']."


@dataclass(frozen=True, slots=True)
class Data:
    """Rows and their labels, as a file has them.

    Attributes
    ----------
    X : array of shape (m, ...)
    y : array or list of length m
    columns : tuple of str, optional
        What the values of a row are, where a file tells.
    untyped : bool, default False
        The labels are text because that is all there is where they come from.
    """

    X: Any
    y: Any
    columns: tuple[str, ...] | None = None
    untyped: bool = False


def read_arrays(path: Path, shown: str, X: str, y: str) -> Data:
    """Read the arrays `X` and `y` of an npz file; messages call it `shown`.

    Raises
    ------
    InputError
    OSError
    """
    columns = read_columns(path, named(shown, [y, X]), "the arrays", shown=shown)
    return Data(columns[X], columns[y])


def read_table(path: Path, shown: str, X: Sequence[str] | None, y: str) -> Data:
    """Read a CSV or parquet file with a column for each value of a row.

    Parameters
    ----------
    path : Path
    shown : str
        What messages call the file.
    X : sequence of str or None
        Names of columns; one that ends in ``*`` stands for all columns, but `y`, that begin so. None: all
        columns but `y`.
    y : str
        The column of the labels, which are text where the file is CSV.

    Raises
    ------
    InputError
        If a column is not there, or not of numbers.
    OSError
    """

    def wanted(names: Sequence[str]) -> list[str]:
        named(shown, [y])(names)
        chosen = _all_but(names, y, shown) if X is None else _chosen(names, X, y, shown)
        return named(shown, [y, *chosen])(names)

    columns = read_columns(path, wanted, "the table", shown=shown, hint=_HINT)
    labels = columns.pop(y)
    _check_numbers(columns, shown)
    untyped = path.suffix.lower() == ".csv"
    return Data(np.column_stack(list(columns.values())), labels, tuple(columns), untyped)


def read_array(path: Path, shown: str) -> npt.NDArray[Any]:
    """Read an npy file, which stays on the disk until it is used.

    Raises
    ------
    InputError
    OSError
    """
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        if "pickle" in str(error) or "object" in str(error):
            raise InputError(
                f"{shown} holds pickled objects, and nothing is ever unpickled; save it as numbers or "
                "text (array.astype(str)) by numpy.save."
            ) from None
        raise InputError(f"{shown} cannot be read as npy: {error}") from None
    if not isinstance(array, np.ndarray):
        raise InputError(f"{shown} holds several arrays; call it .npz and name it by file.")
    return array


def _all_but(names: Sequence[str], y: str, shown: str) -> list[str]:
    chosen = [name for name in names if name != y]
    if not chosen:
        raise InputError(f"{shown} has no column but {y!r}, the labels.")
    if any(name in _INDEX for name in chosen):
        raise InputError(
            f"{shown} has a column without a name, as where pandas saved its index, which would count as a "
            "value of each row. Save it without (index=False), or name the columns by X."
        )
    return chosen


def _chosen(names: Sequence[str], X: Sequence[str], y: str, shown: str) -> list[str]:
    chosen: list[str] = []
    for entry in X:
        if entry == y:
            raise InputError(f"X names {y!r}, the column of the labels.")
        if entry in names or not entry.endswith("*"):
            found = [entry]
        else:
            found = [name for name in names if name.startswith(entry[:-1]) and name != y]
        missing = [name for name in found if name not in names] or ([] if found else [entry])
        if missing:
            raise InputError(lacking(shown, missing, names))
        chosen += found
    twice = [name for name in chosen if chosen.count(name) > 1]
    if twice:
        raise InputError(f"X names the column {twice[0]!r} more than once.")
    if not chosen:
        raise InputError("X names no column.")
    return chosen


def _check_numbers(columns: Columns, shown: str) -> None:
    wrong = [name for name, values in columns.items() if isinstance(values, list)]
    if wrong:
        told = ", ".join(map(repr, wrong[:5])) + (" and others" if len(wrong) > 5 else "")
        raise InputError(
            f"{shown} has {len(wrong)} of {len(columns)} columns that are not of numbers: {told}.{_HINT}"
        )
