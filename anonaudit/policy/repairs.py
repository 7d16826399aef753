"""Apply the spelling repairs of a policy (`values.normalize`) to tables and hierarchies."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import canonical
from anonaudit.policy.policy import HierarchySpec, Policy


def repaired(table: FrequencySet, policy: Policy, but: str | None = None) -> FrequencySet:
    """Return the table after the repairs that the policy asks for.

    Quasi-identifiers, sensitive columns and the unit column are repaired. Combinations that become
    equal are merged.

    but: a column that is not repaired, such as a key that identifies rows; None for no exception.
    """
    roles = policy.roles
    columns = {*roles.quasi_identifiers, *roles.sensitive, roles.unit} - {but}
    change = {a: partial(mended, policy) for a in table.attributes if a in columns}
    return table.relabel(change, policy.convention) if policy.normalize and change else table


def mended(policy: Policy, label: str) -> str:
    """Return the label after the repairs that the policy asks for."""
    return canonical(label, policy.normalize) if policy.normalize else label


def mended_spec(spec: HierarchySpec, policy: Policy) -> HierarchySpec:
    """Return the hierarchy with its labels repaired, so that they match the repaired release.

    A hierarchy that was not read from a file is returned unchanged, because it will be built from
    values that are already repaired.
    """
    if not policy.normalize or spec.tree is None:
        return spec
    rows = [[mended(policy, label) for label in path] for path in spec.tree.paths.values()]
    return replace(
        spec,
        tree=Hierarchy.from_levels(spec.attribute, rows),
        protected=tuple(mended(policy, label) for label in spec.protected),
        max_generalization=tuple(mended(policy, label) for label in spec.max_generalization),
    )
