"""Which figures a benchmark has: how large each is, what stands below it, and what is read in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_splitcheck.draw import (
    draw_auroc,
    draw_embedding,
    draw_leakage,
    draw_leakage_matrix,
    draw_scores,
)
from pytest_splitcheck.report.html.svg import inline_svg
from pytest_splitcheck.report.html.tables import Table, leaking_pairs, leaks_table, score_table
from pytest_splitcheck.report.record import estimate
from pytest_splitcheck.report.text import some

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["Figure", "figures"]

_WIDTH = 4.6
_WIDEST = 5.5
"""Inches up to which a figure has another beside it."""

_LONE = 1.35
"""Of one that has none beside it, how much larger it is."""

_TALLEST = 40.0
_LEGEND = 0.16
"""Inches of a line of a legend."""

_EMBEDDINGS = {"pca": "principal components", "tsne": "t-SNE"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of the page.

    Attributes
    ----------
    svg : Markup
    caption : str
    table : Table or None
        Its numbers, where the page has them nowhere else.
    wide : bool
        Whether it takes the whole width of the page.
    lone : bool
        Whether it does so with its caption at its side, as there is no other to stand there.
    """

    svg: Markup
    caption: str
    table: Table | None = None
    wide: bool = False
    lone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    draw: Callable[[Any], None]
    size: tuple[float, float]
    title: str
    description: str
    caption: str
    table: Table | None = None


def figures(entry: dict[str, Any], prefix: str) -> list[Figure]:
    """Draw the figures of a record, in pairs and then the wide ones; `prefix` begins the ids in them."""
    report, pictures = entry["report"], entry.get("pictures") or {}
    plans = [_auroc(report)] if report["detectors"] or report["geometry"] else []
    plans += [_leakage(report), _matrix(report)]
    if pictures.get("scores"):
        plans.append(_scores(report, pictures["scores"]))
    if pictures.get("embedding"):
        plans.append(_embedding(pictures["embedding"]))
    narrow = [plan for plan in plans if plan.size[0] <= _WIDEST]
    wide = [plan for plan in plans if plan not in narrow]
    lone = narrow[-1] if len(narrow) % 2 else None
    return [
        Figure(
            svg=inline_svg(
                plan.draw,
                _enlarged(plan.size) if plan is lone else plan.size,
                prefix=f"{prefix}-{number}",
                title=plan.title,
                description=plan.description,
            ),
            caption=plan.caption,
            table=plan.table,
            wide=plan in wide or plan is lone,
            lone=plan is lone,
        )
        for number, plan in enumerate([*narrow, *wide], 1)
    ]


def _enlarged(size: tuple[float, float]) -> tuple[float, float]:
    width, height = size
    return _LONE * width, min(_TALLEST, _LONE * height)


def _width(names: Iterable[str]) -> float:
    """Return the inches of a figure with names at its side."""
    longest = max(map(len, names), default=0)
    return min(_WIDEST, _WIDTH + 0.06 * max(0, longest - 10))


def _height(n: int, each: float) -> float:
    """Return the inches of a figure with a line for each of `n` classes, less for each of many."""
    return min(_TALLEST, 1.0 + n * (each if n <= 40 else min(each, 0.15)))


def _auroc(report: dict[str, Any]) -> _Plan:
    results = report["detectors"] or {"geometry alone": report["geometry"]}
    told = [
        f"{name}: {some([f'{label} {value:.3f}' for label, value in result['auroc'].items()])}."
        for name, result in results.items()
    ]
    lines = _LEGEND * (len(results) + 2)
    each = max(0.2, 0.07 * len(results))
    return _Plan(
        draw=lambda ax: draw_auroc(ax, report),
        size=(_width(report["positives"]), lines + _height(len(report["positives"]), each)),
        title=f"AUROC of each held-out class by {', '.join(results)}",
        description=f"{' '.join(told)} All are in the table of classes.",
        caption=f"AUROC of each held-out class, with its 95 % interval. Left of the line at 1/2 the score "
        f"points the wrong way; in the band of {report['epsilon']:g} around it, it tells nothing.",
    )


def _leakage(report: dict[str, Any]) -> _Plan:
    leakage = report["leakage"]
    k, value = leakage["k"], estimate(leakage, ".4f")
    each = some(
        [
            f"{label} {share:.3f}"
            for label, share in leakage["per_class"].items()
            if share is not None
        ]
    )
    return _Plan(
        draw=lambda ax: draw_leakage(ax, report),
        size=(_width(leakage["classes"]), _height(len(leakage["classes"]), 0.2)),
        title=f"Leakage of each class beside L_{k} and chance",
        description=f"L_{k} {value}, chance {leakage['chance']:.4f}. {each}. All are in the table of classes.",
        caption=f"Leakage of each class: the share of a row's {k} nearest others that belong to another "
        f"class. L_{k} is the mean over rows; the broken line is chance.",
    )


def _matrix(report: dict[str, Any]) -> _Plan:
    leakage = report["leakage"]
    names, n = leakage["classes"], len(leakage["classes"])
    most = "; ".join(f"{a} to {b} {share:.3f}" for a, b, share in leaking_pairs(leakage)[:5])
    side = max(_width(names), min(9.0, 0.1 * n))
    return _Plan(
        draw=lambda ax: draw_leakage_matrix(ax, report),
        size=(side, 0.85 * side),
        title="Leakage matrix: which classes the neighbours of each class belong to",
        description=f"The largest shares beside the diagonal: {most or 'none'}.",
        caption="Leakage matrix: of the neighbours of each class, the share that belongs to each. Classes "
        "that leak into each other stand together.",
        table=leaks_table(report),
    )


def _scores(report: dict[str, Any], scores: dict[str, Any]) -> _Plan:
    detector, held_out = scores["detector"], scores["class"]
    auroc = (report["detectors"].get(detector) or report["geometry"])["auroc"][held_out]
    normal, anomalous = sum(scores["normal"]), sum(scores["anomalous"])
    of = "all rows" if normal + anomalous == report["m"] else "the rows of one fold"
    return _Plan(
        draw=lambda ax: draw_scores(ax, scores),
        size=(_WIDTH, 3.0),
        title=f"Scores of {detector} where {held_out} is held out",
        description=f"{normal} normal and {anomalous} held-out rows, of {of}; AUROC {auroc:.4f}.",
        caption=f"Scores of {detector} where {held_out} is held out, the worst of all classes and detectors "
        f"(AUROC {auroc:.4f}); of {of}.",
        table=score_table(scores),
    )


def _embedding(embedding: dict[str, Any]) -> _Plan:
    rows, leaking = len(embedding["points"]), sum(embedding["leaking"])
    method = _EMBEDDINGS[embedding["kind"]]
    return _Plan(
        draw=lambda ax: draw_embedding(ax, embedding),
        size=(_WIDTH, 3.4),
        title=f"Rows of the evaluation set in two dimensions, by {method}",
        description=f"{rows} rows of {len(set(embedding['labels']))} classes, {leaking} of which leak.",
        caption=f"{rows:,} rows in two dimensions ({method}); those with an edge leak.",
    )
