"""The files of a run: where they go, when they are written, and when not."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest

from tests.plugin.summaries import TESTS, section

ALL = ("--splitcheck-json=out/a.json", "--splitcheck-csv=out/a.csv")


def written(suite):
    return sorted(path.name for path in suite.path.glob("out/*"))


def names(path):
    return [one["name"] for one in json.loads(path.read_text())["benchmarks"]]


def test_every_format_is_written_and_told_on_a_line(suite):
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess(*ALL)
    assert section(result)[-1] == "wrote out/a.json, out/a.csv"
    assert written(suite) == ["a.csv", "a.json"]
    assert names(suite.path / "out" / "a.json") == ["blocks", "thirds"]


def test_under_q_they_are_written_without_a_word(suite):
    suite.makepyfile(TESTS)
    result = suite.runpytest_inprocess("-q", *ALL)
    assert section(result) == []
    assert written(suite) == ["a.csv", "a.json"]


def test_paths_of_the_ini_file_are_told_as_seen_from_here(suite, monkeypatch):
    suite.makepyfile(TESTS)
    path = suite.path / "pytest.ini"
    path.write_text(path.read_text() + "\nsplitcheck_json = out/a.json\n")
    monkeypatch.chdir(suite.mkdir("below"))
    result = suite.runpytest_inprocess("..")
    assert section(result)[-1] == f"wrote {os.path.join('..', 'out', 'a.json')}"


def test_workers_write_nothing_and_change_nothing(suite):
    suite.makepyfile(
        TESTS
        + """
@pytest.mark.parametrize("bound", [0.04, 0.03, 0.05])
def test_severely(splitcheck, blocks, bound):
    splitcheck(blocks, max_leakage=bound)
