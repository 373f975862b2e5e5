"""The page in a real browser: what it shows, on which screens, and to whom."""

from __future__ import annotations

import json
import re

import pytest

from pytest_splitcheck.report.html.page import page
from pytest_splitcheck.report.json_file import json_file
from tests.browser.chromium import Browser, find
from tests.builders import leakage, report
from tests.report.html.pages import HOSTILE, entry, hostile

pytestmark = pytest.mark.skipif(
    find() is None, reason="no Chromium here; Debian's package chromium has it"
)

NAMES = [f"class {letter}" for letter in "abcdefghij"]
AUROCS = {
    "knn": {name: 0.123456 + 0.08 * number for number, name in enumerate(NAMES)},
    "lof": {name: 0.223456 + 0.07 * number for number, name in enumerate(NAMES)},
}
VERSIONS = {"python": "3.14.0"}

CONTRAST = """
(() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const linear = one => (one /= 255) <= .04045 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b);
  const ground = element => {
    for (let one = element; one; one = one.parentElement) {
      const [r, g, b, a = 1] = parts(getComputedStyle(one).backgroundColor);
      if (a > 0) return [r, g, b];
    }
    throw "no ground";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || element.closest("svg")) continue;
    const pair = [light(parts(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(...pair) + .05) / (Math.min(...pair) + .05);
    found.push([ratio, element.tagName, texts.currentNode.data.trim().slice(0, 30)]);
  }
  return found.sort((a, b) => a[0] - b[0]);
})()
"""


@pytest.fixture(scope="module")
def records():
    """A benchmark of ten classes that is ill posed, one that is not, and a hostile one."""
    bad = report(
        AUROCS,
        name="data",
        representation="raw",
        leakage=leakage(0.7654321, classes=NAMES),
        geometry=AUROCS["knn"],
    )
    return [entry(bad), entry(), hostile()]


