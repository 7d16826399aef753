"""`anonaudit mask`: a release that keeps a policy, or the reason why there is none."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli import completion
from anonaudit.cli.options import Delimiter, Encoding, Quiet


def mask_command(
    original: Annotated[str, typer.Argument(help="The original table, not masked yet.")],
    policy: Annotated[Path, typer.Argument(help="What the release must satisfy.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The release, as CSV. Beside it come the hierarchies used and the audit.",
        ),
    ],
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="full-domain, mondrian, greedy-cka or k-member; without it the policy chooses.",
            show_default=False,
            autocompletion=completion.algorithms,
        ),
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(min=0, help="How many rows may be suppressed.", show_default=False),
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Of random choices and the order of the released rows.")
    ] = 0,
    quiet: Quiet = False,
) -> None:
    """Mask a table, audit what comes out, and write it only if it keeps the policy.

    Written are RELEASE.csv, RELEASE.hierarchies/ with a file a column, and RELEASE.audit.json.
    Identifiers, and columns without a part, are not released; rows come in a random order.

    Exit code 0: written. 1: no release that keeps the policy was made. 2: bad input or policy.

    For example:

    `anonaudit mask patients.csv policy.toml -o release.csv`
    """
    from anonaudit.cli.output import check_output, progress
    from anonaudit.maskers import mask
    from anonaudit.policy import read_policy
    from anonaudit.recoding import NotAchievableError
    from anonaudit.report import render
    from anonaudit.report.brief import SHORT
    from anonaudit.report.demands import demands
    from anonaudit.source import open_source

    check_output(output, [original, policy])
    beside = Path(tempfile.mkdtemp(dir=output.parent, prefix=f".{output.name[:100]}."))
    try:
        with progress(quiet) as say:
            say("reading")
            rules = read_policy(policy)
            table = open_source(original, delimiter=delimiter, encoding=encoding)
            try:
                masked = mask(
                    table, rules, algorithm=algorithm, threshold=threshold, seed=seed, progress=say
                )
            except NotAchievableError as error:
                typer.echo(f"{original}: {error}", err=True)
                raise typer.Exit(1) from None
            written = beside / output.name
            masked.release.to_csv(written, index=False, lineterminator="\n")
            report = masked.audit(str(written), seed=seed, progress=say)
        report = replace(report, release=replace(report.release, source=str(output)))
        typer.echo(render(report, "text"), nl=False)
        if short := [name for name, outcome in demands(report) if outcome in SHORT]:
            typer.echo(f"nothing was written: the release would break {', '.join(short)}", err=True)
            raise typer.Exit(1)
        trees = beside / f"{output.stem}.hierarchies"
        trees.mkdir()
        for number, (column, tree) in enumerate(masked.hierarchies.items(), 1):
            tree.write(trees / f"{_file_name(column, number)}.csv")
        audit_file = beside / f"{output.stem}.audit.json"
        audit_file.write_text(render(report, "json"), encoding="utf-8")
        place = output.parent / trees.name
        shutil.rmtree(place, ignore_errors=True)
        trees.replace(place)
        audit_file.replace(output.parent / audit_file.name)
        written.replace(output)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    for note in masked.notes:
        typer.echo(note, err=True)
    typer.echo(f"masked by {masked.algorithm}; wrote {output}", err=True)


def _file_name(column: str, number: int) -> str:
    """The column's name if that is a plain file name, else its number."""
    plain = column.replace("-", "").replace("_", "").isalnum() and column.isascii()
    return column if plain else f"column-{number}"
