import inspect

import pytest

from pytest_splitcheck import ClassSplit, InputError
from pytest_splitcheck.nocode.declaration import read
from pytest_splitcheck.nocode.schema import CLASS_SPLIT, TABLES
from pytest_splitcheck.options import OPTIONS

FILE = "cifar.splitcheck.toml"
DATA = '[data]\nfile = "x.csv"\n'


def declared(text):
    return read(text.encode(), FILE)


def test_everything_that_can_be_said():
    found = declared(
        """
        name = "cifar-10"
        representation = "pixels"
        standardise = true
        metric = "cosine"
        held_out = ["cat", ["dog", 3]]
        folds = 3
        merge = [["a", "b"]]
        drop = ["truck"]
        marks = ["slow"]
        [data]
        file = "a.csv"
        X = ["width", "pixel*"]
        y = "label"
        [train]
        folder = "images"
        size = [32, 16]
        mode = "L"
        [thresholds]
        max_leakage = 0.5
        confident = true
        [options]
        k = [5, 10]
        detectors = ["knn"]
        undecided = "warn"
        n_jobs = 1
        [recorded]
        mine = "mine.csv"
        other = { file = "other.npz", high_is_normal = true }
        """
    )
    assert found.tables[""]["held_out"] == ["cat", ["dog", 3]]
    assert found.tables["train"] == {"folder": "images", "size": [32, 16], "mode": "L"}
    assert found.settings["k"] == [5, 10]
    assert found.sources["max_leakage"] == f"{FILE} line 20"
    assert found.sources["undecided"] == f"{FILE} line 25"
    assert set(found.sources) == set(found.settings)


def test_the_keys_are_those_of_the_call_and_of_the_options():
    keywords = list(inspect.signature(ClassSplit).parameters)
    assert set(keywords) - set(CLASS_SPLIT) == {"X", "y", "train"}
    assert set(CLASS_SPLIT) < set(keywords)
    own = {key.name for table in ("thresholds", "options") for key in TABLES[table]}
    assert own == {option.name for option in OPTIONS if option.scope != "run"}
    assert all(key.help for keys in TABLES.values() for key in keys)


