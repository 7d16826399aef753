"""Mondrian's cuts against a plain recursion over lists of rows, and what they lose on Adult."""

from collections import defaultdict
from fractions import Fraction
from math import log2

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from masking.tables import Row, hierarchies

from anonaudit import datasets
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.cuts import cut
from anonaudit.masking.goals import EntropyL, Goal, KAnonymous, PSensitive
from anonaudit.masking.k_member import k_member
from anonaudit.masking.lattice import k_minimal
from anonaudit.masking.loss import information_loss
from anonaudit.masking.mondrian import mondrian
from anonaudit.masking.recoding import Microdata
from anonaudit.roles import Roles

NAMES = ["q2", "name", "n", "s", "who"]
PATHS = hierarchies("q2")["q2"].paths

some_rows = st.lists(
    st.tuples(
        st.sampled_from(["0", "1", "2", "3", None]),
        st.sampled_from("uvw"),
        st.sampled_from(["1", "2", "2.5", "7", "40", None]),
        st.sampled_from("xyz"),
        st.integers(1, 9).map(str),
    ),
    min_size=1,
    max_size=24,
)


def path(column: str, value: str | None) -> tuple[str | None, ...]:
    """From a value to the root; a missing cell is a child of the root."""
    if value is None:
        return (None, "*")
    return PATHS[value] if column == "q2" else (value, "*")


def node(column: str, values: list[str | None]) -> str | None:
    """The lowest node above all values."""
    ways = [path(column, value) for value in values]
    return next(step for step in ways[0] if all(step in way for way in ways))


HEIGHT = {"0": 0, "1": 0, "2": 0, "3": 0, "a": 1, "b": 2, "c": 1, "d": 1, "e": 2, "*": 3}


def loss(column: str, values: list[str | None], span: Fraction) -> Fraction:
    """MCT08 Definition 10 of one cell; a number counts the width of its interval."""
    if column == "n":
        numbers = [Fraction(value) for value in values if value is not None]
        if len(numbers) < len(values):
            return Fraction(bool(numbers))
        return (max(numbers) - min(numbers)) / span
    above = node(column, values)
    if column == "name":
        return Fraction(above == "*")
    return Fraction(HEIGHT[above], 3) if above is not None else Fraction(0)


