"""Generalization boundaries: how far a value may be generalized, and what goes beyond."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from anonaudit.cells import FIRST_VALUE, SUPPRESSED, Convention
from anonaudit.errors import HierarchyError
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.alignment import Alignment


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
        return self._magvals[attribute]

    @cached_property
    def _magvals(self) -> dict[str, dict[str, str]]:
        return {
            a: tree.maximum_allowed(self.values.get(a, ())) for a, tree in self.hierarchies.items()
        }

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

        A suppressed or missing cell of a row that was not suppressed as a whole counts as the
        root. Raises HierarchyError for released values that the hierarchy lacks.
        """
        by_attribute, anywhere = self._suspected(classes.keys)
        return Violations(by_attribute, np.where(anywhere, classes.rows, 0))

    def _suspected(self, table: FrequencySet) -> tuple[dict[str, int], npt.NDArray[np.bool_]]:
        """By attribute the rows with a value that is suspected; and which entries have one."""
        anywhere = np.zeros(len(table), bool)
        by_attribute = {}
        for attribute in self.bounded(table.attributes):
            tree, above = self.hierarchies[attribute], self.too_general(attribute)
            labels, codes = table.labels_of(attribute), table.column(attribute)
            labels = tuple(map(tree.named, labels))
            self._check_known(attribute, labels, codes)
            beyond = np.array([label in above for label in labels])
            beyond[:FIRST_VALUE] = tree.root in above
            by_attribute[attribute] = int(table.counts[beyond[codes]].sum())
            anywhere |= beyond[codes]
        return by_attribute, anywhere

    def _check_known(
        self, attribute: str, labels: Sequence[str], codes: npt.NDArray[np.int64]
    ) -> None:
        """Raise HierarchyError for released values that the hierarchy lacks."""
        used = {labels[code] for code in np.unique(codes) if code >= FIRST_VALUE}
        lost = sorted(label for label in used if label not in self.hierarchies[attribute])
        if lost:
            raise HierarchyError(
                f"the hierarchy of {attribute!r} lacks {len(lost)} value(s) of the release; "
                "boundaries can only be checked for values it has",
                lost,
            )

    def counted(self, alignment: Alignment, classes: EquivalenceClasses) -> Violations:
        """With the original: the cells generalized beyond their MAGVal (MCT08 Definition 5).

        A cell that was emptied is as general as the root. Released rows that come from no
        original row have nothing to be counted against, and are suspected as without it.
        Raises HierarchyError for values the hierarchy lacks, or has as leaves no more.
        """
        released = alignment.released
        silent = np.all(
            released.codes[:, released.positions(alignment.quasi_identifiers)] == SUPPRESSED, axis=1
        )
        alone = FrequencySet(
            released.attributes, released.labels, released.codes, alignment.invented * ~silent
        )
        by_attribute, alone_beyond = self._suspected(alone)
        anywhere = np.zeros(len(alignment.count), bool)
        for attribute in self.bounded(alignment.quasi_identifiers):
            cells, pair = distinct_rows(np.column_stack(alignment.codes(attribute)))
            old, new = (table.labels_of(attribute) for table in (alignment.original, released))
            new = tuple(map(self.hierarchies[attribute].named, new))
            ground = cells[cells[:, 0] >= FIRST_VALUE, 0]
            self.hierarchies[attribute].check_covers(old[code] for code in ground)
            wrong = [
                before >= FIRST_VALUE
                and self.beyond(attribute, old[before], None if after < FIRST_VALUE else new[after])
                for before, after in cells
            ]
            beyond = np.array(wrong, bool)[pair] & ~alignment.suppressed
            by_attribute[attribute] += int(alignment.count[beyond].sum())
            anywhere |= beyond
        entries = np.bincount(alignment.new[anywhere], alignment.count[anywhere], len(released))
        entries += alone.counts * alone_beyond
        class_of = classes.number_of(released)
        inside = class_of >= 0
        rows = np.bincount(class_of[inside], entries[inside], len(classes))
        return Violations(by_attribute, rows.astype(np.int64))

    def beyond(self, attribute: str, leaf: str, released: str | None) -> bool:
        """Whether a ground value is released above its MAGVal; None is an emptied cell.

        Both must be in the hierarchy. A value beside the leaf's path is no generalization of it
        at all (see valid generalization), and counts as well.
        """
        tree = self.hierarchies[attribute]
        above = tree.ancestors(leaf)
        allowed = above[: above.index(self.magvals(attribute)[leaf]) + 1]
        return (tree.root if released is None else released) not in allowed

    def maximum_allowed_microdata(
        self, original: FrequencySet, quasi_identifiers: Sequence[str], convention: Convention
    ) -> FrequencySet:
        """MAM: every quasi-identifier value generalized to its MAGVal (MCT08 Definition 9).

        A quasi-identifier without a boundary goes to its root, whatever its cells: suppressed.
        Raises HierarchyError, with the missing ones, for values of a bounded one that are no
        leaves.
        """
        changes: dict[str, Callable[[str], str]] = {}
        labels, codes = list(original.labels), original.codes.copy()
        for attribute in quasi_identifiers:
            if self.bounded((attribute,)):
                self.hierarchies[attribute].check_covers(
                    original.labels_of(attribute)[FIRST_VALUE:]
                )
                changes[attribute] = self.magvals(attribute).__getitem__
            else:
                j = original.attributes.index(attribute)
                labels[j], codes[:, j] = labels[j][:FIRST_VALUE], SUPPRESSED
        rooted = FrequencySet(original.attributes, tuple(labels), codes, original.counts)
        return rooted.relabel(changes, convention)


def out(mam_sizes: npt.NDArray[Any], k: int) -> npt.NDArray[np.bool_]:
    """OUT: the MAM classes with fewer than k tuples (MCT08 section 4, Properties 4 to 6).

    Their tuples are the smallest set whose suppression lets the rest be masked to constrained
    k-anonymity; the original can be masked by generalization alone iff there are none.
    """
    return mam_sizes < k
