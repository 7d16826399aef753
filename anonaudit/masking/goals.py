"""The goals of a masker: privacy models decided for many groups of rows at once.

A model of `anonaudit.models` measures a finished release. A goal decides, while a masker is
running, whether each group of rows may be released. A goal is never weaker than its model. It can
be stronger: a group without any known value of a sensitive attribute fails `PSensitive` and
`EntropyL`, while the model reports such a class separately.

Two properties save checks:

- If each of several groups meets a goal, their union meets the goal too. Exceptions: `Unshared`,
  `ExponentialL`, and `EntropyL` if persons have several rows. Unions must be checked again for
  these goals.
- If a group fails a goal, every part of the group fails the goal too. Exceptions: `Unshared`,
  `ExponentialL` and `EntropyL`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import Protocol

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Bools, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes, by_column, distinct_rows
from anonaudit.frequency.frequency_set import Counts
from anonaudit.masking.recoding import Microdata, NotAchievableError
from anonaudit.models.l_diversity import EntropyLDiversity
from anonaudit.models.level import TOLERANCE, whole_number
from anonaudit.models.p_sensitive import PSensitiveKAnonymity


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of rows, for example equivalence classes, with the sensitive values of their rows.

    There are n entries. An entry is a row, or several equal rows with their number.

    names: the names of the sensitive attributes.
    cells: the codes of the sensitive attributes, shape (n, attributes).
    of: the group of each entry, from 0 to number - 1, shape (n,).
    number: the number of groups.
    counts: the number of rows of each entry, shape (n,).
    persons: the person of each entry, shape (n,); None if every row is a person.
    """

    names: tuple[str, ...]
    cells: Codes
    of: Index
    number: int
    counts: Counts
    persons: Codes | None = None

    @classmethod
    def of_rows(cls, data: Microdata, rows: Index, of: Index, number: int) -> Groups:
        """Return the rows of a table at the positions `rows`, in the groups `of`."""
        ones = np.ones(len(rows), np.int64)
        persons = None if data.persons is None else data.persons[rows]
        return cls(data.roles.sensitive, data.sensitive[rows], of, number, ones, persons)

    @classmethod
    def whole(cls, data: Microdata) -> Groups:
        """Return all rows of a table as one group."""
        return cls.of_rows(data, np.arange(len(data)), np.zeros(len(data), np.intp), 1)

    @cached_property
    def rows(self) -> Counts:
        """The number of rows in each group, shape (number,)."""
        return np.bincount(self.of, self.counts, self.number).astype(np.int64)

    @cached_property
    def sizes(self) -> Counts:
        """The number of persons in each group, shape (number,).

        If every row is a person, this is the number of rows.
        """
        if self.persons is None:
            return self.rows
        pairs, _ = distinct_rows(by_column([self.of, self.persons]))
        return np.bincount(pairs[:, 0], minlength=self.number).astype(np.int64)

    @cached_property
    def distinct(self) -> Counts:
        """The number of different known values in each group, shape (attributes, number)."""
        counts = [
            distinct_values(self.of, self.cells[:, j], self.number) for j in range(len(self.names))
        ]
        return np.array(counts, np.int64).reshape(len(self.names), self.number)

    def chosen(self, groups: Bools) -> Groups:
        """Return the groups where the mask `groups` is True, renumbered from 0."""
        inside = groups[self.of]
        place = np.cumsum(groups) - 1
        return Groups(
            self.names,
            self.cells[inside],
            place[self.of[inside]],
            int(groups.sum()),
            self.counts[inside],
            None if self.persons is None else self.persons[inside],
        )

    def where(self, rows: Bools) -> Groups:
        """Return the same groups with only the entries where the mask `rows` is True.

        The groups keep their numbers. A group may become empty.
        """
        persons = None if self.persons is None else self.persons[rows]
        names, cells, of = self.names, self.cells[rows], self.of[rows]
        return Groups(names, cells, of, self.number, self.counts[rows], persons)


class Goal(Protocol):
    """A privacy model that a masker aims at."""

    def met(self, groups: Groups) -> Bools:
        """Return a mask of the groups that meet the goal, shape (groups.number,).

        An empty group meets no goal.
        """
        ...

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """Return the error that says why the whole table, as one group, fails the goal."""
        ...


