"""Somebody else's attack, installed as a package of its own, and the page that explains it."""

import importlib.util
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from anonaudit import datasets

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "example-attack"
MAIN = "from anonaudit.cli import main; main()"
POLICY = """
[columns]
quasi-identifiers = ["age", "zip-code", "sex"]
sensitive = ["illness"]

[attacks.small-crowd]
most = 2
allow-rate = 0.5
"""


def installed_by_hand(folder):
    """The files of a wheel of the example: its module, and its entry points."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    points = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in found.items())
        for group, found in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(points))
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    for module in EXAMPLE.glob("*.py"):
        (folder / module.name).write_text(module.read_text())


def installed_by_pip(folder):
    for needed in ("pip", "hatchling"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed} to build the example")
    source = folder.parent / "source"  # a build writes nothing into the checkout
    source.mkdir()
    for file in (*EXAMPLE.glob("*.py"), EXAMPLE / "pyproject.toml"):
        (source / file.name).write_text(file.read_text())
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--disable-pip-version-check", "--target", folder, source]
    subprocess.run(command, check=True, capture_output=True)


def audited(folder, policy, *more):
    (folder / "policy.toml").write_text(policy)
    release = datasets.path("TV06/table1.csv")
    command = [sys.executable, "-c", MAIN, "audit", release, folder / "policy.toml"]
    environment = {**os.environ, "PYTHONPATH": str(folder / "site")}
    return subprocess.run(
        [*command, "--format", "json", *more],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


@pytest.mark.parametrize(
    "install", [installed_by_hand, pytest.param(installed_by_pip, marks=pytest.mark.long)]
)
def test_an_installed_attack_runs_in_an_audit(tmp_path, install):
    """TV06 Table 1 has three classes of two: nobody's crowd is larger than 2."""
    install(tmp_path / "site")
    run = audited(tmp_path, POLICY)
    assert run.returncode == 1, run.stderr
    report = json.loads(run.stdout)
    (found,) = [a for a in report["attacks"] if a["name"] == "small-crowd"]
    assert (found["targets"], found["identified"], found["rate"]) == (6, 6, 1)
    assert (found["outcome"], found["details"]) == ("violated", {"classes": 3})
    assert found["witness"]["positions"]


@pytest.mark.long
def test_its_options_are_its_own(tmp_path):
    installed_by_hand(tmp_path / "site")
    assert audited(tmp_path, POLICY.replace("most = 2", "most = 1")).returncode == 0
    wrong = audited(tmp_path, POLICY.replace("most = 2", "most = 0"))
    assert wrong.returncode == 2
    assert "small-crowd: most must be a whole number" in wrong.stderr
    unknown = audited(tmp_path, POLICY.replace("most = 2", "least = 2"))
    assert unknown.returncode == 2
    assert "most" in unknown.stderr


def test_without_the_package_there_is_no_such_attack(tmp_path):
    run = audited(tmp_path, POLICY)
    assert run.returncode == 2
    assert "no such attack" in run.stderr


def test_the_page_shows_the_package_as_it_is():
    page = (EXAMPLE.parent / "writing_an_attack.md").read_text()
    for name, language in (("small_crowd.py", "python"), ("pyproject.toml", "toml")):
        text = (EXAMPLE / name).read_text()
        assert f"<!-- {name} -->\n```{language}\n{text}```\n" in page
