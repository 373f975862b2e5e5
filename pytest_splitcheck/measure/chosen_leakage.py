"""Leakage the way that a protocol chooses: of all rows, of a sample, or by an index."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from numbers import Real
from typing import Literal

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.approximate import ApproximateSearch, uses_index
from pytest_splitcheck.measure.geometry import GEOMETRY, GeometrySearch, has_geometry
from pytest_splitcheck.measure.leakage import measure_leakage, sample_leakage
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.measure.results import Leakage
from pytest_splitcheck.measure.rows import Integers, Rows
from pytest_splitcheck.measure.splits import evaluation_sets
from pytest_splitcheck.measure.tally import Tally
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Way", "binding", "leakage_of", "way_of"]

Way = Literal["sample", "index", "all"]
"""Rows drawn at random; all rows, by an index; all rows, exactly."""


def way_of(
    benchmark: ClassSplit, protocol: Protocol, k: int, limits: tuple[float, ...], *, geometry: bool
) -> Way:
    """Return how leakage is measured, which nothing that is in memory changes.

    A search of all rows that is exact gives geometry too, for which neither of the others will do.
    """
    m = len(benchmark.X)
    if limits and protocol.samples(m) and not geometry:
        return "sample"
    by_index = protocol.neighbors == "approximate" and uses_index(m, k) and not geometry
    return "index" if by_index else "all"


def leakage_of(
    benchmark: ClassSplit,
    protocol: Protocol,
    k: int,
    memory: Memory,
    limits: tuple[float, ...],
    workers: Workers,
    *,
    geometry: bool,
    rescaled: Rows | None = None,
) -> Leakage:
    """Return the leakage that `way_of` says, new or from `memory`; and put geometry there if it comes with it.

    Rows of a sample are searched exactly, whatever the protocol says of neighbours. What is known of all rows
    does not stand in for a sample: the figures would depend on what was asked for before. With `rescaled`, it
    is the leakage of the evaluation rows on this scale, without geometry.
    """
    alpha = float(protocol.alpha)
    name = "leakage" if rescaled is None else "rescaled leakage"
    way = way_of(benchmark, protocol, k, limits, geometry=geometry and rescaled is None)

    def sets() -> Iterable[Rows]:
        return evaluation_sets(benchmark) if rescaled is None else [rescaled]

    what = (benchmark.codes, benchmark.classes, k, workers)
    in_full, in_part, by_index = (name, k), (name, k, limits, alpha), (name, k, "approximate")
    if way == "sample":
        if in_part not in memory:
            memory[in_part] = memory.measured(
                in_part, lambda: sample_leakage(sets(), *what, limits, alpha)
            )
        return memory[in_part]  # type: ignore[no-any-return]
    if way == "index":
        if by_index not in memory:
            memory[by_index] = memory.measured(
                by_index, lambda: _approximate_leakage(sets(), *what)
            )
        return memory[by_index]  # type: ignore[no-any-return]
    if rescaled is None and has_geometry(benchmark, k) and (GEOMETRY, k) not in memory:
        memory[in_full], memory[GEOMETRY, k] = memory.measured(
            (*in_full, GEOMETRY), lambda: _with_geometry(benchmark, sets(), *what)
        )
    elif in_full not in memory:
        memory[in_full] = memory.measured(in_full, lambda: measure_leakage(sets(), *what))
    return memory[in_full]  # type: ignore[no-any-return]


def _with_geometry(
    benchmark: ClassSplit,
    representations: Iterable[Rows],
    codes: Integers,
    classes: tuple[Hashable, ...],
    k: int,
    workers: Workers,
) -> tuple[Leakage, Tally]:
    """Return what `measure_leakage` does, and the counts of geometry, from one search."""
    search = GeometrySearch(benchmark, k)
    what = (codes, classes, k, workers)
    return measure_leakage(representations, *what, search.neighbour_shares), search.tally


def _approximate_leakage(
    representations: Iterable[Rows],
    codes: Integers,
    classes: tuple[Hashable, ...],
    k: int,
    workers: Workers,
) -> Leakage:
    """Return what `measure_leakage` does, from neighbours that an index finds."""
    search = ApproximateSearch()
    found = measure_leakage(representations, codes, classes, k, workers, search.neighbour_shares)
    told = search.approximation
    error = 0.0 if told is None or told.error is None else told.error
    interval = (max(0.0, found.value - error), min(1.0, found.value + error))
    return replace(found, approximation=told, interval=interval)


def binding(limits: Sequence[float]) -> tuple[float, ...]:
    """Return the limits that L_k can exceed, each once, in order.

    Raises
    ------
    InputError
    """
    try:
        listed = list(limits)
    except TypeError:
        raise InputError(
            f"leakage_limits must be a list of values of L_k, such as [0.5]; got {limits!r}."
        ) from None
    for limit in listed:
        if isinstance(limit, bool) or not isinstance(limit, Real) or not limit >= 0:
            raise InputError(
                f"leakage_limits must be values of L_k, numbers of 0 or more; got {limit!r}."
            )
    return tuple(sorted({float(limit) for limit in listed if limit < 1}))
