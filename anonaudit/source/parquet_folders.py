"""A table in several Parquet files, a folder or a pattern: its files are listed and checked.

`open_file` in files.py opens them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from anonaudit.errors import InputError
from anonaudit.source.unpacking import head_of, holds_anything

# What a pattern is made of; a file whose own name has such characters is that file.
_PATTERN: Final = re.compile(r"[*?\[]")
_PLAIN: Final = re.compile(r"[^*?\[\]\\\x00-\x1f]+")
_PARQUET: Final = b"PAR1"
# Of policies, which may lie beside the data they are about.
POLICY: Final = ".anonaudit.toml"


def parquet_files(path: str | os.PathLike[str], name: str) -> tuple[list[Path], Path] | None:
    """The files in order of their names, and the folder they are in; None for one plain file.

    Hidden files, and those that begin with an underscore (other tools leave them), are no part
    of the table, nor is anything in folders called so, nor a policy (`*.anonaudit.toml`).

    Raises InputError where there is none, or one is not Parquet.
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
            f"{name}: {odd.relative_to(root).as_posix()!r} is neither a file nor a folder in there "
            "(a link to one?); put what belongs to the table into the folder, and take the rest out"
        )
    for file in files:
        shown = file.relative_to(root).as_posix()
        if not holds_anything(file) or head_of(file, 4) != _PARQUET:
            raise InputError(
                f"{name}: {shown!r} is no Parquet file; several files are one table only if "
                "all are Parquet: name one file, or a pattern that leaves this one out"
            )
        if not _PLAIN.fullmatch(shown):
            raise InputError(f"{name}: {shown!r} has *, ? or a bracket in its name; rename it")
    if len({_partitions(file.relative_to(root)) for file in files}) > 1:
        raise InputError(
            f"{name}: the folders called column=value name other columns for some files than for "
            "others; several files are one table only if all are below the same columns"
        )
    return files, root


def is_pattern(path: Path) -> bool:
    """Whether a path has `*`, `?` or `[` in it and is no file or folder that is called so."""
    return _PATTERN.search(os.fspath(path)) is not None and not path.exists()


def matches(pattern: Path) -> tuple[Path, list[Path]]:
    """The folder in which a pattern begins, and the files and folders that match, in order."""
    root = until_pattern(pattern)
    return root, sorted(root.glob(pattern.relative_to(root).as_posix()))


def _all_inside(root: Path) -> list[Path]:
    """All but plain folders, in order of name. Raises OSError for a folder that cannot be read."""

    def refuse(error: OSError) -> None:
        raise error

    paths: list[Path] = []
    for folder, folders, names in os.walk(root, onerror=refuse):
        links = [one for one in folders if Path(folder, one).is_symlink()]
        paths += [Path(folder, one) for one in (*names, *links)]
    return sorted(paths)


def _partitions(inner: Path) -> frozenset[str]:
    return frozenset(part.partition("=")[0] for part in inner.parent.parts if "=" in part)


def until_pattern(path: Path) -> Path:
    """The folder in which a pattern begins: its parts before the first with a `*`, `?` or `[`."""
    kept: list[str] = []
    for part in path.parts[:-1]:
        if _PATTERN.search(part):
            break
        kept.append(part)
    return Path(*kept)


def left_out(inner: Path) -> bool:
    """Whether a path below the folder of a table is no part of it."""
    return inner.name.endswith(POLICY) or any(
        part.startswith(("_", ".")) and "=" not in part for part in inner.parts
    )
