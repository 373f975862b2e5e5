"""A failed check is a failed test: what pytest and its plugins do with one comes for free."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

PAIR = """
import pytest
from pytest_splitcheck import IllPosedSplit, UndecidedSplit

{mark}
def test_fixture(splitcheck, {name}):
    splitcheck({name}, detectors={detectors}, k=5)

{mark}
@pytest.mark.splitcheck("{name}", detectors={detectors}, k=5)
def test_marker():
    pass
"""


def pair(name: str, mark: str = "", detectors: str = "()") -> str:
    """One test that checks by the fixture, one by the marker."""
    return PAIR.format(name=name, mark=mark, detectors=detectors)


XFAIL = "@pytest.mark.xfail(raises={}, strict=True)"


@pytest.mark.parametrize(
    ("name", "raises", "detectors", "outcomes"),
    [
        ("mixed", "IllPosedSplit", "()", {"xfailed": 2}),
        ("mixed", "AssertionError", "()", {"xfailed": 2}),
        ("mixed", "UndecidedSplit", "()", {"failed": 2}),
        ("scarce", "UndecidedSplit", "('knn',)", {"xfailed": 2}),
        ("scarce", "IllPosedSplit", "('knn',)", {"failed": 2}),
        ("blocks", "IllPosedSplit", "()", {"failed": 2}),
    ],
)
def test_xfail(suite, name, raises, detectors, outcomes):
    suite.makepyfile(pair(name, XFAIL.format(raises), detectors))
    result = suite.runpytest_inprocess("-rxf")
    result.assert_outcomes(**outcomes)
    if name == "blocks":
        result.stdout.fnmatch_lines(["*XPASS(strict)*"])


def test_skip(suite, fits):
    suite.makepyfile(pair("counted", "@pytest.mark.skip(reason='no time')"))
    result = suite.runpytest_inprocess()
    result.assert_outcomes(skipped=2)
    assert fits() == 0


@pytest.mark.parametrize("option", ["-x", "--maxfail=1", "--stepwise"])
def test_stop_at_the_first_failure(suite, option):
    suite.makepyfile(pair("mixed"))
    result = suite.runpytest_inprocess(option)
    result.assert_outcomes(failed=1)


def test_last_failed(suite):
    suite.makepyfile(test_a=pair("mixed"), test_b=pair("blocks"))
    suite.runpytest_inprocess().assert_outcomes(failed=2, passed=2)
    result = suite.runpytest_inprocess("--lf")
    result.assert_outcomes(failed=2)
    suite.runpytest_inprocess("--lf", "--splitcheck-max-leakage=0.6").assert_outcomes(passed=2)
    suite.runpytest_inprocess("--lf").assert_outcomes(failed=2, passed=2)


def test_node_ids_and_selection(suite):
    suite.makepyfile(test_a=pair("mixed") + "\ndef test_other(): pass\n")
    suite.runpytest_inprocess("test_a.py::test_marker").assert_outcomes(failed=1)
    suite.runpytest_inprocess("-m", "splitcheck").assert_outcomes(failed=1, deselected=2)
    suite.runpytest_inprocess("-m", "not splitcheck").assert_outcomes(
        failed=1, passed=1, deselected=1
    )
    suite.runpytest_inprocess("-k", "other").assert_outcomes(passed=1, deselected=2)


def test_parameters(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("bound", [0.5, 0.6])
        def test_fixture(splitcheck, mixed, bound):
            splitcheck(mixed, max_leakage=bound)

        @pytest.fixture
        def chosen(request):
            return request.getfixturevalue(request.param)

        @pytest.mark.splitcheck("chosen")
        @pytest.mark.parametrize("chosen", ["blocks", "mixed"], indirect=True)
        def test_indirect(chosen): pass

        @pytest.mark.parametrize("name", ["blocks", "mixed"])
        def test_by_name(splitcheck, request, name):
            splitcheck(request.getfixturevalue(name))
        """
    )
    result = suite.runpytest_inprocess("-rpf")
    result.assert_outcomes(passed=3, failed=3)
    failed = re.findall(r"^FAILED .*::(\S+) ", result.stdout.str(), re.M)
    assert failed == ["test_fixture[0.5]", "test_indirect[mixed]", "test_by_name[mixed]"]


def test_limits_for_a_fixture_that_is_asked_for_by_name(suite):
    # The fixture is not among the test's arguments.
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.splitcheck(max_leakage=0.6)
        def test_it(request, mixed):
            request.getfixturevalue("splitcheck")(mixed)
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1)


def test_reruns(suite, fits):
    pytest.importorskip("pytest_rerunfailures")
    suite.makepyfile(pair("counted"))
    options = ["--reruns=2", "-p", "no:xdist", "--splitcheck-max-leakage=0.01"]
    result = suite.runpytest_inprocess(*options)
    result.assert_outcomes(failed=2)
    assert "4 rerun" in result.stdout.str()
    assert fits() == 2
    assert len(re.findall(r"^counted .*ill posed \(max_leakage\)$", result.stdout.str(), re.M)) == 1
    result.stdout.fnmatch_lines(["ill posed: counted *", "m = 50 rows, *"])


