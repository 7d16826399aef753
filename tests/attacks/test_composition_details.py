"""Composition and anatomized tables: several attributes, limits of work, joins; by hand."""

import pytest
from builders import reduced

from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.roles import Roles
from attacks import composition
from attacks.composition import Composition, anatomized


def run(first, second, people, sensitive=(1,), of_second=None, **more):
    one = reduced(first, [0], sensitive)
    other = reduced(second, [0], sensitive if of_second is None else of_second)
    external = FrequencySet.of(["0"], [(who,) for who in people])
    return Composition().run(Setting(classes=one, second=other, external=external, **more))


def counts(found):
    """How many people have what in common; their chances are tested elsewhere."""
    return {label: n for label, n in found.details.items() if isinstance(n, int)}


# What a to f may have by each release, in two attributes.
FIRST = [
    ("a", "s", "u"), ("a", "t", "u"),
    ("b", "s", "u"),
    ("c", "s", "u"), ("c", "t", "v"),
    ("d", "s", "u"),
    ("e", "s", None), ("e", "t", "v"),
]  # fmt: skip
SECOND = [
    ("a", "s", "v"), ("a", "r", "v"),
    ("b", "s", "u"), ("b", "t", "v"),
    ("c", "s", "u"), ("c", "t", "v"),
    ("e", "t", "v"), ("e", "r", "v"),
    ("f", "s", "u"),
]  # fmt: skip


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
@pytest.mark.parametrize("people", ["abcdef", "fedcba", "abbcdef"])
def test_two_attributes_person_by_person(people, order):
    """a: s by both together, and no second value in common. b: by the first alone, both values.

    c: nothing. d and f are in one release only. e: t by both together, and v by the second alone,
    as in the first the second value is open.
    """
    twice = people.count("b")
    first, second = ([(r[0], *(r[j] for j in order)) for r in rows] for rows in (FIRST, SECOND))
    found = run(first, second, people, (1, 2))
    assert (found.targets, found.disclosed) == (5 + twice, 2 + twice)
    per = {1: 2 + twice, 2: 1 + twice}
    assert found.per_attribute == {"1": per[order[0]], "2": per[order[1]]}
    assert counts(found) == {
        "match both releases": 3 + twice,
        "certain by one release alone": 1 + twice,
        "only by both together": 1,
        "nothing in common": 1,
    }
    assert (found.outcome, found.reason) == (Outcome.MEASURED, None)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("mine", "theirs", "disclosed", "alone", "nothing"),
    [
        ("s", "s", 1, 1, 0),
        ("s", "st", 1, 1, 0),
        ("s", "t", 0, 0, 1),
        ("st", "tu", 1, 0, 0),
        ("st", "st", 0, 0, 0),
        ("st", "uv", 0, 0, 1),
        ("stu", "tuv", 0, 0, 0),
        (["s", None], "s", 1, 1, 0),
        (["s", None], "t", 1, 1, 0),
        (["s", None], "st", 0, 0, 0),
        (["s", "*"], "t", 1, 1, 0),
        (["s", "*"], "st", 0, 0, 0),
        (["s", "*"], "tu", 0, 0, 0),
        (["s", None], ["s", None], 0, 0, 0),
        ([None], ["s", None], 0, 0, 0),
    ],
)
def test_two_sets_of_values(mine, theirs, disclosed, alone, nothing, swapped):
    """A gap may be anything: it rules nothing out, and two of them leave everything open."""
    first, second = [("a", value) for value in mine], [("a", value) for value in theirs]
    first, second = (second, first) if swapped else (first, second)
    found = run(first, second, "a")
    assert (found.targets, found.disclosed) == (1, disclosed)
    assert counts(found) == {
        "match both releases": 1,
        "certain by one release alone": alone,
        "only by both together": disclosed - alone,
        "nothing in common": nothing,
    }


