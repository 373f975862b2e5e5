"""What is on Axes, as text and numbers."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from matplotlib.text import Text


def names(ax: Any, axis: str = "y") -> list[str]:
    """Return the texts of the ticks."""
    return [text.get_text() for text in getattr(ax, f"get_{axis}ticklabels")()]


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def texts(ax: Any) -> str:
    """Return every text of the figure, one a line."""
    return "\n".join(text.get_text() for text in ax.figure.findobj(Text))


def points(collection: Any) -> np.ndarray:
    return np.asarray(collection.get_offsets())


def svg(ax: Any) -> str:
    """Draw the figure as SVG with its texts as text."""
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "x"}):
        file = io.StringIO()
        ax.figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()
