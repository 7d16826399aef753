"""The pytest plugin as its users see it: pytest runs in processes of their own.

The release has two classes, counted by hand: three rows that all have the flu, and two rows with
two illnesses. So k = 2, p = 1, and three of five rows are laid open by homogeneity.
"""

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest
from conftest import ROOT
from pytest_runs import run_pytest

RELEASE = """age,sex,illness
20-29,F,flu
20-29,F,flu
20-29,F,flu
30-39,M,flu
30-39,M,asthma
"""
COLUMNS = """
[release]
file = "release.csv"
[columns]
quasi-identifiers = ["age", "sex"]
sensitive = ["illness"]
"""
FILES = {
    "release.csv": RELEASE,
    "nobody.csv": "name,age,sex\nAnn,80,F\n",
    "good.anonaudit.toml": COLUMNS
    + """
[require]
k-anonymity = [{ k = 1 }, { k = 2 }]
l-diversity = { l = 1, reading = "joint" }
[attacks]
homogeneity = { allow-rate = 0.6 }
linkage = { external = "nobody.csv", identity = ["name"] }
""",
    "bad.anonaudit.toml": COLUMNS
    + """
[require]
k-anonymity = [{ k = 2 }, { k = 3 }]
p-sensitive-k-anonymity = { p = 2 }
[attacks]
linkage = { external = "nobody.csv", identity = ["name"] }
homogeneity = { allow-rate = 0.05 }
""",
    "named.anonaudit.toml": COLUMNS.replace(
        "[columns]", '[columns]\nidentifiers = ["illness"]'
    ).replace('sensitive = ["illness"]', ""),
    "typo.anonaudit.toml": COLUMNS.replace('"age"', '"agee"')
    + "[require]\nk-anonymity = { k = 2 }",
    "undecided.anonaudit.toml": COLUMNS
    + '[attacks]\nlinkage = { external = "nobody.csv", identity = ["name"], allow-rate = 0.05 }',
    "allowed.anonaudit.toml": COLUMNS
    + '[conventions]\ninconclusive = "allow"\n'
    + '[attacks]\nlinkage = { external = "nobody.csv", identity = ["name"], allow-rate = 0.05 }',
    "wrong.anonaudit.toml": COLUMNS.replace('"sex"', '"sexx"')
    + "[requires]\nk-anonymity = { k = 2 }",
    "nameless.anonaudit.toml": "columns.sensitive = ['illness']\nrequire.l-diversity = { l = 2 }",
    "idle.anonaudit.toml": COLUMNS,
    "other.toml": "this is no policy",
    # Counts the audits, and says what pytest itself has loaded before the first test.
    "conftest.py": """
import sys
from pathlib import Path

LOG = Path(__file__).with_name("audits.log")
HEAVY = {"pandas", "numpy", "scipy", "duckdb", "mlxtend", "hypothesis", "matplotlib", "narwhals"}

def pytest_sessionstart():
    Path(__file__).with_name("loaded.log").write_text(" ".join(sorted(HEAVY & sys.modules.keys())))

def pytest_collection_finish():
    from anonaudit.auditing import audit as auditing
    audit = auditing.audit
    def counted(*given, **options):
        with LOG.open("a") as log:
            log.write(options["policy"].source + "\\n" if "policy" in options else "fixture\\n")
        return audit(*given, **options)
    auditing.audit = counted
""",
    "test_fixture.py": """
import pandas as pd
import pytest
from anonaudit import AnonauditError, read_policy

FRAME = pd.read_csv("release.csv")

def test_audit(anonaudit):
    report = anonaudit.audit(FRAME, quasi_identifiers=["age", "sex"])
    assert report.models[0].measured == 2

def test_holds(anonaudit):
    report = anonaudit.assert_holds(FRAME, read_policy("good.anonaudit.toml"))
    assert report.passed

def test_holds_by_paths(anonaudit):
    anonaudit.assert_holds("release.csv", "good.anonaudit.toml", delimiter=",")

def test_fails(anonaudit):
    anonaudit.assert_holds(FRAME, "bad.anonaudit.toml")

def test_wrong_frame(anonaudit):
    anonaudit.assert_holds(FRAME.rename(columns={"age": "Age"}), "good.anonaudit.toml")

def test_wrong_policy(anonaudit):
    anonaudit.assert_holds(FRAME, "wrong.anonaudit.toml")

def test_idle_policy(anonaudit):
    anonaudit.assert_holds(FRAME, "idle.anonaudit.toml")

def test_undecided(anonaudit):
    anonaudit.assert_holds(FRAME, "undecided.anonaudit.toml")

def test_undecided_but_allowed(anonaudit):
    anonaudit.assert_holds(FRAME, "allowed.anonaudit.toml")

def test_errors_of_audit_are_its_own(anonaudit):
    with pytest.raises(AnonauditError, match="no release"):
        anonaudit.audit()
""",
}


