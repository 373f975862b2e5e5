"""The splitcheck fixture: what it returns, what it raises, and what the author reads then."""

from __future__ import annotations

import re
import sys

import pytest

from pytest_splitcheck import IllPosedSplit, SplitcheckFailure, UndecidedSplit

FAILURES = {
    "ill posed": "splitcheck(mixed)",
    "undecided": "splitcheck(scarce, detectors=coordinate)",
    "not a benchmark": "splitcheck([[0.0], [1.0]])",
    "unmeasurable": "splitcheck(mixed, k=50)",
    "misspelt": "splitcheck(mixed, max_rho_dri=0.1)",
    "out of range": "splitcheck(mixed, max_leakage=2.0)",
}
"""Calls that fail, each in its own way."""


def errors(result: pytest.RunResult) -> list[str]:
    """The lines that pytest marks with an E, but for that of a progress bar."""
    lines = [line for line in result.outlines if re.match("E   ", line)]
    return [line[1:].lstrip() for line in lines if not line.endswith("%]")]


def a_test_of(call: str) -> str:
    return f"def test_it(splitcheck, blocks, mixed, thirds, scarce, coordinate):\n    {call}\n"


def test_a_well_posed_benchmark_gives_its_report(suite):
    suite.makepyfile(
        """
        import json
        import pytest
        from pytest_splitcheck import Report, SplitcheckFixture

        def test_it(splitcheck: SplitcheckFixture, blocks, thirds, coordinate):
            assert isinstance(splitcheck, SplitcheckFixture)
            report = splitcheck(blocks, k=5)
            assert isinstance(report, Report)
            assert report.leakage.value == pytest.approx(0.036)
            assert report.leakage.per_class.keys() == {"a", "b"}
            assert (report.k, report.m, report.detectors) == (5, 50, {})
            report = splitcheck(thirds, max_rho_dir=0.7, detectors=coordinate)
            assert report.detectors["coordinate"].auroc == {"a": 0.0, "b": 0.5, "c": 1.0}
            assert json.loads(json.dumps(report.to_dict()))["instability"]["rho_inv"] > 0.3
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1)


def test_an_ill_posed_one_fails_the_test(suite):
    suite.makepyfile(a_test_of("splitcheck(mixed)"))
    result = suite.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("call", "first"),
    [
        (
            "splitcheck(mixed)",
            "pytest_splitcheck.IllPosedSplit: ill posed: mixed: L_10 = 0.588 > 0.5",
        ),
        (
            "splitcheck(thirds, detectors=coordinate, max_leakage=0.01)",
            "pytest_splitcheck.IllPosedSplit: ill posed: thirds: "
            "L_10 = 0.080 > 0.01, rho_dir = 0.667 > 0.2",
        ),
        (
            "splitcheck(thirds, detectors=coordinate, max_rho_dir=1.0, min_auroc=0.75)",
            "pytest_splitcheck.IllPosedSplit: ill posed: thirds: mean AUROC = 0.500 < 0.75",
        ),
        (
            "splitcheck(scarce, detectors=coordinate)",
            "pytest_splitcheck.UndecidedSplit: undecided: scarce: "
            "rho_dir = 0.500 > 0.2, 1 of 2 held-out classes have fewer than 20 rows",
        ),
    ],
)
def test_the_first_line_is_the_whole_verdict(suite, monkeypatch, call, first):
    monkeypatch.setenv("COLUMNS", "40")
    suite.makepyfile(a_test_of(call))
    assert errors(suite.runpytest_inprocess())[0] == first


def test_the_table_tells_limit_value_source_and_classes(suite):
    suite.makepyfile(
        a_test_of("splitcheck(thirds, detectors=coordinate, max_leakage_ratio=0.15, max_rho_rnd=0)")
    )
    result = suite.runpytest_inprocess("--splitcheck-max-leakage=0.01", "-vv")
    table = [re.split(r" {2,}", line) for line in errors(result)[2:]]
    rows = {row[0]: row[1:] for row in table if len(row) > 1}
    assert rows == {
        "limit": ["measured", "set by"],
        "max_leakage": ["L_10 = 0.080 > 0.01", "--splitcheck-max-leakage"],
        "max_rho_dir": ["rho_dir = 0.667 > 0.2", "default"],
        "max_rho_rnd": ["rho_rnd = 0.333 > 0", "max_rho_rnd= in the call"],
    }
    leakage, direction, random = [row[0] for row in table if row[0].startswith("classes")]
    assert leakage.endswith(": b (0.120), a (0.060), c (0.060)")
    assert direction.endswith(": a (coordinate 0.000), b (coordinate 0.500)")
    assert random.endswith(": b (coordinate 0.500)")


def test_the_last_lines_tell_how_it_was_measured(suite):
    suite.makepyfile(a_test_of("splitcheck(thirds, detectors=coordinate, k=4)"))
    told = " ".join(errors(suite.runpytest_inprocess()))
    assert "m = 75 rows, K = 3 classes, k = 4" in told
    assert "by chance 0.6757" in told
    assert "detectors coordinate" in told
    assert "2 folds" in told


@pytest.mark.parametrize("columns", [40, 80, 140])
def test_no_line_but_the_first_is_wider_than_the_terminal(suite, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    suite.makepyfile(
        """
        from pytest_splitcheck import ClassSplit

        def test_it(splitcheck, coordinate):
            X = [[float(row)] for row in range(200)]
            y = [f"class number {row % 8}" for row in range(200)]
            splitcheck(ClassSplit(X, y, name="many"), detectors=coordinate, max_leakage_ratio=0.1)
        """
    )
    # Pytest puts "E" and as many spaces as the author's line is indented before the message.
    lines = [line for line in suite.runpytest_inprocess().outlines if line.startswith("E   ")]
    assert len(lines) > 6
    assert max(map(len, lines[1:])) <= columns


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            "not a benchmark",
            "InputError: test_it: a ClassSplit is needed, but this is of type list;",
        ),
        ("unmeasurable", "InputError: k = 50 neighbours need 51 rows or more, but"),
        (
            "misspelt",
            "UnknownKeyword: splitcheck has no keyword max_rho_dri; did you mean max_rho_dir?",
        ),
        (
            "out of range",
            "InputError: max_leakage= in the call: max_leakage must be from 0 to 1; got 2.0",
        ),
    ],
)
def test_what_cannot_be_measured_says_so_in_a_line(suite, call, told):
    suite.makepyfile(a_test_of(FAILURES[call]))
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    assert errors(result)[0].startswith(f"pytest_splitcheck.{told}")
    assert len(errors(result)) == 1


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("splitcheck(blocks, seed=3)", "did you mean seeds?"),
        ("splitcheck(blocks, detector=('knn',))", "did you mean detectors?"),
        ("splitcheck(blocks, zzz=3)", "there are max_leakage, max_leakage_ratio, max_rho_dir"),
        ("splitcheck(blocks, detectors=('knnn',))", "did you mean 'knn'?"),
        ("splitcheck(blocks, detectors={'a': 'knnn'})", "did you mean 'knn'?"),
        ("splitcheck(blocks, detectors='knn')", "must be a list of names or detectors"),
        ("splitcheck(blocks, seeds=3)", "seeds must be a list of one or more seeds; got 3"),
        ("splitcheck(blocks, max_leakage='0.5')", "max_leakage must be a number"),
        ("splitcheck(blocks, k=2.0)", "k must be a whole number; got 2.0"),
    ],
)
def test_a_wrong_keyword_or_value_in_a_call(suite, call, told):
    suite.makepyfile(a_test_of(call))
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    assert told in errors(result)[0]


def test_an_unknown_keyword_is_a_type_error(suite):
    suite.makepyfile(
        """
        import pytest
        from pytest_splitcheck import InputError, UnknownKeyword

        def test_it(splitcheck, blocks):
            with pytest.raises(TypeError) as caught:
                splitcheck(blocks, kk=3)
            assert isinstance(caught.value, UnknownKeyword)
            assert isinstance(caught.value, InputError)
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "option", ["--assert=rewrite", "--assert=plain", "--tb=short", "--tb=line"]
)
def test_the_traceback_ends_at_the_authors_line(suite, nothing_of_ours, option):
    for name, call in FAILURES.items():
        suite.makepyfile(**{f"test_{name.replace(' ', '_')}": a_test_of(call)})
    result = suite.runpytest_inprocess(option)
    result.assert_outcomes(failed=len(FAILURES))
    nothing_of_ours(result)
    places = re.findall(r"^(?:/.*/)?(test_\w+)\.py:2: ", result.stdout.str(), re.MULTILINE)
    assert sorted(places) == sorted(f"test_{name.replace(' ', '_')}" for name in FAILURES)
    assert not re.search(r"\.py:(?!2: )\d+: ", result.stdout.str())


