"""How values are written as JSON, and checked as they are read: each kind of value once.

What a file says is never taken for granted: a value is of its kind, within its range and of its shape, or the
whole file counts for nothing. Labels, which an author may choose of any type, are never written, but their
positions among the labels of the benchmark.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from pytest_splitcheck.cache.outline import Outline

__all__ = [
    "FLAG",
    "REAL",
    "ROWS",
    "Field",
    "array",
    "by_label",
    "listed",
    "maybe",
    "record",
    "row",
    "sure",
    "whole",
]


@dataclass(frozen=True, slots=True)
class Field:
    """A kind of value.

    Attributes
    ----------
    write : callable
        Returns what `json.dumps` takes for a value of a benchmark; raises an error for one that would not come
        back equal and of the same type.
    read : callable
        Returns the value for what `json.loads` gave; raises an error if it is none of this kind.
    """

    write: Callable[[Any, Outline], Any]
    read: Callable[[Any, Outline], Any]


def sure(holds: object) -> None:
    """Raise ValueError if something does not hold."""
    if not holds:
        raise ValueError("not a value of this kind")


def _real(value: Any, outline: Outline) -> float:
    sure(isinstance(value, float) and not math.isnan(value))
    return float(value)


REAL: Final = Field(_real, _real)
"""A float, but not NaN; JSON has all its digits."""


def whole(low: int = 0, below: int | str = 2**63) -> Field:
    """Return the kind of an int in a range, whose end may be that of an `Outline`."""

    def same(value: Any, outline: Outline) -> int:
        sure(type(value) is int and low <= value < outline.size(below))
        return int(value)

    return Field(same, same)


def _flag(value: Any, outline: Outline) -> bool:
    sure(isinstance(value, bool))
    return bool(value)


FLAG: Final = Field(_flag, _flag)


def maybe(field: Field) -> Field:
    """Return the kind of a value that may be None."""
    return Field(
        lambda value, outline: None if value is None else field.write(value, outline),
        lambda given, outline: None if given is None else field.read(given, outline),
    )


def listed(field: Field, make: Callable[[list[Any]], Any] = list) -> Field:
    """Return the kind of any number of values; of a list, unless `make` says otherwise."""

    def write(values: Any, outline: Outline) -> list[Any]:
        in_order = sorted(values) if isinstance(values, set) else values
        return [field.write(one, outline) for one in in_order]

    def read(given: Any, outline: Outline) -> Any:
        sure(isinstance(given, list))
        return make([field.read(one, outline) for one in given])

    return Field(write, read)


def row(*fields: Field, make: Callable[[tuple[Any, ...]], Any] = tuple) -> Field:
    """Return the kind of one value of each kind; of a tuple, unless `make` says otherwise."""

    def write(values: Any, outline: Outline) -> list[Any]:
        return [one.write(value, outline) for one, value in zip(fields, values, strict=True)]

    def read(given: Any, outline: Outline) -> Any:
        sure(isinstance(given, list))
        pairs = zip(fields, given, strict=True)
        return make(tuple(one.read(value, outline) for one, value in pairs))

    return Field(write, read)


def by_label(among: Literal["classes", "held_out"], field: Field, *, every: bool = False) -> Field:
    """Return the kind of a dictionary whose keys are labels of a benchmark; with `every`, all of them."""

    def write(values: Any, outline: Outline) -> list[Any]:
        place = {label: number for number, label in enumerate(getattr(outline, among))}
        return [[place[label], field.write(value, outline)] for label, value in values.items()]

    def read(given: Any, outline: Outline) -> dict[Hashable, Any]:
        labels = getattr(outline, among)
        pairs = listed(row(whole(0, len(labels)), field)).read(given, outline)
        found = {labels[number]: value for number, value in pairs}
        sure(len(found) == len(pairs) and (not every or len(found) == len(labels)))
        return found

    return Field(write, read)


_TYPE: Final = {"float": np.dtype(np.float64), "int": np.dtype(np.intp), "bool": np.dtype(bool)}
_CODES: Final = {"float": ("<f8",), "int": ("<i4", "<i8"), "bool": ("|b1",)}


def array(
    kind: Literal["float", "int", "bool"],
    *shape: int | str | None,
    low: int = 0,
    below: int | str = 2**62,
) -> Field:
    """Return the kind of an array, whose bytes are written in base 64.

    Parameters
    ----------
    kind : "float", "int" or "bool"
        float64, the integers that index, bool.
    *shape : int, str or None
        Lengths, which may be those of an `Outline`; None is any.
    low, below : int or str
        The range of integers.
    """

    def check(values: Any, outline: Outline) -> None:
        for length, wanted in zip(values.shape, shape, strict=True):
            sure(wanted is None or length == outline.size(wanted))
        if kind == "int" and values.size:
            sure(low <= values.min() and values.max() < outline.size(below))

    def write(values: Any, outline: Outline) -> list[Any]:
        sure(isinstance(values, np.ndarray) and values.dtype == _TYPE[kind])
        check(values, outline)
        code = _CODES[kind][0 if outline.size(below) < 2**31 else -1]
        data = base64.b64encode(values.astype(code).tobytes()).decode("ascii")
        return [code, list(values.shape), data]

    def read(given: Any, outline: Outline) -> Any:
        code, lengths, data = given
        sure(code in _CODES[kind] and all(type(one) is int and one >= 0 for one in lengths))
        stored = np.frombuffer(base64.b64decode(data, validate=True), dtype=code)
        sure(len(stored) == math.prod(lengths))
        if kind == "bool":
            sure((stored.view(np.uint8) <= 1).all())
        values = stored.reshape(lengths).astype(_TYPE[kind])
        check(values, outline)
        return values

    return Field(write, read)


def _rows() -> Field:
    some = array("int", None, below="m")

    def write(values: Any, outline: Outline) -> list[Any] | None:
        given: list[Any] = some.write(values, outline)
        return None if np.array_equal(values, np.arange(outline.m)) else given

    def read(given: Any, outline: Outline) -> Any:
        return np.arange(outline.m) if given is None else some.read(given, outline)

    return Field(write, read)


ROWS: Final = _rows()
"""Numbers of evaluation rows; null for all of them in order."""


def record(
    attributes_of: Callable[[Any], Mapping[str, Any]],
    make: Callable[..., Any],
    fields: Mapping[str, Field],
    known: Mapping[str, str] | None = None,
) -> Field:
    """Return the kind of an object of which every attribute has a kind, or is known from the benchmark.

    Parameters
    ----------
    attributes_of : callable
        Returns the attributes of an object by name.
    make : callable
        Takes such attributes as keywords and returns the object; raises an error if they do not go together.
    fields : mapping
    known : mapping from str to str, optional
        Attributes that an `Outline` has too, and what they are called there.
    """
    known = known or {}

    def write(value: Any, outline: Outline) -> dict[str, Any]:
        attributes = attributes_of(value)
        sure(attributes.keys() == fields.keys() | known.keys())
        return {name: one.write(attributes[name], outline) for name, one in fields.items()}

    def read(given: Any, outline: Outline) -> Any:
        sure(isinstance(given, dict) and given.keys() == fields.keys())
        found = {name: one.read(given[name], outline) for name, one in fields.items()}
        return make(**found, **{name: getattr(outline, its) for name, its in known.items()})

    return Field(write, read)
