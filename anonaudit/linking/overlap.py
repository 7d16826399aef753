"""Find the labels of two releases that may stand for the same value: `[20,30)` and `[25,35)`.

Both releases are generalized, each in its own way. Two labels overlap if one of these holds:

- one label contains the other (`match_column` in either direction);
- they are intervals with a common number;
- they are masks of the same length, such as `4820*` and `48*01`, that some value fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import Prefix, Reading
from anonaudit.linking.column import Column
from anonaudit.linking.matching import ColumnMatch, match_column
from anonaudit.linking.spans import meeting
from anonaudit.linking.too_much import check_undecided


def overlapping(
    one: Sequence[str],
    other: Sequence[str],
    *,
    hierarchy: Hierarchy | None = None,
    reading: Reading | None = None,
    decimal: str = ".",
    separator: str | None = None,
) -> ColumnMatch:
    """For each label of one release, find the labels of another that may stand for the same value.

    Parameters
    ----------
    one, other
        Labels by code, as in a FrequencySet; codes 0 and 1 are missing and suppressed.
    hierarchy, reading, decimal, separator
        As in `match_column`.

    Returns
    -------
    For each code of `one`, the codes of `other` that may stand for the same value. `maybe` of the
    result includes undecided pairs.

    Raises
    ------
    TooMuchError
        If there are too many undecided pairs.

    Example
    -------
    >>> match = overlapping(["", "*", "[20,30)", "[30,40)"], ["", "*", "[25,35)", "[35,45)"])
    >>> [match.of(np.array([code]))[1].tolist() for code in (2, 3)]
    [[0, 1, 2], [0, 1, 2, 3]]
    """
    how = {"reading": reading, "decimal": decimal, "separator": separator}
    forward = match_column(one, other, hierarchy=hierarchy, maybe=True, **how)  # type: ignore[arg-type]
    back = match_column(other, one, hierarchy=hierarchy, maybe=True, **how)  # type: ignore[arg-type]
    theirs = Column.read(one, other, reading, decimal, separator)
    ours = Column.read(other, one, reading, decimal, separator)
    alike, apart = _masks(ours, theirs)
    meet = meeting(ours.spans, theirs.spans)
    sure = np.concatenate([_pairs(forward), _pairs(back)[:, ::-1], meet, alike])
    wide = np.concatenate([_pairs(forward.widest), _pairs(back.widest)[:, ::-1]])
    wide = np.concatenate([sure, _without(wide, apart)])
    decided, widest = (_match(pairs, len(one)) for pairs in (sure, wide))
    unread = len(np.unique(_without(wide, sure)[:, 1]))
    if not unread:
        return decided
    return ColumnMatch(decided.start, decided.released, widest, unread)


def _masks(ours: Column, theirs: Column) -> tuple[Codes, Codes]:
    """The pairs of equally long masks that some text fits, and those that no text fits."""
    mine, others = (
        {c: meaning.pattern for c, meaning in side.meanings.items() if isinstance(meaning, Prefix)}
        for side in (ours, theirs)
    )
    check_undecided(len(mine) * len(others))
    pairs = [
        (one, other, any(x != y and "*" not in (x, y) for x, y in zip(a, b, strict=True)))
        for (one, a), (other, b) in product(mine.items(), others.items())
        if len(a) == len(b)
    ]
    table = np.array(pairs, np.int64).reshape(-1, 3)
    return table[table[:, 2] == 0, :2], table[table[:, 2] == 1, :2]


def _pairs(match: ColumnMatch) -> Codes:
    place, code = match.of(np.arange(len(match.start) - 1))
    return np.column_stack([place, code]).astype(np.int64)


def _without(pairs: Codes, others: Codes) -> Codes:
    size = int(max(pairs[:, 1].max(initial=0), others[:, 1].max(initial=0))) + 1
    number, known = (some[:, 0] * size + some[:, 1] for some in (pairs, others))
    return pairs[~np.isin(number, known)]


def _match(pairs: Codes, n: int) -> ColumnMatch:
    table, _ = distinct_rows(pairs)
    return ColumnMatch(np.searchsorted(table[:, 0], np.arange(n + 1)), table[:, 1])
