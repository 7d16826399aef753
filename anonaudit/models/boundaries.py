"""Generalization boundaries: how far a value may be generalized, and what goes beyond."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from anonaudit.alignment import Alignment
from anonaudit.cells import FIRST_VALUE, SUPPRESSED, Convention
from anonaudit.classes import EquivalenceClasses
from anonaudit.errors import HierarchyError
from anonaudit.frequency import FrequencySet, distinct_rows
from anonaudit.hierarchy import Hierarchy


@dataclass(frozen=True)
class Violations:
    """Cells generalized beyond a boundary.

    by_attribute: how many. rows: how many rows of each class have one, shape (n_classes,).
    """

    by_attribute: Mapping[str, int]
    rows: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Boundaries:
    """Maximum allowed generalization values of some quasi-identifiers (MCT08 Definition 3).

    hierarchies: of those quasi-identifiers. values: for each the values no leaf below them may
    be generalized beyond; the first on the way up counts. An attribute without any has the root
    as its only boundary, that is, none. unchecked: attributes with boundaries whose hierarchy is
    built from ground values, and those are not at hand.
    """

    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unchecked: tuple[str, ...] = ()

    def magvals(self, attribute: str) -> dict[str, str]:
        """MAGVal of every leaf of one attribute (MCT08 Definition 3)."""
        return self.hierarchies[attribute].maximum_allowed(self.values.get(attribute, ()))

    def magset(self, attribute: str) -> set[str]:
        """All MAGVals of one attribute (MCT08 Definition 4)."""
        return set(self.magvals(attribute).values())

    def bounded(self, attributes: tuple[str, ...]) -> list[str]:
        """Those of the attributes that have a boundary below their root."""
        return [a for a in attributes if a in self.hierarchies and self.values.get(a)]

    def too_general(self, attribute: str) -> set[str]:
        """The values strictly above the MAGVal of some leaf below them.

        Without the original at hand, releasing one of them is (or may be) a violation.
        """
        tree = self.hierarchies[attribute]
        return {
            above
            for leaf, allowed in self.magvals(attribute).items()
            for above in tree.ancestors(leaf)[tree.ancestors(leaf).index(allowed) + 1 :]
        }

    def suspected(self, classes: EquivalenceClasses) -> Violations:
        """Without the original: the rows with a value above the boundary of a leaf below it.

        A suppressed cell of a row that was not suppressed as a whole counts as the root. Raises
        HierarchyError for released values that the hierarchy lacks.
        """
        anywhere = np.zeros(len(classes), bool)
        by_attribute = {}
        for attribute in self.bounded(classes.keys.attributes):
            tree, above = self.hierarchies[attribute], self.too_general(attribute)
            labels = classes.keys.labels_of(attribute)
            codes = classes.keys.column(attribute)
            used = {labels[code] for code in np.unique(codes) if code >= FIRST_VALUE}
            lost = sorted(label for label in used if label not in tree)
            if lost:
                raise HierarchyError(
                    f"the hierarchy of {attribute!r} lacks {len(lost)} value(s) of the release; "
                    "boundaries can only be checked for values it has",
                    lost,
                )
            beyond = np.array([label in above for label in labels])
            beyond[SUPPRESSED] = tree.root in above
            by_attribute[attribute] = int(classes.rows[beyond[codes]].sum())
            anywhere |= beyond[codes]
        return Violations(by_attribute, np.where(anywhere, classes.rows, 0))

    def counted(self, alignment: Alignment, classes: EquivalenceClasses) -> Violations:
        """With the original: the cells generalized beyond their MAGVal (MCT08 Definition 5)."""
        anywhere = np.zeros(len(alignment.count), bool)
        by_attribute = {}
        for attribute in self.bounded(alignment.quasi_identifiers):
            cells, pair = distinct_rows(np.column_stack(alignment.codes(attribute)))
            old, new = (
                table.labels_of(attribute) for table in (alignment.original, alignment.released)
            )
            wrong = [
                self.beyond(attribute, old[before], None if after == SUPPRESSED else new[after])
                for before, after in cells
            ]
            beyond = np.array(wrong, bool)[pair] & ~alignment.suppressed
            by_attribute[attribute] = int(alignment.count[beyond].sum())
            anywhere |= beyond
        class_of = classes.number_of(alignment.released)[alignment.new]
        chosen = anywhere & (class_of >= 0)
        rows = np.bincount(class_of[chosen], alignment.count[chosen], len(classes))
        return Violations(by_attribute, rows.astype(np.int64))

    def beyond(self, attribute: str, leaf: str, released: str | None) -> bool:
        """Whether a ground value is released above its MAGVal; None is a suppressed cell.

        False for what the hierarchy does not know: that is no valid generalization at all.
        """
        tree, allowed = self.hierarchies[attribute], self.magvals(attribute)
        released = tree.root if released is None else released
        if released not in tree or leaf not in allowed:
            return False
        above = tree.ancestors(leaf)
        return released in above[above.index(allowed[leaf]) + 1 :]

    def maximum_allowed_microdata(
        self, original: FrequencySet, quasi_identifiers: Sequence[str], convention: Convention
    ) -> FrequencySet:
        """MAM: every quasi-identifier value generalized to its MAGVal (MCT08 Definition 9).

        A quasi-identifier without a boundary goes to its root. Raises HierarchyError, with the
        missing ones, for values of a bounded one that are no leaves.
        """
        changes: dict[str, Callable[[str], str]] = {}
        for attribute in quasi_identifiers:
            if self.bounded((attribute,)):
                labels = original.labels_of(attribute)[FIRST_VALUE:]
                self.hierarchies[attribute].check_covers(labels)
                changes[attribute] = self.magvals(attribute).__getitem__
            else:
                changes[attribute] = lambda _: "*"
        return original.relabel(changes, convention)


def out(mam_sizes: npt.NDArray[Any], k: int) -> npt.NDArray[np.bool_]:
    """OUT: the MAM classes with fewer than k tuples (MCT08 section 4, Properties 4 to 6).

    Their tuples are the smallest set whose suppression lets the rest be masked to constrained
    k-anonymity; the original can be masked by generalization alone iff there are none.
    """
    return mam_sizes < k
