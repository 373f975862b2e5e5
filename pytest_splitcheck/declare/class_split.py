"""The declaration of a class-split benchmark."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.arrays import (
    Matrix,
    as_matrix,
    as_shaped_matrix,
    blocks,
    check_cosine,
    check_order,
    check_width,
    feature_names,
)
from pytest_splitcheck.declare.choices import as_folds, as_text, one_of, representation_name
from pytest_splitcheck.declare.held_out import HeldOut, as_held_out, regroup_held_out
from pytest_splitcheck.declare.index import check_index
from pytest_splitcheck.declare.labels import as_labels, encode, in_order, listed, spelt
from pytest_splitcheck.declare.regroup import Labelled, as_regrouping
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["ClassSplit", "HeldOut", "TrainingPool"]

METRICS: Final = ("euclidean", "cosine")


@dataclass(frozen=True, slots=True)
class TrainingPool:
    """Rows that only serve to fit detectors.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    codes : ndarray of shape (n,)
        Class of each row as a position in ``ClassSplit.classes``; classes that the evaluation set
        lacks are numbered behind them.
    kept : ndarray of shape (n,), optional
        The author's number of each row; None where that is its position, as no class is dropped.
    """

    X: Matrix
    codes: npt.NDArray[np.intp]
    kept: npt.NDArray[np.intp] | None = None

    def numbered(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the numbers that rows of `X` have in the pool as the author passed it."""
        return rows if self.kept is None else self.kept[rows]


