"""Rules for cells are for cells: the numbers of rows, which anonaudit adds, are none.

Each policy here calls texts missing or suppressed that no cell holds, so that it says the same as
one that does not; the numbers of rows are among these texts. What is expected is counted by hand,
or is what the policy without the rule gives.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.cells import Convention
from anonaudit.errors import InputError
from anonaudit.findings import Outcome
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import FrequencySet, in_row_order
from anonaudit.masking.maskers import mask
from anonaudit.masking.recoding import Microdata
from anonaudit.matrix import matrix
from anonaudit.policy.policy import AttackRequest, OriginalFile, PeopleFile, Policy, parse_policy
from anonaudit.remedies import remedies, take
from anonaudit.roles import Roles
from anonaudit.source.table import ROW_NUMBER, open_source

ROWS = [
    ("30", "F", "flu"),
    ("30", "F", "gout"),
    ("40", "M", "flu"),
    ("40", "M", "hiv"),
    ("50", "F", "flu"),
    ("50", "F", "hiv"),
    ("60", "M", "flu"),
]
COLUMNS = "columns = { quasi-identifiers = ['age', 'sex'], sensitive = ['dx'] }\n"
K2 = "require.k-anonymity = { k = 2 }\n"
# What no cell of the tables here holds, but numbers of rows are.
RULES = [
    "",
    "values.missing = ['3']\n",
    "values.suppressed = ['1', '7']\n",
    f"values.missing = {[str(n) for n in range(20)]}\n",
    f"values = {{ missing = {[str(n) for n in range(0, 20, 2)]}, suppressed = ['*', '1', '11'] }}\n",
    "values = { missing = ['99', '153'], suppressed = ['*', '100'], normalize = ['whitespace'] }\n",
]


def frame(rows: object = ROWS) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["age", "sex", "dx"], dtype=object)


@pytest.mark.parametrize("rule", RULES)
def test_remedies(rule: str) -> None:
    """The man of 60 alone falls short: delete him, or merge his class with that of 40."""
    rules = parse_policy(COLUMNS + rule + K2)
    found = remedies(frame(), rules).tried
    told = [(one.steps[0].kind, one.rows_suppressed, one.cells_changed) for one in found]
    assert sorted(told) == [("merge", 0, 3), ("suppress", 1, 0)]
    assert all(one.suffices and round(one.loss, 3) == 0.143 for one in found)
    number = 1 + told.index(("suppress", 1, 0))
    assert take(frame(), rules, number).release.to_numpy().tolist() == [[*row] for row in ROWS[:6]]


@pytest.mark.parametrize("rule", RULES)
def test_a_remedy_for_which_four_rows_are_deleted(rule: str) -> None:
    """153 rows of 40 classes; four of them have one row each."""
    rows = [(str(20 + i % 36), "F", "flu") for i in range(149)]
    rows += [(str(20 + i), "M", "hiv") for i in range(4)]
    random.Random(1).shuffle(rows)
    rules = parse_policy(COLUMNS + rule + K2)
    found = remedies(frame(rows), rules).tried
    deleted = [one for one in found if one.steps[0].kind == "suppress"]
    assert [one.rows_suppressed for one in deleted] == [4]


@pytest.mark.parametrize("rule", RULES)
def test_rows_paired_by_order(rule: str) -> None:
    """Row 2 has another illness than its original; every other row is as it was."""
    changed = frame([ROWS[0], ("30", "F", "cold"), *ROWS[2:]])
    rules = parse_policy(f"{COLUMNS}{rule}require.valid-generalization = {{}}\n")
    model = anonaudit.audit(changed, rules, original=frame(), align="order").models[0]
    assert (model.details["rows compared"], model.rows_violating) == (7, 1)
    assert model.details["sensitive cells changed"] == {"dx": 1}


@pytest.mark.parametrize("rule", RULES)
def test_remedies_beside_an_original_in_the_same_order(rule: str) -> None:
    rules = replace(
        parse_policy(COLUMNS + rule + K2), original=OriginalFile(frame(), align="order")
    )
    found = remedies(frame(), rules).tried
    assert sorted(one.steps[0].kind for one in found) == ["merge", "suppress"]
    for number in (1, 2):
        taken = take(frame(), rules, number)
        assert taken.differing(taken.audit()) == []


def eight(rule: str) -> Policy:
    voters = frame([(str(i), "F", f"P{i}") for i in range(30, 38)]).rename(columns={"dx": "name"})
    external = PeopleFile(voters, identity=("name",))
    request = AttackRequest("unsorted-matching", external=external, allowed=0.0)
    return replace(parse_policy(COLUMNS + rule), attacks=(request,))


@pytest.mark.parametrize("rule", RULES)
def test_a_file_in_the_same_order(rule: str) -> None:
    release = frame([(str(i), "F", "flu") for i in range(30, 38)])
    attack = anonaudit.audit(release, eight(rule)).attacks[0]
    assert (attack.identified, attack.outcome) == (8, Outcome.VIOLATED)


@pytest.mark.parametrize("rule", RULES)
def test_the_matrix(rule: str, tmp_path: Path) -> None:
    """Unmasked, all 153 stand in the order of the people, and all are found."""
    table = frame([(str(200 + i), "FM"[i % 2], "flu") for i in range(153)])
    table.to_csv(tmp_path / "people.csv", index=False)
    attack = "attacks.unsorted-matching.external = 'people.csv'\n"
    for asked in ("", attack):
        rules = parse_policy(COLUMNS + rule + K2 + asked, folder=tmp_path)
        found = matrix(table, rules, algorithms=["mondrian"], only=["unsorted-matching"])
        assert found.rows[0].cells[0].exposed == 153


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("algorithm", ["mondrian", "k-member"])
def test_masking(rule: str, algorithm: str) -> None:
    """The ground of each released row has its illness."""
    rules = parse_policy(COLUMNS + rule + K2)
    found, plain = (
        mask(frame(), one, algorithm=algorithm) for one in (rules, parse_policy(COLUMNS + K2))
    )
    assert found.release.equals(plain.release)
    assert found.ground["dx"].tolist() == found.release["dx"].tolist()
    assert sorted(found.ground["age"]) == [row[0] for row in ROWS]


numbers = st.lists(st.integers(0, 12).map(str), unique=True, max_size=6)
cells = st.sampled_from(["a", "b", None, "*"])


@given(st.lists(st.tuples(cells, cells), max_size=11), numbers, numbers)
def test_rows_come_in_their_order_whatever_the_rules(
    rows: list[tuple[str | None, str | None]], missing: list[str], suppressed: list[str]
) -> None:
    """By any way in: a table that is counted, rows of Python's, the rows that are to be masked."""
    rule = Convention(missing=tuple(missing), suppressed=("*", *suppressed))
    kept = [row for row in rows if any(row)]
    table = pd.DataFrame(rows, columns=["x", "y"], dtype=object)
    numbered = [(str(number), *row) for number, row in enumerate(kept, 1)]
    for found in (
        count(open_source(table), (ROW_NUMBER, "x", "y"), rule),
        FrequencySet.of((ROW_NUMBER, "x", "y"), numbered, rule),
    ):
        order = in_row_order(found)
        texts = [
            tuple(found.labels_of(name)[code] for name, code in zip("xy", codes[1:], strict=True))
            for codes in found.codes[order].tolist()
        ]
        assert texts == [tuple(cell or "" for cell in row) for row in kept]
    data = Microdata.read(table, Roles(("x",), ("y",)), {}, rule)
    assert [data.texts("y")[code] for code in data.codes[:, 1]] == [
        row[1] and row[1].replace("*", rule.mark) for row in kept
    ]


