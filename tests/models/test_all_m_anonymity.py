"""k on every set of at most m quasi-identifiers, against the oracle and a case of sdcMicro."""

from itertools import combinations

import oracle
import pandas as pd
import pytest
from builders import all_tables, reduced

import anonaudit
from anonaudit.cells import Convention
from anonaudit.findings import Outcome
from anonaudit.models import AllMAnonymity, KAnonymity
from anonaudit.policy import parse_policy

# sdcMicro issue 352: prov, act, sex, inc after local suppression; an empty cell matches all.
LOCALLY_SUPPRESSED = [
    ("2", "A", "F", "hi"), ("3", "A", "F", "lo"), ("3", "A", "F", "lo"), (None, "A", "M", "lo"),
    ("4", "B", "F", "hi"), (None, "B", "F", "mid"), ("4", "B", "F", "hi"), (None, "B", "F", "lo"),
    ("2", "A", "M", "hi"), ("3", "A", "M", "mid"),
]  # fmt: skip
# The smallest fk of each pair, as sdcMicro counts it.
PAIRS = {
    "prov, act": 3, "prov, sex": 2, "prov, inc": 2, "act, sex": 3, "act, inc": 1, "sex, inc": 1
}  # fmt: skip


def test_k_of_every_pair_in_one_verdict():
    table = pd.DataFrame(LOCALLY_SUPPRESSED, columns=["prov", "act", "sex", "inc"])
    policy = parse_policy("""
        columns.quasi-identifiers = ["prov", "act", "sex", "inc"]
        conventions.quasi-identifiers = "wildcard"
        require.all-m-anonymity = { k = 4, m = 2 }
    """)
    found = anonaudit.audit(table, policy).models[0]
    assert (found.measured, found.outcome) == (1, Outcome.VIOLATED)
    short = found.details["smallest class of sets that fall short"]
    assert {name: k for name, k in short.items() if "," in name} == PAIRS
    assert found.details["sets of columns"] == 10


longer = pytest.mark.parametrize("extra", [0, pytest.param(1, marks=pytest.mark.long)])


@longer
@pytest.mark.parametrize("m", [1, 2, 3])
def test_every_small_table(m, extra):
    """Suppressed and missing cells as categories; m of all columns is k-anonymity too."""
    for rows in all_tables(("x", "*"), ("u", None, "*"), ("p", "q"), most=2 + extra):
        classes = reduced(rows, [0, 1, 2], [])
        found = AllMAnonymity(m=m).measure(classes)
        assert found.measured == oracle.all_m_anonymity(rows, [0, 1, 2], m)
        if m == 3 and rows:
            assert found.measured <= KAnonymity().measure(classes).measured


@longer
@pytest.mark.parametrize("weight", [1.0, 0.5])
@pytest.mark.parametrize("tuples", ["include", "exclude"])
def test_every_small_table_with_wildcards(weight, tuples, extra):
    convention = Convention("wildcard", weight, suppressed_tuples=tuples)
    for rows in all_tables(("x", "y", "*"), ("u", None), most=2 + extra, least=1):
        found = AllMAnonymity(m=2).measure(reduced(rows, [0, 1], [], convention=convention))
        if tuples == "exclude":
            wanted = oracle.all_m_anonymity(rows, [0, 1], 2, wildcards=True, weight=weight)
        else:
            sizes = [
                size
                for columns in ([0], [1], [0, 1])
                for size, _ in oracle.wildcard_classes(rows, columns, weight).values()
            ]
            wanted = min(sizes)
        assert found.measured == pytest.approx(wanted)


@longer
def test_every_small_table_of_persons(extra):
    """Rows of one person are one, by each set of columns."""
    for rows in all_tables(("x", "y"), ("u", "v"), ("1", "2"), most=2 + extra, least=1):
        found = AllMAnonymity(m=2).measure(reduced(rows, [0, 1], [], unit=2))
        wanted = min(oracle.k_persons(rows, c, 2) for n in (1, 2) for c in combinations([0, 1], n))
        assert found.measured == wanted


def test_what_falls_short_is_the_class_and_its_rows():
    """x is shared by 3, y by 2; u by 4, v by 1: the class (y, v) is alone by its second column."""
    rows = [("x", "u"), ("x", "u"), ("x", "u"), ("y", "u"), ("y", "v")]
    found = AllMAnonymity(k=2, m=1).measure(reduced(rows, [0, 1], []))
    assert (found.measured, found.outcome) == (1, Outcome.VIOLATED)
    assert (found.classes_violating, found.rows_violating) == (1, 1)
    assert found.details["smallest class by number of columns"] == {"1": 1}
    assert found.details["smallest class of sets that fall short"] == {"1": 1}
    assert found.parameters == {"k": 2, "m": 1}


@pytest.mark.parametrize(("sets", "entries"), [(3, 10**9), (10, 6)])
def test_sets_beyond_the_limit_are_not_held_for_fine(monkeypatch, sets, entries):
    """Three columns have 3 + 3 + 1 sets; after 3, of one column each, 4 are left.

    The two rows differ, so 3 sets have 6 entries.
    """
    monkeypatch.setattr("anonaudit.models.all_m_anonymity.MOST_SETS", sets)
    monkeypatch.setattr("anonaudit.models.all_m_anonymity.MOST_ENTRIES", entries)
    pairs = [("x", "u", "p"), ("x", "u", "p"), ("y", "v", "p"), ("y", "v", "p")]
    found = AllMAnonymity(k=2, m=3).measure(reduced(pairs, [0, 1, 2], []))
    assert (found.measured, found.outcome) == (2, Outcome.INCONCLUSIVE)
    assert found.notes[0].startswith("4 of 7 sets of columns")
    assert found.details["sets of columns"] == 3
    broken = AllMAnonymity(k=3, m=3).measure(reduced(pairs, [0, 1, 2], []))
    assert (broken.measured, broken.outcome) == (2, Outcome.VIOLATED)
    assert AllMAnonymity(m=3).measure(reduced(pairs, [0, 1, 2], [])).outcome is Outcome.INCONCLUSIVE
    assert AllMAnonymity(k=2, m=1).measure(reduced(pairs, [0, 1, 2], [])).outcome is Outcome.HOLDS


@pytest.mark.long
def test_22_columns_and_sets_of_8_come_to_an_end():
    """22 columns have 22 + 231 + ... + 319770 sets of at most 8, so 10,000 are a small part."""
    rows = [tuple(str(i % (2 + c % 3)) for c in range(22)) for i in range(300)]
    found = AllMAnonymity(k=2, m=8).measure(reduced(rows, [*range(22)], []))
    total = sum(len(list(combinations(range(22), n))) for n in range(1, 9))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.notes[0].startswith(f"{total - 10_000} of {total} sets of columns")


def test_wildcards_have_a_lower_limit(monkeypatch):
    """Three columns have 7 sets; a limit of 3 leaves 4, whatever the limit without wildcards."""
    monkeypatch.setattr("anonaudit.models.all_m_anonymity.MOST_SETS_WITH_WILDCARDS", 3)
    pairs, wild = [("x", "u", "p")] * 2 + [("y", None, "p")] * 2, Convention("wildcard")
    found = AllMAnonymity(k=2, m=3).measure(reduced(pairs, [0, 1, 2], [], convention=wild))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.notes[0].startswith("4 of 7 sets of columns")
