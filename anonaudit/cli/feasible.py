"""`anonaudit feasible`: check before masking whether a policy can be satisfied."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.options import (
    DelimiterOption,
    EncodingOption,
    FormatOption,
    OutputOption,
    QuietOption,
    open_with_policy,
)
from anonaudit.cli.output import TextOrJson


def feasible_command(
    original: Annotated[str, typer.Argument(help="The original table, not masked yet.")],
    policy: Annotated[Path, typer.Argument(help="The policy that the release must satisfy.")],
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    format_: FormatOption = TextOrJson.TEXT,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Say if masking can satisfy each requirement of a policy, and how many rows it must suppress.

    Exit code 0: every requirement can be satisfied. 1: at least one requirement cannot be satisfied
    by generalization alone. Rows or cells would have to be suppressed. 2: bad input or policy, or
    at least one requirement is undecided.

    Warnings about the table (labels, encoding, rows of totals) go to standard error.

    For example:

    `anonaudit feasible patients.csv policy.toml`
    """
    from anonaudit.auditing.feasibility import feasibility_of
    from anonaudit.auditing.notices import notices_of_original
    from anonaudit.auditing.preparation import prepare
    from anonaudit.cli.output import progress, tell, tell_of_padding, write_report
    from anonaudit.report.feasible_report import to_json, to_text

    with progress(quiet) as say:
        say("reading")
        table, rules = open_with_policy(original, policy, delimiter, encoding)
        say("counting")
        # The table is itself the original, so it is not paired with the original of the policy.
        prepared = prepare(table, replace(rules, original=None))
        feasibilities = list(feasibility_of(prepared))
        notices = list(notices_of_original(prepared))
    text = (
        to_json(feasibilities) if format_ is TextOrJson.JSON else to_text(table.name, feasibilities)
    )
    write_report(text, output)
    for notice in notices:
        column = "" if notice.column is None else f" in {notice.column!r}"
        tell(f"{table.name}: {notice.code}{column}: {notice.message}")
    tell_of_padding(table)
    answers = {answer.feasible for answer in feasibilities}
    if False in answers:
        raise typer.Exit(ExitCode.VIOLATED)
    raise typer.Exit(ExitCode.NO_AUDIT if None in answers else ExitCode.HOLDS)
