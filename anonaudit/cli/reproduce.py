"""`anonaudit reproduce`: the experiments of the papers, run again beside what they printed."""

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
            help="TV06, CT06, MCT08 or GCG08; all of them if not given.",
            autocompletion=completion.complete_paper,
        ),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "-t",
            help="Only this table or figure, as fig9; repeatable.",
            autocompletion=completion.complete_table,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="How many seeds, from 0 on; 5 if not given, 2 with --quick."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes to work in.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The folder to make.", show_default=False),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(help="Compare a folder made before with its manifest, and run nothing."),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(help="Print what agreed in a folder made before, as Markdown."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few rows and draws: a trial, not a reproduction.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Run the papers' experiments again; figures and numbers go into a new folder.

    Printed is, for each experiment, which statements of the paper agree with what was measured,
    with its numbers and ours.
    The folder holds figures, numbers as CSV, the paper's beside ours, and a manifest with
    versions, seeds and hashes. The same seeds give the same bytes, running times excepted.

    Exit code 0: done, whatever agrees. 1: --check found a file that is not as the manifest says.
    2: there is no such paper or table, or the folder cannot be made. 130, 143: interrupted, or
    told to end; a message says whether the folder was made.

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
            "--check and --summary run nothing: name one of them, and leave out papers, --table "
            "and --output"
        )
    if summary is not None:
        typer.echo(agreement_in(summary), nl=False)
        return
    if check is not None:
        wrong = altered(check)
        typer.echo("".join(f"not as the manifest says: {name}\n" for name in wrong), nl=False)
        if not wrong:
            typer.echo(f"{check}: every file is as its manifest says")
        raise typer.Exit(ExitCode.VIOLATED if wrong else ExitCode.HOLDS)
    experiments = chosen(paper, table or ())
    if output is None:
        raise InputError("name the folder to make by --output")
    for reason, ids in not_runnable().items():
        if not paper or any(one.startswith(paper.upper()) for one in ids):
            tell(f"left out {len(ids)} experiment(s): {reason}")
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