def written(folder: Path, *names: str) -> Path:
    """The folder with some of the files, all of them if none is named."""
    folder.mkdir(exist_ok=True)
    for name in names or FILES:
        (folder / name).write_text(FILES[name])
    return folder


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Everything, run once."""
    folder = written(tmp_path_factory.mktemp("suite"))
    done = run_pytest(folder, "--continue-on-collection-errors", "-v")
    done.audits = (folder / "audits.log").read_text().split("\n")
    done.loaded = (folder / "loaded.log").read_text()
    return done


def items(suite: SimpleNamespace, stem: str) -> dict[str, str]:
    """The outcomes of one policy, by item."""
    start = f"{stem}.anonaudit.toml::"
    lines = (line.split(" ")[0:2] for line in suite.out.splitlines() if line.startswith(start))
    return {name.removeprefix(start): outcome for name, outcome in lines}


def test_ids_and_outcomes(suite: SimpleNamespace) -> None:
    assert items(suite, "good") == {
        "release": "PASSED",
        "k-anonymity[k=1]": "PASSED",
        "k-anonymity[k=2]": "PASSED",
        "l-diversity[l=1,reading=joint]": "PASSED",
        "homogeneity[allow-rate=0.6]": "PASSED",
    }
    assert items(suite, "bad") == {
        "release": "PASSED",
        "k-anonymity[k=2]": "PASSED",
        "k-anonymity[k=3]": "FAILED",
        "p-sensitive-k-anonymity[p=2]": "FAILED",
        "homogeneity[allow-rate=0.05]": "FAILED",
    }
    assert "other.toml" not in suite.out
    assert suite.code == 1


def test_a_failure_is_numbers_and_advice(suite: SimpleNamespace) -> None:
    told = suite.texts["bad.anonaudit.toml::p-sensitive-k-anonymity[p=2]"]
    assert "p >= 2 required, 1 measured" in told
    assert "1 class with 3 rows (60% of all) falls short" in told
    assert "data rows 1, 2, 3" in told
    assert "audit again" in told
    told = suite.texts["bad.anonaudit.toml::homogeneity[allow-rate=0.05]"]
    assert "a rate of 5% is allowed, 60% measured (0 identified and 3 disclosed of 5 " in told
    assert "k >= 3 required, 2 measured" in suite.texts["bad.anonaudit.toml::k-anonymity[k=3]"]
    for name, text in suite.texts.items():
        assert "Traceback" not in text, name
        assert ".py:" not in text or suite.outcomes[name] == "skipped", name
        assert len(text.splitlines()) < 20, name
    assert "another exception" not in suite.out
    assert "asthma" not in suite.out
    assert "20-29" not in suite.out


def test_the_line_of_a_failure_is_that_of_the_policy(tmp_path: Path) -> None:
    folder = written(tmp_path / "lines", "release.csv", "nobody.csv", "bad.anonaudit.toml")
    run_pytest(folder, "-o", "junit_family=xunit1")
    found = {
        case.get("name"): int(case.get("line")) + 1
        for case in ET.parse(folder / "junit.xml").iter("testcase")
    }
    lines = FILES["bad.anonaudit.toml"].splitlines()
    for name, line in found.items():
        start = "[columns]" if name == "release" else name.partition("[")[0]
        assert lines[line - 1].startswith(start)


def test_released_identifiers(suite: SimpleNamespace) -> None:
    assert items(suite, "named") == {"release": "FAILED"}
    assert (
        "illness: an identifier is in the release" in suite.texts["named.anonaudit.toml::release"]
    )


def test_what_cannot_be_audited_fails_in_every_item(suite: SimpleNamespace) -> None:
    assert items(suite, "typo") == {"release": "FAILED", "k-anonymity[k=2]": "FAILED"}
    for name in items(suite, "typo"):
        told = suite.texts[f"typo.anonaudit.toml::{name}"]
        assert told.startswith("could not audit: ")
        assert "Did you mean 'age'?" in told


def test_undecided_is_no_pass(suite: SimpleNamespace) -> None:
    name = "linkage[allow-rate=0.05]"
    assert items(suite, "undecided") == {"release": "PASSED", name: "FAILED"}
    assert items(suite, "allowed") == {"release": "PASSED", name: "SKIPPED"}
    assert "nobody in the external table" in suite.texts[f"undecided.anonaudit.toml::{name}"]
    assert "undecided, as the policy allows" in suite.texts[f"allowed.anonaudit.toml::{name}"]


@pytest.mark.parametrize(
    ("stem", "message"),
    [
        ("wrong", "line 7, requires: there is no such key here. Did you mean 'require'?"),
        ("wrong", "the release has no column 'sexx'. Did you mean 'sex'?"),
        ("nameless", "names no release"),
        ("idle", "requires nothing"),
    ],
)
def test_a_policy_with_mistakes_is_one_item_that_fails(
    suite: SimpleNamespace, stem: str, message: str
) -> None:
    assert items(suite, stem) == {"policy": "FAILED"}
    assert message in suite.texts[f"{stem}.anonaudit.toml::policy"]


def test_one_audit_a_file(suite: SimpleNamespace) -> None:
    audits = [Path(line).name for line in suite.audits if line.endswith(".toml")]
    assert sorted(audits) == [
        f"{stem}.anonaudit.toml"
        for stem in ("allowed", "bad", "good", "named", "typo", "undecided")
    ]


def test_collecting_audits_nothing(tmp_path: Path) -> None:
    folder = written(
        tmp_path / "collect", "conftest.py", "release.csv", "nobody.csv", "good.anonaudit.toml"
    )
    (folder / "release.csv").write_bytes(b"\x00\xff no table at all")
    done = run_pytest(folder, "--collect-only", "-q")
    assert done.code == 0
    assert "good.anonaudit.toml::k-anonymity[k=2]" in done.out
    assert not (folder / "audits.log").exists()


def test_the_fixture(suite: SimpleNamespace) -> None:
    outcomes = {
        name.removeprefix("test_fixture::test_"): outcome
        for name, outcome in suite.outcomes.items()
        if name.startswith("test_fixture")
    }
    failed = {"fails", "wrong_frame", "wrong_policy", "idle_policy", "undecided"}
    assert {name for name, outcome in outcomes.items() if outcome == "failure"} == failed
    assert {name for name, outcome in outcomes.items() if outcome == "passed"} == {
        "audit", "holds", "holds_by_paths", "undecided_but_allowed", "errors_of_audit_are_its_own",
    }  # fmt: skip
    told = suite.texts["test_fixture::test_fails"]
    for line in ("k >= 3 required, 2 measured", "p >= 2 required, 1 measured", "60% measured"):
        assert line in told
    assert "Did you mean 'Age'?" in suite.texts["test_fixture::test_wrong_frame"]
    assert "no such key" in suite.texts["test_fixture::test_wrong_policy"]
    assert "requires nothing" in suite.texts["test_fixture::test_idle_policy"]


def test_starting_pytest_loads_no_engine(suite: SimpleNamespace) -> None:
    assert suite.loaded == ""


def test_importing_the_plugin_loads_no_engine() -> None:
    code = "import json, sys; import anonaudit.pytest_plugin; print(json.dumps([*sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert "anonaudit" in loaded
    assert not loaded & {
        "pandas", "numpy", "scipy", "duckdb", "mlxtend", "hypothesis", "matplotlib", "narwhals",
        "polars", "pyarrow", "typer", "rich", "jinja2", "attacks",
    }  # fmt: skip


@pytest.mark.long
def test_in_parallel(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    names = [
        "conftest.py",
        "release.csv",
        "nobody.csv",
        "good.anonaudit.toml",
        "bad.anonaudit.toml",
    ]
    done = run_pytest(written(tmp_path / "parallel", *names), "-p", "xdist", "-n", "2")
    assert list(done.outcomes.values()).count("failure") == 3
    assert list(done.outcomes.values()).count("passed") == 7


@pytest.mark.skipif(
    all(point.value != "anonaudit.pytest_plugin" for point in entry_points(group="pytest11")),
    reason="anonaudit is not installed, so pytest cannot find its entry point",
)
@pytest.mark.long
def test_found_by_its_entry_point_and_can_be_left_out(tmp_path: Path) -> None:
    folder = written(tmp_path / "installed", "release.csv", "nobody.csv", "good.anonaudit.toml")
    assert run_pytest(folder, autoload=True).outcomes
    (folder / "junit.xml").unlink()
    done = run_pytest(folder, "-p", "no:anonaudit", autoload=True)
    assert done.code == pytest.ExitCode.NO_TESTS_COLLECTED
