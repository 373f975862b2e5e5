"""Scores from a training run elsewhere, in the place of a detector."""

from __future__ import annotations

import difflib
import os
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.declare.columns import named, read_columns
from pytest_splitcheck.declare.labels import as_labels, encode, in_order
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.detectors import Scores, as_numbers
from pytest_splitcheck.measure.results.names import class_names
from pytest_splitcheck.measure.rows import Float64, Integers
from pytest_splitcheck.text import escape

__all__ = ["Recorded", "RecordedScores", "read_scores"]

_MOST_SHOWN = 5


class RecordedScores:
    """Scores of the evaluation set by detectors that were fitted elsewhere, one fit for each held-out class.

    Stands for a detector: ``detectors={"mine": RecordedScores.read("scores.csv")}``. The AUROC of a class is
    taken over all rows at once, whether or not the benchmark has folds.

    Parameters
    ----------
    held_out : array-like of shape (n,)
        The class, or the tuple of classes, that the fit was without. Where it is not equal to one of the
        benchmark's, as text from a file is not, the two are compared as text.
    row : array-like of int, shape (n,)
        Position in `X` as it was passed to the benchmark, from 0. Scores of rows whose class the benchmark drops,
        or of fits without it, are left alone, so that the same record serves with and without `drop`. A class
        that others are merged into needs fits without all of them, under the tuple of its members.
    score : array-like of shape (n,)
        Higher = more anomalous, unless `HighIsNormal` says otherwise.
    seed : array-like of int, shape (n,), optional
        Tells apart the fits of a detector that draws at random; AUC(c) is the mean over them.

    Raises
    ------
    InputError
        If the arrays are not numbers of the same length. Whether every held-out class has each row exactly
        once, for each seed, is checked with the benchmark.

    Examples
    --------
    >>> from pytest_splitcheck import ClassSplit, RecordedScores, evaluate
    >>> split = ClassSplit([[0.0], [0.1], [5.0], [5.1]], ["a", "a", "b", "b"], folds=2)
    >>> scores = RecordedScores(["a"] * 4 + ["b"] * 4, [0, 1, 2, 3] * 2, [9, 8, 1, 2, 0, 3, 2, 7])
    >>> evaluate(split, k=1, detectors={"mine": scores}).detectors["mine"].auroc
    {'a': 1.0, 'b': 0.75}
    """

    def __init__(self, held_out: Any, row: Any, score: Any, seed: Any = None) -> None:
        self.score, self.resolution = as_numbers(score, "the recorded scores")
        self.score = _flat(self.score, "score", None)
        n = len(self.score)
        if n == 0:
            raise InputError("the recorded scores are empty.")
        labels = as_labels(held_out, "held_out", n)
        self.labels = in_order(labels)
        self.codes = encode(labels, self.labels)
        self.row = _whole(row, "row", n)
        self.seed = None if seed is None else _whole(seed, "seed", n)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> RecordedScores:
        """Read a file with the columns ``held_out``, ``row``, ``score`` and, if there is one, ``seed``.

        Parameters
        ----------
        path : str or path
            ``.csv`` (UTF-8, separated by commas, names in the first line), ``.npz`` (an array for each
            column; nothing is ever unpickled) or ``.parquet`` (for which pyarrow is needed). Other
            columns are left alone.

        Raises
        ------
        InputError
            If there is no such file, or it cannot be read this way: which file, where and what to do.
        """
        try:
            return read_scores(path)
        except OSError as error:
            raise InputError(_unread(os.fspath(path), error)) from None

    def __repr__(self) -> str:
        return f"RecordedScores({len(self.score)} scores of {len(self.labels)} held-out classes)"


