"""The roles of columns: identifier, quasi-identifier, sensitive, unit, count, weight, household."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from anonaudit.errors import RoleError, closest, listed


@dataclass(frozen=True)
class Roles:
    """The roles of the columns in an audit (TV06 section 2: identifiers, key, confidential).

    identifiers: columns that name a person; a release must not have them.
    quasi_identifiers: columns an adversary may know; their values define the equivalence classes.
    sensitive: columns an adversary must not learn.
    unit: the column with the person's id. If it is given, persons are counted instead of rows.
    count: in an aggregated release, the column with the number of records that a row represents.
    weight: the column of sampling weights. Only the individual risk, the sampling fraction and the
        log-linear models of population uniqueness use it.
    household: the column with the household's id, for the household risk.

    The last four are None if the table has no such column.
    """

    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    unit: str | None = None
    count: str | None = None
    weight: str | None = None
    household: str | None = None

    def named(self) -> tuple[tuple[str, str], ...]:
        """Return every (role, column) pair, in a fixed order."""
        pairs = [("identifier", c) for c in self.identifiers]
        pairs += [("quasi-identifier", c) for c in self.quasi_identifiers]
        pairs += [("sensitive", c) for c in self.sensitive]
        pairs += [("unit", self.unit)] if self.unit is not None else []
        pairs += [("count", self.count)] if self.count is not None else []
        pairs += [("weight", self.weight)] if self.weight is not None else []
        pairs += [("household", self.household)] if self.household is not None else []
        return tuple(pairs)

    def clashes(self) -> Iterator[tuple[int, int]]:
        """Yield the two positions in `named()` of each column that is named twice, lower first.

        >>> list(Roles(("age", "dx"), ("dx",)).clashes())
        [(1, 2)]
        """
        first: dict[str, int] = {}
        for place, (_, column) in enumerate(self.named()):
            if first.setdefault(column, place) != place:
                yield first[column], place

    @property
    def counts_twice(self) -> bool:
        """True if there is a unit and a count column; the two exclude each other."""
        return self.unit is not None and self.count is not None

    def problems(self, columns: Sequence[str]) -> list[str]:
        """Return the reasons why the roles do not fit a table with these columns; empty if they do.

        A column must not have two roles, every column except an identifier must exist, and a unit
        and a count column exclude each other.
        """
        named = self.named()
        problems = [
            f"there is no column {column!r} ({part}). {closest(column, columns)}"
            for part, column in named
            if column not in columns and part != "identifier"
        ]
        for first, again in self.clashes():
            other, (part, column) = named[first][0], named[again]
            how = f"twice as {part}" if other == part else f"as {other} and as {part}"
            problems.append(f"column {column!r} is named {how}; a column has one role only")
        if self.counts_twice:
            problems.append(
                "a unit column and a count column exclude each other: a row of the release is "
                "either one record or several"
            )
        return problems

    def check(self, columns: Sequence[str], source: str) -> None:
        """Raise RoleError with all problems, unless the roles fit."""
        problems = self.problems(columns)
        if problems:
            raise RoleError(f"{source}: " + "; ".join(problems))

    def promote(self, *sensitive: str) -> Roles:
        """Return roles in which these sensitive columns are quasi-identifiers.

        They describe an adversary who also knows these columns. Raises RoleError for a column that
        is not sensitive.

        >>> Roles(("age",), ("dx", "debt")).promote("debt").quasi_identifiers
        ('age', 'debt')
        """
        unknown = [column for column in sensitive if column not in self.sensitive]
        if unknown:
            raise RoleError(f"not sensitive, so it cannot be promoted: {listed(unknown)}")
        return replace(
            self,
            quasi_identifiers=self.quasi_identifiers + sensitive,
            sensitive=tuple(c for c in self.sensitive if c not in sensitive),
        )
