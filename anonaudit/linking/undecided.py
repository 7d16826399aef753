"""Find the pairs of a ground value and a released label that are neither matches nor mismatches.

If the result of an attack on a person depends on such a pair, the person is undecided, never safe.
"""

from __future__ import annotations

from collections.abc import Collection
from types import NoneType
from typing import Final, NamedTuple

import numpy as np

from anonaudit.arrays import Index
from anonaudit.frequency.codes import all_pairs
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import Interval, Prefix, Start, ValueSet
from anonaudit.generalization.spellings import differ, spelled_otherwise
from anonaudit.linking.column import Column, shape
from anonaudit.linking.doubts import doubts
from anonaudit.linking.moments import YEAR
from anonaudit.linking.too_much import check_undecided

# The pairs (kind of value, kind of label) of different kinds that can be compared. If a value and a
# label of these kinds do not match, they are a mismatch.
_COMPARABLE: Final = frozenset(
    {
        ("date", "month"),
        ("date", "year"),
        ("month", "date"),
        ("number", "year"),
        ("band", "number"),
        ("band", "year"),
    }
)


class Undecided(NamedTuple):
    """The undecided pairs of one column, shape (n_pairs, 2): ground code, released code.

    respelled: the pairs that differ only in spelling.
    """

    pairs: Index
    respelled: Index


class _Value(NamedTuple):
    """The properties of a value that decide with which labels it can be compared.

    in_tree: whether the hierarchy contains the value.
    kind: as in `Column.kind_of_value`; or `unread` (a composite text of a shape that only one
        column has), `masked` or `set`.
    released: whether the text of the value is also a label.
    """

    in_tree: bool
    kind: str
    released: bool


class _Label(NamedTuple):
    """The properties of a label that decide with which values it can be compared.

    in_tree, leaf: whether the hierarchy contains the label, and whether it is a leaf without
        children there.
    meaning: the type of the parsed label; NoneType for a label that means only its own text.
    kind: the kind of a label that means only its own text; "" for any other label.
    comparable: for a mask, whether some value has its length. For a set, whether it is compared by
        its members. For a truncated value (`Start`), whether its text is not composite, has the
        `shape` of some value, or matches some value. True for any other label.
    known: whether the text of the label is also a value.
    matched: whether some value matches the label.
    """

    in_tree: bool
    leaf: bool
    meaning: type
    kind: str
    comparable: bool
    known: bool
    matched: bool


def undecided_pairs(
    column: Column,
    pairs: Collection[tuple[int, int]],
    hierarchy: Hierarchy | None,
    *,
    one_kind: bool = False,
) -> Undecided:
    """The undecided pairs of one column.

    pairs: the pairs that match. one_kind: see `match_column`.

    A pair that does not match is a mismatch if one of these holds:

    - The hierarchy contains both texts. Exception: a value that is an inner node (a group) may be
      anything below it, so its pairs with labels below it are undecided.
    - One text is a set. Its members are compared instead, each as if it stood alone.
    - The label is an interval and the value a number or an interval.
    - The label is a mask that has the length of some value, or a truncated value (`Start`) that can
      be compared (see `_Label.comparable`).
    - Both are numbers, or both are dates. Some other kinds are compared, too: see `_COMPARABLE`.
    - Their kinds differ, the hierarchy does not contain the label, and one of them is a plain text
      that occurs in both columns.
    - Both are plain texts, and the hierarchy does not contain the label. Also, the label matches
      another value, or there is no hierarchy and some text occurs in both columns, so that the
      columns hold values of the same kind. Composite texts (see `shape`) are compared only if both
      columns have texts of the same shape: `E11-E14` is not compared with `E11.9`.

    A value that is a mask, or a set that is nested too deeply, is compared with nothing. All other
    pairs are undecided, and so are the pairs of `doubts`.

    Raises TooMuchError if there are more than MOST_UNDECIDED pairs.
    """
    tree = frozenset(hierarchy.nodes) if hierarchy is not None else frozenset[str]()
    rules = _Rules(column, {code for _, code in pairs}, hierarchy, tree, one_kind=one_kind)
    values: dict[_Value, list[int]] = {}
    for text, g in column.values.items():
        values.setdefault(rules.value(text), []).append(g)
    labels: dict[_Label, list[int]] = {}
    for text, code in column.labels.items():
        labels.setdefault(rules.label(text), []).append(code)
    pieces = [np.zeros((0, 2), np.intp)]
    total = 0
    for label, codes in labels.items():
        for value, members in values.items():
            if not rules.decide(value, label):
                total += len(members) * len(codes)
                check_undecided(total)
                pieces.append(all_pairs(members, codes))
    respelled = column.outside(_respelled(column), tree)
    pieces += [respelled, column.outside(doubts(column, pairs), tree)]
    pieces.append(_below_groups(column, hierarchy))
    return Undecided(np.concatenate(pieces), respelled)


