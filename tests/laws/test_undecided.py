"""Linkage against every way in which what is undecided may come out, on small tables.

- A person is exposed if and only if it is in every way.
- A person is undecided if and only if it is exposed in some ways and not in others.

What may come out: whether a person is among the rows with a label that nobody can read, whether it
is among the rows that are suppressed throughout, and what unknown sensitive cells hold. Rows that
nothing tells apart are candidates together or not at all.
"""

from itertools import product

from builders import reduced
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from anonaudit.attack import Setting
from anonaudit.frequency.frequency_set import FrequencySet
from attacks.elimination import Elimination
from attacks.linkage import Linkage

# No two are multiples of a round number, which might have been rounded to.
LABELS = {"11": {11}, "23": {23}, "[10,20)": {11, 15}, "some": None, "*": None}
KEPT = ("some", "*")
rows = st.lists(
    st.tuples(st.sampled_from(list(LABELS)), st.sampled_from(["u", "v", None])), max_size=5
)


def exposed(values, known):
    """Identified, or a known value is shared by all candidates."""
    return len(values) == 1 or (len(set(values)) == 1 and values[0] in known)


def ways(table, age):
    """Whether the person of that age is exposed, in every way that things may come out."""
    firm = [dx for label, dx in table if LABELS[label] is not None and age in LABELS[label]]
    groups = [[dx for label, dx in table if label == kept] for kept in KEPT]
    groups = [group for group in groups if group]
    for choice in product([False, True], repeat=len(groups)):
        found = [*firm, *(dx for group, here in zip(groups, choice, strict=True) if here
                          for dx in group)]  # fmt: skip
        if not found:
            yield False
            continue
        known = {dx for dx in found if dx is not None}
        # Of what nobody knows a value no more than that it may be one of the others, or another.
        fills = product([*sorted(known), "?"], repeat=found.count(None))
        for fill in fills:
            filled = iter(fill)
            yield exposed([next(filled) if dx is None else dx for dx in found], known)


@settings(max_examples=3 * settings.default.max_examples)
@example([("*", None)], [11])
@example([("*", "u"), ("*", "u")], [11])
@example([("11", None), ("some", "u")], [11])
@given(rows, st.lists(st.sampled_from([11, 15, 23]), min_size=1, max_size=3, unique=True))
def test_linkage_by_every_way(table, ages):
    classes = reduced(table, [0], [1])
    external = FrequencySet.of(["0"], [(str(age),) for age in ages])
    found = Linkage().run(Setting(classes=classes, external=external))
    answers = [set(ways(table, age)) for age in ages]
    hit = sum(answer == {True} for answer in answers)
    open_ = sum(answer == {True, False} for answer in answers)
    if found.rate is None:  # nobody has a candidate
        assert all(answer == {False} for answer in answers)
        return
    assert (round(found.rate * len(ages)), found.undecided) == (hit, open_)
    assert found.highest_rate == (hit + open_) / len(ages)


def disclosed(table, values):
    """How many rows an attack on classes of the first column exposes."""
    sensitive = list(range(1, len(table[0])))
    setting = Setting(classes=reduced(table, [0], sensitive), options={"values": values})
    return Elimination().run(setting)


CELLS = st.sampled_from(["u", "v", None])


@settings(max_examples=25)
@example([("a", "u", None), ("a", None, "v")], 0)
@example([("a", "u", "v"), ("a", "v", None), ("a", None, "u")], 1)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), CELLS, CELLS), min_size=1, max_size=4),
    st.integers(0, 2),
)
def test_elimination_never_counts_fewer_than_may_be_exposed(table, values):
    """Whatever the unknown cells hold, no more rows are exposed than are or may be.

    A class without any known value is left out: there is nothing that it could give away.
    """
    told = {row[0] for row in table if any(row[1:])}
    table = [row for row in table if row[0] in told]
    assume(table)
    found = disclosed(table, values)
    gaps = sum(cell is None for row in table for cell in row)
    for fill in product(["u", "v", "w"], repeat=gaps):
        filled = iter(fill)
        whole = [tuple(next(filled) if cell is None else cell for cell in row) for row in table]
        assert disclosed(whole, values).disclosed <= found.disclosed + found.undecided
