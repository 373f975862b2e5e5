"""A run that is killed, at whatever moment, leaves nothing that the next one cannot read."""

from __future__ import annotations

import random
import signal
import subprocess
import sys

SERVER = """
import os, signal, sys, time
import pytest
import numpy
import pytest_splitcheck.cache.store, pytest_splitcheck.gate, pytest_splitcheck.plugin
import pytest_splitcheck.report.json_file, pytest_splitcheck.session.outputs
from pytest_splitcheck import ClassSplit, evaluate

rows = numpy.arange(180.0).reshape(90, 2)
evaluate(ClassSplit(rows, numpy.arange(90) % 3), detectors=("knn", "lof"), n_jobs=1, k=4).to_dict()

# Each run is a fork, which has imported all: what is killed is the run, not its start.
for line in sys.stdin:
    kill_after, *args = line.split()
    start = time.perf_counter()
    child = os.fork()
    if not child:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        os._exit(pytest.main(args))
    if float(kill_after):
        time.sleep(float(kill_after))
        os.kill(child, signal.SIGKILL)  # one that has ended is there until it is waited for
    print(os.waitpid(child, 0)[1], time.perf_counter() - start, flush=True)
"""

TESTS = """
import numpy as np
import pytest
from pytest_splitcheck import ClassSplit


@pytest.mark.parametrize("number", range(3))
def test_it(splitcheck, number):
    rng = np.random.default_rng(number)
    y = np.arange(90) % 3
    split = ClassSplit(rng.normal(size=(90, 2)) + 9 * y[:, None], y, name=f"rows {number}")
    splitcheck(split, detectors=("knn", "lof"), n_jobs=1, k=4)
"""

KILLS = 50


def test_killed_at_random_moments(bare):
    path = bare.makepyfile(TESTS)
    # Without another plugin, which takes most of a run at its end.
    options = f"-q -p no:hypothesispytest --rootdir={bare.path} {path}"
    options += f" --splitcheck-json={bare.path}/out.json"
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        cwd=bare.path,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )

    def run(more="", kill_after=0.0):
        server.stdin.write(f"{kill_after} {options} {more}\n")
        server.stdin.flush()
        status, took = server.stdout.readline().split()
        return int(status), float(took)

    with server:
        assert run("--splitcheck-no-cache")[0] == 0
        status, took = run("--splitcheck-no-cache")  # the first waits for the disk
        assert status == 0
        clean = (bare.path / "out.json").read_bytes()
        kept = bare.path / ".pytest_cache" / "d" / "splitcheck"
        moments, killed, sizes = random.Random(0), 0, set()
        for number in range(KILLS):
            clear = "--cache-clear" if number % 5 == 0 else ""
            status, _ = run(clear, kill_after=moments.uniform(0, took))
            killed += status == signal.SIGKILL
            sizes.add(len(list(kept.iterdir())) if kept.is_dir() else 0)
            assert (bare.path / "out.json").read_bytes() == clean
            if number % 10 == 9:
                assert run()[0] == 0
                assert (bare.path / "out.json").read_bytes() == clean
        server.stdin.close()
    assert killed > KILLS / 4
    assert len(sizes) > 2, sizes  # it was killed before, between and after the files
