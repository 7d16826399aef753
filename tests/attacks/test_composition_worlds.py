"""Composition against every world: a row of each release, its gaps filled, that agree."""

from itertools import combinations, product

import pytest
from builders import all_tables, reduced
from hypothesis import given, settings
from hypothesis import strategies as st

from anonaudit.attack import Setting
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from attacks import composition
from attacks.composition import Composition

VALUES = ("s", "t", "unseen")


def run(first, second, people, of_second=(1, 2), **options):
    """Column 0 is the quasi-identifier, the others are sensitive."""
    columns = [*range(1, len(first[0]))]
    one, other = reduced(first, [0], columns), reduced(second, [0], [*of_second])
    external = FrequencySet.of(["0"], [(who,) for who in people])
    return Composition().run(Setting(classes=one, second=other, external=external, options=options))


def filled(cells):
    """Every way to fill the gaps of a row."""
    return product(*((cell,) if cell not in (None, "*") else VALUES for cell in cells))


def worlds(first, second, common):
    """The sensitive cells a person may have: a row of each, equal in so many first columns."""
    return {
        mine
        for one in first
        for other in second
        for mine in filled(one)
        for theirs in filled(other)
        if mine[:common] == theirs[:common]
    }


def certain(first, second, common):
    """The columns of which every world says the same; of no world, column by column."""
    every = worlds(first, second, common)
    if every:
        return [len({world[j] for world in every}) == 1 for j in range(len(first[0]))]
    found = []
    for j in range(len(first[0])):
        mine, theirs = ([(row[j],) for row in rows if j < len(row)] for rows in (first, second))
        one = worlds(mine, theirs or [(None,)], int(j < common))
        found.append(len(one) == 1)
    return found


def check(first, second, common=2):
    """One person, who may be any row of both releases."""
    found = run(
        [("a", *row) for row in first],
        [("a", *row[:common]) for row in second],
        "a",
        range(1, common + 1),
    )
    expected = certain(first, [row[:common] for row in second], common)
    assert [*found.per_attribute.values()] == [int(one) for one in expected], (first, second)
    assert found.disclosed == int(any(expected))
    nothing = not worlds(first, [row[:common] for row in second], common)
    assert found.details["nothing in common"] == int(nothing)


def test_pairs_that_agree_on_one_column_alone_are_no_candidates():
    """By columns {s, t} and {s, t}, {u, v} and {u, v}: nothing. By rows only (s, u) is in both."""
    first = [("a", "s", "u"), ("a", "t", "v")]
    second = [("a", "s", "u"), ("a", "t", "u"), ("a", "s", "v")]
    found = run(first, second, "a")
    assert (found.disclosed, found.per_attribute) == (1, {"1": 1, "2": 1})
    assert found.details["only by both together"] == 1
    # With (t, v) in both as well, nothing is certain.
    assert run(first, [*second, ("a", "t", "v")], "a").disclosed == 0


def test_a_gap_is_filled_by_the_other_release():
    """(s, ?) goes with (s, u) alone, and (?, v) with nothing: the joint candidate is s, u."""
    first, second = [("a", "s", None), ("a", None, "v")], [("a", "s", "u")]
    assert run(first, second, "a").per_attribute == {"1": 1, "2": 1}
    # (?, v) goes with (t, v) too: s or t, u or v.
    assert run(first, [*second, ("a", "t", "v")], "a").disclosed == 0
    # A gap in both may be anything, beside a column that is certain.
    assert run([("a", "s", None)], [("a", "s", "*")], "a").per_attribute == {"1": 1, "2": 0}


def test_a_person_without_a_joint_candidate_is_looked_at_column_by_column():
    """The second column changed for everybody; the first leaves s of {s, t} and {s, r}."""
    first, second = [("a", "s", "u"), ("a", "t", "u")], [("a", "s", "v"), ("a", "r", "v")]
    found = run(first, second, "a")
    assert (found.per_attribute, found.details["nothing in common"]) == ({"1": 1, "2": 0}, 1)


ROWS = [*all_tables(("s", "t", None), ("s", "t"), most=2, least=1)]


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.long)])
def test_every_pair_of_small_releases(step):
    pairs = [*product(ROWS, ROWS)]
    for first, second in pairs[::step]:
        check([*map(tuple, first)], [*map(tuple, second)])


ROW = st.tuples(*[st.sampled_from(["s", "t", None, "*"])] * 3)


@given(st.lists(ROW, min_size=1, max_size=4), st.lists(ROW, min_size=1, max_size=4),
       st.integers(1, 3))  # fmt: skip
def test_three_columns_of_which_the_second_release_has_some(first, second, common):
    check(first, second, common)


@given(st.lists(st.tuples(st.sampled_from("ab*"), ROW), min_size=1, max_size=5),
       st.lists(st.tuples(st.sampled_from("ab*"), ROW), min_size=1, max_size=5))  # fmt: skip
def test_several_people_do_not_mix(first, second):
    """Each person fits its own rows, and those that are suppressed."""
    expected = [0, 0, 0]
    met = 0
    for who in "ab":
        mine, theirs = ([row for key, row in rows if key in (who, "*")] for rows in (first, second))
        if mine and theirs:
            met += 1
            expected = [n + one for n, one in zip(expected, certain(mine, theirs, 3), strict=True)]
    found = run(*([(key, *row) for key, row in rows] for rows in (first, second)),
                "ab", (1, 2, 3), suppressed_rows="candidates")  # fmt: skip
    if not met:
        assert found.outcome is Outcome.INCONCLUSIVE
        return
    assert [*found.per_attribute.values()] == expected
    assert found.details["match both releases"] == met


def subsets(rows):
    return [[*some] for n in range(len(rows) + 1) for some in combinations(rows, n)]


PLAIN = st.tuples(*[st.sampled_from(["s", "t", None])] * 2)
# 1 is a person's own label, "some" one that nobody can read, "*" may be anybody's.
SIDE = st.lists(st.tuples(st.sampled_from(["1", "some", "*"]), PLAIN), min_size=1, max_size=4)


@settings(max_examples=2 * settings.default.max_examples)
@given(SIDE, SIDE)
def test_whichever_rows_are_really_candidates(first, second):
    """Exposed if every choice of the doubtful rows discloses; safe only if none does."""
    surely, maybe = (
        [[row for key, row in rows if (key == "1") is sure] for rows in (first, second)]
        for sure in (True, False)
    )
    told = [
        any(certain(surely[0] + one, surely[1] + other, 2))
        for one in subsets(maybe[0])
        for other in subsets(maybe[1])
        if surely[0] + one and surely[1] + other
    ]
    found = run(*([(key, *row) for key, row in rows] for rows in (first, second)), "1")
    if found.disclosed:
        assert all(told)
        assert surely[0]
        assert surely[1]
    elif not found.undecided:
        assert not any(told)


@pytest.mark.parametrize(("most", "decided"), [(4, True), (3, False)])
def test_rows_are_counted_against_the_limit_not_their_values(most, decided, monkeypatch):
    """Four different rows of two values each; a row that comes twice is one."""
    monkeypatch.setattr(composition, "MOST_TRIPLES", most)
    first = [("a", s, t) for s in "st" for t in "uv"]
    found = run([*first, first[0]], [("a", "s", "u")], "a")
    assert (found.outcome is Outcome.MEASURED) == decided
    assert (found.outcome is Outcome.INCONCLUSIVE) != decided
