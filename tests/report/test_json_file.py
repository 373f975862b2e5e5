"""The JSON file and its schema: exact, documented, the same in the same case."""

from __future__ import annotations

import copy
import dataclasses
import json
from importlib import resources

import jsonschema
import numpy as np
import pytest

from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.options import OPTIONS
from pytest_splitcheck.report.json_file import SCHEMA, json_file
from pytest_splitcheck.report.plain_json import plain_json
from pytest_splitcheck.report.record import record
from pytest_splitcheck.verdict.judge import judge
from tests.builders import leakage, report, sampled

FILE = resources.files("pytest_splitcheck.report") / "schema" / "splitcheck-1.json"
CONTENT = json.loads(FILE.read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(CONTENT)
ONE = {"value": None, "source": "default"}
KINDS = {
    "k": 10, "epsilon": 0.05, "detectors": ["knn"], "seeds": [0], "confident": False,
    "alpha": 0.001, "memory": 1.0,
    **dict.fromkeys(("undecided", "neighbors", "sampling", "advice"), "auto"),
}  # fmt: skip
OPTION_VALUES = {
    option.name: {**ONE, "value": KINDS.get(option.name)}
    for option in OPTIONS
    if option.scope != "run"
}


def entry(**changes):
    found = report(**changes)
    told = {"nodeid": "test_a.py::test_it", "options": OPTION_VALUES}
    return {**record(found, judge(found), "bench"), **told}


def check(records):
    text = json_file(records, {"python": "3.11.7"})
    content = json.loads(text)
    VALIDATOR.validate(content)
    return content


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(CONTENT)
    assert CONTENT["properties"]["schema"] == {"const": SCHEMA}


def schemas(part, path=""):
    """Every schema within a schema, with its place."""
    yield path, part
    for name in ("properties", "$defs"):
        for key, one in part.get(name, {}).items():
            yield from schemas(one, f"{path}/{name}/{key}")
    for name in ("items", "additionalProperties", "propertyNames"):
        if isinstance(part.get(name), dict):
            yield from schemas(part[name], f"{path}/{name}")
    for name in ("anyOf", "prefixItems"):
        for at, one in enumerate(part.get(name, [])):
            yield from schemas(one, f"{path}/{name}/{at}")


def test_the_schema_is_exact():
    for path, one in schemas(CONTENT):
        if one.get("type") != "object":
            continue
        if "properties" not in one:
            assert isinstance(one["additionalProperties"], dict), path
            continue
        assert one["additionalProperties"] is False, path
        needed = [] if path.endswith("/further") else list(one["properties"])
        assert one["required"] == needed, path


def test_every_number_is_documented_with_its_range():
    signed = ("/options", "/finding/properties/bound", "/finding/properties/value")
    told = 0
    for path, one in schemas(CONTENT):
        kinds = {one["type"]} if isinstance(one.get("type"), str) else set(one.get("type", ()))
        if not kinds & {"number", "integer"}:
            continue
        parent = path.rsplit("/", 2)[-2]
        if parent == "properties" and "/options/" not in path:
            assert one["description"], path
        if not any(part in path for part in signed):
            assert {"minimum", "exclusiveMinimum"} & set(one), path
            told += 1
    assert told > 50


def test_it_names_every_option_of_a_check():
    names = [option.name for option in OPTIONS if option.scope != "run"]
    assert list(CONTENT["$defs"]["options"]["properties"]) == names


def test_a_run_without_records_is_valid():
    assert check([])["benchmarks"] == []


def test_what_is_read_is_what_was_recorded():
    one = entry(geometry={"a": 0.4, "b": 0.9, "c": 0.5})
    content = check([{**one, "pictures": {"scores": [1.0]}, "declared": {"file": "a.toml"}}])
    told = one.keys() - {"pictures", "declared"}
    assert content["benchmarks"] == [{name: one[name] for name in one if name in told}]


def test_what_could_not_be_measured_is_in_it():
    one = {"nodeid": "t::t", "name": "b", "representation": None, "message": "why\n"}
    content = json.loads(json_file([], {}, [one]))
    VALIDATOR.validate(content)
    assert content["errors"] == [one]
    for name in one:
        less = {**content, "errors": [{key: one[key] for key in one if key != name}]}
        assert not VALIDATOR.is_valid(less)


APPROXIMATION = Approximation(recall=0.99, sample=1000, error=0.01, repaired=3)


@pytest.mark.parametrize(
    "changes",
    [
        {"aurocs": {}},
        {"aurocs": {}, "geometry": dict.fromkeys("abc", 0.9)},
        {"leakage": sampled(0.3, (0.2, 0.4))},
        {"leakage": leakage(0.3, approximation=APPROXIMATION)},
        {
            "leakage": sampled(
                0.3,
                (0.2, 0.4),
                per_class={"a": 0.3, "b": None, "c": 0.3},
                macro=None,
                matrix=np.array([[0.7, 0.3, 0], [np.nan] * 3, [0.3, 0, 0.7]]),
            )
        },
        {"no_ranking": {"knn": ("a",)}, "hard_labels": {"knn": ("b",)}, "far_auroc": {"knn": 0.1}},
        {"aurocs": {"iforest": {c: [0.4, 0.6] for c in "abc"}}, "seeds": (0, 2**31)},
        {"n_train": 50, "folds": None},
        {"constant": True},
        {"name": None, "representation": "\x1b[31m\ud800<script>"},
    ],
)
def test_every_kind_of_report_is_valid(changes):
    check([entry(**changes)])


def test_what_has_no_number_cannot_be_written():
    one = entry()
    one["report"]["leakage"]["value"] = float("nan")
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_file([one], {})


def places(part, path=()):
    """The path of every object within plain data."""
    if isinstance(part, dict):
        yield path
        for name, one in part.items():
            yield from places(one, (*path, name))
    elif isinstance(part, list):
        for at, one in enumerate(part):
            yield from places(one, (*path, at))


def test_nothing_can_be_left_out():
    full = entry(aurocs={"knn": {"a": 0.2, "b": 0.9, "c": 0.5}}, geometry=dict.fromkeys("abc", 0.9))
    content = check([full])
    free = {"versions", "other_k", "by_k", "detectors", "attribution", "contaminated"}
    free |= {"counts", "positives", "per_class", "slot_share", "floor", "auroc", "spread"}
    free |= {"direction", "interval", "flips", "open_directions", "resolved"}
    tried = 0
    for path in places(content):
        if (path and path[-1] in free) or "attribution" in path:
            continue
        names = list(at(content, path))
        for name in names:
            less = copy.deepcopy(content)
            del at(less, path)[name]
            assert not VALIDATOR.is_valid(less), (path, name)
            tried += 1
        more = copy.deepcopy(content)
        at(more, path)["another"] = 1
        assert not VALIDATOR.is_valid(more), path
    assert tried > 100


def at(content, path):
    for step in path:
        content = content[step]
    return content


def test_ascii_on_lines_that_can_be_read():
    text = json_file([entry(name="é\x1b\u202e\ud800")], {})
    assert text.isascii()
    assert text.endswith("}\n")
    assert not [char for char in text if ord(char) < 32 and char != "\n"]
    assert json.loads(text)["benchmarks"][0]["name"] == "é\x1b\u202e\ud800"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}\n"),
        ([1.5, None, "a\n"], '[1.5, null, "a\\n"]\n'),
        (
            {"a": [1] * 40, "b": {}},
            '{\n  "a": [\n' + "    1,\n" * 39 + '    1\n  ],\n  "b": {}\n}\n',
        ),
    ],
)
def test_what_fits_is_on_one_line(value, text):
    assert plain_json(value) == text
    assert json.loads(text) == value


def test_a_row_of_a_matrix_has_a_line():
    text = json_file([entry(leakage=dataclasses.replace(leakage(0.1), matrix=np.eye(3) / 7))], {})
    assert len([line for line in text.splitlines() if "0.14285714285714285" in line]) == 3
