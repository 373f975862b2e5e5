from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, Thresholds, evaluate, judge
from pytest_splitcheck.report.html.page import page
from pytest_splitcheck.report.record import record
from tests.builders import clusters, leakage, report, sampled
from tests.report.html.pages import HOSTILE, OPTIONS, cells, entry, hostile, parsed, shown

BELOW = {"knn": {"a": 0.2, "b": 0.6, "c": 0.7}}
AUROCS = {"knn": {"a": 0.21, "b": 0.52, "c": 0.93}, "lof": {"a": 0.32, "b": 0.64, "c": 0.96}}


@pytest.fixture(scope="module")
def bad():
    """A record of an ill-posed benchmark with two detectors."""
    return entry(
        report(
            AUROCS, name="data", representation="raw", leakage=leakage(0.7), geometry=AUROCS["knn"]
        )
    )


@pytest.fixture(scope="module")
def of_bad(bad):
    return shown(bad)


@pytest.fixture(scope="module")
def of_hostile():
    return page([hostile(), entry()], {"python": "3"})


# --- what it says ---------------------------------------------------------------------------


def test_the_first_table_has_the_columns_of_the_paper(of_bad, bad):
    table = of_bad.all("table")[0]
    head, row = cells(table)
    assert head == [
        "data",
        "representation",
        "m",
        "K",
        "k",
        "Lk",
        "ρinv",
        "ρrnd",
        "var AUC",
        "ρdir",
        "verdict",
    ]
    variance = np.mean([np.var(list(one.values())) for one in AUROCS.values()])
    assert row[:5] == ["data", "raw", "90", "3", "10"]
    assert row[5:10] == ["0.7000", "0.33", "0.17", f"{variance:.4f}", "0.50"]
    assert row[10] == "ill posed max_leakage, max_rho_dir"
    assert variance == pytest.approx(bad["report"]["instability"]["variance"])


def test_benchmarks_are_counted_by_verdict(bad):
    found = shown(bad, entry(), entry(report(name="other")))
    assert "1 ill posed, 2 well posed." in found.one("header").text
    assert (
        found.one("head")
        .one("title")
        .text.startswith("Class-split benchmarks: 1 ill posed, 2 well posed")
    )


def test_benchmarks_of_the_same_name_are_told_apart_in_the_first_table():
    found = shown(
        entry(report(), nodeid="t::right"), entry(report(BELOW), nodeid="t::wrong"), entry(name="b")
    )
    names = [row[0] for row in cells(found.all("table")[0])[1:]]
    assert names == ["bench [right]", "bench [wrong]", "bench [test_it]"]
    assert [one.text for one in found.one("nav").all("bdi")] == names


def test_what_could_not_be_measured_is_told(bad):
    lost = {"nodeid": "t::t", "name": HOSTILE[0], "representation": None, "message": HOSTILE[1]}
    other = {**lost, "name": "other", "representation": "raw", "message": "why"}
    found = shown(bad, errors=[lost, other])
    assert "1 ill posed, 2 not measured." in found.one("header").text
    assert cells(found.all("table")[0])[2:] == [
        [HOSTILE[0], *"-" * 9, "not measured"],
        ["other", "raw", *"-" * 8, "not measured"],
    ]
    links = [one.attributes["href"] for one in found.one("nav").all("a")]
    told = {
        f"#{one.attributes['id']}": one.text
        for one in found.all("li", "h2")
        if "id" in one.attributes
    }
    assert all(link in told for link in links)
    assert told[links[1]] == rf"{HOSTILE[0]} checked by t::t \x1b[31mred\x07"
    assert told[links[2]] == "other (raw) checked by t::t why"


def test_the_reasons_name_limit_source_value_and_classes(of_bad, bad):
    (reasons,) = [one for one in of_bad.all("ul") if one.has(**{"class": "reasons"})]
    leak, direction = (one.text for one in reasons.all("li"))
    assert leak.startswith("L_10 = 0.700 > 0.5 max_leakage, set by default")
    assert "Classes (L_10): a (0.700), b (0.700), c (0.700)." in leak
    assert direction.startswith("rho_dir = 0.500 > 0.2 max_rho_dir, set by default")
    assert "geometry" in direction
    for finding in bad["verdict"]["findings"]:
        assert finding["message"] in reasons.text


def test_every_class_has_its_figures(of_bad, bad):
    table = next(one for one in of_bad.all("table") if "slots" in one.text)
    rows = {row[0]: row[1:] for row in cells(table)}
    assert rows["class"] == ["rows", "L_10", "slots", "geometry", "knn", "lof"]
    low, high = bad["report"]["detectors"]["knn"]["interval"]["a"]
    assert rows["a"][:2] == ["30", "0.7000"]
    assert rows["a"][4] == f"0.2100 ({low:.3f}–{high:.3f})"
    assert rows["c"][5].startswith("0.9600 ")
    assert rows["rho_dir"][4:] == ["0.67", "0.33"]


