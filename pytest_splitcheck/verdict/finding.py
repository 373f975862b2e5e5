"""Reasons for a verdict, and the one comparison of a measurement with a limit."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from pytest_splitcheck.verdict.thresholds import Thresholds

__all__ = ["Finding", "Status", "Verdict", "also", "exceeds", "over", "plain"]

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
        neighbours, do not tell whether it is, or geometry was not measured), ``"unresolved"`` (a limit on a rate is exceeded, but not by
        what is resolved of it), ``"no ranking"`` (a detector, or geometry, scores all rows alike),
        ``"hard labels"`` (it gives two values only), ``"looks reversed"`` (it ranks far-away rows as normal, or turns around what geometry sees),
        ``"constant representation"`` (all rows are equal), ``"pool on another scale"`` or ``"few positives"``; ``"shared rows"``,
        ``"contaminated pool"``, ``"conflicting labels"``, ``"dominated by one feature"`` or
        ``"duplicates under LOF"`` (see `Integrity`); ``"worse than the baseline"``.
    status : "ill posed" or "undecided"
        What it makes of the verdict.
    limit : str or None
        Name of the limit, such as ``"max_rho_dir"``; ``"baseline"`` for a recorded figure.
    bound : float or None
        The limit; of the baseline, the recorded figure and the tolerance together.
    source : str or None
        Where it was set.
    value : float or None
        What was measured.
    resolved : float or None
        The least value that the intervals leave open, where it keeps the limit.
    classes : tuple
        The classes responsible, the worst first, as the author wrote them.
    details : tuple of str
        The same classes by name, each with the figure that makes it so.
    figure : str or None
        What that figure is, such as ``"AUROC"``.
    fault : tuple of (str, tuple of str)
        Whose fault it is, by name, that detectors invert classes or put them near random, as far as the
        limit is about these, or below `bound`, where that is of the mean AUROC: "geometry", "... alone" of a
        detector, or "open".
    message : str
        The finding in one clause.
    remedy : str or None
        What was found in full, and what to do.
    """

    kind: str
    status: Status
    message: str
    limit: str | None = None
    bound: float | None = None
    source: str | None = None
    value: float | None = None
    resolved: float | None = None
    classes: tuple[Hashable, ...] = ()
    details: tuple[str, ...] = ()
    figure: str | None = None
    fault: tuple[tuple[str, tuple[str, ...]], ...] = ()
    remedy: str | None = None

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
            "resolved": self.resolved,
            "details": list(self.details),
            "figure": self.figure,
            "fault": [[who, list(names)] for who, names in self.fault],
            "remedy": self.remedy,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What thresholds make of a report.

    Attributes
    ----------
    status : "well posed", "ill posed" or "undecided"
    findings : tuple of Finding
        One per reason; empty if well posed.
    by_k : dict from int to str
        The status at each k, the first of which is `status`; empty where one k was asked for.
    notes : tuple of str
        What does not bear on the verdict, and should be known: detectors that exceed a limit alone, which
        holds for the mean over detectors.
    """

    status: Status
    findings: tuple[Finding, ...]
    by_k: dict[int, Status] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``."""
        return {
            "status": self.status,
            "findings": [finding.to_dict() for finding in self.findings],
            "by_k": {str(k): status for k, status in self.by_k.items()},
            "notes": list(self.notes),
        }


def also(verdict: Verdict, findings: Sequence[Finding]) -> Verdict:
    """Return a verdict with further findings."""
    status, by_k = verdict.status, dict(verdict.by_k)
    for finding in findings:
        status = "ill posed" if "ill posed" in (status, finding.status) else "undecided"
    if by_k:
        by_k[next(iter(by_k))] = status
    return replace(verdict, status=status, findings=(*verdict.findings, *findings), by_k=by_k)


def over(
    limits: Thresholds,
    limit: str,
    symbol: str,
    value: float,
    guilty: dict[Hashable, str],
    names: dict[Hashable, str],
    *,
    figure: str,
    status: Status = "ill posed",
    note: str = "",
) -> Finding:
    """Return the finding that `value` is beyond the limit called `limit`.

    Parameters
    ----------
    limits : Thresholds
    limit, symbol : str
        What the limit and the value are called.
    value : float
    guilty : dict from class to str
        The classes responsible, the worst first, each with its figure.
    names : dict from class to str
    figure : str
        What the figures of the classes are.
    status : str
    note : str
        Goes behind the comparison.
    """
    bound = float(getattr(limits, limit))
    shown, shown_bound = _told_apart(value, bound)
    return Finding(
        kind="limit",
        status=status,
        message=f"{symbol} = {shown} {'<' if limit.startswith('min') else '>'} {shown_bound}{note}",
        limit=limit,
        bound=bound,
        source=limits.source(limit),
        value=value,
        classes=tuple(guilty),
        details=tuple(f"{names[label]} ({told})" for label, told in guilty.items()),
        figure=figure,
    )


def exceeds(value: float, bound: float) -> bool:
    """Tell whether a value is above a limit by more than rounding."""
    return value > bound + TOLERANCE


def plain(bound: float) -> str:
    """Return a limit as its author wrote it."""
    return f"{bound:g}" if float(f"{bound:g}") == bound else repr(bound)


def _told_apart(value: float, bound: float) -> tuple[str, str]:
    """Return both numbers as text, with enough digits to see which is the larger."""
    for digits in range(3, 12):
        text = f"{value:.{digits}f}"
        if float(text) != bound and (float(text) > bound) == (value > bound):
            break
    return text, plain(bound)
