"""The cover number of GCG08 Definitions 6 and 7 against brute force, and its heuristics."""

import math
import random
from collections import Counter
from itertools import pairwise, product

import numpy as np
import oracle
import pytest
from builders import all_tables, cover_numbers, reduced

from anonaudit.cells import FIRST_VALUE
from anonaudit.models.cover import _Rows, disjoint_rows
from anonaudit.models.multi_attribute_l_diversity import (
    MultiAttributeLDiversity,
    figure_6,
    figure_7,
)


def level(rows, qi, sensitive, **limits):
    classes = reduced(rows, qi, sensitive)
    return MultiAttributeLDiversity(at_most=limits).measure(classes).measured


def finite(number):
    return None if number == math.inf else number


longer = pytest.mark.parametrize("extra", [0, pytest.param(1, marks=pytest.mark.long)])


@longer
@pytest.mark.parametrize(
    ("columns", "most"),
    [
        ([("a", "b", None), ("1", "2", "3")], 4),
        ([("a", "b"), ("1", "2"), ("u", "v", None)], 3),
    ],
)
def test_all_small_classes(columns, most, extra):
    sensitive = range(len(columns))
    for rows in all_tables(*columns, most=most + extra, least=1):
        assert level(rows, [], sensitive) == oracle.multi_attribute_l(rows, [], sensitive)


def test_unknown_cells_are_filled_so_that_the_number_is_least():
    """Every way to fill them with values that the class has of the attribute."""
    for rows in all_tables(("a", "b", None), ("1", "2", "3", None), most=3, least=1):
        told = [row for row in rows if any(row)]
        domains = [sorted({v for v in column if v}) or [None] for column in zip(*rows, strict=True)]
        ways = product(
            *(
                product(*([v] if v else d for v, d in zip(row, domains, strict=True)))
                for row in told
            )
        )
        least = [n for way in ways if (n := oracle.least_deletions(way, [0, 1])) is not None]
        assert oracle.least_deletions(rows, [0, 1]) == min(least, default=None)


@pytest.mark.parametrize("rows", [4, 6, 9])
def test_random_classes_of_two_attributes_with_unknown_cells(rows):
    """Many at once, as smallest covers of both attributes are looked for in all classes together."""
    rng = np.random.default_rng(rows)
    class_of = np.repeat(np.arange(150), rows)
    cells = rng.integers(2, 7, (len(class_of), 2))
    cells[rng.random(cells.shape) < 0.2] = 0
    found = cover_numbers(class_of, cells, 150, filled=True)
    texts_of = np.where(cells >= 2, cells.astype(str), None)
    for number in range(150):
        members = [tuple(row) for row in texts_of[class_of == number]]
        assert found[number] == oracle.least_deletions(members, [0, 1])


@pytest.mark.parametrize("limits", list(product([0, 1, 2, None], repeat=2)))
def test_all_small_classes_with_limits(limits):
    given = {j: n for j, n in enumerate(limits) if n is not None}
    for rows in all_tables(("a", "b", "c"), ("1", "2", None), most=2, least=1):
        expected = finite(oracle.multi_attribute_l(rows, [], [0, 1], given))
        assert level(rows, [], [0, 1], **{str(j): n for j, n in given.items()}) == expected


@pytest.mark.long
def test_a_thousand_random_classes_of_two_to_four_attributes():
    rng = random.Random(2008)
    for _ in range(1000):
        q = rng.randint(2, 4)
        values = "abcdef"[: rng.randint(2, 6)]
        gaps = [None] if rng.random() < 0.3 else []
        rows = [
            tuple(rng.choice([*values, *gaps]) for _ in range(q)) for _ in range(rng.randint(2, 10))
        ]
        assert level(rows, [], range(q)) == oracle.multi_attribute_l(rows, [], range(q))


@pytest.mark.parametrize("work", [0, math.inf])
def test_search_and_program_against_brute_force(work, monkeypatch):
    """Classes of three attributes whose bounds differ, by the one way and by the other."""
    monkeypatch.setattr("anonaudit.models.cover.MOST_WORK", work)
    rng = random.Random(8)
    open_ = 0
    for _ in range(150):
        cells = "abcd" if rng.random() < 0.6 else ["a", "b", "c", "d", None]
        rows = [tuple(rng.choice(cells) for _ in range(3)) for _ in range(rng.randint(3, 9))]
        rows = [row for row in rows if any(row)] or [("a", "a", "a")]
        expected = oracle.multi_attribute_l(rows, [], range(3))
        assert level(rows, [], range(3)) == expected
        open_ += expected != min(len({row[j] for row in rows}) for j in range(3))
    assert open_ > 20


