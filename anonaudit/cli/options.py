"""Options that mean the same for every command."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonaudit.errors import AnonauditError

if TYPE_CHECKING:
    from anonaudit.policy.policy import Policy
    from anonaudit.source.table import Source, TableFile


class Align(enum.StrEnum):
    """How rows are paired with those of the original, if not by a key."""

    ORDER = "order"
    BEST_PERMUTATION = "best-permutation"


External = Annotated[
    str | None,
    typer.Option(help="An identified table to link with.", show_default=False),
]
Identity = Annotated[
    list[str] | None,
    typer.Option(help="Columns of the external table that name a person."),
]
Original = Annotated[
    str | None,
    typer.Option(
        help="The table the release was masked from, to check every cell against.",
        show_default=False,
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        help="A column of both that tells rows apart; without it the best permutation is "
        "looked for.",
        show_default=False,
    ),
]
Alignment = Annotated[
    Align | None,
    typer.Option(help="`order`: the rows of both stand in the same order.", show_default=False),
]
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


def with_policy(table: TableFile, policy: Path) -> tuple[Source, Policy]:
    """A table that is not masked yet, opened, and the policy in a file; errors as of both."""
    from anonaudit.policy.policy import read_policy

    rules = read_policy(policy, columns=lambda _: table.open().columns)
    return table.open(), rules


def identified(external: str | None, identity: list[str] | None) -> tuple[Source | None, list[str]]:
    """The identified table to link with, opened, and its columns that name a person.

    Raises AnonauditError for columns of no table.
    """
    from anonaudit.source.table import open_source

    if external is None:
        if identity:
            raise AnonauditError(
                "--identity names columns of another table; name that by --external"
            )
        return None, []
    table = open_source(external)
    return table, column_names(identity, table.columns)


def column_names(given: list[str] | None, columns: tuple[str, ...]) -> list[str]:
    """Names from options: `a,b` is two, unless a column is called just that.

    >>> column_names(["age,sex", "Fee, net"], ("age", "sex", "Fee, net"))
    ['age', 'sex', 'Fee, net']
    """
    names: list[str] = []
    for text in given or []:
        names += [text] if text in columns else [part.strip() for part in text.split(",")]
    return [name for name in names if name]