def test_a_benchmark_without_detectors_has_the_rates_of_geometry():
    found = shown(entry(report({}, geometry=AUROCS["knn"])))
    first = found.all("table")[0]
    assert cells(first)[1][5:10] == ["0.1000", "0.33*", "0.33*", "0.0870*", "0.67*"]
    assert "*: of geometry alone" in first.one("caption").text
    assert "AUROC of each held-out class by geometry alone" in found.text


def test_a_benchmark_of_leakage_alone_has_no_rates():
    found = shown(entry(report({})))
    assert cells(found.all("table")[0])[1][6:10] == ["-"] * 4
    assert len(found.all("svg")) == 2


def test_an_estimate_is_marked_and_explained():
    found = shown(entry(report(leakage=sampled(0.2345, (0.1, 0.45)))))
    assert cells(found.all("table")[0])[1][5] == "~0.2345"
    assert "~: an estimate" in found.text
    assert "L_10 is estimated from 64 of 1,000,000 rows" in found.text


def test_each_k_has_its_line():
    X, y = clusters([[0, 0], [9, 9]], 20)
    measured = evaluate(ClassSplit(X, y, name="two"), k=(5, 3), detectors=())
    found = shown({**entry(), **record(measured, judge(measured, Thresholds()), "two")})
    rows = cells(found.all("table")[0])[1:]
    assert [(row[0], row[4]) for row in rows] == [("two", "5"), ("two", "3")]


def test_ways_out_come_with_a_call_to_paste():
    found = parsed(page([hostile()], {}))
    call = hostile()["advice"]["proposals"][0]["call"]
    assert [one.text for one in found.all("pre")] == [call]


def test_the_options_and_their_sources_are_told(of_bad):
    table = next(one for one in of_bad.all("table") if "set by" in cells(one)[0])
    assert cells(table)[1:] == [
        ["k", "10", "default"],
        ["max_rho_dir", "0.2", "pytest.ini splitcheck_max_rho_dir"],
        ["detectors", "knn, lof", "marker of test_it"],
        ["confident", "no", "default"],
        ["max_rho_inv", "none", "default"],
    ]
    assert len(cells(table)) == len(OPTIONS) + 1


def test_provenance_has_versions_test_sizes_and_fingerprint(of_bad, bad):
    assert "python 3.14.0 numpy 2.4.0" in of_bad.one("footer").text
    facts = {one.one("dt").text: one.one("dd").text for one in of_bad.all("div") if one.all("dt")}
    assert facts["checked by"] == "test_it.py::test_it"
    assert facts["evaluation set"] == "90 rows of 1 values"
    assert facts["training pool"] == "5 folds"
    assert facts["data fingerprint"] == bad["report"]["fingerprint"]


def test_seeds_are_told():
    aurocs = {"forest": {"a": [0.8, 0.9], "b": [0.7, 0.8]}}
    assert "forest (seeds 0, 1)" in shown(entry(report(aurocs, seeds=(0, 1)))).text


def test_a_run_without_checks_has_a_page():
    found = shown()
    assert "No benchmark was checked in this run." in found.one("header").text
    assert found.all("table", "svg", "nav") == []


# --- how it is built ------------------------------------------------------------------------


def test_equal_records_give_equal_bytes(bad):
    assert page([bad, hostile()], {"python": "3"}) == page([bad, hostile()], {"python": "3"})


def test_the_author_s_own_style_changes_nothing(bad):
    import matplotlib as mpl

    before = page([bad], {})
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "path"}):
        assert page([bad], {}) == before
        assert mpl.rcParams["font.size"] == 30


