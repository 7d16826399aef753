"""Hypothesis strategies: tables, hierarchies, roles, policies, releases that satisfy a model.

Releases and near misses are built, not filtered: a class is drawn with what its model asks for,
or with one thing less. Everything shrinks to few rows, first letters and flat hierarchies.

    >>> from hypothesis import find
    >>> found = find(releases(KAnonymity(2)), lambda table: len(table.rows) > 2)
    >>> len(found.rows)
    3

A module for tests: it needs hypothesis, and nothing else in anonaudit but the contract suite and
the claims imports it.
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
    """A small table: its columns' roles, its rows, and hierarchies of some columns.

    Columns stand in the order identifiers, quasi-identifiers, sensitive attributes, unit. Its repr
    is the table as text, so that a failing example can be read.
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
        """The table as text in pandas; a missing cell is None."""
        return pd.DataFrame(list(self.rows), columns=list(self.columns), dtype=object)

    def classes(self, convention: Convention | None = None) -> EquivalenceClasses:
        """Its equivalence classes."""
        base = FrequencySet.of(self.columns, self.rows, convention)
        return equivalence_classes(base, self.roles, convention)

    def __repr__(self) -> str:
        return "\n" + as_text(self.columns, self.rows)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How Hypothesis prints it: like repr, not as a dataclass."""
        del cycle
        printer.text(repr(self))


def as_text(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows in columns, a missing cell as `?`.

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
    """Hierarchies over all these values, with up to `levels` levels of groups below the root.

    At every level each value or group joins another group or stays as it is, so most of them are
    ragged. Shrinks to the values right below the root.
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
    """Maximum allowed generalization values of a hierarchy: any of its values, nested or not."""
    return st.lists(st.sampled_from(tree.nodes), unique=True, max_size=4).map(tuple)


def protected_values(tree: Hierarchy) -> SearchStrategy[tuple[str, ...]]:
    """Inner values to protect, the tops of zones; none, if the hierarchy has no inner values."""
    inner = [value for value in tree.nodes if value not in tree.paths]
    return st.lists(st.sampled_from(inner), unique=True, max_size=3).map(tuple)


def protected_zones(tree: Hierarchy) -> SearchStrategy[frozenset[str]]:
    """Protected sets closed downwards: some inner values with all below them, and all leaves."""

    def closed(tops: tuple[str, ...]) -> frozenset[str]:
        below = {v for v in tree.nodes if any(t in tree.ancestors(v) for t in tops)}
        return frozenset(below.union(tree.paths))

    return protected_values(tree).map(closed)


@st.composite
def roles(draw: DrawFn, columns: Sequence[str] = ("c1", "c2", "c3", "c4")) -> Roles:
    """A part for each column: quasi-identifiers (at least one), sensitive, identifiers."""
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
    """Policies that require some models of these columns, read from their TOML text."""
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
    """Cells of a column: leaves of its hierarchy, else the values; unknown: also `*` or missing."""
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
    """Any tables with these roles.

    trees: hierarchies by column; their leaves are the values there. unknown_quasi,
    unknown_sensitive: whether cells may be missing or suppressed. Identifiers are all different.
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
    """What a model asks of each class: k rows, p values an attribute, L deletions."""

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
    """Whether `releases` and `near_misses` know how to build releases for a model.

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
    """Releases that satisfy a model, class by class, by construction.

    model: k-anonymity, p-sensitive or extended p-sensitive k-anonymity, distinct l-diversity, or
        L-diversity over several attributes without limits; with its parameters.
    max_classes: how many classes at most. extra: rows a class may have beyond those needed.

    Raises ParameterError for other models, or where a sensitive attribute is needed.
    """
    need = _need(model)
    keys = draw(_keys(columns, max_classes))
    return draw(_table(columns, [(key, _members(columns, need, extra)) for key in keys]))


@st.composite
def near_misses(
    draw: DrawFn, model: Model, columns: Roles = ROLES, *, max_classes: int = 3, extra: int = 2
) -> Table:
    """Releases of which exactly one class falls short of a model, by construction.

    The short class has a row less than k; or, where the model asks for sensitive values, enough
    rows, but a value (a protected subtree, a needed deletion) less than it should.

    Parameters and errors as for `releases`; ParameterError also where no class can fall short.
    """
    need = _need(model)
    if max(need.k, need.p, need.l) < 2:
        raise ParameterError(f"no class can fall short of {model!r}: ask for 2 or more")
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
    """The sensitive rows of a class that meets the need."""
    size = draw(st.integers(0, extra)) + max(need.k, need.p, need.l)
    drawn = [draw(_column(name, need, size, need.p)) for name in columns.sensitive]
    for column in drawn if need.l > 1 else []:  # the first L rows have no value in common
        column[: need.l] = _turned(VALUES[: need.l], draw(st.integers(0, need.l)))
    _require_sensitive(columns, need)
    return [tuple(column[i] for column in drawn) for i in range(size)]


@st.composite
def _short(draw: DrawFn, columns: Roles, need: _Need, extra: int) -> list[tuple[str, ...]]:
    """The sensitive rows of a class that misses the need by one."""
    _require_sensitive(columns, need)
    names = columns.sensitive
    if need.l > 1:  # every row has one of L - 1 values, so deleting those deletes the class
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
    """A column of a class with at least, or exactly, so many values (protected subtrees)."""
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
    """The items from another one on: a different order for less than a permutation costs."""
    start = by % max(len(items), 1)
    return [*items[start:], *items[:start]]


def _zones(name: str, model: ExtendedPSensitiveKAnonymity | None) -> dict[str, list[str]]:
    """The leaves of each protected subtree; without a hierarchy every value is one of its own."""
    if model is None or name not in model.hierarchies:
        return {value: [value] for value in VALUES}
    strong = model.hierarchies[name].strong_values(model.protected.get(name, ()))
    zones: dict[str, list[str]] = {}
    for leaf in model.hierarchies[name].leaves:
        zones.setdefault(strong[leaf], []).append(leaf)
    return zones
