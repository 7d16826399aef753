"""Links and chances where everybody has a row of their own, held against all assignments.

The second opinion lists every way to give all people different rows that fit them, and counts.
"""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from builders import reduced
from hypothesis import given, settings
from hypothesis import strategies as st

import anonaudit
from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.matching import Candidates
from anonaudit.linking.too_much import TooMuchError
from anonaudit.masking.anatomy import anatomize
from anonaudit.masking.goals import KAnonymous
from anonaudit.masking.mondrian import mondrian
from anonaudit.masking.recoding import Microdata
from anonaudit.policy import parse_policy
from anonaudit.roles import Roles
from attacks import assignments
from attacks.assignments import link_shares, possible_links
from attacks.linkage import Linkage


def worlds(people, rows, fits):
    """Every assignment of all people to different rows, as a tuple of rows, one a person."""
    return [
        world
        for world in permutations(range(len(rows)), len(people))
        if all(fits(p, rows[r]) for p, r in zip(people, world, strict=True))
    ]


def on(links, people, rows):
    """The possible links and their shares, of pairs of a kind of people and a kind of rows."""
    pairs = Candidates(np.array([p for p, _ in links]), np.array([r for _, r in links]))
    people, rows = np.array(people), np.array(rows)
    found = possible_links(pairs, people, rows)
    names = list(zip(found.pairs.person.tolist(), found.pairs.key.tolist(), strict=True))
    return names, found.short.tolist(), link_shares(found, people, rows)


@st.composite
def crowds(draw):
    """Kinds of people and of rows, at most 6 people and 7 rows, and who fits what."""
    people = draw(st.lists(st.integers(1, 2), min_size=1, max_size=3))
    rows = draw(st.lists(st.integers(1, 2), min_size=1, max_size=3))
    pairs = [(p, r) for p in range(len(people)) for r in range(len(rows))]
    links = draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    return sorted(links), people, rows


@given(crowds())
def test_every_link_and_its_share_are_those_of_all_assignments(drawn):
    links, people, rows = drawn
    each = [p for p, n in enumerate(people) for _ in range(n)]
    room = [r for r, n in enumerate(rows) for _ in range(n)]
    every = worlds(each, room, lambda p, r: (p, r) in links)
    names, short, shares = on(links, people, rows)
    assert any(short) == (not every)
    if not every:
        return
    first = {p: each.index(p) for p in range(len(people))}
    counted = {
        (p, r): Fraction(sum(room[world[first[p]]] == r for world in every), len(every))
        for p, r in links
    }
    assert set(names) == {link for link, share in counted.items() if share}
    for link, share in zip(names, shares.share, strict=True):
        assert share == pytest.approx(float(counted[link]))
    pairs = Candidates(np.array([p for p, _ in links]), np.array([r for _, r in links]))
    found = possible_links(pairs, np.array(people), np.array(rows))
    bounds = link_shares(found, np.array(people), np.array(rows), most_states=0)
    for link, low, high in zip(names, bounds.low, bounds.high, strict=True):
        assert low - 1e-9 <= counted[link] <= high + 1e-9


def test_two_people_share_two_rows_and_a_third_has_the_rest():
    """The third fits all three rows; the first two fill the first two. Shares 1/2, 1/2 and 1."""
    names, short, shares = on([(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)], [2, 1], [1, 1, 1])
    assert names == [(0, 0), (0, 1), (1, 2)]
    assert shares.share.tolist() == [0.5, 0.5, 1.0]
    assert not any(short)


def test_a_large_group_that_fits_alike_is_counted():
    """Of 300 people who fit the same 200 + 200 rows each has a row of the first kind by 1/2."""
    names, _, shares = on([(0, 0), (0, 1)], [300], [200, 200])
    assert names == [(0, 0), (0, 1)]
    assert shares.share.tolist() == [0.5, 0.5]


