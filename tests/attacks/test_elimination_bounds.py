"""Elimination: bounds, the work they save, and many classes at once; counted by hand."""

import numpy as np
import pytest
from adversaries import least_eliminations as by_trying_all
from builders import all_tables, reduced

from anonaudit.attack import Setting
from anonaudit.cells import Convention
from attacks import elimination
from attacks.elimination import BUDGET, Elimination, least_eliminations, members_of

# Both have four values a column, so three eliminations always do; none has three rows. Deleting
# all rows takes three (d, a second c, and one for the row ca; in SIX the first c), so two are too
# few by one at most. Between two and three no bound decides.
FIVE = [("x", *pair) for pair in ("db", "bc", "dd", "ac", "ca")]
SIX = [*FIVE, ("x", "c", "b")]
# Five values and four, deleted by four: the first column takes three or four, the second three.
HIGH = [("z", *pair) for pair in ("ea", "fb", "gc", "hd", "ia")]
# Each takes one: a without v, v without b, and so on.
EASY = [("w", "a", "u"), ("w", "b", "v")]


def bounds(rows, columns, budget, first=0, convention=None):
    classes = reduced(rows, [0], columns, convention=convention)
    members = members_of(classes)
    low, high = least_eliminations(members, [None] * len(columns), budget, first)
    return members, low < high


def run(rows, columns, **options):
    return Elimination().run(Setting(classes=reduced(rows, [0], columns), options=options))


@pytest.mark.parametrize(("columns", "cost"), [([1, 2], 40 // 4 + 5**2), ([1, 2, 3], 40 + 5**2)])
def test_a_target_costs_what_is_said(columns, cost, monkeypatch):
    """EACH, or a quarter for two attributes, and the square of what the class has."""
    monkeypatch.setattr(elimination, "EACH", 40)
    rows = [(*row, str(i)) for i, row in enumerate(FIVE)]
    for decided in range(5 * len(columns)):
        for budget in (decided * cost, (decided + 1) * cost - 1):
            open_ = bounds(rows, columns, budget)[1]
            assert (len(open_), open_.sum()) == (5 * len(columns), 5 * len(columns) - decided)


@pytest.mark.parametrize(
    ("first", "open_six", "open_high"),
    [
        (2, 0, 5),  # whose bound says two goes first, though the class is larger
        (1, 4, 0),  # nobody does: those of the smaller class, 5 * 35, then 8 * 46
        (3, 4, 0),  # everybody does
    ],
)
def test_who_may_be_exposed_goes_first_then_who_costs_least(
    first, open_six, open_high, monkeypatch
):
    monkeypatch.setattr(elimination, "EACH", 40)
    members, open_ = bounds([*SIX, *HIGH], [1, 2], 12 * (10 + 6**2), first)
    of_six = members.class_of[members.unit[open_]] == 0
    assert (of_six.sum(), (~of_six).sum()) == (open_six, open_high)


def test_no_work_is_spent_on_what_is_decided(monkeypatch):
    """The ten targets of FIVE are paid for, and nothing else."""
    monkeypatch.setattr(elimination, "EACH", 40)
    assert not bounds([*EASY, *FIVE], [1, 2], 10 * (10 + 5**2))[1].any()


def test_no_work_is_spent_on_who_is_of_another_class(monkeypatch):
    """The row without a key may be in x, and all rows of x in its class: six rows in both.

    In x, and in its own class, its two values and those of FIVE make twelve targets.
    """
    monkeypatch.setattr(elimination, "EACH", 40)
    wild = Convention("wildcard", suppressed_tuples="include")
    rows = [*FIVE, (None, "c", "b")]
    members, open_ = bounds(rows, [1, 2], 12 * (10 + 6**2), convention=wild)
    assert members.own.tolist().count(0) == 6
    assert not open_[members.own[members.unit] > 0].any()
    members, open_ = bounds(rows, [1, 2], 12 * (10 + 6**2) - 1, convention=wild)
    assert open_[members.own[members.unit] > 0].sum() == 1


@pytest.mark.parametrize(("budget", "undecided"), [(0, 5), (BUDGET, 0)])
def test_undecided_are_those_whose_bounds_lie_about_the_values_eliminated(budget, undecided):
    """FIVE takes two, by its bounds two or three; w takes one, and a row of v none."""
    rows = [("v", "a", "u"), *EASY, *FIVE]
    for values, sure, unsure in ((0, 1, 0), (1, 3, 0), (2, 8 - undecided, undecided), (3, 8, 0)):
        found = run(rows, [1, 2], values=values, budget=budget)
        assert (found.targets, found.disclosed) == (8, sure)
        assert found.reason == (
            f"{unsure} target(s) were left undecided; raise budget above 0" if unsure else None
        )
        assert found.details.get("targets with bounds only") == (undecided or None)
        most = "3" if undecided else "2"
        assert found.details["exposed by number eliminated"] == {"0": 1, "1": 3, most: 8}
        assert found.details["classes by least number"] == {"0": 1, "1": 1, most: 1}
        # Classes in order of their keys: v, w, x.
        assert found.exposed.tolist() == [True, values >= 1, sure == 8]


def test_many_classes_at_once():
    """Every small table is a class of one release; what each takes is found by trying all."""
    tables = list(all_tables(("k",), ("a", "b"), ("a", "b", "c"), most=3, least=1))
    tables += [FIVE, SIX, HIGH, EASY, FIVE[:4], [("k", "a", None), ("k", "b", "c")]]
    tables += [[("k", v, w) for v in "abcd" for w in "ab"], [("k", v, "b") for v in "abcde"]]
    release = [(f"{i:03}", *row[1:]) for i, rows in enumerate(tables) for row in rows]
    least, classes = [], []
    for rows in tables:
        here = [by_trying_all(rows, [0], [1, 2], i) for i in range(len(rows))]
        least += here
        classes.append(min(min(one.values()) for one in here))
    steps = sorted({min(one.values()) for one in least})
    found = run(release, [1, 2], values=2)
    assert found.details["exposed by number eliminated"] == {
        str(n): sum(min(one.values()) <= n for one in least) for n in steps
    }
    assert found.details["classes by least number"] == {
        str(n): classes.count(n) for n in sorted(set(classes))
    }
    assert found.exposed.tolist() == [n <= 2 for n in classes]
    for values in (0, 1, 2):
        told = run(release, [1, 2], values=values).per_attribute
        assert told == {str(c): sum(one[c] <= values for one in least) for c in (1, 2)}
