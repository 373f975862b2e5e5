"""A check in a test: the fixture that is called, and what each check does."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.session.progress import Progress
from pytest_splitcheck.settings import Settings

if TYPE_CHECKING:
    from pytest_splitcheck.cache.store import Store
    from pytest_splitcheck.declare.class_split import ClassSplit
    from pytest_splitcheck.gate import Gate
    from pytest_splitcheck.measure.results import Report
    from pytest_splitcheck.report.baseline import Baseline

__all__ = [
    "BASELINE",
    "PROGRESS",
    "RECORDS",
    "WIDTH",
    "SplitcheckFixture",
    "check",
    "unmeasured",
]

WIDTH = pytest.StashKey[int]()
"""Of the configuration: cells of a line of the terminal, which a captured test does not see."""

PROGRESS = pytest.StashKey[Progress]()
"""Of the configuration: where it is shown how far a measurement is."""

BASELINE: pytest.StashKey[Baseline | None] = pytest.StashKey()
"""Of the configuration: what benchmarks are held against beside their limits."""

_GATE = pytest.StashKey[Any]()

_FOLDER = "splitcheck"
"""Within what pytest clears by ``--cache-clear``."""

RECORDS = pytest.StashKey[list[dict[str, Any]]]()
"""Of an item: the records of its checks so far."""

_UNMEASURED = pytest.StashKey[list[dict[str, Any]]]()
"""Of an item: its benchmarks so far that could not be measured."""


class SplitcheckFixture:
    """The type of the ``splitcheck`` fixture: call it with a benchmark, get its report."""

    def __init__(self, item: pytest.Item, settings: Settings) -> None:
        self._item = item
        self._settings = settings

    def __repr__(self) -> str:
        return "<splitcheck fixture>"

    def __call__(self, benchmark: ClassSplit, /, *more: Any, **overrides: Any) -> Report:
        """Measure `benchmark`, hold it against the limits and return the report.

        Parameters
        ----------
        benchmark : ClassSplit
        **overrides
            Limits and options by name (``max_rho_dir=0.1``, ``k=5``, ``detectors=("knn",)``); they
            take precedence over the marker, the command line and the ini file.

        Raises
        ------
        IllPosedSplit
            If a limit is exceeded.
        UndecidedSplit
            If there is too little data for a verdict, unless ``undecided`` is "warn" or "pass".
        InputError
            If the benchmark cannot be measured.
        UnknownKeyword
            If there is no limit or option of that name; a TypeError.
        """
        if more:
            raise InputError("one benchmark is checked at a time: splitcheck(ClassSplit(X, y)).")
        fixtures = getattr(self._item, "funcargs", {}).items()
        name = next((name for name, value in fixtures if value is benchmark), self._item.name)
        try:
            settings = self._settings.of_call(overrides)
        except InputError as error:
            _keep(self._item, error, _called(self._item, name), benchmark)
            raise
        return check(self._item, benchmark, settings, name)


def check(item: pytest.Item, benchmark: Any, settings: Settings, name: str) -> Report:
    """Measure a benchmark by settings, keep its record, and return its report if it passes.

    Parameters
    ----------
    item : pytest.Item
        Whose check it is.
    benchmark : ClassSplit
        Anything else is refused.
    settings : Settings
    name : str
        What it is called if it has no name of its own.
    """
    name = _called(item, name)
    gate = _gate_of(item.config, settings)
    try:
        with item.config.stash[PROGRESS].of(name) as progress:
            passage = gate.check(
                benchmark, settings.protocol(), settings.thresholds(), name, progress=progress
            )
    except InputError as error:
        _keep(item, error, name, benchmark)
        raise
    passage.entry["declared"] = getattr(item, "declared", None)
    provenance = {"nodeid": item.nodeid, "options": settings.told()}
    item.stash.setdefault(RECORDS, []).append({**passage.entry, **provenance})
    width = item.config.stash[WIDTH] - len("E" + " " * 11)
    try:
        passage.refuse(settings.policy(), width, item.warn)
    except InputError as error:  # it was measured, and its record says that the baseline refuses it
        error.recorded = True
        raise
    return passage.report


def unmeasured(item: pytest.Item, error: BaseException | None) -> list[dict[str, Any]]:
    """Return the benchmarks of a test that could not be measured, plain data, and forget them.

    Parameters
    ----------
    item : pytest.Item
    error : BaseException or None
        What the test ended in. An InputError that no check told of, as of a fixture that declares a benchmark,
        goes by the name of that fixture, or of the test.

    Returns
    -------
    list of dict
        ``nodeid``, ``name``, ``representation`` (a text or None) and ``message``.
    """
    if isinstance(error, InputError) and not error.recorded:
        name = getattr(item, "benchmark", None) or error.fixture or item.name
        item.stash.setdefault(_UNMEASURED, []).append(_error(item, error, _called(item, name)))
    found = item.stash.get(_UNMEASURED, [])
    item.stash[_UNMEASURED] = []
    return found


def _called(item: pytest.Item, name: str) -> str:
    """Return what a benchmark goes by: the name of its fixture, with that of its parameters."""
    callspec = getattr(item, "callspec", None)
    return f"{name}[{callspec.id}]" if callspec is not None and name in callspec.params else name


def _keep(item: pytest.Item, error: InputError, name: str, benchmark: Any) -> None:
    """Keep that a benchmark could not be measured, and why."""
    from pytest_splitcheck.declare.class_split import ClassSplit

    told = _error(item, error, name)
    if isinstance(benchmark, ClassSplit):
        told |= {"name": benchmark.name or name, "representation": benchmark.representation}
    item.stash.setdefault(_UNMEASURED, []).append(told)
    error.recorded = True


def _error(item: pytest.Item, error: InputError, name: str) -> dict[str, Any]:
    return {"nodeid": item.nodeid, "name": name, "representation": None, "message": str(error)}


def _gate_of(config: pytest.Config, settings: Settings) -> Gate:
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
