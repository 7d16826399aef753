"""The fewest eliminations that make a value certain, for all targets together.

Bounds and single values first; a target that they leave open is solved by itself, as long as the
budget lasts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonaudit.cells import FIRST_VALUE
from anonaudit.models.cover import cover_numbers
from anonaudit.wildcards import sparse_table
from attacks.members import Index, Members
from attacks.smallest_cover import Limits, smallest_cover

Levels = npt.NDArray[np.float64]

# Targets that no bound decides are solved one by one; a target costs EACH (less for two attributes)
# and the square of what its class has, about a microsecond a piece.
BUDGET = 10_000_000
EACH = 400


def least_eliminations(
    members: Members, limits: Limits, budget: int = BUDGET, first: int = 0
) -> tuple[Levels, Levels]:
    """For each (somebody, value it carries) the fewest eliminations that make the value certain.

    limits: at most so many of each attribute's values. budget: for targets that no bound decides;
    those that may take `first` eliminations or fewer have precedence.
    Returns a lower and an upper bound, shape (n_incidences,) each, equal but where the budget ran
    out; infinite where no eliminations do.
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
        # All other values of the attribute itself do, where limits and unknown cells allow.
        others = np.full((len(size), q), -1.0)
        np.add.at(others, (class_of, m.attribute), 1)
        fits = np.ones((len(size), q), bool)
        np.logical_and.at(fits, m.class_of, m.known)
        fits &= others <= [np.inf if limit is None else limit for limit in limits]
        enough = np.where(fits, others, np.inf)
        high = enough[class_of, m.attribute][m.vertex]
        low = np.maximum(low, _from_cover(m, len(size))[m.class_of[m.unit]])
    for level, found in ((0, none), (1, one)):
        low, high = np.where(found, level, low), np.where(found, level, high)
    open_ = np.flatnonzero((low < high) & (m.own[m.unit] > 0))
    cost = (EACH if q > 2 else EACH / 4) + size[m.class_of[m.unit[open_]]].astype(np.float64) ** 2
    order = np.lexsort((cost, low[open_] > first))
    for at in open_[order][np.cumsum(cost[order]) <= budget]:
        chosen = smallest_cover(m.obstacles(int(m.unit[at]), int(m.vertex[at])), m, limits)
        low[at] = high[at] = np.inf if chosen is None else len(chosen)
    return low, high


def _from_cover(m: Members, n_classes: int) -> Levels:
    """L - 1 for each class: with the value itself, the eliminations delete the whole class.

    NaN for a class without a known value.
    """
    cells = np.zeros((m.n_units, m.known.shape[1]), np.int64)
    cells[m.unit, m.attribute[m.vertex]] = m.code[m.vertex] + FIRST_VALUE
    return cover_numbers(m.class_of, cells, n_classes) - 1


def _by_one_value(
    m: Members, class_of: Index, carried: Index, size: Index, limits: Limits
) -> npt.NDArray[np.bool_]:
    """Where eliminating one value makes the carried one certain, shape (n_incidences,).

    x does it for v, if everybody without v has x: those with x but without v are all without v.
    """
    n_vertices = len(m.attribute)
    ones = np.ones(len(m.unit))
    carries = sparse_table(ones, m.unit, m.vertex, (m.n_units, n_vertices))
    together = (carries.T @ carries).tocoo()
    x, v, both = together.row, together.col, together.data
    meets = (carried[x] - both == size[class_of[v]] - carried[v]) & (x != v)
    # Values that nobody has together with v: as many must have x as lack v.
    width = int(size.max()) + 1
    key = class_of * width + carried
    wanted = class_of * width + (size[class_of] - carried)
    order = np.argsort(key)
    first = np.searchsorted(key[order], wanted)
    length = np.searchsorted(key[order], wanted, side="right") - first
    v_apart = np.repeat(np.arange(n_vertices), length)
    within = np.arange(len(v_apart)) - np.repeat(np.cumsum(length) - length, length)
    x_apart = order[first[v_apart] + within]
    apart = ~pd.Index(x_apart * n_vertices + v_apart).isin(x * n_vertices + v)
    xs = np.concatenate([x[meets], x_apart[apart]])
    vs = np.concatenate([v[meets], v_apart[apart]])
    allowed = np.array([limit is None or limit >= 1 for limit in limits])[m.attribute[xs]]
    good = sparse_table(np.ones(int(allowed.sum())), xs[allowed], vs[allowed], (n_vertices,) * 2)
    total = np.asarray(good.sum(axis=0)).ravel()[m.vertex]
    had = np.asarray((carries @ good)[m.unit, m.vertex]).ravel()
    found: npt.NDArray[np.bool_] = total - had > 0
    return found
