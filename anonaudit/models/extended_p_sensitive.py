"""Extended p-sensitive k-anonymity: every class has values of p different protected subtrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

import numpy as np

from anonaudit.about import CLASS_SIZE, SPREAD, AboutModel, Need, Unasked, Unions
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import HierarchyError
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import by_column
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models.level import ParameterError, whole_number
from anonaudit.models.p_sensitive import all_apart, few_enough_classes, max_p, measure_p
from anonaudit.special_details import Conditions

_UNKNOWN: Final = "\0unknown"  # a label that no cell has


@dataclass(frozen=True)
class ExtendedPSensitiveKAnonymity:
    """Extended p-sensitive k-anonymity (CT06 Definitions 3 to 5).

    Everything below a protected value of a hierarchy is protected too. A protected value is strong
    if none of its ancestors is protected; it is enough to check its parent (Property 1). A
    protected subtree is a strong value with everything below it. Every class must have values of p
    different protected subtrees. Example: if "cancer" is protected, a class with two different
    cancers has one subtree only. To measure the model, every sensitive value is replaced by its
    strong ancestor; the result must be p-sensitive k-anonymous.

    p: the required level; None requires nothing. k: the smallest class size allowed; None means p.
    hierarchies: by sensitive attribute. In an attribute without a hierarchy, every value is its own
        subtree.
    protected: the protected inner values, by sensitive attribute. All leaves are protected.

    Level: p, the least number of protected subtrees with a value in a class. Higher is safer.

    Edge cases: see `PSensitiveKAnonymity`. A released value above all protected subtrees belongs to
    none of them and counts as unknown under every convention. Raises HierarchyError for a value
    that its hierarchy lacks.
    """

    name: ClassVar[str] = "extended-p-sensitive-k-anonymity"
    about: ClassVar[AboutModel] = AboutModel(
        level="p",
        parameter="p",
        means="Every class has sensitive values from p or more different protected subtrees",
        matters="Different values may disclose the same fact: if all rows of a class have some "
        "cancer, everybody in it has cancer.",
        do=f"{SPREAD} The protected values are named in [hierarchies] of the policy.",
        beside=CLASS_SIZE,
        several_values="p",
        rows=("k", "p"),
        facts=(Conditions,),
        unasked=(Unasked(place=40, needs=frozenset({Need.PROTECTED})),),
        by_class=True,
        unions=Unions.ALWAYS,
    )
    p: int | None = None
    k: int | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    protected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        whole_number("p", self.p, 1)
        whole_number("k", self.k, 1)
        if self.p is not None and self.k is not None and self.p > self.k:
            raise ParameterError(f"Condition 1: p must be at most k, but {self.p} > {self.k}")

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the least number of protected subtrees in a class, with Conditions 1 to 3."""
        lifted = lift(classes, self.hierarchies, self.protected)
        subtrees = {
            attribute: len(set(tree.strong_values(self.protected.get(attribute, ())).values()))
            for attribute, tree in self.hierarchies.items()
            if attribute in classes.sensitive
        }
        met = None
        if self.p is not None:
            met = conditions(lifted, self.p, self.k or self.p, subtrees)
        return measure_p(
            self.name, lifted, lifted.sensitive, self.p, self.k, subtrees=subtrees, met=met
        )


def lift(
    classes: EquivalenceClasses,
    hierarchies: Mapping[str, Hierarchy],
    protected: Mapping[str, tuple[str, ...]],
) -> EquivalenceClasses:
    """Return the classes after each sensitive value is replaced by its strong ancestor.

    This is the first step of CT06 section 4. A value above all protected subtrees becomes unknown
    under every convention, because it may stand for a value of any of them. Under the convention
    `sensitive = one-value`, the missing and suppressed cells become one ordinary value instead.
    """
    changes, base, convention = {}, classes.base, classes.convention
    whole = {} if classes.whole is None else classes.whole.values
    if convention.sensitive == "one-value":
        names, convention = classes.roles.sensitive, replace(convention, sensitive="unknown")
        base = _with_unknown_as_value(base, names)
        whole = {name: _with_unknown_as_value(table, [name]) for name, table in whole.items()}
    for attribute, tree in hierarchies.items():
        if attribute not in classes.sensitive:
            continue
        strong = {**tree.strong_values(protected.get(attribute, ())), _UNKNOWN: _UNKNOWN}
        values = classes.base.labels_of(attribute)[FIRST_VALUE:]
        if lost := [value for value in values if value not in tree]:
            raise HierarchyError(
                f"the hierarchy of {attribute!r} lacks {len(lost)} value(s) of the release; add "
                "a line for each, leaf first",
                lost,
            )
        changes[attribute] = lambda value, strong=strong: strong.get(value, "")
    lifted = replace(classes, convention=convention).recounted(base.relabel(changes, convention))
    if classes.whole is None:
        return lifted
    tables = {
        name: table.relabel({a: c for a, c in changes.items() if a == name}, convention)
        for name, table in whole.items()
    }
    return replace(lifted, whole=replace(classes.whole, values=tables))


def _with_unknown_as_value(table: FrequencySet, attributes: Sequence[str]) -> FrequencySet:
    """Return the table with one more label, which replaces missing and suppressed cells."""
    labels, columns = list(table.labels), [*table.codes.T]
    for j in table.positions(attributes):
        columns[j] = np.where(columns[j] < FIRST_VALUE, len(labels[j]), columns[j])
        labels[j] = (*labels[j], _UNKNOWN)
    return replace(table, labels=tuple(labels), codes=by_column(columns))


def conditions(
    lifted: EquivalenceClasses, p: int, k: int, subtrees: Mapping[str, int]
) -> dict[str, bool]:
    """Return which of CT06 Conditions 1 to 3 are met, by name ("1", "2", "2, in use", "3").

    Each condition is necessary for extended p-sensitive k-anonymity. 1: p <= k. 2: every hierarchy
    has at least p protected subtrees. "2, in use": values of at least p of them are in the release.
    3: there are at most maxGroups classes. Condition 3 is left out if classes overlap under
    wildcards, where it is not necessary, or if not all classes of the release are given.

    lifted: the result of `lift`. subtrees: the number of protected subtrees of each hierarchy.
    """
    most = max_p(lifted.sensitive)
    met = {
        "1": p <= k,
        "2": all(n >= p for n in subtrees.values()),
        "2, in use": most is None or most >= p,
    }
    if all_apart(lifted):
        met["3"] = few_enough_classes(lifted.sensitive, p)
    return met