def test_a_rerun_that_passes_is_well(suite):
    pytest.importorskip("pytest_rerunfailures")
    suite.makepyfile(
        """
        from conftest import on_a_line
        tries = []

        def test_it(splitcheck):
            tries.append(1)
            splitcheck(on_a_line("ab" * 25 if len(tries) < 2 else "a" * 25 + "b" * 25))
        """
    )
    result = suite.runpytest_inprocess("--reruns=2", "-p", "no:xdist", "-q")
    result.assert_outcomes(passed=1)
    assert "posed" not in result.stdout.str()


@pytest.mark.parametrize("option", ["--setup-only", "--setup-plan", "--setup-show"])
def test_setup_options(suite, fits, option):
    suite.makepyfile(pair("counted"))
    result = suite.runpytest_inprocess(option, "--splitcheck-max-leakage=0.01")
    result.stdout.fnmatch_lines(
        ["*SETUP *S counted", "*SETUP *F splitcheck*", "*TEARDOWN S counted"]
    )
    shown = option == "--setup-show"
    assert result.ret == (pytest.ExitCode.TESTS_FAILED if shown else pytest.ExitCode.OK)
    assert fits() == 2 * shown
    assert ("posed" in result.stdout.str()) == shown


def test_collect_only_computes_nothing(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture(scope="session")
        def expensive():
            raise RuntimeError("was computed")

        @pytest.mark.splitcheck("expensive")
        def test_marker(): pass

        def test_fixture(splitcheck, expensive): pass
        """
    )
    result = suite.runpytest_inprocess("--collect-only")
    assert result.ret == pytest.ExitCode.OK
    assert "was computed" not in result.stdout.str()
    result.stdout.fnmatch_lines(["*<Function test_marker>", "*<Function test_fixture>"])
    assert "splitcheck ==" not in result.stdout.str()


@pytest.mark.parametrize("option", ["--help", "--markers", "--fixtures", "--fixtures-per-test"])
def test_listings_compute_nothing(suite, fits, option):
    suite.makepyfile(pair("counted"))
    result = suite.runpytest_inprocess(option)
    assert result.ret == pytest.ExitCode.OK
    assert fits() == 0


def test_the_fixture_is_listed_with_its_use(suite):
    result = suite.runpytest_inprocess("--fixtures")
    result.stdout.fnmatch_lines(
        ["splitcheck*", "*Check a class-split benchmark: ``report = splitcheck(benchmark, *"]
    )


def test_the_marker_is_listed_with_its_keywords(suite):
    result = suite.runpytest_inprocess("--markers")
    line = next(line for line in result.outlines if line.startswith("@pytest.mark.splitcheck("))
    for name in ("*benchmarks", "max_leakage", "max_rho_dir", "k", "detectors", "seeds"):
        assert re.search(rf"[(, ]{re.escape(name)}[,)=]", line)
    assert "n_jobs" not in line
    assert "ill posed" in line


def test_the_marker_is_registered(suite):
    suite.makepyfile(pair("blocks"))
    result = suite.runpytest_inprocess("--strict-markers", "--strict-config", "-Werror")
    result.assert_outcomes(passed=2, warnings=0)


def test_no_warning_with_every_detector(suite):
    suite.makepyfile(
        """
        def test_it(splitcheck, thirds):
            splitcheck(thirds, detectors=("knn", "lof", "iforest"), seeds=(0,), max_rho_dir=1.0)
        """
    )
    result = suite.runpytest_inprocess("-Werror", "--splitcheck-k=3")
    result.assert_outcomes(passed=1, warnings=0)


def test_without_the_plugin_a_strict_marker_explains_itself(suite):
    suite.makepyfile("import pytest\n@pytest.mark.splitcheck('mixed')\ndef test_it(): pass\n")
    (suite.path / "pytest.ini").unlink()
    result = suite.runpytest_subprocess("-p", "no:splitcheck", "--strict-markers")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*'splitcheck' not found in `markers` configuration option*"])


def test_without_the_plugin_a_strict_config_explains_itself(suite, refusal):
    suite.makepyfile("def test_it(): pass\n")
    line = refusal(suite.runpytest_inprocess("-p", "no:splitcheck", "--strict-config"))
    assert line == "Unknown config option: splitcheck_detectors"


def test_without_the_plugin_a_test_of_the_fixture_explains_itself(suite):
    suite.makepyfile("def test_it(splitcheck): pass\n")
    result = suite.runpytest_inprocess("-p", "no:splitcheck")
    result.assert_outcomes(errors=1, warnings=None)
    result.stdout.fnmatch_lines(["E *fixture 'splitcheck' not found"])


def test_doctests_and_other_items_in_the_same_run(suite):
    # The marker of the module stands over its doctests too.
    suite.makepyfile(
        test_a='''
        import pytest

        pytestmark = pytest.mark.splitcheck("blocks")

        def documented():
            """
            >>> 1 + 1
            2
            """

        def test_it(): pass
        '''
    )
    (suite.path / "test_text.txt").write_text(
        ">>> check = getfixture('splitcheck')\n"
        ">>> round(check(getfixture('blocks')).leakage.value, 2)\n"
        "0.06\n"
    )
    suite.makeconftest(
        (suite.path / "conftest.py").read_text()
        + """
def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".other":
        return File.from_parent(parent, path=file_path)

class File(pytest.File):
    def collect(self):
        yield Item.from_parent(self, name="item")

class Item(pytest.Item):
    def runtest(self): pass
"""
    )
    (suite.path / "a.other").touch()
    result = suite.runpytest_inprocess("--doctest-modules", "-rp")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["blocks *well posed"])


def test_a_marker_on_an_item_without_fixtures_is_refused(suite, refusal):
    suite.makeconftest(
        """
        import pytest

        def pytest_collect_file(parent, file_path):
            if file_path.suffix == ".other":
                return File.from_parent(parent, path=file_path)

        class File(pytest.File):
            def collect(self):
                item = Item.from_parent(self, name="item")
                item.add_marker(pytest.mark.splitcheck("blocks"))
                yield item

        class Item(pytest.Item):
            def runtest(self): pass
        """
    )
    (suite.path / "a.other").touch()
    line = refusal(suite.runpytest_inprocess())
    assert "a.other::item: @pytest.mark.splitcheck('blocks')" in line
    assert "takes no fixtures" in line


def test_junit(suite):
    suite.makepyfile(test_a=pair("mixed") + pair("blocks").replace("def test_", "def test_well_"))
    suite.runpytest_inprocess("--junitxml=out.xml").assert_outcomes(failed=2, passed=2)
    root = ElementTree.parse(suite.path / "out.xml").getroot()
    failures = {case.get("name"): case.find("failure") for case in root.iter("testcase")}
    assert len(failures) == 4
    for name in ("test_fixture", "test_marker"):
        message = failures[name].get("message")
        assert "ill posed: mixed: L_5 = 0.6" in message
        assert "ill posed: mixed: L_5 = 0.6" in failures[name].text
    assert not list(root.iter("error"))


def test_subtests(suite):
    if int(pytest.__version__.partition(".")[0]) < 9:
        pytest.skip("pytest 9 has subtests")
    suite.makepyfile(
        """
        def test_it(splitcheck, subtests, mixed, blocks):
            for benchmark in (mixed, blocks):
                with subtests.test():
                    splitcheck(benchmark)
        """
    )
    result = suite.runpytest_inprocess("-q")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["E *ill posed: mixed: *", "mixed *ill posed*"])


def test_unittest_with_the_fixture(suite):
    suite.makepyfile(
        """
        import unittest
        import pytest

        class TestIt(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def benchmarks(self, splitcheck, mixed):
                self.check, self.mixed = splitcheck, mixed

            def test_well(self):
                self.check(self.mixed, max_leakage=0.6)

            def test_ill(self):
                self.check(self.mixed)
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([">*self.check(self.mixed)", "E *ill posed: mixed: *"])


def test_runs_in_one_process_share_nothing(suite, fits):
    suite.makepyfile(pair("counted"))
    for run in (1, 2, 3):
        suite.runpytest_inprocess().assert_outcomes(passed=2)
        assert fits() == 2 * run
    suite.runpytest_inprocess("--splitcheck-max-leakage=0.01").assert_outcomes(failed=2)


def test_output_of_the_check_is_captured_as_that_of_a_test(suite):
    suite.makepyfile(
        """
        import pytest

        class Talks:
            def fit(self, X): print("fitting")
            def score(self, X): return X[:, 0]

        @pytest.mark.splitcheck("thirds", detectors={"talks": Talks()})
        def test_it(): pass
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Captured stdout call*", "fitting"])


def test_full_trace_shows_everything(suite):
    suite.makepyfile(pair("mixed"))
    result = suite.runpytest_inprocess("--full-trace")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["E *ill posed: mixed: *"])


def test_a_debugger_gets_the_exception(suite):
    suite.makepyfile(pair("mixed"))
    suite.makeconftest(
        (suite.path / "conftest.py").read_text()
        + """
def pytest_exception_interact(node, call, report):
    print("interact:", node.name, type(call.excinfo.value).__name__, "ill posed" in report.longreprtext)
"""
    )
    result = suite.runpytest_inprocess("-s")
    result.stdout.fnmatch_lines(
        ["*interact: test_fixture IllPosedSplit True", "*interact: test_marker IllPosedSplit True"]
    )
