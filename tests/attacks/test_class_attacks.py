"""Residual, skewness, similarity and homogeneity: what else they tell, counted by hand."""

import pytest
from builders import all_tables, reduced

import anonaudit
from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.policy import parse_policy
from anonaudit.report.text import to_text
from attacks.homogeneity import Homogeneity
from attacks.residual import Residual
from attacks.similarity import Similarity
from attacks.skewness import Skewness


def residual(rows, people, qi=(0,), sensitive=(1,), unit=None, **more):
    external = FrequencySet.of([str(c) for c in qi], [tuple(who) for who in people])
    classes = reduced(rows, qi, sensitive, unit=unit)
    return Residual().run(Setting(classes=classes, external=external, **more))


@pytest.mark.parametrize(
    ("gone", "people", "identified", "per", "shares", "is_noted"),
    [
        # Who is z fits nothing. One row is suppressed, or two.
        ([("s", "u")], "abz", 1, (1, 1), (1, 1), False),
        ([("s", "u")], "abzz", 0, (0, 0), (1, 1), True),
        ([("s", "u")], "ab", 0, (0, 0), (1, 1), False),
        ([("s", None)], "az", 1, (1, 0), (1, 0), False),
        ([(None, None)], "az", 1, (0, 0), (0, 0), False),
        ([("s", "u"), ("s", "v")], "abz", 0, (1, 0), (1, 1 / 2), False),
        ([("s", "u"), ("s", "v")], "abzz", 0, (2, 0), (1, 1 / 2), False),
        ([("s", "u"), ("s", "v")], "abzzz", 0, (0, 0), (1, 1 / 2), True),
        ([("s", "u"), (None, "u")], "bzz", 0, (0, 2), (1 / 2, 1), False),
        ([("s", "u"), ("t", "v")], "azz", 0, (0, 0), (1 / 2, 1 / 2), False),
        ([("s", "u")] * 2 + [("t", "u")], "bzz", 0, (0, 2), (2 / 3, 1), False),
    ],
)
def test_residual_case_by_case(gone, people, identified, per, shares, is_noted):
    rows = [("a", "s", "u"), ("b", "t", "v"), *(("*", *one) for one in gone)]
    found = residual(rows, people, sensitive=(1, 2), allowed=0.5)
    unplaced = people.count("z")
    hit = max(*per, identified)
    assert (found.targets, found.identified, found.disclosed) == (len(people), identified, max(per))
    assert (found.rate, found.per_attribute) == (hit / len(people), {"1": per[0], "2": per[1]})
    assert found.outcome is (Outcome.VIOLATED if hit / len(people) > 0.5 else Outcome.HOLDS)
    assert found.details == {
        "suppressed rows": len(gone),
        "fit no published class": unplaced,
        "share of the most frequent value": {"1": shares[0], "2": shares[1]},
    }
    assert bool(found.notes) == is_noted


def test_residual_rows_that_keep_a_cell_are_published():
    """Who is a,v fits the row with its first cell; c,w fits none, and is in the last."""
    rows = [("a", "*", "s"), ("b", "u", "s"), ("*", "*", "t")]
    found = residual(rows, ["av", "cw"], (0, 1), (2,))
    assert (found.disclosed, found.identified) == (1, 1)
    assert found.details["suppressed rows"] == found.details["fit no published class"] == 1
    kept = residual(rows[:2], ["av", "cw"], (0, 1), (2,))
    assert (kept.outcome, kept.reason) == (
        Outcome.SKIPPED, "no row of the release is suppressed as a whole",
    )  # fmt: skip


def test_residual_persons():
    """q and r are in four suppressed rows; both have s, q twice, and t as well."""
    rows = [("a", "s", "p"), ("*", "s", "q"), ("*", "t", "q"), ("*", "s", "r"), ("*", "s", "q")]
    found = residual(rows, ["a", "z", "y"], unit=2)
    assert (found.identified, found.disclosed, found.details["suppressed rows"]) == (0, 2, 2)
    assert found.details["share of the most frequent value"] == {"1": 1}
    other = residual([*rows[:3], ("*", "u", "r")], ["a", "z"], unit=2)
    assert (other.disclosed, other.details["share of the most frequent value"]) == (0, {"1": 1 / 2})


def test_residual_needs_a_sensitive_column():
    found = residual([("a",), ("*",)], ["a", "z"], sensitive=())
    assert (found.outcome, found.reason) == (Outcome.SKIPPED, "no sensitive column is named")


def skewness(rows, sensitive=(1,), allowed=None, **options):
    classes = reduced(rows, [0], sensitive)
    return Skewness().run(Setting(classes=classes, options=options, allowed=allowed))


