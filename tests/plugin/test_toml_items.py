"""Benchmarks that are declared in a TOML file."""

from __future__ import annotations

import csv
import re
import textwrap

import numpy as np
import pytest

from tests.plugin.summaries import table

ROWS = np.arange(50.0)[:, None]
BLOCKS = np.array(["a"] * 25 + ["b"] * 25)
MIXED = np.array(["a", "b"] * 25)


@pytest.fixture
def declare(suite):
    """Write a benchmark and what it says: `blocks` is well posed, `mixed` is not."""
    suite.makeconftest("")

    def write(name="blocks", text="", labels=None, before=""):
        y = labels if labels is not None else {"blocks": BLOCKS, "mixed": MIXED}[name]
        np.savez(suite.path / f"{name}.npz", X=ROWS, y=y)
        content = f"{before}folds = 2\n[data]\nfile = '{name}.npz'\n" + textwrap.dedent(text)
        (suite.path / f"{name}.splitcheck.toml").write_text(content, encoding="utf-8")

    return write


def shown(result):
    return "\n".join(result.outlines + result.errlines)


def test_a_file_is_a_test(suite, declare):
    declare("blocks")
    declare("mixed")
    result = suite.runpytest_inprocess("-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "blocks.splitcheck.toml::blocks PASSED*",
            "mixed.splitcheck.toml::mixed FAILED*",
            "ill posed: mixed: L_10 = 0.588 > 0.5*",
            "FAILED mixed.splitcheck.toml::mixed - ill posed: mixed: L_10 = 0.588 > 0.5",
        ]
    )


def test_named_on_the_command_line_and_found_below_a_folder(suite, declare):
    declare("blocks")
    below = suite.path / "deep" / "er"
    below.mkdir(parents=True)
    for end in (".npz", ".splitcheck.toml"):
        (suite.path / f"blocks{end}").rename(below / f"blocks{end}")
    for arguments in ([], ["deep"], ["deep/er/blocks.splitcheck.toml"]):
        suite.runpytest_inprocess(*arguments).assert_outcomes(passed=1)
    result = suite.runpytest_inprocess(
        "deep/er/blocks.splitcheck.toml::blocks", "--collect-only", "-q"
    )
    result.stdout.fnmatch_lines(["deep/er/blocks.splitcheck.toml::blocks"])


def test_other_toml_files_are_none_of_ours(suite):
    (suite.path / "other.toml").write_text("a = 1\n")
    (suite.path / "splitcheck.toml").write_text("a = 1\n")
    assert suite.runpytest_inprocess().ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_failure_is_its_message_and_names_the_line(suite, declare, nothing_of_ours):
    declare("mixed", "[thresholds]\n\nmax_leakage = 0.25\n")
    result = suite.runpytest_inprocess()
    result.stdout.fnmatch_lines(["*max_leakage  L_10 = 0.588 > 0.25  mixed.splitcheck.toml line 6"])
    nothing_of_ours(result)
    assert "Traceback" not in shown(result)


@pytest.mark.parametrize(
    ("arguments", "text", "passes", "source"),
    [
        ([], "", False, "default"),
        (["--splitcheck-max-leakage=0.6"], "", True, None),
        (["-o", "splitcheck_max_leakage=0.6"], "", True, None),
        (
            ["--splitcheck-max-leakage=0.6"],
            "[thresholds]\nmax_leakage = 0.3\n",
            False,
            "mixed.splitcheck.toml line 5",
        ),
        (["--splitcheck-max-leakage=0.3"], "[thresholds]\nmax_leakage = 0.6\n", True, None),
        (["--splitcheck-max-leakage=0.3"], "", False, "--splitcheck-max-leakage"),
    ],
)
def test_the_file_takes_precedence(suite, declare, arguments, text, passes, source):
    declare("mixed", text)
    result = suite.runpytest_inprocess(*arguments)
    result.assert_outcomes(**{"passed" if passes else "failed": 1})
    if source:
        result.stdout.fnmatch_lines([f"max_leakage  L_10 = *  {source}"])


