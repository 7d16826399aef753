"""Names for the types of numpy arrays, and read-only arrays."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

AnyArray = TypeVar("AnyArray", bound=npt.NDArray[np.generic])

Bools = npt.NDArray[np.bool_]
Index = npt.NDArray[np.intp]  # positions in another array
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def read_only(array: AnyArray) -> AnyArray:
    """Return a read-only view of an array.

    Models and attacks share arrays. If one of them changed an array, the others would measure
    another release.

    >>> read_only(np.array([1, 2]))[0] = 5
    Traceback (most recent call last):
    ...
    ValueError: assignment destination is read-only
    """
    view = array.view()
    view.flags.writeable = False
    return view


class ReadOnlyArrays:
    """Base of frozen dataclasses whose array fields are read-only."""

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, read_only(value))
