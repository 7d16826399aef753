"""The example packages of the documentation, installed beside anonaudit as a user would."""

import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
MAIN = "from anonaudit.cli import main; main()"


def by_hand(example, folder):
    """The files of a wheel of the example: its module, and its entry points."""
    project = tomllib.loads((example / "pyproject.toml").read_text())["project"]
    [(group, points)] = project["entry-points"].items()
    [(name, value)] = points.items()
    [module] = example.glob("*.py")
    installed(folder, group.removeprefix("anonaudit."), name, value, module.read_text())


def installed(folder, kind, name, value, source):
    """A package of one module, with an entry point of anonaudit: kind is models or attacks."""
    module = value.partition(":")[0]
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(f"[anonaudit.{kind}]\n{name} = {value}\n")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (folder / f"{module}.py").write_text(source)


def by_pip(example, folder):
    """The example as pip builds and installs it, without a network."""
    for needed in ("pip", "hatchling"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed} to build the example")
    source = folder.parent / "source"  # a build writes nothing into the checkout
    source.mkdir()
    for file in (*example.glob("*.py"), example / "pyproject.toml"):
        (source / file.name).write_text(file.read_text())
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--disable-pip-version-check", "--target", folder, source]
    subprocess.run(command, check=True, capture_output=True)


def python(site, code, *arguments, **environment):
    """Run Python with a folder of packages on its path."""
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(site), **environment},
        check=False,
    )


def anonaudit(site, *arguments, **environment):
    """Run the command with a folder of packages on its path."""
    return python(site, MAIN, *arguments, **environment)


def completed(site, *typed):
    """What a shell offers for the last word."""
    words = {
        "_ANONAUDIT_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["anonaudit", *typed]),
        "COMP_CWORD": str(len(typed)),
    }
    code = f"import sys; sys.argv = ['anonaudit']; {MAIN}"
    return python(site, code, **words).stdout.split()


def shown_on(page, example):
    """Whether a page shows the files of an example as they are."""
    text = (DOCS / page).read_text()
    return all(
        f"<!-- {file.name} -->\n```{language}\n{file.read_text()}```\n" in text
        for language, pattern in (("python", "*.py"), ("toml", "*.toml"))
        for file in example.glob(pattern)
    )