def test_options_and_name(suite, declare):
    declare(
        "mixed",
        "[thresholds]\nmax_leakage = 1\nmax_rho_dir = 1\n[options]\nk = 5\ndetectors = ['knn']\n",
        before="name = 'two halves'\nrepresentation = 'pixels'\n",
    )
    result = suite.runpytest_inprocess("-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["two halves (pixels)  50  2  5 *well posed", "*knn*"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[thresholds]\nmax_leakge = 0.3\n",
            "line 5: splitcheck has no [[]thresholds] key max_leakge; did*",
        ),
        ("[thresholds]\nmax_leakage = 'x'\n", "line 5: max_leakage must be a number*"),
        ("[options]\nk = 0\n", "line 5: k must be 1 or more; got 0."),
        (
            "[options]\ndetectors = ['knm']\n",
            "line 5: there is no built-in detector 'knm'; did you mean 'knn'?*",
        ),
        (
            "[options]\nundecided = 'wran'\n",
            "line 5: undecided must be one of *; did you mean 'warn'?",
        ),
        ("x = 1\n[options]\nkk = 1\n", "line 4: splitcheck has *"),
        ("x = 1\n[options]\nkk = 1\n", "line 6: splitcheck has *"),
        ("x = [\n", "line 4, at the end of the file: *"),
    ],
)
def test_what_is_wrong_is_told_when_it_is_collected(suite, declare, nothing_of_ours, text, message):
    declare("blocks", text)
    for arguments in ([], ["--collect-only"]):
        result = suite.runpytest_inprocess(*arguments)
        assert result.ret == pytest.ExitCode.INTERRUPTED
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines([f"blocks.splitcheck.toml {message}"])
        nothing_of_ours(result)
        assert "Traceback" not in shown(result)


@pytest.mark.parametrize(
    ("before", "text", "message"),
    [
        ("held_out = ['a', 'c']\n", "", "line 1: held_out names 'c', which is not a class of y*"),
        ("metric = 'euclidian'\n", "", "line 1: metric must be 'euclidean' or 'cosine'*"),
        ("merge = [['a', 'b']]\n", "", "line 1: merge leaves one class only*"),
        ("", "y = 'lables'\n", "line 4: blocks.npz has no column 'lables'; it has 'X', 'y'."),
        ("", "X = 'y'\n", "line 4: X * dtype <U1; the values must be real numbers."),
        (
            "",
            "[train]\nfile = 'none.npz'\n",
            "line 5: there is no none.npz; paths count from the folder*",
        ),
        (
            "",
            "[train]\nX = 'no.npy'\ny = 'n.npy'\n",
            "line 5: there is no no.npy; paths count from*",
        ),
        ("", "[train]\nfolder = 'images'\n", "line 5: there is no images; paths count from*"),
        (
            "",
            "[recorded]\nmine = 'scores.csv'\n",
            "line 5: there is no scores.csv; paths count from*",
        ),
    ],
)
def test_what_is_wrong_with_the_data_is_told_with_its_line(
    suite, declare, nothing_of_ours, before, text, message
):
    declare("blocks", text, before=before)
    assert suite.runpytest_inprocess("--collect-only").ret == pytest.ExitCode.OK
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"blocks.splitcheck.toml {message}"])
    nothing_of_ours(result)


def test_labels_that_are_called_otherwise_are_asked_for(suite, declare):
    declare("blocks")
    np.savez(suite.path / "blocks.npz", X=np.arange(50.0)[:, None], labels=BLOCKS)
    told = (
        "blocks.splitcheck.toml line 3: blocks.npz has no column 'y'; it has 'X', 'labels'. "
        "Name the column of the labels by y = '...'."
    )
    assert told in suite.runpytest_inprocess().outlines


def test_objects_are_not_unpickled(suite, declare):
    declare("blocks", labels=np.array(["a", None] * 25, dtype=object))
    result = suite.runpytest_inprocess()
    result.stdout.fnmatch_lines(
        ["*line 3: blocks.npz holds pickled objects, and nothing is ever unpick*"]
    )


def test_labels_of_another_length(suite, declare):
    declare("blocks", labels=BLOCKS[:49])
    result = suite.runpytest_inprocess()
    result.stdout.fnmatch_lines(["blocks.splitcheck.toml line 2: y has 49 labels for 50 rows."])


