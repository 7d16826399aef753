"""Value generalization hierarchies: trees that give the more general values of each value.

A hierarchy is a tree of labels, and equal labels are one node (MCT08 section 2, CT06 section 3).
The ground values are called leaves. A leaf may also be an inner node: some records are coded `E11`,
others `E11.9`, which is below `E11`.

A hierarchy is stored as one path per leaf, leaf first and root last. All paths have the same
length; column i of the paths is level i of the domain generalization hierarchy. A label that is
repeated along a path is one node that spans several levels.

A hierarchy is made from rows, one per leaf, which may have unequal lengths. Rows are aligned at the
root: a shorter row repeats its leaf. If it repeated another value instead, one level could hold
both a value and a descendant of this value. If the rows do not end in one common value, the root
`*` is added above them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from types import MappingProxyType

from anonaudit.errors import HierarchyError
from anonaudit.generalization import hierarchy_file, hierarchy_rows, icd_10
from anonaudit.generalization.hierarchy_rows import (
    ROOT,
    AnyNumber,
    HierarchyRow,
    aligned,
    refusal,
    so_many,
    upward,
)

__all__ = ["ROOT", "AnyNumber", "Hierarchy", "HierarchyRow"]


@dataclass(frozen=True, init=False, repr=False)
class Hierarchy:
    """The value generalization hierarchy of one attribute (MCT08 section 2, CT06 section 3).

    `paths` maps each leaf to its path. `Hierarchy(attribute, rows)` takes the rows of
    `from_levels`. The other `from_` constructors and `read` take other forms. Two hierarchies are
    equal if their attributes and their paths are equal.

    >>> Hierarchy("age", [["18", "<30", "*"], ["52", ">=30", "*"]])
    Hierarchy('age', 2 leaves, height 2)
    """

    attribute: str
    paths: Mapping[str, HierarchyRow] = field(hash=False)
    _of_prefix: Mapping[str, str] = field(compare=False)

    def __init__(
        self,
        attribute: str,
        rows: Iterable[Sequence[str]],
        of_prefix: Mapping[str, str] | None = None,
    ) -> None:
        paths = {path[0]: path for path in aligned(attribute, rows)}
        object.__setattr__(self, "attribute", attribute)
        object.__setattr__(self, "paths", MappingProxyType(paths))
        object.__setattr__(self, "_of_prefix", MappingProxyType({**(of_prefix or {})}))

    def __repr__(self) -> str:
        return f"Hierarchy({self.attribute!r}, {len(self.paths)} leaves, height {self.height})"

    def __reduce__(self) -> tuple[type[Hierarchy], tuple[str, list[HierarchyRow], dict[str, str]]]:
        # A MappingProxyType cannot be pickled.
        return Hierarchy, (self.attribute, list(self.paths.values()), {**self._of_prefix})

    def __contains__(self, value: object) -> bool:
        return value in self._ends

    @property
    def height(self) -> int:
        """The highest level: the length of a path minus 1. Repeated labels count."""
        return len(next(iter(self.paths.values()))) - 1

    @property
    def root(self) -> str:
        """The most general value."""
        return next(iter(self.paths.values()))[-1]

    @property
    def leaves(self) -> HierarchyRow:
        """The ground values, in the order of the rows."""
        return tuple(self.paths)

    @cached_property
    def nodes(self) -> HierarchyRow:
        """Every value once, level by level: leaves first, the root last."""
        return tuple(dict.fromkeys(chain.from_iterable(zip(*self.paths.values(), strict=True))))

    @cached_property
    def _parent(self) -> dict[str, str]:
        steps = chain.from_iterable(map(pairwise, self.paths.values()))
        return {value: above for value, above in steps if value != above}

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {}
        for value, above in self._parent.items():
            children.setdefault(above, []).append(value)
        return children

    @cached_property
    def _ends(self) -> dict[str, int]:
        """The last level of each value; `_check_ends` ensures that it is the same on every path."""
        return {value: level for path in self.paths.values() for level, value in enumerate(path)}

    def _check_known(self, values: Iterable[str]) -> None:
        unknown = sorted({value for value in values if value not in self._ends})
        if unknown:
            problem = f"it lacks {so_many(unknown)}."
            raise refusal(self.attribute, problem, unknown)

    def parent(self, value: str) -> str | None:
        """Return the value one step above; None for the root.

        Raises HierarchyError for an unknown value.
        """
        self._check_known([value])
        return self._parent.get(value)

    def children(self, value: str) -> HierarchyRow:
        """Return the values one step below; empty for a leaf.

        Raises HierarchyError for an unknown value.
        """
        self._check_known([value])
        return tuple(self._children.get(value, ()))

    def ancestors(self, value: str) -> HierarchyRow:
        """Return the value and all values above it up to the root, each once.

        Raises HierarchyError for an unknown value.

        >>> Hierarchy("age", [["18", "<30", "*"], ["52", "52", "*"]]).ancestors("52")
        ('52', '*')
        """
        self._check_known([value])
        return upward(self._parent, value)

    def is_ancestor(self, ancestor: str, value: str) -> bool:
        """Return True if `ancestor` is above `value` or equal to it.

        Raises HierarchyError for unknown values.
        """
        self._check_known([ancestor])
        return ancestor in self.ancestors(value)

    def lowest_common_ancestor(self, values: Iterable[str]) -> str:
        """Return the most specific value that is an ancestor of all `values` (MCT08 Def. 8).

        Every value is its own ancestor. `values` are leaves or inner values. Raises HierarchyError
        for unknown values, and for an empty collection.

        >>> age = Hierarchy("age", [["18", "<30"], ["23", "<30"], ["52", ">=30"]])
        >>> age.lowest_common_ancestor(["18", "23"]), age.lowest_common_ancestor(["<30", "52"])
        ('<30', '*')
        """
        wanted = list(dict.fromkeys(values))
        if not wanted:
            raise refusal(self.attribute, "no values, so no common ancestor. Give at least one.")
        self._check_known(wanted)
        path = upward(self._parent, wanted[0])
        steps = {value: step for step, value in enumerate(path)}
        highest = 0
        for value in wanted:
            met = value
            while met not in steps:
                met = self._parent[met]
            highest = max(highest, steps[met])
        return path[highest]

    def generalize(self, value: str, level: int) -> str:
        """Return the generalization of `value` at `level` (full-domain, MCT08 section 2).

        `value` is a leaf or an inner value. A value that is already at `level` or above stays as it
        is. Raises HierarchyError for an unknown value or level.

        >>> age = Hierarchy("age", [["18", "<30", "*"], ["52", ">=30", "*"]])
        >>> age.generalize("18", 1), age.generalize("<30", 0), age.generalize("<30", 2)
        ('<30', '<30', '*')
        """
        self._check_known([value])
        self._check_level(level)
        while self._ends[value] < level:
            value = self._parent[value]
        return value

    def named(self, label: str) -> str:
        """Return the node that a label names; a label that names no node is returned unchanged.

        A label names the node that equals it. In a hierarchy of `from_prefixes`, it also names the
        node that has the same prefix but another number of stars. Such a hierarchy pads each prefix
        to the length of the longest code that begins with it. Other tools, and older versions of
        anonaudit, write other numbers of stars.

        >>> codes = Hierarchy.from_prefixes("icd", ["E11.9", "E11.65"], keep=[3])
        >>> codes.named("E11**"), codes.named("E11.9"), codes.named("J45**")
        ('E11***', 'E11.9', 'J45**')
        """
        if label in self._ends or not label.endswith(ROOT):
            return label
        return self._of_prefix.get(label.rstrip(ROOT), label)

    def _check_level(self, level: int) -> None:
        if not 0 <= level <= self.height:
            raise refusal(self.attribute, f"the levels are 0 to {self.height}, not {level}.")

    def check_covers(self, values: Iterable[str]) -> None:
        """Raise HierarchyError unless all values are leaves.

        The error's `values` lists the values that are not leaves.
        """
        missing = sorted({value for value in values if value not in self.paths})
        if missing:
            problem = f"there is no leaf for {so_many(missing)} of the data. Add a line for each"
            raise refusal(self.attribute, f"{problem}, or correct the data.", missing)

    def strong_values(self, protected: Iterable[str]) -> dict[str, str]:
        """Return the strong value of each node: its highest protected ancestor (CT06 Def. 3).

        The values of `protected` and everything below them are protected (CT06 requirement 2). So
        is every leaf (requirement 1), even a leaf that is also an inner node. Every value is its
        own ancestor. A protected value is strong if and only if its parent is not protected
        (Property 1).

        Returns a dict from each protected node to its strong value. Nodes that are not protected
        have no strong value and are left out. Raises HierarchyError for unknown values.

        >>> rows = [["colon", "cancer", "*"], ["breast", "cancer", "*"], ["flu", "other", "*"]]
        >>> Hierarchy("illness", rows).strong_values(["cancer"])
        {'colon': 'cancer', 'breast': 'cancer', 'flu': 'flu', 'cancer': 'cancer'}
        """
        marked = set(map(self.named, protected))
        self._check_known(marked)
        marked.update(leaf for leaf in self.paths if leaf in self._children)
        strong = {}
        for value in self.nodes:
            zones = [above for above in upward(self._parent, value) if above in marked]
            if zones or value in self.paths:
                strong[value] = zones[-1] if zones else value
        return strong

    def maximum_allowed(self, boundaries: Iterable[str]) -> dict[str, str]:
        """Return the maximum allowed generalization value (MAGVal) of each leaf (MCT08 Def. 3).

        The MAGVal is the first of `boundaries` on the path from the leaf to the root, or the root
        if the path has none. Raises HierarchyError for unknown values.

        >>> rows = [["San Diego", "California", "US"], ["Lincoln", "Nebraska", "US"]]
        >>> Hierarchy("location", rows).maximum_allowed(["California"])
        {'San Diego': 'California', 'Lincoln': 'US'}
        """
        marked = set(map(self.named, boundaries))
        self._check_known(marked)
        marked.add(self.root)
        return {
            leaf: next(value for value in path if value in marked)
            for leaf, path in self.paths.items()
        }

    @classmethod
    def from_levels(cls, attribute: str, rows: Iterable[Sequence[str]]) -> Hierarchy:
        """Return a hierarchy from one row per leaf: the leaf, then increasingly general values.

        Rows may have unequal lengths (see the module docstring) or be repeated. Raises
        HierarchyError, with the offending values in `values`, in these cases: a value has two
        parents; values are above each other in a circle; a label is both a leaf and the root; the
        last level of a label differs between rows; a cell before the last value of a row is empty.
        It is also raised if there is no row, or if a cell is not text; `values` is then empty.

        >>> Hierarchy.from_levels("sex", [["male"], ["female"]]).paths["male"]
        ('male', '*')
        """
        return cls(attribute, rows)

    @classmethod
    def from_parents(cls, attribute: str, pairs: Iterable[Sequence[str]]) -> Hierarchy:
        """Return a hierarchy from (child, parent) pairs.

        A top value is the child of no pair, or of a pair whose parent is empty or the value itself.
        A group is also a leaf if it is the child of two pairs: one with its parent, and one with
        itself, such as ("E11", "E10-E14") and ("E11", "E11"). Raises HierarchyError for a child
        with two parents and for a circle.

        >>> pairs = [("flu", "lung"), ("lung", "any"), ("cold", "any")]
        >>> Hierarchy.from_parents("illness", pairs).paths["cold"]
        ('cold', 'cold', 'any')
        """
        return cls(attribute, hierarchy_rows.from_parents(attribute, pairs))

    @classmethod
    def from_mappings(cls, attribute: str, levels: Sequence[Mapping[str, str]]) -> Hierarchy:
        """Return a hierarchy from one mapping per level: leaf to group, group to wider group.

        The keys of the first mapping are the leaves. A key of a later mapping is ignored if the
        mapping before it has no such value. Raises HierarchyError for a value that is no key of the
        next mapping.

        >>> Hierarchy.from_mappings("age", [{"18": "<30", "52": ">=30"}]).paths["18"]
        ('18', '<30', '*')
        """
        return cls(attribute, hierarchy_rows.from_mappings(attribute, levels))

    @classmethod
    def from_intervals(
        cls,
        attribute: str,
        values: Iterable[str],
        *,
        widths: Sequence[AnyNumber],
        origin: AnyNumber = 0,
        decimal: str = ".",
    ) -> Hierarchy:
        """Return a hierarchy of numbers: half-open intervals `[low,high)` of growing width.

        `values` are numbers as written in the data, with the decimal mark `decimal`; the arithmetic
        is exact. There is one level per width, narrowest first, and the root `*` above. Every
        interval starts at `origin` plus a multiple of its width. Raises HierarchyError for values
        that are no numbers, for widths that are not above 0, and for a width that is no multiple of
        the width before it, because its intervals would split narrower intervals.

        >>> Hierarchy.from_intervals("age", ["23", "37"], widths=[5, 10]).paths["23"]
        ('23', '[20,25)', '[20,30)', '*')
        """
        rows = hierarchy_rows.from_intervals(attribute, values, widths, origin, decimal)
        return cls(attribute, rows)

    @classmethod
    def from_cuts(
        cls,
        attribute: str,
        values: Iterable[str],
        *,
        cuts: Sequence[Sequence[AnyNumber]],
        decimal: str = ".",
    ) -> Hierarchy:
        """Return a hierarchy of numbers: half-open intervals between the given boundaries.

        There is one level per list of boundaries, finest first, and the root `*` above. The first
        interval of a level has no lower end, and the last interval has no upper end. `values`,
        `decimal`: see `from_intervals`. Raises HierarchyError for values that are no numbers, for a
        level without boundaries, and for a boundary that the level before it lacks, because this
        boundary would split an interval of that level.

        >>> Hierarchy.from_cuts("age", ["7", "23"], cuts=[[18, 30, 65], [30]]).paths["23"]
        ('23', '[18,30)', '(-inf,30)', '*')
        """
        return cls(attribute, hierarchy_rows.from_cuts(attribute, values, cuts, decimal))

    @classmethod
    def from_prefixes(
        cls, attribute: str, values: Iterable[str], *, keep: Sequence[int], mask: str = "*"
    ) -> Hierarchy:
        """Return a hierarchy of codes: fewer and fewer leading characters, then `mask` characters.

        Each entry of `keep` makes one level: the number of leading characters that the level keeps.
        Codes with an equal prefix share one label, padded to the length of the longest of these
        codes. So each `mask` after the prefix stands for one character or for none. A code stays as
        it is if it is no longer than the kept prefix and no other code begins with it. The root `*`
        is added unless `keep` ends in 0.

        Raises HierarchyError unless `keep` is strictly decreasing and not below 0, and `mask` is
        one character. Also raises it for values that are masked already, such as `482**` beside
        `48201`.

        >>> Hierarchy.from_prefixes("zip", ["48201", "48330"], keep=[3, 0]).paths["48201"]
        ('48201', '482**', '*****')
        >>> Hierarchy.from_prefixes("icd", ["E11.9", "E11.65"], keep=[3]).paths["E11.9"]
        ('E11.9', 'E11***', '*')
        """
        rows, of_prefix = hierarchy_rows.from_prefixes(attribute, values, keep, mask)
        return cls(attribute, rows, of_prefix)

    @classmethod
    def from_icd_10(cls, attribute: str, values: Iterable[str]) -> Hierarchy:
        """Return a hierarchy of diagnoses: categories, blocks and chapters of ICD-10-CM.

        `values` are codes in any case, with or without the dot. Raises HierarchyError for values
        that are not codes, and InputError if anonaudit[icd] is not installed.

        >>> Hierarchy.from_icd_10("diagnosis", ["C34.1", "I10"]).paths["C34.1"]
        ('C34.1', 'C34', 'C30-C39', 'chapter 2', '*')
        """
        return cls(attribute, icd_10.icd_10_rows(attribute, values))

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        attribute: str | None = None,
        delimiter: str | None = None,
        encoding: str = "utf-8-sig",
    ) -> Hierarchy:
        """Return a hierarchy from a file in level form or parent-child form.

        The level form is that of ARX: one line per leaf and no header. A line has the leaf, then
        increasingly general values; cells may be missing at the end of a line, and a cell may be
        quoted by `"`. The parent-child form has two columns and the header `child,parent`.

        If `delimiter` is None, the file decides. A first line such as `sep=;` declares the
        delimiter. Otherwise it is the mark between `child` and `parent` in the header. Without such
        a header it is `;` or `,`, whichever occurs in more lines outside quotes, and `;` in a tie.

        If `attribute` is None, it is the part of the file name between `_hierarchy_` and the
        suffix, or the whole name without the suffix.

        Raises InputError if the file cannot be read, and HierarchyError as `from_levels` and
        `from_parents` do. The message names the file and, if known, the lines.
        """
        file = hierarchy_file.read(path, delimiter, encoding)
        make = cls.from_parents if file.of_parents else cls.from_levels
        try:
            return make(attribute or file.attribute, file.rows.values())
        except HierarchyError as error:
            raise file.located(error) from None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the level form that ARX reads: `;`, `"`, UTF-8, no header, one line per leaf.

        The file is replaced as a whole, or left unchanged on an error. Raises InputError if the
        file cannot be written, and HierarchyError if `read` would take the first line for the
        header `child;parent`.
        """
        hierarchy_file.write(path, self.attribute, list(self.paths.values()))
