"""Strategies for the tables of the laws, and equivalent forms of the input frame of a masker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.roles import Roles
from anonaudit.strategies import VALUES, Table, tables

Kinds = tuple[SearchStrategy[Table], ...]


@st.composite
def tall(draw: DrawFn, some: SearchStrategy[Table], most: int = 32) -> Table:
    """Tables of `some` with the rows repeated, up to `most` rows.

    Repeated rows give large classes with few random draws.
    """
    table = draw(some)
    n, names = len(table.rows), table.roles.identifiers
    rows = [table.rows[i % n][len(names) :] for i in range(draw(st.integers(n, most)))]
    named = [(*(f"{name}-{i}" for name in names), *row) for i, row in enumerate(rows)]
    return replace(table, rows=tuple(named))


@st.composite
def gapped(draw: DrawFn, some: SearchStrategy[Table]) -> Table:
    """Tables of `some` with missing cells. The first row is complete, so every column has a value.

    The tables of `some` must have at least two rows.
    """
    table = draw(some)
    n, width, names = len(table.rows), len(table.columns), len(table.roles.identifiers)
    one = st.tuples(st.integers(1, n - 1), st.integers(names, width - 1))
    gone = set(draw(st.lists(one, min_size=1, max_size=2 * n)))
    rows = [
        tuple(None if (i, j) in gone else cell for j, cell in enumerate(row))
        for i, row in enumerate(table.rows)
    ]
    return replace(table, rows=tuple(rows))


def any_tables(roles: Roles) -> Kinds:
    """Three strategies for releases.

    The releases of the first may have unknown cells in all columns, or no rows. The releases of the
    second may have unknown sensitive cells. The releases of the third have large classes.
    """
    draw = partial(tables, roles, max_rows=8)
    any_unknown = draw(values="ab", min_rows=0, unknown_quasi=True, unknown_sensitive=True)
    sensitive_unknown = draw(values="ab", unknown_sensitive=True)
    return any_unknown, sensitive_unknown, tall(draw(values="abc", max_rows=6))


def masker_tables(roles: Roles, trees: Mapping[str, Hierarchy], *, missing: bool) -> Kinds:
    """Strategies for the input tables of maskers: small, large, and with missing cells.

    trees: hierarchies by quasi-identifier. missing: False leaves out the tables with missing cells.
    """
    draw = partial(tables, roles, trees, max_rows=8)
    return draw(), tall(draw()), *([gapped(draw(min_rows=2))] if missing else [])


def poor(roles: Roles, trees: Mapping[str, Hierarchy], *, missing: bool) -> Kinds:
    """Strategies for tables that cannot satisfy most models.

    The tables have few rows, or the same sensitive values in all rows. trees, missing: as for
    `masker_tables`.
    """
    draw = partial(tables, roles, trees)
    same = draw(values="ab", max_rows=5).map(partial(alike, roles=roles))
    return draw(max_rows=2), same, *([gapped(draw(min_rows=2, max_rows=3))] if missing else [])


def told_apart(roles: Roles, trees: Mapping[str, Hierarchy]) -> SearchStrategy[Table]:
    """Tables in which all rows have different sensitive values, and are not sorted by them."""
    one = tables(roles, trees, min_rows=len(VALUES), max_rows=len(VALUES))
    cut, width = len(roles.quasi_identifiers) + len(roles.identifiers), len(roles.sensitive)

    def renamed(table: Table, order: Sequence[str]) -> Table:
        pairs = zip(table.rows, order, strict=True)
        return replace(table, rows=tuple((*row[:cut], *[own] * width) for row, own in pairs))

    turns = st.integers(1, len(VALUES) - 1).map(lambda by: (*VALUES[by:], *VALUES[:by]))
    return st.builds(renamed, one, turns)


def few(table: Table) -> Table:
    """Return the table cut to its first row."""
    return replace(table, rows=table.rows[:1])


def alike(table: Table, roles: Roles) -> Table:
    """Return the table with the sensitive values of its first row in every row."""
    cut = len(table.columns) - len(roles.sensitive)
    rows = tuple((*row[:cut], *table.rows[0][cut:]) for row in table.rows)
    return replace(table, rows=rows)


def _row_orders(frame: pd.DataFrame) -> list[pd.DataFrame]:
    n = len(frame)
    orders = [list(reversed(range(n))), [*range(1, n), 0]]
    return [frame.iloc[order].reset_index(drop=True) for order in orders]


def _indexes(frame: pd.DataFrame) -> list[pd.DataFrame]:
    n = len(frame)
    labels: list[list[Any]] = [list(range(10 + n, 10, -1)), ["x"] * n]
    return [frame.set_axis(index, axis=0) for index in labels]


def _categories(frame: pd.DataFrame, *, turned: bool) -> pd.DataFrame:
    """Return the frame with categorical columns.

    turned: True reverses the order of the categories and adds an unused category.
    """
    copy = frame.copy()
    for name in frame.columns:
        used = sorted(frame[name].dropna().unique())
        order = [*reversed(used), "unused"] if turned else used
        copy[name] = pd.Categorical(frame[name], categories=order)
    return copy


VARIANTS: tuple[tuple[str, Callable[[pd.DataFrame], list[pd.DataFrame]]], ...] = (
    ("row order", _row_orders),
    ("column order", lambda frame: [frame[list(reversed(frame.columns))]]),
    ("index", _indexes),
    ("dtype", lambda frame: [frame.astype("string"), _categories(frame, turned=False)]),
    ("category order", lambda frame: [_categories(frame, turned=True)]),
)
