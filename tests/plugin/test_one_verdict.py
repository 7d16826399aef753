"""The command, pytest, the fixture and every format of the report give one and the same verdict.

Policies and releases are drawn: with rows, without any, with nothing but suppressed ones; with
what is decided, undecided, skipped, allowed, or not there at all. Nothing is said of which verdict
is right, but for the releases without a class: no data is no pass.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command import Command
from pytest_runs import run_pytest

import anonaudit
from anonaudit.asserting import Auditor
from anonaudit.report import render

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# How many cases run by default; each is one audit of the command and three of the library.
QUICK = range(32, 48)
LONG = range(1_000, 1_250)
HEADER = "age,sex,dx,income,person,n,w\n"
VOTERS = {
    "voters.csv": "name,age,sex\nV1,20,F\nV2,30,M\nV3,30,F\n",
    "nobody.csv": "name,age,sex\nV1,80,X\n",
    "population.csv": "age,sex\n20,F\n20,M\n30,F\n30,M\n30,M\n",
}
NO_FILE = "nothing.csv"
CODES = {"holds": 0, "measured": 0, "violated": 1, "inconclusive": 2}


def release(draw: random.Random) -> str:
    """Some rows, none, or rows that are in no class by most conventions."""
    kind = draw.choice([*["rows", "few"] * 3, "none", "none", "suppressed", "missing", "no file"])
    if kind == "no file":
        return ""
    lines = []
    for i in range({"rows": 8, "none": 0}.get(kind, 3)):
        age, sex = {"suppressed": "**", "missing": ("", "")}.get(
            kind, (draw.choice(["20", "30"]), draw.choice(["F", "M", "*"]))
        )
        dx, income = draw.choice(["flu", "hiv", "gout", ""]), draw.choice(["1", "2", "9"])
        lines.append(f"{age},{sex},{dx},{income},p{i // 2},{draw.randint(0, 3)},1.5\n")
    return HEADER + "".join(lines)


def policy(draw: random.Random, stem: str) -> str:
    """A policy on that release, now and then with nothing in it that can be broken."""

    def maybe(share: float) -> bool:
        return draw.random() < share

    identifiers = draw.choice([[], [], ["name"], ["name", "person"]])
    roles: dict[str, Any] = {
        "identifiers": identifiers,
        "quasi-identifiers": draw.choice([["age"], ["age", "sex"], ["age", "sex"], []]),
        "sensitive": draw.choice([["dx"], ["dx"], ["dx", "income"], []]),
    }
    if maybe(0.2) and "person" not in identifiers:
        roles["unit"] = "person"
    elif maybe(0.2):
        roles["count"] = "n"
    if maybe(0.05):
        roles["sensitive"] = ["dxx"]
    conventions = {
        "inconclusive": draw.choice(["allow", "allow", "fail"]),
        "quasi-identifiers": draw.choice(["own-category", "drop-rows", "wildcard"]),
        "suppressed-tuples": draw.choice(["exclude", "include"]),
        "sensitive": draw.choice(["unknown", "one-value"]),
    }
    models = {
        "k-anonymity": f"{{ k = {draw.randint(1, 4)} }}",
        "p-sensitive-k-anonymity": f"{{ p = {draw.randint(1, 3)} }}",
        "l-diversity": f"[{{ l = 1 }}, {{ l = {draw.randint(1, 3)}, reading = 'joint' }}]",
        "t-closeness": f"{{ t = {draw.choice([0.1, 0.5, 1.0])} }}",
        "rule-confidence": f"{{ below = {draw.choice([0.6, 1.0])} }}",
        "prosecutor-risk": f"{{ highest = {draw.choice([0.3, 1.0])} }}",
    }
    if population := draw.choice([None, None, None, "population.csv"]):
        models["k-map"] = f"{{ k = {draw.randint(1, 3)} }}"
    external = draw.choice(["voters.csv", "nobody.csv", *[NO_FILE] * maybe(0.2)])
    attacks = {
        "homogeneity": "",
        "elimination": "values = 1, budget = 1",
        "skewness": "",
        "similarity": "",
        "linkage": f"external = '{external}', identity = ['name']",
        "residual": "external = 'voters.csv', identity = ['name']",
    }
    lines = [f"release.file = '{stem}.csv'", "[columns]"]
    lines += [f"{part} = {json.dumps(columns)}" for part, columns in roles.items()]
    lines += ["[conventions]", *(f"{key} = '{value}'" for key, value in conventions.items())]
    if population is not None:
        lines += ["[population]", f"file = '{NO_FILE if maybe(0.1) else population}'"]
    lines += ["[require]"]
    busy = draw.choice([0.0, 0.3, 0.3])  # how much is required; now and then nothing
    lines += [f"{name} = {level}" for name, level in models.items() if maybe(busy)]
    lines += ["[attacks]"]
    for name, options in attacks.items():
        rate = f"allow-rate = {draw.choice([0.0, 0.5, 1.0])}" if maybe(0.7) else ""
        if maybe(busy / 2):
            lines.append(f"{name} = {{ {', '.join(filter(None, [options, rate]))} }}")
    return "\n".join(lines) + "\n"


def written(folder: Path, numbers: range) -> list[str]:
    """Draw the cases into a folder; return their names."""
    stems = [f"case{number}" for number in numbers]
    for number, stem in zip(numbers, stems, strict=True):
        draw = random.Random(number)
        if table := release(draw):
            (folder / f"{stem}.csv").write_text(table)
        (folder / f"{stem}.anonaudit.toml").write_text(policy(draw, stem))
    for name, text in VOTERS.items():
        (folder / name).write_text(text)
    return stems


@pytest.fixture(scope="module")
def command() -> Iterator[Command]:
    command = Command()
    yield command
    command.close()


def ended(command: Command, folder: Path, stem: str) -> SimpleNamespace:
    """The exit code of `anonaudit audit`, and its report, None where no audit was possible."""
    done = command(folder, "audit", f"{stem}.anonaudit.toml", "--format", "json")
    return SimpleNamespace(code=done.code, report=json.loads(done.out) if done.out else None)


def outcomes_of(session: SimpleNamespace, stem: str) -> dict[str, str]:
    """The items of one policy in a session, or the error of its collection."""
    file = f"{stem}.anonaudit.toml"
    return {
        name: outcome
        for name, outcome in session.outcomes.items()
        if name == file or name.startswith(f"{file}::")
    }


def fails(outcomes: dict[str, str]) -> bool:
    """Whether a session of these items alone ends with another exit code than 0."""
    assert outcomes
    return any(outcome in ("failure", "error") for outcome in outcomes.values())


def fixture_fails(folder: Path, stem: str) -> bool:
    """Whether a test that asserts by the fixture fails."""
    try:
        Auditor().assert_holds(None, folder / f"{stem}.anonaudit.toml")
    except pytest.fail.Exception:
        return True
    return False


def check(command: Command, folder: Path, numbers: range) -> Counter[str]:
    """Compare all ways to a verdict; return how often each verdict was met."""
    stems = written(folder, numbers)
    session = run_pytest(folder, "--continue-on-collection-errors")
    seen: Counter[str] = Counter()
    for stem in stems:
        cli, items = ended(command, folder, stem), outcomes_of(session, stem)
        outcome = "no audit" if cli.report is None else cli.report["outcome"]
        seen[outcome] += 1
        # Whoever runs a policy as a test means it to require something.
        item = f"{stem}.anonaudit.toml::policy"
        idle = "requires nothing" in session.texts.get(item, "")
        assert fails(items) == (cli.code != 0 or idle), (stem, cli.code, items)
        assert fixture_fails(folder, stem) == fails(items), stem
        if cli.report is None:
            assert cli.code == 2, stem
            continue
        assert cli.code == CODES[outcome], stem
        if idle:
            assert outcome in ("measured", "inconclusive"), stem
            seen["idle"] += 1
        if cli.report["release"]["classes"] == 0:
            assert cli.code != 0, stem
            assert items.get(f"{stem}.anonaudit.toml::release", "error") != "passed", stem
            seen["without a class"] += 1
        seen["skipped"] += "skipped" in items.values()
        report = anonaudit.audit(policy=folder / f"{stem}.anonaudit.toml")
        assert report.outcome == outcome, stem
        assert report.passed == (cli.code == 0), stem
        for form in ("text", "markdown", "html"):
            assert f"{outcome.upper()}" in render(report, form), (stem, form)
        (run,) = json.loads(render(report, "sarif"))["runs"]
        assert run["properties"]["outcome"] == outcome, stem
        alarms = {result["level"] for result in run["results"]} & {"error", "warning"}
        assert alarms or cli.code == 0, stem
    return seen


@pytest.mark.long
def test_drawn_policies(command: Command, tmp_path: Path) -> None:
    seen = check(command, tmp_path, QUICK)
    for kind in ("holds", "violated", "inconclusive", "no audit", "without a class", "skipped"):
        assert seen[kind], (kind, seen)


@pytest.mark.long
def test_many_drawn_policies(command: Command, tmp_path: Path) -> None:
    seen = check(command, tmp_path, LONG)
    kinds = ("holds", "violated", "inconclusive", "no audit", "without a class", "skipped", "idle")
    for kind in kinds:
        assert seen[kind] >= 10, (kind, seen)


NO_CLASS = {
    "no row": (HEADER, ""),
    "suppressed throughout": (HEADER + "*,*,flu,1,p,1,1\n*,*,hiv,2,q,1,1\n", ""),
    "every row dropped": (
        HEADER + ",F,flu,1,p,1,1\n*,M,hiv,2,q,1,1\n",
        "conventions.quasi-identifiers = 'drop-rows'\n",
    ),
    "counts of nothing": (HEADER + "20,F,flu,1,p,0,1\n", "columns.count = 'n'\n"),
}
REQUIRED = {
    "a model": "require.k-anonymity = { k = 5 }\n",
    "a rate": "attacks.homogeneity = { allow-rate = 1.0 }\n",
    "no identifier": "columns.identifiers = ['name']\n",
}


@pytest.mark.parametrize("allowed", ["allow", pytest.param("fail", marks=pytest.mark.long)])
def test_no_data_is_no_pass(command: Command, tmp_path: Path, allowed: str) -> None:
    """With every release that has no class, and everything that can be required of it."""
    stems = []
    for i, (table, more) in enumerate(NO_CLASS.values()):
        for j, required in enumerate(REQUIRED.values()):
            stem = f"case{i}{j}"
            stems.append(stem)
            (tmp_path / f"{stem}.csv").write_text(table)
            (tmp_path / f"{stem}.anonaudit.toml").write_text(
                f"release.file = '{stem}.csv'\nconventions.inconclusive = '{allowed}'\n"
                f"columns.quasi-identifiers = ['age', 'sex']\ncolumns.sensitive = ['dx']\n"
                f"{more}{required}"
            )
    session = run_pytest(tmp_path)
    for stem in stems:
        items = outcomes_of(session, stem)
        assert set(items.values()) == {"failure"}, (stem, items)
        assert "no row is in any class" in session.texts[f"{stem}.anonaudit.toml::release"].lower()
        cli = ended(command, tmp_path, stem)
        assert (cli.code, cli.report["outcome"]) == (2, "inconclusive"), stem
        assert fixture_fails(tmp_path, stem), stem
