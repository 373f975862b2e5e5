from __future__ import annotations

import pytest

from pytest_splitcheck.run_options import RunOptions

SHOW = """
from pytest_splitcheck.plugin import _SETTINGS

def pytest_report_header(config):
    run = config.stash[_SETTINGS].run_options()
    return [f"{name}: {getattr(run, name)}" for name in ("html", "json", "cache", "baseline_tolerance")]
"""


def test_by_default_nothing_is_written(bare):
    bare.makeconftest(SHOW)
    bare.runpytest_inprocess().stdout.fnmatch_lines(
        ["html: None", "json: None", "cache: True", "baseline_tolerance: 0.01"]
    )


def test_paths_of_the_ini_file_count_from_the_rootdir_and_flags_from_here(bare, monkeypatch):
    bare.makeconftest(SHOW)
    bare.makeini("[pytest]\nsplitcheck_html = out/page.html\nsplitcheck_json = out.json\n")
    below = bare.mkdir("below")
    monkeypatch.chdir(below)
    result = bare.runpytest_inprocess("--splitcheck-json=mine.json", "--splitcheck-no-cache")
    result.stdout.fnmatch_lines(
        [f"html: {bare.path / 'out' / 'page.html'}", f"json: {below / 'mine.json'}", "cache: False"]
    )


def test_an_empty_path_writes_nothing(bare):
    bare.makeconftest(SHOW)
    bare.makeini("[pytest]\nsplitcheck_html = out.html\n")
    bare.runpytest_inprocess("--splitcheck-html=").stdout.fnmatch_lines(["html: None"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["--splitcheck-update-baseline"],
            "*--splitcheck-update-baseline: there is no baseline to *",
        ),
        (
            ["--splitcheck-embedding=umap"],
            "*--splitcheck-embedding: embedding must be one of pca, tsne*",
        ),
        (
            ["--splitcheck-baseline-tolerance=2"],
            "*baseline_tolerance must be from 0 to 1; got 2.0.*",
        ),
        (["-o", "splitcheck_html=true"], "*splitcheck_html: html must be a path; got true.*"),
        (["-o", "splitcheck_update_baseline=true"], "*no ini key splitcheck_update_baseline;*"),
    ],
)
def test_what_cannot_be_is_a_usage_error(bare, arguments, told):
    result = bare.runpytest_inprocess(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([told])


def test_no_keyword_of_a_call_and_none_of_the_marker(suite):
    suite.makepyfile("def test_it(splitcheck, blocks):\n    splitcheck(blocks, html='out.html')\n")
    result = suite.runpytest_inprocess()
    result.stdout.fnmatch_lines(["*UnknownKeyword: splitcheck has no keyword html;*"])
    suite.makepyfile("import pytest\n@pytest.mark.splitcheck(cache=False)\ndef test_it(): pass\n")
    result = suite.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_a_record_tells_its_test_and_its_options(suite):
    suite.makeconftest(
        (suite.path / "conftest.py").read_text()
        + """
def pytest_runtest_logreport(report):
    for entry in getattr(report, "splitcheck_entries", []):
        print("told", entry["nodeid"], entry["options"]["max_leakage"], entry["options"]["k"])
"""
    )
    suite.makepyfile(test_a="def test_it(splitcheck, blocks):\n    splitcheck(blocks, k=3)\n")
    suite.runpytest_inprocess("--splitcheck-max-leakage=0.4", "-s").stdout.fnmatch_lines(
        [
            "*told test_a.py::test_it {'value': 0.4, 'source': '--splitcheck-max-leakage'} "
            "{'value': 3, 'source': 'k= in the call'}"
        ]
    )


def test_a_tolerance_is_a_number():
    with pytest.raises(Exception, match="baseline_tolerance must be a number"):
        RunOptions(baseline_tolerance=True)
