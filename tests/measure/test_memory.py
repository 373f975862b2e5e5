"""What was measured before spares time, and changes no figure: a check is what it would be alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_splitcheck import ClassSplit, InputError, Report, Thresholds, evaluate
from pytest_splitcheck.cache.store import Store
from pytest_splitcheck.gate import Gate
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.integrity import Inspection
from pytest_splitcheck.measure.leakage import measure_leakage, sample_leakage
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.report.baseline import Baseline
from tests.builders import clusters, labels, plain

X, Y = clusters([[0, 0], [1, 0], [4, 4]], 30)
X[:25] = np.r_[np.tile(X[:1], (22, 1)), X[40:43] + 1e-7]  # a pile, and near copies of another class
SPLITS = {
    "folds": ClassSplit(X, Y, folds=2),
    "pool": ClassSplit(X, Y, train=(X[::-1] + 1e-8, Y), drop=[2]),
}

requests = st.fixed_dictionaries(
    {
        "k": st.sampled_from([3, 5, (3, 5), (5, 3)]),
        "detectors": st.sampled_from([(), ("knn",), ("lof",), ("knn", "lof"), {"it": "knn"}]),
        "sampling": st.sampled_from(["always", "never", "auto"]),
        "alpha": st.sampled_from([0.001, 0.1]),
        "limits": st.sampled_from([(), (0.0,), (0.3,), (0.9,), (0.3, 0.5)]),
        "geometry": st.booleans(),
    }
)


def figures(split, request, memory):
    """Return all of a report that a verdict, or an author, reads."""
    options = dict(request)
    limits, geometry = options.pop("limits"), options.pop("geometry")
    found = measure(split, Protocol(**options), memory, lambda one: one, limits, geometry)
    at_each = {found.k: found, **found.other_k}
    rows = {
        k: [one.leakage.rows.tolist(), one.integrity.shared.rows.tolist()]
        for k, one in at_each.items()
    }
    return json.dumps([found.to_dict(), rows])


@settings(max_examples=20)
@given(st.sampled_from(sorted(SPLITS)), st.lists(requests, min_size=2, max_size=5))
def test_what_was_measured_before_changes_no_figure(which, asked):
    memory, split = Memory(), SPLITS[which]
    for request in asked:
        assert figures(split, request, memory) == figures(split, request, Memory())


def grid_with_clumps():
    """Return a benchmark whose geometry points both ways, and whose leakage is low."""
    grid = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
    noise = np.random.default_rng(0).normal(size=(3, 24, 2)) * 0.01
    clumps = np.array([[5, 5], [5, 14], [14, 9]])[:, None] + noise
    y = np.repeat([0, 1, 2, 3], [400, 24, 24, 24])
    return ClassSplit(np.vstack([grid, clumps.reshape(-1, 2)]), y)


@pytest.mark.parametrize("order", [["never", "always"], ["always", "never"]])
def test_a_verdict_does_not_depend_on_the_test_that_ran_before(order):
    gate, found = Gate(), {}
    for sampling in order:
        protocol = Protocol(detectors=(), sampling=sampling, advice="never")
        passage = gate.check(grid_with_clumps(), protocol, Thresholds(), "it")
        found[sampling] = passage.verdict.status, passage.report.geometry is not None
    assert found == {"never": ("ill posed", True), "always": ("well posed", False)}


def test_what_was_seen_is_kept_with_the_tallies(monkeypatch):
    """A check that is cut short after its detectors leaves nothing that the next one misses."""
    memory, protocol = Memory(), Protocol(detectors=("knn",), k=3)
    with monkeypatch.context() as patch:
        patch.setattr(Inspection, "result", interrupted)
        with pytest.raises(KeyboardInterrupt):
            measure(SPLITS["pool"], protocol, memory, id)
    again = measure(SPLITS["pool"], protocol, memory, id).integrity.shared
    assert again.near == measure(SPLITS["pool"], protocol, Memory(), id).integrity.shared.near > 0


def interrupted(*_):
    raise KeyboardInterrupt


# --- what data a report is of ----------------------------------------------------------------


class Spoiling:
    """A detector that writes to the data of its author, once."""

    def __init__(self, data):
        self.data = data

    def __deepcopy__(self, memo):
        return self

    def fit(self, X):
        self.data[::2] = 9.0

    def score(self, X):
        return X[:, 0]


def by_gate(split, **options):
    return Gate().check(split, Protocol(**options), Thresholds(), "it").report


@pytest.mark.parametrize("check", [by_gate, evaluate])
def test_data_that_a_detector_writes_to_are_refused(check):
    data = X.copy()
    split = ClassSplit(data, Y, folds=2)
    with pytest.raises(
        InputError, match="the data changed while they were measured: a detector writes"
    ):
        check(split, detectors={"it": Spoiling(data), "knn": "knn"})
    assert check(split, detectors={"it": Spoiling(data)}).fingerprint == split.fingerprint


def test_nothing_is_kept_of_data_that_were_written_to(tmp_path):
    """Else the next run, of the data as they were, would have figures of the others."""

    def check(data, detectors):
        split, gate = ClassSplit(data, Y, folds=2), Gate(store=Store(lambda: tmp_path))
        return gate.check(split, Protocol(detectors=detectors), Thresholds(), "it").report

    data = X.copy()
    with pytest.raises(InputError):
        check(data, {"it": Spoiling(data), "knn": "knn"})
    sound = evaluate(ClassSplit(X, Y, folds=2), detectors=("knn",)).detectors["knn"]
    assert check(X.copy(), ("knn",)).detectors["knn"].auroc == sound.auroc
    assert (
        evaluate(ClassSplit(data, Y, folds=2), detectors=("knn",)).detectors["knn"].auroc
        != sound.auroc
    )


def test_data_that_change_between_two_checks_are_other_data(taken):
    gate, data = Gate(), X.copy()
    split, protocol = ClassSplit(data, Y, folds=2), Protocol(detectors=(), advice="never")
    first, again = (gate.check(split, protocol, Thresholds(), "it").report for _ in range(2))
    data += np.random.default_rng(0).normal(size=data.shape)
    second = gate.check(split, protocol, Thresholds(), "it").report
    assert len(taken) == 3  # once in each check
    assert first.fingerprint == again.fingerprint != second.fingerprint == split.fingerprint
    assert second.leakage.value == evaluate(split, detectors=()).leakage.value


@pytest.fixture
def taken(monkeypatch):
    """Count how often the data of a benchmark are read for their fingerprint."""
    return counted(monkeypatch, ClassSplit, "fingerprint", ClassSplit.fingerprint.fget, property)


@pytest.mark.parametrize("tolerance", [None, 0.01])
def test_a_report_becomes_plain_data_once(monkeypatch, tolerance):
    made = counted(monkeypatch, Report, "to_dict", Report.to_dict)
    recorded = {"shown": "base.json", "recorded": {}, "tolerance": tolerance}
    baseline = None if tolerance is None else Baseline(**recorded)
    protocol = Protocol(detectors=("knn",), advice="never")
    passage = Gate(baseline=baseline).check(SPLITS["pool"], protocol, Thresholds(), "it")
    assert len(made) == 1
    assert passage.entry["report"] == passage.report.to_dict()


def counted(monkeypatch, home, name, work, dress=lambda one: one):
    """Return a list that gets an entry each time that `work` is done."""
    calls = []

    def call(self):
        calls.append(name)
        return work(self)

    monkeypatch.setattr(home, name, dress(call))
    return calls


# --- what is measured once ------------------------------------------------------------------

MIXED, CODES = plain(600, 2), labels(600, 4)


@pytest.fixture
def computed(monkeypatch):
    """Count what is measured."""
    counts = {"full": 0, "sample": 0}

    def counted(name, work):
        def call(*args):
            counts[name] += 1
            return work(*args)

        return call

    home = "pytest_splitcheck.measure.chosen_leakage"
    monkeypatch.setattr(f"{home}.measure_leakage", counted("full", measure_leakage))
    monkeypatch.setattr(f"{home}.sample_leakage", counted("sample", sample_leakage))
    return counts


def remembered(memory, limits, **options):
    protocol = Protocol(detectors=(), **{"sampling": "always", **options})
    return measure(ClassSplit(MIXED, CODES), protocol, memory, type, limits).leakage


def everything(found):
    return json.dumps(found.to_dict()), found.rows.tobytes(), found.pointwise.tobytes()


def test_a_sample_is_drawn_once(computed):
    memory = Memory()
    first = remembered(memory, [0.5])
    assert remembered(memory, [0.5, 1.0], n_jobs=1) is first
    assert computed == {"full": 0, "sample": 1}


@pytest.mark.parametrize(
    ("limits", "options"),
    [([0.6], {}), ([0.5, 0.6], {}), ([0.5], {"alpha": 0.01}), ([0.5], {"k": 9})],
)
def test_what_a_sample_depends_on(computed, limits, options):
    memory = Memory()
    remembered(memory, [0.5])
    found = remembered(memory, limits, **options)
    assert computed == {"full": 0, "sample": 2}
    assert everything(found) == everything(remembered(Memory(), limits, **options))


def test_all_rows_serve_every_limit_but_no_sample(computed):
    memory = Memory()
    exact = remembered(memory, [0.5], sampling="never")
    assert remembered(memory, [0.6], sampling="never") is exact
    assert computed == {"full": 1, "sample": 0}
    assert remembered(memory, [0.6]).sampled
    assert computed == {"full": 1, "sample": 1}


def test_a_sample_of_all_rows_serves_its_own_limits_only(computed):
    memory = Memory()
    value = remembered(Memory(), (), sampling="never").value
    exact = remembered(memory, [value])
    assert exact.exact
    assert remembered(memory, [value]) is exact
    assert remembered(memory, [0.5]).sampled
    assert everything(remembered(memory, (), sampling="never")) == everything(exact)
    assert computed == {"full": 2, "sample": 2}


def test_a_sample_does_not_serve_where_the_value_is_wanted(computed):
    memory = Memory()
    remembered(memory, [0.5])
    assert remembered(memory, ()).exact
    assert computed == {"full": 1, "sample": 1}
