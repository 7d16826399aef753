"""`anonaudit claims`: print the ledger of the papers' claims, and check the claims again."""

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
    """The formats of the ledger."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def claims_command(
    paper: Annotated[
        list[str] | None,
        typer.Option(
            "--paper",
            "-p",
            help="Print only the claims of this paper, or the claim with this id. Repeatable.",
            autocompletion=completion.complete_claim,
        ),
    ] = None,
    recheck: Annotated[bool, typer.Option("--recheck", help="Run the checks again.")] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            help="The seconds that all checks together may take. A check that is cut short says "
            "so. Default: no limit.",
            min=0.0,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Draw the random inputs of the checks from this seed. Without a seed, every run "
            "draws the same inputs.",
            min=0,
        ),
    ] = None,
    format_: Annotated[
        LedgerFormat, typer.Option("--format", "-f", help="The format of the ledger.")
    ] = LedgerFormat.TEXT,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the ledger to this file.", show_default=False),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Print the papers' claims, whether each one holds, and the evidence.

    Exit code 0: printed, and no check failed. 1: a check found an input that contradicts the
    ledger. 2: there is no such paper or claim.

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
        raise AnonauditError("--budget limits the checks; use it with --recheck")
    if seed is not None and not recheck:
        raise AnonauditError("--seed draws the inputs of the checks; use it with --recheck")
    if format_ is LedgerFormat.MARKDOWN and (wanted or recheck):
        raise AnonauditError(
            "--format markdown prints the whole ledger; leave out --paper and --recheck"
        )
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
