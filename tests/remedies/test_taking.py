"""A remedy that is taken: the whole release, audited as it was written, or no file at all."""

import json
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import anonaudit
from anonaudit import cli, datasets
from anonaudit.errors import InputError
from anonaudit.findings import Demanded, Outcome, Remedies, Remedy, Step
from anonaudit.policy.policy import OriginalFile, parse_policy, read_policy
from anonaudit.remedies import NoRemedyError, TriedOut, remedies, search, take, taking

ADULT = datasets.path("adult/release.csv.gz"), datasets.path("adult/release.toml")
K2 = "columns.quasi-identifiers = ['a', 'b']\nrequire.k-anonymity = { k = 2 }\n"


def read(file, **options):
    return pd.read_csv(file, dtype=str, keep_default_na=False, **options)


def adult_for_two_columns(rows):
    """A part of Adult's release of which most columns have no part in the policy."""
    rules = (
        "columns = { quasi-identifiers = ['age', 'race'], sensitive = ['income'] }\n"
        f"hierarchies.age = {{ file = '{datasets.path('adult/hierarchies/age.csv').as_posix()}' }}\n"
        "require = { k-anonymity = { k = 20 }, p-sensitive-k-anonymity = { p = 2 } }\n"
    )
    return read(ADULT[0]).head(rows), parse_policy(rules)


def test_the_release_of_adult_that_comes_of_each_remedy():
    """Counted by pandas: k and p hold, and nothing but the quasi-identifiers was touched."""
    table, rules = adult_for_two_columns(1_000)
    assert table.groupby(["age", "race"]).size().min() < 20
    found = remedies(table, rules).tried
    assert {step.kind for remedy in found for step in remedy.steps} == {
        "suppress", "merge", "generalize",
    }  # fmt: skip
    for number, remedy in enumerate(found, 1):
        taken = take(table, rules, number)
        assert taken.remedy == remedy
        release, was = taken.release, table.loc[taken.rows]
        assert list(release.columns) == list(table.columns)
        assert release.to_numpy().tolist() == sorted(release.to_numpy().tolist())
        assert release.index.tolist() == [*range(len(release))]  # no row number is published
        assert sorted(taken.rows) != taken.rows.tolist()
        assert len(table) - len(release) == remedy.rows_suppressed
        others = ["marital-status", "sex", "occupation", "income", "capital-gain"]
        assert (release[others].to_numpy() == was[others].to_numpy()).all()
        changed = release[["age", "race"]].to_numpy() != was[["age", "race"]].to_numpy()
        assert changed.sum() == remedy.cells_changed
        groups = release.groupby(["age", "race"])
        assert groups.size().min() >= 20
        assert groups["income"].nunique().min() >= 2
        report = taken.audit()
        assert report.passed
        assert taken.differing(report) == []


def test_what_does_not_suffice_is_not_taken():
    """CT06 Table 1 (see test_remedies.py): suppressing and merging do, generalizing does not."""
    gender = datasets.path("CT06/hierarchies/gender.csv").as_posix()
    rules = parse_policy(
        "columns = { quasi-identifiers = ['age', 'gender'], sensitive = ['illness'] }\n"
        f"hierarchies.gender = {{ file = '{gender}' }}\n"
        "require.p-sensitive-k-anonymity = { p = 2 }\n"
    )
    table = datasets.path("CT06/table1.csv")
    tried = remedies(table, rules).tried
    taken = {tried[n - 1].steps[0].kind: take(table, rules, n) for n in (1, 2)}
    merged = taken["merge"].release["age"].tolist()
    assert sorted(merged) == ["30-40"] * 2 + ["[20,60]"] * 4
    with pytest.raises(NoRemedyError, match=r"^remedy 3 does not suffice: the release would") as no:
        take(table, rules, 3)
    assert no.value.requirements == ("p-sensitive-k-anonymity",)
    for number in (0, 4):
        with pytest.raises(InputError, match=rf"remedy {number} .* 3 remedies"):
            take(table, rules, number)


