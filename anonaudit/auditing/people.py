"""Read other tables about the same people: populations, and the tables of an adversary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.errors import InputError, closest
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.spellings import name_key
from anonaudit.policy.repairs import repaired
from anonaudit.policy.table_files import PeopleFile
from anonaudit.source.table import ROW_NUMBER


def people_of(
    prepared: PreparedRelease, file: PeopleFile, identity: Sequence[str] | None = None
) -> FrequencySet:
    """Count a table of people over its identity columns and quasi-identifiers.

    Quasi-identifiers that the table lacks are left out. The others are named as in the policy, even
    if the table has other names for them.

    identity: columns to use instead of the file's identity columns. If None, the result is cached.

    Raises InputError if the table cannot be read or lacks a column that the policy names.
    """
    if identity is None and id(file) in prepared.people:
        return prepared.people[id(file)]
    policy, table = prepared.policy, prepared.open(file)  # keeps the file, so its id stays valid
    named = file.identity if identity is None else identity
    for column in (*named, *file.columns.values()):
        if column not in (ROW_NUMBER, *table.columns):
            near = closest(column, table.columns)
            raise InputError(f"{table.name}: there is no column {column!r}. {near}")
    theirs = {
        q: file.columns.get(q) or _column_of(q, table.columns)
        for q in policy.roles.quasi_identifiers
    }
    known_as = {column: q for q, column in theirs.items() if column in table.columns}
    wanted = [*(c for c in named if c not in known_as), *known_as]
    counted = count(table, wanted, policy.convention)
    names = tuple(known_as.get(column, column) for column in wanted)
    people = repaired(replace(counted, attributes=names), policy)
    if identity is None:
        prepared.people[id(file)] = people
    return people


def _column_of(name: str, columns: Sequence[str]) -> str:
    """Return the column with this name, or the only column whose name differs just in spelling.

    If there is no such column, return `name`.
    """
    alike = [column for column in columns if name_key(column) == name_key(name)]
    return name if name in columns or len(alike) != 1 else alike[0]
