"""What models need beside the classes.

Orders, hierarchies, boundaries, a population, weights, and the alignment with the original.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from anonaudit.auditing.original import hierarchies_of
from anonaudit.auditing.people import people_of
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import InputError, listed
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.counting import count
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import exact_number
from anonaudit.linking.matching import ColumnMatch, candidates, match_columns
from anonaudit.models import MODELS, Model
from anonaudit.models.boundaries import Boundaries, Violations
from anonaudit.plugins import describe_model
from anonaudit.policy.policy import Policy, Requirement
from anonaudit.policy.repairs import repaired

Numbers = npt.NDArray[np.float64]


def model_of(prepared: PreparedRelease, requirement: Requirement) -> Model:
    """The model of a requirement, with what the policy says elsewhere filled in."""
    kind: Any = MODELS[requirement.name]
    filled = {
        name: fill(prepared)
        for name, fill in _FILLS.items()
        if name in kind.__dataclass_fields__ and name not in requirement.parameters
    }
    if "asked" in kind.__dataclass_fields__:
        filled["asked"] = requirement.asked
    if "population" in kind.__dataclass_fields__:
        filled["population"], filled["possible"] = population_of(prepared)
    return cast("Model", kind(**requirement.parameters, **filled))


def boundaries_of(prepared: PreparedRelease) -> Boundaries:
    """The maximum allowed generalizations of the quasi-identifiers (MCT08 Definition 3)."""
    return boundaries_from(prepared.policy, {**prepared.hierarchies, **_trees(prepared)})


def boundaries_from(policy: Policy, trees: Mapping[str, Hierarchy]) -> Boundaries:
    """The boundaries a policy sets; trees: its hierarchies, as far as they are known."""
    specs = policy.hierarchies
    quasi = [name for name in policy.roles.quasi_identifiers if name in specs]
    known = [name for name in quasi if name in trees]
    return Boundaries(
        {name: trees[name] for name in known},
        {name: specs[name].max_generalization for name in known},
        tuple(name for name in quasi if name not in trees and specs[name].max_generalization),
    )


def population_of(prepared: PreparedRelease) -> tuple[Numbers | None, Numbers | None]:
    """How many persons of the population fit each class, and how many fit or may fit it.

    The first is None without a population, the second where every pair was compared. Shape of
    both: (n_classes,).

    Raises InputError for a population that lacks a quasi-identifier: too many would fit.
    """
    policy, classes = prepared.policy, prepared.classes
    if policy.population is None:
        return None, None
    people = people_of(prepared, policy.population)
    lost = [q for q in policy.roles.quasi_identifiers if q not in people.attributes]
    if lost:
        raise InputError(
            f"{policy.population.path or 'the population'}: lacks the quasi-identifier(s) "
            f"{listed(lost)}, so more people would seem to fit a class than do; name their columns "
            "under [population.columns]"
        )
    people, keys = people.project(classes.keys.attributes), classes.keys
    matches = match_columns(
        people,
        keys,
        hierarchies=prepared.hierarchies,
        readings=policy.read_as,
        separators=policy.separators,
        decimal=policy.decimal,
        maybe=True,
    )

    # Who has a cell without a value may fit a class, or may not.
    whole = np.all(people.codes >= FIRST_VALUE, axis=1)

    def fitting(by: Sequence[ColumnMatch], some: npt.NDArray[np.bool_]) -> Numbers:
        pairs = candidates(people, keys, by)
        counts = people.counts[pairs.person] * some[pairs.person]
        return np.bincount(pairs.key, counts, len(keys)).astype(np.float64)

    sure = fitting(matches, whole)
    if whole.all() and not any(match.unread for match in matches):
        return sure, None
    return sure, fitting([match.widest for match in matches], np.ones_like(whole))


def weights_of(prepared: PreparedRelease) -> Numbers | None:
    """The sum of the sampling weights of each class; None without a weight column.

    A person's weight counts once a class. Raises InputError for weights that are no numbers
    above 0, and for a person with several in one class.
    """
    policy, classes, source = prepared.policy, prepared.classes, prepared.source
    column = policy.roles.weight
    if column is None:
        return None
    unit = policy.roles.unit
    attributes = [*classes.keys.attributes, *([] if unit is None else [unit]), column]
    table = repaired(count(source, attributes, policy.convention), policy)
    each = [exact_number(label, policy.decimal) for label in table.labels_of(column)]
    weight = np.array([np.nan if n is None else float(n) for n in each])[table.column(column)]
    if not (weight > 0).all():
        wrong = int(table.counts[~(weight > 0)].sum())
        raise InputError(
            f"{source.name}: column {column!r} must hold sampling weights above 0, but {wrong} "
            "row(s) hold something else"
        )
    class_of = classes.number_of(table)
    inside = class_of >= 0
    times = table.counts
    if unit is not None:
        people = len(distinct_rows(np.column_stack([class_of, table.column(unit)])[inside])[0])
        if people < inside.sum():
            raise InputError(
                f"{source.name}: column {column!r} gives a person several sampling weights in one "
                f"class ({int(inside.sum()) - people} too many); a person has one"
            )
        times = np.ones_like(times)
    total = np.bincount(class_of[inside], (weight * times)[inside], len(classes))
    return total.astype(np.float64)


def exact_of(prepared: PreparedRelease) -> Violations | None:
    """Constraint violations, cell by cell (MCT08 Def. 5); None without the original."""
    if prepared.alignment is None:
        return None
    return boundaries_of(prepared).counted(prepared.alignment, prepared.classes)


def _trees(prepared: PreparedRelease) -> dict[str, Hierarchy]:
    alignment = prepared.alignment
    return {} if alignment is None else hierarchies_of(prepared.policy, alignment.original)


def _needed_k(prepared: PreparedRelease) -> int | None:
    """The largest k that the policy requires of the size of a class."""
    asked = [
        r.parameters.get(name)
        for r in prepared.policy.requirements
        for name in describe_model(r.name).rows
    ]
    return max((k for k in asked if k is not None), default=None)


def protected_by(policy: Policy) -> dict[str, tuple[str, ...]]:
    """The protected values of the sensitive attributes that have a hierarchy (CT06 Def. 3)."""
    specs = policy.hierarchies
    return {name: specs[name].protected for name in policy.roles.sensitive if name in specs}


def _sensitive_trees(prepared: PreparedRelease) -> object:
    trees = prepared.hierarchies
    return {name: trees[name] for name in prepared.policy.roles.sensitive if name in trees}


_FILLS: dict[str, Callable[[PreparedRelease], object]] = {
    "scale": lambda prepared: prepared.scales,
    "hierarchies": _sensitive_trees,
    "protected": lambda prepared: protected_by(prepared.policy),
    "boundaries": boundaries_of,
    "weights": weights_of,
    "exact": exact_of,
    "alignment": lambda prepared: prepared.alignment,
    "trees": _trees,
    "needed_k": _needed_k,
}
