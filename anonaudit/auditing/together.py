"""Combine the results of models and attacks over the parts of a release.

Each class is in exactly one part. So the level of the release is the worst level of a part, and
counts add up. `Details` objects have a method that combines them. Details in a plain mapping are
dropped, because they describe only one part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from anonaudit.attack import judge
from anonaudit.details import Details, part_of
from anonaudit.findings import (
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
from anonaudit.special_details import BeyondBoundaries, ByEliminations


def models_together(reports: Sequence[AuditReport]) -> list[Measurement]:
    """Return the measurement of each model for the whole release.

    reports: the reports of the parts, in order. The same models were measured in all parts. The
        classes of the whole release are numbered in this order: first those of the first part.
    """
    classes = [report.release.classes for report in reports]
    return [_model(parts, classes) for parts in zip(*(r.models for r in reports), strict=True)]


def attacks_together(reports: Sequence[AuditReport]) -> list[Disclosure]:
    """Return the result of each attack for the whole release. reports: see `models_together`."""
    classes = [report.release.classes for report in reports]
    return [_attack(parts, classes) for parts in zip(*(r.attacks for r in reports), strict=True)]


def _model(parts: Sequence[Measurement], classes: Sequence[int]) -> Measurement:
    first, lower = parts[0], parts[0].safer == "lower"
    levels = [_level(part.measured, known=part.witness is not None) for part in parts]
    at = _worst_part(levels, lower=lower, witnesses=[part.witness for part in parts])
    worst = None if at is None else levels[at]
    details = _details([part.details for part in parts])
    # A note may contain numbers of one part, so only notes that all parts share are kept. The notes
    # that follow from the level and the details are written again for the whole release.
    notes_by_part = [
        [note for note in part.notes if note not in _own_notes(part, level, n)]
        for part, level, n in zip(parts, levels, classes, strict=True)
        if level is not None or worst is None
    ]
    undecided = sum(part.classes_undecided for part in parts)
    notes = [
        *(note for note in notes_by_part[0] if all(note in others for others in notes_by_part)),
        *_own_notes(
            replace(first, details=details, classes_undecided=undecided), worst, sum(classes)
        ),
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
        undecided=None,
    )


def _own_notes(model: Measurement, level: float | None, classes: int) -> tuple[str, ...]:
    """Return the notes of a measurement that follow from its level and its details.

    level: see `_level`. classes: number of classes measured.
    """
    beyond = part_of(model.details, BeyondBoundaries)
    by_boundaries = (beyond and beyond.undecided_classes) or 0
    undecided = may_fall_short(model.classes_undecided - by_boundaries)
    notes = no_level(level, classes, model.safer) + undecided
    if isinstance(model.details, Details):
        notes += model.details.notes(level, model.required, model.parameters)
    return notes


def _level(measured: Number | None, *, known: bool) -> float | None:
    """Return the level as a float, maybe infinite; None if there were no data.

    measured: the level in the measurement; None if it is infinite or there were no data. known:
    True if there were data.
    """
    return float(np.inf if measured is None else measured) if known else None


def _worst_part(
    levels: Sequence[float | None], *, lower: bool, witnesses: Sequence[Witness | None] = ()
) -> int | None:
    """Return the position of the part with the worst level; None if no part has a level.

    If several parts have the worst level, the part whose witness comes first in the order of
    classes (`_class_order`) wins.

    lower: True if lower levels are safer.
    """
    known = [i for i, level in enumerate(levels) if level is not None]
    sign, place = -1 if lower else 1, dict(enumerate(map(_class_order, witnesses)))
    return min(known, key=lambda i: (sign * (levels[i] or 0.0), place.get(i, ())), default=None)


def _class_order(witness: Witness | None) -> tuple[tuple[int, str], ...]:
    """Return the sort key of a witness's class: its cells, missing first, then suppressed ones."""
    cells = (witness and witness.cells) or {}
    return tuple((["", "*", cell].index(cell), cell) for cell in cells.values())


def _outcome(parts: Sequence[Measurement], levels: Sequence[float | None]) -> Outcome:
    outcomes = [part.outcome for part in parts]
    if Outcome.VIOLATED in outcomes:
        return Outcome.VIOLATED
    # If other parts have data, a part without a level is ignored, unless more than data is missing.
    decided = [
        part.outcome
        for part, level in zip(parts, levels, strict=True)
        if level is not None or part.classes_undecided or _leaves_open(part)
    ]
    return Outcome.INCONCLUSIVE if not decided or Outcome.INCONCLUSIVE in decided else decided[0]


def _leaves_open(part: Measurement) -> bool:
    return isinstance(part.details, Details) and part.details.leaves_open


def _attribute(
    parts: Sequence[AttributeLevel], classes: Sequence[int], *, lower: bool
) -> AttributeLevel:
    levels = [
        _level(part.measured, known=part.classes_without_known_value < n)
        for part, n in zip(parts, classes, strict=True)
    ]
    at = _worst_part(levels, lower=lower)
    return AttributeLevel(
        measured=None if at is None else parts[at].measured,
        classes_violating=_total([part.classes_violating for part in parts]),
        rows_violating=_total([part.rows_violating for part in parts]),
        classes_without_known_value=sum(part.classes_without_known_value for part in parts),
    )


def _attack(parts: Sequence[Disclosure], classes: Sequence[int]) -> Disclosure:
    first = parts[0]
    if first.outcome is Outcome.SKIPPED:  # a column is missing, so all parts were skipped
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
    at = _part_to_show(parts)
    details = _details([part.details for part in parts if part.targets])
    of_witness = None if at is None else part_of(parts[at].details, ByEliminations)
    if of_witness is not None and isinstance(details, ByEliminations):
        details = replace(details, replay=of_witness.replay)
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


def _part_to_show(parts: Sequence[Disclosure]) -> int | None:
    """Return the position of the part whose witness is shown; None if no part has a witness.

    The witness with the fewest eliminations wins. Among equals, the witness with the most rows
    wins, then the first in the order of classes.
    """
    candidates: list[tuple[float, int, tuple[tuple[int, str], ...], int]] = []
    for i, part in enumerate(parts):
        if part.witness is not None:
            eliminations = part_of(part.details, ByEliminations)
            least = eliminations.least if eliminations else 0
            rows, place = part.witness.rows, _class_order(part.witness)
            candidates.append((least, -rows, place, i))
    return min(candidates)[-1] if candidates else None


def _numbered(witness: Witness | None, before: Sequence[int]) -> Witness | None:
    """Return the witness with the number of its class in the whole release.

    before: the number of classes in each earlier part.
    """
    return witness and replace(witness, class_number=witness.class_number + sum(before))


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _details(parts: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
    """Combine the details of all parts. Details in a plain mapping are dropped."""
    there = [part for part in parts if isinstance(part, Details)]
    return type(there[0]).together(there) if there else {}
