"""Wildcards: missing or suppressed quasi-identifier cells that match every value.

Two keys are compatible if they are equal wherever both have a value: (30, *) is compatible with
(30, F) and with (*, M). The class of a row consists of all rows whose keys are compatible with its
key, so classes overlap. The relation "compatible" is stored as a product of two sparse matrices,
because a list of all compatible pairs could be too long.
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

# A string, because older versions of scipy do not allow the subscript at run time, and because most
# audits need not load scipy.
SparseTable: TypeAlias = "sparse.csr_array[Any, Any]"


def sparse_table(
    data: npt.NDArray[Any],
    row: npt.NDArray[Any],
    column: npt.NDArray[Any],
    shape: tuple[int, int],
) -> SparseTable:
    """Return the sparse matrix with these entries. Entries of the same cell are added up.

    data, row, column: shape (n,).
    """
    from scipy import sparse  # imported here because it loads slowly

    return sparse.coo_array((data.astype(np.float64), (row, column)), shape=shape).tocsr()


@dataclass(frozen=True)
class Compatibility:
    """The pairs of compatible classes, represented by groups of classes.

    The pattern of a class is the set of quasi-identifiers that are wildcards in its key. Take two
    patterns, and the columns that are wildcards in neither of them. Classes of the second pattern
    with equal values in these columns form one group. Each class of the first pattern with the same
    values "looks at" this group: it is compatible with every member. In addition, each class has a
    group of its own with no other member, and looks at it.

    looks_at: shape (n_classes, n_groups), 1 where a class looks at a group.
    member: shape (n_groups, n_classes), the weight with which a class is a member of a group; 0 if
        it is not a member.
    """

    looks_at: SparseTable
    member: SparseTable

    @classmethod
    def of(cls, keys: FrequencySet, weight: float) -> Compatibility | None:
        """Find the compatible classes. Returns None if no cell is a wildcard.

        keys: the frequency set over the quasi-identifiers, one entry per class. weight: from 0 to
        1, the weight with which a class that has wildcards counts in other classes
        (`Convention.wildcard_weight`).
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
                    continue  # keys without wildcards are compatible only if they are equal
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
        """Replace each row of a table by the weighted sum of the rows of all compatible classes.

        A class's own row counts once, with weight 1, because group i < n_classes has only class i.
        But a class with wildcards also looks at a group of its own pattern of which it is a member.
        This second contribution is subtracted.

        table: shape (n_classes, n), one row per class.
        """
        from scipy import sparse

        twice = self.looks_at.multiply(self.member.T).sum(axis=1) - 1.0
        return (self.looks_at @ (self.member @ table) - sparse.diags_array(twice) @ table).tocsr()
