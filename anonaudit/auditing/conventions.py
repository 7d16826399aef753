"""The same release under other conventions for cells without a value.

No convention is right for everybody: a tool that lets a missing cell match anything and one that
takes it for a value of its own give two different k for one file. So every level is measured
under each of them, and a verdict that depends on the choice is pointed out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.models.level import ParameterError

# Wildcards let classes overlap, which costs more than counting; not for large releases.
MOST_CLASSES = 50_000
MOST_PATTERNS = 64


def not_measured(classes: EquivalenceClasses) -> Iterator[Notice]:
    """`convention-not-measured`: a release too large to be measured with wildcards besides."""
    if classes.whole is not None:
        return
    used = classes.convention.quasi_identifiers == "wildcard"
    unknown = _cells(classes, classes.roles.quasi_identifiers) < FIRST_VALUE
    if not used and unknown.any() and not _wildcards_are_cheap(classes):
        yield Notice(
            "convention-not-measured",
            f"with more than {MOST_CLASSES} classes, or {MOST_PATTERNS} choices of columns that "
            "are unknown together, the levels with quasi-identifiers = wildcard are measured only "
            "if the policy asks for that convention",
        )


def _wildcards_are_cheap(classes: EquivalenceClasses) -> bool:
    unknown = _cells(classes, classes.roles.quasi_identifiers) < FIRST_VALUE
    patterns = len(distinct_rows(unknown.astype(np.int64))[0])
    return len(classes) <= MOST_CLASSES and patterns <= MOST_PATTERNS


def _cells(classes: EquivalenceClasses, columns: Sequence[str]) -> Codes:
    return classes.base.codes[:, classes.base.positions(columns)]


def other_conventions(classes: EquivalenceClasses) -> Iterator[tuple[str, EquivalenceClasses]]:
    """The release under every other convention that changes anything, one change at a time.

    The names say what was changed: `quasi-identifiers = wildcard`, `sensitive = one-value`, ...
    None for some classes of a release: what changes anything is not known of the others.
    """
    if classes.whole is not None:
        return
    used, base, roles = classes.convention, classes.base, classes.roles
    quasi, sensitive = (
        _cells(classes, part) for part in (roles.quasi_identifiers, roles.sensitive)
    )
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
    """What was changed, as a policy would write it."""
    for name in ("quasi_identifiers", "suppressed_tuples", "sensitive"):
        if getattr(used, name) != getattr(other, name):
            return f"{name.replace('_', '-')} = {getattr(other, name)}"
    return "nothing"


def by_convention(
    measure: Callable[[EquivalenceClasses], Measurement],
    others: list[tuple[str, EquivalenceClasses]],
) -> dict[str, Measurement]:
    """What comes of a model under each other convention.

    measure: fits the model to the classes it is given, as it may hold numbers for each of them
    (of a population, of weights), and measures it.
    """
    levels: dict[str, Measurement] = {}
    for name, classes in others:
        # Not every model goes with every convention: an unknown value has no place in an order.
        with contextlib.suppress(ParameterError, HierarchyError):
            levels[name] = measure(classes)
    return levels


def dependent(measurement: Measurement, others: Mapping[str, Measurement]) -> Iterator[Notice]:
    """`verdict-depends-on-convention`: a requirement that another convention turns around."""
    verdicts = {Outcome.HOLDS, Outcome.VIOLATED}
    for name, other in others.items():
        if measurement.outcome in verdicts and verdicts == {measurement.outcome, other.outcome}:
            yield Notice(
                "verdict-depends-on-convention",
                f"{measurement.model}: {measurement.outcome.value} as counted here, but "
                f"{other.outcome.value} with {name}",
            )
