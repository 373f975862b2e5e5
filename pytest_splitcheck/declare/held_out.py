"""Which classes are held out, alone or together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_splitcheck.declare.labels import in_order, is_known, known, plain_label
from pytest_splitcheck.declare.regroup import GROUPS, Regrouping
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["HeldOut", "as_held_out", "regroup_held_out"]


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


def as_held_out(held_out: Iterable[Any] | None, regrouping: Regrouping) -> tuple[HeldOut, ...]:
    """Return the splits that an author asks for, among the classes that `regrouping` leaves.

    Raises
    ------
    InputError
    """
    classes = regrouping.classes
    position = {label: code for code, label in enumerate(classes)}
    if held_out is None:
        return tuple(HeldOut(label, (code,)) for label, code in position.items())
    if isinstance(held_out, str) or not isinstance(held_out, Iterable):
        raise InputError(f"held_out must be a list of classes; write held_out=[{held_out!r}].")
    splits = []
    for entry in held_out:
        members = _members(plain_label(entry), regrouping, position)
        if not members:
            raise InputError("held_out has an empty group.")
        codes = tuple(sorted({position[member] for member in members}))
        if 1 < len(codes) == len(classes):
            raise InputError("held_out has a group of all classes, so no normal class is left.")
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


def regroup_held_out(
    splits: Sequence[HeldOut], groups: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], ...]:
    """Return what the splits hold out, as positions in `groups`, once classes count by group.

    A split of which nothing is left, or beside which nothing is left, is gone; equal ones become one.
    """
    group_of = {code: number for number, group in enumerate(groups) for code in group}
    found = dict.fromkeys(
        tuple(sorted({group_of[code] for code in split.codes if code in group_of}))
        for split in splits
    )
    return tuple(codes for codes in found if 0 < len(codes) < len(groups))


def _members(
    entry: Any, regrouping: Regrouping, position: Collection[Hashable]
) -> tuple[Hashable, ...]:
    """Return the classes that an entry of `held_out` stands for."""
    whole = is_known(entry, position) or regrouping.merged(entry) is not None
    if whole or not isinstance(entry, GROUPS):
        return (_class(entry, regrouping, position),)
    return in_order(_class(plain_label(member), regrouping, position) for member in entry)


def _class(label: Any, regrouping: Regrouping, position: Collection[Hashable]) -> Hashable:
    merged = regrouping.merged(label)
    if merged is not None:
        return merged
    for group in regrouping.merge:
        if is_known(label, group):
            raise InputError(f"held_out names {label!r}, which is merged; write {group!r}.")
    if is_known(label, regrouping.drop):
        raise InputError(f"held_out names {label!r}, which is dropped.")
    return known(label, position, "held_out")
