"""Small tables, and definitions computed by plain enumeration, to check claims against.

The code lists all partitions and tries all sets of deletions. A row is a tuple of cells; None is an
unknown cell. The columns are named "0", "1", ...
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement, product
from typing import TypeVar

import numpy as np

from anonaudit import datasets
from anonaudit.cells import Convention
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet, encode
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.recoding import Microdata
from anonaudit.roles import Roles

Row = tuple[str | None, ...]
T = TypeVar("T")


def all_tables(*columns: Sequence[str | None], most: int, least: int = 1) -> Iterator[list[Row]]:
    """Yield every table of `least` to `most` rows. The order of rows does not distinguish tables.

    columns: the possible cells of each column.

    >>> sum(1 for _ in all_tables("xy", "ab", most=2))
    14
    """
    for n in range(least, most + 1):
        yield from (list(rows) for rows in combinations_with_replacement(product(*columns), n))


def paper_rows(name: str, *columns: str) -> list[Row]:
    """Return the rows of a table of a paper, for example `TV06/table3`, with only these columns."""
    with datasets.path(f"{name}.csv").open(encoding="utf-8") as file:
        return [tuple(row[column] for column in columns) for row in csv.DictReader(file)]


def numbered_roles(quasi: int, sensitive: int) -> Roles:
    """Return roles for numbered columns: first the quasi-identifiers, then the sensitive ones."""
    names = tuple(str(j) for j in range(quasi + sensitive))
    return Roles(names[:quasi], names[quasi:])


def classes(
    rows: Sequence[Row], quasi: int, convention: Convention | None = None
) -> EquivalenceClasses:
    """Return the equivalence classes of rows whose first `quasi` columns are quasi-identifiers."""
    width = len(rows[0]) if rows else quasi
    base = FrequencySet.of([str(j) for j in range(width)], rows, convention)
    return equivalence_classes(base, numbered_roles(quasi, width - quasi), convention)


def small_microdata(rows: Sequence[Row], quasi: int, *trees: Hierarchy) -> Microdata:
    """Return rows, whose first `quasi` columns are quasi-identifiers, as microdata.

    trees: the hierarchies of the first quasi-identifiers, in order.
    """
    width = len(rows[0])
    columns = [encode([row[j] for row in rows], Convention(suppressed=())) for j in range(width)]
    codes = np.column_stack([codes for _, codes in columns]).astype(np.int64)
    named = {str(j): tree for j, tree in enumerate(trees)}
    return Microdata(
        numbered_roles(quasi, width - quasi),
        tuple(labels for labels, _ in columns),
        codes,
        named,
        Convention(),
    )


def flat(values: Sequence[str]) -> Hierarchy:
    """Return the hierarchy with all values directly below the root."""
    return Hierarchy.from_levels("flat", [[value, "*"] for value in values])


def grouped(rows: Sequence[Row], quasi: int) -> dict[Row, list[Row]]:
    """Return quasi-identifiers -> the sensitive cells of each row with them (MCT08 Definition 1).

    quasi: the number of quasi-identifiers, which are the first columns.
    """
    groups: dict[Row, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[:quasi], []).append(row[quasi:])
    return groups


def generalize(rows: Sequence[Row], trees: Sequence[Hierarchy], node: Sequence[int]) -> list[Row]:
    """Return the rows with column j generalized to level `node[j]` of `trees[j]`, for each tree.

    The other columns are unchanged.
    """
    return [
        tuple(tree.generalize(str(row[j]), node[j]) for j, tree in enumerate(trees))
        + row[len(trees) :]
        for row in rows
    ]


def nodes(trees: Sequence[Hierarchy]) -> list[tuple[int, ...]]:
    """Return all nodes of the lattice of these trees, lowest first."""
    every = product(*(range(tree.height + 1) for tree in trees))
    return sorted(every, key=lambda node: (sum(node), node))


def distinct(group: Sequence[Row]) -> int:
    """Return the number of distinct known values in the column that has the fewest.

    Columns without a known value are ignored. The result is 0 if no column has a known value.
    """
    counts = [
        len({cell for cell in column if cell is not None}) for column in zip(*group, strict=True)
    ]
    return min((n for n in counts if n), default=0)


def partitions(items: Sequence[T]) -> Iterator[list[list[T]]]:
    """Yield all partitions of a list.

    >>> sum(1 for _ in partitions([1, 2, 3, 4]))
    15
    """
    if not items:
        yield []
        return
    first, *rest = items
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for i, part in enumerate(smaller):
            yield [*smaller[:i], [first, *part], *smaller[i + 1 :]]


def fewest_deletions(rows: Sequence[Row], limits: Mapping[int, int] | None = None) -> float:
    """Return the least number of values whose deletion deletes every row (GCG08 Def. 6 and 7).

    An unknown cell may be any value of its column. So deleting any value of the column counts as
    deleting the row of the unknown cell. A row without a known cell is ignored.

    limits: number of a column -> the largest number of its values to delete; None for no limits.
        The result is infinite if the limits prevent deleting all rows.

    >>> fewest_deletions([("heart", "pill"), ("heart", "knife"), ("flu", "iv"), ("gut", "iv")])
    2
    """
    rows = [row for row in rows if any(row)]
    values = sorted({(j, cell) for row in rows for j, cell in enumerate(row) if cell is not None})
    held = [{(j, cell) for j, cell in values if row[j] in (cell, None)} for row in rows]
    for size in range(len(values) + 1):
        for gone in combinations(values, size):
            used = Counter(j for j, _ in gone)
            if all(used[j] <= most for j, most in (limits or {}).items()) and all(
                one.intersection(gone) for one in held
            ):
                return size
    return math.inf


def without(rows: Sequence[Row], gone: Sequence[tuple[int, str | None]]) -> list[Row]:
    """Return the rows without the eliminated (column, value) pairs."""
    return [row for row in rows if not any(row[j] == value for j, value in gone)]


def max_groups(rows: Sequence[Row], p: int, *, completed: bool = True) -> int | None:
    """Return maxGroups by the formula of TV06 Condition 2. All cells must be known.

    cf_i is the largest number of rows that the i most frequent values of an attribute cover. The
    paper does not define it if an attribute has fewer than i values.

    completed: True to define cf_i as the number of rows in this case. If False, the result is None
        if the formula needs an undefined cf_i.
    """
    columns = [sorted(Counter(column).values(), reverse=True) for column in zip(*rows, strict=True)]
    least = min(len(column) for column in columns)
    n, bounds = len(rows), []
    for i in range(1, p):
        if p - i > least and not completed:
            return None
        cf = max(sum(column[: p - i]) for column in columns) if p - i <= least else n
        bounds.append((n - cf) // i)
    return min(bounds)


def max_p(rows: Sequence[Row]) -> int:
    """Return maxP (TV06 Condition 1): the least number of distinct values in a column."""
    return min(len(set(column)) for column in zip(*rows, strict=True))