class ClassSplit:
    """A benchmark that takes some classes of a labelled data set as normal and one as the anomaly.

    For each held-out class, detectors are fitted on the training pool without that class and score
    the whole evaluation set, in which the held-out class is positive (Ascárate et al.,
    arXiv 2606.02601).

    Parameters
    ----------
    X : array-like of shape (m, ...)
        The evaluation set: numpy array, pandas frame, torch tensor on the CPU, nested lists, memory
        map. Boolean, integer or real; further axes are flattened per row. Not copied,
        unless classes are dropped: then the rows that stay are. Messages call the columns of a frame by their
        names.
    y : array-like of shape (m,)
        Labels of any hashable kind, taken by position, which two indexes of pandas must not contradict.
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
    merge : list of tuples, optional
        Groups of classes that count as one class: they do not leak into each other, and are held out
        together. The class goes by the tuple of its members, in the order of the classes.
    drop : list, optional
        Classes whose rows leave the evaluation set and the training pool. Where a report names rows, they
        are numbered as in `X` all the same.

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
        merge: Iterable[Iterable[Any]] = (),
        drop: Iterable[Any] = (),
    ) -> None:
        check_order(X, y)
        matrix, self.row_shape = as_shaped_matrix(X, "X")
        self.features = feature_names(X)
        labels = as_labels(y, "y", len(matrix))
        check_index(X, y, "X", "y")
        declared = in_order(labels)
        if len(declared) < 2:
            raise InputError(
                f"y has one class only ({declared[0]!r}); a class split needs two or more."
            )
        self._whole: Final = Labelled(matrix, encode(labels, declared), declared)
        self._regrouping: Final = as_regrouping(declared, merge, drop)
        self.classes: Final = self._regrouping.classes
        self.X, self.codes, self.kept = self._whole.regrouped(self._regrouping)
        self._whole_train: Final = None if train is None else self._as_whole_pool(train)
        self.train: Final = None if self._whole_train is None else self._as_pool(self._whole_train)
        self.every_class: Final = held_out is None
        self.held_out: Final = as_held_out(held_out, self._regrouping)
        self.name: Final = as_text(name, "name")
        self.metric: Final = one_of(metric, METRICS, "metric")
        self.transformer: Final[Any] = None if isinstance(representation, str) else representation
        self.representation: Final = representation_name(representation)
        self.folds: Final = as_folds(folds, None if self.train else len(self.X))
        if self.metric == "cosine" and self.transformer is None:
            check_cosine(self.X, "X", self.kept)
            if self.train is not None:
                check_cosine(self.train.X, "train X", self.train.kept)

    @property
    def merge(self) -> tuple[tuple[Hashable, ...], ...]:
        """The groups that count as one class, members and groups in the order of the classes."""
        return self._regrouping.merge

    @property
    def drop(self) -> tuple[Hashable, ...]:
        """The classes that are left out, in their order."""
        return self._regrouping.drop

    @property
    def n_given(self) -> int:
        """Number of rows of `X` as the author passed it, those of dropped classes included."""
        return len(self._whole.X)

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
                digest.update(np.ascontiguousarray(part[rows]).data)
        codes = [self.codes] if self.train is None else [self.codes, self.train.codes]
        for code in codes:
            digest.update(code.astype("<i8").tobytes())
        if self.kept is not None:  # by which recorded scores are chosen
            digest.update(f"{self.n_given}".encode() + self.kept.astype("<i8").tobytes())
        options = (self.classes, self.name, self.representation, self.metric, self.folds)
        held_out = tuple((split.label, split.codes) for split in self.held_out)
        told = spelt((options, held_out, self.merge, self.drop))
        digest.update(told.encode("utf-8", "backslashreplace"))
        return digest.hexdigest()[:32]

    @property
    def identity(self) -> tuple[str, tuple[Hashable, ...], tuple[Hashable, ...]]:
        """What is equal for benchmarks that may share what was measured, transformer excluded.

        The fingerprint knows labels by their text, which those of two enumerations, each made in its own test,
        have in common.
        """
        labels = tuple(split.label for split in self.held_out)
        return self.fingerprint, self.classes, labels

    def numbered(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the author's numbers of the rows at the positions `rows` of `X`."""
        return rows if self.kept is None else self.kept[rows]

    def positions(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the positions in `X` of rows by the author's numbers, those of rows that stay."""
        return rows if self.kept is None else np.searchsorted(self.kept, rows)

    def regrouped(self, groups: Sequence[Sequence[int]]) -> ClassSplit:
        """Return this benchmark with the classes of each group merged.

        Parameters
        ----------
        groups : sequence of sequences of int
            Positions in `classes`. A class of no group is dropped.

        Raises
        ------
        InputError
            If fewer than two classes are left, or none to hold out.
        """
        groups = sorted(tuple(sorted(group)) for group in groups)
        merge, drop = self._regrouping.again(groups)
        left = as_regrouping(self._whole.classes, merge, drop).classes
        splits = regroup_held_out(self.held_out, groups)
        train = self._whole_train
        other = ClassSplit(
            self._whole.X.reshape(-1, *self.row_shape),
            self._whole.labels,
            train=None if train is None else (train.X, train.labels),
            name=self.name,
            representation=self.representation if self.transformer is None else self.transformer,
            metric=self.metric,  # type: ignore[arg-type]
            held_out=None
            if self.every_class
            else [[left[one] for one in codes] for codes in splits],
            folds=self.folds,
            merge=merge,
            drop=drop,
        )
        other.features = self.features
        return other

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
            "merge": list(self.merge) or None,
            "drop": list(self.drop) or None,
        }
        return f"ClassSplit({', '.join(f'{k}={v!r}' for k, v in shown.items() if v is not None)})"

    def _as_whole_pool(self, train: Any) -> Labelled:
        if not isinstance(train, tuple | list) or len(train) != 2:
            raise InputError("train must be a pair (X_train, y_train).")
        matrix = as_matrix(train[0], "train X")
        check_width(matrix, self.X.shape[1])
        labels = as_labels(train[1], "train y", len(matrix))
        check_index(train[0], train[1], "train X", "train y")
        classes = self._whole.classes
        if set(labels).isdisjoint(classes):
            raise InputError(
                f"train y and y have no class in common: {listed(in_order(labels))} against "
                f"{listed(classes)}; use the same labels, of the same type, in both."
            )
        classes += in_order(set(labels) - set(classes))
        return Labelled(matrix, encode(labels, classes), classes)

    def _as_pool(self, whole: Labelled) -> TrainingPool:
        pool = TrainingPool(*whole.regrouped(self._regrouping))
        if not len(pool.X):
            raise InputError("drop leaves no row in the training pool.")
        return pool
