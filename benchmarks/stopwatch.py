"""Wall and CPU seconds of named parts of some work."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

ALL = "all"
"""The part that is everything that counts."""


class Seconds(NamedTuple):
    """Wall and CPU seconds, the latter over all threads and child processes."""

    wall: float
    cpu: float

    def minus(self, other: Seconds) -> Seconds:
        """Return the difference of both."""
        return Seconds(self.wall - other.wall, self.cpu - other.cpu)


def now() -> Seconds:
    """Return the readings of both clocks."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Seconds(time.perf_counter(), time.process_time() + children.ru_utime + children.ru_stime)


class Stopwatch:
    """Adds up the time of parts by name; parts may be nested.

    Attributes
    ----------
    parts : dict from str to Seconds
    """

    def __init__(self) -> None:
        self.parts: dict[str, Seconds] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Add the time that the block takes to the part called `name`."""
        start = now()
        yield
        spent = now().minus(start)
        before = self.parts.get(name, Seconds(0.0, 0.0))
        self.parts[name] = Seconds(before.wall + spent.wall, before.cpu + spent.cpu)
