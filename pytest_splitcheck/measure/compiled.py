"""Loops that numba compiles: whether they are worth what it costs to load and compile them."""

from __future__ import annotations

import functools
import threading
from types import ModuleType

__all__ = ["begin_loading", "loops", "saved_by_distances", "saved_by_forests"]

_REPAYS = 1.5
"""Seconds of one thread below which nothing is compiled. The loops take most of a second to load, and some
two to compile, once on a machine."""

_SAVED_PER_VALUE = 8e-10
"""Seconds that they save per value of the differences whose length is a distance."""

_PAIRS_PER_NEIGHBOUR = 2.4
"""Distances that a search takes for each of k neighbours, where lists survive removals."""

_SAVED_PER_ROW = 2.5e-6
"""Seconds that they save per row and forest of 100 trees."""

_lock = threading.Lock()


def saved_by_distances(n_queries: int, k: int, n_features: int) -> float:
    """Return the seconds that compiled loops save a search for the k neighbours of some queries."""
    return _SAVED_PER_VALUE * _PAIRS_PER_NEIGHBOUR * k * n_queries * n_features


def saved_by_forests(number: int, n_rows: int) -> float:
    """Return the seconds that compiled loops save some forests that score some rows each."""
    return _SAVED_PER_ROW * number * n_rows


def loops(seconds: float) -> ModuleType | None:
    """Return `measure.kernels` if they save as many seconds as they cost; None where numpy is to do it.

    Parameters
    ----------
    seconds : float
        What they save, by the size of the work alone: its results may differ in their last digits.
    """
    if seconds < _REPAYS:
        return None
    with _lock:
        return _kernels()


def begin_loading(seconds: float) -> None:
    """Load in a thread of its own what `loops` is going to be asked for, and return at once."""
    if seconds >= _REPAYS:
        threading.Thread(target=loops, args=(seconds,), daemon=True).start()


@functools.cache
def _kernels() -> ModuleType | None:
    try:
        from pytest_splitcheck.measure import kernels

        kernels.compile_first()
    except Exception:  # numba may not know this numpy, or warn where warnings are errors
        return None
    return kernels
