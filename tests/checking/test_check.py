"""`anonaudit check`: what it finds, what fails, and what a baseline lets pass.

The releases are written here by class: `table(3, 5)` is a class of three rows and one of five, so
its k is 3, and 3 of 8 rows are in a class of fewer than 5.
"""

import json
import os
from pathlib import Path
from xml.etree import ElementTree as ET

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anonaudit.checking import documents
from anonaudit.checking.baseline import Baseline, read_baseline, to_json
from anonaudit.checking.check_policies import CheckResult, CheckStatus, check_policies
from anonaudit.checking.policies import policies_in
from anonaudit.errors import InputError

POLICY = """\
[release]
{release}
[columns]
quasi-identifiers = ["age"]
sensitive = ["illness"]
[require]
l-diversity = {{ l = 1 }}
k-anonymity = [
  {{ k = 2 }},
  {{ k = 5 }},
]
"""
K5 = "k-anonymity[k=5]"


def table(*sizes: int) -> pa.Table:
    """Classes of these sizes, each with as many illnesses as rows."""
    ages = [f"{i}" for i, size in enumerate(sizes) for _ in range(size)]
    ills = [f"ill {j}" for size in sizes for j in range(size)]
    return pa.table({"age": ages, "illness": ills})


def day(folder: Path, date: str, *sizes: int) -> None:
    """A folder of two Parquet files, which are one release."""
    (folder / f"dt={date}").mkdir(parents=True)
    whole = table(*sizes)
    for i, part in enumerate((whole.slice(0, 2), whole.slice(2))):
        pq.write_table(part, folder / f"dt={date}" / f"part-{i}.parquet")


def csv(path: Path, *sizes: int) -> None:
    columns = table(*sizes).to_pydict()
    rows = zip(columns["age"], columns["illness"], strict=True)
    path.write_text("age,illness\n" + "".join(f"{a},{b}\n" for a, b in rows))


def policy(folder: Path, release: str, name: str = "p") -> Path:
    path = folder / f"{name}.anonaudit.toml"
    path.write_text(POLICY.format(release=release))
    return path


def statuses(found: CheckResult) -> dict[tuple[str, str], str]:
    return {(f.release, f.name): f.status.value for f in found.findings}


def failing(found: CheckResult) -> list[tuple[str, str, str]]:
    holds = (CheckStatus.HOLDS, CheckStatus.KNOWN)
    return [(f.release, f.name, f.status.value) for f in found.findings if f.status not in holds]


def written(found: CheckResult, file: Path) -> Baseline:
    file.write_text(to_json(found.violated))
    return read_baseline(file)


def test_a_folder_a_day(tmp_path: Path) -> None:
    """The nightly example: what was broken before is known, and the one regression fails."""
    daily, rules = tmp_path / "daily", policy(tmp_path, 'files = ["daily/dt=*"]')
    day(daily, "2026-11-01", 5, 6)
    day(daily, "2026-11-02", 3, 5)
    (daily / "dt=2026-11-02" / "of_it.anonaudit.toml").write_text("breaks = 'no folder'")
    first = check_policies([rules], folder=tmp_path)
    assert failing(first) == [("daily/dt=2026-11-02", K5, "violated")]
    known = written(first, tmp_path / "known.json")
    assert failing(check_policies([rules], baseline=known)) == []
    # The next nights: one that keeps the policy, and one that does not and is not known.
    day(daily, "2026-11-03", 7)
    assert failing(check_policies([rules], baseline=known)) == []
    day(daily, "2026-11-04", 3, 5)
    assert failing(check_policies([rules], baseline=known)) == [
        ("daily/dt=2026-11-04", K5, "violated")
    ]


@pytest.mark.parametrize(
    ("sizes", "worse"),
    [
        ((3, 5), ()),
        ((4, 8), ("number of rows that fall short 3 -> 4",)),  # a better k, and more rows
        ((3, 50), ()),  # the same k, a smaller share of rows
        ((2, 5), ("level 3 -> 2",)),  # and fewer rows
        (
            (3, 3, 5),
            ("rows that fall short 37.5% -> 54.5%", "number of rows that fall short 3 -> 6"),
        ),
        ((3, 3, 94), ("number of rows that fall short 3 -> 6",)),  # 6 of 100, not 3 of 8
    ],
)
def test_only_what_got_worse_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...], worse: tuple[str, ...]
) -> None:
    """One slot of the policy, another day in it: `${DATE}` is in the name of the release."""
    rules = policy(tmp_path, 'file = "dt=${DATE}"')
    day(tmp_path, "1", 3, 5)
    monkeypatch.setenv("DATE", "1")
    known = written(check_policies([rules], folder=tmp_path), tmp_path / "known.json")
    day(tmp_path, "2", *sizes)
    monkeypatch.setenv("DATE", "2")
    (found,) = [f for f in check_policies([rules], baseline=known).findings if f.name == K5]
    assert (found.status is CheckStatus.VIOLATED, found.release) == (worse != (), "dt=${DATE}")
    assert found.worse == worse


