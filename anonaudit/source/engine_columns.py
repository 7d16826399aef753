"""The columns of a query result as arrays. The query ran in DuckDB, Spark, pandas, ..."""

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
    labels: shape (k,), the k different texts, in any order.
    """

    codes: npt.NDArray[np.integer]
    labels: npt.NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.codes)


Columns = Mapping[str, "npt.NDArray[Any] | Coded"]


def plain_cells(values: Any) -> npt.NDArray[Any] | Coded:
    """Return a column of a DuckDB result with None, NaN or NaT for each missing cell.

    values: the column as DuckDB's `fetchnumpy` or `duck.encoded` returns it. A masked array marks
        missing cells by its mask. Any other column is returned unchanged.
    """
    if not isinstance(values, np.ma.MaskedArray):
        column: npt.NDArray[Any] | Coded = values
        return column
    nothing = {"f": np.nan, "M": np.datetime64("NaT")}.get(values.dtype.kind)
    cells, masked = values.data, np.ma.getmaskarray(values)
    if masked.any():
        # Integers have no NaN, so they become floats. Only an aggregate over no rows can be a
        # missing integer: integer cells of a table are fetched as text.
        cells = cells.astype(float) if cells.dtype.kind in "iu" else cells
        nothing = np.nan if cells.dtype.kind == "f" else nothing
        cells[masked] = nothing  # `filled` would write a question mark
    return cells
