"""Known events of persons whose dates were moved by an offset each, beside trying every offset."""

from datetime import date, timedelta

import pytest
from builders import reduced
from hypothesis import given, settings
from hypothesis import strategies as st

from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.frequency.frequency_set import FrequencySet
from attacks.linkage import Linkage

# Person 1 was treated 10 days apart, person 2 30 days, both in one ward; all dates were moved.
MOVED = [
    ("2021-03-04", "A", "flu", "1"), ("2021-03-14", "A", "flu", "1"),
    ("2021-07-01", "A", "HIV", "2"), ("2021-07-31", "A", "HIV", "2"),
]  # fmt: skip
# The day, the ward and the name, as a neighbour knows them.
KNOWN = [("Ann", "2020-05-01", "A"), ("Ann", "2020-05-11", "A"), ("Bob", "2020-06-01", "A")]


def run(rows, known, dates=("0",), qi=(0, 1), identity="name", **options):
    """Linkage; the columns of a row are dates and a ward, a value and a person."""
    names = [str(c) for c in qi]
    external = FrequencySet.of([identity, *names], known)
    options |= {"shifted_dates": list(dates)} if dates else {}
    classes = reduced(rows, list(qi), [len(qi)], unit=len(qi) + 1)
    return Linkage().run(
        Setting(
            classes=classes,
            external=external,
            identity=(identity,),
            readings={"1": "plain"},
            options=options,
        )
    )


def test_a_gap_of_ten_days_is_found_whatever_the_offset():
    found = run(MOVED, KNOWN)
    assert (found.targets, found.identified, found.disclosed, found.undecided) == (2, 1, 1, 0)
    assert found.details["singled out by known rows"] == {"1": 0, "2": 1}
    assert found.details["several matches"] == 1  # Bob: one date says nothing
    assert not [note for note in found.notes if "shifted-dates" in note]


def test_dates_as_they_stand_fit_nobody_and_a_note_says_what_was_not_tried():
    found = run(MOVED, KNOWN, dates=())
    assert (found.identified, found.details["no match"]) == (0, 2)
    (note,) = (note for note in found.notes if "shifted-dates" in note)
    assert "dates of '0' were compared as they stand" in note
    single = run(MOVED, [("Ann", "2020-05-01", "A")], dates=())
    assert not [note for note in single.notes if "shifted-dates" in note]  # there is no gap


def test_other_columns_are_compared_as_ever():
    wards = [(day, "B" if who == "1" else "A", value, who) for day, _, value, who in MOVED]
    found = run(wards, KNOWN)
    assert (found.identified, found.details["no match"]) == (
        1,
        1,
    )  # Bob is in A; nobody has 10 days


def test_two_dates_of_one_event_have_one_offset():
    """In and out: 3 days and 5 days. One known event is enough."""
    rows = [("2021-03-04", "2021-03-07", "flu", "1"), ("2021-03-04", "2021-03-09", "HIV", "2")]
    found = run(rows, [("Ann", "2020-05-01", "2020-05-04")], dates=("0", "1"))
    assert (found.targets, found.identified, found.disclosed) == (1, 1, 1)
    only_one_moved = run(rows, [("Ann", "2020-05-01", "2020-05-04")], dates=("0",))
    assert only_one_moved.details["no match"] == 1


def test_times_count_where_all_have_one():
    """Ann's events are 12 hours apart, on two days; person 1 has 12 hours, on one day."""
    rows = [("2021-03-04 06:00", "A", "flu", "1"), ("2021-03-04 18:00", "A", "flu", "1")]
    known = [("Ann", "2020-05-01 21:00", "A"), ("Ann", "2020-05-02 09:00", "A")]
    assert run(rows, known).identified == 1
    days = run(rows, [(name, time[:10], ward) for name, time, ward in known])
    assert (days.identified, days.details["no match"]) == (0, 1)


def test_a_text_that_is_no_date_may_be_any():
    """Person 2 may have been in on 2021-07-11, or on 2021-06-21."""
    rows = [*MOVED[:3], ("July 2021", "A", "HIV", "2")]
    found = run(rows, KNOWN[:2])
    assert (found.identified, found.undecided) == (0, 1)
    assert "1 label(s) of '0' cannot be compared" in found.reason.replace("of 0", "of '0'")
    gone = run([*MOVED[:3], (None, "A", "HIV", "2")], KNOWN[:2])
    assert (gone.identified, gone.details["several matches"]) == (0, 1)


