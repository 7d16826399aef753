"""`anonaudit audit`: measure the models of a release and attack it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli.exit_codes import OF_OUTCOME
from anonaudit.cli.options import (
    AlignmentOption,
    DelimiterOption,
    EncodingOption,
    ExternalOption,
    IdentityOption,
    KeyOption,
    OriginalOption,
    QuietOption,
    column_names,
    with_other_tables,
)
from anonaudit.errors import AnonauditError


class ReportFormat(enum.StrEnum):
    """The formats of a report."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    MARKDOWN = "markdown"
    SARIF = "sarif"


class EngineOption(enum.StrEnum):
    """The engines that can read the release."""

    DUCKDB = "duckdb"
    SPARK = "spark"


def audit_command(
    release: Annotated[
        str | None,
        typer.Argument(
            help="The masked release: CSV, TSV or Parquet, plain or compressed; `-` for standard "
            "input. Default: the release that the policy names.",
            show_default=False,
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Argument(
            help="The policy, in TOML. Without a policy, name the columns by options.",
            show_default=False,
        ),
    ] = None,
    quasi_identifiers: Annotated[
        list[str] | None,
        typer.Option(
            "--quasi-identifiers",
            "-q",
            help="Columns that an adversary may know: `a,b`, or repeat the option.",
            show_default=False,
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            "--sensitive",
            "-s",
            help="Columns that an adversary must not learn: `a,b`, or repeat the option.",
            show_default=False,
        ),
    ] = None,
    identifiers: Annotated[
        list[str] | None,
        typer.Option(help="Columns that must not be in the release.", show_default=False),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="The column that identifies a person. Persons are counted, not rows."),
    ] = None,
    count: Annotated[
        str | None,
        typer.Option(help="The column with the number of records that each row represents."),
    ] = None,
    external: ExternalOption = None,
    identity: IdentityOption = None,
    original: OriginalOption = None,
    key: KeyOption = None,
    align: AlignmentOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    engine: Annotated[
        EngineOption,
        typer.Option(
            help="The engine that reads the release. `spark` reads any path that Spark can read, "
            "and `table:db.name`. It needs anonaudit[spark] and Java."
        ),
    ] = EngineOption.DUCKDB,
    format_: Annotated[
        ReportFormat, typer.Option("--format", "-f", help="The format of the report.")
    ] = ReportFormat.TEXT,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the report to this file.", show_default=False),
    ] = None,
    attest: Annotated[
        Path | None,
        typer.Option(
            help="Write an in-toto statement on this audit to this file, for `anonaudit verify`.",
            show_default=False,
        ),
    ] = None,
    show_values: Annotated[
        bool,
        typer.Option("--show-values", help="Show values of the release in the report."),
    ] = False,
    remedies: Annotated[
        bool,
        typer.Option(
            "--remedies",
            help="If the release violates the policy, try changes to the release, audit each "
            "result, and report which changes suffice and their cost.",
        ),
    ] = False,
    brief: Annotated[
        bool, typer.Option("--brief", help="Print only the first screen of the text report.")
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Print the whole text report. It adds explanations, the models that the policy "
            "does not require, and the settings of the audit.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="The seed of attacks that draw at random.")] = 0,
    quiet: QuietOption = False,
) -> None:
    """Report which privacy models a release satisfies, and what attacks disclose.

    Exit code 0: all requirements hold, or there are none. 1: a requirement is violated. 2: bad
    input or policy, or a requirement is undecided. 3: an error inside anonaudit.

    Examples:

    `anonaudit audit release.csv policy.toml`

    `anonaudit audit release.csv -q age,zip,sex -s illness`

    `anonaudit audit release.csv -q age,zip -s illness --external voters.csv --identity name`

    `anonaudit audit release.csv policy.toml --original patients.csv --key record`

    `anonaudit audit release.csv policy.toml --format html -o report.html`

    `anonaudit audit release.csv policy.toml --remedies`

    `anonaudit audit release.csv policy.toml --attest release.attest.json`
    """
    from anonaudit.auditing.audit import audit_release, columns_of, open_release
    from anonaudit.cli.output import check_output, progress, write_report
    from anonaudit.policy.policy import Policy, read_policy
    from anonaudit.report import renderer
    from anonaudit.source.table import TableFile

    written = renderer(format_.value)
    if (brief or everything) and (format_ is not ReportFormat.TEXT or (brief and everything)):
        raise AnonauditError("use --brief or --all, not both, and only with --format text")
    if format_ is ReportFormat.TEXT:
        from anonaudit.report.text import to_text

        written = partial(to_text, extent="brief" if brief else "all" if everything else "short")
    if release is not None and policy is None and release.endswith(".toml"):
        policy, release = Path(release), None
    by_option = {
        "--quasi-identifiers": quasi_identifiers,
        "--sensitive": sensitive,
        "--identifiers": identifiers,
        "--unit": unit,
        "--count": count,
    }
    given = [name for name, value in by_option.items() if value]
    if policy is not None and given:
        raise AnonauditError(
            f"{given[0]} and a policy exclude each other; name the columns in the policy"
        )
    if policy is None and release is None:
        raise AnonauditError("no release was named; see anonaudit audit --help")
    if policy is None and not (quasi_identifiers or sensitive):
        raise AnonauditError(
            "no policy and no columns; name a policy, or name columns by --quasi-identifiers and "
            "--sensitive. `anonaudit init` proposes a policy"
        )
    if attest is not None:
        _refuse_beside_attest(
            {
                "--external": external,
                "--identity": identity,
                "--original": original,
                "--key": key,
                "--align": align,
                "--delimiter": delimiter,
                "--encoding": encoding,
                "--engine spark": engine is EngineOption.SPARK,
            }
        )
    check_output(output, [release, policy, external, original])
    check_output(attest, [release, policy, output])
    with progress(quiet) as say:
        say("reading")
        named = TableFile(release, delimiter=delimiter, encoding=encoding, engine=engine.value)
        rules = None if policy is None else read_policy(policy, columns=columns_of(named))
        for written_to in (output, attest):
            check_output(written_to, () if rules is None else rules.files)
        table = open_release(named, rules)
        if rules is None:
            rules = Policy.from_options(
                quasi_identifiers=column_names(quasi_identifiers, table.columns),
                sensitive=column_names(sensitive, table.columns),
                identifiers=column_names(identifiers, table.columns),
                unit=unit,
                count=count,
            )
        rules = with_other_tables(rules, external, identity, original, key, align)
        report = audit_release(table, rules, seed=seed, progress=say)
        if attest is not None:  # before the remedies, because `verify` tries none
            from anonaudit.report.attestation import statement_of, to_json

            statement = statement_of(
                *(report, release, policy, attest.parent),
                own=rules.release.path,
                beside=rules.read_beside,
            )
            attested = to_json(statement)
        if remedies:
            from anonaudit.remedies import remedies as try_out

            remedies_tried = try_out(table, rules, report=report, seed=seed, progress=say)
            report = replace(report, remedies=remedies_tried)
    text = written(report, show_values=show_values)
    write_report(text, output, utf8=format_ is not ReportFormat.TEXT)
    if attest is not None:
        write_report(attested, attest)
    raise typer.Exit(OF_OUTCOME[report.outcome])


def _refuse_beside_attest(options: Mapping[str, object]) -> None:
    """Raise AnonauditError if one of these options is given: `verify` cannot repeat them.

    options: name -> value; a false value means that the option is not given.
    """
    for option in [name for name, value in options.items() if value]:
        raise AnonauditError(
            f"--attest and {option} exclude each other, because `anonaudit verify` reads only the "
            "policy; state this in the policy"
        )
