"""`anonaudit diff`: compare two reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.options import FormatOption, OutputOption
from anonaudit.cli.output import TextOrJson
from anonaudit.errors import InputError


def diff_command(
    old: Annotated[Path, typer.Argument(help="The report on the old release, in JSON.")],
    new: Annotated[Path, typer.Argument(help="The report on the new release, in JSON.")],
    format_: FormatOption = TextOrJson.TEXT,
    output: OutputOption = None,
) -> None:
    """Compare two reports, and say which models and attacks got worse.

    Exit code 0: nothing got worse. 1: something got worse, or is no longer decided. 2: bad input.

    For example:

    `anonaudit audit old.csv policy.toml -f json -o old.json`

    `anonaudit audit new.csv policy.toml -f json -o new.json`

    `anonaudit diff old.json new.json`
    """
    from anonaudit.cli.output import check_output, write_report
    from anonaudit.report import comparison

    check_output(output, [old, new])
    before, after = (comparison.read_report(str(path), _text(path)) for path in (old, new))
    changes = comparison.compare_reports(before, after)
    notes = comparison.differences(before, after)
    written = comparison.to_json if format_ is TextOrJson.JSON else comparison.to_text
    write_report(written(changes, notes), output, utf8=format_ is TextOrJson.JSON)
    worse = any(change.verdict == comparison.WORSE for change in changes)
    raise typer.Exit(ExitCode.VIOLATED if worse else ExitCode.HOLDS)


def _text(path: Path) -> str:
    from anonaudit.source.unpacking import content_of

    try:
        return content_of(path).decode("utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL, or not UTF-8
        reason = getattr(error, "strerror", None) or "is not UTF-8"
        raise InputError(
            f"{path}: cannot be read ({reason.lower()}); expected a report of "
            "`anonaudit audit --format json`"
        ) from None
