import ast
from pathlib import Path

import pytest

import pytest_splitcheck
from pytest_splitcheck.report.progress import STAGES, Pace, State, progress_line
from pytest_splitcheck.report.text import cells


def test_every_step_has_a_name():
    # Steps are told of by Workers.map, by Search.run, which hands them to it, and by readers of files.
    words, others = set(), set()
    folder = Path(pytest_splitcheck.__path__[0])
    paths = [path for name in ("measure", "declare") for path in (folder / name).rglob("*.py")]
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            if getattr(node.func, "attr", None) not in ("map", "run", "progress") and (
                getattr(node.func, "id", None) != "tell"
            ):
                continue
            stage = node.args[0]
            if isinstance(stage, ast.Constant):
                words.add(stage.value)
            else:
                others.add(ast.unparse(stage))
    assert words | {"geometry"} == set(STAGES)
    assert others == {"stage", "GEOMETRY", "self.name"}


def test_the_time_left_is_by_the_pace_of_the_step():
    pace = Pace()
    assert pace.at("leakage", 1, 8, 100.5) == State(1, "leakage", 1 / 8, None)  # too early to say
    assert pace.at("leakage", 2, 8, 101.0).left is None
    assert pace.at("leakage", 4, 8, 106.5) == State(1, "leakage", 1 / 2, 8.0)
    assert pace.at("leakage", 8, 8, 110.0) == State(1, "leakage", 1.0, None)
    # What went on before a step first told of itself is not its pace.
    assert pace.at("knn", 1, 3, 200.0) == State(2, "knn", 1 / 3, None)
    assert pace.at("knn", 2, 3, 204.0) == State(2, "knn", 2 / 3, 4.0)
    # The same step again, of other rows.
    assert pace.at("knn", 1, 3, 216.0) == State(3, "knn", 1 / 3, None)


def test_nothing_to_do_is_no_division_by_zero():
    assert Pace().at("leakage", 0, 0, 5.0) == State(1, "leakage", 0.0, None)


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (0.2, "1 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (89, "1 min"),
        (3500, "58 min"),
        (3599, "1 h 0 min"),
        (4000, "1 h 7 min"),
    ],
)
def test_the_line(left, told):
    line = progress_line("digits", State(3, "neighbours", 0.4299, left), 200)
    assert line == f"splitcheck digits: step 3, neighbours 42 %, about {told} left of this step"


@pytest.mark.parametrize("title", ["digits", "名前" * 20, "x" * 200, "\x1b[2J\n\u202e"])
@pytest.mark.parametrize("stage", ["neighbours", "検出" * 30, "\x1b[31m"])
@pytest.mark.parametrize("left", [None, 12.0])
def test_it_fits_and_stays_text(title, stage, left):
    for width in range(1, 150):
        line = progress_line(title, State(3, stage, 0.5, left), width)
        assert cells(line) <= width
        assert line.isprintable()


def test_what_is_left_out_of_a_narrow_line():
    state = State(3, "neighbours", 0.5, 12.0)
    whole = "splitcheck digits: step 3, neighbours 50 %, about 12 s left of this step"
    assert progress_line("digits", state, len(whole)) == whole
    longer = progress_line("digits of all the world", state, len(whole) + 2)
    assert longer == whole.replace("digits", "digi…rld")
    assert progress_line("digits", state, 45) == "splitcheck digits: step 3, neighbours 50 %"
    assert progress_line("digits", state, 30) == "step 3, neighbours 50 %"
