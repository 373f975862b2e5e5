from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck.measure.instability import combine, direction, summarise
from tests import reference

ANOSHIFT = [0.7575, 0.9345, 0.9562, 0.8572, 0.8028, 0.7205, 0.6473, 0.6625, 0.2082, 0.2139]


def summary(aurocs, *, epsilon=0.05, name="knn", seeds=(), intervals=None, no_ranking=()):
    aurocs = np.array(aurocs, dtype=float)
    aurocs = aurocs[:, None] if aurocs.ndim == 1 else aurocs
    return summarise(
        name,
        range(len(aurocs)),
        aurocs,
        epsilon=epsilon,
        intervals=[(value, value) for value in aurocs.mean(axis=1)]
        if intervals is None
        else intervals,
        no_ranking=no_ranking,
        seeds=seeds,
    )


@pytest.mark.parametrize(
    ("auroc", "expected"),
    [(0.45, 0), (0.55, 0), (0.5, 0), (0.449, -1), (0.551, 1), (0, -1), (1, 1)],
)
def test_the_band_is_closed_on_both_sides(auroc, expected):
    assert direction(auroc, 0.05) == expected


@pytest.mark.parametrize(("auroc", "expected"), [(0.5, 0), (0.5001, 1), (0.4999, -1)])
def test_a_band_of_no_width(auroc, expected):
    assert direction(auroc, 0.0) == expected


def test_rates_of_anoshift():
    found = summary(ANOSHIFT)
    assert (found.rho_inv, found.rho_rnd, found.rho_dir) == (0.2, 0.0, 0.2)


def test_neutral_classes_count_against():
    assert summary([0.5, 0.5, 0.5, 0.9]).rho_dir == 0.75


def test_an_inversion_within_the_band_is_an_inversion():
    found = summary([0.49, 0.9])
    assert (found.rho_inv, found.rho_rnd, found.rho_dir) == (0.5, 0.5, 0.5)


def test_one_half_exactly_is_no_inversion():
    assert summary([0.5, 0.9]).rho_inv == 0.0


@pytest.mark.parametrize(("aurocs", "rho_dir"), [([0.9] * 4, 0.0), ([0.1] * 4, 0.0)])
def test_one_direction_is_stable_whichever_it_is(aurocs, rho_dir):
    assert summary(aurocs).rho_dir == rho_dir


def test_an_even_split_is_the_worst_without_neutral_classes():
    assert summary([0.9, 0.1, 0.9, 0.1]).rho_dir == 0.5


def test_dispersion_by_hand():
    found = summary([0.2, 0.4, 0.6, 1.0])
    assert found.mean == pytest.approx(0.55)
    assert found.variance == pytest.approx((0.35**2 + 0.15**2 + 0.05**2 + 0.45**2) / 4)
    assert found.iqr == pytest.approx(0.7 - 0.35)


def test_one_held_out_class():
    found = summary([0.9])
    assert (found.variance, found.iqr, found.rho_dir) == (0.0, 0.0, 0.0)


def test_the_auroc_of_a_class_is_the_mean_over_seeds():
    found = summary([[0.3, 0.5], [0.9, 0.9]], seeds=(0, 1))
    assert found.auroc == pytest.approx({0: 0.4, 1: 0.9})
    assert found.spread == pytest.approx({0: 0.1, 1: 0.0})
    assert found.direction == {0: -1, 1: 1}
    assert found.rho_inv == 0.5


@given(
    st.lists(st.integers(0, 200), min_size=1, max_size=12),
    st.sampled_from([0, 1, 10, 20]),
)
def test_rates_equal_their_definition(aurocs, epsilon):
    found = summary([value / 200 for value in aurocs], epsilon=epsilon / 200)
    expected = reference.rates([Fraction(value, 200) for value in aurocs], Fraction(epsilon, 200))
    for rate, value in expected.items():
        assert getattr(found, rate) == pytest.approx(float(value), abs=1e-15)


@given(st.lists(st.integers(0, 64).map(lambda n: n / 64), min_size=1, max_size=12))
def test_negated_scores_swap_the_signs_and_change_no_rate_but_rho_inv(aurocs):
    found, negated = summary(aurocs), summary([1 - value for value in aurocs])
    assert negated.direction == {label: -sign for label, sign in found.direction.items()}
    assert (negated.rho_rnd, negated.rho_dir) == (found.rho_rnd, found.rho_dir)
    halves = aurocs.count(0.5) / len(aurocs)
    assert negated.rho_inv == pytest.approx(1 - found.rho_inv - halves)


def test_rates_are_averaged_over_detectors():
    both = combine([summary([0.9, 0.9, 0.9, 0.2]), summary([0.1, 0.5, 0.9, 0.9])])
    assert both.rho_dir == pytest.approx((0.25 + 0.5) / 2)
    assert both.rho_inv == pytest.approx(0.25)
    assert both.rho_rnd == pytest.approx(0.125)
    assert both.mean == pytest.approx((0.725 + 0.6) / 2)


def test_the_worst_detector_of_each_figure_is_named():
    good, bad = summary([0.9, 0.8], name="good"), summary([0.1, 0.52], name="bad")
    worst = combine([good, bad]).worst
    assert worst["rho_dir"] == ("bad", 0.5)
    assert worst["rho_inv"] == ("bad", 0.5)
    assert worst["rho_rnd"] == ("bad", 0.5)
    assert worst["mean"] == ("bad", pytest.approx(0.31))


