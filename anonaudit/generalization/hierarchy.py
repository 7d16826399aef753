"""Value generalization hierarchies: which more general value may stand for a value.

A hierarchy is a tree of labels, and a label is one node wherever it is written (MCT08 section 2,
CT06 section 3). A ground value may be an inner node as well: some records are coded `E11`, others
`E11.9`, which is below it.

A hierarchy is kept as one path a leaf, leaf first and root last, all of the same length; column i
of the paths is level i of the domain generalization hierarchy. A label repeated along a path is one
node that fills several levels.

Lines of unequal length are aligned at the root: the shorter ones repeat their leaf. So no level
ever holds both a value and something below it, which repeating any other value could bring about.
Where the lines do not meet in one top, the root `*` is put above them.
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

    `paths` maps each leaf to its path. Made from rows as `from_levels` takes them, by one of the
    other `from_` constructors, or by `read`. Two are equal if attribute and paths are.

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
        # A proxy cannot be pickled.
        return Hierarchy, (self.attribute, list(self.paths.values()), {**self._of_prefix})

    def __contains__(self, value: object) -> bool:
        return value in self._ends

    @property
    def height(self) -> int:
        """The highest level: the number of levels minus 1, those that only repeat included."""
        return len(next(iter(self.paths.values()))) - 1

    @property
    def root(self) -> str:
        """The value that stands for everything."""
        return next(iter(self.paths.values()))[-1]

    @property
    def leaves(self) -> HierarchyRow:
        """The ground values, in the order given."""
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
        """The last level of each value; the same on every path, as `_check_ends` has seen to."""
        return {value: level for path in self.paths.values() for level, value in enumerate(path)}

    def _check_known(self, values: Iterable[str]) -> None:
        unknown = sorted({value for value in values if value not in self._ends})
        if unknown:
            problem = f"it lacks {so_many(unknown)} of those asked for."
            raise refusal(self.attribute, problem, unknown)

    def parent(self, value: str) -> str | None:
        """The value one step above, None for the root. Raises HierarchyError for unknown ones."""
        self._check_known([value])
        return self._parent.get(value)

    def children(self, value: str) -> HierarchyRow:
        """The values one step below, none for a leaf. Raises HierarchyError for unknown ones."""
        self._check_known([value])
        return tuple(self._children.get(value, ()))

    def ancestors(self, value: str) -> HierarchyRow:
        """The value itself, then every more general one up to the root, each once.

        Raises HierarchyError for unknown values.

        >>> Hierarchy("age", [["18", "<30", "*"], ["52", "52", "*"]]).ancestors("52")
        ('52', '*')
        """
        self._check_known([value])
        return upward(self._parent, value)

    def is_ancestor(self, ancestor: str, value: str) -> bool:
        """Whether `ancestor` stands for `value`; every value stands for itself."""
        self._check_known([ancestor])
        return ancestor in self.ancestors(value)

    def lowest_common_ancestor(self, values: Iterable[str]) -> str:
        """The most specific value that stands for all of `values` (MCT08 Def. 8).

        `values` are leaves or inner values. Raises HierarchyError for unknown ones, and for none.

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
        """What stands for `value` at `level` (full-domain generalization, MCT08 section 2).

        A value that already is at `level` or above stays as it is, so a table can be taken from
        any level to any higher one. Raises HierarchyError for an unknown value or level.

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
        """The node that a label names: itself, or the one of its prefix, whatever its stars.

        A prefix hierarchy pads each prefix to its longest code. Other data, and anonaudit before
        it did so, have other numbers of stars. A label that names no node is returned as it is.

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
        """Raise HierarchyError, whose `.values` are the missing ones, unless all are leaves."""
        missing = sorted({value for value in values if value not in self.paths})
        if missing:
            problem = f"there is no leaf for {so_many(missing)} of the data. Add a line for each"
            raise refusal(self.attribute, f"{problem}, or correct the data.", missing)

    def strong_values(self, protected: Iterable[str]) -> dict[str, str]:
        """The strong value of each node: its highest protected ancestor (CT06 Def. 3).

        Everything below a value named in `protected` is protected with it (CT06 requirement 2),
        and so is every leaf (requirement 1), also one that is an inner node. A protected value is
        strong if and only if its parent is not protected (Property 1).

        Returns a dict from every node at or below a strong value to that value; nodes above all
        protected zones have none and are left out. Raises HierarchyError for unknown names.

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
        """Each leaf's maximum allowed generalization value, its MAGVal (MCT08 Def. 3).

        That is the first of `boundaries` on the way from the leaf to the root, or the root if
        there is none. Raises HierarchyError for unknown names.

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
        """A hierarchy from one row a leaf: the leaf, then ever more general values.

        Rows may be short (see the module's text) or repeated. Raises HierarchyError, with the
        offending values in `.values`, if a value has two parents (at an inner level: one level
        cuts through another), if values stand above each other in a circle, if a label is both a
        leaf and the root or ends at different levels in different rows, and for empty cells.

        >>> Hierarchy.from_levels("sex", [["male"], ["female"]]).paths["male"]
        ('male', '*')
        """
        return cls(attribute, rows)

    @classmethod
    def from_parents(cls, attribute: str, pairs: Iterable[Sequence[str]]) -> Hierarchy:
        """A hierarchy from (child, parent) pairs; the parent of a top is empty, itself or absent.

        A group is a ground value as well if it has a pair with itself beside that with its parent.
        Raises HierarchyError for a child with two parents and for a circle.

        >>> pairs = [("flu", "lung"), ("lung", "any"), ("cold", "any")]
        >>> Hierarchy.from_parents("illness", pairs).paths["cold"]
        ('cold', 'cold', 'any')
        """
        return cls(attribute, hierarchy_rows.from_parents(attribute, pairs))

    @classmethod
    def from_mappings(cls, attribute: str, levels: Sequence[Mapping[str, str]]) -> Hierarchy:
        """A hierarchy from one mapping a level: leaf to group, group to wider group, and so on.

        The keys of the first mapping are the leaves; keys of later ones that nothing leads to
        are ignored. Raises HierarchyError for values that the next mapping lacks.

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
        """Half-open intervals `[low,high)` of growing width around numbers, then the root `*`.

        `values` are the numbers as written in the data, with the mark `decimal`; the arithmetic
        is exact. One level a width; every interval starts at `origin` plus a multiple of its
        width. Raises HierarchyError for values that are no numbers, widths not above 0, and a
        width that is no multiple of the one before: its intervals would cut through those.

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
        """Half-open intervals between given boundaries, one list a level, then the root `*`.

        The first interval of a level is open below, the last one above. `values` as for
        `from_intervals`. Raises HierarchyError for values that are no numbers, a level without
        boundaries, and a boundary that the level before lacks, because it would cut through one
        of its intervals.

        >>> Hierarchy.from_cuts("age", ["7", "23"], cuts=[[18, 30, 65], [30]]).paths["23"]
        ('23', '[18,30)', '(-inf,30)', '*')
        """
        return cls(attribute, hierarchy_rows.from_cuts(attribute, values, cuts, decimal))

    @classmethod
    def from_prefixes(
        cls, attribute: str, values: Iterable[str], *, keep: Sequence[int], mask: str = "*"
    ) -> Hierarchy:
        """Codes with fewer and fewer leading characters kept, the others replaced by `mask`.

        One level an entry of `keep`. Codes with an equal prefix share one label, which is padded to
        the longest of them: each `mask` behind the prefix stands for one character or for none. A
        code is left alone where it is no longer than what is kept and no other begins with it. The
        root `*` is added where `keep` does not end in 0. Raises HierarchyError unless `keep` falls
        and `mask` is one character.

        >>> Hierarchy.from_prefixes("zip", ["48201", "48330"], keep=[3, 0]).paths["48201"]
        ('48201', '482**', '*****')
        >>> Hierarchy.from_prefixes("icd", ["E11.9", "E11.65"], keep=[3]).paths["E11.9"]
        ('E11.9', 'E11***', '*')
        """
        rows, of_prefix = hierarchy_rows.from_prefixes(attribute, values, keep, mask)
        return cls(attribute, rows, of_prefix)

    @classmethod
    def from_icd_10(cls, attribute: str, values: Iterable[str]) -> Hierarchy:
        """Diagnoses under their categories, blocks and chapters of ICD-10-CM.

        Raises HierarchyError for values that are no codes, and InputError where anonaudit[icd] is
        not installed.

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
        """A hierarchy from a file: one line a leaf as ARX has it, or child and parent.

        The level form has no header: leaf first, then ever more general values, quoted by `"`
        where needed; cells may be missing at the end of a line. The parent-child form has two
        columns and the header `child,parent`. Without `delimiter`, it is `;` or `,`, whichever
        stands in more lines outside quotes, and `;` if they are equal. Without `attribute`, the
        name is what follows `_hierarchy_` in the file name, or all of it without the suffix.

        Raises InputError where the file cannot be read, and HierarchyError as `from_levels` and
        `from_parents` do, both with the file and the lines.
        """
        file = hierarchy_file.read(path, delimiter, encoding)
        make = cls.from_parents if file.of_parents else cls.from_levels
        try:
            return make(attribute or file.attribute, file.rows.values())
        except HierarchyError as error:
            raise file.located(error) from None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the level form that ARX reads: `;`, `"`, UTF-8, no header, one line a leaf.

        The file appears whole or not at all. Raises InputError where it cannot be written, and
        HierarchyError where `read` would take the first line for the header `child;parent`.
        """
        hierarchy_file.write(path, self.attribute, list(self.paths.values()))
