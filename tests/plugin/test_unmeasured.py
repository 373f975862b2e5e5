"""Benchmarks that could not be measured are in every report of a run, with the reason."""

from __future__ import annotations

import json
import re

import pytest

from tests.plugin.summaries import section
from tests.report.html.pages import cells, parsed

TESTS = """
import pytest
from pytest_splitcheck import ClassSplit, InputError, evaluate

@pytest.fixture(scope="session")
def declared():
    return ClassSplit([[0.0], [1.0]], ["a", "b", "c"])

@pytest.fixture(params=["x", "y"])
def several(request):
    return ClassSplit([[0.0]] * 2, ["a"] * 2)

@pytest.fixture
def checked_early(splitcheck, mixed):
    return splitcheck(mixed, k=70)

@pytest.fixture
def named():
    rows = [[float(i)] for i in range(50)]
    return ClassSplit(rows, list("ab" * 25), name="named", representation="raw")

def test_well(splitcheck, blocks):
    splitcheck(blocks)

@pytest.mark.parametrize("round", range(2))
def test_large_k(splitcheck, named, round):
    splitcheck(named, k=60)

@pytest.mark.splitcheck("declared")
def test_declared(): pass

def test_declared_again(declared): pass

def test_several(several): pass

def test_early(checked_early): pass

def test_not_one(splitcheck):
    splitcheck([1])

def test_in_the_test():
    evaluate(ClassSplit([[0.0], [1.0]], ["a", "b"]), k=9)

@pytest.mark.splitcheck("thirds", "blocks", k=80)
def test_two(): pass

def test_refused(splitcheck, blocks):
    with pytest.raises(InputError):
        splitcheck(blocks, k=50)

def test_own_error(splitcheck, blocks):
    raise ValueError("of the author's own")
"""

EXPECTED = [
    ("blocks", "test_refused", "k = 50"),
    ("blocks", "test_two", "k = 80"),
    ("declared", "test_declared", "3 labels"),
    ("mixed", "test_early", "k = 70"),
    ("named", "test_large_k[0]", "k = 60"),
    ("several[x]", "test_several[x]", "y has one class only"),
    ("several[y]", "test_several[y]", "y has one class only"),
    ("test_in_the_test", "test_in_the_test", "folds is 5"),
    ("test_not_one", "test_not_one", "a ClassSplit is needed"),
    ("thirds", "test_two", "k = 80"),
]
"""Name, test, and a part of the reason, in order of name and reason."""


@pytest.fixture
def tests(suite):
    suite.makepyfile(test_it=TESTS)
    return suite


def of_json(path):
    return json.loads(path.read_text())["errors"]


def test_each_is_recorded_once_with_its_reason(tests):
    tests.runpytest_inprocess("--splitcheck-json=out.json").assert_outcomes(
        passed=2, failed=6, errors=5
    )
    found = of_json(tests.path / "out.json")
    told = [(one["name"], one["nodeid"].partition("::")[2]) for one in found]
    assert told == [(name, test) for name, test, _ in EXPECTED]
    for one, (_, _, reason) in zip(found, EXPECTED, strict=True):
        assert reason in one["message"], one
    assert [one["representation"] for one in found] == [*[None] * 4, "raw", *[None] * 5]


def test_workers_give_the_same(tests):
    for name in ("json", "html"):
        tests.runpytest_inprocess(f"--splitcheck-{name}=one.{name}")
        tests.runpytest_subprocess(f"--splitcheck-{name}=two.{name}", "-n2")
        one, two = ((tests.path / f"{which}.{name}").read_bytes() for which in ("one", "two"))
        assert one == two


