"""The files of a run: checked before it, written by the controller alone after it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.files import write_atomically
from pytest_splitcheck.options import BY_NAME
from pytest_splitcheck.session.summary import Summary
from pytest_splitcheck.settings import Settings

__all__ = ["FORMATS", "Outputs"]

Records = list[dict[str, Any]]


def _json(records: Records, errors: Records, path: Path) -> str:
    from pytest_splitcheck.report.json_file import json_file
    from pytest_splitcheck.report.provenance import provenance

    return json_file(records, provenance(), errors)


def _html(records: Records, errors: Records, path: Path) -> str:
    from pytest_splitcheck.report.html.page import page
    from pytest_splitcheck.report.provenance import provenance

    return page(records, provenance(), errors)


def _csv(records: Records, errors: Records, path: Path) -> str:
    from pytest_splitcheck.report.csv_file import csv_file

    return csv_file(records)


def _baseline(records: Records, errors: Records, path: Path) -> str:
    from pytest_splitcheck.report.baseline import merged
    from pytest_splitcheck.report.baseline_file import read_baseline

    return merged(read_baseline(path, path.name) if path.exists() else {}, records)


FORMATS: Final[dict[str, Callable[[Records, Records, Path], str]]] = {
    "html": _html,
    "json": _json,
    "csv": _csv,
    "baseline": _baseline,
}
"""For each option that names a file to write, what is written to it: of the records of a run, as
`report.terminal.distinct` returns them, of what could not be measured, and of what the file has in it before. No records
are an empty list.
"""

_EXTRAS: Final = {"html": ("jinja2", "matplotlib")}
"""What a format needs beyond what the package itself does; the extra that installs it has its name."""

_RAN: Final = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)


class Outputs:
    """A plugin that writes the records of a run to files, at its end.

    A run that was interrupted, or in which the tests could not be collected, writes none.

    Parameters
    ----------
    config : pytest.Config
    settings : Settings
    summary : Summary
        Has the records, and is told what became of the files.

    Raises
    ------
    pytest.UsageError
        If a path cannot be written to, as far as that is known without trying, or a format needs a
        package that is not installed.
    """

    def __init__(self, config: pytest.Config, settings: Settings, summary: Summary) -> None:
        self._paths = settings.run_options().written
        self._summary = summary
        self._here = config.invocation_params.dir
        for name, path in self._paths.items():
            if complaint := _missing(name) or _complaint(path):
                raise pytest.UsageError(f"{settings.values[name].source}: {path} {complaint}.")
        for path in self._paths.values():
            names = [name for name, other in self._paths.items() if other == path]
            if len(names) > 1:
                flags = " and ".join(BY_NAME[name].flag for name in names)
                raise pytest.UsageError(f"{flags} name the same file, {path}.")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the files; one that cannot be written fails the run."""
        run, most = self._summary, session.config.option.maxfail
        if not run.ran:
            return
        # After so many failures pytest-xdist says that it was interrupted.
        ended = exitstatus in _RAN or (bool(most) and session.testsfailed >= most)
        if run.broken or not ended:
            shown = ", ".join(map(self._shown, self._paths.values()))
            self._summary.tell(f"the run did not end, so not written: {shown}", "yellow")
            return
        records, errors = self._summary.records(), self._summary.unmeasured()
        written = []
        for name, path in self._paths.items():
            try:
                write_atomically(path, FORMATS[name](records, errors, path))
            except (OSError, InputError) as error:
                reason = error.strerror if isinstance(error, OSError) else error
                told = f"cannot write {self._shown(path)}: {reason}"
                self._summary.tell(told, "red", quiet=True)
                if exitstatus != pytest.ExitCode.TESTS_FAILED:
                    session.exitstatus = pytest.ExitCode.TESTS_FAILED
                continue
            written.append(self._shown(path))
        if written:
            self._summary.tell(f"wrote {', '.join(written)}")

    def _shown(self, path: Path) -> str:
        """Return how a path is called from where pytest was called."""
        try:
            return min(os.path.relpath(path, self._here), str(path), key=len)
        except ValueError:  # another drive
            return str(path)


def _missing(name: str) -> str:
    """Return that a format needs a package that is not installed; "" if it has what it needs."""
    from importlib.util import find_spec

    lacking = [package for package in _EXTRAS.get(name, ()) if find_spec(package) is None]
    if not lacking:
        return ""
    return (
        f"cannot be written without {' and '.join(lacking)}; run "
        f'python -m pip install "pytest-splitcheck[{name}]"'
    )


def _complaint(path: Path) -> str:
    """Return why a path cannot be written to; "" if nothing is known against it."""
    if path.is_dir():
        return "is a folder; name a file"
    if path.exists() and not path.is_file():
        return ""  # such as /dev/stdout
    parent = next(one for one in path.parents if one.exists())
    if not parent.is_dir():
        return f"cannot be written: {parent} is not a folder"
    if not os.access(parent, os.W_OK | os.X_OK):
        return f"cannot be written: no permission to write in {parent}"
    return ""
