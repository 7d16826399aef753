"""Elimination: bounds, the work they save, and many classes at once; counted by hand."""

import pytest
from adversaries import least_eliminations as by_trying_all
from builders import all_tables, least_eliminations, reduced

from anonaudit.attack import Setting
from anonaudit.cells import Convention
from attacks import elimination
from attacks.elimination import Elimination
from attacks.least_eliminations import BUDGET
from attacks.members import members_of

# Both have four values a column, so three eliminations always do. To delete all rows takes three
# values (d, the second column's c, the first one's c), so two eliminations are needed at least.
# Between two and three no bound decides.
FIVE = [("x", *pair) for pair in ("db", "bc", "dd", "ac", "ca")]
SIX = [*FIVE, ("x", "c", "b")]
# Five values and four, and four delete all rows: the first column takes three or four eliminations,
# the second three.
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
    for module in ("elimination", "least_eliminations"):
        monkeypatch.setattr(f"attacks.{module}.EACH", 40)
    rows = [(*row, str(i)) for i, row in enumerate(FIVE)]
    for decided in (0, 1, 2, 5 * len(columns) - 1):
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
    for module in ("elimination", "least_eliminations"):
        monkeypatch.setattr(f"attacks.{module}.EACH", 40)
    members, open_ = bounds([*SIX, *HIGH], [1, 2], 12 * (10 + 6**2), first)
    of_six = members.class_of[members.unit[open_]] == 0
    assert (of_six.sum(), (~of_six).sum()) == (open_six, open_high)


def test_no_work_is_spent_on_what_is_decided(monkeypatch):
    """The ten targets of FIVE are paid for, and nothing else."""
    for module in ("elimination", "least_eliminations"):
        monkeypatch.setattr(f"attacks.{module}.EACH", 40)
    assert not bounds([*EASY, *FIVE], [1, 2], 10 * (10 + 5**2))[1].any()


def test_no_work_is_spent_on_who_is_of_another_class(monkeypatch):
    """The row without a key may be in x, and all rows of x in its class: six rows in both.

    In x, and in its own class, its two values and those of FIVE make twelve targets.
    """
    for module in ("elimination", "least_eliminations"):
        monkeypatch.setattr(f"attacks.{module}.EACH", 40)
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
            f"{unsure} target(s) were left undecided; a budget above 0 may decide them"
            if unsure
            else None
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


def test_values_of_a_larger_class_do_not_count_in_a_smaller_one():
    """Everybody in w has flu. In x nothing tells who has a, as nothing is known of the other."""
    rows = [("w", "flu", value) for value in "1234"] + [("x", "a", None), ("x", None, None)]
    assert run(rows, [1, 2], values=9).disclosed == 4


FOUR = [("y", "heart", "pill"), ("y", "heart", "knife"), ("y", "flu", "iv"), ("y", "gut", "iv")]


@pytest.mark.parametrize(
    ("work", "found_out"),
    [(40 + 4**2, True), (40 + 4**2 - 1, False), (0, False)],
)
def test_a_witness_is_looked_for_while_it_is_cheap(work, found_out, monkeypatch):
    """Without heart iv is certain: one value of the other attribute, which takes a look at all.

    A look costs EACH and the square of the rows. Else the witness is to eliminate all other values
    of the attribute itself, where no fewer are known to do: in FIVE three, and iv takes one.
    """
    for module in ("elimination", "least_eliminations"):
        monkeypatch.setattr(f"attacks.{module}.EACH", 40)
    monkeypatch.setattr(elimination, "BUDGET", 0)
    told = run([*EASY[:1] * 2, *FOUR], [1, 2], budget=work).details["witness"]
    assert told["survives"] == {"values": "a"}
    told = run(FOUR, [1, 2], budget=work).details.get("witness")
    assert told == (
        {
            "attribute": "2",
            "eliminated of": ["1"],
            "values": ["heart"],
            "survives": {"values": "iv"},
        }
        if found_out
        else None
    )
    told = run([("w", v, "u") for v in "ab"] * 2 + FIVE, [1], values=9, budget=0).details["witness"]
    assert (told["eliminated of"], len(told["values"])) == (["1"], 1)


def test_a_witness_takes_the_usual_work_whatever_the_budget():
    told = run(FOUR, [1, 2], budget=0).details["witness"]
    assert (told["values"], told["survives"]) == (["heart"], {"values": "iv"})


def test_all_other_values_are_a_witness_where_looks_are_dear(monkeypatch):
    """One of three is left without the two others; the class before has other values."""
    monkeypatch.setattr(elimination, "BUDGET", 0)
    rows = [("v", value) for value in "defg"] + [("x", value) for value in "abc"]
    told = run(rows, [1], values=9, budget=0).details["witness"]
    assert told["eliminated of"] == ["1", "1"]
    assert {*told["values"], told["survives"]["values"]} == {"a", "b", "c"}


