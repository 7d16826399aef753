"""`anonaudit claims`: the ledger of what the papers claim, and a way to check it again."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli import completion
from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.options import QuietOption
from anonaudit.errors import AnonauditError, listed


class LedgerFormat(enum.StrEnum):
    """The forms of the ledger."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def claims_command(
    paper: Annotated[
        list[str] | None,
        typer.Option(
            "--paper",
            "-p",
            help="Only this paper's claims, or one claim by its id; repeatable.",
            autocompletion=completion.complete_claim,
        ),
    ] = None,
    recheck: Annotated[
        bool, typer.Option("--recheck", help="Go through the checks again.")
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            help="Seconds for all checks together; one that is cut short says so. No limit if not "
            "given.",
            min=0.0,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Draw other inputs at random, those of this seed. Without it, every run draws the "
            "same.",
            min=0,
        ),
    ] = None,
    format_: Annotated[
        LedgerFormat, typer.Option("--format", "-f", help="The form of the ledger.")
    ] = LedgerFormat.TEXT,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the ledger here.", show_default=False),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Print the papers' claims: what each says, whether it holds, and how that is shown.

    Exit code 0: printed, and nothing was refuted. 1: a check found an input against the ledger. 2:
    there is no such paper or claim.

    For example:

    `anonaudit claims --paper TV06`

    `anonaudit claims --recheck --budget 120`

    `anonaudit claims --recheck --seed 20261129`
    """
    from anonaudit.cli.output import check_output, progress, write_report
    from anonaudit.papers.claims import CLAIMS, LEDGERS, recheck_all
    from anonaudit.papers.claims.ledger_document import to_json, to_markdown, to_text

    wanted = {name.casefold() for name in paper or []}
    known = {name.casefold() for claim in CLAIMS for name in (claim.paper, claim.id)}
    if wanted - known:
        papers = listed(ledger.paper for ledger in LEDGERS)
        raise AnonauditError(
            f"there is no paper or claim {min(wanted - known)!r}; the papers are {papers}"
        )
    if budget is not None and not recheck:
        raise AnonauditError("--budget limits the checks, so it needs --recheck")
    if seed is not None and not recheck:
        raise AnonauditError("--seed is for the inputs of the checks, so it needs --recheck")
    if format_ is LedgerFormat.MARKDOWN and (wanted or recheck):
        raise AnonauditError("markdown is the whole ledger: leave out --paper and --recheck")
    check_output(output)
    chosen = [c for c in CLAIMS if not wanted or {c.paper.casefold(), c.id.casefold()} & wanted]
    results = None
    if recheck:
        with progress(quiet) as say:
            checked = recheck_all(chosen, budget, say, seed=seed)
            results = {result.claim.id: result for result in checked}
    if format_ is LedgerFormat.MARKDOWN:
        text = to_markdown()
    else:
        render = to_json if format_ is LedgerFormat.JSON else to_text
        text = render(chosen, results, seed)
    write_report(text, output, utf8=format_ is LedgerFormat.JSON)
    refuted = any(result.outcome == "refuted" for result in (results or {}).values())
    raise typer.Exit(ExitCode.VIOLATED if refuted else ExitCode.HOLDS)
