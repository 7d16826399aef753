"""Before anyone masks anything: whether a policy can be met, and at what price.

The coarsest masking there is puts all rows into one class. None of the models here is met by a
partition whose union does not meet it: the largest class sizes, numbers of distinct values,
entropies and cover numbers, and the least shares, are those of the whole table. So what the
whole table as one class does not reach, no masking without suppression reaches. Boundaries are
the exception; there the coarsest masking is the maximum allowed microdata (MCT08 Property 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from anonaudit.classes import EquivalenceClasses, equivalence_classes
from anonaudit.findings import Feasibility, Measurement, Outcome
from anonaudit.model_inputs import boundaries_of, model_of
from anonaudit.models.boundaries import out
from anonaudit.models.p_sensitive import max_groups, max_groups_by_p, max_p
from anonaudit.policy import Requirement
from anonaudit.preparation import PreparedRelease


def feasibility(original: PreparedRelease) -> Iterator[Feasibility]:
    """Whether each requirement of the policy can be met by masking these original rows.

    original: the unmasked table, prepared with the policy its masking will have to meet.
    """
    roles = original.policy.roles
    whole = original.classes.reread(replace(roles, quasi_identifiers=()))
    for requirement in original.policy.requirements:
        if requirement.name.startswith("constrained-"):
            yield _within_boundaries(original, requirement)
        else:
            found = model_of(original, requirement).measure(whole)
            yield _feasibility(found, _price(requirement, whole), found.outcome is Outcome.HOLDS)


def _feasibility(found: Measurement, price: Mapping[str, object], feasible: bool) -> Feasibility:
    return Feasibility(
        model=found.model,
        required=found.required,
        reachable=found.measured,
        feasible=feasible,
        bottleneck=found.witness.attribute if found.witness else None,
        price=price,
        notes=found.notes,
    )


def _price(requirement: Requirement, whole: EquivalenceClasses) -> dict[str, object]:
    """The most classes a release may have, for p-sensitivity at every p (Condition 2)."""
    n = int(whole.sizes.sum())
    k = requirement.parameters.get("k")
    price: dict[str, object] = {"most classes": n // k} if k else {}
    if requirement.name == "p-sensitive-k-anonymity":
        most = max_p(whole.sensitive) or 0
        price["maxP"] = most
        p = requirement.parameters["p"]
        price["maxGroups"] = max_groups_by_p(whole.sensitive, p)
        price["maxGroups by attribute"] = {
            name: max_groups_by_p({name: counts}, p) for name, counts in whole.sensitive.items()
        }
        bound = max_groups(whole.sensitive, p)
        least_k = k or p
        price["most classes"] = n // least_k if bound is None else min(bound, n // least_k)
    return price


def _within_boundaries(original: PreparedRelease, requirement: Requirement) -> Feasibility:
    """MAM and OUT: what can be reached without crossing a boundary, and what must go."""
    roles, convention = original.policy.roles, original.policy.convention
    quasi = roles.quasi_identifiers
    boundaries = boundaries_of(original)
    mam = equivalence_classes(
        boundaries.maximum_allowed_microdata(original.base, quasi, convention),
        roles,
        replace(convention, suppressed_tuples="include"),
    )
    model: Any = model_of(original, requirement)
    # No value was generalized beyond its own boundary, whatever it looks like from outside.
    found = replace(model, exact=dict.fromkeys(boundaries.bounded(quasi), 0)).measure(mam)
    k = requirement.parameters.get("k") or requirement.parameters.get("p") or 1
    too_small = out(mam.sizes, k)
    price = {"classes of the maximum allowed microdata": len(mam)}
    price["rows to suppress (OUT)"] = int(mam.rows[too_small].sum())
    return _feasibility(found, price, found.outcome is Outcome.HOLDS)