def test_the_same_under_python_o(suite, nothing_of_ours):
    for name, call in FAILURES.items():
        suite.makepyfile(**{f"test_{name.replace(' ', '_')}": a_test_of(call)})
    suite.makepyfile(test_well=a_test_of("splitcheck(blocks)"))
    result = suite.run(sys.executable, "-O", "-m", "pytest")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=len(FAILURES), passed=1, warnings=1)
    nothing_of_ours(result)
    assert "pytest_splitcheck.IllPosedSplit: ill posed: mixed: L_10 = 0.588 > 0.5" in errors(result)


def test_a_call_from_a_helper_of_the_author_shows_the_helper(suite, nothing_of_ours):
    suite.makepyfile(
        """
        def check(splitcheck, benchmark):
            splitcheck(benchmark)

        def test_it(splitcheck, mixed):
            check(splitcheck, mixed)
        """
    )
    result = suite.runpytest_inprocess()
    nothing_of_ours(result)
    result.stdout.fnmatch_lines([">*check(splitcheck, mixed)", ">*splitcheck(benchmark)"])


def test_a_fault_of_the_authors_detector_keeps_its_traceback(suite):
    suite.makepyfile(
        """
        class Broken:
            def fit(self, X):
                raise ZeroDivisionError("in the detector")

            def score(self, X):
                return X[:, 0]

        def test_it(splitcheck, blocks):
            splitcheck(blocks, detectors={"mine": Broken()})
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            ">*raise ZeroDivisionError(*",
            "E *ZeroDivisionError: in the detector",
            "E *detector 'mine', held-out class 'a', while it was fitted*",
        ]
    )


def test_the_exception_carries_report_and_verdict(suite):
    suite.makepyfile(
        """
        import pytest
        from pytest_splitcheck import IllPosedSplit, UndecidedSplit

        def test_ill(splitcheck, mixed):
            with pytest.raises(IllPosedSplit) as caught:
                splitcheck(mixed, max_leakage=0.25)
            assert caught.value.report.leakage.value == pytest.approx(0.588)
            assert caught.value.verdict.status == "ill posed"
            (finding,) = caught.value.verdict.findings
            assert (finding.limit, finding.bound) == ("max_leakage", 0.25)
            assert finding.source == "max_leakage= in the call"
            assert set(finding.classes) == {"a", "b"}

        def test_undecided(splitcheck, scarce, coordinate):
            with pytest.raises(UndecidedSplit) as caught:
                splitcheck(scarce, detectors=coordinate)
            assert caught.value.verdict.status == "undecided"
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=2)


