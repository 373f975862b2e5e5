"""Where a splitcheck marker may stand, and which limits hold there."""

from __future__ import annotations

import re

import pytest

from tests.plugin.markers import ran, sources


def test_a_parametrized_benchmark(suite):
    suite.makepyfile(
        """
        import pytest
        from conftest import on_a_line

        @pytest.fixture(params=["ab" * 25, "a" * 25 + "b" * 25], ids=["mixed", "blocks"])
        def either(request):
            return on_a_line(request.param)

        @pytest.mark.splitcheck("either")
        def test_method():
            pass

        @pytest.mark.splitcheck("either")
        @pytest.mark.parametrize("seed", [0, 1])
        def test_seeds(seed):
            pass
        """
    )
    result = suite.runpytest_inprocess("-rA")
    result.assert_outcomes(failed=3, passed=3)
    lines = re.findall(r"^(PASSED|FAILED) .*::test_method\[(\w+)\]", result.stdout.str(), re.M)
    assert lines == [("PASSED", "blocks"), ("FAILED", "mixed")]


@pytest.mark.parametrize(
    "code",
    [
        # a class
        """
        @pytest.mark.splitcheck("mixed")
        class TestIt:
            def test_a(self): pass
            def test_b(self): pass
        """,
        """
        class TestIt:
            pytestmark = pytest.mark.splitcheck("mixed")
            def test_a(self): pass
            def test_b(self): pass
        """,
        """
        class TestIt:
            pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.splitcheck("mixed")]
            def test_a(self): pass
            def test_b(self): pass
        """,
        # a class in a class
        """
        @pytest.mark.splitcheck("mixed")
        class TestOuter:
            class TestInner:
                def test_a(self): pass
                def test_b(self): pass
        """,
        # a module
        """
        pytestmark = pytest.mark.splitcheck("mixed")
        def test_a(): pass
        class TestIt:
            def test_b(self): pass
        """,
        """
        pytestmark = [pytest.mark.splitcheck("mixed")]
        def test_a(): pass
        def test_b(): pass
        """,
        # methods
        """
        class TestIt:
            @pytest.mark.splitcheck("mixed")
            def test_a(self): pass
            @staticmethod
            @pytest.mark.splitcheck("mixed")
            def test_b(): pass
        """,
        """
        class TestIt:
            @classmethod
            @pytest.mark.splitcheck("mixed")
            def test_a(cls): pass
            @pytest.mark.splitcheck("mixed")
            @staticmethod
            def test_b(): pass
        """,
        # parameters
        """
        @pytest.mark.splitcheck("mixed")
        @pytest.mark.parametrize("seed", [1, 2])
        def test_it(seed): pass
        """,
        # unittest
        """
        class TestIt(unittest.TestCase):
            @pytest.mark.splitcheck("mixed")
            def test_a(self): pass
            @pytest.mark.splitcheck("mixed")
            def test_b(self): pass
        """,
        """
        @pytest.mark.splitcheck("mixed")
        class TestIt(unittest.TestCase):
            def test_a(self): pass
            def test_b(self): pass
        """,
    ],
    ids=[
        "class", "class-pytestmark", "class-list", "nested", "module", "module-list",
        "methods", "class-methods", "parametrize", "unittest-methods", "unittest-class",
    ],
)  # fmt: skip
def test_wherever_a_marker_may_stand(suite, nothing_of_ours, code):
    code = re.sub(r"^        ", "", code, flags=re.MULTILINE).replace(
        "pass", "pathlib.Path('ran').touch()"
    )
    suite.makepyfile("import pathlib, pytest, unittest\n" + code)
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=2)
    assert not ran(suite)
    nothing_of_ours(result)
    assert result.stdout.str().count("ill posed: mixed: L_10 = 0.588 > 0.5\n\n") == 2


@pytest.mark.parametrize(
    "derived",
    [
        "class TestIt(base.Base): pass",
        "@pytest.mark.slow\nclass TestIt(base.Base): pass",
        "@pytest.mark.splitcheck('blocks')\nclass TestIt(base.Base): pass",
        "class TestIt(base.Other, base.Base): pass",
        "class TestIt(base.Base):\n    pytestmark = [pytest.mark.slow]",
    ],
    ids=["plain", "other-marker", "own-marker", "two-bases", "pytestmark"],
)
def test_a_marker_is_inherited(suite, derived):
    # A class nearer than the marked one may have marks of its own, in a pytestmark of its own.
    suite.makepyfile(
        base="""
        import pytest

        @pytest.mark.splitcheck("mixed")
        class Base:
            def test_a(self): pass

        @pytest.mark.slow
        class Other:
            pass
        """,
        test_derived=f"import pytest\nimport base\n\n{derived}\n",
    )
    result = suite.runpytest_inprocess("-o", "markers=slow")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["ill posed: mixed: L_10 = 0.588 > 0.5"])


