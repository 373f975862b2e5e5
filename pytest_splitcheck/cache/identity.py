"""What a detector or a representation is, within a session and beyond it."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Hashable
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any, Final

__all__ = ["Passing", "identify"]

_VERSIONED: Final = frozenset({"numpy", "scipy", "sklearn", "pyod", "pytest_splitcheck"})
"""Packages whose code is as their version, or the digest of their source, has it."""

_STANDARD: Final = frozenset(
    {"_codecs", "_operator", "builtins", "collections", "copyreg", "datetime", "decimal"}
    | {"fractions", "functools", "itertools", "math", "operator", "pathlib", "random"}
)
"""Modules of Python's own that are found in pickles."""


@dataclass(frozen=True, slots=True)
class Passing:
    """An identity for this session only: some code of the author's is in it, and may change.

    Attributes
    ----------
    digest : str
    """

    digest: str


def identify(thing: object) -> Hashable:
    """Return a value that is equal for things that do the same.

    That is the digest of their pickle as a string, if all classes and functions in it come from Python,
    NumPy, SciPy, scikit-learn, PyOD or this package; else it is `Passing`. A set or frozenset counts by its members,
    in whatever order this process has them. A thing that cannot be pickled may have
    changed since it was last seen, and gets a new value each time, and so does one with a function of the
    author's, of which a pickle has the name alone: what it reads besides its arguments may have changed.
    """
    digest = _Digest()
    pickler = _Watching(digest)
    try:
        pickler.dump(thing)
    except Exception:  # whatever a foreign __reduce__ raises
        return object()
    if pickler.has_functions:
        return object()
    found = digest.hash.hexdigest()
    return Passing(found) if pickler.foreign else found


class _Digest:
    """A file that keeps nothing but the hash of what was written."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self.hash.update(view)
        return view.nbytes


class _Watching(pickle.Pickler):
    """A pickler that takes note of code from elsewhere."""

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.foreign = self.has_functions = False

    def persistent_id(self, thing: Any) -> Any:
        """Return what stands for a set, whose pickle has its members in the order of their hashes; None for others."""
        if type(thing) not in (set, frozenset):
            return None
        return type(thing).__name__, sorted(map(self._member, thing))

    def _member(self, thing: Any) -> str:
        digest = _Digest()
        pickler = _Watching(digest)
        pickler.dump(thing)
        self.foreign |= pickler.foreign
        self.has_functions |= pickler.has_functions
        return digest.hash.hexdigest()

    def reducer_override(self, thing: Any) -> Any:
        """Look at a thing: a class, a function, or an object, whose class comes in its turn."""
        named = isinstance(getattr(thing, "__qualname__", None), str)
        module = str((thing if named else type(thing)).__module__)
        known = module in _STANDARD or module.partition(".")[0] in _VERSIONED
        self.foreign = self.foreign or not known
        self.has_functions |= not known and isinstance(thing, FunctionType | MethodType)
        return NotImplemented
