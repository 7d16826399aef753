"""List and check the Parquet files that together are one table: in a folder, or of a pattern.

`open_file` in data_files.py opens these files.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from anonaudit.errors import InputError
from anonaudit.source.unpacking import head_of, holds_anything

# The characters that make a path a pattern, unless a file or folder has exactly this name.
_PATTERN: Final = re.compile(r"[*?\[]")
_PLAIN: Final = re.compile(r"[^*?\[\]\\\x00-\x1f]+")
_PARQUET: Final = b"PAR1"
# The ending of policy files, which may be in the same folder as their data.
POLICY: Final = ".anonaudit.toml"


def parquet_files(path: str | os.PathLike[str], name: str) -> tuple[list[Path], Path] | None:
    """Return the Parquet files of a folder or pattern, sorted by path, and their common folder.

    Returns None if the path is neither a folder nor a pattern.

    Two kinds of files are skipped: policies (`*.anonaudit.toml`), and files of other tools, such as
    `_SUCCESS`. A path belongs to another tool if, below the common folder, a part of it begins with
    an underscore or a dot and is not a partition folder (`_year=2020`).

    name: the name of the table in messages.

    Raises InputError if there are no files, if a file is not Parquet or its name has unusual
    characters, if there is anything else, such as a link to a folder, or if the partition folders
    of different files name different columns.
    """
    text, local = os.fspath(path), Path(path)
    if text == "-" or "\0" in text:
        return None
    if local.is_dir():
        root, inside = local, _all_inside(local)
    elif is_pattern(local):
        root, matching = matches(local)
        inside = [entry for entry in matching if not entry.is_dir()]
    else:
        return None
    inside = [entry for entry in inside if not left_out(entry.relative_to(root))]
    files = [entry for entry in inside if entry.is_file()]
    if not files:
        what = "is a folder without Parquet files" if local.is_dir() else "is not there"
        raise InputError(
            f"{name}: {what}; name a CSV or Parquet file, or a folder of Parquet files"
        )
    for odd in [entry for entry in inside if not entry.is_file()]:
        raise InputError(
            f"{name}: {odd.relative_to(root).as_posix()!r} is neither a file nor a folder, perhaps "
            "a link to a folder; keep only the files of the table in the folder"
        )
    for file in files:
        shown = file.relative_to(root).as_posix()
        if not holds_anything(file) or head_of(file, 4) != _PARQUET:
            raise InputError(
                f"{name}: {shown!r} is not a Parquet file; several files are one table only if "
                "all are Parquet: name one file, or a pattern that does not match this one"
            )
        if not _PLAIN.fullmatch(shown):
            raise InputError(
                f"{name}: {shown!r} has *, ?, a bracket, a backslash or a control character in its "
                "name; rename it"
            )
    if len({_partitions(file.relative_to(root)) for file in files}) > 1:
        raise InputError(
            f"{name}: the folders called column=value name different columns for different files; "
            "several files are one table only if all have folders for the same columns"
        )
    return files, root


def is_pattern(path: Path) -> bool:
    """Return True if a path contains `*`, `?` or `[` and no file or folder has this name."""
    return _PATTERN.search(os.fspath(path)) is not None and not path.exists()


def matches(pattern: Path) -> tuple[Path, list[Path]]:
    """Return the last folder before the pattern, and the sorted paths that match the pattern."""
    root = until_pattern(pattern)
    return root, sorted(root.glob(pattern.relative_to(root).as_posix()))


def _all_inside(root: Path) -> list[Path]:
    """Return the sorted paths of everything below a folder except its subfolders.

    A link to a folder is included, but not followed.

    Raises OSError for a folder that cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise error

    paths: list[Path] = []
    for folder, folders, names in os.walk(root, onerror=refuse):
        links = [one for one in folders if Path(folder, one).is_symlink()]
        paths += [Path(folder, one) for one in (*names, *links)]
    return sorted(paths)


def _partitions(inner: Path) -> frozenset[str]:
    """Return the columns that the folders `column=value` in a path name."""
    return frozenset(part.partition("=")[0] for part in inner.parent.parts if "=" in part)


def until_pattern(path: Path) -> Path:
    """Return the last folder before the pattern: `data` for `data/2020-*/part.parquet`.

    It ends before the first part with `*`, `?` or `[`, and always before the last part of the path.
    """
    kept: list[str] = []
    for part in path.parts[:-1]:
        if _PATTERN.search(part):
            break
        kept.append(part)
    return Path(*kept)


def left_out(inner: Path) -> bool:
    """Return True if a path, relative to the table's folder, is skipped (see `parquet_files`)."""
    return inner.name.endswith(POLICY) or any(
        part.startswith(("_", ".")) and "=" not in part for part in inner.parts
    )
