"""Contenders, each in a process of its own, one after the other and in turn."""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import Arrays
from benchmarks.stopwatch import ALL, Seconds

ROOT = Path(__file__).parent.parent
ROUNDS = 3
PATIENCE = 60.0
"""Wall seconds after which a contender is not run again."""

_STEERED = ("OPENBLAS_CORETYPE",)
"""Variables that a contender gets from its own environment only."""


class BenchmarkError(Exception):
    """A contender that ended in an error; the message has its last lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """Who does some work, and how.

    Attributes
    ----------
    name : str
        As the table has it.
    call : str
        ``module:function``; the function takes the arrays, a `Stopwatch` and `options`.
    options : dict
    environment : dict
        Variables beside those of this process.
    needs : str or None
        A module without which it cannot run.
    install : str or None
        How to get that module.
    """

    name: str
    call: str
    options: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    needs: str | None = None
    install: str | None = None

    @property
    def missing(self) -> str | None:
        """What is missing and how to get it, or None."""
        if self.needs is None or importlib.util.find_spec(self.needs) is not None:
            return None
        return f"{self.name}: {self.needs} is not installed; get it with `{self.install}`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process found and took.

    Attributes
    ----------
    arrays : dict from str to ndarray
    parts : dict from str to Seconds
    process : Seconds
        Of the whole process, imports included.
    peak_bytes : int
        By how much it grew beyond its size before the work.
    modules : tuple of str
        What it had imported in the end, in order.
    """

    arrays: Arrays
    parts: Mapping[str, Seconds]
    process: Seconds
    peak_bytes: int
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs by contender, and a line for each contender that could not run.

    Attributes
    ----------
    by_name : dict from str to list of Run
    skipped : list of str
    """

    by_name: dict[str, list[Run]]
    skipped: list[str]

    def arrays(self, name: str) -> Arrays:
        """Return what a contender found in its first run."""
        return self.by_name[name][0].arrays


def compete(
    contenders: Sequence[Contender],
    arrays: Arrays,
    warm_up: Arrays | None,
    *,
    rounds: int = ROUNDS,
    patience: float = PATIENCE,
) -> Runs:
    """Run every contender in turn, and again while it has not used up its rounds or the patience.

    In turn, so that a machine that slows down slows all of them.

    Parameters
    ----------
    contenders : sequence of Contender
    arrays : dict from str to ndarray
    warm_up : dict from str to ndarray or None
        The same of a few rows, worked on before in each process; None to start cold.
    rounds : int
    patience : float
        Wall seconds.

    Raises
    ------
    BenchmarkError
        If a contender ends in an error.
    """
    skipped = [one.missing for one in contenders if one.missing]
    present = [one for one in contenders if not one.missing]
    by_name: dict[str, list[Run]] = {one.name: [] for one in present}
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "input.npz"), **arrays)  # type: ignore[arg-type]
        if warm_up is not None:
            np.savez(Path(folder, "warm_up.npz"), **warm_up)  # type: ignore[arg-type]
        for _ in range(rounds):
            for one in present:
                runs = by_name[one.name]
                if sum(run.parts[ALL].wall for run in runs) < patience:
                    runs.append(run_once(one, Path(folder)))
    return Runs(by_name, skipped)


def run_once(contender: Contender, inputs: Path) -> Run:
    """Run a contender once on the arrays of a folder.

    Raises
    ------
    BenchmarkError
    """
    options = json.dumps(dict(contender.options))
    with tempfile.TemporaryDirectory() as outputs:
        process = run_python(
            ["-m", "benchmarks.child", contender.call, options, str(inputs), outputs],
            contender.environment,
            contender.name,
        )
        with np.load(Path(outputs, "output.npz"), allow_pickle=False) as found:
            arrays = dict(found)
        took = json.loads(Path(outputs, "output.json").read_text())
    return Run(
        arrays=arrays,
        parts={name: Seconds(*seconds) for name, seconds in took["parts"].items()},
        process=process,
        peak_bytes=took["peak_bytes"],
        modules=tuple(took["modules"]),
    )


def run_python(arguments: Sequence[str], environment: Mapping[str, str], what: str) -> Seconds:
    """Run Python to its end and return what the process took.

    Raises
    ------
    BenchmarkError
        With the end of what it wrote, if it fails.
    """
    inherited = {name: value for name, value in os.environ.items() if name not in _STEERED}
    start = _children()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,  # so that this checkout is measured, not one that is installed
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        tail = "\n".join(done.stderr.strip().splitlines()[-6:])
        raise BenchmarkError(f"{what} ended with exit code {done.returncode}:\n{tail}")
    return _children().minus(start)


def median(runs: Sequence[Run], *, without: Sequence[str] = ()) -> Seconds:
    """Return the medians of wall and CPU seconds, less those of the parts in `without`."""
    seconds = []
    for run in runs:
        spent = run.parts[ALL]
        for part in without:
            spent = spent.minus(run.parts[part])
        seconds.append(spent)
    return Seconds(
        statistics.median(one.wall for one in seconds),
        statistics.median(one.cpu for one in seconds),
    )


def _children() -> Seconds:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Seconds(time.perf_counter(), used.ru_utime + used.ru_stime)
