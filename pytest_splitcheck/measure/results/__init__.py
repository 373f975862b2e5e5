"""What a measurement returns: frozen, plain, serialisable."""

from pytest_splitcheck.measure.results.advice import Advice, LeakingRow, Proposal
from pytest_splitcheck.measure.results.detectors import DetectorResult, Instability
from pytest_splitcheck.measure.results.integrity import (
    Conflicts,
    Dominance,
    Integrity,
    Piles,
    SharedRows,
)
from pytest_splitcheck.measure.results.leakage import Leakage
from pytest_splitcheck.measure.results.names import class_names
from pytest_splitcheck.measure.results.report import Fault, Report

__all__ = [
    "Advice",
    "Conflicts",
    "DetectorResult",
    "Dominance",
    "Fault",
    "Instability",
    "Integrity",
    "Leakage",
    "LeakingRow",
    "Piles",
    "Proposal",
    "Report",
    "SharedRows",
    "class_names",
]
