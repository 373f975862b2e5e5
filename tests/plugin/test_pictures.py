"""What a page draws is put into the records, where a page is asked for."""

from __future__ import annotations

import json

import pytest

KEEPS_RECORDS = """
import json


def pytest_runtest_logreport(report):
    for entry in getattr(report, "splitcheck_entries", []):
        with open("records", "a") as file:
            file.write(json.dumps(entry) + "\\n")
"""


@pytest.fixture
def records(suite):
    """Run a check of `blocks` and give its record."""

    def run(*args, text="def test_it(splitcheck, blocks):\n    splitcheck(blocks)\n"):
        conftest = suite.path / "conftest.py"
        conftest.write_text(conftest.read_text() + KEEPS_RECORDS)
        suite.makepyfile(text)
        suite.runpytest_subprocess(*args)
        return [json.loads(line) for line in (suite.path / "records").read_text().splitlines()]

    return run


def test_without_a_page_there_are_none(records):
    (record,) = records()
    assert record["pictures"] is None


def test_with_a_page_they_are_in_the_record(records):
    (record,) = records("--splitcheck-html=page.html", "--splitcheck-detectors=knn")
    assert record["pictures"]["embedding"]["kind"] == "pca"
    assert len(record["pictures"]["embedding"]["rows"]) == 50
    assert record["pictures"]["scores"]["detector"] == "knn"
    assert record["pictures"]["thumbnails"] is None


def test_they_cross_the_borders_of_processes(records):
    of_worker, of_controller = records("--splitcheck-html=page.html", "-n1")
    assert len(of_controller["pictures"]["embedding"]["points"]) == 50
    assert of_controller == of_worker


def test_the_embedding_is_chosen(records):
    (record,) = records("--splitcheck-html=page.html", "--splitcheck-embedding=tsne")
    assert record["pictures"]["embedding"]["kind"] == "tsne"


def test_a_test_that_fails_has_them_too(records):
    (record,) = records(
        "--splitcheck-html=page.html",
        text="def test_it(splitcheck, mixed):\n    splitcheck(mixed)\n",
    )
    assert record["verdict"]["status"] == "ill posed"
    assert any(record["pictures"]["embedding"]["leaking"])


def test_rows_that_many_tests_check_are_embedded_once(records):
    counted = """
        from pytest_splitcheck.measure import pictures

        embed = pictures.embed
        calls = []
        pictures.embed = lambda *args: calls.append(args) or embed(*args)

        def test_one(splitcheck, blocks):
            splitcheck(blocks)

        def test_other(splitcheck, blocks):
            splitcheck(blocks, max_leakage=0.4)
            assert len(calls) == 1
    """
    first, second = records("--splitcheck-html=page.html", "-p", "no:randomly", text=counted)
    assert first["pictures"] == second["pictures"]