# --- columns of the user's that tell persons and records apart

AGGREGATED = pd.DataFrame(
    {"age": ["30", "40"], "n": ["99", "3"], "id": ["99", "3"], "w": ["99", "3"]}
)
NINES = "values.missing = ['99']\n"


def test_numbers_of_records_are_no_cells() -> None:
    """A row stands for 99 records, whatever 99 means in a cell."""
    rules = parse_policy(f"columns = {{ quasi-identifiers = ['age'], count = 'n' }}\n{NINES}")
    assert anonaudit.audit(AGGREGATED, rules).release.rows == 102


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("unit = 'id'", "1 row.s. have no value in the unit column 'id'"),
        ("weight = 'w'", "column 'w' must hold sampling weights above 0, but 1 row.s. hold"),
    ],
)
def test_persons_and_weights_without_a_value_are_refused(part: str, told: str) -> None:
    """They are cells, and nobody can say whether this one is a number or none."""
    rules = parse_policy(f"columns = {{ quasi-identifiers = ['age'], {part} }}\n{NINES}")
    with pytest.raises(anonaudit.AnonauditError, match=told):
        anonaudit.audit(AGGREGATED, rules)


def test_a_key_without_a_value_is_refused() -> None:
    rules = parse_policy(f"columns.quasi-identifiers = ['age']\n{NINES}")
    with pytest.raises(InputError, match=r"but 1 row\(s\) have no key"):
        anonaudit.audit(AGGREGATED, rules, original=AGGREGATED, key="id")
