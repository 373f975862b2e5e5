from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck import ClassSplit, evaluate
from pytest_splitcheck.measure.intervals import auroc_intervals
from pytest_splitcheck.measure.roc import Comparison, compare
from tests.builders import clusters


def interval(*pools):
    """Return the interval of one split and seed from the comparisons of its pools."""
    ((low, high),) = auroc_intervals([[list(pools)]])
    return low, high


def scored(positives, negatives):
    return compare(np.sort(np.array(negatives, float)), np.sort(np.array(positives, float)))


def drawn(m, n, shift=0.0, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return scored(rng.normal(shift, spread, m), rng.normal(size=n))


# --- placements -----------------------------------------------------------------------------

few = st.lists(st.integers(0, 4), min_size=1, max_size=9)


@given(few, few)
def test_placements_equal_a_count_of_all_pairs(positives, negatives):
    def above(p, q):
        return 1.0 if p > q else 0.5 if p == q else 0.0

    found = scored(positives, negatives)
    by_positive = [np.mean([above(p, q) for q in negatives]) for p in positives]
    by_negative = [np.mean([above(p, q) for p in positives]) for q in negatives]
    assert found.above / found.pairs == pytest.approx(np.mean(by_positive))
    assert (found.positives, found.negatives) == (len(positives), len(negatives))
    assert found.by_positive == pytest.approx(np.sum(np.square(by_positive)))
    assert found.by_negative == pytest.approx(np.sum(np.square(by_negative)))


# --- against independent code ---------------------------------------------------------------


def newcombe(theta, m, n):
    """Return the variance of Newcombe's method 5, as he writes it."""
    star = (m + n) / 2 - 1
    return (
        theta
        * (1 - theta)
        * (1 + star * (1 - theta) / (2 - theta) + star * theta / (1 + theta))
        / (m * n)
    )


def by_root_finder(auroc, m, n, ratio, t):
    from scipy.optimize import brentq

    def beyond(theta):
        return (auroc - theta) ** 2 - t**2 * ratio * newcombe(theta, m, n)

    low = brentq(beyond, 0, auroc, xtol=1e-15) if auroc > 0 else 0.0
    high = brentq(beyond, auroc, 1, xtol=1e-15) if auroc < 1 else 1.0
    return low, high


def variances(positives, negatives):
    """Return the variances of the placements, by DeLong's definition."""
    above = np.greater.outer(positives, negatives) + np.equal.outer(positives, negatives) / 2
    return above.mean(axis=1).var(ddof=1), above.mean(axis=0).var(ddof=1)


@pytest.mark.parametrize(("m", "n"), [(5, 200), (20, 30), (100, 1000)])
@pytest.mark.parametrize(("shift", "spread"), [(0.0, 1.0), (1.5, 0.3), (-0.4, 3.0)])
def test_the_interval_by_another_root_finder(m, n, shift, spread):
    from scipy.stats import t as student

    rng = np.random.default_rng(m + n)
    positives, negatives = rng.normal(shift, spread, m), rng.normal(size=n)
    found = scored(positives, negatives)
    auroc = found.above / found.pairs
    placement = (
        newcombe(auroc, 1e9, 1e9) * 5e8
    )  # what is left of it times its rows: one placement's
    hanley = auroc * (1 - auroc) * max(auroc / (1 + auroc), (1 - auroc) / (2 - auroc))
    told = 4 * auroc * (1 - auroc)
    parts, degrees = [], []
    for rows, variance in zip((m, n), variances(positives, negatives), strict=True):
        weight = told * (rows - 1)
        parts.append((2 * hanley + weight * variance) / (2 + weight) / rows)
        degrees.append(2 + 2.5 * (rows - 1))
    ratio = sum(parts) / placement / (1 / m + 1 / n)
    freedom = sum(parts) ** 2 / sum(p**2 / d for p, d in zip(parts, degrees, strict=True))
    t = student.ppf(0.975, freedom)
    assert interval(found) == pytest.approx(by_root_finder(auroc, m, n, ratio, t), abs=1e-7)


def test_many_rows_of_equal_spread_give_newcombes_interval():
    """Of rows at the quantiles of one distribution, DeLong's variances are Newcombe's."""
    found = scored(np.arange(20_000) + 0.25, np.arange(0, 20_000, 2) + 0.75)
    assert found.above / found.pairs == pytest.approx(0.5, abs=1e-4)
    expected = by_root_finder(found.above / found.pairs, 20_000, 10_000, 1.0, 1.959964)
    assert interval(found) == pytest.approx(expected, abs=2e-6)


# --- properties -----------------------------------------------------------------------------


@given(few, few)
def test_it_holds_the_auroc_and_has_a_width(positives, negatives):
    found = scored(positives, negatives)
    low, high = interval(found)
    assert 0 <= low <= found.above / found.pairs <= high <= 1
    assert high - low > 0.01


@given(few, few)
def test_negated_scores_mirror_it(positives, negatives):
    low, high = interval(scored(positives, negatives))
    mirrored = interval(scored([-p for p in positives], [-q for q in negatives]))
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 100), (5, 200), (100, 1000), (1000, 9000)])
def test_it_has_a_width_at_zero_and_one(m, n):
    low, high = interval(scored(n + np.arange(m), np.arange(n)))
    assert high == 1
    assert math.isfinite(low)
    assert 0 < low < 1
    assert interval(scored(-np.arange(m) - 1.0, np.arange(n))) == pytest.approx((0, 1 - low))


