"""Every option from every source: it takes effect, and a failure names where it came from."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from pytest_splitcheck.options import OPTIONS
from tests.plugin.sources import (
    DEFAULTS,
    FILES,
    NATIVE,
    ON_MARKER,
    PLACES,
    VALUES,
    flags,
    nth,
    overrides,
    python,
    write_test,
)


def test_the_table_has_every_option():
    assert VALUES.keys() == DEFAULTS.keys()
    for name, values in VALUES.items():
        of_few = {"advice": 3, "confident": 2, "neighbors": 2, "sampling": 3, "undecided": 3}
        assert len({*values, DEFAULTS[name]}) == of_few.get(name, 6)


def test_defaults(bare, checks):
    write_test(bare)
    bare.runpytest_inprocess().assert_outcomes(passed=1)
    assert checks[0].values == DEFAULTS
    assert set(checks[0].sources.values()) == {"default"}


@pytest.mark.parametrize("place", PLACES)
def test_a_file(bare, checks, place):
    values = nth(0)
    PLACES[place].put(bare, values)
    write_test(bare)
    bare.runpytest_inprocess().assert_outcomes(passed=1)
    assert checks[0].values == values
    file = PLACES[place].file
    assert checks[0].sources == {name: f"{file} splitcheck_{name}" for name in checks[0].sources}


def test_a_file_given_with_c(bare, checks):
    (bare.path / "other.ini").write_text(
        "[pytest]\nsplitcheck_k = 3\nsplitcheck_max_leakage = 0.9\n"
    )
    write_test(bare)
    bare.runpytest_inprocess("-c", "other.ini").assert_outcomes(passed=1)
    assert checks[0].values["k"] == 3
    assert checks[0].sources["max_leakage"] == "other.ini splitcheck_max_leakage"


def test_an_override(bare, checks):
    values = nth(1)
    write_test(bare)
    bare.runpytest_inprocess(*overrides(values)).assert_outcomes(passed=1)
    assert checks[0].values == values
    assert checks[0].sources == {name: f"-o splitcheck_{name}" for name in checks[0].sources}


@pytest.mark.parametrize("joined", [True, False], ids=["--flag=value", "--flag value"])
def test_a_flag(bare, checks, joined):
    values = nth(2)
    given = flags(values)
    if not joined:
        given = [part for flag in given for part in flag.split("=", 1)]
    write_test(bare)
    bare.runpytest_inprocess(*given).assert_outcomes(passed=1)
    assert checks[0].values == values
    assert checks[0].sources == {
        name: f"--splitcheck-{name.replace('_', '-')}" for name in checks[0].sources
    }


@pytest.mark.parametrize("how", ["addopts", "PYTEST_ADDOPTS"])
def test_flags_that_are_always_given(bare, checks, monkeypatch, how):
    values = nth(2)
    given = " ".join(f"'{flag}'" for flag in flags(values))
    if how == "addopts":
        (bare.path / "pytest.ini").write_text(f"[pytest]\naddopts = {given}\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", given)
    write_test(bare)
    bare.runpytest_inprocess().assert_outcomes(passed=1)
    assert checks[0].values == values


def test_a_marker(bare, checks):
    values = nth(3, ON_MARKER)
    write_test(bare, marker=values)
    bare.runpytest_inprocess().assert_outcomes(passed=1)
    assert checks[0].values == DEFAULTS | values
    assert set(checks[0].sources.values()) == {"marker of test_it"}


def test_a_marker_with_a_benchmark(bare, checks):
    values = nth(3, ON_MARKER)
    bare.makepyfile(
        "import pytest\n\n"
        f"@pytest.mark.splitcheck('blocks', {python(values)})\ndef test_it():\n    pass\n"
    )
    bare.runpytest_inprocess().assert_outcomes(passed=1)
    assert checks[0].values == DEFAULTS | values
    assert set(checks[0].sources.values()) == {"marker of test_it"}


def test_a_call(bare, checks):
    values = nth(4)
    write_test(bare, call=values)
    bare.runpytest_inprocess().assert_outcomes(passed=1)
    assert checks[0].values == values
    assert checks[0].sources == {name: f"{name}= in the call" for name in checks[0].sources}


@pytest.mark.parametrize("place", FILES)
@pytest.mark.parametrize("above", ["-o", "flag", "marker", "call"])
def test_each_source_takes_precedence_over_the_file(bare, checks, place, above):
    PLACES[place].put(bare, nth(0))
    _run_with(bare, {above})
    assert checks[0] == _expected({above}, PLACES[place].file)


LEVELS = ("-o", "flag", "marker", "call")


@pytest.mark.parametrize("highest", [1, 2, 3, 4])
def test_the_highest_source_takes_precedence_over_all_others(bare, checks, highest):
    PLACES["pytest.ini"].put(bare, nth(0))
    _run_with(bare, set(LEVELS[:highest]))
    assert checks[0] == _expected(set(LEVELS[:highest]), "pytest.ini")


@pytest.mark.parametrize(("lower", "higher"), list(itertools.combinations(LEVELS, 2)))
def test_precedence_without_a_file(bare, checks, lower, higher):
    _run_with(bare, {lower, higher})
    assert checks[0] == _expected({lower, higher}, None)


@pytest.mark.parametrize("name", VALUES)
def test_one_option_leaves_the_others_alone(bare, checks, name):
    _run_with(bare, {"flag", "call"}, [name])
    assert checks[0].values == DEFAULTS | {name: VALUES[name][4]}


def _run_with(suite: pytest.Pytester, levels: set[str], names: Any = tuple(VALUES)) -> None:
    given = {level: nth(at, names) for at, level in enumerate(LEVELS, 1) if level in levels}
    marker = {k: v for k, v in given.get("marker", {}).items() if k in ON_MARKER}
    write_test(suite, call=given.get("call"), marker=marker)
    arguments = overrides(given.get("-o", {})) + flags(given.get("flag", {}))
    suite.runpytest_inprocess(*arguments).assert_outcomes(passed=1)


def _expected(levels: set[str], file: str | None) -> tuple[dict[str, Any], dict[str, str]]:
    values, sources = dict(DEFAULTS), dict.fromkeys(DEFAULTS, "default")
    if file:
        values, sources = nth(0), {name: f"{file} splitcheck_{name}" for name in VALUES}
    for at, level in enumerate(LEVELS, 1):
        for name in VALUES if level in levels else ():
            if level == "marker" and name not in ON_MARKER:
                continue
            values[name] = VALUES[name][at]
            sources[name] = {
                "-o": f"-o splitcheck_{name}",
                "flag": f"--splitcheck-{name.replace('_', '-')}",
                "marker": "marker of test_it",
                "call": f"{name}= in the call",
            }[level]
    return values, {name: source for name, source in sources.items() if name[:3] in ("max", "min")}


EXCEEDED = {
    "max_leakage": 0.01,
    "max_leakage_ratio": 0.02,
    "max_rho_dir": 0.03,
    "max_rho_inv": 0.04,
    "max_rho_rnd": 0.05,
    "min_auroc": 0.96,
    "min_positives": 26,
}
"""A value for each limit that the benchmark `thirds` does not keep."""


@pytest.mark.parametrize("source", [*PLACES, "-o", "flag", "marker", "call"])
def test_a_failure_names_the_source_of_every_limit(bare, monkeypatch, source):
    monkeypatch.setenv("COLUMNS", "160")
    given: dict[str, Any] = {}
    if source in PLACES:
        PLACES[source].put(bare, EXCEEDED)
    else:
        given = {source: EXCEEDED}
    marker = f"@pytest.mark.splitcheck({python(given['marker'])})" if "marker" in given else ""
    bare.makepyfile(
        "import pytest\n\n"
        f"{marker}\ndef test_it(splitcheck, thirds, coordinate):\n"
        f"    splitcheck(thirds, detectors=coordinate, {python(given.get('call', {}))})\n"
    )
    result = bare.runpytest_inprocess(
        *overrides(given.get("-o", {})), *flags(given.get("flag", {}))
    )
    result.assert_outcomes(failed=1)
    label = {
        "-o": "-o splitcheck_{0}",
        "flag": "--splitcheck-{1}",
        "marker": "marker of test_it",
        "call": "{0}= in the call",
    }.get(source) or f"{PLACES[source].file} splitcheck_{{0}}"
    lines = [re.split(r" {2,}", line) for line in result.outlines if re.match(r"E +m\w+_", line)]
    assert {name: told for _, name, _, told in lines} == {
        name: label.format(name, name.replace("_", "-")) for name in EXCEEDED
    }
    for _, name, measured, _ in lines:
        assert re.search(rf"\b{EXCEEDED[name]:g}\b", measured), (name, measured)


def test_a_value_equal_to_the_limit_keeps_it(bare):
    bare.makepyfile(
        """
        def test_it(splitcheck, thirds, coordinate):
            splitcheck(
                thirds, detectors=coordinate, max_leakage=0.08, max_rho_dir=2 / 3, max_rho_inv=1 / 3,
                max_rho_rnd=1 / 3, min_auroc=0.5, min_positives=25,
            )
        """
    )
    bare.runpytest_inprocess().assert_outcomes(passed=1)


def test_k_epsilon_detectors_and_seeds_are_those_of_the_report(bare):
    bare.makepyfile(
        """
        def test_it(splitcheck, thirds):
            report = splitcheck(thirds, max_rho_dir=1.0)
            assert (report.k, report.leakage.k, report.epsilon) == (4, 4, 0.2)
            assert list(report.detectors) == ["iforest", "knn"]
            assert report.detectors["iforest"].seeds == (7,)
            assert report.detectors["knn"].seeds == ()
        """
    )
    result = bare.runpytest_inprocess(
        "--splitcheck-k=4",
        "--splitcheck-epsilon=0.2",
        "--splitcheck-detectors=iforest,knn",
        "--splitcheck-seeds=7",
        "--splitcheck-min-positives=0",
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("given", "detectors"),
    [("knn,lof", ("knn", "lof")), ("knn lof", ("knn", "lof")), (" knn , lof ", ("knn", "lof"))],
)
@pytest.mark.parametrize("source", ["pytest.ini", "-o", "flag"])
def test_lists_are_split_at_commas_and_spaces(bare, checks, given, detectors, source):
    write_test(bare)
    arguments = []
    if source == "pytest.ini":
        (bare.path / source).write_text(
            f"[pytest]\nsplitcheck_detectors = {given}\nsplitcheck_seeds = 3, 4\n"
        )
    elif source == "-o":
        arguments = ["-o", f"splitcheck_detectors={given}", "-o", "splitcheck_seeds=3, 4"]
    else:
        arguments = ["--splitcheck-detectors", given, "--splitcheck-seeds", "3, 4"]
    bare.runpytest_inprocess(*arguments).assert_outcomes(passed=1)
    assert checks[0].values["detectors"] == detectors
    assert checks[0].values["seeds"] == (3, 4)


def test_a_list_over_several_lines(bare, checks):
    write_test(bare)
    (bare.path / "pytest.ini").write_text("[pytest]\nsplitcheck_detectors =\n    knn\n    lof\n")
    bare.runpytest_inprocess().assert_outcomes(passed=1)
    assert checks[0].values["detectors"] == ("knn", "lof")


TABLES = {"pyproject ini_options": ("pyproject.toml", "tool.pytest.ini_options")}
if NATIVE:
    TABLES["pyproject native"] = ("pyproject.toml", "tool.pytest")
    TABLES["pytest.toml"] = ("pytest.toml", "pytest")


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("k", "7", 7),
        ("k", '"7"', 7),
        ("k", "[7]", 7),
        ("k", '["7"]', 7),
        ("k", "[7, 3]", (7, 3)),
        ("k", '["7", "3"]', (7, 3)),
        ("k", '"7,3"', (7, 3)),
        ("k", '"7 3"', (7, 3)),
        ("seeds", "[3, 4]", (3, 4)),
        ("seeds", '"3, 4"', (3, 4)),
        ("seeds", "3", (3,)),
        ("detectors", '"knn,lof"', ("knn", "lof")),
    ],
)
def test_lists_in_toml_may_be_of_numbers_or_text(bare, checks, table, name, written, value):
    file, section = table
    write_test(bare)
    (bare.path / file).write_text(f"[{section}]\nsplitcheck_{name} = {written}\n")
    bare.runpytest_inprocess().assert_outcomes(passed=1)
    assert checks[0].values[name] == value


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize(
    ("name", "written"),
    [("k", "2.5"), ("k", "true"), ("k", "[3, 2.5]"), ("seeds", "[0.5]"), ("detectors", "[5]")],
)
def test_other_values_in_toml_are_refused(bare, refusal, table, name, written):
    file, section = table
    write_test(bare)
    (bare.path / file).write_text(f"[{section}]\nsplitcheck_{name} = {written}\n")
    assert refusal(bare.runpytest_inprocess()).startswith(f"{file} splitcheck_{name}: ")


def test_an_override_takes_precedence_over_a_number_in_toml(bare, checks):
    write_test(bare)
    (bare.path / "pyproject.toml").write_text(
        f"[{[*TABLES.values()][-2:][0][1]}]\nsplitcheck_k = 7\n"
    )
    bare.runpytest_inprocess("-o", "splitcheck_k=3").assert_outcomes(passed=1)
    assert checks[0].values["k"] == 3
    assert checks[0].sources["max_leakage"] == "default"


@pytest.mark.parametrize("quote", ["'knn", '"knn'])
def test_a_quote_that_is_not_closed_is_refused(bare, refusal, quote):
    write_test(bare)
    (bare.path / "pytest.ini").write_text(f"[pytest]\nsplitcheck_detectors = {quote}\n")
    assert "pytest.ini splitcheck_detectors" in refusal(bare.runpytest_inprocess())


@pytest.mark.parametrize("place", PLACES)
def test_a_whole_number_for_a_limit(bare, checks, place):
    PLACES[place].put(bare, {"max_leakage": 1, "max_leakage_ratio": 2})
    write_test(bare)
    bare.runpytest_inprocess().assert_outcomes(passed=1)
    assert checks[0].values["max_leakage"] == 1
    assert checks[0].values["max_leakage_ratio"] == 2


EMPTY = {
    "pytest.ini": "[pytest]\nsplitcheck_detectors =\n",
    "tox.ini": "[pytest]\nsplitcheck_detectors =\n",
    "setup.cfg": "[tool:pytest]\nsplitcheck_detectors =\n",
    "pyproject.toml": "[tool.pytest.ini_options]\nsplitcheck_detectors = []\n",
    "pyproject.toml as text": '[tool.pytest.ini_options]\nsplitcheck_detectors = ""\n',
}
if NATIVE:
    EMPTY["pyproject.toml native"] = "[tool.pytest]\nsplitcheck_detectors = []\n"
    EMPTY["pytest.toml"] = "[pytest]\nsplitcheck_detectors = []\n"


@pytest.mark.parametrize(
    "source", [*EMPTY, "-o", "flag", "flag=", "marker", "marker=[]", "call", "call={}"]
)
def test_no_detectors_leave_leakage_and_geometry_alone(bare, source):
    if source in EMPTY:
        (bare.path / source.partition(" ")[0]).write_text(EMPTY[source])
    mark = {"marker": "detectors=()", "marker=[]": "detectors=[]"}.get(source)
    call = {"call": "detectors=()", "call={}": "detectors={}"}.get(source, "")
    bare.makepyfile(
        "import pytest\n\n"
        + (f"@pytest.mark.splitcheck({mark})\n" if mark else "")
        + f"def test_it(splitcheck, blocks):\n    report = splitcheck(blocks, {call})\n"
        "    assert (report.detectors, report.instability) == ({}, None)\n"
        "    assert 0 < report.leakage.value < 0.1\n"
        "    assert min(report.geometry.auroc.values()) > 0.9\n"
    )
    arguments = {
        "-o": ["-o", "splitcheck_detectors="],
        "flag": ["--splitcheck-detectors", ""],
        "flag=": ["--splitcheck-detectors="],
    }.get(source, [])
    bare.runpytest_inprocess(*arguments).assert_outcomes(passed=1)


INSIDE = """
from pytest_splitcheck import ClassSplit

