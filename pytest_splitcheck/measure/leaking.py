"""The rows that leak most, and their neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from pytest_splitcheck.measure.memory import Memory, digest
from pytest_splitcheck.measure.neighbours import surviving_neighbours
from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.measure.results.advice import LeakingRow
from pytest_splitcheck.measure.results.source import Source
from pytest_splitcheck.measure.rows import Integers, Rows
from pytest_splitcheck.measure.splits import evaluation_sets

__all__ = ["leaking_rows"]

_ROWS: Final = 10


def leaking_rows(
    report: Report,
    source: Source,
    base: Callable[[], Rows] | None = None,
    memory: Memory | None = None,
) -> Iterator[LeakingRow]:
    """Yield the rows of the largest l_k, of equal ones those of the lowest numbers.

    Parameters
    ----------
    report : Report
    source : Source
    base : callable, optional
        Returns the first of the `evaluation_sets`, where it may be at hand.
    memory : Memory, optional
        What is known of this benchmark; their neighbours are added.
    """
    leakage, benchmark = report.leakage, source.benchmark
    first = np.lexsort((leakage.rows, -leakage.pointwise))[:_ROWS]
    first = first[leakage.pointwise[first] > 0]
    if not len(first):
        return
    rows = leakage.rows[first]
    own = benchmark.positions(rows)

    def search() -> Integers:
        among = next(evaluation_sets(benchmark)) if base is None else base()
        found = surviving_neighbours(
            among,
            benchmark.codes,
            among.subset(own),
            k=leakage.k,
            removals=[],
            workers=source.protocol.workers(),
            own=own,
        )
        return found.without((), leakage.k)[1]

    memory = Memory() if memory is None else memory
    index = memory.once(("leaking", len(own), leakage.k, digest(own)), search)
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