def test_columns_that_the_second_release_lacks():
    """The second leaves a with s and b with s, whose rows of the first show u. c has (s, u), (t, v)."""
    found = run(FIRST, [row[:2] for row in SECOND], "abc", (1, 2), (1,))
    assert (found.disclosed, found.per_attribute) == (2, {"1": 2, "2": 2})
    # s is in both, and of the rows of the first with s all show u: neither tells u by itself.
    first = [("a", "s", "u"), ("a", "t", "v")]
    found = run(first, [("a", "s"), ("a", "r")], "a", (1, 2), (1,))
    assert (found.disclosed, found.per_attribute) == (1, {"1": 1, "2": 1})
    assert found.details["only by both together"] == 1
    none = run(FIRST, [row[:1] for row in SECOND], "abc", (1, 2), ())
    assert (none.outcome, none.reason) == (
        Outcome.SKIPPED, "the releases have no sensitive column in common",
    )  # fmt: skip
    assert run(FIRST, SECOND, "x", (1, 2), allowed=0.3).allowed == 0.3


def test_quasi_identifiers_that_a_release_lacks():
    """The second knows the first column only: a may be s or t by it, and is s by the first."""
    first = reduced([("a", "u", "s"), ("a", "v", "t")], [0, 1], [2])
    table = FrequencySet.of(["0", "2"], [("a", "s"), ("a", "t")])
    second = equivalence_classes(table, Roles(("0",), ("2",)))
    people = FrequencySet.of(["0", "1"], [("a", "u")])
    found = Composition().run(Setting(classes=first, second=second, external=people))
    assert (found.disclosed, found.details["certain by one release alone"]) == (1, 1)
    other = equivalence_classes(FrequencySet.of(["9", "2"], [("a", "s")]), Roles(("9",), ("2",)))
    with pytest.raises(AnonauditError, match="composition: a release has none of the columns"):
        Composition().run(Setting(classes=first, second=other, external=people))


@pytest.mark.parametrize(("most", "disclosed"), [(3, 1), (2, None), (1, None)])
@pytest.mark.parametrize("swapped", [False, True])
def test_more_values_than_can_be_intersected(most, disclosed, swapped, monkeypatch):
    """Three values in one release and two in the other; three is more than two."""
    monkeypatch.setattr(composition, "MOST_TRIPLES", most)
    first, second = [("a", v) for v in "stu"], [("a", v) for v in "uw"]
    found = run(*((second, first) if swapped else (first, second)), "a")
    if disclosed is None:
        assert (found.outcome, found.rate) == (Outcome.INCONCLUSIVE, None)
        assert found.reason.startswith("too many candidates and values to intersect")
    else:
        assert found.disclosed == disclosed


WHO = FrequencySet.of(
    ["age", "zip", "g"],
    [("42", "1", "A"), ("42", "1", "A"), ("41", "2", "A"), ("30", "1", "B"), ("20", "1", "*"),
     ("21", "1", None), ("22", "1", "E")],
)  # fmt: skip


def rows_of(table):
    """The rows of a table with their counts, as texts."""
    return {
        tuple(labels[code] for labels, code in zip(table.labels, row, strict=True)): n
        for row, n in zip(table.codes.tolist(), table.counts.tolist(), strict=True)
    }


def test_everybody_of_a_group_with_every_value_of_it():
    """A has flu (3) and gout (1), each once more in a row of its own; B has flu. E has nothing.

    Who has no group has no values, and values of no group, or of one that nobody is in, are
    nobody's.
    """
    secrets = [("A", "flu", "2"), ("A", "flu", "1"), ("A", "gout", "1"), ("B", "flu", "7")]
    secrets += [("B", "hiv", "0"), ("*", "hiv", "1"), (None, "hiv", "1"), ("D", "mumps", "1")]
    what = FrequencySet.of(["g", "dx", "n"], [*secrets, secrets[0]])  # one row comes twice
    table = anatomized(WHO, what, "g", "n")
    assert table.attributes == ("age", "zip", "dx")
    assert rows_of(table) == {
        ("42", "1", "flu"): 2 * (2 + 2 + 1),
        ("42", "1", "gout"): 2,
        ("41", "2", "flu"): 2 + 2 + 1,
        ("41", "2", "gout"): 1,
        ("30", "1", "flu"): 7,
    }
    plain = anatomized(WHO, what.project(["g", "dx"]), "g")
    assert rows_of(plain) == {
        ("42", "1", "flu"): 2 * 3,
        ("42", "1", "gout"): 2,
        ("41", "2", "flu"): 3,
        ("41", "2", "gout"): 1,
        ("30", "1", "flu"): 1,
        ("30", "1", "hiv"): 1,
    }


