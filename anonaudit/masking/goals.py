"""What a masker aims at, decided for many groups of rows at once.

The models of `anonaudit.models` measure a release; a goal says yes or no, group by group, while
there is none yet. It is never laxer than its model: a group without a known value of a sensitive
attribute fails, where the model lists it apart. A union of groups that meet k, p or distinct l
meets them; `Unshared`, and entropy with persons, must be checked again. For all but entropy and
`Unshared`, every part of a group that fails fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Bools, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes, by_column, distinct_rows
from anonaudit.frequency.frequency_set import Counts
from anonaudit.masking.recoding import Microdata, NotAchievableError
from anonaudit.models.level import TOLERANCE, whole_number
from anonaudit.models.p_sensitive import PSensitiveKAnonymity


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows, or combinations of values with counts, in numbered groups.

    names: the sensitive attributes. cells: shape (n, number of them), their codes.
    of: shape (n,), the group of each row, 0 to number - 1. counts: shape (n,).
    persons: shape (n,), whom each row is about; None if every row is a person.
    """

    names: tuple[str, ...]
    cells: Codes
    of: Index
    number: int
    counts: Counts
    persons: Codes | None = None

    @classmethod
    def of_rows(cls, data: Microdata, rows: Index, of: Index, number: int) -> Groups:
        """Some rows of a table, by their positions."""
        ones = np.ones(len(rows), np.int64)
        persons = None if data.persons is None else data.persons[rows]
        return cls(data.roles.sensitive, data.sensitive[rows], of, number, ones, persons)

    @classmethod
    def whole(cls, data: Microdata) -> Groups:
        """All rows of a table as one group."""
        return cls.of_rows(data, np.arange(len(data)), np.zeros(len(data), np.intp), 1)

    @cached_property
    def rows(self) -> Counts:
        """The rows of each group, shape (number,)."""
        return np.bincount(self.of, self.counts, self.number).astype(np.int64)

    @cached_property
    def sizes(self) -> Counts:
        """The persons of each group, shape (number,); its rows if every row is a person."""
        if self.persons is None:
            return self.rows
        pairs, _ = distinct_rows(by_column([self.of, self.persons]))
        return np.bincount(pairs[:, 0], minlength=self.number).astype(np.int64)

    @cached_property
    def distinct(self) -> Counts:
        """The known values of each attribute in each group, shape (attributes, number)."""
        counts = [
            distinct_values(self.of, self.cells[:, j], self.number) for j in range(len(self.names))
        ]
        return np.array(counts, np.int64).reshape(len(self.names), self.number)

    def chosen(self, groups: Bools) -> Groups:
        """Some of the groups, numbered anew. groups: shape (number,)."""
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
        """The same groups with some of the rows; some groups may be empty. rows: shape (n,)."""
        persons = None if self.persons is None else self.persons[rows]
        names, cells, of = self.names, self.cells[rows], self.of[rows]
        return Groups(names, cells, of, self.number, self.counts[rows], persons)


class Goal(Protocol):
    """A privacy model as something to reach."""

    def met(self, groups: Groups) -> Bools:
        """Which groups meet the goal, shape (groups.number,). An empty group meets none."""
        ...

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """Why the whole table as one group does not meet it."""
        ...


def require(goal: Goal, data: Microdata) -> None:
    """Raise NotAchievableError unless the whole table as one group meets the goal."""
    whole = Groups.whole(data)
    if not len(data) or not goal.met(whole)[0]:
        raise goal.shortfall(whole)


@dataclass(frozen=True)
class KAnonymous:
    """k persons (rows, if every row is a person) or more in every group (TV06 Definition 1)."""

    k: int

    def __post_init__(self) -> None:
        whole_number("k", self.k, 1)

    def met(self, groups: Groups) -> Bools:
        """By size."""
        return groups.sizes >= max(self.k, 1)

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """There are fewer rows, or persons, than k."""
        n, counted = int(whole.sizes[0]), "rows" if whole.persons is None else "persons"
        message = f"k = {self.k} needs as many {counted}, the table has {n}"
        return NotAchievableError(message, reason="k", nearest={"k": n} if n else {})


