"""The bounds of the cover number, and what stands around them: figures counted by hand.

A bound that is too weak only costs time, so the cover number itself does not show it.
"""

import math
import random
from collections import Counter
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
from builders import cover_numbers
from scipy import sparse
from scipy.sparse.csgraph import maximum_bipartite_matching

from anonaudit.models import cover
from anonaudit.models.cover import _covers_of_both, _Rows, cover_bounds, cover_by_program


def coded(rows):
    """Codes from 2 on, by the order of the alphabet; 0 for an unknown cell."""
    values = sorted({cell for row in rows for cell in row if cell is not None})
    return np.array([[0 if c is None else 2 + values.index(c) for c in row] for row in rows])


def one_after_the_other(rows):
    """GCG08 Figure 6 to the letter: the rarest row first, as long as it shares no value."""
    frequency = Counter((j, v) for row in rows for j, v in enumerate(row) if v)
    rarest = sorted(rows, key=lambda row: sum(frequency[j, v] for j, v in enumerate(row) if v))
    met, taken = set(), 0
    for row in rarest:
        values = {(j, v) for j, v in enumerate(row) if v}
        if met.isdisjoint(values):
            met, taken = met | values, taken + 1
    return taken


@pytest.mark.parametrize("gaps", [[], [0, 0]])
def test_packing_takes_the_rows_that_figure_6_takes(gaps):
    """Sixty classes of forty rows, many of them equally rare, where the order given decides."""
    rng = random.Random(6)
    classes = []
    for _ in range(60):
        rows = [tuple(rng.choice([*range(2, 12), *gaps]) for _ in range(3)) for _ in range(40)]
        classes.append([row for row in dict.fromkeys(rows) if any(row)])
    class_of = np.repeat(np.arange(60), [len(rows) for rows in classes])
    graph = _Rows(class_of, np.concatenate([np.array(rows) for rows in classes]), 62)
    expected = [one_after_the_other(rows) for rows in classes]
    assert graph.packing().tolist() == [*expected, 0, 0]


@pytest.mark.parametrize(
    ("rows", "limits", "most"),
    [
        ([("a", "1"), ("b", "1"), ("c", "2")], [None, None], 2),
        ([("a", "1"), ("b", "1"), ("c", "2")], [None, 1], 3),  # 1 and 2 may not both go
        ([("a", "1"), ("b", "1"), ("c", "2")], [None, 2], 2),
        ([("a", "1"), ("b", "1"), ("c", "2")], [3, 1], 3),
        ([("a", "1"), ("b", "1"), ("c", "2")], [2, 1], math.inf),
        ([("a", None), ("b", "1"), ("b", "2")], [None, None], 2),
        ([("a", None), ("b", "1"), ("b", "2")], [None, 2], 2),
        ([("a", None), ("b", "1"), ("b", "2")], [1, None], math.inf),  # the second lacks a cell
        ([("a", None), (None, "1"), ("b", "1")], [None, None], 3),  # one value a row
        ([("a", None), (None, "1"), ("b", "1")], [None, 1], math.inf),
    ],
)
def test_the_upper_bound_deletes_one_attribute_or_a_value_a_row(rows, limits, most):
    """Class 1 of three has the rows, class 0 one row of its own, class 2 none."""
    cells = np.concatenate([[[2, 2]], coded(rows)])
    graph = _Rows(np.array([0] + [1] * len(rows)), cells, 3)
    found = graph.fewest_values(limits)
    assert (found[0], found[1]) == (1, most)
    assert graph.fewest_values([1, 0])[0] == graph.fewest_values([0, 1])[0] == 1


def test_classes_without_a_row_have_no_cover_number():
    """Class 0 has (a, 1), (b, 2), class 2 (a, -), class 3 a row of unknown cells, others none."""
    class_of, cells = np.array([0, 0, 2, 3]), np.array([[2, 4], [3, 5], [2, 0], [0, 1]])
    for limits in (None, [None, None], [2, 2]):
        found = cover_numbers(class_of, cells, 5, limits)
        assert found.tolist()[:3:2] == [2, 1]
        assert np.isnan(found).tolist() == [False, True, False, True, True]
    assert cover_numbers(class_of, cells, 5, [2, 0])[[0, 2]].tolist() == [2, 1]
    assert cover_numbers(class_of, cells, 5, [0, None])[[0, 2]].tolist() == [2, math.inf]


