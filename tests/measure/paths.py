"""The ways through the neighbour search, each forced on data of any size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_splitcheck.measure import compiled
from pytest_splitcheck.measure.neighbours import (
    bounds,
    cheapest,
    columns,
    reach,
    search,
    shortlists,
    symmetric,
    tree,
    vicinity,
)

probe = cheapest._probe


def one_level(*args):
    """Have bounds by two directions, whatever they cost."""
    return probe(*args)[0], (2,), 0.0


def two_levels(*args):
    """Have bounds by one direction first."""
    return probe(*args)[0], (1, 2), 0.0


def no_bounds(*args):
    """Have bounds that cost too much."""
    return probe(*args)[0], (2,), float("inf")


CELLS: list[tuple[object, str, object]] = [
    (search, "_SMALL", 0),
    (columns, "_TILE_COLUMNS", (64, 64)),
    (vicinity, "_AROUND", 24),
    (vicinity, "_LEFT", 12),
    (cheapest, "rows_around", lambda: 1e-9),
    (cheapest, "_CHOICES", ((1,), (2,))),
    (cheapest, "_CELL", 16),
    (cheapest, "_WORTH_A_PROBE", 0),
    (cheapest, "_PER_PROJECTED", 0),
    (bounds, "_COLUMNS", 32),
    (bounds, "_FIRST_COLUMNS", 28),
]
SHORTLISTS = [*CELLS, (cheapest, "_probe", two_levels)]
IN_TILES = [*CELLS, (cheapest, "_probe", no_bounds), (cheapest, "_PER_NEAR_PAIR", 0)]

PATHS: dict[str, list[tuple[object, str, object]]] = {
    "float64": [],
    "float32": [(search, "_SMALL", 0)],
    "too crowded for float32": [(search, "_SMALL", 0), (reach, "_CROWD", 0)],
    "trees": [(tree, "_FEWEST_ROWS", 0)],
    "trees, many ties": [(tree, "_FEWEST_ROWS", 0), (tree, "_SPARE", 1)],
    "shortlists": SHORTLISTS,
    "shortlists, one level": [*CELLS, (cheapest, "_probe", one_level)],
    "shortlists, crowded": [*SHORTLISTS, (reach, "_CROWD", 0.5)],
    "shortlists, some too long": [*SHORTLISTS, (shortlists, "_BYTES_PER_PAIR", 1 << 18)],
    "shortlists, compiled": [*SHORTLISTS, (compiled, "_REPAYS", 0.0)],
    "tiles": IN_TILES,
    "tiles, crowded": [*IN_TILES, (reach, "_CROWD", 0.5)],
    "tiles, pairs that wait": [*IN_TILES, (symmetric, "_WAITING", 2)],
}


@contextmanager
def taken(path: str) -> Iterator[None]:
    """Let every search take one path."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in PATHS[path]:
            patch.setattr(module, name, value)
        yield
