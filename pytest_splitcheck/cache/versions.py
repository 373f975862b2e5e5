"""What the numbers depend on beside the data and the options: the code that measures."""

from __future__ import annotations

import functools
import hashlib
import platform
from importlib import metadata
from pathlib import Path
from typing import Final

__all__ = ["versions"]

_PACKAGES: Final = (
    "numpy",
    "scipy",
    "scikit-learn",
    "pynndescent",
    "numba",
    "pyod",
    "torch",
    "pytest-splitcheck",
)
"""Those that measure, and those that a detector of PyOD may be made of."""


@functools.cache
def versions() -> tuple[str, ...]:
    """Return the machine, the versions of Python and of the packages, and the digest of this package's source."""
    machine = (platform.python_implementation(), platform.python_version(), platform.machine())
    return (*machine, platform.system(), *map(_version, _PACKAGES), _source())


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _source() -> str:
    """Return a digest of all modules: in a checkout they change while the version does not."""
    home = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        digest.update(path.relative_to(home).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
