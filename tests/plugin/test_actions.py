"""GitHub Actions: the step's summary and the annotations of real runs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plugin.summaries import section

TESTS = """
import pytest
from pytest_splitcheck import IllPosedSplit

def test_well(splitcheck, blocks):
    splitcheck(blocks)

@pytest.mark.parametrize("round", range(2))
def test_ill(splitcheck, mixed, round):
    splitcheck(mixed)

@pytest.mark.xfail(raises=IllPosedSplit, strict=True)
def test_expected(splitcheck, mixed):
    splitcheck(mixed, max_leakage=0.1)

def test_undecided(splitcheck, scarce, coordinate):
    splitcheck(scarce, detectors=coordinate)
"""

COMMANDS = [
    "::error file=repo/test_a.py,line=7,title=ill posed%3A max_leakage::"
    "mixed: L_10 = 0.588 > 0.5 (set by default)",
    "::error file=repo/test_a.py,line=15,title=undecided%3A max_rho_dir::"
    "scarce: rho_dir = 0.500 > 0.2 (set by default)",
    "::error file=repo/test_a.py,line=15,title=undecided%3A min_positives::"
    "scarce: 1 of 2 held-out classes have fewer than 20 rows (set by default)",
]


@pytest.fixture
def actions(suite, monkeypatch):
    """A suite in the folder "repo" of a workspace, on GitHub."""
    suite.makepyfile(test_a=TESTS)
    repo = suite.mkdir("repo")
    for name in ("conftest.py", "pytest.ini", "test_a.py"):
        (suite.path / name).rename(repo / name)
    monkeypatch.chdir(repo)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(suite.path))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(suite.path / "step.md"))
    (suite.path / "step.md").write_text("before\n")
    return suite


def shown(result):
    return [line for line in result.outlines if line.startswith("::")]


@pytest.mark.parametrize("options", [["-n0"], ["-n2"], ["-q"]], ids=" ".join)
def test_a_table_and_a_command_for_each_reason(actions, options):
    result = actions.runpytest_inprocess(*options)
    result.assert_outcomes(passed=1, failed=3, xfailed=1)
    assert shown(result) == COMMANDS
    lines = (actions.path / "step.md").read_text().splitlines()
    assert lines[:2] == ["before", "### splitcheck"]
    rows = [line.split(" | ") for line in lines[5:-1]]
    assert [(row[0], row[-2]) for row in rows] == [
        ("| blocks", "well posed"),
        ("| mixed", "**ill posed**"),
        ("| scarce", "**undecided**"),
    ]
    assert lines[-1] == ""


@pytest.mark.parametrize("options", [["-n0"], ["-n2"]], ids=" ".join)
def test_a_benchmark_without_code_is_shown_where_its_limit_is_set(actions, options):
    repo = actions.path / "repo"
    (repo / "test_a.py").unlink()
    np.savez(repo / "mixed.npz", X=np.arange(50.0)[:, None], y=["a", "b"] * 25)
    text = "folds = 2\nname = 'it'\n[data]\nfile = 'mixed.npz'\n"
    limits = "[options]\ndetectors = ['knn']\n[thresholds]\nmax_rho_dir = 1\n\n{}min_auroc = 1\n"
    for name, more in {"one": "", "other": "max_leakage = 0.25\n"}.items():
        (repo / f"{name}.splitcheck.toml").write_text(text + limits.format(more))
    found = [line.partition("::it: ")[0] for line in shown(actions.runpytest_inprocess(*options))]
    assert found == [
        "::error file=repo/one.splitcheck.toml,line=2,title=ill posed%3A max_leakage",
        "::error file=repo/one.splitcheck.toml,line=10,title=ill posed%3A min_auroc",
        "::error file=repo/other.splitcheck.toml,line=10,title=ill posed%3A max_leakage",
        "::error file=repo/other.splitcheck.toml,line=11,title=ill posed%3A min_auroc",
    ]


def test_elsewhere_there_is_nothing(actions, monkeypatch):
    for value in (None, "false"):
        if value is None:
            monkeypatch.delenv("GITHUB_ACTIONS")
        else:
            monkeypatch.setenv("GITHUB_ACTIONS", value)
        result = actions.runpytest_inprocess("-k", "test_ill")
        result.assert_outcomes(failed=2)
        assert shown(result) == []
        assert (actions.path / "step.md").read_text() == "before\n"


def test_without_a_workspace_files_count_from_the_rootdir(actions, monkeypatch):
    monkeypatch.delenv("GITHUB_WORKSPACE")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    result = actions.runpytest_inprocess("-k", "test_ill")
    assert shown(result) == [COMMANDS[0].replace("repo/", "")]
    assert section(result)[2:] == shown(result)


def test_a_place_counts_from_the_workspace_wherever_pytest_is_called(actions, monkeypatch):
    monkeypatch.chdir(actions.path.parent)
    repo = actions.path / "repo"
    result = actions.runpytest_inprocess(repo, f"--rootdir={repo}", "-k", "test_ill")
    assert shown(result) == [COMMANDS[0]]


def test_where_nothing_is_checked_nothing_is_said(actions):
    result = actions.runpytest_inprocess("-k", "nothing")
    assert shown(result) == []
    actions.runpytest_inprocess("--collect-only")
    assert (actions.path / "step.md").read_text() == "before\n"


def test_a_table_that_cannot_be_written_is_told_and_no_more(actions, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(actions.path))
    result = actions.runpytest_inprocess("-k", "test_well")
    assert result.ret == pytest.ExitCode.OK
    told = " ".join(line.strip() for line in section(result)[2:])
    assert told.startswith("cannot write the step summary ")
    assert told.endswith("Is a directory")
