"""`anonaudit remedy`: the release that a remedy of an audit comes to, audited, and written."""

from __future__ import annotations

from dataclasses import replace
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
    from anonaudit.source.table import Source


def remedy_command(
    release: Annotated[
        str,
        typer.Argument(help="The release to mend; or its policy alone, if that names the release."),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The mended release, as CSV, or TSV by its name."),
    ],
    policy: Annotated[
        Path | None, typer.Argument(help="What the release must satisfy.", show_default=False)
    ] = None,
    take: Annotated[
        int,
        typer.Option(
            min=1,
            help="The number of the remedy, as `anonaudit audit --remedies` tells them; the first "
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
    seed: Annotated[int, typer.Option(help="For attacks that draw at random.")] = 0,
    allow_formulas: AllowFormulasOption = False,
    quiet: QuietOption = False,
) -> None:
    """Take a remedy that `anonaudit audit --remedies` tells of, and write the release it makes.

    The new release has all columns of the old one in their order, those without a part too, and its
    rows but for what the remedy deletes. The rows are sorted by their new values, as the old order
    may give away the old ones. It is audited from the file, and put in its place only if that audit
    says what the remedy promised.

    A file that is there by its name is overwritten, but none that is read. Cells that a spreadsheet
    would run as formulas are refused.

    Exit code 0: written. 1: nothing was written, as nothing is broken, nothing mends the release,
    the remedy does not suffice, or the audit of the written file does not confirm it. 2: bad input
    or policy, no remedy of that number, or no remedy could be tried: what is required is undecided,
    the release has too many rows, or nothing is left to audit without its identifiers.

    For example:

    `anonaudit remedy release.csv policy.toml --take 1 -o mended.csv`

    What was named beside the policy when the remedies were told is named here too:

    `anonaudit remedy release.csv policy.toml --original patients.csv --key record -o mended.csv`
    """
    from anonaudit.auditing.audit import columns_of
    from anonaudit.cli.output import check_output, progress, put, tell, write_report, writing
    from anonaudit.cli.release import drafts, refuse_formulas, texts_of, write_csv
    from anonaudit.policy.policy import read_policy
    from anonaudit.remedies import NoRemedyError
    from anonaudit.remedies import take as taken
    from anonaudit.report import render
    from anonaudit.report.sections import tried
    from anonaudit.source.table import TableFile

    named = release if policy is not None else None
    if policy is None and not release.endswith(".toml"):
        raise AnonauditError("no policy: remedies mend what a policy requires; name one")
    rules_file = Path(release) if policy is None else policy
    inputs = [named, rules_file, external, original]
    check_output(output, inputs, ordinary=True)
    place = output.resolve()  # a link is followed, as for reports
    with drafts(output) as beside:
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
            written = beside / place.name
            with writing(output):
                write_csv(mended.release, written, texts)
            report = mended.audit(_read_again(mended, written, output), progress=say)
        report = replace(report, release=replace(report.release, source=str(output)))
        write_report(render(report, "text"), None)
        if otherwise := mended.differing(report):
            tell(f"nothing was written: its audit says otherwise of {', '.join(otherwise)}")
            raise typer.Exit(ExitCode.VIOLATED)
        with writing(output):
            put(written, place)
    tell(f"remedy {tried.remedy_name(take, mended.remedy)}: {tried.remedy_details(mended.remedy)}")
    tell(f"wrote {output}")
    if mended.out_of_order:
        tell(
            "the release is sorted by its new values, so its rows no longer pair with the original "
            "by order: pair them by a key"
        )


def _read_again(mended: Remedied, written: Path, output: Path) -> Source:
    """The release as it was written. Raises InputError if the file does not hold it."""
    from anonaudit.cli.release import delimiter_of
    from anonaudit.source.table import TableFile

    table = TableFile(written, delimiter=delimiter_of(written.name), encoding="utf-8").open()
    if not mended.is_in(table):
        raise InputError(
            f"{output}: CSV cannot hold the release as it is; name its columns, and look "
            "for control characters in its cells"
        )
    return table
