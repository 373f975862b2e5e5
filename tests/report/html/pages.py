"""Records for the tests of the page, and what stands in a page."""

from __future__ import annotations

import base64
from html.parser import HTMLParser
from typing import Any

from pytest_splitcheck import Report, Thresholds, judge
from pytest_splitcheck.report.html.page import page
from pytest_splitcheck.report.record import record
from tests.builders import leakage, report

VOID = {"meta", "link", "img", "br"}

HOSTILE = (
    "<script>alert('class')</script>",
    "\x1b[31mred\x07",
    "two\nlines",
    "\u202eright to left",
    "שלום",
    "漢字",
    '$\\frac{1}{2}$ & "quoted"\' onload=alert(1)',
    "</title></style></svg><img src=x onerror=alert(2)>",
)

OPTIONS = {
    "k": {"value": 10, "source": "default"},
    "max_rho_dir": {"value": 0.2, "source": "pytest.ini splitcheck_max_rho_dir"},
    "detectors": {"value": ["knn", "lof"], "source": "marker of test_it"},
    "confident": {"value": False, "source": "default"},
    "max_rho_inv": {"value": None, "source": "default"},
}

PNG = base64.b64encode(b"\x89PNG, not really").decode()


def entry(found: Report | None = None, name: str = "fixture", **changes: Any) -> dict[str, Any]:
    """Return a record as it reaches the page."""
    found = report() if found is None else found
    made = record(found, judge(found, Thresholds()), name)
    return {
        **made,
        "nodeid": "test_it.py::test_it",
        "options": OPTIONS,
        "pictures": None,
        **changes,
    }


def hostile() -> dict[str, Any]:
    """Return a record in which everything that an author names is hostile."""
    aurocs = {label: 0.05 * number for number, label in enumerate(HOSTILE)}
    found = report(
        {HOSTILE[0]: aurocs, HOSTILE[4]: aurocs},
        geometry=aurocs,
        name=HOSTILE[7],
        representation=HOSTILE[2],
        leakage=leakage(0.7, classes=HOSTILE),
    )
    names = list(HOSTILE)
    call = f"ClassSplit(X, y, name={HOSTILE[0]!r}, drop=[{HOSTILE[1]!r}])"
    one = {"row": 3, "label": names[0], "image": PNG}
    return entry(
        found,
        nodeid=f"test_it.py::test_it[{HOSTILE[0]}]",
        options={"detectors": {"value": names, "source": f"marker of {HOSTILE[6]}"}},
        pictures={
            "scores": {
                "detector": HOSTILE[0],
                "class": HOSTILE[1],
                "edges": [0.0, 1.0, 2.0],
                "normal": [3, 4],
                "anomalous": [5, 6],
            },
            "embedding": {
                "kind": "pca",
                "points": [[float(i), float(-i)] for i in range(len(names))],
                "labels": names,
                "leaking": [True, False] * (len(names) // 2),
                "rows": list(range(len(names))),
            },
            "thumbnails": [
                {**one, "leakage": 0.9, "neighbours": [one, {**one, "label": names[6]}]}
            ],
        },
        advice={
            "pairs": [[names[0], names[1], 0.5]],
            "resolved": [names[2]],
            "sought": True,
            "proposals": [
                {
                    "kind": "drop",
                    "classes": [names[1]],
                    "n_classes": 7,
                    "m": 210,
                    "k": 10,
                    "leakage": 0.1,
                    "rho_dir": 0.0,
                    "detectors": list(found.detectors),
                    "call": call,
                }
            ],
            "rejected": [],
            "fewest": 2,
            "capped": False,
            "rows": [],
        },
    )


class Element:
    """An element of a page: its tag, attributes, elements and text."""

    def __init__(self, tag: str, attributes: dict[str, str], parent: Element | None) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children: list[Element] = []
        self.words: list[str] = []

    def all(self, *tags: str) -> list[Element]:
        """Return the elements below with one of `tags`, or all."""
        below = [one for child in self.children for one in (child, *child.all())]
        return [one for one in below if not tags or one.tag in tags]

    def one(self, tag: str) -> Element:
        (found,) = self.all(tag)
        return found

    @property
    def text(self) -> str:
        """All text, with single spaces."""
        return " ".join("".join(self.words).split())

    def has(self, **attributes: str) -> bool:
        return attributes.items() <= self.attributes.items()


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.at = Element("", {}, None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        child = Element(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.children.append(child)
        if tag not in VOID:
            self.at = child

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.at.tag == tag, f"{self.at.tag} is closed by {tag}"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        one: Element | None = self.at
        while one is not None:
            one.words.append(data)
            one = one.parent


def parsed(text: str) -> Element:
    """Return the root of a page, every element of which is closed."""
    tree = _Tree()
    tree.feed(text)
    tree.close()
    assert tree.at is tree.root
    return tree.root


def shown(*entries: dict[str, Any], errors: list[dict[str, Any]] | None = None) -> Element:
    """Return the page of some records, and of what could not be measured, parsed."""
    return parsed(page(entries, {"python": "3.14.0", "numpy": "2.4.0"}, errors or []))


def cells(table: Element) -> list[list[str]]:
    """Return the text of every cell of a table."""
    return [[cell.text for cell in row.all("th", "td")] for row in table.all("tr")]
