"""AUROC of each held-out class."""

from __future__ import annotations

from typing import Any

from pytest_splitcheck.draw.look import COLOURS, MARKERS, ink, legend, name_classes, room, tidy

__all__ = ["draw_auroc"]

_BAND = 0.7
"""Share of a class's room over which its detectors are spread."""


def draw_auroc(ax: Any, report: dict[str, Any]) -> None:
    """Draw AUC(c) of each held-out class by every detector, with its 95 % interval (Figure 1 of arXiv 2606.02601).

    The line is at 1/2, the band around it of half-width epsilon. A class is hollow where it is not resolved.
    Geometry alone is a bar beside the detectors; without any, it takes their place.

    Parameters
    ----------
    ax : matplotlib Axes
        Give it about 0.2 inches of height for each class.
    report : dict
        A report's ``to_dict()``.
    """
    held_out, epsilon = list(report["positives"]), report["epsilon"]
    results = dict(report["detectors"])
    alone = report["geometry"]
    if alone is not None and not results:
        results, alone = {"geometry": alone}, None
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(len(held_out) - 0.5, -0.5)
    name_classes(ax, "y", held_out)
    ax.set_xlabel(f"AUROC of the held-out class; shaded: 1/2 ± {epsilon:g}")
    tidy(ax)
    if not results:
        ax.text(0.5, 0.5, "no detectors, and no geometry", ha="center", transform=ax.transAxes)
        return
    ax.grid(axis="y", color=ink(ax), alpha=0.12, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.axvspan(0.5 - epsilon, 0.5 + epsilon, color=ink(ax), alpha=0.12, linewidth=0, zorder=0)
    ax.axvline(0.5, color=ink(ax), linewidth=0.8, zorder=0.5)
    handles = [
        _draw(ax, number, len(results), result, held_out)
        for number, result in enumerate(results.values())
    ]
    names = list(results)
    if alone is not None:
        bar = {"marker": "|", "color": ink(ax), "alpha": 0.55, "linestyle": "none"}
        places, height = range(len(held_out)), 0.8 * room(ax, "y", len(held_out))
        values = [alone["auroc"][name] for name in held_out]
        ax.plot(values, places, markersize=min(14.0, height), zorder=1, **bar)
        handles += ax.plot([], [], markersize=8, **bar)
        names.append("geometry alone")
    if any(result["resolved"][name] is None for result in results.values() for name in held_out):
        hollow = {"markerfacecolor": "none", "markeredgecolor": ink(ax), "linestyle": "none"}
        handles += ax.plot([], [], marker="o", **hollow)
        names.append("not resolved")
    legend(ax, handles, names)


def _draw(ax: Any, number: int, of: int, result: dict[str, Any], held_out: list[str]) -> Any:
    """Draw one detector of several, and return a handle for the legend."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    share = _BAND * room(ax, "y", len(held_out)) / of
    places = [place + _BAND * ((number + 0.5) / of - 0.5) for place in range(len(held_out))]
    ends = [result["interval"][name] for name in held_out]
    ax.hlines(
        places,
        [low for low, _ in ends],
        [high for _, high in ends],
        color=colour,
        linewidth=min(1.2, max(0.5, share / 4)),
        zorder=2,
    )
    size = min(6.0, max(2.0, 0.9 * share))
    hollow = [result["resolved"][name] is None for name in held_out]
    ax.scatter(
        [result["auroc"][name] for name in held_out],
        places,
        s=size**2,
        marker=marker,
        facecolors=[ax.get_facecolor() if one else colour for one in hollow],
        edgecolors=colour,
        linewidths=min(1.0, size / 5),
        clip_on=False,
        zorder=3,
    )
    return ax.plot([], [], marker=marker, color=colour, linestyle="none")[0]
