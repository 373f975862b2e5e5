"""Several benchmarks in the markers of a test: all are checked, and it fails once, with all reasons."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest

from tests.plugin.markers import PRECONDITION, ran
from tests.plugin.summaries import table

BROKEN = """

class Broken:
    def fit(self, X):
        raise ZeroDivisionError("in the detector")

    def score(self, X):
        return X[:, 0]
"""

SCARCE = 'pytest.mark.splitcheck("scarce", detectors={"knn": "knn"}, k=5)'
"""Undecided: of too few rows."""

WRONG = 'pytest.mark.splitcheck("blocks", k=60)'
"""An InputError."""

MIXED = 'pytest.mark.splitcheck("mixed")'
"""Ill posed, L_10 = 0.588."""

THIRDS = 'pytest.mark.splitcheck("thirds", max_leakage=0.01)'
"""Ill posed, L_10 = 0.080."""

FAULTY = 'pytest.mark.splitcheck("thirds", detectors={"mine": Broken()})'
"""The author's detector raises an error of its own."""


def marked(suite, *markers, expected="", name="test_it"):
    # The closest marker, that above the function, is read first.
    lines = [f"@{marker}" for marker in (expected, *reversed(markers)) if marker]
    code = (
        "import pathlib\nimport pytest\n"
        "from pytest_splitcheck import IllPosedSplit, InputError, UndecidedSplit\n" + BROKEN
    )
    body = f'def {name}():\n    pathlib.Path("ran").touch()\n'
    suite.makepyfile(**{name: "\n".join([code, "", *lines, body])})


def messages(result):
    """The lines of the failure, without those of blank."""
    text = re.search(r"^_+ test\w+ _+\n(.*?)^=+ ", result.stdout.str(), re.M | re.S)
    return [line for line in text[1].splitlines() if line.strip()]


def test_each_reason_is_told_in_brief_and_then_in_full(suite, nothing_of_ours):
    suite.makepyfile(PRECONDITION.format(arguments='"thirds", "mixed", "blocks", max_leakage=0.07'))
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    assert not ran(suite)
    lines = messages(result)
    assert lines[:4] == [
        "ill posed: thirds: L_10 = 0.080 > 0.07",
        "also ill posed: mixed: L_10 = 0.588 > 0.07",
        "limit        measured             set by",
        "max_leakage  L_10 = 0.080 > 0.07  marker of test_method",
    ]
    second = lines.index("ill posed: mixed: L_10 = 0.588 > 0.07")
    assert lines[second + 2] == "max_leakage  L_10 = 0.588 > 0.07  marker of test_method"
    assert "blocks" not in "".join(lines)
    nothing_of_ours(result)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_all_are_in_what_is_written(suite, workers):
    pytest.importorskip("xdist")
    marked(suite, THIRDS, WRONG, MIXED, SCARCE)
    options = ["--splitcheck-json=out.json", "--junitxml=out.xml", "--splitcheck-html=out.html"]
    result = suite.runpytest_inprocess(workers, *options)
    result.assert_outcomes(failed=1)
    told = json.loads((suite.path / "out.json").read_text())["benchmarks"]
    found = {one["name"]: one["verdict"]["status"] for one in told}
    assert found == {"mixed": "ill posed", "scarce": "undecided", "thirds": "ill posed"}
    assert [row[0] for row in table(result)][:3] == list(found)
    properties = ET.parse(suite.path / "out.xml").iter("property")
    names = {one.get("name") for one in properties}
    page = (suite.path / "out.html").read_text()
    for name in found:
        assert f"splitcheck.{name}.leakage" in names
        assert name in page


def test_all_are_in_the_baseline(suite):
    marked(suite, THIRDS, MIXED)
    base = ["--splitcheck-baseline=base.json", "--splitcheck-update-baseline"]
    suite.runpytest_inprocess(*base).assert_outcomes(failed=1)
    recorded = json.loads((suite.path / "base.json").read_text())["benchmarks"]
    assert list(recorded) == ["mixed", "thirds"]


FEW = "undecided: scarce: 1 of 2 held-out classes have fewer than 20 rows"
K = (
    "blocks: k = 60 neighbours need 61 rows or more, but the evaluation set has m = 50. "
    "Set k to 49 or less, or add rows."
)


@pytest.mark.parametrize(
    ("markers", "kind", "told"),
    [
        (
            [SCARCE, MIXED, WRONG],
            "InputError",
            [K, "also ill posed: mixed: L_10 = 0.588 > 0.5", f"also {FEW}"],
        ),
        ([SCARCE, MIXED], "IllPosedSplit", ["ill posed: mixed: L_10 = 0.588 > 0.5", f"also {FEW}"]),
        ([SCARCE, WRONG], "InputError", [K, f"also {FEW}"]),
        ([SCARCE, FAULTY], "ZeroDivisionError", [f"also {FEW}"]),
    ],
    ids=["wrong", "ill posed", "wrong and undecided", "fault"],
)
def test_the_gravest_gives_the_type(suite, nothing_of_ours, markers, kind, told):
    for several in (markers, markers[::-1]):
        marked(suite, *several)
        lines = [line.removeprefix("E").strip() for line in messages(suite.runpytest_inprocess())]
        assert [line for line in lines if line in told] == told
    kinds = ["IllPosedSplit", "InputError", "UndecidedSplit", "ZeroDivisionError"]
    others = ", ".join(one for one in kinds if one != kind)
    for raises, outcome in ((kind, "xfailed"), (f"({others})", "failed")):
        marked(suite, *markers, expected=f"pytest.mark.xfail(raises={raises})")
        result = suite.runpytest_inprocess()
        result.assert_outcomes(**{outcome: 1})
        nothing_of_ours(result)
    assert not ran(suite)


