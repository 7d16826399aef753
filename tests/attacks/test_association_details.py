"""Association: ties, limits of work, unknown cells and several attributes, counted by hand."""

import numpy as np
import pytest
from builders import reduced
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE, Convention
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from attacks import association
from attacks.association import Association, _number_of_itemsets, rule_tables

ENGINES = ["exact", "mlxtend"]


def run(rows, qi, sensitive, people=None, convention=None, unit=None, allowed=None, **options):
    classes = reduced(rows, qi, sensitive, convention=convention, unit=unit)
    external = None if people is None else FrequencySet.of([str(c) for c in qi], people, convention)
    return Association().run(
        Setting(classes=classes, external=external, options=options, allowed=allowed)
    )


def table_of(rows, qi, sensitive, columns, least=1.0):
    [table] = rule_tables(reduced(rows, qi, sensitive), [columns], least)
    return table


TWO = [("a", "x", "s"), ("a", "x", "t"), ("b", "y", "s")]  # two sensitive columns, 1 and 2


@pytest.mark.parametrize("engine", ENGINES)
def test_two_sensitive_columns_are_each_told_of_apart(engine):
    """Of a x is certain; of b y and s. Each rule is to one value: three, where all are."""
    found = run(TWO, [0], [1, 2], engine=engine, allowed=0.5)
    assert (found.targets, found.disclosed, found.rate) == (3, 3, 1)
    assert found.details["rules"] == 3
    assert found.per_attribute == {"1": 3, "2": 1}
    assert found.exposed.tolist() == [True, True]
    assert (found.witness.class_number, found.witness.rows, found.witness.attribute) == (0, 2, "1")
    assert (found.outcome, found.allowed) == (Outcome.VIOLATED, 0.5)
    half = run(TWO, [0], [1, 2], engine=engine, confidence=0.5)
    assert (half.details["rules"], half.per_attribute) == (5, {"1": 3, "2": 3})


@pytest.mark.parametrize("engine", ENGINES)
def test_joint_rules_are_counted_where_asked_for(engine):
    """To b belong y, s, and both."""
    classes = reduced(TWO, [0], [1, 2])
    every = [
        (rule.antecedent, rule.consequent, rule.shown, rule.of)
        for table in rule_tables(classes, [("0",)], 1.0, engine=engine, joint=True)
        for rule in map(table.rule, range(len(table.of)))
    ]
    assert sorted(every) == [
        ((("0", "a"),), (("1", "x"),), 2, 2),
        ((("0", "b"),), (("1", "y"),), 1, 1),
        ((("0", "b"),), (("1", "y"), ("2", "s")), 1, 1),
        ((("0", "b"),), (("2", "s"),), 1, 1),
    ]
    assert sum(len(t.of) for t in rule_tables(classes, [("0",)], 1.0, engine=engine)) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_rules_of_some_sets_only(engine):
    """Both columns together say y of b and v only; sets that are not asked for are not counted."""
    rows = [("a", "u", "x"), ("a", "v", "x"), ("b", "u", "x"), ("b", "v", "y"), ("b", "u", "y")]
    classes = reduced(rows, [0, 1], [2])
    for sets, number in (
        ([("0",), ("0", "1")], 1 + 3),
        ([("0", "1")], 3),
        ([("1",)], 0),
        ([("0",), ("1",)], 1),
    ):
        found = list(rule_tables(classes, sets, 1.0, engine=engine))
        assert sorted(t.antecedent for t in found) == sorted(sets)
        assert sum(len(t.of) for t in found) == number


def test_ties_of_a_table_go_by_its_columns_in_order():
    """All rules of two columns are sure and shown once: the first by the first column, then on."""
    rows = [("b", "u", "x"), ("a", "v", "y"), ("a", "w", "x")]
    surest = table_of(rows, [0, 1], [2], ("0", "1")).surest()
    assert (surest.antecedent, surest.consequent) == ((("0", "a"), ("1", "v")), (("2", "y"),))
    more = [*rows, ("b", "u", "x")]  # shown twice
    assert table_of(more, [0, 1], [2], ("0", "1")).surest().antecedent == (("0", "b"), ("1", "u"))


