"""The file of recorded figures: read, held against, merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.report.plain_json import plain_json
from pytest_splitcheck.report.record import title
from pytest_splitcheck.report.text import escape
from pytest_splitcheck.verdict.baseline import as_recorded, better, differences, side_by_side, worse
from pytest_splitcheck.verdict.finding import Finding

__all__ = ["REFUSED", "SCHEMA", "Baseline", "Recorded", "merged"]

SCHEMA: Final = "pytest-splitcheck-baseline/1"

REFUSED: Final = "refused by the baseline"

Recorded = Mapping[str, list[dict[str, Any]]]
"""What is recorded, by title: once for each way in which the benchmark was measured."""

_UPDATE: Final = "--splitcheck-update-baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Figures that benchmarks are held against.

    Attributes
    ----------
    shown : str
        What the file is called.
    recorded : mapping of str to list of dict
    tolerance : float
        By how much more than recorded a figure may be.
    """

    shown: str
    recorded: Recorded
    tolerance: float

    def findings(self, entry: dict[str, Any]) -> list[Finding]:
        """Return what got worse; nothing for a benchmark that is not recorded.

        Where what is recorded was measured of other data or in another way, that is the one finding, of kind
        `REFUSED`: nothing is compared.

        Parameters
        ----------
        entry : dict
            The ``"name"`` and the ``"report"`` of a record.
        """
        measured = as_recorded(entry["report"])
        recorded = self._like(title(entry), measured)
        if recorded is None:
            return []
        if other := differences(recorded, measured):
            told = (
                f"{escape(title(entry))} cannot be held against {self.shown}: {'; '.join(map(escape, other))}. "
                f"{side_by_side(recorded, measured)}. "
                f"If the change is meant, record the benchmark as it is now: {_UPDATE}."
            )
            return [Finding(kind=REFUSED, status="undecided", message=told)]
        found = worse(recorded, measured, self.tolerance, self.shown)
        if found:
            told = f"If the change is meant, record the benchmark as it is now: {_UPDATE}."
            found[-1] = replace(found[-1], remedy=told)
        return found

    def unrecorded(self, entry: dict[str, Any]) -> str:
        """Return what to say of a benchmark of which nothing is recorded; nothing of another."""
        if not self.missing([entry]):
            return ""
        return f"{escape(title(entry))} is not in {self.shown}; {_UPDATE} records it."

    def missing(self, entries: Iterable[dict[str, Any]]) -> list[str]:
        """Return the titles of records of which nothing is recorded, each once."""
        titles = dict.fromkeys(map(title, entries))
        return [one for one in titles if one not in self.recorded]

    def stale(self, entries: Iterable[dict[str, Any]]) -> list[str]:
        """Return the titles of what is recorded that are not among those of the records."""
        titles = set(map(title, entries))
        return [one for one in self.recorded if one not in titles]

    def improved(self, entry: dict[str, Any]) -> list[str]:
        """Return the figures of a record that are better than recorded by more than the tolerance."""
        measured = as_recorded(entry["report"])
        recorded = self._like(title(entry), measured)
        if recorded is None or differences(recorded, measured):
            return []
        return better(recorded, measured, self.tolerance)

    def _like(self, name: str, measured: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what is recorded under a title that differs least from what was measured."""
        recorded = self.recorded.get(name, [])
        return min(recorded, key=lambda one: len(differences(one, measured)), default=None)


def _way(one: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return how figures were measured."""
    return one["k"], one["epsilon"], one["neighbors"], str(one["detectors"])


def merged(recorded: Recorded, entries: Iterable[dict[str, Any]]) -> str:
    """Return the content of the file with the figures of a run.

    They take the place of what is recorded of the same benchmarks, measured the same way; what was not measured
    is kept, but for what is recorded of other data under the same title.

    Parameters
    ----------
    recorded : mapping of str to list of dict
        What the file has.
    entries : iterable of dict
        Records, ill-posed ones too.
    """
    measured: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        same_title = measured.setdefault(title(entry), [])
        one = as_recorded(entry["report"])
        if one not in same_title:
            same_title.append(one)
    for name, same_title in measured.items():
        data, ways = {one["fingerprint"] for one in same_title}, {_way(one) for one in same_title}
        same_title += [
            one
            for one in recorded.get(name, [])
            if one["fingerprint"] in data and _way(one) not in ways
        ]
        same_title.sort(key=lambda one: (one["k"], list(one["detectors"]), str(one)))
    benchmarks = dict(sorted({**recorded, **measured}.items()))
    return plain_json({"schema": SCHEMA, "benchmarks": benchmarks})
