"""Editions against every world: all ways to find the rows of the smaller edition in the larger one."""

from itertools import permutations, product

import pytest
from builders import reduced
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.policy.policy import parse_policy
from anonaudit.report.text import to_text
from attacks.editions import Editions
from attacks.homogeneity import Homogeneity

VALUES = ("s", "t", "unseen")
MEANT = {
    "[1,2]": {1, 2},
    "[3,4]": {3, 4},
    "[1,4]": {1, 2, 3, 4},
    "[2,3]": {2, 3},
    "*": {1, 2, 3, 4},
}
SUBSETS = [{n for n in range(1, 5) if bits >> n & 1} for bits in range(2, 32, 2)]


def run(smaller, larger, change="growing", sensitive=(1, 2), **more):
    """Column 0 is the quasi-identifier."""
    few, many = (reduced(rows, [0], [*sensitive]) for rows in (smaller, larger))
    this, second = (many, few) if change == "growing" else (few, many)
    return Editions().run(Setting(classes=this, second=second, options={"change": change}, **more))


def worlds(smaller, larger, meant):
    """The places of the rows of the larger edition that are left over, world by world."""
    everything = set(range(len(larger)))
    found = []
    for taken in permutations(everything, len(smaller)):
        pairs = zip(smaller, (larger[i] for i in taken), strict=True)
        if all(meant[one[0]] & meant[other[0]] and one[1:] == other[1:] for one, other in pairs):
            found.append(everything - set(taken))
    return found


def by_worlds(smaller, larger, meant=MEANT):
    """The fewest and the most people of whom a value is certain, the fewest by column and alone.

    Who has a row in no class may be one of them: nobody knows which class is theirs.
    """
    every = worlds(smaller, larger, meant)
    if not every:
        return None
    inside = {label: [i for i, row in enumerate(larger) if row[0] == label] for label in meant}
    apart = {*inside.pop("*")}
    exposed, alone = [set(), set()], set()
    for places in inside.values():
        for j in (0, 1):
            left = {larger[i][j + 1] for left in every for i in left if i in places}
            if len(left) == 1:
                exposed[j].update(places)
                if len({larger[i][j + 1] for i in places}) == 1:
                    alone.update(places)

    def fewest(places):
        return min(len(left & places) for left in every)

    both = exposed[0] | exposed[1]
    per = [fewest(places) for places in exposed]
    most = max(len(left & (both | apart)) for left in every)
    return min(fewest(both), sum(per)), most, per, fewest(alone)


ROW = st.tuples(st.sampled_from([*MEANT]), st.sampled_from("st"), st.sampled_from("uv"))


@st.composite
def editions(draw, row=ROW, labels=tuple(MEANT), most=3):
    """A smaller edition, and a larger one that has its rows under other labels."""
    smaller = draw(st.lists(row, min_size=1, max_size=most))
    newcomers = draw(st.lists(row, min_size=1, max_size=most))
    again = [(draw(st.sampled_from(labels)), *one[1:]) for one in smaller]
    return smaller, draw(st.permutations(again + newcomers))


def test_values_on_two_levels_within_an_edition_are_undecided():
    """Both newcomers may have a cold: `resp` stands for it, too."""
    paths = [["flu", "resp", "*"], ["cold", "resp", "*"], ["HIV", "*", "*"]]
    trees = {"c1": Hierarchy.from_levels("c1", paths)}
    old = [("[1,2]", "HIV")]
    new = [*old, ("[1,2]", "resp"), ("[1,2]", "cold")]
    name = reduced(old, [0], [1]).roles.sensitive[0]
    found = run(old, new, sensitive=(1,), hierarchies={name: trees["c1"]})
    assert (found.targets, found.disclosed, found.undecided) == (2, 0, 2)


