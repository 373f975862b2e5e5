"""The figures of the site, docs/figures/*.svg: ``python -m tests.docs`` writes them.

The pages hold the figures inline, so that text and lines take the colours of the page, light or dark. Every
number in them is measured here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import StandardScaler

from pytest_splitcheck import ClassSplit, DetectorResult, Report, evaluate
from pytest_splitcheck.measure.confidence import ConfidenceSequence
from tests.docs.svg import Array, Drawing, Panel, panels

__all__ = ["FIGURES"]


def around(centre: Sequence[float], n: int, spread: float, seed: int) -> Array:
    """Return `n` rows around a point of the plane."""
    rows: Array = np.random.default_rng(seed).normal(centre, spread, size=(n, 2))
    return rows


def split(*classes: Array) -> ClassSplit:
    """Return a benchmark of rows of class 0, 1, ..."""
    return ClassSplit(
        np.concatenate(classes), np.repeat(np.arange(len(classes)), list(map(len, classes)))
    )


def leakage() -> Drawing:
    """Two classes apart and mixed, with the neighbours of one row."""
    k, n = 5, 28
    shown = []
    for title, shift in (("apart", 2.4), ("mixed", 0.5)):
        a, b = around((-shift, 0), n, 1.2, 3), around((shift, 0), n, 1.2, 4)
        report = evaluate(split(a, b), k=k, detectors=())
        shown.append((f"{title}: L_{k} = {report.leakage.value:.2f}", a, b, report))
    drawing = panels(
        "Leakage of two classes",
        f"Rows of two classes, and the {k} nearest neighbours of one row. "
        + "; ".join(title for title, *_ in shown)
        + ".",
        2,
    )
    for number, (title, a, b, report) in enumerate(shown):
        panel = Panel(drawing, number, title, 4.2)
        X = np.concatenate([a, b])
        distance = np.linalg.norm(X[:, None] - X, axis=2)
        order = np.argsort(distance, axis=1, kind="stable")[:, 1 : k + 1]
        # A row that shows the case, with links long enough to be seen.
        wanted = np.isclose(report.leakage.pointwise, 0.6 if number else 0.0)
        reach = distance[np.arange(n), order[:n, -1]]
        row = int(np.argmax(wanted[:n] * np.where(reach < 1.5, reach, 0.0)))
        panel.rows(a, "one")
        panel.rows(b, "two")
        link(panel, X, row, order[row], order[row] >= n)
    return drawing


def link(panel: Panel, X: Array, row: int, neighbours: npt.NDArray[np.intp], wrong: Array) -> None:
    """Draw lines from a row to its neighbours, dashed to those of another class."""
    for other, leaks in zip(neighbours, wrong, strict=True):
        panel.link(X[row], X[other], "link wrong" if leaks else "link")
    panel.rows(X[row : row + 1], "one chosen", 6)


def inversion() -> Drawing:
    """A held-out class beside the normal cloud and within it."""
    normal = around((0, 0), 150, 1.6, 5)
    shown = []
    for title, centre in (("outside", (4.0, 3.4)), ("within", (0.0, 0.0))):
        held_out = around(centre, 50, 0.35, 6)
        report = evaluate(split(normal, held_out), detectors=("knn",))
        shown.append((title, held_out, report.detectors["knn"].auroc[1]))
    told = [f"{title}: AUROC {auroc:.2f}" for title, _, auroc in shown]
    drawing = panels(
        "A held-out class outside and within the geometry of the normal rows",
        "A cloud of normal rows and a small held-out class. " + "; ".join(told) + ".",
        2,
    )
    for number, (title, held_out, auroc) in enumerate(shown):
        panel = Panel(drawing, number, f"{title}: AUROC of kNN {auroc:.2f}", 5.0)
        panel.rows(normal, "one")
        panel.rows(held_out, "two")
    return drawing


def band() -> Drawing:
    """AUROC and interval of four held-out classes, with the band around 1/2."""
    normal = around((0, 0), 300, 2.0, 7)
    places = {"far": (7.0, 6.0), "edge": (2.4, 2.0), "few": (-0.8, 0.6), "core": (0.0, 0.0)}
    sizes = {"far": 60, "edge": 60, "few": 12, "core": 60}
    rows = [around(places[name], sizes[name], 0.5, 8 + i) for i, name in enumerate(places)]
    X = np.concatenate([normal, *rows])
    y = np.repeat(["cloud", *places], [len(normal), *sizes.values()])
    result = evaluate(ClassSplit(X, y, held_out=list(places)), detectors=("knn",)).detectors["knn"]
    told = "; ".join(
        f"{name} {result.auroc[name]:.2f} ({low:.2f} to {high:.2f})"
        for name, (low, high) in result.interval.items()
    )
    drawing = Drawing(
        "AUROC of held-out classes, with 95 % intervals and the band around 1/2",
        f"A dot and an interval for each class, on an axis from 0 to 1: {told}.",
        642,
        230,
    )
    draw_band(drawing, result)
    return drawing


def draw_band(drawing: Drawing, result: DetectorResult) -> None:
    """Draw dots and intervals, a line for each held-out class."""
    left, width, step = 80.0, 440.0, 40.0
    bottom = 20 + step * len(result.auroc)

    def x(value: float) -> float:
        return left + width * value

    drawing.box(x(0.45), 20, width * 0.1, bottom - 20, "band")
    drawing.line(x(0.5), 20, x(0.5), bottom, "half")
    drawing.line(x(0), bottom, x(1), bottom, "axis")
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        drawing.line(x(tick), bottom, x(tick), bottom + 5, "axis")
        drawing.text(x(tick), bottom + 22, f"{tick:g}", "middle")
    words = {1: "up", -1: "down", 0: "neutral"}
    for number, (label, auroc) in enumerate(result.auroc.items()):
        y = 40 + step * number
        low, high = result.interval[label]
        drawing.text(left - 12, y + 5, str(label), "end")
        drawing.line(x(low), y, x(high), y, "bar")
        drawing.circle(x(auroc), y, 6, "dot" if result.resolved[label] is not None else "dot open")
        open_ = "" if result.resolved[label] is not None else ", unresolved"
        drawing.text(x(1) + 12, y + 5, words[result.direction[label]] + open_)


def attribution() -> Drawing:
    """A class that geometry separates and a forest of axis-parallel cuts inverts; and one that both invert."""
    drawings = []
    for title, normal, held_out in (
        ("the forest's fault", diagonals(), around((0, 0), 50, 0.18, 10)),
        ("the geometry's fault", around((0, 0), 160, 1.6, 5), around((0, 0), 50, 0.3, 10)),
    ):
        report = evaluate(split(normal, held_out), detectors=("knn", "iforest"))
        drawings.append((title, normal, held_out, report))

    def figures(report: Report) -> str:
        assert report.geometry is not None
        return (
            f"geometry {report.geometry.auroc[1]:.2f}, "
            f"isolation forest {report.detectors['iforest'].auroc[1]:.2f}"
        )

    drawing = panels(
        "Whose fault an inverted class is",
        "; ".join(f"{title}: AUROC of {figures(report)}" for title, *_, report in drawings) + ".",
        2,
    )
    for number, (_, normal, held_out, report) in enumerate(drawings):
        panel = Panel(drawing, number, figures(report), 5.0)
        panel.rows(normal, "one")
        panel.rows(held_out, "two")
    return drawing


def diagonals() -> Array:
    """Return rows on two parallel diagonals, which no axis-parallel cut tells from what is between."""
    rng = np.random.default_rng(9)
    along = np.repeat(np.linspace(-3.6, 3.6, 80), 2)
    side = np.tile([-0.9, 0.9], 80)
    rows: Array = np.column_stack([along - side, along + side]) + rng.normal(0, 0.08, (160, 2))
    return rows


def dominance() -> Drawing:
    """One feature on a scale of its own decides who is whose neighbour, until it is put right."""
    rng = np.random.default_rng(11)
    y = np.repeat([0, 1], 60)
    X = np.column_stack(
        [np.where(y == 0, -1.0, 1.0) + rng.normal(0, 0.3, 120), rng.normal(0, 400, 120)]
    )
    scaled = StandardScaler().fit_transform(X)
    values = [
        evaluate(ClassSplit(rows, y), k=5, detectors=()).leakage.value for rows in (X, scaled)
    ]
    k = 5
    drawing = panels(
        "A feature that dominates",
        f"The same rows twice, with the {k} neighbours of one row: by the features as they are, "
        f"L_{k} = {values[0]:.2f}; with equal variances, {values[1]:.2f}.",
        2,
    )
    row = int(np.argmin(np.abs(scaled[:60, 1])))
    titles = (f"as they are: L_{k} = {values[0]:.2f}", f"standardised: L_{k} = {values[1]:.2f}")
    for number, rows in enumerate((X, scaled)):
        panel = Panel(drawing, number, titles[number], 2.6)
        order = np.argsort(np.linalg.norm(rows - rows[row], axis=1), kind="stable")[1 : k + 1]
        panel.rows(scaled[y == 0], "one")
        panel.rows(scaled[y == 1], "two")
        link(panel, scaled, row, order, y[order] == 1)
    return drawing


def sampling() -> Drawing:
    """The interval of L_k as rows are drawn, up to the decision."""
    size, limit = 100_000, 0.5
    values = np.random.default_rng(12).binomial(10, 0.62, 4000) / 10
    ends = []
    taken = ConfidenceSequence(size, 0.001, [limit]).update(values)
    draws = sorted({1, 2, 3, 5, *range(8, taken, max(1, taken // 40)), taken})
    for t in draws:
        sequence = ConfidenceSequence(size, 0.001, [limit])
        sequence.update(values[:t])
        ends.append(sequence.interval())
    drawing = Drawing(
        "L_k from rows drawn at random",
        f"The interval that holds L_k narrows as rows are drawn; after {taken} of {size:,} rows it lies "
        f"above the limit of {limit:g}, and the drawing of rows ends.",
        642,
        280,
    )
    left, width, top, height = 60.0, 540.0, 20.0, 200.0

    def place(t: float, value: float) -> tuple[float, float]:
        return left + width * t / taken, top + height * (1 - value)

    lower = [place(t, low) for t, (low, _) in zip(draws, ends, strict=True)]
    upper = [place(t, high) for t, (_, high) in zip(draws, ends, strict=True)]
    drawing.area([*lower, *reversed(upper)], "range")
    drawing.line(*place(0, limit), *place(taken, limit), "limit")
    drawing.text(left + 8, place(0, limit)[1] - 8, f"max_leakage = {limit:g}")
    drawing.line(*place(0, 0), *place(taken, 0), "axis")
    drawing.line(*place(0, 0), *place(0, 1), "axis")
    for value in (0.0, 0.5, 1.0):
        drawing.text(left - 10, place(0, value)[1] + 5, f"{value:g}", "end")
    for t in (0, taken):
        drawing.text(place(t, 0)[0], top + height + 22, f"{t}", "middle")
    drawing.text(left + width / 2, top + height + 44, "rows asked for their neighbours", "middle")
    return drawing


FIGURES: Final[dict[str, Callable[[], Drawing]]] = {
    "leakage": leakage,
    "inversion": inversion,
    "band": band,
    "attribution": attribution,
    "dominance": dominance,
    "sampling": sampling,
}
