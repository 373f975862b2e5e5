"""Figures in the JUnit file that pytest writes."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

TESTS = """
import pytest
from pytest_splitcheck import IllPosedSplit

def test_none(blocks):
    pass

def test_two(splitcheck, blocks, thirds, coordinate, request):
    request.node.user_properties.append(("mine", 1))
    splitcheck(blocks)
    splitcheck(thirds, max_rho_dir=1.0, detectors=coordinate)
    splitcheck(blocks, k=5)

@pytest.mark.splitcheck("mixed")
def test_ill(): pass

@pytest.mark.xfail(raises=IllPosedSplit)
def test_expected(splitcheck, mixed):
    splitcheck(mixed)
"""


def properties(suite, *options):
    suite.runpytest_inprocess("--junitxml=out.xml", *options)
    cases = ElementTree.parse(suite.path / "out.xml").iter("testcase")
    return {
        case.get("name"): [(one.get("name"), one.get("value")) for one in case.iter("property")]
        for case in cases
    }


MIXED = [
    ("splitcheck.mixed.verdict", "ill posed"),
    ("splitcheck.mixed.m", "50"),
    ("splitcheck.mixed.k", "10"),
    ("splitcheck.mixed.leakage", "0.588"),
    ("splitcheck.mixed.chance", "0.5102040816326531"),
    ("splitcheck.mixed.rho_dir_geo", "0.0"),
]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_every_check_has_its_figures_once(suite, workers):
    suite.makepyfile(TESTS)
    found = properties(suite, workers)
    assert found["test_none"] == []
    assert found["test_ill"] == found["test_expected"] == MIXED
    two = dict(found["test_two"])
    assert len(two) == len(found["test_two"])
    assert found["test_two"][0] == ("mine", "1")
    assert two["splitcheck.blocks.leakage"] == "0.06"
    assert (two["splitcheck.blocks.k"], two["splitcheck.blocks #2.k"]) == ("10", "5")
    assert two["splitcheck.thirds.rho_dir"] == repr(2 / 3)


def test_a_test_that_is_run_again_has_those_of_the_last_time(suite):
    pytest.importorskip("pytest_rerunfailures")
    suite.makepyfile(TESTS)
    found = properties(suite, "--reruns=2", "-k", "test_ill")
    assert found["test_ill"] == MIXED


def test_hostile_names_are_text(suite):
    suite.makepyfile(
        "from pytest_splitcheck import ClassSplit\n"
        "def test_it(splitcheck):\n"
        "    name = '\\x00\\n\\x1b<b>&\\ud800\"'\n"
        "    splitcheck(ClassSplit([[float(i)] for i in range(50)], 'a' * 25 + 'b' * 25, name=name))\n"
        .replace("'a' * 25 + 'b' * 25", "list('a' * 25 + 'b' * 25)")
    )  # fmt: skip
    (found,) = properties(suite).values()
    assert found[0] == ('splitcheck.\\x00\\n\\x1b<b>&\\ud800".verdict', "well posed")
