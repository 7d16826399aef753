"""Pair released rows with the original rows from which they came, counted by combination.

A combination is a distinct tuple of cells in the columns of a frequency set. An alignment gives,
for pairs of an original and a released combination, the number of rows that had the first and were
released with the second. Rows are paired by a key column, by row order, or by the best permutation
(see permutation.py).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Index, ReadOnlyArrays, read_only
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import InputError
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import Counts, FrequencySet
from anonaudit.linking.validity import Validity


class How(enum.StrEnum):
    """The method by which rows were paired."""

    KEY = "key"
    ORDER = "order"
    PERMUTATION = "best permutation"


class LeftOver(enum.StrEnum):
    """How a best permutation paired the released rows that no original row explains.

    A pair of rows is explained if it is valid in every column (see `Alignment.explained`).
    """

    NONE = "none"
    FEWEST_BAD = "fewest bad cells"
    ORDER = "in order"


@dataclass(frozen=True)
class Alignment(ReadOnlyArrays):
    """Released rows paired with original rows, counted by combination.

    how: the method of pairing.
    quasi_identifiers, sensitive: the compared columns. Sensitive attributes that the original does
        not have are not compared.
    original, released: the frequency sets over the quasi-identifiers, the sensitive attributes and
        the perturbed columns, in this order.
    validity: by compared column, which released cells may stand for which original cells.
    old, new, count: arrays of shape (n_pairs,). For pair i, `count[i]` rows with the original
        combination `old[i]` were released with the combination `new[i]`. Each pair occurs once.
    left_over: how a best permutation paired the released rows that no original row explains.
    perturbed: columns of both tables that are not compared, because a perturbed value need not
        stand for its original value.
    """

    how: How
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    original: FrequencySet
    released: FrequencySet
    validity: Mapping[str, Validity]
    old: Index
    new: Index
    count: Counts
    left_over: LeftOver = LeftOver.NONE
    perturbed: tuple[str, ...] = ()

    @cached_property
    def missing(self) -> Counts:
        """For each original combination, the number of its rows without a released row.

        Shape (len(original),).
        """
        paired = np.bincount(self.old, self.count, len(self.original)).astype(np.int64)
        return read_only(self.original.counts - paired)

    @cached_property
    def invented(self) -> Counts:
        """For each released combination, the number of its rows without an original row.

        Shape (len(released),).
        """
        paired = np.bincount(self.new, self.count, len(self.released)).astype(np.int64)
        return read_only(self.released.counts - paired)

    @cached_property
    def suppressed(self) -> npt.NDArray[np.bool_]:
        """A mask of the pairs with all quasi-identifiers suppressed in the release, (n_pairs,)."""
        return read_only(self.released.suppressed(self.quasi_identifiers)[self.new])

    def codes(self, column: str) -> tuple[Index, Index]:
        """The original codes and the released codes of the pairs in one column, each (n_pairs,)."""
        return self.original.column(column)[self.old], self.released.column(column)[self.new]

    def valid(self, column: str) -> npt.NDArray[np.bool_]:
        """A mask of the pairs whose released cell may stand for the original cell, (n_pairs,)."""
        return self.validity[column].holds(*self.codes(column))

    def may_be_valid(self, column: str) -> npt.NDArray[np.bool_]:
        """Like `valid`, but also True if it is undecided whether the released cell is valid."""
        return self.validity[column].may_hold(*self.codes(column))

    @cached_property
    def explained(self) -> npt.NDArray[np.bool_]:
        """A mask of the pairs that are valid in every compared column, shape (n_pairs,)."""
        every = np.ones(len(self.count), bool)
        for column in (*self.quasi_identifiers, *self.sensitive):
            every &= self.valid(column)
        return read_only(every)


def align_by_key(
    original: FrequencySet,
    released: FrequencySet,
    key: str,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    validity: Mapping[str, Validity],
    how: How = How.KEY,
    perturbed: Sequence[str] = (),
) -> Alignment:
    """Pair rows that have the same key.

    original, released: frequency sets over the key, the compared and the perturbed columns.
    validity, how, perturbed: as in `Alignment`.

    Raises InputError unless every row of both tables has a key and no two rows of a table share a
    key.

    >>> table = [FrequencySet.of(["id", "x"], r) for r in ([("1", "a"), ("2", "b")], [("2", "b")])]
    >>> found = align_by_key(*table, "id", quasi_identifiers=["x"], sensitive=[], validity={})
    >>> found.count.tolist(), found.missing.tolist()
    ([1], [1, 0])
    """
    columns = (*quasi_identifiers, *sensitive, *perturbed)
    for table, whose in ((original, "original"), (released, "release")):
        _check_key(table, key, whose)
    ours, theirs = ([t.labels_of(key)[c] for c in t.column(key)] for t in (original, released))
    place_of = {name: place for place, name in enumerate(ours)}
    place = np.array([place_of.get(name, -1) for name in theirs], np.intp)
    met = place >= 0
    before, after = original.project(columns), released.project(columns)
    both = np.column_stack([before.entry_of(original)[place[met]], after.entry_of(released)[met]])
    pairs, group = distinct_rows(both.astype(np.int64))
    return Alignment(
        how,
        tuple(quasi_identifiers),
        tuple(sensitive),
        before,
        after,
        validity,
        pairs[:, 0],
        pairs[:, 1],
        np.bincount(group, minlength=len(pairs)).astype(np.int64),
        perturbed=tuple(perturbed),
    )


def _check_key(table: FrequencySet, key: str, whose: str) -> None:
    keys = table.project([key])
    nameless = int(keys.counts[keys.codes[:, 0] < FIRST_VALUE].sum())
    shared = int(keys.counts[(keys.counts > 1) & (keys.codes[:, 0] >= FIRST_VALUE)].sum())
    if nameless or shared:
        raise InputError(
            f"the key {key!r} must identify every row of the {whose}, but {nameless} row(s) have "
            f"no key and {shared} share a key with another row; name another key, or name no key "
            "to pair the rows by the best permutation"
        )