def read_scores(path: str | os.PathLike[str]) -> RecordedScores:
    """Do what `RecordedScores.read` does, for those who have more to say of a file that is not there.

    Raises
    ------
    InputError
    OSError
        If the file cannot be opened.
    """
    wanted = named(os.fspath(path), ("held_out", "row", "score"), ("seed",))
    columns = read_columns(path, wanted, "the scores")
    try:
        return RecordedScores(**columns)
    except InputError as error:
        raise InputError(f"{os.fspath(path)}: {error}") from None


def _unread(path: str, error: OSError) -> str:
    shown = escape(path)
    if not isinstance(error, FileNotFoundError):
        return f"{shown} cannot be read: {error.strerror}."
    if os.path.isabs(path):
        return f"there is no {shown}."
    home = escape(os.getcwd())
    return f"there is no {shown}; the path counts from the current folder, {home}."


class Recorded:
    """Recorded scores put in the order of a benchmark's splits and rows.

    Attributes
    ----------
    scores : Scores
        Of shape (splits, seeds, m).
    seeds : tuple of int
    """

    list_size = 0
    least_rows = 0

    def __init__(
        self, name: str, recorded: RecordedScores, sign: int, benchmark: ClassSplit
    ) -> None:
        what = f"detector {name!r}"
        numbers, seed_of = np.unique(
            np.zeros_like(recorded.row) if recorded.seed is None else recorded.seed,
            return_inverse=True,
        )
        self.seeds: tuple[int, ...] = () if recorded.seed is None else tuple(numbers.tolist())
        label_of = _matched(recorded, benchmark, what)
        shape = (len(benchmark.held_out), len(numbers), len(benchmark.X))
        values = np.empty(shape)
        place = _places(benchmark)
        for split, one in enumerate(benchmark.held_out):
            of_split = np.flatnonzero(label_of[recorded.codes] == split)
            for seed, number in enumerate(numbers):
                chosen = of_split[seed_of[of_split] == seed]
                where = f"{what}, held-out class {one.label!r}"
                where += "" if recorded.seed is None else f", seed {number}"
                rows, scores = recorded.row[chosen], recorded.score[chosen]
                _check_inside(rows, benchmark.n_given, where)
                stays = place[rows] >= 0
                rows, scores = rows[stays], scores[stays]
                _check_rows(rows, scores, benchmark, where, one.label)
                values[split, seed, place[rows]] = scores
        self.scores = Scores(sign * values, recorded.resolution)


def _matched(recorded: RecordedScores, benchmark: ClassSplit, what: str) -> Integers:
    """Return the split of each recorded label, in the order of `recorded.labels`; -1 if it is not held out.

    Labels are matched as they are if all held-out classes are found that way, otherwise as text.
    """
    held_out = [split.label for split in benchmark.held_out]
    gone = [*benchmark.drop, *(label for group in benchmark.merge for label in group)]
    known = dict.fromkeys([*held_out, *benchmark.classes, *gone])
    as_they_are = {label: [label] for label in known}
    if set(held_out) <= set(recorded.labels) <= set(known):
        found = {label: as_they_are[label] for label in recorded.labels}
    else:
        by_text: dict[str, list[Hashable]] = {}
        for label in known:
            by_text.setdefault(_text(label), []).append(label)
        found = {label: by_text.get(_text(label), []) for label in recorded.labels}
        texts = [_text(label) for label in recorded.labels]
        for label, text in zip(recorded.labels, texts, strict=True):
            if not found[label]:
                raise InputError(_unknown(label, recorded, by_text, what))
            if len(found[label]) > 1 or texts.count(text) > 1:
                raise InputError(
                    f"{what}: recorded held-out class {label!r} may be any of "
                    f"{', '.join(map(repr, found[label]))}, as text; pass held_out with the labels of y, of "
                    "the same types."
                )
    place = {label: split for split, label in enumerate(held_out)}
    return np.array([place.get(found[label][0], -1) for label in recorded.labels])


def _text(label: Hashable) -> str:
    return class_names([label])[label]


