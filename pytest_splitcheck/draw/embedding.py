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
    """Draw rows as points, coloured by class; those that leak have an edge.

    Parameters
    ----------
    ax : matplotlib Axes
        The legend of classes stands to its right, what the edge means above it.
    embedding : dict
        ``kind``, "pca" or "tsne"; for each row its ``points`` [x, y], its class among ``labels``, and whether it
        is ``leaking``.
    """
    labels = list(dict.fromkeys(embedding["labels"]))
    looks = [(COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]) for i in range(len(labels))]
    look_of = dict(zip(labels, looks, strict=True))
    points: dict[tuple[tuple[str, str], bool], list[list[float]]] = defaultdict(list)
    for point, label, leaks in zip(
        embedding["points"], embedding["labels"], embedding["leaking"], strict=True
    ):
        points[look_of[label], leaks].append(point)
    for ((colour, marker), leaks), some in points.items():
        ax.scatter(
            [x for x, _ in some],
            [y for _, y in some],
            s=16 if leaks else 11,
            marker=marker,
            facecolors=colour,
            edgecolors=ink(ax) if leaks else "none",
            linewidths=0.5,
            alpha=0.9 if leaks else 0.6,
            zorder=2 + leaks,
        )
    ax.set(xticks=[], yticks=[])
    across, up = _AXES[embedding["kind"]]
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    tidy(ax)
    handles = []
    if len(labels) <= _MOST_NAMED:
        for colour, marker in looks:
            handles += ax.plot([], [], marker=marker, color=colour, linestyle="none", markersize=4)
    else:
        ax.set_xlabel(f"{across}; {len(labels)} classes, of which some share a colour")
        labels = []
    if any(embedding["leaking"]):  # no class: it stands apart from them
        edge = {"markerfacecolor": "none", "markeredgecolor": ink(ax), "linestyle": "none"}
        circle = ax.plot([], [], marker="o", markersize=4, markeredgewidth=0.6, **edge)
        legend(ax, circle, ["edge: leaking"], loc="lower right", bbox_to_anchor=(1, 1))
    if labels:
        above = ax.get_legend()
        legend(ax, handles, labels, loc="upper left", bbox_to_anchor=(1, 1), ncols=1)
        if above is not None:  # an Axes keeps one legend by itself
            ax.add_artist(above)
            above.set_clip_on(False)
