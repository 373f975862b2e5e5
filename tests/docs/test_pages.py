import re
import tomllib

import pytest
import yaml

from tests.docs import pages

PAGES = {str(path.relative_to(pages.ROOT)): path for path in pages.every_page()}
"""By name, as it stands in the repository."""

CI_PAGES = ("docs/tutorial.md", "docs/how-to/ci.md")
OPTIONAL = {"docs/how-to/detectors.md": ["pyod"], "docs/how-to/ci.md": ["xdist"]}


@pytest.fixture(params=PAGES)
def name(request):
    return request.param


@pytest.fixture
def text(name):
    return PAGES[name].read_text(encoding="utf-8")


def test_shows_what_the_program_prints(name, text):
    for package in OPTIONAL.get(name, []):
        pytest.importorskip(package)
    again = pages.generate(text, name)
    assert again == text, f"run python -m tests.docs {name}"


def test_shows_no_output_but_what_is_generated(text):
    written = pages.blocks(text)
    assert {block.language for block in written} <= {"python", "toml", "yaml", "sh"}
    assert all(block.name for block in written if block.language in ("toml", "yaml"))
    assert text.count("```") == 2 * (
        len(written) + sum("```" in b for _, b in pages.generated(text))
    )


def test_toml_and_yaml_can_be_read(text):
    for block in pages.blocks(text):
        if block.language == "toml":
            assert tomllib.loads(block.text)
        if block.language == "yaml":
            assert yaml.safe_load(block.text)


def test_names_only_options_that_exist(text):
    known = {flag for option in pages.tables.OPTIONS for flag in option.flags}
    keys = {option.ini for option in pages.tables.OPTIONS}
    written = pages.PART.sub("", text) + "".join(block.text for block in pages.blocks(text))
    assert set(re.findall(r"--splitcheck[\w-]+", written)) <= known
    assert set(re.findall(r"\bsplitcheck_\w+", written)) <= keys


@pytest.mark.parametrize("page", CI_PAGES)
def test_ci_jobs_install_and_run_pytest(page):
    jobs = [block for block in pages.blocks(PAGES[page].read_text()) if block.language == "yaml"]
    assert jobs
    for job in jobs:
        content = yaml.safe_load(job.text)
        if "jobs" in content:
            assert content[True]  # YAML reads "on" as a truth value
            steps = content["jobs"]["tests"]["steps"]
            commands = [step["run"] for step in steps if "run" in step]
        else:
            commands = content["tests"]["script"]
        install, run = commands
        assert install == 'python -m pip install -e ".[test]"'
        assert run.split()[0] == "pytest"


def test_readme_has_exactly_two_commands():
    commands = re.findall(r"```sh\n(.*?)```", PAGES["README.md"].read_text(), re.DOTALL)
    assert len(commands) == 2
    for page in PAGES.values():
        assert set(re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL)) <= set(commands)


def test_readme_links_to_files_that_exist():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", PAGES["README.md"].read_text())
    assert "docs/tutorial.md" in links
    for link in links:
        assert (pages.ROOT / link).is_file(), link


FAILING = """
```python
# test_one.py
def test_one():
    assert 1 == 2
```

<!-- generated: $ pytest -q -->
stale
<!-- end -->
"""


@pytest.mark.parametrize("variable", ["CI", "FORCE_COLOR", "PYTEST_ADDOPTS"])
def test_the_environment_does_not_show(monkeypatch, variable):
    monkeypatch.delenv("CI", raising=False)
    plain = pages.generate(FAILING)
    monkeypatch.setenv(variable, "-v" if variable == "PYTEST_ADDOPTS" else "1")
    assert pages.generate(FAILING) == plain


def test_output_is_written_anew_without_times_and_headers():
    shown = pages.generate(FAILING.replace(" -q", ""))
    assert "stale" not in shown
    assert "$ pytest\ntest_one.py F " in shown
    assert re.search(r"^=+ 1 failed =+$", shown, re.MULTILINE)
    assert not re.search(r"in \d|platform|rootdir|/tmp", shown)


def test_code_of_a_page_shares_names_and_files():
    page = """
```python
# greeting.py
word = "hello"
```
```python
from pathlib import Path

text = Path("greeting.py").read_text()
```
```python
print(text.splitlines()[1])
```
<!-- generated: output -->
<!-- end -->
"""
    assert '```text\nword = "hello"\n```' in pages.generate(page)


def test_code_that_fails_is_told_with_its_page():
    with pytest.raises(ZeroDivisionError) as caught:
        pages.generate("```python\n1 / 0\n```\n", "docs/some.md")
    assert str(caught.traceback[-1].path).endswith("docs/some.md")
