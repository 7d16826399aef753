"""Options that mean the same for every command."""

from __future__ import annotations

from typing import Annotated

import typer

Delimiter = Annotated[
    str | None, typer.Option(help="The delimiter of the CSV file; found out if not given.")
]
Encoding = Annotated[
    str | None, typer.Option(help="The encoding of the CSV file; UTF-8 if not given.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress.")]
AllowFormulas = Annotated[
    bool,
    typer.Option(
        "--allow-formulas", help="Write cells such as `=A1`, which spreadsheets would run."
    ),
]
