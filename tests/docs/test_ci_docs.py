"""docs/ci.md and docs/reports.md: what they show is run, on a good release and on a bad one."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CI = (ROOT / "docs" / "ci.md").read_text("utf-8")
REPORTS = (ROOT / "docs" / "reports.md").read_text("utf-8")
GOOD = (
    "age,zip,illness\n30,431,flu\n30,431,flu\n30,431,gout\n40,482,flu\n40,482,gout\n40,482,gout\n"
)
BAD = GOOD.replace(
    "40,482,gout\n40,482,gout\n", "40,482,flu\n40,482,flu\n"
)  # the second class: flu
SECRET = ("flu", "gout", "431", "482")


def block(text, kind, number=0):
    """One block of code of a page."""
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)[number]


def step(name):
    """The script of a step of the workflow."""
    after = block(CI, "yaml").split(f"- name: {name}\n")[1]
    script = re.match(
        r"(?:        if: .*\n)?        run: (?:\|\n((?:          .*\n)+)|(.*)\n)", after
    )
    return (script[1] or script[2]).replace("\n          ", "\n").strip()


def shell(folder, script, **environment):
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "GITHUB"))}
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env={**clean, "PATH": tools, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def repository(tmp_path):
    """A good release and a bad one, each with the policy of the page."""
    (tmp_path / "releases").mkdir()
    for name, content in (("good", GOOD), ("bad", BAD)):
        policy = block(CI, "toml").replace("patients.csv", f"{name}.csv")
        (tmp_path / "releases" / f"{name}.csv").write_text(content)
        (tmp_path / "releases" / f"{name}.anonaudit.toml").write_text(policy)
    return tmp_path


BROKEN = [
    ("bad.csv", "p-sensitive-k-anonymity[p=2]"),
    ("bad.csv", "homogeneity[allow-rate=0]"),
]


def failed(ended):
    """The checks that failed; the process says so, too."""
    assert ended.returncode == 1
    return re.findall(r"^  VIOLATED ([^,]+), line [0-9]+, (\S+):", ended.stdout, re.MULTILINE)


@pytest.mark.long
def test_the_workflow_fails_for_a_bad_release_alone(repository):
    assert failed(shell(repository, step("Audit"))) == BROKEN
    ended = shell(repository, step("Report"), GITHUB_STEP_SUMMARY=str(repository / "summary.md"))
    assert (ended.returncode, ended.stderr) == (0, "")
    written = {file.name: file.read_text("utf-8") for file in repository.glob("audit.*")}
    assert set(written) == {"audit.sarif", "audit.xml", "audit.md"}
    summary = (repository / "summary.md").read_text("utf-8")
    assert summary.startswith(
        "## anonaudit: 2 policies, 2 releases, 8 checks: 2 violated, 6 holds\n"
    )
    results = json.loads(written["audit.sarif"])["runs"][0]["results"]
    policy = (repository / "releases" / "bad.anonaudit.toml").read_text("utf-8").split("\n")
    lines = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in results]
    assert [policy[line - 1].split(" ")[0] for line in lines] == [
        "p-sensitive-k-anonymity",
        "homogeneity",
    ]
    for text in (summary, *written.values()):
        assert not [cell for cell in SECRET if re.search(rf"\b{cell}\b", text)]


def test_the_hook_minds_policies_alone(repository):
    """The command of the hook, in a repository whose own tests and settings cannot be used."""
    (repository / "conftest.py").write_text("raise SystemError")
    (repository / "test_other.py").write_text("raise SystemError")
    (repository / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\naddopts = '--nowhere'\nrequired_plugins = ['pytest-nowhere']\n"
    )
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    entry = re.search(r"^  entry: (.*)$", hooks, re.MULTILINE)[1]
    ended = shell(repository, entry)
    assert failed(ended) == BROKEN
    assert "8 checks: 2 violated, 6 holds\n" in ended.stdout
    files = re.compile(re.search(r"^  files: (.*)$", hooks, re.MULTILINE)[1])
    for changed in ("a/patients.anonaudit.toml", "patients.csv", "b.parquet", "c.csv.gz"):
        assert files.search(changed)
    for changed in ("r.xlsx", "r.sav", "r.dta", "r.xpt", "r.zip"):
        assert files.search(changed)
    for other in ("README.md", "pyproject.toml", "a.csv.py"):
        assert not files.search(other)


@pytest.mark.long
def test_commands_of_the_page_on_reports(tmp_path):
    policy = block(CI, "toml").replace('[release]\nfile = "patients.csv"\n', "")
    (tmp_path / "policy.toml").write_text(policy)
    for name, content in (("release", GOOD), ("old", GOOD), ("new", BAD)):
        (tmp_path / f"{name}.csv").write_text(content)
    audits, diff = block(REPORTS, "sh", 3).rsplit("\n", 2)[:2]
    script = block(REPORTS, "sh", 0) + audits + " || echo the new one is bad\n" + diff
    ended = shell(tmp_path, script)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.startswith("the new one is bad\nWORSE: ")
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_codes_of_the_page_on_reports():
    from anonaudit.report.words.explanations import codes as every_code

    codes = re.findall(r"anonaudit explain ([a-z-]+)", REPORTS)
    assert len(codes) == 2
    assert set(codes) <= set(every_code())


def test_python_of_the_page_on_reports():
    exec(compile(block(REPORTS, "python"), "docs/reports.md", "exec"), {})


def test_every_format_is_in_the_page():
    from anonaudit.report import FORMATS

    formats = REPORTS.split("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z]+)` \|", formats, re.MULTILINE)) == set(FORMATS)
