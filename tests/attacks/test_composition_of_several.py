"""Composition over two, three and four releases, and its chances, against every world."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import isclose

import numpy as np
import pytest
from builders import reduced
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.policy.policy import parse_policy
from attacks import composition
from attacks.composition import Composition
from attacks.joint_rows import UNKNOWN_VALUE, SensitiveRows, joint

VALUES = ("s", "t", "unseen")
GAPS = (None, "*")


def run(releases, people, sensitive=(1,), **options):
    """Column 0 is the quasi-identifier."""
    first, second, *others = (reduced(rows, [0], [*sensitive]) for rows in releases)
    external = FrequencySet.of(["0"], [(who,) for who in people])
    allowed = options.pop("allowed", None)
    return Composition().run(
        Setting(
            classes=first,
            second=second,
            others=tuple(others),
            external=external,
            options=options,
            allowed=allowed,
        )
    )


def rows_of(releases, who):
    """The candidates of a person, as far as the person matches a release."""
    fitting = [[row[1:] for row in rows if row[0] == who] for rows in releases]
    return [rows for rows in fitting if rows]


def cells_in_all(releases, columns):
    """The cells a person may have so that each release has a row with them, gaps being anything."""
    return {
        cells
        for cells in product(VALUES, repeat=len(columns))
        if all(
            any(
                all(row[j] in (*GAPS, cell) for j, cell in zip(columns, cells, strict=True))
                for row in rows
            )
            for rows in releases
        )
    }


def certain(releases, width):
    """Where all possible cells are one value; column by column where no cells are possible."""
    every = cells_in_all(releases, range(width))
    if every:
        return [len({cells[j] for cells in every}) == 1 for j in range(width)]
    return [len(cells_in_all(releases, [j])) == 1 for j in range(width)]


def chances(releases, width):
    """The share of the likeliest value of each column among choices of a row of each release.

    There is no gap. Column by column where no choice agrees; 0 where none agrees there.
    """

    def share(columns, of):
        found = Counter()
        for choice in product(*releases):
            (cells, *others) = {tuple(row[j] for j in columns) for row in choice}
            if not others:
                found[cells[of]] += 1
        return Fraction(max(found.values()), sum(found.values())) if found else None

    whole = [share(range(width), j) for j in range(width)]
    return whole if None not in whole else [share([j], 0) or Fraction(0) for j in range(width)]


def tables(cells, most, width=2):
    row = st.tuples(st.sampled_from("ab"), *[st.sampled_from(cells)] * width)
    return st.lists(row, min_size=1, max_size=most)


def several(cells, most):
    return st.integers(2, 4).flatmap(
        lambda n: st.lists(tables(cells, most), min_size=n, max_size=n)
    )


@given(several(["s", "t", None, "*"], 6))
def test_what_all_releases_that_somebody_matches_have_in_common(releases):
    """The people a and b have rows of their own; who matches one release only is not attacked."""
    expected, met, torn = [0, 0], 0, 0
    for who in "ab":
        theirs = rows_of(releases, who)
        if len(theirs) >= 2:
            met += 1
            expected = [n + one for n, one in zip(expected, certain(theirs, 2), strict=True)]
            torn += not cells_in_all(theirs, range(2))
    found = run(releases, "ab", (1, 2))
    if not met:
        assert (found.outcome, found.rate) == (Outcome.INCONCLUSIVE, None)
        return
    assert [*found.per_attribute.values()] == expected
    label = "match both releases" if len(releases) == 2 else "match two releases or more"
    assert (found.details[label], found.details["nothing in common"]) == (met, torn)


@given(several(["s", "t"], 6))
def test_chances_are_shares_of_the_choices_that_agree(releases):
    releases = [[("a", *row[1:]) for row in rows] for rows in releases]
    expected = chances(rows_of(releases, "a"), 2)
    found = run(releases, "a", (1, 2))
    guesses = found.details["best guess of the value"]
    for name, chance in zip(("1", "2"), expected, strict=True):
        assert isclose(guesses[name].mean, chance)
        assert guesses[name].bounded == 0
    for sure in {*expected} - {0, 1}:
        reached = [int(chance >= sure) for chance in expected]
        some = run(releases, "a", (1, 2), sure=float(sure))
        assert [*some.per_attribute.values()] == reached
        assert (some.disclosed, some.undecided, some.details["sure"]) == (1, 0, float(sure))
        above = run(releases, "a", (1, 2), sure=min(float(sure) + 1e-6, 1.0))
        assert [*above.per_attribute.values()] == [int(chance > sure) for chance in expected]


@given(st.lists(tables(["s", "t", None], 3), min_size=2, max_size=3), st.sampled_from([0.4, 0.7]))
def test_whatever_unknown_cells_are_the_bounds_hold(releases, sure):
    releases = [[("a", *row[1:]) for row in rows] for rows in releases]
    rows = rows_of(releases, "a")
    found = run(releases, "a", (1, 2), sure=sure)
    gaps = sum(cell is None for some in rows for row in some for cell in row)
    for values in product(VALUES, repeat=min(gaps, 4)):
        filling = iter((*values, *("s",) * max(gaps - 4, 0)))
        filled = [
            [tuple(next(filling) if cell is None else cell for cell in row) for row in some]
            for some in rows
        ]
        likely = chances(filled, 2)
        reached = [chance >= sure for chance in likely]
        for j, known in enumerate(certain(rows, 2)):  # some fillings of what is certain disagree
            if found.per_attribute[str(j + 1)] and not known:
                assert reached[j]
        if not found.disclosed and not found.undecided:
            assert not any(reached)


def test_rows_unknown_in_both_may_all_have_one_more_value():
    """25 values once in each, and 5 gaps in each: filled with a new value, 25 of 50 pairs have it."""
    rows = [("a", f"v{i:02}") for i in range(25)] + [("a", None)] * 5
    assert run([rows, rows], "a", sure=0.5).undecided == 1
    assert run([rows[:25], rows[:25]], "a", sure=0.5).undecided == 0


def test_the_weight_of_a_value_that_only_the_other_release_knows():
    """(s, ?) twice meets (s, u) three times, (t, ?) meets (t, v): 6 pairs have u, 1 has v."""
    who = np.zeros(2, np.intp)
    mine = SensitiveRows(
        who, np.array([(0, UNKNOWN_VALUE), (1, UNKNOWN_VALUE)]), np.array([2.0, 1.0])
    )
    theirs = SensitiveRows(who, np.array([(0, 5), (1, 6)]), np.array([3.0, 1.0]))
    left = joint([mine, theirs], 1, 10)
    assert (left.total.tolist(), left.most(1).tolist()) == ([[7.0, 7.0]], [6.0])


def test_a_third_release_decides_between_what_two_leave():
    """{s, t, u}, {s, t, v} and {t, w}: two releases leave s and t, all three t."""
    three = [[("a", v) for v in values] for values in ("stu", "stv", "tw")]
    assert run(three[:2], "a").disclosed == 0
    found = run(three, "a")
    assert (found.disclosed, found.details["only by several together"]) == (1, 1)
    assert found.details["certain by one release alone"] == 0


def test_a_release_that_somebody_does_not_match_takes_nothing_away():
    """s is certain of 1 by two releases; the others have 2 only. All are said to be in all."""
    two = [[("1", "s"), ("1", "t")], [("1", "s"), ("1", "u")]]
    alone = [("2", "s"), ("2", "t")]
    assert run([*two, alone], "1").disclosed == 1
    assert run([two[1], alone], "12").outcome is Outcome.INCONCLUSIVE
    found = run([*two, alone, alone], "12", everyone_released=True)
    assert (found.disclosed, found.undecided) == (1, 1)


def test_many_gaps_in_a_middle_release_are_counted_against_the_limit(monkeypatch):
    """Two rows with one cell unknown and two with the other make four together."""
    first = [("a", "s", None), ("a", "t", None)]
    second = [("a", None, "s"), ("a", None, "t")]
    third = [("a", "s", "s"), ("a", "t", "s")]
    found = run([first, second, third], "a", (1, 2))
    assert (found.per_attribute, found.undecided) == ({"1": 0, "2": 1}, 0)
    monkeypatch.setattr(composition, "MOST_TRIPLES", 3)
    found = run([first, second, third], "a", (1, 2))
    assert (found.outcome, found.rate) == (Outcome.INCONCLUSIVE, None)


POLICY = """
columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }
[attacks.composition]
external = 'people.csv'
identity = ['who']
second = ['second.csv', 'third.csv']
allow-rate = 0.0
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text("who,age\nAnn,36\nBob,31\n")
    (tmp_path / "first.csv").write_text("age,dx\n30-39,flu\n30-39,hiv\n30-39,gout\n")
    (tmp_path / "second.csv").write_text("age,dx\n30-39,flu\n30-39,hiv\n")
    (tmp_path / "third.csv").write_text("age,dx\n35-44,hiv\n35-44,gout\n")
    return tmp_path


