from __future__ import annotations

import re
import warnings
from xml.etree import ElementTree

import pytest

from pytest_splitcheck.report.html.svg import inline_svg

HEIGHT = 2.0


def drawn(draw, prefix="one", **told):
    text = {"title": "a title", "description": "a description", **told}
    return str(inline_svg(draw, (3.0, HEIGHT), prefix=prefix, **text))


def points(ax):
    ax.scatter(range(50), range(50), color="#ff0000")
    ax.scatter(range(50), range(50), color="#00ff00", marker="s")


def test_it_is_one_element_without_declarations():
    text = drawn(points)
    root = ElementTree.fromstring(text)
    assert root.tag == "svg"
    assert [(one.tag, one.text) for one in root[:2]] == [
        ("title", "a title"),
        ("desc", "a description"),
    ]
    assert "metadata" not in text
    assert "xmlns" not in text
    assert "<style" not in text


def test_ids_begin_with_the_prefix_and_are_those_that_are_used():
    text = drawn(points, "first")
    ids = re.findall(r' id="([^"]+)"', text)
    used = re.findall(r'(?:href="#|url\(#)([^")]+)', text)
    assert set(ids) == {*used, "first-title", "first-desc"}
    assert len(set(ids)) == len(ids)
    assert all(name.startswith("first-") for name in ids)


def test_it_is_the_same_each_time_and_differs_in_its_prefix_only():
    assert drawn(points) == drawn(points)
    assert drawn(points, "two") == drawn(points).replace("one-", "two-")


def test_texts_are_text_in_the_letters_and_the_colour_of_the_page():
    text = drawn(lambda ax: ax.set_xlabel("a label"))
    root = ElementTree.fromstring(text)
    label = next(one for one in root.iter("text") if one.text == "a label")
    assert "currentColor" in label.attrib["style"]
    assert "font-size: 9px" in label.attrib["style"]
    assert "family" not in text
    assert "Sans" not in text


def test_the_ground_is_that_of_the_page():
    text = drawn(lambda ax: ax.scatter([0], [0], facecolors=[ax.get_facecolor()]))
    assert text.count("var(--paper)") >= 2
    assert "#fdfcfb" not in text


def test_a_cloud_keeps_its_points_and_colours_in_few_bytes():
    text = drawn(points)
    root = ElementTree.fromstring(text)
    clouds = [one for one in root.iter("g") if len(one.findall("use")) == 50]
    assert len(clouds) == 2
    assert ["#ff0000" in one.attrib["style"] for one in clouds] == [True, False]
    assert ["#00ff00" in one.attrib["style"] for one in clouds] == [False, True]
    assert len(text) < 100 * 60 + 8000


def test_points_of_different_colours_keep_them():
    colours = ["#ff0000", "#00ff00", "#0000ff"]
    text = drawn(lambda ax: ax.scatter(range(3), range(3), c=colours))
    assert [text.count(f"fill: {colour}") for colour in colours] == [1, 1, 1]


def test_letters_that_the_font_lacks_are_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "漢字" in drawn(lambda ax: ax.set_xlabel("漢字"))


def test_nothing_is_cut_off():
    text = drawn(lambda ax: ax.set_xlabel("wider than the figure is " * 5))
    width = float(ElementTree.fromstring(text).attrib["viewBox"].split()[2])
    assert width > 3.0 * 72


@pytest.mark.parametrize("name", ["<b>&amp;</b>", "\x1b[0m\n", "\ud800"])
def test_hostile_texts_are_spelled_out(name):
    text = drawn(points, title=name, description=name)
    told = ElementTree.fromstring(text)[0].text
    assert told == name.encode("unicode_escape").decode().replace("\\\\", "\\")
