"""A terminal in which pytest runs, and what is to be seen on it."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator

_TOKEN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|.", re.DOTALL)

_FRAME = re.compile(r"\r(splitcheck [^\r\x1b]*)\x1b\[K")

_START = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C is for this process
signal.signal(signal.SIGINT, signal.SIG_DFL)  # which one in the background does not hear
os.execv(sys.executable, [sys.executable, "-m", "pytest", *sys.argv[1:]])
"""


class Screen:
    """The rows of a terminal that does what pytest and the progress line ask of one."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.cells: list[list[str]] = [[]]
        self.row = self.column = 0
        self.wrapped = False

    def feed(self, text: str) -> None:
        """Take what a program writes."""
        for token in _TOKEN.findall(text):
            if token == "\r":
                self.column = 0
            elif token == "\n":
                self.row += 1
                self._current()
            elif token.startswith("\x1b["):
                self._control(token[-1], int(re.sub(r"\D", "", token) or 1))
            elif not token.startswith("\x1b]"):
                self._put(token)

    @property
    def rows(self) -> list[str]:
        """What can be read."""
        return ["".join(row).rstrip() for row in self.cells]

    def _control(self, kind: str, count: int) -> None:
        if kind == "K":
            del self._current()[self.column :]
        elif kind == "A":
            self.row -= count
            assert self.row >= 0
        elif kind == "C":
            self.column += count
        else:
            assert kind == "m", kind

    def _put(self, char: str) -> None:
        if self.column == self.width:
            self.row, self.column, self.wrapped = self.row + 1, 0, True
        row = self._current()
        row += " " * (self.column + 1 - len(row))
        row[self.column] = char
        self.column += 1

    def _current(self) -> list[str]:
        while len(self.cells) <= self.row:
            self.cells.append([])
        return self.cells[self.row]


class Terminal:
    """A run of pytest in a terminal.

    Attributes
    ----------
    screen : Screen
    frames : list of str
        Every progress line that was written in place.
    status : int
        What the run returned.
    ended : float
        When it had, by the monotonic clock.
    """

    def __init__(self, arguments: list[str], width: int = 80) -> None:
        self.screen = Screen(width)
        self.frames: list[str] = []
        self._file, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        environment = {**os.environ, "TERM": "xterm"}
        environment.pop("COLUMNS", None)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        os.write(self._file, b"\x03")

    def run(self, watch: Callable[[Terminal], object] = lambda terminal: None) -> None:
        """Read until the run ends; `watch` is called after each reading."""
        written = ""
        for text in self._read():
            written += text
            self.screen.feed(text)
            self.frames = _FRAME.findall(written)
            watch(self)
        self.status = self._process.wait()
        os.close(self._file)
        self.ended = time.monotonic()

    def _read(self) -> Iterator[str]:
        while True:
            try:
                found = os.read(self._file, 1 << 16)
            except OSError:  # the other side is closed
                return
            if not found:
                return
            yield found.decode("utf-8", "replace")
