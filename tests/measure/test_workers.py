from __future__ import annotations

import _thread
import contextlib
import signal
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from pytest_splitcheck import ClassSplit, evaluate
from pytest_splitcheck.measure.workers import Workers
from tests.builders import FirstColumn, labels, plain


def blas_threads():
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order(threads):
    def work(item):
        time.sleep(0.002 * (item % 3))
        return item * item

    assert Workers(threads).map("s", work, range(30)) == [item * item for item in range(30)]


@pytest.mark.parametrize("threads", [1, 3])
def test_nothing_to_do(threads):
    assert Workers(threads).map("s", abs, []) == []


@pytest.mark.parametrize("threads", [1, 3])
def test_progress_counts_every_unit(threads):
    told = []
    Workers(threads, progress=lambda *step: told.append(step)).map("stage", abs, range(7))
    assert told == [("stage", done, 7) for done in range(1, 8)]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_the_work_comes_out(threads):
    with pytest.raises(ZeroDivisionError):
        Workers(threads).map("s", lambda item: 1 // item, range(3))


def test_blas_has_one_thread_while_any_call_works_and_its_own_after():
    before = blas_threads()
    inside, release = threading.Event(), threading.Event()

    def wait(item):
        inside.set()
        release.wait(10)
        return blas_threads()

    found = []
    long = threading.Thread(target=lambda: found.extend(Workers(1).map("long", wait, [0])))
    long.start()
    inside.wait(10)
    (short,) = Workers(1).map("short", lambda item: blas_threads(), [0])
    release.set()
    long.join()
    assert set(short) == {1}
    assert set(found[0]) == {1}
    assert blas_threads() == before


@pytest.fixture
def restored_sigint():
    """Let an interruption arrive also where this process was started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interruptions_at_any_moment_leave_no_limit_and_no_thread(restored_sigint):
    before, alive = blas_threads(), threading.active_count()
    for delay in np.random.default_rng(0).uniform(0, 0.004, 60):
        timer = threading.Timer(delay, _thread.interrupt_main)
        with contextlib.suppress(KeyboardInterrupt):
            timer.start()
            for _ in range(2000):
                Workers(2).map("s", abs, range(4))
        timer.join()
    deadline = time.perf_counter() + 5
    while threading.active_count() > alive and time.perf_counter() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == alive
    assert blas_threads() == before


def test_a_raising_callback_drops_what_waits():
    done = []

    def progress(stage, number, total):
        raise RuntimeError("enough")

    def work(item):
        time.sleep(0.05)
        done.append(item)

    with pytest.raises(RuntimeError, match="enough"):
        Workers(2, progress=progress).map("s", work, range(20))
    assert len(done) <= 4


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_ends_within_a_second(threads, restored_sigint):
    X = np.random.default_rng(0).normal(size=(12_000, 400))
    y = np.arange(len(X)) % 5
    interrupted = []

    def progress(stage, done, total):
        if not interrupted and stage == "leakage":
            interrupted.append(time.perf_counter())
            _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        evaluate(ClassSplit(X, y), detectors=(), n_jobs=threads, progress=progress)
    assert time.perf_counter() - interrupted[0] < 1.0


def test_every_stage_tells_how_far_it_is():
    told = []
    evaluate(
        ClassSplit(plain(90), labels(90), folds=3),
        k=3,
        detectors={"lof": "lof", "iforest": "iforest", "mine": FirstColumn()},
        seeds=(0,),
        progress=lambda stage, done, total: told.append((stage, done, total)),
    )
    stages = {stage for stage, _, _ in told}
    assert stages >= {"leakage", "neighbours", "iforest", "mine"}
    assert all(0 < done <= total for _, done, total in told)
    assert all((stage, total, total) in told for stage, _, total in told)
