"""Decide which released cells may stand for an original cell.

These are the same value, a generalization of it, and a cell without a value. In linking (see
`matching`), a missing cell is unknown to the adversary and matches everything. Here the original is
known: if one of its cells is missing, a released value in its place was invented.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Index
from anonaudit.cells import FIRST_VALUE, MISSING, SUPPRESSED
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.matching import Candidates, ColumnMatch, candidates


@dataclass(frozen=True)
class Validity:
    """For each original code of one column, the released codes that may stand for it.

    match: the matches of the original code c are those of ground code c + FIRST_VALUE. Because of
        this shift, `candidates` treats a missing or suppressed original cell as an ordinary value,
        not as unknown.
    """

    match: ColumnMatch

    def holds(self, old: Index, new: Index) -> npt.NDArray[np.bool_]:
        """A mask: True where the released code in `new` may stand for the original code in `old`.

        old, new: arrays whose shapes broadcast; the mask has the common shape.
        """
        return _holds(self.match, old, new)

    def may_hold(self, old: Index, new: Index) -> npt.NDArray[np.bool_]:
        """Like `holds`, but also True where this is undecided."""
        return _holds(self.match.widest, old, new)

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]] | Index, n_original: int) -> Validity:
        """Return the validity of (original code, released code) pairs.

        n_original: the number of original codes.

        A released cell that is missing or suppressed may stand for every original cell.
        """
        silent = [(code, kind) for code in range(n_original) for kind in (MISSING, SUPPRESSED)]
        given = np.asarray(pairs if isinstance(pairs, np.ndarray) else list(pairs), np.int64)
        every = np.concatenate([given.reshape(-1, 2), np.array(silent, np.int64).reshape(-1, 2)])
        table, _ = distinct_rows(every)
        start = np.searchsorted(table[:, 0], np.arange(n_original + 1))
        return cls(ColumnMatch(np.concatenate([[0, 0], start]), table[:, 1]))


def _holds(match: ColumnMatch, old: Index, new: Index) -> npt.NDArray[np.bool_]:
    start, released = match.start, match.released
    width = int(max(released.max(initial=0), new.max(initial=0))) + 1
    allowed = np.repeat(np.arange(len(start) - 1), np.diff(start)) * width + released
    wanted = (old + FIRST_VALUE) * width + new
    at = np.minimum(np.searchsorted(allowed, wanted), len(allowed) - 1)
    holds: npt.NDArray[np.bool_] = allowed[at] == wanted
    return holds


def valid_pairs(
    match: ColumnMatch,
    n_original: int,
    released: Sequence[str],
    hierarchy: Hierarchy | None = None,
    missing: Sequence[str] = (),
) -> Validity:
    """The validity of a quasi-identifier.

    match: the result of `match_column` on the same labels; used for original cells with a value.
    n_original: the number of codes of the original column.
    released: the released labels by code.
    missing: the texts that mean "missing". If the hierarchy contains such a text, this text and its
        ancestors may stand for a missing or suppressed original cell. The root always may.
    """
    if match.maybe is not None:
        sure = replace(match, maybe=None)
        firm, widest = (
            valid_pairs(one, n_original, released, hierarchy, missing)
            for one in (sure, match.maybe)
        )
        return Validity(replace(firm.match, maybe=widest.match, unread=match.unread))
    place, code = match.of(np.arange(FIRST_VALUE, n_original))
    pairs = np.column_stack([place + FIRST_VALUE, code])
    if hierarchy is None:
        return Validity.of(pairs, n_original)
    tokens = [token for token in missing if token in hierarchy]
    above = {hierarchy.root}.union(*(hierarchy.ancestors(token) for token in tokens))
    codes = [c for c, label in enumerate(released) if c >= FIRST_VALUE and label in above]
    unknown = np.array([(kind, c) for kind in (MISSING, SUPPRESSED) for c in codes], np.intp)
    return Validity.of(np.concatenate([pairs, unknown.reshape(-1, 2)]), n_original)


def unchanged(original: Sequence[str], released: Sequence[str]) -> Validity:
    """The validity of a sensitive attribute: the value itself or a cell without a value.

    A sensitive cell may be suppressed or left empty, for example to hide a rule.

    original, released: the labels of each table by code.

    >>> same = unchanged(["", "*", "flu", "hiv"], ["", "*", "hiv"])
    >>> same.holds(np.array([2, 3, 3]), np.array([2, 2, 1])).tolist()
    [False, True, True]
    """
    code_of = {label: code for code, label in enumerate(released) if code >= FIRST_VALUE}
    values = list(enumerate(original))[FIRST_VALUE:]
    pairs = [(code, code_of[label]) for code, label in values if label in code_of]
    return Validity.of(pairs, len(original))


def compatible(
    original: FrequencySet, released: FrequencySet, validity: Sequence[Validity]
) -> Candidates:
    """The pairs of an original and a released combination that are valid in every column.

    original, released: frequency sets over the same attributes in the same order.
    validity: the validity of each column.
    """
    nothing = ("", "")
    shifted = FrequencySet(
        original.attributes,
        tuple((*nothing, *labels) for labels in original.labels),
        original.codes + FIRST_VALUE,
        original.counts,
    )
    return candidates(shifted, released, [column.match for column in validity])
