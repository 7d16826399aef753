"""Composition: two releases, each safe alone; anatomized tables."""

import pytest
from builders import reduced
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit import datasets
from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.policy.policy import parse_policy
from anonaudit.roles import Roles
from anonaudit.source.table import open_source
from attacks.composition import Composition, anatomized


def run(first, second, people, **options):
    external = FrequencySet.of(["0"], [(who,) for who in people])
    classes = [reduced(rows, [0], [1]) for rows in (first, second)]
    return Composition().run(
        Setting(classes=classes[0], second=classes[1], external=external, options=options)
    )


def test_two_safe_releases_disclose_together():
    """Ganta 2008, in small: {flu, hiv} in one hospital's release, {hiv, gout} in the other's."""
    first = [("30-39", "flu"), ("30-39", "hiv")]
    second = [("35-44", "hiv"), ("35-44", "gout")]
    found = run(first, second, ["36", "31", "90"])
    assert (found.targets, found.disclosed) == (3, 1)
    assert found.details["match both releases"] == 1
    assert found.details["only by both together"] == 1
    assert found.details["certain by one release alone"] == 0


def test_a_change_between_the_releases_leaves_nothing_in_common():
    found = run([("30-39", "flu")], [("30-39", "hiv")], ["36"])
    assert (found.disclosed, found.details["nothing in common"]) == (0, 1)


@given(
    *[
        st.lists(
            st.tuples(
                st.sampled_from(["30-35", "33-39", "30-39", "*"]),
                st.sampled_from(["flu", "hiv", "gout", None]),
            ),
            min_size=1,
            max_size=5,
        )
    ]
    * 2,
    st.lists(st.sampled_from(["30", "34", "39", "50"]), min_size=1, max_size=4),
)
def test_against_sets_of_values_one_by_one(first, second, people):
    """A person's values in a release: those of all rows it fits; everything, if one is unknown."""

    def fits(age, label):
        return label == "*" or int(label[:2]) <= int(age) <= int(label[3:])

    every = {row[1] for row in (*first, *second)} - {None}

    def values(rows, age):
        here = [row[1] for row in rows if fits(age, row[0])]
        return here, set(every) if None in here else set(here)

    disclosed = met = 0
    for age in people:
        (one, mine), (other, theirs) = values(first, age), values(second, age)
        both_open = None in one and None in other
        met += bool(one and other)
        disclosed += bool(one and other and not both_open and len(mine & theirs) == 1)
    found = run(first, second, people, suppressed_rows="candidates")
    assert (found.targets, found.disclosed) == (len(people) if met else 0, disclosed)
    assert found.details.get("match both releases", 0) == met


def test_one_person_in_two_anatomized_tables():
    """GCG08 Figure 3 and a second anatomy of patient 3, whose group there has flu and gout.

    Group 1 says heart disease, flu or stomach disease; in common is flu.
    """

    def table(name, *columns):
        return count(open_source(datasets.path(f"GCG08/{name}.csv")), columns)

    quasi = table("figure3-qit", "age", "group-id")
    secret = table("figure3-disease-type", "group-id", "disease-type", "count")
    one = anatomized(quasi, secret, "group-id", "count")
    roles = Roles(("age",), ("disease-type",))
    first = equivalence_classes(one, roles)
    assert first.sensitive["disease-type"].distinct.tolist() == [3, 3, 3, 3]
    assert first.sensitive["disease-type"].largest.tolist() == [2, 2, 2, 2]
    other = anatomized(
        FrequencySet.of(["age", "g"], [("49", "7"), ("30", "7")]),
        FrequencySet.of(["g", "disease-type"], [("7", "Flu"), ("7", "Gout")]),
        "g",
    )
    second = equivalence_classes(other, roles)
    people = FrequencySet.of(["age"], [("49",), ("42",)])
    found = Composition().run(Setting(classes=first, second=second, external=people))
    assert (found.disclosed, found.details["only by both together"]) == (1, 1)
    with pytest.raises(AnonauditError, match="whole numbers"):
        anatomized(quasi, secret, "group-id", "disease-type")


def test_what_cannot_be_attacked_is_said():
    plain = reduced([("x", "a")], [0], [1])
    people = FrequencySet.of(["0"], [("x",)])
    assert Composition().run(Setting(classes=plain)).outcome is Outcome.SKIPPED
    assert Composition().run(Setting(classes=plain, second=plain)).outcome is Outcome.SKIPPED
    persons = reduced([("x", "a", "p")], [0], [1], unit=2)
    found = Composition().run(Setting(classes=persons, second=plain, external=people))
    assert found.outcome is Outcome.INCONCLUSIVE
    nobody = run([("1", "a")], [("1", "a")], ["2"])
    assert (nobody.outcome, nobody.rate) == (Outcome.INCONCLUSIVE, None)
    assert "matches both" in nobody.reason
    assert run([("x", "a")], [("x", "a")], []).outcome is Outcome.INCONCLUSIVE


