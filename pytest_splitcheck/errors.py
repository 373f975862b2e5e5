"""What the package raises, and how pytest shows it."""

from __future__ import annotations

from typing import Any

__all__ = [
    "AUTHORS",
    "OUR_ERRORS",
    "InputError",
    "SplitcheckFailure",
    "UndecidedSplitWarning",
    "UnknownKeyword",
    "UnrecordedSplitWarning",
    "hide_from_users",
]


AUTHORS = "Raised by"
"""Begins the note on an error that an author's own code raised."""


class InputError(ValueError):
    """An input that cannot be measured or judged; the message names what, where and what to do."""

    __module__ = "pytest_splitcheck"

    fixture = ""
    """The fixture of pytest's that raised it, if one did."""

    recorded = False
    """Whether the records of a test tell of it already."""


class UnknownKeyword(InputError, TypeError):  # noqa: N818 - it says what is wrong
    """A keyword that the splitcheck fixture does not take."""

    __module__ = "pytest_splitcheck"


class SplitcheckFailure(AssertionError):  # noqa: N818 - a failed check, not an error
    """A benchmark did not pass its check."""

    __module__ = "pytest_splitcheck"


class UndecidedSplitWarning(UserWarning):
    """A benchmark got no verdict, in a run that lets such a test go on."""

    __module__ = "pytest_splitcheck"


class UnrecordedSplitWarning(UserWarning):
    """A benchmark passed that the baseline has no record of; ignored unless a filter says otherwise."""

    __module__ = "pytest_splitcheck"


OUR_ERRORS = (InputError, SplitcheckFailure, UndecidedSplitWarning, UnrecordedSplitWarning)
"""What is the user's to mend, whose message is all there is to say."""


def hide_from_users(excinfo: Any) -> bool:
    """Tell pytest to leave our frames out of the traceback of an error that is the user's to mend.

    Modules bind this function to ``__tracebackhide__``; a fault of our own keeps its full traceback.
    """
    error = getattr(excinfo, "value", None)
    if isinstance(error, OUR_ERRORS):
        return True
    return any(note.startswith(AUTHORS) for note in getattr(error, "__notes__", []))
