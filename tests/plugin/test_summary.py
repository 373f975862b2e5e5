"""The splitcheck section at the end of a run."""

from __future__ import annotations

import re

import pytest

from tests.plugin.summaries import TESTS, section, table


def test_nothing_is_printed_where_the_plugin_is_not_used(suite):
    suite.makepyfile("def test_it(blocks): pass")
    for option in ("-v", "-q", "-rA"):
        with_plugin = suite.runpytest_inprocess(option)
        (suite.path / "pytest.ini").rename(suite.path / "later")
        without = suite.runpytest_inprocess(option, "-p", "no:splitcheck")
        (suite.path / "later").rename(suite.path / "pytest.ini")
        with_plugin.assert_outcomes(passed=1)
        with_lines, without_lines = (
            [re.sub(r"\d\.\d\ds", "", line) for line in run.outlines if "config" not in line]
            for run in (with_plugin, without)
        )
        assert with_lines[-4:] == without_lines[-4:]
        assert len(with_lines) == len(without_lines)


def test_a_line_per_benchmark_in_order_of_name(suite):
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=2)
    assert table(result) == [
        ["blocks", "50", "2", "10", "0.060", "0.510", "0.00", "0.00", "0.00", "well posed"],
        ["thirds", "75", "3", "10", "0.080", "0.676", "0.33", "0.33", "0.67", "well posed"],
    ]


@pytest.mark.parametrize(
    "options", [[], ["-s"], ["-v", "-o", "verbosity_splitcheck=0"], ["--color=yes"]]
)
def test_the_lines_follow_each_other(suite, options):
    # TerminalReporter.section() does not end the line of progress as write_sep() does.
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess(*options)
    assert "" not in section(result)
    assert len(section(result)) == 3


def test_a_verdict_of_each_kind(suite):
    suite.makepyfile(
        """
        def test_it(splitcheck, blocks):
            splitcheck(blocks)

        def test_ill(splitcheck, mixed):
            splitcheck(mixed)

        def test_undecided(splitcheck, scarce, coordinate):
            splitcheck(scarce, detectors=coordinate)
        """
    )
    result = suite.runpytest_inprocess()
    verdicts = {row[0]: row[-1] for row in table(result)}
    assert verdicts == {
        "blocks": "well posed",
        "mixed": "ill posed (max_leakage)",
        "scarce": "undecided (max_rho_dir, min_positives)",
    }
    text = result.stdout.str()
    assert text.index("= FAILURES =") < text.index("= splitcheck =")


