"""Find the distinct rows of integer arrays, in which codes stand for texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]

MOST_KEYS = 2**62
DENSE = 4096  # a lookup table may have this size even if there are only few rows


def runs(length: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Divide entries into consecutive runs of given lengths.

    length: the number of entries of each run.

    Returns for each entry the number of its run, and its position in the run, from 0.

    >>> [part.tolist() for part in runs(np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    which = np.repeat(np.arange(len(length)), length)
    return which, np.arange(len(which)) - (np.cumsum(length) - length)[which]


def all_pairs(first: Sequence[int], second: Sequence[int]) -> npt.NDArray[np.intp]:
    """Return all pairs of a number in `first` and a number in `second`, shape (n_pairs, 2).

    >>> all_pairs([7, 8], range(2)).tolist()
    [[7, 0], [7, 1], [8, 0], [8, 1]]
    """
    return np.column_stack(
        [np.repeat(np.asarray(first, np.intp), len(second)), np.tile(second, len(first))]
    ).astype(np.intp)


def distinct_rows(
    codes: Codes, columns: Sequence[int] | None = None
) -> tuple[Codes, npt.NDArray[np.intp]]:
    """Find the distinct rows of a code array of shape (n, m).

    columns: the columns to use; all if None.

    Returns the distinct rows, ascending, with only these columns; and for each of the n rows the
    index of its distinct row.
    """
    cells = [codes[:, j] for j in (range(codes.shape[1]) if columns is None else columns)]
    if not cells:
        return np.zeros((min(len(codes), 1), 0), np.int64), np.zeros(len(codes), np.intp)
    first, number = _by_cells(cells)
    distinct = np.empty((len(cells), len(first)), np.int64)  # one large array: new memory is slow
    for cell, to in zip(cells, distinct, strict=True):
        np.take(cell, first, out=to, mode="clip")  # another mode would make a copy
    return distinct.T, number


def row_numbers(codes: Codes, columns: Sequence[int]) -> npt.NDArray[np.intp]:
    """Return the second result of `distinct_rows`, the index of each row's distinct row; faster.

    >>> row_numbers(np.array([[2, 7], [1, 7], [2, 8]]), [0]).tolist()
    [1, 0, 1]
    """
    if not columns:
        return np.zeros(len(codes), np.intp)
    return _by_cells([codes[:, j] for j in columns])[1]


def _by_cells(cells: Sequence[Codes]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Find the distinct rows of a table that is given by its columns.

    Returns the position of one row for each distinct row, in ascending order of the distinct rows;
    and for each row the index of its distinct row.
    """
    # Each row becomes one integer key whose digits are the cells. Keys sort like the rows.
    key, size = np.zeros(len(cells[0]), np.int64), 1
    for cell in cells:
        low = min(int(cell.min(initial=0)), 0)
        width = int(cell.max(initial=0)) - low + 1
        # If keys would exceed MOST_KEYS, number the distinct keys so far, which makes them smaller.
        # If that is not enough, number the distinct values of the column, too.
        if size * width > MOST_KEYS:
            first, key = _numbered(key, size)
            size = len(first)
        if size * width > MOST_KEYS:
            used, digit = np.unique(cell, return_inverse=True)
            width = len(used)
        else:
            digit = cell - low if low else cell
        key, size = key * width + digit, size * width
    return _numbered(key, size)


def _numbered(key: Codes, size: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Find the distinct keys. Returns the same as `_by_cells`.

    key: one nonnegative integer per row. size: a number above every key.
    """
    n = len(key)
    if size <= 2 * n + DENSE:
        row = np.full(size, n)
        row[key[::-1]] = np.arange(n - 1, -1, -1)
        used = row < n
        return row[used], (np.cumsum(used) - 1)[key]
    begins = np.ones(n, bool)
    begins[1:] = key[1:] != key[:-1]
    if (key[1:] >= key[:-1]).all():
        return np.flatnonzero(begins), np.cumsum(begins) - 1
    order = np.argsort(key)  # need not be stable: any row may represent its key
    ordered, number = key[order], np.empty(n, np.intp)
    begins[1:] = ordered[1:] != ordered[:-1]
    number[order] = np.cumsum(begins) - 1
    return order[begins], number


def by_column(columns: Sequence[Codes]) -> Codes:
    """Join columns to a 2-D array, stored column by column. Most operations work by column."""
    return np.array(columns, np.int64).T
