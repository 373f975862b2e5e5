"""How a benchmark is declared: the call to be pasted where its data are, and what is another in it."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from typing import Any

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.declare.labels import spelt

__all__ = ["changed", "written"]

_FOLDS = 5


def changed(benchmark: ClassSplit, before: ClassSplit) -> dict[str, tuple[Hashable, ...]]:
    """Return the keywords about classes that declare `benchmark` and are others than those of `before`."""
    found: dict[str, tuple[Hashable, ...]] = {}
    if benchmark.merge != before.merge:
        found["merge"] = benchmark.merge
    if benchmark.drop != before.drop:
        found["drop"] = benchmark.drop
    held_out, earlier = (tuple(s.label for s in one.held_out) for one in (benchmark, before))
    if not benchmark.every_class and held_out != earlier:
        found["held_out"] = held_out
    return found


def written(benchmark: ClassSplit) -> str:
    """Return the call of `ClassSplit` that declares `benchmark`, on one line.

    The data go by the names ``X``, ``y``, ``X_train`` and ``y_train``, a transformer without a repr that
    could be evaluated by ``representation``. Options at their default are left out.
    """
    options = {
        "train": "(X_train, y_train)" if benchmark.train is not None else None,
        "name": None if benchmark.name is None else repr(benchmark.name),
        "representation": _representation(benchmark),
        "metric": None if benchmark.metric == "euclidean" else repr(benchmark.metric),
        "held_out": None
        if benchmark.every_class
        else _list([split.label for split in benchmark.held_out]),
        "folds": None if benchmark.folds == _FOLDS else str(benchmark.folds),
        "merge": _list(benchmark.merge) if benchmark.merge else None,
        "drop": _list(benchmark.drop) if benchmark.drop else None,
    }
    told = [f"{name}={text}" for name, text in options.items() if text is not None]
    return f"ClassSplit({', '.join(['X', 'y', *told])})"


def _representation(benchmark: ClassSplit) -> str | None:
    if benchmark.transformer is None:
        return None if benchmark.representation is None else repr(benchmark.representation)
    try:
        text = " ".join(repr(benchmark.transformer).split())
    except Exception:  # a foreign __repr__
        text = ""
    return text if text and not text.startswith("<") else "representation"


def _list(labels: Any) -> str:
    return f"[{', '.join(map(_label, labels))}]"


def _label(label: Hashable) -> str:
    """Return a label as it is written in Python."""
    return spelt(label, _member)


def _member(label: Any) -> str:
    """Return a label that holds no others, one of an enumeration by its name."""
    if isinstance(label, Enum):
        return f"{type(label).__name__}.{label.name}"
    return " ".join(repr(label).split("\n"))
