"""Under pytest-xdist: one section, plain records, clear refusals, shared cores."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("xdist")

CASES = {
    "labels of numpy": "bench(np.repeat(np.arange(3), 25)), detectors=('knn',)",
    "strings of numpy": "bench(np.repeat(np.array(['x', 'y', 'z']), 25)), detectors=('knn',)",
    "booleans of numpy": "bench(np.arange(75) < 30), detectors=('knn',)",
    "mixed labels": "bench([True] * 25 + [2.5] * 25 + [('a', 1)] * 25), detectors=('knn',)",
    "groups": "bench(np.repeat(np.arange(3), 25), held_out=[[np.int64(0), 1], 2]), detectors=('knn',)",
    "a name of numpy": "bench(ABC, name=np.str_('name'))",
    "a representation of numpy": "bench(ABC, representation=np.str_('pixels'))",
    "a metric of numpy": "bench(ABC, metric=np.str_('euclidean'))",
    "folds of numpy": "bench(ABC, folds=np.int64(3)), detectors=('knn',)",
    "k of numpy": "bench(ABC), k=np.int64(5)",
    "several k of numpy": "bench(ABC), k=[np.int64(5), np.int64(6)], detectors=('knn',)",
    "epsilon of numpy": "bench(ABC), epsilon=np.float64(0.1), detectors=('knn',)",
    "limits of numpy": "bench(ABC), max_leakage=np.float32(0.01), min_positives=np.int64(30),"
    " max_rho_dir=np.float64(0.0), detectors=('knn',)",
    "seeds of numpy": "bench(ABC), seeds=[np.int64(3)], detectors=('iforest',)",
    "large seeds": "bench(ABC), seeds=[2**31], detectors=('iforest',)",
    "detectors of numpy": "bench(ABC), detectors=list(np.array(['knn']))",
    "named detectors of numpy": "bench(ABC), detectors={np.str_('x'): Coordinate()}",
    "hostile names": "bench(['\\x1b[31m'] * 25 + ['\\u202e'] * 50, name='two\\nlines')",
    "surrogates": "bench(['\\ud800'] * 25 + ['x'] * 50, name='\\udfff', representation='\\ud800')",
}
"""Calls of the fixture whose records hold what a careless one would send as it is."""

TESTS = """
import numpy as np
import pytest
from conftest import Coordinate, on_a_line
from pytest_splitcheck import ClassSplit, IllPosedSplit

ABC = list("a" * 25 + "b" * 25 + "c" * 25)

def bench(labels, folds=2, **options):
    return ClassSplit(np.arange(75, dtype=np.float32)[:, None], labels, folds=folds, **options)
"""

ALL = (
    TESTS
    + """
@pytest.mark.parametrize("round", range(4))
def test_several_times(splitcheck, blocks, round):
    splitcheck(blocks)

@pytest.mark.parametrize("round", range(4))
def test_detectors(splitcheck, thirds, coordinate, round):
    splitcheck(thirds, max_rho_dir=1.0, detectors=coordinate)

def test_labels_of_numpy(splitcheck):
    benchmark = bench(np.repeat(np.array(["x", "y", "z"]), 25), name="numpy")
    splitcheck(benchmark, detectors=("knn",), max_rho_dir=np.float64(1.0))

@pytest.mark.xfail(raises=IllPosedSplit, strict=True)
@pytest.mark.splitcheck("mixed")
def test_expected(): pass

def test_fixture(splitcheck, mixed):
    splitcheck(mixed)

@pytest.mark.splitcheck("mixed")
def test_marker(): pass

def test_undecided(splitcheck, scarce, coordinate):
    splitcheck(scarce, detectors=coordinate)

def test_misspelt(splitcheck, mixed):
    splitcheck(mixed, max_leakge=1)
"""
)


def section(result: pytest.RunResult) -> list[str]:
    """The lines of the splitcheck section, of which there is one at most."""
    found = re.findall(
        r"^=+ splitcheck =+\n(.*?)(?=^=)", result.stdout.str(), re.MULTILINE | re.DOTALL
    )
    assert len(found) <= 1
    return found[0].splitlines() if found else []


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_record_is_plain_data(suite, case):
    """What a worker sends is checked here without one: pytest's serialised report, in execnet's terms."""
    suite.makeconftest(
        (suite.path / "conftest.py").read_text()
        + """
