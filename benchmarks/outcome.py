"""What a row of work comes to."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.harness import Run, Runs, median
from benchmarks.stopwatch import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number and what the project wants of it.

    Attributes
    ----------
    value : float
    unit : str
        "x" for a ratio: the peer's wall seconds / ours.
    wanted : float or None
    at_least : bool
        Whether `wanted` is the least that is wanted, else the most.
    """

    value: float
    unit: str
    wanted: float | None = None
    at_least: bool = True

    @property
    def missed(self) -> bool:
        """Whether the number falls short of what is wanted."""
        if self.wanted is None:
            return False
        return self.value < self.wanted if self.at_least else self.value > self.wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the table.

    Attributes
    ----------
    work : str
    ours, peer_took : Seconds or None
        Medians.
    peer : str
        "" without a peer.
    runs, peer_runs : int
        How many runs each median is of.
    figure : Figure or None
    note : str
    """

    work: str
    ours: Seconds | None = None
    peer: str = ""
    peer_took: Seconds | None = None
    runs: int = 1
    peer_runs: int = 1
    figure: Figure | None = None
    note: str = ""


@dataclass(slots=True)
class Outcome:
    """What a row came to: lines, results that differ, contenders that were left out."""

    lines: list[Line] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Outcome:
        """Return what `to_dict` has written."""
        lines = []
        for line in record["lines"]:
            for key in ("ours", "peer_took"):
                line = {**line, key: Seconds(*line[key]) if line[key] else None}
            figure = Figure(**line["figure"]) if line["figure"] else None
            lines.append(Line(**{**line, "figure": figure}))
        return cls(lines, record["complaints"], record["skipped"])


def ratios(
    work: str,
    runs: Runs,
    ours: str,
    peers: Sequence[str],
    *,
    wanted: float | None = None,
    without: Sequence[str] = (),
    notes: dict[str, str] | None = None,
) -> list[Line]:
    """Return a line for each peer that has run: the ratio of its time to ours.

    Parameters
    ----------
    wanted : float or None
        What the ratio to the fastest of `peers` should reach.
    without : sequence of str
        Parts of the peers' work that ours does not do.
    """
    mine: list[Run] = runs.by_name[ours]
    present = [name for name in peers if name in runs.by_name]
    took = {name: median(runs.by_name[name], without=without) for name in present}
    fastest = min(took, key=lambda name: took[name].wall, default=None)
    ours_took = median(mine)
    return [
        Line(
            work=work,
            ours=ours_took,
            peer=name,
            peer_took=took[name],
            runs=len(mine),
            peer_runs=len(runs.by_name[name]),
            figure=Figure(
                value=took[name].wall / ours_took.wall,
                unit="x",
                wanted=wanted if name == fastest else None,
            ),
            note=(notes or {}).get(name, ""),
        )
        for name in present
    ]
