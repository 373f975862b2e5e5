"""Text for terminals: broken into lines."""

from __future__ import annotations

from pytest_splitcheck.text import cells, escape, fit, take

__all__ = ["cells", "escape", "fit", "some", "wrap"]

_MOST = 12


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Break `text` at its spaces, and words where they must be, into lines of `width` cells.

    All but the first begin with `indent`.
    """
    lead = text[: len(text) - len(text.lstrip(" "))]
    lines, empty = [lead], True
    for word in text.split():
        if not empty and cells(lines[-1]) + 1 + cells(word) <= width:
            lines[-1] += f" {word}"
            continue
        if not empty:
            lines.append(indent)
        room = max(2, width - cells(lines[-1]))
        while cells(word) > room:
            part = take(word, room)
            lines[-1] += part
            word = word[len(part) :]
            lines.append(indent)
            room = max(2, width - cells(indent))
        lines[-1] += word
        empty = False
    return lines


def some(texts: list[str]) -> str:
    """Return the first of some texts in a row, and how many more there are."""
    rest = len(texts) - _MOST
    return ", ".join(texts[:_MOST]) + (f" and {rest} more" if rest > 0 else "")
