"""`anonaudit datasets`: print the paths of the tables that come with anonaudit."""

from __future__ import annotations

from typing import Annotated

import typer


def datasets_command(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A file, such as adult/release.csv.gz. Without it, all files are listed.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print the path of a file that comes with anonaudit: the papers' tables, Adult, policies.

    Exit code 0: printed. 2: there is no such file.

    Examples:

    `anonaudit datasets`

    `anonaudit audit "$(anonaudit datasets adult/release.toml)"`
    """
    from anonaudit import datasets
    from anonaudit.cli.output import write_report

    lines = datasets.names() if name is None else [str(datasets.path(name))]
    write_report("".join(f"{line}\n" for line in lines), None)
