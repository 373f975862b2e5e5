"""The leakage matrix as a heat map."""

from __future__ import annotations

from typing import Any

from pytest_splitcheck.draw.look import name_classes
from pytest_splitcheck.draw.order import by_similarity

__all__ = ["draw_leakage_matrix"]

_MOST_VALUES = 12
_MOST_VECTORS = 30
"""Classes up to which values are in the cells, and cells are shapes; more become an image."""

_GAMMA = 0.5
"""The colour goes with the root of the share: small leaks are seen beside full diagonals."""


def draw_leakage_matrix(ax: Any, report: dict[str, Any]) -> None:
    """Draw M[a, b], the share of the neighbour slots of class a that class b fills, as a heat map.

    Classes that leak into each other stand together. A class of which a sample has no row is blank.

    Parameters
    ----------
    ax : matplotlib Axes
        About as wide as high; its colour bar takes some of its room.
    report : dict
        A report's ``to_dict()``.
    """
    import numpy as np
    from matplotlib.colors import PowerNorm

    leakage = report["leakage"]
    n, order = len(leakage["classes"]), by_similarity(leakage["matrix"])
    names = [leakage["classes"][place] for place in order]
    blank = [float("nan")] * n
    shares = np.array([leakage["matrix"][place] or blank for place in order])[:, order]
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(shares),
        cmap="Blues",
        norm=PowerNorm(_GAMMA, 0, 1),
        rasterized=n > _MOST_VECTORS,
    )
    ax.set(xlim=(0, n), ylim=(n, 0), aspect="equal")
    bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.8, ticks=[0, 0.05, 0.2, 0.5, 1])
    bar.set_label(f"share of the {leakage['k']} nearest rows")
    bar.outline.set_visible(False)
    ax.spines[:].set_visible(False)
    for axis in ("x", "y"):
        name_classes(ax, axis, names, at=0.5)
    ax.tick_params(axis="x", labelrotation=90)
    ax.set_xlabel("class of the neighbours")
    ax.set_ylabel("class of the row")
    if n <= _MOST_VALUES:
        _write(ax, shares)


def _write(ax: Any, shares: Any) -> None:
    """Put the values in the cells, as hundredths."""
    n = len(shares)
    box = ax.get_window_extent()
    size = min(9.0, 0.33 * min(box.width, box.height) * 72 / ax.figure.dpi / n)
    for a in range(n):
        for b in range(n):
            share = shares[a, b]
            if share == share:  # not NaN
                ax.text(
                    b + 0.5,
                    a + 0.5,
                    f"{share:.2f}"[0 if share > 0.995 else 1 :],
                    ha="center",
                    va="center",
                    fontsize=size,
                    color="white" if share**_GAMMA > 0.6 else "#111111",
                    alpha=1.0 if share >= 0.005 else 0.45,
                )
