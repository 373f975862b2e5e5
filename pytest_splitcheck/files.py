"""Files that are whole or not there: written beside their place, then moved to it."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

__all__ = ["write_atomically"]


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that a reader finds all of it, or what was there before.

    Folders that are missing are made. A link stays one: the file that it points to is replaced, and keeps
    its permissions. What is not a regular file, such as ``/dev/stdout``, is written to directly. A process
    that is killed here can leave a file ``.splitcheck-....tmp`` in the folder.

    Parameters
    ----------
    path : str or path
    content : str or bytes
        Text is written as UTF-8 with its line ends as they are, and lone surrogates spelled out.

    Raises
    ------
    OSError
        If the file cannot be written; it names `path`, which then holds what it did before.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        _write(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from None


def _write(path: Path, data: bytes) -> None:
    if path.exists() and not path.is_file():
        with open(path, "wb") as file:
            file.write(data)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
    beside = path.parent / f".splitcheck-{secrets.token_hex(8)}.tmp"
    mode = path.stat().st_mode & 0o7777 if path.exists() else None
    try:
        with open(beside, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:  # an interruption too
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
