"""Read the original of a release and pair its rows with those of the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import InputError, closest, listed
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.alignment import Alignment, How, align_by_key
from anonaudit.linking.matching import match_column
from anonaudit.linking.permutation import align_by_best_permutation
from anonaudit.linking.validity import Validity, unchanged, valid_pairs
from anonaudit.policy.policy import OriginalFile, Policy
from anonaudit.policy.repairs import repaired
from anonaudit.source.table import ROW_NUMBER, Source


def pair_with_original(prepared: PreparedRelease) -> PreparedRelease:
    """Return the release with its rows paired with those of the original (`alignment`).

    The release is returned unchanged if the policy names no original.

    Raises InputError if the original lacks a quasi-identifier or cannot be paired as the policy
    says.
    """
    wanted = prepared.policy.original
    if wanted is None:
        return prepared
    return replace(prepared, alignment=_aligned(prepared, wanted, prepared.open(wanted)))


def hierarchies_of(policy: Policy, original: FrequencySet) -> dict[str, Hierarchy]:
    """Return column -> its hierarchy, for the columns of the original.

    A hierarchy that was not read from a file is built from the ground values of the original.
    """
    return {
        name: spec.resolve(original.labels_of(name)[FIRST_VALUE:])
        for name, spec in policy.hierarchies.items()
        if name in original.attributes
    }


def _aligned(prepared: PreparedRelease, wanted: OriginalFile, table: Source) -> Alignment:
    policy, roles = prepared.policy, prepared.policy.roles
    quasi = roles.quasi_identifiers
    lost = [column for column in quasi if column not in table.columns]
    if lost or not quasi:
        what = f"it lacks the column(s) {listed(lost)}" if lost else "the policy names none"
        raise InputError(f"{table.name}: the original must have every quasi-identifier, but {what}")
    sensitive = tuple(column for column in roles.sensitive if column in table.columns)
    # A perturbed value is not a generalization of the original value, so the two are not compared.
    perturbed = tuple(column for column in policy.perturbed if column in table.columns)
    compared = tuple(column for column in quasi if column not in perturbed)
    sensitive = tuple(column for column in sensitive if column not in perturbed)
    columns = (*compared, *sensitive)
    key = ROW_NUMBER if wanted.align == "order" else wanted.key
    if key is None:
        if perturbed:
            raise InputError(
                f"{table.name}: rows cannot be paired by their values, because {listed(perturbed)} "
                f"{'is' if len(perturbed) == 1 else 'are'} perturbed; name a key column, or set "
                'align = "order"'
            )
        weight = roles.count if roles.count in table.columns else None
        original = repaired(count(table, columns, policy.convention, weight=weight), policy)
        released = prepared.base.project(columns)
        checks = _validity(policy, quasi, original, released)
        return align_by_best_permutation(
            original, released, quasi_identifiers=quasi, sensitive=sensitive, validity=checks
        )
    _check_pairable(prepared, table, key)
    attributes = tuple(dict.fromkeys((key, *columns, *perturbed)))
    original, released = (
        repaired(count(source, attributes, policy.convention), policy, but=key)
        for source in (table, prepared.source)
    )
    if key == ROW_NUMBER:
        check_same_rows(table.name, original.total, released.total)
    return align_by_key(
        original,
        released,
        key,
        quasi_identifiers=compared,
        sensitive=sensitive,
        validity=_validity(policy, compared, original, released),
        how=How.ORDER if key == ROW_NUMBER else How.KEY,
        perturbed=perturbed,
    )


def check_same_rows(name: str, original: int, released: int) -> None:
    """Raise InputError unless the original, called `name`, has as many rows as the release."""
    if original != released:
        raise InputError(
            f"{name}: has {original} rows and the release {released}, so they cannot be paired by "
            'order; name a key, or remove align = "order"'
        )


def _check_pairable(prepared: PreparedRelease, table: Source, key: str) -> None:
    """Raise InputError unless each row is one record and both tables have the key column."""
    if prepared.policy.roles.count is not None:
        raise InputError(
            f"{prepared.source.name}: rows stand for several records (count column), so rows "
            'cannot be paired one by one; remove the key or align = "order"'
        )
    for source in (table, prepared.source):
        if key not in (ROW_NUMBER, *source.columns):
            near = closest(key, source.columns)
            raise InputError(
                f"{source.name}: there is no key column {key!r}. {near} For a release without a "
                "key column, such as `anonaudit mask` writes, name no key"
            )


def _validity(
    policy: Policy, quasi: tuple[str, ...], original: FrequencySet, released: FrequencySet
) -> Mapping[str, Validity]:
    """Return column -> which released labels are valid for which original labels.

    In a sensitive column, only the original label and a cell without a value are valid. Perturbed
    columns are left out.
    """
    trees, validity = hierarchies_of(policy, original), {}
    for column in original.attributes:
        if column in policy.perturbed:
            continue
        ours, theirs = original.labels_of(column), released.labels_of(column)
        if column in policy.roles.sensitive:
            validity[column] = unchanged(ours, theirs)
        elif column in quasi:
            match = match_column(
                ours,
                theirs,
                hierarchy=trees.get(column),
                reading=policy.read_as.get(column),
                separator=policy.separators.get(column),
                decimal=policy.decimal,
                maybe=True,
            )
            tree, missing = trees.get(column), policy.convention.missing
            validity[column] = valid_pairs(match, len(ours), theirs, tree, missing)
    return validity
