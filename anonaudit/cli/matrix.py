"""`anonaudit matrix`: run every attack on the output of every masking algorithm."""

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
    """The formats of the table."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


_ENDINGS = {MatrixFormat.TEXT: "txt", MatrixFormat.JSON: "json", MatrixFormat.CSV: "csv"}


def matrix_command(
    original: Annotated[str, typer.Argument(help="The original table, not masked yet.")],
    policy: Annotated[Path, typer.Argument(help="The policy that the algorithms try to satisfy.")],
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            "-a",
            help="Use only this masking algorithm, such as mondrian. Repeatable.",
            show_default=False,
            autocompletion=completion.complete_algorithm,
        ),
    ] = None,
    attack: Annotated[
        list[str] | None,
        typer.Option(
            "--attack",
            help="Run only this attack, such as linkage. Repeatable.",
            show_default=False,
            autocompletion=completion.complete_attack,
        ),
    ] = None,
    release: Annotated[
        list[str] | None,
        typer.Option(
            "--release",
            help="Attack this release of the original instead of masking. Repeatable.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(min=0, help="How many rows may be suppressed.", show_default=False),
    ] = None,
    format_: Annotated[
        MatrixFormat, typer.Option("--format", "-f", help="The format of the table.")
    ] = MatrixFormat.TEXT,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the table in all formats, the heat map and intermediate results to this "
            "folder.",
            show_default=False,
        ),
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of all random draws.")] = 0,
    quiet: QuietOption = False,
) -> None:
    """Mask a table with every algorithm, and run every attack on every result.

    Each algorithm masks the table for k-anonymity alone and, if the policy requires more, for all
    requirements that it supports. The unmasked table is attacked too, for comparison. The adversary
    of a linkage attack knows the quasi-identifiers of everybody.

    With --release, the named releases are attacked instead.

    With --output, the folder gets matrix.txt, matrix.json, matrix.csv, heatmap.svg and
    heatmap.png. An interrupted run continues if you name the same folder again.

    Exit code 0: done, whatever the attacks disclose. 2: bad input or policy.

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
        raise InputError("with --release nothing is masked; leave out --algorithm and --threshold")
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
                if len(theirs) < len(release):  # two files have the same name
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
    """On an interruption, raise InterruptedInParts if finished results are kept.

    If no result is finished, remove the empty folders and raise the interruption again.

    output: the folder of the output; None if there is none.
    finished: the folder of finished results; None if results are not kept.
    made: the folders that this command has made, the inner folder first.
    """
    from anonaudit.cli.output import InterruptedInParts

    try:
        yield
    except KeyboardInterrupt:  # any signal that ends the process
        if finished is None or not any(finished.glob("*.json")):
            with suppress(OSError):  # a folder is not empty
                for folder in made:
                    folder.rmdir()
            raise
        raise InterruptedInParts(
            f"finished results are kept in {output}; run the same command again to continue"
        ) from None
