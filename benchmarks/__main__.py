"""The command line: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import attribution, coverage, growth, table, work

ALONE = {"attribution": attribution.main, "coverage": coverage.main, "growth": growth.main}
"""What is no row of the table, but prints or writes something of its own."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; return 1 if results differ or a contender fails, else 0."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    # Not by choices: argparse before Python 3.12 refuses no names at all then.
    unknown = sorted({*asked.rows} - {*work.ROWS, *ALONE})
    if unknown:
        known = ", ".join([*work.ROWS, *ALONE])
        parser.error(f"there is no row {unknown[0]!r}; choose from {known}")
    alone = next((name for name in asked.rows if name in ALONE), None)
    if alone and len(asked.rows) > 1:
        parser.error(f"{alone} is no row of the table; ask for it alone")
    asked.out.mkdir(parents=True, exist_ok=True)
    if alone:
        return ALONE[alone](asked.out, short=asked.short)
    if asked.read:
        record = json.loads(asked.read.read_text())
        failed = False
    else:
        outcomes = work.run(work.chosen(asked.rows), short=asked.short)
        print(table.text(outcomes, short=asked.short))
        record = work.record(outcomes, short=asked.short)
        _write_json(asked.out / "results.json", record)
        failed = any(outcome.complaints for outcome in outcomes.values())
    if asked.markdown:
        asked.markdown.write_text(table.markdown(record))
    if failed:
        print("Results differ or a contender failed: see DIFFERS above.", file=sys.stderr)
    return int(failed)


def _write_json(path: Path, record: Any) -> None:
    path.write_text(json.dumps(record, indent=1) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure this project against named peers, on the same arrays and in one run, "
        "each in a process of its own. A figure in x is the peer's wall seconds / ours.",
    )
    parser.add_argument(
        "rows",
        nargs="*",
        metavar="ROW",
        help=f"{', '.join(work.ROWS)}; all of them by default. Or growth alone: how the time grows with "
        "the size of the problem, as a plot. Or attribution alone: how well geometry foretells a detector, and "
        "whose fault inversions are, as a table in Markdown. Or coverage alone: how often the 95 %% interval "
        "of an AUROC holds it, in simulation",
    )
    parser.add_argument(
        "--short",
        action="store_true",
        help="small sizes, to see in a minute that the results are equal; the times mean nothing",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("build", "benchmarks"),
        metavar="FOLDER",
        help="where results.json, or the files of growth, go (default: %(default)s)",
    )
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="also write the table in Markdown"
    )
    parser.add_argument(
        "--read",
        type=Path,
        metavar="JSON",
        help="measure nothing; take the results of an earlier run",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
