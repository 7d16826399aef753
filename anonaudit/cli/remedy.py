"""`anonaudit remedy`: apply a remedy to a release, audit the result, and write it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.options import (
    AlignmentOption,
    AllowFormulasOption,
    DelimiterOption,
    EncodingOption,
    ExternalOption,
    IdentityOption,
    KeyOption,
    OriginalOption,
    QuietOption,
    with_other_tables,
)
from anonaudit.errors import AnonauditError, InputError

if TYPE_CHECKING:
    from anonaudit.remedies.taking import Remedied
    from anonaudit.source.table import Source, TableFile


def remedy_command(
    release: Annotated[
        str,
        typer.Argument(help="The release to change; or its policy, if the policy names it."),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Write the new release to this file: CSV, or TSV by the ending .tsv or .tab.",
        ),
    ],
    policy: Annotated[
        Path | None,
        typer.Argument(help="The policy that the release must satisfy.", show_default=False),
    ] = None,
    take: Annotated[
        int,
        typer.Option(
            min=1,
            help="The number of the remedy in the list of `anonaudit audit --remedies`. Remedy 1 "
            "has the least information loss.",
        ),
    ] = 1,
    external: ExternalOption = None,
    identity: IdentityOption = None,
    original: OriginalOption = None,
    key: KeyOption = None,
    align: AlignmentOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    seed: Annotated[int, typer.Option(help="The seed of attacks that draw at random.")] = 0,
    allow_formulas: AllowFormulasOption = False,
    quiet: QuietOption = False,
) -> None:
    """Apply a remedy from `anonaudit audit --remedies`, and write the new release.

    The new release has all rows and columns of the old release, also columns without a role, except
    those that the remedy drops. The columns keep their order. The rows are sorted by their new
    values, because the old order may reveal the old values. The command audits the draft of the new
    release, and puts it in place only if that audit confirms the result of the remedy.

    An existing file with the name of the output is overwritten, except the files that the command
    reads. Cells that a spreadsheet would run as formulas are refused.

    Exit code 0: written. 1: nothing was written, because the release already satisfies the policy,
    no remedy was found, the remedy does not suffice, or the audit of the new release does not
    confirm it. 2: bad input or policy, no remedy with that number, or no remedy could be tried (a
    requirement is undecided, the release has too many rows, or no column is left to audit once its
    identifiers are removed).

    For example:

    `anonaudit remedy release.csv policy.toml --take 1 -o mended.csv`

    Repeat the options of the audit that listed the remedies:

    `anonaudit remedy release.csv policy.toml --original patients.csv --key record -o mended.csv`
    """
    from anonaudit.auditing.audit import columns_of
    from anonaudit.cli.output import check_output, progress, put, tell, write_report, writing
    from anonaudit.cli.release import drafts, refuse_formulas, texts_of, write_csv, written_as
    from anonaudit.policy.policy import read_policy
    from anonaudit.remedies import NoRemedyError
    from anonaudit.remedies import take as taken
    from anonaudit.report import render
    from anonaudit.report.sections import tried
    from anonaudit.source.table import TableFile

    named = release if policy is not None else None
    if policy is None and not release.endswith(".toml"):
        raise AnonauditError("no policy; name the policy that the release must satisfy")
    rules_file = Path(release) if policy is None else policy
    inputs = [named, rules_file, external, original]
    check_output(output, inputs, ordinary=True)
    place = output.resolve()  # a link is followed, as for reports
    with drafts(output) as draft_folder:
        with progress(quiet) as say:
            say("reading")
            table = TableFile(named, delimiter=delimiter, encoding=encoding)
            rules = read_policy(rules_file, columns=columns_of(table))
            check_output(place, [*inputs, *rules.files], ordinary=True)
            rules = with_other_tables(rules, external, identity, original, key, align)
            try:
                mended = taken(table, rules, take, seed=seed, progress=say)
            except NoRemedyError as error:
                tell(f"nothing was written: {error}")
                raise typer.Exit(ExitCode.VIOLATED) from None
            texts = texts_of(mended.release)
            if not allow_formulas:
                refuse_formulas(texts)
            written = draft_folder / place.name
            with writing(output):
                write_csv(mended.release, written, texts, rules)
            report = mended.audit(
                _read_again(mended, written_as(written, rules), output), progress=say
            )
        write_report(render(report, "text"), None)
        if otherwise := mended.differing(report):
            tell(
                "nothing was written: the audit of the new release contradicts the remedy on "
                f"{', '.join(otherwise)}"
            )
            raise typer.Exit(ExitCode.VIOLATED)
        with writing(output):
            put(written, place)
    tell(f"remedy {tried.remedy_name(take, mended.remedy)}: {tried.remedy_details(mended.remedy)}")
    tell(f"wrote {output}")
    if mended.out_of_order:
        tell(
            "the release is sorted by its new values, so its rows no longer pair with the original "
            "by order; pair them by a key"
        )


def _read_again(mended: Remedied, written: TableFile, output: Path) -> Source:
    """Open the written file. Raises InputError if the file differs from the release in memory."""
    from anonaudit.source.table import open_source

    table = open_source(written, name=str(output))
    if not mended.is_in(table):
        raise InputError(
            f"{output}: CSV cannot hold the release unchanged; name all of its columns, and "
            "remove control characters from its cells"
        )
    return table
