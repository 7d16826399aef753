"""Match ground values with released labels, and persons with the classes they may be in.

A ground value (in an external or original table) matches a released label if one of these holds:

- both are equal, or the same number or date;
- the label is an ancestor of the value in the column's hierarchy;
- the label is an interval or a mask that contains the value;
- the label is a set, and one of its members matches the value;
- the released cell is missing or suppressed;
- the ground cell is missing or suppressed, so the adversary does not know it.

So a person may have several candidate classes.

Some pairs are undecided (`maybe`), neither a match nor a mismatch: the label is not understood, the
hierarchy lacks one of the texts, the texts cannot be compared, or they differ only in spelling. In
a perturbed column, every pair of a value and a label is undecided.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import all_pairs, distinct_rows, runs
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import (
    PERTURBED,
    Interval,
    Label,
    Prefix,
    Reading,
    Start,
    ValueSet,
    is_padded,
)
from anonaudit.linking.column import Column
from anonaudit.linking.moments import same_moments
from anonaudit.linking.sets import with_label_sets, with_value_sets
from anonaudit.linking.spans import inside
from anonaudit.linking.too_much import check_undecided
from anonaudit.linking.undecided import undecided_pairs


@dataclass(frozen=True)
class ColumnMatch:
    """The released codes that each ground code of a column matches.

    start, released: the matches of ground code g are `released[start[g] : start[g + 1]]`, in
        ascending order.
    maybe: the matches and the undecided pairs together; None if no pair is undecided, or if
        undecided pairs were not requested.
    unread: the number of released labels in undecided pairs.
    respelled: the number of these labels that differ from some value only in spelling.
    """

    start: Index
    released: Index
    maybe: ColumnMatch | None = None
    unread: int = 0
    respelled: int = 0

    @property
    def widest(self) -> ColumnMatch:
        """The matches including undecided pairs."""
        return self.maybe or self

    def of(self, ground: Index) -> tuple[Index, Index]:
        """All matches of the codes in `ground`, as two arrays with one entry for each match.

        The first array has the positions of the ground codes in `ground`, the second array has the
        released codes.
        """
        place, within = runs(self.start[ground + 1] - self.start[ground])
        return place, self.released[self.start[ground][place] + within]


def match_column(
    ground: Sequence[str],
    released: Sequence[str],
    *,
    hierarchy: Hierarchy | None = None,
    reading: Reading | None = None,
    decimal: str = ".",
    separator: str | None = None,
    maybe: bool = False,
    one_kind: bool = False,
) -> ColumnMatch:
    """Match the values and labels of one column.

    ground, released: texts by code, as in a FrequencySet; codes 0 and 1 are missing and suppressed.
    reading, decimal, separator: how released labels are parsed, see `labels.parse`.
    maybe: True to find undecided pairs, too.
    one_kind: True if plain texts of both columns are known to be values of the same kind, such as
        cities, even if no text is in both columns. Without a hierarchy, two different plain texts
        are then a mismatch.

    Raises TooMuchError if there are too many undecided pairs.

    >>> m = match_column(["", "*", "43"], ["", "*", "40-49", "50+"])
    >>> m.of(np.array([2]))[1].tolist()
    [0, 1, 2]
    """
    if reading == PERTURBED:
        return _perturbed(len(ground), len(released), maybe=maybe)
    column = Column.read(ground, released, reading, decimal, separator)
    in_tree = frozenset(hierarchy.nodes) if hierarchy is not None else frozenset[str]()
    node = hierarchy.named if hierarchy is not None else str
    pairs = [(g, column.labels[text]) for text, g in column.values.items() if text in column.labels]
    # If the hierarchy contains both texts of a pair, the hierarchy decides. For all other pairs,
    # the parsed label decides.
    if hierarchy is not None:
        codes_of: dict[str, list[int]] = {}
        for label, code in column.labels.items():
            codes_of.setdefault(hierarchy.named(label), []).append(code)
        for text in column.values.keys() & in_tree:
            above = (code for x in hierarchy.ancestors(text) for code in codes_of.get(x, ()))
            pairs += [(column.values[text], code) for code in above]
    same = _same_numbers(column)
    if reading != "plain":
        same += same_moments(column.value_moments, column.label_moments)
    equal = dict(zip(column.values.values(), map(column.labels.get, column.values), strict=True))
    pairs += [(g, code) for g, code in same if equal[g] != code]
    outside = replace(column, values={t: g for t, g in column.values.items() if t not in in_tree})
    for inside_tree, some in ((False, column), (True, outside)) if in_tree else ((False, column),):
        labels = [code for x, code in column.labels.items() if (node(x) in in_tree) == inside_tree]
        pairs += _by_meaning(some, {code: column.meanings[code] for code in labels})
    sure = np.array(pairs, np.intp).reshape(-1, 2)
    firm = sure[~_read_in_one_way(column, sure)] if maybe and reading is None else sure
    matches = _of_sets(column, firm, in_tree, every=True)
    decided = _column_match(matches, len(ground), len(released))
    if not maybe or reading == "plain":
        return decided
    open_, spelled = (
        _of_sets(column, some, in_tree, every=False)
        for some in undecided_pairs(column, pairs, hierarchy, one_kind=one_kind)
    )
    wide = np.concatenate([_of_sets(column, sure, in_tree, every=False), open_])
    unread, respelled = (_labels_of(some, matches) for some in (wide, spelled))
    if not unread:
        return decided
    widest = _column_match(np.concatenate([matches, wide]), len(ground), len(released))
    return replace(decided, maybe=widest, unread=unread, respelled=respelled)


def _perturbed(n_ground: int, n_released: int, *, maybe: bool) -> ColumnMatch:
    """The matches of a perturbed column: every pair of a value and a label is undecided."""
    nothing = np.zeros((0, 2), np.intp)
    decided = _column_match(nothing, n_ground, n_released)
    unread = max(n_released - FIRST_VALUE, 0)
    if not maybe or not unread:
        return decided
    check_undecided(n_ground * n_released)
    every = all_pairs(range(FIRST_VALUE, n_ground), range(FIRST_VALUE, n_released))
    return replace(decided, maybe=_column_match(every, n_ground, n_released), unread=unread)


def _read_in_one_way(column: Column, pairs: Index) -> npt.NDArray[np.bool_]:
    """Mark the pairs that match only if the label is read as a range, not as a list of two codes.

    Example: `02109-10002` contains 2139 as a range, but not as two codes. Without a leading zero a
    label such as `40~45` is always a range. Pairs of equal texts are never marked.
    """
    equal = {(g, column.labels[t]) for t, g in column.values.items() if t in column.labels}
    listed = {
        code: {column.values[text] for text in other.members if text in column.values}
        for code, other in column.second_meanings
        if isinstance(other, ValueSet)
        and isinstance(column.meanings[code], Interval)
        and any(map(is_padded, other.members))
    }
    one_way = np.isin(pairs[:, 1], [*listed])
    for at in np.flatnonzero(one_way):
        g, code = map(int, pairs[at])
        one_way[at] = g not in listed[code] and (g, code) not in equal
    return one_way


def _labels_of(pairs: Index, matches: Index) -> int:
    """The number of labels in the pairs that are not in `matches`."""
    size = max(pairs[:, 1].max(initial=0), matches[:, 1].max(initial=0)) + 1
    keys, known = (some[:, 0] * size + some[:, 1] for some in (pairs, matches))
    # Much faster than setdiff1d and unique, which hash each key.
    return int(np.count_nonzero(np.bincount(pairs[~np.isin(keys, known), 1])))


def _of_sets(column: Column, pairs: Index, tree: Collection[str], *, every: bool) -> Index:
    """Add the pairs of sets that follow from the pairs of their members.

    A label that is a set matches a value if one of its members does. A value that is a set matches
    a label if all its members do (`every` is True) or one of them does (`every` is False). No pair
    is added if `tree`, the nodes of the hierarchy, contains both texts.

    Pairs of a member that is not itself a cell of its table are dropped in the end.
    """
    if column.label_sets:
        held = column.outside(with_label_sets(pairs, column.label_sets), tree)
        pairs = np.concatenate([pairs, held])
    if column.value_sets:
        held = column.outside(with_value_sets(pairs, column.value_sets, every=every), tree)
        pairs = np.concatenate([pairs, held])
    return pairs[(pairs[:, 0] < column.n_ground) & (pairs[:, 1] < column.n_released)]


def _same_numbers(column: Column) -> list[tuple[int, int]]:
    """The pairs that are the same number, such as `2023` and `2023.0`.

    Codes with leading zeros are not numbers.
    """
    by_number: dict[Fraction, list[int]] = {}
    for label, code in column.labels.items():
        value = column.numbers.get(label)
        if value is not None and not is_padded(label):
            by_number.setdefault(value, []).append(code)
    return [
        (g, code)
        for value, g in column.values.items()
        if value in column.numbers and not is_padded(value)
        for code in by_number.get(column.numbers[value], ())
    ]


def match_columns(
    ground: FrequencySet,
    released: FrequencySet,
    *,
    hierarchies: Mapping[str, Hierarchy],
    readings: Mapping[str, Reading],
    separators: Mapping[str, str],
    decimal: str = ".",
    maybe: bool = False,
) -> list[ColumnMatch]:
    """Match every column of two tables over the same attributes (see `match_column`).

    hierarchies, readings, separators: by column.
    """
    return [
        match_column(
            ground.labels_of(column),
            released.labels_of(column),
            hierarchy=hierarchies.get(column),
            reading=readings.get(column),
            separator=separators.get(column),
            decimal=decimal,
            maybe=maybe,
        )
        for column in ground.attributes
    ]


def _by_meaning(column: Column, meanings: Mapping[int, Label | None]) -> list[tuple[int, int]]:
    """The pairs in which the label is an interval or a mask that contains the value."""
    intervals: dict[int, Interval] = {}
    masks: dict[tuple[int, ...], dict[str, int]] = {}
    starts: dict[str, list[tuple[int, int | None]]] = {}
    values = [(g, text) for text, g in column.values.items()]
    pairs: list[tuple[int, int]] = []
    for code, meaning in meanings.items():
        if isinstance(meaning, Interval):
            intervals[code] = meaning
        elif isinstance(meaning, Start):
            starts.setdefault(meaning.text, []).append((code, meaning.longest))
        elif isinstance(meaning, Prefix) and meaning.pattern == "*":
            # This is a label only if the policy does not read `*` as suppressed.
            pairs += [(g, code) for g, _ in values]
        elif isinstance(meaning, Prefix):
            hidden = tuple(i for i, mark in enumerate(meaning.pattern) if mark == "*")
            masks.setdefault((len(meaning.pattern), *hidden), {})[meaning.pattern] = code
    pairs += _under_masks(values, masks) + _beginning(values, starts)
    if intervals:
        pairs += map(tuple, inside({**column.points, **column.bands}, intervals).tolist())
    return pairs


def _under_masks(
    values: list[tuple[int, str]], masks: Mapping[tuple[int, ...], Mapping[str, int]]
) -> list[tuple[int, int]]:
    """The pairs of a value and a mask that contains it.

    masks: one mapping for each form, from the text of each mask of this form to its code. A form is
        the length of the mask and its hidden positions. The cost does not grow with the number of
        masks of the same form.
    """
    pairs = []
    for (length, *hidden), code_of in masks.items():
        for g, value in values:
            if len(value) == length:
                letters = list(value)
                for i in hidden:
                    letters[i] = "*"
                code = code_of.get("".join(letters))
                if code is not None:
                    pairs.append((g, code))
    return pairs


def _beginning(
    values: list[tuple[int, str]], starts: Mapping[str, Sequence[tuple[int, int | None]]]
) -> list[tuple[int, int]]:
    """The pairs of a value and a label that is its beginning.

    starts: for each known beginning, its labels: the code of the label, and the number of
        characters that a value may have at most (None if there is no limit).
    """
    lengths = {len(text) for text in starts}
    return [
        (g, code)
        for g, value in values
        for length in lengths
        if length <= len(value)
        for code, longest in starts.get(value[:length], ())
        if longest is None or len(value) <= longest
    ]


def _column_match(pairs: Index, n_ground: int, n_released: int) -> ColumnMatch:
    """Sort the pairs by ground code, and add the pairs of cells without a value.

    A cell without a value, ground or released, matches everything.
    """
    unknown = all_pairs(range(min(FIRST_VALUE, n_ground)), range(n_released))
    silent = all_pairs(range(n_ground), range(min(FIRST_VALUE, n_released)))
    parts = [pairs.reshape(-1, 2), unknown, silent]
    table, _ = distinct_rows(np.concatenate(parts).astype(np.int64))
    start = np.searchsorted(table[:, 0], np.arange(n_ground + 1))
    return ColumnMatch(start, table[:, 1])


class Candidates(NamedTuple):
    """Compatible pairs of an external and a released combination, ordered by `person`.

    person: the positions of the external combinations in their frequency set.
    key: the positions of the released combinations in their frequency set.
    Both arrays have the shape (n_pairs,).
    """

    person: Index
    key: Index


def candidates(
    external: FrequencySet, release: FrequencySet, matches: Sequence[ColumnMatch]
) -> Candidates:
    """The pairs of an external and a released combination that match in every column.

    external, release: frequency sets over the same attributes in the same order.
    matches: the matches of each column.

    The search goes column by column over the distinct prefixes of the combinations. So its cost
    depends on the number of pairs that still match, not on the product of the table sizes.
    """
    person, key = np.zeros(1, np.intp), np.zeros(1, np.intp)
    outside = np.zeros(len(external), np.intp)  # the prefix of each combination so far
    inside = np.zeros(len(release), np.intp)
    if len(external) == 0 or len(release) == 0:
        return Candidates(person[:0], key[:0])
    for j, match in enumerate(matches):
        ours, outside = distinct_rows(np.column_stack([outside, external.codes[:, j]]))
        theirs, inside = distinct_rows(np.column_stack([inside, release.codes[:, j]]))
        place, longer = _children(ours[:, 0], person)
        person, key = longer, key[place]
        width = int(max(match.released.max(initial=0), theirs[:, 1].max())) + 1
        known = ours[person, 1] >= FIRST_VALUE
        # A known cell matches those next cells of a released prefix that are among its matches.
        place, code = match.of(ours[person[known], 1])
        wanted = key[known][place] * width + code
        there = theirs[:, 0] * width + theirs[:, 1]
        at = np.minimum(np.searchsorted(there, wanted), len(there) - 1)
        hit = there[at] == wanted
        # An unknown cell matches every next cell of a released prefix.
        open_place, open_key = _children(theirs[:, 0], key[~known])
        found_person = np.concatenate([person[known][place][hit], person[~known][open_place]])
        found_key = np.concatenate([at[hit], open_key])
        person, key = found_person, found_key
    last_person, last_key = np.argsort(outside), np.argsort(inside)
    # After the last column, every prefix is a whole combination.
    person, key = last_person[person], last_key[key]
    order = np.lexsort((key, person))
    return Candidates(person[order], key[order])


def _children(parent: Index, wanted: Index) -> tuple[Index, Index]:
    """Find all occurrences of the entries of `wanted` in the sorted array `parent`.

    Returns two arrays with one entry for each occurrence: its position in `wanted`, and its
    position in `parent`.
    """
    start = np.searchsorted(parent, wanted)
    place, within = runs(np.searchsorted(parent, wanted, side="right") - start)
    return place, start[place] + within
