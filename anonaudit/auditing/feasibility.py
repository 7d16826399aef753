"""Decide before masking whether generalization can meet a policy, and at what price.

The coarsest generalization puts all rows into one class. For most models, merging classes never
worsens the level. Example: the number of distinct values of a merged class is at least that of each
class in it. The same is true of the size, the entropy and the cover number; and the maximum share
of the merged class is at most the largest maximum share. So if all rows as one class do not reach a
level, no generalization without suppression reaches it.

If a person may have rows in several classes, or under wildcards, this does not hold for all models.
Then the answer may be "not known". For models with generalization boundaries, the coarsest
generalization is the maximum allowed microdata (MAM; MCT08 Property 4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from anonaudit.about import Unions
from anonaudit.auditing.model_inputs import boundaries_of, measured, model_of
from anonaudit.auditing.original import hierarchies_of
from anonaudit.auditing.preparation import prepare
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.details import part_of
from anonaudit.findings import Feasibility, Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.models import MODELS, Model
from anonaudit.models.boundaries import Violations
from anonaudit.models.constrained import (
    Constrained,
    ConstrainedAlphaKAnonymity,
    ConstrainedKAnonymity,
    ConstrainedTCloseness,
)
from anonaudit.models.extended_p_sensitive import ExtendedPSensitiveKAnonymity, lift
from anonaudit.models.p_sensitive import PSensitiveKAnonymity, max_groups, max_groups_by_p, max_p
from anonaudit.plugins import describe_model
from anonaudit.policy.policy import Policy, Requirement
from anonaudit.source.table import open_source
from anonaudit.special_details import Conditions, Price


def feasibility(table: Any, policy: Policy) -> tuple[Feasibility, ...]:
    """Decide for each requirement of a policy whether generalizing a table can meet it.

    Suppression is not considered, except for models with boundaries, whose price is the number of
    rows to suppress. With suppression, a requirement that is not feasible may be met.

    table: the original, not yet masked; anything that `open_source` accepts.
    policy: the policy that the masked table must meet. If it names an original, that is not read.

    Returns one Feasibility per requirement, in the order of the policy.

    Raises AnonauditError as `prepare` does.
    """
    return tuple(feasibility_of(prepare(open_source(table), replace(policy, original=None))))


def feasibility_of(original: PreparedRelease) -> Iterator[Feasibility]:
    """Yield the feasibility of each requirement of the policy for a prepared table."""
    roles = original.policy.roles
    whole = original.classes.reread(replace(roles, quasi_identifiers=()))
    one_class = replace(original, classes=whole)
    overlap = original.policy.convention.quasi_identifiers == "wildcard"
    for requirement in original.policy.requirements:
        if issubclass(MODELS[requirement.name], Constrained):
            yield _within_boundaries(original, requirement)
        else:
            model = model_of(one_class, requirement)
            level = measured(model, whole)
            apart = roles.unit is None and not overlap
            proven = decided_by_one_class(requirement, apart=apart)
            price = Price() if overlap else _price(requirement, whole, level, model)
            yield _feasibility(level, price, proven)


def decided_by_one_class(requirement: Requirement, *, apart: bool) -> bool:
    """Return True if no generalization meets a requirement that all rows as one class violate.

    apart: True if every row and every person is in exactly one class.
    """
    about = describe_model(requirement.name)
    enough = {Unions.ALWAYS, Unions.IF_APART} if apart else {Unions.ALWAYS}
    return about.unions in enough and not about.prevented_by(requirement.parameters)


def _feasibility(measurement: Measurement, price: Price, proven: bool) -> Feasibility:
    feasible: bool | None = None
    if measurement.outcome in {Outcome.HOLDS, Outcome.MEASURED}:
        feasible = True
    elif measurement.outcome is Outcome.VIOLATED and proven:
        feasible = False
    return Feasibility(
        model=measurement.model,
        required=measurement.required,
        reachable=measurement.measured,
        feasible=feasible,
        bottleneck=measurement.witness.attribute if measurement.witness else None,
        price=price,
        notes=measurement.notes,
    )


def _price(
    requirement: Requirement, whole: EquivalenceClasses, measurement: Measurement, model: Model
) -> Price:
    """Return bounds on the classes of a release that meets the requirement.

    The main bound is the largest possible number of classes. For p-sensitivity, it is also given
    for each p (Condition 2).

    The bounds count rows. They are also valid if persons are counted: a class with p values or k
    persons has at least p or k rows, and no row is in two classes.

    whole: the table as one class. measurement: the level of this class. model: the model of the
    requirement.
    """
    if isinstance(model, ExtendedPSensitiveKAnonymity):
        whole = lift(whole, model.hierarchies, model.protected)
    n = int(whole.rows.sum())
    k = requirement.parameters.get("k")
    if not isinstance(model, (PSensitiveKAnonymity, ExtendedPSensitiveKAnonymity)):
        return Price(most_classes=n // k if k else None)
    p = requirement.parameters.get("p") or 1
    least_k = max(k or 1, p)
    bound = max_groups(whole.sensitive, p, least_k)
    of_one_class = part_of(measurement.details, Conditions)
    return Price(
        most_classes=n // least_k if bound is None else min(bound, n // least_k),
        max_p=max_p(whole.sensitive) or 0,
        max_groups=max_groups_by_p(whole.sensitive, p, least_k),
        by_attribute={
            name: max_groups_by_p({name: counts}, p, least_k)
            for name, counts in whole.sensitive.items()
        },
        protected_subtrees=of_one_class.protected_subtrees if of_one_class else None,
        conditions=of_one_class.conditions if of_one_class else None,
    )


def _exact(mam: EquivalenceClasses, model: Constrained, measurement: Measurement) -> bool:
    """Return True if all rows of the violating classes must be suppressed, not only some of them.

    Some of the rows may suffice in three cases:

    - (alpha, k)-anonymity: without them, the share of the most frequent value may be small enough.
    - A sensitive model and unknown cells: rows without a known value violate nothing and may stay.
    - Wildcards: classes overlap, so no class can be judged by itself.

    mam: the classes of the maximum allowed microdata. measurement: the level of `mam`.
    """
    if not measurement.rows_violating:
        return True
    if isinstance(model, ConstrainedAlphaKAnonymity):
        return False
    by_value = not isinstance(model, ConstrainedKAnonymity)
    unknown = by_value and any(counts.whole.unknown_rows for counts in mam.sensitive.values())
    return not unknown and mam.compatibility is None


def _rows_out(
    mam: EquivalenceClasses,
    measure: Callable[[EquivalenceClasses], Measurement],
    measurement: Measurement,
    *,
    whole_persons: bool,
) -> int:
    """Return the number of rows to suppress: the rows of the violating classes.

    `anonaudit.masking.suppression` suppresses the same rows.

    mam: the classes of the maximum allowed microdata.
    measure: a function that measures the model on some classes.
    measurement: the result of `measure` for `mam`.
    whole_persons: if there is a unit column, suppress all rows of the persons in these classes.
        Other classes may then violate the model, so this is repeated until no class does.
    """
    unit, left = mam.roles.unit, mam
    if unit is None or not whole_persons:
        return measurement.rows_violating or 0
    while measurement.violating is not None and measurement.violating.any():
        person = left.base.column(unit)
        number = left.number_of(left.base)
        lost = person[np.append(measurement.violating, False)[number]]
        left = left.recounted(left.base.where(~np.isin(person, lost)))
        measurement = measure(left)
    return mam.base.total - left.base.total


def _within_boundaries(original: PreparedRelease, requirement: Requirement) -> Feasibility:
    """Return the feasibility of a model with generalization boundaries.

    The level is that of the MAM. The price is the number of rows to suppress: MCT08 calls the
    classes of the MAM with fewer than k rows OUT.
    """
    roles, convention = original.policy.roles, original.policy.convention
    quasi = roles.quasi_identifiers
    trees = hierarchies_of(original.policy, original.base)  # the original has ground values
    boundaries = boundaries_of(replace(original, hierarchies=trees))
    bounded = tuple(boundaries.bounded(quasi))
    mam = equivalence_classes(
        boundaries.maximum_allowed_microdata(original.base, quasi, convention),
        replace(roles, quasi_identifiers=bounded),
        replace(convention, suppressed_tuples="include"),
    )
    model: Any = model_of(replace(original, classes=mam, alignment=None), requirement)

    def measure(classes: EquivalenceClasses) -> Measurement:
        # In the MAM no value is generalized beyond its boundary, so there are no violations.
        no_cells, no_rows = dict.fromkeys(bounded, 0), np.zeros(len(classes), np.int64)
        none = Violations(no_cells, no_rows, no_cells, no_rows)
        measured: Measurement = replace(model, boundaries=boundaries, exact=none).measure(classes)
        return measured

    level = measure(mam)
    # Suppression changes the overall distribution of t-closeness, so no number is given.
    by_share = isinstance(model, ConstrainedTCloseness)
    exact = _exact(mam, model, level)
    whole = original.policy.masking.suppress == "persons"
    out = None if by_share else _rows_out(mam, measure, level, whole_persons=whole)
    price = Price(
        maximum_classes=len(mam),
        suppressed=out if exact else None,
        at_most=None if exact else out,
    )
    return _feasibility(level, price, proven=not (by_share and roles.unit is not None))
