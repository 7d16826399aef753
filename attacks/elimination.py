"""Elimination: rule out values the target does not have, and see what is left.

Source: GCG08, introduction and Theorem 1 (Figure 2: without heart disease the treatment is
certain); Machanavajjhala et al. 2006 for one sensitive attribute.

Somebody survives the elimination of some values who carries none of them. To make the value v
of a target certain, everybody in the class who lacks v must carry an eliminated value, and the
target itself must not. So the least number of eliminations is the size of a smallest set of
values that meets everybody lacking v and avoids the target's own. Solved for all targets together
as far as bounds and single values go; what is left is a bipartite vertex cover (two attributes,
König) or an integer program, a target at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from anonaudit.attack import Setting
from anonaudit.cells import FIRST_VALUE, MISSING
from anonaudit.classes import EquivalenceClasses
from anonaudit.codes import distinct_rows
from anonaudit.findings import Disclosure, Outcome, Witness
from anonaudit.models.cover import cover_by_program, cover_numbers
from anonaudit.models.level import whole_number
from anonaudit.wildcards import sparse_table
from attacks.shared import disclosure, nothing, number_option, per_attribute_option

Index = npt.NDArray[np.intp]
Levels = npt.NDArray[np.float64]
Limits = Sequence[int | None]

# Targets that no bound decides are solved one by one; a target costs EACH (less for two attributes)
# and the square of what its class has, about a microsecond a piece.
BUDGET = 10_000_000
EACH = 400
# Sets that branching looks at for one target before a general method takes over.
MOST_LOOKS = 10_000


class Elimination:
    """The adversary knows a target's class, and some values that the target does not have.

    Success: after eliminating at most `values` values, of any sensitive attributes, all that
    survive in the class (rows; persons where there is a unit column) carry the target's value of
    some sensitive attribute. Each row is a target of its own: only values it does not have are
    eliminated. An unknown cell cannot be eliminated, and keeps a value from being certain.

    Options: values, how many may be eliminated (1 if not given; 0 is homogeneity). at-most,
    limits per attribute on how many of them are its values. budget, the work spent on targets
    that no bound decides; beyond it numbers above 1 are bounds, and said to be.

    Bounded by L-diversity over several attributes (GCG08 Def. 6): no disclosure with up to L-2
    values. Baseline: guessing the most frequent value of the release.

    `details` has the exposed rows (persons) by the number of values, the classes by the least
    number that exposes somebody, and a witness: which values to eliminate in which class, to be
    replayed by deleting the rows that carry them.
    """

    name: ClassVar[str] = "elimination"
    knowledge: ClassVar[str] = (
        "the target's quasi-identifiers, and some sensitive values the target does not have"
    )
    options: ClassVar[tuple[str, ...]] = ("values", "at_most", "budget")

    def run(self, setting: Setting) -> Disclosure:
        """The rows (persons) of whom a value becomes certain, by how many eliminations it takes."""
        classes, names = setting.classes, setting.classes.roles.sensitive
        values = number_option(self.name, setting, "values", 1, 0)
        budget = number_option(self.name, setting, "budget", BUDGET, 0)
        limits_of = per_attribute_option(
            self.name, setting, "at_most", lambda key, value: whole_number(key, value, 0)
        )
        if not names:
            return nothing(self, setting, "no sensitive column is named")
        if not len(classes):
            return nothing(self, setting, "there is no class to attack", Outcome.INCONCLUSIVE)
        limits = [cast("int | None", limits_of.get(name)) for name in names]
        members = members_of(classes)
        low, high = least_eliminations(members, limits, budget, values)
        best = np.full((len(names), members.n_units), np.inf)
        sure = np.full((len(names), members.n_units), np.inf)
        attribute = members.attribute[members.vertex]
        np.minimum.at(best, (attribute, members.unit), high)
        np.minimum.at(sure, (attribute, members.unit), low)
        own = members.own > 0
        class_of = members.class_of
        reached = best.min(axis=0)
        unsure = own & (sure.min(axis=0) <= values) & (reached > values)
        targets = classes.people(np.ones(len(classes), bool))
        by_class = np.full(len(classes), np.inf)
        np.minimum.at(by_class, class_of[own], reached[own])
        steps = np.unique(reached[own & np.isfinite(reached)]).astype(int).tolist()
        exposed = own & (reached <= values)
        open_ = int((own & (sure.min(axis=0) < reached)).sum())
        witness, shown = self._witness(classes, members, best, limits, names, max(budget, BUDGET))
        return disclosure(
            self,
            setting,
            targets=targets,
            disclosed=members.people(exposed),
            unfinished=(
                f"{int(unsure.sum())} target(s) were left undecided; raise budget above {budget}"
                if unsure.any()
                else None
            ),
            per_attribute={
                name: members.people(own & (best[j] <= values)) for j, name in enumerate(names)
            },
            details={
                "eliminated at most": values,
                "exposed by number eliminated": {
                    str(t): members.people(own & (reached <= t)) for t in steps
                },
                "classes by least number": {
                    "none" if np.isinf(t) else str(int(t)): int((by_class == t).sum())
                    for t in np.unique(by_class)
                },
                **({"targets with bounds only": open_} if open_ else {}),
                **({"witness": shown} if shown else {}),
            },
            witness=witness,
            exposed=by_class <= values,
        )

    def _witness(
        self,
        classes: EquivalenceClasses,
        members: Members,
        best: npt.NDArray[np.float64],
        limits: Limits,
        names: Sequence[str],
        budget: int,
    ) -> tuple[Witness | None, dict[str, object]]:
        """The class that is exposed by the fewest eliminations, and those eliminations."""
        usable = np.where(members.own > 0, best, np.inf)
        least = usable.min()
        if np.isinf(least):
            return None, {}
        rows = np.where((usable == least).any(axis=0), classes.rows[members.class_of], -1)
        unit = int(np.argmax(rows))
        j = int(np.argmax(usable[:, unit] == least))
        for vertex in members.of(unit):
            if members.attribute[vertex] != j:
                continue
            inside = members.class_of == members.class_of[unit]
            if EACH + int(inside.sum()) ** 2 <= budget:
                chosen = smallest_cover(members.obstacles(unit, int(vertex)), members, limits)
            else:  # all other values of the attribute, if that is as few
                found = np.unique(members.vertex[inside[members.unit]])
                others = found[(members.attribute[found] == j) & (found != vertex)]
                chosen = others.tolist()
            if chosen is not None and len(chosen) == least:
                number = int(members.class_of[unit])
                labels = [classes.kept.labels_of(name) for name in names]
                return Witness(number, int(classes.rows[number]), names[j]), {
                    "attribute": names[j],
                    "eliminated of": [names[members.attribute[x]] for x in chosen],
                    "values": [labels[members.attribute[x]][members.code[x]] for x in chosen],
                    "survives": {"values": labels[j][members.code[vertex]]},
                }
        return None, {}  # the fewest are known by a bound only


@dataclass(frozen=True)
class Members:
    """Who is in which class, and which sensitive values they carry.

    class_of, own: shape (n_units,), the class of each different row (or person), ascending, and
        how many rows of the class itself it stands for; 0 for one that only wildcards bring in.
    unit, vertex: shape (n_incidences,), ordered by unit, who carries which value; a value is
        numbered apart in each class. attribute, code: shape (n_vertices,).
    known: shape (n_units, q), whether somebody has a known value of each attribute.
    person: shape (n_units,), the person's code; -1 where rows are counted.
    """

    class_of: Index
    own: npt.NDArray[np.int64]
    unit: Index
    vertex: Index
    attribute: Index
    code: npt.NDArray[np.int64]
    known: npt.NDArray[np.bool_]
    person: npt.NDArray[np.int64]

    @property
    def n_units(self) -> int:
        """The number of different rows, or of persons, of all classes."""
        return len(self.class_of)

    @property
    def persons(self) -> bool:
        """Whether persons are counted, not rows."""
        return bool(self.n_units) and bool(self.person[0] >= 0)

    @cached_property
    def _start(self) -> Index:
        return np.searchsorted(self.unit, np.arange(self.n_units + 1))

    def of(self, unit: int) -> Index:
        """The values somebody carries."""
        return self.vertex[self._start[unit] : self._start[unit + 1]]

    def obstacles(self, unit: int, vertex: int) -> list[frozenset[int]]:
        """What could eliminate each that stands in the way of a target's value being certain."""
        own, number = set(self.of(unit).tolist()), self.class_of[unit]
        start, end = np.searchsorted(self.class_of, [number, number + 1])
        sets = set()
        for other in range(start, end):
            values = self.of(other).tolist()
            if vertex not in values:
                sets.add(frozenset(values) - own)
        return sorted(sets, key=lambda one: (len(one), sorted(one)))

    def people(self, chosen: npt.NDArray[np.bool_]) -> int:
        """How many rows, or different persons, the chosen ones are."""
        if self.persons:
            return len(np.unique(self.person[chosen]))
        return int(self.own[chosen].sum())