def test_where_nobody_can_be_exposed_there_is_no_witness():
    for rows in ([("x", None)], [("x", "a"), ("x", None)]):
        found = run(rows, [1], values=9)
        assert (found.disclosed, found.witness, found.exposed.tolist()) == (0, None, [False])
        assert found.details == {
            "eliminated at most": 9,
            "exposed by number eliminated": {},
            "classes by least number": {"none": 1},
        }


def test_a_class_is_exposed_by_its_own_rows():
    """A row without a key may be in x, and a becomes certain of it there without 1.

    It is no row of x. Of those in x nothing is certain, as no value of the first column may go.
    """
    wild = Convention("wildcard", suppressed_tuples="include")
    classes = reduced([("x", "b", "1"), ("x", "c", "1"), (None, "a", None)], [0], [1, 2])
    plain = Setting(classes=classes, options={"at_most": {"1": 0}})
    assert Elimination().run(plain).exposed.tolist() == [True, True]  # x shows 1
    rows = [("x", "b", "1"), ("x", "c", "1"), (None, "a", None)]
    classes = reduced(rows, [0], [1, 2], convention=wild)
    found = Elimination().run(Setting(classes=classes, options={"at_most": {"1": 0}}))
    own = [classes.keys.codes[i, 0] >= 2 for i in range(len(classes))]  # the class of x
    assert found.exposed.tolist() == [not is_x for is_x in own]
    assert found.details["classes by least number"] == {"1": 1, "none": 1}


def test_what_stands_in_the_way_is_listed_small_sets_first():
    """Of the row a,1: one set for each of the other rows, without the values of a,1 itself."""
    rows = [("x", "a", "1"), ("x", "c", "2"), ("x", "b", "3"), ("x", "d", None), ("x", "b", None)]
    rows += [("x", "c", "1"), ("x", None, None), ("x", "a", "2")]
    members = members_of(reduced(rows, [0], [1, 2]))
    # Values: a, b, c, d are 0 to 3; 1, 2, 3 are 4 to 6.
    [unit] = [u for u in range(members.n_units) if members.of(u).tolist() == [0, 4]]
    names = [sorted(one) for one in members.obstacles(unit, 0)]
    assert names == [[], [1], [2], [3], [1, 6], [2, 5]]
    assert [sorted(one) for one in members.obstacles(unit, 4)] == [
        [], [1], [3], [5], [1, 6], [2, 5],
    ]  # fmt: skip


@pytest.mark.parametrize(("sensitive", "by_values"), [("one-value", [1, 3]), ("unknown", [1, 1])])
def test_a_gap_may_be_a_value(sensitive, by_values):
    """In w a is certain. In x it is without the gap, if that is a value, and so is the gap without a.

    Else the gap may be anything, cannot be eliminated, and nothing is certain.
    """
    rows = [("w", "a"), ("x", "a"), ("x", None)]
    classes = reduced(rows, [0], [1], convention=Convention(sensitive=sensitive))
    for values, disclosed in enumerate(by_values):
        found = Elimination().run(Setting(classes=classes, options={"values": values}))
        assert found.disclosed == disclosed


def test_a_witness_names_the_value_that_survives():
    """Without q and r only the row b,z is left. So z is known to take two, without a budget.

    Of b it is known then that it takes four, the other values of its column, or fewer.
    """
    rows = [("x", *pair) for pair in ("bz", "cq", "dq", "er", "fr")]
    told = run(rows, [1, 2], values=2, budget=0).details["witness"]
    assert told == {
        "attribute": "2",
        "eliminated of": ["2", "2"],
        "values": ["q", "r"],
        "survives": {"values": "z"},
    }


@pytest.mark.parametrize("budget", [0, BUDGET])
def test_one_value_that_some_with_the_other_have_too(budget):
    """Without x, v,y is alone, though v,x goes as well. Without y all others show x.

    By the other values of the first column alone v takes two.
    """
    rows = [("x", *pair) for pair in ("vx", "vy", "wx", "zx")]
    for values, told in ((0, {"1": 0, "2": 0}), (1, {"1": 1, "2": 4}), (2, {"1": 4, "2": 4})):
        assert run(rows, [1, 2], values=values, budget=budget).per_attribute == told


def test_a_value_of_another_class_eliminates_nobody():
    """p shows a. In q one of three shows nothing, so that nothing is certain there."""
    rows = [("p", "a", n) for n in "123"] + [("q", "v", "1"), ("q", "v", "2"), ("q", None, None)]
    for values in (0, 1, 3):
        found = run(rows, [1, 2], values=values)
        assert (found.disclosed, found.exposed.tolist()) == (3, [True, False])


@pytest.mark.parametrize(("most", "told"), [(0, {"1": 2, "2": 0}), (1, {"1": 2, "2": 2})])
def test_one_elimination_within_the_limit_takes_no_budget(most, told):
    """Heart is certain without iv; iv is without heart, where one disease may be eliminated."""
    found = run(FOUR, [1, 2], at_most={"1": most}, budget=0, values=1)
    assert found.per_attribute == told
