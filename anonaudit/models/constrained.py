"""Constrained models: a model together with generalization boundaries (MCT08)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from anonaudit.classes import EquivalenceClasses
from anonaudit.findings import Measurement, Outcome
from anonaudit.hierarchy import Hierarchy
from anonaudit.models.boundaries import Boundaries
from anonaudit.models.k_anonymity import KAnonymity
from anonaudit.models.l_diversity import LDiversity
from anonaudit.models.level import Model
from anonaudit.models.p_sensitive import PSensitiveKAnonymity
from anonaudit.models.t_closeness import Distance, TCloseness


def measure_constrained(
    name: str,
    inner: Model,
    classes: EquivalenceClasses,
    boundaries: Boundaries,
    exact: Mapping[str, int] | None,
) -> Measurement:
    """The inner model's level, and the constraint violations, of which there must be none.

    exact: violations by attribute, counted cell by cell against the original; None where there
    is no original, so that every value above some leaf's boundary counts.
    """
    found = inner.measure(classes)
    beyond = boundaries.violations(classes)
    rows = {a: int(classes.rows[short].sum()) for a, short in beyond.items()}
    counted = dict(exact) if exact is not None else rows
    broken = sum(counted.values())
    anywhere = (
        np.logical_or.reduce(list(beyond.values())) if beyond else np.zeros(len(classes), bool)
    )
    outcome = found.outcome
    if broken:
        outcome = Outcome.VIOLATED
    elif outcome is Outcome.MEASURED:
        outcome = Outcome.HOLDS  # that there are no violations is asked for always
    how = (
        "counted against the original"
        if exact is not None
        else ("without the original: every released value above the boundary of a leaf below it")
    )
    return replace(
        found,
        model=name,
        outcome=outcome,
        classes_violating=(found.classes_violating or 0)
        if found.classes_violating is not None
        else 0,
        rows_violating=found.rows_violating if found.rows_violating is not None else 0,
        details={
            **found.details,
            "constraint violations": counted,
            "classes with a violation": int(anywhere.sum()),
            "rows with a violation": int(classes.rows[anywhere].sum()),
            "how violations were found": how,
        },
    )


@dataclass(frozen=True)
class ConstrainedKAnonymity:
    """Constrained k-anonymity (MCT08 Definitions 3 to 6).

    k-anonymity, and no quasi-identifier value is generalized beyond its MAGVal. Level: k;
    higher is safer. `details` has the constraint violations by attribute; one breaks the model.
    Suppressed tuples break no boundary; a single suppressed cell is as general as the root.

    Edge cases: no rows, undefined; no boundaries, plain k-anonymity; a boundary at the root
    forbids nothing. The three models below are the same for other inner models. In all of them
    the classes and rows counted as violating fall short of the inner model; those beyond a
    boundary are counted in `details`.
    """

    name: ClassVar[str] = "constrained-k-anonymity"
    k: int | None = None
    boundaries: Boundaries = field(default_factory=Boundaries)
    exact: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        KAnonymity(self.k)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """k, and the constraint violations."""
        inner = KAnonymity(self.k)
        return measure_constrained(self.name, inner, classes, self.boundaries, self.exact)


@dataclass(frozen=True)
class ConstrainedPSensitiveKAnonymity:
    """Constrained p-sensitive k-anonymity (MCT08 section 4): the two together. Level: p."""

    name: ClassVar[str] = "constrained-p-sensitive-k-anonymity"
    p: int | None = None
    k: int | None = None
    boundaries: Boundaries = field(default_factory=Boundaries)
    exact: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        PSensitiveKAnonymity(self.p, self.k)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """p, and the constraint violations."""
        inner = PSensitiveKAnonymity(self.p, self.k)
        return measure_constrained(self.name, inner, classes, self.boundaries, self.exact)


@dataclass(frozen=True)
class ConstrainedLDiversity:
    """Constrained l-diversity (MCT08 section 4): the two together. Level: l."""

    name: ClassVar[str] = "constrained-l-diversity"
    l: int | None = None
    boundaries: Boundaries = field(default_factory=Boundaries)
    exact: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        LDiversity(self.l)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """l, and the constraint violations."""
        inner = LDiversity(self.l)
        return measure_constrained(self.name, inner, classes, self.boundaries, self.exact)


@dataclass(frozen=True)
class ConstrainedTCloseness:
    """Constrained t-closeness (MCT08 section 4): the two together. Level: t."""

    name: ClassVar[str] = "constrained-t-closeness"
    t: float | None = None
    distance: Distance = "equal"
    scale: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    boundaries: Boundaries = field(default_factory=Boundaries)
    exact: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        TCloseness(self.t, self.distance)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """t, and the constraint violations."""
        inner = TCloseness(self.t, self.distance, self.scale, self.hierarchies)
        return measure_constrained(self.name, inner, classes, self.boundaries, self.exact)