def test_ties_between_tables_go_to_fewer_columns():
    """a, u, and both say x of the same two rows."""
    rows = [("a", "u", "x"), ("a", "u", "x"), ("b", "v", "y")]
    surest = run(rows, [0, 1], [2]).details["surest rule"]
    assert (surest["rows"], len(surest["columns known"])) == (2, 1)


def test_the_surest_rule_of_several_tables():
    """a says x in 2 of 2 rows; u says x in 4 of 5, which is less sure."""
    rows = [("a", "u", "x")] * 2 + [("b", "u", "x")] * 2 + [("b", "u", "y")]
    surest = run(rows, [0, 1], [2], confidence=0.5).details["surest rule"]
    assert (surest["confidence"], surest["rows"]) == (1, 2)


def test_without_a_rule_there_is_no_surest_one():
    found = run([("a", "x"), ("a", "y")], [0], [1])
    assert found.details == {
        "confidence": 1.0,
        "rules": 0,
        "rules counted by": "mlxtend",
        "targets by columns known": {},
    }
    assert (found.disclosed, found.witness, found.exposed.tolist()) == (0, None, [False])
    empty = table_of([("a", "x"), ("a", "y")], [0], [1], ("0",))
    assert empty.surest() is None
    assert empty.about(reduced([("a", "x")], [0], [1]).keys).tolist() == [False]


def test_it_needs_both_kinds_of_columns():
    reason = "rules need quasi-identifiers and a sensitive column"
    for qi, sensitive in (([], [0]), ([0], []), ([], [])):
        found = run([("a",)], qi, sensitive)
        assert (found.outcome, found.reason) == (Outcome.SKIPPED, reason)


@pytest.mark.parametrize("people", [None, [("a",), ("b",), ("c",)]])
@pytest.mark.parametrize("engine", ENGINES)
def test_an_unknown_value_is_told_of_nobody(people, engine):
    """Of a all is unknown, of b half; c shows x."""
    rows = [("a", None), ("b", None), ("b", "x"), ("c", "x")]
    found = run(rows, [0], [1], people, engine=engine)
    assert (found.targets, found.disclosed) == (4 if people is None else 3, 1)
    half = run(rows, [0], [1], people, confidence=0.5, engine=engine)
    assert half.disclosed == (3 if people is None else 2)
    nothing = run(rows[:1], [0], [1], people, engine=engine)
    assert (nothing.disclosed, nothing.details["rules"]) == (0, 0)


