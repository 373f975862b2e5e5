"""What is measured by other code has another key."""

from __future__ import annotations

import shutil
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import pytest_splitcheck
from pytest_splitcheck.cache import versions


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A copy of the package, whose digest is taken."""
    home = tmp_path / "pytest_splitcheck"
    shutil.copytree(Path(pytest_splitcheck.__file__).parent, home)
    monkeypatch.setattr(versions, "__file__", str(home / "cache" / "versions.py"))
    return home


def test_the_versions_are_those_that_are_installed():
    told = versions.versions()
    assert np.__version__ in told
    assert metadata.version("scikit-learn") in told


def test_a_package_that_is_not_there_has_none():
    assert versions._version("no-such-package-1f") == ""


def test_the_digest_changes_with_any_module(source):
    before = versions._source()
    assert versions._source() == before
    path = source / "measure" / "leakage.py"
    text = path.read_text()
    path.write_text(text + "\n")
    changed = versions._source()
    path.write_text(text)
    path.rename(path.with_name("other.py"))
    assert len({before, changed, versions._source()}) == 3
