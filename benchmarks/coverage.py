"""How often the 95 % interval of an AUROC holds it, in simulation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.data import Array
from pytest_splitcheck.measure.intervals import auroc_intervals

AUROCS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
POSITIVES = (5, 20, 100)
NEGATIVES = (200, 1_000)
LEAST, MOST = 0.93, 0.97
"""Where the share of intervals that hold the AUROC should lie."""

Model = Callable[[float, np.random.Generator, tuple[int, int]], Array]


def normal(spread: float) -> Model:
    """Return normal scores: of standard deviation 1 for normal rows and `spread` for anomalies."""

    def draw(auroc: float, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
        from scipy.special import ndtr, ndtri

        centre = ndtri(auroc) * math.hypot(1, spread)
        return np.asarray(ndtr(centre + spread * rng.normal(size=shape)))

    return draw


def exponential(auroc: float, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Return exponential scores of both, those of anomalies on a larger scale."""
    return np.asarray(-np.expm1(-auroc / (1 - auroc) * rng.exponential(size=shape)))


class Scores(NamedTuple):
    """How scores are distributed.

    A model draws anomalies as the share of normal rows below them; the pools are those of a cross-fit.
    """

    name: str
    model: Model
    pools: int = 1


SCORES = (
    Scores("normal, equal spreads", normal(1)),
    Scores("the same in five folds", normal(1), pools=5),
    Scores("normal, anomalies tight (0.3)", normal(0.3)),
    Scores("normal, anomalies wide (3)", normal(3)),
    Scores("exponential", exponential),
)


class Cell(NamedTuple):
    """What a simulation came to: the share of intervals that hold the AUROC, and their mean width."""

    coverage: float
    width: float


def simulate(scores: Scores, auroc: float, positives: int, negatives: int, runs: int) -> Cell:
    """Draw `runs` samples, the same at every call, and count the intervals that hold `auroc`."""
    rng = np.random.default_rng([positives, negatives, scores.pools])
    m, n = positives // scores.pools, negatives // scores.pools
    compared = [_compared(scores.model, auroc, m, n, runs, rng) for _ in range(scores.pools)]
    low, high = auroc_intervals(np.stack(compared, axis=1)[:, None]).T
    return Cell(float(((low <= auroc) & (auroc <= high)).mean()), float((high - low).mean()))


def _compared(
    model: Model, auroc: float, m: int, n: int, runs: int, rng: np.random.Generator
) -> Array:
    """Return one `Comparison` per run, shape (runs, 6)."""
    gaps = rng.exponential(size=(runs, n + 1)).cumsum(axis=1)
    uniform = gaps[:, :n] / gaps[:, n:]  # in order, as shares of normal rows are
    drawn = np.sort(model(auroc, rng, (runs, m)), axis=1)
    run = np.arange(runs)[:, None]
    below = np.searchsorted((uniform + 2 * run).ravel(), (drawn + 2 * run).ravel())
    below = below.reshape(runs, m) - n * run
    above = np.arange(m, 0, -1) / m
    by_negative = (np.diff(below, axis=1, prepend=0) * above**2).sum(axis=1)
    sizes = [np.full(runs, size) for size in (2 * m * n, m, n)]
    by_positive = ((below / n) ** 2).sum(axis=1)
    return np.stack([2 * below.sum(axis=1), *sizes, by_positive, by_negative], axis=1)


def table(runs: int, positives: Iterable[int], negatives: Iterable[int]) -> tuple[list[str], int]:
    """Return the lines of the table, and how many cells are too low by more than chance."""
    slack = 3.5 * math.sqrt(LEAST * (1 - LEAST) / runs)
    aurocs = "".join(f"{auroc:>8}" for auroc in AUROCS)
    lines = [f"positives  negatives  {'scores':<30}{aurocs}"]
    low = 0
    for m in positives:
        for n in negatives:
            for scores in SCORES:
                told = ""
                for auroc in AUROCS:
                    share = simulate(scores, auroc, m, n, runs).coverage
                    low += share < LEAST - slack
                    mark = "-" if share < LEAST else "+" if share > MOST else " "
                    told += f"{100 * share:>7.1f}{mark}"
                lines.append(f"{m:>9}  {n:>9}  {scores.name:<30}{told}".rstrip())
    return lines, low


NOTES = f"""
% of {{runs:,}} intervals that hold the AUROC; - below {LEAST:.0%}, + above {MOST:.0%}.
+ is wider than it had to be. Few positives do not tell how widely anomalies are spread: the interval is made
for wide ones, and too wide for tight ones. Near 1 most samples of few positives have an AUROC of 1 or next to
it, and all but the same interval: it holds the truth nearly always, or nearly never.
"""


def main(out: Path, *, short: bool) -> int:
    """Print the table; return 1 if intervals are too narrow, else 0."""
    start = time.perf_counter()
    runs = 300 if short else 3_000
    lines, low = table(runs, POSITIVES, NEGATIVES)
    print("\n".join(lines))
    print(NOTES.format(runs=runs))
    print(f"{low} cells are too low by more than chance; {time.perf_counter() - start:.0f} s.")
    return int(low > 0)
