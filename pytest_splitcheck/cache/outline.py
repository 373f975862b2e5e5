"""What it takes to write and read parts of a measurement: a benchmark without its rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.measure.rows import Integers

__all__ = ["Outline"]


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The sizes and the labels of a benchmark.

    Attributes
    ----------
    m : int
        Rows of the evaluation set.
    pool : int
        Rows among which detectors find neighbours.
    both : int
        Rows of the evaluation set and the training pool.
    folds, n_classes, splits : int
    codes : ndarray of int, shape (m,)
    classes, held_out : tuple
        Labels of the classes and of the splits.
    positives : tuple of int
        Rows of the classes of each split.
    """

    m: int
    pool: int
    both: int
    folds: int
    n_classes: int
    splits: int
    codes: Integers
    classes: tuple[Hashable, ...]
    held_out: tuple[Hashable, ...]
    positives: tuple[int, ...]

    @classmethod
    def of(cls, benchmark: ClassSplit) -> Outline:
        """Return the outline of a benchmark."""
        m, train = len(benchmark.X), benchmark.train
        return cls(
            m=m,
            pool=m if train is None else len(train.X),
            both=m if train is None else m + len(train.X),
            folds=benchmark.folds,
            n_classes=len(benchmark.classes),
            splits=len(benchmark.held_out),
            codes=benchmark.codes,
            classes=benchmark.classes,
            held_out=tuple(split.label for split in benchmark.held_out),
            positives=tuple(
                sum(benchmark.counts[code] for code in split.codes) for split in benchmark.held_out
            ),
        )

    def size(self, given: int | str) -> int:
        """Return a number that is given as it is, or by the name of an attribute."""
        found: int = getattr(self, given) if isinstance(given, str) else given
        return found
