"""The HTML page of a run."""

from __future__ import annotations

import sys

import pytest

from tests.report.html.pages import cells, parsed

TESTS = """
import pytest

def test_blocks(splitcheck, blocks):
    splitcheck(blocks)

def test_mixed(splitcheck, mixed):
    splitcheck(mixed)

@pytest.mark.splitcheck("blocks")
def test_blocks_again():
    pass
"""


@pytest.fixture
def tests(suite):
    suite.makepyfile(TESTS)
    return suite


def benchmarks(path):
    """The first table of a page: name and verdict of each benchmark."""
    table = parsed(path.read_text(encoding="utf-8")).all("table")[0]
    return [(row[0], row[-1]) for row in cells(table)[1:]]


def test_it_has_every_benchmark_once(tests):
    result = tests.runpytest_inprocess("--splitcheck-html=out/page.html")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["wrote out/page.html"])
    assert benchmarks(tests.path / "out" / "page.html") == [
        ("blocks", "well posed"),
        ("mixed", "ill posed max_leakage"),
    ]


def test_workers_give_the_same_bytes(tests):
    tests.runpytest_inprocess("--splitcheck-html=one.html")
    tests.runpytest_subprocess("--splitcheck-html=two.html", "-n2")
    assert (tests.path / "one.html").read_bytes() == (tests.path / "two.html").read_bytes()


def test_the_ini_file_names_it_too(tests):
    tests.makefile(
        ".ini", pytest="[pytest]\nsplitcheck_detectors =\nsplitcheck_html = report/page.html\n"
    )
    tests.runpytest_inprocess("-k", "again")
    assert benchmarks(tests.path / "report/page.html") == [("blocks", "well posed")]


def test_a_run_without_checks_replaces_the_page_of_another(tests):
    (tests.path / "page.html").write_text("old")
    tests.makepyfile("def test_nothing(): pass")
    tests.runpytest_inprocess("--splitcheck-html=page.html")
    assert "No benchmark was checked" in (tests.path / "page.html").read_text()


def test_it_tells_no_place_on_the_machine(tests):
    tests.runpytest_inprocess("--splitcheck-html=page.html")
    assert str(tests.path) not in (tests.path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_without_what_it_needs_the_run_does_not_start(tests, package, refusal, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    told = refusal(tests.runpytest_inprocess("--splitcheck-html=page.html"))
    assert told.startswith("--splitcheck-html: ")
    assert f"cannot be written without {package}; run" in told
    assert 'python -m pip install "pytest-splitcheck[html]"' in told
    assert not (tests.path / "page.html").exists()


def test_without_what_it_needs_a_run_that_does_not_ask_for_it_goes_on(tests, monkeypatch):
    for package in ("jinja2", "matplotlib"):
        monkeypatch.setitem(sys.modules, package, None)
    tests.runpytest_inprocess().assert_outcomes(passed=2, failed=1)