def test_among_equals_the_first_is_the_worst():
    assert combine([summary([0.9], name="a"), summary([0.9], name="b")]).worst["rho_dir"][0] == "a"


def test_no_detector_no_instability():
    assert combine([]) is None


# --- resolved and unresolved ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("interval", "resolved", "open_directions"),
    [
        ((0.6, 0.9), 1, (1,)),
        ((0.501, 0.9), 1, (0, 1)),
        ((0.5, 0.9), None, (0, 1)),
        ((0.1, 0.4), -1, (-1,)),
        ((0.1, 0.499), -1, (-1, 0)),
        ((0.1, 0.5), None, (-1, 0)),
        ((0.4, 0.6), None, (-1, 0, 1)),
        ((0.45, 0.55), 0, (0,)),
        ((0.51, 0.55), 0, (0,)),
        ((0.45, 0.551), None, (0, 1)),
    ],
)
def test_what_an_interval_resolves(interval, resolved, open_directions):
    found = summary([sum(interval) / 2], intervals=[interval])
    assert found.interval == {0: interval}
    assert found.resolved == {0: resolved}
    assert found.open_directions == {0: open_directions}


def test_a_class_without_ranking_is_unresolved():
    found = summary([0.5, 0.5], intervals=[(0.49, 0.51)] * 2, no_ranking=[1])
    assert found.resolved == {0: 0, 1: None}
    assert found.open_directions == {0: (0,), 1: (-1, 0, 1)}


@pytest.mark.parametrize(
    ("by_seed", "flips"),
    [
        ([0.4, 0.4, 0.9], 2 / 3),
        ([0.4, 0.45, 0.52], 1 / 3),
        ([0.6, 0.7, 0.8], 0),
        ([0.5, 0.5, 0.8], 0),
        ([0.4, 0.6, 0.5], 1 / 3),
        ([0.5, 0.5, 0.5], 0),
    ],
)
def test_seeds_that_point_elsewhere_than_their_mean(by_seed, flips):
    found = summary([by_seed], seeds=(0, 1, 2))
    assert found.flips == {0: pytest.approx(flips)}


def test_a_direction_that_depends_on_the_seed_is_unresolved():
    found = summary(
        [[0.3, 0.3, 0.51], [0.3, 0.3, 0.3]], seeds=(0, 1, 2), intervals=[(0.2, 0.4)] * 2
    )
    assert found.resolved == {0: None, 1: -1}
    assert found.open_directions == {0: (-1, 0, 1), 1: (-1,)}
    assert (found.rho_inv, found.rho_inv_resolved) == (1.0, 0.5)


def test_the_least_rates_by_hand():
    """+, - or 0, + or 0, known to be random, known to be inverted: three of five may point up."""
    intervals = [(0.7, 0.9), (0.4, 0.6), (0.52, 0.58), (0.46, 0.49), (0.1, 0.3)]
    found = summary([0.8, 0.47, 0.54, 0.475, 0.2], intervals=intervals)
    assert found.resolved == {0: 1, 1: None, 2: 1, 3: 0, 4: -1}
    assert (found.rho_dir, found.rho_dir_resolved) == (0.8, 0.4)
    assert (found.rho_inv, found.rho_inv_resolved) == (0.6, 0.4)
    assert found.best_side == 1


def test_the_best_side_need_not_be_that_of_the_majority():
    found = summary([0.6, 0.6, 0.1], intervals=[(0.4, 0.8), (0.4, 0.8), (0.0, 0.3)])
    assert (found.majority, found.best_side) == (1, -1)
    assert (found.rho_dir, found.rho_dir_resolved) == (pytest.approx(1 / 3), 0.0)


hundredths = st.integers(0, 100)


@given(
    st.lists(st.tuples(hundredths, hundredths, hundredths).map(sorted), min_size=1, max_size=5),
    st.sampled_from([0, 5, 10]),
)
def test_the_least_rates_are_the_least_over_all_aurocs_in_the_intervals(triples, epsilon):
    aurocs = [middle / 100 for _, middle, _ in triples]
    intervals = [(low / 100, high / 100) for low, _, high in triples]
    found = summary(aurocs, intervals=intervals, epsilon=epsilon / 100)

    def choices(low, high):
        # Between the ends and the borders of the band there is nothing that changes a rate.
        borders = {low, high, 50 - epsilon - 1, 50 - epsilon, 49, 50, 50 + epsilon, 51 + epsilon}
        return [Fraction(one, 100) for one in borders if low <= one <= high]

    every = [
        reference.rates(list(chosen), Fraction(epsilon, 100))
        for chosen in itertools.product(*(choices(low, high) for low, _, high in triples))
    ]
    assert found.rho_dir_resolved == pytest.approx(float(min(one["rho_dir"] for one in every)))
    assert found.rho_inv_resolved == pytest.approx(float(min(one["rho_inv"] for one in every)))
    assert found.rho_dir_resolved <= found.rho_dir
    assert found.rho_inv_resolved <= found.rho_inv


def test_the_least_rates_are_averaged_over_detectors():
    wide, narrow = [(0.3, 0.7)] * 2, [(0.8, 1.0), (0.0, 0.2)]
    both = combine([summary([0.9, 0.1], intervals=one) for one in (wide, narrow)])
    assert (both.rho_dir, both.rho_dir_resolved) == (0.5, 0.25)
    assert (both.rho_inv, both.rho_inv_resolved) == (0.5, 0.25)
