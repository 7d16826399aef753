"""`anonaudit init`: propose a policy from a release."""

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
        typer.Option("--output", "-o", help="Write the policy to this file.", show_default=False),
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
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing policy.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress and no notes.")] = False,
) -> None:
    """Propose a policy: a role for each column, the reason, and what to require.

    The policy is a guess. Read and change it before you use it. It quotes no cell, except words
    such as `?` that mark a missing value.

    Exit code 0: the policy was written. 2: the file cannot be read, or the policy already exists.

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
            f"{release}: a policy with all {len(proposal.columns)} columns would exceed "
            f"{LONGEST_FILE} bytes; name the columns to audit by options of `anonaudit audit`"
        )
    write_report(text, output)
    if not quiet:
        tell_of_padding(table)
    if output is not None and not quiet:
        tell(f"wrote {output}; read and change it, then run: anonaudit audit {output}")


def _refuse_to_overwrite(output: Path, release: str, *, force: bool) -> None:
    if not os.path.lexists(output):
        return
    if output.is_dir():
        raise AnonauditError(f"{output}: is a folder; name a file to write")
    if release != "-" and Path(release).exists() and output.exists() and output.samefile(release):
        raise AnonauditError(f"{output}: is the release itself; the policy needs its own file")
    if not force:
        raise AnonauditError(
            f"{output}: the file already exists; name another file, or overwrite it with --force"
        )


def named_from(release: str, output: Path | None) -> str | None:
    """Return the path of the release relative to the folder of the policy.

    The result is None for standard input and pipes, because they can be read only once, and for a
    name that is not valid Unicode, because TOML cannot represent it.

    output: the file of the policy. None means standard output; then the path is relative to the
        current folder.
    """
    from anonaudit.source.written_path import path_from

    if release == "-" or not Path(release).is_file():
        return None
    try:
        release.encode()
    except UnicodeEncodeError:
        return None
    # Resolve links first; otherwise `..` could lead to another folder.
    folder = os.path.realpath("." if output is None else output.parent)
    file = Path(os.path.realpath(Path(release).parent), Path(release).name)
    return path_from(folder, file)
