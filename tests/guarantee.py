"""How often sampling is wrong, in simulated runs: ``python tests/guarantee.py``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pytest_splitcheck.measure.confidence import ConfidenceSequence

ROUNDING = 1e-9
"""What the verdict allows for rounding."""


def populations(size: int) -> dict[str, np.ndarray]:
    """Return populations of `size` values in [0, 1] that are hard in different ways."""
    rng = np.random.default_rng(0)
    few = np.zeros(size)
    few[: max(1, size // 100)] = 1.0
    tenths = np.arange(11) / 10
    return {
        "tenths, most near 0": np.round(10 * rng.random(size) ** 6) / 10,
        "tenths, all alike": rng.choice(tenths, size),
        "tenths, at both ends": rng.choice(tenths, size, p=[0.4, *[0.02] * 9, 0.42]),
        "0 or 1": (rng.random(size) < 0.3).astype(float),
        "a few of 1": few,
        "all but a few of 1": 1.0 - few,
        "uniform": rng.random(size),
        "halves": np.full(size, 0.5),
    }


class Outcome(NamedTuple):
    """What became of a number of runs.

    Attributes
    ----------
    missed : int
        Runs in which the true mean was excluded, at whatever time.
    wrong : int
        Runs that put it on the wrong side of a limit.
    queries : float
        Median number of values that a run took.
    """

    missed: int
    wrong: int
    queries: float


def simulate(population: np.ndarray, offsets: Sequence[float], alpha: float, runs: int) -> Outcome:
    """Draw `population` in `runs` random orders, each until the sides of some limits are known.

    The limits lie at `offsets` from the true mean.
    """
    size = len(population)
    mean = math.fsum(population) / size
    limits = [mean + offset for offset in offsets if 0 <= mean + offset < 1]
    missed, wrong, queries = 0, 0, []
    for run in range(runs):
        values = np.random.default_rng(run).permutation(population)
        missed += ConfidenceSequence(size, alpha, [mean]).update(values) < size
        sequence = ConfidenceSequence(size, alpha, limits)
        queries.append(sequence.update(values))
        low, high = sequence.interval(0.01)
        for limit in limits:
            border = limit + ROUNDING
            assert low > border or high <= border
        wrong += any((low > one + ROUNDING) != (mean > one + ROUNDING) for one in limits)
    return Outcome(missed, wrong, float(np.median(queries)))


def main() -> None:
    """Print what became of 2,000 runs for each population and limit."""
    for size, alpha in ((10, 0.05), (200, 0.05), (200, 0.001), (2000, 0.001)):
        for name, population in populations(size).items():
            for offsets in ((0.0,), (-0.001, 0.001), (-0.02, 0.02), (-0.2, 0.2)):
                outcome = simulate(population, offsets, alpha, 2000)
                print(f"N {size:5} alpha {alpha:5} {name:20} {offsets!s:16} {outcome}", flush=True)


if __name__ == "__main__":
    main()