@pytest.mark.parametrize(
    ("rows", "alone", "worse"),
    [
        (100, 3, ()),
        (1000, 3, ()),
        (1000, 25, ("number of rows that fall short 3 -> 25",)),  # 2.5%, which was 3%
    ],
)
def test_more_people_are_worse_at_a_smaller_share(
    tmp_path: Path, rows: int, alone: int, worse: tuple[str, ...]
) -> None:
    """As many rows are alone as are said; all others are one class."""
    rules = policy(tmp_path, 'file = "a.csv"')
    csv(tmp_path / "a.csv", *[1] * 3, 97)
    known = written(check_policies([rules], folder=tmp_path), tmp_path / "known.json")
    csv(tmp_path / "a.csv", *[1] * alone, rows - alone)
    (found,) = [f for f in check_policies([rules], baseline=known).findings if f.name == K5]
    assert (found.status is CheckStatus.VIOLATED, found.worse) == (worse != (), worse)


@pytest.mark.parametrize(("persons", "worse"), [(4, False), (40, True)])
def test_more_disclosed_people_are_worse(tmp_path: Path, persons: int, worse: bool) -> None:
    """Half of the persons known are each alone in the release: 2 of 4, then 20 of 40."""
    ages = range(persons // 2)
    text = "[release]\nfile = 'a.csv'\n[columns]\nquasi-identifiers = ['age']\n[attacks]\n"
    rules = tmp_path / "p.anonaudit.toml"
    rules.write_text(
        text + "linkage = { external = 'e.csv', identity = ['name'], allow-rate = 0.1 }\n"
    )

    def write(ages: range) -> None:
        (tmp_path / "a.csv").write_text("age\n" + "".join(f"{age}\n" for age in ages))
        away = [f"m{age},{age + 1000}\n" for age in ages]
        there = [f"n{age},{age}\n" for age in ages]
        (tmp_path / "e.csv").write_text("name,age\n" + "".join(there + away))

    write(range(2))
    known = written(check_policies([rules], folder=tmp_path), tmp_path / "known.json")
    write(ages)
    found = next(f for f in check_policies([rules], baseline=known).findings if f.rule == "linkage")
    assert (
        found.status is CheckStatus.VIOLATED,
        "number of identified 2 -> 20" in found.worse,
    ) == (
        worse,
        worse,
    )


def test_what_is_required_already_is_not_advised(tmp_path: Path) -> None:
    """p = 2 is another requirement of the policy, so nobody is told to require it."""
    rules = policy(tmp_path, 'file = "r.csv"')
    more = "p-sensitive-k-anonymity = { p = 2 }\n[attacks.homogeneity]\nallow-rate = 0\n"
    rules.write_text(rules.read_text() + more)
    (tmp_path / "r.csv").write_text("age,illness\n" + "1,flu\n" * 5)
    said = {f.rule: f.said for f in check_policies([rules]).findings}
    assert "merge or suppress the classes" in said["homogeneity"]
    assert "p of 2 or more" not in said["homogeneity"]


def test_another_column_that_an_attack_discloses_is_worse(tmp_path: Path) -> None:
    """Two people's income was certain; then it is two people's illness, at the same rate."""
    rules = tmp_path / "p.anonaudit.toml"
    rules.write_text(
        "release.file = 'a.csv'\ncolumns = { quasi-identifiers = ['age'], sensitive = ['income', "
        "'illness'] }\nattacks.homogeneity.allow-rate = 0.0\n"
    )
    release = tmp_path / "a.csv"
    release.write_text("age,income,illness\n3,1,a\n3,1,b\n4,2,a\n4,3,b\n")
    known = written(check_policies([rules], folder=tmp_path), tmp_path / "known.json")
    assert failing(check_policies([rules], baseline=known)) == []
    release.write_text("age,income,illness\n3,1,a\n3,2,a\n4,2,a\n4,3,b\n")
    (found,) = [
        f for f in check_policies([rules], baseline=known).findings if f.rule == "homogeneity"
    ]
    assert found.worse == ("number disclosed of illness 0 -> 2",)


def test_a_column_that_begins_to_hold_identifiers_is_worse(tmp_path: Path) -> None:
    rules = tmp_path / "p.anonaudit.toml"
    rules.write_text(
        "release.file = 'a.csv'\ncolumns.quasi-identifiers = ['age']\n"
        "require.no-direct-identifiers = true\n"
    )

    def write(second: str) -> None:
        rows = "".join(f"3,a{i}@example.org,{second.format(i)}\n" for i in range(9))
        (tmp_path / "a.csv").write_text("age,mail,remark\n" + rows)

    write("word")
    known = written(check_policies([rules], folder=tmp_path), tmp_path / "known.json")
    write("b{}@example.org")
    (found,) = [f for f in check_policies([rules], baseline=known).findings if "direct" in f.rule]
    assert "level of remark not measured -> 9" in found.worse


def test_more_persons_alone_are_worse(tmp_path: Path) -> None:
    """Persons of two rows: 1 alone of 3, then 2 of 12; each other history is of 2 persons.

    Ann's rows are 1 and 2, and so are nobody else's, but Bob's and Cem's are 1 and 1.
    """
    rules = tmp_path / "p.anonaudit.toml"
    rules.write_text(
        "[release]\nfile = 'a.csv'\n[columns]\nquasi-identifiers = ['age']\nunit = 'who'\n"
        "[require]\nk-anonymity = { k = 9 }\n"
    )

    def write(*histories: tuple[int, int]) -> None:
        rows = [f"{i},{age}\n" for i, ages in enumerate(histories) for age in ages]
        (tmp_path / "a.csv").write_text("who,age\n" + "".join(rows))

    write((1, 2), (1, 1), (1, 1))
    known = written(check_policies([rules], folder=tmp_path), tmp_path / "known.json")
    assert failing(check_policies([rules], baseline=known)) == []
    write((1, 2), (2, 3), *[(1, 1)] * 10)
    (found,) = [
        f for f in check_policies([rules], baseline=known).findings if f.rule == "k-anonymity"
    ]
    assert "number of persons alone by history 1 -> 2" in found.worse


def test_a_baseline_is_of_what_the_policy_said(tmp_path: Path) -> None:
    csv(tmp_path / "a.csv", 3, 5)
    rules = policy(tmp_path, 'file = "a.csv"')
    known = written(check_policies([rules], folder=tmp_path), tmp_path / "known.json")
    rules.write_text("# a comment\r\n" + rules.read_text())
    again = check_policies([rules], baseline=known)
    assert (failing(again), again.changed) == ([], ())
    rules.write_text(rules.read_text().replace("l = 1", "l = 2"))
    changed = check_policies([rules], baseline=known)
    assert failing(changed) == [("a.csv", K5, "violated")]
    assert changed.changed == (str(rules),)


def test_what_is_undecided_is_never_known(tmp_path: Path) -> None:
    csv(tmp_path / "a.csv", 3, 5)
    rules = policy(tmp_path, 'file = "a.csv"')
    known = written(check_policies([rules], folder=tmp_path), tmp_path / "known.json")
    (tmp_path / "a.csv").write_text("age,illness\n")
    found = check_policies([rules], baseline=known)
    assert set(statuses(found).values()) == {"undecided"}
    assert check_policies([rules], folder=tmp_path).violated == {}  # so no baseline can have it
    (tmp_path / "a.csv").unlink()
    found = check_policies([rules], baseline=known)
    assert [(f.status, f.checks) for f in found.findings] == [(CheckStatus.ERROR, 4)]
    assert "4 error" in documents.summary(found)


def test_what_is_mended_is_said(tmp_path: Path) -> None:
    csv(tmp_path / "a.csv", 3, 5)
    rules = policy(tmp_path, 'file = "a.csv"')
    known = written(check_policies([rules], folder=tmp_path), tmp_path / "known.json")
    csv(tmp_path / "a.csv", 5, 5)
    found = check_policies([rules], baseline=known)
    assert (failing(found), found.gone) == ([], 1)
    assert "1 violation of the baseline no longer found" in documents.to_text(found)


def test_a_release_that_cannot_be_read_has_lost_no_violation(tmp_path: Path) -> None:
    """Both releases are known to be violated; one is lost, then the other is mended too."""
    for name in ("a.csv", "b.csv"):
        csv(tmp_path / name, 3, 5)
    rules = policy(tmp_path, 'files = ["a.csv", "b.csv"]')
    known = written(check_policies([rules], folder=tmp_path), tmp_path / "known.json")
    (tmp_path / "b.csv").unlink()
    assert check_policies([rules], baseline=known).gone == 0
    csv(tmp_path / "a.csv", 5, 5)
    assert check_policies([rules], baseline=known).gone == 1


def test_released_identifiers(tmp_path: Path) -> None:
    csv(tmp_path / "a.csv", 5)
    rules = tmp_path / "p.anonaudit.toml"
    text = 'release.file = "a.csv"\ncolumns.quasi-identifiers = ["illness"]\n'
    rules.write_text(text + 'columns.identifiers = ["age", "name"]\n')
    first = check_policies([rules], folder=tmp_path)
    assert [f.headline for f in first.findings] == ["1 identifier released"]
    known = written(first, tmp_path / "known.json")
    assert failing(check_policies([rules], baseline=known)) == []
    (tmp_path / "a.csv").write_text("age,name,illness\n1,Ann,flu\n")
    (found,) = check_policies([rules], baseline=known).findings
    assert (found.status, found.worse) == (
        CheckStatus.VIOLATED,
        ("1 more identifier(s) in the release",),
    )


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-20],
        lambda text: text.replace('"measured": 3', '"measured": "3"'),
        lambda text: text.replace('"measured": 3,', ""),
        lambda text: text.replace('"rows": 8', '"rows": null'),
        lambda _: "[]",
        lambda text: text.replace('"schema_version": "1"', '"schema_version": "2"'),
    ],
)
def test_a_damaged_baseline_is_refused(tmp_path: Path, damage) -> None:
    csv(tmp_path / "a.csv", 3, 5)
    found = check_policies([policy(tmp_path, 'file = "a.csv"')], folder=tmp_path)
    (tmp_path / "known.json").write_text(damage(to_json(found.violated)))
    with pytest.raises(InputError, match=r"known\.json: is "):
        read_baseline(tmp_path / "known.json")


