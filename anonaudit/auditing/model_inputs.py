"""Build a model from a requirement, with the inputs that the model needs besides the classes.

These inputs are orders of values, hierarchies, boundaries, a population, weights and the paired
original.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Floats
from anonaudit.auditing.contradictions import of_measurement
from anonaudit.auditing.looking import looked_at
from anonaudit.auditing.original import hierarchies_of
from anonaudit.auditing.people import people_of
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import InputError, listed
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import distinct_rows
from anonaudit.frequency.counting import count
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import as_float
from anonaudit.linking.matching import ColumnMatch, candidates, match_columns
from anonaudit.models import Model
from anonaudit.models.boundaries import Boundaries, Violations
from anonaudit.models.disclosure_risk import members
from anonaudit.models.household import Households
from anonaudit.plugins import MODELS, describe_model
from anonaudit.policy.policy import Policy, Requirement
from anonaudit.policy.repairs import repaired


def copied(value: Any) -> Any:
    """Return a copy of a dict, also of the dicts in it; any other value as it is.

    Models and attacks get copies, because one that changes a dict must not change what the others
    measure.
    """
    return {key: copied(one) for key, one in value.items()} if type(value) is dict else value


def model_of(prepared: PreparedRelease, requirement: Requirement) -> Model:
    """Return the model of a requirement, with the inputs it needs from the rest of the policy.

    Raises InputError if such an input cannot be read (see `population_of`, `weights_of`,
    `households_of`, `sampling_fraction_of`).
    """
    kind: Any = MODELS[requirement.name]
    filled = {
        name: copied(fill(prepared))
        for name, fill in _FILLS.items()
        if name in kind.__dataclass_fields__ and name not in requirement.parameters
    }
    if "asked" in kind.__dataclass_fields__:
        filled["asked"] = requirement.asked
    if "population" in kind.__dataclass_fields__ and (people := population_of(prepared)):
        of_population = {
            "population": people.sure,
            "possible": people.possible,
            "overlapping": people.overlapping,
        }
        known = kind.__dataclass_fields__.keys()
        filled |= {name: value for name, value in of_population.items() if name in known}
    with MODELS.blamed(requirement.name):
        return cast("Model", kind(**requirement.parameters, **filled))


def measured(model: Model, classes: EquivalenceClasses) -> Measurement:
    """Measure a model.

    Raises AnonauditError if a model of another package fails or contradicts itself.
    """
    found = MODELS.result(model.name, lambda: model.measure(classes), Measurement)
    if not MODELS.ours(model.name):
        MODELS.refuse(model.name, of_measurement(found, model.name, len(classes)))
    return found


def boundaries_of(prepared: PreparedRelease) -> Boundaries:
    """Return the maximum allowed generalizations of the quasi-identifiers (MCT08 Definition 3)."""
    return boundaries_from(prepared.policy, {**prepared.hierarchies, **_trees(prepared)})


def boundaries_from(policy: Policy, trees: Mapping[str, Hierarchy]) -> Boundaries:
    """Return the boundaries that a policy sets.

    trees: column -> its hierarchy, for the hierarchies that have been read or built. If a column
        has a boundary but no hierarchy here, the Boundaries only note its name.
    """
    specs = policy.hierarchies
    quasi = [name for name in policy.roles.quasi_identifiers if name in specs]
    known = [name for name in quasi if name in trees]
    return Boundaries(
        {name: trees[name] for name in known},
        {name: specs[name].max_generalization for name in known},
        tuple(name for name in quasi if name not in trees and specs[name].max_generalization),
    )


@dataclass(frozen=True)
class PopulationFit:
    """The number of people of a population who fit each class.

    A person fits a class if the values of the person match the key of the class. If a cell is
    missing, perturbed or unreadable, the person only possibly fits.

    sure: shape (n_classes,), number of people who certainly fit the class.
    possible: shape (n_classes,), number of people who certainly or possibly fit the class; None if
        every match is certain.
    overlapping: number of people who certainly or possibly fit several classes.
    """

    sure: Floats
    possible: Floats | None
    overlapping: int


def population_of(prepared: PreparedRelease) -> PopulationFit | None:
    """Count the people of the population who fit each class; None without a population.

    Raises InputError if the population lacks a quasi-identifier, because too many people would fit.
    """
    policy, classes = prepared.policy, prepared.classes
    if policy.population is None:
        return None
    people = people_of(prepared, policy.population)
    lost = [q for q in policy.roles.quasi_identifiers if q not in people.attributes]
    if lost:
        raise InputError(
            f"{policy.population.path or 'the population'}: lacks the quasi-identifier(s) "
            f"{listed(lost)}, so too many people would fit a class; name their columns "
            "under [population.columns]"
        )
    # Perturbed columns are not compared. People who fit the other columns possibly fit the class.
    compared = [q for q in classes.keys.attributes if q not in policy.perturbed]
    perturbed = len(compared) < len(classes.keys.attributes)
    people, keys = people.project(compared), classes.keys.project(compared)
    of_class = keys.entry_of(classes.keys)
    classes_of = np.bincount(of_class, minlength=len(keys))
    matches = match_columns(
        people,
        keys,
        hierarchies=prepared.hierarchies,
        readings=policy.read_as,
        separators=policy.separators,
        decimal=policy.decimal,
        maybe=True,
    )

    # A person with a missing cell fits a class only possibly.
    whole = np.all(people.codes >= FIRST_VALUE, axis=1) & (not perturbed)

    def fitting(by: Sequence[ColumnMatch], some: npt.NDArray[np.bool_]) -> tuple[Floats, int]:
        pairs = candidates(people, keys, by)
        counts = people.counts[pairs.person] * some[pairs.person]
        several = np.bincount(pairs.person, classes_of[pairs.key], len(people)) > 1
        fits = np.bincount(pairs.key, counts, len(keys))[of_class].astype(np.float64)
        return fits, int(people.counts[several].sum())

    sure, overlapping = fitting(matches, whole)
    if whole.all() and not any(match.unread for match in matches):
        return PopulationFit(sure, None, overlapping)
    widest = [match.widest for match in matches]
    return PopulationFit(sure, *fitting(widest, np.ones_like(whole)))


def weights_of(prepared: PreparedRelease) -> Floats | None:
    """Return the sum of the sampling weights in each class, shape (n_classes,).

    Returns None if the policy names no weight column. If there is a unit column, the weight of a
    person counts once per class.

    Raises InputError if a weight is not a number above 0, or if a person has several different
    weights in one class.
    """
    policy, classes, source = prepared.policy, prepared.classes, prepared.source
    column = policy.roles.weight
    if column is None:
        return None
    unit = policy.roles.unit
    attributes = [*classes.keys.attributes, *([] if unit is None else [unit]), column]
    table = repaired(count(source, attributes, policy.convention), policy)
    each = [as_float(label, policy.decimal) for label in table.labels_of(column)]
    weight = np.array(each)[table.column(column)]
    if not (weight > 0).all():
        wrong = int(table.counts[~(weight > 0)].sum())
        raise InputError(
            f"{source.name}: column {column!r} must hold sampling weights above 0, but {wrong} "
            "row(s) hold something else; correct them"
        )
    class_of = classes.number_of(table)
    inside = class_of >= 0
    times = table.counts
    if unit is not None:
        people = len(distinct_rows(np.column_stack([class_of, table.column(unit)])[inside])[0])
        if people < inside.sum():
            raise InputError(
                f"{source.name}: column {column!r} gives a person several sampling weights in one "
                f"class ({int(inside.sum()) - people} too many); give each person one weight"
            )
        times = np.ones_like(times)
    total = np.bincount(class_of[inside], (weight * times)[inside], len(classes))
    return total.astype(np.float64)


def households_of(prepared: PreparedRelease) -> Households | None:
    """Count the members of each household in each class; None without a household column.

    A member is a person if there is a unit column, else a record.

    Raises InputError if a row has no value in the household column.
    """
    policy, classes, source = prepared.policy, prepared.classes, prepared.source
    column, unit = policy.roles.household, policy.roles.unit
    if column is None:
        return None
    attributes = [*classes.keys.attributes, column, *([] if unit is None else [unit])]
    rows = count(source, attributes, policy.convention, weight=policy.roles.count)
    table = repaired(rows, policy)
    nameless = int(table.counts[table.column(column) < FIRST_VALUE].sum())
    if nameless:
        raise InputError(
            f"{source.name}: {nameless} row(s) have no value in the household column {column!r}; "
            "fill it in, or leave out columns.household"
        )
    class_of = classes.number_of(table)
    inside = class_of >= 0
    entry, number = distinct_rows(np.column_stack([table.column(column), class_of])[inside])
    times = table.counts[inside] if unit is None else None  # with a unit, an entry is a person
    members = np.bincount(number, times, len(entry)).astype(np.int64)
    _, household = np.unique(entry[:, 0], return_inverse=True)
    return Households(household, entry[:, 1], members)


def sampling_fraction_of(prepared: PreparedRelease) -> float | None:
    """Return the share of the population that is in the release; None if it cannot be computed.

    It is the first of these numbers that the policy gives: its `sampling-fraction`; the number of
    rows or persons of the release divided by the size of the population; the number of rows or
    persons in classes divided by the sum of their sampling weights, at most 1.

    Raises InputError if the population size of the policy is smaller than the release.
    """
    policy, classes = prepared.policy, prepared.classes
    if policy.sampling_fraction is not None:
        return policy.sampling_fraction
    if policy.population_size is not None:
        persons = classes.total_persons
        n = classes.total_rows if persons is None else persons
        if n > policy.population_size:
            raise InputError(
                f"{prepared.source.name}: has {n} {'rows' if persons is None else 'persons'}, more "
                f"than the population ({policy.population_size}); correct population.size"
            )
        return n / policy.population_size if n else None
    weights = weights_of(prepared)
    if weights is None or not len(weights):
        return None
    return min(float(members(classes).sum() / weights.sum()), 1.0)


def exact_of(prepared: PreparedRelease) -> Violations | None:
    """Count the constraint violations against the original (MCT08 Def. 5); None without it."""
    if prepared.alignment is None:
        return None
    return boundaries_of(prepared).counted(prepared.alignment, prepared.classes)


def _trees(prepared: PreparedRelease) -> dict[str, Hierarchy]:
    """Return column -> its hierarchy, for the columns of the original; empty without an original.

    A hierarchy that was not read from a file is built from the values of the original.
    """
    alignment = prepared.alignment
    return {} if alignment is None else hierarchies_of(prepared.policy, alignment.original)


def _needed_k(prepared: PreparedRelease) -> int | None:
    """Return the largest class size that the policy requires; None if it requires none."""
    asked = [
        r.parameters.get(name)
        for r in prepared.policy.requirements
        for name in describe_model(r.name).rows
    ]
    return max((k for k in asked if k is not None), default=None)


def protected_by(policy: Policy) -> dict[str, tuple[str, ...]]:
    """Return sensitive column -> the protected values of its hierarchy (CT06 Def. 3).

    Columns without a hierarchy are absent.
    """
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
    "households": households_of,
    "sampling_fraction": sampling_fraction_of,
    "exact": exact_of,
    "alignment": lambda prepared: prepared.alignment,
    "decimal": lambda prepared: prepared.policy.decimal,
    "looked": looked_at,
    "trees": _trees,
    "needed_k": _needed_k,
}
