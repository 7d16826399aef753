"""The adversary who knows the algorithm: what is told of several classes and columns, by hand."""

import pytest
from builders import reduced

from anonaudit.attack import Setting
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from attacks import algorithm_aware
from attacks.algorithm_aware import AlgorithmAware, hidden, recover

# By the usual parameters, 0.7 and two cells. In a, two hearts are gone: all three were. So are two
# flus in b. In c two cells of one value are gone: heart, flu, or one that is nowhere else. One
# cell alone is never gone, as in d.
A = [("a", "heart"), ("a", "*"), ("a", "*")]
B = [("b", "flu"), ("b", "*"), ("b", "*")]
C = [("c", "*"), ("c", "*")]
D = [("d", "flu"), ("d", "heart"), ("d", "heart"), ("d", "*")]
PLAIN = [("e", "heart"), ("e", "flu")]
FOREIGN = "1 suppressed cell(s) are not explained by these parameters"
OPEN = "2 suppressed cell(s) have too many originals to try"


def run(rows, sensitive=(1,), masker=None, people=None, allowed=None, known="0", **options):
    external = None if people is None else FrequencySet.of(list(known), people)
    setting = Setting(
        classes=reduced(rows, [0], sensitive), external=external, options=options, allowed=allowed
    )
    return AlgorithmAware(masker).run(setting)


@pytest.mark.parametrize(
    ("rows", "targets", "disclosed", "highest", "foreign", "witness"),
    [
        ([*A, *B, *PLAIN], 4, 4, 1, 0, 0),
        ([*A, *B, *C, *PLAIN], 6, 4, 1, 0, 0),
        ([*PLAIN, *C], 2, 0, 1 / 3, 0, None),
        ([*PLAIN, *D], 1, 0, 0, 1, None),
        ([*C, *D, *B], 5, 2, 1, 1, 0),
        (C, 2, 0, 1, 0, None),  # no value is shown anywhere: one that is nowhere, whichever
        ([*A, *D, ("f", "*"), ("f", "flu"), *B], 6, 4, 1, 2, 0),
    ],
)
def test_several_classes(rows, targets, disclosed, highest, foreign, witness):
    found = run(rows, allowed=0.9)
    assert (found.targets, found.disclosed, found.rate) == (targets, disclosed, disclosed / targets)
    assert found.per_attribute == {"1": disclosed}
    assert found.details == {
        "confidence": 0.7,
        "at least suppressed": 2,
        "highest chance of a value": pytest.approx(highest),
        "cells not explained": foreign,
    }
    assert found.reason == (FOREIGN.replace("1", str(foreign)) if foreign else None)
    exceeds = disclosed / targets > 0.9
    assert found.outcome is (
        Outcome.VIOLATED if exceeds else Outcome.INCONCLUSIVE if foreign else Outcome.HOLDS
    )
    assert (found.witness is None) == (witness is None)
    if found.witness is not None:
        assert (found.witness.rows, found.witness.attribute) == (3, "1")


def test_the_chances_of_two_values():
    """Of seven, b was hidden twice or not at all, as two is the least: a fourfold, or both twice.

    Four cells are one a's way, or 4 choose 2 = 6. So a has 4 + 6 * 2 of 7 * 4, and b 6 * 2.
    """
    rows = [("x", "a"), ("x", "a"), ("x", "b")] + [("x", "*")] * 4
    found = run(rows, confidence=0.4)
    assert found.details["highest chance of a value"] == pytest.approx(16 / 28)
    chances = recover({"a": 2, "b": 1}, 4, 7, limit=0.4, least=2)
    assert chances == {"a": pytest.approx(16 / 28), "b": pytest.approx(12 / 28)}


@pytest.mark.parametrize(
    ("most", "reason"),
    [(8, FOREIGN), (7, f"{OPEN}; {FOREIGN}"), (2, f"{OPEN}; {FOREIGN}")],
)
def test_more_fillings_than_are_tried(most, reason, monkeypatch):
    """In c three values are each there twice or not: eight ways to try. In a it is two."""
    monkeypatch.setattr(algorithm_aware, "MOST_FILLINGS", most)
    found = run([*A, *C, *D, *B], allowed=0.9)
    assert (found.targets, found.disclosed, found.reason) == (7, 4, reason)
    assert found.outcome is Outcome.INCONCLUSIVE
    alone = run([*PLAIN, *C], allowed=0.9)
    assert alone.reason == (None if most == 8 else OPEN)


def test_two_columns_are_recovered_each_by_itself():
    """In a the first column shows one heart and hides two; in b the second one flu, and two."""
    rows = [("a", "heart", "x"), ("a", "*", "x"), ("a", "*", "y")]
    rows += [("b", "heart", "flu"), ("b", "gut", "*"), ("b", "gut", "*")]
    found = run(rows, (1, 2))
    assert (found.targets, found.disclosed) == (4, 4)
    assert found.per_attribute == {"1": 2, "2": 2}
    assert (found.witness.class_number, found.witness.attribute) == (0, "1")
    turned = run([(row[0], row[2], row[1]) for row in rows[3:]], (1, 2))
    assert (turned.targets, turned.per_attribute) == (2, {"1": 2, "2": 0})


