"""What is recorded of a report, and what is worse than recorded."""

from __future__ import annotations

import dataclasses

import pytest

from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.verdict.baseline import FIGURES, as_recorded, better, differences, worse
from tests.builders import leakage, report, sampled

AUROCS = {"knn": {"a": 0.9, "b": 0.2, "c": 0.52}, "lof": {"a": 0.9, "b": 0.8, "c": 0.7}}


def of(aurocs=AUROCS, **changes):
    return as_recorded(report(aurocs, geometry=dict.fromkeys("abc", 0.9), **changes).to_dict())


def told(recorded, measured, tolerance=0.01):
    return [one.message for one in worse(recorded, measured, tolerance, "base.json")]


def test_what_is_recorded():
    # knn: one class of three is inverted, one near random, so one agrees with the majority; lof: none.
    assert of() == {
        "m": 90,
        "k": 10,
        "classes": ["a", "b", "c"],
        "fingerprint": "0" * 32,
        "epsilon": 0.05,
        "neighbors": "exact",
        "detectors": {"knn": [], "lof": []},
        "leakage": 0.1,
        "rho_dir": 0.333333,
        "rho_inv": 0.166667,
        "rho_rnd": 0.166667,
        "rho_dir_geo": 0.0,
        "leakage_interval": None,
    }


def test_of_a_benchmark_without_detectors_there_are_leakage_and_geometry():
    found = as_recorded(report({}, geometry=dict.fromkeys("abc", 0.2)).to_dict())
    assert [found[name] for name in FIGURES] == [0.1, None, None, None, 0.0]
    found = as_recorded(report({}).to_dict())
    assert [found[name] for name in FIGURES] == [0.1, None, None, None, None]


@pytest.mark.parametrize("name", FIGURES)
def test_more_is_worse_less_is_better(name):
    recorded, measured = of(), of()
    measured[name] = recorded[name] + 0.0101
    (one,) = worse(recorded, measured, 0.01, "base.json")
    assert (one.kind, one.status, one.limit) == ("worse than the baseline", "ill posed", "baseline")
    assert (one.value, one.source) == (measured[name], "base.json")
    assert one.bound == pytest.approx(recorded[name] + 0.01)
    assert better(recorded, measured, 0.01) == []
    symbol = "L_10" if name == "leakage" else name
    assert better(measured, recorded, 0.01) == [
        f"{symbol} = {recorded[name]:.3f} (recorded: {measured[name]:.3f})"
    ]
    assert worse(measured, recorded, 0.01, "base.json") == []


def test_the_tolerance_itself_is_not_worse():
    recorded, measured = of(), of()
    measured["leakage"] = 0.11
    assert told(recorded, measured) == []
    assert told(recorded, measured, 0.0) == ["L_10 = 0.110 > 0.100 + 0 (baseline)"]


def test_digits_enough_to_see_it():
    recorded, measured = of(), of()
    measured["leakage"] = 0.110001
    assert told(recorded, measured) == ["L_10 = 0.110001 > 0.100000 + 0.01 (baseline)"]


def test_rounding_errors_are_not_worse():
    exact = leakage(1 / 3, interval=(1 / 3, 1 / 3))
    other = leakage(1 / 3 + 1e-9, interval=(1 / 3 + 1e-9,) * 2)
    assert told(of(leakage=exact), of(leakage=other), 0.0) == []


def test_a_figure_that_one_of_them_lacks_is_not_compared():
    recorded = of()
    recorded["rho_dir_geo"] = None
    assert (told(recorded, of()), differences(recorded, of())) == ([], [])
    assert differences(of(), recorded) == [
        "geometry alone was not measured (recorded: rho_dir_geo)"
    ]


def test_a_sample_is_worse_only_if_its_interval_is():
    recorded = of()
    for low, messages in ((0.11, []), (0.12, ["L_10 >= 0.120 > 0.100 + 0.01 (baseline)"])):
        measured = of(leakage=sampled(0.2, (low, 0.3)))
        assert measured["leakage_interval"] == [low, 0.3]
        assert told(recorded, measured) == messages
    # And one that was recorded counts by its upper end.
    for value, messages in ((0.31, []), (0.32, ["L_10 = 0.320 > 0.300 + 0.01 (baseline)"])):
        measured = of(leakage=leakage(value))
        assert told(of(leakage=sampled(0.2, (0.12, 0.3))), measured) == messages
    assert better(of(leakage=leakage(0.3)), of(leakage=sampled(0.2, (0.1, 0.29))), 0.01) == []
    assert better(of(leakage=leakage(0.3)), of(leakage=sampled(0.2, (0.1, 0.28))), 0.01) != []


def approximate(found):
    one = found.detectors["knn"]
    near = Approximation(recall=0.99, sample=1000, error=None, repaired=0)
    detectors = {**found.detectors, "knn": dataclasses.replace(one, approximation=near)}
    return as_recorded(dataclasses.replace(found, detectors=detectors).to_dict())


def test_differences():
    assert differences(of(), of()) == []
    for measured, message in (
        (of(m=91), "m = 91 (recorded: 90)"),
        (of(k=5), "k = 5 (recorded: 10)"),
        (of(m=90, classes=("a", "b")), "K = 2 classes (recorded: 3), gone: c"),
        (of(m=90, classes=(*"xbcy", 0)), "K = 5 classes (recorded: 3), new: 0, x, y, gone: a"),
        (
            of(m=90, classes=tuple(range(8))),
            "K = 8 classes (recorded: 3), new: 0, 1, 2, 3, 4 and 3 more, gone: a, b, c",
        ),
        (of(epsilon=0.1), "epsilon = 0.1 (recorded: 0.05)"),
        (of({"knn": AUROCS["knn"]}), "detectors knn (recorded: knn lof)"),
        (
            of(fingerprint="f" * 32),
            "other data or another declaration, fingerprint ffffffff (recorded: 00000000)",
        ),
        (
            approximate(report(AUROCS, geometry=dict.fromkeys("abc", 0.9))),
            "neighbors = approximate (recorded: exact)",
        ),
    ):
        assert differences(of(), measured) == [message]
    assert differences(of({"lof": AUROCS["lof"], "knn": AUROCS["knn"]}), of()) == []


def test_other_seeds_are_a_difference():
    def seeded(*seeds):
        aurocs = {"iforest": {label: [0.9] * len(seeds) for label in "abc"}}
        return as_recorded(report(aurocs, seeds=seeds).to_dict())

    assert differences(seeded(0, 1), seeded(0, 1)) == []
    assert differences(seeded(0, 1), seeded(0, 2)) == ["seeds of iforest 0 2 (recorded: 0 1)"]
