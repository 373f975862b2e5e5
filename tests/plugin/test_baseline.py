"""The baseline in real runs: recorded, held against, refused."""

from __future__ import annotations

import json

import pytest

from tests.plugin.summaries import section

TESTS = """
import pytest
from pytest_splitcheck import IllPosedSplit

def test_blocks(splitcheck, blocks):
    splitcheck(blocks)

def test_thirds(splitcheck, thirds, coordinate):
    splitcheck(thirds, max_rho_dir=1.0, detectors=coordinate)
"""

# A run in this process has our own filter, by which every warning is an error, behind its own ones.
pytestmark = pytest.mark.filterwarnings("ignore::pytest_splitcheck.UnrecordedSplitWarning")

FLAG = "--splitcheck-baseline=base.json"
UPDATE = "--splitcheck-update-baseline"


@pytest.fixture
def recorded(suite):
    """A suite with a baseline of `blocks` and `thirds`."""
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess(FLAG, UPDATE)
    result.assert_outcomes(passed=2)
    assert section(result)[-1] == "wrote base.json"
    return suite


def change(suite, title, **figures):
    path = suite.path / "base.json"
    content = json.loads(path.read_text())
    content["benchmarks"][title][0].update(figures)
    path.write_text(json.dumps(content))


def content(suite):
    return json.loads((suite.path / "base.json").read_text())["benchmarks"]


def test_what_is_recorded(recorded):
    found = content(recorded)
    assert list(found) == ["blocks", "thirds"]
    (blocks,), (thirds,) = found.values()
    assert (blocks["m"], blocks["k"], blocks["detectors"]) == (50, 10, {})
    assert (blocks["leakage"], blocks["rho_dir"], blocks["rho_dir_geo"]) == (0.06, None, 0.0)
    assert (thirds["detectors"], thirds["rho_dir"]) == ({"coordinate": []}, 0.666667)


def test_the_same_again_passes_and_says_nothing(recorded):
    before = (recorded.path / "base.json").read_bytes()
    result = recorded.runpytest_inprocess(FLAG, "--splitcheck-baseline-tolerance=0")
    result.assert_outcomes(passed=2)
    assert len(section(result)) == 3
    assert (recorded.path / "base.json").read_bytes() == before


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_what_got_worse_fails_its_test(recorded, workers, nothing_of_ours):
    change(recorded, "thirds", rho_dir=0.333333, leakage=0.01)
    result = recorded.runpytest_inprocess(FLAG, workers)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "E *IllPosedSplit: ill posed: thirds: L_10 = 0.080 > 0.010 + 0.01 (baseline), "
            "rho_dir = 0.667 > 0.333 + 0.01 (baseline)",
            "E *limit     measured *  set by",
            "E *baseline  L_10 = 0.080 > 0.010 + 0.01 (baseline) * base.json",
            "E *baseline  rho_dir = 0.667 > 0.333 + 0.01 (baseline)  base.json",
            "E *    If the change is meant, record the benchmark as it is now:",
            "E *      --splitcheck-update-baseline.",
            "thirds *ill posed (baseline)",
        ]
    )
    assert "(max_rho_dir" not in result.stdout.str()
    nothing_of_ours(result)


def test_the_tolerance_is_an_option(recorded):
    change(recorded, "thirds", leakage=0.01)
    path = recorded.path / "pytest.ini"
    path.write_text(path.read_text() + "\nsplitcheck_baseline_tolerance = 0.07\n")
    recorded.runpytest_inprocess(FLAG).assert_outcomes(passed=2)
    for tolerance, failed in (("0.0699", 1), ("0.07", 0)):
        option = f"--splitcheck-baseline-tolerance={tolerance}"
        recorded.runpytest_inprocess(FLAG, option).assert_outcomes(passed=2 - failed, failed=failed)


