"""Who is unique in the original and reappears: by hand, and by every pair of a person and a row."""

import numpy as np
import pandas as pd
import pytest

import anonaudit
from anonaudit.policy.policy import parse_policy


def facts(people, rows):
    """The three counts; people and rows stand in one order, over the columns age and sex."""
    tables = [
        pd.DataFrame([(*row, "flu") for row in table], columns=["age", "sex", "dx"])
        for table in (people, rows)
    ]
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age', 'sex'], sensitive = ['dx'] }\n"
        "attacks.best-guess = {}"
    )
    report = anonaudit.audit(tables[1], policy, original=tables[0], align="order")
    found = next(a for a in report.attacks if a.attack == "best-guess").details
    again = found["reappearance"]
    return (again["unique in the original"], again["reappear"]), again["may reappear"]


def test_by_hand():
    """Ann, 31, F is the only one in her thirties. Bob and Cid are alike. Dan shares his label."""
    people = [("31", "F"), ("44", "M"), ("44", "M"), ("52", "M"), ("58", "M")]
    rows = [("[30,40)", "*"), ("44", "M"), ("44", "M"), ("[50,60)", "M"), ("58", "*")]
    # Unique: Ann, Dan and Eve. Ann's row fits her alone, Dan's fits Eve too, Eve's fits her alone.
    assert facts(people, rows) == ((3, 2), 0)


def test_a_suppressed_cell_fits_everybody():
    people = [("31", "F"), ("44", "M")]
    assert facts(people, [("*", "F"), ("*", "M")]) == ((2, 2), 0)
    assert facts(people, [("*", "*"), ("*", "*")]) == ((2, 0), 0)


def test_a_label_that_is_not_understood_leaves_it_open():
    """`young` may be anybody's, or Ann's alone."""
    people = [("31", "F"), ("44", "M")]
    assert facts(people, [("young", "F"), ("44", "M")]) == ((2, 1), 1)


def test_a_row_that_does_not_fit_its_person_is_nobodys():
    assert facts([("31", "F"), ("44", "M")], [("50", "F"), ("44", "M")]) == ((2, 1), 0)


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 40))]
)
def test_by_every_pair(seed):
    rng = np.random.default_rng(seed)
    people = [(str(rng.integers(20, 26)), "FM"[rng.integers(2)]) for _ in range(6)]

    def label(age, kind):
        low = int(age) // 2 * 2
        return [age, f"[{low},{low + 2})", "*"][kind]

    rows = [(label(a, rng.integers(3)), [s, "*"][rng.integers(2)]) for a, s in people]

    def fits(person, row):
        age, sex = person
        inside = row[0] in ("*", age) or (row[0][0] == "[" and label(age, 1) == row[0])
        return inside and row[1] in ("*", sex)

    unique = [p for p in people if people.count(p) == 1]
    alone = [
        p
        for p, row in zip(people, rows, strict=True)
        if p in unique and sum(fits(other, row) for other in people) == 1
    ]
    assert facts(people, rows) == ((len(unique), len(alone)), 0)


def test_a_member_of_a_set_that_is_not_understood_may_be_another():
    """Ann's row fits Ann, and `young` may be the other."""
    people = [("31", "F"), ("44", "M")]
    assert facts(people, [("{31,young}", "*"), ("44", "M")]) == ((2, 1), 1)
