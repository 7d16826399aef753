"""The best permutation: the pairing that explains as many released rows as can be explained.

A released row is explained by an original row that it may stand for in every column. As each
original row explains one released row at most, the most that can be explained at once is a
maximum flow from original to released combinations. What is left on both sides is paired so
that few cells are bad. Several permutations can be best; which one is found is fixed, but
nothing says that it is the one that happened.
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

# Left-over rows are assigned exactly up to 2,000 on either side (or as many pairs).
MOST_ASSIGNED = 2_000 * 2_000


def align_by_best_permutation(
    original: FrequencySet,
    released: FrequencySet,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    validity: Mapping[str, Validity],
) -> Alignment:
    """Pair rows so that as many as possible are valid in every column, then with few bad cells.

    original, released: counted over at least these columns.
    validity: for each of these columns what may stand for what.

    The number of explained rows is the largest there is. The number of bad cells among the rest
    is the least for the rows this leaves over, if there are few of them (`left_over` says so).
    Raises InputError for more rows than the flow can count.

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
    """The compatible pairs that need no hidden sensitive cell and no suppressed tuple."""
    before, after = original.codes < FIRST_VALUE, released.codes < FIRST_VALUE
    hidden = (before[pairs.person, n_quasi:] != after[pairs.key, n_quasi:]).any(axis=1)
    silent = np.all(released.codes[:, :n_quasi] == SUPPRESSED, axis=1)[pairs.key]
    plain: npt.NDArray[np.bool_] = ~hidden & ~silent
    return plain


def _flow(
    ours: Counts, theirs: Counts, pairs: Candidates, plain: npt.NDArray[np.bool_]
) -> tuple[Index, Index, Counts]:
    """How many rows of each compatible pair are matched in a maximum flow; pairs with none go.

    First as much as can be goes through the plain pairs; then that flow is increased through
    all of them. A flow increased until nothing more is possible is a maximum one, and rows are
    not said to be hidden or suppressed that have a plainer explanation.
    """
    from scipy.sparse import csr_array  # slow to start
    from scipy.sparse.csgraph import maximum_flow

    n, m = len(ours), len(theirs)
    if max(int(ours.sum()), int(theirs.sum())) >= 2**31:
        raise InputError("too many rows to look for the best permutation; name a key column")
    source, sink, size = n + m, n + m + 1, n + m + 2
    tail = np.concatenate([np.full(n, source), pairs.person, n + np.arange(m)])
    head = np.concatenate([np.arange(n), n + pairs.key, np.full(m, sink)])
    most = np.minimum(ours[pairs.person], theirs[pairs.key])
    flow: Any = csr_array((size, size), dtype=np.int32)
    for through in (plain, np.ones(len(plain), bool)):
        capacity = np.concatenate([ours, most * through, theirs]).astype(np.int32)
        graph = csr_array((capacity, (tail, head)), shape=(size, size))
        left = (graph - flow).tocsr()  # the flow is negative against its direction
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
    """Pair left-over rows, one entry a pair of rows: exactly if they are few, else in order."""
    rows = int(min(left_old.sum(), left_new.sum()))
    # More copies of a combination than there are rows on the other side are never used.
    old = np.repeat(np.arange(len(left_old)), np.minimum(left_old, left_new.sum()))
    new = np.repeat(np.arange(len(left_new)), np.minimum(left_new, left_old.sum()))
    if rows == 0:
        return old[:0], new[:0], LeftOver.NONE
    if len(old) * len(new) > MOST_ASSIGNED:
        return old[:rows], new[:rows], LeftOver.ORDER
    bad = np.zeros((len(old), len(new)), np.int64)
    for j, column in enumerate(validity):
        bad += ~column.holds(original.codes[old, j][:, None], released.codes[new, j][None, :])
    from scipy.optimize import linear_sum_assignment  # slow to start, seldom needed

    chosen_old, chosen_new = linear_sum_assignment(bad)
    return old[chosen_old], new[chosen_new], LeftOver.FEWEST_BAD
