"""Measure a release under other conventions for cells without a value.

There is no generally right convention. A tool in which a missing cell matches everything and a tool
in which it is a value of its own give different k for the same file. So every level is measured
under each convention, and the report warns if a verdict depends on the choice.
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
    """Yield `convention-not-measured` if a release is too large to be measured with wildcards."""
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
    """Yield the classes under each convention that differs from the one in use in one setting.

    Each comes with the name of this setting, such as `quasi-identifiers = wildcard`. A setting is
    left out if no cell of the release depends on it. Wildcards are left out if they are too slow
    (see `not_measured`) or cannot be combined with the unit column. For a part of a release,
    nothing is yielded.
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
    """The first setting in which two conventions differ, as written in a policy."""
    for name in ("quasi_identifiers", "suppressed_tuples", "sensitive"):
        if getattr(used, name) != getattr(other, name):
            return f"{name.replace('_', '-')} = {getattr(other, name)}"
    return "nothing"


def by_convention(
    measure: Callable[[EquivalenceClasses], Measurement],
    others: list[tuple[str, EquivalenceClasses]],
) -> dict[str, Measurement]:
    """Measure a model under each other convention. Conventions that the model refuses are left out.

    measure: builds the model for the given classes and measures it. The model may depend on the
        classes, because it may hold a number for each class (of a population, of weights).
    """
    levels: dict[str, Measurement] = {}
    for name, classes in others:
        # Some models refuse some conventions: an unknown cell that counts as a value has no order.
        with contextlib.suppress(ParameterError, HierarchyError):
            levels[name] = measure(classes)
    return levels


def dependent(measurement: Measurement, others: Mapping[str, Measurement]) -> Iterator[Notice]:
    """Yield `verdict-depends-on-convention` if a requirement holds under only some conventions."""
    verdicts = {Outcome.HOLDS, Outcome.VIOLATED}
    for name, other in others.items():
        if measurement.outcome in verdicts and verdicts == {measurement.outcome, other.outcome}:
            yield Notice(
                "verdict-depends-on-convention",
                f"{measurement.model}: {measurement.outcome.value} with the convention of this "
                f"audit, but {other.outcome.value} with {name}",
            )
