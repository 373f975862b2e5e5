"""Writes what the README shows of the program's output: ``python tests/readme.py``."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pytest_splitcheck.options import OPTIONS

README = Path(__file__).parent.parent / "README.md"
WIDTH = 100
READ_BY_PYTEST = re.compile(
    r"CI|BUILD_NUMBER|(FORCE|NO|PY)_COLORS?|PYTEST_.*|PYTHON(WARNINGS|OPTIMIZE)"
)
"""Variables of the environment that change what pytest prints."""

FILE = re.compile(r"```\w+\n# (?P<name>\S+\.\w+)\n(?P<text>.*?)```", re.DOTALL)
BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def files(readme: str) -> dict[str, str]:
    """Return the code blocks that begin with a file name, by that name."""
    return {match["name"]: match["text"] for match in FILE.finditer(readme)}


def run(readme: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run pytest on the files that `readme` shows."""
    for name, text in files(readme).items():
        (folder / name).write_text(text)
    environment = {
        name: value for name, value in os.environ.items() if not READ_BY_PYTEST.fullmatch(name)
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**environment, "COLUMNS": str(WIDTH)},
        capture_output=True,
        text=True,
        check=False,
    )


def failure(readme: str) -> str:
    """Return the failure and the summary that pytest prints for the files that `readme` shows."""
    with tempfile.TemporaryDirectory() as folder:
        output = run(readme, Path(folder)).stdout
    shown = output[output.index("= FAILURES =") :].partition("\n")[2]
    *lines, last = shown.rstrip().splitlines()
    outcome = last.strip("= ").partition(" in ")[0]  # without the time that it took
    shown = "\n".join([*lines, f" {outcome} ".center(WIDTH, "=")])
    return f"```text\n{shown}\n```\n"


def options() -> str:
    """Return the table of options."""
    rows = ["| keyword | ini key and flag | default | meaning |", "|---|---|---|---|"]
    for option in OPTIONS:
        keyword = f"`{option.name}`" if option.scope != "run" else "-"
        keyword += " (not of the marker)" if option.scope == "call" else ""
        keys = [option.ini] if option.in_ini else []
        rows.append(
            f"| {keyword} | {', '.join(f'`{one}`' for one in (*keys, *option.flags))} "
            f"| {option.shown_default} | {option.help} |"
        )
    return "\n".join(rows) + "\n"


def generate(readme: str) -> str:
    """Return `readme` with its generated blocks written anew."""
    blocks = {"failure": failure(readme), "options": options()}
    return BLOCK.sub(lambda match: match[1] + blocks[match[2]] + match[3], readme)


if __name__ == "__main__":
    README.write_text(generate(README.read_text()))
