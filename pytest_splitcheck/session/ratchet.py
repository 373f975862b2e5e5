"""The baseline in pytest: read before the tests, and what it has to say after them."""

from __future__ import annotations

import pytest

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.options import BY_NAME
from pytest_splitcheck.report.baseline import Baseline
from pytest_splitcheck.report.baseline_file import read_baseline as recorded_in
from pytest_splitcheck.report.record import title
from pytest_splitcheck.report.text import some
from pytest_splitcheck.session.summary import Summary
from pytest_splitcheck.settings import Settings

__all__ = ["Ratchet", "read_baseline"]


def read_baseline(config: pytest.Config, settings: Settings) -> Baseline | None:
    """Return what benchmarks are held against; None without a baseline, and where it is to be updated.

    Raises
    ------
    pytest.UsageError
        If the file is missing or damaged; one that is to be updated may be missing.
    """
    run = settings.run_options()
    if run.baseline is None or (run.update_baseline and not run.baseline.exists()):
        return None
    source, inside = (
        settings.values["baseline"].source,
        run.baseline.is_relative_to(config.rootpath),
    )
    shown = str(run.baseline.relative_to(config.rootpath) if inside else run.baseline)
    try:
        recorded = recorded_in(run.baseline, shown)
    except FileNotFoundError:
        raise pytest.UsageError(
            f"{source}: there is no {shown}; {BY_NAME['update_baseline'].flag} records one."
        ) from None
    except OSError as error:
        raise pytest.UsageError(f"{source}: cannot read {shown}: {error.strerror}.") from None
    except InputError as error:
        raise pytest.UsageError(f"{source}: {error}") from None
    if run.update_baseline:
        return None
    return Baseline(shown=shown, recorded=recorded, tolerance=run.baseline_tolerance)


class Ratchet:
    """A plugin that tells what is not in the baseline, what is there to no use, and what got better.

    Parameters
    ----------
    baseline : Baseline
    summary : Summary
        Has the records, and is told.
    """

    def __init__(self, baseline: Baseline, summary: Summary) -> None:
        self._baseline = baseline
        self._summary = summary
        self._deselected = False

    def pytest_deselected(self) -> None:
        """Note that this is not the whole suite."""
        self._deselected = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tell it."""
        if not self._summary.ran or self._summary.broken:
            return
        records = self._summary.records()
        file, flag = self._baseline.shown, BY_NAME["update_baseline"].flag
        if missing := self._baseline.missing(records):
            told = f"not in {file}: {some(missing)}; {flag} records them"
            self._summary.tell(told, "yellow", quiet=True)
        stale = self._baseline.stale(records)
        if stale and not self._deselected and _is_whole(session):
            told = f"in {file}, but not checked in this run: {some(stale)}"
            self._summary.tell(told, "yellow", quiet=True)
        better = [(title(record), self._baseline.improved(record)) for record in records]
        if shown := [f"{name}: {', '.join(figures)}" for name, figures in better if figures]:
            self._summary.tell(f"better than {file} has it: {some(shown)}; {flag} records that")


def _is_whole(session: pytest.Session) -> bool:
    """Tell whether all tests ran that are there, as far as the controller of a run can know."""
    config, option = session.config, session.config.option
    chosen = ("keyword", "markexpr", "deselect", "lf", "stepwise", "ignore", "ignore_glob")
    if any(getattr(option, name, None) for name in chosen):
        return False
    ended = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    if not ended or (option.maxfail and session.testsfailed >= option.maxfail):
        return False
    if config.args_source == pytest.Config.ArgsSource.INVOCATION_DIR:
        return config.invocation_params.dir == config.rootpath
    return config.args_source == pytest.Config.ArgsSource.TESTPATHS
