"""Build the measurement of a model from the level of each class."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from anonaudit.errors import AnonauditError
from anonaudit.findings import (
    NO_DATA,
    NO_LIMIT,
    NOT_BROUGHT_DOWN,
    AttributeLevel,
    Measurement,
    Number,
    Outcome,
    Parameter,
    Witness,
)
from anonaudit.frequency.classes import EquivalenceClasses

Levels = npt.NDArray[np.float64]
Chosen = npt.NDArray[np.bool_]

# Levels computed from logarithms and sums of shares carry rounding errors, so they may miss the
# required level by a relative TOLERANCE. Example: a class with two equal shares is exactly entropy
# 2-diverse, although its computed level may be slightly below 2. A strict requirement (below c)
# treats a level within ROUNDING of c as equal to c. Counts are compared exactly.
TOLERANCE = 1e-9
ROUNDING = 1e-12


class Model(Protocol):
    """A privacy model with its parameters.

    If the parameter of the required level is None, the level is measured and nothing is required.
    """

    name: ClassVar[str]

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the level of a release, the class that decides it, and the violating classes."""
        ...


class ParameterError(AnonauditError):
    """A model's parameter is outside what its definition allows."""


def whole_number(name: str, value: object, least: int) -> None:
    """Raise ParameterError unless the value is None or a whole number of at least `least`."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, not {value!r}")


def real_number(
    name: str, value: object, low: float, high: float = float("inf"), *, above: bool = False
) -> None:
    """Raise ParameterError unless the value is None or a finite number from `low` to `high`.

    above: True if the value must be above `low`, not equal to it.
    """
    if value is None:
        return
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    if not fits or not low <= value <= high or (above and value == low):  # type: ignore[operator]
        side = f"above {low}" if above else f"at least {low}"
        limit = "" if high == float("inf") else f" and at most {high}"
        raise ParameterError(f"{name} must be a number {side}{limit}, not {value!r}")


def measurement(
    model: str,
    classes: EquivalenceClasses,
    levels: Mapping[str, Levels],
    *,
    parameters: Mapping[str, Parameter | None],
    required: Number | None,
    worst: Mapping[str, Levels] | None = None,
    safer: Literal["higher", "lower"] = "higher",
    strict: bool = False,
    whole: bool = False,
    also_violating: npt.NDArray[np.bool_] | None = None,
    details: Mapping[str, object] | None = None,
    notes: tuple[str, ...] = (),
) -> Measurement:
    """Return the measurement of a model, given the level of every class.

    model: the name of the model.
    levels: for each attribute, the level of each class, shape (n_classes,); NaN for a class with no
        known value of the attribute. The key "" stands for a level that belongs to no attribute.
    parameters: by name; those with the value None are left out of the measurement.
    required: the required level; None requires nothing.
    worst: in the form of `levels`, the level that each class would have if its unknown cells had
        the worst values. A class is undecided if its level meets `required` but its worst level
        does not. None if levels do not depend on unknown cells.
    safer: whether a higher or a lower level is safer.
    strict: True if a level equal to `required` violates the requirement.
    whole: True if levels are counts, which are compared exactly.
    also_violating: mask of the classes that break another part of the definition, shape
        (n_classes,), for example classes of fewer than k rows or with a value beyond a boundary.
    details, notes: as in `Measurement`. Notes on missing levels and undecided classes are added.
    """
    sign = 1.0 if safer == "higher" else -1.0
    stacked = np.vstack(list(levels.values())) if levels else np.full((1, len(classes)), np.nan)
    names = list(levels)
    per_class = sign * np.fmin.reduce(sign * stacked, axis=0)  # the worst known level

    def falls_short(level: Levels) -> npt.NDArray[np.bool_]:
        if required is None:
            return np.zeros(level.shape, bool)
        gap = sign * (required - level)  # NaN (no known value) never compares as falling short
        if strict:
            return gap >= -ROUNDING * max(abs(required), ROUNDING)
        return gap > (0 if whole else TOLERANCE * max(abs(required), 1e-6))

    violating = falls_short(per_class)
    if also_violating is not None:
        violating = violating | also_violating
    undecided = np.zeros(len(classes), bool)
    if worst:
        least = sign * np.fmin.reduce(sign * np.vstack(list(worst.values())), axis=0)
        undecided = falls_short(least) & ~violating
    known = ~np.isnan(per_class)
    measured = float(sign * np.min(sign * per_class[known])) if known.any() else None
    asked = required is not None or also_violating is not None
    if violating.any():
        outcome = Outcome.VIOLATED
    elif measured is None or undecided.any():
        outcome = Outcome.INCONCLUSIVE
    else:
        outcome = Outcome.HOLDS if asked else Outcome.MEASURED
    n_undecided = int(undecided.sum())
    notes = (*notes, *no_level(measured, len(classes), safer), *may_fall_short(n_undecided))
    return Measurement(
        model=model,
        parameters={name: value for name, value in parameters.items() if value is not None},
        measured=_plain(measured, whole),
        required=required,
        safer=safer,
        outcome=outcome,
        classes_violating=int(violating.sum()) if asked else None,
        rows_violating=int(classes.rows[violating].sum()) if asked else None,
        classes_undecided=n_undecided,
        per_attribute={
            name: _attribute_level(level, classes, falls_short(level), sign, asked, whole)
            for name, level in levels.items()
            if name
        },
        witness=_witness(classes, stacked, names, per_class, sign),
        details=details or {},
        notes=notes,
        violating=violating if asked else None,
        undecided=undecided,
    )


def no_level(
    measured: float | None, n_classes: int, safer: Literal["higher", "lower"]
) -> tuple[str, ...]:
    """Return a note on why there is no finite level; an empty tuple if there is a finite level."""
    if measured is None:
        what = "no row in a class" if n_classes == 0 else "no class with a known sensitive value"
        return (f"{NO_DATA}: the release has {what}, so there is nothing to measure",)
    if np.isfinite(measured):
        return ()
    return (NOT_BROUGHT_DOWN if safer == "higher" else NO_LIMIT,)


def may_fall_short(classes: int) -> tuple[str, ...]:
    """Return a note on undecided classes and how to decide them; an empty tuple without any."""
    if not classes:
        return ()
    note = (
        f"{classes} class(es) may fall short, depending on unknown sensitive cells: fill in these "
        "cells, or declare under [conventions] that an unknown cell is a value "
        '(sensitive = "one-value")'
    )
    return (note,)


def _plain(level: float | None, whole: bool) -> Number | None:
    if level is None or not np.isfinite(level):
        return None
    return int(level) if whole and level == int(level) else level


def _attribute_level(
    level: Levels,
    classes: EquivalenceClasses,
    short: npt.NDArray[np.bool_],
    sign: float,
    asked: bool,
    whole: bool,
) -> AttributeLevel:
    known = ~np.isnan(level)
    worst = float(sign * np.min(sign * level[known])) if known.any() else None
    return AttributeLevel(
        measured=_plain(worst, whole),
        classes_violating=int(short.sum()) if asked else None,
        rows_violating=int(classes.rows[short].sum()) if asked else None,
        classes_without_known_value=int((~known).sum()),
    )


def _witness(
    classes: EquivalenceClasses, stacked: Levels, names: list[str], per_class: Levels, sign: float
) -> Witness | None:
    """Return the class with the worst level, and the attribute that decides this level.

    The first of several such classes is returned; None if no class has a level.
    """
    if np.isnan(per_class).all():
        return None
    known = np.flatnonzero(~np.isnan(per_class))
    # np.nanargmin replaces NaN by infinity. But infinity may be the level of a class.
    number = int(known[np.argmin(sign * per_class[known])])
    here = np.flatnonzero(~np.isnan(stacked[:, number]))
    attribute = names[int(here[np.argmin(sign * stacked[here, number])])]
    return Witness(number, int(classes.rows[number]), attribute or None)
