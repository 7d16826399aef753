"""The cells of a whole table as texts, in the order of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from anonaudit.cells import Convention
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import in_row_order
from anonaudit.source.table import ROW_NUMBER, Source

# With this convention every text is a value, also `*` and texts that mean missing by the policy.
_VERBATIM: Final = Convention(missing=(), suppressed=())


def read_texts(source: Source, columns: Sequence[str]) -> pd.DataFrame:
    """Return columns of a table as texts, with the rows in their order. A missing cell is None."""
    counted = count(source, (ROW_NUMBER, *columns), _VERBATIM)
    codes = counted.codes[in_row_order(counted)]
    cells = {}
    for name, labels, column in zip(columns, counted.labels[1:], codes.T[1:], strict=True):
        texts = np.array([None, *labels[1:]], dtype=object)
        cells[name] = texts[column]
    return pd.DataFrame(cells, dtype=object, index=range(len(codes)))


def has_cells(source: Source, texts: pd.DataFrame) -> bool:
    """Return True if a table has the same columns and cells as `texts`, in the same order."""
    if [*source.columns] != [*texts.columns]:
        return False
    return np.array_equal(
        read_texts(source, source.columns).to_numpy(object), texts.to_numpy(object)
    )
