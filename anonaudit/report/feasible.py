"""The answer to `anonaudit feasible`, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from anonaudit.findings import Feasibility, Number
from anonaudit.report.plain import plain

WORDS = {
    True: "can be met",
    False: "CANNOT BE MET without suppression",
    None: "NOT KNOWN; one class falls short, but finer classes may not",
}


def to_json(found: Iterable[Feasibility]) -> str:
    """One object a requirement, in the order of the policy."""
    answers = [
        {
            "name": answer.model,
            "required": plain(answer.required),
            "reachable": plain(answer.reachable),
            "feasible": answer.feasible,
            "bottleneck": answer.bottleneck,
            "price": plain(answer.price),
            "notes": list(answer.notes),
        }
        for answer in found
    ]
    return json.dumps({"feasible": answers}, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_text(source: str, found: Sequence[Feasibility]) -> str:
    """The verdict first, then each requirement with what can be reached, and the price."""
    impossible = [answer.model for answer in found if answer.feasible is False]
    unknown = [answer.model for answer in found if answer.feasible is None]
    if not found:
        return f"{source}: the policy requires nothing, so anything meets it\n"
    if impossible:
        broken = f"{len(impossible)} of {len(found)} requirements"
        verdict = f"NOT FEASIBLE: {broken} cannot be met without suppression"
    elif unknown:
        verdict = f"UNDECIDED: of {len(unknown)} of {len(found)} requirements it is not known"
    else:
        verdict = f"FEASIBLE: all {len(found)} requirements can be met, each by itself"
    lines = [verdict, "", f"{source}, as one class: the furthest any generalization gets", ""]
    for answer in found:
        word = WORDS[answer.feasible]
        lines.append(
            f"  {answer.model}: {word} (required {_level(answer.required)}, "
            f"reachable {_level(answer.reachable)})"
        )
        if answer.bottleneck:
            lines.append(f"    bottleneck: {answer.bottleneck}")
        lines += [f"    {name}: {_price(value)}" for name, value in answer.price.items()]
        lines += [f"    note: {note}" for note in answer.notes]
    return "\n".join(lines) + "\n"


def _level(level: Number | None) -> str:
    return "-" if level is None else f"{level:.4g}" if isinstance(level, float) else f"{level:,}"


def _price(value: object) -> str:
    if isinstance(value, Mapping):
        parts = [
            f"{key}: ({_price(v)})" if isinstance(v, Mapping) else f"{key}: {_price(v)}"
            for key, v in value.items()
        ]
        return ", ".join(parts)
    return f"{value:,}" if isinstance(value, int) else str(value)
