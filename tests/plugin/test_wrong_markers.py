"""Markers that are wrong, or come too late: refused before any test runs."""

from __future__ import annotations

import pytest

from tests.plugin.markers import PRECONDITION, add_to_conftest, ran, sources


@pytest.mark.parametrize(
    ("marker", "told"),
    [
        ('splitcheck("blocks", max_leakge=0.1)', "no keyword max_leakge; did you mean max_leakage?"),
        ("splitcheck(max_rho_dri=0.1)", "no keyword max_rho_dri; did you mean max_rho_dir?"),
        ('splitcheck("blocks", seed=1)', "no keyword seed; did you mean seeds?"),
        ('splitcheck("blocks", zzz=1)', "no keyword zzz; there are max_leakage, "),
        ('splitcheck("blocks", n_jobs=1)', "no keyword n_jobs"),
        ('splitcheck("blocks", max_leakage=2.0)', "max_leakage must be from 0 to 1; got 2.0"),
        ('splitcheck("blocks", max_leakage="abc")', "max_leakage must be a number"),
        ('splitcheck("blocks", max_leakage=True)', "max_leakage must be a number"),
        ('splitcheck("blocks", min_positives=-1)', "min_positives must be 0 or more; got -1"),
        ('splitcheck("blocks", k=0)', "k must be 1 or more; got 0"),
        ('splitcheck("blocks", epsilon=0.5)', "epsilon must lie in [0, 0.5); got 0.5"),
        ('splitcheck("blocks", detectors=("knnn",))', "built-in detector 'knnn'; did you mean 'knn'?"),
        ('splitcheck("blocks", detectors={"a": "knnn"})', "knnn"),
        ('splitcheck("blocks", detectors="knn")', "detectors must be a list of names"),
        ('splitcheck("blocks", seeds=("a", "b"))', "seed must be a whole number; got 'a'"),
        ("splitcheck(blocks)", "a benchmark goes by the name of its fixture; got "),
        ("splitcheck(3)", "a benchmark goes by the name of its fixture; got 3"),
        ('splitcheck(["blocks"])', "a benchmark goes by the name of its fixture; got ['blocks']"),
        ("splitcheck()", "checks nothing"),
        ("splitcheck", "checks nothing"),
        ("splitcheck(max_leakage=0.1)", "checks nothing"),
    ],
)  # fmt: skip
def test_a_wrong_marker_is_refused_before_any_test_runs(suite, refusal, marker, told):
    suite.makepyfile(
        test_a=f"""
        import pathlib
        import pytest
        from pytest_splitcheck import ClassSplit

        blocks = ClassSplit([[0.0], [1.0]], [0, 1], folds=2)

        def test_first():
            pathlib.Path("ran").touch()

        @pytest.mark.{marker}
        def test_marked():
            pathlib.Path("ran").touch()
        """
    )
    line = refusal(suite.runpytest_inprocess())
    assert told in line
    assert "test_a.py::test_marked" in line
    assert not ran(suite)


@pytest.mark.parametrize(
    "code",
    [
        "@pytest.mark.splitcheck(max_leakge=1)\nclass TestIt:\n    def test_it(self): pass",
        "pytestmark = pytest.mark.splitcheck(max_leakge=1)\ndef test_it(): pass",
        "@pytest.mark.parametrize('a', [pytest.param(0, marks=pytest.mark.splitcheck(max_leakge=1))])"
        "\ndef test_it(a): pass",
    ],
    ids=["class", "module", "param"],
)
def test_a_wrong_marker_is_refused_wherever_it_stands(suite, refusal, code):
    suite.makepyfile(f"import pytest\n{code}\n")
    assert "did you mean max_leakage?" in refusal(suite.runpytest_inprocess())


@pytest.mark.parametrize("option", ["-q", "--collect-only", "--setup-plan"])
def test_a_wrong_marker_is_refused_under(suite, refusal, option):
    suite.makepyfile(PRECONDITION.format(arguments='"blocks", kk=1'))
    assert "did you mean k?" in refusal(suite.runpytest_inprocess(option))


@pytest.mark.parametrize(
    "order", ["", "@pytest.hookimpl(tryfirst=True)", "@pytest.hookimpl(trylast=True)"]
)
@pytest.mark.parametrize(
    ("marker", "told"),
    [
        ('splitcheck("blocks")', "test_a.py::test_it: @pytest.mark.splitcheck('blocks')"),
        ("splitcheck(max_leakge=0.1)", "did you mean max_leakage?"),
        ("splitcheck(max_leakage=0.1)", "checks nothing"),
    ],
)  # fmt: skip
def test_a_marker_that_comes_late_is_refused(suite, refusal, marker, told, order):
    # A trylast hook of a conftest.py runs after one of the plugin.
    suite.makepyfile(test_a="def test_it(): pass")
    add_to_conftest(
        suite,
        f"""
        {order}
        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.{marker})
        """,
    )
    assert told in refusal(suite.runpytest_inprocess())


def test_a_marker_that_comes_late_works_where_the_test_has_the_fixture(suite):
    suite.makepyfile(
        test_a="def test_it(mixed): pass",
        test_b="def test_it(splitcheck, blocks): splitcheck(blocks)",
    )
    add_to_conftest(
        suite,
        """
        def pytest_collection_modifyitems(items):
            for item in items:
                marker = pytest.mark.splitcheck(max_leakage=0.01)
                if "mixed" in item.fixturenames:
                    marker = pytest.mark.splitcheck("mixed")
                item.add_marker(marker)
        """,
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=2)
    assert sources(result) == ["default", "marker of test_it"]


def test_a_marker_of_a_parameter_comes_late(suite, refusal):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.splitcheck("blocks"))])
        def test_it(seed): pass
        """
    )
    line = refusal(suite.runpytest_inprocess())
    assert "::test_it[0]" in line
    assert "Put it on a test function, its class or its module." in line


def test_a_marker_of_a_parameter_where_the_test_has_the_fixture(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.splitcheck("mixed"))])
        def test_it(seed, mixed): pass
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1, failed=1)
