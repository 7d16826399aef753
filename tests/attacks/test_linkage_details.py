"""Linkage: whether claims are true, persons, ties of the sweep; counted by hand."""

import pytest
from builders import reduced

import anonaudit
from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.policy.policy import parse_policy
from attacks.linkage import Linkage, sweep


def run(rows, qi, sensitive, people, unit=None, known=None, **more):
    classes = reduced(rows, qi, sensitive, unit=unit)
    external = FrequencySet.of(known or [str(c) for c in qi], people)
    return Linkage().run(Setting(classes=classes, external=external, **more))


def truth(tmp_path, original, release, people, columns):
    for name, text in (("original", original), ("release", release), ("people", people)):
        (tmp_path / f"{name}.csv").write_text("\n".join(text.split()) + "\n")
    policy = parse_policy(
        f"columns = {{ quasi-identifiers = ['age'], {columns} }}\n"
        "original = { file = 'original.csv', key = 'id' }\n"
        "attacks.linkage = { external = 'people.csv', identity = ['name'] }",
        folder=tmp_path,
    )
    report = anonaudit.audit(tmp_path / "release.csv", policy)
    return next(a for a in report.attacks if a.attack == "linkage").details["truth"]


def test_who_is_in_two_rows_of_the_release_is_linked_rightly_in_both(tmp_path):
    """Both rows that fit Ann are p's, so Ann is p, and so it is. Bob fits q's row; he is r."""
    assert truth(
        tmp_path,
        "id,age,dx,who 1,43,flu,p 2,43,hiv,p 3,70,flu,q 4,71,flu,r",
        "id,age,dx,who 1,40-49,flu,p 2,4*,hiv,p 3,70-79,flu,q",
        "name,age Ann,43 Bob,71",
        "sensitive = ['dx'], unit = 'who'",
    ) == {"identities claimed": 2, "identities right": 1.0}


def test_claims_of_columns_that_the_original_has(tmp_path):
    """It has no `a`. Of `b` the release changed Ann's, made up Bob's, and left Cyd's.

    Of Dov, who was not released, nothing is claimed.
    """
    found = truth(
        tmp_path,
        "id,age,b 1,23,u 2,34,* 3,45,w 4,99,*",
        "id,age,a,b 1,20-29,x,w 2,30-39,x,v 3,40-49,x,w",
        "name,age Ann,23 Bob,34 Cyd,45 Dov,99",
        "sensitive = ['a', 'b']",
    )
    assert found == {
        "identities claimed": 3, "identities right": 3.0, "b claimed": 3, "b right": 1.0
    }  # fmt: skip


def test_claims_about_people_who_share_a_row_of_the_external_table(tmp_path):
    """Two are 23, and both are linked with the one row of two that the release has: half right.

    Of the three of 50 in the original two have flu, as all rows of the release, so two thirds.
    Eve, of 61, is not in the original: her link is wrong.
    """
    found = truth(
        tmp_path,
        "id,age,dx 1,23,flu 2,23,hiv 3,50,flu 4,50,flu 5,50,hiv 6,62,flu",
        "id,age,dx 1,20-29,flu 3,50-59,flu 4,50-59,flu 5,50-59,flu 6,60-69,flu",
        "name,age Ann,23 Bob,23 Cyd,50 Dov,50 Eve,61",
        "sensitive = ['dx']",
    )
    assert found == {
        "identities claimed": 3,
        "identities right": 2 * 1 / 2,
        "dx claimed": 5,
        "dx right": pytest.approx(2 * 1 / 2 + 2 * 2 / 3),
    }


def test_what_a_policy_allows():
    rows = [("a", "x"), ("a", "y"), ("b", "x")]
    for allowed, outcome in ((0.5, Outcome.HOLDS), (0.4, Outcome.VIOLATED)):
        found = run(rows, [0], [1], [("a",), ("b",)], allowed=allowed)
        assert (found.rate, found.outcome, found.allowed) == (1 / 2, outcome, allowed)
    assert found.knowledge == "an identified table with the quasi-identifiers of its persons"
    none = Linkage().run(Setting(classes=reduced(rows, [0], [1])))
    assert (none.outcome, none.reason) == (Outcome.SKIPPED, "no external table was given")