def require(goal: Goal, data: Microdata) -> None:
    """Raise NotAchievableError unless the whole table as one group meets the goal."""
    whole = Groups.whole(data)
    if not len(data) or not goal.met(whole)[0]:
        raise goal.shortfall(whole)


@dataclass(frozen=True)
class KAnonymous:
    """At least k persons in every group (TV06 Definition 1).

    If every row is a person, k counts rows.
    """

    k: int

    def __post_init__(self) -> None:
        whole_number("k", self.k, 1)

    def met(self, groups: Groups) -> Bools:
        """Return a mask of the groups with at least k persons, shape (groups.number,)."""
        return groups.sizes >= max(self.k, 1)

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """Return the error that the table has fewer than k rows or persons."""
        n, counted = int(whole.sizes[0]), "rows" if whole.persons is None else "persons"
        message = f"k = {self.k} needs at least {self.k} {counted}, but the table has {n}"
        return NotAchievableError(message, reason="k", nearest={"k": n} if n else {})


@dataclass(frozen=True)
class PSensitive:
    """At least p known values of every sensitive attribute, and at least k persons, in every group.

    If every row is a person, k counts rows. The default of k is p: if every row is a person, the
    goal is then distinct l-diversity with l = p. On a table from `Microdata.lifted`, the goal is
    extended p-sensitivity (CT06 section 4).

    Source: TV06 Definition 2.
    """

    p: int
    k: int | None = None

    def __post_init__(self) -> None:
        PSensitiveKAnonymity(self.p, self.k)

    def met(self, groups: Groups) -> Bools:
        """Return a mask of the groups with enough persons and values, shape (groups.number,)."""
        enough = groups.sizes >= (self.k or self.p)
        met: Bools = enough & np.all(groups.distinct >= self.p, axis=0)
        return met

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """Return the error that p is above maxP (TV06 Condition 1), or that persons are too few.

        maxP is the number of different values of a sensitive attribute in the whole table, for the
        attribute with the fewest values.
        """
        least = int(whole.distinct[:, 0].min(initial=self.p))
        if least >= self.p:
            return KAnonymous(self.k or self.p).shortfall(whole)
        message = f"p = {self.p}, but maxP = {least} (TV06 Condition 1)"
        return NotAchievableError(message, reason="maxP", nearest={"p": least} if least else {})


@dataclass(frozen=True)
class Unshared:
    """There is no sensitive value that all persons of a group have, or may have.

    An unknown cell may be any value. If every row is a person, two different values in the group
    are enough to meet the goal. If persons have several rows, two values are not enough: in the
    rows (Ann, flu), (Ann, hiv) and (Bob, flu), there are two values, but everybody has flu.

    A union of groups that meet this goal may fail it. For example, Ann has flu in one group and
    hiv in another, and in the union she has both.
    """

    def met(self, groups: Groups) -> Bools:
        """Return a mask of the groups that meet the goal, shape (groups.number,).

        For each value, the persons who have the value and the persons with an unknown cell are
        counted. If these are all persons of the group, the group fails.
        """
        persons = np.arange(len(groups.of)) if groups.persons is None else groups.persons
        met = groups.sizes > 0
        for values in groups.cells.T:
            known = values >= FIRST_VALUE
            has = distinct_rows(by_column([groups.of[known], values[known], persons[known]]))[0]
            everybody, place = distinct_rows(
                by_column([np.append(groups.of, has[:, 0]), np.append(persons, has[:, 2])])
            )
            lacks = np.zeros(len(everybody), bool)
            lacks[place[: len(known)][~known]] = True
            may = np.bincount(everybody[lacks, 0], minlength=groups.number)
            pairs, pair = distinct_rows(has, (0, 1))
            sure = np.bincount(pair[~lacks[place[len(known) :]]], minlength=len(pairs))
            met[pairs[sure + may[pairs[:, 0]] >= groups.sizes[pairs[:, 0]], 0]] = False
        return met

    def shortfall(self, _whole: Groups) -> NotAchievableError:
        """Return the error that all persons of the table have, or may have, the same value."""
        message = "all persons of the table have, or may have, the same sensitive value"
        return NotAchievableError(message, reason="maxP")