def test_one_positive_tells_next_to_nothing():
    low, high = interval(scored([50.5], np.arange(100)))
    assert low < 0.05
    assert high > 0.95


def test_more_rows_of_the_same_kind_make_it_narrower():
    widths = []
    for copies in (1, 2, 5, 20):
        low, high = interval(scored(np.tile([1, 4, 6, 7], copies), np.tile([0, 2, 3, 5], copies)))
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < widths[0] / 3


def test_a_wider_anomaly_has_a_wider_interval():
    few, many = np.linspace(-0.5, 0.5, 21), np.linspace(-0.5, 0.5, 2000)
    widths = []
    for spread in (0.3, 1.0, 3.0):
        low, high = interval(scored(spread * few, many))
        widths.append(high - low)
    assert widths == sorted(widths)
    assert widths[2] > 1.3 * widths[1]


@pytest.mark.parametrize("shift", [-3.0, -1.0, 0.0, 1.0, 3.0])
def test_a_higher_auroc_has_a_higher_interval(shift):
    """Rows at the quantiles, moved step by step."""
    quantiles = np.linspace(-2, 2, 41)
    ends = np.array([interval(scored(quantiles + shift + step, quantiles)) for step in (0, 0.3)])
    assert (np.diff(ends, axis=0) >= 0).all()


# --- pools and seeds ------------------------------------------------------------------------


def test_five_pools_tell_about_as_much_as_one_of_all_rows():
    pools = [drawn(20, 200, 0.5, seed=seed) for seed in range(5)]
    whole = Comparison(*(sum(field) for field in zip(*pools, strict=True)))
    low, high = interval(*pools)
    one_low, one_high = interval(drawn(100, 1000, 0.5, seed=9))
    assert high - low == pytest.approx(one_high - one_low, rel=0.25)
    assert low < whole.above / whole.pairs < high


def test_a_pool_without_pairs_changes_nothing():
    pools = [drawn(20, 200, seed=seed) for seed in range(3)]
    for empty in (scored([], np.arange(30)), scored(np.arange(4), [])):
        assert interval(*pools, empty) == interval(*pools)


def test_seeds_that_agree_give_the_interval_of_one():
    one = drawn(20, 200, 0.5)
    ((low, high),) = auroc_intervals([[[one]] * 5])
    assert (low, high) == pytest.approx(interval(one), abs=1e-9)


def test_seeds_that_differ_widen_it():
    """Shift the scores from seed to seed; the mean stays, its standard error is added."""
    seeds = [drawn(2000, 2000, shift, seed=1) for shift in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    aurocs = [one.above / one.pairs for one in seeds]
    ((low, high),) = auroc_intervals([[[one] for one in seeds]])
    assert low < np.mean(aurocs) < high
    standard_error = np.std(aurocs, ddof=1) / math.sqrt(5)
    # Student's t for four degrees of freedom; the rows add next to nothing.
    assert high - low == pytest.approx(2 * 2.776 * standard_error, rel=0.05)


def test_each_split_has_an_interval_of_its_own():
    splits = [drawn(10, 50, shift) for shift in (-1.0, 0.0, 2.0)]
    found = auroc_intervals([[[one]] for one in splits])
    assert found.tolist() == [list(interval(one)) for one in splits]


# --- of a benchmark -------------------------------------------------------------------------


def test_a_benchmark_has_an_interval_for_each_class():
    X, y = clusters([[0, 0], [1, 0], [0, 30]], 40)
    found = evaluate(ClassSplit(X, y), detectors=("knn", "iforest"), seeds=(0, 1, 2))
    for result in found.detectors.values():
        assert result.interval.keys() == result.auroc.keys()
        for label, (low, high) in result.interval.items():
            assert 0 <= low <= result.auroc[label] <= high <= 1
            assert high - low > 0.01
    assert found.detectors["knn"].auroc[2] == 1.0
    assert found.detectors["knn"].interval[2][1] == 1.0


def test_a_training_pool_gives_one_comparison():
    X, y = clusters([[0.0], [1.0]], 50)
    split = ClassSplit(X, y, train=(X[::2] + 0.01, y[::2]))

    class Coordinate:
        def fit(self, rows):
            pass

        def score(self, rows):
            return rows[:, 0]

    result = evaluate(split, k=3, detectors=[Coordinate()]).detectors["Coordinate"]
    assert result.interval[1] == interval(scored(X[y == 1, 0], X[y == 0, 0]))


def test_one_half_with_a_spread_is_known_and_without_a_ranking_is_not():
    """The outer halves of a class on either side of the other: an AUROC of 1/2 that is no accident."""

    class Coordinate:
        def fit(self, rows):
            pass

        def score(self, rows):
            return rows[:, 0]

    class Constant(Coordinate):
        def score(self, rows):
            return 0.5 + 0 * rows[:, 0]

    X = np.arange(4000.0)[:, None]
    y = np.repeat(["out", "in", "out"], [1000, 2000, 1000])
    found = evaluate(
        ClassSplit(X, y, train=(X + 0.5, y)),
        detectors={"spread": Coordinate(), "constant": Constant()},
    ).detectors
    assert found["spread"].auroc == found["constant"].auroc == {"out": 0.5, "in": 0.5}
    assert found["spread"].no_ranking == ()
    assert found["spread"].resolved == {"out": 0, "in": 0}
    assert set(found["constant"].no_ranking) == {"out", "in"}
    assert found["constant"].resolved == {"out": None, "in": None}
    low, high = found["constant"].interval["in"]
    assert low < 0.5 < high
