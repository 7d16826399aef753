"""docs/security.md: no value of a release is shown where it was not asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import Command
from hypothesis import given
from hypothesis import strategies as st
from safety.canaries import BROKEN, CANARY, FORMATS, MISTAKES, silent, sings

import anonaudit as package
from anonaudit.errors import HierarchyError
from anonaudit.findings import AuditReport
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.report import render

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(scope="module")
def report(place: Path) -> AuditReport:
    return package.audit(place / "pairs.csv", place / "policy.toml")


@pytest.mark.parametrize("form", FORMATS)
def test_no_report_has_a_value(report: AuditReport, form: str) -> None:
    text = render(report, form)
    assert len(text) > 2000
    assert sings(text) == []
    if form != "sarif":  # which has none even then
        assert sings(render(report, form, show_values=True))


@pytest.mark.long
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("release", ["unique.csv", "masked.csv", "pairs.csv"])
def test_no_printed_report_has_a_value(
    anonaudit: Command, place: Path, release: str, form: str
) -> None:
    silent(anonaudit(place, "audit", release, "policy.toml", "-f", form), 1)


def test_no_mistake_in_a_policy_quotes_a_value(anonaudit: Command, place: Path) -> None:
    """protected names a label that the hierarchy lacks; no message says which, or what is near."""
    for name in ("lacking", "two-parents", "circle", "no-hierarchy", "no-numbers"):
        silent(anonaudit(place, "audit", "masked.csv", f"{name}.toml"), 2)


@pytest.mark.long
@pytest.mark.parametrize("name", MISTAKES)
def test_no_policy_makes_a_command_tell(anonaudit: Command, place: Path, name: str) -> None:
    for release in ("pairs.csv", "masked.csv"):
        silent(anonaudit(place, "audit", release, f"{name}.toml", "-f", "json"), 1, 2)
        silent(anonaudit(place, "feasible", release, f"{name}.toml"), 0, 1, 2)


@pytest.mark.parametrize("name", [name for name in BROKEN if name.endswith(".csv")])
def test_no_broken_file_is_quoted(anonaudit: Command, place: Path, name: str) -> None:
    for command in (("audit", name, "-q", "a"), ("init", name)):
        silent(anonaudit(place, *command), 2)
    silent(anonaudit(place, "audit", "unique.csv", "noise.toml"), 2)
    silent(anonaudit(place, "audit", "unique.csv", name), 2)
    silent(anonaudit(place, "diff", name, name), 2)


@pytest.mark.parametrize("release", ["unique.csv", "pairs.csv", "masked.csv"])
def test_a_proposal_has_no_value(anonaudit: Command, place: Path, release: str) -> None:
    silent(anonaudit(place, "init", release), 0)


@pytest.mark.long
@pytest.mark.parametrize("form", ["text", "json"])
def test_neither_feasibility_nor_a_comparison_has_a_value(
    anonaudit: Command, place: Path, form: str
) -> None:
    silent(anonaudit(place, "feasible", "pairs.csv", "masking.toml", "-f", form), 0, 1)
    for name in ("unique", "pairs"):
        asked = ("audit", f"{name}.csv", "policy.toml", "-f", "json", "-o", f"{name}.json")
        silent(anonaudit(place, *asked), 1)
    silent(anonaudit(place, "diff", "unique.json", "pairs.json", "-f", form), 0, 1)


@pytest.mark.long
@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_no_matrix_has_a_value(anonaudit: Command, place: Path, tmp_path: Path, form: str) -> None:
    """Nor have the results it keeps for the next run."""
    asked = ("matrix", "pairs.csv", "masking.toml", "-f", form, "-o", tmp_path / "matrix")
    silent(anonaudit(place, *asked), 0)
    kept = [path for path in (tmp_path / "matrix").rglob("*") if path.is_file()]
    assert len(kept) > 5
    assert [path.name for path in kept if sings(path.read_bytes().decode("latin-1"))] == []


def test_masking_tells_nothing_but_by_the_release(anonaudit: Command, place: Path) -> None:
    silent(anonaudit(place, "mask", "pairs.csv", "masking-lacking.toml", "-o", "no.csv"), 2)
    silent(anonaudit(place, "mask", "pairs.csv", "masking.toml", "-o", "masked-pairs.csv"), 0)
    assert sings((place / "masked-pairs.csv").read_text())  # sensitive values are released
    assert sings((place / "masked-pairs.audit.json").read_text()) == []


@pytest.mark.long
def test_no_test_report_has_a_value(place: Path, tmp_path: Path) -> None:
    """Nor a traceback of pytest's with all local variables."""
    for path in place.glob("*.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for name in ("policy", *MISTAKES):
        text = '[release]\nfile = "masked.csv"\n' + (place / f"{name}.toml").read_text()
        (tmp_path / f"{name}.anonaudit.toml").write_text(text)
    (tmp_path / "test_frame.py").write_text(
        "import pandas\n"
        "def test_frame(anonaudit):\n"
        "    table = pandas.read_csv('pairs.csv', dtype=str)\n"
        "    anonaudit.assert_holds(table, 'policy.anonaudit.toml')\n"
    )
    options = ("-vv", "-rA", "--showlocals", "--continue-on-collection-errors", "--junitxml=a.xml")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert " failed" in ended.stdout
    assert sings(ended.stdout + ended.stderr + (tmp_path / "a.xml").read_text()) == []


LABELS = st.sampled_from(["*", "", "child", *(f"{CANARY}{at}" for at in range(5))])


@given(st.lists(st.lists(LABELS, min_size=1, max_size=4), max_size=5))
def test_no_hierarchy_quotes_a_label(lines: list[list[str]]) -> None:
    makers = (
        lambda: Hierarchy.from_levels("x", lines),
        lambda: Hierarchy.from_parents("x", lines),
        lambda: Hierarchy.from_mappings("x", [dict.fromkeys(line, line[0]) for line in lines]),
        lambda: Hierarchy.from_cuts("x", lines[0] if lines else [], cuts=[[5]]),
        lambda: Hierarchy.from_intervals("x", lines[0] if lines else [], widths=[5]),
        lambda: Hierarchy.from_levels("x", [["a", "*"]]).check_covers(*lines[:1]),
        lambda: Hierarchy.from_levels("x", [["a", "*"]]).ancestors(lines[0][0]),
    )
    for make in makers:
        try:
            make()
        except (HierarchyError, TypeError, IndexError) as error:
            assert CANARY not in str(error)  # noqa: PT017 (most lines are no mistake)
