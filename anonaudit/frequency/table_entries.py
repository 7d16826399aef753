"""The entries of a sparse table as plain arrays. Unlike sparse matrices, they need no scipy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.frequency.codes import by_column, distinct_rows


class Entries(NamedTuple):
    """The entries of a table, sorted by row, then by column. All other cells of the table are 0.

    row, column, number: shape (n_entries,), the place and the content of each entry. Each pair of
        row and column occurs once.
    """

    row: npt.NDArray[np.intp]
    column: npt.NDArray[np.intp]
    number: npt.NDArray[np.float64]

    def by_row(self, n_rows: int) -> npt.NDArray[np.float64]:
        """Return the sum of each row of the table, shape (n_rows,)."""
        return np.bincount(self.row, self.number, n_rows).astype(np.float64)


def added_up(
    number: npt.NDArray[Any], row: npt.NDArray[np.integer], column: npt.NDArray[np.integer]
) -> Entries:
    """Return the entries of a table. Numbers with the same row and column are added up.

    number, row, column: shape (n,).

    >>> [part.tolist() for part in added_up(np.ones(3), np.array([1, 0, 1]), np.array([2, 5, 2]))]
    [[0, 1], [5, 2], [1.0, 2.0]]
    """
    places, place = distinct_rows(by_column([row.astype(np.int64), column.astype(np.int64)]))
    total = np.bincount(place, number, len(places)).astype(np.float64)
    return Entries(places[:, 0].astype(np.intp), places[:, 1].astype(np.intp), total)
