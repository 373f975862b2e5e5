"""Scores of normal and held-out rows."""

from __future__ import annotations

from typing import Any

from pytest_splitcheck.draw.look import COLOURS, TEXT, legend, shown, tidy

__all__ = ["draw_scores"]


def draw_scores(ax: Any, scores: dict[str, Any]) -> None:
    """Draw the distributions of the scores of normal rows and of the rows of one held-out class.

    Each is the share of its own rows in every bin. The bins at the ends hold the rows beyond them too.

    Parameters
    ----------
    ax : matplotlib Axes
    scores : dict
        ``detector`` and ``class``, names; ``edges`` of the bins; ``normal`` and ``anomalous``, the numbers of
        rows in each bin.
    """
    edges, held_out = scores["edges"], shown(scores["class"])
    handles = [
        ax.stairs(
            [count / max(1, sum(counts)) for count in counts],
            edges,
            fill=True,
            facecolor=(colour, 0.35),
            edgecolor=colour,
            linewidth=1.2,
            hatch=hatch,
        )
        for counts, colour, hatch in (
            (scores["normal"], COLOURS[0], None),
            (scores["anomalous"], COLOURS[1], "///"),
        )
    ]
    ax.set_xlim(edges[0], edges[-1])
    ax.set_ylim(bottom=0)
    ax.set_xlabel(f"score of {shown(scores['detector'])}; higher is more anomalous", **TEXT)
    ax.set_ylabel("share of the rows")
    tidy(ax)
    normal, anomalous = sum(scores["normal"]), sum(scores["anomalous"])
    legend(ax, handles, [f"normal ({normal} rows)", f"{held_out} ({anomalous} rows)"], ncols=2)
