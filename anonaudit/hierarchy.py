"""Value generalization hierarchies: which more general value may stand for a value.

A hierarchy is a tree of labels, and a label is one node wherever it is written (MCT08 section 2,
CT06 section 3). It is kept as one path a leaf, leaf first and root last, all of the same length;
column i of the paths is level i of the domain generalization hierarchy. A label repeated along a
path is one node that fills several levels.

Lines of unequal length are aligned at the root: the shorter ones repeat their leaf. So no level
ever holds both a value and something below it, which repeating any other value could bring about.
Where the lines do not meet in one top, the root `*` is put above them.
"""

from __future__ import annotations

import csv
import io
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from types import MappingProxyType

from anonaudit.errors import HierarchyError, InputError, closest, listed

ROOT = "*"

Row = tuple[str, ...]
Number = int | float | str | Decimal

_SHOWN = 5  # offending values or lines in a message
_PARENT_FORM = re.compile(r'\s*"?child"?([;,|\t])"?parent"?\s*?(?:[\r\n]|$)', re.IGNORECASE)
# What a reader could take for something else: quotes, separators, line ends, a byte order mark.
_NEEDS_QUOTES = re.compile(r'[";,|\t\r\n\ufeff]')


@dataclass(frozen=True, init=False, repr=False)
class Hierarchy:
    """The value generalization hierarchy of one attribute (MCT08 section 2, CT06 section 3).

    `paths` maps each leaf to its path. Made from rows as `from_levels` takes them, by one of the
    other `from_` constructors, or by `read`. Two are equal if attribute and paths are.

    >>> Hierarchy("age", [["18", "<30", "*"], ["52", ">=30", "*"]])
    Hierarchy('age', 2 leaves, height 2, root '*')
    """

    attribute: str
    paths: Mapping[str, Row] = field(hash=False)

    def __init__(self, attribute: str, rows: Iterable[Sequence[str]]) -> None:
        object.__setattr__(self, "attribute", attribute)
        object.__setattr__(self, "paths", MappingProxyType(_paths(attribute, rows)))

    def __repr__(self) -> str:
        size = f"{len(self.paths)} leaves, height {self.height}, root {self.root!r}"
        return f"Hierarchy({self.attribute!r}, {size})"

    def __reduce__(self) -> tuple[type[Hierarchy], tuple[str, list[Row]]]:
        return Hierarchy, (self.attribute, list(self.paths.values()))  # a proxy cannot be pickled

    def __contains__(self, value: object) -> bool:
        return value in self._ends

    @property
    def height(self) -> int:
        """The number of levels minus 1: the highest level `generalize` takes."""
        return len(next(iter(self.paths.values()))) - 1

    @property
    def root(self) -> str:
        """The value that stands for everything."""
        return next(iter(self.paths.values()))[-1]

    @property
    def leaves(self) -> Row:
        """The ground values, in the order given."""
        return tuple(self.paths)

    @cached_property
    def nodes(self) -> Row:
        """Every value once, level by level: leaves first, the root last."""
        return tuple(dict.fromkeys(chain.from_iterable(zip(*self.paths.values(), strict=True))))

    @cached_property
    def _parent(self) -> dict[str, str]:
        steps = chain.from_iterable(map(pairwise, self.paths.values()))
        return {value: above for value, above in steps if value != above}

    @cached_property
    def _ends(self) -> dict[str, int]:
        """The last level of each value; the same on every path, as `_check_ends` has seen to."""
        return {value: level for path in self.paths.values() for level, value in enumerate(path)}

    @cached_property
    def _leaves_under(self) -> dict[str, list[str]]:
        under: dict[str, list[str]] = {}
        for leaf, path in self.paths.items():
            for value in dict.fromkeys(path):
                under.setdefault(value, []).append(leaf)
        return under

    def _check_known(self, values: Iterable[str]) -> None:
        unknown = sorted(set(values) - self._ends.keys())
        if unknown:
            problem = f"there is no value {listed(unknown, _SHOWN)}."
            raise _error(self.attribute, f"{problem} {closest(unknown[0], self.nodes)}", unknown)

    def parent(self, value: str) -> str | None:
        """The value one step above, None for the root. Raises HierarchyError for unknown ones."""
        self._check_known([value])
        return self._parent.get(value)

    def children(self, value: str) -> Row:
        """The values one step below, none for a leaf. Raises HierarchyError for unknown ones."""
        self._check_known([value])
        return tuple(below for below, above in self._parent.items() if above == value)

    def leaves_under(self, value: str) -> Row:
        """The leaves that `value` stands for; a leaf stands for itself.

        Raises HierarchyError for unknown values.

        >>> Hierarchy("age", [["18", "<30"], ["23", "<30"], ["52", ">=30"]]).leaves_under("<30")
        ('18', '23')
        """
        self._check_known([value])
        return tuple(self._leaves_under[value])

    def ancestors(self, value: str) -> Row:
        """The value itself, then every more general one up to the root, each once.

        Raises HierarchyError for unknown values.

        >>> Hierarchy("age", [["18", "<30", "*"], ["52", "52", "*"]]).ancestors("52")
        ('52', '*')
        """
        self._check_known([value])
        return _chain(self._parent, value)

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
        first, *others = dict.fromkeys(values) or [None]
        if first is None:
            raise _error(self.attribute, "no values, so no common ancestor. Give at least one.")
        self._check_known([first, *others])
        path = _chain(self._parent, first)
        height = {value: steps for steps, value in enumerate(path)}
        highest = 0
        for other in others:
            value = other
            while value not in height:
                value = self._parent[value]
            highest = max(highest, height[value])
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

    def level_values(self, level: int) -> Row:
        """The distinct values of one level, in the order of the leaves."""
        self._check_level(level)
        return tuple(dict.fromkeys(path[level] for path in self.paths.values()))

    def _check_level(self, level: int) -> None:
        if not 0 <= level <= self.height:
            raise _error(self.attribute, f"the levels are 0 to {self.height}, not {level}.")

    def check_covers(self, values: Iterable[str]) -> None:
        """Raise HierarchyError, naming the missing ones, unless all of `values` are leaves."""
        missing = sorted(set(values) - self.paths.keys())
        if missing:
            problem = f"there is no leaf for {listed(missing, _SHOWN)}. Add a line for each to the"
            raise _error(self.attribute, f"{problem} hierarchy, or correct the data.", missing)

    def strong_values(self, protected: Iterable[str]) -> dict[str, str]:
        """The strong value of each node: its highest protected ancestor (CT06 Def. 3).

        Everything below a value named in `protected` is protected with it (CT06 requirement 2),
        and so is every leaf (requirement 1). A protected value is strong if and only if its
        parent is not protected (Property 1).

        Returns a dict from every node at or below a strong value to that value; nodes above all
        protected zones have none and are left out. Raises HierarchyError for unknown names.

        >>> rows = [["colon", "cancer", "*"], ["breast", "cancer", "*"], ["flu", "other", "*"]]
        >>> Hierarchy("illness", rows).strong_values(["cancer"])
        {'colon': 'cancer', 'breast': 'cancer', 'flu': 'flu', 'cancer': 'cancer'}
        """
        marked = set(protected)
        self._check_known(marked)
        strong = {}
        for value in self.nodes:
            zones = [above for above in _chain(self._parent, value) if above in marked]
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
        marked = set(boundaries)
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
        leaf and a group or ends at different levels in different rows, and for empty cells.

        >>> Hierarchy.from_levels("sex", [["male"], ["female"]]).paths["male"]
        ('male', '*')
        """
        return cls(attribute, rows)

    @classmethod
    def from_parents(cls, attribute: str, pairs: Iterable[tuple[str, str]]) -> Hierarchy:
        """A hierarchy from (child, parent) pairs; the parent of a top may be empty or itself.

        Raises HierarchyError for a child with two parents and for a circle.

        >>> pairs = [("flu", "lung"), ("lung", "any"), ("cold", "any")]
        >>> Hierarchy.from_parents("illness", pairs).paths["cold"]
        ('cold', 'cold', 'any')
        """
        lines = _lines(attribute, pairs)
        parent = _parents(attribute, lines)
        inner = set(parent.values())
        leaves = [node for node in dict.fromkeys(chain.from_iterable(lines)) if node not in inner]
        return cls(attribute, [_chain(parent, leaf) for leaf in leaves])

    @classmethod
    def from_mappings(cls, attribute: str, levels: Sequence[Mapping[str, str]]) -> Hierarchy:
        """A hierarchy from one mapping a level: leaf to group, group to wider group, and so on.

        The keys of the first mapping are the leaves; keys of later ones that nothing leads to
        are ignored. Raises HierarchyError for values that the next mapping lacks.

        >>> Hierarchy.from_mappings("age", [{"18": "<30", "52": ">=30"}]).paths["18"]
        ('18', '<30', '*')
        """
        rows = [[leaf] for leaf in (levels[0] if levels else ())]
        for number, mapping in enumerate(levels, start=1):
            missing = sorted({row[-1] for row in rows} - mapping.keys())
            if missing:
                problem = f"the mapping to level {number} lacks {listed(missing, _SHOWN)}. Add them."
                raise _error(attribute, problem, missing)
            rows = [[*row, mapping[row[-1]]] for row in rows]
        return cls(attribute, rows)

    @classmethod
    def from_intervals(
        cls, attribute: str, values: Iterable[str], *, widths: Sequence[Number], origin: Number = 0
    ) -> Hierarchy:
        """Half-open intervals `[low,high)` of growing width around numbers, then the root `*`.

        `values` are the numbers as written in the data; the arithmetic is exact. One level a
        width; every interval starts at `origin` plus a multiple of its width. Raises
        HierarchyError for values that are no numbers, widths not above 0, and a width that is no
        multiple of the one before, because its intervals would cut through the narrower ones.

        >>> Hierarchy.from_intervals("age", ["23", "37"], widths=[5, 10]).paths["23"]
        ('23', '[20,25)', '[20,30)', '*')
        """
        texts = list(values)
        (start,) = _numbers(attribute, [origin])
        steps = _numbers(attribute, widths)
        for narrow, wide in pairwise([*steps[:1], *steps]):
            if narrow <= 0 or wide <= 0 or wide % narrow:
                problem = f"the width {_text(wide)} must be above 0 and a multiple of the width"
                raise _error(attribute, f"{problem} before, or it cuts through.", [_text(wide)])
        rows = []
        for text, number in zip(texts, _numbers(attribute, texts), strict=True):
            lows = [(number - (number - start) % step, step) for step in steps]
            rows.append([text, *(_interval(low, low + step) for low, step in lows), ROOT])
        return cls(attribute, rows)

    @classmethod
    def from_cuts(
        cls, attribute: str, values: Iterable[str], *, cuts: Sequence[Sequence[Number]]
    ) -> Hierarchy:
        """Intervals between given boundaries, one list a level, then the root `*`.

        Below the first boundary of a level the label is `<low`, from the last one on `>=high`.
        Raises HierarchyError for values that are no numbers, a level without boundaries, and a
        boundary that the level before lacks, because it would cut through one of its intervals.

        >>> Hierarchy.from_cuts("age", ["7", "23"], cuts=[[18, 30, 65], [30]]).paths["23"]
        ('23', '[18,30)', '<30', '*')
        """
        texts = list(values)
        levels = [sorted(set(_numbers(attribute, level))) for level in cuts]
        for finer, level in pairwise([*levels[:1], *levels]):
            crossing = [_text(cut) for cut in level if cut not in finer]
            if crossing or not level:
                problem = "the boundaries of a level must be some of those of the level before, or"
                problem += f" they cut through it: {listed(crossing, _SHOWN) or 'there are none'}."
                raise _error(attribute, problem, crossing)
        rows = [
            [text, *(_between(level, number) for level in levels), ROOT]
            for text, number in zip(texts, _numbers(attribute, texts), strict=True)
        ]
        return cls(attribute, rows)

    @classmethod
    def from_prefixes(
        cls, attribute: str, values: Iterable[str], *, keep: Sequence[int], mask: str = "*"
    ) -> Hierarchy:
        """Codes with fewer and fewer leading characters kept, the others replaced by `mask`.

        One level an entry of `keep`. A value is masked to its own length, and left alone where
        it is no longer than what is kept; so codes of different lengths never share a masked
        label, and meet only in the root `*`, which is added where `keep` does not end in 0 or
        the lengths differ. Raises HierarchyError unless `keep` falls and `mask` is one character.

        >>> Hierarchy.from_prefixes("zip", ["48201", "48330"], keep=[3, 0]).paths["48201"]
        ('48201', '482**', '*****')
        """
        texts = list(values)
        falling = all(more > fewer >= 0 for more, fewer in pairwise([float("inf"), *keep]))
        if not falling or len(mask) != 1:
            problem = f"keep={list(keep)} must fall and not be below 0"
            raise _error(attribute, f"{problem}, and mask={mask!r} must be one character.")
        meets = 0 in keep and len(set(map(len, texts))) == 1
        top = [] if meets else [ROOT]
        rows = [[t, *(t[:kept] + mask * (len(t) - kept) for kept in keep), *top] for t in texts]
        return cls(attribute, rows)

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
        file = Path(path)
        text = _decoded(file, encoding)
        header = _PARENT_FORM.match(text)
        rows = _rows(file, text, delimiter or (header[1] if header else _sniffed(text)))
        if header:
            del rows[0]
        if not rows:
            raise InputError(f"{file}: expected a line for each value, found none.")
        name = attribute or file.stem.partition("_hierarchy_")[2] or file.stem
        lines = list(rows.values())
        try:
            return cls.from_parents(name, _pairs(name, lines)) if header else cls(name, lines)
        except HierarchyError as error:
            found = [str(start) for start, row in rows.items() if not set(row).isdisjoint(error.values)]
            where = f", line {listed}" if found else ""
            raise HierarchyError(f"{file}{where}: {error}", error.values) from None
