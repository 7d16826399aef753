"""Prepare a release for measuring: count it, read it as the policy says, and pair its rows."""

from __future__ import annotations

from dataclasses import replace

from anonaudit.auditing.original import pair_with_original
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.auditing.scales import check_numeric
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import PolicyError
from anonaudit.frequency.classes import Whole, equivalence_classes
from anonaudit.frequency.counting import count as count_rows
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.policy.policy import Policy
from anonaudit.policy.repairs import mended_spec, repaired
from anonaudit.source.table import Source


def prepare(source: Source, policy: Policy) -> PreparedRelease:
    """Count a release as the policy says, and pair it with the original if the policy names one.

    Raises PolicyError if the release lacks a column of the policy, or if the policy names neither a
    quasi-identifier nor a sensitive column. Raises InputError or HierarchyError if cells cannot be
    read as the policy declares, or if the original cannot be paired. Raises
    TooManyCombinationsError, an InputError, if the counts do not fit into memory.
    """
    return pair_with_original(of_counted(source, policy, count_release(source, policy)))


def count_release(source: Source, policy: Policy) -> FrequencySet:
    """Return the frequency set over quasi-identifiers, sensitive attributes and unit.

    Raises PolicyError if the release lacks a column of the policy, or if the policy names neither a
    quasi-identifier nor a sensitive column. Raises InputError as `count` does.
    """
    policy.check(source.columns)
    roles = policy.roles
    columns = [*roles.quasi_identifiers, *roles.sensitive]
    if not columns:
        raise PolicyError(
            policy.source, ["no quasi-identifier and no sensitive column is named; name one"]
        )
    unit = [] if roles.unit is None else [roles.unit]
    return count_rows(source, [*columns, *unit], policy.convention, weight=roles.count)


def of_counted(
    source: Source, policy: Policy, counted: FrequencySet, whole: Whole | None = None
) -> PreparedRelease:
    """Prepare a release that was counted, without pairing it with the original.

    counted: the result of `count_release`, or a part of it.
    whole: counts over the whole release if `counted` is only a part of it; else None.

    Raises AnonauditError as `prepare` does.
    """
    specs = {name: mended_spec(spec, policy) for name, spec in policy.hierarchies.items()}
    policy = replace(policy, hierarchies=specs)
    roles = policy.roles
    base = repaired(counted, policy)
    for column in set(roles.sensitive).intersection(policy.numeric).difference(policy.ordered):
        check_numeric(source.name, column, base, policy)
    return PreparedRelease(
        source=source,
        policy=policy,
        base=base,
        classes=replace(equivalence_classes(base, roles, policy.convention), whole=whole),
        hierarchies={
            name: spec.resolve(base.labels_of(name)[FIRST_VALUE:])
            for name, spec in policy.hierarchies.items()
            # A hierarchy without a file is built from ground values, and masked quasi-identifiers
            # have none. Their labels are parsed instead.
            if spec.tree is not None or name in roles.sensitive
        },
    )