def test_collecting_reads_no_data(suite, declare):
    declare("blocks")
    (suite.path / "blocks.npz").unlink()
    suite.makepyfile(
        probe="""
        import sys

        def pytest_unconfigure():
            print("loaded:", *({"numpy", "scipy", "sklearn", "PIL"} & set(sys.modules)))
        """
    )
    suite.syspathinsert()
    result = suite.runpytest_subprocess("-p", "probe", "--collect-only", "-q")
    result.stdout.fnmatch_lines(["blocks.splitcheck.toml::blocks"])
    result.stdout.fnmatch_lines(["loaded:"])


def test_selection(suite, declare):
    suite.makeconftest(
        "def pytest_configure(config): config.addinivalue_line('markers', 'slow: takes long')\n"
    )
    declare("blocks", before="marks = ['slow']\n")
    declare("mixed")
    run = suite.runpytest_inprocess
    run("-k", "blocks", "--strict-markers").assert_outcomes(passed=1, deselected=1)
    run("-m", "slow").assert_outcomes(passed=1, deselected=1)
    run("-m", "splitcheck and not slow").assert_outcomes(failed=1, deselected=1)
    run("mixed.splitcheck.toml::mixed").assert_outcomes(failed=1)
    run("--lf").assert_outcomes(failed=1)


@pytest.mark.parametrize("arguments", [["--strict-markers"], ["-W", "error"]])
def test_an_unknown_marker_is_told(suite, declare, nothing_of_ours, arguments):
    declare("blocks", before="marks = ['slwo']\n")
    result = suite.runpytest_inprocess(*arguments)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.re_match_lines([r"blocks\.splitcheck\.toml line 1: .*slwo"])
    nothing_of_ours(result)


