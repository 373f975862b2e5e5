"""How often sampled verdicts are wrong, in simulation."""

from __future__ import annotations

import importlib
from types import ModuleType

import numpy as np

from benchmarks.data import Array
from benchmarks.outcome import Figure, Line, Outcome

LIMIT = 0.5
MEANS = (0.24, 0.46, 0.4999, 0.5001, 0.55, 0.76)
ALPHAS = (0.001, 0.05)
"""The default, and one at which 2,000 runs would show a level that does not hold."""

_SIZE = 10_000
_BATCH = 256


def sampled_verdicts(short: bool) -> Outcome:
    """Draw populations of l_k in random order and count verdicts on the wrong side, and intervals."""
    try:
        confidence = importlib.import_module("pytest_splitcheck.measure.confidence")
    except ModuleNotFoundError:
        return Outcome(skipped=["there is no pytest_splitcheck.measure.confidence to simulate."])
    runs = 20 if short else 2_000
    outcome = Outcome()
    for alpha in ALPHAS:
        for mean in MEANS:
            wrong, drawn = simulate(confidence, mean, alpha, runs)
            work = f"{runs:,} verdicts on a leakage of {mean} against {LIMIT}, alpha {alpha}"
            outcome.lines.append(
                Line(
                    work=work,
                    figure=Figure(value=wrong, unit="wrong", wanted=alpha * runs, at_least=False),
                    note=f"median of {drawn:,.0f} queries",
                )
            )
            if wrong > most_by_chance(runs, alpha):
                outcome.complaints.append(f"{work}: {wrong} are wrong.")
    return outcome


def simulate(confidence: ModuleType, mean: float, alpha: float, runs: int) -> tuple[int, float]:
    """Return how many of the runs say something wrong, and the median number of draws."""
    rng = np.random.default_rng(0)
    values = population(mean, rng)
    truth = float(values.mean())
    wrong, draws = 0, []
    for _ in range(runs):
        order = rng.permutation(values)
        sequence = confidence.ConfidenceSequence(_SIZE, alpha, (LIMIT,))
        for start in range(0, _SIZE, _BATCH):
            sequence.update(order[start : start + _BATCH])
            if sequence.decided:
                break
        low, high = sequence.interval()
        # The mean of all values may be summed in another order than `truth`.
        wrong += not low - 1e-12 <= truth <= high + 1e-12 or low <= LIMIT <= high
        draws.append(sequence.drawn)
    return wrong, float(np.median(draws))


def population(mean: float, rng: np.random.Generator) -> Array:
    """Return values of l_k for k = 10, most of them near 0 or 1, with exactly this mean."""
    tenths = np.rint(10 * rng.beta(2 * mean, 2 * (1 - mean), _SIZE)).astype(int)
    excess = int(tenths.sum()) - round(10 * mean * _SIZE)
    step = -1 if excess > 0 else 1
    inside = np.flatnonzero((tenths + step >= 0) & (tenths + step <= 10))
    tenths[rng.choice(inside, abs(excess), replace=False)] += step
    return np.asarray(tenths / 10)


def most_by_chance(runs: int, alpha: float) -> int:
    """Return a number of wrong runs that is exceeded once in 10,000 times if each is at the level."""
    from scipy.stats import binom

    return int(binom.ppf(1 - 1e-4, runs, alpha))