def test_what_a_remedy_leaves_undecided_is_named(monkeypatch):
    """Of three requirements one holds; the others are named if none is broken."""

    def outcomes(*found):
        names = ["k-anonymity", "linkage", "elimination"]
        asked = [
            Demanded("model", name, 2, 1, 1, was, was)
            for name, was in zip(names, found, strict=False)
        ]
        remedy = Remedy((Step("merge"),), tuple(asked), Outcome.INCONCLUSIVE, 0, 1, 0.1)
        monkeypatch.setattr(taking, "tried_out", lambda *_, **__: TriedOut(Remedies((remedy,))))
        with pytest.raises(NoRemedyError) as no:
            take(pd.DataFrame({"a": ["x"]}), parse_policy(K2))
        return str(no.value).split("suffice: ")[1], no.value.requirements

    holds, open_, skipped = Outcome.HOLDS, Outcome.INCONCLUSIVE, Outcome.SKIPPED
    undecided = ("linkage", "elimination")
    said = "the release would leave linkage, elimination undecided"
    assert outcomes(holds, open_, skipped) == (said, undecided)
    assert outcomes(Outcome.VIOLATED, open_, holds)[1] == ("k-anonymity",)
    assert outcomes() == ("the release would leave its policy undecided", ())


def test_rows_are_paired_with_those_left_of_an_original_in_the_same_order():
    original = pd.DataFrame({"a": ["1", "7", "2", "3"], "b": ["u"] * 4})
    release = original.assign(a=["[0,5)", "[5,9)", "[0,5)", "[0,5)"], more=["p", "q", "r", ""])
    rules = replace(
        parse_policy(f"{K2}require.valid-generalization = {{}}"),
        original=OriginalFile(original, align="order"),
    )
    tried = remedies(release, rules).tried
    number = next(n for n, r in enumerate(tried, 1) if r.steps[0].kind == "suppress")
    taken = take(release, rules, number)
    assert taken.release["more"].tolist() == [None, "p", "r"]
    assert taken.rows.tolist() == [3, 0, 2]
    report = taken.audit()
    assert [m.measured for m in report.models if m.model == "valid-generalization"] == [0]
    assert taken.differing(report) == []
    # The audit is not blind: a wrong cell, and a class of one row, are both told of.
    wrong = taken.release.assign(a=["[0,5)", "[0,5)", "[5,9)"])
    assert taken.differing(taken.audit(wrong)) == ["k-anonymity", "valid-generalization"]


def test_a_level_that_stays_may_break_its_requirement():
    """Two values in both classes before and after; but the class of two rows is one short of k."""
    table = pd.DataFrame({"a": list("xxxyy"), "s": list("12112")})
    rules = parse_policy(
        "columns = { quasi-identifiers = ['a'], sensitive = ['s'] }\n"
        "require.p-sensitive-k-anonymity = { p = 2, k = 3 }\n"
    )
    tried = remedies(table, rules).tried
    number = next(n for n, r in enumerate(tried, 1) if r.steps[0].kind == "suppress")
    taken = take(table, rules, number)
    assert [one.after for one in taken.remedy.requirements] == [2]
    assert taken.differing(taken.audit()) == []
    assert taken.differing(taken.audit(table)) == ["p-sensitive-k-anonymity"]


def test_a_column_may_be_called_like_an_argument():
    table = pd.DataFrame({"self": ["x", "x", "y"], "more": ["1", "2", "3"]})
    rules = parse_policy("columns.quasi-identifiers = ['self']\nrequire.k-anonymity = { k = 2 }\n")
    kinds = {take(table, rules, n).remedy.steps[0].kind: take(table, rules, n) for n in (1, 2)}
    assert kinds["merge"].release.to_numpy().tolist() == [["{x,y}", n] for n in "123"]


# --- the command