@pytest.mark.parametrize("people", [None, [("a",), ("b",), ("c",)]])
@pytest.mark.parametrize("engine", ENGINES)
def test_unknown_cells_that_are_one_value_are_told_like_others(people, engine):
    """Missing and suppressed are the one value of a; of b it is one of two; c shows x."""
    rows = [("a", None), ("a", "*"), ("b", "*"), ("b", "x"), ("c", "x")]
    convention = Convention(sensitive="one-value")
    found = run(rows, [0], [1], people, convention, engine=engine)
    assert (found.targets, found.disclosed) == ((5, 3) if people is None else (3, 2))
    assert found.details["rules"] == 2
    half = run(rows, [0], [1], people, convention, confidence=0.5, engine=engine)
    assert (half.disclosed, half.details["rules"]) == (half.targets, 4)
    two = run(rows, [0], [1], people, convention, min_rows=2, engine=engine)
    assert two.disclosed == (2 if people is None else 1)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, [1, 0, 1, 0]),
        ({"confidence": 2 / 3}, [1, 1, 1, 0]),
        ({"confidence": 0.67}, [1, 0, 1, 0]),
        ({"min_rows": 2}, [0, 0, 1, 0]),
        ({"min_rows": 2, "confidence": 0.6}, [0, 1, 1, 0]),
        ({"min_rows": 3, "confidence": 0.6}, [0, 0, 0, 0]),
    ],
)
def test_named_targets_one_by_one(options, told):
    """Of a one row, x; of b x in two of three; of c z in both; nobody is d."""
    rows = [("a", "x"), ("b", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("c", "z")]
    for who, is_told in zip("abcd", told, strict=True):
        found = run(rows, [0], [1], [(who,)] * 2, **options)
        assert (found.targets, found.disclosed) == (2, 2 * is_told)
        assert found.exposed is None
    assert run(rows, [0], [1], [(who,) for who in "abcd"], **options).disclosed == sum(told)


def test_who_lacks_a_cell_knows_only_the_others():
    """Without a year of birth, u says x as it does to who has one; without u nothing is told."""
    rows = [("a", "u", "x"), ("b", "u", "x"), ("a", "v", "y"), ("a", "v", "x")]
    for people, by_columns in (
        ([(None, "u")], {"1": 1}),
        ([("a", None)], {}),
        ([(None, None)], {}),
        ([("a", "u"), ("b", "u"), ("a", "v"), ("b", None)], {"1": 3}),
    ):
        found = run(rows, [0, 1], [2], people)
        assert found.details["targets by columns known"] == by_columns
        assert found.per_attribute == {"2": sum(by_columns.values())}


def test_a_named_person_is_one_target():
    """Ann stands there twice, and of a x is certain."""
    people = FrequencySet.of(["who", "0"], [("Ann", "a"), ("Ann", "a"), ("Bob", "a"), ("Cyd", "b")])
    classes = reduced([("a", "x"), ("b", "x"), ("b", "y")], [0], [1])
    found = Association().run(Setting(classes=classes, external=people, identity=("who",)))
    assert (found.targets, found.disclosed, found.per_attribute) == (3, 2, {"1": 2})


@pytest.mark.parametrize("people", [None, [("a", "u", "k")]])
def test_sets_that_were_not_counted_leave_it_open(people, monkeypatch):
    """Of three columns there are seven sets: with six, those of two are counted, and all three."""
    monkeypatch.setattr(association, "MOST_KNOWN_SETS", 6)
    rows = [("a", "u", "k", "x"), ("a", "u", "k", "y")]
    found = run(rows, [0, 1, 2], [3], people, allowed=0.5)
    assert (found.outcome, found.disclosed) == (Outcome.INCONCLUSIVE, 0)
    assert found.reason.startswith("only sets of up to 2 of the 3 quasi-identifiers were counted")
    monkeypatch.setattr(association, "MOST_KNOWN_SETS", 7)
    assert run(rows, [0, 1, 2], [3], people, allowed=0.5).outcome is Outcome.HOLDS


def test_values_of_several_attributes_are_told_of_named_targets():
    """a says s in the first and t in the second of the two rows there are; b nothing of either."""
    rows = [("a", "s", "t"), ("b", "s", "u"), ("b", "r", "t")]
    found = run(rows, [0], [1, 2], [("a",), ("b",), ("b",)])
    assert (found.disclosed, found.per_attribute) == (1, {"1": 1, "2": 1})
    known = run([("a", "s", "t"), ("a", "r", "t")], [0], [1, 2], [("a",)])
    assert (known.disclosed, known.per_attribute) == (1, {"1": 0, "2": 1})


ITEMS = FrequencySet.of(
    ["a", "b", "c"],
    [("x", "u", "s")] * 2 + [("x", "v", "s"), ("y", None, "s"), ("*", "u", "t")],
)


def test_itemsets_of_many_columns_that_no_two_rows_share():
    """Of 60 columns, only the last two have values in two rows: x, y and xy, not 2**60 sets."""
    rows = [(*[str(i)] * 58, "x", "y") for i in range(2)]
    table = FrequencySet.of([f"c{j}" for j in range(60)], rows)
    assert _number_of_itemsets(table, [FIRST_VALUE] * 60, 2, 60, association.MOST_ITEMSETS) == 3


@pytest.mark.parametrize(
    ("min_rows", "longest", "number"),
    [
        (1, 1, 6),  # x, y, u, v, s, t
        (1, 2, 6 + 7),  # xu, xv, xs, ys, us, vs, ut
        (1, 3, 6 + 7 + 2),  # xus, xvs
        (1, 9, 6 + 7 + 2),
        (2, 1, 3),  # x in three rows, u in three, s in four
        (2, 2, 3 + 3),  # xu in two, xs in three, us in two
        (2, 3, 3 + 3 + 1),
        (3, 3, 3 + 1),
        (4, 3, 1),
        (5, 3, 0),
    ],
)
def test_itemsets_by_hand(min_rows, longest, number, monkeypatch):
    """A missing or suppressed cell is no item. Counting stops where the limit is passed."""
    least = [FIRST_VALUE] * 3
    assert _number_of_itemsets(ITEMS, least, min_rows, longest, association.MOST_ITEMSETS) == number
    monkeypatch.setattr(association, "MOST_ITEMSETS", 3)
    cut = _number_of_itemsets(ITEMS, least, min_rows, longest, association.MOST_ITEMSETS)
    assert cut == number if number <= 3 else 3 < cut <= number
    if (min_rows, longest) == (1, 3):
        assert cut == 4  # x, y, u, v: the first two columns, and no more


@pytest.mark.parametrize(("cells", "told"), [(8, True), (7, False)])
def test_mlxtend_is_not_given_more_cells_than_it_can_hold(cells, told, monkeypatch):
    """Two rows and four items are eight cells."""
    monkeypatch.setattr(association, "MOST_ONE_HOT_CELLS", cells)
    found = run([("x", "a"), ("y", "b")], [0], [1], engine="mlxtend")
    assert (found.outcome is Outcome.MEASURED, found.disclosed) == (told, 2 if told else 0)


# Two rows, four items, six itemsets: x, y, a, b, xa, yb.
@pytest.mark.parametrize(
    ("name", "most", "engine"),
    [
        ("MOST_CELLS_BY_DEFAULT", 8, "mlxtend"),
        ("MOST_CELLS_BY_DEFAULT", 7, "exact"),
        ("MOST_ITEMSETS_BY_DEFAULT", 6, "mlxtend"),
        ("MOST_ITEMSETS_BY_DEFAULT", 5, "exact"),
    ],
)
def test_rules_come_from_mlxtend_up_to_a_size(name, most, engine, monkeypatch):
    monkeypatch.setattr(association, name, most)
    for asked in ({}, {"engine": "auto"}):
        found = run([("x", "a"), ("y", "b")], [0], [1], **asked)
        assert found.details["rules counted by"] == engine
        assert (found.disclosed, found.details["rules"]) == (2, 2)


def test_the_engine_that_counted_is_said():
    rows = [("x", "a"), ("y", "b")]
    assert run(rows, [0], [1]).details["rules counted by"] == "mlxtend"
    for engine in ENGINES:
        assert run(rows, [0], [1], engine=engine).details["rules counted by"] == engine
    persons = [("x", "a", "p"), ("y", "b", "q")]
    assert run(persons, [0], [1], unit=2).details["rules counted by"] == "exact"


def test_unknown_cells_are_no_items():
    """x, y, a: three items of two rows; a missing and a suppressed cell are none."""
    classes = reduced([("x", "a"), ("y", None)], [0], [1])
    assert association.engine_for(classes, [("0",)]) == "mlxtend"


@given(
    st.lists(
        st.tuples(*[st.sampled_from(["a", "b", None, "*"])] * 3, st.sampled_from(["u", "v", None])),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from([0.3, 0.5, 1.0]),
    st.integers(1, 3),
)
def test_an_audit_finds_the_same_by_every_engine(rows, confidence, min_rows):
    """All it reports but the engine: rules, the surest, disclosed and undecided, what is known."""
    found = [
        run(rows, [0, 1, 2], [3], confidence=confidence, min_rows=min_rows, engine=engine)
        for engine in ("auto", *ENGINES)
    ]
    told = [
        (one.targets, one.disclosed, one.undecided, one.outcome, one.per_attribute,
         {name: value for name, value in one.details.items() if name != "rules counted by"})
        for one in found
    ]  # fmt: skip
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize("min_rows", [1, 2, 3, 4])
def test_rules_that_enough_rows_show(min_rows):
    """One row is a, two b, three c: each says one value."""
    rows = [("a", "x")] + [("b", "y")] * 2 + [("c", "z")] * 3
    for engine in ENGINES:
        found = run(rows, [0], [1], min_rows=min_rows, engine=engine)
        assert found.details["rules"] == 4 - min_rows
        assert found.disclosed == sum(n for n in (1, 2, 3) if n >= min_rows)


def test_nothing_to_mine():
    """All cells of the release are unknown or rarer than asked for: no itemset, and no rule."""
    for rows in ([(None, None), ("x", None)], [("x", "a"), ("y", "b")]):
        assert run(rows, [0], [1], min_rows=3, engine="mlxtend").details["rules"] == 0


def test_both_ways_to_go_through_the_sets_find_the_same(monkeypatch):
    """Many columns are counted set by set, few are added up from one another."""
    rng = np.random.default_rng(3)
    rows = [tuple("ab"[i] for i in row) for row in rng.integers(0, 2, (9, 4))]
    told = []
    for limit in (16, 7):  # all seven sets either way
        monkeypatch.setattr(association, "MOST_KNOWN_SETS", limit)
        found = run(rows, [0, 1, 2], [3], confidence=0.7)
        told.append((found.details, found.disclosed, found.reason))
    assert told[0] == told[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_no_rule_has_a_cell_without_a_value(engine):
    """Of a nothing is known but s; what is missing, or was suppressed, says s too: no rule."""
    rows = [("a", None, "s"), ("a", "*", "s"), (None, "x", "s"), ("*", "x", "s")]
    classes = reduced(rows, [0], [1, 2])
    found = [
        (rule.antecedent, rule.consequent, rule.shown, rule.of)
        for table in rule_tables(classes, [("0",)], 0.5, engine=engine, joint=True)
        for rule in map(table.rule, range(len(table.of)))
    ]
    assert found == [((("0", "a"),), (("2", "s"),), 2, 2)]


def test_who_lacks_a_cell_is_not_told_of_by_all_columns(monkeypatch):
    """a and u together say x, but sets of two are not counted; all three are not known of her."""
    monkeypatch.setattr(association, "MOST_KNOWN_SETS", 3)
    rows = [("a", "u", "k", "x"), ("a", "v", "k", "y"), ("b", "u", "k", "y")]
    for who, by_columns in ((("a", "u", None), {}), (("a", "u", "k"), {"3": 1})):
        found = run(rows, [0, 1, 2], [3], [who], allowed=1.0)
        assert found.details["targets by columns known"] == by_columns
        assert found.reason.startswith("only sets of up to 1 of the 3")


def test_unknown_cells_that_may_make_a_rule_sure_leave_targets_undecided():
    """a: x and a gap, so x may be certain; b: x and y, so nothing is; c: gaps only."""
    rows = [("a", "x"), ("a", None), ("b", "x"), ("b", "y"), ("b", None), ("c", None)]
    found = run(rows, [0], [1], allowed=0.0)
    assert (found.disclosed, found.undecided, found.targets) == (0, 2, 6)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.reason.startswith("cells of '1' are unknown in classes")
    half = run(rows, [0], [1], allowed=0.0, confidence=2 / 3)
    assert (half.disclosed, half.undecided) == (0, 5)  # of b two of three may be x


def test_named_people_are_undecided_by_unknown_cells_and_by_unread_labels():
    """Ann of a may have x for certain; what `some` holds nobody knows; b is not certain.

    Who fits x and y stays with both, whatever `some` denotes.
    """
    rows = [("1", "x"), ("1", None), ("2", "x"), ("2", "y")]
    found = run(rows, [0], [1], [("1",), ("2",)], allowed=0.0)
    assert (found.disclosed, found.undecided, found.outcome) == (0, 1, Outcome.INCONCLUSIVE)
    unread = run([("some", "x"), ("2", "x"), ("2", "y")], [0], [1], [("1",), ("2",)], allowed=0.0)
    assert (unread.disclosed, unread.undecided) == (0, 1)
    assert unread.reason.startswith("1 label(s) of 0 cannot be compared")
