"""Rows as points in the plane."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from pytest_splitcheck.draw.look import COLOURS, MARKERS, ink, legend, tidy

__all__ = ["draw_embedding"]

_MOST_NAMED = 24
"""Classes up to which they are in the legend."""

_AXES = {"pca": ("first principal component", "second principal component"), "tsne": ("t-SNE", "")}


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
    labels, handles = list(dict.fromkeys(embedding["labels"])), []
    points: dict[tuple[str, bool], list[list[float]]] = defaultdict(list)
    for point, label, leaks in zip(
        embedding["points"], embedding["labels"], embedding["leaking"], strict=True
    ):
        points[label, leaks].append(point)
    for number, label in enumerate(labels):
        colour = COLOURS[number % len(COLOURS)]
        marker = MARKERS[number % len(MARKERS)]
        for leaks in (False, True):
            drawn = points[label, leaks]
            ax.scatter(
                [x for x, _ in drawn],
                [y for _, y in drawn],
                s=16 if leaks else 11,
                marker=marker,
                facecolors=colour,
                edgecolors=ink(ax) if leaks else "none",
                linewidths=0.5,
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
