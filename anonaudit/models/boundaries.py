"""Generalization boundaries: how far values may be generalized, and which cells exceed them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from anonaudit.cells import FIRST_VALUE, SUPPRESSED, Convention
from anonaudit.details import sum_by_name
from anonaudit.errors import HierarchyError
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.frequency_set import Counts, FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.alignment import Alignment

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Violations:
    """The number of cells that are generalized beyond a boundary, and of rows with such a cell.

    by_attribute: the number of these cells in each attribute.
    rows: for each class, the number of its rows with at least one of these cells, shape
        (n_classes,).
    suspected: the number of cells of `by_attribute` that only an original value can decide.
    suspected_rows: the number of rows of `rows` that have no cell but these, shape (n_classes,).
    """

    by_attribute: Mapping[str, int]
    rows: npt.NDArray[np.int64]
    suspected: Mapping[str, int]
    suspected_rows: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Boundaries:
    """Maximum allowed generalization values of some quasi-identifiers (MCT08 Definition 3).

    The MAGVal (maximum allowed generalization value) of a leaf is the first boundary value on the
    path from the leaf to the root, or the root if the path has none. The leaf may be generalized up
    to its MAGVal. Example: if the path is 41076 -> 410** -> * and 410** is a boundary value, the
    MAGVal of 41076 is 410**.

    hierarchies: by quasi-identifier.
    values: the boundary values by quasi-identifier; an absent or empty entry forbids nothing.
    unchecked: quasi-identifiers whose boundaries cannot be checked, because their hierarchy is
        built from original values and the original was not given.
    """

    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unchecked: tuple[str, ...] = ()

    def magvals(self, attribute: str) -> dict[str, str]:
        """The MAGVal of every leaf of an attribute, by leaf (MCT08 Definition 3)."""
        return self._magvals[attribute]

    @cached_property
    def _magvals(self) -> dict[str, dict[str, str]]:
        return {
            a: tree.maximum_allowed(self.values.get(a, ())) for a, tree in self.hierarchies.items()
        }

    def magset(self, attribute: str) -> set[str]:
        """All MAGVals of an attribute (MCT08 Definition 4)."""
        return set(self.magvals(attribute).values())

    def bounded(self, attributes: tuple[str, ...]) -> list[str]:
        """Return the attributes that have boundary values."""
        return [a for a in attributes if a in self.hierarchies and self.values.get(a)]

    def too_general(self, attribute: str) -> set[str]:
        """Return the values that lie strictly above the MAGVal of at least one leaf below them."""
        return {above for _, beyond in self._paths(attribute) for above in beyond}

    def never_allowed(self, attribute: str) -> set[str]:
        """Return the values that lie strictly above the MAGVal of every leaf below them."""
        allowed = {value for within, _ in self._paths(attribute) for value in within}
        return self.too_general(attribute) - allowed

    def _paths(self, attribute: str) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
        """Yield the path of each leaf to the root, cut after the MAGVal of the leaf."""
        for leaf, allowed in self.magvals(attribute).items():
            path = self.hierarchies[attribute].ancestors(leaf)
            end = path.index(allowed) + 1
            yield path[:end], path[end:]

    def suspected(self, classes: EquivalenceClasses) -> Violations:
        """Count the cells and rows that break a boundary or may break one, without the original.

        A cell counts if its value is in `too_general`. A missing or suppressed cell counts as the
        root of the hierarchy. A fully suppressed row violates no boundary.

        A value in `never_allowed` is a violation. Every other cell that counts is only suspected:
        its original cell may be a leaf with a higher MAGVal, or may have no value.

        Raises HierarchyError for released values that the hierarchy lacks.
        """
        quasi = classes.roles.quasi_identifiers
        table = classes.base.project(quasi)
        return _by_class(self._suspected(table, quasi), table, classes)

    def _suspected(self, table: FrequencySet, quasi_identifiers: Sequence[str]) -> Violations:
        """Count as in `suspected`, with the numbers of rows for each entry of the table."""
        silent, found = table.suppressed(quasi_identifiers), {}
        for attribute in self.bounded(table.attributes):
            beyond, certain = self._by_code(attribute, table)
            codes = table.column(attribute)
            found[attribute] = beyond[codes] & ~silent, certain[codes] & ~silent
        return _added(found, table.counts)

    def _by_code(self, attribute: str, table: FrequencySet) -> tuple[Mask, Mask]:
        """Return two masks of the codes of a released attribute, each of shape (n_codes,).

        The first marks the cells that are suspected or violations. The second marks the violations.
        """
        tree, labels = self.hierarchies[attribute], table.labels_of(attribute)
        labels = tuple(map(tree.named, labels))
        self._check_known(attribute, labels, table.column(attribute))
        above, never = self.too_general(attribute), self.never_allowed(attribute)
        beyond = np.array([label in above for label in labels])
        certain = np.array([label in never for label in labels])
        beyond[:FIRST_VALUE], certain[:FIRST_VALUE] = tree.root in above, False
        return beyond, certain

    def _check_known(
        self, attribute: str, labels: Sequence[str], codes: npt.NDArray[np.int64]
    ) -> None:
        """Raise HierarchyError if the hierarchy lacks released values."""
        used = {labels[code] for code in np.unique(codes) if code >= FIRST_VALUE}
        lost = sorted(label for label in used if label not in self.hierarchies[attribute])
        if lost:
            raise HierarchyError(
                f"the hierarchy of {attribute!r} lacks {len(lost)} value(s) of the release; "
                "boundaries can only be checked for values of the hierarchy: add a line for each",
                lost,
            )

    def counted(self, alignment: Alignment, classes: EquivalenceClasses) -> Violations:
        """Count the cells beyond their MAGVal by comparison with the original (MCT08 Def. 5).

        A missing or suppressed cell counts as the root of the hierarchy. A fully suppressed row
        violates no boundary. A released row without an original row is counted as in `suspected`.
        So is a released value whose original cell has no value. A cell without a value in both
        tables violates no boundary.

        Raises HierarchyError for released values that the hierarchy lacks, and for original values
        that are not leaves of the hierarchy.
        """
        released = alignment.released
        alone = self._suspected(
            replace(released, counts=alignment.invented), classes.roles.quasi_identifiers
        )
        found = {}
        for attribute in self.bounded(alignment.quasi_identifiers):
            cells, pair = distinct_rows(np.column_stack(alignment.codes(attribute)))
            old, new = (table.labels_of(attribute) for table in (alignment.original, released))
            new = tuple(map(self.hierarchies[attribute].named, new))
            ground = cells[cells[:, 0] >= FIRST_VALUE, 0]
            self.hierarchies[attribute].check_covers(old[code] for code in ground)
            above, never = self._by_code(attribute, released)
            beyond, certain = np.zeros((2, len(cells)), bool)
            for i, (before, after) in enumerate(cells):
                value = None if after < FIRST_VALUE else new[after]
                if before >= FIRST_VALUE:
                    beyond[i] = certain[i] = self.beyond(attribute, old[before], value)
                elif value is not None:
                    beyond[i], certain[i] = above[after], never[after]
            silent = alignment.suppressed
            found[attribute] = beyond[pair] & ~silent, certain[pair] & ~silent
        paired = _added(found, alignment.count)

        def rows(alone: Counts, paired: Counts) -> Counts:
            return alone + np.bincount(alignment.new, paired, len(released)).astype(np.int64)

        both = Violations(
            sum_by_name([alone.by_attribute, paired.by_attribute]),
            rows(alone.rows, paired.rows),
            sum_by_name([alone.suspected, paired.suspected]),
            rows(alone.suspected_rows, paired.suspected_rows),
        )
        return _by_class(both, released, classes)

    def beyond(self, attribute: str, leaf: str, released: str | None) -> bool:
        """Return True unless the released value is on the path from the leaf to its MAGVal.

        leaf: the original value, a leaf of the hierarchy. released: the released value, a node of
        the hierarchy; None for a cell without a value, which counts as the root. The result is also
        True for a value that is no ancestor of the leaf; the model `valid-generalization` reports
        such values.
        """
        tree = self.hierarchies[attribute]
        above = tree.ancestors(leaf)
        allowed = above[: above.index(self.magvals(attribute)[leaf]) + 1]
        return (tree.root if released is None else released) not in allowed

    def maximum_allowed_microdata(
        self, original: FrequencySet, quasi_identifiers: Sequence[str], convention: Convention
    ) -> FrequencySet:
        """Return the MAM: every quasi-identifier value generalized to its MAGVal.

        MAM is the maximum allowed microdata (MCT08 Definition 9). A quasi-identifier without a
        boundary is generalized to its root, that is, suppressed.

        Raises HierarchyError if some values of a quasi-identifier with a boundary are no leaves of
        its hierarchy. The error lists these values.
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