def test_the_smallest_groups_are_counted_first(monkeypatch):
    """Two people with 3 rows, and 3 who share 3 rows in a ring: states for the two only."""
    links = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 0), (3, 3), (3, 4), (4, 4), (4, 5)]
    names, _, counted = on(links, [1] * 5, [1] * 6)
    assert not np.isnan(counted.share).any()
    monkeypatch.setattr(assignments, "ALL_STATES", 6)
    _, _, shares = on(links, [1] * 5, [1] * 6)
    exact = {name[0] for name, one in zip(names, shares.share, strict=True) if not np.isnan(one)}
    assert exact == {3, 4}


def test_people_who_cannot_all_have_a_row_keep_their_links():
    """Two people fit one row. A third, who shares nothing with them, has a row."""
    names, short, _ = on([(0, 0), (1, 1)], [2, 1], [1, 1])
    assert (names, short) == ([(0, 0), (1, 1)], [True, False])


def test_more_links_than_are_assigned(monkeypatch):
    monkeypatch.setattr(assignments, "MOST_ASSIGNED_LINKS", 1)
    with pytest.raises(TooMuchError, match="2 links are too many"):
        on([(0, 0), (0, 1)], [1], [1, 1])


# --- the attack, on tables

VALUES = "123"
LABELS = ["1", "2", "3", "1-2", "2-3", "1-3", "*"]


def fits(person, row):
    return row[0] == "*" or row[0][0] <= person <= row[0][-1]


def run(rows, people, **options):
    """Linkage with everybody released; rows that are suppressed throughout are candidates."""
    external = FrequencySet.of(["name", "0"], [(str(i), p) for i, p in enumerate(people)])
    options = {"everyone_released": True, "suppressed_rows": "candidates", **options}
    setting = Setting(
        classes=reduced(rows, [0], [1]), external=external, identity=("name",), options=options
    )
    return Linkage().run(setting)


def chances_of(rows, people, every):
    """For each person the chance of the likeliest row, and of the likeliest known value."""
    found = []
    for i in range(len(people)):
        had = [world[i] for world in every]
        values = [rows[r][1] for r in had]
        of_value = [Fraction(values.count(v), len(had)) for v in set(values) - {None}]
        link = max(Fraction(had.count(r), len(had)) for r in had)
        found.append((link, max(of_value, default=Fraction(0)), None in values))
    return found


TABLES = st.lists(
    st.tuples(st.sampled_from(LABELS), st.sampled_from(["s", "t", None])), min_size=1, max_size=8
)


@given(TABLES, st.lists(st.sampled_from(VALUES), min_size=1, max_size=4), st.sampled_from([1, 0.5]))
def test_exposed_are_those_whom_all_assignments_expose(rows, people, sure):
    every = worlds(people, rows, fits) if len(people) <= len(rows) else []
    if not any(fits(p, row) for p in people for row in rows):
        return
    found = run(rows, people, sure=sure)
    if not every:  # who has one candidate keeps it
        assert found.undecided or found.rate
        return
    chances = chances_of(rows, people, every)
    assert found.identified == sum(link >= sure for link, _, _ in chances)
    assert found.disclosed == sum(value >= sure for _, value, _ in chances)
    exposed = [link >= sure or value >= sure for link, value, _ in chances]
    assert found.rate == pytest.approx(sum(exposed) / len(people))
    gaps = [gap and not hit for (_, _, gap), hit in zip(chances, exposed, strict=True)]
    assert found.undecided <= sum(gaps)
    best = found.details["best guess of the row"]
    assert best["mean"] == pytest.approx(float(sum(c[0] for c in chances) / len(people)))
    assert best["at 0.5 and above"] == sum(c[0] >= 0.5 for c in chances)
    if "best guess of the value" in found.details:
        value = found.details["best guess of the value"]["1"]
        assert value["mean"] == pytest.approx(float(sum(c[1] for c in chances) / len(people)))


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("stu")), min_size=1, max_size=8))
def test_the_sensitive_table_of_an_anatomized_release_has_the_chances_of_its_worlds(rows):
    """A world hands out the values of each group to its members; the table has groups and counts."""
    table = pd.DataFrame(rows, columns=["age", "illness"])
    data = Microdata.read(table, Roles(("age",), ("illness",)))
    anatomy = anatomize(mondrian(data, KAnonymous(1)), seed=0)
    policy = parse_policy("""
        columns = { quasi-identifiers = ["group-id"], sensitive = ["illness"], count = "count" }
    """)
    released = anatomy.sensitive["illness"].astype({"group-id": str})
    homogeneity = anonaudit.audit(released, policy).attacks[0]
    groups = {
        name: [v for v, n in zip(of["illness"], of["count"], strict=True) for _ in range(n)]
        for name, of in released.groupby("group-id")
    }
    best = []
    for values in groups.values():
        every = set(permutations(values))
        for member in range(len(values)):
            had = [world[member] for world in every]
            best.append(max(Fraction(had.count(v), len(every)) for v in had))
    assert len(best) == len(rows)
    found = homogeneity.details["best guess of the value"]["illness"]
    assert found["mean"] == pytest.approx(float(sum(best) / len(best)))
    assert found["at 1"] == sum(chance == 1 for chance in best) == homogeneity.disclosed


