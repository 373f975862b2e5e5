"""Columns of a file: CSV, npz or parquet, none of which may run code of its own."""

from __future__ import annotations

import csv
import difflib
import io
import os
import zipfile
import zlib
from array import array
from collections.abc import Callable, Sequence
from typing import IO, Any, NamedTuple

import numpy as np

from pytest_splitcheck.declare.labels import listed
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["Columns", "Wanted", "lacking", "named", "read_columns"]

Columns = dict[str, Any]
Wanted = Callable[[Sequence[str]], list[str]]
"""Of the names that a file has, picks those that are wanted: the first may be text, the others are numbers."""


class _Told(NamedTuple):
    """What messages say of a file."""

    shown: str
    what: str
    hint: str


def read_columns(
    path: str | os.PathLike[str], wanted: Wanted, what: str, *, shown: str = "", hint: str = ""
) -> Columns:
    """Return columns by name.

    Parameters
    ----------
    path : str or path
    wanted : callable
        Picks the names; what it raises comes out.
    what : str
        What the file holds, for messages, such as ``"the scores"``.
    shown : str, optional
        How messages call the file; its path by default.
    hint : str, optional
        What to do about a value that is not a number, for messages.

    Raises
    ------
    InputError
        If the file is of another kind or damaged.
    OSError
        If it cannot be opened.
    """
    shown = shown or os.fspath(path)
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in _READERS:
        raise InputError(
            f"{shown} ends in none of {', '.join(_READERS)}: save {what} as one of them."
        )
    with open(path, "rb") as file:
        return _READERS[suffix](file, wanted, _Told(shown, what, hint))


def named(shown: str, needed: Sequence[str], optional: Sequence[str] = ()) -> Wanted:
    """Return what picks the columns of those names.

    Raises
    ------
    InputError
        If there is none or more than one of a name.
    """

    def wanted(names: Sequence[str]) -> list[str]:
        missing = [name for name in needed if name not in names]
        if missing:
            raise InputError(lacking(shown, missing, names))
        chosen = [*needed, *(name for name in optional if name in names)]
        twice = [name for name in chosen if list(names).count(name) > 1]
        if twice:
            raise InputError(f"{shown} has more than one column {twice[0]!r}.")
        return chosen

    return wanted


def lacking(shown: str, missing: Sequence[str], names: Sequence[str]) -> str:
    """Return the message for columns that a file does not have, with what is nearest."""
    hint = ""
    if len(names) == 1 and any(mark in names[0] for mark in ";\t"):
        hint = " Its values must be separated by commas."
    near = difflib.get_close_matches(missing[0], names, n=1) if len(missing) == 1 else []
    if near:
        hint += f" Did you mean {near[0]!r}?"
    return f"{shown} has no column {', '.join(map(repr, missing))}; it has {listed(names) or 'none'}.{hint}"


def _read_csv(file: IO[bytes], wanted: Wanted, told: _Told) -> Columns:
    with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines, strict=True)
        try:
            names = [name.strip() for name in next(reader, [])]
            if not reader.line_num:
                raise InputError(f"{told.shown} is empty; its first line must name the columns.")
            text, *numbers = wanted(names)
            columns: Columns = {text: [], **{name: array("d") for name in numbers}}
            place = {name: names.index(name) for name in columns}
            for fields in reader:
                if not fields:
                    continue  # an empty line
                if len(fields) != len(names):
                    raise InputError(
                        f"{told.shown}, line {reader.line_num}: {len(fields)} values for {len(names)} columns."
                    )
                columns[text].append(fields[place[text]])
                for name in numbers:
                    value = fields[place[name]]
                    try:
                        columns[name].append(float(value))
                    except ValueError:
                        printed = name if name.isprintable() else repr(name)
                        wrong = _not_a_number(value, told.hint, numeric=len(columns[name]) > 0)
                        raise InputError(
                            f"{told.shown}, line {reader.line_num}: {printed} {wrong}"
                        ) from None
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{told.shown}, after line {reader.line_num}: {error}.") from None
    return columns


def _not_a_number(value: str, hint: str, *, numeric: bool) -> str:
    """Return what is wrong with a value, and what to do; `numeric` if there are numbers above it."""
    without = ", or leave that row out" if hint else ""  # every row needs a score
    if not value.strip():
        return f"is empty; fill it in{without}."
    if numeric:
        hint = f" The lines above have numbers there: correct it{without}."
    return f"is {value!r}, not a number.{hint}"


def _read_npz(file: IO[bytes], wanted: Wanted, told: _Told) -> Columns:
    try:
        arrays = np.load(file, allow_pickle=False)
        if not hasattr(arrays, "files"):
            raise InputError(
                f"{told.shown} holds one array without a name; save it by numpy.savez."
            )
        return {name: arrays[name] for name in wanted(arrays.files)}
    except InputError:
        raise
    except (ValueError, EOFError, OSError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        if "pickle" in str(error):
            raise InputError(
                f"{told.shown} holds pickled objects, and nothing is ever unpickled; save {told.what} as numbers "
                "and text (array.astype(str)) by numpy.savez."
            ) from None
        raise InputError(f"{told.shown} cannot be read as npz: {error}") from None


def _read_parquet(file: IO[bytes], wanted: Wanted, told: _Told) -> Columns:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise InputError(
            f"{told.shown}: to read parquet, install pyarrow (pip install pyarrow), or save {told.what} as CSV "
            "or npz."
        ) from None
    try:
        names = parquet.read_schema(file).names
        text, *numbers = wanted(names)
        table = parquet.read_table(file, columns=[text, *numbers])
        return {
            text: table.column(text).to_pylist(),
            **{name: _numbers(table.column(name)) for name in numbers},
        }
    except (ArrowException, OSError) as error:
        raise InputError(f"{told.shown} cannot be read as parquet: {error}") from None


def _numbers(column: Any) -> Any:
    """Return a column as numpy has it, where missing numbers are NaN; a list if it is not of numbers."""
    from pyarrow import types

    tests = (types.is_integer, types.is_floating, types.is_boolean)
    is_numeric = any(test(column.type) for test in tests)
    return column.to_numpy() if is_numeric else column.to_pylist()


_READERS: dict[str, Callable[[IO[bytes], Wanted, _Told], Columns]] = {
    ".csv": _read_csv,
    ".npz": _read_npz,
    ".parquet": _read_parquet,
}
