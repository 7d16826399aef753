"""`anonaudit reproduce`: run the papers' experiments again and compare the results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli import completion
from anonaudit.cli.exit_codes import ExitCode


def reproduce_command(
    paper: Annotated[
        str | None,
        typer.Argument(
            help="TV06, CT06, MCT08 or GCG08. Default: all papers.",
            autocompletion=completion.complete_paper,
        ),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "-t",
            help="Run only the experiment of this table or figure, such as fig9. Repeatable.",
            autocompletion=completion.complete_table,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="The number of seeds (0, 1, ...). Default: 5, or 2 with --quick."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="The number of processes.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write the results to this new folder.", show_default=False
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            help="Run nothing; compare the files of an earlier folder with their manifest."
        ),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            help="Run nothing; print as Markdown which statements agree in an earlier folder."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use few rows and draws: a trial, not a reproduction.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Run the papers' experiments again, and write figures and numbers to a new folder.

    The output says for each experiment which statements of the paper agree with the measured
    numbers. The folder contains the figures, the paper's and the measured numbers as CSV, and a
    manifest with versions, seeds and hashes. The same seeds give the same bytes, except running
    times.

    Exit code 0: done, whether or not the numbers agree. 1: --check found a file that differs from
    its manifest. 2: there is no such paper or table, or the folder cannot be made. 130 or 143:
    stopped by a signal; a message says whether the folder was made.

    For example:

    `anonaudit reproduce MCT08 --table fig8 --seeds 5 --jobs 2 -o run`

    `anonaudit reproduce --check run`

    `anonaudit reproduce --summary run`
    """
    from anonaudit.cli.output import expect, progress, tell
    from anonaudit.errors import InputError
    from anonaudit.papers.reproduction import (
        TUNED,
        Results,
        agreement_in,
        altered,
        chosen,
        is_whole,
        not_runnable,
        run,
        write_run,
    )

    looked_at = [folder for folder in (check, summary) if folder is not None]
    if len(looked_at) > 1 or (looked_at and (paper or table or output)):
        raise InputError(
            "--check and --summary run nothing; use one of them, without papers, --table and "
            "--output"
        )
    if summary is not None:
        typer.echo(agreement_in(summary), nl=False)
        return
    if check is not None:
        wrong = altered(check)
        typer.echo("".join(f"differs from the manifest: {name}\n" for name in wrong), nl=False)
        if not wrong:
            typer.echo(f"{check}: every file agrees with the manifest")
        raise typer.Exit(ExitCode.VIOLATED if wrong else ExitCode.HOLDS)
    experiments = chosen(paper, table or ())
    if output is None:
        raise InputError("no output; name the folder to make by --output")
    for reason, ids in not_runnable().items():
        if not paper or any(one.startswith(paper.upper()) for one in ids):
            tell(f"skipped {len(ids)} experiment(s): {reason}")
    numbers = range(seeds or (2 if quick else 5))
    results: dict[str, Results] = {}
    with progress(quiet) as say:

        def measured() -> dict[str, Results]:
            expect(output, lambda: is_whole(output))
            results.update(run(experiments, numbers, quick=quick, jobs=jobs, progress=say))
            say("writing")
            return results

        write_run(measured, experiments, output, seeds=numbers, quick=quick)
    for experiment in experiments:
        typer.echo(f"{experiment.id}: {experiment.title}")
        for reading in experiment.read(results[experiment.id]):
            typer.echo(f"  {reading}")
        if experiment.tuned:
            typer.echo(f"  {TUNED}")
    tell(f"wrote {output}")
