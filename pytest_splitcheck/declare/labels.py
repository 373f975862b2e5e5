"""The door for labels: any hashable value per row, kept as the author wrote it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = [
    "as_labels",
    "encode",
    "in_order",
    "is_known",
    "known",
    "listed",
    "plain_label",
    "plain_text",
    "spelt",
]


_DATES = (np.datetime64, np.timedelta64)
"""These lose their unit as plain Python numbers, and stay as they are."""


def as_labels(labels: Any, what: str, n_rows: int) -> list[Hashable]:
    """Return one plain Python label per row.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        Labels by position; the index of a pandas object plays no part.
    what : str
        How the messages call them, such as ``"y"``.
    n_rows : int
        The number of rows that they belong to.

    Raises
    ------
    InputError
        If the length is wrong, or a label is missing (None, NaN, NA) or cannot be hashed.
    """
    if hasattr(labels, "detach"):
        labels = labels.detach()
    shape = getattr(labels, "shape", None)
    if shape is not None and len(shape) != 1:
        column = (
            f"{what}.ravel()" if hasattr(labels, "ravel") else f"{what}.squeeze()"
        )  # of a frame
        hint = "its argmax for one-hot labels" if shape[1:] > (1,) else column
        raise InputError(
            f"{what} must hold one label per row, shape ({n_rows},); its shape is {tuple(shape)}. "
            f"Pass {hint}."
        )
    if isinstance(labels, str | bytes | Set | Mapping) or not isinstance(labels, Iterable):
        raise InputError(f"{what} must hold one label per row; got {labels!r}.")
    dated = isinstance(labels, np.ndarray) and labels.dtype.kind in "mM"
    values = labels.tolist() if hasattr(labels, "tolist") and not dated else list(labels)
    if len(values) != n_rows:
        raise InputError(f"{what} has {len(values)} labels for {n_rows} rows.")
    missing: list[int] = []
    for row, value in enumerate(values):
        value = values[row] = plain_label(value)
        if _is_missing(value):
            missing.append(row)
            continue
        try:
            hash(value)
        except TypeError:
            raise InputError(
                f"{what}[{row}] is a {type(value).__name__}, which cannot be a label; "
                "use a string, a number or another hashable value."
            ) from None
    if missing:
        rows = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        others = f"{what.removesuffix('y')}X and {what}" if what.endswith("y") else "all columns"
        raise InputError(
            f"{what} has no label in {len(missing)} of {n_rows} rows: {rows}. Fill in what is missing, or drop "
            f"such rows from {others}."
        )
    return values


def plain_label(value: Any) -> Any:
    """Return a scalar of numpy or torch as the plain Python value, anything else as it is."""
    scalar = getattr(value, "shape", None) == () and not isinstance(value, _DATES)
    return value.item() if scalar else value


def plain_text(text: str) -> str:
    """Return `text` as a plain string that UTF-8 can hold: surrogates are spelled out."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")


def in_order(labels: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return the distinct labels in an order that does not depend on the order of rows."""
    distinct = set(labels)
    if not any(map(_has_set, distinct)):  # ordered in part only
        try:
            return tuple(sorted(distinct))  # type: ignore[type-var]
        except (TypeError, ValueError):  # a date of numpy's makes an array of a tuple
            pass
    return tuple(sorted(distinct, key=_text_key))


def _has_set(label: Hashable) -> bool:
    return isinstance(label, frozenset) or (isinstance(label, tuple) and any(map(_has_set, label)))


def _text_key(label: Hashable) -> tuple[str, str]:
    return type(label).__name__, spelt(label)


def spelt(label: object, one: Callable[[Any], str] = repr) -> str:
    """Return the text of a label; members of sets are in order, which is another in each process otherwise.

    Parameters
    ----------
    label : object
    one : callable
        Returns the text of what is neither a frozenset nor a tuple.
    """
    if type(label) is frozenset:
        members = ", ".join(sorted(spelt(member, one) for member in label))
        return f"frozenset({{{members}}})" if members else "frozenset()"
    if type(label) is tuple:
        return f"({', '.join(spelt(member, one) for member in label)}{',' * (len(label) == 1)})"
    return one(label)


def encode(labels: list[Hashable], classes: tuple[Hashable, ...]) -> npt.NDArray[np.intp]:
    """Return the position in `classes` of each label, shape (m,)."""
    position = {label: code for code, label in enumerate(classes)}
    return np.fromiter((position[label] for label in labels), dtype=np.intp, count=len(labels))


def is_known(label: Any, classes: Collection[Hashable]) -> bool:
    """Tell whether `label`, which may be of any kind, is one of `classes`."""
    try:
        return label in classes
    except (TypeError, ValueError):  # unhashable; an array, which compares by element
        return False


def known(label: Any, classes: Collection[Hashable], what: str) -> Hashable:
    """Return `label`, which the option `what` names, if it is one of `classes`.

    Raises
    ------
    InputError
        With the nearest class.
    """
    if is_known(label, classes):
        return label  # type: ignore[no-any-return]
    by_text = {str(other): other for other in classes}
    near = difflib.get_close_matches(str(label), by_text, n=1)
    raise InputError(
        f"{what} names {label!r}, which is not a class of y"
        + (f"; did you mean {by_text[near[0]]!r}?" if near else f": {listed(classes)}.")
    )


def listed(labels: Iterable[Hashable]) -> str:
    """Return labels for a message, the first ten of many."""
    shown = [spelt(label) for label in labels]
    return ", ".join(shown[:10]) + (f", ... ({len(shown)} in all)" if len(shown) > 10 else "")


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA has no truth value
        return True
    except ValueError:  # an array in the place of a label: not hashable, which the caller reports
        return False
