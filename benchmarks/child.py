"""One contender in a process of its own: ``python -m benchmarks.child CALL OPTIONS INPUTS OUTPUTS``.

CALL is ``module:function``, OPTIONS are JSON, INPUTS a folder with ``input.npz`` and perhaps
``warm_up.npz``. The folder OUTPUTS receives ``output.npz``, what the function returned, and
``output.json``, what it took.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
from pathlib import Path

import numpy as np

from benchmarks.data import Arrays
from benchmarks.stopwatch import Stopwatch


def main(call: str, options: str, inputs: str, outputs: str) -> None:
    """Run the contender, on a few rows first where a warm-up is given, so that imports do not count."""
    module, _, name = call.partition(":")
    function = getattr(importlib.import_module(module), name)
    keywords = json.loads(options)
    warm_up = Path(inputs, "warm_up.npz")
    if warm_up.exists():
        function(_load(warm_up), Stopwatch(), **keywords)
    arrays = _load(Path(inputs, "input.npz"))
    watch = Stopwatch()
    before = _resident_bytes()
    found: Arrays = function(arrays, watch, **keywords)
    np.savez(Path(outputs, "output.npz"), **found)  # type: ignore[arg-type]
    took = {
        "parts": watch.parts,
        "peak_bytes": max(0, _peak_bytes() - before),
        "modules": [name for name in sys.modules if name != "__main__"],
    }
    Path(outputs, "output.json").write_text(json.dumps(took))


def _load(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def _resident_bytes() -> int:
    """Return what the process occupies now; Linux alone tells."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return _peak_bytes()
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
