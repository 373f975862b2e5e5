"""How far long measurements are, shown while they go on: on a terminal, or in the log of a CI run."""

from __future__ import annotations

import abc
import contextlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from typing import IO, Any, Final

__all__ = ["Display", "Line", "Log", "Progress", "display_of"]

_NO_LIMIT: Final = 10_000

Tell = Callable[[str, int, int], object]


class Display(abc.ABC):
    """Where the line goes, past pytest's capture.

    Parameters
    ----------
    config : pytest.Config

    Attributes
    ----------
    after, every : float
        Seconds until it is shown first, and between two times.
    """

    after: float
    every: float

    def __init__(self, config: Any) -> None:
        self._config = config

    @abc.abstractmethod
    def show(self, line: Callable[[int], str]) -> None:
        """Show the line that there is for a number of cells."""

    @abc.abstractmethod
    def clear(self) -> None:
        """Leave the screen as pytest has it."""

    @contextlib.contextmanager
    def _uncaptured(self) -> Iterator[IO[str]]:
        """Give the true stderr; the size of the terminal is known in the block only."""
        capture = self._config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
            yield sys.stderr
            sys.stderr.flush()

    def _column(self) -> int:
        """Return how much pytest has written of its line."""
        if self._config.pluginmanager.getplugin("terminalreporter") is None:
            return 0
        return max(0, int(self._config.get_terminal_writer().width_of_current_line))


class Line(Display):
    """A line below the one that pytest writes, written over again and again, and then gone."""

    after = 2.0
    every = 0.2

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self._below = sys.stdout.isatty()
        self._drawn = False

    def show(self, line: Callable[[int], str]) -> None:
        """Show a line in the place of what was there."""
        down = "\n" if self._below and not self._drawn else ""
        self._drawn = True
        with self._uncaptured() as stream:
            stream.write(f"{down}\r{line(_columns() - 1)}\x1b[K")

    def clear(self) -> None:
        """Take the line away, and go back to where pytest's own ends."""
        if not self._drawn:
            return
        self._drawn = False
        up = "\x1b[A" if self._below else ""
        with self._uncaptured() as stream:
            column = self._column() % _columns() if self._below else 0
            right = f"\x1b[{column}C" if column else ""
            stream.write(f"\r\x1b[K{up}{right}")


class Log(Display):
    """Plain lines, one below the other, with the name of the worker of pytest-xdist if there is one."""

    after = 30.0
    every = 30.0

    def __init__(self, config: Any, worker: str = "") -> None:
        super().__init__(config)
        self._head = f"[{worker}] " if worker else ""
        self._apart = False

    def show(self, line: Callable[[int], str]) -> None:
        """Write a line, which nothing is cut from, as a log has no width."""
        down = "\n" if self._column() and not self._apart else ""
        self._apart = True
        with self._uncaptured() as stream:
            stream.write(f"{down}{self._head}{line(_NO_LIMIT)}\n")

    def clear(self) -> None:
        """Begin anew behind what pytest writes next."""
        self._apart = False


class Progress:
    """Shows how far the measurements of a run are.

    Parameters
    ----------
    display : Display or None
        None: nothing is shown.
    clock : callable
        Seconds, from any origin.
    """

    def __init__(
        self, display: Display | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._display = display
        self._clock = clock

    @contextlib.contextmanager
    def of(self, title: str) -> Iterator[Tell | None]:
        """Give what a measurement tells how far it is, until the block ends; None if nothing is shown."""
        if self._display is None:
            yield None
            return
        watch = _Watch(title, self._display, self._clock)
        try:
            yield watch.tell
        finally:
            watch.over = True
            self._display.clear()

    def give_way(self) -> None:
        """Clear the line for what is about to be written."""
        if self._display is not None:
            self._display.clear()


class _Watch:
    """One measurement."""

    def __init__(self, title: str, display: Display, clock: Callable[[], float]) -> None:
        from pytest_splitcheck.report.progress import Pace, progress_line

        self.over = False
        self._title, self._display, self._clock = title, display, clock
        self._pace, self._line = Pace(), progress_line
        self._next = clock() + display.after

    def tell(self, stage: str, done: int, total: int) -> None:
        """Show how far it is, if it is time to."""
        if self.over:  # a report measures again when it is asked for advice later
            return
        now = self._clock()
        state = self._pace.at(stage, done, total, now)
        if now >= self._next:
            self._next = now + self._display.every
            self._display.show(lambda width: self._line(self._title, state, width))


def display_of(config: Any) -> Display | None:
    """Return where a run shows how far it is.

    That is a line on a terminal where nothing but pytest writes; plain lines in the log of a CI run, and on
    a terminal that others write to as well, as where output is not captured or logs are shown live; nothing
    elsewhere, and with ``-q``.
    """
    if config.get_verbosity("splitcheck") < 0:
        return None
    worker = getattr(config, "workerinput", {}).get("workerid", "")
    if os.environ.get("CI"):
        return Log(config, worker)
    is_screen = os.name != "nt" and os.environ.get("TERM", "dumb") != "dumb"
    if worker or not is_screen or not sys.stderr.isatty():
        return None
    return Log(config) if _is_shared(config) else Line(config)


def _columns() -> int:
    return shutil.get_terminal_size().columns


def _is_shared(config: Any) -> bool:
    if config.getoption("capture", "no") in ("no", "tee-sys"):
        return True
    try:
        return bool(config.getoption("log_cli_level", None) or config.getini("log_cli"))
    except ValueError:  # without pytest's own plugin for logs
        return False
