from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck.measure.instability import combine, direction, summarise
from tests import reference

ANOSHIFT = [0.7575, 0.9345, 0.9562, 0.8572, 0.8028, 0.7205, 0.6473, 0.6625, 0.2082, 0.2139]


def summary(aurocs, *, epsilon=0.05, name="knn", seeds=()):
    aurocs = np.array(aurocs, dtype=float)
    aurocs = aurocs[:, None] if aurocs.ndim == 1 else aurocs
    return summarise(name, range(len(aurocs)), aurocs, epsilon=epsilon, no_ranking=(), seeds=seeds)


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
