"""The parts of a measurement that are kept, and how each is written."""

from __future__ import annotations

import json
import zlib
from collections.abc import Hashable
from dataclasses import fields
from typing import Any, Final

from pytest_splitcheck.cache.fields import (
    FLAG,
    REAL,
    ROWS,
    Field,
    array,
    by_label,
    listed,
    maybe,
    record,
    row,
    sure,
    whole,
)
from pytest_splitcheck.cache.outline import Outline
from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.measure.crowds import Crowds
from pytest_splitcheck.measure.duplicates import Duplicates
from pytest_splitcheck.measure.geometry import GEOMETRY
from pytest_splitcheck.measure.histogram import Histogram
from pytest_splitcheck.measure.results import Leakage
from pytest_splitcheck.measure.roc import Comparison
from pytest_splitcheck.measure.tally import Tally

__all__ = ["packed", "unpacked"]

_MOST_UNPACKED: Final = 1 << 26
"""Bytes that a part comes to at most; a file that holds more is not one of ours."""


def packed(key: Hashable, part: Any, outline: Outline) -> bytes | None:
    """Return as bytes what memory has under `key` of a benchmark; None if it cannot be kept."""
    kind = _kind(key)
    if kind is None:
        return None
    try:
        text = json.dumps(kind.write(part, outline)).encode("ascii")
    except Exception:  # a measurement is worth more than its copy
        return None
    return None if len(text) > _MOST_UNPACKED else zlib.compress(text, 1)


def unpacked(key: Hashable, data: bytes, outline: Outline) -> Any:
    """Return what `packed` made `data` of, equal in every bit; None if it is none for this key and benchmark."""
    kind = _kind(key)
    if kind is None:
        return None
    try:
        unzip = zlib.decompressobj()
        text = unzip.decompress(data, _MOST_UNPACKED)
        return kind.read(json.loads(text), outline) if unzip.eof else None
    except Exception:  # whatever a file brings about that somebody made up
        return None


def _slots(value: Any) -> dict[str, Any]:
    return {one.name: getattr(value, one.name) for one in fields(value)}


def _leakage(**attributes: Any) -> Leakage:
    sure(len(attributes["rows"]) == len(attributes["pointwise"]))
    return Leakage(**attributes)


def _tally(**attributes: Any) -> Tally:
    compared, (splits, seeds) = attributes["compared"], attributes["above"].shape
    pools = {len(by_pool) for by_seed in compared for by_pool in by_seed}
    sure(len(compared) == splits and {len(by_seed) for by_seed in compared} == {seeds})
    sure(seeds and len(pools) == 1 and pools != {0})
    sure(set(attributes["histograms"]) == set(attributes["labels"]))
    sure(attributes["two_valued"].shape == attributes["graded"].shape == (splits, seeds))
    tally = Tally.__new__(Tally)
    vars(tally).update(attributes, labels=list(attributes["labels"]))
    return tally


def _histogram(edges: Any, normal: Any, anomalous: Any) -> Histogram:
    sure(len(edges) - 1 == len(normal) == len(anomalous))
    return Histogram(edges, normal, anomalous)


def _crowds(**attributes: Any) -> Crowds:
    crowds = Crowds.__new__(Crowds)
    vars(crowds).update(attributes)
    return crowds


_APPROXIMATION: Final = record(
    _slots,
    Approximation,
    {"recall": REAL, "sample": whole(), "error": maybe(REAL), "repaired": whole()},
)

_LEAKAGE: Final = record(
    _slots,
    _leakage,
    {
        "value": REAL,
        "interval": row(REAL, REAL),
        "alpha": maybe(REAL),
        "rows": ROWS,
        "pointwise": array("float", None),
        "per_class": by_label("classes", maybe(REAL), every=True),
        "macro": maybe(REAL),
        "matrix": array("float", "n_classes", "n_classes"),
        "slot_share": by_label("classes", REAL, every=True),
        "chance": REAL,
        "ratio": REAL,
        "floor": by_label("classes", REAL, every=True),
        "k": whole(1, "m"),
        "approximation": maybe(_APPROXIMATION),
    },
    {"m": "m", "classes": "classes"},
)

_COMPARISON: Final = row(*[whole()] * 4, *[REAL] * 2, make=lambda values: Comparison(*values))

_HISTOGRAM: Final = row(
    listed(REAL, tuple),
    listed(whole(), tuple),
    listed(whole(), tuple),
    make=lambda values: _histogram(*values),
)

_TALLY: Final = record(
    vars,
    _tally,
    {
        "above": array("int", "splits", None),
        "pairs": array("int", "splits", 1, low=1),
        "compared": listed(listed(listed(_COMPARISON))),
        "constant": listed(whole(0, "splits"), set),
        "two_valued": array("bool", "splits", None),
        "graded": array("bool", "splits", None),
        "far_auroc": maybe(REAL),
        "approximation": maybe(_APPROXIMATION),
        "histograms": by_label("held_out", _HISTOGRAM),
    },
    {"codes": "codes", "labels": "held_out"},
)


def _by_split() -> Field:
    some = listed(array("float", None))

    def write(values: Any, outline: Outline) -> Any:
        sure(tuple(map(len, values)) == outline.positives)
        return some.write(values, outline)

    def read(given: Any, outline: Outline) -> Any:
        values = some.read(given, outline)
        sure(tuple(map(len, values)) == outline.positives)
        return values

    return Field(write, read)


_BY_SPLIT: Final = _by_split()
"""For each split, a number for each row of its classes."""

_CROWDS: Final = record(
    vars,
    _crowds,
    {
        "lof": whole(),
        "plain": FLAG,
        "distance": array("float", "m"),
        "nearest": array("int", "m", low=-1, below="pool"),
        "outside": _BY_SPLIT,
        "_largest": whole(),
        "_beside": array("bool", "m"),
    },
    {"_codes": "codes"},
)

_DUPLICATES: Final = record(
    _slots,
    Duplicates,
    {
        "equal": array("int", "m", below="both"),
        "partner": array("int", "m", low=-1, below="pool"),
        "contaminated": by_label("held_out", array("int", None, below="m")),
    },
)


def _embedding(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    sure(len(parts[0]) == len(parts[1]))
    return parts


_EMBEDDING: Final = row(
    array("int", None, below="m"), listed(row(REAL, REAL, make=list)), make=_embedding
)
"""Rows, and a point in the plane for each."""

_BY_NAME: Final[dict[Any, Field]] = {
    "folds": array("int", "m", below="folds"),
    "spacing": REAL,
    "duplicates": _DUPLICATES,
    "leakage": _LEAKAGE,
    "rescaled leakage": _LEAKAGE,
    "tally": _TALLY,
    "crowds": _CROWDS,
    "embedding": _EMBEDDING,
}


def _kind(key: Any) -> Field | None:
    """Return what memory keeps under a key; None if that is not known."""
    if not isinstance(key, tuple):
        return _BY_NAME.get(key)
    if key[0] == "leakage" and key[-1] == GEOMETRY:
        return row(_LEAKAGE, _TALLY)
    if key[0] == "leaking":
        return array("int", *key[1:3], below="m")
    return _BY_NAME.get(key[0])