def members_of(classes: EquivalenceClasses) -> Members:
    """The different rows (persons, with a unit column) of each class, and their known values."""
    kept, roles = classes.kept, classes.roles
    columns = kept.positions(roles.sensitive)
    person = np.zeros(len(kept), np.int64) if roles.unit is None else kept.column(roles.unit)
    kinds, kind = distinct_rows(np.column_stack([person, kept.codes[:, columns]]))
    shape = (len(classes), len(kinds))
    mine = sparse_table(kept.counts, classes.number_of(kept), kind, shape)
    spread = classes.compatibility
    entries = (mine if spread is None else spread.reach(mine)).tocoo()
    there = entries.data > 0
    row, column = entries.row[there].astype(np.int64), entries.col[there].astype(np.int64)
    own = np.asarray(mine[row, column]).ravel() if len(row) else np.zeros(0)
    named = column if roles.unit is None else kinds[column, 0]
    units, unit = distinct_rows(np.column_stack([row, named]))
    n, q = len(units), len(columns)
    least = MISSING if classes.convention.sensitive == "one-value" else FIRST_VALUE
    known = np.zeros((n, q), bool)
    parts = []
    for j in range(q):
        value = kinds[column, 1 + j]
        has = value >= least
        known[unit[has], j] = True
        parts.append(np.column_stack([row, np.full(len(row), j), value, unit])[has])
    long, _ = distinct_rows(np.concatenate(parts))
    vertices, vertex = distinct_rows(long[:, :3])
    order = np.lexsort((vertex, long[:, 3]))
    return Members(
        class_of=units[:, 0].astype(np.intp),
        own=np.bincount(unit, own, n).round().astype(np.int64),
        unit=long[order, 3].astype(np.intp),
        vertex=vertex[order],
        attribute=vertices[:, 1].astype(np.intp),
        code=vertices[:, 2],
        known=known,
        person=np.full(n, -1) if roles.unit is None else units[:, 1],
    )


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


