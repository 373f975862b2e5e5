from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom

from pytest_splitcheck.measure import confidence
from pytest_splitcheck.measure.confidence import ConfidenceSequence
from tests.guarantee import populations, simulate

STAKES = [Fraction(9, 10) / 2**j for j in range(10)]
MARGIN = Fraction(1, 10**8)


def first_proof(values, size, mean, level):
    """Return after how many draws the bets prove that the mean exceeds `mean`, in exact arithmetic."""
    wealth, total = [Fraction(1)] * len(STAKES), Fraction(0)
    for t, x in enumerate(values):
        price = (size * mean - total) / (size - t)
        for j, stake in enumerate(STAKES):
            if price > 0:
                wealth[j] *= 1 + stake / price * (x - price)
        total += x
        if total > size * mean or sum(wealth) / len(STAKES) >= 1 / level:
            return t + 1
    return None


def sides(values, size, limit, level):
    """Return after how many draws the mean is known to be above and below `limit`."""
    above = first_proof(values, size, limit + MARGIN, level)
    below = first_proof([1 - x for x in values], size, 1 - limit + MARGIN, level)
    return above, below


def floats(values):
    return np.array([float(x) for x in values])


TENTHS = st.integers(0, 10).map(lambda n: Fraction(n, 10))
POPULATIONS = st.one_of(
    st.lists(TENTHS, min_size=1, max_size=30),
    st.lists(st.sampled_from([Fraction(0), Fraction(1)]), min_size=1, max_size=30),
    st.tuples(TENTHS, st.integers(1, 30)).map(lambda pair: [pair[0]] * pair[1]),
)
LIMITS = st.integers(0, 19).map(lambda n: Fraction(n, 20))
ALPHAS = st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1, 1000)])


# --- against exact arithmetic ---------------------------------------------------------------


@given(POPULATIONS, LIMITS, ALPHAS)
def test_the_draws_end_when_the_bets_say_so(population, limit, alpha):
    proofs = [t for t in sides(population, len(population), limit, alpha / 2) if t]
    sequence = ConfidenceSequence(len(population), float(alpha), [float(limit)])
    assert sequence.update(floats(population)) == min(proofs, default=len(population))
    assert sequence.drawn == min(proofs, default=len(population))
    assert sequence.decided


@given(st.lists(TENTHS, min_size=2, max_size=30), LIMITS, ALPHAS, st.integers(1, 29))
def test_the_interval_is_what_the_bets_leave(population, limit, alpha, drawn):
    size, values = len(population), population[:drawn]
    assume(len(values) < size)
    sequence = ConfidenceSequence(size, float(alpha), [float(limit)])
    values = values[: sequence.update(floats(values))]
    low, high = sequence.interval(1e-4)
    around = Fraction(1, 10**9)
    for end, side, outwards in ((low, 0, -1), (high, 1, 1)):
        inside = Fraction(end) - outwards * Fraction(1, 9999)
        if 0 < inside < 1:
            assert not shown(values, size, inside, alpha / 2)[side]
        outside = Fraction(end) + outwards * around
        if 0 <= outside <= 1:
            assert shown(values, size, outside, alpha / 2)[side]


def shown(values, size, mean, level):
    """Tell whether the mean of the population is proven to be above, and below, `mean`."""
    return (
        first_proof(values, size, mean, level) is not None,
        first_proof([1 - x for x in values], size, 1 - mean, level) is not None,
    )


def test_tossed_coins_by_hand():
    # Ones at a price of 1/2 or less: the largest stake alone nearly doubles each time.
    sequence = ConfidenceSequence(1_000_000, 0.001, [0.5])
    assert sequence.update(np.ones(100)) == 16
    wealth = sum((1 + 0.9 * 0.5**j) ** 16 for j in range(10)) / 10
    assert wealth > 2000 > sum((1 + 0.9 * 0.5**j) ** 15 for j in range(10)) / 10
    low, high = sequence.interval()
    assert 0.5 < low < 0.52
    assert high == 1.0


def test_what_is_certain_needs_no_bet():
    sequence = ConfidenceSequence(10, 1e-300, [0.5])
    assert sequence.update(np.array([0.9] * 10)) == 6  # 5.4 of at most 5
    assert sequence.interval()[0] == pytest.approx(0.54, abs=1e-6)
    assert sequence.interval()[1] == pytest.approx(0.94, abs=1e-6)


# --- when everything is drawn ---------------------------------------------------------------


@given(POPULATIONS)
def test_a_mean_at_the_limit_takes_everything_and_is_exact(population):
    mean = sum(population) / len(population)
    assume(mean < 1)
    sequence = ConfidenceSequence(len(population), 1e-300, [float(mean)])
    assert sequence.update(floats(population)) == len(population)
    assert sequence.decided
    assert sequence.interval() == (math.fsum(floats(population)) / len(population),) * 2


