from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck.report.toml import toml_lines

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    texts | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.booleans(),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["merge", "drop", "held_out"]), values))
def test_what_is_written_is_read_as_it_was(given):
    lines = toml_lines(given)
    read = tomllib.loads("\n".join(lines))
    assert repr(read) == repr(given)  # True is no 1, and 1.0 is none
    assert len(lines) == len(given)
    assert all(line.isprintable() for line in lines)


def test_lines():
    hostile = 'a"\\\x1b\n\u202e\U000e0001 漢é'
    assert toml_lines({"drop": [hostile, 3], "merge": [["a", True]], "standardise": True}) == [
        r'drop = ["a\"\\\u001b\u000a\u202e\U000e0001 漢é", 3]',
        'merge = [["a", true]]',
        "standardise = true",
    ]
