"""Make the rows of a hierarchy from other forms, check the rows, and align them.

A row has a leaf first and increasingly general values after it. Each `from_` function makes the
rows for the `Hierarchy` constructor of the same name; this constructor documents the parameters.
`aligned` then checks the rows and makes paths of equal length. Messages count labels but never
quote a label, because a hierarchy holds values of the data.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain, pairwise

from anonaudit.errors import HierarchyError, listed
from anonaudit.generalization import labels
from anonaudit.generalization.labels import Interval

ROOT = "*"
SHOWN_VALUES = 5  # the most lines that a message lists

HierarchyRow = tuple[str, ...]
AnyNumber = int | float | str | Decimal


def refusal(attribute: str, problem: str, values: Sequence[str] = ()) -> HierarchyError:
    """Return the error to raise, with the attribute in its message.

    values: the offending values, for the caller; the message does not show them.
    """
    return HierarchyError(f"hierarchy {attribute!r}: {problem}", values)


def so_many(values: Sequence[str]) -> str:
    """Return the number of values in words: `1 value`, `3 values`."""
    return "1 value" if len(values) == 1 else f"{len(values)} values"


def trimmed(row: Sequence[str]) -> HierarchyRow:
    """Return the row without the empty cells at its end."""
    cells = tuple(row)
    while cells and not str(cells[-1]).strip():
        cells = cells[:-1]
    return cells


def _lines(attribute: str, rows: Iterable[Sequence[str]]) -> list[HierarchyRow]:
    """Return the rows that are not empty.

    Raises HierarchyError if there is none, or if a row has an empty cell before its last value.
    """
    lines = [line for line in map(trimmed, rows) if line]
    if not lines:
        raise refusal(attribute, "no values. Give one row per leaf.")
    cells = set(chain.from_iterable(lines))
    kinds = sorted({type(cell).__name__ for cell in cells if not isinstance(cell, str)})
    if kinds:
        raise refusal(attribute, f"values must be text, as in the data, not {', '.join(kinds)}.")
    empty = sorted(cell for cell in cells if not cell.strip())
    if empty:
        raise refusal(attribute, "an empty cell before the last value of a line. Fill it.", empty)
    return lines


def _parents(attribute: str, lines: Iterable[HierarchyRow]) -> dict[str, str]:
    """Return the parent of each value that has one.

    Raises HierarchyError for a value with two parents, and for a circle.
    """
    parent: dict[str, str] = {}
    several: set[str] = set()
    for line in lines:
        for value, above in pairwise(line):
            if value != above and parent.setdefault(value, above) != above:
                several.add(value)
    if several:
        ambiguous = sorted(several)
        problem = f"several parents for {so_many(ambiguous)}. Give each value one parent: a group"
        raise refusal(
            attribute, f"{problem} must lie inside one group of the next level.", ambiguous
        )
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
            problem = (
                f"a circle of {so_many(circle)}, each above the next. Remove one of the steps."
            )
            raise refusal(attribute, problem, circle)
    return parent


def upward(parent: Mapping[str, str], value: str) -> HierarchyRow:
    """Return the value and its ancestors, up to the value that has no parent."""
    path = [value]
    while path[-1] in parent:
        path.append(parent[path[-1]])
    return tuple(path)


def aligned(attribute: str, rows: Iterable[Sequence[str]]) -> list[HierarchyRow]:
    """Return the rows as paths of equal length that end at one root.

    Raises HierarchyError for rows that make no tree, see `Hierarchy.from_levels`.
    """
    lines = _lines(attribute, rows)
    parent = _parents(attribute, lines)
    leaves = {line[0] for line in lines}
    tops = {line[-1] for line in lines} - parent.keys()
    # A top that is a leaf is no root: a hierarchy of a single value gets the root `*` above it.
    root = min(tops) if len(tops) == 1 and tops.isdisjoint(leaves) else ROOT
    twice = sorted({root} & (leaves | parent.keys()))
    if twice:
        problem = f"two places for {so_many(twice)}: as a value, and as the root above all values"
        raise refusal(attribute, f"{problem}. Rename one of the two.", twice)
    parent.update(dict.fromkeys(tops - {root}, root))
    lines = [line + upward(parent, line[-1])[1:] for line in lines]
    length = max(map(len, lines))
    paths = [line[:1] * (length - len(line)) + line for line in lines]
    _check_ends(attribute, paths)
    return paths


def _check_ends(attribute: str, paths: Iterable[HierarchyRow]) -> None:
    """Raise HierarchyError if the last level of a value differs between paths.

    With such a difference, the generalization of the value to a level would depend on the leaf from
    which the value came.
    """
    ends: dict[str, int] = {}
    moved: dict[str, set[int]] = {}
    for level, steps in enumerate(pairwise(zip(*paths, strict=True))):
        for value, above in zip(*steps, strict=True):
            if value != above and ends.setdefault(value, level) != level:
                moved.setdefault(value, {ends[value]}).add(level)
    if moved:
        values = sorted(moved)
        levels = " and ".join(map(str, sorted(moved[values[0]])))
        problem = f"different levels for {so_many(values)}; the first ends at levels {levels}."
        raise refusal(
            attribute, f"{problem} Repeat values so that each ends in one column.", values
        )


def from_parents(attribute: str, pairs: Iterable[Sequence[str]]) -> list[HierarchyRow]:
    """Return one row per leaf.

    A leaf is the parent of no other value. A value that is a parent is also a leaf if it is the
    child of two pairs, one with its parent and one with itself.
    """
    lines = _lines(attribute, pairs)
    parent = _parents(attribute, lines)
    own = {line[0] for line in lines if line[1:] == line[:1]}
    inner = set(parent.values()) - own.intersection(parent)
    leaves = [node for node in dict.fromkeys(chain.from_iterable(lines)) if node not in inner]
    return [upward(parent, leaf) for leaf in leaves]


def from_mappings(attribute: str, levels: Sequence[Mapping[str, str]]) -> list[list[str]]:
    """Return one row per key of the first mapping."""
    rows = [[leaf] for leaf in (levels[0] if levels else ())]
    for number, mapping in enumerate(levels, start=1):
        missing = sorted({row[-1] for row in rows} - mapping.keys())
        if missing:
            problem = f"the mapping to level {number} has no entry for"
            raise refusal(attribute, f"{problem} {so_many(missing)}.", missing)
        rows = [[*row, mapping[row[-1]]] for row in rows]
    return rows


def from_intervals(
    attribute: str,
    values: Iterable[str],
    widths: Sequence[AnyNumber],
    origin: AnyNumber,
    decimal: str,
) -> list[list[str]]:
    """Return one row per number: the number, one interval per width, the root."""
    texts = list(values)
    (start,) = _numbers(attribute, [origin])
    steps = _numbers(attribute, widths)
    for width, narrow, wide in zip(widths, [*steps[:1], *steps[:-1]], steps, strict=True):
        if wide <= 0 or wide % narrow:
            problem = f"the width {width} must be above 0 and a multiple of the width before it;"
            raise refusal(attribute, f"{problem} otherwise it splits intervals.", [str(width)])
    rows = []
    for text, number in zip(texts, _numbers(attribute, texts, decimal), strict=True):
        lows = [(number - (number - start) % step, step) for step in steps]
        rows.append([text, *(_label(low, low + step, decimal) for low, step in lows), ROOT])
    return rows


def from_cuts(
    attribute: str, values: Iterable[str], cuts: Sequence[Sequence[AnyNumber]], decimal: str
) -> list[list[str]]:
    """Return one row per number: the number, one interval per list of boundaries, the root."""
    texts = list(values)
    levels = [_numbers(attribute, level) for level in cuts]
    for finer, level, given in zip([*levels[:1], *levels[:-1]], levels, cuts, strict=True):
        written = zip(level, map(str, given), strict=True)
        crossing = sorted(text for cut, text in written if cut not in finer)
        if crossing or not level:
            problem = "each level needs boundaries that the level before also has;"
            problem += f" wrong: {listed(crossing) or 'a level without boundaries'}."
            raise refusal(attribute, problem, crossing)
    bounds = [sorted(set(level)) for level in levels]
    rows = []
    for text, number in zip(texts, _numbers(attribute, texts, decimal), strict=True):
        rows.append([text, *(_between(level, number, decimal) for level in bounds), ROOT])
    return rows


def from_prefixes(
    attribute: str, values: Iterable[str], keep: Sequence[int], mask: str
) -> tuple[list[list[str]], dict[str, str]]:
    """Return one row per code: the code, one label per kept length, and the root.

    The root is left out if `keep` ends in 0. Also returns a dict from each kept prefix to its
    label, which is padded to the length of the longest code with this prefix.
    """
    texts = list(values)
    falling = all(more > fewer >= 0 for more, fewer in pairwise([float("inf"), *keep]))
    if not falling or len(mask) != 1:
        problem = f"keep={list(keep)} must be decreasing and not below 0"
        raise refusal(attribute, f"{problem}, and mask={mask!r} must be one character.")
    longest: dict[tuple[int, str], int] = {}
    for text in texts:
        for kept in keep:
            group = kept, text[:kept]
            longest[group] = max(len(text), longest.get(group, 0))
    label = {
        (kept, prefix): prefix + mask * (length - len(prefix))
        for (kept, prefix), length in longest.items()
    }
    masked = sorted(_masked_already(texts, keep, mask))
    if masked:
        problem = f"masked already, as prefixes of other values: {so_many(masked)}."
        raise refusal(attribute, problem, masked)
    top = [] if 0 in keep else [ROOT]
    rows = [[t, *(label[kept, t[:kept]] for kept in keep), *top] for t in texts]
    return rows, {prefix: text for (kept, prefix), text in label.items() if len(prefix) == kept}


def _masked_already(texts: Sequence[str], keep: Sequence[int], mask: str) -> set[str]:
    """Return the values that are a kept prefix of another value, followed by `mask` characters."""
    ending = {text for text in texts if text.endswith(mask) and len(text.rstrip(mask)) in keep}
    codes = {text[:kept] for text in texts if text not in ending for kept in keep}
    return {text for text in ending if text.rstrip(mask) in codes}


def _numbers(attribute: str, items: Iterable[AnyNumber], decimal: str = ".") -> list[Fraction]:
    """Return the items as exact numbers.

    Raises HierarchyError for items that are no numbers.
    """
    numbers = [(str(item), labels.exact_number(str(item), decimal)) for item in items]
    wrong = sorted({text for text, number in numbers if number is None})
    if wrong:
        problem = f"expected numbers such as 20 or -1{decimal}5, but {so_many(wrong)} cannot be"
        raise refusal(attribute, f"{problem} read as numbers.", wrong)
    return [number for _, number in numbers if number is not None]


def _label(low: Fraction | None, high: Fraction | None, decimal: str) -> str:
    return Interval(low, high, low is not None, False).canonical(decimal)


def _between(bounds: Sequence[Fraction], number: Fraction, decimal: str) -> str:
    """Return the label of the interval between two of the sorted `bounds` that has the number.

    The first interval has no lower end, the last interval has no upper end.
    """
    below = bisect_right(bounds, number)
    ends = [None, *bounds, None]
    return _label(ends[below], ends[below + 1], decimal)
