"""Leakage of each class."""

from __future__ import annotations

from typing import Any

from pytest_splitcheck.draw.look import COLOURS, ink, legend, name_classes, tidy

__all__ = ["draw_leakage"]


def draw_leakage(ax: Any, report: dict[str, Any]) -> None:
    """Draw L_k(c) of each class as a bar, L_k as a line, and chance as a broken one.

    Around an L_k that is not exact its interval is shaded. A class of which a sample has no row has no bar.

    Parameters
    ----------
    ax : matplotlib Axes
        Give it about 0.2 inches of height for each class.
    report : dict
        A report's ``to_dict()``.
    """
    leakage = report["leakage"]
    classes, k = leakage["classes"], leakage["k"]
    known = [place for place, name in enumerate(classes) if leakage["per_class"][name] is not None]
    ax.barh(
        known,
        [leakage["per_class"][classes[place]] for place in known],
        height=0.7,
        color=COLOURS[5],
        zorder=1,
    )
    low, high = leakage["interval"]
    if high > low:
        ax.axvspan(low, high, color=COLOURS[1], alpha=0.2, linewidth=0, zorder=1.5)
    exact = leakage["alpha"] is None and leakage["approximation"] is None
    lines = [
        ax.axvline(leakage["value"], color=COLOURS[1], linewidth=1.4, zorder=2),
        ax.axvline(leakage["chance"], color=ink(ax), linewidth=1.2, linestyle="--", zorder=2),
    ]
    ax.set_xlim(0, 1)
    ax.set_ylim(len(classes) - 0.5, -0.5)
    name_classes(ax, "y", classes)
    ax.set_xlabel(f"share of the {k} nearest rows that are of other classes")
    tidy(ax)
    value, chance = leakage["value"], leakage["chance"]
    legend(ax, lines, [f"L_{k} {'' if exact else '~'}{value:.3f}", f"chance {chance:.3f}"])
