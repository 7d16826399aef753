"""`anonaudit matrix`: every attack on the output of every masking algorithm."""

from __future__ import annotations

import enum
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli import completion
from anonaudit.cli.options import DelimiterOption, EncodingOption, QuietOption, open_with_policy


class MatrixFormat(enum.StrEnum):
    """The forms of the answer."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


_ENDINGS = {MatrixFormat.TEXT: "txt", MatrixFormat.JSON: "json", MatrixFormat.CSV: "csv"}


def matrix_command(
    original: Annotated[str, typer.Argument(help="The original table, not masked yet.")],
    policy: Annotated[Path, typer.Argument(help="What the maskers aim at.")],
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            "-a",
            help="Only this masker, as mondrian; repeatable.",
            show_default=False,
            autocompletion=completion.complete_algorithm,
        ),
    ] = None,
    attack: Annotated[
        list[str] | None,
        typer.Option(
            "--attack",
            help="Only this attack, as linkage; repeatable.",
            show_default=False,
            autocompletion=completion.complete_attack,
        ),
    ] = None,
    release: Annotated[
        list[str] | None,
        typer.Option(
            "--release",
            help="Compare this release of the original instead of masking; repeatable.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(min=0, help="How many rows may be suppressed.", show_default=False),
    ] = None,
    format_: Annotated[
        MatrixFormat, typer.Option("--format", "-f", help="The form of the answer.")
    ] = MatrixFormat.TEXT,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A folder for the answer in all forms, the picture, and what is finished so far.",
            show_default=False,
        ),
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Of whatever is drawn at random.")] = 0,
    quiet: QuietOption = False,
) -> None:
    """Mask a table in every way, attack every release in every way, and show who is still exposed.

    Each algorithm masks for k alone, then for all of the policy it knows; the unmasked table is
    there to compare with. Whoever links knows the quasi-identifiers of everybody.

    With --release, the releases that you name are attacked instead, whoever made them.

    With --output, the folder gets matrix.txt, matrix.json, matrix.csv, heatmap.svg and
    heatmap.png. A run that was cut short goes on where it was if it is given the same folder.

    Exit code 0: done, whatever was found. 2: bad input or policy.

    For example:

    `anonaudit matrix patients.csv policy.toml -o matrix`

    `anonaudit matrix patients.csv policy.toml --release ours.csv --release theirs.csv`
    """
    from anonaudit.cli.output import (
        check_folder,
        check_output,
        progress,
        tell,
        write_report,
    )
    from anonaudit.errors import InputError
    from anonaudit.matrix import FORMS, compare, draw_heatmap, matrix, to_csv, to_json, to_text

    if release and (algorithm or threshold is not None):
        raise InputError("--release masks nothing; leave out --algorithm and --threshold")
    table, rules = open_with_policy(original, policy, delimiter, encoding)
    finished = None if output is None or release else output / "finished"
    made = [folder for folder in (finished, output) if folder and not folder.exists()]
    if output is not None:
        check_folder(output)
        if finished is not None:
            check_folder(finished)
        names = [*(f"matrix.{e}" for e in _ENDINGS.values()), *(f"heatmap.{f}" for f in FORMS)]
        for name in names:
            check_output(output / name, [original, policy, *(release or ()), *rules.files])
    with _keeping(output, finished, made):
        with progress(quiet) as say:
            if release:
                theirs = {Path(file).name: file for file in release}
                if len(theirs) < len(release):  # two files of one name
                    theirs = {file: file for file in release}
                exposures = compare(
                    theirs, rules, original=table, only=attack or (), seed=seed, progress=say
                )
            else:
                exposures = matrix(
                    table,
                    rules,
                    algorithms=algorithm or (),
                    only=attack or (),
                    threshold=threshold,
                    seed=seed,
                    cache=finished,
                    progress=say,
                )
            forms = {
                MatrixFormat.TEXT: to_text(exposures),
                MatrixFormat.JSON: to_json(exposures),
                MatrixFormat.CSV: to_csv(exposures),
            }
            if output is not None:
                say("drawing")
                for form, text in forms.items():
                    write_report(text, output / f"matrix.{_ENDINGS[form]}")
                draw_heatmap(exposures, output)
        if format_ is MatrixFormat.TEXT:
            width = min(shutil.get_terminal_size((100, 24)).columns, 160)
            write_report(to_text(exposures, width=width), None)
        else:
            write_report(forms[format_], None, utf8=True)
    for note in exposures.left_out:
        tell(note)
    if output is not None:
        tell(f"wrote {output}")


@contextmanager
def _keeping(output: Path | None, finished: Path | None, made: Sequence[Path]) -> Iterator[None]:
    """Say, if interrupted, that what is finished is kept, where anything is.

    made: the folders that this command has made, the inner one first; empty ones go again.
    """
    from anonaudit.cli.output import InterruptedInParts

    try:
        yield
    except (KeyboardInterrupt, SystemExit):  # SystemExit: of a signal
        if finished is None or not any(finished.glob("*.json")):
            with suppress(OSError):  # one is not empty
                for folder in made:
                    folder.rmdir()
            raise
        raise InterruptedInParts(
            f"what is finished is kept in {output}, and the same command goes on from there"
        ) from None