@pytest.mark.parametrize(
    ("text", "line", "limits"),
    [
        (DATA, 1, {}),
        ("folds = 3\n\n" + DATA, 3, {}),
        ("folds = 3\nname = 'x'\n" + DATA + "[thresholds]\n\nmax_leakage = 1\n", 2, {"max_leakage": 7}),
        (DATA + "[options]\nk = 3\n[thresholds]\nmin_auroc = 0\nmax_leakage = 1", 1,
         {"min_auroc": 6, "max_leakage": 7}),
        ("data.file = 'x.csv'\nthresholds = { max_leakage = 1 }\n", 1, {"max_leakage": 2}),
    ],
)  # fmt: skip
def test_the_lines_that_a_failure_points_at(text, line, limits):
    found = declared(text)
    assert (found.first_line, found.limit_lines) == (line, limits)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("naem = 'x'\n" + DATA, "line 1: splitcheck has no key naem; did you mean name?"),
        ("[dat]\nfile = 'x.csv'\n", "line 1: splitcheck has no key dat; did you mean [data]?"),
        (
            "[data]\nfiel = 'x.csv'\n",
            "line 2: splitcheck has no [data] key fiel; did you mean file?",
        ),
        (
            "[data]\nfile = 'x.csv'\nshape = 2\n",
            "line 3: splitcheck has no [data] key shape; there are file,",
        ),
        (
            DATA + "[train]\nfiel = 'x.csv'\n",
            "line 4: splitcheck has no [train] key fiel; did you mean file?",
        ),
        (
            DATA + "[thresholds]\n\nmax_leakge = 1\n",
            "line 5: splitcheck has no [thresholds] key max_leakge; did you mean max_leakage?",
        ),
        (
            DATA + "[thresholds]\nk = 1\n",
            "line 4: k does not belong below [thresholds]; write it below [options].",
        ),
        ("k = 1\n" + DATA, "line 1: k does not belong here; write it below [options]."),
        (
            DATA + "name = 'x'\n",
            "line 3: name does not belong below [data]; write it above the first [table].",
        ),
        (DATA + "[options]\nhtml = 'x'\n", "line 4: splitcheck has no [options] key html;"),
        ("data = 'x.csv'\n", "line 1: data is a table; write [data] on a line of its own"),
        ("[[data]]\nfile = 'x.csv'\n", "line 1: data is a table;"),
        (
            "standardize = true\n" + DATA,
            "line 1: splitcheck has no key standardize; did you mean standardise?",
        ),
        (
            "standardise = 1\n" + DATA,
            "line 1: standardise must be true or false; got 1. It is: whether each feature is",
        ),
        (
            DATA + "standardise = true\n",
            "line 3: standardise does not belong below [data]; write it above the first [table].",
        ),
        ("name = 3\n" + DATA, "line 1: name must be text; got 3."),
        ("name = ''\n" + DATA, "line 1: name must be text; got ''."),
        (
            "folds = true\n" + DATA,
            "line 1: folds must be a whole number; got True. It is: number of folds where",
        ),
        ("held_out = 'cat'\n" + DATA, "line 1: held_out must be a list of classes; got 'cat'."),
        ("merge = ['a', 'b']\n" + DATA, "line 1: merge must be a list of lists of classes;"),
        (DATA + f"y = ['{'x' * 99}']\n", "line 3: y must be text; got ['xxxx"),
        (
            '[data]\nfile = "a\\u0000.csv"\n',
            "line 2: file must be the path of a file or folder, as text",
        ),
        (
            "marks = ['_x']\n" + DATA,
            "line 1: marks must be a list of names of markers; got ['_x'].",
        ),
        (DATA + "X = 3\n", "line 3: X must be text, or a list of texts; got 3."),
        (
            "[data]\nfolder = 'x'\nsize = 32\n",
            "line 3: size must be two whole numbers, the width and",
        ),
        ("[data]\nfolder = 'x'\nsize = [32, 0]\n", "line 3: size must be two whole numbers"),
        ("[data]\nfolder = 'x'\nmode = 'rgb'\n", "line 3: mode must be 'RGB' or 'L'; got 'rgb'."),
        (
            DATA + "[options]\ndetectors = 'knn'\n",
            "line 4: detectors must be a list of texts; got 'knn'.",
        ),
        (DATA + "[recorded]\nmine = 3\n", "line 4: mine must be the path of a file of scores, or"),
        (
            DATA + "[recorded]\nmine = { flie = 'x' }\n",
            "line 4: mine must be the path of a file of scores",
        ),
        ("", "[data] needs file = a path, or folder = a path, or both X and y"),
        ("[data]\n", "line 1: [data] needs file = a path"),
        (DATA + "[train]\n", "line 3: [train] needs file = a path"),
        ("[data]\nX = 'x.npy'\n", "line 1: [data] needs file = a path"),
        ("[data]\nfile = 'x.csv'\nfolder = 'y'\n", "line 1: [data] has both file and folder"),
        (DATA + "size = [3, 3]\n", "line 1: [data] has size, which does not go with file."),
        ("[data]\nfolder = 'x'\ny = 'z'\n", "line 1: [data] has y, which does not go with folder."),
        ("[data]\nfile = 'x.npy'\n", "line 1: file = 'x.npy' holds one array; write X and y"),
        (
            "[data]\nfile = 'x.pkl'\n",
            "line 1: file = 'x.pkl' ends neither in .csv nor in .npz nor in",
        ),
        ("[data]\nfile = 'x.npz'\nX = ['a']\n", "line 1: X must be the name of one array"),
        (
            "[data]\nX = 'a.npy'\ny = 'b.csv'\n",
            "line 1: y = 'b.csv' is not the path of a .npy file",
        ),
        ("name = x\n", "line 1, column 8: Invalid value."),
        ("\nname = 'x", "line 2, at the end of the file:"),
        ("a = 1\na = 2\n", "line 2: a has a value already, in line 1; leave one of them."),
        (
            "[x]\nk = 1\n[data]\nk = 1\n'\u202e' = 1\nk = [\n  2\n]\n[y]\nk = 1\n",
            "line 6: k has a value already, in line 4; leave one of them.",
        ),
        ("a = 1\na.b = 2\n", "line 2: a.b has a value already; leave one of them."),
        (
            DATA + "[thresholds]\nmax_leakage = '0.3'\n",
            "line 4: max_leakage must be a number; got '0.3'. Write it without quotes.",
        ),
        (
            DATA + "[thresholds]\nmax_leakage = 'off'\n",
            "line 4: max_leakage must be a number; got 'off'. It is: largest L_k",
        ),
        (DATA + "[thresholds]\nmin_auroc = true\n", "line 4: min_auroc must be a number; got True"),
        ('"\\u202e\\u001b" = 1\n' + DATA, "line 1: splitcheck has no key \\u202e\\x1b;"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text, message):
    with pytest.raises(InputError) as caught:
        declared(text)
    told = str(caught.value)
    assert told.startswith(FILE)
    assert message in told
    assert len(told) < 400


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(InputError) as caught:
        declared(
            "naem = 'x'\nfolds = '3'\n[dat]\n[thresholds]\nmax_leakge = 1\n[recorded]\nmine = 3\n"
        )
    begins = [line.partition(";")[0] for line in str(caught.value).split("\n")]
    assert begins == [
        f"{FILE} line 1: splitcheck has no key naem",
        f"{FILE} line 2: folds must be a whole number",
        f"{FILE} line 3: splitcheck has no key dat",
        f"{FILE} line 5: splitcheck has no [thresholds] key max_leakge",
        f"{FILE} line 7: mine must be the path of a file of scores, or {{ file = the path, "
        "high_is_normal = true }",
    ]
    with pytest.raises(InputError) as caught:
        declared("[data]\n[train]\nfile = 'x'\n")
    assert [line.partition(" needs")[0] for line in str(caught.value).split("\n")] == [
        f"{FILE} line 1: [data]",
        f"{FILE} line 2: file = 'x' ends neither in .csv nor in .npz nor in .parquet.",
    ]


def test_what_is_no_text_is_told_with_its_line():
    with pytest.raises(
        InputError, match=r"^cifar\.splitcheck\.toml line 2: this is not UTF-8 text"
    ):
        read(b"a = 1\nb = '\xff'\n", FILE)


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert read(b"\xef\xbb\xbf" + DATA.encode(), FILE).place("data", "file") == f"{FILE} line 2"


@pytest.mark.parametrize(
    "text", ["held_out = " + "[" * 5000, "folds = " + "9" * 5000], ids=["deep", "long"]
)
def test_what_python_cannot_read_is_told_in_a_line(text):
    with pytest.raises(InputError, match=r"^cifar\.splitcheck\.toml "):
        declared(text)
