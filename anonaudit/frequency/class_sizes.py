"""Summarise the sizes of the classes of a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from anonaudit.findings import size_bin

Sizes = npt.NDArray[Any]


def binned(size: Sequence[float] | Sizes, number: Sequence[int] | Sizes) -> dict[str, int]:
    """Return the number of classes in each bin of class sizes, for `Release.class_sizes`.

    Bins of large sizes are wider (see `_bin`). Bins without classes are left out.

    size: distinct class sizes. number: number of classes of each size.

    >>> binned([1, 3, 7, 60], [2, 1, 1, 1])
    {'classes of 1': 2, 'classes of 3': 1, 'classes of 5 to 9': 1, 'classes of 50 to 99': 1}
    """
    bins: Counter[tuple[int, int]] = Counter()
    for one, classes in zip(size, number, strict=True):
        bins[_bin(float(one))] += int(classes)
    return {size_bin(low, high): bins[low, high] for low, high in sorted(bins)}


def size_summary(size: Sizes, number: Sizes) -> dict[str, int | float | None]:
    """Return the content of `Release.class_sizes`: min, mean, median and max size, and the bins.

    Without classes, the four numbers are None and there are no bins.

    size: distinct class sizes, ascending. number: number of classes of each size.

    >>> size_summary(np.array([1, 2, 9]), np.array([1, 2, 1]))["median"]
    2
    """
    classes = int(number.sum())
    if not classes:
        return {"min": None, "mean": None, "median": None, "max": None}
    middle = size[np.searchsorted(np.cumsum(number), [(classes + 1) // 2, classes // 2 + 1])]
    return {
        "min": _plain(size[0]),
        "mean": _plain((size * number).sum() / classes),
        "median": _plain(middle.mean()),
        "max": _plain(size[-1]),
        **binned(size, number),
    }


def _plain(value: float | np.floating) -> int | float:
    number = float(value)
    return int(number) if number.is_integer() else number


def _bin(size: float) -> tuple[int, int]:
    """Return the lowest and the highest size of the bin that contains a class size: 7 gives (5, 9).

    Each size below 5 has its own bin, because thresholds are usually there. The other bins begin at
    5, 10, 20, 50, 100, 200, 500 and so on.
    """
    whole = int(size)
    if whole < 5:
        return whole, whole
    decade = 10 ** (len(str(whole)) - 1)
    low, end = next((a, b) for a, b in ((5, 10), (2, 5), (1, 2)) if whole >= a * decade)
    return low * decade, end * decade - 1
