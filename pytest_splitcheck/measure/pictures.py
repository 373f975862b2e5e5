"""What the figures draw beyond the report's own figures: scores, rows as points, rows as images."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.measure.embedding import embed, most_rows
from pytest_splitcheck.measure.images import are_images, thumbnails
from pytest_splitcheck.measure.leaking import leaking_rows
from pytest_splitcheck.measure.memory import Memory, digest
from pytest_splitcheck.measure.protocol import Embedding
from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.measure.results.source import Source, needed
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.splits import evaluation_sets

__all__ = ["embedding_picture", "pictures", "scores_picture"]

_SEED: Final = 0
_LEAKS: Final = 0.5
"""l_k of a row beyond which it is marked: most of its neighbours are of other classes."""

_THUMBNAILS: Final = 8
_NEIGHBOURS: Final = 5


def pictures(
    report: Report, *, embedding: Embedding, memory: Memory | None = None
) -> dict[str, Any]:
    """Return what the figures draw beyond the report's own figures, as plain data.

    Parameters
    ----------
    report : Report
        Fresh from a measurement.
    embedding : "pca" or "tsne"
    memory : Memory, optional
        What is known of this benchmark; embeddings of its rows, and neighbours of those that leak, are added.

    Returns
    -------
    dict
        ``scores`` as of `scores_picture`, ``embedding`` as of `embedding_picture`, and ``thumbnails``: None
        unless the rows of X were images; else a dict for each of the 8 rows that leak most, with its
        ``row``, ``label``, ``leakage`` (l_k), ``image`` (a PNG file in base64) and ``neighbours``, the 5
        nearest of the other rows, each with ``row``, ``label`` and ``image``.

    Raises
    ------
    InputError
        If the report has lost its benchmark.
    """
    source = needed(report.source, "whose rows the pictures show", "")
    base = _first_set(source)
    return {
        "scores": scores_picture(report),
        "embedding": embedding_picture(report, embedding, base, memory),
        "thumbnails": _thumbnails(report, source, base, memory),
    }


def _first_set(source: Source) -> Callable[[], Rows]:
    """Return what makes the evaluation set once, which may fit a representation, when it is first needed."""
    return cache(lambda: next(evaluation_sets(source.benchmark)))


def scores_picture(report: Report) -> dict[str, Any] | None:
    """Return how the scores of the worst class lie: the one of the lowest AUROC by any detector.

    They are those of the detector's first fit without the class: of its first seed and, as the scores of
    different folds cannot be compared, of the first fold that has rows of the class and others. Without
    detectors they are those of geometry alone.

    Returns
    -------
    dict or None
        ``detector`` and ``class``, their names; ``edges`` of the bins; ``normal`` and ``anomalous``, the
        numbers of rows in each. The bins at the ends hold the rows beyond them too. None if nothing was
        scored.
    """
    results = list(report.detectors.values()) or ([report.geometry] if report.geometry else [])
    scored = [(one, label) for one in results for label in one.auroc if label in one.histogram]
    if not scored:
        return None
    worst, label = min(scored, key=lambda pair: pair[0].auroc[pair[1]])
    found = worst.histogram[label]
    return {
        "detector": worst.name,
        "class": report.names[label],
        **{name: list(values) for name, values in found._asdict().items()},
    }


def embedding_picture(
    report: Report,
    kind: Embedding,
    base: Callable[[], Rows] | None = None,
    memory: Memory | None = None,
) -> dict[str, Any]:
    """Return rows of the evaluation set as points in the plane.

    Of more than 2,000 rows, and fewer of long ones, some are drawn at random, as many of each class as can
    be; where leakage was sampled, those of the sample first. With a fitted representation, the rows are
    in that of the first split.

    Parameters
    ----------
    report : Report
    kind : "pca" or "tsne"
    base : callable, optional
        Returns the evaluation set, where it may be at hand.
    memory : Memory, optional
        As for `pictures`.

    Returns
    -------
    dict
        ``kind``; for each row its ``points`` [x, y] to four digits, its class among ``labels``, whether it is
        ``leaking``, which is that most of its neighbours are of other classes, and its number among ``rows``.

    Raises
    ------
    InputError
        If the report has lost its benchmark.
    """
    source = needed(report.source, "whose rows an embedding shows", "plot_embedding(ax)")
    benchmark = source.benchmark
    base = _first_set(source) if base is None else base
    leakage = _pointwise(report, benchmark)
    known = np.isfinite(leakage)

    def embedded() -> tuple[Integers, list[list[float]]]:
        rows = base()
        chosen = _chosen(benchmark, known, most_rows(rows.n_features))
        points = embed(rows.subset(chosen), kind).tolist()
        return chosen, [[float(f"{value:.4g}") for value in point] for point in points]

    memory = Memory() if memory is None else memory
    chosen, points = memory.once(("embedding", kind, digest(known)), embedded)
    return {
        "kind": kind,
        "points": points,
        "labels": _names(report, benchmark, chosen),
        "leaking": (leakage[chosen] > _LEAKS).tolist(),
        "rows": benchmark.numbered(chosen).tolist(),
    }


def _pointwise(report: Report, benchmark: ClassSplit) -> Float64:
    """Return l_k of each row, shape (m,); NaN where it is unknown."""
    leakage = np.full(len(benchmark.X), np.nan)
    leakage[benchmark.positions(report.leakage.rows)] = report.leakage.pointwise
    return leakage


def _chosen(benchmark: ClassSplit, first: npt.NDArray[np.bool_], most: int) -> Integers:
    """Return the rows to show, class by class: as many of each as can be, those of `first` before others."""
    counts = np.array(benchmark.counts)
    shares = range(1, most + 1)
    each = max((one for one in shares if np.minimum(counts, one).sum() <= most), default=1)
    rng = np.random.default_rng(_SEED)
    in_turn = rng.permutation(len(benchmark.X))
    in_turn = in_turn[np.argsort(~first[in_turn], kind="stable")]
    by_class = in_turn[np.argsort(benchmark.codes[in_turn], kind="stable")]
    place = np.arange(len(by_class)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen: Integers = by_class[place < each][:most]
    return np.asarray(chosen[np.lexsort((chosen, benchmark.codes[chosen]))])


def _thumbnails(
    report: Report, source: Source, base: Callable[[], Rows], memory: Memory | None
) -> list[dict[str, Any]] | None:
    benchmark, names = source.benchmark, report.names
    if not are_images(benchmark.row_shape):
        return None
    leaking = list(leaking_rows(report, source, base, memory))[:_THUMBNAILS]
    shown = [
        (row, names[label])
        for one in leaking
        for row, label in [(one.row, one.label), *one.neighbours[:_NEIGHBOURS]]
    ]
    numbers = np.array([row for row, _ in shown], dtype=np.intp)
    own = benchmark.X[benchmark.positions(numbers)]
    images = iter(thumbnails(own, benchmark.row_shape) if shown else ())
    told = iter([{"row": row, "label": name, "image": next(images)} for row, name in shown])
    return [
        {
            **next(told),
            "leakage": one.leakage,
            "neighbours": [next(told) for _ in one.neighbours[:_NEIGHBOURS]],
        }
        for one in leaking
    ]


def _names(report: Report, benchmark: ClassSplit, rows: Integers) -> list[str]:
    names = [report.names[label] for label in benchmark.classes]
    return [names[code] for code in benchmark.codes[rows]]
