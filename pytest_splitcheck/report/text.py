"""Text for terminals: escaped, and measured in cells."""

from __future__ import annotations

import unicodedata
from typing import Literal

__all__ = ["cells", "escape", "fit", "some", "wrap"]

_MOST = 12


def escape(text: str) -> str:
    """Return `text` with control and format characters spelled out, so that it stays on its line."""
    return "".join(
        char
        if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def some(texts: list[str]) -> str:
    """Return `texts` as a list; of many the first and the number of the rest."""
    rest = len(texts) - _MOST
    return ", ".join(texts[:_MOST]) + (f" and {rest} more" if rest > 0 else "")


def cells(text: str) -> int:
    """Return the number of terminal cells that `text` takes."""
    return sum(map(_cells_of, text))


def fit(text: str, width: int, align: Literal["left", "right"] = "left") -> str:
    """Return `text` padded, or cut in the middle, to exactly `width` cells."""
    if cells(text) > width:
        head, tail = (width - 1) - (width - 1) // 2, (width - 1) // 2
        text = _take(text, head) + "…" + _take(text[::-1], tail)[::-1]
    space = " " * (width - cells(text))
    return text + space if align == "left" else space + text


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
            part = _take(word, room)
            lines[-1] += part
            word = word[len(part) :]
            lines.append(indent)
            room = max(2, width - cells(indent))
        lines[-1] += word
        empty = False
    return lines


def _take(text: str, width: int) -> str:
    taken, used = "", 0
    for char in text:
        used += _cells_of(char)
        if used > width:
            break
        taken += char
    return taken


def _cells_of(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
