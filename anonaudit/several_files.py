"""A table in several Parquet files: a folder of them, or a pattern of names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from anonaudit.errors import InputError

# What a pattern is made of; a file whose own name has such characters is that file.
_PATTERN: Final = re.compile(r"[*?\[]")
_PLAIN: Final = re.compile(r"[^*?\[\]\\\x00-\x1f]+")
_PARQUET: Final = b"PAR1"


def parquet_files(path: str | os.PathLike[str], name: str) -> tuple[list[Path], Path] | None:
    """The files in order of their names, and the folder they are in; None for one plain file.

    Hidden files, and those that begin with an underscore (other tools leave them), are no part
    of the table, nor is anything in folders called so.

    Raises InputError where there is none, or one is not Parquet.
    """
    text, local = os.fspath(path), Path(path)
    if text == "-" or "\0" in text:
        return None
    if local.is_dir():
        root, inside = local, _all_inside(local, name)
    elif _PATTERN.search(text) and not local.exists():
        root = _until_pattern(local)
        rest = local.relative_to(root).as_posix()
        inside = sorted(root.glob(rest))
        _refuse_odd([found for found in inside if not found.is_dir()], root, name)
        inside = [found for found in inside if found.is_file()]
    else:
        return None
    files = [found for found in inside if not _left_out(found.relative_to(root))]
    if not files:
        what = "is a folder without Parquet files" if local.is_dir() else "is not there"
        raise InputError(
            f"{name}: {what}; name a CSV or Parquet file, or a folder of Parquet files"
        )
    for file in files:
        shown = file.relative_to(root).as_posix()
        with file.open("rb") as opened:
            if opened.read(4) != _PARQUET:
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


def _all_inside(root: Path, name: str) -> list[Path]:
    """Every file, in order of name. Raises OSError for a folder that cannot be read."""

    def refuse(error: OSError) -> None:
        raise error

    found: list[Path] = []
    for folder, folders, names in os.walk(root, onerror=refuse):
        here = [Path(folder, one) for one in names]
        links = [Path(folder, one) for one in folders if Path(folder, one).is_symlink()]
        _refuse_odd([*here, *links], root, name)
        found += here
    return sorted(path for path in found if path.is_file())


def _refuse_odd(paths: Iterable[Path], root: Path, name: str) -> None:
    """Raise InputError for what may be a part of the table, but is no file to read it from."""
    for path in paths:
        inner = path.relative_to(root)
        if not path.is_file() and not _left_out(inner):
            raise InputError(
                f"{name}: {inner.as_posix()!r} is neither a file nor a folder in there (a link to "
                "one?); put what belongs to the table into the folder, and take the rest out"
            )


def _partitions(inner: Path) -> frozenset[str]:
    return frozenset(part.partition("=")[0] for part in inner.parent.parts if "=" in part)


def _until_pattern(path: Path) -> Path:
    kept: list[str] = []
    for part in path.parts[:-1]:
        if _PATTERN.search(part):
            break
        kept.append(part)
    return Path(*kept)


def _left_out(inner: Path) -> bool:
    return any(part.startswith(("_", ".")) and "=" not in part for part in inner.parts)