# Two rows, three values: the first row has 0 or 1, the second 1 or 2. Value 1 meets both.
MEETS = sparse.csr_array(np.array([[1, 1, 0], [0, 1, 1]]))


@pytest.mark.parametrize(
    ("limits", "chosen"),
    [
        ([None, None], [1]),
        ([None, 0], [0, 2]),  # 1 is of the second attribute
        ([1, 0], None),
        ([0, 1], [1]),
    ],
)
def test_the_program_finds_the_fewest_values_or_says_that_none_do(limits, chosen):
    found = cover_by_program(MEETS, np.array([0, 1, 0]), limits)
    assert (None if found.chosen is None else found.chosen.tolist()) == chosen
    assert found.low == found.high == (math.inf if chosen is None else len(chosen))


def test_half_a_value_is_never_deleted():
    """Three rows, three values, every two in a row: half of each would do, or two of them."""
    triangle = sparse.csr_array(np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]]))
    assert cover_by_program(triangle, np.array([0, 1, 2]), [None] * 3).high == 2


@pytest.mark.parametrize(
    ("status", "x", "bound", "low", "high"),
    [
        (1, np.array([0.0, 1.0, 0.0]), 0.25, 1, 1),  # more than a quarter of a value is one
        (4, np.array([1.0, 0.0, 1.0]), 0.25, 1, 2),
        (4, np.array([1.0, 0.0, 1.0]), 1.0000000001, 1, 2),  # rounding is not another value
        (1, None, 1.5, 2, math.inf),
        (4, None, None, 0, math.inf),
        (4, None, -math.inf, 0, math.inf),
    ],
)
def test_a_solver_that_gives_up_leaves_its_bounds(status, x, bound, low, high, monkeypatch):
    answer = SimpleNamespace(status=status, x=x, mip_dual_bound=bound)
    monkeypatch.setattr(scipy.optimize, "milp", lambda *_, **__: answer)
    found = cover_by_program(MEETS, np.array([0, 1, 0]), [None, None])
    assert (found.low, found.high) == (low, high)


def test_a_program_that_is_too_large_leaves_bounds_around_the_cover_number(monkeypatch):
    """Classes of 60 rows over 12 values each of three attributes, searched to the end at last."""
    rng = np.random.default_rng(7)
    class_of = np.repeat(np.arange(8), 60)
    cells = rng.integers(2, 14, (len(class_of), 3))
    monkeypatch.setattr(cover, "MOST_WORK", 10**9)
    exact = cover_numbers(class_of, cells, 8)
    monkeypatch.setattr(cover, "MOST_WORK", 0)
    assert cover_numbers(class_of, cells, 8).tolist() == exact.tolist()
    monkeypatch.setattr(cover, "MOST_BRANCHED", 0)
    low, high = cover_bounds(class_of, cells, 8)
    assert (low <= exact).all()
    assert (exact <= high).all()


# Any two of these rows share one value: one row is disjoint, two values of an attribute are enough.
FOUR = np.array([(2, 2, 2), (2, 3, 3), (3, 2, 3), (3, 3, 2)])
# Six rows in a circle, each sharing a value with the next: (2, 2) and (3, 3) are taken and block
# a third, though three share nothing.
CIRCLE = np.array([(2, 2), (2, 4), (3, 3), (3, 4), (4, 2), (4, 3)])


@pytest.mark.parametrize(
    ("cells", "work", "limits", "ways", "number"),
    [
        # All four rows, then, as each value of the first row is deleted, the two that are left: with
        # one for each step 5 + 3 * 3.
        (FOUR, 14, None, ["search"], 2),
        (FOUR, 13, None, ["search", "program"], 2),
        (FOUR, 14, [None, None, 2], ["program"], 2),
        (CIRCLE, 1e9, None, ["matching"], 3),
        (FOUR[:2, :1], 0, None, [], 1),  # the bounds meet
        (FOUR[:, :2], 0, None, [], 2),
    ],
)
def test_a_class_is_solved_where_the_bounds_differ_and_searched_first(
    cells, work, limits, ways, number, monkeypatch
):
    asked = []

    def noted(name, solve):
        return lambda *given: asked.append(name) or solve(*given)

    monkeypatch.setattr(cover, "MOST_WORK", work)
    monkeypatch.setattr(cover, "cover_by_search", noted("search", cover.cover_by_search))
    monkeypatch.setattr(_Rows, "integer_program", noted("program", _Rows.integer_program))
    monkeypatch.setattr(_Rows, "matching", noted("matching", _Rows.matching))
    class_of = np.zeros(len(cells), int)
    assert cover_numbers(class_of, cells, 1, limits).tolist() == [number]
    assert asked == ways


