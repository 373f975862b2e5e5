"""What a benchmark that does not pass raises."""

from __future__ import annotations

from pytest_splitcheck.errors import SplitcheckFailure
from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.verdict.finding import Verdict

__all__ = ["IllPosedSplit", "UndecidedSplit", "failure"]


class _Judged(SplitcheckFailure):
    """A failure with what led to it.

    Attributes
    ----------
    report : Report
        What was measured.
    verdict : Verdict
        What was concluded, with one finding per reason.
    """

    def __init__(self, message: str, report: Report, verdict: Verdict) -> None:
        super().__init__(message)
        self.report = report
        self.verdict = verdict

    def __reduce__(self) -> tuple[type[_Judged], tuple[str, Report, Verdict]]:
        return type(self), (str(self), self.report, self.verdict)


class IllPosedSplit(_Judged):
    """A class-split benchmark exceeds a limit on leakage or direction instability.

    Its ``report`` tells what was measured, its ``verdict`` why that will not do.
    """

    __module__ = "pytest_splitcheck"


class UndecidedSplit(_Judged):
    """A class-split benchmark has too little data, or too little in its scores, for a verdict.

    Its ``report`` tells what was measured, its ``verdict`` what is missing.
    """

    __module__ = "pytest_splitcheck"


def failure(message: str, report: Report, verdict: Verdict) -> SplitcheckFailure:
    """Return the exception for a verdict other than well posed."""
    kind = IllPosedSplit if verdict.status == "ill posed" else UndecidedSplit
    return kind(message, report, verdict)
