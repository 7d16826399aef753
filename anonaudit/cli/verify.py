"""`anonaudit verify`: audit a release again and compare it with the record of its audit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.options import FormatOption, OutputOption, QuietOption
from anonaudit.cli.output import TextOrJson
from anonaudit.errors import InputError

_MOST: Final = 50  # the number of differences that the text shows


def verify_command(
    release: Annotated[str, typer.Argument(help="The release that was audited.")],
    record: Annotated[Path, typer.Argument(help="The record that `audit --attest` wrote.")],
    policy: Annotated[
        Path | None,
        typer.Option(
            help="The policy. Default: the policy that the record names, relative to the record's "
            "folder.",
            show_default=False,
        ),
    ] = None,
    format_: FormatOption = TextOrJson.TEXT,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Audit a release again, and compare the result with the record of an earlier audit.

    Exit code 0: nothing differs. The record may still say that a requirement is violated; the
    output repeats the outcome. 1: something differs. 2: no audit was possible.

    Examples:

    `anonaudit audit release.csv policy.toml --attest release.attest.json`

    `anonaudit verify release.csv release.attest.json`
    """
    from anonaudit.auditing.audit import audit_release, columns_of, open_release
    from anonaudit.cli.output import check_output, progress, write_report
    from anonaudit.policy.policy import Policy, read_policy
    from anonaudit.report import attestation
    from anonaudit.source.table import TableFile
    from anonaudit.source.unpacking import content_of

    try:
        text = content_of(record).decode("utf-8")
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL, or not UTF-8
        reason = getattr(error, "strerror", None) or "is not UTF-8"
        raise InputError(f"{record}: cannot be read ({reason.lower()})") from None
    before = attestation.read_statement(str(record), text)
    check_output(output, [release, record, policy])
    predicate = before["predicate"]
    named = predicate["policy"]
    if named is None and policy is not None:
        raise InputError(f"{record}: records an audit without a policy; leave out --policy")
    if named is not None and policy is None:
        policy = record.parent / named["name"]
        if not policy.exists():
            raise InputError(
                f"{policy}: the policy of the record does not exist; name the policy by --policy"
            )
    with progress(quiet) as say:
        say("reading")
        table = TableFile(release)
        if policy is None:
            given = predicate["report"]["columns"]
            parts = ("quasi_identifiers", "sensitive", "identifiers", "unit", "count")
            if missing := [part for part in parts if part not in given]:
                raise InputError(
                    f"{record}: the record is damaged: report.columns lacks {missing[0]}"
                )
            rules = Policy.from_options(**{part: given[part] for part in parts})
        else:
            rules = read_policy(policy, columns=columns_of(table))
        seed = _seed_of(predicate["report"], record)
        report = audit_release(open_release(table, rules), rules, seed=seed, progress=say)
        now = attestation.statement_of(
            *(report, release, policy, record.parent),
            own=rules.release.path,
            beside=rules.read_beside,
        )
    differences = attestation.statement_differences(before, now)
    versions = attestation.other_versions(before, now)
    write_report(_written(format_, before, differences, versions), output)
    raise typer.Exit(ExitCode.VIOLATED if differences else ExitCode.HOLDS)


def _seed_of(report: Any, record: Path) -> int:
    """Return the seed of the recorded audit. Raises InputError if it is no whole number."""
    seed = report["provenance"].get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise InputError(
            f"{record}: the record is damaged: report.provenance.seed is no whole number"
        )
    return seed


def _written(
    form: TextOrJson, before: dict[str, Any], differences: list[str], versions: list[str]
) -> str:
    from anonaudit.report.json import escaped_json
    from anonaudit.report.words.layout import printable

    outcome = before["predicate"]["report"]["outcome"]
    if form is TextOrJson.JSON:
        answer = {
            "confirmed": not differences,
            "outcome": outcome,
            "differences": differences,
            "versions": versions,
        }
        return escaped_json(json.dumps(answer, indent=2, ensure_ascii=False)) + "\n"
    verdict = f"DIFFERS in {len(differences)} point(s)" if differences else "CONFIRMED"
    lines = [
        f"{verdict}: the record says {outcome.upper()}",
        *(f"  - {one}" for one in differences[:_MOST]),
    ]
    more = len(differences) - _MOST
    lines += [f"  and {more} more; --format json shows all"] * (more > 0)
    lines += [f"version of {one}" for one in versions]
    return "\n".join(map(printable, lines)) + "\n"
