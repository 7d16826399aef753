"""Spellings mended as a policy says (`normalize`), in tables and in hierarchies alike."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import canonical
from anonaudit.policy.policy import HierarchySpec, Policy


def repaired(table: FrequencySet, policy: Policy, but: str | None = None) -> FrequencySet:
    """The table with the spellings mended that the policy says to mend.

    These are the spellings of quasi-identifiers, sensitive columns and the unit.

    but: a column that stays as it is: the key that tells the rows of a table apart.
    """
    roles = policy.roles
    columns = {*roles.quasi_identifiers, *roles.sensitive, roles.unit} - {but}
    change = {a: partial(mended, policy) for a in table.attributes if a in columns}
    return table.relabel(change, policy.convention) if policy.normalize and change else table


def mended(policy: Policy, label: str) -> str:
    """One label with its spelling mended as the policy says."""
    return canonical(label, policy.normalize) if policy.normalize else label


def mended_spec(spec: HierarchySpec, policy: Policy) -> HierarchySpec:
    """A hierarchy with its labels mended like those of the release, so that they still meet.

    One that is built around the values of its column stays as it is: those are mended already.
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
