"""Every place that an option can come from, and values for every option."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from pytest_splitcheck.options import OPTIONS

NATIVE = int(pytest.__version__.partition(".")[0]) >= 9
"""Whether pytest reads TOML with its types: [tool.pytest] and pytest.toml."""

VALUES: dict[str, list[Any]] = {
    "max_leakage": [0.91, 0.92, 0.93, 0.94, 0.95],
    "max_leakage_ratio": [1.91, 1.92, 1.93, 1.94, 1.95],
    "max_rho_dir": [0.81, 0.82, 0.83, 0.84, 0.85],
    "max_rho_dir_geo": [0.86, 0.87, 0.88, 0.89, 0.9],
    "max_rho_inv": [0.71, 0.72, 0.73, 0.74, 0.75],
    "max_rho_rnd": [0.61, 0.62, 0.63, 0.64, 0.65],
    "min_auroc": [0.01, 0.02, 0.03, 0.04, 0.05],
    "min_positives": [1, 2, 3, 4, 5],
    "max_duplicates": [0.51, 0.52, 0.53, 0.54, 0.55],
    "confident": [True] * 5,
    "undecided": ["warn", "pass", "warn", "pass", "warn"],
    "k": [5, (6, 12), 7, (8, 16), 9],
    "epsilon": [0.11, 0.12, 0.13, 0.14, 0.15],
    "detectors": [("knn",), ("lof",), ("iforest",), ("lof", "knn"), ("iforest", "knn")],
    "seeds": [(11,), (12, 22), (13,), (14, 24), (15,)],
    "neighbors": ["approximate"] * 5,
    "sampling": ["never", "always", "never", "always", "never"],
    "alpha": [0.21, 0.22, 0.23, 0.24, 0.25],
    "advice": ["never", "always", "never", "always", "never"],
    "n_jobs": [1, 2, 3, 4, 5],
    "memory": [0.25, 0.5, 0.75, 1.25, 1.5],
}
"""Five values for each option, none of them the default; different ones where there are as many."""

DEFAULTS = {option.name: option.default for option in OPTIONS if option.scope != "run"}
ON_MARKER = {option.name for option in OPTIONS if option.scope == "marker"}


def in_ini(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def in_toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str([str(one) for one in value]) if isinstance(value, tuple) else repr(value)


def python(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


class Place(NamedTuple):
    """A file that pytest reads options from."""

    file: str
    section: str
    write: Callable[[Any], str] = in_ini

    def put(self, suite: pytest.Pytester, values: dict[str, Any]) -> None:
        lines = [f"splitcheck_{name} = {self.write(value)}\n" for name, value in values.items()]
        (suite.path / self.file).write_text(f"[{self.section}]\n{''.join(lines)}")


PLACES = {
    "pytest.ini": Place("pytest.ini", "pytest"),
    ".pytest.ini": Place(".pytest.ini", "pytest"),
    "tox.ini": Place("tox.ini", "pytest"),
    "setup.cfg": Place("setup.cfg", "tool:pytest"),
    "pyproject ini_options": Place("pyproject.toml", "tool.pytest.ini_options", in_toml),
    "pyproject ini_options as text": Place(
        "pyproject.toml", "tool.pytest.ini_options", lambda value: f'"{in_ini(value)}"'
    ),
}
if NATIVE:
    PLACES["pyproject native"] = Place("pyproject.toml", "tool.pytest", in_toml)
    PLACES["pytest.toml"] = Place("pytest.toml", "pytest", in_toml)

FILES = [place for place in PLACES if place not in (".pytest.ini", "pyproject ini_options as text")]


def nth(index: int, names: Any = tuple(VALUES)) -> dict[str, Any]:
    """The `index`-th value of each option of `names`."""
    return {name: VALUES[name][index] for name in VALUES if name in names}


def flags(values: dict[str, Any]) -> list[str]:
    given = {name.replace("_", "-"): value for name, value in values.items()}
    return [
        f"--splitcheck-{name}" + ("" if value is True else f"={in_ini(value)}")
        for name, value in given.items()
    ]


def overrides(values: dict[str, Any]) -> list[str]:
    pairs = [("-o", f"splitcheck_{name}={in_ini(value)}") for name, value in values.items()]
    return list(itertools.chain.from_iterable(pairs))


def write_test(
    suite: pytest.Pytester,
    *,
    call: dict[str, Any] | None = None,
    marker: dict[str, Any] | None = None,
) -> None:
    mark = f"@pytest.mark.splitcheck({python(marker)})\n" if marker else ""
    suite.makepyfile(
        test_a="import pytest\n\n"
        f"{mark}def test_it(splitcheck, blocks):\n    splitcheck(blocks, {python(call or {})})\n"
    )
