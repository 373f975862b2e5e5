"""The line that tells how far a measurement is, in real terminals, logs and pipes."""

from __future__ import annotations

import os
import re
import sys
import time
from types import SimpleNamespace

import pytest

from pytest_splitcheck.session.progress import Line, Log, Progress, display_of

pytest.importorskip("termios")

from tests.plugin.screen import Terminal

FOREIGN = ("-p", "no:hypothesispytest", "-p", "no:rerunfailures", "-p", "no:cacheprovider")
"""Without plugins that take seconds of their own."""

AT_ONCE = """
from pytest_splitcheck.session import progress
for display in (progress.Line, progress.Log):
    display.after = display.every = 0.0
"""

TESTS = """
import logging
import pytest

def test_one(): pass

def noisy(pool, rows):
    print("printed")
    logging.getLogger("noisy").warning("logged")
    return rows[:, 0]

def test_two(splitcheck, blocks):
    splitcheck(blocks, max_rho_dir=1, detectors={"noisy": noisy, "knn": "knn"})

def test_three(): pass
"""


@pytest.fixture
def hurried(suite):
    """A repository in which every step is told at once."""
    conftest = suite.path / "conftest.py"
    conftest.write_text(conftest.read_text() + AT_ONCE)
    suite.makepyfile(test_it=TESTS)
    (suite.path / "pytest.ini").unlink()
    return suite


def in_terminal(*arguments, width=80):
    terminal = Terminal([*FOREIGN, *arguments], width)
    terminal.run()
    return terminal


@pytest.mark.parametrize("width", [60, 120])
@pytest.mark.parametrize("arguments", [(), ("-v",), ("--capture=sys",), ("--color=no",)])
def test_on_a_terminal_it_is_there_and_gone(hurried, arguments, width):
    found = in_terminal(*arguments, width=width)
    assert found.status == 0
    assert any(re.match(r"splitcheck blocks: step \d+, leakage \d+ %", one) for one in found.frames)
    assert any("detector noisy" in one for one in found.frames)
    # What is left is what there is without it.
    (hurried.path / "conftest.py").write_text(
        (hurried.path / "conftest.py").read_text().replace("= 0.0", "= 1e9")
    )
    without = in_terminal(*arguments, width=width)
    assert without.frames == []

    def told(terminal):
        return [re.sub(r"in [0-9.]+s", "", row).strip("= ") for row in terminal.screen.rows]

    assert told(found) == told(without)
    assert [row for row in found.screen.rows if row.startswith("test_it.py")]


@pytest.mark.parametrize("arguments", [("-s",), ("--capture=tee-sys",), ("--log-cli-level=INFO",)])
def test_where_others_write_too_it_is_plain_lines(hurried, arguments):
    found = in_terminal(*arguments, width=100)
    assert found.status == 0
    rows = found.screen.rows
    told = [row for row in rows if re.fullmatch(r"splitcheck blocks: step \d+, .* \d+ %", row)]
    assert len(told) > 3
    noise = "logged" if "--log" in arguments[0] else "printed"
    assert sum(noise in row for row in rows) >= 2
    assert not any(noise in row and "splitcheck" in row for row in rows)


def test_quiet_runs_show_nothing(hurried):
    found = in_terminal("-q")
    assert found.status == 0
    assert found.frames == []
    assert not any("step" in row for row in found.screen.rows)


def test_short_work_shows_nothing(suite):
    suite.makepyfile(test_it=TESTS)
    assert in_terminal().frames == []


def test_a_notice_is_not_written_over(hurried):
    hurried.makepyfile(
        test_it="""
        import logging

        def noticed(pool, rows):
            logging.getLogger("pytest_splitcheck.measure").warning("this takes long")
            return rows[:, 0]

        def test_two(splitcheck, blocks):
            splitcheck(blocks, max_rho_dir=1, detectors={"noticed": noticed, "knn": "knn"})

        def test_three(): pass
        """
    )
    rows = in_terminal().screen.rows
    assert rows.count("splitcheck: this takes long") == 5  # two classes, two folds; rows far away
    assert not any("%" in row and row.startswith("splitcheck ") for row in rows)


@pytest.mark.parametrize(("arguments", "tells"), [((), True), (("-q",), False)])
def test_in_the_log_of_a_ci_run(hurried, monkeypatch, arguments, tells):
    monkeypatch.setenv("CI", "1")
    result = hurried.runpytest_subprocess(*FOREIGN, *arguments)
    told = [line for line in result.errlines if line]
    assert bool(told) == tells
    assert all(re.fullmatch(r"splitcheck blocks: step \d+, .* \d+ %", line) for line in told)
    assert "\x1b" not in result.stderr.str()


