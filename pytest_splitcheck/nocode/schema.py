"""What a file ``NAME.splitcheck.toml`` may say: every key once, with what it takes and what it means."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_splitcheck.options import OPTIONS
from pytest_splitcheck.verdict.thresholds import LIMITS, THRESHOLDS

__all__ = [
    "CLASS_SPLIT",
    "NUMBER",
    "SCORES",
    "TABLES",
    "Key",
    "Kind",
    "contradiction",
    "kind_of_data",
]

FILES: Final = (".csv", ".npz", ".parquet")
"""What ``file`` may end in."""

IMAGES: Final = ("RGB", "L")
"""Modes of images: colours, or shades of grey."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a key takes.

    Attributes
    ----------
    told : str
        As it follows "must be".
    takes : callable
        Tells whether a value is of this kind.
    """

    told: str
    takes: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table."""

    name: str
    kind: Kind
    help: str


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_path(value: Any) -> bool:
    return _is_text(value) and "\0" not in value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list_of(takes: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(takes, value))


def _is_marker(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier() and not value.startswith("_")


_WIDEST: Final = 1 << 16


def _is_size(value: Any) -> bool:
    return _is_list_of(lambda one: _is_whole(one) and 0 < one <= _WIDEST)(value) and len(value) == 2


def _is_scores(value: Any) -> bool:
    if not isinstance(value, dict):
        return _is_path(value)
    return (
        set(value) <= {"file", "high_is_normal"}
        and _is_path(value.get("file"))
        and isinstance(value.get("high_is_normal", False), bool)
    )


TEXT: Final = Kind("text", _is_text)
PATH: Final = Kind("the path of a file or folder, as text", _is_path)
TEXTS: Final = Kind("text, or a list of texts", lambda v: _is_text(v) or _is_list_of(_is_text)(v))
WORDS: Final = Kind("a list of texts", _is_list_of(_is_text))
MARKERS: Final = Kind("a list of names of markers", _is_list_of(_is_marker))
FLAG: Final = Kind("true or false", lambda value: isinstance(value, bool))
NUMBER: Final = Kind("a number", _is_number)
WHOLE: Final = Kind("a whole number", _is_whole)
CLASSES: Final = Kind("a list of classes", lambda value: isinstance(value, list))
GROUPS: Final = Kind("a list of lists of classes", _is_list_of(lambda one: isinstance(one, list)))
SIZE: Final = Kind("two whole numbers, the width and the height", _is_size)
MODE: Final = Kind(" or ".join(map(repr, IMAGES)), lambda value: value in IMAGES)
SCORES: Final = Kind(
    "the path of a file of scores, or { file = the path, high_is_normal = true }", _is_scores
)
ANY: Final = Kind("anything", lambda value: True)
"""Checked where all options are, whatever they come from."""


_DATA: Final = (
    Key(
        "file",
        PATH,
        "path of a CSV (.csv), numpy (.npz) or parquet (.parquet) file that holds both",
    ),
    Key(
        "X",
        TEXTS,
        "with file: the array of the npz file (X by default), or the columns of the CSV or parquet file, "
        'of which "pixel*" means all that begin so (all columns but y by default); without file: path of '
        "a .npy file",
    ),
    Key(
        "y",
        TEXT,
        "with file: the array or column of the labels (y by default); without file: path of a .npy file",
    ),
    Key("folder", PATH, "path of a folder with one folder of images for each class"),
    Key(
        "size",
        SIZE,
        "with folder: width and height in pixels that every image is resized to, by Pillow's bilinear "
        "filter",
    ),
    Key("mode", MODE, "with folder: RGB (the default) or L, shades of grey"),
)


_DECLARED: Final = (
    Key("name", TEXT, "what reports call the benchmark; the name of the file by default"),
    Key("representation", TEXT, "what the rows are, for the report, such as pixels"),
    Key("metric", TEXT, "euclidean (the default) or cosine"),
    Key("held_out", CLASSES, "the classes to hold out in turn, all by default"),
    Key("folds", WHOLE, "number of folds where there is no [train], 5 by default"),
    Key("merge", GROUPS, "groups of classes that count as one"),
    Key("drop", CLASSES, "classes whose rows are left out"),
)

CLASS_SPLIT: Final = tuple(key.name for key in _DECLARED)
"""Keywords of `ClassSplit`, which goes by them too."""


_OPTION_KINDS: Final = {"detectors": WORDS} | {limit.name: NUMBER for limit in LIMITS}


def _options(names: Sequence[str]) -> tuple[Key, ...]:
    return tuple(
        Key(option.name, _OPTION_KINDS.get(option.name, ANY), option.help)
        for option in OPTIONS
        if option.scope != "run" and (option.name in names)
    )


_LIMITS: Final = [one.name for one in THRESHOLDS]

TABLES: Final[dict[str, tuple[Key, ...]]] = {
    "": (
        *_DECLARED,
        Key(
            "standardise",
            FLAG,
            "whether each feature is brought to mean 0 and standard deviation 1, those of [train], or of [data] "
            "without it; false by default",
        ),
        Key("marks", MARKERS, "markers of the test, for -m"),
    ),
    "data": _DATA,
    "train": _DATA,
    "thresholds": _options(_LIMITS),
    "options": _options([one.name for one in OPTIONS if one.name not in _LIMITS]),
}
"""The keys of each table; those above the first table are of the table "". In the table ``recorded`` every
key is the name of a detector, whose scores were recorded."""


def contradiction(data: dict[str, Any], table: str) -> str | None:
    """Return what is wrong with the keys of ``[data]`` or ``[train]`` together; None if nothing is."""
    given = sorted({"file", "folder", "X", "y"} & set(data))
    if "file" in data and "folder" in data:
        return f"[{table}] has both file and folder; a benchmark is read from one of them"
    if not given or given in (["X"], ["y"]):
        return f"[{table}] needs file = a path, or folder = a path, or both X and y = the paths of .npy files"
    kind = kind_of_data(data)
    takes = {
        "file": ("file", "X", "y"),
        "npy": ("X", "y"),
        "images": ("folder", "size", "mode"),
    }[kind]
    for name in data:
        if name not in takes:
            return f"[{table}] has {name}, which does not go with {takes[0]}"
    if kind == "file":
        end = os.path.splitext(data["file"])[1].lower()
        if end == ".npy":
            return f"file = {data['file']!r} holds one array; write X and y = the paths of two .npy files"
        if end not in FILES:
            return f"file = {data['file']!r} ends neither in {' nor in '.join(FILES)}"
        if end == ".npz" and not isinstance(data.get("X", ""), str):
            return "X must be the name of one array in an npz file"
    if kind == "npy":
        for name in takes:
            if not isinstance(data[name], str) or not data[name].lower().endswith(".npy"):
                return (
                    f"{name} = {data[name]!r} is not the path of a .npy file; name others by file"
                )
    return None


def kind_of_data(data: dict[str, Any]) -> str:
    """Return how ``[data]`` or ``[train]`` is to be read: "file", "npy" or "images"."""
    return "file" if "file" in data else "images" if "folder" in data else "npy"