def test_it(splitcheck):
    # The rows of "in" lie beside normal rows, which lie apart from each other.
    normal = [10.0 * i for i in range(60)]
    inside = [300 + 0.1 * i for i in range(30)]
    split = ClassSplit([[x] for x in normal + inside], ["out"] * 60 + ["in"] * 30, folds=3)
    splitcheck(split, k=3, {})
"""


@pytest.mark.parametrize(
    ("call", "limit", "source"),
    [
        ("max_leakage=None, detectors=()", "max_rho_dir ", "default"),
        (
            "max_leakage=None, detectors=('knn',), max_rho_dir=1, max_rho_dir_geo=0.3",
            "max_rho_dir_geo ",
            "max_rho_dir_geo= in the call",
        ),
    ],
)
def test_a_direction_that_geometry_alone_changes_fails(bare, call, limit, source):
    bare.makepyfile(INSIDE.replace("{}", call))
    result = bare.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*IllPosedSplit: ill posed: test_it: rho_dir_geo = 0.500 > 0.*",
            f"E*{limit} rho_dir_geo = 0.500 > 0.*{source}*",
            "E*classes (AUROC of geometry alone): in (0.*)",
        ]
    )


def test_a_limit_on_geometry_asks_for_all_rows(bare):
    bare.makepyfile(INSIDE.replace("{}", "detectors=(), sampling='always', max_rho_dir_geo=0.9"))
    bare.runpytest_inprocess("-v").assert_outcomes(passed=1)


def test_every_option_is_in_the_help(bare):
    result = bare.runpytest_inprocess("--help")
    text = re.sub(r"\s+", " ", result.stdout.str())
    for option in OPTIONS:
        assert option.flag + ("=" if len(option.flags) == 1 else " ") in text
        assert all(flag in text for flag in option.flags)
        assert (f"{option.ini} (" in text) == option.in_ini
        times = 1 + option.in_ini
        assert text.count(f"{option.help} (default: {option.shown_default})") == times
