"""The entries of a table of numbers that is mostly zero, for work that needs no sparse algebra."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.frequency.codes import by_column, distinct_rows


class Entries(NamedTuple):
    """Numbers with their places, by row, then by column; every other number of the table is 0.

    row, column, number: shape (n_entries,); no place stands twice.
    """

    row: npt.NDArray[np.intp]
    column: npt.NDArray[np.intp]
    number: npt.NDArray[np.float64]

    def by_row(self, n_rows: int) -> npt.NDArray[np.float64]:
        """The sum of each row, shape (n_rows,)."""
        return np.bincount(self.row, self.number, n_rows).astype(np.float64)


def added_up(
    number: npt.NDArray[Any], row: npt.NDArray[np.integer], column: npt.NDArray[np.integer]
) -> Entries:
    """The entries of a table; numbers at one place are added up. All have shape (n,).

    >>> [part.tolist() for part in added_up(np.ones(3), np.array([1, 0, 1]), np.array([2, 5, 2]))]
    [[0, 1], [5, 2], [1.0, 2.0]]
    """
    places, place = distinct_rows(by_column([row.astype(np.int64), column.astype(np.int64)]))
    total = np.bincount(place, number, len(places)).astype(np.float64)
    return Entries(places[:, 0].astype(np.intp), places[:, 1].astype(np.intp), total)
