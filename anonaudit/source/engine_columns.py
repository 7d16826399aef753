"""The columns that an engine gives as the result of its work, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, repr=False)
class Coded:
    """A column of texts as codes: a Python text a cell would take many times the memory.

    codes: shape (n,), the position of the text of each cell in `labels`; -1 for no text.
    labels: the different texts, in any order.
    """

    codes: npt.NDArray[np.integer]
    labels: npt.NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.codes)


Columns = Mapping[str, "npt.NDArray[Any] | Coded"]


def plain_cells(values: Any) -> npt.NDArray[Any] | Coded:
    """A column of DuckDB's, with None, NaN or NaT where a cell is missing."""
    if not isinstance(values, np.ma.MaskedArray):
        column: npt.NDArray[Any] | Coded = values
        return column
    nothing = {"f": np.nan, "M": np.datetime64("NaT")}.get(values.dtype.kind)
    cells, masked = values.data, np.ma.getmaskarray(values)
    if masked.any():
        # Whole numbers have no place for a gap: a sum over no rows, which is no cell.
        cells = cells.astype(float) if cells.dtype.kind in "iu" else cells
        nothing = np.nan if cells.dtype.kind == "f" else nothing
        cells[masked] = nothing  # `filled` would put a question mark
    return cells