def test_newcomers_whose_rows_are_in_no_class_are_undecided():
    """Three rows of `*` are new, and all have t: whoever knows a newcomer knows that."""
    old = [("[1,2]", "s", "u"), ("[1,2]", "t", "v")]
    found = run(old, old + [("*", "t", "u")] * 3, "growing")
    assert (found.targets, found.disclosed, found.undecided) == (3, 0, 3)
    assert found.outcome is not Outcome.HOLDS
    assert "rows in no class" in found.reason


@given(editions(), st.sampled_from(["growing", "shrinking"]))
def test_what_is_left_over_in_every_world(both, change):
    smaller, larger = both
    expected = by_worlds(smaller, larger)
    found = run(smaller, larger, change)
    if expected is None:
        assert (found.outcome, found.rate) == (Outcome.INCONCLUSIVE, None)
        assert "is left for" in found.reason
        return
    disclosed, most, per, alone = expected
    assert found.targets == len(larger) - len(smaller)
    assert (found.disclosed, found.undecided) == (disclosed, most - disclosed)
    assert [*found.per_attribute.values()] == per
    assert found.details["certain by one edition alone"] == min(alone, disclosed)
    assert found.details["only by comparing the editions"] == disclosed - min(alone, disclosed)


@given(editions(st.tuples(st.sampled_from(["[1,2]", "[3,4]"]), st.sampled_from(["s", "t", None]),
                          st.just("")), ("[1,2]", "[3,4]"), most=2))  # fmt: skip
def test_whatever_unknown_cells_are_the_bounds_hold(both):
    found = run(*both, sensitive=(1,))
    gaps = sum(row[1] is None for rows in both for row in rows)
    for values in product(VALUES, repeat=gaps):
        filling = iter(values)
        filled = [[(row[0], row[1] or next(filling), "") for row in rows] for rows in both]
        expected = by_one_column(*filled)
        if expected is not None and found.rate is not None:
            assert found.disclosed <= expected[0]
            assert expected[1] <= found.disclosed + found.undecided


@given(editions(st.tuples(st.sampled_from(["[1,2]", "[3,4]", "some"]), st.sampled_from("st"),
                          st.just("")), ("[1,2]", "[3,4]", "some"), most=2))  # fmt: skip
def test_whatever_a_label_that_nobody_can_read_stands_for_the_bounds_hold(both):
    found = run(*both, sensitive=(1,))
    for some in SUBSETS:
        expected = by_one_column(*both, {**MEANT, "some": some})
        if expected is not None and found.rate is not None:
            assert found.disclosed <= expected[0]
            assert expected[1] <= found.disclosed + found.undecided


def by_one_column(smaller, larger, meant=MEANT):
    """The fewest and the most of whom the first column is certain; the second says nothing."""
    every = worlds(smaller, larger, meant)
    if not every:
        return None
    exposed = set()
    for label in {row[0] for row in larger}:
        places = {i for i, row in enumerate(larger) if row[0] == label}
        if len({larger[i][1] for left in every for i in left & places}) == 1:
            exposed |= places
    numbers = [len(left & exposed) for left in every]
    return min(numbers), max(numbers)


@given(st.lists(st.tuples(st.sampled_from(["[1,2]", "[3,4]"]), st.sampled_from(["s", "t", None])),
                min_size=1, max_size=6))  # fmt: skip
def test_after_an_empty_edition_it_is_homogeneity(rows):
    classes = reduced(rows, [0], [1])
    nobody = classes.recounted(classes.base.where(classes.base.counts < 0))
    found = Editions().run(Setting(classes=classes, second=nobody))
    expected = Homogeneity().run(Setting(classes=classes))
    assert (found.targets, found.disclosed) == (len(rows), expected.disclosed)
    assert found.undecided >= expected.undecided  # a class without any known value is undecided too
    assert found.details["only by comparing the editions"] == 0


# A ward of four, then of six: flu and HIV came to [30,40), and two HIV to [40,50).
BEFORE = [("[30,40)", "flu"), ("[30,40)", "gout"), ("[40,50)", "flu"), ("[40,50)", "gout")]
CAME = [("[30,40)", "flu"), ("[30,40)", "HIV"), ("[40,50)", "HIV"), ("[40,50)", "HIV")]


