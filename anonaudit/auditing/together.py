"""What models and attacks found in parts of a release, put together: each class is in one part.

A level is the worst of any class, and what is counted adds up. Of details only those are kept
that follow from those of the parts; all others are about the classes of one part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from anonaudit.attack import judge
from anonaudit.findings import (
    EXPOSED_BY_NUMBER,
    AttributeLevel,
    AuditReport,
    Disclosure,
    Measurement,
    Number,
    Outcome,
    Witness,
    highest,
)
from anonaudit.models.level import may_fall_short, no_level
from anonaudit.models.multi_attribute_l_diversity import FEWEST, LIMIT, unprotected
from anonaudit.models.rule_confidence import ONLY_HIDDEN, POSSIBLE, only_hidden

Combine = Callable[[Sequence[Any]], Any]


def models_together(reports: Sequence[AuditReport]) -> list[Measurement]:
    """Every model, for the release; the same ones were measured in all parts.

    reports: of the parts, in their order, which is also that of the numbers of classes.
    """
    classes = [report.release.classes for report in reports]
    return [_model(parts, classes) for parts in zip(*(r.models for r in reports), strict=True)]


def attacks_together(reports: Sequence[AuditReport]) -> list[Disclosure]:
    """Every attack, for the release; the same ones were run on all parts.

    reports: as of `models_together`.
    """
    classes = [report.release.classes for report in reports]
    return [_attack(parts, classes) for parts in zip(*(r.attacks for r in reports), strict=True)]


def _model(parts: Sequence[Measurement], classes: Sequence[int]) -> Measurement:
    first, lower = parts[0], parts[0].safer == "lower"
    levels = [_level(part.measured, known=part.witness is not None) for part in parts]
    at = _worst(levels, lower=lower, witnesses=[part.witness for part in parts])
    worst = None if at is None else levels[at]
    details = _details([part.details for part in parts])
    # Notes have numbers and reasons of a part; what all say is so for the release.
    told = [
        [note for note in part.notes if note not in _of_a_part(part, level, n)]
        for part, level, n in zip(parts, levels, classes, strict=True)
        if level is not None or worst is None
    ]
    undecided = sum(part.classes_undecided for part in parts)
    notes = [
        *(note for note in told[0] if all(note in others for others in told)),
        *no_level(worst, sum(classes), first.safer),
        *may_fall_short(undecided),
        *_again(first, worst, details),
    ]
    return replace(
        first,
        measured=None if at is None else parts[at].measured,
        outcome=_outcome(parts, levels),
        classes_violating=_total([part.classes_violating for part in parts]),
        rows_violating=_total([part.rows_violating for part in parts]),
        classes_undecided=undecided,
        per_attribute={
            name: _attribute([part.per_attribute[name] for part in parts], classes, lower=lower)
            for name in first.per_attribute
        },
        witness=None if at is None else _numbered(parts[at].witness, classes[:at]),
        details=details,
        notes=tuple(dict.fromkeys(notes)),
        violating=None,
    )


def _of_a_part(part: Measurement, level: float | None, classes: int) -> tuple[str, ...]:
    """The notes that are made anew for the whole release."""
    undecided = may_fall_short(part.classes_undecided)
    return (*no_level(level, classes, part.safer), *undecided, ONLY_HIDDEN)


def _again(model: Measurement, worst: float | None, details: Mapping[str, Any]) -> Iterator[str]:
    """Notes that follow from all parts together, as the models make them themselves."""
    yield from only_hidden(worst, model.required, details.get(POSSIBLE))
    if worst is not None:
        limits = {
            key.removeprefix(LIMIT): limit
            for key, limit in model.parameters.items()
            if key.startswith(LIMIT) and isinstance(limit, int)
        }
        level = model.required or (int(worst) if np.isfinite(worst) else None)
        yield from unprotected(limits, details.get(FEWEST, {}), level)


def _level(measured: Number | None, *, known: bool) -> float | None:
    """A level as it was before an infinite one became None; None where there was no data."""
    return float(np.inf if measured is None else measured) if known else None


def _worst(
    levels: Sequence[float | None], *, lower: bool, witnesses: Sequence[Witness | None] = ()
) -> int | None:
    """Which part decides: of those with the worst level the one with the first witness."""
    known = [i for i, level in enumerate(levels) if level is not None]
    sign, place = -1 if lower else 1, dict(enumerate(map(_place, witnesses)))
    return min(known, key=lambda i: (sign * (levels[i] or 0.0), place.get(i, ())), default=None)


def _place(witness: Witness | None) -> tuple[tuple[int, str], ...]:
    """Where a class stands among all, whatever their parts: cells without a value come first."""
    cells = (witness and witness.cells) or {}
    return tuple((["", "*", cell].index(cell), cell) for cell in cells.values())


def _outcome(parts: Sequence[Measurement], levels: Sequence[float | None]) -> Outcome:
    outcomes = [part.outcome for part in parts]
    if Outcome.VIOLATED in outcomes:
        return Outcome.VIOLATED
    # A part without data decides nothing beside others that have some.
    decided = [o for o, level in zip(outcomes, levels, strict=True) if level is not None]
    return Outcome.INCONCLUSIVE if not decided or Outcome.INCONCLUSIVE in decided else decided[0]


def _attribute(
    parts: Sequence[AttributeLevel], classes: Sequence[int], *, lower: bool
) -> AttributeLevel:
    levels = [
        _level(part.measured, known=part.classes_without_known_value < n)
        for part, n in zip(parts, classes, strict=True)
    ]
    at = _worst(levels, lower=lower)
    return AttributeLevel(
        measured=None if at is None else parts[at].measured,
        classes_violating=_total([part.classes_violating for part in parts]),
        rows_violating=_total([part.rows_violating for part in parts]),
        classes_without_known_value=sum(part.classes_without_known_value for part in parts),
    )


def _attack(parts: Sequence[Disclosure], classes: Sequence[int]) -> Disclosure:
    first = parts[0]
    if first.outcome is Outcome.SKIPPED:  # for want of a column, so in every part
        return first
    targets = sum(part.targets for part in parts)
    disclosed = sum(part.disclosed for part in parts)
    undecided = sum(part.undecided for part in parts)
    rate = disclosed / targets if targets else None
    outcome = judge(rate, first.allowed, highest(rate, targets, undecided))
    reason = None if targets else first.reason
    if undecided:
        why = [part.reason for part in parts if part.undecided and part.reason]
        reason = why[0]
        if len({*why}) > 1:
            where = f"in {len(why)} of {len(parts)} parts"
            reason = f"{undecided} target(s) are undecided {where}: {reason}"
    at = _shown(parts)
    details = _details([part.details for part in parts if part.targets])
    if at is not None and REPLAYED in parts[at].details:
        details[REPLAYED] = parts[at].details[REPLAYED]
    return replace(
        first,
        targets=targets,
        identified=sum(part.identified for part in parts),
        disclosed=disclosed,
        undecided=undecided,
        rate=rate,
        baseline=next((part.baseline for part in parts if part.baseline is not None), None),
        outcome=outcome,
        per_attribute={
            name: sum(part.per_attribute.get(name, 0) for part in parts)
            for name in max((part.per_attribute for part in parts), key=len)
        },
        details=details,
        witness=None if at is None else _numbered(parts[at].witness, classes[:at]),
        reason=reason,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        exposed=None,
    )


def _shown(parts: Sequence[Disclosure]) -> int | None:
    """Whose witness to show: of the part with the fewest eliminations the first of most rows."""
    found: list[tuple[float, int, tuple[tuple[int, str], ...], int]] = []
    for i, part in enumerate(parts):
        if part.witness is not None:
            least = part.details.get(BY_LEAST, {})
            numbers = [int(t) for t in least if t != NEVER] if isinstance(least, dict) else []
            rows, place = part.witness.rows, _place(part.witness)
            found.append((min(numbers, default=0), -rows, place, i))
    return min(found)[-1] if found else None


def _numbered(witness: Witness | None, before: Sequence[int]) -> Witness | None:
    """The witness with the place of its class among those of all parts."""
    return witness and replace(witness, class_number=witness.class_number + sum(before))


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


# --- details

BY_LEAST: Final = "classes by least number"
NEVER: Final = "none"
REPLAYED: Final = "witness"  # what to eliminate in the class that is shown; goes with that class


def _details(parts: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    if not parts:
        return {}
    found = {}
    for key, combine in DETAILS.items():
        values = [part[key] for part in parts if part.get(key) is not None]
        if values:
            found[key] = combine(values)
    return found


def _same(values: Sequence[Any]) -> Any:
    """What every part says alike, as it is known of the whole release."""
    if any(value != values[0] for value in values):
        raise ValueError("parts of a release do not agree on what is known of all of it")
    return values[0]


def _by_key(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    keys = dict.fromkeys(key for table in tables for key in table)
    return {key: sum(table.get(key, 0) for table in tables) for key in keys}


def _by_least(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Numbers in ascending order, what has none at the end."""
    added = _by_key(tables)
    order = sorted(added, key=lambda key: np.inf if key == NEVER else int(key))
    return {key: added[key] for key in order}


def _least(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    keys = dict.fromkeys(key for table in tables for key in table)
    return {key: min(table[key] for table in tables if key in table) for key in keys}


def _up_to(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Of numbers that say how many there are up to each key."""
    keys = sorted({int(key) for table in tables for key in table})
    return {
        str(key): sum(
            max((n for t, n in table.items() if int(t) <= key), default=0) for table in tables
        )
        for key in keys
    }


DETAILS: Final[Mapping[str, Combine]] = {
    "k": min,
    "maxP": _same,
    "maxGroups": _same,
    "protected subtrees": _same,
    POSSIBLE: max,
    "constraint violations": _by_key,
    "classes with a violation": sum,
    "rows with a violation": sum,
    "how violations were found": _same,
    "classes that no allowed deletion deletes": sum,
    FEWEST: _least,
    "classes": _by_key,
    "likely": sum,
    "eliminated at most": _same,
    EXPOSED_BY_NUMBER: _up_to,
    BY_LEAST: _by_least,
    "targets with bounds only": sum,
}
