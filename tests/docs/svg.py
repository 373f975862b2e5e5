"""SVG pictures whose colours are those of the page that holds them: classes of docs/assets/extra.css."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["SIDE", "Drawing", "Panel", "panels"]

Array = npt.NDArray[np.float64]

SIDE: Final = 300.0
"""Width and height of a panel."""
GAP: Final = 40.0
"""Between panels."""
TOP: Final = 30.0
"""Room for a panel's title."""


class Drawing:
    """An SVG picture of panels beside each other, with a text alternative."""

    def __init__(self, title: str, description: str, width: float, height: float) -> None:
        self._head = (
            f'<svg class="figure" role="img" viewBox="0 0 {_number(width)} {_number(height)}" '
            f'xmlns="http://www.w3.org/2000/svg">\n<title>{escape(title)}</title>\n'
            f"<desc>{escape(description)}</desc>\n"
        )
        self._parts: list[str] = []

    def circle(self, x: float, y: float, r: float, style: str) -> None:
        self._add("circle", {"cx": x, "cy": y, "r": r}, style)

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        self._add("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, style)

    def box(self, x: float, y: float, width: float, height: float, style: str) -> None:
        self._add("rect", {"x": x, "y": y, "width": width, "height": height}, style)

    def area(self, corners: Iterable[Sequence[float]], style: str) -> None:
        points = " ".join(f"{_number(x)},{_number(y)}" for x, y in corners)
        self._parts.append(f'<polygon class="{style}" points="{points}"/>')

    def text(self, x: float, y: float, text: str, style: str = "") -> None:
        self._add("text", {"x": x, "y": y}, f"text {style}".strip(), escape(text))

    def __str__(self) -> str:
        return self._head + "\n".join(self._parts) + "\n</svg>\n"

    def _add(self, kind: str, places: Mapping[str, float], style: str, inner: str = "") -> None:
        told = " ".join(f'{name}="{_number(value)}"' for name, value in places.items())
        end = f">{inner}</{kind}>" if inner else "/>"
        self._parts.append(f'<{kind} class="{style}" {told}{end}')


class Panel:
    """A square of the plane in a drawing.

    Parameters
    ----------
    drawing : Drawing
    number : int
        Panels are numbered from the left.
    title : str
    reach : float
        The square spans -reach to reach on both axes.
    """

    def __init__(self, drawing: Drawing, number: int, title: str, reach: float) -> None:
        self.drawing = drawing
        self.left = number * (SIDE + GAP) + 1
        self.reach = reach
        drawing.text(self.left + SIDE / 2, TOP - 10, title, "middle")
        drawing.box(self.left, TOP, SIDE, SIDE, "frame")

    def at(self, row: Array) -> tuple[float, float]:
        scaled = (row / self.reach + 1) / 2 * SIDE
        return self.left + float(scaled[0]), TOP + SIDE - float(scaled[1])

    def rows(self, X: Array, style: str, r: float = 3.5) -> None:
        for row in X:
            x, y = self.at(row)
            if self.left < x < self.left + SIDE and TOP < y < TOP + SIDE:
                self.drawing.circle(x, y, r, style)

    def link(self, start: Array, end: Array, style: str) -> None:
        self.drawing.line(*self.at(start), *self.at(end), style)


def panels(title: str, description: str, n: int) -> Drawing:
    """Return a drawing with room for `n` panels."""
    return Drawing(title, description, n * SIDE + (n - 1) * GAP + 2, TOP + SIDE + 2)


def _number(value: float) -> str:
    """Return a coordinate; a tenth of a pixel hides what machines differ by."""
    return f"{round(value, 1) + 0.0:g}"
