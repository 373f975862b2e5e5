"""What the figures of a run were computed with."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

__all__ = ["provenance"]

_PACKAGES = ("pytest-splitcheck", "pytest", "numpy", "scipy", "scikit-learn", "pynndescent")


def provenance() -> dict[str, str]:
    """Return the versions of Python and of the packages that figures depend on, by name.

    Nothing in it tells the machine or the time, so that equal runs give equal files.
    """
    return {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # a checkout on the path, or a repackaged distribution
        return "unknown"
