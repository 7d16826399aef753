"""Association about named people: the same rows are counted on both sides of a confidence."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from builders import Row, reduced
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models import RuleConfidence
from anonaudit.policy.policy import parse_policy
from attacks.association import Association

ONE_VALUE = Convention(sensitive="one-value")


def run(rows, people, unit=None, convention=None, **options):
    """The columns 0 and 1 are quasi-identifiers, 2 is sensitive, 3 names persons."""
    classes = reduced(rows, [0, 1], [2], unit=unit, convention=convention)
    external = FrequencySet.of(["0", "1"], people)
    return Association().run(Setting(classes=classes, external=external, options=options))


def audited(tmp_path, release: str, people: str, options: str = ""):
    (tmp_path / "r.csv").write_text(release)
    (tmp_path / "e.csv").write_text(people)
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], sensitive = ['s'] }\n[attacks]\n"
        "association = { external = 'e.csv', identity = ['name'], allow-rate = 0.0"
        f"{options} }}\n",
        folder=tmp_path,
    )
    return anonaudit.audit(tmp_path / "r.csv", policy)


@pytest.mark.parametrize("age", ["", "*"])
@pytest.mark.parametrize("hidden", ["flu", "hiv", ""])
def test_a_row_that_lacks_the_cell_is_in_no_rule_on_it(tmp_path, age, hidden):
    """One row fits Ann's age and shows flu: 1 of 1, whatever a row without an age shows."""
    release = f'age,s\n"[30,40)",flu\n{age},{hidden}\n'
    report = audited(tmp_path, release, "name,age\nAnn,34\n")
    found = report.attacks[0]
    assert (found.targets, found.disclosed) == (1, 1)
    assert (found.outcome, report.outcome) == ("violated", "violated")


def test_a_row_that_lacks_one_cell_is_in_the_rules_on_the_other():
    """By sex alone f has flu twice and hiv; with the age flu in one row."""
    rows = [("30", "f", "flu"), (None, "f", "flu"), ("30", None, "flu"), ("40", "f", "hiv")]
    assert run(rows, [("30", "f")]).disclosed == 1
    assert run(rows, [(None, "f")]).disclosed == 0
    assert run(rows, [(None, "f")], confidence=2 / 3).disclosed == 1
    assert run(rows, [(None, "f")], confidence=0.67).disclosed == 0


def test_a_person_in_several_keys_that_fit_counts_once():
    """P has flu and then hiv, Q flu: flu is right for both of them. In rows it is 2 of 3."""
    rows = [("30-39", "f", "flu", "P"), ("35-44", "f", "hiv", "P"), ("30-39", "f", "flu", "Q")]
    assert run(rows, [("36", None)], unit=3).disclosed == 1
    assert run([row[:3] for row in rows], [("36", None)]).disclosed == 0
    # One person who shows flu twice is no two who show it.
    twice = [("30-39", "f", "flu", "P"), ("35-44", "f", "flu", "P")]
    assert run(twice, [("36", None)], unit=3, min_rows=2).disclosed == 0
    assert run([row[:3] for row in twice], [("36", None)], min_rows=2).disclosed == 1


def test_nobody_is_told_of_where_no_row_has_the_cells():
    assert run([(None, "*", "flu")], [("36", "f")]).disclosed == 0


def fits(known: str, label: str) -> bool:
    return known == label or ("-" in label and label[:2] <= known <= label[3:])


def told(
    rows: Sequence[Row], person: Row, least: float, min_rows: int, *, units: bool, one: bool
) -> bool:
    """The definition, row by row: sets of columns that the person has, and the rows with cells."""
    known = [c for c in (0, 1) if person[c] is not None]
    for columns in [x for n in range(1, 3) for x in combinations(known, n)]:
        having, showing = set(), set()
        for number, row in enumerate(rows):
            if all(row[c] not in (None, "*") and fits(person[c], row[c]) for c in columns):
                who = row[3] if units else number
                having.add(who)
                value = "unknown" if row[2] in (None, "*") else row[2]
                if value != "unknown" or one:
                    showing.add((value, who))
        for value in {v for v, _ in showing}:
            shown = sum(v == value for v, _ in showing)
            if shown >= min_rows and Fraction(shown, len(having)) >= Fraction(least):
                return True
    return False


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["30-35", "33-39", "30", None, "*"]),
            st.sampled_from(["f", "m", None]),
            st.sampled_from(["flu", "hiv", None, "*"]),
            st.sampled_from("PQR"),
        ),
        min_size=1,
        max_size=7,
    ),
    st.lists(st.tuples(st.sampled_from(["30", "34", None]), st.sampled_from(["f", "m", None])),
             min_size=1, max_size=4),
    st.sampled_from([1.0, 0.75, 0.5]),
    st.integers(1, 2),
    st.booleans(),
    st.booleans(),
)  # fmt: skip
def test_against_the_rows_one_by_one(rows, people, least, min_rows, units, one):
    found = run(
        rows,
        people,
        3 if units else None,
        ONE_VALUE if one else None,
        confidence=least,
        min_rows=min_rows,
    )
    expected = sum(told(rows, who, least, min_rows, units=units, one=one) for who in people)
    assert (found.targets, found.disclosed) == (len(people), expected)


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"), st.sampled_from("uv"), st.sampled_from(["x", "y", None, "*"])
        ),
        min_size=1,
        max_size=7,
    ),
    st.sampled_from([None, ONE_VALUE]),
)
def test_rule_confidence_and_association_count_unknown_cells_alike(rows, convention):
    """The largest confidence of a rule is the largest that discloses, named people or not."""
    classes = reduced(rows, [0, 1], [2], convention=convention)
    level = RuleConfidence().measure(classes).measured
    for external in (None, FrequencySet.of(["0", "1"], [row[:2] for row in rows])):

        def disclosed(confidence, external=external):
            options = {"confidence": confidence}
            setting = Setting(classes=classes, external=external, options=options)
            return Association().run(setting).disclosed

        if level is None:
            assert disclosed(0.01) == 0
            continue
        assert disclosed(level) > 0
        assert level == 1 or disclosed(level + 1e-9) == 0


def test_who_fits_no_row_though_everyone_is_released():
    """Ann fits the one row of f; nobody is 40 and m: not disclosed, or undecided."""
    rows, people = [("30", "f", "flu"), ("30", "m", "hiv")], [("30", "f"), ("40", "n")]
    assert (run(rows, people).disclosed, run(rows, people).undecided) == (1, 0)
    found = run(rows, people, everyone_released=True)
    assert (found.disclosed, found.undecided) == (1, 1)
    assert "everyone-released" in found.reason
    assert run(rows, people[:1], everyone_released=True).undecided == 0