def test_a_failure_can_be_expected_and_run_again(recorded):
    change(recorded, "thirds", leakage=0.01)
    recorded.makepyfile(
        TESTS.replace(
            "def test_thirds", "@pytest.mark.xfail(raises=IllPosedSplit)\ndef test_thirds"
        )
    )
    recorded.runpytest_inprocess(FLAG).assert_outcomes(passed=1, xfailed=1)
    recorded.makepyfile(TESTS)
    pytest.importorskip("pytest_rerunfailures")
    result = recorded.runpytest_inprocess(FLAG, "--reruns=1")
    result.stdout.fnmatch_lines(["*1 failed, 1 passed, 1 rerun*"])
    assert len(section(result)) == 3


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--splitcheck-k=5", "k = 5 (recorded: 10)"),
        ("--splitcheck-detectors=knn", "detectors knn (recorded: none)"),
        ("--splitcheck-epsilon=0.1", "epsilon = 0.1 (recorded: 0.05)"),
    ],
)
def test_what_was_measured_in_another_way_is_refused(recorded, option, told, nothing_of_ours):
    result = recorded.runpytest_inprocess(FLAG, option, "-k", "blocks")
    result.assert_outcomes(failed=1)
    shown = " ".join(line.removeprefix("E").strip() for line in result.outlines)
    assert f"InputError: blocks cannot be held against base.json: {told}. The figures" in shown
    nothing_of_ours(result)


def test_other_data_are_refused(recorded):
    conftest = recorded.path / "conftest.py"
    conftest.write_text(
        conftest.read_text().replace('"a" * 25 + "b" * 25)', '"b" * 25 + "a" * 25)')
    )
    result = recorded.runpytest_inprocess(FLAG, "--splitcheck-json=out.json")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*blocks cannot be held against base.json: other data or *. The figures, which are of other data: "
            "L_10 = 0.060 (recorded: 0.060), rho_dir_geo = 0.000 (recorded: 0.000). If *"
        ]
    )
    # It was checked, and is in what programs and people read of the run.
    result.stdout.fnmatch_lines(["blocks * undecided (refused by the baseline)"])
    result.stdout.no_fnmatch_line("*not checked in this run*")
    told = json.loads((recorded.path / "out.json").read_text())["benchmarks"]
    assert [one["verdict"]["status"] for one in told if one["name"] == "blocks"] == ["undecided"]
    conftest.write_text(conftest.read_text().replace("25 + ", "26 + "))
    result = recorded.runpytest_inprocess(FLAG)
    result.stdout.fnmatch_lines(["*blocks cannot be held *: m = 51 (recorded: 50); other data *"])


def test_a_refusal_says_what_differs_and_how_to_accept_it(recorded, nothing_of_ours):
    conftest = recorded.path / "conftest.py"
    conftest.write_text(
        conftest.read_text().replace('"a" * 25 + "b" * 25)', '"a" * 20 + "c" * 20 + "d" * 20)')
    )
    result = recorded.runpytest_inprocess(FLAG, "--splitcheck-k=5", "-k", "blocks")
    result.assert_outcomes(failed=1, deselected=1)
    fingerprint = content(recorded)["blocks"][0]["fingerprint"][:8]
    result.stdout.re_match_lines(
        [
            r"E .*InputError: blocks cannot be held against base.json: m = 60 \(recorded: 50\); "
            r"k = 5 \(recorded: 10\); K = 3 classes \(recorded: 2\), new: c, d, gone: b; "
            rf"other data or another declaration, fingerprint [0-9a-f]{{8}} \(recorded: {fingerprint}\)\. "
            r"The figures, which are of other data: L_5 = 0\.\d{3} \(recorded: L_10 = 0\.060\), .*\. "
            "If the change is meant, record the benchmark as it is now: --splitcheck-update-baseline."
        ]
    )
    nothing_of_ours(result)
    recorded.runpytest_inprocess(FLAG, UPDATE, "--splitcheck-k=5", "-k", "blocks")
    recorded.runpytest_inprocess(FLAG, "--splitcheck-k=5").assert_outcomes(passed=1, failed=1)
    recorded.runpytest_inprocess(FLAG, "--splitcheck-k=5", "-k", "blocks").assert_outcomes(
        passed=1, deselected=1
    )


def test_an_update_merges(recorded):
    before = content(recorded)
    change(recorded, "thirds", leakage=0.5)
    result = recorded.runpytest_inprocess(FLAG, UPDATE, "--splitcheck-k=5", "-k", "blocks")
    result.assert_outcomes(passed=1)
    after = content(recorded)
    assert after["blocks"][0]["k"] == 5
    assert after["thirds"] == [{**before["thirds"][0], "leakage": 0.5}]


