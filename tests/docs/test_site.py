import ast
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
import yaml

import pytest_splitcheck
from tests.browser import chromium
from tests.docs.figures import FIGURES
from tests.docs.pages import DOCS, ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site, strictly; --quiet would hide the warnings that are to be counted."""
    pytest.importorskip("material", reason="mkdocs-material is not installed: the extra docs")
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed: the extra docs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    return folder


class Loaded(HTMLParser):
    """What a page has the browser load."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "link" and attributes.get("rel") in ("canonical", "prev", "next"):
            return
        names = {"link": "href", "script": "src", "img": "src", "iframe": "src"}
        if address := attributes.get(names.get(tag)):
            self.addresses.append(address)


def test_loads_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        loaded = Loaded()
        loaded.feed(page.read_text(encoding="utf-8"))
        assert any(one.endswith(".css") for one in loaded.addresses)
        for address in loaded.addresses:
            assert not re.match(r"\w+:|//", address) or address.startswith("data:"), page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(\w+:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_no_output_runs_out_of_its_box(site, tmp_path):
    program = chromium.find()
    if program is None:
        pytest.skip("no Chromium is installed")
    browser = chromium.Browser(program, tmp_path)
    outputs = "[...document.querySelectorAll('.language-console code, .language-text code')]"
    seen = 0
    try:
        browser.view(1280)
        for page in sorted(site.glob("*/*.html")):
            browser.open(page)
            seen += browser.ask(f"{outputs}.length")
            wide = f"{outputs}.filter(c => c.scrollWidth > c.clientWidth).length"
            assert browser.ask(wide) == 0, page
        assert seen
    finally:
        browser.close()


def test_reference_has_every_public_name(site):
    page = (site / "reference" / "api.html").read_text(encoding="utf-8")
    for name in pytest_splitcheck.__all__:
        assert f'id="pytest_splitcheck.{name}"' in page, name


def test_every_page_is_in_the_navigation():
    navigation = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    listed = re.findall(r"[\w/-]+\.md", str(navigation))
    there = [str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted(there)


@pytest.mark.parametrize("name", FIGURES)
def test_figure_is_up_to_date(name):
    kept = DOCS / "figures" / f"{name}.svg"
    assert kept.read_text(encoding="utf-8") == str(FIGURES[name]()), "run python -m tests.docs"


@pytest.mark.parametrize("name", FIGURES)
def test_figure_is_shown_and_has_a_text_alternative(name):
    svg = (DOCS / "figures" / f"{name}.svg").read_text(encoding="utf-8")
    assert 'role="img"' in svg
    assert re.search(r"<title>[^<]+</title>\n<desc>[^<]*\d[^<]*</desc>", svg)
    assert any(f'"{name}.svg"' in page.read_text() for page in DOCS.rglob("*.md"))


def test_verdicts_lists_every_kind_of_finding():
    kinds = set()
    for path in (ROOT / "pytest_splitcheck" / "verdict").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "kind":
                assert isinstance(node.value, ast.Constant), path
                kinds.add(node.value.value)
    assert "limit" in kinds
    page = (DOCS / "reference" / "verdicts.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)) == kinds
