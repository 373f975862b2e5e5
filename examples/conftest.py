"""The benchmarks of this repository, each declared once and loaded once per session."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from benchmark_data import Data, load_cifar10, load_digits, load_fashion_mnist

from pytest_splitcheck import ClassSplit


def _or_skip(load: Callable[[], Data]) -> Data:
    try:
        return load()
    except FileNotFoundError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def digits() -> ClassSplit:
    """Handwritten digits, 899 of them to evaluate and 898 to train on."""
    X, y, train = load_digits()
    return ClassSplit(X, y, train=train, name="digits", representation="pixels")


@pytest.fixture(scope="session")
def fashion_mnist() -> ClassSplit:
    """Fashion-MNIST in full: 10,000 test images, 60,000 training images."""
    X, y, train = _or_skip(load_fashion_mnist)
    return ClassSplit(X, y, train=train, name="fashion-mnist", representation="pixels")


@pytest.fixture(scope="session")
def cifar10() -> ClassSplit:
    """CIFAR-10's 10,000 test images; detectors are cross-fitted if the training images are missing."""
    X, y, train = _or_skip(load_cifar10)
    return ClassSplit(X, y, train=train, name="cifar-10", representation="pixels")
