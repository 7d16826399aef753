"""The columns of an engine's result, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, repr=False)
class Coded:
    """A column of text, stored as codes to save memory.

    codes: shape (n,), the position of each cell's text in `labels`; -1 for a missing cell.
    labels: the different texts, in any order.
    """

    codes: npt.NDArray[np.integer]
    labels: npt.NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.codes)


Columns = Mapping[str, "npt.NDArray[Any] | Coded"]


def plain_cells(values: Any) -> npt.NDArray[Any] | Coded:
    """Return a column of DuckDB with None, NaN or NaT for each missing cell."""
    if not isinstance(values, np.ma.MaskedArray):
        column: npt.NDArray[Any] | Coded = values
        return column
    nothing = {"f": np.nan, "M": np.datetime64("NaT")}.get(values.dtype.kind)
    cells, masked = values.data, np.ma.getmaskarray(values)
    if masked.any():
        # Integers cannot be NaN. They are missing only in a sum over no rows, never in a cell.
        cells = cells.astype(float) if cells.dtype.kind in "iu" else cells
        nothing = np.nan if cells.dtype.kind == "f" else nothing
        cells[masked] = nothing  # `filled` would write a question mark
    return cells
