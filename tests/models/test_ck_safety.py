"""(c, k)-safety beside every world and every knowledge of small tables, and the paper's example."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import isclose

import numpy as np
import oracle
import pytest
from builders import all_tables, reduced
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.attack import Setting
from anonaudit.cells import Convention
from anonaudit.findings import Outcome
from anonaudit.models import CKSafety
from anonaudit.models.ck_safety import none_elsewhere, none_holds
from attacks.elimination import Elimination

# Figure 1 of the paper: five men and five women.
PAPER = [
    *(("M", d) for d in ("flu", "flu", "lung cancer", "lung cancer", "mumps")),
    *(("F", d) for d in ("flu", "flu", "breast cancer", "ovarian cancer", "heart disease")),
]


def fillings(table: list[tuple[str, str | None]]) -> Iterator[list[tuple[str, str]]]:
    options = [[(q, s)] if s else [(q, v) for v in "abc"] for q, s in table]
    yield from map(list, product(*options))


def level(rows, k):
    return CKSafety(k=k).measure(reduced(rows, [0], [1])).measured


def check(rows, k, form):
    expected = oracle.highest_chance(rows, [0], 1, k, form)
    found = level(rows, k)
    assert (found is None) == (expected is None)
    assert expected is None or isclose(found, expected, abs_tol=1e-12), (rows, k, form)
    return 1


longer = pytest.mark.parametrize("extra", [0, pytest.param(1, marks=pytest.mark.long)])
TABLES = (("x", "y"), ("a", "b", "c"))


@longer
@pytest.mark.parametrize(("k", "most"), [(0, 3), (1, 4), (2, 4), (3, 4)])
def test_the_worst_implications_to_one_atom(k: int, most: int, extra: int) -> None:
    most += 2 * extra
    assert sum(check(r, k, "one-target") for r in all_tables(*TABLES, most=most)) > 80


@longer
@pytest.mark.parametrize(("k", "most"), [(1, 3), (2, 3)])
def test_no_atom_to_atom_implications_say_more(k: int, most: int, extra: int) -> None:
    assert sum(check(r, k, "simple") for r in all_tables(*TABLES, most=most + extra)) > 80


@longer
@pytest.mark.parametrize(("k", "most"), [(1, 3), (2, 2)])
def test_no_basic_implications_say_more(k: int, most: int, extra: int) -> None:
    assert sum(check(r, k, "basic") for r in all_tables(*TABLES, most=most + extra)) > 20


@pytest.mark.parametrize("histogram", [(3, 3, 1, 1, 1), (2, 2, 2, *[1] * 6), (5, 1, 1), (1,) * 6])
def test_the_least_chance_that_no_atom_of_one_class_holds(histogram: tuple[int, ...]) -> None:
    """MINIMIZE1 beside all sets of up to 4 atoms: the values of 4 persons, each set of each of them.

    It takes persons with 2 and 1 of 3 atoms in the first histogram (4/9 would have none of one
    person's 3, and 5/24 have none of these), with 3 and 1 of 4 in the second.
    """
    n, atoms = sum(histogram), 4
    drawn = np.array(list(product(range(len(histogram)), repeat=atoms)))
    weight = np.ones(len(drawn))
    for i in range(atoms):  # drawn without putting back
        before = (drawn[:, :i] == drawn[:, [i]]).sum(axis=1)
        weight *= np.maximum(np.array(histogram)[drawn[:, i]] - before, 0) / (n - i)
    assert isclose(weight.sum(), 1)
    sets = [s for size in range(atoms + 1) for s in combinations(range(len(histogram)), size)]
    in_set = [np.isin(range(len(histogram)), s) for s in sets]
    free = [[~member[drawn[:, i]] for member in in_set] for i in range(atoms)]
    least = [1.0] * (atoms + 1)

    def try_all(person: int, left: int, used: int, alive: np.ndarray) -> None:
        least[used] = min(least[used], weight[alive].sum())
        if person == atoms:
            return
        for s, survives in zip(sets, free[person], strict=True):
            if 0 < len(s) <= left:
                try_all(
                    person + 1, min(len(s), atoms - used - len(s)), used + len(s), alive & survives
                )

    try_all(0, atoms, 0, np.ones(len(drawn), bool))
    counts = [n, *sorted(histogram, reverse=True), *[0] * atoms][: atoms + 1]
    expected = np.minimum.accumulate(least)
    assert none_holds(np.array([counts], float))[0] == pytest.approx(expected, abs=1e-12)


@given(
    st.lists(
        st.lists(st.sampled_from([0, 0.3, 0.5, 0.9, 1]), min_size=4, max_size=4),
        max_size=12,
        min_size=1,
    )
)
def test_atoms_go_to_the_best_of_the_other_classes(drawn: list[list[float]]) -> None:
    """MINIMIZE2 beside one class after another."""
    none = np.hstack([np.ones((len(drawn), 1)), -np.sort(-np.array(drawn), axis=1)[:, :3]])
    for number, found in enumerate(none_elsewhere(none)):
        best = np.ones(4)
        for other in [row for i, row in enumerate(none) if i != number]:
            best = [min(best[j - i] * other[i] for i in range(j + 1)) for j in range(4)]
        assert found == pytest.approx(best, abs=1e-12)


def test_the_example_of_the_paper():
    """If Hannah has the flu, Charlie has it: 2/5 become 10/19. No mumps: 1/2. No flu either: 1.

    The worst single implication is that a man who has lung cancer has the flu: it rules out lung cancer.
    """
    ratio = Fraction(3, 5) * Fraction(3, 5) / Fraction(2, 5)
    assert 1 / (1 + ratio) == Fraction(10, 19)
    assert [level(PAPER, k) for k in (0, 1, 2)] == pytest.approx([2 / 5, 2 / 3, 1])


def test_the_threshold_itself_is_not_safe():
    """One of two values in each class: 1/2 without knowledge, 1 with one implication."""
    rows = [("x", "a"), ("x", "b"), ("y", "a"), ("y", "c")]
    classes = reduced(rows, [0], [1])
    outcomes = [CKSafety(c=c, k=0).measure(classes).outcome for c in (0.5, 0.51)]
    assert outcomes == [Outcome.VIOLATED, Outcome.HOLDS]
    found = CKSafety(c=1, k=1).measure(classes)
    assert (found.outcome, found.measured, found.classes_violating) == (Outcome.VIOLATED, 1, 2)
    assert found.details == {"highest chance by implications known": {"0": 0.5, "1": 1}}


def test_each_attribute_by_itself_and_the_worst_decides():
    """Of 2 and 3 and of 5 values in one class: one implication makes the first certain, 4 both."""
    rows = [("x", first, second) for first, second in zip("aabbb", "vwxyz", strict=True)]
    found = CKSafety(k=0).measure(reduced(rows, [0], [1, 2]))
    assert {n: one.measured for n, one in found.per_attribute.items()} == {"1": 3 / 5, "2": 1 / 5}
    assert found.measured == 3 / 5
    more = CKSafety(k=9).measure(reduced(rows, [0], [1, 2]))
    by_number = more.details["highest chance by implications known"]
    assert by_number == {"0": 3 / 5, "1": 1, "2": 1, "3": 1, "4": 1, "5": 1}


def test_a_class_of_one_value_gives_every_other_away():
    """Whoever has flu for certain: if so, a person of y has a."""
    rows = [("x", "flu"), *(("y", v) for v in "abcdef")]
    classes = reduced(rows, [0], [1])
    assert CKSafety(c=0.5, k=0).measure(classes).violating.tolist() == [True, False]
    assert CKSafety(c=1, k=1).measure(classes).violating.tolist() == [True, True]


@pytest.mark.parametrize(
    ("k", "keys", "most"),
    [(0, "x", 5), (1, "x", 5), (0, "xy", 3), pytest.param(1, "xy", 4, marks=pytest.mark.long)],
)
def test_unknown_cells_leave_it_undecided_where_a_filling_breaks_it(k, keys, most):
    """Beside every filling; classes of unknown cells alone are filled too."""
    outcomes = Counter()
    for table in all_tables(keys, ("a", "b", "c", None), most=most):
        unknown = sum(value is None for _, value in table)
        if not 0 < unknown <= 3:
            continue
        chances = [oracle.highest_chance(full, [0], 1, k, "one-target") for full in fillings(table)]
        for c in (0.4, 0.55, 0.7, 0.9):
            came = CKSafety(c=c, k=k).measure(reduced(table, [0], [1])).outcome
            outcomes[came] += 1
            if came is not Outcome.VIOLATED:
                assert (came is Outcome.HOLDS) == (max(chances) < c)
    assert outcomes[Outcome.INCONCLUSIVE]


@pytest.mark.parametrize(("k", "level"), [(0, 1 / 8), (1, 1 / 7)])
def test_a_class_without_a_known_value_leaves_all_undecided(k, level):
    """Four unknown cells may all be flu, which one implication carries over to the other class."""
    rows = [("x", v) for v in "abcdefgh"]
    found = CKSafety(c=0.9, k=k).measure(reduced([*rows, *[("y", None)] * 4], [0], [1]))
    assert found.measured == pytest.approx(level)
    assert (found.outcome, found.classes_undecided) == (Outcome.INCONCLUSIVE, 1 + k)
    filled = CKSafety(c=0.9, k=k).measure(reduced([*rows, *[("y", "flu")] * 4], [0], [1]))
    assert (filled.outcome, filled.classes_violating) == (Outcome.VIOLATED, 1 + k)
    assert CKSafety(c=0.9, k=k).measure(reduced(rows, [0], [1])).outcome is Outcome.HOLDS


def test_persons_have_one_value_in_one_class():
    rows = [("x", "a", "1"), ("x", "a", "1"), ("x", "b", "2"), ("x", "c", "3")]
    one_each = CKSafety(c=0.9, k=1).measure(reduced(rows, [0], [1], unit=2))
    assert (one_each.outcome, one_each.measured) == (Outcome.HOLDS, 0.5)
    for row in (("x", "b", "1"), ("y", "a", "1"), ("x", None, "1")):
        found = CKSafety(c=1, k=0).measure(reduced([*rows, row], [0], [1], unit=2))
        assert (found.outcome, found.measured) == (Outcome.INCONCLUSIVE, None)
        assert "3 person(s) have 4 different combinations of class and '1'" in found.notes[0]


def test_classes_that_overlap_are_not_measured():
    rows = [("x", "a"), ("x", "b"), (None, "a"), (None, "b")]
    wild = reduced(rows, [0], [1], convention=Convention("wildcard"))
    found = CKSafety(c=0.9, k=0).measure(wild)
    assert (found.outcome, found.measured) == (Outcome.INCONCLUSIVE, None)
    own = reduced(rows, [0], [1], convention=Convention())
    assert CKSafety(c=0.9, k=0).measure(own).outcome is Outcome.HOLDS


def test_many_implications_cost_no_more_than_the_values_there_are():
    rows = [("x", v) for v in "abc"] + [("y", v) for v in "abcdefgh"]
    found = CKSafety(c=1, k=10**9).measure(reduced(rows, [0], [1]))
    assert (found.measured, found.classes_violating) == (1, 2)
    by_number = found.details["highest chance by implications known"]
    assert by_number == pytest.approx({"0": 1 / 3, "1": 1 / 2, "2": 1, "3": 1})


@longer
@pytest.mark.parametrize("k", [0, 1, 2])
def test_eliminations_are_implications(k: int, extra: int) -> None:
    """Certain by k implications if and only if by k eliminations; before, no less likely."""
    disclosed = better = 0
    for rows in all_tables(("x", "y"), tuple("abcd"), least=1, most=3 + extra):
        classes = reduced(rows, [0], [1])
        chance = CKSafety(k=k).measure(classes).measured
        found = Elimination().run(Setting(classes=classes, options={"values": k}))
        assert (found.disclosed > 0) == (chance == 1)
        disclosed += found.disclosed > 0
        for members in oracle.classes(rows, [0]).values():
            for ruled_out in combinations("abcd", k):
                left = [value for _, value in members if value not in ruled_out]
                shares = [Fraction(left.count(value), len(left)) for value in left]
                assert chance >= float(max(shares, default=0)) - 1e-12
                better += chance > max(shares, default=0)
    assert disclosed
    assert better