def smallest_cover(
    sets: Sequence[frozenset[int]], members: Members, limits: Limits
) -> list[int] | None:
    """A smallest choice of values that meets every set within the limits; None if there is none.

    Bounds first: sets without a common value, and a greedy choice. Between them, branching on the
    values of the smallest set while that stays short; else, two attributes without limits by
    maximum matching, and an integer program for the rest.
    """
    if any(not one for one in sets):
        return None
    free = all(limit is None for limit in limits)
    high = len(members.attribute) + 1
    if free:
        greedy = _greedy(sets)
        high = len(greedy)
    search = _Search(members.attribute, limits)
    for size in range(_apart(sets), min(high, len(sets) + 1)):
        found = search.within(list(sets), size)
        if found is not None:
            return sorted(found)
        if search.left <= 0:
            break
    else:
        return sorted(greedy) if free else None  # as many as there are sets are always enough
    if free and len(limits) == 2 and not members.persons:
        return _by_matching(sets, members.attribute)
    return _by_program(sets, members.attribute, limits)


def _apart(sets: Sequence[frozenset[int]]) -> int:
    """How many sets without a common value a first look finds: each needs a value of its own."""
    used: set[int] = set()
    number = 0
    for one in sets:
        if used.isdisjoint(one):
            used |= one
            number += 1
    return number


