"""No unknown cell makes a class pass: the verdicts beside every way to fill the cells."""

from collections.abc import Iterator
from itertools import product

import oracle
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from anonaudit.cells import Convention
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models.alpha_k import AlphaKAnonymity
from anonaudit.models.l_diversity import (
    EntropyLDiversity,
    LDiversity,
    RecursiveCLDiversity,
    SensitiveReading,
)
from anonaudit.models.level import Model
from anonaudit.models.likeness import BetaLikeness, DeltaDisclosure
from anonaudit.models.p_sensitive import PSensitiveKAnonymity
from anonaudit.models.t_closeness import TCloseness
from anonaudit.roles import Roles

Row = tuple[str, str | None]
ORDER = {"s": {"a": 0.0, "b": 1.0, "c": 2.0}}
# Of these the worst filling is known exactly, of the others only a bound.
EXACT = (
    LDiversity(2),
    PSensitiveKAnonymity(2),
    AlphaKAnonymity(0.5),
    AlphaKAnonymity(0.7),
    EntropyLDiversity(1.5),
    EntropyLDiversity(2),
    RecursiveCLDiversity(c=1.5, l=2),
    RecursiveCLDiversity(c=2.5, l=2),
    RecursiveCLDiversity(c=1, l=1),
)
BOUNDED = (
    TCloseness(0.3),
    TCloseness(0.5),
    TCloseness(0.3, distance="ordered", scale=ORDER),
    BetaLikeness(0.5),
    BetaLikeness(2),
    BetaLikeness(1, form="enhanced"),
    DeltaDisclosure(1),
    DeltaDisclosure(0.5, absent="ignored"),
    DeltaDisclosure(2, absent="ignored"),
)


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    """At most 8 rows in at most 3 classes, each with a known value; at most 4 unknown cells."""
    cells = st.tuples(st.sampled_from("xyz"), st.sampled_from(["a", "a", "b", "c", None, "*"]))
    drawn = draw(st.lists(cells, min_size=1, max_size=8))
    assume(sum(not oracle.known([value]) for _, value in drawn) <= 4)
    assume(not oracle.unknown_classes(drawn, [0], [1]))
    return drawn


def fillings(table: list[Row]) -> Iterator[list[Row]]:
    values = sorted({*oracle.known_in(table, 1)})
    options = [[cell] if oracle.known([cell]) else values for _, cell in table]
    for filled in product(*options):
        yield [(key, value) for (key, _), value in zip(table, filled, strict=True)]


def classes(table: list[Row], convention: Convention | None = None) -> EquivalenceClasses:
    return equivalence_classes(
        FrequencySet.of(["q", "s"], table), Roles(("q",), ("s",)), convention
    )


@pytest.mark.parametrize("model", [*EXACT, *BOUNDED], ids=str)
@given(table=rows())
def test_what_holds_holds_in_every_filling(model: Model, table: list[Row]) -> None:
    came = model.measure(classes(table))
    filled = {model.measure(classes(full)).outcome for full in fillings(table)}
    if came.outcome is Outcome.HOLDS:
        assert filled == {Outcome.HOLDS}
    if model in EXACT and came.outcome is Outcome.INCONCLUSIVE:
        assert Outcome.VIOLATED in filled
    assert (came.classes_undecided > 0) is (came.outcome is Outcome.INCONCLUSIVE) or violated(came)


def violated(came: Measurement) -> bool:
    return came.outcome is Outcome.VIOLATED


@pytest.mark.parametrize("model", [*EXACT, *BOUNDED], ids=str)
@given(table=rows())
def test_a_table_without_unknown_cells_is_decided(model: Model, table: list[Row]) -> None:
    full = next(fillings(table))
    assert model.measure(classes(full)).outcome is not Outcome.INCONCLUSIVE
    if getattr(model, "scale", {}):  # in an order an unknown cell has no place
        return
    one_value = classes(table, Convention(sensitive="one-value"))
    assert model.measure(one_value).classes_undecided == 0


@pytest.mark.parametrize("model", [*EXACT, *BOUNDED], ids=str)
@given(table=rows(), persons=st.lists(st.sampled_from("1234"), min_size=8, max_size=8))
def test_what_holds_of_persons_holds_in_every_filling(
    model: Model, table: list[Row], persons: list[str]
) -> None:
    def of_persons(cells: list[Row]) -> EquivalenceClasses:
        named = [(*row, person) for row, person in zip(cells, persons, strict=False)]
        released = FrequencySet.of(["q", "s", "who"], named)
        return equivalence_classes(released, Roles(("q",), ("s",), unit="who"))

    if model.measure(of_persons(table)).outcome is Outcome.HOLDS:
        filled = {model.measure(of_persons(full)).outcome for full in fillings(table)}
        assert filled == {Outcome.HOLDS}


