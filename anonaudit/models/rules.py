"""Association rules from quasi-identifiers to sensitive values, counted exactly (Z07 section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Index
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import Counts

Names = tuple[str, ...]


class Rule(NamedTuple):
    """One rule X => Y: its columns, and numbers of rows (or persons).

    antecedent, consequent: the columns of X and of Y.
    shown: the number of rows with X and Y. of: the number of rows with X. unknown: the number of
        rows with X that may have Y, because they do not show Y but have an unknown cell in a column
        of Y.
    """

    antecedent: Names
    consequent: Names
    shown: int
    of: int
    unknown: int

    @property
    def confidence(self) -> float:
        """The share of the rows with X that have Y."""
        return self.shown / self.of


def rules(classes: EquivalenceClasses, least: float, min_rows: int = 1) -> Iterator[Rule]:
    """Yield the rules X => Y with a confidence of at least `least` and at least `min_rows` rows.

    X is a combination of values of a non-empty set of quasi-identifiers. Y is a combination of
    known values of a non-empty set of sensitive attributes. `min_rows` applies to the rows with X
    and Y. The counts are exact. An unknown quasi-identifier cell counts as a value of its own.
    """
    for antecedent, consequent in column_pairs(classes):
        counted = count_rules(classes, antecedent, consequent)
        for i in np.flatnonzero(counted.sure(least, min_rows)):
            shown, of, unknown = counted.shown[i], counted.of[i], counted.unknown[i]
            yield Rule(antecedent, consequent, int(shown), int(of), int(unknown))


class RuleCounts(NamedTuple):
    """The counts of all rules X => Y with the same columns. The rows with the same X are a group.

    size, doubt: shape (n_groups,), the number of rows (or persons) of each group, and the number of
        these with an unknown cell in a column of Y.
    group: shape (n_rules,), the group of each rule. shown, unknown: shape (n_rules,), as in `Rule`.
    group_of: shape (n_classes,), the group of each equivalence class.
    """

    size: Counts
    doubt: Counts
    group: Index
    shown: Counts
    unknown: Counts
    group_of: Index

    @property
    def of(self) -> Counts:
        """The number of rows with X, for each rule."""
        return self.size[self.group]

    def sure(self, least: float, min_rows: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the rules with at least this confidence and at least `min_rows` rows."""
        return (self.shown >= min_rows) & (self.shown / self.of >= least)


def count_rules(classes: EquivalenceClasses, antecedent: Names, consequent: Names) -> RuleCounts:
    """Return the counts of all rules from the antecedent columns to the consequent columns."""
    kept, unit = classes.kept, classes.roles.unit
    columns = (*antecedent, *consequent)
    least = classes.convention.first_counted
    y = slice(len(antecedent), len(columns))
    if unit is None:
        keys = classes.keys  # of all quasi-identifiers, counted already
        having = keys if antecedent == keys.attributes else kept.project(antecedent)
        both = kept.project(columns)
    else:
        having, both = kept.distinct(antecedent, unit), kept.distinct(columns, unit)
    group = having.entry_of(both)
    known = np.all(both.codes[:, y] >= least, axis=1)
    if unit is None:
        doubt = np.bincount(group[~known], both.counts[~known], len(having)).astype(np.int64)
        unknown = doubt[group]
    else:  # a person with an unknown cell may show Y in another row
        each = kept.project((*columns, unit))
        certain = np.all(each.codes[:, y] >= least, axis=1)
        pairs, pair = distinct_rows(np.column_stack([having.entry_of(each), each.column(unit)]))
        open_ = np.zeros(len(pairs), bool)
        open_[pair[~certain]] = True
        doubt = np.bincount(pairs[open_, 0], minlength=len(having))
        shows_too = certain & open_[pair]
        unknown = doubt[group] - np.bincount(both.entry_of(each)[shows_too], minlength=len(both))
    group_of = having.entry_of(classes.keys)
    return RuleCounts(
        having.counts, doubt, group[known], both.counts[known], unknown[known], group_of
    )


def column_pairs(classes: EquivalenceClasses) -> Iterator[tuple[Names, Names]]:
    """Yield every pair of a non-empty set of quasi-identifiers and one of sensitive attributes."""
    for antecedent in subsets(classes.roles.quasi_identifiers):
        for consequent in subsets(classes.roles.sensitive):
            yield antecedent, consequent


def subsets(names: Names) -> Iterator[Names]:
    """Yield every non-empty subset of the names, in order of size."""
    return chain.from_iterable(combinations(names, size + 1) for size in range(len(names)))
