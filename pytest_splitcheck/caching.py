"""The gate of a run of pytest, with pytest's cache directory behind it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_splitcheck.gate import Gate
    from pytest_splitcheck.settings import Settings

__all__ = ["gate_of"]

_GATE = pytest.StashKey[Any]()

_FOLDER = "splitcheck"
"""Within what pytest clears by ``--cache-clear``."""


def gate_of(config: pytest.Config, settings: Settings) -> Gate:
    """Return the gate of this run; the folder is made with the first check, unless there is to be none."""
    from pytest_splitcheck.cache.store import Store
    from pytest_splitcheck.gate import Gate

    if _GATE not in config.stash:
        cache: pytest.Cache | None = getattr(config, "cache", None)
        if cache is None or not settings.run_options().cache:  # no cache with -p no:cacheprovider
            config.stash[_GATE] = Gate()
        else:
            config.stash[_GATE] = Gate(Store(functools.partial(cache.mkdir, _FOLDER)))
    return config.stash[_GATE]  # type: ignore[no-any-return]
