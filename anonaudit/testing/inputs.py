"""What `check_masker` tries a masker on, beside the tables drawn for every law."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.roles import Roles
from anonaudit.strategies import VALUES, Table, tables


def told_apart(roles: Roles, trees: Mapping[str, Hierarchy]) -> SearchStrategy[Table]:
    """Tables whose every row has sensitive values of its own, not sorted by them."""
    one = tables(roles, trees, min_rows=len(VALUES), max_rows=len(VALUES))
    cut, width = len(roles.quasi_identifiers) + len(roles.identifiers), len(roles.sensitive)

    def renamed(table: Table, order: Sequence[str]) -> Table:
        pairs = zip(table.rows, order, strict=True)
        return replace(table, rows=tuple((*row[:cut], *[own] * width) for row, own in pairs))

    turns = st.integers(1, len(VALUES) - 1).map(lambda by: (*VALUES[by:], *VALUES[:by]))
    return st.builds(renamed, one, turns)


def few(table: Table) -> Table:
    """The first row of the table."""
    return replace(table, rows=table.rows[:1])


def alike(table: Table, roles: Roles) -> Table:
    """The table with the sensitive values of the first row in all rows."""
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
    """Text as categories, in the order of their text, or turned round and with an unused one."""
    found = frame.copy()
    for name in frame.columns:
        used = sorted(frame[name].dropna().unique())
        order = [*reversed(used), "unused"] if turned else used
        found[name] = pd.Categorical(frame[name], categories=order)
    return found


VARIANTS: dict[str, Callable[[pd.DataFrame], list[pd.DataFrame]]] = {
    "row order": _row_orders,
    "column order": lambda frame: [frame[list(reversed(frame.columns))]],
    "index": _indexes,
    "dtype": lambda frame: [frame.astype("string"), _categories(frame, turned=False)],
    "category order": lambda frame: [_categories(frame, turned=True)],
}
