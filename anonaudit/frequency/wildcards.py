"""Wildcards: a missing or suppressed quasi-identifier cell that matches anything.

The class of a row is then every row compatible with it, and classes overlap. Which classes are
compatible is kept as a product of two sparse tables, so that no list of all pairs is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import FrequencySet

if TYPE_CHECKING:
    from scipy import sparse

# In quotes: only newer versions of scipy can be subscripted when the program runs, and most audits
# do not load it.
SparseTable: TypeAlias = "sparse.csr_array[Any, Any]"


def sparse_table(
    data: npt.NDArray[Any],
    row: npt.NDArray[Any],
    column: npt.NDArray[Any],
    shape: tuple[int, int],
) -> SparseTable:
    """A table of numbers, zero but for these entries; entries at one place are added up."""
    from scipy import sparse  # slow to start

    return sparse.coo_array((data.astype(np.float64), (row, column)), shape=shape).tocsr()


@dataclass(frozen=True)
class Compatibility:
    """Which classes are compatible under wildcards, without a list of all pairs.

    A class belongs to groups (`member`, n_groups x n_classes) and may be matched by classes
    that look at a group (`looks_at`, n_classes x n_groups).
    """

    looks_at: SparseTable
    member: SparseTable

    @classmethod
    def of(cls, keys: FrequencySet, weight: float) -> Compatibility | None:
        """The compatibility of the classes with these keys; None if no cell is a wildcard.

        weight: how much a class with wildcards counts for the other classes it matches.
        """
        wild, n = keys.codes < FIRST_VALUE, len(keys)
        if not wild.any():
            return None
        patterns, pattern_of = distinct_rows(wild.astype(np.int64))
        every = np.arange(n)
        looks_at, member, groups = [(every, every)], [(every, every, np.ones(n))], n
        for p, own in enumerate(patterns):
            for q, other in enumerate(patterns):
                if not own.any() and not other.any():
                    continue  # two complete keys are compatible only if equal
                mine, theirs = np.flatnonzero(pattern_of == p), np.flatnonzero(pattern_of == q)
                shared = (own == 0) & (other == 0)
                _, number = distinct_rows(keys.codes[np.concatenate([mine, theirs])][:, shared])
                counts = np.full(len(theirs), weight if other.any() else 1.0)
                looks_at.append((mine, groups + number[: len(mine)]))
                member.append((groups + number[len(mine) :], theirs, counts))
                groups += int(number.max()) + 1
        row, column = (np.concatenate(parts) for parts in zip(*looks_at, strict=True))
        look = sparse_table(np.ones(len(row)), row, column, (n, groups))
        row, column, counts = (np.concatenate(parts) for parts in zip(*member, strict=True))
        return cls(look, sparse_table(counts, row, column, (groups, n)))

    def reach(self, table: SparseTable) -> SparseTable:
        """Per class the sum over all compatible classes; its own entry counts once, in full.

        table: shape (n_classes, n). Group i below n_classes holds class i alone; a class with
        wildcards is also found among those of its own pattern, and that part is taken off.
        """
        from scipy import sparse

        twice = self.looks_at.multiply(self.member.T).sum(axis=1) - 1.0
        return (self.looks_at @ (self.member @ table) - sparse.diags_array(twice) @ table).tocsr()
