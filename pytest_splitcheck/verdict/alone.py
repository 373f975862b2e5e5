"""Detectors that exceed a limit by themselves, where the mean over detectors keeps it."""

from __future__ import annotations

from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.verdict.finding import exceeds, plain
from pytest_splitcheck.verdict.thresholds import Thresholds

__all__ = ["hidden_by_the_mean"]

_RATES = ("rho_dir", "rho_inv", "rho_rnd")


def hidden_by_the_mean(report: Report, limits: Thresholds) -> tuple[str, ...]:
    """Return a note for each rate whose mean keeps its limit while some detector does not."""
    rates, notes = report.instability, []
    for rate in _RATES if rates else ():
        mean, bound = getattr(rates, rate), getattr(limits, f"max_{rate}")
        if bound is None or exceeds(mean, bound):
            continue
        alone = [
            f"{name} {value:.2f}"
            for name, result in report.detectors.items()
            if exceeds(value := getattr(result, rate), bound)
        ]
        if alone:
            notes.append(
                f"{rate} {mean:.2f} is the mean of {len(report.detectors)} detectors; over its limit of "
                f"{plain(bound)} alone: {', '.join(alone)}"
            )
    return tuple(notes)
