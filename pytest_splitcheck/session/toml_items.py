"""Benchmarks without code in pytest: a file ``NAME.splitcheck.toml`` is a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.nocode.declaration import Declaration, read
from pytest_splitcheck.options import MARK
from pytest_splitcheck.session.checks import check
from pytest_splitcheck.session.progress import Progress
from pytest_splitcheck.settings import Settings

__all__ = ["SUFFIX", "TomlFile", "TomlItem"]

SUFFIX: Final = ".splitcheck.toml"


class TomlFile(pytest.File):
    """A file that declares a benchmark.

    Parameters
    ----------
    settings : Settings
        Of the run; what the file says takes precedence.
    progress : Progress
        Shows how far the reading of images is.
    """

    def __init__(self, *, settings: Settings, progress: Progress, **rest: Any) -> None:
        super().__init__(**rest)
        self._given: dict[str, Any] = {"settings": settings, "progress": progress}

    def collect(self) -> Iterator[pytest.Item]:
        """Return the one test, once all but the data is checked."""
        try:
            declaration = read(self.path.read_bytes(), self.path.name)
            self._given["settings"].override(declaration.settings, declaration.sources)
        except InputError as error:
            raise self.CollectError(str(error)) from None
        except OSError as error:
            raise self.CollectError(f"{self.path.name} cannot be read: {error.strerror}") from None
        name = self.path.name.removesuffix(SUFFIX)
        item: pytest.Item = TomlItem.from_parent(
            self, name=name, declaration=declaration, **self._given
        )
        try:
            for mark in (MARK, *declaration.tables[""].get("marks", [])):
                item.add_marker(mark)
        except (pytest.fail.Exception, pytest.PytestUnknownMarkWarning) as error:
            raise self.CollectError(f"{declaration.place('marks')}: {error}") from None
        yield item


class TomlItem(pytest.Item):
    """The test that a file declares."""

    checks_itself: Final = True
    """No line of an author's leads to a failure: its message is all there is to show."""

    def __init__(
        self,
        *,
        declaration: Declaration,
        settings: Settings,
        progress: Progress,
        **rest: Any,
    ) -> None:
        super().__init__(**rest)
        self._declaration = declaration
        self._progress = progress
        self._settings = settings

    def runtest(self) -> None:
        """Read the data and check the benchmark."""
        from pytest_splitcheck.nocode.build import benchmark, with_recorded

        one, folder = self._declaration, self.path.parent
        settings = self._settings.of_item(self).override(one.settings, one.sources)
        detectors = settings.values["detectors"]
        settings = settings.override(
            {"detectors": with_recorded(one, folder, detectors.value)},
            {"detectors": detectors.source},
        )
        with self._progress.of(self.name) as tell:
            split = benchmark(one, folder, tell)
        check(self, split, settings, self.name)

    @property
    def benchmark(self) -> str:
        """What the benchmark is called."""
        return str(self._declaration.tables[""].get("name") or self.name)

    @property
    def declared(self) -> dict[str, Any]:
        """Where the benchmark is declared, as a record has it."""
        return {"file": self._declaration.file, "lines": self._declaration.limit_lines}

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file, the line from 0 that names the benchmark or its data, and the name of the test."""
        return self.path, self._declaration.first_line - 1, self.name
