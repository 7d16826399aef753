"""The best permutation: the pairing of rows that explains the largest number of released rows.

An original row explains a released row if every released cell may stand for the original cell. Each
original row explains at most one released row. So the largest number of explained rows is a maximum
flow from original to released combinations. The remaining rows are paired so that few cells are
bad. A cell of a pair is bad if the released cell cannot stand for the original cell.

Several permutations may be best. The result is deterministic, but need not be the pairing by which
the release was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Index
from anonaudit.cells import FIRST_VALUE, SUPPRESSED
from anonaudit.errors import InputError
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import Counts, FrequencySet
from anonaudit.linking.alignment import Alignment, How, LeftOver
from anonaudit.linking.matching import Candidates
from anonaudit.linking.validity import Validity, compatible

# Remaining rows are paired with the fewest bad cells only up to this number of possible pairs.
MOST_ASSIGNED = 2_000 * 2_000


def align_by_best_permutation(
    original: FrequencySet,
    released: FrequencySet,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    validity: Mapping[str, Validity],
) -> Alignment:
    """Pair rows so that the most rows are valid in every column; pair the rest with few bad cells.

    original, released: frequency sets over at least the compared columns.
    validity: by compared column, which released cells may stand for which original cells.

    The number of explained rows is the maximum. The number of bad cells among the remaining rows is
    the minimum for these rows. If too many rows remain, they are paired in order instead (see
    `left_over` of the result). Raises InputError for 2**31 rows or more.

    >>> old = FrequencySet.of(["age"], [("23",), ("25",), ("41",)])
    >>> new = FrequencySet.of(["age"], [("25",), ("25",)])
    >>> from anonaudit.linking.validity import unchanged
    >>> same = {"age": unchanged(old.labels_of("age"), new.labels_of("age"))}
    >>> found = align_by_best_permutation(
    ...     old, new, quasi_identifiers=["age"], sensitive=[], validity=same
    ... )
    >>> int(found.count[found.explained].sum()), found.count.tolist()
    (1, [1, 1])
    """
    columns = (*quasi_identifiers, *sensitive)
    before, after = original.project(columns), released.project(columns)
    order = [validity[column] for column in columns]
    pairs = compatible(before, after, order)
    plain = _plain(before, after, len(quasi_identifiers), pairs)
    old, new, count = _flow(before.counts, after.counts, pairs, plain)
    left_old = before.counts - np.bincount(old, count, len(before)).astype(np.int64)
    left_new = after.counts - np.bincount(new, count, len(after)).astype(np.int64)
    more_old, more_new, how = _assigned(before, after, left_old, left_new, order)
    paired, group = distinct_rows(
        np.column_stack([np.append(old, more_old), np.append(new, more_new)]).astype(np.int64)
    )
    rows = np.append(count, np.ones(len(more_old), np.int64))
    return Alignment(
        How.PERMUTATION,
        tuple(quasi_identifiers),
        tuple(sensitive),
        before,
        after,
        validity,
        paired[:, 0],
        paired[:, 1],
        np.bincount(group, rows, len(paired)).astype(np.int64),
        how,
    )


def _plain(
    original: FrequencySet, released: FrequencySet, n_quasi: int, pairs: Candidates
) -> npt.NDArray[np.bool_]:
    """Mark the compatible pairs without a suppressed tuple and without a hidden sensitive cell.

    A sensitive cell is hidden if only the original or only the released combination has a value.

    n_quasi: the number of quasi-identifiers, the first columns of both tables.
    """
    before, after = original.codes < FIRST_VALUE, released.codes < FIRST_VALUE
    hidden = (before[pairs.person, n_quasi:] != after[pairs.key, n_quasi:]).any(axis=1)
    silent = np.all(released.codes[:, :n_quasi] == SUPPRESSED, axis=1)[pairs.key]
    plain: npt.NDArray[np.bool_] = ~hidden & ~silent
    return plain


def _flow(
    ours: Counts, theirs: Counts, pairs: Candidates, plain: npt.NDArray[np.bool_]
) -> tuple[Index, Index, Counts]:
    """The number of rows of each compatible pair in a maximum flow; pairs with 0 rows are dropped.

    ours, theirs: number of rows of each original and each released combination.
    plain: the pairs to prefer (see `_plain`).

    The flow is first maximized through the plain pairs, then increased through all pairs. The
    result is a maximum flow that uses hidden cells or suppressed tuples only where plain pairs do
    not suffice.
    """
    from scipy.sparse import csr_array  # imported here because it loads slowly
    from scipy.sparse.csgraph import maximum_flow

    n, m = len(ours), len(theirs)
    if max(int(ours.sum()), int(theirs.sum())) >= 2**31:
        raise InputError("too many rows to find the best permutation; name a key column")
    source, sink, size = n + m, n + m + 1, n + m + 2
    tail = np.concatenate([np.full(n, source), pairs.person, n + np.arange(m)])
    head = np.concatenate([np.arange(n), n + pairs.key, np.full(m, sink)])
    most = np.minimum(ours[pairs.person], theirs[pairs.key])
    flow: Any = csr_array((size, size), dtype=np.int32)
    for through in (plain, np.ones(len(plain), bool)):
        capacity = np.concatenate([ours, most * through, theirs]).astype(np.int32)
        graph = csr_array((capacity, (tail, head)), shape=(size, size))
        # The residual graph. `flow` has a negative entry for the reverse of each edge in use.
        left = (graph - flow).tocsr()
        flow = flow + maximum_flow(left, source, sink).flow
        if plain.all():
            break
    edges = flow.tocoo()
    used = (edges.data > 0) & (edges.row < n) & (edges.col >= n) & (edges.col < n + m)
    old, new = (place[used].astype(np.intp) for place in (edges.row, edges.col))
    return old, new - n, edges.data[used].astype(np.int64)


def _assigned(
    original: FrequencySet,
    released: FrequencySet,
    left_old: Counts,
    left_new: Counts,
    validity: Sequence[Validity],
) -> tuple[Index, Index, LeftOver]:
    """Pair the remaining rows: with the fewest bad cells if there are few rows, else in order.

    left_old, left_new: the number of remaining rows of each combination.

    Returns the original and the released combination of each pair of rows, and the method.
    """
    rows = int(min(left_old.sum(), left_new.sum()))
    # No combination needs more copies than the other table has remaining rows.
    old = np.repeat(np.arange(len(left_old)), np.minimum(left_old, left_new.sum()))
    new = np.repeat(np.arange(len(left_new)), np.minimum(left_new, left_old.sum()))
    if rows == 0:
        return old[:0], new[:0], LeftOver.NONE
    if len(old) * len(new) > MOST_ASSIGNED:
        return old[:rows], new[:rows], LeftOver.ORDER
    bad = np.zeros((len(old), len(new)), np.int64)
    for j, column in enumerate(validity):
        bad += ~column.holds(original.codes[old, j][:, None], released.codes[new, j][None, :])
    from scipy.optimize import linear_sum_assignment  # loads slowly and is seldom needed

    chosen_old, chosen_new = linear_sum_assignment(bad)
    return old[chosen_old], new[chosen_new], LeftOver.FEWEST_BAD
