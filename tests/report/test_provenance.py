from __future__ import annotations

import json
import platform

import numpy
import pytest
import sklearn

from pytest_splitcheck.report import provenance as module
from pytest_splitcheck.report.provenance import provenance


def test_the_versions_are_those_that_are_imported():
    told = provenance()
    assert told["python"] == platform.python_version()
    assert told["numpy"] == numpy.__version__
    assert told["scikit-learn"] == sklearn.__version__
    assert told["pytest"] == pytest.__version__
    assert {"pytest-splitcheck", "scipy", "pynndescent"} < set(told)
    assert json.loads(json.dumps(told)) == told


def test_a_package_without_metadata_has_no_version(monkeypatch):
    monkeypatch.setattr(module, "_PACKAGES", ("a-package-that-nobody-has",))
    assert provenance()["a-package-that-nobody-has"] == "unknown"
