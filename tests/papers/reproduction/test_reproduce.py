"""`anonaudit reproduce`: what it writes, that it writes it again, and what it refuses."""

import errno
import hashlib
import json
import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from anonaudit.cli.app import app
from anonaudit.errors import InputError
from anonaudit.papers.claims import CLAIMS
from anonaudit.papers.claims.ledger import Verdict
from anonaudit.papers.reproduction import (
    EXPERIMENTS,
    TUNED,
    Results,
    altered,
    chosen,
    not_runnable,
    run,
    write_run,
)
from anonaudit.papers.reproduction.patients import ADULT, MA2019, VARIABLE, ma2019
from anonaudit.papers.reproduction.registry import QUASI, RECUR, SENSITIVE, registry

RUN = CliRunner()
AT_HAND = [experiment for experiment in EXPERIMENTS if experiment.missing() is None]
PAGE = Path(__file__).parents[3] / "docs/reproduction.md"


def numbers(folder, experiment):
    return Results(pd.read_csv(folder / experiment / "results.csv"))


def test_every_experiment_of_the_ledger_is_there():
    known = {claim.id for claim in CLAIMS if claim.verdict is Verdict.EXPERIMENT}
    assert {e.claim for e in EXPERIMENTS} == known
    assert len({e.id for e in EXPERIMENTS}) == len(EXPERIMENTS)


@pytest.mark.parametrize("experiment", AT_HAND, ids=lambda e: e.id)
def test_each_has_figures_numbers_and_sentences(made, experiment):
    folder, told = made
    place = folder / experiment.id
    assert sorted(p.name for p in place.iterdir()) == [
        "comparison.csv",
        "figure.png",
        "figure.svg",
        "report.md",
        "results.csv",
    ]
    assert (place / "figure.png").read_bytes().startswith(b"\x89PNG")
    figure = (place / "figure.svg").read_text()
    assert all(measure in figure for measure in experiment.measures)
    frame = numbers(folder, experiment.id).frame
    assert set(frame["measure"]) == set(experiment.measures)
    assert np.isfinite(frame["value"]).all()
    assert not frame.duplicated(["measure", "series", "x", "seed", "draw"]).any()
    compared = pd.read_csv(place / "comparison.csv")
    assert {float(x) for x in compared["paper"].dropna()} <= set(experiment.paper.values())
    for reading in experiment.read(numbers(folder, experiment.id)):
        assert f"  {reading}\n" in told
        assert f"- {reading}\n" in (place / "report.md").read_text()


def test_the_manifest_is_right_and_finds_what_was_changed(made, tmp_path):
    folder, _ = made
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["seeds"] == [0]
    assert manifest["quick"] is True
    for name, entry in manifest["files"].items():
        assert entry["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    timed = {name.partition("/")[0] for name, e in manifest["files"].items() if not e["repeatable"]}
    assert timed == {"MCT08-fig9", "GCG08-fig13", "GCG08-fig14", "README.md"}
    assert altered(folder) == []

    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    assert RUN.invoke(app, ["reproduce", "--check", str(copy)]).exit_code == 0
    (copy / "CT06-table4/results.csv").write_text("")
    (copy / "README.md").unlink()
    (copy / "more.txt").write_text("")
    found = RUN.invoke(app, ["reproduce", "--check", str(copy)])
    assert found.exit_code == 1
    assert altered(copy) == ["CT06-table4/results.csv", "README.md", "more.txt"]
    assert all(name in found.stdout for name in altered(copy))


def test_the_summary_is_what_the_run_said_and_of_a_run_that_was_not_changed(made, tmp_path):
    folder, told = made
    found = RUN.invoke(app, ["reproduce", "--summary", str(folder)])
    assert found.exit_code == 0
    assert (folder / "README.md").read_text().endswith(found.stdout)
    number = sum(len(e.read(numbers(folder, e.id))) for e in AT_HAND)
    assert found.stdout.count(" of ") >= number
    assert found.stdout.count("\n| ") == number + 1  # and the line of names
    tuned = [e.id for e in EXPERIMENTS if e.tuned]
    assert tuned == [
        "TV06-table8-apart",
        "CT06-table4-clusters",
        "MCT08-table1-lower",
        "MCT08-table2-lower",
        *(
            f"GCG08-{name}"
            for name in ("fig9", "fig10", "fig11", "fig12", "table1", "fig13", "fig14")
        ),
    ]
    assert found.stdout.endswith(f"{TUNED}\n")
    assert told.count(TUNED) == len(tuned)
    assert all(TUNED in (folder / name / "report.md").read_text() for name in tuned)
    assert TUNED not in (folder / "MCT08-fig8/report.md").read_text()

    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "CT06-table4/results.csv").write_text("")
    found = RUN.invoke(app, ["reproduce", "--summary", str(copy)])
    assert "make it again" in str(found.exception)


