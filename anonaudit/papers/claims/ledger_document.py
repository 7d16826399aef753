"""The claims as Markdown (docs/claims.md), as text and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from anonaudit.papers.claims import LEDGERS, Claim, Rechecked, Verdict

_INTRODUCTION = """\
# The claims of the papers, one by one

Written by `anonaudit claims --format markdown -o docs/claims.md`; a test keeps it current.

*holds*: the check found no counterexample, among all inputs up to the stated bound and random
inputs beyond it. *false as published*: the smallest known counterexample is given, and a corrected
statement that was checked as well. *ours*: not in the paper. *cited*: taken from the literature.
*experiment*: a measurement to reproduce, not a statement to prove. `anonaudit claims --recheck`
repeats all checks.
"""


def _parts(claim: Claim) -> list[str]:
    """Return the counterexample, the correction and the remarks of a claim, each with a title.

    Parts that are empty are left out.
    """
    parts = {
        "Counterexample": claim.counterexample,
        "Corrected" if claim.verdict is Verdict.FALSE else "Precisely": claim.corrected,
        "Also found": claim.differs,
    }
    return [f"{title}: {_ended(text)}" for title, text in parts.items() if text]


def to_markdown() -> str:
    """Return docs/claims.md as text: the numbers of claims by verdict, then each paper's claims."""
    parts = [_INTRODUCTION, _counted([c for ledger in LEDGERS for c in ledger.claims]) + "\n"]
    for ledger in LEDGERS:
        parts.append(f"## {ledger.paper}: {ledger.title}\n")
        for claim in ledger.claims:
            lines = [f"**{claim.id}** ({claim.verdict}). {claim.statement}", "", _shown(claim)]
            for part in _parts(claim):
                lines += ["", part]
            parts.append("\n".join(_wrapped(line) for line in lines) + "\n")
    return "\n".join(parts)


def _shown(claim: Claim) -> str:
    how = "Shown:" if claim.check else "Not checked here:"
    return f"{how} {_ended(claim.shown)}"


def _ended(text: str) -> str:
    return text if text.endswith((".", ".)")) else text + "."


def _wrapped(line: str, indent: str = "") -> str:
    return textwrap.fill(
        line, 100, break_on_hyphens=False, break_long_words=False, subsequent_indent=indent
    )


def _counted(claims: Sequence[Claim]) -> str:
    verdicts = Counter(claim.verdict for claim in claims)
    counts = ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items())
    return f"{len(claims)} claim{'s' * (len(claims) != 1)}: {counts}."


def to_text(
    claims: Sequence[Claim],
    results: Mapping[str, Rechecked] | None = None,
    seed: int | None = None,
) -> str:
    """Return the claims as text for a terminal.

    results: claim id -> the result of its repeated check; None if no check was repeated.
    seed: the seed of the checks; None if they used their fixed inputs.
    """
    lines = []
    for claim in claims:
        lines.append(_wrapped(f"{claim.id} [{claim.verdict}] {claim.statement}", "  "))
        lines.append("  " + _wrapped(_shown(claim), "    "))
        lines += ["  " + _wrapped(part, "    ") for part in _parts(claim)]
        if results is not None:
            lines.append("  " + _wrapped("Now: " + _result(results[claim.id]), "    "))
    lines += ["", _counted(claims)]
    if results is not None:
        outcomes = Counter(result.outcome for result in results.values())
        cases = sum(result.cases for result in results.values())
        counted = ", ".join(f"{n} {outcome}" for outcome, n in outcomes.items())
        drawn = "" if seed is None else f", drawn with seed {seed}"
        lines.append(f"Checked again: {counted}; {cases} inputs{drawn}.")
    return "\n".join(lines) + "\n"


def _result(result: Rechecked) -> str:
    if result.outcome == "no check":
        return "no check"
    inputs = "1 input" if result.cases == 1 else f"{result.cases} inputs"
    outcome = f" ({result.found})" if result.found else ""
    return f"{result.outcome}, {inputs}, {result.seconds:.1f} s{outcome}"


def to_json(
    claims: Iterable[Claim],
    results: Mapping[str, Rechecked] | None = None,
    seed: int | None = None,
) -> str:
    """Return the claims as JSON; parameters as for `to_text`."""
    entries = []
    for claim in claims:
        entry: dict[str, object] = {
            "id": claim.id,
            "paper": claim.paper,
            "statement": claim.statement,
            "verdict": claim.verdict.value,
            "shown": claim.shown,
            "counterexample": claim.counterexample,
            "corrected": claim.corrected,
            "differs": claim.differs,
            "can be checked": claim.check is not None,
        }
        if results is not None:
            result = results[claim.id]
            entry["recheck"] = {
                "outcome": result.outcome,
                "inputs": result.cases,
                "seconds": round(result.seconds, 3),
                "found": result.found,
                "seed": seed,
            }
        entries.append(entry)
    return json.dumps({"claims": entries}, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
