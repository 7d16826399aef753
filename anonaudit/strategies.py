"""Hypothesis strategies for tables, hierarchies, roles, policies, and releases that fit a model.

A near miss is a table in which exactly one class violates a model. Releases and near misses are
constructed, not filtered: each class of a release gets the rows and values that the model requires,
and one class of a near miss gets one row or one value too few. Examples shrink to few rows, to the
first letters of the alphabet, and to flat hierarchies.

    >>> from hypothesis import find
    >>> found = find(releases(KAnonymity(2)), lambda table: len(table.rows) > 2)
    >>> len(found.rows)
    3

This module is for tests. It needs hypothesis; in anonaudit only the contract suite and the claims
import it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from anonaudit.cells import Convention
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models import (
    ExtendedPSensitiveKAnonymity,
    KAnonymity,
    LDiversity,
    Model,
    MultiAttributeLDiversity,
    PSensitiveKAnonymity,
)
from anonaudit.models.level import ParameterError
from anonaudit.policy.policy import Policy, parse_policy
from anonaudit.roles import Roles

Row = tuple[str | None, ...]
T = TypeVar("T")

ROLES = Roles(("q1", "q2"), ("s1", "s2"))
VALUES = "abcdefgh"


@dataclass(frozen=True, repr=False)
class Table:
    """A small table with the roles of its columns and hierarchies for some of them.

    The columns are ordered: identifiers, quasi-identifiers, sensitive attributes, unit. The repr is
    the table as text, to make failing examples readable.
    """

    roles: Roles
    rows: tuple[Row, ...]
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        unit = () if self.roles.unit is None else (self.roles.unit,)
        return self.roles.identifiers + self.roles.quasi_identifiers + self.roles.sensitive + unit

    def frame(self) -> pd.DataFrame:
        """The table as a pandas frame of texts; a missing cell is None."""
        return pd.DataFrame(list(self.rows), columns=list(self.columns), dtype=object)

    def classes(self, convention: Convention | None = None) -> EquivalenceClasses:
        """The equivalence classes of the table."""
        base = FrequencySet.of(self.columns, self.rows, convention)
        return equivalence_classes(base, self.roles, convention)

    def __repr__(self) -> str:
        return "\n" + as_text(self.columns, self.rows)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the repr, where Hypothesis would print the dataclass."""
        del cycle
        printer.text(repr(self))


