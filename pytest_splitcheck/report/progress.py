"""How far a measurement is, in a line."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from pytest_splitcheck.report.text import cells, escape, fit

__all__ = ["STAGES", "Pace", "State", "progress_line"]

STAGES: Final = {
    "images": "reading images",
    "preparing": "preparing rows",
    "sampling": "sample of distances",
    "spacing": "distances between rows",
    "leakage": "leakage",
    "neighbours": "neighbours",
    "geometry": "geometry",
    "knn": "detector knn",
    "lof": "detector lof",
    "iforest": "detector iforest",
}
"""What each step of a measurement is called; others are detectors of the author's own."""

_LEAST_TITLE: Final = 8
"""Cells of a title, below which it is left out."""

_LEAST_ELAPSED: Final = 1.0
"""Seconds of a step, before which its pace is not known."""


class State(NamedTuple):
    """How far a measurement is.

    Attributes
    ----------
    step : int
        Number of the step, from 1.
    stage : str
        What the measurement calls it.
    share : float
        What is done of it, from 0 to 1.
    left : float or None
        Seconds that are left of it; None where too little is done to say.
    """

    step: int
    stage: str
    share: float
    left: float | None


class Pace:
    """Estimates the time that is left of a step from what was done of it since it first told of itself.

    What goes before that may be work of another kind. How many steps there will be, and how long they will
    take, is not known, so nothing is said of the whole.
    """

    def __init__(self) -> None:
        self._step = self._done = self._first = 0
        self._stage, self._since = "", 0.0

    def at(self, stage: str, done: int, total: int, now: float) -> State:
        """Return the state once `done` of `total` units of a step are done, at a time in seconds."""
        if not self._step or stage != self._stage or done <= self._done:
            self._step += 1  # steps of one name follow each other, too
            self._stage, self._first, self._since = stage, done, now
        self._done = done
        elapsed = now - self._since
        known = elapsed >= _LEAST_ELAPSED and self._first < done < total
        left = elapsed * (total - done) / (done - self._first) if known else None
        return State(self._step, stage, done / max(1, total), left)


def progress_line(title: str, state: State, width: int) -> str:
    """Return what there is to say of a benchmark called `title`, in `width` cells at most."""
    name = STAGES.get(state.stage) or f"detector {escape(state.stage)}"
    short = f"step {state.step}, {name} {math.floor(100 * state.share)} %"
    told = [] if state.left is None else [f"{short}, about {_time(state.left)} left of this step"]
    title = escape(title)
    for text in [*told, short]:
        room = width - cells(f"splitcheck : {text}")
        if room >= min(_LEAST_TITLE, cells(title)):
            return f"splitcheck {fit(title, min(room, cells(title)))}: {text}"
    return fit(short, min(width, cells(short)))


def _time(seconds: float) -> str:
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
