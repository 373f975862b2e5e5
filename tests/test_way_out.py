"""On CIFAR-10's pixels the failure message proposes a split that re-measures to what it promised.

The data is read from the folders that SPLITCHECK_DATA lists; without it this is skipped. A quarter of the test
images is taken, so that it takes a minute or two.
"""

from __future__ import annotations

import os
import re
import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, IllPosedSplit, Thresholds, evaluate, judge
from pytest_splitcheck.gate import Gate
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.verdict.policy import Policy

LOADER = Path(__file__).parent.parent / "examples" / "benchmark_data.py"
DETECTORS = ("knn", "lof")


@pytest.mark.skipif(
    not os.environ.get("SPLITCHECK_DATA"), reason="SPLITCHECK_DATA lists no folder of data sets"
)
def test_cifar10():
    try:
        names = ["cifar10_test10k_jpeg.npz"]
        (path,) = runpy.run_path(str(LOADER))["find"](names, subfolders=[""])
    except FileNotFoundError as error:
        pytest.skip(str(error))
    with np.load(path) as arrays:
        X, y = arrays["X"][::4], arrays["y"][::4]
    benchmark = ClassSplit(X, y, name="cifar-10", representation="pixels")
    passage = Gate().check(
        benchmark,
        protocol=Protocol(detectors=DETECTORS, advice="always"),
        thresholds=Thresholds(),
        name="cifar-10",
    )
    with pytest.raises(IllPosedSplit) as failure:
        passage.refuse(Policy(), 80, warnings.warn)
    message = str(failure.value)
    told = re.search(
        r"drop [\d, ]+: L_10 = (\S+), rho_dir = (\S+),\s+K = (\d+), m = (\d+)\n", message
    )
    (call,) = re.findall(r"^ +(ClassSplit\(X, y, .*drop=.*\))$", message, re.MULTILINE)
    found = evaluate(eval(call, {"ClassSplit": ClassSplit, "X": X, "y": y}), detectors=DETECTORS)
    assert told.groups() == (
        f"{found.leakage.value:.3f}",
        f"{found.instability.rho_dir:.3f}",
        str(len(found.classes)),
        str(found.m),
    )
    assert judge(found).status == "well posed"
