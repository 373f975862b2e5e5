"""What figures were made by: the versions of everything that they depend on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

__all__ = ["provenance"]

_PACKAGES = ("pytest-splitcheck", "pytest", "numpy", "scipy", "scikit-learn", "pynndescent")


def provenance() -> dict[str, str]:
    """Return the version of Python and of each package, by name; nothing is imported for it."""
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # used from its source
            versions[name] = "unknown"
    return versions