def test_a_fault_of_a_detector_keeps_its_traceback_and_tells_of_the_others(suite):
    marked(suite, MIXED, FAULTY, WRONG)
    suite.runpytest_inprocess().stdout.fnmatch_lines(
        [
            ">*raise ZeroDivisionError(*",
            "E *ZeroDivisionError: in the detector",
            "E *detector 'mine', held-out class 'a'*",
            f"E *also {K}",
            "E *also ill posed: mixed: L_10 = 0.588 > 0.5",
            "E *ill posed: mixed: L_10 = 0.588 > 0.5",
            "E *max_leakage  L_10 = 0.588 > 0.5  default",
        ]
    )


def test_two_faults_of_detectors(suite):
    marked(suite, FAULTY, MIXED.replace("mixed", "blocks"), FAULTY.replace("thirds", "mixed"))
    path = suite.path / "test_it.py"
    path.write_text(path.read_text().replace("in the detector", "\\x1b[31m in it\\nand more"))
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *also *: ZeroDivisionError: \\x1b[[]31m in it"])
    assert [row[0] for row in table(result)] == ["blocks"]


def test_undecided_benchmarks_by_policy(suite):
    marked(suite, SCARCE, THIRDS)
    result = suite.runpytest_inprocess("-o", "splitcheck_undecided=pass")
    result.stdout.fnmatch_lines(["ill posed: thirds: L_10 = 0.080 > 0.01"])
    assert "also" not in result.stdout.str()
    result = suite.runpytest_inprocess("-o", "splitcheck_undecided=warn", "-W", "error")
    result.stdout.fnmatch_lines(["ill posed: thirds: L_10 = 0.080 > 0.01", f"also {FEW}"])


def test_an_interruption_is_not_held_back(suite):
    marked(suite, MIXED, 'pytest.mark.splitcheck("thirds", detectors={"mine": Stopping()})')
    path = suite.path / "test_it.py"
    path.write_text(
        path.read_text()
        .replace("class Broken", "class Stopping")
        .replace("ZeroDivisionError(", "KeyboardInterrupt(")
    )
    result = suite.runpytest_inprocess(no_reraise_ctrlc=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED


SKIPS = """

class Skips:
    def fit(self, X):
        {how}

    def score(self, X):
        return X[:, 0]
"""

HOW = {
    "skip": 'pytest.skip("no GPU")',
    "importorskip": 'pytest.importorskip("no_such_module")',
    "SkipTest": 'raise __import__("unittest").SkipTest("no GPU")',
    "xfail": 'pytest.xfail("known")',
}


@pytest.mark.parametrize("how", HOW)
def test_no_skip_hides_a_failure(suite, how):
    code = "import pytest\n" + SKIPS.format(how=HOW[how])
    skips = '@pytest.mark.splitcheck("thirds", detectors={"mine": Skips()})'
    suite.makepyfile(
        test_it="\n".join(
            [code, skips, f"@{MIXED}", "def test_it(): ...", "", skips, "def test_alone(): ..."]
        )
    )
    result = suite.runpytest_inprocess("-rsx")
    alone = {"xfailed": 1} if how == "xfail" else {"skipped": 1}
    result.assert_outcomes(failed=1, **alone)
    lines = messages(result)
    assert lines[0] == "ill posed: mixed: L_10 = 0.588 > 0.5"
    assert lines[1].startswith("also thirds: ")


def test_pytest_exit_ends_the_run(suite):
    code = "import pytest\n" + SKIPS.format(how='pytest.exit("enough")')
    marker = '@pytest.mark.splitcheck("thirds", detectors={"mine": Skips()})'
    suite.makepyfile(test_it="\n".join([code, marker, f"@{MIXED}", "def test_it(): ..."]))
    result = suite.runpytest_inprocess()
    result.stdout.fnmatch_lines(["*Exit: enough*"])
    result.stdout.no_fnmatch_line("*ill posed*")


def test_an_error_that_cannot_be_shown_hides_none(suite):
    code = """
        import pytest

        class Mute(Exception):
            def __str__(self):
                raise RuntimeError("in the message")

        class Wrong:
            def fit(self, X):
                raise Mute

            def score(self, X):
                return X[:, 0]

        @pytest.mark.splitcheck("mixed")
        @pytest.mark.splitcheck("thirds", detectors={"mine": Wrong()})
        @pytest.mark.splitcheck("blocks", detectors={"mine": Wrong()})
        def test_it(): ...
    """
    suite.makepyfile(code)
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*also ill posed: mixed: L_10 = 0.588 > 0.5"])
    result.stdout.fnmatch_lines(["*also thirds: Mute: what it says cannot be shown."])


def test_an_input_error_begins_with_its_benchmark_whatever_that_is_called(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture
        def k(blocks):
            return blocks

        @pytest.mark.splitcheck("k", k=60)
        def test_it(): ...
        """
    )
    result = suite.runpytest_inprocess()
    result.stdout.fnmatch_lines(["k: k = 60 neighbours need 61 rows*"])


def test_a_test_that_unittest_skips_is_not_checked(suite):
    suite.makepyfile(
        f"""
        import unittest
        import pytest

        @{MIXED}
        class TestIt(unittest.TestCase):
            @unittest.skip("not now")
            def test_it(self): ...
        """
    )
    suite.runpytest_inprocess().assert_outcomes(skipped=1)
