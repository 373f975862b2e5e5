"""A message fits the terminal, whose width a captured test does not see."""

from __future__ import annotations

import pytest

pytest.importorskip("termios")

from tests.plugin.screen import Terminal


@pytest.mark.parametrize("width", [60, 120])
def test_a_failure_fits_the_terminal(suite, width):
    suite.makepyfile(
        """
        import pytest
        from conftest import on_a_line

        @pytest.fixture
        def many():
            return on_a_line("abcdefghijkl" * 25)

        @pytest.mark.splitcheck("many")
        def test_it(): pass
        """
    )
    terminal = Terminal(["-rN", "--no-header", "-p", "no:hypothesispytest"], width)
    terminal.run()
    rows = terminal.screen.rows
    assert not terminal.screen.wrapped
    begins = next(
        row for row, text in enumerate(rows) if "measured" in text or "max_leakage:" in text
    )
    message = rows[begins : rows.index(next(row for row in rows if "= splitcheck =" in row))]
    assert (max(map(len, message)) > 80) == (width > 80)