@pytest.mark.parametrize("bounds", [(0.01, 0.5), (0.5, 0.01)])
def test_the_most_severe_verdict_is_told(suite, bounds):
    suite.makepyfile(
        f"""
        import pytest

        @pytest.mark.parametrize("bound", {bounds})
        def test_it(splitcheck, blocks, bound):
            splitcheck(blocks, max_leakage=bound)
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    assert [row[-1] for row in table(result)] == ["ill posed (max_leakage)"]


def test_what_cannot_be_measured_has_its_reason_and_no_figures(suite):
    suite.makepyfile("def test_it(splitcheck, blocks):\n    splitcheck(blocks, k=1000)\n")
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    assert section(result) == [
        "not measured: blocks: k = 1000 neighbours need 1001 rows or more, but the evaluation set has m = 50.",
        "  Set k to 49 or less, or add rows.",
    ]


def test_a_failure_that_the_author_expects_is_told(suite):
    suite.makepyfile(
        """
        import pytest
        from pytest_splitcheck import IllPosedSplit

        def test_it(splitcheck, mixed):
            with pytest.raises(IllPosedSplit):
                splitcheck(mixed)
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    assert [(row[0], row[-1]) for row in table(result)] == [("mixed", "ill posed (max_leakage)")]


def test_v_adds_every_class(suite):
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess("-v")
    lines = [line.split() for line in section(result)]
    assert ["class", "rows", "L_10", "slots", "geo", "coordinate"] in lines
    for name, leakage, geo, auroc in (
        ("a", 0.06, 0.9992, "0.0000"),
        ("b", 0.12, 0.9968, "0.5000?"),
        ("c", 0.06, 0.9992, "1.0000"),
    ):
        assert [name, "25", f"{leakage:.4f}", "0.3333", f"{geo:.4f}", auroc] in lines
    for row in (
        ["mean", "0.9984", "0.5000"],
        ["rho_inv", "0.00", "0.33"],
        ["rho_rnd", "0.00", "0.33"],
        ["rho_dir", "0.00", "0.67"],
    ):
        assert row in lines
    assert ["class", "rows", "L_10", "slots", "geo"] in lines
    assert ["a", "25", "0.0600", "0.5000", "0.9984"] in lines


def test_v_tells_the_spread_over_seeds(suite):
    suite.makepyfile(
        """
        def test_it(splitcheck, blocks):
            splitcheck(blocks, detectors=("iforest",), seeds=(1, 2), max_rho_dir=1.0)
        """
    )
    lines = [line.split() for line in section(suite.runpytest_inprocess("-v"))]
    assert ["class", "rows", "L_10", "slots", "geo", "iforest", "sd"] in lines
    assert [len(line) for line in lines if line[:2] in (["a", "25"], ["b", "25"])] == [7, 7]


@pytest.mark.parametrize("option", ["-q", "-qq"])
def test_q_is_silent_when_all_is_well(suite, option):
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess(option)
    assert result.ret == 0
    assert section(result) == []
    assert "posed" not in result.stdout.str()


def test_q_is_silent_when_failures_are_expected(suite):
    suite.makepyfile(
        """
        import pytest
        from pytest_splitcheck import IllPosedSplit

        @pytest.mark.xfail(raises=IllPosedSplit, strict=True)
        def test_fixture(splitcheck, mixed):
            splitcheck(mixed)

        @pytest.mark.xfail(raises=IllPosedSplit, strict=True)
        @pytest.mark.splitcheck("mixed")
        def test_marker(): pass
        """
    )
    result = suite.runpytest_inprocess("-q")
    result.assert_outcomes(xfailed=2)
    assert section(result) == []


def test_q_tells_only_what_failed(suite):
    suite.makepyfile(TESTS + "\ndef test_ill(splitcheck, mixed):\n    splitcheck(mixed)\n")
    result = suite.runpytest_inprocess("-q")
    result.assert_outcomes(passed=2, failed=1)
    assert [(row[0], row[-1]) for row in table(result)] == [("mixed", "ill posed (max_leakage)")]


@pytest.mark.parametrize(
    ("option", "verbosity", "lines"),
    [
        ("-q", 0, 3),
        ("-q", 1, 23),
        ("-v", 0, 3),
        ("-v", -1, 0),
        ("-vv", "auto", 23),
        ("-q", "auto", 0),
    ],
)
def test_the_section_has_a_verbosity_of_its_own(suite, option, verbosity, lines):
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess(option, "-o", f"verbosity_splitcheck={verbosity}")
    told = [line for line in section(result) if line]
    assert len(told) == lines


def test_the_section_has_a_verbosity_of_its_own_in_the_ini_file(suite):
    path = suite.path / "pytest.ini"
    path.write_text(path.read_text() + "\nverbosity_splitcheck = 1\n")
    suite.makepyfile(TESTS)
    assert len(section(suite.runpytest_inprocess())) > 10


def test_no_terminal(suite):
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess("-p", "no:terminal")
    assert result.ret == 0
    assert result.stdout.str() == ""


def test_colours(suite):
    suite.makepyfile(
        """
        def test_it(splitcheck, blocks):
            splitcheck(blocks)

        def test_ill(splitcheck, mixed):
            splitcheck(mixed)

        def test_undecided(splitcheck, scarce, coordinate):
            splitcheck(scarce, detectors=coordinate)
        """
    )
    result = suite.runpytest_inprocess("--color=yes")
    verdicts = dict(
        re.findall(
            r"^(\w+) [^\x1b\n]*(\x1b.*posed.*|\x1b.*undecided.*)$", result.stdout.str(), re.M
        )
    )
    assert verdicts == {
        "blocks": "\x1b[32mwell posed\x1b[0m",
        "mixed": "\x1b[31mill posed (max_leakage)\x1b[0m",
        "scarce": "\x1b[33mundecided (max_rho_dir, min_positives)\x1b[0m",
    }
    for option in ("--color=no", "--color=auto"):
        assert "\x1b" not in suite.runpytest_inprocess(option, "-v").stdout.str()


def test_a_check_in_setup_is_told(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture
        def checked(splitcheck, blocks):
            return splitcheck(blocks)

        def test_it(checked):
            assert checked.m == 50
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    assert [row[0] for row in table(result)] == ["blocks"]


def test_a_check_in_teardown_is_told(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.fixture
        def checked(splitcheck, mixed):
            yield
            splitcheck(mixed)

        def test_it(checked):
            pass
        """
    )
    result = suite.runpytest_inprocess("-q")
    result.assert_outcomes(passed=1, errors=1)
    assert [(row[0], row[-1]) for row in table(result)] == [("mixed", "ill posed (max_leakage)")]
    result.stdout.fnmatch_lines([">*splitcheck(mixed)", "E *ill posed: mixed*"])


def test_two_runs_print_the_same(suite):
    suite.makepyfile(TESTS + "\ndef test_ill(splitcheck, mixed):\n    splitcheck(mixed)\n")
    first, second = (section(suite.runpytest_inprocess("-v")) for _ in range(2))
    assert first == second
    assert len(first) > 20


def test_of_a_test_that_is_run_again_the_last_try_counts(suite):
    pytest.importorskip("pytest_rerunfailures")
    suite.makepyfile(
        """
        from conftest import on_a_line

        tries = []

        def test_it(splitcheck):
            tries.append(1)
            labels = "ab" * 25 if len(tries) == 1 else "a" * 25 + "b" * 25
            splitcheck(on_a_line(labels, name="flaky"))
        """
    )
    result = suite.runpytest_inprocess("--reruns=1")
    result.stdout.fnmatch_lines(["*1 passed, 1 rerun*"])
    assert [row[-1] for row in table(result)] == ["well posed"]