def test_a_class_with_very_many_values():
    """400 times four rows of which any two share one value, with others in each of the 400.

    By hand: a value deletes two of its four rows, so each four need 2, together 800; no more
    than 400 rows share nothing, so the bounds leave it open.
    """
    four = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    rows = [(f"a{n}{a}", f"b{n}{b}", f"c{n}{c}") for n in range(400) for a, b, c in four]
    assert level(rows, [], [0, 1, 2]) == 800


def test_matching_equals_the_integer_program():
    """König's theorem: with two attributes both must agree, unknown cells and all."""
    rng = np.random.default_rng(7)
    class_of = np.repeat(np.arange(300), 12)
    cells = rng.integers(0, 9, (len(class_of), 2))
    known = (cells >= 2).any(axis=1)
    graph = _Rows(class_of[known], cells[known], 300)
    matched = graph.matching(np.ones(known.sum(), bool))
    programmed = [graph.integer_program(number, [None, None]).high for number in range(300)]
    assert matched.tolist() == programmed


def test_bounds_enclose_the_cover_number():
    rng = np.random.default_rng(8)
    class_of = np.repeat(np.arange(200), 8)
    cells = rng.integers(0, 6, (len(class_of), 3))
    known = (cells >= 2).any(axis=1)
    graph = _Rows(class_of[known], cells[known], 200)
    exact = cover_numbers(class_of, cells, 200)
    occupied = ~np.isnan(exact)
    assert (graph.packing() <= exact)[occupied].all()
    assert (graph.fewest_values([None] * 3) >= exact)[occupied].all()


def texts(rows):
    return [tuple(str(cell) for cell in row) for row in rows]


def test_figure_6_is_sound():
    """GCG08-fig6: a yes is right, on all classes of up to 5 rows with 3 x 3 values."""
    for rows in all_tables(("a", "b", "c"), ("1", "2", "3"), most=5, least=1):
        exact = oracle.multi_attribute_l(rows, [], [0, 1])
        assert all(exact >= l for l in (1, 2, 3) if figure_6(rows, l))


def test_figure_6_is_not_complete():
    """Six rows in a circle: three share no value, but the first two taken block the third."""
    circle = [("a", "3"), ("a", "1"), ("d", "4"), ("c", "4"), ("d", "1"), ("c", "3")]
    assert oracle.multi_attribute_l(circle, [], [0, 1]) == 3
    assert not figure_6(circle, 3)
    assert level(circle, [], [0, 1]) == 3


@pytest.mark.parametrize("limits", list(product([0, 1, 2, 3], repeat=2)))
def test_figure_7_corrected_is_sound(limits):
    for rows in all_tables(("a", "b", "c"), ("1", "2"), most=4, least=1):
        for l in (2, 3):
            if figure_7(rows, l, limits):
                exact = oracle.multi_attribute_l(rows, [], [0, 1], dict(enumerate(limits)))
                assert exact >= l


def test_levels_under_limits_are_never_below_those_without():
    """GCG08-thm2."""
    for rows in all_tables(("a", "b", "c"), ("1", "2"), most=3, least=1):
        levels = [level(rows, [], [0, 1], **{"1": n}) for n in (2, 1, 0)]
        levels = [level(rows, [], [0, 1]), *(math.inf if x is None else x for x in levels)]
        assert all(a <= b for a, b in pairwise(levels))


def test_a_limit_that_leaves_an_attribute_unprotected_is_named():
    classes = reduced([("a", "1"), ("b", "1"), ("c", "1")], [], [0, 1])
    found = MultiAttributeLDiversity(l=3, at_most={"1": 0}).measure(classes)
    assert found.outcome.value == "holds"
    assert any("'1' is not protected" in note for note in found.notes)


def test_disjoint_rows_are_those_of_figure_6():
    """Row by row as GCG08 Figure 6 says, over rows drawn at random; unknown cells do not count."""
    rng = np.random.default_rng(6)
    for _ in range(200):
        n, q = int(rng.integers(1, 10)), int(rng.integers(1, 4))
        drawn = np.column_stack([rng.integers(0, 3, n), rng.integers(1, 6, (n, q))])
        rows = np.unique(drawn, axis=0)
        counts = rng.integers(1, 4, len(rows))
        found = disjoint_rows(rows[:, 0], rows[:, 1:], counts, 3)
        for number in range(3):
            own = rows[:, 0] == number
            known = [
                (times, list(enumerate(row)))
                for times, row in zip(counts[own], rows[own, 1:].tolist(), strict=True)
                if min(row) >= FIRST_VALUE
            ]
            frequency = Counter(cell for times, row in known for cell in row * int(times))
            used, chosen = set(), 0
            for _, row in sorted(known, key=lambda one: sum(frequency[cell] for cell in one[1])):
                if used.isdisjoint(row):
                    used |= {*row}
                    chosen += 1
            assert found[number] == chosen
