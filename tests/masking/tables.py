"""Tables for the tests of masking, the papers' own and generated ones, and plain second opinions."""

import csv
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from anonaudit import datasets
from anonaudit.cells import Convention
from anonaudit.frequency.frequency_set import encode
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.recoding import Microdata, Recoding
from anonaudit.roles import Roles

Cell = str | None
Row = tuple[Cell, ...]

# Three trees over four values: two levels, one level, and one of unequal depth.
TREES = {
    "q0": [["0", "low"], ["1", "low"], ["2", "high"], ["3", "high"]],
    "q1": [["0"], ["1"]],
    "q2": [["0", "a", "b"], ["1", "a", "b"], ["2", "c"], ["3", "d", "e"]],
}

# Releases are read back as an auditor reads them, which takes a while.
fewer = settings(max_examples=settings.default.max_examples // 4)


@cache
def hierarchies(*names: str) -> dict[str, Hierarchy]:
    return {name: Hierarchy(name, TREES[name]) for name in names}


def microdata(rows: Sequence[Row], quasi: int, sensitive: int) -> Microdata:
    """Rows with quasi-identifiers q0, q1, ... and sensitive attributes s0, s1, ..."""
    names = [f"q{j}" for j in range(quasi)], [f"s{j}" for j in range(sensitive)]
    coded = [encode([row[j] for row in rows], Convention()) for j in range(quasi + sensitive)]
    return Microdata(
        Roles(tuple(names[0]), tuple(names[1])),
        tuple(labels for labels, _ in coded),
        np.column_stack([codes for _, codes in coded]),
        hierarchies(*names[0]),
    )


def tables(
    quasi: int = 2, sensitive: int = 1, values: str = "xyz", unknown: bool = True, most: int = 14
) -> st.SearchStrategy[list[Row]]:
    """Rows of the trees' leaves, and sensitive values that may be missing or suppressed."""
    leaves = [st.sampled_from([row[0] for row in TREES[f"q{j}"]]) for j in range(quasi)]
    cell = st.sampled_from([*values, *([None, "*"] if unknown else [])])
    return st.lists(st.tuples(*leaves, *[cell] * sensitive), min_size=1, max_size=most)


def released(recoding: Recoding) -> list[Row]:
    """The released rows as plain tuples."""
    return [tuple(row) for row in recoding.frame().itertuples(index=False)]


def read_table(name: str, roles: Roles, *trees: str) -> Microdata:
    """A dataset with hierarchies from the same folder."""
    folder = name.split("/", maxsplit=1)[0]
    found = {
        t: Hierarchy.read(datasets.path(f"{folder}/hierarchies/{t}.csv"), attribute=t)
        for t in trees
    }
    return Microdata.read(datasets.path(f"{name}.csv"), roles, found)


def lines(name: str) -> list[dict[str, str]]:
    with datasets.path(f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def level(value: str, attribute: str, height: int) -> str:
    """Full-domain generalization of one value, straight from the rows of its tree."""
    return hierarchies(attribute)[attribute].paths[value][height]


def at_node(rows: Sequence[Row], node: Sequence[int]) -> list[Row]:
    q = len(node)
    return [(*(level(row[j], f"q{j}", node[j]) for j in range(q)), *row[q:]) for row in rows]


def nodes(quasi: int) -> Iterator[tuple[int, ...]]:
    heights = [hierarchies(f"q{j}")[f"q{j}"].height for j in range(quasi)]
    return product(*(range(height + 1) for height in heights))


def partitions(items: Sequence[int]) -> Iterator[list[list[int]]]:
    """All ways to put the items into groups."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for i, part in enumerate(smaller):
            yield [*smaller[:i], [first, *part], *smaller[i + 1 :]]