def test_workers_say_who_they_are(hurried, monkeypatch):
    pytest.importorskip("xdist")
    monkeypatch.setenv("CI", "1")
    result = hurried.runpytest_subprocess(*FOREIGN, "-n1")
    result.assert_outcomes(passed=3)
    told = [line for line in result.errlines if line]
    assert told
    assert all(line.startswith("[gw0] splitcheck blocks: step ") for line in told)


def test_a_pipe_gets_nothing(hurried):
    result = hurried.runpytest_subprocess(*FOREIGN)
    result.assert_outcomes(passed=3)
    assert result.stderr.str() == ""
    assert "step 1" not in result.stdout.str()


def test_ctrl_c_ends_at_once_and_leaves_nothing(suite):
    suite.makepyfile(
        test_it="""
        import numpy as np
        from pytest_splitcheck import ClassSplit

        def test_one(): pass

        def test_long(splitcheck):
            X = np.random.default_rng(0).normal(size=(30_000, 100))
            splitcheck(ClassSplit(X, np.arange(len(X)) % 5))
        """
    )
    conftest = suite.path / "conftest.py"
    conftest.write_text(conftest.read_text() + AT_ONCE)
    before = {path.name for path in suite.path.rglob("*")}
    pressed = []

    def watch(terminal):
        if not pressed and any("leakage" in one for one in terminal.frames):
            terminal.interrupt()
            pressed.append(time.monotonic())

    terminal = Terminal([*FOREIGN, "-p", "no:assertion"])
    terminal.run(watch)
    assert terminal.status == pytest.ExitCode.INTERRUPTED
    # About a second on a machine that does nothing else; the measurement takes a minute.
    assert terminal.ended - pressed[0] < 6
    assert not any(row.startswith("splitcheck") for row in terminal.screen.rows)
    (dots,) = [row for row in terminal.screen.rows if row.startswith("test_it.py")]
    assert dots.rstrip() == "test_it.py ."
    after = {path.name for path in suite.path.rglob("*") if "__pycache__" not in path.parts}
    assert after == before


# --- when, and how often -----------------------------------------------------------------------


class Recorder:
    after, every = 2.0, 0.2

    def __init__(self):
        self.shown, self.cleared = [], 0

    def show(self, line):
        self.shown.append(line(80))

    def clear(self):
        self.cleared += 1


def test_two_seconds_pass_before_it_is_shown_and_a_fifth_between():
    display, now = Recorder(), [0.0]
    with Progress(display, lambda: now[0]).of("digits") as tell:
        for number in range(1, 1001):
            now[0] = number * 0.01
            tell("leakage", number, 1000)
            if now[0] < 2:
                assert display.shown == []
        assert 38 <= len(display.shown) <= 41  # 8 seconds, five times each
        assert display.shown[0].startswith(
            "splitcheck digits: step 1, leakage 20 %, about 8 s left"
        )
        assert display.cleared == 0
    assert display.cleared == 1
    shown = list(display.shown)
    now[0] = 100.0
    tell("leakage", 1, 2)  # advice that is asked for later
    assert (display.shown, display.cleared) == (shown, 1)


def test_it_is_cleared_after_an_error():
    display = Recorder()
    with pytest.raises(KeyboardInterrupt), Progress(display).of("digits"):
        raise KeyboardInterrupt
    assert display.cleared == 1


def test_nothing_is_told_where_nothing_is_shown():
    with Progress(None).of("digits") as tell:
        assert tell is None
    Progress(None).give_way()


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, Line),
        ({"verbosity": -1}, type(None)),
        ({"tty": False}, type(None)),
        ({"TERM": "dumb"}, type(None)),
        ({"TERM": None}, type(None)),
        ({"capture": "no"}, Log),
        ({"capture": "sys"}, Line),
        ({"capture": "tee-sys"}, Log),
        ({"log_cli": True}, Log),
        ({"log_cli_level": "INFO"}, Log),
        ({"CI": "true"}, Log),
        ({"CI": "true", "tty": False}, Log),
        ({"CI": "true", "verbosity": -1}, type(None)),
        ({"worker": "gw0"}, type(None)),
        ({"worker": "gw0", "CI": "true"}, Log),
        ({"without_logging": True}, Line),
    ],
)
def test_where_it_is_shown(monkeypatch, changes, kind):
    for name in ("CI", "TERM"):
        value = changes.get(name, {"TERM": "xterm"}.get(name))
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: changes.get("tty", True)))
    monkeypatch.setattr(os, "name", "posix")

    def getini(name):
        if changes.get("without_logging"):
            raise ValueError(f"unknown configuration value: {name!r}")
        return changes.get(name, False)

    config = SimpleNamespace(
        get_verbosity=lambda name: changes.get("verbosity", 0),
        getoption=lambda name, default: changes.get(name, {"capture": "fd"}.get(name, default)),
        getini=getini,
    )
    if "worker" in changes:
        config.workerinput = {"workerid": changes["worker"]}
    assert type(display_of(config)) is kind
