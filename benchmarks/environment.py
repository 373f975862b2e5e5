"""What the figures were measured on and with."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
from pathlib import Path
from typing import Any

from joblib import cpu_count
from threadpoolctl import threadpool_info

_DISTRIBUTIONS = (
    "pytest-splitcheck",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "faiss-cpu",
    "hnswlib",
    "usearch",
    "pyod",
)


def environment() -> dict[str, Any]:
    """Return Python, library versions, CPU and BLAS as plain Python."""
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "cpus_usable": int(cpu_count()),
        "blas": numpy_architecture(),
        "versions": {name: _version(name) for name in _DISTRIBUTIONS},
    }


def cpu_model() -> str:
    """Return the name that the CPU gives itself."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*: (.*)$", info.read_text(), re.M) if info.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def numpy_architecture() -> str | None:
    """Return the architecture that numpy's OpenBLAS has picked its kernels for, or None."""
    import numpy  # noqa: F401  # loads its BLAS, for threadpoolctl to see

    for library in threadpool_info():
        if library["internal_api"] == "openblas" and library.get("architecture"):
            return str(library["architecture"])
    return None


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
