"""The plot of growth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

_LABELS = {
    "n": "rows in the pool, and to evaluate, n",
    "d": "values per row, d",
    "K": "classes, K",
    "k": "neighbours for leakage and kNN, k",
}
_STYLE = {"ours": ("#0b5fa5", "o", "-"), "scikit-learn loop": ("#b5530b", "s", "--")}
"""Colour, marker and dash: any one of them tells the lines apart, in print as well."""


def draw(record: Mapping[str, Any], out: Path) -> None:
    """Write growth.svg and growth.png to a folder."""
    with mpl.rc_context({"font.size": 9, "svg.hashsalt": "growth", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7.2, 6.2), layout="constrained")
        axes = figure.subplots(2, 2, sharey=True)
        for panel, (axis, lines) in zip(axes.flat, record["series"].items(), strict=True):
            _panel(panel, axis, lines, record["base"])
        for panel in axes[:, 0]:
            panel.set_ylabel("wall time (s)")
        walls = [
            point["wall"]
            for lines in record["series"].values()
            for points in lines.values()
            for point in points
        ]
        axes[0, 0].set_ylim(*decades(min(walls), 1.3 * max(walls)))  # with room for the last slope
        cpu = record["environment"]
        figure.suptitle(
            f"Time for {record['what']}\n{cpu['cpu']}, {cpu['cpus_usable']} CPUs", fontsize=10
        )
        handles, names = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
        figure.savefig(out / "growth.svg", metadata={"Date": None})
        figure.savefig(out / "growth.png", dpi=200)


def decades(least: float, most: float) -> tuple[float, float]:
    """Return the powers of ten around an interval, so that an axis shows two of them at least."""
    return 10.0 ** math.floor(math.log10(least)), 10.0 ** math.ceil(math.log10(most))


def _panel(panel: Any, axis: str, lines: Mapping[str, Any], base: Mapping[str, int]) -> None:
    ticks: set[float] = set()
    for name, points in lines.items():
        colour, marker, dash = _STYLE[name]
        sizes = [point["size"] for point in points]
        ticks |= set(sizes)
        panel.plot(
            sizes,
            [point["wall"] for point in points],
            color=colour,
            marker=marker,
            linestyle=dash,
            markersize=4.5,
            linewidth=1.5,
            label=name,
        )
        panel.annotate(
            f"slope {slope(points):.2f}",
            (sizes[-1], points[-1]["wall"]),
            xytext=(4, 6),
            textcoords="offset points",
            ha="right",
            color=colour,
            fontsize=8,
        )
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel(_LABELS[axis])
    panel.set_xticks(sorted(ticks))
    panel.tick_params(labelsize=8)
    panel.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:,.0f}"))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:,g}"))
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.grid(True, which="major", color="0.88", linewidth=0.6)
    panel.spines[["top", "right"]].set_visible(False)
    fixed = ", ".join(f"{name} = {size:,}" for name, size in base.items() if name != axis)
    panel.set_title(fixed, fontsize=8, color="0.35")


def slope(points: list[dict[str, float]]) -> float:
    """Return the exponent of growth over the last three sizes, where overhead matters least."""
    last = points[-3:]
    if len(last) < 2:
        return float("nan")
    sizes, seconds = [one["size"] for one in last], [one["wall"] for one in last]
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
