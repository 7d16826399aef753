"""`anonaudit mask`: mask a table so that it satisfies a policy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonaudit.cli import completion
from anonaudit.cli.exit_codes import ExitCode
from anonaudit.cli.options import (
    AllowFormulasOption,
    DelimiterOption,
    EncodingOption,
    QuietOption,
    open_with_policy,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anonaudit.findings import AuditReport
    from anonaudit.masking.maskers import Masked


def mask_command(
    original: Annotated[str, typer.Argument(help="The original table, not masked yet.")],
    policy: Annotated[Path, typer.Argument(help="The policy that the release must satisfy.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Write the release to this file: CSV, or TSV by the ending .tsv or .tab. "
            "The hierarchies used and the audit are written to the same folder.",
        ),
    ],
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="full-domain, mondrian, greedy-cka or k-member. Default: the first of these that "
            "supports every requirement of the policy (full-domain needs a hierarchy for every "
            "quasi-identifier). `best` tries all of them, and takes the release that satisfies the "
            "policy with the least information loss.",
            show_default=False,
            autocompletion=completion.complete_algorithm_or_best,
        ),
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="How many rows may be suppressed. With a unit column, all rows of a person are "
            "suppressed together.",
            show_default=False,
        ),
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            help="The seed of the row that k-member and greedy-cka start from, and of attacks that "
            "draw at random. It need not be kept secret.",
        ),
    ] = 0,
    insecure_seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Draw the cells that are suppressed to hide rules from this seed, not from the "
            "operating system. The release is then reproducible, but whoever knows or guesses the "
            "seed can undo the draw. For tests only.",
            show_default=False,
        ),
    ] = None,
    allow_formulas: AllowFormulasOption = False,
    quiet: QuietOption = False,
) -> None:
    """Mask a table, audit the result, and write it only if it satisfies the policy.

    The command writes RELEASE.csv, RELEASE.audit.json, and RELEASE.hierarchies/ with a file for
    each hierarchy that it used. The hierarchies contain original values: do not publish them.
    Existing files with these names are overwritten, except the files that the command reads.

    Identifiers and columns without a role are dropped. The values of the unit column are replaced
    by random numbers, unless `masking.unit-in-release` in the policy says otherwise. Rows are
    sorted by their released values, so that their order reveals nothing about the order of the
    original. The same table and options give the same files, except for the random numbers of
    persons and the cells that are suppressed to hide rules.

    Cells that a spreadsheet would run as formulas are refused, because an escaped cell would be a
    different value.

    Exit code 0: written. 1: no release satisfied the policy. 2: bad input or policy.

    For example:

    `anonaudit mask patients.csv policy.toml -o release.csv`

    `anonaudit mask patients.csv policy.toml --algorithm best -o release.csv`
    """
    from anonaudit.cli.output import check_output, progress, tell, write_report, writing
    from anonaudit.cli.release import drafts, refuse_formulas, texts_of, write_csv, written_as
    from anonaudit.masking.maskers import BEST, mask
    from anonaudit.masking.recoding import NotAchievableError
    from anonaudit.report import render
    from anonaudit.report.brief import falling_short
    from anonaudit.report.words import figures
    from anonaudit.source.table import open_source

    check_output(output, [original, policy], ordinary=True)
    place = output.resolve()  # a link is followed, as for reports
    with drafts(output) as draft_folder:
        with progress(quiet) as say:
            say("reading")
            table, rules = open_with_policy(original, policy, delimiter, encoding)
            for path in (place, place.with_name(_audit_of(place))):
                check_output(path, [original, policy, *rules.read_beside], ordinary=True)
            try:
                masked = mask(
                    table,
                    rules,
                    algorithm=algorithm,
                    threshold=threshold,
                    seed=seed,
                    insecure_seed=insecure_seed,
                    progress=say,
                )
            except NotAchievableError as error:
                tell(f"{original}: {error}")
                raise typer.Exit(ExitCode.VIOLATED) from None
            texts = texts_of(masked.release)
            if not allow_formulas:
                refuse_formulas(_with_labels(masked, texts))
            written = draft_folder / place.name
            with writing(output):
                write_csv(masked.release, written, texts, rules)
            report = masked.audit(
                open_source(written_as(written, rules), name=str(output)), seed=seed, progress=say
            )
        write_report(render(report, "text"), None)
        if short := falling_short(report):
            tell(f"nothing was written: the release would break {', '.join(short)}")
            raise typer.Exit(ExitCode.VIOLATED)
        with writing(output):
            _put_together(masked, report, draft_folder, place)
    for note in masked.notes:
        tell(note)
    least = "" if algorithm == BEST else " (`--algorithm best` looks for the least)"
    folder = _folder_of(place)
    wrote = f"{output} and {_audit_of(place)}"
    if masked.hierarchies:
        wrote = f"{output}, {_audit_of(place)} and {folder}/"
    if (place.parent / folder).is_dir():  # made now, or by an earlier run
        wrote += f". Do not publish {folder}/: it contains original values"
    tell(
        f"masked by {masked.algorithm}, with an information loss of "
        f"{figures.percent(masked.loss)}{least}; wrote {wrote}"
    )


def _with_labels(masked: Masked, texts: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return column -> all texts that are written for it: released cells and hierarchy labels.

    texts: column -> its released cells.
    """
    trees = masked.hierarchies
    return {
        column: cells | {*trees[column].nodes} if column in trees else cells
        for column, cells in texts.items()
    }


def _put_together(masked: Masked, report: AuditReport, draft_folder: Path, place: Path) -> None:
    """Write the hierarchies and the audit, and move them and the release to their places.

    The hierarchies and the audit are first written to the draft folder, which already holds the
    release.

    place: the final path of the release.
    """
    from anonaudit.cli.output import check_output, put_all
    from anonaudit.report import render

    folder = _folder_of(place)
    names = [folder / name for name in _file_names([*masked.hierarchies])]
    if names:
        (draft_folder / folder).mkdir()
    for name, tree in zip(names, masked.hierarchies.values(), strict=True):
        tree.write(draft_folder / name)
    names.append(Path(_audit_of(place)))
    (draft_folder / names[-1]).write_text(render(report, "json"), encoding="utf-8", newline="\n")
    names.append(Path(place.name))  # last, so that a release always has its audit
    if masked.hierarchies:
        (place.parent / folder).mkdir(exist_ok=True)
    for name in names:
        check_output(place.parent / name, masked.policy.files, ordinary=True)
    put_all([(draft_folder / name, place.parent / name) for name in names])


def _folder_of(release: Path) -> Path:
    return Path(f"{release.stem}.hierarchies")


def _audit_of(release: Path) -> str:
    return f"{release.stem}.audit.json"


def _file_names(columns: Sequence[str]) -> list[str]:
    """Return a file name for the hierarchy of each column. No two are equal, even without case.

    A column is named by its number if its name has characters other than ASCII letters, digits, `-`
    and `_` or more than 100 characters, if it begins with `column-`, or if it is also the name of
    another column in other case.

    >>> _file_names(["age", "zip code", "Sex", "sex", "column-2"])
    ['age.csv', 'column-2.csv', 'column-3.csv', 'column-4.csv', 'column-5.csv']
    """
    in_lower = [column.lower() for column in columns]
    return [
        f"{column}.csv"
        if _is_plain(column) and in_lower.count(column.lower()) == 1
        else f"column-{number}.csv"
        for number, column in enumerate(columns, 1)
    ]


def _is_plain(column: str) -> bool:
    plain = column.replace("-", "").replace("_", "").isalnum() and column.isascii()
    return plain and len(column) <= 100 and not column.lower().startswith("column-")
