from __future__ import annotations

import numpy as np
import pytest

from pytest_splitcheck import InputError, Thresholds
from pytest_splitcheck.verdict.thresholds import LIMITS

NAMES = [limit.name for limit in LIMITS]


def test_defaults():
    found = {name: getattr(Thresholds(), name) for name in NAMES}
    assert found == {
        "max_leakage": 0.5,
        "max_leakage_ratio": None,
        "max_rho_dir": 0.2,
        "max_rho_dir_geo": None,
        "max_rho_inv": None,
        "max_rho_rnd": None,
        "min_auroc": None,
        "min_positives": 20,
        "max_duplicates": 0.05,
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [None, 0, 1])
def test_every_limit_can_be_switched_off_and_takes_its_ends(name, value):
    assert getattr(Thresholds(**{name: value}), name) == value


@pytest.mark.parametrize("name", ["max_leakage", "max_rho_dir", "max_duplicates"])
def test_a_whole_number_beyond_float_is_out_of_range(name):
    with pytest.raises(InputError, match=f"{name} must be from 0 to 1"):
        Thresholds(**{name: 10**400})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [-0.1, -1, float("nan"), "0.5", True, [0.5], 0.5j])
def test_every_limit_refuses_what_is_no_limit(name, value):
    with pytest.raises(InputError, match=f"{name} must be"):
        Thresholds(**{name: value})


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n not in ("max_leakage_ratio", "min_positives")]
)
def test_a_share_is_one_at_most(name):
    with pytest.raises(InputError, match=rf"{name} must be from 0 to 1; got 1\.01"):
        Thresholds(**{name: 1.01})


def test_a_ratio_may_exceed_one():
    assert Thresholds(max_leakage_ratio=1.5).max_leakage_ratio == 1.5


def test_positives_are_counted_in_whole_rows():
    with pytest.raises(InputError, match=r"min_positives must be a whole number; got 2\.5"):
        Thresholds(min_positives=2.5)


@pytest.mark.parametrize("value", [np.float32(0.25), np.float64(0.25)])
def test_numbers_of_numpy(value):
    assert Thresholds(max_leakage=value).max_leakage == 0.25
    assert Thresholds(min_positives=np.int64(3)).min_positives == 3


def test_the_source_of_a_limit():
    limits = Thresholds(
        max_leakage=0.5, max_rho_dir=0.1, max_rho_inv=0.1, sources={"max_rho_inv": "marker"}
    )
    assert limits.source("max_leakage") == "default"
    assert limits.source("max_rho_dir") == "thresholds"
    assert limits.source("max_rho_inv") == "marker"


@pytest.mark.parametrize(
    ("limits", "values"),
    [
        ({}, (0.5,)),
        ({"max_leakage": None}, ()),
        ({"max_leakage_ratio": 0.5}, (0.5, 0.4)),
        ({"max_leakage": None, "max_leakage_ratio": 2}, (1.6,)),
        ({"max_leakage": 0, "max_leakage_ratio": 0.0}, (0, 0.0)),
    ],
)
def test_limits_on_leakage_as_values_of_it(limits, values):
    assert Thresholds(**limits).of_leakage(0.8) == values