class _Rules:
    """The rules that decide which labels of a column can be compared with which values."""

    def __init__(
        self,
        column: Column,
        matched: Collection[int],
        hierarchy: Hierarchy | None,
        tree: Collection[str],
        *,
        one_kind: bool,
    ) -> None:
        self._column, self._matched, self._tree = column, matched, tree
        self._node = hierarchy.named if hierarchy is not None else str
        leaves = () if hierarchy is None else hierarchy.leaves
        self._leaves = frozenset(x for x in leaves if hierarchy and not hierarchy.children(x))
        self._lengths = {len(text) for text in column.values}
        self._kinds = {text: column.kind_of_value(text) for text in column.values}
        both = (x for x in self._kinds if x in column.labels)
        texts = [text for text in both if self._kinds[text] == "text"]
        self._of_one_kind = hierarchy is None and (one_kind or bool(texts))
        of_values = {shape(text) for text in self._kinds if self._kinds[text] == "text"}
        self._shapes = of_values & {shape(text) for text in column.labels}

    def _kind(self, text: str, kind: str) -> str:
        unread = kind == "text" and (some := shape(text)) and some not in self._shapes
        return "unread" if unread else kind

    def value(self, text: str) -> _Value:
        released = text in self._column.labels
        # A text that occurs in both columns is understood whatever its shape.
        kind = self._kinds[text] if released else self._kind(text, self._kinds[text])
        if self._column.values[text] in self._column.value_sets:
            kind = "set"
        elif not released and ("*" in text or text[:1] == "{"):
            kind = "masked"
        return _Value(text in self._tree, kind, released)

    def label(self, text: str) -> _Label:
        code = self._column.labels[text]
        meaning = self._column.meanings[code]
        kind, comparable = "", True
        if meaning is None:
            kind = self._column.kind_of_label(text)
            kind = kind if text in self._kinds else self._kind(text, kind)
            kind = "year" if kind == "number" and YEAR.fullmatch(text) else kind
        elif isinstance(meaning, ValueSet):
            comparable = code in self._column.label_sets
        elif isinstance(meaning, Start):
            some = shape(meaning.text)
            comparable = not some or some in self._shapes or code in self._matched
        elif isinstance(meaning, Prefix):
            comparable = meaning.pattern == "*" or len(meaning.pattern) in self._lengths
        node, known = self._node(text), text in self._column.values
        tree, leaf, matched = node in self._tree, node in self._leaves, code in self._matched
        return _Label(tree, leaf, type(meaning), kind, comparable, known, matched)

    def decide(self, value: _Value, label: _Label) -> bool:
        """Return True if a pair with these properties, which does not match, is a mismatch.

        Returns False if the pair is undecided.
        """
        if value.in_tree and label.in_tree:
            return True
        if value.kind == "set":
            return True
        if value.kind == "masked":
            return False
        if label.meaning is Interval:
            return value.kind in {"number", "band"}
        if label.meaning is not NoneType:
            return label.comparable
        # Undecided: the label is a group and the hierarchy lacks the value, or a text is unread.
        if (label.in_tree and not label.leaf) or "unread" in (value.kind, label.kind):
            return False
        if value.kind == label.kind != "text" or (value.kind, label.kind) in _COMPARABLE:
            return True
        if label.in_tree:  # the label is a leaf, and the hierarchy lacks the value
            return False
        if value.kind == label.kind:
            return label.matched or self._of_one_kind
        return (label.kind == "text" and label.known) or (value.kind == "text" and value.released)


def _respelled(column: Column) -> Index:
    """The pairs of a value and a label that differ only in spelling.

    If both spellings occur in both tables, they are two different values and make no pair.
    """
    pairs = [
        (column.values[value], column.labels[text])
        for group in spelled_otherwise(column.labels, column.values)
        for text in group
        for value in group
        if differ(text, value, column.labels, column.values)
    ]
    return np.array(pairs, np.intp).reshape(-1, 2)


def _below_groups(column: Column, hierarchy: Hierarchy | None) -> Index:
    """The pairs of a value that is an inner node of the hierarchy and a label below it."""
    if hierarchy is None:
        return np.zeros((0, 2), np.intp)
    groups = {x: g for x, g in column.values.items() if x in hierarchy and x not in hierarchy.paths}
    pairs = [
        (groups[node], code)
        for label, code in column.labels.items()
        if groups and label in hierarchy
        for node in hierarchy.ancestors(label)[1:]
        if node in groups
    ]
    return np.array(pairs, np.intp).reshape(-1, 2)
