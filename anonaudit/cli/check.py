"""`anonaudit check`: audit the releases of every policy in a repository."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.options import QuietOption


def check_command(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Policies, and folders with policies (`*.anonaudit.toml`). Default: the current "
            "folder.",
            show_default=False,
        ),
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            help="Audit this release instead of the releases that the policies name.",
            show_default=False,
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            help="Accept violations that are no worse than in this file.", show_default=False
        ),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(
            "--write-baseline",
            help="Write the present violations to this file, as a baseline for later checks.",
            show_default=False,
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(help="Write JUnit XML to this file.", show_default=False)
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            help="Write a summary for a pull request, in Markdown, to this file.",
            show_default=False,
        ),
    ] = None,
    sarif: Annotated[
        Path | None,
        typer.Option(
            help="Write SARIF to this file. Each result points at a line of a policy.",
            show_default=False,
        ),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Audit every release of every policy in a repository, and summarize the results.

    Exit code 0: every requirement holds, except for violations that the baseline accepts. 1: a
    requirement is violated. 2: something could not be audited or decided, or there is no policy.
    3: an error inside anonaudit. With --write-baseline, violations do not change the exit code.

    Examples:

    `anonaudit check`

    `anonaudit check releases --junit audit.xml --sarif audit.sarif`

    `anonaudit check --write-baseline anonaudit-baseline.json`

    `anonaudit check --baseline anonaudit-baseline.json`
    """
    from anonaudit.checking import documents
    from anonaudit.checking.baseline import read_baseline, to_json
    from anonaudit.checking.check_policies import CheckStatus, check_policies
    from anonaudit.checking.policies import policies_in
    from anonaudit.cli.output import check_output, progress, tell, write_report

    policies = policies_in(paths or [Path()])
    outputs = {
        documents.to_junit: junit,
        documents.to_markdown: markdown,
        documents.to_sarif: sarif,
    }
    for output in (*outputs.values(), write_baseline):
        check_output(output, [*policies, release])
    known = None if baseline is None else read_baseline(baseline)
    with progress(quiet) as say:
        folder = None if write_baseline is None else write_baseline.parent
        result = check_policies(
            policies, baseline=known, release=release, folder=folder, progress=say
        )
    for written, output in outputs.items():
        if output is not None:
            write_report(written(result), output)
    write_report(documents.to_text(result), None)
    if write_baseline is not None:
        write_report(to_json(result.violated), write_baseline)
        tell(f"{write_baseline}: {len(result.violated)} known violation(s) written")
    violated = 0 if write_baseline is not None else result.count(CheckStatus.VIOLATED)
    if violated:
        raise typer.Exit(ExitCode.VIOLATED)
    if result.count(CheckStatus.FAULT):
        raise typer.Exit(ExitCode.INTERNAL)
    undecided = result.count(CheckStatus.ERROR, CheckStatus.UNDECIDED)
    raise typer.Exit(ExitCode.NO_AUDIT if undecided else ExitCode.HOLDS)