def test_an_update_compares_nothing_and_records_what_is_ill_posed(recorded):
    change(recorded, "blocks", leakage=0.0)
    result = recorded.runpytest_inprocess(FLAG, UPDATE, "--splitcheck-max-leakage=0.01")
    result.assert_outcomes(failed=2)
    assert "(baseline)" not in result.stdout.str()
    assert content(recorded)["blocks"][0]["leakage"] == 0.06


def test_workers_change_nothing_about_what_is_recorded(recorded):
    before = (recorded.path / "base.json").read_bytes()
    (recorded.path / "base.json").unlink()
    result = recorded.runpytest_inprocess(FLAG, UPDATE, "-n2")
    result.assert_outcomes(passed=2)
    assert (recorded.path / "base.json").read_bytes() == before


def notes(result):
    return " ".join(line.strip() for line in section(result)[3:])


def test_what_is_missing_stale_or_better_is_told(recorded):
    change(recorded, "blocks", leakage=0.2)
    path = recorded.path / "base.json"
    path.write_text(path.read_text().replace('"thirds"', '"gone"'))
    told = (
        "not in base.json: thirds; --splitcheck-update-baseline records them "
        "in base.json, but not checked in this run: gone "
        "better than base.json has it: blocks: L_10 = 0.060 (recorded: 0.200); "
        "--splitcheck-update-baseline records that"
    )
    for options in ([], ["-v", "-o", "verbosity_splitcheck=0"]):
        result = recorded.runpytest_inprocess(FLAG, *options)
        result.assert_outcomes(passed=2)
        assert notes(result) == told
    quiet = " ".join(line.strip() for line in section(recorded.runpytest_inprocess(FLAG, "-q")))
    assert quiet == told.partition(" better than")[0]


UNRECORDED = "blocks is not in base.json; --splitcheck-update-baseline records it."


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_benchmark_without_a_record_can_fail_its_test(recorded, workers, nothing_of_ours):
    path = recorded.path / "base.json"
    path.write_text(path.read_text().replace('"blocks"', '"renamed"'))
    result = recorded.runpytest_subprocess(FLAG, workers)
    result.assert_outcomes(passed=2, warnings=0)
    option = "error::pytest_splitcheck.UnrecordedSplitWarning"
    result = recorded.runpytest_inprocess(FLAG, workers, "-W", option)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"E *UnrecordedSplitWarning: {UNRECORDED}"])
    nothing_of_ours(result)
    ini = recorded.path / "pytest.ini"
    ini.write_text(ini.read_text() + f"\nfilterwarnings = {option}\n")
    recorded.runpytest_inprocess(FLAG).assert_outcomes(passed=1, failed=1)
    recorded.runpytest_inprocess(FLAG, UPDATE).assert_outcomes(passed=2)
    recorded.runpytest_inprocess(FLAG).assert_outcomes(passed=2)


def test_the_benchmark_of_a_marker_without_a_record_can_fail_too(recorded, nothing_of_ours):
    (recorded.path / "base.json").write_text(
        '{"schema": "pytest-splitcheck-baseline/1", "benchmarks": {}}'
    )
    recorded.makepyfile('import pytest\n@pytest.mark.splitcheck("blocks")\ndef test_it(): ...')
    for options in (["-W", "error"], ["-W", "default", "-W", "error::UserWarning"]):
        result = recorded.runpytest_inprocess(FLAG, *options)
        result.assert_outcomes(failed=1)
        assert UNRECORDED in result.outlines
        nothing_of_ours(result)


def test_what_fails_by_its_verdict_does_so_without_a_record_too(recorded):
    path = recorded.path / "base.json"
    path.write_text(path.read_text().replace('"blocks"', '"renamed"'))
    result = recorded.runpytest_inprocess(FLAG, "-W", "error", "--splitcheck-max-leakage=0.01")
    result.stdout.fnmatch_lines(["E *IllPosedSplit: ill posed: blocks: L_10 = 0.060 > 0.01*"])