@pytest.mark.parametrize(
    ("dates", "message"),
    [(("when",), "names 'when'"), ("0", "must be a list of columns"), ((1,), "must be a list")],
)
def test_only_columns_of_both_tables_can_be_shifted(dates, message):
    with pytest.raises(AnonauditError, match=message):
        run(MOVED, KNOWN, dates=(), shifted_dates=dates)


def test_without_a_unit_no_dates_belong_together():
    external = FrequencySet.of(["name", "0"], [("Ann", "2020-05-01")])
    setting = Setting(
        classes=reduced([("2021-03-04", "flu")], [0], [1]),
        external=external,
        identity=("name",),
        options={"shifted_dates": ["0"]},
    )
    with pytest.raises(AnonauditError, match="needs a unit column"):
        Linkage().run(setting)


def day(number):
    return None if number is None else str(date(2020, 1, 1) + timedelta(days=number))


DAYS = st.integers(0, 4)
ROWS = st.lists(
    st.tuples(
        st.one_of(DAYS, st.none()),
        st.sampled_from("AB"),
        st.sampled_from("xy"),
        st.sampled_from("123"),
    ),
    min_size=1,
    max_size=7,
)
EVENTS = st.lists(
    st.tuples(st.sampled_from(["Ann", "Bob"]), DAYS, st.sampled_from("AB")), min_size=1, max_size=4
)


@settings(max_examples=25)
@given(ROWS, EVENTS)
def test_every_offset_tried_for_every_person(rows, events):
    """A person fits who has, at one offset, a row for each event; a row without a day fits all."""
    people = sorted({who for *_, who in rows})
    counts = []
    for name in sorted({name for name, *_ in events}):
        mine = {(at, ward) for who, at, ward in events if who == name}
        counts.append(
            sum(
                any(
                    all(
                        any(
                            r[3] == who and r[1] == ward and r[0] in (None, at + offset)
                            for r in rows
                        )
                        for at, ward in mine
                    )
                    for offset in range(-4, 5)
                )
                for who in people
            )
        )
    found = run([(day(d), *rest) for d, *rest in rows], [(n, day(d), w) for n, d, w in events])
    assert found.targets == len(counts)
    if any(counts):
        assert found.details["no match"] == counts.count(0)
        assert found.identified == counts.count(1)
        assert found.details["pairs"] == sum(counts)
    else:
        assert found.rate is None


@pytest.mark.parametrize(
    ("released", "known"),
    [
        # First days of months, and of quarters; last days; Mondays.
        (["2019-03-01", "2019-04-01", "2019-07-01"], ["2020-05-03", "2020-06-20"]),
        (["2019-03-31", "2019-04-30", "2019-07-31"], ["2020-05-03", "2020-06-20"]),
        (["2019-03-04", "2019-03-18", "2019-04-01"], ["2020-05-03", "2020-05-15"]),
        # Full hours; days written as midnights; times that are cut to the minute, or to the day.
        (["2019-03-04 08:00", "2019-03-14 09:00"], ["2020-05-03 08:20", "2020-05-13 09:35"]),
        (["2019-03-04 00:00", "2019-03-14 00:00"], ["2020-05-03 08:20", "2020-05-13 09:35"]),
        (["2019-03-04 08:00", "2019-03-14 09:30"], ["2020-05-03 08:00:20", "2020-05-13 09:30:50"]),
        (["2019-03-04 23:30", "2019-03-15 00:30"], ["2020-05-01", "2020-05-11"]),
    ],
)
def test_dates_that_seem_cut_or_are_less_exact_rule_nobody_out(released, known):
    """Their gaps are not those of the events: 31 days, not 48, between two first days of months."""
    rows = [(day, "A", "flu", "1") for day in released]
    rows += [(day, "A", "HIV", "2") for day in released[:1]]
    found = run(rows, [*[("Ann", day, "A") for day in known], ("Bob", known[0], "A")])
    assert (found.targets, found.disclosed, found.undecided) == (2, 0, 2)


def test_dates_of_one_weekday_on_both_sides_are_no_sign_of_a_cut():
    rows = [("2021-03-01", "A", "flu", "1"), ("2021-03-15", "A", "flu", "1")]
    known = [("Ann", "2020-05-04", "A"), ("Ann", "2020-05-11", "A"), ("Bob", "2020-05-04", "A")]
    found = run(rows, known)
    assert (found.undecided, found.details["no match"]) == (0, 1)
