"""A benchmark is measured once in a session, and what was measured is not mistaken for another."""

from __future__ import annotations

import pytest

from tests.plugin.summaries import table


def test_a_benchmark_of_several_tests_is_measured_and_told_once(suite, fits):
    suite.makepyfile(
        """
        import pytest

        def test_fixture(splitcheck, counted):
            assert splitcheck(counted).to_dict() == splitcheck(counted).to_dict()

        @pytest.mark.splitcheck("counted")
        def test_marker(splitcheck, counted):
            splitcheck(counted, max_leakage=0.9, n_jobs=1)

        @pytest.mark.splitcheck("counted")
        class TestIt:
            def test_a(self): pass
            def test_b(self): pass
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=4)
    assert fits() == 2
    assert [row[0] for row in table(result)] == ["counted (Counting)"]


def test_equal_data_are_one_benchmark(suite, fits):
    suite.makepyfile(
        """
        import pytest
        from conftest import Coordinate, Counting, on_a_line

        @pytest.mark.parametrize("round", range(3))
        def test_it(splitcheck, round):
            one = on_a_line("a" * 25 + "b" * 25, name="made anew", representation=Counting())
            splitcheck(one)
        """
    )
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=3)
    assert fits() == 2
    assert [row[0] for row in table(result)] == ["made anew (Counting)"]


@pytest.mark.parametrize(
    "options",
    [
        "k=3",
        "epsilon=0.1",
        "detectors=('knn',)",
        "detectors={'a': 'knn'}",
        "detectors={'coordinate': Coordinate(-1)}",
        "detectors={'coordinate': Coordinate(), 'other': Coordinate(-1)}",
        "seeds=(7,)",
        "seeds=(6, 7)",
    ],
)
def test_what_was_measured_before_does_not_get_in_the_way(suite, options):
    suite.makepyfile(
        f"""
        import numpy as np
        from pytest_splitcheck import evaluate

        class Coordinate:
            def __init__(self, sign=1):
                self.sign = sign

            def fit(self, X):
                return self

            def score(self, X):
                return self.sign * X[:, 0]

        class Seeded:
            random_state = None

            def get_params(self, deep):
                return {{"random_state": self.random_state}}

            def set_params(self, random_state):
                self.random_state = random_state

            def fit(self, X):
                return self

            def score(self, X):
                return np.random.default_rng(self.random_state).normal(size=len(X))

        def test_it(splitcheck, thirds):
            limits = dict(max_rho_dir=1.0, max_leakage=1.0, min_positives=0)
            before = dict(detectors={{"coordinate": Coordinate(), "seeded": Seeded()}}, seeds=(6,))
            splitcheck(thirds, **before, **limits)
            options = before | dict({options})
            assert splitcheck(thirds, **options, **limits).to_dict() == evaluate(thirds, **options).to_dict()
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=1)


def test_other_data_under_the_same_name_have_their_own_line(suite):
    suite.makepyfile(
        """
        from conftest import on_a_line

        def test_it(splitcheck):
            splitcheck(on_a_line("a" * 25 + "b" * 25, name="same"))
            splitcheck(on_a_line("a" * 25 + "b" * 30, name="same"))
            splitcheck(on_a_line("a" * 25 + "b" * 25, name="same", representation="other"))
        """
    )
    rows = table(suite.runpytest_inprocess())
    assert sorted(row[1] for row in rows) == ["50", "50", "55"]
    assert len([row for row in rows if row[0].startswith("same (other)")]) == 1
    assert len([row for row in rows if row[0].startswith("same")]) == 3


def test_another_protocol_has_its_own_line(suite):
    suite.makepyfile(
        """
        def test_it(splitcheck, blocks, coordinate):
            splitcheck(blocks, k=5)
            splitcheck(blocks, k=9)
            splitcheck(blocks, k=9, detectors=coordinate, max_rho_dir=1.0)
        """
    )
    rows = table(suite.runpytest_inprocess())
    assert [row[3] for row in rows] == ["5", "9", "9"]
    assert sorted(row[8] for row in rows) == ["0.00", "0.00", "0.50"]


def test_what_may_have_changed_is_measured_again(suite):
    suite.makepyfile(
        """
        import numpy as np
        from pytest_splitcheck import ClassSplit

        class Detector:
            def __init__(self):
                self.sign = 1
                self.unpicklable = lambda: None

            def fit(self, X): pass

            def score(self, X):
                return self.sign * X[:, 0]

        def test_detector(splitcheck, thirds):
            detector = Detector()
            limits = dict(max_rho_dir=None, max_leakage=None)
            first = splitcheck(thirds, detectors={"it": detector}, **limits)
            detector.sign = -1
            second = splitcheck(thirds, detectors={"it": detector}, **limits)
            one, two = first.detectors["it"].auroc, second.detectors["it"].auroc
            assert all(abs(one[c] + two[c] - 1) < 1e-9 for c in one)
            assert one != two

        def test_data(splitcheck):
            data = np.arange(60.0)[:, None]
            benchmark = ClassSplit(data, ["a", "b"] * 30)
            options = dict(max_leakage=None, detectors=(), k=1)
            before = splitcheck(benchmark, **options).leakage.value
            data[1::2] += 100.0
            assert splitcheck(benchmark, **options).leakage.value < before
        """
    )
    suite.runpytest_inprocess().assert_outcomes(passed=2)
