"""The gate: measure a benchmark once, judge it, record it, and refuse it if it is ill posed."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from pytest_splitcheck.cache.identity import identify
from pytest_splitcheck.cache.store import Store
from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError, UndecidedSplitWarning
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.advice import advise, glance, is_quick
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.leakage import chance
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.report.failure import failure_message
from pytest_splitcheck.report.record import record
from pytest_splitcheck.verdict.failures import failure
from pytest_splitcheck.verdict.judge import judge
from pytest_splitcheck.verdict.policy import Policy
from pytest_splitcheck.verdict.thresholds import Thresholds

__all__ = ["Gate", "Passage"]


class Passage:
    """One benchmark at the gate.

    Parameters
    ----------
    report : Report
    thresholds : Thresholds
    name : str
        What the benchmark is called if it has no name of its own.
    measures : bool
        Whether to measure what to propose in the place of a split that exceeds a limit.

    Attributes
    ----------
    report : Report
    entry : dict
        The record, plain data.
    """

    def __init__(self, report: Report, thresholds: Thresholds, name: str, measures: bool) -> None:
        self.report = report
        self.verdict = judge(report, thresholds)
        advice = None
        if any((one.kind, one.status) == ("limit", "ill posed") for one in self.verdict.findings):
            advice = glance(report)
            if measures and report.source is not None:
                advice = advise(
                    report,
                    report.source,
                    lambda other: judge(other, thresholds).status == "well posed",
                )
        self.entry = record(report, self.verdict, name, advice)

    def refuse(self, policy: Policy, width: int, warn: Callable[[Warning], object]) -> None:
        """Raise unless the verdict is well posed; if undecided, do what the policy says.

        Parameters
        ----------
        policy : Policy
        width : int
            Cells of a line of the message.
        warn : callable
            Issues a warning; a filter may have it raised.

        Raises
        ------
        IllPosedSplit, UndecidedSplit, UndecidedSplitWarning
        """
        status = self.verdict.status
        response = policy.undecided if status == "undecided" else "fail"
        if status == "well posed" or response == "pass":
            return
        message = failure_message(self.entry, width)
        if response == "fail":
            raise failure(message, self.report, self.verdict)
        try:
            warn(UndecidedSplitWarning(message.partition("\n")[0]))
        except UndecidedSplitWarning as error:  # without the frames of who issued it
            raise error.with_traceback(None) from None


class Gate:
    """Remembers what was measured, so that a benchmark used by many tests is measured once.

    Parameters
    ----------
    store : Store, optional
        Keeps it beyond the session too.
    """

    def __init__(self, store: Store | None = None) -> None:
        self._store = store
        self._memory: dict[Hashable, Memory] = {}

    def check(
        self, benchmark: ClassSplit, protocol: Protocol, thresholds: Thresholds, name: str
    ) -> Passage:
        """Measure and judge `benchmark`.

        Parameters
        ----------
        benchmark : ClassSplit
        protocol : Protocol
        thresholds : Thresholds
        name : str
            What it is called if it has no name of its own.
        """
        if not isinstance(benchmark, ClassSplit):
            raise InputError(
                f"{name} is a {type(benchmark).__name__}, not a ClassSplit; "
                "declare the benchmark as ClassSplit(X, y, ...)."
            )
        report = self._measure(benchmark, protocol, thresholds)
        asked = protocol.advice == "always"
        measures = asked or (protocol.advice == "auto" and is_quick(benchmark, protocol))
        return Passage(report, thresholds, name, measures)

    def _measure(self, benchmark: ClassSplit, protocol: Protocol, thresholds: Thresholds) -> Report:
        key = (benchmark.fingerprint, identify(benchmark.transformer))
        if key not in self._memory:
            shelf = None if self._store is None else self._store.shelf(benchmark, *key)
            self._memory[key] = Memory(shelf)
        return measure(
            benchmark,
            protocol,
            self._memory[key],
            identify,
            thresholds.of_leakage(chance(benchmark.counts)),
            geometry=thresholds.max_rho_dir_geo is not None,
            again=lambda other, by: self._measure(other, by, thresholds),
        )
