"""What threads, processes and pytest do to a check."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap

import pytest

from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.options import OPTIONS
from tests.plugin.summaries import section, table


@pytest.mark.parametrize(
    ("cores", "workers", "threads"),
    [(8, None, None), (8, 1, None), (8, 2, 4), (8, 3, 2), (8, 16, 1)],
)
def test_33_workers_share_the_cores(suite, monkeypatch, checks, cores, workers, threads):
    monkeypatch.setattr(Protocol, "threads", property(lambda self: self.n_jobs or cores))
    if workers:
        monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", str(workers))
    suite.makepyfile("def test_it(splitcheck, blocks):\n    splitcheck(blocks)\n")
    suite.runpytest_inprocess().assert_outcomes(passed=1)
    assert [check.values["n_jobs"] for check in checks] == [threads]


def test_34_nothing_is_compiled_for_a_small_problem():
    code = textwrap.dedent(
        """
        import sys
        import pytest_splitcheck.plugin
        from pytest_splitcheck import ClassSplit, evaluate
        rows = [[float(i)] for i in range(60)]
        split = ClassSplit(rows, ["a", "b"] * 30)
        evaluate(split, detectors=("knn", "lof"), neighbors="approximate")
        print(sorted({"numba", "pynndescent"} & set(sys.modules)))
        """
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1:] == ["[]"]


TWO_FILES = {
    "test_a": """
        import numpy as np
        from pytest_splitcheck import ClassSplit

        def test_numbers_of_numpy(splitcheck):
            X = np.arange(75, dtype=np.float32)[:, None]
            y = np.repeat(np.arange(3, dtype=np.int64), 25)
            split = ClassSplit(X, y, name=np.str_("numpy"), folds=np.int64(2))
            splitcheck(
                split, k=np.int64(5), epsilon=np.float32(0.1), seeds=[np.int64(0)],
                max_leakage=np.float64(0.5), max_rho_dir=np.float32(1), detectors=("knn",),
            )
    """,
    "test_b": """
        import pytest

        @pytest.mark.splitcheck("blocks")
        def test_well(): pass

        @pytest.mark.splitcheck("mixed")
        def test_ill(): pass
    """,
}


@pytest.fixture(scope="module")
def runs():
    """Runs by their number of workers, so that traps can share them."""
    return {}


def in_workers(suite, runs, workers):
    if workers not in runs:
        suite.makepyfile(**TWO_FILES)
        runs[workers] = suite.runpytest_inprocess(f"-n{workers}", "--dist=loadfile")
    return runs[workers]


def test_35_numbers_of_numpy_cross_process_borders(suite, runs):
    pytest.importorskip("xdist")
    result = in_workers(suite, runs, 2)
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
    result.assert_outcomes(passed=2, failed=1)


def test_36_there_is_one_summary_on_the_controller(suite, runs):
    pytest.importorskip("xdist")
    result = in_workers(suite, runs, 2)
    assert len(re.findall(r"^=+ splitcheck =+$", result.stdout.str(), re.MULTILINE)) == 1
    rows = [(row[0], row[-1]) for row in table(result)]
    assert rows == [
        ("blocks", "well posed"),
        ("mixed", "ill posed (max_leakage)"),
        ("numpy", "well posed"),
    ]


@pytest.mark.parametrize(
    ("change", "passes"), [(-1e-6, False), (-1e-8, False), (0, True), (1e-6, True)]
)
def test_37_what_is_printed_is_what_decides(suite, change, passes):
    suite.makepyfile(
        f"""
        def test_it(splitcheck, mixed):
            value = splitcheck(mixed, max_leakage=1).leakage.value
            splitcheck(mixed, max_leakage=value + {change}, max_leakage_ratio=None)
        """
    )
    result = suite.runpytest_inprocess()
    assert result.ret == (pytest.ExitCode.OK if passes else pytest.ExitCode.TESTS_FAILED)
    (row,) = [line for line in section(result) if line.startswith("mixed")]
    assert ("well posed" in row) == passes
    assert ("ill posed" in row) == (not passes)
    if not passes:
        (told,) = {
            match.groups()
            for line in result.outlines
            for match in re.finditer(r"L_10 = (\S+) > (\d\S*)", line)
            if line.startswith("E  ") and "ill posed" in line
        }
        assert float(told[0]) > float(told[1])


def test_38_no_default_of_a_flag_hides_the_ini_value(bare):
    config = bare.parseconfig()
    assert [o.flag for o in OPTIONS if config.getoption(o.dest) is not None] == []
    (bare.path / "pytest.ini").write_text(
        "[pytest]\nsplitcheck_max_leakage = 0.01\nsplitcheck_k = 3\nsplitcheck_detectors =\n"
    )
    bare.makepyfile("def test_it(splitcheck, blocks):\n    splitcheck(blocks)\n")
    result = bare.runpytest_inprocess()
    result.stdout.fnmatch_lines(
        ["E *max_leakage  L_3 = * > 0.01  pytest.ini splitcheck_max_leakage"]
    )