def test_groups_in_any_order_and_large_ones():
    """B comes before A in the second table, and stands in forty rows of it."""
    what = FrequencySet.of(["g", "dx"], [("B", f"{i:02}") for i in range(40)] + [("A", "flu")])
    found = rows_of(anatomized(WHO, what, "g"))
    assert found == {
        ("42", "1", "flu"): 2,
        ("41", "2", "flu"): 1,
        **{("30", "1", f"{i:02}"): 1 for i in range(40)},
    }


@pytest.mark.parametrize("count", ["1.5", "-1", "x", None, "*"])
def test_counts_that_are_no_whole_numbers(count):
    what = FrequencySet.of(["g", "dx", "n"], [("A", "flu", "1"), ("B", "flu", count)])
    with pytest.raises(AnonauditError, match="'n' must hold whole numbers in every row"):
        anatomized(WHO, what, "g", "n")


def test_what_is_there_0_times_is_no_candidate():
    """The group shows flu twice and hiv never, so flu is certain by this release alone."""
    what = FrequencySet.of(["g", "1", "n"], [("A", "flu", "2"), ("A", "hiv", "0")])
    who = FrequencySet.of(["0", "g"], [("42", "A"), ("41", "A")])
    classes = equivalence_classes(anatomized(who, what, "g", "n"), Roles(("0",), ("1",)))
    assert classes.sensitive["1"].distinct.tolist() == [1, 1]
    second = reduced([("42", "flu"), ("42", "hiv")], [0], [1])
    people = FrequencySet.of(["0"], [("42",)])
    found = Composition().run(Setting(classes=classes, second=second, external=people))
    assert (found.disclosed, found.details["certain by one release alone"]) == (1, 1)


def test_joint_candidates_that_agree_but_for_unknown_cells_are_undecided():
    """1: x or unknown in both, so x or anything; 2: x and y."""
    rows = [("1", "x"), ("1", None), ("2", "x"), ("2", "y")]
    classes = reduced(rows, [0], [1])
    people = FrequencySet.of(["0"], [("1",), ("2",)])
    setting = Setting(classes=classes, second=classes, external=people, allowed=0.0)
    found = Composition().run(setting)
    assert (found.disclosed, found.undecided, found.outcome) == (0, 1, Outcome.INCONCLUSIVE)
    assert found.reason.startswith("cells of '1' are unknown")


@pytest.mark.parametrize(
    ("second", "disclosed", "undecided"),
    [
        ([("1", "x"), ("some", "y")], 0, 1),  # x alone, or x and y
        ([("1", "x"), ("some", "x")], 1, 0),  # x either way
        ([("1", "x"), ("1", "y"), ("some", "x")], 0, 0),  # x and y either way
        ([("some", "x")], 0, 1),  # x, or nothing
    ],
)
def test_labels_of_a_second_release_that_cannot_be_compared(second, disclosed, undecided):
    """In the first release 1 has x or y; in the second it may be in `some`."""
    one, two = (reduced(rows, [0], [1]) for rows in ([("1", "x"), ("1", "y")], second))
    people = FrequencySet.of(["0"], [("1",)])
    setting = Setting(classes=one, second=two, external=people, allowed=0.0)
    found = Composition().run(setting)
    assert (found.disclosed, found.undecided) == (disclosed, undecided)
    if undecided:
        assert found.reason.startswith("1 label(s) of 0 cannot be compared")