import execnet

def pytest_configure(config):
    config.pluginmanager.register(_Sends(config))

class _Sends:
    def __init__(self, config):
        self.config = config

    def pytest_runtest_logreport(self, report):
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        assert execnet.loads(execnet.dumps(data)) == data
        print("sent", report.when, [one["name"] for one in getattr(report, "splitcheck_entries", [])])
"""
    )
    suite.makepyfile(TESTS + f"\ndef test_it(splitcheck):\n    splitcheck({case})\n")
    result = suite.runpytest_inprocess("-s")
    assert "INTERNALERROR" not in result.stdout.str()
    assert re.search(r"sent call \['", result.stdout.str())


def test_one_section_on_the_controller(suite, nothing_of_ours):
    suite.makepyfile(ALL)
    path = suite.path / "pytest.ini"
    path.write_text(path.read_text() + "\nsplitcheck_max_leakage = 0.45\n")
    options = ["--splitcheck-max-rho-dir=0.1", "-o", "splitcheck_min_positives=21"]
    runs = [suite.runpytest_inprocess(workers, *options) for workers in ("-n2", "-n0")]
    for result in runs:
        assert "INTERNALERROR" not in result.stdout.str()
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        result.assert_outcomes(passed=9, xfailed=1, failed=4)
        nothing_of_ours(result)
    told = section(runs[0])
    assert [line.split()[0] for line in told[:-1]] == [
        "benchmark",
        "blocks",
        "mixed",
        "numpy",
        "scarce",
        "thirds",
    ]
    assert told[-1].startswith("not measured: mixed: splitcheck has no keyword max_leakge;")
    assert told == section(runs[1])
    messages = [sorted(line for line in run.outlines if line.startswith("E  ")) for run in runs]
    assert messages[0] == messages[1]
    assert len(messages[0]) > 10
    runs[0].stdout.fnmatch_lines(
        [
            "ill posed: mixed: L_10 = 0.588 > 0.45",
            "max_leakage  L_10 = 0.588 > 0.45  pytest.ini splitcheck_max_leakage",
        ]
    )
    for source in ("--splitcheck-max-rho-dir", "-o splitcheck_min_positives"):
        runs[0].stdout.fnmatch_lines([f"E *{source}"])


@pytest.mark.parametrize(
    ("arguments", "ini", "told"),
    [
        (["--splitcheck-kk=3"], "", "did you mean --splitcheck-k?"),
        (["-o", "splitcheck_kk=3"], "", "did you mean splitcheck_k?"),
        ([], "splitcheck_kk = 3", "did you mean splitcheck_k?"),
        (["--splitcheck-k=0"], "", "k must be 1 or more; got 0"),
        ([], "splitcheck_max_leakage = 2.0", "max_leakage must be from 0 to 1; got 2.0"),
    ],
)
def test_a_wrong_option_is_refused_before_any_worker_starts(suite, refusal, arguments, ini, told):
    suite.makepyfile("def test_it(): pass")
    (suite.path / "pytest.ini").write_text(f"[pytest]\n{ini}\n")
    assert told in refusal(suite.runpytest_inprocess("-n2", *arguments))


def test_a_wrong_marker_is_told(suite):
    # Pytest-xdist has no way to hand a worker's usage error to the controller: it ends in an
    # INTERNALERROR of its own without the message.
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.splitcheck("blocks", max_leakge=0.1)
        def test_it(): pass

        def test_other(): pass
        """
    )
    result = suite.runpytest_inprocess("-n2")
    output = result.stdout.str() + result.stderr.str()
    assert result.ret not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    assert "splitcheck has no keyword max_leakge; did you mean max_leakage?" in output
    assert "INTERNALERROR" not in output


@pytest.mark.parametrize("source", ["flag", "call"])
def test_a_number_of_threads_that_was_asked_for_stands(suite, monkeypatch, checks, source):
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "2")
    call, arguments = ("", ["--splitcheck-n-jobs=7"]) if source == "flag" else ("n_jobs=7", [])
    suite.makepyfile(f"def test_it(splitcheck, blocks):\n    splitcheck(blocks, {call})\n")
    suite.runpytest_inprocess(*arguments).assert_outcomes(passed=1)
    assert [check.values["n_jobs"] for check in checks] == [7]
