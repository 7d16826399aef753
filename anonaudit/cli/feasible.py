"""`anonaudit feasible`: before anyone masks anything."""

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
    policy: Annotated[Path, typer.Argument(help="What its masking will have to satisfy.")],
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    format_: FormatOption = TextOrJson.TEXT,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Say whether a policy can be met at all by masking a table, and at what price.

    Exit code 0: every requirement can be met. 1: at least one cannot by generalization alone:
    rows or cells would have to be suppressed.
    2: bad input or policy, or not known of at least one.

    Warnings of the table (labels, encoding, rows of totals) come on standard error, as in an audit.

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
        prepared = prepare(table, replace(rules, original=None))  # that is this table
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
