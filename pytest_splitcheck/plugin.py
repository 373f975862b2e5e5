"""The pytest side: options, the fixture and the marker. No arithmetic here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pytest_splitcheck.errors import OUR_ERRORS, InputError, hide_from_users
from pytest_splitcheck.session.checks import (
    BASELINE,
    PROGRESS,
    RECORDS,
    WIDTH,
    SplitcheckFixture,
    unmeasured,
)
from pytest_splitcheck.session.junit import add_properties
from pytest_splitcheck.session.markers import benchmarks, check_markers, marker_line, use_benchmarks
from pytest_splitcheck.session.notices import Notices
from pytest_splitcheck.session.progress import Progress, display_of
from pytest_splitcheck.session.summary import ENTRIES, ERRORS, Summary
from pytest_splitcheck.settings import Settings, add_options, check_flags

__tracebackhide__ = hide_from_users

_SETTINGS = pytest.StashKey[Settings]()
_OURS = pytest.StashKey[bool]()


@pytest.fixture
def splitcheck(request: pytest.FixtureRequest) -> SplitcheckFixture:
    """Check a class-split benchmark: ``report = splitcheck(benchmark, max_rho_dir=0.1)``.

    Raises IllPosedSplit if the benchmark exceeds a limit; returns its report otherwise. Limits and
    options come from the call, the splitcheck marker, the command line and the ini file.
    """
    item = request.node
    return SplitcheckFixture(item, item.config.stash[_SETTINGS].of_item(item))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options."""
    add_options(parser)


def pytest_load_initial_conftests(args: list[str]) -> None:
    """Refuse misspelt flags before pytest does, which would not offer the nearest."""
    check_flags(args)


def pytest_configure(config: pytest.Config) -> None:
    """Resolve the options, which refuses wrong ones before any test runs."""
    config.addinivalue_line("markers", marker_line())
    if config.getoption("help"):
        return
    settings = config.stash[_SETTINGS] = Settings.from_config(config)
    run = settings.run_options()
    config.stash[BASELINE] = None
    if run.baseline is not None:
        from pytest_splitcheck.session.ratchet import read_baseline

        config.stash[BASELINE] = read_baseline(config, settings)
    register = config.pluginmanager.register
    config.stash[WIDTH] = shutil.get_terminal_size().columns  # not to be seen from a captured test
    progress = config.stash[PROGRESS] = Progress(display_of(config))
    register(Notices(config, progress), "splitcheck-notices")
    if hasattr(config, "workerinput"):
        return
    summary = Summary(config)
    register(summary, "splitcheck-summary")
    if run.written:
        from pytest_splitcheck.session.outputs import Outputs

        register(Outputs(config, settings, summary), "splitcheck-outputs")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from pytest_splitcheck.session.actions import Actions

        register(Actions(config, summary), "splitcheck-actions")
    if (baseline := config.stash[BASELINE]) is not None:
        from pytest_splitcheck.session.ratchet import Ratchet

        register(Ratchet(baseline, summary), "splitcheck-ratchet")


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> None:
    """Let pytest set up the fixtures that markers name, parametrized ones included."""
    use_benchmarks(obj)
    if isinstance(collector, pytest.Module):
        use_benchmarks(collector)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Any:
    """Collect a benchmark that is declared without code."""
    if not file_path.name.endswith(".splitcheck.toml"):
        return None
    from pytest_splitcheck.session.toml_items import TomlFile

    stash = parent.config.stash
    given: dict[str, Any] = {"settings": stash[_SETTINGS], "progress": stash[PROGRESS]}
    return TomlFile.from_parent(parent, path=file_path, **given)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse wrong markers before any test runs; a worker of pytest-xdist cannot, and waits."""
    if hasattr(session.config, "workerinput"):
        return
    for item in session.items:
        try:
            check_markers(item, session.config.stash[_SETTINGS])
        except InputError as error:
            raise pytest.UsageError(f"{item.nodeid}: {error}") from None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse wrong markers in a worker of pytest-xdist."""
    item.stash[_OURS] = True
    check_markers(item, item.config.stash[_SETTINGS])
    item.stash[_OURS] = False


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object],
) -> Generator[None, object, object]:
    """Keep with an input that is refused which fixture it is of."""
    __tracebackhide__ = True  # of errors that have nothing to do with us
    try:
        return (yield)
    except InputError as error:
        error.fixture = error.fixture or fixturedef.argname
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Check the benchmarks that the markers of a test name, before it runs."""
    __tracebackhide__ = True
    if names := benchmarks(item):
        from pytest_splitcheck.session.preconditions import check_preconditions

        item.stash[_OURS] = True
        check_preconditions(item, item.config.stash[_SETTINGS], names)
        item.stash[_OURS] = False
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the records of a test on its report, as plain data that pytest-xdist carries."""
    report = yield
    if entries := item.stash.get(RECORDS, []):
        setattr(report, ENTRIES, entries)
        item.stash[RECORDS] = []
    if errors := unmeasured(item, None if call.excinfo is None else call.excinfo.value):
        setattr(report, ERRORS, errors)
    add_properties(item, report, entries)
    if call.excinfo is not None and call.excinfo.errisinstance(OUR_ERRORS):
        from pytest_splitcheck.session.shown import show_message

        ours = item.stash.get(_OURS, False) or getattr(item, "checks_itself", False)
        show_message(report, call.excinfo, item, alone=ours and call.when != "teardown")
    return report
