"""No cell in what pytest prints, whatever it was asked for: every cell here is a canary."""

import re
from pathlib import Path

import pandas as pd
import pytest
from pytest_runs import run_pytest

import anonaudit
from anonaudit.auditing.audit import open_release
from anonaudit.findings import Notice, Witness
from anonaudit.masking.maskers import mask
from anonaudit.policy.policy import parse_policy, read_policy
from anonaudit.source.table import TableFile

CELLS = "age,illness\n" + "canary1,canary2\ncanary3,canary4\n" * 2
POLICY = """
[release]
file = "{file}"
[columns]
quasi-identifiers = ["age"]
sensitive = ["illness"]
[require]
k-anonymity = {{ k = 3 }}
p-sensitive-k-anonymity = {{ p = 2 }}
"""
TESTS = """
import pandas, pytest

RULES = "bad.anonaudit.toml"

def frame():
    return pandas.read_csv("good.csv", dtype=str)

def test_verdict(anonaudit):
    table = frame()
    anonaudit.assert_holds(table, RULES)

def test_no_audit(anonaudit):
    anonaudit.assert_holds(frame().drop(columns="age"), RULES)

def test_refused(anonaudit):
    table = frame()
    anonaudit.audit(table.drop(columns="age"), RULES)

def test_without_the_fixture():
    import anonaudit
    anonaudit.audit(frame().drop(columns="age"), RULES)

@pytest.mark.parametrize("fault", [KeyError, ValueError, AttributeError])
def test_fault(anonaudit, monkeypatch, fault):
    def fails(*parts, **_):
        raise fault(frame().to_csv())
    monkeypatch.setattr("anonaudit.auditing.audit.open_release", fails)
    anonaudit.audit(frame(), RULES)

def test_cell_without_text(anonaudit):
    class Cell:
        def __init__(self, text):
            self.text = text
        def __str__(self):
            raise KeyError(self.text)
        __repr__ = __str__
    table = frame()
    table["age"] = [Cell(age) for age in table["age"]]
    anonaudit.assert_holds(table, RULES)

def test_report(anonaudit):
    report = anonaudit.audit(frame(), RULES)
    assert report.passed

def test_engine(anonaudit, monkeypatch):
    import duckdb
    def fails(*parts, **_):
        cells = frame().to_dict("list")
        raise duckdb.ConversionException("...") from RuntimeError("...")
    monkeypatch.setattr("anonaudit.auditing.examining.examine", fails, raising=False)
    monkeypatch.setattr("anonaudit.frequency.counting.count", fails, raising=False)
    monkeypatch.setattr("anonaudit.source.table._run", fails)
    anonaudit.audit(frame(), RULES)
"""
FAULT = """
import pathlib, anonaudit.auditing.audit as auditing

real = auditing.audit
def faulty(*parts, **options):
    cells = pathlib.Path("good.csv").read_text()
    raise {fault}
auditing.audit = faulty
"""
ASKED = ("-vv", "-rA", "--full-trace", "-l", "--tb=long")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.csv").write_text(CELLS)
    (tmp_path / "tree.csv").write_text("canary2;canary5;*\ncanary2;canary6;*\n")
    (tmp_path / "cut.csv").write_text(CELLS + "canary5\n")
    (tmp_path / "odd.csv").write_text(CELLS + '"canary6"canary7,canary8\n')
    for name, file in (("bad", "good"), ("cut", "cut"), ("odd", "odd"), ("gone", "gone")):
        (tmp_path / f"{name}.anonaudit.toml").write_text(POLICY.format(file=f"{file}.csv"))
    (tmp_path / "wrong.anonaudit.toml").write_text(
        POLICY.format(file="good.csv") + '[hierarchies]\nillness = { file = "tree.csv" }\n'
    )
    return tmp_path


LONG = pytest.mark.long
OTHERS = [(*ASKED, "--tb=short"), ("-l", "--tb=native")]


@pytest.mark.parametrize(
    "options", [ASKED, *(pytest.param(options, marks=LONG) for options in OTHERS)]
)
def test_no_cell_is_printed(folder: Path, options: tuple[str, ...]) -> None:
    (folder / "test_frames.py").write_text(TESTS)
    done = run_pytest(folder, *options)
    outcomes = {name: what for name, what in done.outcomes.items() if "release" not in name}
    assert {*outcomes.values()} == {"failure"}
    assert len(outcomes) == 2 * 4 + 1 + 6 + 3 + 1
    assert re.findall(r".*canary\d.*", done.out + (folder / "junit.xml").read_text()) == []


@pytest.mark.parametrize(
    "fault",
    [
        "KeyError('canary9')",
        *(pytest.param(one, marks=LONG) for one in ("MemoryError", "KeyboardInterrupt")),
    ],
)
def test_no_fault_of_ours_prints_a_cell(folder: Path, fault: str) -> None:
    (folder / "conftest.py").write_text(FAULT.format(fault=fault))
    done = run_pytest(folder, *ASKED, "bad.anonaudit.toml")
    assert done.code == (2 if fault == "KeyboardInterrupt" else 1)
    assert re.findall(r".*canary\d.*", done.out) == []


def test_a_wrong_policy_fails_alone(folder: Path) -> None:
    (folder / "test_other.py").write_text("def test_other():\n    pass\n")
    (folder / "deep.anonaudit.toml").write_text("a" + ".a" * 100_000 + " = 1\n")
    (folder / "bytes.anonaudit.toml").write_bytes(b"\xff\xfe")
    done = run_pytest(folder)
    assert done.code == 1
    assert done.outcomes["test_other::test_other"] == "passed"
    assert done.outcomes["bad.anonaudit.toml::release"] == "passed"
    for name in ("deep", "bytes", "wrong"):
        assert done.outcomes[f"{name}.anonaudit.toml::policy"] == "failure"


def test_no_result_shows_a_cell_in_its_repr(folder: Path) -> None:
    rules = read_policy(folder / "bad.anonaudit.toml")
    frame = pd.read_csv(folder / "good.csv", dtype=str)
    table = TableFile(frame)
    report = anonaudit.audit(frame, rules)
    masking = 'columns.quasi-identifiers = ["age"]\nrequire.k-anonymity = { k = 2 }'
    masked = mask(open_release(TableFile(folder / "good.csv"), rules), parse_policy(masking))
    shown = [table, report, *report.warnings, masked, masked.recoding]
    shown += [rules.paired_with(frame, align="order"), rules.linked_with(frame, ["age"])]
    shown += [Witness(0, 2, cells={"age": "canary1"}), Notice("x", "y", labels=("canary1",))]
    assert re.findall(r"canary\d", " ".join(map(repr, shown))) == []
    assert repr(table).startswith(f"TableFile(file=<DataFrame at {id(frame):#x}>, delimiter=")
    assert repr(TableFile("a.csv")).startswith("TableFile(file='a.csv', ")
