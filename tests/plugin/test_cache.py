"""Measurements are kept from one run of pytest to the next, and change no figure and no byte."""

from __future__ import annotations

import pytest

from tests.cache.shelves import counted_work

TESTS = """
import numpy as np
import pytest
from sklearn.ensemble import IsolationForest

from pytest_splitcheck import ClassSplit


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 4
    return ClassSplit(rng.normal(size=(120, 3)) + 1.5 * y[:, None] % 3, y, name="rows")


@pytest.mark.splitcheck("rows", sampling="always")
def test_sampled(): pass


@pytest.mark.splitcheck("rows", k=(3, 7), sampling="never")
def test_several(): pass


def test_theirs(splitcheck, rows):
    theirs = {"forest": IsolationForest(n_estimators=5)}
    splitcheck(rows, detectors=theirs, max_leakage=None, max_rho_dir=None)
"""

KEPT = ".pytest_cache/d/splitcheck"


@pytest.fixture
def repository(bare):
    bare.makepyfile(TESTS)
    return bare


def run(suite, *args):
    with counted_work() as work:
        result = suite.runpytest_inprocess("--splitcheck-json=out.json", *args)
    result.assert_outcomes(passed=1, failed=2)
    return work, (suite.path / "out.json").read_bytes()


def files(suite, folder=KEPT):
    place = suite.path / folder
    return sorted(path.name for path in place.iterdir()) if place.is_dir() else []


def test_a_second_run_searches_and_fits_nothing(repository):
    """Proposals of other splits, which the failing tests are told, included."""
    first, told = run(repository)
    assert first["searches"]
    assert first["forests"]
    assert first["fits"]
    second, again = run(repository)
    assert not second
    assert again == told
    without, anew = run(repository, "--splitcheck-no-cache")
    assert without == first
    assert anew == told


IMAGES = """
import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from pytest_splitcheck import ClassSplit


@pytest.mark.parametrize("representation", [None, StandardScaler()], ids=str)
def test_images(splitcheck, representation):
    y = np.arange(80) % 4
    X = np.random.default_rng(0).normal(size=(80, 5, 4)) + y[:, None, None] % 3
    splitcheck(ClassSplit(X, y, name="images", representation=representation), detectors=["knn"])
"""


@pytest.mark.parametrize("embedding", ["pca", "tsne"])
def test_a_second_run_draws_its_page_from_what_is_kept(bare, embedding):
    bare.makepyfile(IMAGES)
    options = ["--splitcheck-html=page.html", f"--splitcheck-embedding={embedding}"]

    def page(*more):
        with counted_work() as work:
            bare.runpytest_inprocess(*options, *more).assert_outcomes(failed=2)
        return work, (bare.path / "page.html").read_bytes()

    first, told = page()
    assert told.count(b"Rows that leak most") == 2
    assert (first["embeddings"], first["evaluation sets"]) == (2, 2)
    second, again = page()
    assert not second
    assert again == told
    assert page("--splitcheck-no-cache")[0] == first


@pytest.mark.parametrize("args", [["--splitcheck-no-cache"], ["-p", "no:cacheprovider"]])
def test_without_a_cache_nothing_is_written_or_read(repository, args):
    first, _ = run(repository, *args)
    assert not files(repository)
    run(repository)
    assert files(repository)
    assert run(repository, *args)[0] == first


def test_it_is_in_the_directory_that_pytest_has_for_it(repository):
    run(repository, "-o", "cache_dir=elsewhere")
    assert not files(repository)
    assert files(repository, "elsewhere/d/splitcheck")


def test_it_is_cleared_with_the_rest(repository):
    first, _ = run(repository)
    assert run(repository, "--cache-clear")[0] == first


@pytest.mark.parametrize("args", [["--collect-only"], ["-k", "absent"], ["--fixtures"]])
def test_nothing_is_made_where_nothing_is_checked(repository, args):
    repository.runpytest_inprocess(*args)
    assert not (repository.path / KEPT).exists()


def test_files_that_are_damaged_are_measured_anew(repository):
    _, told = run(repository)
    for number, path in enumerate(sorted((repository.path / KEPT).iterdir())):
        data = path.read_bytes()
        path.write_bytes([b"", data[:-1], data[: len(data) // 2], b"x" * 1000][number % 4])
    assert run(repository)[1] == told
    assert not run(repository)[0]


def test_a_place_that_cannot_be_used_is_no_reason_to_speak(repository):
    (repository.path / ".pytest_cache" / "d").mkdir(parents=True)
    (repository.path / KEPT).write_text("a file")
    result = repository.runpytest_inprocess("-W", "error")
    result.assert_outcomes(passed=1, failed=2)
    assert "ache" not in result.stdout.str().replace("cachedir", "")


def test_data_and_the_authors_code_may_change(suite):
    source = """
        from conftest import on_a_line

        class Mine:
            def fit(self, X): pass
            def score(self, X): return {sign} * X[:, 0]

        def test_it(splitcheck):
            split = on_a_line("{labels}")
            report = splitcheck(split, detectors={{"it": Mine()}}, max_leakage=None, max_rho_dir=None)
            print(f"AUC {{report.detectors['it'].auroc}} L {{report.leakage.value:.4f}}")
    """

    def told(**values):
        suite.makepyfile(source.format(**values))
        with counted_work() as work:
            result = suite.runpytest_inprocess("-s")
        result.assert_outcomes(passed=1)
        return work, [line for line in result.outlines if "AUC" in line]

    ordered = "a" * 25 + "b" * 25
    first, before = told(sign="+1", labels=ordered)
    second, again = told(sign="+1", labels=ordered)
    assert again == before
    assert (second["searches"], second["fits"]) == (0, first["fits"])
    assert told(sign="-1", labels=ordered)[1] != before
    assert told(sign="+1", labels="ab" * 25)[0]["searches"]


def test_workers_share_it(repository):
    def workers():
        result = repository.runpytest_inprocess("-n2", "--splitcheck-json=out.json")
        result.assert_outcomes(passed=1, failed=2)
        return (repository.path / "out.json").read_bytes()

    told = workers()
    kept = files(repository)
    assert kept
    assert workers() == told
    assert files(repository) == kept
    work, alone = run(repository)
    assert not work
    assert alone == told
