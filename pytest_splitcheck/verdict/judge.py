"""The verdict: every comparison of a measurement with a limit is made here, once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from pytest_splitcheck.measure.results import DetectorResult, Instability, Report
from pytest_splitcheck.verdict.thresholds import Thresholds

__all__ = ["Finding", "Status", "Verdict", "judge"]

Status = Literal["well posed", "ill posed", "undecided"]

TOLERANCE: Final = 1e-9
"""A value exceeds a limit only by more than rounding: the mean of 0.1, 0.2 and 0.3 does not exceed 0.2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One reason for a verdict.

    Attributes
    ----------
    kind : str
        ``"limit"`` (a limit is exceeded), ``"open limit"`` (a sample of the rows, or approximate
        neighbours, do not tell whether it is), ``"no ranking"`` (a detector scores all rows alike),
        ``"constant representation"`` (all rows are equal) or ``"few positives"``.
    status : "ill posed" or "undecided"
        What it makes of the verdict.
    limit : str or None
        Name of the limit, such as ``"max_rho_dir"``.
    bound : float or None
        The limit.
    source : str or None
        Where it was set.
    value : float or None
        What was measured.
    classes : tuple
        The classes responsible, the worst first, as the author wrote them.
    details : tuple of str
        The same classes by name, each with the figure that makes it so.
    figure : str or None
        What that figure is, such as ``"AUROC"``.
    message : str
        The finding in one clause.
    """

    kind: str
    status: Status
    message: str
    limit: str | None = None
    bound: float | None = None
    source: str | None = None
    value: float | None = None
    classes: tuple[Hashable, ...] = ()
    details: tuple[str, ...] = ()
    figure: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``; classes go by name, within `details`."""
        return {
            "kind": self.kind,
            "status": self.status,
            "message": self.message,
            "limit": self.limit,
            "bound": self.bound,
            "source": self.source,
            "value": self.value,
            "details": list(self.details),
            "figure": self.figure,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What thresholds make of a report.

    Attributes
    ----------
    status : "well posed", "ill posed" or "undecided"
    findings : tuple of Finding
        One per reason; empty if well posed.
    """

    status: Status
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``."""
        return {
            "status": self.status,
            "findings": [finding.to_dict() for finding in self.findings],
        }


def judge(report: Report, thresholds: Thresholds | None = None) -> Verdict:
    """Hold a report against limits.

    Parameters
    ----------
    report : Report
    thresholds : Thresholds, optional
        The defaults if left out.

    Returns
    -------
    Verdict
        ``"ill posed"`` if a limit is exceeded (strictly) or the representation is constant;
        ``"undecided"`` if a held-out class has too few rows for its rates to mean anything, or a
        detector gives no ranking, or if it is not known on which side of a limit leakage lies: it was measured
        on a sample that was drawn for other limits, or with approximate neighbours; ``"well posed"``
        otherwise. The former two take the force from the limits on rates, not from those on leakage.
    """
    case = _Case(report, thresholds or Thresholds())
    findings = [*case.constant(), *case.leakage()]
    rates = report.instability
    if rates is not None:
        doubts = [*case.few_positives(), *case.no_ranking()]
        findings += case.rates(rates, "undecided" if doubts else "ill posed")
        findings += doubts
    statuses = {finding.status for finding in findings}
    status: Status = "well posed"
    if statuses:
        status = "ill posed" if "ill posed" in statuses else "undecided"
    return Verdict(status=status, findings=tuple(findings))


class _Case:
    """A report before its limits; each method yields the findings of one kind."""

    def __init__(self, report: Report, limits: Thresholds) -> None:
        self.report = report
        self.limits = limits
        self.names = report.names

    def constant(self) -> Iterator[Finding]:
        if self.report.constant:
            yield Finding(
                kind="constant representation",
                status="ill posed",
                message=f"all {self.report.m} rows are equal",
            )

    def leakage(self) -> Iterator[Finding]:
        leakage = self.report.leakage
        for limit, symbol, value, unit in (
            ("max_leakage", f"L_{leakage.k}", leakage.value, 1.0),
            ("max_leakage_ratio", f"L_{leakage.k}/chance", leakage.ratio, leakage.chance),
        ):
            bound = getattr(self.limits, limit)
            low = high = value
            if not leakage.exact:
                low, high = (end / unit for end in leakage.interval)
            if bound is None or not _exceeds(high, bound):
                continue
            if not _exceeds(low, bound):
                yield self._open(limit, f"{symbol} is between {low:.3f} and {high:.3f}", value)
                continue
            each = {c: one / unit for c, one in leakage.per_class.items() if one is not None}
            guilty = sorted(
                (label for label, one in each.items() if _exceeds(one, bound)),
                key=lambda label: -each[label],
            )
            shown = {label: f"{each[label]:.3f}" for label in guilty}
            figure = f"{symbol} of the rows sampled" if leakage.sampled else symbol
            yield self._over(limit, symbol, value, shown, figure, "ill posed", self._basis())

    def rates(self, rates: Instability, status: Status) -> Iterator[Finding]:
        for limit, symbol, value, innocent in (
            (
                "max_rho_dir",
                "rho_dir",
                rates.rho_dir,
                lambda one, c: one.direction[c] == one.majority,
            ),
            ("max_rho_inv", "rho_inv", rates.rho_inv, lambda one, c: one.auroc[c] >= 0.5),
            ("max_rho_rnd", "rho_rnd", rates.rho_rnd, lambda one, c: one.direction[c] != 0),
        ):
            bound = getattr(self.limits, limit)
            if bound is not None and _exceeds(value, bound):
                figure = "AUROC"
                down = [one.name for one in self.report.detectors.values() if one.majority < 0]
                if limit == "max_rho_dir" and down:
                    figure += f"; the majority of {' and '.join(down)} points down"
                yield self._over(limit, symbol, value, self._guilty(innocent), figure, status)
        least = self.limits.min_auroc
        if least is not None and _exceeds(least, rates.mean):
            below = self._guilty(lambda one, c: not _exceeds(least, one.auroc[c]))
            yield self._over("min_auroc", "mean AUROC", rates.mean, below, "AUROC", status)

    def few_positives(self) -> Iterator[Finding]:
        least, positives = self.limits.min_positives, self.report.positives
        if least is None:
            return
        few = sorted((c for c in positives if positives[c] < least), key=lambda c: positives[c])
        if few:
            yield Finding(
                kind="few positives",
                status="undecided",
                message=f"{len(few)} of {len(positives)} held-out classes have fewer than "
                f"{least} rows",
                limit="min_positives",
                bound=float(least),
                source=self.limits.source("min_positives"),
                value=float(positives[few[0]]),
                classes=tuple(few),
                details=tuple(f"{self.names[label]} ({positives[label]})" for label in few),
                figure="rows",
            )

    def no_ranking(self) -> Iterator[Finding]:
        for result in self.report.detectors.values():
            if result.no_ranking:
                yield Finding(
                    kind="no ranking",
                    status="undecided",
                    message=f"detector {result.name} gives all rows the same score in "
                    f"{len(result.no_ranking)} of {len(result.auroc)} splits",
                    classes=result.no_ranking,
                    details=tuple(self.names[label] for label in result.no_ranking),
                )

    def _guilty(self, innocent: Callable[[DetectorResult, Hashable], bool]) -> dict[Hashable, str]:
        """Tell of each class that is not `innocent` for some detector its AUROC by those."""
        told: dict[Hashable, list[str]] = {}
        for result in self.report.detectors.values():
            for label, value in result.auroc.items():
                if not innocent(result, label):
                    told.setdefault(label, []).append(f"{result.name} {value:.3f}")
        worst_first = sorted(told, key=lambda label: -len(told[label]))
        return {label: ", ".join(told[label]) for label in worst_first}

    def _basis(self) -> str:
        """Tell in parentheses what the leakage rests on, unless it is exact."""
        leakage = self.report.leakage
        if leakage.exact:
            return ""
        if not leakage.sampled:
            return " (approximate neighbours)"
        return f" (sampled: {leakage.queries:,} of {leakage.m:,} rows, alpha {leakage.alpha:g})"

    def _open(self, limit: str, between: str, value: float) -> Finding:
        bound = float(getattr(self.limits, limit))
        return Finding(
            kind="open limit",
            status="undecided",
            message=f"{between}, on either side of {_plain(bound)}{self._basis()}",
            limit=limit,
            bound=bound,
            source=self.limits.source(limit),
            value=value,
        )

    def _over(
        self,
        limit: str,
        symbol: str,
        value: float,
        guilty: dict[Hashable, str],
        figure: str,
        status: Status,
        note: str = "",
    ) -> Finding:
        bound = float(getattr(self.limits, limit))
        shown, shown_bound = _told_apart(value, bound)
        return Finding(
            kind="limit",
            status=status,
            message=f"{symbol} = {shown} {'<' if limit.startswith('min') else '>'} {shown_bound}{note}",
            limit=limit,
            bound=bound,
            source=self.limits.source(limit),
            value=value,
            classes=tuple(guilty),
            details=tuple(f"{self.names[label]} ({told})" for label, told in guilty.items()),
            figure=figure,
        )


def _exceeds(value: float, bound: float) -> bool:
    return value > bound + TOLERANCE


def _told_apart(value: float, bound: float) -> tuple[str, str]:
    """Return both numbers as text, with enough digits to see which is the larger."""
    for digits in range(3, 12):
        text = f"{value:.{digits}f}"
        if float(text) != bound and (float(text) > bound) == (value > bound):
            break
    return text, _plain(bound)


def _plain(bound: float) -> str:
    return f"{bound:g}" if float(f"{bound:g}") == bound else repr(bound)
