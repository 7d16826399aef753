"""Search all columns of a release for direct identifiers, in all rows."""

from __future__ import annotations

from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.counting import count
from anonaudit.generalization.direct_identifiers import perhaps, recognised
from anonaudit.models.no_direct_identifiers import LookedAt
from anonaudit.source.memory import TooManyCombinationsError


def looked_at(prepared: PreparedRelease) -> LookedAt:
    """Return the direct identifiers recognised in the columns of a release, whatever their roles.

    Parameters
    ----------
    prepared
        The release. Columns that its policy declares as identifiers are skipped: if they are
        released, the audit is violated anyway, and masking removes them.

    Returns
    -------
    Column -> the kind of direct identifier in it; and column -> why it could not be read.
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
    """Return the different values of a column. A column that was already counted is not read again.

    If the policy asks for repairs of spelling, the counted labels are repaired, so the column is
    read again.
    """
    base, policy = prepared.base, prepared.policy
    counted = prepared.classes.whole is None and not policy.normalize
    if not (counted and column in base.attributes):
        base = count(prepared.source, [column])
    return list(base.labels_of(column)[FIRST_VALUE:])