@pytest.fixture
def command(monkeypatch, capsys):
    """The command line, without a process of its own: exit code and what it says."""

    def run(*arguments, name="remedy"):
        monkeypatch.setattr(sys, "argv", ["anonaudit", name, *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        told = capsys.readouterr()
        return ended.value.code or 0, told.out, told.err

    return run


AWKWARD = ['say "hi"', "two\nlines", "a,b", "bare\rreturn", " blank ", "", "NA", "01", "*"]


@pytest.fixture
def place(tmp_path):
    """Nine rows; the last is alone. Columns without a part, one of them an identifier."""
    table = pd.DataFrame(
        {"note": AWKWARD, "a": ["x"] * 8 + ["y"], "who": list("abcdefghi"), "b": ["u"] * 9}
    )
    table.to_csv(tmp_path / "release.csv", index=False, quoting=1)
    (tmp_path / "policy.toml").write_text(f"columns.identifiers = ['who']\n{K2}")
    return tmp_path


def names(place):
    return sorted(path.name for path in place.iterdir())


def test_the_mended_release_is_written_whole(place, command):
    asked = (place / "release.csv", place / "policy.toml", "-o", place / "new.csv")
    code, out, err = command(*asked)
    assert code == 0
    assert out.startswith("HOLDS: ")
    assert "1 row in 1 class deleted. Then: k-anonymity 1 -> 8" in err
    assert names(place) == ["new.csv", "policy.toml", "release.csv"]
    new = read(place / "new.csv")
    assert list(new.columns) == ["note", "a", "b"]  # the identifier is left out
    assert new["note"].tolist() == sorted(AWKWARD[:-1])
    assert stat.S_IMODE((place / "new.csv").stat().st_mode) == 0o600
    assert anonaudit.audit(place / "new.csv", read_policy(place / "policy.toml")).passed
    # The other remedy keeps all rows, and a name may say that tabs are between the cells.
    code, _, err = command(*asked[:2], "--take", "2", "-o", place / "new.tsv")
    assert code == 0
    assert "2 classes with 9 rows merged by generalizing a" in err
    merged = read(place / "new.tsv", sep="\t")
    assert merged["a"].unique().tolist() == ["{x,y}"]
    assert merged["note"].tolist() == sorted(AWKWARD)


def test_a_policy_that_names_the_release_is_enough(place, command):
    text = (place / "policy.toml").read_text()
    (place / "release.csv").write_text("a;b\nx;u\nx;u\ny;u\n")
    text = f"release = {{ file = 'release.csv', delimiter = ';' }}\n{K2}"
    (place / "policy.toml").write_text(text)
    assert command(place / "policy.toml", "-o", place / "new.csv")[0] == 0
    assert (place / "new.csv").read_text() == "a;b\nx;u\nx;u\n"  # so the policy can read it
    code, _, err = command(place / "policy.toml", "-o", place / "release.csv")
    assert (code, "is read by this command" in err) == (2, True)
    code, _, err = command(place / "release.csv", "-o", place / "other.csv")
    assert (code, "no policy" in err) == (2, True)


@pytest.fixture
def original(place):
    """Where the nine rows come from, told apart by who they are of; and a policy that asks it."""
    table = read(place / "release.csv").drop(columns="note")
    table.assign(a=["u"] + ["x"] * 7 + ["y"]).to_csv(place / "original.csv", index=False)
    table.assign(a=["{u,x}"] + ["x"] * 7 + ["y"]).to_csv(place / "release.csv", index=False)
    (place / "policy.toml").write_text(f"{K2}require.valid-generalization = {{}}\n")
    return place / "original.csv"


@pytest.mark.parametrize("paired", [("--key", "who"), ("--align", "order")])
def test_remedies_told_with_an_original_are_taken_with_it(place, original, command, paired):
    """Two rows of nine are alone; after either remedy all cells may stand for those they hide."""
    read_too = (place / "release.csv", place / "policy.toml", "--original", original, *paired)
    code, out, _ = command(*read_too, "--remedies", "-f", "json", name="audit")
    assert code == 1
    tried = json.loads(out)["remedies"]["tried"]
    suffice = [n for n, remedy in enumerate(tried, 1) if remedy["outcome"] == "holds"]
    assert {tried[n - 1]["steps"][0]["kind"] for n in suffice} == {"merge", "suppress"}
    for number in suffice:
        new = place / f"new{number}.csv"
        code, out, err = command(*read_too, "--take", number, "-o", new)
        assert (code, out[:6]) == (0, "HOLDS:")
        assert "valid-generalization 0" in err
        gone = tried[number - 1]["rows_suppressed"]
        assert len(read(new)) == 9 - gone
        # The rows are sorted, so the next audit cannot pair by order: that is told.
        off = paired[0] == "--align"
        assert ("no longer pair with the original by order" in err) is off
        asked = (new, place / "policy.toml", "--original", original, *paired)
        assert command(*asked, name="audit")[0] == (1 if off and not gone else 2 if off else 0)
    code, _, err = command(*read_too, "-o", original)
    assert (code, "is read by this command" in err) == (2, True)


def test_a_table_to_link_with_is_named_as_for_an_audit(place, command):
    (place / "voters.csv").write_text("name,a,b\nAda,x,u\n")
    asked = (place / "release.csv", place / "policy.toml", "-o", place / "new.csv")
    linked = ("--external", place / "voters.csv", "--identity", "name")
    code, out, _ = command(*asked, *linked)
    assert (code, "Of the targets, 1 fit several rows" in " ".join(out.split())) == (0, True)
    assert "linkage" not in command(*asked)[1]
    for name, read_too in (("remedy", asked), ("audit", asked[:2])):
        code, _, err = command(*read_too, *linked[2:], name=name)
        assert (code, "name the table by --external" in err) == (2, True)


@pytest.mark.parametrize(
    ("change", "options", "code", "message"),
    [
        ("", ("-o", "release.csv"), 2, "is read by this command"),
        ("", ("-o", "policy.toml"), 2, "is read by this command"),
        ("", ("-o", "new.parquet"), 2, "the name does not end in .csv, .tsv, .tab or .txt."),
        ("", ("-o", "new.csv.gz"), 2, "the name does not end in .csv, .tsv, .tab or .txt."),
        ("", ("-o", "new.csv", "--take", "3"), 2, "there are 2 remedies"),
        ("k = 1", ("-o", "new.csv"), 1, "nothing was written: the release satisfies its policy"),
        (
            "k = 99",
            ("-o", "new.csv"),
            1,
            "nothing was written: no masking of these rows can satisfy the policy: k-anonymity out",
        ),
    ],
)
def test_nothing_is_written_without_a_remedy(place, command, change, options, code, message):
    policy = (place / "policy.toml").read_text()
    if change:
        policy = policy.replace("k = 2", change).replace("columns.identifiers = ['who']\n", "")
    (place / "policy.toml").write_text(policy)
    before = {path: path.read_bytes() for path in place.iterdir()}
    options = [place / word if "." in word else word for word in options]
    ended, out, err = command(place / "release.csv", place / "policy.toml", *options)
    assert (ended, out) == (code, "")
    assert message in err
    assert {path: path.read_bytes() for path in place.iterdir()} == before


def test_where_an_audit_decides_nothing_no_remedy_is_an_error(place, command, monkeypatch):
    """No row is in a class; or there are more rows than are tried: nobody knows what would mend."""
    asked = (place / "release.csv", place / "policy.toml", "-o", place / "new.csv")
    monkeypatch.setattr(search, "MOST_ROWS", 8)
    code, _, err = command(*asked)
    assert (code, "error: no remedy was tried: " in err, "more than 8 rows" in err) == (
        2,
        True,
        True,
    )
    (place / "policy.toml").write_text(K2)
    (place / "release.csv").write_text("a,b\n*,*\n*,*\n")
    assert command(*asked[:2], name="audit")[0] == 2
    code, _, err = command(*asked)
    assert (code, "error: no remedy was tried: no requirement is broken" in err) == (2, True)
    assert not (place / "new.csv").exists()


def test_formulas_are_refused_in_columns_without_a_part_too(place, command):
    table = read(place / "release.csv").assign(note="=1+1")
    table.to_csv(place / "release.csv", index=False)
    asked = (place / "release.csv", place / "policy.toml", "-o", place / "new.csv")
    code, _, err = command(*asked)
    assert (code, "column 'note' of the release: a spreadsheet would run 1" in err) == (2, True)
    assert not (place / "new.csv").exists()
    assert command(*asked, "--allow-formulas")[0] == 0
    assert set(read(place / "new.csv")["note"]) == {"=1+1"}


def test_what_the_audit_of_the_file_does_not_confirm_is_not_written(place, command, monkeypatch):
    """As if the rows had been deleted, and the file were that of the old release."""
    from anonaudit.cli import release as writing
    from anonaudit.remedies.taking import Remedied

    old = read(place / "release.csv").drop(columns="who").mask(lambda cells: cells == "", None)
    write = writing.write_csv
    monkeypatch.setattr(writing, "write_csv", lambda _, *how: write(old, *how))
    asked = (place / "release.csv", place / "policy.toml", "-o", place / "new.csv")
    code, _, err = command(*asked)  # cells differ
    assert (code, "CSV cannot hold the release" in err) == (2, True)
    monkeypatch.setattr(Remedied, "is_in", lambda *_: True)
    code, out, err = command(*asked)  # and so does the audit
    assert code == 1
    assert out.startswith("VIOLATED")
    assert "contradicts the remedy on k-anonymity" in err
    assert names(place) == ["policy.toml", "release.csv"]


@pytest.mark.long
def test_the_remedies_of_adult_that_the_page_on_reports_tells_of(tmp_path, command):
    """Counted by pandas: 299 rows go, and everybody left shares two incomes and two gains."""
    old = read(ADULT[0])
    assert command(*ADULT, "--take", "2", "-o", tmp_path / "new.csv")[0] == 0
    new = read(tmp_path / "new.csv")
    assert list(new.columns) == list(old.columns)
    assert len(old) - len(new) == 299
    groups = new.groupby(["age", "marital-status", "race", "sex"])
    assert groups.size().min() >= 3
    assert groups[["income", "capital-gain", "occupation"]].nunique().min().min() >= 2
    assert Path(tmp_path / "new.csv").read_bytes().count(b"\n") == len(new) + 1
