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
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from types import MappingProxyType

from anonaudit import labels
from anonaudit.errors import HierarchyError, InputError, closest, listed
from anonaudit.labels import Interval

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
        """The highest level: the number of levels minus 1, those that only repeat included."""
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
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {}
        for value, above in self._parent.items():
            children.setdefault(above, []).append(value)
        return children

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
        unknown = sorted({value for value in values if value not in self._ends})
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
        return tuple(self._children.get(value, ()))

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
        wanted = list(dict.fromkeys(values))
        if not wanted:
            raise _error(self.attribute, "no values, so no common ancestor. Give at least one.")
        self._check_known(wanted)
        path = _chain(self._parent, wanted[0])
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

    def level_values(self, level: int) -> Row:
        """The distinct values of one level, in the order of the leaves."""
        self._check_level(level)
        return tuple(dict.fromkeys(path[level] for path in self.paths.values()))

    def _check_level(self, level: int) -> None:
        if not 0 <= level <= self.height:
            raise _error(self.attribute, f"the levels are 0 to {self.height}, not {level}.")

    def check_covers(self, values: Iterable[str]) -> None:
        """Raise HierarchyError, naming the missing ones, unless all of `values` are leaves."""
        missing = sorted({value for value in values if value not in self.paths})
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
    def from_parents(cls, attribute: str, pairs: Iterable[Sequence[str]]) -> Hierarchy:
        """A hierarchy from (child, parent) pairs; the parent of a top is empty, itself or absent.

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
                problem = f"the mapping to level {number} has no entry for"
                raise _error(attribute, f"{problem} {listed(missing, _SHOWN)}.", missing)
            rows = [[*row, mapping[row[-1]]] for row in rows]
        return cls(attribute, rows)

    @classmethod
    def from_intervals(
        cls,
        attribute: str,
        values: Iterable[str],
        *,
        widths: Sequence[Number],
        origin: Number = 0,
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
        texts = list(values)
        (start,) = _numbers(attribute, [origin])
        steps = _numbers(attribute, widths)
        for width, narrow, wide in zip(widths, [*steps[:1], *steps[:-1]], steps, strict=True):
            if wide <= 0 or wide % narrow:
                problem = f"the width {width} must be above 0 and a multiple of the width before,"
                raise _error(attribute, f"{problem} or it cuts through.", [str(width)])
        rows = []
        for text, number in zip(texts, _numbers(attribute, texts, decimal), strict=True):
            lows = [(number - (number - start) % step, step) for step in steps]
            rows.append([text, *(_label(low, low + step, decimal) for low, step in lows), ROOT])
        return cls(attribute, rows)

    @classmethod
    def from_cuts(
        cls,
        attribute: str,
        values: Iterable[str],
        *,
        cuts: Sequence[Sequence[Number]],
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
        texts = list(values)
        levels = [_numbers(attribute, level) for level in cuts]
        for finer, level, given in zip([*levels[:1], *levels[:-1]], levels, cuts, strict=True):
            written = zip(level, map(str, given), strict=True)
            crossing = sorted(text for cut, text in written if cut not in finer)
            if crossing or not level:
                problem = "the boundaries of a level must be some of those of the level before, or"
                problem += f" they cut through it: {listed(crossing, _SHOWN) or 'there are none'}."
                raise _error(attribute, problem, crossing)
        bounds = [sorted(set(level)) for level in levels]
        rows = []
        for text, number in zip(texts, _numbers(attribute, texts, decimal), strict=True):
            rows.append([text, *(_between(level, number, decimal) for level in bounds), ROOT])
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
            del rows[min(rows)]
        if not rows:
            raise InputError(f"{file}: expected a line for each value, found none.")
        long = [f"{file}, line {start}" for start, row in rows.items() if header and row[2:]]
        if long:
            raise HierarchyError(f"{long[0]}: expected child and parent, found more columns.")
        name = attribute or file.stem.partition("_hierarchy_")[2] or file.stem
        try:
            return (cls.from_parents if header else cls.from_levels)(name, rows.values())
        except HierarchyError as error:
            where = _where(rows, set(error.values))
            raise HierarchyError(f"{file}{where}: {error}", error.values) from None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the level form that ARX reads: `;`, `"`, UTF-8, no header, one line a leaf.

        The file appears whole or not at all. Raises InputError where it cannot be written, and
        HierarchyError where `read` would take the first line for the header `child;parent`.
        """
        file = Path(path)
        text = "".join(";".join(map(_quoted, row)) + "\n" for row in self.paths.values())
        if _PARENT_FORM.match(text):
            problem = "its first line would be read as a header. Put another leaf first."
            raise _error(self.attribute, problem, [self.leaves[0]])
        draft = file.with_name(f".{file.name}.{os.getpid()}.tmp")
        try:
            draft.write_text(text, encoding="utf-8", newline="")
            draft.replace(file)
        except (OSError, UnicodeEncodeError) as error:
            raise InputError(f"{file}: the hierarchy cannot be written: {error}") from error
        finally:
            draft.unlink(missing_ok=True)