@pytest.mark.parametrize("reading", ["each", "joint"])
@settings(suppress_health_check=[HealthCheck.filter_too_much])  # most have a class without values
@given(table=rows(), other=rows())
def test_what_holds_of_two_attributes_holds_in_every_filling(
    reading: SensitiveReading, table: list[Row], other: list[Row]
) -> None:
    zipped = [*zip(table, other, strict=False)]

    def of_both(first: list[Row], second: list[Row]) -> EquivalenceClasses:
        cells = [(q, a, b) for (q, a), (_, b) in zip(first, second, strict=False)]
        released = FrequencySet.of(["q", "s", "t"], cells)
        return equivalence_classes(released, Roles(("q",), ("s", "t")))

    both = [(q, a if oracle.known([a, b]) == [a, b] else None) for (q, a), (_, b) in zipped]
    assume(not oracle.unknown_classes(both, [0], [1]))
    for model in (LDiversity(2, reading=reading), EntropyLDiversity(1.5, reading=reading)):
        if model.measure(of_both(table, other)).outcome is Outcome.HOLDS:
            each = product(fillings(table), fillings(other))
            filled = {model.measure(of_both(*full)).outcome for full in each}
            assert Outcome.VIOLATED not in filled


@pytest.mark.parametrize(
    ("model", "outcome"),
    [
        # {a, a, b, unknown}: a may have 3 of 4, 2 of 4 are known.
        (AlphaKAnonymity(0.6), Outcome.INCONCLUSIVE),
        (AlphaKAnonymity(0.75), Outcome.HOLDS),
        (AlphaKAnonymity(0.4), Outcome.VIOLATED),
        # exp(H) of 3 and 1 is 4 / 3^(3/4) = 1.75; of 2 and 1 it is 3 / 2^(2/3) = 1.89.
        (EntropyLDiversity(1.8), Outcome.INCONCLUSIVE),
        (EntropyLDiversity(1.7), Outcome.HOLDS),
        (EntropyLDiversity(1.9), Outcome.VIOLATED),
        # r1 / r2 may be 3, and is 2 as known.
        (RecursiveCLDiversity(c=3, l=2), Outcome.INCONCLUSIVE),
        (RecursiveCLDiversity(c=3.1, l=2), Outcome.HOLDS),
        (RecursiveCLDiversity(c=2, l=2), Outcome.VIOLATED),
    ],
)
def test_by_hand(model: Model, outcome: Outcome) -> None:
    came = model.measure(classes([("x", "a"), ("x", "a"), ("x", "b"), ("x", None)]))
    assert came.outcome is outcome
    assert came.classes_undecided == (outcome is Outcome.INCONCLUSIVE)
    assert any("may fall short" in note for note in came.notes) == (outcome is Outcome.INCONCLUSIVE)


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        # a is y for 3 of 4 then, b only z: shares 1/1 and 2/5 of the whole, so beta = 1.5.
        (BetaLikeness(1), [("b", "z", "4"), ("a", None, "3"), ("b", "z", "1"), ("a", "y", "3"),
                           ("b", None, "2"), ("a", "z", "3")]),
        # b may be x, x, y: 1/3 y of persons 3 and 2; a may be x only.
        (TCloseness(0.6), [("b", None, "3"), ("b", None, "3"), ("a", None, "2"), ("b", "y", "4"),
                           ("a", "x", "2")]),
    ],
)  # fmt: skip
def test_an_unknown_cell_may_repeat_a_value_of_its_person(
    model: Model, rows: list[tuple[str, str | None, str]]
) -> None:
    """Who has a value in two rows of a class counts once, so the whole grows less than by rows."""

    def of(cells: list[tuple[str, str | None, str]]) -> Outcome:
        released = FrequencySet.of(["q", "s", "who"], cells)
        return model.measure(
            equivalence_classes(released, Roles(("q",), ("s",), unit="who"))
        ).outcome

    assert of(rows) is Outcome.INCONCLUSIVE
    values = sorted({value for _, value, _ in rows if value})
    gaps = sum(value is None for _, value, _ in rows)
    outcomes = set()
    for fill in product(values, repeat=gaps):
        given = iter(fill)
        outcomes.add(of([(q, v or next(given), who) for q, v, who in rows]))
    assert Outcome.VIOLATED in outcomes


def test_an_unknown_cell_of_another_attribute_that_the_adversary_knows() -> None:
    """Of (x, u), (y, u), (x, v), (y, v), (x, -), (y, -) the last may be (x, u) and (y, w): alone."""
    rows = [("x", "u"), ("y", "u"), ("x", "v"), ("y", "v"), ("x", None), ("y", None)]
    cells = [("q", *row) for row in rows]
    known = [("q", *row) for row in rows if row[1]]

    def of(cells: list[tuple[str, ...]]) -> Outcome:
        released = FrequencySet.of(["q", "s", "t"], cells)
        classes = equivalence_classes(released, Roles(("q",), ("s", "t")))
        return LDiversity(2, reading="others-known").measure(classes).outcome

    assert of(known) is Outcome.HOLDS
    assert of(cells) is Outcome.INCONCLUSIVE
    filled = [("q", "x", "u"), ("q", "y", "w")]
    assert of([*known, *filled]) is Outcome.VIOLATED
