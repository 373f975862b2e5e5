"""The declaration of a class-split benchmark."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.arrays import Matrix, as_matrix, blocks, zero_rows
from pytest_splitcheck.declare.labels import as_labels, encode, in_order, plain_label, plain_text
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["ClassSplit", "HeldOut", "TrainingPool"]

_LONGEST_STEP = 40

METRICS: Final = ("euclidean", "cosine")


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One split: the class, or the classes together, that play the anomaly.

    Attributes
    ----------
    label : hashable
        The class as the author wrote it; a tuple of classes for a group.
    codes : tuple of int
        Their positions in ``ClassSplit.classes``.
    """

    label: Hashable
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TrainingPool:
    """Rows that only serve to fit detectors.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    codes : ndarray of shape (n,)
        Class of each row as a position in ``ClassSplit.classes``; classes that the evaluation set
        lacks are numbered behind them.
    """

    X: Matrix
    codes: npt.NDArray[np.intp]


class ClassSplit:
    """A benchmark that takes some classes of a labelled data set as normal and one as the anomaly.

    For each held-out class, detectors are fitted on the training pool without that class and score
    the whole evaluation set, in which the held-out class is positive (Ascárate et al.,
    arXiv 2606.02601).

    Parameters
    ----------
    X : array-like of shape (m, ...)
        The evaluation set: numpy array, pandas frame, torch tensor on the CPU, nested lists, memory
        map. Boolean, integer or real; further axes are flattened per row. Not copied.
    y : array-like of shape (m,)
        Labels of any hashable kind, taken by position.
    train : tuple of (X_train, y_train), optional
        The training pool, disjoint from `X`. Without it the detectors are cross-fitted over
        stratified folds of the evaluation set, so that none scores a row that it was fitted on.
    name : str, optional
        What reports call the benchmark; the name of the fixture by default.
    representation : str or transformer, optional
        A label for the report (``"pixels"``), or an object with ``fit(X)`` and ``transform(X)``: a
        copy of it is fitted on each split's normal pool only, and everything is measured on what it
        returns.
    metric : {"euclidean", "cosine"}, default "euclidean"
        Distance between rows, for leakage and for the neighbour-based detectors. ``"cosine"`` is the
        Euclidean distance between rows scaled to unit length.
    held_out : list, optional
        The classes to hold out in turn; a tuple, list or set of classes within it is a group that is
        held out together. Every class in turn by default.
    folds : int, default 5
        Number of folds where there is no training pool.

    Raises
    ------
    InputError
        If anything of the above cannot be measured: what, where and what to do.

    Examples
    --------
    >>> from pytest_splitcheck import ClassSplit
    >>> ClassSplit([[0.0], [0.1], [5.0], [5.1]], ["a", "a", "b", "b"], folds=2)
    ClassSplit(m=4, d=1, classes=['a', 'b'], folds=2)
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        train: tuple[Any, Any] | None = None,
        name: str | None = None,
        representation: Any = None,
        metric: Literal["euclidean", "cosine"] = "euclidean",
        held_out: Iterable[Any] | None = None,
        folds: int = 5,
    ) -> None:
        self.X: Final = as_matrix(X, "X")
        labels = as_labels(y, "y", len(self.X))
        self.classes: Final = in_order(labels)
        if len(self.classes) < 2:
            raise InputError(
                f"y has one class only ({self.classes[0]!r}); a class split needs two or more."
            )
        self.codes: Final = encode(labels, self.classes)
        self.train: Final = None if train is None else self._as_pool(train)
        self.held_out: Final = _as_held_out(held_out, self.classes)
        self.name: Final = _as_text(name, "name")
        self.metric: Final = _one_of(metric, METRICS, "metric")
        self.transformer: Final[Any] = None if isinstance(representation, str) else representation
        self.representation: Final = _representation_name(representation)
        self.folds: Final = _as_folds(folds, None if self.train else len(self.X))
        if self.metric == "cosine" and self.transformer is None:
            check_cosine(self.X, "X")
            if self.train is not None:
                check_cosine(self.train.X, "train X")

    @property
    def counts(self) -> tuple[int, ...]:
        """Number of evaluation rows of each of `classes`."""
        return tuple(np.bincount(self.codes, minlength=len(self.classes)).tolist())

    @property
    def fingerprint(self) -> str:
        """Hexadecimal digest of the data, the labels and the declared options, transformer excluded.

        Taken anew each time: the data are not copied, and may have changed.
        """
        digest = hashlib.sha256()
        parts = [self.X] if self.train is None else [self.X, self.train.X]
        for part in parts:
            digest.update(f"{part.dtype.str}{part.shape}".encode())
            for rows in blocks(*part.shape):
                digest.update(np.ascontiguousarray(part[rows]).tobytes())
        codes = [self.codes] if self.train is None else [self.codes, self.train.codes]
        for code in codes:
            digest.update(code.astype("<i8").tobytes())
        options = (self.classes, self.name, self.representation, self.metric, self.folds)
        digest.update(repr((options, self.held_out)).encode())
        return digest.hexdigest()[:32]

    def __repr__(self) -> str:
        shown = {
            "name": self.name,
            "representation": self.representation,
            "m": len(self.X),
            "d": self.X.shape[1],
            "classes": list(self.classes),
            "train": None if self.train is None else len(self.train.X),
            "metric": None if self.metric == "euclidean" else self.metric,
            "folds": self.folds if self.train is None else None,
        }
        return f"ClassSplit({', '.join(f'{k}={v!r}' for k, v in shown.items() if v is not None)})"

    def _as_pool(self, train: Any) -> TrainingPool:
        if not isinstance(train, tuple | list) or len(train) != 2:
            raise InputError("train must be a pair (X_train, y_train).")
        matrix = as_matrix(train[0], "train X")
        if matrix.shape[1] != self.X.shape[1]:
            raise InputError(
                f"train X has {matrix.shape[1]} values per row, X has {self.X.shape[1]}."
            )
        labels = as_labels(train[1], "train y", len(matrix))
        if set(labels).isdisjoint(self.classes):
            raise InputError(
                f"train y and y have no class in common: {_listed(in_order(labels))} against "
                f"{_listed(self.classes)}; use the same labels, of the same type, in both."
            )
        extra = in_order(set(labels) - set(self.classes))
        return TrainingPool(matrix, encode(labels, self.classes + extra))


def check_cosine(matrix: Matrix, what: str) -> None:
    """Refuse rows of zeros, which have no direction.

    Raises
    ------
    InputError
        With the number of such rows and the first of them.
    """
    zeros = zero_rows(matrix)
    if len(zeros):
        raise InputError(
            f"{what} has {len(zeros)} {'row' if len(zeros) == 1 else 'rows'} of zeros "
            f"(the first is row {zeros[0]}), for which the cosine distance is undefined; "
            "drop them or use metric='euclidean'."
        )


def _as_held_out(
    held_out: Iterable[Any] | None, classes: tuple[Hashable, ...]
) -> tuple[HeldOut, ...]:
    position = {label: code for code, label in enumerate(classes)}
    if held_out is None:
        return tuple(HeldOut(label, (code,)) for label, code in position.items())
    if isinstance(held_out, str) or not isinstance(held_out, Iterable):
        raise InputError(f"held_out must be a list of classes; write held_out=[{held_out!r}].")
    splits = []
    for entry in held_out:
        entry = plain_label(entry)
        group = isinstance(entry, list | set | frozenset | tuple | np.ndarray)
        if group and not _is_class(entry, position):
            members = in_order(_known(plain_label(member), position) for member in entry)
            if not members:
                raise InputError("held_out has an empty group.")
            if len(members) == len(classes):
                raise InputError("held_out has a group of all classes, so no normal class is left.")
        else:
            members = (_known(entry, position),)
        codes = tuple(sorted(position[member] for member in members))
        labels = tuple(classes[code] for code in codes)
        splits.append(HeldOut(labels[0] if len(labels) == 1 else labels, codes))
    if not splits:
        raise InputError("held_out is empty; leave it out to hold out every class in turn.")
    twice = [
        label for label, count in Counter(split.label for split in splits).items() if count > 1
    ]
    if twice:
        raise InputError(f"held_out names {twice[0]!r} more than once.")
    return tuple(splits)


def _is_class(label: Any, position: dict[Hashable, int]) -> bool:
    try:
        return label in position
    except TypeError:  # unhashable
        return False


def _known(label: Any, position: dict[Hashable, int]) -> Hashable:
    if _is_class(label, position):
        return label  # type: ignore[no-any-return]
    by_text = {str(other): other for other in position}
    near = difflib.get_close_matches(str(label), by_text, n=1)
    raise InputError(
        f"held_out names {label!r}, which is not a class of y"
        + (f"; did you mean {by_text[near[0]]!r}?" if near else f": {_listed(position)}.")
    )


def _listed(labels: Iterable[Hashable]) -> str:
    shown = [repr(label) for label in labels]
    return ", ".join(shown[:10]) + (f", ... ({len(shown)} in all)" if len(shown) > 10 else "")


def _as_text(value: object, what: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        return plain_text(value)
    raise InputError(f"{what} must be a string; got {value!r}.")


def _one_of(value: object, allowed: tuple[str, ...], what: str) -> str:
    if isinstance(value, str) and value in allowed:
        return str(value)
    raise InputError(f"{what} must be {' or '.join(map(repr, allowed))}; got {value!r}.")


def _representation_name(representation: Any) -> str | None:
    if representation is None or isinstance(representation, str):
        return _as_text(representation, "representation")
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


def _as_folds(folds: object, n_rows: int | None) -> int:
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise InputError(f"folds must be a whole number of 2 or more; got {folds!r}.")
    if n_rows is not None and folds > n_rows:
        raise InputError(f"folds is {folds}, but X has {n_rows} rows only.")
    return int(folds)
