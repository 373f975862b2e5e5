from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from benchmarks import simulation, split_rows, work
from benchmarks.__main__ import main
from benchmarks.data import MissingDataError
from benchmarks.harness import BenchmarkError
from benchmarks.outcome import Figure, Line, Outcome
from benchmarks.stopwatch import Seconds

LINE = Line(
    work="some work",
    ours=Seconds(1.0, 1.5),
    peer="peer",
    peer_took=Seconds(200.0, 300.0),
    figure=Figure(value=200.0, unit="x", wanted=300),
)


@pytest.fixture
def rows(monkeypatch):
    def raising(error):
        def row(short):
            raise error

        return row

    found = {
        "good": lambda short: Outcome([LINE]),
        "differs": lambda short: Outcome([LINE], complaints=["class 3 differs."]),
        "no-data": raising(MissingDataError("images not found")),
        "broken": raising(BenchmarkError("peer ended with exit code 1")),
    }
    monkeypatch.setattr(work, "ROWS", found)


def run(tmp_path, *arguments):
    return main([*arguments, "--out", str(tmp_path / "out")])


def test_equal_results_are_success_even_if_a_ratio_is_missed(rows, tmp_path, capsys):
    assert run(tmp_path, "good", "no-data") == 0
    output = capsys.readouterr().out
    assert "200 x" in output
    assert "at least 300, missed" in output
    assert "SKIPPED  no-data: images not found" in output


def test_results_that_differ_are_a_failure(rows, tmp_path, capsys):
    assert run(tmp_path, "--short") == 1
    output = capsys.readouterr().out
    assert "DIFFERS  differs: class 3 differs." in output
    assert "DIFFERS  broken: peer ended with exit code 1" in output


def test_a_wrong_peer_is_found_out_by_the_short_form(monkeypatch, tmp_path, capsys):
    options = {**split_rows.SCIKIT_LEARN.options, "k": 9}
    wrong = dataclasses.replace(split_rows.SCIKIT_LEARN, options=options)
    monkeypatch.setattr(split_rows, "SCIKIT_LEARN", wrong)
    assert run(tmp_path, "many-classes", "--short") == 1
    output = capsys.readouterr().out
    assert "auroc_knn differs from scikit-learn loop" in output
    assert "auroc_lof differs" not in output


def test_the_table_is_made_from_the_record(rows, tmp_path):
    assert run(tmp_path, "good") == 0
    record = tmp_path / "out" / "results.json"
    page = tmp_path / "table.md"
    assert json.loads(record.read_text())["environment"]["versions"]["numpy"] == np.__version__
    assert run(tmp_path, "--read", str(record), "--markdown", str(page)) == 0
    assert (
        "| good | some work | 1.00 (1.50) | peer | 200 (300) | 200 x | at least 300, missed |  |"
        in page.read_text()
    )


def test_an_unknown_row_is_a_usage_error(rows, tmp_path, capsys):
    with pytest.raises(SystemExit) as exit_:
        run(tmp_path, "goood")
    assert exit_.value.code == 2
    assert "there is no row 'goood'; choose from good" in capsys.readouterr().err


@pytest.mark.parametrize("mean", simulation.MEANS)
def test_a_population_has_its_mean_exactly(mean):
    values = simulation.population(mean, np.random.default_rng(0))
    assert values.sum() == pytest.approx(mean * len(values), abs=1e-6)
    assert 0 <= values.min() <= values.max() <= 1


def test_help_is_printed(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "fashion-60k" in capsys.readouterr().out
