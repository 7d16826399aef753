"""`anonaudit feasible`: before anyone masks anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.options import (
    AnswerFile,
    AnswerForm,
    Delimiter,
    Encoding,
    Quiet,
    open_with_policy,
)
from anonaudit.cli.output import TextOrJson


def feasible_command(
    original: Annotated[str, typer.Argument(help="The original table, not masked yet.")],
    policy: Annotated[Path, typer.Argument(help="What its masking will have to satisfy.")],
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    format_: AnswerForm = TextOrJson.TEXT,
    output: AnswerFile = None,
    quiet: Quiet = False,
) -> None:
    """Say whether a policy can be met at all by masking a table, and at what price.

    Exit code 0: every requirement can be met. 1: at least one cannot by generalization alone:
    rows or cells would have to be suppressed.
    2: bad input or policy, or not known of at least one.

    For example:

    `anonaudit feasible patients.csv policy.toml`
    """
    from anonaudit.auditing.feasibility import feasibility
    from anonaudit.cli.output import progress, tell_of_padding, write_report
    from anonaudit.report.feasible import to_json, to_text

    with progress(quiet) as say:
        say("reading")
        table, rules = open_with_policy(original, policy, delimiter, encoding)
        say("counting")
        feasibilities = list(feasibility(table, rules))
    text = (
        to_json(feasibilities) if format_ is TextOrJson.JSON else to_text(table.name, feasibilities)
    )
    write_report(text, output)
    tell_of_padding(table)
    answers = {answer.feasible for answer in feasibilities}
    if False in answers:
        raise typer.Exit(ExitCode.VIOLATED)
    raise typer.Exit(ExitCode.NO_AUDIT if None in answers else ExitCode.HOLDS)
