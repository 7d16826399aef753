"""Other tables about the same people: populations, and what an adversary has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.errors import InputError, closest
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.policy.repairs import repaired
from anonaudit.policy.tables import PeopleFile
from anonaudit.source.table import ROW_NUMBER


def people_of(
    prepared: PreparedRelease, file: PeopleFile, identity: Sequence[str] | None = None
) -> FrequencySet:
    """A table of people, counted over its identity and the quasi-identifiers it has.

    identity: columns in place of those that name its people. Quasi-identifiers have their names
        in the policy.

    Raises InputError for a table that cannot be read or lacks a column that the policy names.
    """
    policy, table = prepared.policy, prepared.open(file)
    identity = file.identity if identity is None else identity
    for column in (*identity, *file.columns.values()):
        if column not in (ROW_NUMBER, *table.columns):
            near = closest(column, table.columns)
            raise InputError(f"{table.name}: there is no column {column!r}. {near}")
    theirs = {
        q: file.columns.get(q) or _column_of(q, table.columns)
        for q in policy.roles.quasi_identifiers
    }
    known_as = {column: q for q, column in theirs.items() if column in table.columns}
    wanted = [*(c for c in identity if c not in known_as), *known_as]
    counted = count(table, wanted, policy.convention)
    names = tuple(known_as.get(column, column) for column in wanted)
    return repaired(replace(counted, attributes=names), policy)


def _column_of(name: str, columns: Sequence[str]) -> str:
    """The column with this name, or with the same name but for case and blanks."""
    alike = [column for column in columns if _bare(column) == _bare(name)]
    return name if name in columns or len(alike) != 1 else alike[0]


def _bare(name: str) -> str:
    return "".join(name.split()).casefold()
