"""What loading the plugin costs, and what the package needs."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

import pytest_splitcheck

HEAVY = (
    "numpy",
    "scipy",
    "sklearn",
    "numba",
    "pynndescent",
    "threadpoolctl",
    "joblib",
    "pandas",
    "jinja2",
    "matplotlib",
    "PIL",
)

LIGHT = {
    "errors",
    "ini",
    "measure",
    "measure.protocol",
    "options",
    "plugin",
    "run_options",
    "session",
    "session.checks",
    "session.junit",
    "session.markers",
    "session.notices",
    "session.progress",
    "session.summary",
    "settings",
    "verdict",
    "verdict.policy",
    "verdict.thresholds",
}
"""Modules of the package that every run of pytest loads, whether it checks anything or not."""

BUILT = ["Policy", "Protocol", "RunOptions", "Thresholds"]
"""The dataclasses in them; to build one takes as long as to load several modules."""

PROBE = f"""
import sys

def pytest_unconfigure():
    print("\\nheavy:", *(name for name in {HEAVY!r} if name in sys.modules), "end")
    ours = [name for name in sys.modules if name.startswith("pytest_splitcheck.")]
    print("ours:", *(name.partition(".")[2] for name in ours))
"""


def run_python(code: str) -> str:
    """Run `code` in a process of its own and return what it prints."""
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (["--collect-only", "empty"], set()),
        (["--collect-only", "marked"], set()),
        (["--help"], set()),
        (["--markers"], set()),
        (["--fixtures"], set()),
        (["plain", "--splitcheck-html=page.html", "--collect-only"], {"files", "session.outputs"}),
        (["plain", "--splitcheck-max-leakage=0.3", "-o", "splitcheck_detectors=knn"], set()),
    ],
    ids=["empty", "collect", "help", "markers", "fixtures", "page", "unused"],
)
def test_little_is_loaded(suite, arguments, more):
    suite.makeconftest("")
    suite.makepyfile(probe=PROBE)
    suite.mkdir("empty")
    suite.mkdir("plain")
    (suite.path / "plain" / "test_plain.py").write_text("def test_it(): pass\n")
    suite.mkdir("marked")
    (suite.path / "marked" / "test_marked.py").write_text(
        "import pytest\n"
        "@pytest.fixture\n"
        "def data():\n"
        "    from pytest_splitcheck import ClassSplit\n"
        "@pytest.mark.splitcheck('data', max_leakage=0.3, k=5, detectors=('knn',))\n"
        "def test_it(splitcheck, data): pass\n"
    )
    suite.syspathinsert()
    result = suite.runpytest_subprocess("-p", "probe", *arguments)
    assert result.ret in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    result.stdout.fnmatch_lines(["heavy: end"])
    ours = next(line.split()[1:] for line in result.outlines if line.startswith("ours: "))
    assert "plugin" in ours
    assert set(ours) - LIGHT == more


def test_loading_the_plugin_loads_nothing_else_that_pytest_lacks_and_builds_few_classes():
    told = run_python(
        """
        import sys
        import pytest
        before = set(sys.modules)
        import pytest_splitcheck.plugin

        new = sorted(set(sys.modules) - before)
        ours = [name for name in new if name.partition(".")[0] == "pytest_splitcheck"]
        print(*(name for name in new if name not in ours), "end")
        found = [(name, value) for name in ours for value in vars(sys.modules[name]).values()]
        print(*sorted(
            value.__name__
            for name, value in found
            if hasattr(value, "__dataclass_fields__") and value.__module__ == name
        ))
        """
    )
    assert told.splitlines() == ["end", " ".join(BUILT)]


def test_importing_the_package_loads_nothing():
    loaded = run_python(
        f"""
        import sys
        before = set(sys.modules)
        import pytest_splitcheck
        dir(pytest_splitcheck)
        new = {{name.partition(".")[0] for name in set(sys.modules) - before}}
        print(sorted(new & {{"pytest", "_pytest", *{HEAVY!r}}}))
        print(sorted(name for name in sys.modules if name.startswith("pytest_splitcheck.")))
        """
    )
    assert loaded == "[]\n[]\n"


def test_every_public_name_is_there():
    names = set(pytest_splitcheck.__all__)
    assert {"ClassSplit", "evaluate", "judge", "Thresholds", "IllPosedSplit"} <= names
    assert names <= set(dir(pytest_splitcheck))
    assert "__all__" in dir(pytest_splitcheck)
    for name in names:
        one = getattr(pytest_splitcheck, name)
        assert one.__name__ == name
        assert one.__doc__
    told = run_python("from pytest_splitcheck import *\nprint(*sorted(set(dir())))")
    assert names <= set(told.split())


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(
        AttributeError, match="module 'pytest_splitcheck' has no attribute 'nothing'"
    ):
        pytest_splitcheck.nothing  # noqa: B018
    with pytest.raises(ImportError, match="nothing"):
        from pytest_splitcheck import nothing  # noqa: F401


def test_the_exceptions_go_by_their_public_name():
    for name in ("IllPosedSplit", "UndecidedSplit", "InputError", "UnknownKeyword"):
        assert getattr(pytest_splitcheck, name).__module__ == "pytest_splitcheck"


def test_a_script_needs_no_pytest():
    told = run_python(
        """
        import sys
        sys.modules["pytest"] = sys.modules["_pytest"] = None

        from pytest_splitcheck import ClassSplit, Thresholds, evaluate, judge

        benchmark = ClassSplit([[float(row)] for row in range(50)], list("ab" * 25), name="mixed")
        report = evaluate(benchmark, detectors=("knn",))
        verdict = judge(report, Thresholds(max_leakage=0.3))
        print(verdict.status, verdict.findings[0].source, round(report.leakage.value, 3))
        print("pynndescent" in sys.modules)
        """
    )
    assert told == "ill posed thresholds 0.588\nFalse\n"


def test_the_plugin_goes_by_its_name(suite):
    suite.makepyfile("def test_it(splitcheck, blocks):\n    splitcheck(blocks)\n")
    result = suite.runpytest_inprocess("--trace-config")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*splitcheck-*", "*splitcheck *: */pytest_splitcheck/plugin.py"])


def test_without_autoload_it_can_be_asked_for(suite, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    suite.makepyfile("def test_it(splitcheck, blocks):\n    splitcheck(blocks)\n")
    for name in ("splitcheck", "pytest_splitcheck.plugin"):
        suite.runpytest_inprocess("-p", name).assert_outcomes(passed=1)
