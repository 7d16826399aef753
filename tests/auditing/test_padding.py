"""Empty records change nothing that is measured, in whatever table they stand, and are told of.

Numbers by hand; the law compares with the same tables without the empty records.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import Command
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.findings import AuditReport, Outcome
from anonaudit.masking.maskers import mask
from anonaudit.matrix import matrix
from anonaudit.policy.policy import AttackRequest, OriginalFile, PeopleFile, Policy, parse_policy
from anonaudit.proposal import propose
from anonaudit.remedies import remedies, take
from anonaudit.report import to_json, to_text
from anonaudit.source import TableFile

COLUMNS = "columns = { quasi-identifiers = ['age', 'sex'], sensitive = ['dx'] }\n"
NAMED = COLUMNS.replace("{", "{ identifiers = ['name'],")
PEOPLE = [("30", "F", "flu"), ("31", "M", "gout")]
EMPTY = ("", None, float("nan"))


@pytest.fixture(scope="module")
def command() -> Iterator[Command]:
    started = Command()
    yield started
    started.close()


def frame(*rows: tuple[object, ...], columns: str = "age sex dx") -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns.split(), dtype=object)


def padded(table: pd.DataFrame, *places: int) -> pd.DataFrame:
    """The table with an empty record before each of these rows; at its end for its length."""
    rows = [*table.itertuples(index=False, name=None)]
    for place in sorted(places, reverse=True):
        rows.insert(place, (EMPTY * len(table.columns))[: len(table.columns)])
    return pd.DataFrame(rows, columns=table.columns, dtype=object)


def attacked(name: str, voters: pd.DataFrame, second: TableFile | None = None) -> Policy:
    """A policy that allows an attack nobody."""
    external = PeopleFile(voters, identity=("name",))
    request = AttackRequest(name, external=external, second=second, allowed=0.0)
    return replace(parse_policy(COLUMNS), attacks=(request,))


def told(report: AuditReport) -> list[str]:
    return [notice.message for notice in report.warnings if notice.code == "empty-records"]


def test_an_empty_record_is_nobody_who_may_be_anybody() -> None:
    """Two people, each the only one of age and sex: both are found (DataBasic#176)."""
    voters = frame(("P1", "30", "F"), ("P2", "31", "M"), columns="name age sex")
    report = anonaudit.audit(padded(frame(*PEOPLE), 2), attacked("linkage", voters))
    linkage = report.attacks[0]
    assert (linkage.targets, linkage.identified, linkage.disclosed) == (2, 2, 2)
    assert (report.outcome, report.release.rows) == (Outcome.VIOLATED, 2)
    assert told(report) == ["left out 1 record(s) without a value in any column"]
    assert "left out 1 record without a value" in to_text(report)


def test_the_files_of_the_case(command: Command, tmp_path: Path) -> None:
    """A line of commas below the table; the command ends with 1."""
    (tmp_path / "pad1.csv").write_text("age,sex,dx\n30,F,flu\n31,M,gout\n,,\n")
    (tmp_path / "pp.csv").write_text("name,age,sex\nP1,30,F\nP2,31,M\n,,\n")
    (tmp_path / "pad.toml").write_text(
        COLUMNS + "attacks.linkage = { external = 'pp.csv', identity = ['name'], allow-rate = 0.0 }"
    )
    ended = command(tmp_path, "audit", "pad1.csv", "pad.toml")
    assert ended.code == 1
    assert "empty-records: left out 1 record without a value in any column" in ended.out
    assert "pp.csv: left out 1 record without" in ended.out.replace("\n   ", "")


@pytest.mark.parametrize(
    ("rules", "level"),
    [
        # One class of two, with one value: a rate of 1; two empty records would make it a half.
        ("attacks.homogeneity.allow-rate = 0.5", None),
        ("require.k-anonymity = { k = 2 }", 2),  # an empty record would be a class of one
        ("require.sample-uniques = { share = 0.0 }", 0),
        ("require.t-closeness = { t = 0.0 }", 0),
    ],
)
def test_levels_and_rates_are_those_of_people(rules: str, level: float | None) -> None:
    table = frame(("30", "F", "flu"), ("30", "F", "flu"))
    policy = parse_policy(COLUMNS + rules)
    report = anonaudit.audit(padded(table, 0, 1, 1, 2), policy)
    assert (report.release.rows, report.release.classes) == (2, 1)
    assert told(report) == ["left out 4 record(s) without a value in any column"]
    if level is None:
        assert (report.attacks[0].targets, report.attacks[0].disclosed) == (2, 2)
        assert report.outcome is Outcome.VIOLATED
    else:
        assert (report.models[0].measured, report.outcome) == (level, Outcome.HOLDS)


def test_who_has_a_value_elsewhere_is_a_person() -> None:
    """Nothing is known of Ann's age, sex and illness, but a row was written for her."""
    rows = [("Ann", None, "", None), ("Bob", "30", "F", "flu"), (None, None, "", None)]
    table = frame(*rows, columns="name age sex dx")
    report = anonaudit.audit(table, quasi_identifiers=["age", "sex"], sensitive=["dx"])
    assert (report.release.rows, report.release.classes) == (2, 2)
    assert told(report) == ["left out 1 record(s) without a value in any column"]


def test_rows_are_given_by_their_place_in_the_file(tmp_path: Path) -> None:
    """Data rows 1 and 3 are empty, so the smallest class is row 5."""
    path = tmp_path / "r.csv"
    path.write_text("age,sex,dx\n,,\n30,F,flu\n,,\n30,F,gout\n31,M,flu\n")
    report = anonaudit.audit(path, quasi_identifiers=["age", "sex"], sensitive=["dx"])
    witness = report.models[0].witness
    assert witness is not None
    assert (witness.rows, witness.positions) == (1, (5,))


def test_persons_are_counted_without_empty_records() -> None:
    """A record without a unit is refused, but not an empty one."""
    table = frame(("30", "F", "flu", "p1"), ("30", "F", "gout", "p1"), columns="age sex dx id")
    report = anonaudit.audit(
        padded(table, 1), quasi_identifiers=["age", "sex"], sensitive=["dx"], unit="id"
    )
    assert (report.release.rows, report.release.persons) == (2, 1)


def test_a_population_and_a_second_release() -> None:
    """k-map: two people of the population fit each class, and nobody is an empty record."""
    people = frame(("30", "F"), ("30", "F"), ("31", "M"), ("31", "M"), columns="age sex")
    rules = replace(
        parse_policy(
            f"{COLUMNS}require.k-map = {{ k = 2 }}\nrequire.marketer-risk = {{ average = 0.5 }}"
        ),
        population=PeopleFile(padded(people, 0, 4)),
    )
    report = anonaudit.audit(frame(*PEOPLE), rules)
    assert [model.measured for model in report.models[:2]] == [2, 0.5]
    assert told(report) == ["table in memory: left out 2 record(s) without a value in any column"]


def composed(second: pd.DataFrame) -> AuditReport:
    """P1 is one of two in each release: flu or gout in one, flu or hiv in the other."""
    voters = frame(("P1", "30", "F"), columns="name age sex")
    rules = attacked("composition", voters, TableFile(second))
    return anonaudit.audit(frame(("30", "F", "flu"), ("30", "F", "gout")), rules)


def test_an_empty_record_of_a_second_release_leaves_no_set_open() -> None:
    second = frame(("30", "F", "flu"), ("30", "F", "hiv"))
    for table in (second, padded(second, 0, 2)):
        attack = composed(table).attacks[0]
        assert (attack.targets, attack.disclosed) == (1, 1)
    assert len(told(composed(padded(second, 0, 2)))) == 1


ORIGINAL = frame(("30", "F", "flu"), ("30", "M", "gout"), ("31", "F", "hiv"))
RELEASED = frame(("3*", "F", "flu"), ("3*", "M", "gout"), ("3*", "F", "hiv"))


@pytest.mark.parametrize("pairing", [{"align": "order"}, {"key": "id"}, {}])
@pytest.mark.parametrize(("ours", "theirs"), [((), (1,)), ((0, 2), (3,)), ((1, 3), ())])
def test_rows_are_paired_with_those_that_are_left(
    pairing: dict[str, str], ours: tuple[int, ...], theirs: tuple[int, ...]
) -> None:
    """The second record of one is the second of the other, however many empty ones are before."""
    names = {"id": list("xyz")}
    original, released = ORIGINAL.assign(**names), RELEASED.assign(**names)
    rules = parse_policy(f"{COLUMNS}require.valid-generalization = {{}}")
    rules = rules.paired_with(padded(original, *ours), **pairing)
    report = anonaudit.audit(padded(released, *theirs), rules)
    model = report.models[0]
    assert (model.measured, model.outcome) == (0, Outcome.HOLDS)
    assert (model.details["rows compared"], model.details["rows missing"]) == (3, 0)
    assert len(told(report)) == bool(ours) + bool(theirs)


def test_a_file_in_the_same_order_is_linked() -> None:
    """Eight people; empty records stand at other places in the two files."""
    people = frame(*[(f"P{i}", str(i), "F") for i in range(8)], columns="name age sex")
    release = frame(*[(str(i), "F", "dx"[i % 2]) for i in range(8)])
    rules = attacked("unsorted-matching", padded(people, 0, 5))
    attack = anonaudit.audit(padded(release, 3), rules).attacks[0]
    assert (attack.targets, attack.identified, attack.outcome) == (8, 8, Outcome.VIOLATED)


# --- masking, remedies, the matrix, a proposal

TO_MASK = frame(("21", "F", "flu"), ("22", "F", "gout"), ("41", "M", "flu"), ("42", "M", "hiv"))
MASKED = parse_policy(
    f"{COLUMNS}hierarchies.age = {{ intervals = [10] }}\nrequire.k-anonymity = {{ k = 2 }}"
)


@pytest.mark.parametrize("algorithm", ["mondrian", "k-member"])
def test_nobody_is_masked_for_an_empty_record(algorithm: str) -> None:
    """Two women in their twenties, two men in their forties, and nobody else."""
    found = mask(padded(TO_MASK, 0, 4), MASKED, algorithm=algorithm)
    assert sorted(found.release["sex"]) == ["F", "F", "M", "M"]
    assert found.release.groupby(["age", "sex"]).size().tolist() == [2, 2]
    assert "left out 2 record(s) without a value in any column" in found.notes
    assert found.audit().outcome is Outcome.HOLDS


def test_the_table_of_the_case_is_masked_by_the_command(command: Command, tmp_path: Path) -> None:
    (tmp_path / "s1.csv").write_text("age,sex,dx\n21,F,flu\n22,F,gout\n41,M,flu\n42,M,hiv\n,,\n")
    (tmp_path / "sx.csv").write_text("F;*\nM;*\n")
    (tmp_path / "s.toml").write_text(
        f"{COLUMNS}hierarchies.age = {{ intervals = [10] }}\nhierarchies.sex.file = 'sx.csv'\n"
        "require.k-anonymity = { k = 2 }"
    )
    given = ("mask", "s1.csv", "s.toml", "--algorithm", "full-domain", "-o", "out.csv")
    ended = command(tmp_path, *given)
    assert ended.code == 0
    assert "left out 1 record(s) without a value in any column" in ended.err
    rows = (tmp_path / "out.csv").read_text().splitlines()[1:]
    keys = sorted(row.rpartition(",")[0] for row in rows)
    assert keys == ['"[20,30)",F'] * 2 + ['"[40,50)",M'] * 2


def test_a_person_of_whom_nothing_would_be_released_is_left_out() -> None:
    """Two people have a name only. As `,,` nobody could tell their rows from padding."""
    table = TO_MASK.assign(name=list("abcd"))
    nameless = frame(("", None, None, "e"), (None, "", None, "f"), columns="age sex dx name")
    found = mask(pd.concat([table, nameless]), MASKED, algorithm="mondrian")
    assert len(found.recoding.data) == 6
    assert sorted(found.release["sex"]) == ["F", "F", "M", "M"]
    assert len(found.ground) == 4
    assert [n for n in found.notes if n.startswith("left out") and n.endswith("2 row(s)")]


@pytest.mark.parametrize("bounded", [False, True])
def test_masked_rows_stay_paired_with_their_originals(bounded: bool) -> None:
    """Boundaries are checked row by row, where an original had no value in any released column."""
    limits = "hierarchies.age = { intervals = [10, 100], max-generalization = ['[0,100)'] }\n"
    rules = parse_policy(f"{COLUMNS}{limits if bounded else ''}require.k-anonymity = {{ k = 3 }}")
    table = frame(*[("21", "F", "flu")] * 2, *[(None, None, None)] * 1).assign(name=list("abc"))
    found = mask(table, rules, algorithm="mondrian")
    assert len(found.release) == 3
    assert found.audit().release.rows == 3


def test_remedies_are_those_of_the_people() -> None:
    """Row 3 of four falls short of k = 2; an empty record is neither at fault nor kept."""
    table = frame(("30", "F", "flu"), ("30", "F", "gout"), ("40", "M", "flu"), ("30", "F", "hiv"))
    rules = parse_policy(f"{COLUMNS}require.k-anonymity = {{ k = 2 }}")
    plain, found = (remedies(one, rules).tried for one in (table, padded(table, 0, 3)))
    assert found == plain
    number = next(i for i, one in enumerate(found, 1) if one.steps[0].kind == "suppress")
    taken = take(padded(table, 0, 3), rules, number)
    assert taken.release.to_numpy().tolist() == table.drop(index=2).to_numpy().tolist()
    assert taken.audit().passed


def test_remedies_count_who_has_a_value_in_a_column_without_a_part() -> None:
    """Two such people are a class of two, in a release of which remedies know three columns."""
    table = frame(("30", "F", "flu"), (None,) * 3, (None,) * 3).assign(name=list("abc"))
    rules = parse_policy(f"{COLUMNS}require.k-anonymity = {{ k = 2 }}")
    assert anonaudit.audit(table, rules).release.rows == 3
    taken = take(table, rules, 1)
    assert taken.differing(taken.audit()) == []


def test_who_had_an_identifier_only_is_left_out_with_it() -> None:
    table = frame(("30", "F", "flu"), ("30", "F", "flu"), (None,) * 3).assign(name=list("abc"))
    rules = parse_policy(f"{NAMED}")
    taken = take(table, rules, 1)
    assert taken.release.to_numpy().tolist() == [["30", "F", "flu"]] * 2
    assert taken.audit().release.rows == 2


def test_remedies_beside_an_original_in_the_same_order() -> None:
    rules = parse_policy(f"{COLUMNS}require.k-anonymity = {{ k = 2 }}")
    rules = replace(rules, original=OriginalFile(padded(ORIGINAL, 1), align="order"))
    taken = take(padded(ORIGINAL, 0, 2), rules, 1)
    report = taken.audit()
    assert report.passed
    assert taken.differing(report) == []


def test_remedies_beside_an_original_of_whom_only_a_name_is_known() -> None:
    """Row 3 has no age, sex and illness, there and here, and is paired with itself."""
    table = frame(("30", "F", "flu"), ("30", "F", "flu"), (None,) * 3, ("31", "M", "flu"))
    table = table.assign(name=list("abcd"))
    rules = parse_policy(f"{COLUMNS}require.k-anonymity = {{ k = 2 }}")
    rules = replace(rules, original=OriginalFile(table, align="order"))
    found = remedies(table, rules).tried
    assert found
    taken = take(table, rules, 1)
    assert taken.differing(taken.audit()) == []


def test_the_matrix_attacks_people() -> None:
    rng = np.random.default_rng(0)
    rows = [(str(age), "FM"[age % 2], rng.choice(["flu", "hiv"])) for age in range(20, 50)]
    rules = parse_policy(f"{COLUMNS}require.k-anonymity = {{ k = 3 }}")
    names = ["linkage", "unsorted-matching"]
    plain, found = (
        matrix(one, rules, algorithms=["mondrian"], only=names)
        for one in (frame(*rows), padded(frame(*rows), 0, 7, 30))
    )
    assert (found.persons, found.rows) == (30, plain.rows)
    assert [cell.exposed for cell in found.rows[0].cells] == [30, 30]


def test_the_matrix_attacks_who_has_no_value_in_a_released_column() -> None:
    """All thirty-one are there, unmasked, and in the order of the people."""
    rows = [(str(age), "FM"[age % 2], "flu") for age in range(20, 50)]
    table = frame(*rows, (None,) * 3).assign(name=[f"P{i}" for i in range(31)])
    rules = parse_policy(f"{NAMED}\nrequire.k-anonymity = {{ k = 3 }}")
    found = matrix(table, rules, algorithms=["mondrian"], only=["unsorted-matching"])
    assert (found.persons, found.rows[0].released) == (31, 31)
    assert found.rows[0].cells[0].exposed == 31


@pytest.mark.parametrize("name", ["init", "feasible", "matrix"])
def test_every_command_tells_of_it(command: Command, tmp_path: Path, name: str) -> None:
    (tmp_path / "p.toml").write_text(f"{COLUMNS}require.k-anonymity = {{ k = 2 }}")
    (tmp_path / "r.csv").write_text("age,sex,dx\n30,F,flu\n30,F,gout\n,,\n")
    more = [] if name == "init" else ["p.toml"]
    ended = command(tmp_path, name, "r.csv", *more)
    assert ended.code == 0
    assert "r.csv: left out 1 record(s) without a value in any column" in ended.err


def test_a_proposal_counts_people() -> None:
    """A number for each of thirty people is an identifier, whatever stands below the table."""
    table = frame(*[(f"id{i}", "FM"[i % 2]) for i in range(30)], columns="pin sex")
    plain, found = (propose(one) for one in (table, padded(table, 30, 30, 30)))
    assert found == plain
    assert (found.rows, found.columns[0].part) == (30, "identifier")


cells = st.sampled_from(["*", "a", "b", "?", "", None])


@given(
    st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=12).filter(
        lambda rows: any(any(row) for row in rows)
    ),
    st.integers(0, 2**32),
    st.sampled_from(["own-category", "wildcard", "drop-rows"]),
)
def test_padding_anywhere_changes_nothing(
    rows: list[tuple[object, ...]], seed: int, rule: str
) -> None:
    """The report of the rows that have a cell, but for the warning and the places of rows."""
    table = frame(*[row for row in rows if any(row)])
    rules = parse_policy(
        f"{COLUMNS}values.missing = ['?']\nconventions.quasi-identifiers = '{rule}'\n"
        "require.k-anonymity = { k = 2 }\nattacks.elimination = { values = 1, allow-rate = 0.2 }"
    )
    rng = random.Random(seed)
    places = [rng.randrange(len(table) + 1) for _ in range(rng.randrange(1, 4))]
    plain, found = (anonaudit.audit(one, rules) for one in (table, padded(table, *places)))
    assert told(found) == [f"left out {len(places)} record(s) without a value in any column"]
    assert _plain(found) == _plain(plain)


def _plain(report: AuditReport) -> str:
    models, attacks = (
        tuple(
            one if one.witness is None else replace(one, witness=replace(one.witness, positions=()))
            for one in found
        )
        for found in (report.models, report.attacks)
    )
    warnings = tuple(one for one in report.warnings if one.code != "empty-records")
    return to_json(replace(report, models=models, attacks=attacks, warnings=warnings))