def _added(found: Mapping[str, tuple[Mask, Mask]], counts: Counts) -> Violations:
    """Return the violations, with the numbers of rows for each entry.

    found: for each attribute, the entries with a cell that is suspected or a violation, and the
        entries with a cell that is a violation.
    counts: the number of rows of each entry, shape (n_entries,).
    """
    anywhere, surely = np.zeros((2, len(counts)), bool)
    for beyond, certain in found.values():
        anywhere |= beyond
        surely |= certain
    return Violations(
        {name: int(counts[beyond].sum()) for name, (beyond, _) in found.items()},
        counts * anywhere,
        {name: int(counts[beyond & ~sure].sum()) for name, (beyond, sure) in found.items()},
        counts * (anywhere & ~surely),
    )


def _by_class(
    violations: Violations, table: FrequencySet, classes: EquivalenceClasses
) -> Violations:
    """Return the violations with the rows added up by class; rows in no class are left out.

    violations: the number of rows is that of each entry of the table.
    """
    class_of = classes.number_of(table)
    inside = class_of >= 0

    def added(rows: Counts) -> Counts:
        return np.bincount(class_of[inside], rows[inside], len(classes)).astype(np.int64)

    return replace(
        violations,
        rows=added(violations.rows),
        suspected_rows=added(violations.suspected_rows),
    )


def out(mam_sizes: npt.NDArray[Any], k: int) -> npt.NDArray[np.bool_]:
    """Return a mask of OUT: the MAM classes with fewer than k tuples.

    The tuples of these classes are the smallest set of tuples that must be suppressed before the
    others can be masked to constrained k-anonymity. Generalization alone suffices if and only if
    OUT is empty (MCT08 section 4, Properties 4 to 6).

    mam_sizes: the number of tuples of each class of the MAM, shape (n_classes,).
    """
    return mam_sizes < k
