"""Write a report as JSON, by the versioned schema in schema.json."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

from anonaudit.findings import (
    AttributeLevel,
    AuditReport,
    Disclosure,
    Measurement,
    Notice,
    Release,
    Remedies,
    Remedy,
    Witness,
)
from anonaudit.report.plain import Plain, details_of, plain

SCHEMA_VERSION = "1"

# JSON allows these characters unescaped. But a UTF-8 file cannot hold a lone surrogate, and a
# terminal obeys control characters and bidirectional overrides.
_UNSAFE = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def to_json(report: AuditReport, *, show_values: bool = False) -> str:
    """Return the report as a JSON text. The same report gives the same bytes.

    show_values: True if cells of the release and labels of warnings may be included.
    """
    text = json.dumps(
        to_dict(report, show_values=show_values), indent=2, ensure_ascii=False, allow_nan=False
    )
    return escaped_json(text) + "\n"


def escaped_json(text: str) -> str:
    """Return the JSON text with control, bidirectional and surrogate characters as escapes."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def strict_loads(text: str) -> Any:
    """Return the content of a JSON text.

    Raises ValueError for `NaN` and infinities, which JSON does not have, and for an object with a
    repeated name. For a repeated name, Python's own reader would keep the last value.
    """
    return json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    by_name = dict(pairs)
    if len(by_name) < len(pairs):
        raise ValueError("a name is repeated")
    return by_name


def to_dict(report: AuditReport, *, show_values: bool = False) -> dict[str, Plain]:
    """Return the report as dictionaries and lists, with the keys in the order of the schema."""
    document: dict[str, Plain] = {
        "schema_version": SCHEMA_VERSION,
        "outcome": report.outcome.value,
        "release": _release(report.release),
        "columns": plain(report.columns),
        "models": [_model(model, show_values=show_values) for model in report.models],
        "attacks": [_attack(attack, show_values=show_values) for attack in report.attacks],
        "warnings": [_warning(notice, show_values=show_values) for notice in report.warnings],
        "provenance": plain(report.provenance),
    }
    if report.remedies is not None:
        document["remedies"] = _remedies(report.remedies)
    if report.blame is not None:
        document["blame"] = {
            "below": plain(report.blame.below),
            "rows": report.blame.rows,
            **({} if report.blame.persons is None else {"persons": report.blame.persons}),
            "without": plain(report.blame.without),
        }
    return document


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of reports in JSON."""
    source = resources.files("anonaudit.report").joinpath("schema.json")
    contract: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return contract


def _remedies(remedies: Remedies) -> Plain:
    return {
        "tried": [_remedy(remedy) for remedy in remedies.tried],
        "reason": remedies.reason,
        "unreachable": list(remedies.unreachable),
    }


def _remedy(remedy: Remedy) -> Plain:
    return {
        "steps": [
            {
                "kind": step.kind,
                "columns": list(step.columns),
                "rows": plain(step.rows),
                "classes": plain(step.classes),
                "levels": plain(step.levels),
            }
            for step in remedy.steps
        ],
        "suffices": remedy.suffices,
        "outcome": remedy.outcome.value,
        "rows_suppressed": plain(remedy.rows_suppressed),
        "cells_changed": plain(remedy.cells_changed),
        "loss": plain(remedy.loss),
        "requirements": [
            {
                "kind": one.kind,
                "name": one.name,
                "required": plain(one.required),
                "before": plain(one.before),
                "after": plain(one.after),
                "outcome_before": one.outcome_before.value,
                "outcome": one.outcome.value,
            }
            for one in remedy.requirements
        ],
    }


def _release(release: Release) -> Plain:
    sizes: Mapping[str, object] = release.class_sizes
    ordered = {key: plain(sizes.get(key)) for key in ("min", "mean", "median", "max")}
    return {
        "source": plain(release.source),
        "sha256": release.sha256,
        "rows": plain(release.rows),
        "persons": plain(release.persons),
        "classes": plain(release.classes),
        "suppressed_tuples": plain(release.suppressed_tuples),
        "dropped_rows": plain(release.dropped_rows),
        "missing_cells": plain(release.missing_cells),
        "suppressed_cells": plain(release.suppressed_cells),
        "convention": plain(release.convention),
        "class_sizes": ordered | {str(k): plain(v) for k, v in sizes.items() if k not in ordered},
    }


def _model(model: Measurement, *, show_values: bool) -> Plain:
    return {
        "name": model.model,
        "parameters": plain(model.parameters),
        "measured": plain(model.measured),
        "required": plain(model.required),
        "safer": model.safer,
        "outcome": model.outcome.value,
        "classes_violating": plain(model.classes_violating),
        "rows_violating": plain(model.rows_violating),
        **({"classes_undecided": n} if (n := plain(model.classes_undecided)) else {}),
        "per_attribute": {
            column: _attribute(reached) for column, reached in model.per_attribute.items()
        },
        "details": details_of(model.details, show_values=show_values),
        "notes": list(model.notes),
        "witness": _witness(model.witness, show_values=show_values),
        "by_convention": plain(model.by_convention),
    }


def _attribute(reached: AttributeLevel) -> Plain:
    return {
        "measured": plain(reached.measured),
        "classes_violating": plain(reached.classes_violating),
        "rows_violating": plain(reached.rows_violating),
        "classes_without_known_value": plain(reached.classes_without_known_value),
    }


def _attack(attack: Disclosure, *, show_values: bool) -> Plain:
    return {
        "name": attack.attack,
        "knowledge": attack.knowledge,
        "targets": plain(attack.targets),
        "identified": plain(attack.identified),
        "disclosed": plain(attack.disclosed),
        "rate": plain(attack.rate),
        "undecided": plain(attack.undecided),
        "highest_rate": plain(attack.highest_rate),
        "baseline": plain(attack.baseline),
        "allowed": plain(attack.allowed),
        "outcome": attack.outcome.value,
        "per_attribute": plain(attack.per_attribute),
        "details": details_of(attack.details, show_values=show_values),
        "notes": list(attack.notes),
        "reason": attack.reason,
        "witness": _witness(attack.witness, show_values=show_values),
    }


def _witness(witness: Witness | None, *, show_values: bool) -> Plain:
    if witness is None:
        return None
    shown: dict[str, Plain] = {
        "class_number": plain(witness.class_number),
        "rows": plain(witness.rows),
        "attribute": witness.attribute,
        "positions": plain(witness.positions),
    }
    return shown | {"cells": plain(witness.cells)} if show_values else shown


def _warning(notice: Notice, *, show_values: bool) -> Plain:
    shown: dict[str, Plain] = {
        "code": notice.code,
        "message": notice.message,
        "column": notice.column,
        "label_count": len(notice.labels),
    }
    return shown | {"labels": list(notice.labels)} if show_values else shown
