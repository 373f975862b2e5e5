"""The splitcheck marker with benchmarks: a test fails before it runs if one does not pass."""

from __future__ import annotations

import re

import pytest

from tests.plugin.markers import PRECONDITION, ran


def test_a_test_of_a_well_posed_benchmark_runs(suite):
    suite.makepyfile(PRECONDITION.format(arguments='"blocks"'))
    suite.runpytest_inprocess().assert_outcomes(passed=1)
    assert ran(suite)


@pytest.mark.parametrize(
    "option", ["--assert=rewrite", "--assert=plain", "--tb=short", "--tb=native"]
)
def test_any_other_fails_before_it_runs(suite, nothing_of_ours, option):
    told = {
        '"mixed"': "ill posed: mixed: L_10 = 0.588 > 0.5",
        '"thirds", max_leakage=0.01': "ill posed: thirds: L_10 = 0.080 > 0.01",
        '"scarce", detectors=("knn",), k=5': "undecided: scarce: 1 of 2 held-out classes have fewer*",
        '"mixed", k=50': "mixed: k = 50 neighbours need 51 rows or more, but *",
        '"coordinate"': "coordinate: a ClassSplit is needed, but this is of type dict; declare *",
    }
    for at, arguments in enumerate(told):
        suite.makepyfile(**{f"test_{at}": PRECONDITION.format(arguments=arguments)})
    result = suite.runpytest_inprocess(option)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=len(told))
    assert not ran(suite)
    nothing_of_ours(result)
    for message in told.values():
        result.stdout.fnmatch_lines(["_* test_method _*", message])
    assert "Traceback" not in result.stdout.str()
    assert "File " not in result.stdout.str()


def test_the_message_has_the_table_too(suite):
    suite.makepyfile(PRECONDITION.format(arguments='"mixed"'))
    suite.runpytest_inprocess().stdout.fnmatch_lines(
        [
            "ill posed: mixed: L_10 = 0.588 > 0.5",
            "",
            "limit        measured            set by",
            "max_leakage  L_10 = 0.588 > 0.5  default",
            "*classes*a (0.588), b (0.588)",
            "m = 50 rows, *",
        ]
    )


def test_the_place_of_the_failure_is_the_test(suite):
    # --tb=line and annotations in CI show it.
    suite.makepyfile(test_a=PRECONDITION.format(arguments='"mixed"'))
    result = suite.runpytest_inprocess("--tb=line")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*test_a.py:*mixed: L_10 = 0.588 > 0.5*", "FAILED test_a.py::test_method - *"]
    )
    result.stdout.no_fnmatch_line("*pluggy*.py:*")


@pytest.mark.parametrize(
    ("arguments", "passes"),
    [('"blocks", "thirds"', True), ('"blocks", "mixed"', False), ('"mixed", "blocks"', False)],
)
def test_each_of_several_benchmarks_is_checked(suite, arguments, passes):
    suite.makepyfile(PRECONDITION.format(arguments=arguments))
    result = suite.runpytest_inprocess()
    assert ran(suite) is passes
    found = re.findall(r"^(\w+) +\d+ .*posed\b", result.stdout.str(), re.MULTILINE)
    assert found == sorted(re.findall(r"\w+", arguments))
    assert "also" not in result.stdout.str()


def test_several_markers_each_with_its_own_limits(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.splitcheck("blocks", max_leakage=0.01)
        @pytest.mark.splitcheck("mixed", max_leakage=0.9)
        def test_other_way_round():
            pass

        @pytest.mark.splitcheck("mixed", max_leakage=0.9)
        @pytest.mark.splitcheck("blocks", max_leakage=0.1)
        def test_well():
            pass
        """
    )
    result = suite.runpytest_inprocess("-rA")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["ill posed: blocks: L_10 = 0.060 > 0.01", "PASSED *::test_well"])


def test_a_name_that_is_no_fixture(suite):
    suite.makepyfile(PRECONDITION.format(arguments='"blokcs"'))
    result = suite.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    assert not ran(suite)
    result.stdout.fnmatch_lines(["*fixture 'blokcs' not found", "*available fixtures: *blocks*"])


def test_a_benchmark_that_is_skipped_or_broken(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture
        def absent():
            pytest.skip("no data here")

        @pytest.fixture
        def broken():
            raise OSError("no such file")

        @pytest.mark.splitcheck("absent")
        def test_skipped(): pass

        @pytest.mark.splitcheck("broken")
        def test_broken(): pass
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(skipped=1, errors=1)
    result.stdout.fnmatch_lines(["E *OSError: no such file"])


def test_a_benchmark_is_set_up_before_and_torn_down_after_the_test(suite):
    suite.makepyfile(
        """
        import pytest
        from conftest import on_a_line

        @pytest.fixture
        def mine():
            print("set up")
            yield on_a_line("ab" * 25)
            print("torn down")

        @pytest.mark.splitcheck("mine", max_leakage=0.9)
        def test_it():
            print("test")

        @pytest.mark.splitcheck("mine")
        def test_fails():
            print("never")
        """
    )
    result = suite.runpytest_inprocess("-s")
    told = re.findall(r"set up|torn down|test$|never$", result.stdout.str(), re.M)
    assert told[:5] == ["set up", "test", "torn down", "set up", "torn down"]
    assert "never" not in told


def test_a_failure_of_the_test_itself_keeps_its_traceback(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.splitcheck("blocks")
        def test_it():
            one = 1
            assert one == 2
        """
    )
    suite.runpytest_inprocess().stdout.fnmatch_lines([">*assert one == 2", "E *assert 1 == 2"])


def test_a_failing_check_in_a_marked_test_keeps_the_authors_line(suite, nothing_of_ours):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.splitcheck("blocks")
        def test_it(splitcheck, mixed):
            splitcheck(mixed)
        """
    )
    result = suite.runpytest_inprocess()
    result.stdout.fnmatch_lines([">*splitcheck(mixed)", "E *ill posed: mixed*"])
    nothing_of_ours(result)


def test_a_check_in_teardown_keeps_the_authors_line_after_a_precondition_that_failed(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def checked(splitcheck, thirds):
            yield
            splitcheck(thirds, max_leakage=0.01)

        @pytest.mark.splitcheck("mixed")
        def test_it(): pass
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines([">*splitcheck(thirds, max_leakage=0.01)", "E *ill posed: thirds*"])


def test_a_fault_of_the_authors_detector_keeps_its_traceback(suite):
    suite.makepyfile(
        """
        import pytest

        class Broken:
            def fit(self, X):
                raise ZeroDivisionError("in the detector")

            def score(self, X):
                return X[:, 0]

        @pytest.mark.splitcheck("blocks", detectors={"mine": Broken()})
        def test_it(): pass
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [">*raise ZeroDivisionError(*", "E *ZeroDivisionError*", "E *detector 'mine', held-out class 'a'*"]
    )  # fmt: skip