def test_a_list_of_releases_in_a_policy(folder):
    """Ann has hiv by all three. Bob, in the first two, has flu or hiv."""
    policy = parse_policy(POLICY, folder=folder)
    found = anonaudit.audit(folder / "first.csv", policy).attacks[0]
    assert (found.targets, found.disclosed, found.outcome) == (2, 1, Outcome.VIOLATED)
    assert {file.name for file in policy.read_beside} == {"people.csv", "second.csv", "third.csv"}
    one = parse_policy(POLICY.replace(", 'third.csv'", ""), folder=folder)
    assert anonaudit.audit(folder / "first.csv", one).attacks[0].disclosed == 0


@pytest.mark.parametrize("wrong", ["[]", "['second.csv', 'second.csv']", "['second.csv', 3]"])
def test_a_faulty_list_of_releases_is_refused(folder, wrong):
    text = POLICY.replace("['second.csv', 'third.csv']", wrong)
    with pytest.raises(AnonauditError, match=r"attacks\.composition\.second"):
        parse_policy(text, folder=folder)


def test_each_release_must_have_the_columns(folder):
    (folder / "third.csv").write_text("ward,dx\n1,hiv\n")
    with pytest.raises(AnonauditError, match=r"third\.csv.*no quasi-identifier"):
        anonaudit.audit(folder / "first.csv", parse_policy(POLICY, folder=folder))
