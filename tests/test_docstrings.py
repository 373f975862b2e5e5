import doctest
import importlib
import pkgutil

import pytest

import pytest_splitcheck

MODULES = [
    module.name
    for module in pkgutil.walk_packages(pytest_splitcheck.__path__, "pytest_splitcheck.")
    if not module.ispkg
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
