"""The members of each class and their sensitive values, as the elimination attack needs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Index
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.wildcards import sparse_table


@dataclass(frozen=True)
class Members:
    """The members of each class, and the sensitive values that they have.

    A unit is a distinct row of a class; with a unit column, it is one person of a class. A vertex
    is a value of an attribute within one class; the same value in another class is another vertex.
    An incidence is a pair of a unit and a vertex that the unit has.

    class_of, own: shape (n_units,), the class of each unit, ascending, and how many rows of the
        class itself the unit has; 0 if it belongs to the class only by wildcards.
    unit, vertex: shape (n_incidences,), the incidences, ordered by unit.
    attribute, code: shape (n_vertices,), the number of the sensitive attribute, and the code of the
        value.
    known: shape (n_units, q), True if the unit has a known value of the attribute; q is the number
        of sensitive attributes.
    person: shape (n_units,), the code of the person; -1 if rows are counted.
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
        """The number of units of all classes."""
        return len(self.class_of)

    @property
    def persons(self) -> bool:
        """True if persons are counted instead of rows."""
        return bool(self.n_units) and bool(self.person[0] >= 0)

    @cached_property
    def _start(self) -> Index:
        return np.searchsorted(self.unit, np.arange(self.n_units + 1))

    def of(self, unit: int) -> Index:
        """Return the vertices that a unit has."""
        return self.vertex[self._start[unit] : self._start[unit + 1]]

    def obstacles(self, unit: int, vertex: int) -> list[frozenset[int]]:
        """Return the sets of vertices that the adversary must hit to make `vertex` certain.

        The value `vertex` of the target `unit` becomes certain if the adversary eliminates at least
        one vertex of each set. Each unit of the class without `vertex` gives one set: the vertices
        of this unit that the target does not have. Equal sets are returned once.
        """
        own, number = set(self.of(unit).tolist()), self.class_of[unit]
        start, end = np.searchsorted(self.class_of, [number, number + 1])
        sets = set()
        for other in range(start, end):
            values = self.of(other).tolist()
            if vertex not in values:
                sets.add(frozenset(values) - own)
        return sorted(sets, key=lambda one: (len(one), sorted(one)))


def members_of(classes: EquivalenceClasses, chosen: npt.NDArray[np.bool_] | None = None) -> Members:
    """Return the distinct rows (persons) of each class, and their known values.

    chosen: the entries to use, shape (len(classes.kept),); every entry if None. A class must be
    chosen with all its entries or with none.
    """
    kept, class_of, roles = classes.kept, classes.class_of, classes.roles
    if chosen is not None:
        kept, class_of = kept.where(chosen), class_of[chosen]
    columns = kept.positions(roles.sensitive)
    person = np.zeros(len(kept), np.int64) if roles.unit is None else kept.column(roles.unit)
    kinds, kind = distinct_rows(np.column_stack([person, kept.codes[:, columns]]))
    shape = (len(classes), len(kinds))
    mine = sparse_table(kept.counts, class_of, kind, shape)
    spread = classes.compatibility
    entries = (mine if spread is None else spread.reach(mine)).tocoo()
    there = entries.data > 0
    row, column = entries.row[there].astype(np.int64), entries.col[there].astype(np.int64)
    own = np.asarray(mine[row, column]).ravel() if len(row) else np.zeros(0)
    named = column if roles.unit is None else kinds[column, 0]
    units, unit = distinct_rows(np.column_stack([row, named]))
    n, q = len(units), len(columns)
    least = classes.convention.first_counted
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
