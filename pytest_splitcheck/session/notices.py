"""What the measurement logs is shown at once, past pytest's capture: why nothing moves for a minute."""

from __future__ import annotations

import contextlib
import logging
import sys
from typing import Any

from pytest_splitcheck.session.progress import Progress

__all__ = ["Notices"]

_LOGGER = "pytest_splitcheck"


class Notices(logging.Handler):
    """A plugin that writes the package's warnings to stderr as they come, from workers too."""

    def __init__(self, config: Any, progress: Progress) -> None:
        super().__init__(logging.WARNING)
        self._progress = progress
        self._plugins = config.pluginmanager
        logging.getLogger(_LOGGER).addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        self._progress.give_way()
        capture = self._plugins.getplugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
            print(f"\nsplitcheck: {record.getMessage()}", file=sys.stderr, flush=True)

    def pytest_unconfigure(self) -> None:
        """Write no more."""
        logging.getLogger(_LOGGER).removeHandler(self)
