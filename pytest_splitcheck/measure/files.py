"""Columns of a file: CSV, npz or parquet, none of which may run code of its own."""

from __future__ import annotations

import csv
import io
import os
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import IO, Any

import numpy as np

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["read_columns"]

Columns = dict[str, Any]
Wanted = Callable[[Sequence[str]], list[str]]
"""Of the names that a file has, picks those that are wanted."""


def read_columns(
    path: str | os.PathLike[str], needed: Sequence[str], optional: Sequence[str]
) -> Columns:
    """Return the columns of those names; the first of `needed` is text or numbers, the others numbers.

    Raises
    ------
    InputError
        If the file is of another kind, is damaged, or lacks a column.
    OSError
        If it cannot be opened.
    """
    shown = os.fspath(path)
    suffix = os.path.splitext(shown)[1].lower()
    if suffix not in _READERS:
        raise InputError(
            f"{shown} is neither {', '.join(_READERS)}: save the scores as one of them."
        )

    def wanted(names: Sequence[str]) -> list[str]:
        missing = [name for name in needed if name not in names]
        if missing:
            hint = ""
            if len(names) == 1 and any(mark in names[0] for mark in ";\t"):
                hint = " Its values must be separated by commas."
            raise InputError(
                f"{shown} has no column {', '.join(map(repr, missing))}; it has "
                f"{', '.join(map(repr, names)) or 'none'}.{hint}"
            )
        chosen = [*needed, *(name for name in optional if name in names)]
        twice = [name for name in chosen if list(names).count(name) > 1]
        if twice:
            raise InputError(f"{shown} has more than one column {twice[0]!r}.")
        return chosen

    with open(path, "rb") as file:
        return _READERS[suffix](file, shown, wanted)


def _read_csv(file: IO[bytes], shown: str, wanted: Wanted) -> Columns:
    with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines, strict=True)
        try:
            names = [name.strip() for name in next(reader, [])]
            text, *numbers = wanted(names)
            columns: Columns = {name: [] for name in (text, *numbers)}
            place = {name: names.index(name) for name in columns}
            for fields in reader:
                if not fields:
                    continue  # an empty line
                if len(fields) != len(names):
                    raise InputError(
                        f"{shown}, line {reader.line_num}: {len(fields)} values for {len(names)} columns."
                    )
                columns[text].append(fields[place[text]])
                for name in numbers:
                    value = fields[place[name]]
                    try:
                        columns[name].append(float(value))
                    except ValueError:
                        raise InputError(
                            f"{shown}, line {reader.line_num}: {name} is {value!r}, not a number."
                        ) from None
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{shown}, after line {reader.line_num}: {error}.") from None
    return columns


def _read_npz(file: IO[bytes], shown: str, wanted: Wanted) -> Columns:
    try:
        arrays = np.load(file, allow_pickle=False)
        if not hasattr(arrays, "files"):
            raise InputError(f"{shown} holds one array without a name; save it by numpy.savez.")
        return {name: arrays[name] for name in wanted(arrays.files)}
    except InputError:
        raise
    except (ValueError, EOFError, OSError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        if "pickle" in str(error):
            raise InputError(
                f"{shown} holds pickled objects, and nothing is ever unpickled; save its columns as numbers "
                "and text (array.astype(str)) by numpy.savez."
            ) from None
        raise InputError(f"{shown} cannot be read as npz: {error}") from None


def _read_parquet(file: IO[bytes], shown: str, wanted: Wanted) -> Columns:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise InputError(
            f"{shown}: to read parquet, install pyarrow (pip install pyarrow), or save the scores as CSV "
            "or npz."
        ) from None
    try:
        names = parquet.read_schema(file).names
        chosen = wanted(names)
        table = parquet.read_table(file, columns=chosen)
        return {name: table.column(name).to_pylist() for name in chosen}
    except (ArrowException, OSError) as error:
        raise InputError(f"{shown} cannot be read as parquet: {error}") from None


_READERS = {".csv": _read_csv, ".npz": _read_npz, ".parquet": _read_parquet}
