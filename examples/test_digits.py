"""Digits: classes hardly mix, and the detectors agree on what is an anomaly."""

from __future__ import annotations


def test_split(splitcheck, digits):
    report = splitcheck(digits, max_leakage=0.1)  # stricter than in pyproject.toml
    assert report.detectors["knn"].rho_dir == 0
