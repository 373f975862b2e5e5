"""The rows that leak most, and their neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from pytest_splitcheck.measure.neighbours import surviving_neighbours
from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.measure.results.advice import LeakingRow
from pytest_splitcheck.measure.results.source import Source
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.splits import evaluation_sets

__all__ = ["leaking_rows"]

_ROWS: Final = 10


def leaking_rows(report: Report, source: Source, base: Rows | None = None) -> Iterator[LeakingRow]:
    """Yield the rows of the largest l_k, of equal ones those of the lowest numbers.

    `base` is the first of the `evaluation_sets`, where it is at hand.
    """
    leakage, benchmark = report.leakage, source.benchmark
    first = np.lexsort((leakage.rows, -leakage.pointwise))[:_ROWS]
    first = first[leakage.pointwise[first] > 0]
    if not len(first):
        return
    rows = leakage.rows[first]
    own = benchmark.positions(rows)
    base = next(evaluation_sets(benchmark)) if base is None else base
    _, index = surviving_neighbours(
        base,
        benchmark.codes,
        base.subset(own),
        k=leakage.k,
        removals=[],
        workers=source.protocol.workers(),
        own=own,
    ).without((), leakage.k)
    for row, position, place, nearest in zip(rows, own, first, index, strict=True):
        yield LeakingRow(
            row=int(row),
            label=benchmark.classes[benchmark.codes[position]],
            leakage=float(leakage.pointwise[place]),
            neighbours=tuple(
                (int(number), benchmark.classes[benchmark.codes[one]])
                for number, one in zip(benchmark.numbered(nearest), nearest, strict=True)
            ),
        )
