"""How the time grows with the rows, the values per row, the classes and the neighbours."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import data
from benchmarks.environment import environment
from benchmarks.harness import ROUNDS, Contender, compete, median
from benchmarks.split_rows import BOTH_LISTS, few_rows


class Shape(NamedTuple):
    """Rows (as many in the pool as to evaluate), values per row, classes, neighbours."""

    n: int
    d: int
    K: int
    k: int


BASE = Shape(n=5_000, d=128, K=10, k=10)
GRID = {
    "n": (1_250, 2_500, 5_000, 10_000, 20_000, 40_000),
    "d": (16, 32, 64, 128, 256, 512, 1_024),
    "K": (3, 6, 12, 25, 50, 100),
    "k": (3, 10, 30, 100, 300),
}
SHORT_BASE = Shape(n=400, d=16, K=4, k=5)
SHORT_GRID = {"n": (200, 400, 800), "d": (8, 16, 32), "K": (2, 4, 8), "k": (5, 10, 20)}

PATIENCE = 10.0
BEARABLE = 120.0
"""Wall seconds after which a contender is not asked for a larger size."""

WHAT = "leakage, kNN, LOF and AUROC of every split"


def main(out: Path, *, short: bool) -> int:
    """Measure, and write growth.json, growth.svg and growth.png."""
    try:
        from benchmarks import plot
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        print("matplotlib is not installed; get it with `pip install matplotlib`.", file=sys.stderr)
        return 1
    base, grid = (SHORT_BASE, SHORT_GRID) if short else (BASE, GRID)
    record = {
        "environment": environment(),
        "short": short,
        "what": WHAT,
        "base": base._asdict(),
        "series": {axis: series(axis, sizes, base, short) for axis, sizes in grid.items()},
    }
    (out / "growth.json").write_text(json.dumps(record, indent=1) + "\n")
    plot.draw(record, out)
    for axis, contenders in record["series"].items():  # type: ignore[attr-defined]
        for name, points in contenders.items():
            print(f"{axis}  {name}: slope {plot.slope(points):.2f}")
    print(f"{out / 'growth.json'}, {out / 'growth.svg'}, {out / 'growth.png'}")
    return 0


def series(
    axis: str, sizes: tuple[int, ...], base: Shape, short: bool
) -> dict[str, list[dict[str, float]]]:
    """Return the seconds of each contender at each size of one axis, until it becomes unbearable."""
    points: dict[str, list[dict[str, float]]] = {"ours": [], "scikit-learn loop": []}
    for size in sizes:
        shape = base._replace(**{axis: size})
        going = [
            one
            for one in contenders(shape.k)
            if not points[one.name] or points[one.name][-1]["wall"] < BEARABLE
        ]
        print(f"{axis} = {size:,} ...", file=sys.stderr, flush=True)
        arrays = data.cluster_split(shape.n, shape.n, n_classes=shape.K, d=shape.d, spread=0.3)
        runs = compete(
            going,
            arrays,
            None if short else few_rows(),
            rounds=1 if short else ROUNDS,
            patience=PATIENCE,
        )
        for one in going:
            took = median(runs.by_name[one.name])
            points[one.name].append({"size": size, "wall": took.wall, "cpu": took.cpu})
    return points


def contenders(k: int) -> list[Contender]:
    """Return both contenders, with this number of neighbours for leakage and kNN."""
    options: dict[str, Any] = {"detectors": BOTH_LISTS, "k": k}
    return [
        Contender(name="ours", call="benchmarks.ours:splits", options=options),
        Contender(
            name="scikit-learn loop",
            call="benchmarks.peers.scikit_learn:splits",
            options=options,
        ),
    ]
