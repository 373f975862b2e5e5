"""Writes the generated blocks of pages, and the figures: ``python -m tests.docs [PAGE ...]``, or all."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.docs.figures import FIGURES
from tests.docs.pages import DOCS, ROOT, every_page, generate


def write(path: Path, text: str) -> None:
    """Write a file whose text has changed."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}", flush=True)


named = [Path(name).resolve() for name in sys.argv[1:]]
if not named:
    for name, draw in FIGURES.items():
        write(DOCS / "figures" / f"{name}.svg", str(draw()))
for path in named or every_page():
    write(path, generate(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))))
