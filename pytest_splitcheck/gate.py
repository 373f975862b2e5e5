"""The gate: measure a benchmark once, judge it, record it, and refuse it if it is ill posed."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Hashable
from typing import Any

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError, UndecidedSplitWarning
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.advice import advise, glance, is_quick
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.leakage import chance
from pytest_splitcheck.measure.pictures import pictures
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.report.baseline import Baseline
from pytest_splitcheck.report.failure import failure_message
from pytest_splitcheck.report.record import record
from pytest_splitcheck.run_options import Embedding
from pytest_splitcheck.verdict.failures import failure
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

    Raises
    ------
    InputError
        If what is recorded of the benchmark was measured in another way.

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
        if baseline is not None:
            entry = {"name": report.name or name, "report": report.to_dict()}
            self.verdict = also(self.verdict, baseline.findings(entry))
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
    baseline : Baseline, optional
        What benchmarks are held against beside their limits.
    embedding : "pca" or "tsne", optional
        Puts into each record what its figures draw, with the rows in such an embedding.
    """

    def __init__(
        self, baseline: Baseline | None = None, embedding: Embedding | None = None
    ) -> None:
        self._baseline = baseline
        self._embedding = embedding
        self._memory: dict[Hashable, dict[Hashable, Any]] = {}

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
        passage = Passage(report, thresholds, name, measures, self._baseline)
        if self._embedding is not None:
            memory = self._remembered(benchmark)
            passage.entry["pictures"] = pictures(report, embedding=self._embedding, memory=memory)
        return passage

    def _measure(self, benchmark: ClassSplit, protocol: Protocol, thresholds: Thresholds) -> Report:
        return measure(
            benchmark,
            protocol,
            self._remembered(benchmark),
            self._identify,
            thresholds.of_leakage(chance(benchmark.counts)),
            geometry=thresholds.max_rho_dir_geo is not None,
            again=lambda other, by: self._measure(other, by, thresholds),
        )

    def _remembered(self, benchmark: ClassSplit) -> dict[Hashable, Any]:
        """Return what is known of a benchmark, to add to."""
        key = (benchmark.fingerprint, self._identify(benchmark.transformer))
        return self._memory.setdefault(key, {})

    def _identify(self, thing: object) -> Hashable:
        """Return the digest of an object's pickle, or a new value each time where it has none.

        An object that cannot be pickled may have changed since it was last seen.
        """
        digest = _Digest()
        try:
            pickle.dump(thing, digest)
        except Exception:  # whatever a foreign __reduce__ raises
            return object()
        return digest.hash.hexdigest()


class _Digest:
    """A file that keeps nothing but the hash of what was written."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self.hash.update(view)
        return view.nbytes
