"""The folder of files in which parts of measurements are kept, one in each.

Nothing that happens to it can do harm: a file that is not whole, or not ours, counts for nothing, and where none
can be written, none is. Files are never changed, only replaced by one of the same content, so that several processes
may do with the folder what they like.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Final

from pytest_splitcheck.cache.outline import Outline
from pytest_splitcheck.cache.parts import packed, unpacked
from pytest_splitcheck.cache.versions import versions
from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.files import write_atomically

__all__ = ["Store"]

_MAGIC: Final = b"pytest-splitcheck 1\n"
"""The first line of a file; the number changes with the way in which parts are written."""

_HEAD: Final = len(_MAGIC) + hashlib.sha256().digest_size

_LARGEST: Final = 1 << 24
"""Bytes of a file at most."""

_MOST_BYTES, _MOST_FILES = 1 << 26, 10_000
"""What the folder may hold; before it is full, what was not used for the longest time goes."""

_STEP = 0.1
"""Of that is written at most until somebody looks how full it is."""


class Store:
    """The folder.

    Parameters
    ----------
    folder : callable
        Makes the folder, if need be, and returns its path; called once, with the first thing that is sought.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._make: Callable[[], Path] | None = folder
        self._folder: Path | None = None
        self._writes = True
        self._room = 0.0

    def shelf(self, benchmark: ClassSplit, fingerprint: str, transformer: Hashable) -> Shelf:
        """Return the place for the parts of one benchmark.

        Parameters
        ----------
        benchmark : ClassSplit
        fingerprint : str
            Its own.
        transformer : hashable
            What `identify` makes of its transformer.
        """
        return Shelf(self, Outline.of(benchmark), (fingerprint, transformer))

    def read(self, name: str) -> bytes | None:
        """Return what was written under a name, or None."""
        path = self._path(name)
        if path is None:
            return None
        try:
            data = path.read_bytes() if _is_ours(path) else b""
        except OSError:
            return None
        with contextlib.suppress(OSError):  # it was used, but the folder may be read-only
            os.utime(path)
        return data[_HEAD:] if data[:_HEAD] == _head(name, data[_HEAD:]) else None

    def write(self, name: str, body: bytes) -> None:
        """Write under a name, if that can be done."""
        path = self._path(name)
        if path is None or not self._writes or _HEAD + len(body) > _LARGEST:
            return
        try:
            if os.path.lexists(path) and not _is_ours(path):
                return
            write_atomically(path, _head(name, body) + body)
        except OSError:  # no room, no right to: the next would fare no better
            self._writes = False
            return
        self._room -= 1 / _MOST_FILES + len(body) / _MOST_BYTES
        if self._room < 0:
            self._room = _STEP
            with contextlib.suppress(OSError):
                _make_room(path.parent)

    def _path(self, name: str) -> Path | None:
        if self._make is not None:
            make, self._make = self._make, None
            with contextlib.suppress(OSError):
                self._folder = make()
        return None if self._folder is None else self._folder / name


class Shelf:
    """The parts of one benchmark; see `measure.memory.Shelf`."""

    def __init__(self, store: Store, outline: Outline, of: tuple[Hashable, ...]) -> None:
        self._store, self._outline, self._of = store, outline, of

    def get(self, key: Hashable) -> Any:
        """Return what was put under `key`, equal in every bit, or None."""
        name = self._name(key)
        data = None if name is None else self._store.read(name)
        return None if data is None else unpacked(key, data, self._outline)

    def put(self, key: Hashable, part: Any) -> None:
        """Keep `part` if that can be done, else do nothing."""
        name = self._name(key)
        data = None if name is None else packed(key, part, self._outline)
        if name is not None and data is not None:
            self._store.write(name, data)

    def _name(self, key: Hashable) -> str | None:
        """Return the file of a part; None if something that it depends on lasts no longer than the session."""
        whole = (versions(), self._of, key)
        if not _lasts(whole):
            return None
        return hashlib.sha256(repr(whole).encode()).hexdigest()[:40]


def _lasts(key: Any) -> bool:
    """Tell whether a key is made of values whose `repr` means the same in every run."""
    if type(key) is tuple:
        return all(map(_lasts, key))
    return key is None or type(key) in (str, int, float, bool)


def _head(name: str, body: bytes) -> bytes:
    """Return what a file begins with, which no other file begins with, nor any that is cut short."""
    return _MAGIC + hashlib.sha256(name.encode() + body).digest()


def _is_ours(path: Path) -> bool:
    """Tell whether there is a file that can be one of ours; links lead elsewhere, pipes keep one waiting."""
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and found.st_size <= _LARGEST


def _make_room(folder: Path) -> None:
    """Remove what was not used for the longest time, if there is no room for another step."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                told = entry.stat(follow_symlinks=False)
                found.append((told.st_mtime_ns, told.st_size, entry.path))
    full = sum(1 / _MOST_FILES + size / _MOST_BYTES for _, size, _ in found)
    if full <= 1 - _STEP:
        return
    for _, size, path in sorted(found):
        with contextlib.suppress(OSError):
            os.unlink(path)
            full -= 1 / _MOST_FILES + size / _MOST_BYTES
        if full <= 1 - 2 * _STEP:
            return