@dataclass(frozen=True)
class PSensitive:
    """p known values or more of every sensitive attribute, k rows or more (TV06 Definition 2).

    k is p if not given. With k = p it is distinct l-diversity, l = p. On a lifted table it is
    extended p-sensitivity (CT06 section 4).
    """

    p: int
    k: int | None = None

    def __post_init__(self) -> None:
        PSensitiveKAnonymity(self.p, self.k)

    def met(self, groups: Groups) -> Bools:
        """By size and numbers of values."""
        enough = groups.sizes >= (self.k or self.p)
        met: Bools = enough & np.all(groups.distinct >= self.p, axis=0)
        return met

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """Condition 1: p is above maxP; or there are fewer rows than k."""
        least = int(whole.distinct[:, 0].min(initial=self.p))
        if least >= self.p:
            return KAnonymous(self.k or self.p).shortfall(whole)
        message = f"p = {self.p}, but maxP = {least} (TV06 Condition 1)"
        return NotAchievableError(message, reason="maxP", nearest={"p": least} if least else {})


@dataclass(frozen=True)
class Unshared:
    """No sensitive value that all persons of a group have, or may have, in some row of it.

    Where every row is a person, two different values say that. A person with several rows has
    several values: two values may both be there, and everybody still has one of them. A union of
    groups that meet this may fail, as a person can have a value in one of them only.
    """

    def met(self, groups: Groups) -> Bools:
        """By the persons with each value, and those with a cell that may be it."""
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
        """Everybody in the table has one value."""
        return NotAchievableError("every person of the table has one value", reason="maxP")


@dataclass(frozen=True)
class EntropyL:
    """Entropy l-diversity of every sensitive attribute, whatever its unknown cells are, and k rows.

    A union of groups that meet it meets it (entropy is concave), but a group that fails may have
    a part that does not. Where persons have several rows, a union may fail: who shows a value in
    two groups counts once for it in their union.
    """

    l: float
    k: int = 1

    def met(self, groups: Groups) -> Bools:
        """exp(entropy) >= l, with the tolerance of the model."""
        met = groups.sizes >= max(self.k, 1)
        for j in range(len(groups.names)):
            met &= np.exp(_entropy(groups, j)) >= self.l - TOLERANCE
        return met

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """The whole table has too little entropy, or too few rows."""
        levels = [float(np.exp(_entropy(whole, j))[0]) for j in range(len(whole.names))]
        if min(levels, default=self.l) >= self.l - TOLERANCE:
            return KAnonymous(self.k).shortfall(whole)
        return too_few("entropy l", self.l, round(min(levels), 3))


@dataclass(frozen=True)
class Every:
    """Several goals at once."""

    goals: tuple[Goal, ...]

    def met(self, groups: Groups) -> Bools:
        """The groups that meet all of them."""
        met: Bools = np.logical_and.reduce([goal.met(groups) for goal in self.goals])
        return met

    def shortfall(self, whole: Groups) -> NotAchievableError:
        """Why the first that the whole table does not meet is not met."""
        short = [goal for goal in self.goals if not goal.met(whole).all()]
        return (short or self.goals)[0].shortfall(whole)


def too_few(name: str, asked: float, reached: float) -> NotAchievableError:
    """The refusal of a diversity that the whole table does not have."""
    message = f"{name} = {asked}, but the whole table as one group reaches {reached}"
    return NotAchievableError(message, reason="l", nearest={name: reached} if reached else {})


def distinct_values(of: Index, values: Codes, number: int) -> Counts:
    """How many known values each group has, shape (number,)."""
    known = values >= FIRST_VALUE
    pairs, _ = distinct_rows(np.column_stack([of[known], values[known]]))
    return np.bincount(pairs[:, 0], minlength=number).astype(np.int64)


def _entropy(groups: Groups, j: int) -> npt.NDArray[np.float64]:
    """The least entropy of one attribute in each group, shape (number,); -inf without known values.

    It is least if all unknown cells of a group have its most frequent value.
    """
    known = groups.cells[:, j] >= FIRST_VALUE
    of, value, counts = groups.of[known], groups.cells[known, j], groups.counts[known]
    gaps = np.bincount(groups.of[~known], groups.counts[~known], groups.number)
    if groups.persons is not None:  # who shows a value in several rows counts once for it
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