def test_columns_the_adversary_does_not_know():
    rows = [("a", "u", "x"), ("a", "v", "x")]
    found = run(rows, [0, 1], [2], [("a",)], known=["0"])
    assert found.notes == ("the adversary does not know '1'",)
    assert (found.identified, found.disclosed, found.details["pairs"]) == (0, 1, 2)


def test_persons_of_whom_no_value_is_known():
    """p and q are in a; nobody's value is known, and b is one person."""
    rows = [("a", None, "p"), ("a", None, "q"), ("b", None, "p")]
    found = run(rows, [0], [1], [("a",), ("b",), ("c",)], unit=2)
    assert (found.targets, found.identified, found.disclosed) == (3, 1, 0)
    assert (found.details["several matches"], found.details["no match"]) == (1, 1)


def test_equal_people_are_unique_on_neither_side():
    """a fits one row, and b, of whom there are two, one: they are candidates of each other."""
    rows = [("a", "x"), ("b", "x"), ("c", "x"), ("c", "x")]
    found = run(rows, [0], [1], [("a",), ("b",), ("b",), ("c",)])
    assert found.details["exactly one match"] == 3
    assert found.details["unique on both sides"] == 1
    assert found.details["pairs"] == 1 + 2 + 2


def test_three_classes_and_the_least_of_their_rows():
    """1 fits the intervals 0-1, 1-2 and 1-3, with two rows each; 3 one of them, and 2 two."""
    rows = [(label, dx) for label in ("0-1", "1-2", "1-3") for dx in ("x", "y")]
    found = run(rows, [0], [1], [("1",), ("2",), ("3",)]).details
    assert (found["candidates in several classes"], found["fewest candidates"]) == (2, 2)
    assert (found["several matches"], found["pairs"]) == (3, 6 + 4 + 2)


def test_a_tie_of_the_sweep_goes_to_the_first_column():
    """a is one of three, and so is v."""
    people = [("a", "u"), ("b", "u"), ("b", "v")]
    found = run([(*who, "x") for who in people], [0, 1], [2], people, options={"sweep": 1})
    assert found.details["columns that single out"] == {
        "fewest columns": 1,
        "choices": 2,
        "of them": 2,
        "best": {"1": {"columns": ["0"], "persons": 1}},
    }


def test_the_sweep_counts_choices_and_persons():
    """v is one row, which one person has, or two have."""
    rows = [("a", "u", "x"), ("a", "u", "x"), ("a", "v", "x")]
    table = FrequencySet.of(["0", "1"], [("a", "u"), ("a", "v")])
    setting = Setting(classes=reduced(rows, [0, 1], [2]))
    for persons in (1, 2):
        found = sweep(setting, table, table.counts * persons, 2)
        assert (found["fewest columns"], found["choices"], found["of them"]) == (1, 3, 2)
        assert found["best"]["1"] == {"columns": ["1"], "persons": persons}


def test_the_sweep_is_checked_though_nothing_is_linked():
    with pytest.raises(AnonauditError, match="linkage: sweep must be a whole number"):
        Linkage().run(Setting(classes=reduced([("a",)], [0], []), options={"sweep": -1}))


def test_a_combination_with_one_cell_left_is_published():
    """The row without its second cell fits who is a; the one without both fits everybody."""
    rows = [("a", "*", "x"), ("*", "*", "y")]
    found = run(rows, [0, 1], [2], [("a", "u"), ("b", "u")])
    assert found.details["several matches"] == found.details["exactly one match"] == 1
    assert found.details["fit no published class"] == 1


def test_one_person_with_many_values():
    """p has x, y and z in three rows, and is the only one in a."""
    found = run([("a", v, "p") for v in "xyz"], [0], [1], [("a",)], unit=2)
    assert (found.identified, found.disclosed, found.details["pairs"]) == (1, 1, 1)


def test_a_row_without_any_known_cell_may_be_anybodys():
    """Ann's table has the age alone. Her row is flu's; that of gout says nothing of an age."""
    rows = [("30", "M", "flu"), (None, "M", "gout")]
    people = FrequencySet.of(["0"], [("30",)])
    setting = Setting(classes=reduced(rows, [0, 1], [2]), external=people, allowed=0.0)
    found = Linkage().run(setting)
    assert (found.disclosed, found.undecided, found.outcome) == (0, 1, Outcome.INCONCLUSIVE)
