"""The cover number of a class: the fewest sensitive values whose deletion deletes all its rows.

Deleting a value deletes the rows that have it (GCG08, section "Our Model"). A row is a set of
values, at most one per attribute. A cover of a class is a set of values that contains at least one
value of every row. The cover number is the size of a smallest cover: a minimum vertex cover, where
values are vertices and rows are edges. Example: the rows (flu, pill), (flu, knife), (gut, iv) have
the cover {flu, gut}, and no cover of one value.

The cover number is computed from bounds, for all classes together:

- The lower bound is a number of disjoint rows. Rows are disjoint if no two of them share a value,
  so each of them needs a deletion of its own (GCG08 Theorem 4). They are chosen greedily as in
  GCG08 Figure 6.
- The upper bound is the number of distinct values of the attribute with the fewest distinct values.

If the bounds of a class differ, the method depends on the number of attributes and on the limits. A
limit is a largest number of deletions in one attribute (GCG08 Definition 7).

- Two attributes, no limits: values are the vertices of a bipartite graph. By König's theorem the
  cover number is the size of a maximum matching.
- Any other number of attributes, no limits: a search with a limited number of steps; if it does not
  finish, an integer program.
- Limits: an integer program.

If an integer program does not finish, the bounds of its class still differ in the result.

An unknown cell has no value to delete. With the option `filled`, an unknown cell may instead have
any value that its class has in the attribute, whichever makes the cover number smallest. Then the
row is deleted as soon as any value of this attribute in the class is deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Floats, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes, by_column, distinct_rows

# Limits of the search: the number of rows examined, and the depth of the recursion, which Python
# limits too. A class beyond either limit is solved by an integer program.
MOST_WORK = 200_000
DEEPEST_BRANCH = 200

# The limit of an integer program: the number of branching nodes times the number of entries of the
# constraint matrix. At least one node is always examined. The limit is about a minute of work. A
# limit of time would give different results on different machines.
MOST_BRANCHED = 2_000_000


def cover_bounds(
    class_of: Index,
    cells: Codes,
    n_classes: int,
    limits: Sequence[int | None] | None = None,
    *,
    filled: bool = False,
    enough: int | None = None,
) -> tuple[Floats, Floats]:
    """Return a lower and an upper bound of the cover number of each class, shape (n_classes,) each.

    class_of: shape (n,), the class of each row, from 0 to n_classes - 1.
    cells: shape (n, q), codes of q attributes. Rows with only unknown cells are ignored.
    limits: the largest number of deletions for each attribute (GCG08 Definition 7); an entry is
        None for no limit, and `limits` is None for no limit at all.
    filled: True if an unknown cell may have any value of its class, such that the cover number is
        smallest; False if an unknown cell has no value to delete.
    enough: the required cover number; None to compute every class. If it is given, only the
        smallest cover number of all classes is exact. A class is skipped if its lower bound is at
        least `enough` and above the upper bound of some other class. Both bounds of a skipped class
        are its lower bound, which may be below the cover number. Ignored with limits.

    Both bounds are the cover number, unless an integer program did not finish or the class was
    skipped. Both are NaN for a class with no known value. Both are infinity if no deletion within
    the limits deletes all rows.
    """
    known = np.any(cells >= FIRST_VALUE, axis=1)
    rows, _ = distinct_rows(by_column([class_of[known], *cells[known].T]))
    graph = _Rows(rows[:, 0], rows[:, 1:], n_classes, filled=filled)
    limits = list(limits) if limits is not None else [None] * cells.shape[1]
    limited = any(limit is not None for limit in limits)
    low = graph.packing()
    high = graph.fewest_values(limits)
    if enough is not None and not limited:
        least = np.min(high[graph.occupied], initial=np.inf)
        decided = (low >= enough) & (low > least)
        high[decided] = low[decided]
    open_ = low < high
    if cells.shape[1] == 2 and not limited and open_.any():
        low[open_] = high[open_] = np.minimum(graph.matching(open_[graph.class_of]), high)[open_]
    else:
        for number in np.flatnonzero(open_).tolist():
            size = None
            if not limited and high[number] <= DEEPEST_BRANCH:
                size = cover_by_search(graph.choices(number), int(low[number]), int(high[number]))
            if size is not None:
                low[number] = high[number] = size
                continue
            cover = graph.integer_program(number, limits)
            low[number] = max(low[number], cover.low)
            high[number] = min(high[number], cover.high)
    low[~graph.occupied] = high[~graph.occupied] = np.nan
    return low, high


def disjoint_rows(
    class_of: Index, cells: Codes, counts: npt.NDArray[np.int64], n_classes: int
) -> Floats:
    """The number of disjoint rows in each class, chosen as in GCG08 Figure 6, shape (n_classes,).

    Rows are disjoint if no two of them share a value. A row with an unknown cell is ignored,
    because it may share any value.

    class_of, cells: see `cover_bounds`; the rows must be distinct. counts: how often each distinct
    row occurs, shape (n,).
    """
    known = np.all(cells >= FIRST_VALUE, axis=1) & np.any(cells >= FIRST_VALUE, axis=1)
    return _Rows(class_of[known], cells[known], n_classes).packing(counts[known])


class _Rows:
    """The distinct rows of all classes, with their values numbered as vertices of a graph.

    class_of: shape (n,), the class of each row, ascending.
    vertex: shape (n, q), the number of each value; -1 for unknown. Equal values of different
        classes or attributes have different numbers.
    class_of_vertex: shape (n_vertices,), the class of each value. The values of attribute j are
        first_vertex[j], ..., first_vertex[j + 1] - 1.
    any_value: shape (n, q), True for an unknown cell that may have any value of its attribute in
        the class.
    open_rows: shape (n_classes,), True for a class with such a cell.
    """

    def __init__(
        self, class_of: Index, cells: Codes, n_classes: int, *, filled: bool = False
    ) -> None:
        self.class_of, self.cells, self.n_classes = class_of, cells, n_classes
        self.occupied = np.bincount(class_of, minlength=n_classes) > 0
        self.vertex = np.full(cells.shape, -1, np.int64)
        self.n_vertices, self.first_vertex = 0, [0]
        classes = [np.zeros(0, np.int64)]
        for j in range(cells.shape[1]):
            there = cells[:, j] >= FIRST_VALUE
            values, number = distinct_rows(by_column([class_of[there], cells[there, j]]))
            self.vertex[there, j] = number + self.n_vertices
            self.n_vertices += len(values)
            self.first_vertex.append(self.n_vertices)
            classes.append(values[:, 0])
        self.class_of_vertex = np.concatenate(classes)
        self.any_value = np.zeros(cells.shape, bool)
        for j in range(cells.shape[1]) if filled else ():
            known = self.vertex[:, j] >= 0
            self.any_value[:, j] = ~known & (self.per_class(known)[class_of] > 0)
        filled_rows = np.any(self.any_value, axis=1)
        self.open_rows = self.per_class(filled_rows) > 0

    def per_class(self, chosen: npt.NDArray[np.bool_]) -> Floats:
        """The number of chosen rows in each class."""
        return np.bincount(self.class_of[chosen], minlength=self.n_classes).astype(np.float64)

    def packing(self, counts: npt.NDArray[np.int64] | None = None) -> Floats:
        """A lower bound: the number of disjoint rows, chosen in the order of GCG08 Figure 6.

        Figure 6 sorts the rows by the total frequency of their values, rarest first. Then it takes
        each row that shares no value with the rows taken before. Here many rows are taken at once:
        a round takes each remaining row that shares no value with a remaining row before it. Then
        the round drops all rows that share a value with a taken row. The taken rows are the same as
        in Figure 6. A row with an `any_value` cell is never taken.

        counts: how often each distinct row occurs, shape (n,), to compute the frequency of values;
        None if each row occurs once.
        """
        vertex = np.where(self.vertex < 0, self.n_vertices, self.vertex)  # one vertex for unknown
        times = None if counts is None else np.repeat(counts, vertex.shape[1])
        frequency = np.bincount(vertex.ravel(), times, self.n_vertices + 1)
        frequency[-1] = 0
        order = np.empty(len(vertex), np.int64)
        order[np.argsort(frequency[vertex].sum(axis=1), kind="stable")] = np.arange(len(vertex))
        alive, packed = ~self.any_value.any(axis=1), np.zeros(len(vertex), bool)
        while alive.any():
            first = np.full(self.n_vertices + 1, len(vertex))
            np.minimum.at(first, vertex[alive].ravel(), np.repeat(order[alive], vertex.shape[1]))
            leads = (first[vertex] == order[:, None]) | (vertex == self.n_vertices)
            now = alive & np.all(leads, axis=1)
            packed |= now
            taken = np.zeros(self.n_vertices + 1, bool)
            taken[vertex[now].ravel()] = True
            taken[-1] = False
            alive &= ~np.any(taken[vertex], axis=1)
        return self.per_class(packed)

    def fewest_values(self, limits: Sequence[int | None]) -> Floats:
        """An upper bound: the number of values of the attribute with the fewest values.

        Deleting all values of an attribute deletes all rows of a class if every row has a value of
        the attribute. An attribute is ignored if some row has none, or if its limit is below the
        number of values. Without limits, the number of rows is another upper bound, because
        deleting one value of each row deletes all rows. Returns shape (n_classes,), infinity if
        there is no bound.
        """
        rows = self.per_class(np.ones(len(self.class_of), bool))
        free = all(limit is None for limit in limits)
        best = rows if free else np.full(self.n_classes, np.inf)
        for j, limit in enumerate(limits):
            met = self.per_class((self.vertex[:, j] >= 0) | self.any_value[:, j])
            values = self.class_of_vertex[self.first_vertex[j] : self.first_vertex[j + 1]]
            count = np.bincount(values, minlength=self.n_classes)
            allowed = (met == rows) & (count <= (np.inf if limit is None else limit))
            best = np.where(allowed, np.minimum(best, count), best)
        return best

    def choices(self, number: int) -> Index:
        """The values whose deletion deletes each row of a class, one line per row, padded with -1.

        number: the class.
        """
        first, end = np.searchsorted(self.class_of, [number, number + 1])
        own, any_value = self.vertex[first:end], self.any_value[first:end]
        more = [
            np.where(any_value[:, [j]], np.unique(own[own[:, j] >= 0, j]), -1)
            for j in np.flatnonzero(any_value.any(axis=0))
        ]
        return np.column_stack([own, *more])

    def matching(self, chosen: npt.NDArray[np.bool_]) -> Floats:
        """The cover numbers of classes with two attributes, by König's theorem, (n_classes,).

        chosen: mask of the rows of these classes, shape (n,).

        A row with one value and an unknown cell that has nothing to delete forces the deletion of
        its value. All rows with this value leave the graph before the matching.

        A row with one value and an `any_value` cell is deleted by every cover that has values of
        both attributes. In a class with such rows, these rows are left out first. If no smallest
        cover of the other rows has values of both attributes, one more value is needed: the result
        is the size of a smallest cover of the other rows plus 1, and at least 2. A cover with
        values of one attribute only may be smaller. Its size is `fewest_values`, so the caller
        takes the minimum of both numbers.
        """
        from scipy import sparse  # a slow import
        from scipy.sparse.csgraph import maximum_bipartite_matching

        left, right = self.vertex[chosen, 0], self.vertex[chosen, 1]
        any_value = np.any(self.any_value[chosen], axis=1)
        alone = (left < 0) | (right < 0)
        forced = np.unique(np.maximum(left, right)[alone & ~any_value])
        class_of_vertex = self.class_of_vertex
        total: Codes = np.bincount(class_of_vertex[forced], minlength=self.n_classes)
        rest = ~alone & ~np.isin(left, forced) & ~np.isin(right, forced)
        shape = (self.n_vertices, self.n_vertices)
        edges = sparse.csr_array((np.ones(rest.sum()), (left[rest], right[rest])), shape=shape)
        partner: Index = maximum_bipartite_matching(edges, perm_type="column").astype(np.intp)
        matched = np.flatnonzero(partner >= 0)
        total = total + np.bincount(class_of_vertex[matched], minlength=self.n_classes)
        if any_value.any():
            both = _covers_of_both(left[rest], right[rest], partner, class_of_vertex, total)
            total = np.where(self.open_rows & ~both, np.maximum(total + 1, 2), total)
        return total.astype(np.float64)

    def integer_program(self, number: int, limits: Sequence[int | None]) -> Cover:
        """Return a smallest cover of the class `number`, by an integer program."""
        from scipy import sparse

        rows = self.choices(number)
        used, place = np.unique(rows[rows >= 0], return_inverse=True)
        row, _ = np.nonzero(rows >= 0)
        meets = sparse.csr_array((np.ones(len(row)), (row, place)), shape=(len(rows), len(used)))
        attribute = np.searchsorted(self.first_vertex, used, side="right") - 1
        return cover_by_program(meets, attribute, limits)


def _covers_of_both(
    left: Index,
    right: Index,
    partner: Index,
    class_of_vertex: Index,
    total: npt.NDArray[np.integer],
) -> npt.NDArray[np.bool_]:
    """Return a mask of the classes that have a smallest cover with vertices of both sides.

    left, right: the ends of each edge of a bipartite graph, shape (n_edges,).
    partner: shape (n_vertices,), the right vertex that a maximum matching assigns to each left
        vertex; -1 for none.
    class_of_vertex: shape (n_vertices,).
    total: the size of a smallest cover of each class, shape (n_classes,).

    A smallest cover has exactly one end of each matched edge. If the cover has the right end of a
    matched edge, it does not have the left end. Then it has the right ends of all other edges of
    this left vertex. So right ends are forced along chains of edges. These chains start at the
    edges of left vertices without a partner. In the same way, left ends are forced along chains
    that start at right vertices without a partner. A class has a smallest cover with vertices of
    both sides in three cases:

    - Ends of both sides are forced.
    - Ends of one side only are forced, and some matched edge has no forced end.
    - No ends are forced, and the matched edges form several strongly connected components.
    """
    from scipy import sparse
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    n = len(partner)
    owner = np.full(n, -1)
    pairs = np.flatnonzero(partner >= 0)
    owner[partner[pairs]] = pairs
    of_class, n_classes = class_of_vertex[pairs], len(total)

    def reached(starts: Index, tails: Index, heads: Index) -> npt.NDArray[np.int64]:
        """The number of matched edges of each class that are in `starts` or reached from them."""
        tails, heads = np.append(tails, np.full(len(starts), n)), np.append(heads, starts)
        arcs = sparse.csr_array((np.ones(len(tails)), (tails, heads)), shape=(n + 1, n + 1))
        visited = breadth_first_order(arcs, n, return_predecessors=False)
        return np.bincount(class_of_vertex[visited[visited < n]], minlength=n_classes)

    met = (partner[left] >= 0) & (owner[right] >= 0)
    tails, heads = left[met], owner[right[met]]
    right_ones = reached(owner[right[partner[left] < 0]], tails, heads)
    left_ones = reached(left[owner[right] < 0], heads, tails)
    arcs = sparse.csr_array((np.ones(len(tails)), (tails, heads)), shape=(n, n))
    _, part = connected_components(arcs, connection="strong")
    parts, _ = distinct_rows(by_column([of_class, part[pairs].astype(np.int64)]))
    free = np.bincount(parts[:, 0], minlength=n_classes) > 1
    either = np.where(right_ones > 0, right_ones, left_ones)
    forced = (right_ones > 0) & (left_ones > 0)
    covers: npt.NDArray[np.bool_] = forced | np.where(either > 0, either < total, free)
    return covers


def cover_by_search(vertices: Index, low: int, high: int) -> int | None:
    """The size of a smallest set of vertices that contains a vertex of every row.

    vertices: the vertices of each row, shape (n_rows, q), padded with -1; every row has at least
    one vertex. low, high: bounds of the size.

    The search tries the sizes in ascending order. The set must contain a vertex of the first row,
    so the search tries each of these vertices and continues with the rows that do not contain it. A
    branch ends if the number of disjoint rows left is above the number of vertices that may still
    be added.

    Returns None if the search examines more than MOST_WORK rows.

    >>> cover_by_search(np.array([[0, 2], [1, 2], [0, 3]]), 1, 3)
    2
    """
    rows = [frozenset(vertex for vertex in row if vertex >= 0) for row in vertices.tolist()]
    rows.sort(key=len)
    work = 0

    def met(left: list[frozenset[int]], allowed: int) -> bool:
        nonlocal work
        work += len(left) + 1
        apart, seen = 0, frozenset[int]()
        for row in left:
            if seen.isdisjoint(row):
                apart, seen = apart + 1, seen | row
        if apart > allowed or work > MOST_WORK:
            return False
        return not left or any(
            met([row for row in left if v not in row], allowed - 1) for v in left[0]
        )

    size = next((size for size in range(low, high) if met(rows, size)), high)
    return size if work <= MOST_WORK else None


@dataclass(frozen=True)
class Cover:
    """The result of an integer program for a smallest cover.

    low: a lower bound of the size; infinity if the limits allow no cover. chosen: the column
    numbers of the values in the cover that was found, ascending; None if no cover was found.
    """

    low: float
    chosen: Index | None

    @property
    def high(self) -> float:
        """The size of the cover found; infinity if none was found."""
        return np.inf if self.chosen is None else float(len(self.chosen))


def cover_by_program(meets: Any, attribute: Index, limits: Sequence[int | None]) -> Cover:
    """Return a smallest set of values with at least one value of every row, by an integer program.

    The solver is HiGHS, in scipy.

    meets: sparse matrix of shape (n_rows, n_values), 1 where a row has a value.
    attribute: shape (n_values,), the attribute of each value.
    limits: the largest number of values of each attribute; None for no limit.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # a slow import, rarely needed

    constraints = [LinearConstraint(meets, lb=1)]
    for j, limit in enumerate(limits):
        if limit is not None:
            constraints.append(LinearConstraint((attribute == j)[None, :] * 1.0, ub=limit))
    whole = np.ones(len(attribute), np.int64)
    nodes = max(1, MOST_BRANCHED // max(1, meets.nnz))
    solution = milp(
        whole,
        constraints=constraints,
        integrality=whole,
        bounds=Bounds(0, 1),
        options={"node_limit": nodes},
    )
    if solution.status == 2:  # infeasible: the limits allow no cover
        return Cover(np.inf, None)
    chosen = None if solution.x is None else np.flatnonzero(np.round(solution.x) > 0)
    if solution.status == 0 and chosen is not None:
        return Cover(len(chosen), chosen)
    bound = solution.mip_dual_bound  # a fraction, exact up to the solver's tolerance of 1e-6
    return Cover(0 if bound is None or bound < 0 else float(np.ceil(bound - 1e-6)), chosen)