def test_the_summary_has_a_line_for_each(tests, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    found = [line for line in section(tests.runpytest_inprocess()) if "not measured" in line]
    assert len(found) == len(EXPECTED)
    assert found[4].startswith("not measured: named (raw): k = 60 neighbours need 61 rows")
    quiet = [line for line in section(tests.runpytest_inprocess("-q")) if "not measured" in line]
    assert quiet == [line for line in found if "k = 50" not in line]


def test_the_page_has_them_in_headline_table_and_links(tests):
    tests.runpytest_inprocess("--splitcheck-html=page.html", "-k", "well or large_k")
    page = parsed((tests.path / "page.html").read_text(encoding="utf-8"))
    assert "1 well posed, 1 not measured." in page.one("header").text
    rows = [(row[0], row[1], row[-1]) for row in cells(page.all("table")[0])[1:]]
    assert rows == [("blocks", "-", "well posed"), ("named", "raw", "not measured")]
    assert [one.text for one in page.one("nav").all("a")] == [
        "blocks well posed",
        "named (raw) not measured",
    ]
    (told,) = [one for one in page.all("li") if one.has(id="unmeasured-1")]
    assert "k = 60 neighbours need 61 rows" in told.text
    assert "checked by test_it.py::test_large_k[0]" in told.text


def test_a_run_with_nothing_else_has_a_page(tests):
    tests.runpytest_inprocess("--splitcheck-html=page.html", "-k", "large_k")
    page = parsed((tests.path / "page.html").read_text(encoding="utf-8"))
    assert "1 not measured." in page.one("header").text
    assert len(cells(page.all("table")[0])) == 2


@pytest.mark.parametrize("options", [["-n0"], ["-n2"]], ids=" ".join)
def test_github_has_a_row_and_an_annotation_for_each_failure(tests, monkeypatch, options):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tests.path))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tests.path / "step.md"))
    result = tests.runpytest_inprocess("-k", "well or large_k or refused", *options)
    shown = [line for line in result.outlines if line.startswith("::")]
    (line,) = shown  # both tests are at one place
    place = "::error file=test_it.py,line=24,title=not measured::"
    assert line.startswith(f"{place}named (raw): k = 60 neighbours need 61 rows")
    rows = (tests.path / "step.md").read_text().splitlines()[4:-1]
    assert [row.split(" | ")[0] for row in rows] == ["| blocks", "| blocks", "| named (raw)"]
    assert [row.split(" | ")[-2] for row in rows] == ["well posed", *["**not measured**"] * 2]
    assert "k = 60 neighbours need 61 rows" in rows[-1]


@pytest.mark.parametrize("name", ["", "name = 'wine'\n"])
def test_a_benchmark_without_code_whose_data_is_not_there(suite, name):
    suite.maketxtfile(it="")
    (suite.path / "it.splitcheck.toml").write_text(f"{name}[data]\nfile = 'nope.npz'\n")
    result = suite.runpytest_inprocess("--splitcheck-json=out.json")
    result.assert_outcomes(failed=1)
    (found,) = of_json(suite.path / "out.json")
    assert found["name"] == ("wine" if name else "it")
    assert found["nodeid"] == "it.splitcheck.toml::it"
    assert "nope.npz" in found["message"]


def test_what_the_baseline_refuses_was_measured(suite):
    suite.makepyfile("def test_it(splitcheck, blocks):\n    splitcheck(blocks)\n")
    update = ["--splitcheck-baseline=base.json", "--splitcheck-update-baseline"]
    suite.runpytest_inprocess(*update).assert_outcomes(passed=1)
    suite.makepyfile("def test_it(splitcheck, blocks):\n    splitcheck(blocks, epsilon=0.1)\n")
    text = (suite.path / "base.json").read_text()
    (suite.path / "base.json").write_text(re.sub(r'("fingerprint": ")....', r"\g<1>0000", text))
    result = suite.runpytest_inprocess(update[0], "--splitcheck-json=out.json")
    result.assert_outcomes(failed=1)
    content = json.loads((suite.path / "out.json").read_text())
    assert [one["verdict"]["status"] for one in content["benchmarks"]] == ["undecided"]
    assert content["errors"] == []


def test_a_hostile_name_and_reason_stay_text(suite):
    suite.makepyfile(
        """
        import pytest
        from pytest_splitcheck import ClassSplit

        def test_it(splitcheck):
            rows = [[float(i)] for i in range(50)]
            split = ClassSplit(rows, list("ab" * 25), name="<script>\\x1b[31m\\n", representation="|a|")
            splitcheck(split, k=60)
        """
    )
    result = suite.runpytest_inprocess("--splitcheck-html=page.html")
    told = next(line for line in section(result) if line.startswith("not measured"))
    assert told.startswith(r"not measured: <script>\x1b[31m\n (|a|): k = 60")
    text = (suite.path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "\x1b" not in text
