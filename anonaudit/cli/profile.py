"""`anonaudit profile`: check a release against a guideline, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli.completion import complete_profile
from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.options import (
    CountriesOption,
    DelimiterOption,
    EncodingOption,
    FormatOption,
    OutputOption,
    QuietOption,
    open_with_policy,
)
from anonaudit.cli.output import TextOrJson


def profile_command(
    profile: Annotated[
        str,
        typer.Argument(
            help="The name of a profile (cms-11, ema-0070, hipaa-expert, hipaa-safe-harbor, "
            "ico-motivated-intruder, wp216), or a file that ends in .toml.",
            autocompletion=complete_profile,
        ),
    ],
    release: Annotated[str, typer.Argument(help="The release.")],
    policy: Annotated[
        Path,
        typer.Argument(
            help="The policy with the roles of the columns; its requirements are not checked."
        ),
    ],
    country: CountriesOption = None,
    zip_areas: Annotated[
        Path | None,
        typer.Option(
            help="A table of three-digit zip code areas, with the columns zip3 and population."
        ),
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    format_: FormatOption = TextOrJson.TEXT,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Check a release against a guideline, line by line.

    Each line of the guideline is met, not met, not decidable from this file, or for a person to
    judge. The result is no verdict on compliance.

    Exit code 0: every line is met. 1: at least one line is not met. Otherwise 2: bad input, or at
    least one line is not decidable or for a person to judge. Lines marked as not counted do not
    affect the exit code.

    For example:

    `anonaudit profile ema-0070 release.csv policy.toml`
    """
    from anonaudit.cli.output import check_output, progress, tell_of_padding, write_report
    from anonaudit.profiles import LineStatus, ask, read_areas, read_profile, to_json, to_text

    files = [policy] if zip_areas is None else [policy, zip_areas]
    check_output(output, [release, *files])
    with progress(quiet) as say:
        say("reading")
        asked = read_profile(profile)
        table, rules = open_with_policy(release, policy, delimiter, encoding)
        check_output(output, rules.files)
        say("asking")
        areas = None if zip_areas is None else read_areas(zip_areas)
        answers = ask(asked, table, rules, countries=country or (), areas=areas)
    written = to_json if format_ is TextOrJson.JSON else to_text
    write_report(written(asked, table.name, answers), output)
    tell_of_padding(table)
    statuses = {*answers.statuses}
    if LineStatus.NOT_MET in statuses:
        raise typer.Exit(ExitCode.VIOLATED)
    raise typer.Exit(ExitCode.HOLDS if statuses == {LineStatus.MET} else ExitCode.NO_AUDIT)