@pytest.fixture(scope="module")
def path(records, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page(records, VERSIONS), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    browser = Browser(str(find()), tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def browser(running, path):
    """The browser with the page open, on a wide screen."""
    running.said.clear()
    running.requests.clear()
    running.view(1280)
    running.open(path)
    return running


def test_it_opens_without_a_word_in_the_console(browser):
    assert browser.said == []
    assert browser.ask("document.querySelectorAll('section.benchmark').length") == 3


def test_the_console_is_heard(browser, tmp_path):
    """A script and a picture from elsewhere are refused by the page's own policy, and that is told."""
    text = page([], VERSIONS).replace(
        "<h1>", "<script>alert(1)</script><img src='https://a.test/'><h1>"
    )
    (tmp_path / "page.html").write_text(text)
    browser.open(tmp_path / "page.html")
    assert len([one for one in browser.said if "Content Security Policy" in one]) == 2


def test_nothing_is_fetched(browser, path):
    fetched = {url for url in browser.requests if not url.startswith("data:")}
    assert fetched == {path.as_uri()}


def test_it_shows_the_numbers_of_the_json_file(browser, records):
    shown = browser.ask("document.body.innerText")
    first = browser.ask(
        "[...document.querySelectorAll('.overview tbody tr')]"
        ".map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    told = json.loads(json_file(records, VERSIONS))["benchmarks"]
    for row, one in zip(first, told, strict=True):
        found, rates = one["report"], one["report"]["instability"]
        assert row[2:5] == [str(found["m"]), str(len(found["classes"])), str(found["k"])]
        assert row[5] == f"{found['leakage']['value']:.4f}"
        assert row[6:10] == [
            f"{rates['rho_inv']:.2f}",
            f"{rates['rho_rnd']:.2f}",
            f"{rates['variance']:.4f}",
            f"{rates['rho_dir']:.2f}",
        ]
        assert row[10].startswith(one["verdict"]["status"])
        for result in found["detectors"].values():
            for label, value in result["auroc"].items():
                low, high = result["interval"][label]
                assert re.search(rf"{value:.4f}\?? \({low:.3f}–{high:.3f}\)", shown)


def test_hostile_names_are_text(browser):
    assert browser.ask("document.scripts.length") == 0
    assert browser.ask("[...document.images].map(one => one.src.slice(0, 5))") == ["data:"] * 3
    shown = browser.ask("document.body.textContent")
    for name in (
        HOSTILE[0],
        HOSTILE[6],
        HOSTILE[7],
        r"\x1b[31mred\x07",
        r"two\nlines",
        r"\u202eright",
    ):
        assert name in shown


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_texts_stand_out_from_their_ground(browser, path, dark):
    """By 4.5 to 1, the AA level of WCAG 2."""
    browser.view(1280, dark=dark)
    ratio, *where = browser.ask(CONTRAST)[0]
    assert ratio >= 4.5, where
    ground = browser.ask("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") != dark


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_figures_have_the_colour_of_the_text(browser, dark):
    browser.view(1280, dark=dark)
    ink = browser.ask("getComputedStyle(document.body).color")
    fills = browser.ask(
        "[...document.querySelectorAll('svg text')].map(one => getComputedStyle(one).fill)"
    )
    assert fills.count(ink) > len(fills) / 2


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_the_page_is_never_wider_than_the_screen(browser, width):
    browser.view(width)
    assert browser.ask(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    wide = browser.ask(
        "[...document.querySelectorAll('body *')].filter(one => !one.closest('.scroll, .drawing, .strip, "
        f"pre') && one.getBoundingClientRect().right > {width} + 1).map(one => one.outerHTML.slice(0, 99))"
    )
    assert wide == []


def test_letters_of_figures_can_be_read_on_a_phone(browser):
    browser.view(390)
    sizes = browser.ask(
        "[...document.querySelectorAll('svg')].map(svg => svg.getBoundingClientRect().width / "
        "svg.viewBox.baseVal.width * 9)"
    )
    assert min(sizes) > 8


def test_the_keyboard_reaches_everything(browser):
    browser.ask("document.activeElement.blur()")
    browser.press("Tab")
    assert browser.ask("document.activeElement.className") == "skip"
    assert browser.ask("document.activeElement.getBoundingClientRect().top") >= 0
    browser.press("Enter")
    assert browser.ask("location.hash") == "#main"
    reached = []
    for _ in range(80):
        browser.press("Tab")
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        tag, style = browser.ask(f"[document.activeElement.tagName, {outline}]")
        if tag == "BODY":
            break
        reached.append(tag)
        assert style == "solid"
    assert reached.count("A") == 3
    assert reached.count("SUMMARY") == browser.ask("document.querySelectorAll('summary').length")
    assert reached.count("PRE") == 1
    assert reached.count("DIV") >= 4


def test_a_screen_reader_is_told_of_figures_and_tables(browser):
    nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
    seen = [
        (node["role"]["value"], node.get("name", {}).get("value", ""), node)
        for node in nodes
        if not node["ignored"]
    ]
    pictures = [(name, node) for role, name, node in seen if role in ("image", "img")]
    assert len(pictures) == 3 + 3 + 5 + 3
    for name, _ in pictures:
        assert name
    described = [node["description"]["value"] for _, node in pictures if "description" in node]
    assert any("knn: class a 0.123, class b 0.203" in one for one in described)
    roles = [role for role, _, _ in seen]
    assert {
        "banner",
        "navigation",
        "main",
        "contentinfo",
        "table",
        "rowheader",
        "columnheader",
    } <= set(roles)
    assert all(name for role, name, _ in seen if role in ("table", "region", "navigation", "link"))


def test_it_prints_in_full_and_in_light_colours(browser):
    browser.view(1280, dark=True)
    pdf = browser.pdf()
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 4
    browser.ask("document.querySelectorAll('details').forEach(one => { one.open = false; })")
    visible = "document.querySelector('details.classes table').checkVisibility()"
    assert not browser.ask(visible)
    browser.send("Emulation.setEmulatedMedia", media="print", features=[])
    assert browser.ask(visible)
    tall = browser.ask(
        "[...document.querySelectorAll('svg')].map(one => one.getBoundingClientRect().height)"
    )
    assert max(tall) <= 22 / 2.54 * 96 + 1
    assert browser.ask("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert browser.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.send("Emulation.setEmulatedMedia", media="", features=[])
