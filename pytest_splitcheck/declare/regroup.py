"""Classes that count as one from here on, and classes that are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.arrays import Matrix
from pytest_splitcheck.declare.labels import is_known, known, listed, plain_label, spelt
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["GROUPS", "Labelled", "Regrouping", "as_regrouping"]

GROUPS = (list, tuple, set, frozenset, np.ndarray)
"""What classes that belong together may come in."""


@dataclass(frozen=True, slots=True)
class Regrouping:
    """What becomes of the classes of a data set.

    Attributes
    ----------
    declared : tuple
        The classes as the author's labels have them.
    merge : tuple of tuples
        The groups that count as one class, which goes by the tuple; members and groups in the order of
        `declared`.
    drop : tuple
        The classes whose rows leave, in the order of `declared`.
    classes : tuple
        What is left; a merged class in the place of its first member.
    """

    declared: tuple[Hashable, ...]
    merge: tuple[tuple[Hashable, ...], ...]
    drop: tuple[Hashable, ...]
    classes: tuple[Hashable, ...]

    @property
    def code(self) -> npt.NDArray[np.intp]:
        """Position in `classes` of each of `declared`; -1 for one that is dropped."""
        position = {label: code for code, label in enumerate(self.classes)}
        group = {label: position[group] for group in self.merge for label in group}
        gone = set(self.drop)
        return np.array(
            [
                group[label] if label in group else -1 if label in gone else position[label]
                for label in self.declared
            ],
            dtype=np.intp,
        )

    def merged(self, entry: Any) -> tuple[Hashable, ...] | None:
        """Return the merged class whose members `entry` lists, in any order; None if there is none."""
        if not self.merge or not isinstance(entry, GROUPS):
            return None
        try:
            members = {plain_label(member) for member in entry}
        except TypeError:  # unhashable
            return None
        return next((group for group in self.merge if set(group) == members), None)

    def again(
        self, groups: Sequence[Sequence[int]]
    ) -> tuple[list[tuple[Hashable, ...]], list[Hashable]]:
        """Return what to merge and what to drop so that each group of positions in `classes` is a class.

        A class of no group is dropped.
        """
        members: dict[Hashable, tuple[Hashable, ...]] = {group: group for group in self.merge}
        names = [[self.classes[code] for code in group] for group in groups]
        wanted = [
            tuple(one for label in group for one in members.get(label, (label,))) for group in names
        ]
        stay = {label for group in wanted for label in group}
        return (
            [group for group in wanted if len(group) > 1],
            [label for label in self.declared if label not in stay],
        )


@dataclass(frozen=True, slots=True)
class Labelled:
    """Rows and their classes as the author has them.

    Attributes
    ----------
    X : ndarray of shape (m, d)
    codes : ndarray of int, shape (m,)
        Class of each row as a position in `classes`.
    classes : tuple
    """

    X: Matrix
    codes: npt.NDArray[np.intp]
    classes: tuple[Hashable, ...]

    @property
    def labels(self) -> list[Hashable]:
        """One label per row."""
        return [self.classes[code] for code in self.codes]

    def regrouped(
        self, regrouping: Regrouping
    ) -> tuple[Matrix, npt.NDArray[np.intp], npt.NDArray[np.intp] | None]:
        """Return the rows that stay, their codes, and which rows they are; None if that is all of them.

        Classes that `regrouping` does not know are numbered behind those that it leaves.
        """
        if not regrouping.merge and not regrouping.drop:
            return self.X, self.codes, None
        extra = len(self.classes) - len(regrouping.declared)
        codes = np.append(
            regrouping.code, np.arange(extra, dtype=np.intp) + len(regrouping.classes)
        )[self.codes]
        if not regrouping.drop:
            return self.X, codes, None
        kept = np.flatnonzero(codes >= 0)
        return self.X[kept], codes[kept], kept


def as_regrouping(classes: tuple[Hashable, ...], merge: Any, drop: Any) -> Regrouping:
    """Check what an author merges and drops of `classes`.

    Raises
    ------
    InputError
    """
    position = {label: code for code, label in enumerate(classes)}
    groups, gone = _as_merge(merge, position), _as_drop(drop, position)
    group_of = {label: group for group in groups for label in group}
    for label in gone:
        if label in group_of:
            raise InputError(f"merge and drop both name {label!r}.")
    for group in groups:
        if group in position:
            raise InputError(f"merge makes a class {group!r}, which y has already.")
    left = dict.fromkeys(group_of.get(label, label) for label in classes if label not in gone)
    if len(left) < 2 and (groups or gone):
        what = " and ".join(["merge"] * bool(groups) + ["drop"] * bool(gone))
        raise InputError(
            f"{what} leave{'' if groups and gone else 's'} {'one class only' if left else 'no class'}; "
            "a class split needs two or more."
        )
    return Regrouping(classes, groups, gone, tuple(left))


def _as_merge(merge: Any, position: dict[Hashable, int]) -> tuple[tuple[Hashable, ...], ...]:
    form = "merge must be a list of groups of classes, such as [('cat', 'dog')]"
    if isinstance(merge, str) or not isinstance(merge, Iterable):
        raise InputError(f"{form}; got {merge!r}.")
    groups, entries = [], list(merge)
    if len(entries) > 1 and not any(_is_group(entry, position) for entry in entries):
        one = tuple(plain_label(entry) for entry in entries)
        raise InputError(f"{form}; to merge {listed(one)}, write merge=[{spelt(one)}].")
    for entry in entries:
        if not _is_group(entry, position):
            raise InputError(f"{form}; it has {entry!r}.")
        group = [known(plain_label(label), position, "merge") for label in entry]
        if len(group) < 2:
            raise InputError(f"merge has a group of {'one class' if group else 'none'}: {entry!r}.")
        groups.append(tuple(sorted(group, key=position.__getitem__)))
    _check_once([label for group in groups for label in group], "merge")
    return tuple(sorted(groups, key=lambda group: position[group[0]]))


def _is_group(entry: Any, position: dict[Hashable, int]) -> bool:
    return isinstance(entry, GROUPS) and not is_known(entry, position)


def _as_drop(drop: Any, position: dict[Hashable, int]) -> tuple[Hashable, ...]:
    if isinstance(drop, str) or not isinstance(drop, Iterable):
        raise InputError(f"drop must be a list of classes; write drop=[{drop!r}].")
    labels = [known(plain_label(label), position, "drop") for label in drop]
    _check_once(labels, "drop")
    return tuple(sorted(labels, key=position.__getitem__))


def _check_once(labels: list[Hashable], what: str) -> None:
    for label, count in Counter(labels).items():
        if count > 1:
            raise InputError(f"{what} names {label!r} more than once.")