def _unknown(label: Hashable, recorded: RecordedScores, known: Iterable[str], what: str) -> str:
    count = int((recorded.codes == recorded.labels.index(label)).sum())
    near = difflib.get_close_matches(_text(label), known, n=1)
    return (
        f"{what}: {count} recorded scores are for held-out class {label!r}, which is not a class of y"
        + (
            f"; did you mean {near[0]!r}?"
            if near
            else f"; there are {', '.join(list(known)[:10])}."
        )
    )


def _places(benchmark: ClassSplit) -> Integers:
    """Return where each row is that the author passed, shape (n_given,); -1 if its class is dropped."""
    place = np.full(benchmark.n_given, -1, dtype=np.intp)
    m = len(benchmark.X)
    place[benchmark.numbered(np.arange(m))] = np.arange(m)
    return place


def _check_inside(rows: Integers, m: int, where: str) -> None:
    outside = rows[(rows < 0) | (rows >= m)]
    if len(outside):
        raise InputError(
            f"{where}: {len(outside)} of {len(rows)} recorded rows are outside the evaluation set, whose "
            f"rows are 0 to {m - 1}: {_first(outside)}."
        )


def _check_rows(
    rows: Integers, scores: Float64, benchmark: ClassSplit, where: str, label: Hashable
) -> None:
    """Refuse rows that are not each of those that stay once, and scores that are NaN."""
    count = np.bincount(rows, minlength=benchmark.n_given)
    stay = benchmark.numbered(np.arange(len(benchmark.X)))
    missing, twice = stay[count[stay] == 0], np.flatnonzero(count > 1)
    if len(twice):
        raise InputError(
            f"{where}: {len(twice)} of {len(stay)} rows have more than one recorded score: "
            f"{_first(twice)}; of several fits, tell them apart by seed."
        )
    if len(missing):
        raise InputError(
            f"{where}: {len(missing)} of {len(stay)} rows have no recorded score: {_first(missing)}"
            f"{_why_missing(len(missing), benchmark, label)}."
        )
    undefined = rows[np.isnan(scores)]
    if len(undefined):
        raise InputError(
            f"{where}: {len(undefined)} of {len(stay)} recorded scores are NaN: {_first(undefined)}."
        )


def _why_missing(count: int, benchmark: ClassSplit, label: Hashable) -> str:
    """Return what an author who merges or drops classes may have overlooked."""
    if label in benchmark.merge and count == len(benchmark.X):
        return (
            "; its classes are merged, and fits without one of them do not count: record fits without all, "
            f"whose held_out is {label!r}, or {_text(label)} in a file"
        )
    if benchmark.drop:
        return (
            "; rows are numbered as in X, those of dropped classes included, from 0 to "
            f"{benchmark.n_given - 1}"
        )
    return ""


def _first(rows: Integers) -> str:
    shown = ", ".join(map(str, np.sort(rows)[:_MOST_SHOWN].tolist()))
    more = " and others" if len(rows) > _MOST_SHOWN else ""
    return f"{'rows' if len(rows) > 1 else 'row'} {shown}{more}"


def _flat(values: Float64, what: str, n: int | None) -> Float64:
    if values.ndim not in (1, 2) or values.shape[1:] not in ((), (1,)):
        raise InputError(
            f"{what} must have one value per recorded score; its shape is {values.shape}."
        )
    if n is not None and len(values) != n:
        raise InputError(f"{what} has {len(values)} values for {n} recorded scores.")
    return values.reshape(-1)


def _whole(given: Any, what: str, n: int) -> Integers:
    """Return whole numbers, which may come as floats."""
    values = _flat(as_numbers(given, what)[0], what, n)
    wrong = np.flatnonzero(~(np.abs(values) < 2**53) | (values != np.floor(values)))
    if len(wrong):
        raise InputError(
            f"{what} must be whole numbers; {len(wrong)} of {n} are not, the first of them "
            f"{values[wrong[0]]:g} at position {wrong[0]}."
        )
    return values.astype(np.intp)
