"""Who is in which class, and which sensitive values each carries: what elimination works on."""

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


def members_of(classes: EquivalenceClasses, chosen: npt.NDArray[np.bool_] | None = None) -> Members:
    """The different rows (persons, with a unit column) of each class, and their known values.

    chosen: shape (len(classes.kept),), of these entries, which are all those of some classes.
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