def test_through_a_policy(tmp_path):
    (tmp_path / "people.csv").write_text("who,age\nAnn,36\nBob,31\n")
    (tmp_path / "first.csv").write_text("age,dx\n30-39,flu\n30-39,hiv\n")
    (tmp_path / "second.csv").write_text("age,dx,other\n35-44,hiv,1\n35-44,gout,2\n")
    text = (
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        "[attacks.composition]\nexternal = 'people.csv'\nidentity = ['who']\n"
        "second = 'second.csv'\nallow-rate = 0.0\n"
    )
    policy = parse_policy(text, folder=tmp_path)
    found = anonaudit.audit(tmp_path / "first.csv", policy).attacks[0]
    assert (found.disclosed, found.outcome) == (1, Outcome.VIOLATED)
    (tmp_path / "second.csv").write_text("dx\nhiv\n")
    with pytest.raises(AnonauditError, match="no quasi-identifier"):
        anonaudit.audit(tmp_path / "first.csv", policy)
    with pytest.raises(AnonauditError, match=r"third\.csv"):
        parse_policy(text.replace("second.csv", "third.csv"), folder=tmp_path)


def test_who_matches_only_one_though_everyone_is_released():
    """36 fits both and has hiv; 31 fits the first alone, 90 none."""
    first = [("30-39", "flu"), ("30-39", "hiv")]
    second = [("35-44", "hiv"), ("35-44", "gout")]
    found = run(first, second, ["36", "31", "90"], everyone_released=True)
    assert (found.disclosed, found.undecided) == (1, 2)
    assert "everyone-released" in found.reason
    assert run(first, second, ["36"], everyone_released=True).undecided == 0


def test_unknown_cells_are_one_value_where_the_convention_says_so():
    """An empty and a starred cell are one value: both releases have it, and nothing else."""
    first, second = [("30", None), ("30", "flu")], [("30", "*"), ("30", "hiv")]
    assert run(first, second, ["30"]).disclosed == 0
    classes = [
        reduced(rows, [0], [1], convention=Convention(sensitive="one-value"))
        for rows in (first, second)
    ]
    external = FrequencySet.of(["0"], [("30",)])
    found = Composition().run(Setting(classes=classes[0], second=classes[1], external=external))
    assert (found.disclosed, found.undecided) == (1, 0)


def test_a_number_is_one_value_however_it_is_written():
    """1.0 and 1 are what both have; a code with a leading zero is another value."""
    first, second = [("30", "1.0"), ("30", "2")], [("30", "1"), ("30", "3")]
    assert run(first, second, ["30"]).disclosed == 1
    codes = run([("30", "01"), ("30", "2")], [("30", "1"), ("30", "3")], ["30"])
    assert codes.disclosed == 0
    zero = run([("30", "0"), ("30", "2")], [("30", "0.0"), ("30", "3")], ["30"])
    assert zero.disclosed == 1


def test_what_is_certain_beside_two_spellings_is_undecided():
    """Oslo is in both, and so may Bergen be."""
    first, second = [("30", "Oslo"), ("30", "BERGEN")], [("30", "Oslo"), ("30", "Bergen")]
    found = run(first, second, ["30"])
    assert (found.disclosed, found.undecided) == (0, 1)


@pytest.mark.parametrize(
    ("ours", "theirs", "tree", "exposed"),
    [
        # Of flu, hiv and respiratory, gout: respiratory is above flu.
        (["flu", "hiv"], ["respiratory", "gout"], True, "undecided"),
        (["respiratory", "gout"], ["flu", "hiv"], True, "undecided"),
        (["E11.9", "J45.9"], ["E11.9**", "I10"], False, "undecided"),
        (["E11.9", "J45.9"], ["E11", "I10"], False, "undecided"),
        (["20-29", "50-59"], ["25", "77"], False, "undecided"),
        (["1990-05-03", "1991-01-02"], ["1990-05", "1977-01"], False, "undecided"),
        (["flu", "hiv"], ["flu or cold", "gout"], False, "undecided"),
        (["flu", "hiv"], ["unknown", "gout"], False, "undecided"),
        (["2139.0", "10027.0"], ["02139", "60601"], False, "undecided"),
        # One value is in both, and none of the others may be.
        (["flu", "hiv"], ["flu", "gout"], False, "exposed"),
        (["flu", "hiv"], ["flu", "gout"], True, "exposed"),
        # Two are in both.
        (["flu", "hiv"], ["flu", "hiv"], True, "safe"),
        # Nothing is, nor may be.
        (["flu", "hiv"], ["gout", "cold"], True, "safe"),
        (["flu", "hiv"], ["gout", "cold"], False, "safe"),
    ],
)
def test_a_value_of_one_release_may_stand_for_one_of_the_other(ours, theirs, tree, exposed):
    """Ann is 34. Another class has the same two values in both releases, of which she has none."""
    leaves = [("flu", "respiratory"), ("cold", "respiratory"), ("hiv", "inf"), ("gout", "joint")]
    every = [(*leaf, "*") for leaf in leaves] + [(x, x, "*") for x in ("zz", "yy")]
    beside = [("50-59", "zz"), ("50-59", "yy")]
    one, other = (
        reduced([("30-39", value) for value in values] + beside, [0], [1])
        for values in (ours, theirs)
    )
    trees = {"1": Hierarchy.from_levels("1", every)} if tree else {}
    external = FrequencySet.of(["0"], [("34",)])
    setting = Setting(classes=one, second=other, external=external, hierarchies=trees)
    found = Composition().run(setting)
    counts = {"exposed": (1, 0), "undecided": (0, 1), "safe": (0, 0)}
    assert (found.disclosed, found.undecided) == counts[exposed]


def test_nothing_in_common_though_everyone_is_released_is_undecided():
    first, second = ([("30-39", x), ("50-59", "zz"), ("50-59", "yy")] for x in ("flu", "hiv"))
    assert run(first, second, ["36"]).undecided == 0
    assert run(first, second, ["36"], everyone_released=True).undecided == 1