def _error(attribute: str, problem: str, values: Sequence[str] = ()) -> HierarchyError:
    return HierarchyError(f"hierarchy {attribute!r}: {problem}", values)


def _trimmed(row: Sequence[str]) -> Row:
    """The row without the empty cells at its end."""
    cells = tuple(row)
    while cells and not str(cells[-1]).strip():
        cells = cells[:-1]
    return cells


def _lines(attribute: str, rows: Iterable[Sequence[str]]) -> list[Row]:
    """The rows that say something; refused if there is none, or one with a hole in it."""
    lines = [line for line in map(_trimmed, rows) if line]
    if not lines:
        raise _error(attribute, "no values. Give one row a leaf.")
    cells = set(chain.from_iterable(lines))
    kinds = sorted({type(cell).__name__ for cell in cells if not isinstance(cell, str)})
    if kinds:
        raise _error(attribute, f"values are text, as the data has them, not {', '.join(kinds)}.")
    empty = sorted(cell for cell in cells if not cell.strip())
    if empty:
        raise _error(attribute, "an empty cell before the last value of a line. Fill it.", empty)
    return lines


def _parents(attribute: str, lines: Iterable[Row]) -> dict[str, str]:
    """The parent of each value that has one; two parents and circles are refused."""
    parent: dict[str, str] = {}
    several: dict[str, set[str]] = {}
    for line in lines:
        for value, above in pairwise(line):
            if value != above and parent.setdefault(value, above) != above:
                several.setdefault(value, {parent[value]}).add(above)
    if several:
        found = sorted(several)
        named = [f"{v!r} has the parents {listed(sorted(several[v]))}" for v in found[:_SHOWN]]
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        problem = f"{'; '.join(named)}{more}. Each value needs exactly one parent, so no level may"
        raise _error(attribute, f"{problem} cut through a value of the level below.", found)
    clear: set[str] = set()
    for start in parent:
        trail: list[str] = []
        value = start
        while value in parent and value not in clear:
            clear.add(value)
            trail.append(value)
            value = parent[value]
        if value in trail:
            circle = sorted(trail[trail.index(value) :])
            problem = f"{listed(circle, _SHOWN)} stand above each other in a circle. Break it."
            raise _error(attribute, problem, circle)
    return parent


def _chain(parent: Mapping[str, str], value: str) -> Row:
    """The value and everything above it."""
    found = [value]
    while found[-1] in parent:
        found.append(parent[found[-1]])
    return tuple(found)


def _paths(attribute: str, rows: Iterable[Sequence[str]]) -> dict[str, Row]:
    """The rows as paths of equal length that end at one root, by leaf."""
    lines = _lines(attribute, rows)
    parent = _parents(attribute, lines)
    leaves = {line[0] for line in lines}
    tops = {line[-1] for line in lines} - parent.keys()
    # A top that is a leaf generalizes nothing: a flat hierarchy of one value gets a root as well.
    root = min(tops) if len(tops) == 1 and tops.isdisjoint(leaves) else ROOT
    twice = sorted(leaves & {root, *parent.values()} | {root} & parent.keys())
    if twice:
        problem = f"{listed(twice, _SHOWN)} cannot stand at two places, as a value and as a group"
        raise _error(attribute, f"{problem} or root above others. Rename one of the two.", twice)
    parent.update(dict.fromkeys(tops - {root}, root))
    lines = [line + _chain(parent, line[-1])[1:] for line in lines]
    length = max(map(len, lines))
    paths = [line[:1] * (length - len(line)) + line for line in lines]
    _check_ends(attribute, paths)
    return {path[0]: path for path in paths}


