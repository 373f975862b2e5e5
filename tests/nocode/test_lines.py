import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck.nocode.lines import key_lines

DOCUMENT = '''\
# a = 1
name = "x # y"
dotted . "in quotes".'k.v' = 1
"\\u0061b" = 2
many = [ # c = ]
  ["a", "b]", 'c['], # d = 1
  [1, 2.5, -inf],
  { e = 1 },
]
text = """
f = 1
""" # g = 1
raw = \'\'\'
[nothing]
\'\'\'
when = 1979-05-27 07:32:00
last = """ends in quotes"""""

[ table . "of" ]
inline = { h = 1, i.j = [1, { k = 2 }], l = {}, m = "}" }
n = true

[[array]]
o = 1
[[array]]
o = 2
[table.below]
p = 1'''

LINES = {
    ("name",): 2,
    ("dotted",): 3,
    ("dotted", "in quotes"): 3,
    ("dotted", "in quotes", "k.v"): 3,
    ("ab",): 4,
    ("many",): 5,
    ("text",): 10,
    ("raw",): 13,
    ("when",): 16,
    ("last",): 17,
    ("table",): 19,
    ("table", "of"): 19,
    ("table", "of", "inline"): 20,
    ("table", "of", "inline", "h"): 20,
    ("table", "of", "inline", "i"): 20,
    ("table", "of", "inline", "i", "j"): 20,
    ("table", "of", "inline", "l"): 20,
    ("table", "of", "inline", "m"): 20,
    ("table", "of", "n"): 21,
    ("array",): 23,
    ("table", "below"): 27,
    ("table", "below", "p"): 28,
}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_each_key_is_found_on_its_line(ends):
    tomllib.loads(DOCUMENT)
    assert key_lines(DOCUMENT.replace("\n", ends)) == LINES


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing", "\t \r\n"])
def test_a_document_without_keys(text):
    assert key_lines(text) == {}


def nested(children):
    return st.lists(children, max_size=3) | st.dictionaries(
        st.text(max_size=4), children, max_size=3
    )


VALUES = st.recursive(
    st.integers(-9, 9) | st.booleans() | st.text("ab\"'#=[]{},\n\\ é", max_size=8), nested
)


def quoted(char):
    return char if char.isprintable() and char not in '"\\' else f"\\U{ord(char):08x}"


def written(value):
    """Return a value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(map(quoted, value)) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{written(key)} = {written(one)}" for key, one in value.items()) + "}"
        )
    return str(value)


@given(
    st.dictionaries(
        st.text("ab.#=[]\"' é", max_size=5), st.tuples(VALUES, st.integers(0, 2)), max_size=5
    )
)
def test_every_key_of_any_document_is_found(content):
    text, expected, line = "", {}, 1
    for key, (value, blank) in content.items():
        text += "# x = 1\n" * blank + f"{written(key)} = {written(value)}\n"
        expected[key] = line + blank
        line += blank + 1
    assert tomllib.loads(text) == {key: value for key, (value, _) in content.items()}
    found = {path[0]: at for path, at in key_lines(text).items() if len(path) == 1}
    assert found == expected


def test_no_line_is_told_of_a_key_that_is_not_there():
    text = "a = [{ b = 1 }]\n"
    assert key_lines(text) == {("a",): 1}
