"""README.md and docs/: what they show is what comes, and every command they name there is."""

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest
import typer

import anonaudit
from anonaudit.cli.app import app
from anonaudit.policy.policy import parse_policy
from anonaudit.report import to_text

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str, *kinds: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [block for kind, block in found if kind in kinds]


def test_the_first_report() -> None:
    folder = ROOT / "datasets" / "adult"
    report = anonaudit.audit(folder / "release.csv.gz", folder / "release.toml")
    lines = to_text(report, extent="short").splitlines()
    assert len(lines) <= 80
    for line in blocks(README, "text")[0].splitlines():
        assert line in lines, line


def test_the_policy(tmp_path: Path) -> None:
    (policy,) = blocks(README, "toml")
    for name in re.findall(r'"([a-z]+\.csv)"', policy):
        (tmp_path / name).write_text("flu,*\n")
    (tmp_path / "illness.csv").write_text("lung,Cancer,*\nflu,*\n")
    found = parse_policy(policy, folder=tmp_path)
    assert [request.name for request in found.attacks] == ["homogeneity", "linkage"]
    assert len(found.requirements) == 4


WITH_PYTHON = [page for page in PAGES if blocks(page.read_text("utf-8"), "python")]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_python(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page, one after the other, as in a notebook."""
    monkeypatch.chdir(tmp_path)
    for example in page.parent.glob("example-*"):
        monkeypatch.syspath_prepend(example)
    module = ModuleType(page.stem)  # which a dataclass of the page is looked for in
    monkeypatch.setitem(sys.modules, page.stem, module)
    with contextlib.redirect_stdout(io.StringIO()):
        for block in blocks(page.read_text("utf-8"), "python"):
            exec(compile(block, page.name, "exec"), module.__dict__)


def commands() -> list[tuple[str, str]]:
    """Every line in a block of shell that calls anonaudit, with its page."""
    return [
        (page.name, line.strip())
        for page in PAGES
        for block in blocks(page.read_text("utf-8"), "sh", "bash", "shell", "")
        for line in block.replace("\\\n", " ").splitlines()
        if line.strip().startswith("anonaudit ")
    ]


def test_there_are_commands() -> None:
    assert len(commands()) > 15


@pytest.mark.parametrize(("page", "line"), commands())
def test_commands_are_there(page: str, line: str) -> None:
    """The command, and every option it is given."""
    words = shlex.split(line, comments=True)
    for end in ("|", ">", "&&", "||", ";", "2>"):
        words = words[: words.index(end)] if end in words else words
    group = typer.main.get_command(app)
    known = group.commands[words[1]] if not words[1].startswith("-") else group
    options = {o for p in known.params for o in (*p.opts, *p.secondary_opts)} | {"--help", "-h"}
    for word in words[2:] if known is not group else words[1:]:
        if word.startswith("-") and word != "-":
            assert word.split("=")[0] in options, f"{page}: {line}"