def test_the_page_has_each_statement_of_each_experiment(made):
    """The table of the page is written by --summary; a statement that was changed is missing."""
    page = PAGE.read_text(encoding="utf-8")
    for experiment in AT_HAND:
        for reading in experiment.read(numbers(made[0], experiment.id)):
            assert f"| {experiment.id} | {reading.says} | " in page
    assert TUNED in page
    assert "quick" not in page[page.index("## What agreed") :]


def test_the_same_seeds_give_the_same_bytes(made, tmp_path):
    folder, _ = made
    again = [e for e in chosen(tables=["table1", "table4"]) if e.repeatable and not e.missing()]
    assert len({e.key for e in again}) == 3
    write_run(lambda: run(again, [0], quick=True), again, tmp_path / "run", seeds=[0], quick=True)
    for experiment in again:
        for file in (tmp_path / "run" / experiment.id).iterdir():
            assert file.read_bytes() == (folder / experiment.id / file.name).read_bytes()


def test_other_seeds_give_other_numbers(made):
    experiment, _ = chosen("CT06")
    other = run([experiment], [1], quick=True)[experiment.id].frame
    here = numbers(made[0], experiment.id).frame
    assert other["value"].tolist() != here["value"].tolist()


@pytest.mark.parametrize(
    ("experiment", "says"),
    [
        ("TV06-table8", "Adult's gains and losses: k-anonymity discloses"),
        ("CT06-table4", "the fewer values an attribute has"),
        ("MCT08-table1", "violations grow with k (two)"),
        ("MCT08-table1", "GreedyCKA has no violations"),
        ("MCT08-table2", "nothing is suppressed with one"),
        ("MCT08-fig8", "more is lost than with one"),
        ("GCG08-fig9", "Exponential-L has a single group"),
        ("GCG08-fig11", "has more than one group"),
        ("GCG08-fig12", "from L_3 = 8 on"),
        ("GCG08-table1", "small answers have a larger error"),
    ],
)
def test_what_the_papers_say_and_we_find(made, experiment, says):
    (found,) = [e for e in EXPERIMENTS if e.id == experiment]
    readings = [r for r in found.read(numbers(made[0], experiment)) if says in r.says]
    assert readings
    assert readings[0].verdict == "agrees"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["TV60", "-o", "x"], "there is no paper 'TV60'. Did you mean 'TV06'"),
        (["Z07", "-o", "x"], "Z07 has no experiment"),
        (["MCT08", "-t", "fig10", "-o", "x"], "no experiment 'fig10' in MCT08"),
        (["MCT08"], "name the folder"),
        (["-o", "nowhere/x"], "make it first"),
        (["-o", "."], "already exists"),
        (["MCT08", "--check", "x"], "run nothing"),
        (["--check", "x", "--summary", "y"], "use one of them"),
        (["--check", "nowhere"], "readable manifest.json"),
        (["--summary", "nowhere"], "readable manifest.json"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(options, message, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    found = RUN.invoke(app, ["reproduce", *options])
    assert isinstance(found.exception, InputError)
    assert message in str(found.exception)


def test_an_interrupted_run_leaves_nothing(tmp_path):
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_run(interrupted, [], tmp_path / "run", seeds=[0], quick=True)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_filled_in_the_meantime_is_left_alone(tmp_path):
    def filled():
        (tmp_path / "run").mkdir()
        (tmp_path / "run/mine.txt").write_text("")
        return {}

    reason = os.strerror(errno.ENOTEMPTY).lower()
    with pytest.raises(InputError, match=rf"run: cannot be made \({reason}\); name another folder"):
        write_run(filled, [], tmp_path / "run", seeds=[0], quick=True)
    assert [path.name for path in tmp_path.rglob("*")] == ["run", "mine.txt"]


def test_every_run_can_be_handed_to_another_process():
    for experiment in EXPERIMENTS:
        again = pickle.loads(pickle.dumps(experiment.run))
        assert getattr(again, "func", again) is getattr(experiment.run, "func", experiment.run)


def test_tables_are_chosen_whatever_their_case():
    assert [e.id for e in chosen("gcg08", ["Table1-Adult", "FIG9-adult"])] == [
        "GCG08-fig9-adult",
        "GCG08-table1-adult",
    ]
    assert [e.id for e in chosen("MCT08", ["table1"])] == ["MCT08-table1", "MCT08-table1-lower"]
    assert chosen() == AT_HAND


def test_a_table_that_is_not_there():
    with pytest.raises(InputError, match=r"there is no experiment 'table7'\. "):
        chosen(tables=["table7"])
    with pytest.raises(InputError, match=r"there is no experiment 'table7' in MCT08\. "):
        chosen("mct08", ["table7"])


def test_a_table_is_run_with_its_other_readings_and_on_other_data(monkeypatch, tmp_path):
    """Without the NIST excerpt what needs it is left out, and said; by its name it is refused."""
    monkeypatch.delenv(VARIABLE, raising=False)
    found = [e.id for e in chosen("GCG08", ["fig9"])]
    assert found == ["GCG08-fig9", "GCG08-fig9-adult"]
    ((reason, ids),) = not_runnable().items()
    assert VARIABLE in reason
    assert ids == [f"GCG08-{n}-ma2019" for n in ("fig9", "fig10", "fig11", "fig12", "table1")]
    with pytest.raises(InputError, match=f"fig9-ma2019 cannot be run: .*{VARIABLE}"):
        chosen("GCG08", ["fig9-ma2019"])
    monkeypatch.setenv(VARIABLE, str(tmp_path / "no.csv"))
    assert "no.csv" in next(iter(not_runnable()))
    (tmp_path / "no.csv").write_text("AGEP\n1\n")
    assert not_runnable() == {}
    ma2019.cache_clear()
    with pytest.raises(InputError, match="SHA-256 differs"):
        ma2019()


def test_real_patients_have_what_the_experiments_ask_for(shared, monkeypatch):
    """Four quasi-identifiers; 10 values or more of each sensitive attribute; rows drawn once."""
    monkeypatch.setenv(VARIABLE, str(shared / "datasets/nist/ma2019.csv"))
    for patients, rows in ((ADULT, 32_561), (MA2019, 7634)):
        found = patients.rows(3, False)
        assert len(found) == rows * 3 // 4
        assert found.index.is_unique
        assert not found.index.equals(patients.rows(4, False).index)
        assert found.index.equals(patients.rows(3, False).index)
        assert len(patients.quasi) == 4
        assert min(found[name].nunique() for name in patients.sensitive) >= 10
        assert patients.few in patients.sensitive


def test_the_registry_has_the_form_of_the_papers_and_is_skewed():
    found = registry(0)
    assert list(found.columns) == [*QUASI, *SENSITIVE, RECUR]
    assert found.shape == (72_194, 12)
    assert found[RECUR].nunique() == 31
    assert found[RECUR].value_counts(normalize=True).iloc[0] > 0.5
    assert all(
        found[c].value_counts(normalize=True).iloc[0] > 0.01
        for c in SENSITIVE
        if c != "diagnose-date"
    )
    assert registry(0, 100).equals(registry(0, 100))
    assert not registry(0, 100).equals(registry(1, 100))
