"""Indexes of pandas objects: rows and labels go together by position, which indexes may contradict."""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Hashable
from typing import Any, Final

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["check_index"]

_SHORT: Final = reprlib.Repr()
_SHORT.maxother = 60  # a time with its zone


def check_index(X: Any, y: Any, what_X: str, what_y: str) -> None:
    """Refuse rows and labels whose indexes say that they do not go together as they stand.

    Anything but two objects of pandas has nothing to say.

    Parameters
    ----------
    X, y : array-like
        Of the same length.
    what_X, what_y : str
        How the messages call them.

    Raises
    ------
    InputError
        With the first row where they differ.
    """
    ours: Any = getattr(X, "index", None)
    theirs: Any = getattr(y, "index", None)
    if not (hasattr(ours, "equals") and hasattr(theirs, "equals")) or ours.equals(theirs):
        return
    rows, labels = list(ours), list(theirs)
    pairs = enumerate(zip(rows, labels, strict=True))
    row = next((row for row, pair in pairs if not _is_same(*pair)), None)
    if row is None:
        return
    # An index from 0 is what pandas gives whatever has none, such as the output of a transformer, or what
    # reset_index leaves, and says nothing against the other's. Two indexes of the author's own that name
    # different rows do, as where rows with missing values were dropped from each apart. So do the same labels
    # in another order: one of the two was shuffled without the other, or has a new index since; which of these
    # it is, and so which label belongs to a row, only the author knows.
    shuffled = Counter(rows) == Counter(labels)
    if not shuffled and (_is_default(rows) or _is_default(labels)):
        return
    how = "the same index in another order" if shuffled else "different indexes"
    raise InputError(
        f"{what_X} and {what_y} have {how}: row {row} is {_SHORT.repr(rows[row])} in {what_X}, "
        f"{_SHORT.repr(labels[row])} in {what_y}. "
        + _remedy(what_X, what_y, shuffled, len(set(labels)) == len(labels))
    )


def _remedy(what_X: str, what_y: str, shuffled: bool, unique: bool) -> str:
    if shuffled and unique:
        return (
            f"Pass {what_y} in the order of {what_X}, y.loc[X.index], if the index tells which label belongs to a "
            "row, y.to_numpy() if the position does."
        )
    first = "Pass" if shuffled else "Take the same rows of both, or pass"
    return f"{first} y.to_numpy() if the position tells which label belongs to a row."


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two labels are equal, or both missing."""
    try:
        return bool(one == other) or bool(one != one and other != other)
    except (TypeError, ValueError):  # pandas.NA has no truth value
        return one is other


def _is_default(index: list[Hashable]) -> bool:
    return all(_is_same(label, row) for row, label in enumerate(index))