def test_newcomers_of_one_illness():
    """Both editions have two illnesses or more in each class; of four newcomers two have HIV."""
    found = run(BEFORE, BEFORE + CAME, sensitive=(1,), allowed=0.0)
    assert (found.targets, found.disclosed, found.outcome) == (4, 2, Outcome.VIOLATED)
    assert found.details == {
        "certain by one edition alone": 0,
        "only by comparing the editions": 2,
        "classes that give a value away": {"1": 1},
    }
    assert found.exposed.tolist() == [False, True]
    assert (found.witness.rows, found.witness.attribute) == (4, "1")


def test_those_who_left_are_newcomers_backwards():
    found = run(BEFORE, BEFORE + CAME, "shrinking", sensitive=(1,), allowed=0.0)
    assert (found.targets, found.disclosed, found.outcome) == (4, 2, Outcome.VIOLATED)
    assert (found.exposed, found.witness) == (None, None)


def test_a_row_that_is_gone_decides_nobody():
    """Gout of [30,40) is in the earlier edition only."""
    found = run(BEFORE, [BEFORE[0], *BEFORE[2:], *CAME], sensitive=(1,), allowed=0.0)
    assert (found.outcome, found.rate) == (Outcome.INCONCLUSIVE, None)
    assert found.reason.startswith("no row of this edition is left for 1 row(s) of the second one")
    same = run(BEFORE, BEFORE, sensitive=(1,))
    assert (same.outcome, same.reason) == (
        Outcome.INCONCLUSIVE, "both editions have as many rows, so nobody is in one only",
    )  # fmt: skip


def test_two_values_in_every_world_are_safe_beside_an_unknown_cell():
    """A gap before can be one flu or one HIV of two each. With one each nobody knows who came."""
    before = [("1", None)]
    two = [("1", x) for x in ("flu", "flu", "HIV", "HIV")]
    found = run(before, two, sensitive=(1,))
    assert (found.disclosed, found.undecided) == (0, 0)
    found = run(before, two[1:3], sensitive=(1,))
    assert (found.disclosed, found.undecided) == (0, 1)
    assert found.reason.startswith("cells of '1' are unknown")


def test_values_on_two_levels_are_undecided():
    """`respiratory` before may be flu or cold after; the hierarchy says so."""
    leaves = [("flu", "respiratory", "*"), ("cold", "respiratory", "*"), ("gout", "joint", "*")]
    tree = {"1": Hierarchy.from_levels("1", leaves)}
    before, after = (
        [("1", "respiratory"), ("1", "gout")],
        [("1", x) for x in ("flu", "cold", "gout")],
    )
    found = run(before, after, sensitive=(1,), hierarchies=tree)
    assert (found.disclosed, found.undecided) == (0, 1)
    assert "values of '1' in the two editions" in found.reason
    assert "values.normalize" in found.reason


def test_a_value_and_a_label_above_it_in_one_edition_are_not_two_values():
    """Two flu and two respiratory after one respiratory: all that came may have flu."""
    leaves = [("flu", "respiratory", "*"), ("cold", "respiratory", "*")]
    tree = {"1": Hierarchy.from_levels("1", leaves)}
    after = [("1", x) for x in ("flu", "flu", "respiratory", "respiratory")]
    found = run([("1", "respiratory")], after, sensitive=(1,), hierarchies=tree)
    assert (found.disclosed, found.undecided) == (0, 3)


def test_an_unknown_cell_of_a_column_that_only_the_later_edition_has():
    """Of two newcomers one has income low, the other's is unknown."""
    few = reduced([("1", "flu"), ("1", "gout")], [0], [1])
    rows = [("1", "flu", "high"), ("1", "gout", "low"), ("1", "flu", "low"), ("1", "gout", None)]
    found = Editions().run(Setting(classes=reduced(rows, [0], [1, 2]), second=few))
    assert (found.disclosed, found.undecided) == (0, 0)  # flu and gout came, high and low may have
    rows = [("1", "flu", "low"), ("1", "flu", "low"), ("1", "gout", "low"), ("1", "flu", None)]
    found = Editions().run(Setting(classes=reduced(rows, [0], [1, 2]), second=few))
    assert (found.disclosed, found.undecided) == (2, 0)  # two flu came