def test_a_verdict_is_an_assertion_that_failed():
    assert issubclass(IllPosedSplit, SplitcheckFailure)
    assert issubclass(UndecidedSplit, SplitcheckFailure)
    assert issubclass(SplitcheckFailure, AssertionError)
    assert not issubclass(UndecidedSplit, IllPosedSplit)


def test_a_benchmark_without_a_name_has_that_of_its_fixture(suite):
    suite.makepyfile(
        """
        import pytest
        from conftest import on_a_line

        @pytest.fixture
        def named():
            return on_a_line("ab" * 25, name="its own", representation="pixels")

        def test_fixture(splitcheck, mixed):
            splitcheck(mixed)

        def test_name(splitcheck, named):
            splitcheck(named)

        def test_value(splitcheck):
            splitcheck(on_a_line("ab" * 25))
        """
    )
    result = suite.runpytest_inprocess()
    verdicts = [line.split(": ")[2] for line in errors(result) if "IllPosedSplit" in line]
    assert verdicts == ["mixed", "its own (pixels)", "test_value"]


def test_a_check_in_a_fixture_is_an_error_in_setup(suite, nothing_of_ours):
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture
        def checked(splitcheck, mixed):
            splitcheck(mixed)

        def test_it(checked):
            pass
        """
    )
    result = suite.runpytest_inprocess("-q")
    result.assert_outcomes(errors=1)
    nothing_of_ours(result)
    assert "ill posed: mixed: L_10 = 0.588 > 0.5" in errors(result)[0]
    result.stdout.fnmatch_lines([">*splitcheck(mixed)", "*= splitcheck =*", "mixed *ill posed*"])


def test_a_benchmark_that_cannot_be_declared_is_an_error_at_its_line(suite, nothing_of_ours):
    suite.makepyfile(
        """
        import pytest
        from pytest_splitcheck import ClassSplit

        @pytest.fixture
        def broken():
            return ClassSplit([[0.0], [float("nan")]], ["a", "b"])

        @pytest.mark.splitcheck("broken")
        def test_it():
            pass
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    nothing_of_ours(result)
    assert errors(result)[0].startswith("pytest_splitcheck.InputError: X has 1 value that is NaN")
    result.stdout.fnmatch_lines([">*return ClassSplit(*"])


def test_a_test_stops_at_the_first_benchmark_that_does_not_pass(suite):
    suite.makepyfile(a_test_of("splitcheck(blocks)\n    splitcheck(mixed)\n    splitcheck(thirds)"))
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["blocks *well posed", "mixed *ill posed*"])
    result.stdout.no_fnmatch_line("thirds *posed")


def test_a_call_leaves_the_options_of_the_next_alone(suite):
    suite.makepyfile(
        """
        def test_it(splitcheck, mixed):
            assert splitcheck(mixed, k=2, max_leakage=1.0).k == 2
            assert splitcheck(mixed, max_leakage=1.0).k == 10
            splitcheck(mixed)
        """
    )
    result = suite.runpytest_inprocess()
    assert "L_10 = 0.588 > 0.5" in errors(result)[0]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            "'blocks'",
            "*InputError: a benchmark is needed, not its name 'blocks': take the fixture as *",
        ),
        (
            "[[0.0]], ['a']",
            "*InputError: one benchmark is checked at a time: splitcheck(ClassSplit(X, y)).",
        ),
    ],
)
def test_what_is_passed_in_the_place_of_a_benchmark(suite, call, told):
    suite.makepyfile(f"def test_it(splitcheck):\n    splitcheck({call})\n")
    suite.runpytest_inprocess().stdout.fnmatch_lines([told])
