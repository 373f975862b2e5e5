"""Distinct texts for labels, under which results go in plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from pytest_splitcheck.declare.labels import plain_text, spelt

__all__ = ["class_names", "named"]


def class_names(labels: Iterable[Hashable]) -> dict[Hashable, str]:
    """Return a distinct text for each label.

    That is its ``str``, its ``repr`` where two would coincide, and a number behind that where even those
    do. Members of a group, a tuple, are joined by "+", those of groups within it too.
    """
    texts = {label: _text(label, str) for label in labels}
    count = Counter(texts.values())
    taken = {text for text in count if count[text] == 1}
    names = {}
    for label, text in texts.items():
        if count[text] > 1:
            text, number = _text(label, repr), 1
            plain = text
            while text in taken:
                number += 1
                text = f"{plain} ({number})"
            taken.add(text)
        names[label] = text
    return names


def _text(label: Hashable, one: Callable[[object], str]) -> str:
    if isinstance(label, tuple):
        return "+".join(_text(member, one) for member in label)
    return plain_text(spelt(label) if isinstance(label, frozenset) else one(label))


def named(values: Mapping[Hashable, Any], names: Mapping[Hashable, str]) -> dict[str, Any]:
    """Return `values` by the names of their labels."""
    return {names[label]: value for label, value in values.items()}
