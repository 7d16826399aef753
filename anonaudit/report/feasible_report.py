"""Write the result of `anonaudit feasible` as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from anonaudit.details import Kind
from anonaudit.findings import Feasibility, Number
from anonaudit.report.plain import plain
from anonaudit.report.words import figures, layout, wording
from anonaudit.special_details import Price

_WIDTH = 88
_REACHED = (
    "'reachable' means the level if all rows are in one class (or, with boundaries, if all values "
    "are at their boundaries). No generalization without suppression reaches a safer level."
)
_NOT_ASKED = "Attacks and identifiers were not checked. Audit the release after masking."

WORDS = {
    True: "can be met",
    False: "CANNOT BE MET without suppression",
    None: "UNDECIDED; a single class falls short, but smaller classes may not",
}


def to_json(feasibilities: Iterable[Feasibility]) -> str:
    """Return JSON with one object for each requirement, in the order of the policy."""
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
        for answer in feasibilities
    ]
    return json.dumps({"feasible": answers}, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_text(source: str, feasibilities: Sequence[Feasibility]) -> str:
    """Return the verdict, and for each requirement the reachable level and the price, as text."""
    impossible = [answer.model for answer in feasibilities if answer.feasible is False]
    unknown = [answer.model for answer in feasibilities if answer.feasible is None]
    if not feasibilities:
        nothing = f"{layout.printable(source)}: the policy requires no model."
        return "\n".join(layout.paragraph(f"{nothing} {_NOT_ASKED}", _WIDTH)) + "\n"
    total = figures.counted(len(feasibilities), "requirement")
    if impossible:
        verdict = f"NOT FEASIBLE: {len(impossible)} of {total} cannot be met without suppression"
    elif unknown:
        verdict = f"UNDECIDED: {len(unknown)} of {total} undecided"
    else:
        verdict = (
            "FEASIBLE: the requirement can be met"
            if len(feasibilities) == 1
            else f"FEASIBLE: each of the {total} can be met by itself"
        )
    lines = [verdict, ""]
    lines += layout.paragraph(f"{layout.printable(source)}: {_REACHED}", _WIDTH, rest="  ")
    for answer in feasibilities:
        word = WORDS[answer.feasible]
        levels = f"required {_level(answer.required)}, reachable {_level(answer.reachable)}"
        lines += ["", f"  {answer.model}: {word} ({levels})"]
        lines += [f"    {label}: {cost}" for label, cost in price(answer)[3:]]
        lines += [f"  {line}" for line in _most_classes(answer.price)]
        for note in answer.notes:
            lines += layout.paragraph(f"note: {wording.plural(note)}", _WIDTH, first="    ")
    return "\n".join([*lines, "", *layout.paragraph(_NOT_ASKED, _WIDTH)]) + "\n"


def price(answer: Feasibility) -> list[list[str]]:
    """Return a table of two columns, name and value, after an empty header row.

    The rows are the required level, the reachable level, the bottleneck (if there is one) and the
    facts of the price.
    """
    levels = (("required", answer.required), ("reachable", answer.reachable))
    rows = [["", ""], *([name, _level(level)] for name, level in levels)]
    if answer.bottleneck:
        rows.append(["bottleneck", layout.name(answer.bottleneck)])
    costs = [cost for cost in answer.price.facts() if cost.kind is not Kind.PLACED]
    return rows + [[cost.said or cost.label, _written(cost.value)] for cost in costs]


def _most_classes(price: Price) -> list[str]:
    """Return a table of maxGroups for every p, below a sentence that explains it."""
    if not price.max_groups:
        return []
    columns = price.by_attribute or {}
    columns = columns if len(columns) > 1 else {}
    rows = [["p", "maxGroups", *(f"by {layout.name(name)}" for name in columns)]]
    for p, most in price.max_groups.items():
        parts = [groups.get(p) for groups in columns.values()]
        rows.append([p, _written(most), *("-" if n is None else _written(n) for n in parts)])
    said = (
        "maxGroups: the most classes that the frequencies of the values allow for a p. The largest "
        "possible number of classes, above, may be smaller: it also takes into account that every "
        "class has k rows or more, or p rows if p is larger."
    )
    lines = layout.paragraph(said, _WIDTH - 2, first="  ", rest="  ")
    return [*lines, *layout.table_lines(rows, left=(0,), width=_WIDTH)]


def _level(level: Number | None) -> str:
    return "-" if level is None else f"{level:.4g}" if isinstance(level, float) else f"{level:,}"


def _written(value: object) -> str:
    if isinstance(value, Mapping):
        parts = [
            f"{key}: ({_written(v)})" if isinstance(v, Mapping) else f"{key}: {_written(v)}"
            for key, v in value.items()
        ]
        return ", ".join(parts)
    return f"{value:,}" if isinstance(value, int) else str(value)
