"""One value, spelled in two ways: in one column, in two tables, in the names of identifiers.

Expected numbers are counted by hand. T2-NN: a line of turn2.jsonl of the shared cases.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import anonaudit
from anonaudit.findings import AuditReport, Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.maskers import mask
from anonaudit.policy.policy import (
    AttackRequest,
    HierarchySpec,
    OriginalFile,
    PeopleFile,
    Policy,
    parse_policy,
)
from anonaudit.remedies import remedies
from anonaudit.report import render
from anonaudit.source.table import TableFile

Columns = Mapping[str, Sequence[str]]
CODE = "near-duplicate-labels"
NORMALIZE = 'values.normalize = ["whitespace", "case", "unicode", "intervals"]'
# T2-29: Bergen and Skien are spelled otherwise than in the table of people.
RELEASE: Columns = {
    "city": ["Oslo", "BERGEN", "Skien "],
    "sex": ["F", "M", "F"],
    "dx": ["flu", "gout", "hiv"],
}
PEOPLE: Columns = {"name": ["P1", "P2", "P3"], "city": ["Oslo", "Bergen", "Skien"], "sex": [*"FMF"]}
ROLES = "columns = { quasi-identifiers = ['city', 'sex'], sensitive = ['dx'] }\n"


def frame(columns: Columns) -> pd.DataFrame:
    return pd.DataFrame(columns, dtype=object)


def linkage(people: Columns = PEOPLE, **more: Any) -> AttackRequest:
    external = PeopleFile(frame(people), identity=("name",))
    return AttackRequest("linkage", external=external, allowed=0.5, **more)


def policy(text: str = "", **more: Any) -> Policy:
    return replace(parse_policy(ROLES + text), **more)


def audit(release: Columns, rules: Policy) -> AuditReport:
    return anonaudit.audit(frame(release), rules)


def warned(report: AuditReport, code: str = CODE) -> list[str | None]:
    return [notice.column for notice in report.warnings if notice.code == code]


@pytest.mark.parametrize(
    ("theirs", "undecided"),
    [
        (["Oslo", "Bergen", "Skien"], 2),
        (["Oslo", "BERGEN", "Skien"], 1),
        (["Oslo", "Bergen\u200f", "Skien\u00ad"], 2),
        (["\ufe0fOslo", "ber\u200dgen", "SKIEN"], 3),
        (["Oslo", "BERGEN", "Skien "], 0),
    ],
)
def test_people_spelled_otherwise_are_undecided(theirs: list[str], undecided: int) -> None:
    found = audit(RELEASE, policy(attacks=(linkage({**PEOPLE, "city": theirs}),)))
    attack = next(a for a in found.attacks if a.attack == "linkage")
    assert (attack.identified, attack.undecided) == (3 - undecided, undecided)
    assert warned(found) == ["city"] * (undecided > 0)
    # More than half of three persons are exposed, or may be, or both.
    assert attack.outcome is (Outcome.VIOLATED if undecided < 2 else Outcome.INCONCLUSIVE)
    if undecided:
        assert str(attack.reason).startswith(
            f"{undecided} label(s) of city differ only in spelling"
        )
        message = next(n.message for n in found.warnings if n.code == CODE)
        assert message.startswith(f"{undecided} group")


@pytest.mark.parametrize("cell", ["BERGEN", "Bergen", "Skien"])
def test_no_cell_is_shown_unasked(cell: str) -> None:
    found = audit(RELEASE, policy(attacks=(linkage(),)))
    for form in ("text", "json", "html", "markdown", "sarif"):
        assert cell not in render(found, form)


def test_normalize_makes_them_equal_and_plain_keeps_them_apart() -> None:
    equal = audit(RELEASE, policy(NORMALIZE, attacks=(linkage(),)))
    attack = next(a for a in equal.attacks if a.attack == "linkage")
    assert (attack.identified, attack.undecided, warned(equal)) == (3, 0, [])
    apart = audit(RELEASE, policy('values.reading.city = "plain"', attacks=(linkage(),)))
    attack = next(a for a in apart.attacks if a.attack == "linkage")
    assert (attack.identified, attack.undecided) == (1, 0)
    assert warned(apart) == ["city"]


def test_two_spellings_that_both_tables_have_are_two_values() -> None:
    release = {**RELEASE, "city": ["a", "A", "b"]}
    found = audit(release, policy(attacks=(linkage({**PEOPLE, "city": ["a", "A", "b"]}),)))
    attack = next(a for a in found.attacks if a.attack == "linkage")
    assert (attack.identified, attack.undecided) == (3, 0)
    assert [n.message for n in found.warnings if n.code == CODE and "external" in n.message] == []


@pytest.mark.parametrize(
    ("released", "known"),
    [("{Oslo,BERGEN}", "Bergen"), ("I201", "I20.1"), ("i20.1", "I201"), ("{I201,I25}", "I20.1")],
)
def test_sets_and_codes(released: str, known: str) -> None:
    release = {"city": [released, "x"], "sex": ["F", "F"], "dx": ["flu", "gout"]}
    people = {"name": ["P1", "P2"], "city": [known, "x"], "sex": ["F", "F"]}
    found = audit(release, policy(attacks=(linkage(people),)))
    attack = next(a for a in found.attacks if a.attack == "linkage")
    assert (attack.identified, attack.undecided) == (1, 1)


def test_a_hierarchy_that_has_both_spellings_decides() -> None:
    rules = policy(attacks=(linkage(),))
    rows = [[c, "Norway"] for c in ("Oslo", "BERGEN", "Bergen", "Skien ", "Skien")]
    spec = HierarchySpec("city", tree=Hierarchy.from_levels("city", rows))
    found = audit(RELEASE, replace(rules, hierarchies={"city": spec}))
    attack = next(a for a in found.attacks if a.attack == "linkage")
    assert (attack.identified, attack.undecided) == (1, 0)


def test_the_population() -> None:
    """Two of the three persons of the population may be the one in each of their classes."""
    rules = policy("require.k-map = { k = 1 }", population=PeopleFile(frame(PEOPLE)))
    found = audit(RELEASE, rules)
    model = next(m for m in found.models if m.model == "k-map")
    assert model.outcome is Outcome.INCONCLUSIVE
    assert warned(found) == ["city"]
    decided = audit(RELEASE, replace(rules, normalize=("whitespace", "case")))
    model = next(m for m in decided.models if m.model == "k-map")
    assert (model.outcome, model.measured) == (Outcome.HOLDS, 1)


def test_the_original() -> None:
    original = OriginalFile(frame({**PEOPLE, "dx": ["flu", "Gout", "hiv"]}), align="order")
    found = audit(RELEASE, policy(original=original))
    assert warned(found) == ["city", "dx"]
    decided = audit(RELEASE, policy(NORMALIZE, original=original))
    assert warned(decided) == []


def composed(second: Columns, text: str = "") -> AuditReport:
    """One class of two rows, and a second release whose class meets it in one value."""
    release = {"city": ["Oslo"] * 2, "sex": ["F"] * 2, "dx": ["flu", "hiv"]}
    people = PeopleFile(frame({"name": ["P1"], "city": ["Oslo"], "sex": ["F"]}), identity=("name",))
    request = AttackRequest(
        "composition", external=people, second=TableFile(frame(second)), allowed=0.0
    )
    return audit(release, policy(text, attacks=(request,)))


@pytest.mark.parametrize("theirs", ["FLU", "flu ", "f\u200blu"])
def test_a_second_release(theirs: str) -> None:
    second = {"city": ["Oslo"] * 2, "sex": ["F"] * 2, "dx": [theirs, "gout"]}
    found = composed(second)
    attack = next(a for a in found.attacks if a.attack == "composition")
    assert (attack.outcome, attack.undecided) == (Outcome.INCONCLUSIVE, 1)
    assert "of dx differ only in spelling between the releases" in str(attack.reason)
    assert warned(found) == ["dx"]
    decided = composed(second, NORMALIZE)
    attack = next(a for a in decided.attacks if a.attack == "composition")
    assert (attack.outcome, attack.disclosed) == (Outcome.VIOLATED, 1)


def test_a_second_release_that_is_spelled_alike_stays_decided() -> None:
    found = composed({"city": ["Oslo"] * 2, "sex": ["F"] * 2, "dx": ["gout", "cold"]})
    attack = next(a for a in found.attacks if a.attack == "composition")
    assert (attack.outcome, attack.undecided) == (Outcome.HOLDS, 0)


UNIT = "columns = { quasi-identifiers = ['q'], unit = 'p' }\nrequire.k-anonymity = { k = 3 }\n"


@pytest.mark.parametrize(
    ("persons", "number"),
    [
        (["a", " a", "a "], 1),  # T2-47
        (["P1", "p1", "P\u200e1"], 1),
        (["\ufeffb7", "b7", "c"], 2),
        (["x\u00ad", "X", "y"], 2),
    ],
)
def test_units(persons: list[str], number: int) -> None:
    table = frame({"q": ["x"] * 3, "p": persons})
    found = anonaudit.audit(table, parse_policy(UNIT))
    assert (found.release.persons, found.outcome) == (3, Outcome.HOLDS)
    assert warned(found) == ["p"]
    (message,) = [n.message for n in found.warnings if n.code == CODE]
    assert "Persons may be counted twice" in message
    mended = anonaudit.audit(table, parse_policy(UNIT + NORMALIZE))
    assert (mended.release.persons, mended.outcome) == (number, Outcome.VIOLATED)
    assert warned(mended) == []


@pytest.mark.parametrize("name", ["Name", "NAME ", "na\u200bme", " name", "na me", "Na_me"])
def test_identifiers(name: str) -> None:
    """T2-46: what differs from an identifier in spelling only is that identifier."""
    rules = parse_policy(
        "columns = { identifiers = ['name'], quasi-identifiers = ['age'] }\n"
        "require.k-anonymity = { k = 2 }"
    )
    table = frame({name: ["Ann", "Bob"], "age": ["30", "30"]})
    found = anonaudit.audit(table, rules)
    assert found.outcome is Outcome.VIOLATED
    assert warned(found, "identifier-released") == [name]
    tried = remedies(table, rules)
    assert [demand.outcome for demand in tried.tried[0].requirements][-1] is Outcome.HOLDS
    assert anonaudit.audit(table[["age"]], rules).outcome is Outcome.HOLDS


@pytest.mark.parametrize("name", ["names", "surname", "n", "nom"])
def test_other_names_are_no_identifiers(name: str) -> None:
    rules = parse_policy("columns = { identifiers = ['name'], quasi-identifiers = ['age'] }")
    found = anonaudit.audit(frame({name: ["Ann", "Bob"], "age": ["30", "30"]}), rules)
    assert warned(found, "identifier-released") == []


def test_a_column_with_a_part_of_its_own_is_another() -> None:
    rules = parse_policy("columns = { identifiers = ['id'], quasi-identifiers = ['q'], unit='ID' }")
    found = anonaudit.audit(frame({"ID": ["a", "b"], "q": ["x", "x"]}), rules)
    assert warned(found, "identifier-released") == []


def test_masking_reads_the_original_as_the_audit_does() -> None:
    """Two rows of one illness in two spellings are no two illnesses, so p = 2 needs all four."""
    rules = parse_policy(
        "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"
        "require.p-sensitive-k-anonymity = { p = 2, k = 2 }\nvalues.normalize = ['case']"
    )
    table = frame({"q": ["a", "A", "b", "b"], "s": ["flu", "Flu", "flu", "hiv"]})
    made = mask(table, rules, algorithm="mondrian")
    assert made.audit().outcome is Outcome.HOLDS
    assert len({*made.release["q"]}) == 1


@pytest.mark.parametrize(
    ("released", "known", "rules"),
    [
        ("{M,F}", "male", ""),
        ("{E11,E12}", "E11.9", ""),
        ("{Oslo,Bergen}", "oslo", ""),
        ("{20-29,30-39}", "29.5", ""),
        ("SW1*", "sw1a", ""),
        ("Osl*", "oslo", ""),
        ("I20.*", "I201", ""),
        ("St. Olav", "St Olav", ""),
        ("O\u2019Brien", "O'Brien", ""),
        ("10002-02109", "5000", ""),
        ("33~26", "30", ""),
        ("2020-05-00", "2020-05-17", ""),
        ("0000-00-00", "2020-05-17", ""),
        ("021", "2139", 'values.reading.city = "prefix"'),
        ("482**", "48201-1234", "hierarchies.city = { prefixes = [3] }"),
        ("20-29", "29.5", "values.reading.city = { rounded = 5 }"),
        ("All", "Bergen", ""),
        ("n/a", "Bergen", ""),
        ("Other", "Bergen", ""),
        ("3", "30", ""),
    ],
)
def test_who_may_be_behind_a_label_is_undecided(released: str, known: str, rules: str) -> None:
    """One row of two is theirs, or is not: nobody can tell. The other is that of P2.

    Where a reading is declared, the second row has the reading's own label.
    """
    other = {"": "x", "v": "40" if "rounded" in rules else "1002", "h": "53715"}[rules[:1]]
    release = {"city": [released, other], "sex": ["F", "M"], "dx": ["flu", "gout"]}
    people = {"name": ["P1", "P2"], "city": [known, other], "sex": ["F", "M"]}
    found = audit(release, policy(rules, attacks=(linkage(people),)))
    attack = next(a for a in found.attacks if a.attack == "linkage")
    assert (attack.identified, attack.undecided) == (1, 1)
    assert attack.outcome is Outcome.INCONCLUSIVE
    assert "label(s) of city" in str(attack.reason)


@pytest.mark.parametrize(
    ("rules", "warnings"),
    [
        ("", ["city"]),
        ('values.reading.city = "plain"', []),
        ('hierarchies.city.file = "cities.csv"', []),
    ],
)
def test_a_word_that_no_person_has_is_pointed_out(
    rules: str, warnings: list[str], tmp_path: Path
) -> None:
    """Bergen may be behind Norway: two clean tables look alike, so it is no verdict."""
    (tmp_path / "cities.csv").write_text("Oslo;Oslo\nBergen;Norway\n", encoding="utf-8")
    release = {"city": ["Oslo", "Norway"], "sex": ["F", "F"], "dx": ["flu", "gout"]}
    people = {"name": ["P1", "P2"], "city": ["Oslo", "Bergen"], "sex": ["F", "F"]}
    written = rules.replace("cities.csv", str(tmp_path / "cities.csv"))
    found = audit(release, policy(written, attacks=(linkage(people),)))
    attack = next(a for a in found.attacks if a.attack == "linkage")
    assert (attack.identified, attack.undecided) == (2 if "file" in rules else 1, 0)
    assert warned(found, "unshared-labels") == warnings
    population = PeopleFile(frame(people))
    found = audit(release, policy(written + "\nrequire.k-map = { k = 1 }", population=population))
    assert warned(found, "unshared-labels") == warnings


def test_one_and_one_point_nought_as_units_and_as_values() -> None:
    rules = parse_policy("columns = { quasi-identifiers = ['q'], sensitive = ['s'], unit = 'u' }")
    cells = {"q": ["a", "a", "a"], "s": ["5", "5.0", "6"], "u": ["1", "1.0", "2"]}
    assert sorted(map(str, warned(audit(cells, rules)))) == ["s", "u"]
