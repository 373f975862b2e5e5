"""What the tests of the cache share: a shelf in memory, and counts of the work that is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

from pytest_splitcheck.cache.outline import Outline
from pytest_splitcheck.cache.parts import packed, unpacked
from pytest_splitcheck.measure import descent, detectors, pictures
from pytest_splitcheck.measure.authors import AuthorsDetector
from pytest_splitcheck.measure.neighbours.search import Search


class Packed:
    """A shelf that keeps the bytes of every part."""

    def __init__(self, split: Any) -> None:
        self.outline = Outline.of(split)
        self.data: dict[Hashable, bytes] = {}

    def get(self, key: Hashable) -> Any:
        data = self.data.get(key)
        return None if data is None else unpacked(key, data, self.outline)

    def put(self, key: Hashable, part: Any) -> None:
        data = packed(key, part, self.outline)
        assert data is not None, key
        self.data[key] = data


WORK = {
    "searches": (Search, "run"),
    "indices": (descent, "nn_descent"),
    "forests": (detectors, "forest_scores"),
    "fits": (AuthorsDetector, "_fitted"),
    "embeddings": (pictures, "embed"),
    "evaluation sets": (pictures, "evaluation_sets"),
}
"""All that takes time: exact searches, whichever way they go, indices, forests, the author's detectors and, for
pictures, embeddings and representations."""


@contextmanager
def counted_work():
    """Count the calls of each of `WORK`."""
    count: Counter[str] = Counter()

    def counting(name: str, called: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            count[name] += 1
            return called(*args, **options)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name, (place, attribute) in WORK.items():
            patch.setattr(place, attribute, counting(name, getattr(place, attribute)))
        yield count


def plain(value: Any) -> Any:
    """Return everything in a value, types and bits of arrays too, as something that compares by ==."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if is_dataclass(value):
        return type(value), {
            one.name: plain(getattr(value, one.name))
            for one in fields(value)
            if one.name != "source"
        }
    if isinstance(value, dict):
        return [(plain(key), plain(one)) for key, one in value.items()]
    if isinstance(value, tuple | list):
        return type(value), [plain(one) for one in value]
    return repr(value)