def test_a_baseline_that_lacks_a_number_is_refused(tmp_path: Path) -> None:
    """What only a comparison needs is missed then, and named."""
    rules = policy(tmp_path, 'file = "r.csv"')
    rules.write_text(rules.read_text() + "[attacks.homogeneity]\nallow-rate = 0\n")
    (tmp_path / "r.csv").write_text("age,illness\n" + "1,flu\n" * 5)
    found = check_policies([rules], folder=tmp_path)
    broken = json.loads(to_json(found.violated))
    (entry,) = broken["policies"].values()
    (release,) = entry["releases"].values()
    (attack,) = (n for name, n in release["violated"].items() if "homogeneity" in name)
    del attack["per_attribute"]
    (tmp_path / "known.json").write_text(json.dumps(broken))
    with pytest.raises(InputError, match="homogeneity"):
        check_policies([rules], baseline=read_baseline(tmp_path / "known.json"))


def test_where_policies_are_looked_for(tmp_path: Path) -> None:
    places = ("a", "b/c", ".hidden", "node_modules/x", "env")
    for place in places:
        (tmp_path / place).mkdir(parents=True)
        policy(tmp_path / place, 'file = "r.csv"')
    (tmp_path / "env" / "pyvenv.cfg").touch()
    (tmp_path / "other.toml").touch()
    found = policies_in([tmp_path, tmp_path / "a", tmp_path / "other.toml"])
    shown = [path.relative_to(tmp_path).as_posix() for path in found]
    assert shown == ["a/p.anonaudit.toml", "b/c/p.anonaudit.toml", "other.toml"]
    for missing in ("nothing", "env/pyvenv.cfg/x"):
        with pytest.raises(InputError, match=f"{missing}: "):
            policies_in([tmp_path / missing])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no policy"):
        policies_in([tmp_path / "empty"])


