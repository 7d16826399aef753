"""Options that several commands share, and functions that apply them."""

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
    """How to pair released rows with original rows without a key."""

    ORDER = "order"
    BEST_PERMUTATION = "best-permutation"


ExternalOption = Annotated[
    str | None,
    typer.Option(
        help="An identified table of the adversary, to link with the release.", show_default=False
    ),
]
IdentityOption = Annotated[
    list[str] | None,
    typer.Option(help="Columns of the external table that identify a person."),
]
OriginalOption = Annotated[
    str | None,
    typer.Option(
        help="The table that the release was masked from, to check every released cell.",
        show_default=False,
    ),
]
KeyOption = Annotated[
    str | None,
    typer.Option(
        help="A column of release and original that identifies rows. Without it, the best "
        "permutation is searched for.",
        show_default=False,
    ),
]
AlignmentOption = Annotated[
    Align | None,
    typer.Option(
        help="`order`: the rows of release and original are in the same order.",
        show_default=False,
    ),
]
DelimiterOption = Annotated[
    str | None, typer.Option(help="The delimiter of the CSV file. Default: detected.")
]
EncodingOption = Annotated[
    str | None, typer.Option(help="The encoding of the CSV file. Default: UTF-8.")
]
FormatOption = Annotated[TextOrJson, typer.Option("--format", "-f", help="The output format.")]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the output to this file.", show_default=False),
]
CountriesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Recognise national identity numbers, and telephone numbers without a prefix, of this "
        "country (two letters). Repeatable. Needs anonaudit[scan].",
        show_default=False,
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
AllowFormulasOption = Annotated[
    bool,
    typer.Option(
        "--allow-formulas",
        help="Write cells such as `=A1` unchanged. A spreadsheet would run them as formulas.",
    ),
]


def open_with_policy(
    original: str, policy: Path, delimiter: str | None, encoding: str | None
) -> tuple[Source, Policy]:
    """Open a table and read its policy.

    original: the path of the table, which may also be a release.
    delimiter, encoding: the values of these options. None means the format that the policy declares
        for the release.
    """
    from anonaudit.auditing.audit import columns_of, open_release
    from anonaudit.policy.policy import read_policy
    from anonaudit.source.table import TableFile

    table = TableFile(original, delimiter=delimiter, encoding=encoding)
    rules = read_policy(policy, columns=columns_of(table))
    return open_release(table, rules), rules


def with_other_tables(
    policy: Policy, external: str | None, identity: list[str] | None, *pairing: str | None
) -> Policy:
    """Return the policy with the external table and the original that the options name.

    external, identity: the values of --external and --identity; None if not given.
    pairing: the values of --original, --key and --align, in this order; None if not given.

    Raises AnonauditError for --identity without an external table, and for --key or --align
    without an original.
    """
    from anonaudit.source.table import open_source

    if external is not None:
        table = open_source(external)
        policy = policy.linked_with(table, column_names(identity, table.columns))
    elif identity:
        raise AnonauditError("--identity needs an external table; name the table by --external")
    return policy.paired_with(*pairing)


def column_names(given: list[str] | None, columns: tuple[str, ...]) -> list[str]:
    """Return the column names in the values of an option, which are split at commas.

    A value that is itself a column name is not split.

    given: the values, one for each use of the option; None if the option is not given.
    columns: the names of the columns of the table.

    >>> column_names(["age,sex", "Fee, net"], ("age", "sex", "Fee, net"))
    ['age', 'sex', 'Fee, net']
    """
    names: list[str] = []
    for text in given or []:
        names += [text] if text in columns else [part.strip() for part in text.split(",")]
    return [name for name in names if name]
