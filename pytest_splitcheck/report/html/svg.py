"""A figure as SVG within a page: in the page's letters and colours, and with a text in its place."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from xml.etree import ElementTree

from markupsafe import Markup

from pytest_splitcheck.text import escape

__all__ = ["inline_svg"]

_INK, _PAPER = "#010203", "#fdfcfb"
"""What stands for the colours of the page's text and of its ground while a figure is drawn."""

_STYLE: Final[dict[str, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pytest-splitcheck",
    "svg.image_inline": True,
    "font.size": 9.0,
    "axes.linewidth": 0.6,
    "figure.facecolor": "none",
    "savefig.facecolor": "auto",
    "savefig.pad_inches": 0.03,
    "axes.facecolor": _PAPER,
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), _INK
    ),
}

_SCALE = 1.4
"""Pixels of the page to a point of the figure, where there is room."""

_LEAST_SCALE = 0.92
"""The same on a small screen, where letters are to be read all the same."""

_FONT = re.compile(r"font: [^;]*?([\d.]+px)[^;]*")
_FAMILY = re.compile(r"font-family: [^;]*(; )?")
_LONG_NUMBER = re.compile(r"\d+\.\d{3,}")
_REFERENCE = re.compile(r"(^#|url\(#)([\w-]+)")
_AROUND_LETTERS = re.compile(r" *([A-Za-z]) *")


def inline_svg(
    draw: Callable[[Any], object],
    size: tuple[float, float],
    *,
    prefix: str,
    title: str,
    description: str,
) -> Markup:
    """Draw on an Axes and return the figure as an ``svg`` element.

    Parameters
    ----------
    draw : callable
        Is given the Axes.
    size : (float, float)
        Width and height in inches.
    prefix : str
        Begins every id, so that no two figures of a page share one.
    title, description : str
        What a screen reader tells in the place of the figure, by way of ``title`` and ``desc`` elements.

    Returns
    -------
    Markup
        The same at every run: it has no date, and ids do not depend on chance.
    """
    root = ElementTree.fromstring(_drawn(draw, size))
    _strip(root)
    _rename(root, prefix)
    for element in root.iter():
        _restyle(element)
        _join(element)
    _, _, width, height = root.attrib["viewBox"].split()
    told = {"title": title, "desc": description}
    for place, (tag, text) in enumerate(told.items()):
        element = ElementTree.Element(tag, {"id": f"{prefix}-{tag}"})
        element.text = escape(text)
        root.insert(place, element)
    root.attrib = {
        "role": "img",
        "aria-labelledby": f"{prefix}-title",
        "aria-describedby": f"{prefix}-desc",
        "viewBox": root.attrib["viewBox"],
        "width": f"{float(width) * _SCALE:.0f}",
        "height": f"{float(height) * _SCALE:.0f}",
        "style": f"min-width: {float(width) * _LEAST_SCALE:.0f}px",
    }
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _drawn(draw: Callable[[Any], object], size: tuple[float, float]) -> bytes:
    """Return what matplotlib makes of a figure, whatever the author's own style is."""
    from matplotlib import style
    from matplotlib.figure import Figure

    target = io.BytesIO()
    with style.context(["default", _STYLE]), _quiet():
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        figure.savefig(target, format="svg", dpi=200, bbox_inches="tight", metadata={"Date": None})
    return target.getvalue()


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out what matplotlib says of letters that its own font lacks: the browser has another."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+", UserWarning)
        yield


def _strip(root: ElementTree.Element) -> None:
    """Leave out namespaces, which HTML does without, and what is not drawn."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        for part in ("text", "tail"):
            if element.tag != "text" and not (getattr(element, part) or "").strip():
                setattr(element, part, None)


def _rename(root: ElementTree.Element, prefix: str) -> None:
    """Give the ids that are referred to numbers behind `prefix`, and leave out the others."""
    new: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        number = new.setdefault(found[2], f"{prefix}-{len(new) + 1}")
        return f"{found[1]}{number}"

    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "href" or "url(" in value:
                element.attrib[key] = _REFERENCE.sub(renamed, value)
    for element in root.iter():
        named = element.attrib.pop("id", None)
        if named in new:
            element.attrib["id"] = new[named]


def _join(parent: ElementTree.Element) -> None:
    """Make one group of groups in a row that differ in nothing, as of the points of a cloud.

    What all that is in it looks like is said of the group.
    """
    before: ElementTree.Element | None = None
    for child in list(parent):
        if child.tag != "g" or not child.attrib:
            before = None
        elif before is not None and child.attrib == before.attrib:
            before.extend(child)
            parent.remove(child)
        else:
            before = child
    for child in parent:
        looks = {inner.attrib.get("style", "") for inner in child}
        if child.tag == "g" and "style" not in child.attrib and len(child) > 1 and len(looks) == 1:
            (look,) = looks
            if look and not re.search(r"(^| )(opacity|clip)", look):  # those are not inherited
                child.attrib["style"] = look
                for inner in child:
                    del inner.attrib["style"]


def _restyle(element: ElementTree.Element) -> None:
    """Use the colours and letters of the page, and no more digits than can be seen."""
    look = element.attrib.get("style")
    if look is not None:
        look = look.replace(_INK, "currentColor").replace(_PAPER, "var(--paper)")
        look = _FAMILY.sub("", _FONT.sub(r"font-size: \1", look))
        element.attrib["style"] = look
    for name in ("d", "x", "y"):
        if name in element.attrib:
            value = _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}", element.attrib[name])
            element.attrib[name] = _AROUND_LETTERS.sub(r"\1", value) if name == "d" else value
