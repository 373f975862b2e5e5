"""The way out of a benchmark that is declared in a TOML file: what is proposed is TOML, and does what was promised."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

from tests.builders import clusters
from tests.plugin.summaries import table

CORNERS = [[0.0, 0.0], [0.0, 0.0], [20.0, 0.0], [0.0, 20.0]]
HOSTILE = ['a"\x1b\u202e', "b\\\n<script>", "c'", "漢 #"]
FIGURES = re.compile(r"L_10 = ([\d.]+), rho_dir = ([\d.]+), K = (\d+), m = (\d+)")


@pytest.fixture
def twins(suite):
    """A suite of one file, whose first two classes lie in one place; and to write it with lines above."""
    suite.makeconftest("")

    def write(names="abcd", above="", X=None, data="file = 'twins.npz'"):
        rows, y = clusters(CORNERS, 30)
        np.savez(suite.path / "twins.npz", X=rows if X is None else X, y=np.array(list(names))[y])
        text = f"{above}\nfolds = 2\n[data]\n{data}\n[options]\ndetectors = ['knn']\n"
        (suite.path / "twins.splitcheck.toml").write_text(text, encoding="utf-8")
        return suite.runpytest_inprocess("-v", "--splitcheck-html=page.html")

    return write


def ways(result):
    """Return for each proposal what was measured of it, and the lines to paste."""
    found = []
    for line in result.outlines:
        if measured := FIGURES.search(line):
            found.append((measured.groups(), []))
        elif re.match(r" {6}(merge|drop|held_out) = ", line):
            found[-1][1].append(line.strip())
    return found


def promised(result):
    """Return what the section says of the one benchmark, as a proposal does."""
    (row,) = [row for row in table(result) if row[0] == "twins"]
    _, m, n_classes, _, leakage, *_, rho_dir, status = row
    assert status == "well posed"
    return leakage, rho_dir, n_classes, m


def check(twins, result, **options):
    """Paste every proposal, and see that it is measured to what it promised."""
    proposals = ways(result)
    assert len(proposals) == 2
    for (leakage, rho_dir, n_classes, m), lines in proposals:
        assert lines
        again = twins(above="\n".join(lines), **options)
        again.assert_outcomes(passed=1)
        assert promised(again) == (leakage, f"{float(rho_dir):.2f}", n_classes, m)


@pytest.mark.parametrize(
    "names", ["abcd", HOSTILE, [3, -4, 50, 6], [0.5, 1e20, 2.5, -1.0]], ids=str
)
def test_what_is_proposed_is_measured_to_what_was_promised(twins, names):
    result = twins(names)
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*ClassSplit(*")
    check(twins, result, names=names)


def test_lines_and_where_they_go(twins):
    result = twins()
    result.stdout.fnmatch_lines(
        [
            "    merge a+b: L_10 = 0.000, rho_dir = 0.000, K = 3, m = 120",
            '      merge = [[][[]"a", "b"]]',
            "    drop a: L_10 = 0.000, rho_dir = 0.000, K = 3, m = 90",
            '      drop = [[]"a"]',
            "    Lines to paste go above the first [[]table] of twins.splitcheck.toml, in the place of*",
        ]
    )


def test_lines_take_the_place_of_those_that_are_there(twins):
    """The classes held out and the groups change with a proposal; what does not change is not proposed."""
    held_out = "held_out = ['a', 'b', ['c', 'd']]"
    result = twins(above=held_out)
    (_, merged), (_, dropped) = ways(result)
    assert merged == ['merge = [["a", "b"]]', 'held_out = [["a", "b"], ["c", "d"]]']
    assert dropped == ['drop = ["a"]', 'held_out = ["b", ["c", "d"]]']
    check(twins, result)


def test_a_group_that_was_merged_may_be_dropped(twins):
    rows, y = clusters([*CORNERS[:2], *CORNERS[:2]], 30)
    rows[y == 3] += 20.0
    result = twins(X=rows, above="merge = [['a', 'b']]")
    proposals = [lines for _, lines in ways(result)]
    assert proposals
    for lines in proposals:
        again = twins(X=rows, above="\n".join(lines))
        again.assert_outcomes(passed=1)


def test_the_page_has_the_same_lines(twins, suite):
    lines = [line for _, lines in ways(twins(HOSTILE)) for line in lines]
    page = (suite.path / "page.html").read_text()
    shown = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)
    assert [unescape(one).strip() for one in shown] == lines
    assert "ClassSplit(" not in page


def test_standardising_is_a_line_and_does_what_was_promised(twins):
    rows, _ = clusters(CORNERS, 30)
    rows = np.column_stack([rows, np.random.default_rng(1).normal(scale=4000, size=len(rows))])
    strict = "file = 'twins.npz'\n[thresholds]\nmax_leakage = 0.1"
    result = twins(X=rows, data=strict)
    result.stdout.fnmatch_lines(
        ["    first: standardise the features. Column 2 *", "      standardise = true"]
    )
    text = " ".join(result.stdout.str().split())
    told = re.search(r"of equal variance L_10 is ([\d.]+) in the place of", text)[1]
    assert (
        "in the place of 0.777, still above max_leakage = 0.1: not enough alone; AUROCs were not"
        in text
    )
    result = twins(X=rows, data=strict, above="standardise = true\nmerge = [['a', 'b']]")
    result.assert_outcomes(passed=1)
    result = twins(X=rows, data=strict, above="standardise = true\nrepresentation = 'cells'")
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*first: standardise*")
    (row,) = [row for row in table(result) if row[0] == "twins (cells, standardised)"]
    assert row[4] == told


def test_where_the_scale_alone_is_to_blame_the_remedy_has_the_key(twins):
    rows, _ = clusters(CORNERS, 30)
    rows = np.column_stack([rows, np.random.default_rng(1).normal(scale=4000, size=len(rows))])
    text = " ".join(twins(X=rows).stdout.str().split())
    assert "(dominated by one feature)" in text
    assert "or standardise = true in a TOML file), or drop that column" in text


def test_the_pool_gives_the_scale_and_messages_stay(twins, suite):
    rows, y = clusters(CORNERS, 30, seed=2)
    np.savez(suite.path / "pool.npz", X=rows * 3 + 100, y=np.array(list("abcd"))[y])
    data = "file = 'twins.npz'\n[train]\nfile = 'pool.npz'"
    scaled = clusters(CORNERS, 30)[0] * 3 + 100
    result = twins(X=scaled, above="standardise = true\nmerge = [['a', 'b']]", data=data)
    result.assert_outcomes(passed=1)
    np.savez(suite.path / "pool.npz", X=rows[:, :1], y=np.array(list("abcd"))[y])
    result = twins(above="standardise = true", data=data)
    result.stdout.fnmatch_lines(
        ["twins.splitcheck.toml line 5: train X has 1 values per row, X has 2."]
    )


def test_a_column_goes_by_its_name_whatever_is_done_to_the_rows(twins, suite):
    rows, y = clusters(CORNERS, 30)
    far = np.random.default_rng(1).normal(scale=4000, size=len(rows))
    lines = [f"{'abcd'[c]},{a},{b},{z}" for (a, b), z, c in zip(rows, far, y, strict=True)]
    (suite.path / "wine.csv").write_text("\n".join(["y,ash,hue,proline <g>", *lines]))
    for above in ("", "merge = [['a', 'b']]", "drop = ['a']"):
        result = twins(data="file = 'wine.csv'\n[thresholds]\nmax_leakage = 0.1", above=above)
        result.assert_outcomes(failed=1)
        assert "Column proline <g> has 1.000" in " ".join(result.stdout.str().split())
    assert "Column proline &lt;g&gt; has 1.000" in (suite.path / "page.html").read_text()