def pieces(column: str, values: list[str | None]) -> list[object]:
    """The piece each value is in: a child of the common node, or a half."""
    if column == "n":
        place = [Fraction(v) if v is not None else Fraction(-(10**6)) for v in values]
        middle = sorted(place)[(len(place) - 1) // 2]
        return [one > middle for one in place]
    above, found = node(column, values), []
    for value in values:
        way = path(column, value)
        found.append(way[max(way.index(above) - 1, 0)])
    return found


def plain_cut(rows: list[Row], inside: list[int], k: int, p: int, span: Fraction) -> list[set[int]]:
    """The groups of `inside`: the cut that saves most, until there is none; [] if a tie decides."""

    def meets(part: list[int]) -> bool:
        people, values = {rows[i][4] for i in part}, {rows[i][3] for i in part}
        return len(people) >= k and len(values) >= p

    best: tuple[float, list[list[int]]] | None = None
    for j, column in enumerate(NAMES[:3]):
        cells = [rows[i][j] for i in inside]
        found: dict[object, list[int]] = defaultdict(list)
        for i, piece in zip(inside, pieces(column, cells), strict=True):
            found[piece].append(i)
        alone = [part for part in found.values() if meets(part)]
        rest = [i for part in found.values() if not meets(part) for i in part]
        if rest and not meets(rest) and alone:
            smallest = min(alone, key=len)
            ties = [part for part in alone if len(part) == len(smallest)]
            if len(ties) > 1:
                return []  # which of them joins is no matter of the rule
            alone.remove(smallest)
            rest += smallest
        parts = [*alone, *([rest] if rest else [])]
        if len(parts) < 2 or not all(map(meets, parts)):
            continue
        less = len(inside) * loss(column, cells, span)
        less -= sum(len(part) * loss(column, [rows[i][j] for i in part], span) for part in parts)
        saved = float(less) / sum(len(part) * log2(len(inside) / len(part)) for part in parts)
        if best is None or saved > best[0] + 1e-9:
            best = (saved, parts)
        elif abs(saved - best[0]) <= 1e-9:
            return []  # nor is which of two equal cuts is taken
    if best is None:
        return [set(inside)]
    groups = [plain_cut(rows, part, k, p, span) for part in best[1]]
    return [] if not all(groups) else [group for some in groups for group in some]


@given(some_rows, st.integers(1, 4), st.integers(1, 2), st.booleans())
def test_the_same_groups_as_a_plain_recursion(
    rows: list[Row], k: int, p: int, by_person: bool
) -> None:
    if not by_person:
        rows = [(*row[:4], str(i)) for i, row in enumerate(rows)]
    k = max(k, p)
    goal: Goal = KAnonymous(k) if p == 1 else PSensitive(p, k)
    unit = "who" if by_person else None
    frame = pd.DataFrame(rows, columns=NAMES, dtype=object)
    data = Microdata.read(frame, Roles(("q2", "name", "n"), ("s",), unit=unit), hierarchies("q2"))
    if len({row[4] for row in rows}) < k or len({row[3] for row in rows}) < p:
        return
    numbers = [Fraction(row[2]) for row in rows if row[2] is not None]
    if not numbers:
        return
    span = max(numbers) - min(numbers) or Fraction(1)
    group, number = cut(data, goal)
    found = {frozenset(np.flatnonzero(group == g).tolist()) for g in range(number)}
    plain = plain_cut(rows, list(range(len(rows))), k, p, span)
    assert not plain or found == set(map(frozenset, plain))


def test_small_siblings_stay_together() -> None:
    """Six Swiss, two Danes and one Swede, k = 3: the Nordic three are one group, at the root."""
    table = pd.DataFrame({"country": ["CH"] * 6 + ["DK"] * 2 + ["SE"]})
    found = mondrian(Microdata.read(table, Roles(("country",))), KAnonymous(3)).frame()
    assert found["country"].tolist() == ["CH"] * 6 + ["*"] * 3
    # Of three alone in the world one group is left, as nobody can be spared.
    table = pd.DataFrame({"country": ["CH"] * 3 + ["DK"] * 2})
    found = mondrian(Microdata.read(table, Roles(("country",))), KAnonymous(3)).frame()
    assert found["country"].tolist() == ["*"] * 5
    # The smallest that meets the goal helps those that fall short.
    table = pd.DataFrame({"country": ["CH"] * 5 + ["DK"] * 3 + ["SE"]})
    found = mondrian(Microdata.read(table, Roles(("country",))), KAnonymous(3)).frame()
    assert found["country"].tolist() == ["CH"] * 5 + ["*"] * 4


def test_entropy_is_asked_of_siblings_together() -> None:
    """A union of a group that meets an entropy and one that does not may not meet it."""
    rows = [("a", "x"), ("a", "y"), *[("b", "x")] * 9, ("c", "x"), ("c", "y")]
    table = pd.DataFrame(rows, columns=["q", "s"])
    data = Microdata.read(table, Roles(("q",), ("s",)))
    goal = EntropyL(1.5)
    group, number = cut(data, goal)
    assert number == 1  # b needs all others to reach 1.5
    assert (group == 0).all()


ADULT = ("age", "marital-status", "race", "sex")


def adult(rows: int | None = None) -> Microdata:
    trees = {
        name: Hierarchy.read(datasets.path(f"adult/hierarchies/{name}.csv"), attribute=name)
        for name in ADULT
    }
    table = pd.read_csv(datasets.path("adult/adult.csv.gz"), dtype=str, nrows=rows)
    return Microdata.read(table, Roles(ADULT), trees)


@pytest.mark.parametrize("k", [2, 5, 25])
def test_adult_loses_no_more_than_by_k_member_and_far_less_than_by_full_domain(k: int) -> None:
    data = adult(5_000)
    lost = [
        information_loss(found)
        for found in (mondrian(data, KAnonymous(k)), k_member(data, k=k), k_minimal(data, k=k))
    ]
    assert lost[0] <= lost[1]
    assert lost[0] < lost[2] / 5


def test_all_of_adult_with_k_5_loses_about_one_hundredth() -> None:
    """By the plain rule of MCT08 over the released texts; medians of leaves lost 75% of it."""
    data = adult()
    found = mondrian(data, KAnonymous(5))
    assert found.sizes.min() >= 5
    total = 0.0
    for name in ADULT:
        paths = data.hierarchies[name].paths.values()
        height = {
            text: max(way.index(text) for way in paths if text in way)
            for text in {text for way in paths for text in way}
        }
        top = max(height.values())
        total += sum(height[text] / top for text in found.frame()[name])
    assert total / len(data) / len(ADULT) < 0.014
    assert total == pytest.approx(information_loss(found))