@pytest.mark.parametrize(
    "options",
    [
        ["-k", "thirds"],
        ["test_what_is_told_of_a_part.py"],
        ["--deselect=test_what_is_told_of_a_part.py::test_blocks"],
        ["--collect-only"],
        ["--fixtures"],
    ],
    ids=" ".join,
)
def test_what_is_told_of_a_part(recorded, options):
    path = recorded.path / "base.json"
    path.write_text(path.read_text().replace('"blocks"', '"gone"'))
    recorded.makepyfile(TESTS)
    result = recorded.runpytest_inprocess(FLAG, *options)
    assert "not checked in this run" not in result.stdout.str()
    assert "not checked in this run: gone" in recorded.runpytest_inprocess(FLAG).stdout.str()


def test_what_a_plugin_deselects_is_not_stale(recorded):
    path = recorded.path / "base.json"
    path.write_text(path.read_text().replace('"blocks"', '"gone"'))
    conftest = recorded.path / "conftest.py"
    conftest.write_text(
        conftest.read_text()
        + "\ndef pytest_collection_modifyitems(config, items):\n"
        + "    config.hook.pytest_deselected(items=[items.pop()])\n"
    )
    result = recorded.runpytest_inprocess(FLAG)
    result.assert_outcomes(passed=1, deselected=1)
    assert "not checked in this run" not in result.stdout.str()


def test_a_folder_below_is_a_part(recorded, monkeypatch):
    path = recorded.path / "base.json"
    path.write_text(path.read_text().replace('"blocks"', '"gone"'))
    below = recorded.mkdir("below")
    (below / "test_below.py").write_text(TESTS)
    monkeypatch.chdir(below)
    result = recorded.runpytest_inprocess("--splitcheck-baseline=../base.json")
    result.assert_outcomes(passed=2)
    assert "not in base.json: blocks;" in result.stdout.str()
    assert "not checked in this run" not in result.stdout.str()
    ini = recorded.path / "pytest.ini"
    ini.write_text(ini.read_text() + "\ntestpaths = below\n")
    monkeypatch.chdir(recorded.path)
    result = recorded.runpytest_inprocess(FLAG)
    assert "not checked in this run: gone" in result.stdout.str()


def test_nothing_is_stale_where_the_run_stopped_early(recorded):
    recorded.makepyfile(TESTS.replace("splitcheck(blocks)", "assert 0"))
    for options, told in ((["-x"], False), (["--maxfail=2"], True), ([], True)):
        result = recorded.runpytest_inprocess(FLAG, *options)
        assert ("not checked in this run: blocks" in result.stdout.str()) == told


def test_a_file_that_is_missing_or_damaged_is_a_usage_error(recorded, refusal):
    path = recorded.path / "base.json"
    told = refusal(recorded.runpytest_inprocess("--splitcheck-baseline=no.json"))
    assert told == (
        "--splitcheck-baseline: there is no no.json; --splitcheck-update-baseline records one."
    )
    path.write_text("{\n")
    for options in ([FLAG], [FLAG, UPDATE], [FLAG, "-n2"]):
        told = refusal(recorded.runpytest_inprocess(*options))
        assert told.startswith("--splitcheck-baseline: base.json, line 2: ")
        assert path.read_text() == "{\n"
    path.unlink()
    path.mkdir()
    told = refusal(recorded.runpytest_inprocess(FLAG))
    assert told == "--splitcheck-baseline: cannot read base.json: Is a directory."


def test_without_an_update_the_file_is_only_read(recorded):
    path = recorded.path / "base.json"
    before = path.read_bytes(), path.stat().st_ino
    path.chmod(0o400)
    recorded.runpytest_inprocess(FLAG).assert_outcomes(passed=2)
    assert (path.read_bytes(), path.stat().st_ino) == before


def test_of_several_k_the_first_is_held_against_it(suite):
    suite.makepyfile("def test_it(splitcheck, blocks):\n    splitcheck(blocks, k=(5, 10))\n")
    suite.runpytest_inprocess(FLAG, UPDATE).assert_outcomes(passed=1)
    assert [one["k"] for one in content(suite)["blocks"]] == [5]
    change(suite, "blocks", leakage=0.0)
    result = suite.runpytest_inprocess(FLAG, "--splitcheck-baseline-tolerance=0")
    result.stdout.fnmatch_lines(
        [
            "E *The verdict depends on k: ill posed at 5, well posed at 10.",
            "blocks *ill posed (baseline)",
        ]
    )
