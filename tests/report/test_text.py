from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck.report.text import cells, escape, fit, wrap

WORDS = st.text(st.sampled_from("ab 漢é…"), max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain é 漢字 🐈", "plain é 漢字 🐈"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\u202eevil", r"\u202eevil"),
        ("a\u200bb\u200d", r"a\u200bb\u200d"),
        ("\ud800", r"\ud800"),
        ("a\u2028b\u2029", r"a\u2028b\u2029"),
        ("\x85\x00\x9b", r"\x85\x00\x9b"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_control_and_format_characters_are_spelled_out(text, expected):
    assert escape(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("abc", 3), ("漢字", 4), ("ｶﾅ", 2), ("Ａ", 2), ("e\u0301", 1), ("é", 1), ("🐈", 2)],
)
def test_cells(text, expected):
    assert cells(text) == expected


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("abc", 5, "abc  "),
        ("abc", 3, "abc"),
        ("abcdefgh", 5, "ab…gh"),
        ("abcdefgh", 4, "ab…h"),
        ("abcdefgh", 1, "…"),
        ("漢字漢字", 5, "漢…字"),
        ("漢字漢字", 6, "漢…字 "),
        ("漢", 4, "漢  "),
    ],
)
def test_fit(text, width, expected):
    assert fit(text, width) == expected


def test_fit_to_the_right():
    assert fit("0.5", 6, "right") == "   0.5"


@given(WORDS, st.integers(1, 70), st.sampled_from(["left", "right"]))
def test_fit_takes_exactly_its_width(text, width, align):
    assert cells(fit(text, width, align)) == width


@pytest.mark.parametrize(
    ("text", "width", "indent", "expected"),
    [
        ("", 10, "", [""]),
        ("one two", 10, "", ["one two"]),
        ("one two three", 7, "", ["one two", "three"]),
        ("one two three", 9, "    ", ["one two", "    three"]),
        ("  one two three", 9, "    ", ["  one two", "    three"]),
        ("漢字 漢字", 8, "", ["漢字", "漢字"]),
        ("unbreakable it is", 5, "", ["unbre", "akabl", "e it", "is"]),
        ("so unbreakable", 5, " ", ["so", " unbr", " eaka", " ble"]),
    ],
)
def test_wrap(text, width, indent, expected):
    assert wrap(text, width, indent) == expected


@given(WORDS, st.integers(8, 40))
def test_wrap_keeps_every_letter_and_the_width(text, width):
    lines = wrap(text, width, "  ")
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cells(line) <= width for line in lines)


@given(WORDS)
def test_wrap_breaks_no_word_that_has_room(text):
    assert " ".join(wrap(text, 65, "  ")).split() == text.split()
