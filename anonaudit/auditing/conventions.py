"""Measure a release under other conventions for cells without a value.

No convention is right for all releases. If a missing cell matches every value, the same file has
another k than if a missing cell is a value of its own. So every level is also measured under other
conventions, and the report warns if a verdict depends on the convention.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import get_args

import numpy as np

from anonaudit.cells import (
    FIRST_VALUE,
    SUPPRESSED,
    Convention,
    QuasiIdentifierRule,
    SensitiveRule,
    SuppressedTupleRule,
)
from anonaudit.errors import HierarchyError
from anonaudit.findings import Measurement, Notice, Outcome
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.frequency.codes import distinct_rows
from anonaudit.models.level import ParameterError

# Limits for measuring wildcards that the policy does not request: overlapping classes are slow.
MOST_CLASSES = 50_000
MOST_PATTERNS = 64


def not_measured(classes: EquivalenceClasses) -> Iterator[Notice]:
    """Yield `convention-not-measured` if a release has too many classes to measure with wildcards.

    Nothing is yielded if wildcards are in use, if no quasi-identifier cell is missing or
    suppressed, and for a part of a release.
    """
    if classes.whole is not None:
        return
    used = classes.convention.quasi_identifiers == "wildcard"
    unknown = classes.base.columns(classes.roles.quasi_identifiers) < FIRST_VALUE
    if not used and unknown.any() and not _wildcards_are_cheap(classes):
        yield Notice(
            "convention-not-measured",
            "the levels with quasi-identifiers = wildcard were not measured, because there are "
            f"more than {MOST_CLASSES} classes, or more than {MOST_PATTERNS} different sets of "
            "columns that are unknown in a row; they are measured if the policy sets this "
            "convention",
        )


def _wildcards_are_cheap(classes: EquivalenceClasses) -> bool:
    unknown = classes.base.columns(classes.roles.quasi_identifiers) < FIRST_VALUE
    patterns = len(distinct_rows(unknown.astype(np.int64))[0])
    return len(classes) <= MOST_CLASSES and patterns <= MOST_PATTERNS


def other_conventions(classes: EquivalenceClasses) -> Iterator[tuple[str, EquivalenceClasses]]:
    """Yield the release's classes under each convention that differs in one setting from its own.

    Yields (setting, classes), such as (`quasi-identifiers = wildcard`, classes). A setting is left
    out if no cell of the release depends on it. Wildcards are left out if they are too slow (see
    `not_measured`) or cannot be combined with the unit column. For a part of a release, nothing is
    yielded.
    """
    if classes.whole is not None:
        return
    used, base, roles = classes.convention, classes.base, classes.roles
    quasi, sensitive = base.columns(roles.quasi_identifiers), base.columns(roles.sensitive)
    changed: list[Convention] = []
    if (quasi < FIRST_VALUE).any():
        rules = [
            r
            for r in get_args(QuasiIdentifierRule)
            if r != "wildcard" or _wildcards_are_cheap(classes)
        ]
        changed += [replace(used, quasi_identifiers=rule) for rule in rules]
    if roles.quasi_identifiers and (quasi == SUPPRESSED).all(axis=1).any():
        changed += [replace(used, suppressed_tuples=r) for r in get_args(SuppressedTupleRule)]
    if (sensitive < FIRST_VALUE).any():
        changed += [replace(used, sensitive=rule) for rule in get_args(SensitiveRule)]
    for convention in changed:
        wild = convention.quasi_identifiers == "wildcard" and convention.wildcard_weight != 1
        if convention != used and not (wild and roles.unit is not None):
            yield _difference(used, convention), equivalence_classes(base, roles, convention)


def _difference(used: Convention, other: Convention) -> str:
    """Return the first setting of `other` that differs from `used`, as a policy writes it."""
    for name in ("quasi_identifiers", "suppressed_tuples", "sensitive"):
        if getattr(used, name) != getattr(other, name):
            return f"{name.replace('_', '-')} = {getattr(other, name)}"
    return "nothing"


def by_convention(
    measure: Callable[[EquivalenceClasses], Measurement],
    others: list[tuple[str, EquivalenceClasses]],
) -> dict[str, Measurement]:
    """Measure a model under each other convention. Conventions that the model refuses are left out.

    measure: a function that builds the model for some classes and measures them. The model depends
        on the classes if it holds a number per class, such as the people of a population.
    others: (setting, classes) pairs (see `other_conventions`).

    Returns setting -> the measurement.
    """
    levels: dict[str, Measurement] = {}
    for name, classes in others:
        # Some models refuse some conventions. Example: if an unknown cell counts as a value, that
        # value has no place in an order.
        with contextlib.suppress(ParameterError, HierarchyError):
            levels[name] = measure(classes)
    return levels


def dependent(measurement: Measurement, others: Mapping[str, Measurement]) -> Iterator[Notice]:
    """Yield `verdict-depends-on-convention` if a requirement holds under only some conventions.

    measurement: under the convention of the audit. others: the result of `by_convention`.
    """
    verdicts = {Outcome.HOLDS, Outcome.VIOLATED}
    for name, other in others.items():
        if measurement.outcome in verdicts and verdicts == {measurement.outcome, other.outcome}:
            yield Notice(
                "verdict-depends-on-convention",
                f"{measurement.model}: {measurement.outcome.value} with the convention of this "
                f"audit, but {other.outcome.value} with {name}",
            )