def test_skewness_of_two_attributes():
    """In x a is all, of a third overall: a gain of 3. In y b is 3/4 of a half, c 1/4 of a sixth.

    Of the second, u is a half of x, of a third overall; in y w is 3/4 of two thirds, u 1/4 of a
    third. In x w is a half, of two thirds.
    """
    rows = [("x", "a", "u"), ("x", "a", "w"), *[("y", "b", "w")] * 3, ("y", "c", "u")]
    found = skewness(rows, (1, 2), allowed=0.3, factor=1.5)
    assert (found.targets, found.disclosed, found.rate) == (6, 6, 1)
    assert found.per_attribute == {"1": 6, "2": 2}
    assert found.details == {
        "factor": 1.5,
        "largest gain": {"1": pytest.approx(3), "2": pytest.approx(3 / 2)},
        "some value present but rarer by the factor": 0,
        "some value ruled out": {"1": 6, "2": 0},
    }
    assert found.exposed.tolist() == [True, True]
    assert (found.witness.class_number, found.witness.rows, found.witness.attribute) == (1, 4, "1")
    assert (found.outcome, found.allowed) == (Outcome.VIOLATED, 0.3)
    usual = skewness(rows, (1, 2))
    assert (usual.details["factor"], usual.per_attribute) == (2, {"1": 2, "2": 0})
    assert (usual.witness.rows, usual.exposed.tolist()) == (2, [True, False])
    rare = skewness(rows, (1, 2), factor=4 / 3).details
    assert rare["some value present but rarer by the factor"] == 6  # in x w, in y u, by 4/3 each


@pytest.mark.parametrize(
    ("rows", "gain", "gone"),
    [
        ([("x", "a")], 1, 0),
        ([("x", None)], None, 0),
        ([("x", "a"), ("y", None)], 1, 0),
        ([("x", "a"), ("y", "b")], 2, 2),
        ([("x", "a"), ("x", "b"), ("y", "b")], 3 / 2, 1),
        ([("x", "a"), ("x", "b"), ("y", "b"), ("y", None)], 3 / 2, 2),
        ([("x", "a"), ("x", "b"), ("y", "b"), ("y", "a"), ("z", "*")], 1, 0),
    ],
)
def test_skewness_of_few_rows(rows, gain, gone):
    found = skewness(rows).details
    assert found["largest gain"] == {"1": None if gain is None else pytest.approx(gain)}
    assert found["some value ruled out"] == {"1": gone}
    assert skewness(rows).disclosed == (2 if gain == 2 else 0)


def test_skewness_without_rows():
    found = skewness([])
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, "there is no class to attack")
    assert (found.rate, found.exposed) == (None, None)


PATHS = [["colon", "cancer", "*"], ["breast", "cancer", "*"], ["flu", "other", "*"]]
TREES = {"1": Hierarchy("1", PATHS), "2": Hierarchy("2", PATHS)}


def similarity(rows, protected, trees=TREES, **more):
    classes = reduced(rows, [0], [1, 2])
    return Similarity().run(
        Setting(classes=classes, hierarchies=trees, protected=protected, **more)
    )


def test_similarity_of_two_attributes():
    """x is cancer in both: twice colon in the first, two kinds in the second. y is in the first.

    z is in neither. Of the second attribute other things are protected too, which v shows.
    """
    rows = [("x", "colon", "colon"), ("x", "colon", "breast"), ("z", "flu", "flu")]
    rows += [("z", "colon", "colon"), ("y", "breast", "flu"), ("y", "colon", "colon")]
    rows += [("y", "colon", "colon"), ("v", "flu", "flu")]
    both = {"1": ("cancer",), "2": ("cancer", "other")}
    found = similarity(rows, both, allowed=0.5)
    assert (found.targets, found.disclosed, found.rate) == (8, 6, 6 / 8)
    assert found.per_attribute == {"1": 5, "2": 3}
    assert found.details == {"although the values differ": 5}
    assert found.exposed.tolist() == [True, True, True, False]  # v, x, y, z
    assert (found.witness.class_number, found.witness.rows, found.witness.attribute) == (2, 3, "1")
    assert (found.outcome, found.allowed) == (Outcome.VIOLATED, 0.5)
    turned = similarity([(q, b, a) for q, a, b in rows], {"1": both["2"], "2": both["1"]})
    assert turned.details == {"although the values differ": 5}
    same = similarity([("x", "colon", "flu")] * 2, both)
    assert (same.disclosed, same.details) == (2, {"although the values differ": 0})


@pytest.mark.parametrize(("sure", "disclosed"), [(1, 1), (0.75, 1), (2 / 3, 4), (0.5, 6), (0.1, 6)])
def test_the_share_under_one_protected_value_is_the_chance(sure, disclosed):
    """Some cancer have 2 of 3 in a, 1 of 2 in b, 1 in c, nobody in d."""
    rows = [("a", "colon"), ("a", "breast"), ("a", "flu"), ("b", "colon"), ("b", "flu")]
    rows = [(q, s, "flu") for q, s in [*rows, ("c", "breast"), ("d", "flu")]]
    found = similarity(rows, {"1": ("cancer",)}, options={"sure": sure})
    assert (found.disclosed, found.undecided) == (disclosed, 0)
    assert found.details.get("sure") == (None if sure == 1 else sure)


