"""Rows as points in the plane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_splitcheck.draw.look import COLOURS, MARKERS, ink, legend, tidy

__all__ = ["draw_embedding"]

_MOST_NAMED = 24
"""Classes up to which they are in the legend."""

_AXES = {"pca": ("first principal component", "second"), "tsne": ("t-SNE", "")}


def draw_embedding(ax: Any, embedding: dict[str, Any]) -> None:
    """Draw rows as points, coloured by class; those that leak have a dark edge.

    Parameters
    ----------
    ax : matplotlib Axes
        The legend stands to its right.
    embedding : dict
        ``kind``, "pca" or "tsne"; for each row its ``points`` [x, y], its class among ``labels``, and whether it
        is ``leaking``.
    """
    labels = list(dict.fromkeys(embedding["labels"]))
    handles = []
    for number, label in enumerate(labels):
        colour = COLOURS[number % len(COLOURS)]
        marker = MARKERS[number // len(COLOURS) % len(MARKERS)]
        for leaks in (False, True):
            points = list(_points(embedding, label, leaks))
            ax.scatter(
                [x for x, _ in points],
                [y for _, y in points],
                s=16 if leaks else 9,
                marker=marker,
                facecolors=colour,
                edgecolors=ink(ax) if leaks else "none",
                linewidths=0.6,
                alpha=0.9 if leaks else 0.6,
                zorder=2 + leaks,
            )
        handles += ax.plot([], [], marker=marker, color=colour, linestyle="none", markersize=4)
    ax.set(xticks=[], yticks=[])
    across, up = _AXES[embedding["kind"]]
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    tidy(ax)
    if len(labels) > _MOST_NAMED:
        handles, labels = [], []
        ax.set_xlabel(f"{across}; {len(labels)} classes, of which some share a colour")
    if any(embedding["leaking"]):
        edge = {"markerfacecolor": "none", "markeredgecolor": ink(ax), "linestyle": "none"}
        handles += ax.plot([], [], marker="o", markersize=4, markeredgewidth=0.6, **edge)
        labels.append("leaking")
    legend(ax, handles, labels, loc="upper left", bbox_to_anchor=(1, 1), ncols=1)


def _points(embedding: dict[str, Any], label: str, leaks: bool) -> Iterator[list[float]]:
    for point, name, leaking in zip(
        embedding["points"], embedding["labels"], embedding["leaking"], strict=True
    ):
        if name == label and leaking == leaks:
            yield point