"""
    )
    found = []
    for workers in ("-n0", "-n2"):
        suite.runpytest_inprocess(workers, *ALL).assert_outcomes(passed=2, failed=3)
        assert written(suite) == ["a.csv", "a.json"]
        found.append([(suite.path / "out" / name).read_bytes() for name in written(suite)])
    assert found[0] == found[1]
    assert (
        b'"nodeid": "test_workers_write_nothing_and_change_nothing.py::test_severely[0.03]"'
        in (found[0][1])
    )


@pytest.mark.parametrize("tests", ["def test_it(): pass", ""], ids=["nothing checked", "no tests"])
def test_a_file_of_before_is_replaced_where_nothing_was_checked(suite, tests):
    suite.makepyfile(TESTS)
    suite.runpytest_inprocess(*ALL)
    suite.makepyfile(tests)
    result = suite.runpytest_inprocess(*ALL)
    assert section(result) == ["wrote out/a.json, out/a.csv"]
    assert names(suite.path / "out" / "a.json") == []
    assert len((suite.path / "out" / "a.csv").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    "option", ["--collect-only", "--fixtures", "--fixtures-per-test", "--markers", "--setup-plan"]
)
def test_what_runs_no_test_writes_nothing(suite, option):
    suite.makepyfile(TESTS)
    suite.runpytest_inprocess(option, *ALL)
    assert not (suite.path / "out").exists()


@pytest.mark.parametrize(
    "tests",
    [
        TESTS + "\ndef test_z():\n    raise KeyboardInterrupt\n",
        TESTS + "\ndef test_z():\n    pytest.exit('enough')\n",
        "import nothing_of_that_name\n",
    ],
    ids=["interrupted", "exit", "not collected"],
)
def test_a_run_that_did_not_end_leaves_the_files_of_before(suite, tests):
    suite.mkdir("out")
    (suite.path / "out" / "a.json").write_text("before")
    suite.makepyfile(tests)
    result = suite.runpytest_subprocess(*ALL)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert (suite.path / "out" / "a.json").read_text() == "before"
    assert written(suite) == ["a.json"]
    told = "the run did not end, so not written: out/a.json, out/a.csv"
    assert result.outlines.count(told) == 1


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_run_that_ends_at_a_failure_writes_what_it_has(suite, workers):
    suite.makepyfile(TESTS.replace("splitcheck(blocks)", "splitcheck(blocks, max_leakage=0.01)"))
    result = suite.runpytest_inprocess(*ALL, "-x", workers)
    assert "wrote out/a.json, out/a.csv" in section(result)
    assert "blocks" in names(suite.path / "out" / "a.json")


def test_a_run_without_some_tests_that_is_to_go_on_writes(suite):
    suite.makepyfile(test_a="import nothing_of_that_name\n", test_b=TESTS)
    suite.runpytest_inprocess(*ALL, "--continue-on-collection-errors")
    assert names(suite.path / "out" / "a.json") == ["blocks", "thirds"]


@pytest.mark.parametrize("options", [["-x"], ["--maxfail=1"], ["-x", "-n2"]], ids=" ".join)
def test_a_run_without_its_tests_leaves_the_files_of_before(suite, options):
    suite.mkdir("out")
    (suite.path / "out" / "a.json").write_text("before")
    suite.makepyfile(test_a="import nothing_of_that_name\n", test_b=TESTS)
    suite.runpytest_inprocess(*ALL, *options)
    assert written(suite) == ["a.json"]
    assert (suite.path / "out" / "a.json").read_text() == "before"


def test_what_cannot_be_written_is_refused_before_the_tests(suite, refusal, monkeypatch):
    suite.makepyfile(TESTS)
    suite.mkdir("folder")
    (suite.path / "file").write_text("")
    for option in ("json", "csv"):
        told = refusal(suite.runpytest_inprocess(f"--splitcheck-{option}=folder"))
        assert told == (f"--splitcheck-{option}: {suite.path / 'folder'} is a folder; name a file.")
    told = refusal(suite.runpytest_inprocess("-o", "splitcheck_json=file/below/a.json"))
    assert told.startswith("-o splitcheck_json: ")
    assert told.endswith(f"a.json cannot be written: {suite.path / 'file'} is not a folder.")
    told = refusal(suite.runpytest_inprocess("--splitcheck-json=a", "--splitcheck-csv=a"))
    assert told.startswith("--splitcheck-json and --splitcheck-csv name the same file, ")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    told = refusal(suite.runpytest_inprocess("--splitcheck-csv=new/folder/a.csv"))
    assert told.endswith(f"a.csv cannot be written: no permission to write in {suite.path}.")
    assert not (suite.path / "new").exists()


@pytest.mark.parametrize("tests", [TESTS, "def test_it(): pass"], ids=["checks", "none"])
def test_a_failure_to_write_is_told_and_fails_the_run(suite, monkeypatch, tests):
    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    suite.makepyfile(tests)
    suite.mkdir("out")
    (suite.path / "out" / "a.json").write_text("before")
    monkeypatch.setattr(os, "replace", full)
    for options in ([], ["-q"]):
        result = suite.runpytest_inprocess(*options, ALL[0])
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        assert section(result)[-1] == "cannot write out/a.json: No space left on device"
        assert "Traceback" not in result.stdout.str() + result.stderr.str()
        assert [(path.name, path.read_text()) for path in suite.path.glob("out/*")] == [
            ("a.json", "before")
        ]


def test_the_baseline_is_written_like_the_others(suite, refusal):
    suite.makepyfile(TESTS)
    suite.mkdir("folder")
    options = ["--splitcheck-update-baseline", "--splitcheck-baseline"]
    told = refusal(
        suite.runpytest_inprocess("--splitcheck-update-baseline", f"{options[1]}=folder")
    )
    assert told == "--splitcheck-baseline: cannot read folder: Is a directory."
    suite.runpytest_inprocess(options[0], f"{options[1]}=new/base.json", "--collect-only")
    assert not (suite.path / "new").exists()
    suite.runpytest_inprocess(options[0], f"{options[1]}=new/base.json")
    assert os.listdir(suite.path / "new") == ["base.json"]


def test_nothing_heavy_is_loaded_before_a_check(suite):
    suite.makepyfile(TESTS)
    suite.runpytest_inprocess("--splitcheck-baseline=base.json", "--splitcheck-update-baseline")
    suite.makeconftest("")
    suite.makepyfile(
        "import sys\ndef test_it():\n    assert not {'numpy', 'scipy', 'sklearn'} & set(sys.modules)\n"
    )
    options = ["--splitcheck-baseline=base.json", *ALL, "-p", "no:cacheprovider"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=suite.path,
        env={**os.environ, "GITHUB_ACTIONS": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed" in run.stdout, run.stdout + run.stderr