def test_a_marker_hits_only_what_it_marks(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.splitcheck("mixed")
        class TestMarked:
            def test_a(self): pass

        class TestOther:
            def test_a(self): pass
            @pytest.mark.splitcheck("mixed")
            def test_b(self): pass

        def test_c(): pass
        """
    )
    suite.makepyfile(test_other="def test_a(): pass")
    suite.runpytest_inprocess().assert_outcomes(failed=2, passed=3)


def test_a_benchmark_that_the_test_uses_too(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.splitcheck("blocks")
        def test_it(blocks, splitcheck):
            assert splitcheck(blocks).m == len(blocks.X)
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1)


def test_limits_for_the_fixture(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.splitcheck(max_leakage=0.6, k=9)
        def test_loose(splitcheck, mixed):
            assert splitcheck(mixed).k == 9

        @pytest.mark.splitcheck(max_leakage=0.01)
        def test_strict(splitcheck, blocks):
            splitcheck(blocks)

        def test_none(splitcheck, blocks):
            assert splitcheck(blocks).k == 10
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=2, failed=1)
    assert sources(result) == ["marker of test_strict"]


def test_the_closest_marker_takes_precedence(suite):
    suite.makepyfile(
        test_a="""
        import pytest

        pytestmark = pytest.mark.splitcheck(max_leakage=0.03, k=7)

        def test_module(splitcheck, blocks):
            splitcheck(blocks)

        @pytest.mark.splitcheck(max_leakage=0.02)
        class TestIt:
            def test_class(self, splitcheck, blocks):
                splitcheck(blocks)

            @pytest.mark.splitcheck(max_leakage=0.01)
            def test_function(self, splitcheck, blocks):
                splitcheck(blocks)

            @pytest.mark.splitcheck(max_leakage=0.01)
            def test_call(self, splitcheck, blocks):
                splitcheck(blocks, max_leakage=0.001)
        """
    )
    result = suite.runpytest_inprocess("--splitcheck-max-leakage=0.04", "--splitcheck-k=3")
    result.assert_outcomes(failed=4)
    assert sources(result) == [
        "marker of test_a.py",
        "marker of TestIt",
        "marker of test_function",
        "max_leakage= in the call",
    ]
    bounds = re.findall(
        r"Split: ill posed: blocks: L_7 = 0.04\d > ([0-9.]+)$", result.stdout.str(), re.M
    )
    assert bounds == ["0.03", "0.02", "0.01", "0.001"]


def test_limits_on_a_class_hold_for_the_preconditions_within(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.splitcheck(max_leakage=0.01)
        class TestIt:
            @pytest.mark.splitcheck("blocks")
            def test_inherits(self): pass

            @pytest.mark.splitcheck("blocks", max_leakage=0.5)
            def test_overrides(self): pass
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1, passed=1)
    assert sources(result) == ["marker of TestIt"]


def test_limits_in_the_marker_of_a_benchmark_take_precedence_over_those_beside_it(suite):
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.splitcheck(max_leakage=0.01, k=5)
        @pytest.mark.splitcheck("blocks", max_leakage=0.5)
        def test_above(): pass

        @pytest.mark.splitcheck("blocks", max_leakage=0.5)
        @pytest.mark.splitcheck(max_leakage=0.01, k=5)
        def test_below(): pass
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["blocks *  5  *well posed"])


def test_limits_on_a_test_hold_for_the_precondition_of_its_module(suite):
    suite.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.splitcheck("mixed")

        @pytest.mark.splitcheck(max_leakage=0.6)
        def test_it(): pass
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize("named", ['"blocks", ', ""])
def test_the_closest_limit_wins_over_one_of_the_class(suite, named):
    suite.makepyfile(
        f"""
        import pytest

        @pytest.mark.splitcheck("blocks", max_leakage=0.01)
        class TestIt:
            @pytest.mark.splitcheck({named}max_leakage=0.5)
            def test_closer(self): pass

            def test_other(self): pass
        """
    )
    result = suite.runpytest_inprocess("-rA")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["PASSED *::test_closer"])


def test_objects_that_raise_whatever_they_are_asked_are_let_be(suite):
    suite.makepyfile(
        """
        class Proxy:
            def __getattribute__(self, name):
                raise RuntimeError("outside of application context")

        proxy = Proxy()

        def test_it(): pass
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1)
