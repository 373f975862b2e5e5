"""The data sets, read from the folders that the environment variable SPLITCHECK_DATA lists.

Nothing is downloaded. A file that is not there is a FileNotFoundError, one that is damaged a
ValueError; both name it.
"""

from __future__ import annotations

import gzip
import itertools
import math
import os
import pickle
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import sklearn.datasets

VARIABLE = "SPLITCHECK_DATA"
# fmt: off
FASHION_MNIST = np.array([
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
])
CIFAR10 = np.array([
    "airplane", "automobile", "bird", "cat", "deer",
    "dog", "frog", "horse", "ship", "truck",
])
# fmt: on

Array = npt.NDArray[Any]


class Data(NamedTuple):
    """An evaluation set and, where there is one, the training set (X, y) that goes with it."""

    X: Array
    y: Array
    train: tuple[Array, Array] | None


def load_digits() -> Data:
    """Return scikit-learn's 8 x 8 digits, the first half to train on, the second to evaluate.

    The rows are ordered by writer, so halves that are not shuffled are the work of different people.
    """
    X, y = sklearn.datasets.load_digits(return_X_y=True)
    half = len(X) // 2
    return Data(X[half:], y[half:], train=(X[:half], y[:half]))


def load_fashion_mnist() -> Data:
    """Return the 10,000 test and 60,000 training images of Fashion-MNIST."""
    paths = find(
        [
            "train-images-idx3-ubyte",
            "train-labels-idx1-ubyte",
            "t10k-images-idx3-ubyte",
            "t10k-labels-idx1-ubyte",
        ],
        # MNIST's files go by the same names: a folder that says what it holds comes first.
        subfolders=["fashion-mnist", "FashionMNIST/raw", ""],
    )
    X_train, y_train, X, y = map(read_idx, paths)
    if set(np.bincount(y)) != {1000}:
        raise ValueError(
            f"{paths[3]} does not hold 1,000 labels of each class, as Fashion-MNIST's file does; "
            "MNIST's file has the same name."
        )
    return Data(
        X.reshape(len(X), -1),
        FASHION_MNIST[y],
        train=(X_train.reshape(len(X_train), -1), FASHION_MNIST[y_train]),
    )


def load_cifar10() -> Data:
    """Return the 10,000 test images of CIFAR-10 and the 50,000 training images if they are there.

    The "CIFAR-10 python version" has both, ``cifar10_test10k_jpeg.npz`` the test images alone.
    """
    try:
        paths = find(
            ["test_batch", *(f"data_batch_{number}" for number in range(1, 6))],
            subfolders=["cifar-10-batches-py", ""],
        )
    except FileNotFoundError as no_batches:
        try:
            (path,) = find(["cifar10_test10k_jpeg.npz"], subfolders=[""])
        except FileNotFoundError:
            raise no_batches from None
        with np.load(path, allow_pickle=False) as arrays:
            return Data(arrays["X"], CIFAR10[arrays["y"]], train=None)
    (X, y), *batches = map(read_cifar_batch, paths)
    X_train, y_train = map(np.concatenate, zip(*batches, strict=True))
    return Data(X, CIFAR10[y], train=(X_train, CIFAR10[y_train]))


def find(files: Sequence[str], *, subfolders: Sequence[str]) -> list[Path]:
    """Return the paths of `files`, plain or gzipped, in the first folder that has all of them.

    A subfolder is looked for in every folder of SPLITCHECK_DATA before the next one is; "" is the
    folder itself.
    """
    listed = os.environ.get(VARIABLE, "")
    parents = [Path(parent).expanduser() for parent in listed.split(os.pathsep) if parent]
    least_missing = [Path(subfolders[0], file) for file in files]
    for subfolder, parent in itertools.product(subfolders, parents):
        paths = [_plain_or_gzipped(parent / subfolder / file) for file in files]
        found = [path for path in paths if path]
        if len(found) == len(files):
            return found
        missing = [
            Path(subfolder, file) for file, path in zip(files, paths, strict=True) if not path
        ]
        least_missing = min(least_missing, missing, key=len)
    raise FileNotFoundError(
        f"{least_missing[0]} not found"
        + (f" in {VARIABLE}={listed}" if parents else f": {VARIABLE} lists no folder")
    )


def read_idx(path: Path) -> Array:
    """Return the images, shape (n, height, width), or labels, shape (n,), of an idx file."""
    content = _read(path)
    axes = 3 if "idx3" in path.name else 1
    magic = bytes([0, 0, 8, axes])  # 8: unsigned bytes
    if content[:4] != magic:
        raise ValueError(
            f"{path} is not an idx file: it begins with {content[:4].hex() or 'nothing'}, "
            f"not with {magic.hex()}."
        )
    start = 4 + 4 * axes
    shape = [int.from_bytes(content[at : at + 4], "big") for at in range(4, start, 4)]
    size = start + math.prod(shape)
    if len(content) != size:
        raise ValueError(f"{path} is damaged: it holds {len(content)} bytes, {size} are expected.")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def read_cifar_batch(path: Path) -> tuple[Array, Array]:
    """Return the images, shape (n, 3072), and labels, shape (n,), of a batch: a pickle of 2009."""
    with warnings.catch_warnings():
        # numpy 2.4.0 to 2.4.4 dislike how numpy spelled a dtype then.
        warnings.simplefilter("ignore", np.exceptions.VisibleDeprecationWarning)
        batch = pickle.loads(_read(path), encoding="bytes")
    return batch[b"data"], np.array(batch[b"labels"])


def _plain_or_gzipped(path: Path) -> Path | None:
    return next(filter(Path.is_file, [path, path.with_name(f"{path.name}.gz")]), None)


def _read(path: Path) -> bytes:
    """Return the content of a file, unzipped if it is gzipped, whatever its name says."""
    content = path.read_bytes()
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
