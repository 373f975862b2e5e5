"""What the figures have in common: colours, markers, and names that stay text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from pytest_splitcheck.text import cells, escape, fit

__all__ = ["COLOURS", "MARKERS", "TEXT", "ink", "legend", "name_classes", "room", "shown", "tidy"]

COLOURS: Final = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#8C8C8C",
    "#B8A800",
    "#B0306E",
    "#9C6030",
)
"""Those of Okabe and Ito in an order of our own, grey for their black, and a yellow that shows on white; a
crimson and a brown besides, as many data sets have ten classes."""

MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
"""Seven, so that with the colours they tell seventy classes apart."""

TEXT: Final[dict[str, Any]] = {"parse_math": False, "usetex": False}
"""Makes matplotlib take a text as it is; a "$" in a class's name begins no formula."""

_LONGEST = 24
"""Cells of a name; longer ones are cut in the middle."""

_SMALLEST = 5.0
"""Points of the smallest letters."""

_LEGEND, _CELL, _HANDLE = 9.0, 0.55, 5.3
"""Points of the letters of a legend, the width of one in heights, and how many its handle is as wide as."""


def shown(name: str, longest: int = _LONGEST) -> str:
    """Return a name as figures have it: on one line, and not too long."""
    return fit(escape(name), min(longest, cells(escape(name))))


def ink(ax: Any) -> Any:
    """Return the colour of what is neither a class nor a detector."""
    return ax.xaxis.label.get_color()


def room(ax: Any, axis: Literal["x", "y"], n: int) -> float:
    """Return the points that each of `n` classes has along an axis."""
    box = ax.get_window_extent()
    return float((box.width if axis == "x" else box.height) * 72 / ax.figure.dpi) / n


def tidy(ax: Any) -> None:
    """Leave out the frame's upper and right sides."""
    ax.spines[["top", "right"]].set_visible(False)


def name_classes(ax: Any, axis: Literal["x", "y"], names: Sequence[str], at: float = 0.0) -> None:
    """Give the places `at`, `at` + 1, ... of an axis the names of classes, in letters that fit.

    Where not even the smallest letters do, only every second or third class is named, and so on.
    """
    one = ax.xaxis if axis == "x" else ax.yaxis
    size = 0.85 * room(ax, axis, len(names))
    step = max(1, math.ceil(_SMALLEST / size))
    places = range(0, len(names), step)
    one.set_ticks(
        [place + at for place in places],
        labels=[shown(names[place]) for place in places],
        fontsize=min(one.label.get_size(), max(size, _SMALLEST)),
        **TEXT,
    )
    one.set_tick_params(length=0 if len(names) > 1 and step == 1 else 2)


def legend(ax: Any, handles: Iterable[Any], names: Iterable[str], **options: Any) -> None:
    """Put a legend above the Axes, or where the options say.

    The names are set when it is there: matplotlib leaves out those that begin with "_".
    """
    handles, texts = list(handles), [shown(name) for name in names]
    above = {
        "loc": "lower left",
        "bbox_to_anchor": (0, 1),
        "ncols": _columns([cells(text) + _HANDLE for text in texts], room(ax, "x", 1)),
        "fontsize": _LEGEND,
        "borderaxespad": 0.3,
        "columnspacing": 1.0,
        "handlelength": 1.5,
    }
    drawn = ax.legend(
        handles, ["x"] * len(texts), frameon=False, handletextpad=0.4, **{**above, **options}
    )
    for artist, text in zip(drawn.get_texts(), texts, strict=True):
        artist.set(text=text, **TEXT)


def _columns(widths: Sequence[float], points: float) -> int:
    """Return the most columns, which are filled one by one, that a line of so many points holds."""
    for columns in range(len(widths), 1, -1):
        rows = math.ceil(len(widths) / columns)
        widest = [max(widths[first : first + rows]) for first in range(0, len(widths), rows)]
        if sum(widest) * _CELL * _LEGEND <= points:
            return columns
    return 1
