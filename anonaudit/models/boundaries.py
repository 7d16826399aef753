"""Generalization boundaries: how far a value may be generalized, and what goes beyond."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from anonaudit.cells import FIRST_VALUE, SUPPRESSED, Convention
from anonaudit.classes import EquivalenceClasses
from anonaudit.errors import HierarchyError
from anonaudit.frequency import FrequencySet
from anonaudit.hierarchy import Hierarchy


@dataclass(frozen=True)
class Boundaries:
    """Maximum allowed generalization values of some quasi-identifiers (MCT08 Definition 3).

    hierarchies: of those quasi-identifiers. values: for each the values no leaf below them may
    be generalized beyond; the first on the way up counts. An attribute without any has the root
    as its only boundary, that is, none.
    """

    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

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

    def violations(self, classes: EquivalenceClasses) -> dict[str, npt.NDArray[np.bool_]]:
        """For each bounded attribute the classes whose value is too general.

        A suppressed cell of a row that was not suppressed as a whole counts as the root. Raises
        HierarchyError for released values that the hierarchy lacks.
        """
        found = {}
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
            found[attribute] = beyond[codes]
        return found

    def exact_violations(self, pairs: FrequencySet, attribute: str) -> int:
        """Constraint violations, cell by cell, of one attribute (MCT08 Definition 5).

        pairs: how often each original value (first column) was released as each value (second).
        """
        tree, allowed = self.hierarchies[attribute], self.magvals(attribute)
        total = 0
        for (old, new), n in zip(pairs.codes, pairs.counts, strict=True):
            leaf = pairs.labels[0][old]
            released = tree.root if new == SUPPRESSED else pairs.labels[1][new]
            if old >= FIRST_VALUE and released in tree and leaf in allowed:
                above = tree.ancestors(leaf)
                if released in above[above.index(allowed[leaf]) + 1 :]:
                    total += int(n)
        return total

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