def test_two_attributes_are_matched_whichever_classes_are_open():
    """Class 1, (a, 1), is solved by its bounds; 2 and 4 are the circle, 4 with a row (z, -) too.

    z must go as well, so 3 and 4. Classes 0, 3 and 5 have no row.
    """
    cells = np.array([(2, 2), *CIRCLE, *CIRCLE, (9, 0)])
    class_of = np.array([1, *[2] * 6, *[4] * 7])
    found = cover_numbers(class_of, cells, 6)
    assert found.tolist() == pytest.approx([math.nan, 1, 3, math.nan, 4, math.nan], nan_ok=True)
    graph = _Rows(class_of, cells, 6)
    assert graph.matching(class_of > 0).tolist() == [0, 1, 3, 0, 4, 0]
    assert graph.matching(class_of == 4).tolist() == [0, 0, 0, 0, 4, 0]
    lonely = _Rows(np.array([0, 0, 0]), np.array([(2, 0), (0, 2), (2, 2)]), 1)
    assert lonely.matching(np.ones(3, bool)).tolist() == [2]  # both must go, and meet the third


def smallest_covers(edges):
    """All smallest sets of vertices that meet every edge, by trying each set."""
    every = sorted({vertex for edge in edges for vertex in edge})
    for size in range(len(every) + 1):
        if found := [c for c in combinations(every, size) if all({*c} & {*e} for e in edges)]:
            return found
    raise AssertionError


def test_smallest_covers_of_both_sides_of_all_small_graphs():
    """All 511 graphs of up to three by three vertices, as classes of one call."""
    places = list(product("abc", "xyz"))
    graphs = [[p for i, p in enumerate(places) if n >> i & 1] for n in range(1, 2**9)]
    left, right, class_of = [], [], []
    for number, edges in enumerate(graphs):
        class_of += [number] * 6
        left += ["abc".index(a) + 6 * number for a, _ in edges]
        right += ["xyz".index(x) + 6 * number + 3 for _, x in edges]
    n = len(class_of)
    arcs = sparse.csr_array((np.ones(len(left)), (left, right)), shape=(n, n))
    partner = maximum_bipartite_matching(arcs, perm_type="column").astype(np.intp)
    covers = [smallest_covers(edges) for edges in graphs]
    sizes = np.array([len(found[0]) for found in covers])
    found = _covers_of_both(np.array(left), np.array(right), partner, np.array(class_of), sizes)
    sides = [{frozenset("a" if v in "abc" else "x" for v in c) for c in some} for some in covers]
    expected = [frozenset("ax") in some for some in sides]
    assert found.tolist() == expected
    assert 50 < sum(expected) < 450


def test_classes_with_enough_are_not_solved():
    """The first class has the number 1. FOUR needs 2 and has no two rows that share nothing.

    Of the third class two rows share nothing, and so do three of the fourth: 3 is its number.
    """
    three = np.array([(2, 3, 4), (2, 5, 6), (7, 3, 8), (9, 9, 9)])
    cells = np.vstack([[(2, 2, 2)], FOUR, [(2, 2, 2), (3, 3, 3)], three])
    class_of = np.repeat([0, 1, 2, 3], [1, 4, 2, 4])
    exact = cover_numbers(class_of, cells, 4)
    assert exact.tolist() == [1, 2, 2, 3]
    for enough in range(5):
        found = cover_numbers(class_of, cells, 4, enough=enough)
        assert found.min() == exact.min()
        assert (
            (found == found.min()) == (exact == exact.min())
        ).all()  # the witness is one of these
        assert ((found >= enough) == (exact >= enough)).all()
        assert (found <= exact).all()
