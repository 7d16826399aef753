"""Find the rows of witnesses, the classes that decide a level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.findings import Witness
from anonaudit.frequency.counting import row_positions

# Row positions and the search for unique columns need another pass over the table. They are skipped
# for tables with more rows.
READ_AGAIN_UP_TO = 200_000


def has_positions(prepared: PreparedRelease) -> bool:
    """True if row numbers can be given, as far as the rows have an order.

    They can be given for at most 200,000 rows, and only without `normalize`.
    """
    return prepared.classes.total_rows <= READ_AGAIN_UP_TO and not prepared.policy.normalize


def with_positions(
    prepared: PreparedRelease, witnesses: Sequence[Witness | None]
) -> list[Witness | None]:
    """The witnesses with the cells and, if possible, the first row numbers of their classes."""
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