def test_a_chance_contradicts_no_model(tmp_path):
    """x: two cancers and the flu, so p is 2 over protected subtrees, and some cancer has 2 of 3."""
    (tmp_path / "tree.csv").write_text("colon;cancer;*\nbreast;cancer;*\nflu;flu;*\n")
    (tmp_path / "release.csv").write_text("q,s\nx,colon\nx,breast\nx,flu\n")
    policy = """
        columns = { quasi-identifiers = ["q"], sensitive = ["s"] }
        hierarchies.s = { file = "tree.csv", protected = ["cancer"] }
        attacks.homogeneity = { sure = 0.3 }
        attacks.similarity = { sure = 0.6 }
        """
    report = anonaudit.audit(tmp_path / "release.csv", parse_policy(policy, folder=tmp_path))
    assert {m.model: m.measured for m in report.models}["extended-p-sensitive-k-anonymity"] == 2
    assert [attack.disclosed for attack in report.attacks] == [3, 3]
    text = " ".join(to_text(report).split())
    assert "3 people's s is known with a chance of 0.3 or more to whoever knows their q" in text
    assert "is certain" not in text


@pytest.mark.parametrize("sure", [0.4, 0.5, 0.7])
def test_unknown_cells_may_be_of_the_protected_kind(sure):
    """Undecided is a class that is exposed by some filling of its cells and not by another one."""
    open_ = 0
    for rows in all_tables(("x",), ("colon", "breast", "flu", None), least=1, most=4):
        known = [s for _, s in rows if s is not None]
        if not known:
            continue
        few = sum(s != "flu" for s in known) / len(rows)
        many = few + (len(rows) - len(known)) / len(rows)
        cells = [(q, s, "flu") for q, s in rows]
        found = similarity(cells, {"1": ("cancer",)}, options={"sure": sure}, allowed=0.0)
        assert (found.disclosed > 0) == (few >= sure)
        assert (found.undecided > 0) == (few < sure <= many)
        if found.undecided:
            open_ += 1
            assert f"unknown cells of '1' may lift a chance to {sure}" in found.reason
    assert open_ > 5


def test_similarity_asks_for_trees_of_protected_attributes_only():
    """The second attribute has no protected value, and the quasi-identifier's are nobody's."""
    rows = [("x", "colon", "gout")]
    only = {"1": TREES["1"]}
    for more in ({}, {"2": ()}, {"0": ("x",)}, {"9": ("x",)}):
        found = similarity(rows, {"1": ("cancer",), **more}, only)
        assert (found.disclosed, found.per_attribute) == (1, {"1": 1})
    with pytest.raises(AnonauditError, match="'2' has protected values but no hierarchy"):
        similarity(rows, {"1": ("cancer",), "2": ("cancer",)}, only)


def test_homogeneity_where_something_else_is_unknown():
    """x: one value of two in the first, and a gap in the second; y: gaps only."""
    rows = [("x", "a", "u"), ("x", "b", None), ("y", None, None), ("y", None, None)]
    found = Homogeneity().run(Setting(classes=reduced(rows, [0], [1, 2]), allowed=0.0))
    assert (found.targets, found.disclosed, found.rate) == (4, 0, 0)
    assert (found.details["classes"], found.details["likely"]) == ({"1": 0, "2": 0}, 2)
    assert (found.exposed.tolist(), found.witness) == ([False, False], None)
    assert (found.undecided, found.highest_rate) == (2, 1 / 2)  # the rows of x
    assert (found.outcome, found.baseline) == (Outcome.INCONCLUSIVE, 1)  # u is all that is shown


@pytest.mark.parametrize(("sure", "disclosed"), [(1, 1), (0.75, 1), (2 / 3, 4), (0.5, 6), (0.1, 6)])
def test_the_share_of_the_most_frequent_value_is_the_chance(sure, disclosed):
    """Classes a: s, s, t (2/3), b: s, t (1/2), c: s (1); s is 4 of 6 rows."""
    rows = [("a", "s"), ("a", "s"), ("a", "t"), ("b", "s"), ("b", "t"), ("c", "s")]
    setting = Setting(classes=reduced(rows, [0], [1]), options={"sure": sure})
    found = Homogeneity().run(setting)
    assert (found.disclosed, found.undecided) == (disclosed, 0)
    assert found.details["best guess of the value"]["1"] == {
        "at 1": 1,
        "at 0.9 and above": 1,
        "at 0.5 and above": 6,
        "mean": pytest.approx((3 * 2 / 3 + 2 * 1 / 2 + 1) / 6),
        "baseline": pytest.approx(4 / 6),
        "within bounds only": 0,
    }


def test_an_unknown_cell_leaves_a_chance_undecided():
    """a has s, t and an unknown cell: s has a chance of 1/3 or 2/3."""
    rows = [("a", "s"), ("a", "t"), ("a", None)]
    classes = reduced(rows, [0], [1])
    found = Homogeneity().run(Setting(classes=classes, options={"sure": 0.5}))
    assert (found.disclosed, found.undecided) == (0, 3)
    assert "unknown cells of '1' may lift a chance to 0.5" in found.reason
    found = Homogeneity().run(Setting(classes=classes, options={"sure": 0.3}))
    assert (found.disclosed, found.undecided) == (3, 0)
    found = Homogeneity().run(Setting(classes=classes, options={"sure": 0.7}))
    assert (found.disclosed, found.undecided) == (0, 0)
