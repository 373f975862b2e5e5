"""Text of an author's, harmless and measured in cells of a terminal."""

from __future__ import annotations

import unicodedata
from typing import Literal

__all__ = ["cells", "column", "escape", "fit", "is_plain", "take"]


def escape(text: str) -> str:
    """Return `text` with control and format characters spelled out, so that it stays on its line."""
    return "".join(
        char if is_plain(char) else char.encode("unicode_escape").decode("ascii") for char in text
    )


def column(number: int, name: str | None) -> str:
    """Return how a column is called at the beginning of a sentence."""
    return f"Column {number if name is None else escape(name)}"


def is_plain(char: str) -> bool:
    """Tell whether a character is one to be seen, or a space: no control or format character."""
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def cells(text: str) -> int:
    """Return the number of terminal cells that `text` takes."""
    return sum(map(_cells_of, text))


def fit(text: str, width: int, align: Literal["left", "right"] = "left") -> str:
    """Return `text` padded, or cut in the middle, to exactly `width` cells."""
    if cells(text) > width:
        head, tail = (width - 1) - (width - 1) // 2, (width - 1) // 2
        text = take(text, head) + "…" + take(text[::-1], tail)[::-1]
    space = " " * (width - cells(text))
    return text + space if align == "left" else space + text


def take(text: str, width: int) -> str:
    """Return as much of the beginning of `text` as `width` cells hold."""
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
