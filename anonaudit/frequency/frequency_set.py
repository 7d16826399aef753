"""The frequency set: how many rows have each combination of values (TV06 Definition 4).

Every number that anonaudit reports is computed from frequency sets. The engine of a table counts
its rows once (see `counting`). All other code works on arrays of integer codes with counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import ReadOnlyArrays
from anonaudit.cells import FIRST_VALUE, MISSING, SUPPRESSED, Convention
from anonaudit.frequency.codes import Codes, by_column, distinct_rows, row_numbers
from anonaudit.source.engine_columns import Coded
from anonaudit.source.table import ROW_NUMBER

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class FrequencySet(ReadOnlyArrays):
    """A mapping from combinations of values to counts (TV06 Definition 4), as arrays.

    attributes: the m column names.
    labels: m tuples. The text of code c of attribute j is `labels[j][c]`. Code 0 is missing, code 1
        is suppressed, and the codes from 2 are the values, sorted by their texts. Row numbers are
        sorted as numbers.
    codes: shape (n, m), one row per combination. The rows are all different and ascending.
    counts: shape (n,), number of rows (or persons) with the combination.
    """

    attributes: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...] = field(repr=False)
    codes: Codes
    counts: Counts

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def total(self) -> int:
        """The sum of the counts."""
        return int(self.counts.sum())

    def positions(self, attributes: Sequence[str]) -> list[int]:
        """Return the column numbers of `attributes` in `codes`."""
        return [self.attributes.index(attribute) for attribute in attributes]

    def column(self, attribute: str) -> Codes:
        """Return the codes of one attribute, shape (n,)."""
        return self.codes[:, self.attributes.index(attribute)]

    def columns(self, attributes: Sequence[str]) -> Codes:
        """The codes of several attributes, shape (n, len(attributes))."""
        return self.codes.T[self.positions(attributes)].T  # columns are contiguous in memory

    def suppressed(self, attributes: Sequence[str]) -> npt.NDArray[np.bool_]:
        """A mask of the entries with all of these attributes suppressed, shape (n,).

        Without attributes nothing is suppressed.
        """
        cells = self.columns(attributes)
        suppressed: npt.NDArray[np.bool_] = np.all(cells == SUPPRESSED, axis=1)
        return suppressed & bool(cells.shape[1])

    def labels_of(self, attribute: str) -> tuple[str, ...]:
        """Return the texts of one attribute's codes."""
        return self.labels[self.attributes.index(attribute)]

    def values(self, attribute: str) -> npt.NDArray[np.intp]:
        """Return the codes of the values of one attribute that occur, ascending.

        >>> FrequencySet.of(["a"], [("x",), (None,), ("y",)]).values("a").tolist()
        [2, 3]
        """
        codes = np.flatnonzero(np.bincount(self.column(attribute)))  # faster than np.unique
        return codes[codes >= FIRST_VALUE]

    def entry_of(self, finer: FrequencySet) -> npt.NDArray[np.intp]:
        """Return for each entry of `finer` the entry of this set with the same values.

        This frequency set must have exactly the combinations of `finer.project(self.attributes)`.

        Returns positions in this set, shape (len(finer),).
        """
        return row_numbers(finer.codes, finer.positions(self.attributes))

    def project(self, attributes: Sequence[str]) -> FrequencySet:
        """Return the frequency set over fewer attributes, with the same total.

        >>> t = FrequencySet.of(("a", "b"), [("x", "1"), ("x", "2"), ("y", "1")])
        >>> t.project(["a"]).counts.tolist()
        [2, 1]
        """
        columns = self.positions(attributes)
        codes, group = distinct_rows(self.codes, columns)
        counts = np.bincount(group, weights=self.counts, minlength=len(codes)).astype(np.int64)
        return FrequencySet(
            tuple(attributes), tuple(self.labels[c] for c in columns), codes, counts
        )

    def distinct(self, attributes: Sequence[str], unit: str) -> FrequencySet:
        """Return the frequency set over `attributes` that counts persons instead of rows.

        unit: the attribute that identifies persons. A person counts once per combination.
        """
        columns = self.positions(attributes)
        codes, group = distinct_rows(self.codes, columns)
        pairs, _ = distinct_rows(by_column([group, self.column(unit)]))
        counts = np.bincount(pairs[:, 0], minlength=len(codes)).astype(np.int64)
        return FrequencySet(
            tuple(attributes), tuple(self.labels[c] for c in columns), codes, counts
        )

    def where(self, keep: npt.NDArray[np.bool_]) -> FrequencySet:
        """Return the frequency set of the combinations where `keep`, shape (n,), is True."""
        if keep.all():
            return self
        codes = self.codes.T[:, keep].T
        return FrequencySet(self.attributes, self.labels, codes, self.counts[keep])

    def relabel(
        self, changes: Mapping[str, Callable[[str], str]], convention: Convention
    ) -> FrequencySet:
        """Replace the labels of some attributes and merge combinations that become equal.

        If labels are replaced by their ancestors in a hierarchy, this is generalization. By the
        roll-up property, the result is the frequency set of the generalized table.

        changes: attribute -> function from an old label to the new label. Missing and suppressed
            cells do not change.
        convention: decides which new labels mean missing or suppressed.
        """
        labels, columns = list(self.labels), [self.codes[:, j] for j in range(self.codes.shape[1])]
        for attribute, change in changes.items():
            j = self.attributes.index(attribute)
            new = [change(label) for label in self.labels[j][FIRST_VALUE:]]
            labels[j], translate = encode(new, convention)
            columns[j] = np.concatenate([[MISSING, SUPPRESSED], translate])[columns[j]]
        codes = by_column(columns) if columns else self.codes
        return FrequencySet(self.attributes, tuple(labels), codes, self.counts).project(
            self.attributes
        )

    @classmethod
    def of(
        cls,
        attributes: Sequence[str],
        rows: Sequence[Sequence[str | None]],
        convention: Convention | None = None,
        counts: Sequence[int] | None = None,
    ) -> FrequencySet:
        """Count rows given as Python lists of cells; None is a missing cell.

        counts: number of records of each row; 1 if None.
        """
        convention = convention or Convention()
        columns = [
            encode_column(attribute, [row[j] for row in rows], convention)
            for j, attribute in enumerate(attributes)
        ]
        codes = np.column_stack([c for _, c in columns]) if columns else np.zeros((len(rows), 0))
        weights = np.ones(len(rows), np.int64) if counts is None else np.asarray(counts, np.int64)
        whole = cls(
            tuple(attributes), tuple(lab for lab, _ in columns), codes.astype(np.int64), weights
        )
        return whole.project(attributes)


