"""Runs the code that the README and the pages of the site show, and writes what comes of it.

On each page the code blocks are taken in order, in one empty folder: a block that begins with a file name,
``# conftest.py``, is that file; other Python is executed, in one namespace for the page. Between
``<!-- generated: WHAT -->`` and ``<!-- end -->`` stands what is written here: ``output`` is what the block before
printed, ``$ pytest ...`` what that command prints, and any other name is a table of `tables`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.docs import tables

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
README = ROOT / "README.md"
WIDTH = 88
READ_BY_PYTEST = re.compile(
    r"CI|BUILD_NUMBER|(FORCE|NO|PY)_COLORS?|PYTEST_.*|PYTHON(WARNINGS|OPTIMIZE)|GITHUB_.*"
)
"""Variables of the environment that change what pytest prints."""

FENCE = r"^```(?P<language>\w+)\n(?P<text>.*?)^```$"
PART = re.compile(
    rf"(?P<head><!-- generated: (?P<what>.+?) -->\n)(?P<body>.*?)(?P<tail><!-- end -->)|{FENCE}",
    re.DOTALL | re.MULTILINE,
)
NAME = re.compile(r"# (?P<name>\S+\.\w+)\n")
HEADER = re.compile(
    r"\A=+ test session starts =+\n.*?^(collecting \.\.\. collected |collected |\d+ workers? \[)[^\n]*\n+",
    re.DOTALL | re.MULTILINE,
)
LAST = re.compile(r"^=*( ?)([^=\n]+?) in [\d.]+s(?: \([\d:]+\))? ?(=*)$", re.MULTILINE)


class Block(NamedTuple):
    """A code block outside the generated ones."""

    language: str
    name: str | None
    text: str


def every_page() -> list[Path]:
    """Return the README and the pages of the site."""
    return [README, *sorted(DOCS.rglob("*.md"))]


def blocks(page: str) -> list[Block]:
    """Return the code blocks of a page that are not generated, in order."""
    return [block(match) for match in PART.finditer(page) if match["language"]]


def block(match: re.Match[str]) -> Block:
    """Return the code block that `PART` found."""
    named = NAME.match(match["text"])
    text = match["text"]
    return Block(match["language"], named["name"] if named else None, text)


def generated(page: str) -> Iterator[tuple[str, str]]:
    """Yield what each generated block of a page shows, and its text."""
    for match in PART.finditer(page):
        if match["what"]:
            yield match["what"], match["body"]


def generate(page: str, where: str = "page") -> str:
    """Return a page with its code run and its generated blocks written anew."""
    with tempfile.TemporaryDirectory() as folder:
        reader = _Reader(Path(folder), where)
        return PART.sub(reader.part, page)


class _Reader:
    """Reads one page from top to bottom, as its user does."""

    def __init__(self, folder: Path, where: str) -> None:
        self.folder = folder
        self.where = where
        self.names: dict[str, object] = {"__name__": "page"}
        self.printed = ""

    def part(self, match: re.Match[str]) -> str:
        what = match["what"]
        if what is None:
            self.read(block(match))
            return match[0]
        if what == "output":
            shown = fenced("text", self.printed)
        elif what.startswith("$ "):
            shown = fenced("console", f"{what}\n{command(what[2:], self.folder)}")
        else:
            shown = tables.TABLES[what]()
        return match["head"] + shown + match["tail"]

    def read(self, code: Block) -> None:
        if code.name:
            path = self.folder / code.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(code.text, encoding="utf-8")
        elif code.language == "python":
            printed = io.StringIO()
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed):
                exec(compile(code.text, self.where, "exec"), self.names)
            self.printed = printed.getvalue()


def fenced(language: str, text: str) -> str:
    """Return a code block."""
    shown = text.strip("\n")
    return f"```{language}\n{shown}\n```\n"


def command(line: str, folder: Path) -> str:
    """Return what a call of pytest prints, without its header, which tells of the machine, and times."""
    called, *arguments = shlex.split(line)
    assert called == "pytest", f"{line}: only pytest is run"
    environment = {
        name: value for name, value in os.environ.items() if not READ_BY_PYTEST.fullmatch(name)
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=folder,
        env={**environment, "COLUMNS": str(WIDTH), "PYTEST_ADDOPTS": "-p no:cacheprovider"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return LAST.sub(_without_time, HEADER.sub("", done.stdout))


def _without_time(match: re.Match[str]) -> str:
    return f" {match[2]} ".center(WIDTH, "=") if match[3] else match[2]
