"""What a run of tests reads and writes beside its verdicts: files, the baseline and the cache."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import get_args

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.protocol import Embedding, check_word

__all__ = ["RunOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What is the same for every check of a run.

    Attributes
    ----------
    html, json, csv : Path or None
        Files to write the records of all checks to, at the end of the run.
    embedding : "pca" or "tsne", default "pca"
        The picture of the rows in the HTML page.
    baseline : Path or None
        File of recorded figures, than which a benchmark must not get worse.
    baseline_tolerance : float, default 0.01
        By how much more than recorded a figure may be, in [0, 1].
    update_baseline : bool, default False
        Whether to record the figures of this run in `baseline`, in the place of holding them against it.
    cache : bool, default True
        Whether measurements are kept in pytest's cache directory, and read from there.

    Raises
    ------
    InputError
        If a value is of the wrong kind or out of its range.
    """

    html: Path | None = field(
        default=None,
        metadata={"help": "HTML page to write, of every benchmark that is checked", "path": True},
    )
    json: Path | None = field(
        default=None,
        metadata={"help": "JSON file to write, of every benchmark that is checked", "path": True},
    )
    csv: Path | None = field(
        default=None,
        metadata={
            "help": "CSV file to write, a line for each class of each benchmark",
            "path": True,
        },
    )
    embedding: Embedding = field(
        default="pca",
        metadata={
            "help": "picture of the rows in the HTML page: pca, or tsne, which takes minutes"
        },
    )
    baseline: Path | None = field(
        default=None,
        metadata={
            "help": "file of recorded figures; a benchmark that got worse than its own fails",
            "path": True,
        },
    )
    baseline_tolerance: float = field(
        default=0.01,
        metadata={"help": "by how much a figure may be worse than the baseline has it"},
    )
    update_baseline: bool = field(
        default=False,
        metadata={
            "help": "whether to record the figures of this run in the baseline",
            "in_ini": False,
        },
    )
    cache: bool = field(
        default=True,
        metadata={"help": "whether measurements are kept in pytest's cache directory"},
    )

    def __post_init__(self) -> None:
        check_word(self.embedding, "embedding", get_args(Embedding))
        tolerance: object = self.baseline_tolerance
        if isinstance(tolerance, bool) or not isinstance(tolerance, Real):
            raise InputError(f"baseline_tolerance must be a number; got {tolerance!r}.")
        if not 0 <= self.baseline_tolerance <= 1:
            raise InputError(f"baseline_tolerance must be from 0 to 1; got {tolerance!r}.")

    @property
    def written(self) -> dict[str, Path]:
        """The files to write at the end of the run, by the options that name them."""
        files = {"html": self.html, "json": self.json, "csv": self.csv}
        if self.update_baseline:
            files["baseline"] = self.baseline
        return {name: path for name, path in files.items() if path is not None}
