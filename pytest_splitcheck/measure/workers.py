"""Threads that work on blocks, within a memory budget, and tell how far they are."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["Progress", "Workers"]

Progress = Callable[[str, int, int], object]
"""Called with a stage, the units that are done and all units; never from two threads at once."""

S = TypeVar("S")
T = TypeVar("T")

_AHEAD = 2
"""Units that wait per thread, so that an interruption leaves few to finish."""


def _silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Workers:
    """What a measurement may use of the machine; its numbers do not depend on it.

    Attributes
    ----------
    threads : int
    memory : int
        Bytes of working memory beyond the data.
    progress : callable
    """

    threads: int = 1
    memory: int = 1 << 30
    progress: Progress = field(default=_silent, repr=False)

    @property
    def part(self) -> int:
        """Bytes for each of three: the base of a search, its blocks, and what is found."""
        return self.memory // 3

    @property
    def share(self) -> int:
        """Bytes that the blocks of each thread may take."""
        return self.part // self.threads

    def map(self, stage: str, work: Callable[[S], T], items: Sequence[S]) -> list[T]:
        """Return what `work` gives for each item, in order; BLAS is held to one thread each."""
        results: list[Any] = [None] * len(items)
        # Even one thread is not the caller's, which stays free to be interrupted.
        threads = max(1, min(self.threads, len(items)))
        with ThreadPoolExecutor(threads, initializer=_limit_blas) as pool:
            done = _in_any_order(
                pool, functools.partial(_with_one_blas_thread, work), items, threads
            )
            for number, (position, result) in enumerate(done, start=1):
                results[position] = result
                self.progress(stage, number, len(items))
        return results


def _in_any_order(
    pool: ThreadPoolExecutor, work: Callable[[S], T], items: Sequence[S], threads: int
) -> Iterator[tuple[int, T]]:
    """Yield (position, result) as units end; only a few are handed out ahead."""
    waiting: dict[Future[T], int] = {}
    todo = iter(enumerate(items))
    try:
        while True:
            while len(waiting) < _AHEAD * threads and (unit := next(todo, None)) is not None:
                waiting[pool.submit(work, unit[1])] = unit[0]
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _with_one_blas_thread(work: Callable[[S], T], item: S) -> T:
    with _blas_limit:
        return work(item)


class _BlasLimit:
    """The limit of BLAS to one thread, from the first user's start to the last one's end.

    Most builds have one limit for the process, which only the thread that set it can lift: a thread that
    does nothing else. The users are threads of a pool, which no interruption reaches.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.lifted = threading.Event()
        self.keeper = threading.Thread()

    def __enter__(self) -> None:
        with self.lock:
            self.users += 1
            if self.users == 1:
                is_set, self.lifted = threading.Event(), threading.Event()
                self.keeper = threading.Thread(
                    target=self._keep, args=(is_set, self.lifted), daemon=True
                )
                self.keeper.start()
                is_set.wait()

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                self.lifted.set()
                self.keeper.join()

    @staticmethod
    def _keep(is_set: threading.Event, lifted: threading.Event) -> None:
        try:
            with _libraries().limit(limits=1, user_api="blas"):
                is_set.set()
                lifted.wait()
        finally:
            is_set.set()  # also if it cannot be set


_blas_limit = _BlasLimit()


def _limit_blas() -> None:
    """Limit BLAS for a thread that ends with its work, where a build has a limit for each thread."""
    _libraries().limit(limits=1, user_api="blas")


@functools.cache
def _libraries() -> ThreadpoolController:
    """Return the libraries that are loaded, numpy's BLAS among them; finding them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
