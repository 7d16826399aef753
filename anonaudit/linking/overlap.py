"""Find the labels of two releases that may stand for the same value: `[20,30)` and `[25,35)`.

Both releases are generalized, each in its own way. Two labels overlap if one of these holds:

- one label contains the other (`match_column` in either direction);
- they are intervals with a common number;
- they are masks of the same length, such as `4820*` and `48*01`, that some value fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import Prefix, Reading
from anonaudit.linking.column import Column
from anonaudit.linking.matching import ColumnMatch, match_column
from anonaudit.linking.spans import meeting
from anonaudit.linking.too_much import check_undecided

_STAR: Final = ord("*")


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
    mine, others = _by_length(ours), _by_length(theirs)
    meet = meeting(ours.spans, theirs.spans)
    sure = np.concatenate([_pairs(forward), _pairs(back)[:, ::-1], meet, _alike(mine, others)])
    wide = np.concatenate([_pairs(forward.widest), _pairs(back.widest)[:, ::-1]])
    # Two masks of the same length are compared character by character, so they are not undecided.
    lengths = _lengths(mine, len(one))[wide[:, 0]], _lengths(others, len(other))[wide[:, 1]]
    wide = np.concatenate([sure, wide[(lengths[0] != lengths[1]) | (lengths[0] == 0)]])
    decided, widest = (_match(pairs, len(one)) for pairs in (sure, wide))
    unread = int(np.count_nonzero(np.bincount(_without(wide, sure)[:, 1])))
    if not unread:
        return decided
    return ColumnMatch(decided.start, decided.released, widest, unread)


def _by_length(column: Column) -> dict[int, tuple[Codes, Codes]]:
    """The masks of a column by length: their codes, shape (n,), and characters, (n, length)."""
    masks: dict[int, dict[int, list[int]]] = {}
    for code, meaning in column.meanings.items():
        if isinstance(meaning, Prefix):
            characters = [ord(character) for character in meaning.pattern]
            masks.setdefault(len(characters), {})[code] = characters
    return {
        length: (np.array([*some], np.int64), np.array([*some.values()], np.int64))
        for length, some in masks.items()
    }


def _lengths(masks: Mapping[int, tuple[Codes, Codes]], n: int) -> Codes:
    """The length of the mask of each code, 0 for a code without a mask, shape (n,)."""
    lengths = np.zeros(n, np.int64)
    for length, (codes, _) in masks.items():
        lengths[codes] = length
    return lengths


def _alike(
    mine: Mapping[int, tuple[Codes, Codes]], others: Mapping[int, tuple[Codes, Codes]]
) -> Codes:
    """The pairs of codes of equally long masks that some text fits, shape (n_pairs, 2)."""
    both = [(*mine[length], *others[length]) for length in mine if length in others]
    check_undecided(sum(len(codes) * len(theirs) for codes, _, theirs, _ in both))
    pieces = [np.zeros((0, 2), np.int64)]
    for codes, masks, theirs, their_masks in both:
        for code, mask in zip(codes, masks, strict=True):
            known = np.flatnonzero(mask != _STAR)
            cells = their_masks[:, known]
            fits = theirs[((cells == mask[known]) | (cells == _STAR)).all(axis=1)]
            pieces.append(np.column_stack([np.full(len(fits), code), fits]))
    return np.concatenate(pieces)


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