def as_text(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return the rows as aligned text, with `?` for a missing cell.

    >>> print(as_text(["q", "illness"], [("a", "flu"), (None, "hiv")]))
    q  illness
    a  flu
    ?  hiv
    """
    cells = [list(columns), *(["?" if c is None else str(c) for c in row] for row in rows)]
    if not columns:
        return f"({len(rows)} rows of no columns)"
    width = [max(len(line[j]) for line in cells) for j in range(len(columns))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(line, width, strict=True)) for line in cells]
    return "\n".join(line.rstrip() for line in lines)


@st.composite
def hierarchies(
    draw: DrawFn, attribute: str = "q1", values: Sequence[str] = VALUES, *, levels: int = 2
) -> Hierarchy:
    """Draw a hierarchy over `values`, with up to `levels` levels of groups below the root.

    On each level, a value or group either joins a group or stays as it is, so most hierarchies are
    ragged. Examples shrink to a root with the values directly below it.

    attribute: the name of the column that the hierarchy belongs to.
    """
    paths = {value: [value] for value in values}
    for level in range(1, draw(st.integers(0, levels)) + 1):
        tops = list(dict.fromkeys(path[-1] for path in paths.values()))
        joins = draw(st.lists(st.integers(0, 3), min_size=len(tops), max_size=len(tops)))
        above = {
            top: top if number == 0 else f"{level}{'PQR'[number - 1]}"
            for top, number in zip(tops, joins, strict=True)
        }
        for path in paths.values():
            path.append(above[path[-1]])
    return Hierarchy.from_levels(attribute, [[*path, "*"] for path in paths.values()])


def boundaries(tree: Hierarchy) -> SearchStrategy[tuple[str, ...]]:
    """Draw boundaries (maximum allowed generalization values): any nodes, nested or not."""
    return st.lists(st.sampled_from(tree.nodes), unique=True, max_size=4).map(tuple)


def protected_values(tree: Hierarchy) -> SearchStrategy[tuple[str, ...]]:
    """Draw inner nodes to protect; the tuple is empty if the hierarchy has no inner nodes."""
    inner = [value for value in tree.nodes if value not in tree.paths]
    return st.lists(st.sampled_from(inner), unique=True, max_size=3).map(tuple)


def protected_zones(tree: Hierarchy) -> SearchStrategy[frozenset[str]]:
    """Draw sets of protected nodes: some inner nodes, all nodes below them, and all leaves."""

    def closed(tops: tuple[str, ...]) -> frozenset[str]:
        below = {v for v in tree.nodes if any(t in tree.ancestors(v) for t in tops)}
        return frozenset(below.union(tree.paths))

    return protected_values(tree).map(closed)


@st.composite
def roles(draw: DrawFn, columns: Sequence[str] = ("c1", "c2", "c3", "c4")) -> Roles:
    """Draw roles for the columns, at least one of which is a quasi-identifier.

    Every other column is a quasi-identifier, sensitive or an identifier.
    """
    order = draw(st.permutations(columns))
    quasi = draw(st.integers(1, len(order)))
    sensitive = draw(st.integers(0, len(order) - quasi))
    return Roles(
        tuple(order[:quasi]),
        tuple(order[quasi : quasi + sensitive]),
        tuple(order[quasi + sensitive :]),
    )


@st.composite
def policies(draw: DrawFn, columns: Roles = ROLES) -> Policy:
    """Draw policies, parsed from TOML, that require zero or more models for these columns."""
    k = draw(st.integers(1, 5))
    lines = [
        f"quasi-identifiers = {list(columns.quasi_identifiers)}",
        f"sensitive = {list(columns.sensitive)}",
    ]
    possible = [f"k-anonymity = {{ k = {k} }}"]
    if columns.sensitive:
        p = draw(st.integers(1, k))
        possible += [
            f"p-sensitive-k-anonymity = {{ p = {p}, k = {k} }}",
            f"multi-attribute-l-diversity = {{ l = {p} }}",
            f"rule-confidence = {{ below = {draw(st.sampled_from(('0.5', '0.7', '1.0')))} }}",
        ]
    required = draw(st.lists(st.sampled_from(possible), unique=True))
    return parse_policy("\n".join(["[columns]", *lines, "[require]", *required]))


def cells(
    column: str,
    trees: Mapping[str, Hierarchy],
    values: Sequence[str] = VALUES,
    *,
    unknown: bool = False,
) -> SearchStrategy[str | None]:
    """Draw cells of a column.

    column: the name of the column.
    trees: column -> hierarchy. If the column has a hierarchy, the cells are its leaves.
    values: the cells of a column without a hierarchy.
    unknown: True to draw suppressed cells (`*`) and missing cells (None) as well.
    """
    pool: list[str | None] = list(trees[column].leaves if column in trees else values)
    return st.sampled_from([*pool, "*", None] if unknown else pool)


@st.composite
def tables(
    draw: DrawFn,
    columns: Roles = ROLES,
    trees: Mapping[str, Hierarchy] | None = None,
    *,
    values: Sequence[str] = "abcd",
    min_rows: int = 1,
    max_rows: int = 10,
    unknown_quasi: bool = False,
    unknown_sensitive: bool = False,
) -> Table:
    """Draw arbitrary tables with these roles. All identifiers in a table differ.

    columns: the roles of the columns.
    trees: column -> hierarchy. If a column has a hierarchy, its cells are leaves of the hierarchy.
    values: the cells of columns without a hierarchy.
    min_rows, max_rows: the smallest and largest number of rows.
    unknown_quasi, unknown_sensitive: True to draw missing and suppressed cells as well, in the
        quasi-identifiers or in the sensitive columns.
    """
    trees = trees or {}
    one_row = st.tuples(
        *(cells(c, trees, values, unknown=unknown_quasi) for c in columns.quasi_identifiers),
        *(cells(c, trees, values, unknown=unknown_sensitive) for c in columns.sensitive),
    )
    rows = draw(st.lists(one_row, min_size=min_rows, max_size=max_rows))
    named = [(*(f"{name}-{i}" for name in columns.identifiers), *row) for i, row in enumerate(rows)]
    return Table(columns, tuple(named), trees)


@dataclass(frozen=True)
class _Need:
    """The requirements of a model for a class.

    k: the least number of rows.
    p: the least number of distinct values (or protected subtrees) of each sensitive attribute.
    l: the least number of values whose deletion deletes all rows (GCG08 Definition 6).
    model: the model, if it needs its hierarchies and protected values; None for other models.
    """

    k: int = 1
    p: int = 1
    l: int = 1
    model: ExtendedPSensitiveKAnonymity | None = None


def _need(model: Model) -> _Need:
    if isinstance(model, KAnonymity):
        return _Need(k=model.k or 1)
    if isinstance(model, PSensitiveKAnonymity):
        return _Need(k=model.k or model.p or 1, p=model.p or 1)
    if isinstance(model, ExtendedPSensitiveKAnonymity):
        return _Need(k=model.k or model.p or 1, p=model.p or 1, model=model)
    if isinstance(model, LDiversity) and model == LDiversity(model.l):
        return _Need(k=model.l or 1, p=model.l or 1)
    if isinstance(model, MultiAttributeLDiversity) and not model.at_most:
        return _Need(k=model.l or 1, l=model.l or 1)
    raise ParameterError(f"there is no construction for {model!r}; draw from tables() and filter")


def can_be_built(model: Model, columns: Roles = ROLES) -> bool:
    """Return True if `releases` and `near_misses` can construct tables for a model.

    >>> can_be_built(KAnonymity(2)), can_be_built(KAnonymity(1))
    (True, False)
    """
    try:
        need = _need(model)
        _require_sensitive(columns, need)
        wide = all(len(_zones(name, need.model)) >= need.p for name in columns.sensitive)
    except ParameterError:
        return False
    return wide and max(need.k, need.p, need.l) > 1


@st.composite
def releases(
    draw: DrawFn, model: Model, columns: Roles = ROLES, *, max_classes: int = 3, extra: int = 2
) -> Table:
    """Draw releases that satisfy a model, constructed class by class.

    model: k-anonymity, p-sensitive or extended p-sensitive k-anonymity, distinct l-diversity, or
        L-diversity over several attributes without limits. Its parameters set the requirement.
    columns: the roles of the columns.
    max_classes: the largest number of classes.
    extra: the largest number of rows that a class has in addition to the required number.

    Raises ParameterError for other models, and if the model needs a sensitive attribute but the
    roles name none.
    """
    need = _need(model)
    keys = draw(_keys(columns, max_classes))
    return draw(_table(columns, [(key, _members(columns, need, extra)) for key in keys]))


@st.composite
def near_misses(
    draw: DrawFn, model: Model, columns: Roles = ROLES, *, max_classes: int = 3, extra: int = 2
) -> Table:
    """Draw releases in which exactly one class violates a model, by construction.

    If the model requires only a class size, the violating class has k - 1 rows. Otherwise it has
    enough rows, but one value (or protected subtree, or necessary deletion) too few.

    Parameters and errors are those of `releases`. ParameterError is also raised if no class can
    violate the model.
    """
    need = _need(model)
    if max(need.k, need.p, need.l) < 2:
        raise ParameterError(f"every class satisfies {model!r}; require 2 or more")
    first, *keys = draw(_keys(columns, max_classes))
    drawn = [(key, _members(columns, need, extra)) for key in keys]
    return draw(_table(columns, [(first, _short(columns, need, extra)), *drawn]))


def _keys(columns: Roles, most: int) -> SearchStrategy[list[tuple[str, ...]]]:
    one = st.tuples(*(st.sampled_from("01234567") for _ in columns.quasi_identifiers))
    if not columns.quasi_identifiers:
        return st.just([()])
    return st.lists(one, unique=True, min_size=1, max_size=most)


@st.composite
def _table(
    draw: DrawFn,
    columns: Roles,
    drawn: list[tuple[tuple[str, ...], SearchStrategy[list[tuple[str, ...]]]]],
) -> Table:
    rows = [(*key, *row) for key, members in drawn for row in draw(members)]
    return Table(columns, tuple(_turned(rows, draw(st.integers(0, len(rows))))))


@st.composite
def _members(draw: DrawFn, columns: Roles, need: _Need, extra: int) -> list[tuple[str, ...]]:
    """The sensitive values of a class that meets the requirements, row by row."""
    size = draw(st.integers(0, extra)) + max(need.k, need.p, need.l)
    drawn = [draw(_column(name, need, size, need.p)) for name in columns.sensitive]
    for column in drawn if need.l > 1 else []:  # no two of the first L rows then share a value
        column[: need.l] = _turned(VALUES[: need.l], draw(st.integers(0, need.l)))
    _require_sensitive(columns, need)
    return [tuple(column[i] for column in drawn) for i in range(size)]


@st.composite
def _short(draw: DrawFn, columns: Roles, need: _Need, extra: int) -> list[tuple[str, ...]]:
    """The sensitive values of a class that misses one requirement by one, row by row."""
    _require_sensitive(columns, need)
    names = columns.sensitive
    if need.l > 1:  # each row has one of L - 1 values; deleting these values deletes the class
        size = draw(st.integers(0, extra)) + need.k
        cover = [(draw(st.sampled_from(range(len(names)))), VALUES[i]) for i in range(need.l - 1)]
        rows = [[draw(st.sampled_from(VALUES)) for _ in names] for _ in range(size)]
        for row in rows:
            j, value = draw(st.sampled_from(cover))
            row[j] = value
        return [tuple(row) for row in rows]
    if need.p > 1:
        size = draw(st.integers(0, extra)) + need.k
        less = draw(st.sampled_from(names))
        drawn = [
            draw(_column(name, need, size, need.p - (name == less), exact=name == less))
            for name in names
        ]
        return [tuple(column[i] for column in drawn) for i in range(size)]
    return [tuple(draw(st.sampled_from(VALUES)) for _ in names) for _ in range(need.k - 1)]


def _require_sensitive(columns: Roles, need: _Need) -> None:
    if max(need.p, need.l) > 1 and not columns.sensitive:
        raise ParameterError("the model is about sensitive values, but the roles name no column")


@st.composite
def _column(
    draw: DrawFn, name: str, need: _Need, size: int, different: int, *, exact: bool = False
) -> list[str]:
    """A column of a class with at least `different` values (or protected subtrees).

    size: the number of rows.
    exact: True for exactly `different` values (or protected subtrees).
    """
    zones = _zones(name, need.model)
    if len(zones) < different:
        raise ParameterError(f"{name!r} has {len(zones)} protected subtrees, not {different}")
    one = st.sampled_from(sorted(zones))
    chosen = draw(st.lists(one, unique=True, min_size=different, max_size=different))
    pool = [value for zone in chosen for value in zones[zone]] if exact else None
    anything = pool or [value for values in zones.values() for value in values]
    needed = [draw(st.sampled_from(zones[zone])) for zone in chosen]
    rest = [draw(st.sampled_from(anything)) for _ in range(size - different)]
    return _turned([*needed, *rest], draw(st.integers(0, size)))


def _turned(items: Sequence[T], by: int) -> list[T]:
    """Rotate the items by `by` places. To draw a permutation would take more random draws."""
    start = by % max(len(items), 1)
    return [*items[start:], *items[:start]]


def _zones(name: str, model: ExtendedPSensitiveKAnonymity | None) -> dict[str, list[str]]:
    """Return protected subtree -> its leaves, for one sensitive column.

    If the column has no hierarchy, each value is a subtree of its own.
    """
    if model is None or name not in model.hierarchies:
        return {value: [value] for value in VALUES}
    strong = model.hierarchies[name].strong_values(model.protected.get(name, ()))
    zones: dict[str, list[str]] = {}
    for leaf in model.hierarchies[name].leaves:
        zones.setdefault(strong[leaf], []).append(leaf)
    return zones