def test_marks_of_a_conftest(suite, declare):
    suite.makeconftest(
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.xfail(strict=True))
                item.add_marker(pytest.mark.splitcheck(max_leakage=0.01))
        """
    )
    declare("blocks")
    declare("mixed", "[thresholds]\nmax_leakage = 0.6\n")
    result = suite.runpytest_inprocess()
    result.assert_outcomes(xfailed=1, failed=1)  # the file takes precedence over the marker


def test_under_xdist(suite, declare):
    pytest.importorskip("xdist")
    declare("blocks")
    declare("mixed", "[thresholds]\nmax_leakage = 0.25\n")
    result = suite.runpytest_inprocess("-n2")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*0.588 > 0.25  mixed.splitcheck.toml line 5"])
    assert [row[0] for row in table(result)] == ["blocks", "mixed"]


def write_csv(path, X, y, names=None):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        names = names or [f"f{i}" for i in range(X.shape[1])]
        writer.writerow(["y", *names])
        writer.writerows([label, *row] for label, row in zip(y, X.tolist(), strict=True))


def test_every_kind_of_file_gives_the_same(suite):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    image = pytest.importorskip("PIL.Image")
    suite.makeconftest("")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 255, (40, 3, 5), dtype=np.uint8)
    X[20:] //= 2
    y = np.repeat(["cat", "dog"], 20)
    flat = X.reshape(40, -1)
    path = suite.path
    np.savez(path / "a.npz", images=X, labels=y)
    np.save(path / "X.npy", X)
    np.save(path / "y.npy", y)
    write_csv(path / "a.csv", flat, y)
    columns = {f"f{i}": flat[:, i] for i in range(flat.shape[1])}
    parquet.write_table(pyarrow.table({"y": y.tolist(), **columns}), path / "a.parquet")
    for number, (pixels, label) in enumerate(zip(X, y, strict=True)):
        (path / "images" / label).mkdir(parents=True, exist_ok=True)
        image.fromarray(pixels).save(path / "images" / label / f"{number:02}.png")
    for kind, data in {
        "npz": "file = 'a.npz'\nX = 'images'\ny = 'labels'",
        "pair": "X = 'X.npy'\ny = 'y.npy'",
        "csv": "file = 'a.csv'",
        "parquet": "file = 'a.parquet'\nX = 'f*'",
        "images": "folder = 'images'\nmode = 'L'",
    }.items():
        text = f"name = 'same'\nfolds = 2\n[data]\n{data}\n[thresholds]\nmax_leakage = 0\n[options]\nk = 3\n"
        (path / f"{kind}.splitcheck.toml").write_text(text)
    result = suite.runpytest_inprocess()
    result.assert_outcomes(failed=5)
    found = [line for line in result.outlines if line.startswith("ill posed: same: L_3")]
    assert len(found) == 5
    assert len(set(found)) == 1


def test_training_rows_of_another_file(suite):
    suite.makeconftest("")
    path = suite.path
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 2)) + 9 * y[:, None]
    X[:, 1] *= 100
    write_csv(path / "test.csv", X[:30], y[:30], ["small", "large"])
    write_csv(path / "train.csv", X[30:][:, ::-1], y[30:], ["large", "small"])
    text = """
    name = "a"
    held_out = [0, 2]
    [data]
    file = "test.csv"
    [train]
    file = "train.csv"
    [thresholds]
    min_positives = 0
    max_leakage = 1
    max_rho_dir = 1
    [options]
    detectors = ["knn"]
    k = 3
    """
    (path / "a.splitcheck.toml").write_text(textwrap.dedent(text))
    suite.makepyfile(
        f"""
        import numpy as np
        from pytest_splitcheck import ClassSplit

        def test_same(splitcheck):
            X, y = np.array({X.tolist()}), {y.tolist()}
            split = ClassSplit(X[:30], y[:30], train=(X[30:], y[30:]), held_out=[0, 2], name="a")
            splitcheck(split, min_positives=0, max_leakage=1, max_rho_dir=1, detectors=["knn"], k=3)
        """
    )
    result = suite.runpytest_inprocess("-v")
    result.assert_outcomes(passed=2)
    assert len([row for row in table(result) if row[0] == "a"]) == 1  # equal in all figures
    (path / "a.splitcheck.toml").write_text(
        textwrap.dedent(text).replace('"train.csv"', '"train.csv"\nX = ["large", "small"]')
    )
    result = suite.runpytest_inprocess("a.splitcheck.toml")
    result.stdout.fnmatch_lines(
        ["*line 8: [[]train] must have the columns of [[]data], in the same order."]
    )


def test_recorded_scores(suite, declare):
    declare(
        "blocks",
        """
        [options]
        detectors = ["knn"]
        undecided = "warn"
        [thresholds]
        max_rho_dir = 1
        min_auroc = 0
        [recorded]
        mine = "mine.csv"
        turned = { file = "mine.csv", high_is_normal = true }
        """,
    )
    with (suite.path / "mine.csv").open("w") as file:
        file.write("held_out,row,score\n")
        for label in "ab":
            for row, other in enumerate(BLOCKS):
                file.write(f"{label},{row},{int(other == label) + row / 1000}\n")
    result = suite.runpytest_inprocess(
        "-v", "-W", "ignore::pytest_splitcheck.UndecidedSplitWarning"
    )
    result.assert_outcomes(passed=1)
    (line,) = [line for line in result.outlines if re.match(" +class .*turned", line)]
    assert line.split()[-3:] == ["knn", "mine", "turned"]
    (figures,) = [line for line in result.outlines if re.match(r" +mean ", line)]
    assert figures.split()[-2:] == ["1.0000", "0.0000"]
    declare("blocks", "[options]\ndetectors = ['knn']\n[recorded]\nknn = 'mine.csv'\n")
    result = suite.runpytest_inprocess()
    result.stdout.fnmatch_lines(["*line 7: there is a detector 'knn' already*"])


def test_hostile_names_stay_text(suite, declare):
    declare("blocks", before='name = "\\u001b[31m\\u202e"\n')
    result = suite.runpytest_inprocess("-v")
    result.assert_outcomes(passed=1)
    assert "\x1b[31m\u202e" not in shown(result)
    assert "\\x1b[31m\\u202e" in shown(result)


def test_a_fault_of_ours_keeps_its_traceback(suite, declare):
    declare("blocks")
    suite.makeconftest(
        """
        from pytest_splitcheck.nocode import build

        def broken(*rest):
            raise ZeroDivisionError("ours")

        build.benchmark = broken
        """
    )
    result = suite.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["E * ZeroDivisionError: ours", "*conftest.py:*: ZeroDivisionError"]
    )
