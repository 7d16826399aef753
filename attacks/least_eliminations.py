"""Compute the fewest eliminations that make a value certain, for all targets together.

Bounds decide most targets, and a check of all single values decides whether one elimination is
enough. The other targets are solved one by one while the budget lasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Floats, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import runs
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.models.cover import cover_bounds
from attacks.members import Members
from attacks.smallest_cover import Limits, smallest_cover

# The default budget. A target that no bound decides costs EACH (a quarter of EACH for up to two
# attributes), plus the square of the number of units (see `Members`) of its class. A cost of 1 is
# about a microsecond.
BUDGET = 10_000_000
EACH = 400


@dataclass(frozen=True)
class Open:
    """The n targets that the bounds do not decide; all shapes (n,).

    place: the position of each target among the incidences of `Members`. cost: the cost of solving
    the target, see BUDGET. late: True if the target needs more than `first` eliminations.
    """

    place: Index
    cost: Floats
    late: npt.NDArray[np.bool_]


def bounds_of(members: Members, limits: Limits) -> tuple[Floats, Floats]:
    """Return bounds of the fewest eliminations that make a value of a unit certain.

    limits: by attribute, how many of its values may be eliminated; None for no limit.

    Returns a lower and an upper bound for each pair of a unit and a value that the unit has, shape
    (n_incidences,). Equal bounds are the exact number; infinite bounds mean that no eliminations
    make the value certain. `solve` decides the pairs with different bounds.
    """
    m, q = members, len(limits)
    if not len(m.unit):
        return np.zeros(0), np.zeros(0)
    size = np.bincount(m.class_of)
    class_of = np.zeros(len(m.attribute), np.intp)
    class_of[m.vertex] = m.class_of[m.unit]
    carried = np.bincount(m.vertex, minlength=len(m.attribute))
    none = (carried == size[class_of])[m.vertex]
    one = _by_one_value(m, class_of, carried, size, limits) & ~none
    low, high = np.full(len(none), 2.0), np.full(len(none), np.inf)
    if not m.persons:
        # It is enough to eliminate all other values of the attribute, unless a limit forbids it or
        # a row has an unknown cell of the attribute.
        others = np.full((len(size), q), -1.0)
        np.add.at(others, (class_of, m.attribute), 1)
        fits = np.ones((len(size), q), bool)
        np.logical_and.at(fits, m.class_of, m.known)
        fits &= others <= [np.inf if limit is None else limit for limit in limits]
        enough = np.where(fits, others, np.inf)
        high = enough[class_of, m.attribute][m.vertex]
        low = np.maximum(low, _from_cover(m, len(size))[m.class_of[m.unit]])
    for level, certain in ((0, none), (1, one)):
        low, high = np.where(certain, level, low), np.where(certain, level, high)
    return low, high


def open_targets(members: Members, low: Floats, high: Floats, first: int) -> Open:
    """Return the targets that the bounds do not decide.

    low, high: the bounds of `bounds_of`. first: a target is late if it needs more than this many
    eliminations. Units that belong to a class only by wildcards are no targets.
    """
    m = members
    place = np.flatnonzero((low < high) & (m.own[m.unit] > 0))
    each = EACH if m.known.shape[1] > 2 else EACH / 4
    size = np.bincount(m.class_of).astype(np.float64)
    return Open(place, each + size[m.class_of[m.unit[place]]] ** 2, low[place] > first)


def affordable(parts: Sequence[Open], budget: int) -> list[Index]:
    """Return for each part the places of the open targets that the budget pays for.

    The budget pays first for the targets that are not late, then for the late targets. In both
    groups the cheapest targets come first.
    """
    late, cost = (np.concatenate([getattr(p, name) for p in parts]) for name in ("late", "cost"))
    order = np.lexsort((cost, late))
    paid = np.zeros(len(order), bool)
    paid[order[np.cumsum(cost[order]) <= budget]] = True
    ends = np.cumsum([len(part.place) for part in parts])[:-1]
    return [part.place[here] for part, here in zip(parts, np.split(paid, ends), strict=True)]


def solve(members: Members, targets: Index, low: Floats, high: Floats, limits: Limits) -> None:
    """Solve each of the targets, and write the answers to `low` and `high`.

    targets: positions among the incidences. If the integer program of a target was not finished,
    the bounds of the target still differ.
    """
    for at in targets:
        vertex = int(members.vertex[at])
        cover = smallest_cover(members.obstacles(int(members.unit[at]), vertex), members, limits)
        low[at], high[at] = max(low[at], cover.low), min(high[at], cover.high)


def _from_cover(m: Members, n_classes: int) -> Floats:
    """Return a lower bound of the number of eliminations for each class, shape (n_classes,).

    After e eliminations that make a value certain, every row of the class has one of e + 1 values:
    the eliminated values and the certain value. So e + 1 is at least the cover number, which is the
    fewest values such that every row has one of them. The result is a lower bound of the cover
    number, minus 1; NaN for a class without a known value.
    """
    cells = np.zeros((m.n_units, m.known.shape[1]), np.int64)
    cells[m.unit, m.attribute[m.vertex]] = m.code[m.vertex] + FIRST_VALUE
    low, _ = cover_bounds(m.class_of, cells, n_classes)
    return low - 1


def _by_one_value(
    m: Members, class_of: Index, carried: Index, size: Index, limits: Limits
) -> npt.NDArray[np.bool_]:
    """Return True where one elimination makes the value certain, shape (n_incidences,).

    Let v be the certain value and x the eliminated value. Eliminating x makes v certain if every
    unit without v has x. Then the number of units with x but without v is the number of units
    without v.

    class_of, carried: for each vertex, its class, and how many units have it. size: how many units
    each class has.
    """
    import pandas as pd  # slow to start; numpy's isin takes many times as long

    n_vertices = len(m.attribute)
    ones = np.ones(len(m.unit))
    carries = sparse_table(ones, m.unit, m.vertex, (m.n_units, n_vertices))
    together = (carries.T @ carries).tocoo()
    x, v, both = together.row, together.col, together.data
    meets = (carried[x] - both == size[class_of[v]] - carried[v]) & (x != v)
    # If no unit has both x and v, the number of units with x must be the number without v.
    width = int(size.max()) + 1
    key = class_of * width + carried
    wanted = class_of * width + (size[class_of] - carried)
    order = np.argsort(key)
    first = np.searchsorted(key[order], wanted)
    v_apart, within = runs(np.searchsorted(key[order], wanted, side="right") - first)
    x_apart = order[first[v_apart] + within]
    apart = ~pd.Index(x_apart * n_vertices + v_apart).isin(x * n_vertices + v)
    xs = np.concatenate([x[meets], x_apart[apart]])
    vs = np.concatenate([v[meets], v_apart[apart]])
    allowed = np.array([limit is None or limit >= 1 for limit in limits])[m.attribute[xs]]
    good = sparse_table(np.ones(int(allowed.sum())), xs[allowed], vs[allowed], (n_vertices,) * 2)
    total = np.asarray(good.sum(axis=0)).ravel()[m.vertex]
    had = np.asarray((carries @ good)[m.unit, m.vertex]).ravel()
    certain: npt.NDArray[np.bool_] = total - had > 0
    return certain
