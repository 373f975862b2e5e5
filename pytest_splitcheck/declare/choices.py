"""The options of a declaration that are a word, a number or a name: checked, each refused by its own name."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytest_splitcheck.declare.labels import plain_text
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["as_folds", "as_text", "one_of", "representation_name"]

_LONGEST_STEP = 40


def as_text(value: object, what: str) -> str | None:
    """Return a text, or None where there is none."""
    if value is None:
        return None
    if isinstance(value, str):
        return plain_text(value)
    raise InputError(f"{what} must be a string; got {value!r}.")


def one_of(value: object, allowed: tuple[str, ...], what: str) -> str:
    """Return one of the words that are allowed."""
    if isinstance(value, str) and value in allowed:
        return str(value)
    raise InputError(f"{what} must be {' or '.join(map(repr, allowed))}; got {value!r}.")


def representation_name(representation: Any) -> str | None:
    """Return what reports call a representation; a pipeline by its steps."""
    if representation is None or isinstance(representation, str):
        return as_text(representation, "representation")
    if isinstance(representation, type) or not (
        callable(getattr(representation, "fit", None))
        and callable(getattr(representation, "transform", None))
    ):
        raise InputError(
            "representation must be a label for the report, or an object with fit(X) and "
            f"transform(X); got {representation!r}."
        )
    steps = [step for _, step in getattr(representation, "steps", [])] or [representation]
    return " + ".join(map(_step_name, steps))


def _step_name(step: Any) -> str:
    """Return an estimator with its parameters, as scikit-learn writes it, or the name of its type."""
    try:
        written = " ".join(repr(step).split()) if hasattr(step, "get_params") else ""
    except Exception:  # a foreign __repr__
        written = ""
    fits = 0 < len(written) <= _LONGEST_STEP and not written.startswith("<")
    return plain_text(written if fits else type(step).__name__)


def as_folds(folds: object, n_rows: int | None) -> int:
    """Return the number of folds of `n_rows` rows; None where none are needed."""
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise InputError(f"folds must be a whole number of 2 or more; got {folds!r}.")
    if n_rows is not None and folds > n_rows:
        raise InputError(f"folds is {folds}, but X has {n_rows} rows only.")
    return int(folds)
