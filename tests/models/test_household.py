"""Risk and k of households, against the oracle and counted by hand."""

from collections import Counter

import numpy as np
import oracle
import pandas as pd
import pytest
from builders import all_tables, reduced

import anonaudit
from anonaudit.errors import InputError
from anonaudit.findings import Outcome
from anonaudit.models.household import (
    NO_HOUSEHOLDS,
    HouseholdKAnonymity,
    HouseholdRisk,
    Households,
)
from anonaudit.policy import parse_policy

# Two households of a woman of 30 and a man of 31 each.
TWO_HOUSEHOLDS = pd.DataFrame(
    [("1", "30", "F", "a"), ("1", "31", "M", "b"), ("2", "30", "F", "c"), ("2", "31", "M", "a")],
    columns=["hh", "age", "sex", "dx"],
)


def audited(table, require="", quasi=("age", "sex"), more=""):
    policy = parse_policy(
        f"columns.quasi-identifiers = {[*quasi]}\ncolumns.household = 'hh'\n{more}\n{require}"
    )
    report = anonaudit.audit(table, policy)
    return {model.model: model for model in report.models}


def test_any_member_found_gives_all():
    """Two members at 1/2 each: 1 - (1/2)^2 = 3/4. Both households have the same members: k = 2."""
    found = audited(TWO_HOUSEHOLDS, "require.household-risk = { highest = 0.75 }")
    risk, k = found["household-risk"], found["household-k-anonymity"]
    assert (risk.measured, risk.outcome) == (0.75, Outcome.HOLDS)
    assert dict(risk.details) == {
        "households": 2,
        "average risk of a household": 0.75,
        "expected re-identified households": 1.5,
    }
    assert (k.measured, k.outcome) == (2, Outcome.MEASURED)
    short = audited(TWO_HOUSEHOLDS, "require.household-risk = { highest = 0.74 }")
    assert short["household-risk"].outcome is Outcome.VIOLATED
    assert short["household-risk"].rows_violating == 4


def test_two_members_in_one_class_are_both_found_by_one_pick():
    """One class of two, both of household 1: 1/2 each would be 3/4, but every pick finds it."""
    table = pd.DataFrame({"city": ["x", "x", "y", "y"], "hh": ["1", "1", "2", "3"]})
    found = audited(table, "require.household-risk = { highest = 0.9 }", quasi=("city",))
    assert found["household-risk"].measured == 1
    assert found["household-risk"].rows_violating == 2
    assert found["household-k-anonymity"].measured == 1


def households(rows, classes):
    """The members of each household in each class, by counting."""
    keys = [classes.keys.labels[0][code] for code in classes.keys.codes[:, 0]]
    members = Counter((home, keys.index(q)) for q, home in rows if q in keys)
    homes = sorted({home for home, _ in members})
    entries = [(homes.index(home), number, n) for (home, number), n in members.items()]
    return Households(*np.array(entries, np.int64).reshape(-1, 3).T)


@pytest.mark.parametrize("extra", [0, pytest.param(1, marks=pytest.mark.long)])
def test_every_small_table(extra):
    """Two classes and suppressed rows, three households."""
    for rows in all_tables(("x", "y", "*"), ("1", "2", "3"), most=3 + extra, least=1):
        classes = reduced(rows, [0], [])
        of = households(rows, classes)
        risk = HouseholdRisk(households=of).measure(classes)
        risks = oracle.household_risks(rows, [0], 1)
        k = HouseholdKAnonymity(households=of).measure(classes)
        assert k.measured == oracle.k_histories(rows, [0], 1)
        if not risks:
            assert risk.measured is None
            continue
        assert risk.measured == pytest.approx(float(max(risks.values())))
        total = float(sum(risks.values()))
        assert risk.details["expected re-identified households"] == pytest.approx(total)


def test_a_household_alone_whose_members_have_others_like_them():
    """A has a member in x and one in y; B and C have one in x only, D and E in y only: k = 1."""
    table = pd.DataFrame([*zip("xyxxyy", "AABCDE", strict=True)], columns=["q", "hh"])
    found = audited(table, "require.household-k-anonymity = { k = 2 }", quasi=("q",))
    k = found["household-k-anonymity"]
    assert (k.measured, k.outcome) == (1, Outcome.VIOLATED)
    assert k.rows_violating == 6  # the rows of both of its classes


def test_members_are_persons_where_persons_have_several_rows():
    """Person p has two rows of x: household 1 has one member there, household 2 one too."""
    table = pd.DataFrame(
        [("x", "1", "p"), ("x", "1", "p"), ("x", "2", "q")], columns=["q", "hh", "person"]
    )
    found = audited(table, quasi=("q",), more="columns.unit = 'person'")
    assert found["household-risk"].measured == 0.5
    assert found["household-k-anonymity"].measured == 2


def test_wildcards_leave_a_risk_that_would_hold_undecided():
    """(x, -) fits (x, u): household 1 is two of the two rows that an adversary picks from."""
    table = pd.DataFrame(
        [("x", "u", "1"), ("x", None, "1"), ("y", "u", "2"), ("y", "u", "3")],
        columns=["a", "b", "hh"],
    )
    found = audited(
        table,
        "require.household-risk = { highest = 0.9 }",
        quasi=("a", "b"),
        more='conventions.quasi-identifiers = "wildcard"',
    )
    assert found["household-risk"].outcome is Outcome.INCONCLUSIVE


def test_without_households_nothing_holds():
    table = TWO_HOUSEHOLDS.drop(columns="hh")
    policy = parse_policy("""
        columns.quasi-identifiers = ["age", "sex"]
        require = { household-risk.highest = 1.0, household-k-anonymity.k = 1 }
    """)
    for model in anonaudit.audit(table, policy).models[:2]:
        assert (model.measured, model.outcome) == (None, Outcome.INCONCLUSIVE)
        assert model.notes == (NO_HOUSEHOLDS,)


def test_a_row_without_a_household_is_refused():
    table = TWO_HOUSEHOLDS.assign(hh=["1", None, "2", "2"])
    with pytest.raises(InputError, match=r"1 row\(s\) have no value in the household column 'hh'"):
        audited(table)
