from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.figure import Figure

HOSTILE = (
    "_first",
    "$x^{2$",
    "<script>1</script>",
    "a\nb\x1b[31m",
    "\u202etxt",
    "%d \\alpha {",
)


@pytest.fixture
def axes() -> Callable[..., Any]:
    """Make Axes of some size in inches, without pyplot."""

    def make(width: float = 6, height: float = 4) -> Any:
        return Figure(figsize=(width, height)).add_subplot()

    return make


@pytest.fixture
def ax(axes: Callable[..., Any]) -> Any:
    return axes()
