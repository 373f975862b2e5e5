"""The ways through the neighbour search, each forced on data of any size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_splitcheck.measure import compiled
from pytest_splitcheck.measure.neighbours import (
    cheapest,
    columns,
    reach,
    search,
    symmetric,
    tiles,
    tree,
    vicinity,
)

probe = cheapest._cheapest_projection


def always(*args):
    """Have bounds by two directions, whatever they cost."""
    return probe(*args)[0], 2, 0.0


def never(*args):
    """Have no bounds."""
    return probe(*args)[0], 2, float("inf")


TILES: list[tuple[object, str, object]] = [
    (search, "_SMALL", 0),
    (compiled, "_REPAYS", 0.0),
    (columns, "_TILE_COLUMNS", (64, 64)),
    (vicinity, "_ROWS_PER_CENTRE", 16),
    (vicinity, "_AROUND", 24),
    (vicinity, "_LEFT", 12),
    (vicinity, "_ANYWHERE", 8),
    (cheapest, "rows_around", lambda products: 0),
    (cheapest, "_DIRECTIONS", (2,)),
    (cheapest, "_TIGHTER", 3),
    (tiles, "_ROWS", 32),
    (tiles, "_QUERIES", 32),
]
PROJECTED = [*TILES, (cheapest, "_cheapest_projection", always)]
IN_FULL = [*TILES, (cheapest, "_cheapest_projection", never)]

PATHS: dict[str, list[tuple[object, str, object]]] = {
    "float64": [],
    "float32": [(search, "_SMALL", 0)],
    "too crowded for float32": [(search, "_SMALL", 0), (reach, "_CROWD", 0)],
    "trees": [(tree, "_FEWEST_ROWS", 0)],
    "trees, many ties": [(tree, "_FEWEST_ROWS", 0), (tree, "_SPARE", 1)],
    "tiles": IN_FULL,
    "tiles, crowded": [*IN_FULL, (reach, "_CROWD", 0.5)],
    "tiles, pairs that wait": [*IN_FULL, (symmetric, "_WAITING", 2)],
    "tiles, projected": PROJECTED,
    "tiles, projected, little room": [*PROJECTED, (tiles, "_ROOM", 64)],
}


@contextmanager
def taken(path: str) -> Iterator[None]:
    """Let every search take one path."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in PATHS[path]:
            patch.setattr(module, name, value)
        yield