def test_there_is_one_main_heading_and_none_is_skipped(of_hostile):
    levels = [int(one.tag[1]) for one in parsed(of_hostile).all("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_ids_are_unique_and_every_reference_has_its_target(of_hostile):
    found = parsed(of_hostile)
    ids = [one.attributes["id"] for one in found.all() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    named = re.findall(r'(?:href="#|url\(#)([^")]+)', of_hostile)
    labelled = [
        name
        for one in found.all()
        for key in ("aria-labelledby", "aria-describedby")
        for name in one.attributes.get(key, "").split()
    ]
    assert len(named) > 50
    assert set(named + labelled) <= set(ids)


def test_every_benchmark_is_linked(of_hostile):
    found = parsed(of_hostile)
    links = {one.attributes["href"] for one in found.one("nav").all("a")}
    targets = {
        f"#{one.attributes['id']}" for one in found.all("h2") if "tabindex" in one.attributes
    }
    assert links == targets == {"#benchmark-1", "#benchmark-2"}


def test_tables_have_captions_and_heads(of_hostile):
    tables = parsed(of_hostile).all("table")
    assert len(tables) == 8
    for table in tables:
        assert table.one("caption").text
        heads = table.one("thead").all("th")
        assert {one.attributes["scope"] for one in heads} == {"col"}
        for row in table.one("tbody").all("tr"):
            first, *rest = row.children
            assert first.has(scope="row")
            assert 1 + len(rest) == len(heads)


def test_figures_have_texts_in_their_place(of_hostile):
    figures = [one for one in parsed(of_hostile).all("figure") if one.all("svg")]
    assert len(figures) == 5 + 3
    for figure in figures:
        svg = figure.one("svg")
        assert svg.attributes["role"] == "img"
        told = {
            one.attributes["id"]: one.text for one in svg.children if one.tag in ("title", "desc")
        }
        assert told[svg.attributes["aria-labelledby"]]
        assert told[svg.attributes["aria-describedby"]]
        assert figure.one("figcaption").text


def test_the_text_of_a_figure_has_its_numbers(of_bad):
    auroc, leaks, matrix = (one.text for one in of_bad.all("desc"))
    assert "knn: a 0.210, b 0.520, c 0.930." in auroc
    assert "lof: a 0.320, b 0.640, c 0.960." in auroc
    assert leaks.startswith("L_10 0.7000, chance 0.6742. a 0.700, b 0.700, c 0.700.")
    assert matrix == "The largest shares beside the diagonal: none."


def test_nothing_is_run_or_fetched(of_hostile):
    found = parsed(of_hostile)
    assert found.all("script", "iframe", "object", "form", "base") == []
    for one in found.all():
        assert [name for name in one.attributes if name.startswith("on")] == []
        for name in ("href", "src"):
            assert re.match(r"#|data:", one.attributes.get(name, "#"))
    (policy,) = [one for one in found.all("meta") if "http-equiv" in one.attributes]
    assert policy.attributes["content"].startswith(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    )


# --- names that are hostile -----------------------------------------------------------------


def test_names_are_text(of_hostile):
    found = parsed(of_hostile)
    assert HOSTILE[0] in found.text
    assert HOSTILE[6] in found.text
    assert f"{HOSTILE[7]} (two\\nlines)" in [one.text for one in found.one("nav").all("bdi")]
    assert r"\x1b[31mred\x07" in found.text
    assert r"two\nlines" in found.text
    assert r"\u202eright to left" in found.text
    assert "漢字" in found.text


def test_no_control_character_is_in_the_page(of_hostile):
    assert re.findall(r"[^\n\x20-\x7e\xa0-\u2029\u2030-\U0010ffff]", of_hostile) == []


# --- where figures stand --------------------------------------------------------------------


def test_no_figure_leaves_a_hole_beside_it(of_hostile):
    four = entry(pictures={**hostile()["pictures"], "scores": None})
    leaks = entry(report({}))
    for found, lone in ((parsed(of_hostile), 2), (shown(four), 0), (shown(leaks), 0)):
        galleries = [one for one in found.all("div") if one.has(**{"class": "gallery"})]
        count = 0
        for gallery in galleries:
            kinds = [one.attributes.get("class", "") for one in gallery.children]
            assert kinds.count("") % 2 == 0
            assert kinds == sorted(kinds)  # no wide one between two of a pair
            count += kinds.count("wide lone")
        assert count == lone


# --- many classes ---------------------------------------------------------------------------


def test_many_classes_stay_readable_and_small():
    rng = np.random.default_rng(0)
    names = tuple(f"class number {i}" for i in range(100))
    matrix = rng.dirichlet(np.ones(100), 100)
    found = report(
        {"knn": dict(zip(names, rng.random(100), strict=True))},
        leakage=leakage(0.4, classes=names, matrix=matrix),
    )
    text = page([entry(found)], {})
    assert len(text) < 600_000
    shown_page = parsed(text)
    heights = [float(one.attributes["height"]) for one in shown_page.all("svg")]
    assert heights[0] > 15 * 100
    assert heights[1] > 15 * 100
    pairs = next(one for one in shown_page.all("table") if "neighbours of" in one.text)
    rows = cells(pairs)
    a, b = divmod(int(np.argmax(matrix - np.diag(np.diag(matrix)))), 100)
    assert rows[1] == [names[a], names[b], f"{matrix[a, b]:.4f}"]
    assert len(rows) == 61
    classes = next(one for one in shown_page.all("details") if "100 classes" in one.text)
    assert "open" not in classes.attributes
