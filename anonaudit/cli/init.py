"""`anonaudit init`: a policy to begin with, proposed from the release itself."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from anonaudit.cli.options import DelimiterOption, EncodingOption
from anonaudit.errors import AnonauditError


def init_command(
    release: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="The release: CSV, TSV or Parquet, plain or compressed; `-` for standard input.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the policy here.", show_default=False),
    ] = None,
    dictionary: Annotated[
        Path | None,
        typer.Option(
            help="A data dictionary of the release: CSV (name, label, values, missing, role), JSON "
            "or a Frictionless Table Schema.",
            show_default=False,
        ),
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the policy that is there.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")] = False,
) -> None:
    """Propose a policy: which columns play which part, why, and what to require.

    Nothing is asked. The policy is a guess to be read and changed. It quotes no cell, but for
    words such as `?` that tools write where a value is missing.

    Exit code 0: the policy was written. 2: the file cannot be read, or the policy is there already.

    For example:

    `anonaudit init release.csv -o release.anonaudit.toml`

    `anonaudit init release.csv > policy.toml`

    `anonaudit init release.csv --dictionary dictionary.csv -o release.anonaudit.toml`
    """
    from anonaudit.cli.output import progress, tell, tell_of_padding, write_report
    from anonaudit.policy.policy import LONGEST_FILE
    from anonaudit.proposal import propose, read_dictionary, to_toml
    from anonaudit.source.table import TableFile

    if output is not None:
        _refuse_to_overwrite(output, release, force=force)
    known = None if dictionary is None else read_dictionary(dictionary)
    with progress(quiet) as say:
        say("counting")
        file = TableFile(release, delimiter=delimiter, encoding=encoding)
        table = file.open()
        proposal = propose(table, known)
    text = to_toml(proposal, release=replace(file, file=named_from(release, output)))
    if len(text.encode()) > LONGEST_FILE:
        raise AnonauditError(
            f"{release}: the names of its {len(proposal.columns)} columns are more than a policy "
            "can hold; name the columns to audit by options of `anonaudit audit`"
        )
    write_report(text, output)
    if not quiet:
        tell_of_padding(table)
    if output is not None and not quiet:
        tell(f"wrote {output}; read and change it, then: anonaudit audit {output}")


def _refuse_to_overwrite(output: Path, release: str, *, force: bool) -> None:
    if not os.path.lexists(output):
        return
    if output.is_dir():
        raise AnonauditError(f"{output}: is a folder; name the policy to write in it")
    if release != "-" and Path(release).exists() and output.exists() and output.samefile(release):
        raise AnonauditError(f"{output}: is the release itself; the policy needs its own file")
    if not force:
        raise AnonauditError(
            f"{output}: there is such a file already; name another, or overwrite it with --force"
        )


def named_from(release: str, output: Path | None) -> str | None:
    """The release as the policy should name it: from the policy's own folder.

    None for standard input and pipes, which are read once, and for names that are not Unicode
    text, which TOML cannot hold.
    """
    from anonaudit.source.written_path import path_from

    if release == "-" or not Path(release).is_file():
        return None
    try:
        release.encode()
    except UnicodeEncodeError:
        return None
    # Links are resolved first, or `..` would lead somewhere else from the policy's folder.
    folder = os.path.realpath("." if output is None else output.parent)
    file = Path(os.path.realpath(Path(release).parent), Path(release).name)
    return path_from(folder, file)
