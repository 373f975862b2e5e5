"""The gate of a run of pytest, with what its options put behind it: cache, baseline and pictures."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from pytest_splitcheck.ratchet import BASELINE

if TYPE_CHECKING:
    from pytest_splitcheck.cache.store import Store
    from pytest_splitcheck.gate import Gate
    from pytest_splitcheck.settings import Settings

__all__ = ["gate_of"]

_GATE = pytest.StashKey[Any]()

_FOLDER = "splitcheck"
"""Within what pytest clears by ``--cache-clear``."""


def gate_of(config: pytest.Config, settings: Settings) -> Gate:
    """Return the gate of this run, which is made with the first check."""
    from pytest_splitcheck.gate import Gate

    if _GATE not in config.stash:
        run = settings.run_options()
        config.stash[_GATE] = Gate(
            embedding=run.embedding if run.html else None,
            baseline=config.stash[BASELINE],
            store=_store(config) if run.cache else None,
        )
    return config.stash[_GATE]  # type: ignore[no-any-return]


def _store(config: pytest.Config) -> Store | None:
    """Return the place for measurements in pytest's cache directory; none with -p no:cacheprovider."""
    from pytest_splitcheck.cache.store import Store

    cache: pytest.Cache | None = getattr(config, "cache", None)
    return None if cache is None else Store(functools.partial(cache.mkdir, _FOLDER))