@given(TABLES, st.lists(st.sampled_from(VALUES), min_size=1, max_size=4))
def test_who_is_not_decided_to_be_exposed_is_exposed_in_no_completion(rows, people):
    """Unknown cells of one value each: whom that exposes must have been exposed or undecided.

    Where no candidate has a known value, nothing is disclosed.
    """
    every = worlds(people, rows, fits) if len(people) <= len(rows) else []
    if not every:
        return
    found = run(rows, people)
    some = [value > 0 for _, value, _ in chances_of(rows, people, every)]
    for value in "st":
        filled = [(label, own or value) for label, own in rows]
        chances = zip(chances_of(filled, people, every), some, strict=True)
        hit = sum(link == 1 or (of_value == 1 and any_) for (link, of_value, _), any_ in chances)
        assert hit <= round(found.rate * len(people)) + found.undecided


def test_the_others_rows_identify():
    """1 fits both rows, 2 fits the second only. So the first is that of 1."""
    rows = [("1", "flu"), ("1-2", "hiv")]
    assert run(rows, ["1", "2"], everyone_released=False).identified == 1
    found = run(rows, ["1", "2"])
    assert (found.identified, found.disclosed, found.rate) == (2, 2, 1.0)
    assert found.details["identified by assignment"] == 1


def test_a_crowd_of_three_for_two_rows_is_undecided():
    found = run([("1", "flu"), ("1", "hiv")], ["1", "1", "1"])
    assert (found.identified, found.undecided) == (0, 3)
    assert "cannot all have a row of their own" in found.reason


@pytest.mark.parametrize("hushed", [["hiv"], ["hiv", "hiv"], ["hiv", "gout"]])
def test_more_people_than_suppressed_rows_are_undecided(hushed):
    """8 and others fit no row but the suppressed ones, of which there are too few."""
    rows = [("1", "flu"), *(("*", value) for value in hushed)]
    people = ["8", "9", "7"][: len(hushed) + 1]
    found = run(rows, people, suppressed_rows="undecided")
    assert (found.identified, found.disclosed, found.undecided) == (0, 0, len(people))
    assert "cannot all have a row of their own" in found.reason


def test_rows_that_may_be_anybodys_leave_it_undecided():
    """Without the suppressed row 2 has the second, and 1 the first. With it, either may differ."""
    rows = [("1", "flu"), ("1-2", "hiv"), ("*", "gout")]
    found = run(rows, ["1", "2"], suppressed_rows="undecided")
    assert (found.identified, found.undecided) == (0, 2)
    assert run(rows, ["1", "2"], suppressed_rows="left-out").identified == 2


def test_sure_must_be_a_chance():
    with pytest.raises(AnonauditError, match="sure"):
        run([("1", "flu")], ["1"], sure=0)


@pytest.mark.parametrize("rows", [[], [("7", "flu")], [("7", "flu"), ("7", None)]])
def test_nobody_fits_a_row(rows):
    found = run(rows, ["1", "2"])
    assert (found.identified, found.disclosed, found.undecided) == (0, 0, 2)
