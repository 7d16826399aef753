"""Other tables about the same people: populations, and what an adversary has."""

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
    """A table of people, counted over its identity and the quasi-identifiers it has.

    identity: columns in place of those that name its people; without them the table is counted
        once. Quasi-identifiers have their names in the policy.

    Raises InputError for a table that cannot be read or lacks a column that the policy names.
    """
    if identity is None and id(file) in prepared.people:
        return prepared.people[id(file)]
    policy, table = prepared.policy, prepared.open(file)  # which keeps the file, and so its id
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
    """The column with this name, or with the same name but for its spelling."""
    alike = [column for column in columns if name_key(column) == name_key(name)]
    return name if name in columns or len(alike) != 1 else alike[0]
