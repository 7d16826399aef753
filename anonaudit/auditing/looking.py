"""The columns of a release looked at for direct identifiers, each in all of its rows."""

from __future__ import annotations

from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.counting import count
from anonaudit.generalization.direct_identifiers import perhaps, recognised
from anonaudit.models.no_direct_identifiers import LookedAt
from anonaudit.source.memory import TooManyCombinationsError


def looked_at(prepared: PreparedRelease) -> LookedAt:
    """Return what is recognised in the columns of a release, whatever their parts.

    Parameters
    ----------
    prepared
        The release. Columns that its policy declares as identifiers are left out: they break the
        audit where they are released, and masking takes them out.

    Returns
    -------
    The direct identifiers by column, and the columns that could not be read.
    """
    source, roles = prepared.source, prepared.policy.roles
    identifiers, unread = {}, {}
    for column in source.columns:
        if column in roles.identifiers:
            continue
        if column in source.unusable:
            unread[column] = f"the column {source.unusable[column]}"
            continue
        try:
            values = _values(prepared, column)
        except TooManyCombinationsError:
            unread[column] = "it has more different values than fit into memory"
            continue
        persons = column == roles.unit
        one = recognised(values, of_persons=persons) or perhaps(values, of_persons=persons)
        if one is not None:
            identifiers[column] = one
    return LookedAt(identifiers, unread)


def _values(prepared: PreparedRelease, column: str) -> list[str]:
    """The different values as they are written; those that were counted are not read again."""
    base, policy = prepared.base, prepared.policy
    counted = prepared.classes.whole is None and not policy.normalize
    if not (counted and column in base.attributes):
        base = count(prepared.source, [column])
    return list(base.labels_of(column)[FIRST_VALUE:])
