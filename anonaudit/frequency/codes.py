"""Tables of codes, whole numbers instead of texts: which of their rows differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]

MOST_KEYS = 2**62
DENSE = 4096  # so many different keys are looked up in a table, however few rows there are


def runs(length: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """For runs of these lengths, one behind the other: the run of each entry, and its place in it.

    >>> [part.tolist() for part in runs(np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    which = np.repeat(np.arange(len(length)), length)
    return which, np.arange(len(which)) - (np.cumsum(length) - length)[which]


def all_pairs(first: Sequence[int], second: Sequence[int]) -> npt.NDArray[np.intp]:
    """Every pair of a number of the first and one of the second, shape (n_pairs, 2), in order.

    >>> all_pairs([7, 8], range(2)).tolist()
    [[7, 0], [7, 1], [8, 0], [8, 1]]
    """
    return np.column_stack(
        [np.repeat(np.asarray(first, np.intp), len(second)), np.tile(second, len(first))]
    ).astype(np.intp)


def distinct_rows(
    codes: Codes, columns: Sequence[int] | None = None
) -> tuple[Codes, npt.NDArray[np.intp]]:
    """The different rows of a code array in ascending order, and which one each row is.

    columns: compare these only; all if not given.
    """
    cells = [codes[:, j] for j in (range(codes.shape[1]) if columns is None else columns)]
    if not cells:
        return np.zeros((min(len(codes), 1), 0), np.int64), np.zeros(len(codes), np.intp)
    first, number = _by_cells(cells)
    return by_column([cell[first] for cell in cells]), number


def row_numbers(codes: Codes, columns: Sequence[int]) -> npt.NDArray[np.intp]:
    """Which of the different rows each row is, in ascending order, by these columns alone.

    The second part of what `distinct_rows` returns, without the cost of the first.

    >>> row_numbers(np.array([[2, 7], [1, 7], [2, 8]]), [0]).tolist()
    [1, 0, 1]
    """
    if not columns:
        return np.zeros(len(codes), np.intp)
    return _by_cells([codes[:, j] for j in columns])[1]


def _by_cells(cells: Sequence[Codes]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """One row of each kind, in ascending order, and the kind of each row; cells by column."""
    # One number a row, in the order of the rows: its cells as digits.
    key, size = np.zeros(len(cells[0]), np.int64), 1
    for cell in cells:
        low = min(int(cell.min(initial=0)), 0)
        width = int(cell.max(initial=0)) - low + 1
        if size * width > MOST_KEYS:  # it would not fit: number the prefixes anew
            first, key = _numbered(key, size)
            size = len(first)
        if size * width > MOST_KEYS:  # nor so: number the values too
            used, digit = np.unique(cell, return_inverse=True)
            width = len(used)
        else:
            digit = cell - low if low else cell
        key, size = key * width + digit, size * width
    return _numbered(key, size)


def _numbered(key: Codes, size: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """A row for each different key, in the order of the keys, and the place of each row's key.

    size: all keys are below.
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
    order = np.argsort(key)  # which of the rows with one key comes first does not matter
    ordered, number = key[order], np.empty(n, np.intp)
    begins[1:] = ordered[1:] != ordered[:-1]
    number[order] = np.cumsum(begins) - 1
    return order[begins], number


def by_column(columns: Sequence[Codes]) -> Codes:
    """The columns side by side; each stays in one piece of memory, as most work is by column."""
    return np.array(columns, np.int64).T
