"""Text for terminals: escaped, and measured in cells."""

from __future__ import annotations

import unicodedata
from typing import Literal

__all__ = ["cells", "escape", "fit", "wrap"]


def escape(text: str) -> str:
    """Return `text` with control and format characters spelled out, so that it stays on its line."""
    return "".join(
        char
        if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


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
    """Break `text` at its spaces into lines of `width` cells, all but the first with `indent`.

    A word that is wider than that has a line of its own.
    """
    lead = text[: len(text) - len(text.lstrip(" "))]
    lines = [""]
    for word in text.split():
        start = lead if len(lines) == 1 else indent
        longer = f"{lines[-1]} {word}" if lines[-1] else start + word
        if lines[-1] and cells(longer) > width:
            lines.append(indent + word)
        else:
            lines[-1] = longer
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
