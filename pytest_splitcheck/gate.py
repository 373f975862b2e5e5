"""The gate: measure a benchmark once, judge it, record it, and refuse it if it is ill posed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable

from pytest_splitcheck.cache.identity import identify
from pytest_splitcheck.cache.store import Store
from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError, UndecidedSplitWarning, UnrecordedSplitWarning
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.advice import advise, glance, is_quick
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.leakage import chance
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.pictures import pictures
from pytest_splitcheck.measure.protocol import Embedding, Protocol
from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.measure.workers import Progress
from pytest_splitcheck.report.baseline import REFUSED, Baseline
from pytest_splitcheck.report.failure import failure_message
from pytest_splitcheck.report.record import record
from pytest_splitcheck.report.text import escape
from pytest_splitcheck.verdict.failures import failure
from pytest_splitcheck.verdict.faults import detectors_alone
from pytest_splitcheck.verdict.finding import also
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
    baseline : Baseline or None
        Recorded figures, than which those of the report must not be worse.

    Attributes
    ----------
    report : Report
    entry : dict
        The record, plain data.
    """

    def __init__(
        self,
        report: Report,
        thresholds: Thresholds,
        name: str,
        measures: bool,
        baseline: Baseline | None = None,
    ) -> None:
        self.report = report
        self.verdict = judge(report, thresholds)
        said = report.to_dict()
        self._unrecorded = ""
        if baseline is not None:
            entry = {"name": report.name or name, "report": said}
            self.verdict = also(self.verdict, baseline.findings(entry))
            self._unrecorded = baseline.unrecorded(entry)
        advice = None
        broken = [one for one in self.verdict.findings if one.status == "ill posed"]
        if any(one.kind == "limit" for one in broken):
            advice = glance(report)
            # No other split mends a detector.
            measures = measures and not detectors_alone(one.fault for one in broken)
            if measures and report.source is not None:
                advice = advise(
                    report,
                    report.source,
                    lambda other: judge(other, thresholds).status == "well posed",
                )
        self.entry = record(report, self.verdict, name, advice, said)

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
        InputError
            If the baseline refuses it.
        IllPosedSplit, UndecidedSplit, UndecidedSplitWarning, UnrecordedSplitWarning
        """
        for finding in self.verdict.findings:
            if finding.kind == REFUSED:  # no verdict, but recorded as what is not known
                raise InputError(finding.message)
        status = self.verdict.status
        response = policy.undecided if status == "undecided" else "fail"
        if status != "well posed" and response != "pass":
            message = failure_message(self.entry, width)
            if response == "fail":
                raise failure(message, self.report, self.verdict)
            remedies = [one.remedy for one in self.verdict.findings if one.remedy]
            told = [message.partition("\n")[0], *map(escape, remedies)]
            _issue(UndecidedSplitWarning(". ".join(told)), warn)
        if self._unrecorded:
            # Behind all other filters: the summary says it anyway.
            warnings.filterwarnings("ignore", category=UnrecordedSplitWarning, append=True)
            _issue(UnrecordedSplitWarning(self._unrecorded), warn)


def _issue(warning: Warning, warn: Callable[[Warning], object]) -> None:
    try:
        warn(warning)
    except type(warning) as error:  # without the frames of who issued it
        raise error.with_traceback(None) from None


class Gate:
    """Remembers what was measured, so that a benchmark used by many tests is measured once.

    Parameters
    ----------
    embedding : "pca" or "tsne", optional
        Puts into each record what its figures draw, with the rows in such an embedding.
    baseline : Baseline, optional
        What benchmarks are held against beside their limits.
    store : Store, optional
        Keeps what was measured beyond the session too.
    """

    def __init__(
        self,
        *,
        embedding: Embedding | None = None,
        baseline: Baseline | None = None,
        store: Store | None = None,
    ) -> None:
        self._embedding = embedding
        self._baseline = baseline
        self._store = store
        self._memory: dict[Hashable, Memory] = {}

    def check(
        self,
        benchmark: ClassSplit,
        protocol: Protocol,
        thresholds: Thresholds,
        name: str,
        progress: Progress | None = None,
    ) -> Passage:
        """Measure and judge `benchmark`.

        Parameters
        ----------
        benchmark : ClassSplit
        protocol : Protocol
        thresholds : Thresholds
        name : str
            What it is called if it has no name of its own.
        progress : callable, optional
            Called as ``progress(stage, done, total)`` while the measurement goes on.
        """
        if isinstance(benchmark, str):
            raise InputError(
                f"a benchmark is needed, not its name {benchmark!r}: take the fixture as an argument of "
                f"the test and pass what it gives, splitcheck({benchmark})."
            )
        if not isinstance(benchmark, ClassSplit):
            raise InputError(
                f"{name}: a ClassSplit is needed, but this is of type {type(benchmark).__name__}; "
                "declare the benchmark as ClassSplit(X, y, ...)."
            )
        memory = self._remembered(benchmark)
        report = self._measure(benchmark, memory, protocol, thresholds, progress)
        asked = protocol.advice == "always"
        measures = asked or (protocol.advice == "auto" and is_quick(benchmark, protocol))
        passage = Passage(report, thresholds, name, measures, self._baseline)
        if self._embedding is not None:
            passage.entry["pictures"] = pictures(report, embedding=self._embedding, memory=memory)
        return passage

    def _measure(
        self,
        benchmark: ClassSplit,
        memory: Memory,
        protocol: Protocol,
        thresholds: Thresholds,
        progress: Progress | None,
    ) -> Report:
        def again(other: ClassSplit, by: Protocol) -> Report:
            return self._measure(other, self._remembered(other), by, thresholds, progress)

        return measure(
            benchmark,
            protocol,
            memory,
            identify,
            thresholds.of_leakage(chance(benchmark.counts)),
            geometry=thresholds.max_rho_dir_geo is not None,
            progress=progress,
            again=again,
        )

    def _remembered(self, benchmark: ClassSplit) -> Memory:
        """Return what is known of a benchmark, to add to."""
        identity, transformer = benchmark.identity, identify(benchmark.transformer)
        key = identity, transformer
        if key not in self._memory:
            store, fingerprint = self._store, identity[0]
            shelf = None if store is None else store.shelf(benchmark, fingerprint, transformer)
            self._memory[key] = Memory(shelf, fingerprint)
        return self._memory[key]
