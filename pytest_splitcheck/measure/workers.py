"""Threads that work on blocks, within a memory budget, and tell how far they are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

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
    def share(self) -> int:
        """Bytes that each thread may use."""
        return self.memory // self.threads

    def map(self, stage: str, work: Callable[[S], T], items: Sequence[S]) -> list[T]:
        """Return what `work` gives for each item, in order; BLAS is held to one thread each."""
        results: list[Any] = [None] * len(items)
        if len(items) <= 1 or self.threads == 1:
            done = ((position, work(item)) for position, item in enumerate(items))
            with _one_blas_thread():
                return self._collect(stage, done, results)
        with _one_blas_thread(), ThreadPoolExecutor(min(self.threads, len(items))) as pool:
            return self._collect(stage, _in_any_order(pool, work, items, self.threads), results)

    def _collect(self, stage: str, done: Iterable[tuple[int, T]], results: list[Any]) -> list[T]:
        for number, (position, result) in enumerate(done, start=1):
            results[position] = result
            self.progress(stage, number, len(results))
        return results


def _in_any_order(
    pool: ThreadPoolExecutor, work: Callable[[S], T], items: Sequence[S], threads: int
) -> Iterator[tuple[int, T]]:
    """Yield (position, result) as units end; only a few are handed out ahead."""
    waiting: dict[Future[T], int] = {}
    todo = iter(enumerate(items))
    while True:
        while len(waiting) < _AHEAD * threads and (unit := next(todo, None)) is not None:
            waiting[pool.submit(work, unit[1])] = unit[0]
        if not waiting:
            return
        try:
            ended = wait(waiting, return_when=FIRST_COMPLETED).done
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        for future in ended:
            yield waiting.pop(future), future.result()


_blas_lock = threading.Lock()
_blas_users = 0
_blas_limits: Any = None


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread; the limit is the process's, so the last user lifts it."""
    global _blas_users, _blas_limits
    with _blas_lock:
        if _blas_users == 0:
            from threadpoolctl import threadpool_limits

            _blas_limits = threadpool_limits(1, "blas")
        _blas_users += 1
    try:
        yield
    finally:
        with _blas_lock:
            _blas_users -= 1
            if _blas_users == 0:
                _blas_limits.restore_original_limits()
                _blas_limits = None
