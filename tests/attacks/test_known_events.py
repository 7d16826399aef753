"""Several known rows of one person, where the release has several rows a person."""

from itertools import permutations

import pytest
from builders import reduced
from hypothesis import given, settings
from hypothesis import strategies as st

from anonaudit.attack import Setting
from anonaudit.frequency.frequency_set import FrequencySet
from attacks.linkage import Linkage

SINGLED = "singled out by known rows"
# The case T2-17: only person 1 has both d1 and d2.
EVENTS = [
    ("d1", "flu", "1"), ("d2", "flu", "1"), ("d1", "gout", "2"),
    ("d3", "gout", "2"), ("d2", "hiv", "3"), ("d3", "hiv", "3"),
]  # fmt: skip


def run(rows, known, **options):
    """Linkage; the columns of a row are an item, a value and a person."""
    external = FrequencySet.of(["name", "0"], known)
    return Linkage().run(
        Setting(
            classes=reduced(rows, [0], [1], unit=2),
            external=external,
            identity=("name",),
            options={"suppressed_rows": "candidates", **options},
        )
    )


def test_two_shared_events_single_a_person_out():
    found = run(EVENTS, [("Ann", "d1"), ("Ann", "d2")])
    assert (found.targets, found.identified, found.disclosed, found.rate) == (1, 1, 1, 1.0)
    assert found.details[SINGLED] == {"1": 0, "2": 1}
    assert found.details["most known rows"] == 2


def test_each_event_by_itself_singles_nobody_out():
    found = run(EVENTS, [("Ann", "d1"), ("Bob", "d2")])
    assert (found.targets, found.identified) == (2, 0)
    assert SINGLED not in found.details


def test_an_event_twice_is_one_event():
    found = run(EVENTS, [("Ann", "d1"), ("Ann", "d1"), ("Bob", "d1"), ("Bob", "d3")])
    assert (found.targets, found.identified) == (2, 1)


def test_events_that_nobody_has_together_fit_nobody():
    found = run(EVENTS, [("Ann", "d1"), ("Ann", "d2"), ("Ann", "d3"), ("Bob", "d1")])
    assert (found.targets, found.identified, found.details["no match"]) == (2, 0, 1)


def test_rows_without_a_name_are_persons_by_themselves():
    found = run(EVENTS, [(None, "d1"), (None, "d1"), (None, "d2"), ("Ann", "d1"), ("Ann", "d2")])
    assert (found.targets, found.identified) == (4, 1)


def test_a_label_that_was_not_read_leaves_an_event_undecided():
    """Nobody knows whether `about 30` is 31, so person 2 may have both events as well."""
    rows = [("31", "flu", "1"), ("45", "flu", "1"), ("45", "hiv", "2"), ("about 30", "hiv", "2")]
    found = run(rows, [("Ann", "31"), ("Ann", "45")])
    assert (found.identified, found.undecided) == (0, 1)


def test_a_row_that_may_be_anybodys_leaves_an_event_undecided():
    rows = [("31", "flu", "1"), ("45", "flu", "1"), ("45", "hiv", "2"), ("*", "hiv", "2")]
    known = [("Ann", "31"), ("Ann", "45")]
    found = run(rows, known, suppressed_rows="undecided")
    assert (found.identified, found.undecided) == (0, 1)
    assert run(rows, known, suppressed_rows="left-out").identified == 1
    assert run(rows, known, suppressed_rows="candidates").identified == 0


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "3", "1-2", "2-3"]),
        st.sampled_from("st"),
        st.sampled_from("xyz"),
    ),
    min_size=1,
    max_size=7,
)
KNOWN = st.lists(
    st.tuples(st.sampled_from(["Ann", "Bob"]), st.sampled_from("123")), min_size=1, max_size=5
)


@settings(max_examples=60)
@given(ROWS, KNOWN, st.booleans())
def test_exposed_are_those_whom_every_possible_person_exposes(rows, known, everyone):
    """By hand: who has a row for each event; with `everyone`, in which choices of all persons."""
    names = sorted({name for name, _ in known})

    def meets(row, item):
        return row[0][0] <= item <= row[0][-1]

    def fits(name, person):
        own = [row for row in rows if row[2] == person]
        return all(any(meets(row, i) for row in own) for who, i in known if who == name)

    def values(name, person):
        items = [item for who, item in known if who == name]
        return {row[1] for row in rows if row[2] == person and any(meets(row, i) for i in items)}

    persons = sorted({row[2] for row in rows})
    possible = {name: [p for p in persons if fits(name, p)] for name in names}
    if everyone:
        chosen = [
            choice
            for choice in permutations(persons, len(names))
            if all(p in possible[name] for name, p in zip(names, choice, strict=True))
        ]
        if not chosen:
            return
        possible = {name: sorted({c[i] for c in chosen}) for i, name in enumerate(names)}
    if not any(possible.values()):
        return
    found = run(rows, known, everyone_released=everyone)
    shared = {
        name: bool(possible[name])
        and bool(set.intersection(*(values(name, p) for p in possible[name])))
        for name in names
    }
    assert found.targets == len(names)
    assert found.identified == sum(len(possible[name]) == 1 for name in names)
    assert found.disclosed == sum(shared.values())
    exposed = sum(len(possible[name]) == 1 or shared[name] for name in names)
    assert found.rate == pytest.approx(exposed / len(names))
    assert found.undecided == 0


def test_a_value_that_only_a_doubtful_row_gives_is_not_certain():
    """Both persons have both events. Person 1 has hiv as well only if `about 30` is an event."""
    rows = [
        ("31", "flu", "1"), ("45", "flu", "1"), ("about 30", "hiv", "1"),
        ("31", "hiv", "2"), ("45", "hiv", "2"),
    ]  # fmt: skip
    found = run(rows, [("Ann", "31"), ("Ann", "45")])
    assert (found.identified, found.disclosed, found.undecided) == (0, 0, 1)


@pytest.mark.parametrize("everyone", [False, True])
def test_a_release_without_rows_decides_nothing(everyone):
    found = run([], [("Ann", "31"), ("Ann", "45")], everyone_released=everyone)
    assert (found.targets, found.undecided, found.rate) == (1, 1, None)
