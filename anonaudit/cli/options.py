"""Options that mean the same for every command."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonaudit.cli.output import TextOrJson
from anonaudit.errors import AnonauditError

if TYPE_CHECKING:
    from anonaudit.policy.policy import Policy
    from anonaudit.source.table import Source


class Align(enum.StrEnum):
    """How rows are paired with those of the original, if not by a key."""

    ORDER = "order"
    BEST_PERMUTATION = "best-permutation"


ExternalOption = Annotated[
    str | None,
    typer.Option(help="An identified table to link with.", show_default=False),
]
IdentityOption = Annotated[
    list[str] | None,
    typer.Option(help="Columns of the external table that name a person."),
]
OriginalOption = Annotated[
    str | None,
    typer.Option(
        help="The table the release was masked from, to check every cell against.",
        show_default=False,
    ),
]
KeyOption = Annotated[
    str | None,
    typer.Option(
        help="A column of both that tells rows apart; without it the best permutation is "
        "looked for.",
        show_default=False,
    ),
]
AlignmentOption = Annotated[
    Align | None,
    typer.Option(help="`order`: the rows of both stand in the same order.", show_default=False),
]
DelimiterOption = Annotated[
    str | None, typer.Option(help="The delimiter of the CSV file; found out if not given.")
]
EncodingOption = Annotated[
    str | None, typer.Option(help="The encoding of the CSV file; UTF-8 if not given.")
]
FormatOption = Annotated[TextOrJson, typer.Option("--format", "-f", help="The form of the answer.")]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the answer here.", show_default=False),
]
CountriesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Recognise national identity numbers and bare telephone numbers of this country "
        "(two letters; several options for several). Needs anonaudit[scan].",
        show_default=False,
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="No progress.")]
AllowFormulasOption = Annotated[
    bool,
    typer.Option(
        "--allow-formulas", help="Write cells such as `=A1`, which spreadsheets would run."
    ),
]


def open_with_policy(
    original: str, policy: Path, delimiter: str | None, encoding: str | None
) -> tuple[Source, Policy]:
    """Open an original table and read its policy."""
    from anonaudit.policy.policy import read_policy
    from anonaudit.source.table import TableFile

    table = TableFile(original, delimiter=delimiter, encoding=encoding)
    rules = read_policy(policy, columns=lambda _: table.open().columns)
    return table.open(), rules


def with_other_tables(
    policy: Policy, external: str | None, identity: list[str] | None, *pairing: str | None
) -> Policy:
    """The policy with the tables that options name: one to link with, and the original.

    pairing: original, key and align, as of `Policy.paired_with`.

    Raises AnonauditError for options about a table that is not named.
    """
    from anonaudit.source.table import open_source

    if external is not None:
        table = open_source(external)
        policy = policy.linked_with(table, column_names(identity, table.columns))
    elif identity:
        raise AnonauditError("--identity names columns of another table; name that by --external")
    return policy.paired_with(*pairing)


def column_names(given: list[str] | None, columns: tuple[str, ...]) -> list[str]:
    """Names from options: `a,b` is two, unless a column is called just that.

    >>> column_names(["age,sex", "Fee, net"], ("age", "sex", "Fee, net"))
    ['age', 'sex', 'Fee, net']
    """
    names: list[str] = []
    for text in given or []:
        names += [text] if text in columns else [part.strip() for part in text.split(",")]
    return [name for name in names if name]
