"""The interval of an AUROC holds it as often as it says, in a short form of the simulation."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.__main__ import main

RUNS = 400
CHANCE = 3.5 * np.sqrt(0.95 * 0.05 / RUNS)


@pytest.mark.parametrize("scores", coverage.SCORES, ids=lambda scores: scores.name)
@pytest.mark.parametrize("positives", coverage.POSITIVES)
def test_it_is_never_too_narrow(scores, positives):
    for auroc in coverage.AUROCS:
        found = coverage.simulate(scores, auroc, positives, 200, RUNS)
        assert found.coverage > 0.93 - CHANCE


@pytest.mark.parametrize("scores", coverage.SCORES, ids=lambda scores: scores.name)
@pytest.mark.parametrize("auroc", [0.5, 0.6, 0.7, 0.8])
def test_with_a_hundred_positives_it_is_not_too_wide_either(scores, auroc):
    found = coverage.simulate(scores, auroc, 100, 200, RUNS)
    assert found.coverage < 0.97 + CHANCE
    assert found.width < 0.25


@pytest.mark.parametrize("auroc", [0.5, 0.7, 0.9])
def test_newcombes_own_variance_is_too_small_for_wide_anomalies(auroc, monkeypatch):
    """His interval holds an AUROC that is at most 1.96 of its own standard deviations off."""
    wide = next(scores for scores in coverage.SCORES if "wide" in scores.name)

    def newcombe(compared):
        above, pairs, m, n = compared[:, 0, 0, :4].T
        slope = (1 - auroc) / (2 - auroc) + auroc / (1 + auroc)
        variance = auroc * (1 - auroc) * (1 + ((m + n) / 2 - 1) * slope) / (m * n)
        holds = np.abs(above / pairs - auroc) <= 1.96 * np.sqrt(variance)
        return np.where(holds[:, None], [0, 1], 2)

    monkeypatch.setattr(coverage, "auroc_intervals", newcombe)
    assert coverage.simulate(wide, auroc, 20, 200, RUNS).coverage < 0.9


def test_a_simulation_is_the_same_at_every_call():
    assert len({coverage.simulate(coverage.SCORES[0], 0.7, 20, 200, 50) for _ in range(2)}) == 1


def test_the_scores_have_the_auroc_that_is_asked_for():
    rng = np.random.default_rng(0)
    for scores in coverage.SCORES:
        for auroc in (0.5, 0.8, 0.95):
            drawn = scores.model(auroc, rng, (200, 1000))
            assert drawn.mean() == pytest.approx(auroc, abs=0.005)


def test_the_command_prints_a_table(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(coverage, "POSITIVES", (5,))
    monkeypatch.setattr(coverage, "NEGATIVES", (200,))
    assert main(["coverage", "--short", "--out", str(tmp_path)]) == 0
    output = capsys.readouterr().out
    head, *lines = output.splitlines()
    assert head.split()[:3] == ["positives", "negatives", "scores"]
    assert "normal, anomalies wide (3)" in lines[3]
    assert "0 cells are too low" in output


def test_intervals_that_are_too_narrow_are_a_failure(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(coverage, "POSITIVES", (5,))
    monkeypatch.setattr(coverage, "NEGATIVES", (200,))
    intervals = coverage.auroc_intervals

    def narrow(compared):
        found = intervals(compared)
        return found.mean(axis=1, keepdims=True) + (found - found.mean(axis=1, keepdims=True)) / 3

    monkeypatch.setattr(coverage, "auroc_intervals", narrow)
    assert main(["coverage", "--short", "--out", str(tmp_path)]) == 1


def test_it_is_asked_for_alone(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["coverage", "digits", "--out", str(tmp_path)])
    assert "coverage is no row of the table; ask for it alone" in capsys.readouterr().err