def encode_column(
    attribute: str, texts: Sequence[str | None] | npt.NDArray[Any] | Coded, convention: Convention
) -> tuple[tuple[str, ...], Codes]:
    """Return the labels and codes of the column `attribute`, like `encode`.

    The convention does not apply to row numbers (ROW_NUMBER): row 99 exists even if the text 99
    means missing. A row number is encoded by its rank among the row numbers in `texts`.

    >>> encode_column(ROW_NUMBER, ["99", "100", "7"], Convention(missing=("99",)))
    (('', '*', '1', '2', '3'), array([3, 4, 2]))
    """
    if attribute != ROW_NUMBER:
        return encode(texts, convention)
    numbers, place = np.unique(np.asarray(texts, np.int64), return_inverse=True)
    return ("", "*", *map(str, range(1, len(numbers) + 1))), FIRST_VALUE + place


def encode(
    texts: Sequence[str | None] | npt.NDArray[Any] | Coded, convention: Convention
) -> tuple[tuple[str, ...], Codes]:
    """Return the labels of a column of texts, and the code of each cell.

    Missing cells have code 0, suppressed cells code 1. Values have the codes from 2, sorted by
    their texts. The label of code c is `labels[c]`.
    """
    cells = texts.labels if isinstance(texts, Coded) else texts
    code = {text: convention.kind(text) for text in dict.fromkeys(cells)}
    values = sorted(text for text, kind in code.items() if kind == FIRST_VALUE)
    code |= zip(values, range(FIRST_VALUE, FIRST_VALUE + len(values)), strict=True)
    codes = np.fromiter(map(code.__getitem__, cells), np.int64, len(cells))
    if isinstance(texts, Coded):
        codes = np.append(codes, MISSING)[texts.codes]  # code -1 becomes missing
    return ("", "*", *values), codes


def in_row_order(counted: FrequencySet) -> npt.NDArray[np.intp]:
    """Return the positions of the entries in row order.

    counted: a table counted over ROW_NUMBER and maybe other columns.

    >>> table = FrequencySet.of(("dx", ROW_NUMBER), [("flu", "10"), ("hiv", "9")])
    >>> in_row_order(table).tolist()
    [1, 0]
    """
    return np.argsort(counted.column(ROW_NUMBER), kind="stable")
