"""A pytest plugin that fails tests whose class-split benchmark is ill posed.

The names are loaded when they are first used, so that loading the plugin costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_splitcheck.declare.class_split import ClassSplit
    from pytest_splitcheck.errors import (
        InputError,
        SplitcheckFailure,
        UndecidedSplitWarning,
        UnknownKeyword,
        UnrecordedSplitWarning,
    )
    from pytest_splitcheck.measure.adapters import HighIsNormal
    from pytest_splitcheck.measure.evaluate import evaluate
    from pytest_splitcheck.measure.recorded import RecordedScores
    from pytest_splitcheck.measure.results import (
        Advice,
        DetectorResult,
        Instability,
        Leakage,
        Proposal,
        Report,
    )
    from pytest_splitcheck.session.checks import SplitcheckFixture
    from pytest_splitcheck.verdict.failures import IllPosedSplit, UndecidedSplit
    from pytest_splitcheck.verdict.finding import Finding, Verdict
    from pytest_splitcheck.verdict.judge import judge
    from pytest_splitcheck.verdict.thresholds import Thresholds

__all__ = [
    "Advice",
    "ClassSplit",
    "DetectorResult",
    "Finding",
    "HighIsNormal",
    "IllPosedSplit",
    "InputError",
    "Instability",
    "Leakage",
    "Proposal",
    "RecordedScores",
    "Report",
    "SplitcheckFailure",
    "SplitcheckFixture",
    "Thresholds",
    "UndecidedSplit",
    "UndecidedSplitWarning",
    "UnknownKeyword",
    "UnrecordedSplitWarning",
    "Verdict",
    "evaluate",
    "judge",
]

_HOME = {
    "Advice": "measure.results",
    "ClassSplit": "declare.class_split",
    "DetectorResult": "measure.results",
    "Finding": "verdict.finding",
    "HighIsNormal": "measure.adapters",
    "IllPosedSplit": "verdict.failures",
    "InputError": "errors",
    "Instability": "measure.results",
    "Leakage": "measure.results",
    "Proposal": "measure.results",
    "RecordedScores": "measure.recorded",
    "Report": "measure.results",
    "SplitcheckFailure": "errors",
    "SplitcheckFixture": "session.checks",
    "Thresholds": "verdict.thresholds",
    "UndecidedSplit": "verdict.failures",
    "UndecidedSplitWarning": "errors",
    "UnknownKeyword": "errors",
    "UnrecordedSplitWarning": "errors",
    "Verdict": "verdict.finding",
    "evaluate": "measure.evaluate",
    "judge": "verdict.judge",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        module = importlib.import_module(f"{__name__}.{_HOME[name]}")
        globals()[name] = value = getattr(module, name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