def test_one_value():
    sequence = ConfidenceSequence(1, 0.001, [0.25])
    assert not sequence.decided
    assert sequence.update(np.array([0.25])) == 1
    assert sequence.interval() == (0.25, 0.25)


def test_rounding_of_many_tenths_decides_nothing():
    # The sum of the first 999,000 is off by far more than an ulp.
    values = np.full(1_000_000, 0.1)
    sequence = ConfidenceSequence(len(values), 0.001, [0.1])
    assert sequence.update(values[:999_000]) == 999_000
    assert not sequence.decided


def test_nothing_drawn_nothing_known():
    low, high = ConfidenceSequence(10, 0.001, [0.5]).interval()
    assert (low, high) == (0.0, 1.0)


# --- what must change nothing ---------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
@pytest.mark.parametrize("chunk", [1, 5, 4096])
def test_batches_change_no_bit(monkeypatch, size, chunk):
    values = np.random.default_rng(0).beta(0.5, 0.6, size=3000)
    whole = ConfidenceSequence(3000, 0.001, [0.4, 0.6])
    whole.update(values)
    monkeypatch.setattr(confidence, "_CHUNK", chunk)
    parts = ConfidenceSequence(3000, 0.001, [0.4, 0.6])
    for start in range(0, 3000, size):
        parts.update(values[start : start + size])
        if parts.decided:
            break
    assert 0 < parts.drawn == whole.drawn < 3000
    assert parts.interval() == whole.interval()


def test_nothing_is_taken_after_the_decision():
    sequence = ConfidenceSequence(1000, 0.001, [0.5])
    assert sequence.update(np.ones(100)) == 16
    assert sequence.update(np.ones(100)) == 0
    assert sequence.drawn == 16


@given(st.lists(TENTHS, min_size=1, max_size=40), ALPHAS)
def test_values_upside_down_turn_the_interval(values, alpha):
    up = ConfidenceSequence(50, float(alpha), [0.4])
    down = ConfidenceSequence(50, float(alpha), [0.6])
    assert up.update(floats(values)) == down.update(1 - floats(values))
    low, high = up.interval()
    assert down.interval() == pytest.approx((1 - high, 1 - low), abs=3e-6)


@given(st.integers(0, 1000), st.lists(LIMITS, min_size=1, max_size=4))
def test_every_limit_lies_outside_once_the_draws_end(seed, limits):
    values = np.random.default_rng(seed).beta(0.4, 0.5, size=400)
    sequence = ConfidenceSequence(400, 0.01, [float(limit) for limit in limits])
    sequence.update(values)
    low, high = sequence.interval()
    assert all(low > limit + 1e-9 or high < limit - 1e-9 for limit in map(float, limits))


def test_another_limit_takes_more_draws_never_fewer():
    values = np.random.default_rng(0).beta(0.5, 0.6, size=3000)
    taken = []
    for limits in ([0.6], [0.6, 0.5], [0.6, 0.5, 0.3]):
        taken.append(ConfidenceSequence(3000, 0.001, limits).update(values))
    assert taken == sorted(taken)
    assert taken[0] < taken[1]


# --- the guarantee --------------------------------------------------------------------------


def most(alpha, runs):
    """The number of errors that more than `alpha` of the runs would hardly ever leave as small."""
    return binom.ppf(0.9999, runs, alpha)


@pytest.mark.parametrize(("size", "runs"), [(4, 300), (10, 300), (200, 2000)])
@pytest.mark.parametrize("name", populations(4))
def test_errors_are_as_rare_as_promised(name, size, runs):
    outcome = simulate(populations(size)[name], (-0.02, 0.02), 0.05, runs)
    assert outcome.wrong <= outcome.missed <= most(0.05, runs)


@pytest.mark.parametrize("name", ["tenths, at both ends", "uniform", "0 or 1"])
def test_what_looks_again_and_again_without_a_guarantee_fails_the_same_test(name):
    population = populations(200)[name]
    t = np.arange(1, 201)
    missed = 0
    for run in range(300):
        values = np.random.default_rng(run).permutation(population)
        mean = np.cumsum(values) / t
        spread = np.sqrt(np.cumsum(values**2) / t - mean**2)
        error = 1.96 * spread * np.sqrt((1 - t / 200) / t)
        missed += bool((np.abs(mean - population.mean()) > error)[20:190].any())
    assert missed > most(0.05, 300)


@pytest.mark.parametrize("mean", [0.24, 0.76])
def test_a_clear_case_takes_200_draws_at_most(mean):
    rng = np.random.default_rng(0)
    population = np.round(10 * rng.beta(0.6 * mean, 0.6 * (1 - mean), size=100_000)) / 10
    taken = []
    for _ in range(200):
        sequence = ConfidenceSequence(len(population), 0.001, [0.5])
        taken.append(sequence.update(rng.permutation(population)[:1000]))
    assert max(taken) <= 200
