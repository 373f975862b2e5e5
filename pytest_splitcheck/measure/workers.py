"""Threads that work on blocks, within a memory budget, and tell how far they are."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["Progress", "Workers"]

Progress = Callable[[str, int, int], object]
"""Called with a stage, the units that are done and all units; never from two threads at once."""

S = TypeVar("S")
T = TypeVar("T")


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

    def with_room_for(self, each: int) -> Workers:
        """Return as many threads of these as there is room for, if each takes so many bytes; one at least."""
        return replace(self, threads=max(1, min(self.threads, self.part // max(1, each))))

    def map(self, stage: str, work: Callable[[S], T], items: Sequence[S]) -> list[T]:
        """Return what `work` gives for each item, in order; BLAS is held to one thread each."""
        results: list[Any] = [None] * len(items)
        todo, one_at_a_time = iter(enumerate(items)), threading.Lock()
        done: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
        stop = threading.Event()

        def take_units() -> None:
            try:
                _limit_blas()
                with _blas_limit:
                    while not stop.is_set():
                        with one_at_a_time:
                            position, item = next(todo, (-1, None))
                        if position < 0:
                            return
                        done.put((position, work(cast(S, item)), None))
            except BaseException as error:
                done.put((-1, None, error))

        # Even one thread is not the caller's, which stays free to be interrupted.
        threads = max(1, min(self.threads, len(items)))
        with ThreadPoolExecutor(threads) as pool:
            try:
                for _ in range(threads):
                    pool.submit(take_units)
                for number in range(1, len(items) + 1):
                    position, result, error = done.get()
                    if error is not None:
                        raise error
                    results[position] = result
                    self.progress(stage, number, len(items))
            finally:
                stop.set()
        return results


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
