"""Find the row numbers of witnesses. A witness is the class that decides a level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.findings import Witness
from anonaudit.frequency.counting import row_positions

# To find row numbers, and to search unique columns, the table is read again. Both are skipped for
# tables with more rows than this.
READ_AGAIN_UP_TO = 200_000


def has_positions(prepared: PreparedRelease) -> bool:
    """Return True if row numbers may be searched: at most 200,000 rows, and no `normalize`.

    This does not check that the rows have an order (`Source.ordered`).
    """
    return prepared.classes.total_rows <= READ_AGAIN_UP_TO and not prepared.policy.normalize


def with_positions(
    prepared: PreparedRelease, witnesses: Sequence[Witness | None]
) -> list[Witness | None]:
    """Add to each witness the cells of its class and, if possible, the first row numbers.

    witnesses: None where there is no witness. The result has the same order, with None there.
    """
    keys = prepared.classes.keys
    numbers = sorted({witness.class_number for witness in witnesses if witness is not None})
    wanted = keys.where(np.isin(np.arange(len(keys)), numbers))
    positions: list[tuple[int, ...]] = [()] * len(numbers)
    if numbers and has_positions(prepared) and prepared.source.ordered:
        positions = row_positions(prepared.source, wanted, prepared.policy.convention)
    position_of = dict(zip(numbers, positions, strict=True))
    located: list[Witness | None] = []
    for witness in witnesses:
        if witness is None:
            located.append(None)
            continue
        codes = keys.codes[witness.class_number]
        labels = [names[code] for names, code in zip(keys.labels, codes, strict=True)]
        cells = dict(zip(keys.attributes, labels, strict=True))
        located.append(replace(witness, positions=position_of[witness.class_number], cells=cells))
    return located