@pytest.mark.parametrize(
    ("frequency", "n", "limit", "least", "gone"),
    [
        (7, 10, 0.7, 1, 1),  # just reached
        (7, 10, 0.71, 1, 0),
        (7, 10, 0.7, 3, 3),
        (2, 2, 0.7, 3, 2),
        (3, 10, 0.3, 1, 1),  # 0.3 is three tenths, not what binary makes of it
        (10, 10, 0.3, 1, 8),
        (10, 10, 0.25, 1, 8),  # two may stay, as three are above 2.5
        (4, 4, 1.0, 1, 1),
        (3, 4, 1.0, 1, 0),
    ],
)
def test_how_many_cells_are_hidden(frequency, n, limit, least, gone):
    assert hidden(frequency, n, limit, least) == gone


def test_large_classes_are_counted_in_whole_numbers():
    """a and b show 99 each of 1,000, the most below a tenth, and share the 300 that are gone."""
    found = recover({"a": 99, "b": 99, "c": 5}, 300, 1_000, limit=0.1, least=1)
    assert found == {"a": pytest.approx(1 / 2), "b": pytest.approx(1 / 2)}


def test_a_masker_that_changes_nothing():
    """The two of a have s and t in one order or the other, and u both; b has t and v."""
    rows = [("a", "s", "u"), ("a", "t", "u"), ("b", "t", "v")]
    people = [("a",), ("a",), ("b",)]
    found = run(rows, (1, 2), list, people, allowed=0.5)
    assert (found.targets, found.disclosed, found.rate) == (3, 3, 1)
    assert (found.outcome, found.reason) == (Outcome.VIOLATED, None)
    assert found.per_attribute == {"1": 1, "2": 3}
    assert found.details["highest chance of a value"] == 1
    assert found.details["average chance of the likeliest value"] == 1
    turned = run([(who, other, one) for who, one, other in rows], (1, 2), list, people)
    assert (turned.disclosed, turned.per_attribute) == (3, {"1": 3, "2": 1})
    one = run([row[:2] for row in rows], (1,), list, people)
    assert (one.disclosed, one.per_attribute) == (1, {"1": 1})
    assert one.details == {
        "originals tried": 2,
        "originals that give the release": 2,
        "exact": True,
        "highest chance of a value": 1,
        "average chance of the likeliest value": pytest.approx((1 / 2 + 1 / 2 + 1) / 3),
    }


def test_as_many_originals_as_may_be_tried():
    """Two orders: both are tried where two may be; else as many are drawn, which is too few."""
    rows, people = [("a", "s"), ("a", "t")], [("a",), ("a",)]
    assert run(rows, (1,), list, people, worlds=2).details["exact"]
    few = run(rows, (1,), list, people, worlds=1)
    assert few.reason == "too few of 1 sampled originals give the release"
    assert few.outcome is Outcome.INCONCLUSIVE


def test_the_two_chances_of_a_sample():
    """Three of four have s, so each has it by 3/4; of a sample the lower bound is told."""
    rows, people = [("a", v) for v in "ssst"], [("a",)] * 4
    found = run(rows, (1,), list, people, worlds=3, allowed=0.5)
    assert found.outcome is Outcome.INCONCLUSIVE
    exact = run(rows, (1,), list, people, worlds=4)
    assert exact.details["highest chance of a value"] == 3 / 4
    sampled = AlgorithmAware(list).run(
        Setting(
            classes=reduced(rows * 3, [0], [1]),
            external=FrequencySet.of(["0"], people * 3),
            options={"worlds": 100},
            allowed=0.5,
        )
    )
    assert sampled.details["originals tried"] == sampled.details[
        "originals that give the release"
    ] == 100  # fmt: skip
    assert 0.6 < sampled.details["highest chance of a value"] < 0.9
    assert (sampled.disclosed, sampled.details["exact"]) == (0, False)
    assert "originals were sampled" in sampled.reason
    assert sampled.outcome is Outcome.INCONCLUSIVE


def test_what_a_masker_needs():
    rows = [("a", "s"), ("b", "t")]
    assert run(rows, (1,), list).reason.startswith("a masker needs an external table")
    assert run(rows, (1,), list).outcome is Outcome.SKIPPED
    setting = Setting(
        classes=reduced([("a", "u", "s")], [0, 1], [2]),
        external=FrequencySet.of(["0"], [("a",)]),
    )
    found = AlgorithmAware(list).run(setting)
    assert (found.outcome, found.reason) == (
        Outcome.INCONCLUSIVE, "the external table lacks quasi-identifiers the masker needs",
    )  # fmt: skip
    for people in ([("a",), ("c",)], [("a",), (None,)]):  # c is nobody, None anybody
        found = run(rows, (1,), list, people)
        assert found.reason == "a person of the external table fits no class, or several"
    assert run([], (1,)).reason == "there is no class to attack"
    assert run([("a",)], ()).reason == "no sensitive column is named"
    assert run([("a",)], (), list, [("a",)]).reason == "no sensitive column is named"
    assert run([("a", "*", "p")], (1,)).targets == 1


def test_it_is_worked_out_row_by_row_only():
    persons = reduced([("a", "*", "p"), ("a", "*", "q")], [0], [1], unit=2)
    found = AlgorithmAware().run(Setting(classes=persons))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "a unit column" in found.reason
