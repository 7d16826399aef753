"""`anonaudit explain`: explain a code of a report."""

from __future__ import annotations

from typing import Annotated

import typer

from anonaudit.cli import completion
from anonaudit.errors import AnonauditError, closest


def explain_command(
    code: Annotated[
        str | None,
        typer.Argument(
            help="A model, an attack, the code of a warning, a kind of error, an outcome, or a "
            "term such as maxP. Without it, all codes are listed.",
            show_default=False,
            autocompletion=completion.complete_code,
        ),
    ] = None,
) -> None:
    """Explain a code of a report: what it means, why it matters, and what to do.

    Exit code 0: explained. 2: there is no such code.

    Examples:

    `anonaudit explain`

    `anonaudit explain near-duplicate-labels`

    `anonaudit explain t-closeness`

    `anonaudit explain maxGroups`
    """
    from anonaudit.cli.output import write_report
    from anonaudit.report.words.explanations import codes, explanation
    from anonaudit.report.words.layout import paragraph, section

    if code is None:
        lines = ["Run `anonaudit explain CODE` with one of these codes."]
        for kind in ("model", "attack", "warning", "error", "outcome", "term"):
            names = sorted(name for name, known in codes().items() if known == kind)
            lines += section(f"{kind}s", [f"  {name}" for name in names])
        write_report("\n".join(lines) + "\n", None)
        return
    names_by_case = {name.casefold(): name for name in codes()}
    meaning = explanation(names_by_case.get(code.casefold().strip(), ""))
    if meaning is None:
        raise AnonauditError(f"there is no code {code!r}. {closest(code, codes())}")
    lines = [f"{names_by_case[code.casefold().strip()]} ({meaning.kind})"]
    for title, said in (
        ("What it means", meaning.means),
        ("Why it matters", meaning.matters),
        ("What to do", meaning.do),
    ):
        lines += section(title, paragraph(said, 88))
    write_report("\n".join(lines) + "\n", None)