def _check_ends(attribute: str, paths: Iterable[Row]) -> None:
    """Refuse a value that gives way to its parent at different levels in different paths.

    Otherwise what stands for it at a level would depend on the leaf it came from.
    """
    ends: dict[str, int] = {}
    moved: dict[str, set[int]] = {}
    for level, steps in enumerate(pairwise(zip(*paths, strict=True))):
        for value, above in zip(*steps, strict=True):
            if value != above and ends.setdefault(value, level) != level:
                moved.setdefault(value, {ends[value]}).add(level)
    if moved:
        found = sorted(moved)
        levels = " and ".join(map(str, sorted(moved[found[0]])))
        problem = f"{listed(found, _SHOWN)} cannot stand at two places: {found[0]!r} ends at level"
        problem += f" {levels}. Repeat values so that it ends in the same column of every line."
        raise _error(attribute, problem, found)


def _numbers(attribute: str, items: Iterable[Number], decimal: str = ".") -> list[Fraction]:
    """The exact numbers, as they are written."""
    numbers = [(str(item), labels.number(str(item), decimal)) for item in items]
    wrong = sorted({text for text, number in numbers if number is None})
    if wrong:
        problem = f"expected numbers such as 20 or -1{decimal}5, found {listed(wrong, _SHOWN)}."
        raise _error(attribute, problem, wrong)
    return [number for _, number in numbers if number is not None]


def _label(low: Fraction | None, high: Fraction | None, decimal: str) -> str:
    return Interval(low, high, low is not None, False).canonical(decimal)


def _between(bounds: Sequence[Fraction], number: Fraction, decimal: str) -> str:
    """The label of the interval that holds the number; the outer ones are open."""
    below = bisect_right(bounds, number)
    ends = [None, *bounds, None]
    return _label(ends[below], ends[below + 1], decimal)


def _decoded(file: Path, encoding: str) -> str:
    try:
        data = file.read_bytes()
        return data.decode(encoding).removeprefix("\ufeff")
    except OSError as error:
        raise InputError(f"{file}: expected a hierarchy file: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        problem = f"{file}, line {line}: the text is not {encoding}."
        raise InputError(f"{problem} Name its encoding, for example 'cp1252'.") from error
    except LookupError as error:
        raise InputError(f"{file}: encoding={encoding!r} is unknown. Try 'utf-8'.") from error


def _sniffed(text: str) -> str:
    """`;` or `,`, whichever stands in more lines outside quotes."""
    lines = re.split(r"[\r\n]+", re.sub(r'"[^"]*"', "", text))
    return max(";,", key=lambda delimiter: sum(delimiter in line for line in lines))


def _rows(file: Path, text: str, delimiter: str) -> dict[int, Row]:
    """The rows that are not empty, by the line they start on."""
    rows = {}
    start = 1
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for cells in reader:
            rows[start] = _trimmed(cells)
            start = reader.line_num + 1
    except (csv.Error, TypeError, ValueError) as error:
        problem = f"{file}, line {start}: {error}. Check the quotes and delimiter={delimiter!r}."
        raise InputError(problem) from error
    return {start: row for start, row in rows.items() if row}


def _where(rows: Mapping[int, Row], values: set[str]) -> str:
    """The first lines that show each place of the values."""
    first: dict[tuple[int, str, str], int] = {}
    for start, row in rows.items():
        for column, (value, above) in enumerate(pairwise(row if row[1:] else (*row, ""))):
            if value in values and value != above:
                first.setdefault((column, value, above), start)
    lines = [str(start) for start in sorted(set(first.values()))[:_SHOWN]]
    word = "lines" if len(lines) > 1 else "line"
    return f", {word} {', '.join(lines)}" if lines else ""


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _NEEDS_QUOTES.search(cell) else cell
