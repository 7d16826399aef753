"""Generalize the labels of a released column: one level higher, or to the join of two labels.

The labels of a released column may be of different levels. Labels in a hierarchy are generalized to
their ancestors. Other labels are joined as follows:

- Two numbers or intervals give the smallest interval that contains both.
- Two codes of equal length, of which at least one has masked characters, give the mask that matches
  both: 48201 and 482** give 482**.
- Two other values or sets give the set of all their values, up to MOST_MEMBERS values.
- Any other pair gives `*`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from anonaudit.errors import HierarchyError
from anonaudit.generalization.hierarchy import ROOT, Hierarchy
from anonaudit.generalization.labels import (
    Interval,
    Label,
    Prefix,
    Rounded,
    Start,
    ValueSet,
    exact_number,
    parse,
)
from anonaudit.masking.trees import heights
from anonaudit.policy.policy import HierarchySpec, Policy

# A set with more values is released as `*`.
MOST_MEMBERS: Final = 6


class ColumnLevels:
    """A quasi-identifier of a release, with its labels and their generalizations.

    labels: the labels of the column without missing and suppressed cells.
    tree: the hierarchy of the column; None if it is unknown.
    """

    def __init__(self, name: str, labels: Sequence[str], policy: Policy) -> None:
        self.name = name
        self.labels = tuple(labels)
        self._reading = policy.readings.get(name)
        self._separator = policy.separators.get(name)
        self._decimal = policy.decimal
        self._suppressed = policy.convention.suppressed
        self._star = policy.convention.mark
        spec = policy.hierarchies.get(name)
        self.tree = None if spec is None else self._tree(spec)
        self._joined: dict[tuple[str | None, str | None], str | None] = {}
        self._lost: dict[str | None, float] = {}
        self._known: dict[str, Label | None] = {}
        self._denoted: dict[str, Label | None] = {}

    def is_suppressed(self, label: str | None) -> bool:
        """Return True if a text means a suppressed cell, for example `*`."""
        return label in self._suppressed

    @cached_property
    def level(self) -> int | None:
        """The lowest hierarchy level that a label of the column has.

        None if there is no hierarchy or no label, or if the hierarchy lacks a label.
        """
        tree = self.tree
        if tree is None or not self.labels or any(label not in tree for label in self.labels):
            return None
        levels = range(tree.height + 1)
        return min(
            max(level for level in levels if tree.generalize(label, level) == label)
            for label in self.labels
        )

    def raised(self) -> dict[str, str] | None:
        """Return each label with its ancestor on the level above `level`.

        Returns None if `level` is None or the highest level.
        """
        level, tree = self.level, self.tree
        if level is None or tree is None or level == tree.height:
            return None
        return {label: self._text(tree.generalize(label, level + 1)) for label in self.labels}

    def join(self, one: str | None, other: str | None) -> str | None:
        """Return the least general text that covers both texts; None means a missing cell."""
        if one == other:
            return one
        key = (one, other) if str(one) <= str(other) else (other, one)
        if key not in self._joined:
            self._joined[key] = self._join(*key)
        return self._joined[key]

    def loss(self, label: str | None) -> float:
        """Return the information loss of a label, from 0 (an original value) to 1 (`*`).

        - A label in the hierarchy: the height of the subtree below the label, divided by the height
          of the hierarchy (MCT08 Definition 10). If the hierarchy lacks some label of the column,
          intervals and masked codes are measured as below instead.
        - An interval: its width divided by the range of the column; 1 if an end is missing.
        - A masked code: the share of masked characters.
        - A set of m labels: (m - 1) / (labels of the column - 1), or the loss of its worst member,
          whichever is larger.
        - A missing cell, or any other label: 0.
        """
        if label not in self._lost:
            self._lost[label] = self._loss(label)
        return self._lost[label]

    def _text(self, label: str) -> str:
        """Return the text to release: for the root, the policy's text of a suppressed cell."""
        return self._star if label == ROOT else label

    def _join(self, one: str | None, other: str | None) -> str | None:
        tree = self.tree
        if one is None or other is None or self.is_suppressed(one) or self.is_suppressed(other):
            return self._star  # the root is the only ancestor of a missing cell
        if tree is not None and one in tree and other in tree:
            return self._text(tree.lowest_common_ancestor([one, other]))
        mine, theirs = self._read(one), self._read(other)
        if isinstance(mine, Prefix) and (theirs is None or isinstance(theirs, Start)):
            theirs = Prefix(other)  # a code without masked characters
        elif isinstance(theirs, Prefix) and (mine is None or isinstance(mine, Start)):
            mine = Prefix(one)
        if isinstance(mine, Interval) and isinstance(theirs, Interval):
            hull = _hull(mine, theirs)
            return self._checked(hull.canonical(self._decimal), hull)
        if isinstance(mine, Prefix) and isinstance(theirs, Prefix):
            mask = Prefix("".join(_common(mine.pattern, theirs.pattern)))
            alike = len(mine.pattern) == len(theirs.pattern) and mask.pattern.strip("*")
            return self._checked(mask.pattern, mask) if alike else self._star
        if isinstance(mine, (Interval, Prefix)) or isinstance(theirs, (Interval, Prefix)):
            return self._star
        members = _members(mine, one) | _members(theirs, other)
        if len(members) > MOST_MEMBERS:
            return self._star
        return self._checked("{" + ",".join(sorted(members)) + "}", ValueSet(members))

    def _checked(self, text: str, meant: Label) -> str:
        """Return the text if an attack would read it as `meant`; otherwise `*`."""
        return text if self._parsed(text) == meant else self._star

    def _read(self, label: str) -> Label | None:
        """Return the meaning of a label. A number in a column of numbers is read as an interval."""
        if label not in self._denoted:
            rounded = isinstance(self._reading, Rounded)
            value = exact_number(label, self._decimal) if self._numeric and not rounded else None
            exactly = None if value is None else Interval(value, value, True, True)
            self._denoted[label] = exactly or self._parsed(label)
        return self._denoted[label]

    def _parsed(self, label: str) -> Label | None:
        if label not in self._known:
            self._known[label] = parse(
                label, reading=self._reading, decimal=self._decimal, separator=self._separator
            )
        return self._known[label]

    @cached_property
    def _numeric(self) -> bool:
        """True if every label is a number or an interval, and none is a code like `00501`."""
        plain = [label for label in self.labels if exact_number(label, self._decimal) is not None]
        rest = [label for label in self.labels if exact_number(label, self._decimal) is None]
        codes = any(len(label) > 1 and label.startswith("0") and label.isdigit() for label in plain)
        return not codes and all(isinstance(self._parsed(label), Interval) for label in rest)

    @cached_property
    def _range(self) -> float:
        read = [
            interval for label in self.labels if isinstance(interval := self._read(label), Interval)
        ]
        ends = [
            end for interval in read for end in (interval.low, interval.high) if end is not None
        ]
        return float(max(ends) - min(ends)) if ends else 0.0

    @cached_property
    def _heights(self) -> dict[str | None, int]:
        return {} if self.tree is None else heights(self.tree)

    def _loss(self, label: str | None) -> float:
        if label is None:
            return 0.0
        if self.is_suppressed(label) or label == ROOT:
            return 1.0
        meaning = self._read(label)
        # If the hierarchy lacks a label, only some intervals and masks have a height. Heights and
        # widths cannot be compared, so all intervals and masks are measured by their widths.
        by_itself = isinstance(meaning, (Interval, Prefix)) and self.level is None
        if self.tree is not None and label in self.tree and not by_itself:
            return self._heights[label] / max(self._heights[self.tree.root], 1)
        if isinstance(meaning, Interval):
            if meaning.low is None or meaning.high is None:
                return 1.0
            return min(float(meaning.high - meaning.low) / self._range, 1.0) if self._range else 0.0
        if isinstance(meaning, Prefix):
            return meaning.pattern.count("*") / len(meaning.pattern)
        if isinstance(meaning, ValueSet):
            share = min((len(meaning.members) - 1) / max(len(self.labels) - 1, 1), 1.0)
            return max(share, *(self.loss(member) for member in meaning.members))
        return 0.0

    def _tree(self, spec: HierarchySpec) -> Hierarchy | None:
        """Return the hierarchy of the column; None if it cannot be built for these labels.

        Hierarchies of intervals and masks are built from original values. So each label is replaced
        by a value that it covers.
        """
        if spec.tree is not None:
            return spec.tree
        try:
            return spec.built(list(dict.fromkeys(self._ground(label) for label in self.labels)))
        except HierarchyError:
            return None

    def _ground(self, label: str) -> str:
        meaning = parse(label, decimal=self._decimal)
        if isinstance(meaning, Interval) and meaning.low is not None:
            return Interval(meaning.low, meaning.low, True, True).canonical()[1:].split(",")[0]
        return label.replace("*", "0") if isinstance(meaning, Prefix) else label


def _hull(one: Interval, other: Interval) -> Interval:
    """Return the smallest interval that contains both."""
    low, low_closed = one.low, one.low_closed
    if low is not None and (other.low is None or other.low < low):
        low, low_closed = other.low, other.low_closed
    elif low == other.low:
        low_closed = low_closed or other.low_closed
    high, high_closed = one.high, one.high_closed
    if high is not None and (other.high is None or other.high > high):
        high, high_closed = other.high, other.high_closed
    elif high == other.high:
        high_closed = high_closed or other.high_closed
    return Interval(low, high, low_closed, high_closed)


def _common(one: str, other: str) -> list[str]:
    return [a if a == b else "*" for a, b in zip(one, other, strict=False)]


def _members(meaning: Label | None, label: str) -> frozenset[str]:
    return meaning.members if isinstance(meaning, ValueSet) else frozenset({label})
