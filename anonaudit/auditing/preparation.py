"""Before anything is measured: the release is counted, read as the policy says, and paired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from anonaudit.auditing.original import pair_with_original
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import InputError, PolicyError
from anonaudit.frequency.classes import Whole, equivalence_classes
from anonaudit.frequency.counting import count as count_rows
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.labels import number
from anonaudit.policy.policy import Policy
from anonaudit.policy.repairs import mended, mended_spec, repaired
from anonaudit.source.table import Source


def prepare(source: Source, policy: Policy) -> PreparedRelease:
    """Count a release as a policy says, and pair it with the policy's original if it names one.

    Raises PolicyError for columns the release lacks, InputError or HierarchyError where cells
    cannot be read as the policy declares them or the original cannot be paired as it says, and
    TooManyCombinationsError, which is an InputError.
    """
    return pair_with_original(of_counted(source, policy, count_release(source, policy)))


def count_release(source: Source, policy: Policy) -> FrequencySet:
    """The frequency set over all columns a policy measures; errors as of `prepare`."""
    policy.check(source.columns)
    roles = policy.roles
    columns = [*roles.quasi_identifiers, *roles.sensitive]
    if not columns:
        raise PolicyError(policy.source, ["no quasi-identifier and no sensitive column is named"])
    unit = [] if roles.unit is None else [roles.unit]
    return count_rows(source, [*columns, *unit], policy.convention, weight=roles.count)


def of_counted(
    source: Source, policy: Policy, counted: FrequencySet, whole: Whole | None = None
) -> PreparedRelease:
    """A release that was counted, not paired; errors as of `prepare`.

    counted: its frequency set. With `whole`, it covers some classes only, and `whole` has the
        totals of the release.
    """
    specs = {name: mended_spec(spec, policy) for name, spec in policy.hierarchies.items()}
    policy = replace(policy, hierarchies=specs)
    roles = policy.roles
    base = repaired(counted, policy)
    scales = {column: _scale(source.name, column, base, policy) for column in roles.sensitive}
    return PreparedRelease(
        source=source,
        policy=policy,
        base=base,
        classes=replace(equivalence_classes(base, roles, policy.convention), whole=whole),
        hierarchies={
            name: spec.resolve(base.labels_of(name)[FIRST_VALUE:])
            for name, spec in policy.hierarchies.items()
            # A builder needs ground values; the labels of a masked column are parsed instead.
            if spec.tree is not None or name in roles.sensitive
        },
        scales={column: scale for column, scale in scales.items() if scale is not None},
    )


def _scale(
    source: str, column: str, base: FrequencySet, policy: Policy
) -> Mapping[str, float] | None:
    """The number each value of a column stands for; None if it has no order."""
    if column in policy.ordered:
        return {mended(policy, x): float(place) for place, x in enumerate(policy.ordered[column])}
    labels = base.labels_of(column)[FIRST_VALUE:]
    numbers = {label: number(label, policy.decimal) for label in labels}
    found = {label: size for label, value in numbers.items() if (size := _float(value)) is not None}
    if len(found) == len(labels) > 0:
        return found
    if column in policy.numeric:
        raise InputError(
            f"{source}: column {column!r} is declared numeric, but {len(labels) - len(found)} of "
            f"its {len(labels)} different values are no numbers, or too large; declare them "
            "missing, or name the decimal mark"
        )
    return None


def _float(value: Fraction | None) -> float | None:
    """The number as a float; None for none, and for one that is too large."""
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None
