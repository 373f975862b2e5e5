from __future__ import annotations

import numpy as np
import pytest

from benchmarks import attribution
from benchmarks.__main__ import main
from benchmarks.data import MissingDataError
from tests.builders import clusters, report


def test_the_short_form_prints_a_table_of_digits(tmp_path, capsys):
    assert main(["attribution", "--short", "--out", str(tmp_path)]) == 0
    head, rule, digits = capsys.readouterr().out.splitlines()
    assert head.count("|") == rule.count("|") == digits.count("|")
    cells = [cell.strip() for cell in digits.strip("|").split("|")]
    assert cells[:3] == ["digits", "898", "10"]
    assert cells[4:6] == ["0.00", "0.00"]
    assert cells[7] == "10 of 10"


def test_it_is_asked_for_alone(capsys):
    with pytest.raises(SystemExit):
        main(["attribution", "digits"])
    assert "ask for it alone" in capsys.readouterr().err


def test_data_that_is_missing_is_named_and_the_rest_goes_on(tmp_path, monkeypatch, capsys):
    def missing():
        raise MissingDataError("no such files")

    def blobs():
        X, y = clusters([[0, 0], [9, 0]], 60)
        return {"X": X, "y": y}

    monkeypatch.setattr(attribution, "SETS", {"away": missing, "blobs": blobs})
    monkeypatch.setattr(attribution, "SEEDS", (0,))
    assert attribution.main(tmp_path, short=False) == 0
    told = capsys.readouterr()
    assert "SKIPPED  away: no such files" in told.err
    assert told.out.splitlines()[2].startswith("| blobs | 60 | 2 |")


def test_halves_are_disjoint_and_hold_as_much_of_each_class(monkeypatch):
    monkeypatch.setattr(attribution, "MOST_ROWS", 100)
    X, y = np.arange(300.0)[:, None], np.arange(300) % 3
    evaluated, labels, (pool, pool_labels) = attribution.halves(X, y)
    assert len(evaluated) == len(pool) == 50
    assert not set(evaluated.ravel()) & set(pool.ravel())
    assert np.abs(np.bincount(labels) - np.bincount(pool_labels)).max() <= 1


def test_a_row_of_the_table():
    found = report(
        {
            "knn": {"a": 0.9, "b": 0.6, "c": 0.4},
            "iforest": {"a": 0.3, "b": 0.2, "c": 0.5},
        },
        geometry={"a": 0.8, "b": 0.45, "c": 0.3},
    )
    assert attribution.row(found) == (
        "bench", "90", "3", "0.15", "0.67", "0.33", "0.33", "2 of 3", "0.150", "2", "1", "0",
    )  # fmt: skip