@dataclass(frozen=True)
class EntropyL:
    """Entropy l-diversity of every sensitive attribute, and at least k persons, in every group.

    If every row is a person, k counts rows. The entropy of the values of an attribute in a group
    must be at least log(l), with the natural logarithm, whatever the unknown cells are.

    If each of several groups meets the goal, their union meets the goal too, because entropy is
    concave. This does not hold if persons have several rows: a person with the same value in two
    groups counts once in the union. If a group fails the goal, a part of the group may still meet
    the goal.
    """

    l: float
    k: int = 1

    def __post_init__(self) -> None:
        EntropyLDiversity(self.l)
        whole_number("k", self.k, 1)

    def met(self, groups: Groups) -> Bools:
        """Return a mask of the groups with exp(entropy) >= l, shape (groups.number,).

        The comparison has the tolerance of the models (`TOLERANCE`).
        """
        met = groups.sizes >= max(self.k, 1)
        for j in range(len(groups.names)):
            met &= np.exp(_entropy(groups, j)) >= self.l - TOLERANCE
        return met

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """Return the error that the whole table has too little entropy, or too few persons."""
        levels = [float(np.exp(_entropy(whole, j))[0]) for j in range(len(whole.names))]
        if min(levels, default=self.l) >= self.l - TOLERANCE:
            return KAnonymous(self.k).shortfall(whole)
        # Rounded down, so that the table meets the nearest l.
        return too_few("entropy l", self.l, floor((min(levels) + TOLERANCE) * 1000) / 1000)


@dataclass(frozen=True)
class Every:
    """Several goals as one goal: a group must meet all of them."""

    goals: tuple[Goal, ...]

    def met(self, groups: Groups) -> Bools:
        """Return a mask of the groups that meet all goals, shape (groups.number,)."""
        met: Bools = np.logical_and.reduce([goal.met(groups) for goal in self.goals])
        return met

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """Return the error of the first goal that the whole table fails."""
        short = [goal for goal in self.goals if not goal.met(whole).all()]
        return (short or self.goals)[0].shortfall(whole)


def too_few(name: str, asked: float, reached: float) -> NotAchievableError:
    """Return the error that the whole table has less diversity than the goal asks for.

    name: what the message calls the parameter `l` of the goal, for example "L".
    asked: the value of the parameter in the goal.
    reached: the largest value that the whole table as one group meets.
    """
    message = f"{name} = {asked}, but the whole table as one group reaches only {reached}"
    return NotAchievableError(message, reason="l", nearest={"l": reached} if reached else {})


def distinct_values(of: Index, values: Codes, number: int) -> Counts:
    """Return the number of distinct known values in each group, shape (number,).

    of: the group of each row, shape (n,).
    values: the codes of one attribute, shape (n,).
    number: the number of groups.
    """
    known = values >= FIRST_VALUE
    pairs, _ = distinct_rows(np.column_stack([of[known], values[known]]))
    return np.bincount(pairs[:, 0], minlength=number).astype(np.int64)


def _entropy(groups: Groups, j: int) -> npt.NDArray[np.float64]:
    """Return the least possible entropy of attribute j in each group, shape (number,).

    The entropy is least if all unknown cells of a group have the most frequent value of the group.
    A group without known values has -inf.
    """
    known = groups.cells[:, j] >= FIRST_VALUE
    of, value, counts = groups.of[known], groups.cells[known, j], groups.counts[known]
    gaps = np.bincount(groups.of[~known], groups.counts[~known], groups.number)
    if groups.persons is not None:  # a person with one value in several rows counts once
        once, _ = distinct_rows(by_column([of, value, groups.persons[known]]))
        of, value, counts = once[:, 0], once[:, 1], np.ones(len(once), np.int64)
    pairs, pair = distinct_rows(by_column([of, value]))
    count = np.bincount(pair, counts, len(pairs)).astype(np.float64)
    order = np.lexsort((-count, pairs[:, 0]))
    with_values, first = np.unique(pairs[order, 0], return_index=True)
    count[order[first]] += gaps[with_values]
    total = np.bincount(pairs[:, 0], count, groups.number)
    share = count / total[pairs[:, 0]]
    entropy = -np.bincount(pairs[:, 0], share * np.log(share), groups.number)
    return np.where(total > 0, entropy, -np.inf)
