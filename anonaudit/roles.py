"""Which column plays which part: identifier, quasi-identifier, sensitive, unit, count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from anonaudit.errors import RoleError, closest, listed


@dataclass(frozen=True)
class Roles:
    """The parts columns play in an audit (TV06 section 2: identifiers, key, confidential).

    identifiers: columns that name a person; they must not be in a release.
    quasi_identifiers: columns an adversary may know; together they form the classes.
    sensitive: columns an adversary must not learn.
    unit: the column that says which rows belong to one person; then persons are counted.
    count: the column of an aggregated release that says for how many records a row stands.
    weight: the sampling weight of a row; it enters the individual risk and the
        sampling fraction, and nothing else.
    household: the column that says which rows belong to one household, for the risk of households.
    """

    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    unit: str | None = None
    count: str | None = None
    weight: str | None = None
    household: str | None = None

    def named(self) -> tuple[tuple[str, str], ...]:
        """Every (part, column) pair, in a fixed order."""
        pairs = [("identifier", c) for c in self.identifiers]
        pairs += [("quasi-identifier", c) for c in self.quasi_identifiers]
        pairs += [("sensitive", c) for c in self.sensitive]
        pairs += [("unit", self.unit)] if self.unit is not None else []
        pairs += [("count", self.count)] if self.count is not None else []
        pairs += [("weight", self.weight)] if self.weight is not None else []
        pairs += [("household", self.household)] if self.household is not None else []
        return tuple(pairs)

    def clashes(self) -> Iterator[tuple[int, int]]:
        """Every place in `named()` that names a column again, after its first place.

        A column plays one part only.

        >>> list(Roles(("age", "dx"), ("dx",)).clashes())
        [(1, 2)]
        """
        first: dict[str, int] = {}
        for place, (_, column) in enumerate(self.named()):
            if first.setdefault(column, place) != place:
                yield first[column], place

    @property
    def counts_twice(self) -> bool:
        """Whether there is a unit and a count column: one row a record, or one row for many."""
        return self.unit is not None and self.count is not None

    def problems(self, columns: Sequence[str]) -> list[str]:
        """Every way these roles do not fit a table with those columns; empty if they do.

        A column may play one part only. All named columns must be there, but for
        identifiers, which a release must not have.
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
            problems.append(f"column {column!r} is named {how}; a column plays one part")
        if self.counts_twice:
            problems.append(
                "a unit column and a count column exclude each other: a release has either "
                "one row a record, or one row for many"
            )
        return problems

    def check(self, columns: Sequence[str], source: str) -> None:
        """Raise RoleError with every problem at once."""
        problems = self.problems(columns)
        if problems:
            raise RoleError(f"{source}: " + "; ".join(problems))

    def promote(self, *sensitive: str) -> Roles:
        """The roles of an adversary who also knows these sensitive columns.

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
