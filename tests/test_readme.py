import re

import pytest

from tests import readme as generator


@pytest.fixture(scope="module")
def readme():
    return generator.README.read_text()


@pytest.mark.parametrize("variable", ["CI", "FORCE_COLOR"])
def test_shows_what_the_program_prints(readme, monkeypatch, variable):
    monkeypatch.setenv(variable, "1")
    assert readme == generator.generate(readme), "run python tests/readme.py"


def test_shows_the_files_of_a_suite(readme):
    assert set(generator.files(readme)) == {"conftest.py", "test_method.py", "pyproject.toml"}


def test_has_exactly_two_commands(readme):
    assert len(re.findall(r"```sh\n", readme)) == 2