@pytest.mark.parametrize(
    ("release", "said"),
    [
        ('files = ["nobody-*.csv"]', "nobody-*.csv: is not there"),
        ('file = "dt=${NOWHERE_SET}"', "the environment variable 'NOWHERE_SET' is not set"),
        ('file = "dt=${EMPTY}"', "the environment variable 'EMPTY' is not set or is empty"),
        ('file = "a.csv"\nfiles = ["a.csv"]', "exclude each other"),
        ("files = []", "at least 1"),
        ("", "names no release"),
    ],
)
def test_what_cannot_be_audited_is_no_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str, said: str
) -> None:
    monkeypatch.setenv("EMPTY", "")
    csv(tmp_path / "a.csv", 5)
    found = check_policies([policy(tmp_path, release), policy(tmp_path, 'file = "a.csv"', "good")])
    bad, *good = found.findings
    assert bad.status is CheckStatus.ERROR
    assert said in bad.said
    assert {f.status for f in good} == {CheckStatus.HOLDS}  # the others are checked


def test_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each points at the requirement that is broken: line 10 of the policy, the second use of k."""
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    csv(Path("sub/a.csv"), 3, 5)
    csv(Path("sub/b.csv"), 5, 5)
    rules = policy(Path("sub"), 'files = ["a.csv", "b.csv"]')
    assert rules.read_text().split("\n")[9] == "  { k = 5 },"
    found = check_policies(policies_in([Path()]))
    assert documents.summary(found) == "1 policy, 2 releases, 8 checks: 1 violated, 7 holds"
    assert f"VIOLATED a.csv, line 10, {K5}: k = 3 < 5\n" in documents.to_text(found)
    (run,) = json.loads(documents.to_sarif(found))["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], place["region"]) == ("k-anonymity", {"startLine": 10})
    assert place["artifactLocation"]["uri"] == "sub/p.anonaudit.toml"
    assert result["message"]["text"].startswith("a.csv: k = 3 < 5\n")
    (suite,) = ET.fromstring(documents.to_junit(found))
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["8", "1", "0", "0"]
    (failed,) = [case for case in suite if len(case)]
    assert (failed.get("classname"), failed.get("name"), failed.get("line")) == (
        "sub/p.anonaudit.toml::a.csv",
        K5,
        "10",
    )
    assert failed[0].get("message") == "k = 3 < 5"
    assert (
        "| violated | sub/p.anonaudit.toml, line 10 | a.csv | k-anonymity\\[k=5\\] | k = 3 &lt; 5 |"
        in documents.to_markdown(found)
    )
    for document in (
        documents.to_text,
        documents.to_sarif,
        documents.to_junit,
        documents.to_markdown,
    ):
        assert "ill 0" not in document(found)
        assert document(found) == document(check_policies(policies_in([Path()])))


def test_hostile_names_break_no_document(tmp_path: Path) -> None:
    folder = tmp_path / "a\x1b[31m|<b>&"
    folder.mkdir()
    csv(folder / "r.csv", 1)
    found = check_policies([policy(folder, 'file = "r.csv"')])
    assert "\x1b" not in documents.to_text(found) + documents.to_markdown(found)
    assert ET.fromstring(documents.to_junit(found)).tag == "testsuites"
    assert json.loads(documents.to_sarif(found))
    assert "<b>" not in documents.to_markdown(found)


def test_one_table_in_several_files_or_several_releases(tmp_path: Path) -> None:
    """`file` is one table, whatever it matches; `files` are as many as they match."""
    day(tmp_path, "1", 3)
    day(tmp_path, "2", 3)
    for release, expected in (
        ('file = "dt=*/*.parquet"', {"dt=*/*.parquet": "holds"}),  # 6 rows of one class
        ('files = ["dt=*"]', {"dt=1": "violated", "dt=2": "violated"}),
    ):
        found = check_policies([policy(tmp_path, release)])
        assert {f.release: f.status.value for f in found.findings if f.name == K5} == expected


def test_another_release_than_the_one_that_is_named(tmp_path: Path) -> None:
    csv(tmp_path / "a.csv", 5)
    csv(tmp_path / "b.csv", 1)
    rules = policy(tmp_path, 'file = "a.csv"')
    assert failing(check_policies([rules])) == []
    other = check_policies([rules], release=tmp_path / "b.csv")
    assert ("b.csv, in place of a.csv", K5, "violated") in failing(other)


def test_relative_policies_are_named_from_the_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A baseline written in one folder is read from any other."""
    (tmp_path / "sub").mkdir()
    csv(tmp_path / "sub" / "a.csv", 3)
    policy(tmp_path / "sub", 'file = "a.csv"')
    monkeypatch.chdir(tmp_path)
    written(check_policies(policies_in([Path()]), folder=Path()), Path("known.json"))
    monkeypatch.chdir(tmp_path / "sub")
    known = read_baseline(Path(os.pardir, "known.json"))
    assert failing(check_policies(policies_in([Path()]), baseline=known)) == []