class _Search:
    """Branching on the values of a smallest set that is not met yet, for a limited time."""

    def __init__(self, attribute: Index, limits: Limits) -> None:
        self.attribute = attribute
        self.room = [np.inf if limit is None else limit for limit in limits]
        self.left = MOST_LOOKS

    def within(self, sets: list[frozenset[int]], size: int) -> list[int] | None:
        """At most `size` values that meet every set; None if there are none, or it stopped."""
        if not sets:
            return []
        if self.left <= 0 or _apart(sets) > size:
            return None
        smallest: frozenset[int] = min(sets, key=len)
        for value in sorted(smallest):
            j = self.attribute[value]
            if self.room[j] < 1:
                continue
            self.left -= len(sets)
            self.room[j] -= 1
            found = self.within([one for one in sets if value not in one], size - 1)
            self.room[j] += 1
            if found is not None:
                return [value, *found]
        return None


def _greedy(sets: Sequence[frozenset[int]]) -> list[int]:
    left, chosen = list(sets), []
    while left:
        counts: dict[int, int] = {}
        for one in left:
            for value in one:
                counts[value] = counts.get(value, 0) + 1
        best = min(counts, key=lambda value: (-counts[value], value))
        chosen.append(best)
        left = [one for one in left if best not in one]
    return chosen


def _by_matching(sets: Sequence[frozenset[int]], attribute: Index) -> list[int]:
    """König: a smallest vertex cover of a bipartite graph, from a maximum matching."""
    from scipy.sparse.csgraph import maximum_bipartite_matching  # slow to start

    forced = {next(iter(one)) for one in sets if len(one) == 1}
    edges = [
        sorted(one, key=lambda value: attribute[value]) for one in sets if forced.isdisjoint(one)
    ]
    if not edges:
        return sorted(forced)
    used, place = np.unique(np.array(edges), return_inverse=True)
    left, right = place.reshape(-1, 2).T
    graph = sparse.csr_array((np.ones(len(left)), (left, right)), shape=(len(used), len(used)))
    partner = maximum_bipartite_matching(graph, perm_type="column")  # of each left vertex
    owner = np.full(len(used), -1)
    owner[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    seen, stack = set(), [int(x) for x in np.unique(left) if partner[x] < 0]
    while stack:  # along alternating paths from the unmatched left side
        x = stack.pop()
        seen.add(x)
        for y in right[left == x].tolist():
            if y not in seen:
                seen.add(y)
                stack.append(int(owner[y]))  # there is one, or the matching were not maximum
    cover = [x for x in np.unique(left).tolist() if x not in seen]
    cover += [y for y in np.unique(right).tolist() if y in seen]
    return sorted({*forced, *(int(used[x]) for x in cover)})


def _by_program(
    sets: Sequence[frozenset[int]], attribute: Index, limits: Limits
) -> list[int] | None:
    """The smallest choice by an integer program (HiGHS)."""
    used = np.array(sorted(set().union(*sets)), np.intp)
    if not len(used):
        return []
    place = {int(value): i for i, value in enumerate(used)}
    row = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    column = np.array([place[value] for one in sets for value in sorted(one)], np.intp)
    meets: Any = sparse.csr_array((np.ones(len(row)), (row, column)), shape=(len(sets), len(used)))
    chosen = cover_by_program(meets, attribute[used], limits)
    return None if chosen is None else [int(value) for value in used[chosen]]


def replay(
    rows: Sequence[Sequence[str | None]], gone: Mapping[int, set[str]], column: int
) -> set[str | None]:
    """The values of a column that survive when rows with eliminated values are deleted.

    For a third party who checks a witness by hand: rows of its class, and what was eliminated,
    by column.

    >>> rows = [("heart", "pill"), ("heart", "knife"), ("flu", "iv"), ("gut", "iv")]
    >>> replay(rows, {0: {"heart"}}, 1)
    {'iv'}
    """
    left = [row for row in rows if not any(row[j] in values for j, values in gone.items())]
    return {row[column] for row in left}
