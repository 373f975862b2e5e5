"""How well geometry alone foretells a detector with a pool of its own, and whose fault inversions are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import data
from benchmarks.data import Array, Arrays, MissingDataError
from pytest_splitcheck import ClassSplit, Report, evaluate

MOST_ROWS = 8_000
SEEDS = (0, 1, 2, 3, 4)

_HALVES_SEED = 0

SETS: dict[str, Callable[[], Arrays]] = {
    "digits": lambda: data.digits(pool=False),
    **{
        name: lambda name=name: data.keel(name)  # type: ignore[misc]
        for name in (
            "letter",
            "optdigits",
            "penbased",
            "satimage",
            "segment",
            "texture",
            "vehicle",
            "vowel",
        )
    },
    "Fashion-MNIST": lambda: data.fashion_mnist(1, MOST_ROWS),
    "CIFAR-10": lambda: data.cifar10(MOST_ROWS),
}
"""Pixels as they are; the tables of KEEL standardised."""

HEAD = (
    "data set",
    "rows",
    "classes",
    "L_10 / chance",
    "rho_dir of geometry",
    "of knn",
    "of iforest",
    "same sign of geometry and knn",
    "largest difference",
    "iforest's faults: geometry",
    "iforest alone",
    "open",
)


class Halves(NamedTuple):
    """Half of the rows to evaluate, the other half as the pool."""

    X: Array
    y: Array
    train: tuple[Array, Array]


def halves(X: Array, y: Array) -> Halves:
    """Return random halves of at most `MOST_ROWS` rows, each with half of the rows of every class."""
    rng = np.random.default_rng(_HALVES_SEED)
    order = rng.permutation(len(X))[:MOST_ROWS]
    order = order[np.argsort(y[order], kind="stable")]
    pool, evaluated = order[::2], order[1::2]
    return Halves(X[evaluated], y[evaluated], (X[pool], y[pool]))


def measure(name: str, *, seeds: Sequence[int] = SEEDS) -> Report:
    """Measure geometry alone on one half of a data set, and detectors with the other half as pool.

    Raises
    ------
    MissingDataError
    """
    arrays = SETS[name]()
    X, y, train = halves(arrays["X"], arrays["y"])
    return evaluate(
        ClassSplit(X, y, train=train, name=name), detectors=("knn", "iforest"), seeds=seeds
    )


def row(report: Report) -> tuple[str, ...]:
    """Return the cells of one data set."""
    geometry, knn, forest = (
        report.geometry,
        report.detectors["knn"],
        report.detectors["iforest"],
    )
    if geometry is None:
        raise ValueError(f"{report.name} has too few rows outside some class.")
    same = sum((geometry.auroc[c] > 0.5) == (knn.auroc[c] > 0.5) for c in report.classes)
    apart = max(abs(geometry.auroc[c] - knn.auroc[c]) for c in report.classes)
    faults = list(report.attribution["iforest"].values())
    return (
        str(report.name),
        f"{report.m:,}",
        str(len(report.classes)),
        f"{report.leakage.ratio:.2f}",
        *(f"{one.rho_dir:.2f}" for one in (geometry, knn, forest)),
        f"{same} of {len(report.classes)}",
        f"{apart:.3f}",
        *(str(faults.count(one)) for one in ("geometry", "detector", "open")),
    )


def main(out: Path, *, short: bool) -> int:
    """Print the table in Markdown, and write it into `out`; the short form is of digits alone."""
    rows = [HEAD, ("---",) * len(HEAD)]
    for name in ["digits"] if short else SETS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            rows.append(row(measure(name, seeds=SEEDS[:1] if short else SEEDS)))
        except MissingDataError as error:
            print(f"SKIPPED  {name}: {error}", file=sys.stderr)
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in rows)
    print(table, end="")
    (out / "attribution.md").write_text(table)
    return 0
