"""From what a file declares to the benchmark: its data are read here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.declare.data import Data, read_array, read_arrays, read_table
from pytest_splitcheck.declare.images import Tell, read_images
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.adapters import HighIsNormal, named_detectors
from pytest_splitcheck.measure.recorded import RecordedScores, read_scores
from pytest_splitcheck.nocode.declaration import Declaration
from pytest_splitcheck.nocode.schema import CLASS_SPLIT, kind_of_data
from pytest_splitcheck.nocode.standardise import standardised
from pytest_splitcheck.report.text import escape

__all__ = ["benchmark", "with_recorded"]

T = TypeVar("T")


def benchmark(declaration: Declaration, folder: Path, tell: Tell | None = None) -> ClassSplit:
    """Read the data and return the benchmark.

    Parameters
    ----------
    declaration : Declaration
    folder : Path
        What paths count from.
    tell : callable, optional
        Called as ``tell(stage, done, total)`` while images are read.

    Raises
    ------
    InputError
        That names the file of the declaration and, where one is to blame, the line of a key.
    """
    tables = declaration.tables
    data = _read(declaration, "data", folder, None, tell)
    train = _read(declaration, "train", folder, data, tell) if tables["train"] else None
    labels = _as_numbers(data, *([train] if train else []))
    options = {name: tables[""][name] for name in CLASS_SPLIT if name in tables[""]}
    X, pool = data.X, None if train is None else train.X
    try:
        if tables[""].get("standardise"):
            X, pool = standardised(X, pool)
            told = options.get("representation")
            options["representation"] = f"{told}, standardised" if told else "standardised"
        if train is not None:
            options["train"] = (pool, labels[1])
        split = ClassSplit(X, labels[0], **options)
    except InputError as error:
        raise InputError(f"{_blamed(declaration, str(error))}: {error}") from None
    split.features = data.columns
    return split


def with_recorded(declaration: Declaration, folder: Path, detectors: Any) -> Any:
    """Return detectors together with those whose scores were recorded, by name.

    Raises
    ------
    InputError
    """
    recorded = declaration.tables["recorded"]
    if not recorded:
        return detectors
    named = named_detectors(detectors)
    for name, given in recorded.items():
        place = declaration.place("recorded", name)
        if name in named:
            raise InputError(
                f"{place}: there is a detector {name!r} already, of detectors; call this one otherwise."
            )
        spec = given if isinstance(given, dict) else {"file": given}
        read = _scores(place, folder, spec["file"])
        named[name] = HighIsNormal(read) if spec.get("high_is_normal") else read
    return named


def _scores(place: str, folder: Path, shown: str) -> RecordedScores:
    return _at(lambda told: place, folder, shown, lambda path, told: read_scores(path))


def _read(
    declaration: Declaration, table: str, folder: Path, first: Data | None, tell: Tell | None
) -> Data:
    """Read ``[data]`` or ``[train]``, whose columns are those of `first` unless it says otherwise."""
    given = declaration.tables[table]
    kind = kind_of_data(given)

    def at(key: str, read: Callable[[Path, str], T]) -> T:
        return _at(partial(_place, declaration, table, key), folder, given[key], read)

    if kind == "npy":
        return Data(at("X", read_array), at("y", read_array))
    if kind == "images":
        size = tuple(given["size"]) if "size" in given else None
        mode = given.get("mode", "RGB")
        return at("folder", partial(read_images, size=size, mode=mode, tell=tell))
    read = at("file", partial(_from_file, given=given, first=first))
    if first is not None and read.columns and first.columns and read.columns != first.columns:
        raise InputError(
            f"{declaration.place(table, 'X')}: [train] must have the columns of [data], in the same order."
        )
    return read


def _from_file(path: Path, shown: str, given: Mapping[str, Any], first: Data | None) -> Data:
    X, y = given.get("X"), given.get("y", "y")
    try:
        if path.suffix.lower() == ".npz":
            return read_arrays(path, shown, X or "X", y)
        if X is None and first is not None:
            X = first.columns
        return read_table(path, shown, [X] if isinstance(X, str) else X, y)
    except InputError as error:
        if "y" in given or " has no column 'y'" not in str(error):
            raise
        raise InputError(f"{error} Name the column of the labels by y = '...'.") from None


def _at(place: Callable[[str], str], folder: Path, shown: str, read: Callable[[Path, str], T]) -> T:
    """Return what is read of a file, or tell where it was named that it cannot be read from."""
    printed = escape(shown)
    try:
        return read(folder / shown, printed)
    except InputError as error:
        raise InputError(f"{place(str(error))}: {error}") from None
    except FileNotFoundError:
        told = place("")
        home = told.partition(" line ")[0]
        raise InputError(
            f"{told}: there is no {printed}; paths count from the folder of {home}."
        ) from None
    except OSError as error:
        raise InputError(f"{place('')}: {printed} cannot be read: {error.strerror}.") from None


def _place(declaration: Declaration, table: str, key: str, told: str) -> str:
    """Return the place of the columns that `told` says are not there, else of the file."""
    for name in ("X", "y"):
        value = declaration.tables[table].get(name, [])
        entries = [value] if isinstance(value, str) else value
        lacks = any(f" has no column {entry!r}" in told for entry in entries)
        if lacks or (entries and told.startswith(f"{name} names ")):
            return declaration.place(table, name)
    return declaration.place(table, key)


def _as_numbers(*read: Data) -> list[Any]:
    """Return labels, as whole numbers where they are such in files that have text only.

    So they come in their order, and are equal to the numbers of other files.
    """
    texts = {label for one in read if one.untyped for label in one.y}
    if not all(re.fullmatch("0|-?[1-9][0-9]*", text) for text in texts):
        return [one.y for one in read]
    return [[int(label) for label in one.y] if one.untyped else one.y for one in read]


def _blamed(declaration: Declaration, told: str) -> str:
    """Return the place of what a message of `ClassSplit` begins with."""
    table = "train" if told.startswith("train ") else "data"
    word = told.removeprefix("train ").partition(" ")[0].partition("[")[0]
    for place in ((word,), (table, word), (table,)):
        if place in declaration.lines:
            return declaration.place(*place)
    return declaration.file
