"""The ways through the neighbour search, each forced on data of any size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_splitcheck.measure.neighbours import projection, reach, search, symmetric, tree

PATHS: dict[str, list[tuple[object, str, object]]] = {
    "float64": [],
    "float32": [(search, "_SMALL", 0)],
    "too crowded for float32": [(search, "_SMALL", 0), (reach, "_CROWD", 0)],
    "filter": [
        (search, "_SMALL", 0),
        (projection, "_FEWEST_TERMS", 0),
        (projection, "_PAYS", math.inf),
        (projection, "_DIRECTIONS", (1, 2)),
    ],
    "trees": [(tree, "_FEWEST_ROWS", 0)],
    "trees, many ties": [(tree, "_FEWEST_ROWS", 0), (tree, "_SPARE", 1)],
    "symmetric": [(search, "_SMALL", 0), (symmetric, "pays", lambda *_: True)],
    "symmetric, crowded": [
        (search, "_SMALL", 0),
        (symmetric, "pays", lambda *_: True),
        (reach, "_CROWD", 0.5),
    ],
}


@contextmanager
def taken(path: str) -> Iterator[None]:
    """Let every search take one path."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in PATHS[path]:
            patch.setattr(module, name, value)
        yield