def test_who_is_exposed_by_one_of_two_columns_only_counts_once_and_never_more_than_both():
    """One of four rows is left over, of A with the first value s or of B with the second value u."""
    before = [("[1,4]", None, None)] * 3
    after = [("[1,2]", "s", "u"), ("[1,2]", "s", "v"), ("[3,4]", "s", "u"), ("[3,4]", "t", "u")]
    found = run(before, after)
    assert (found.disclosed, found.undecided, found.per_attribute) == (0, 1, {"1": 0, "2": 0})


def test_what_cannot_be_attacked_is_said():
    plain = reduced([("x", "a")], [0], [1])
    found = Editions().run(Setting(classes=plain))
    assert (found.outcome, found.reason) == (Outcome.SKIPPED, "no second edition was given")
    persons = reduced([("x", "a", "p"), ("x", "a", "q")], [0], [1], unit=2)
    found = Editions().run(Setting(classes=persons, second=plain))
    assert found.outcome is Outcome.INCONCLUSIVE
    wild = reduced([("x", "a", "s"), ("x", "*", "t")], [0, 1], [2],
                   convention=Convention(quasi_identifiers="wildcard"))  # fmt: skip
    found = Editions().run(Setting(classes=wild, second=wild))
    assert "wildcard" in found.reason
    none = reduced([("x", "a"), ("x", "b")], [0], [])
    found = Editions().run(Setting(classes=none, second=plain))
    assert found.outcome is Outcome.SKIPPED
    with pytest.raises(AnonauditError, match="editions: change must be one of"):
        Editions().run(Setting(classes=plain, second=plain, options={"change": "both"}))


@pytest.fixture
def folder(tmp_path):
    """2023.csv and 2024.csv."""
    for name, rows in (("2023", BEFORE), ("2024", BEFORE + CAME)):
        lines = [f'"{age}",{illness}' for age, illness in rows]
        (tmp_path / f"{name}.csv").write_text("\n".join(["age,dx", *lines, ""]))
    return tmp_path


POLICY = """
columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }
attacks.editions = { second = '2023.csv', allow-rate = 0.0 }
"""


def audited(folder, release, text):
    policy = parse_policy(text, folder=folder)
    return anonaudit.audit(folder / release, policy).attacks[0]


def test_through_a_policy(folder):
    found = audited(folder, "2024.csv", POLICY)
    assert (found.disclosed, found.outcome) == (2, Outcome.VIOLATED)
    report = anonaudit.audit(folder / "2024.csv", parse_policy(POLICY, folder=folder))
    (advice,) = (line for line in to_text(report).split("  - ") if "discloses a sensitive" in line)
    assert "Publish newcomers only once" in " ".join(advice.split())
    assert "p-sensitive" not in advice
    back = POLICY.replace("2023.csv'", "2024.csv', change = 'shrinking'")
    found = audited(folder, "2023.csv", back)
    assert (found.disclosed, found.outcome) == (2, Outcome.VIOLATED)
    with pytest.raises(AnonauditError, match="second"):
        parse_policy(POLICY.replace("'2023.csv'", "['2023.csv']"), folder=folder)


def test_aggregated_editions(folder):
    """Of five three have flu, of seven still three: two came, both with HIV."""
    for name, n in (("2023", 2), ("2024", 4)):
        (folder / f"{name}.csv").write_text(f'age,dx,n\n"[30,40)",flu,3\n"[30,40)",HIV,{n}\n')
    found = audited(folder, "2024.csv", POLICY.replace("['dx']", "['dx'], count = 'n'"))
    assert (found.targets, found.disclosed) == (2, 2)
