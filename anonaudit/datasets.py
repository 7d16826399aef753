"""Locates the files of the folder datasets/: the papers' tables, hierarchies, and Adult."""

from __future__ import annotations

from pathlib import Path

from anonaudit.errors import InputError, closest

_PACKAGE = Path(__file__).parent


def folder() -> Path:
    """The folder datasets/: next to the package in a checkout, inside the package if installed."""
    for candidate in (_PACKAGE / "_datasets", _PACKAGE.parent / "datasets"):
        if (candidate / "SHA256SUMS").is_file():
            return candidate
    raise InputError("the folder datasets/ is missing from this installation; reinstall anonaudit")


def path(name: str) -> Path:
    """Return the path of a file, for example `TV06/table1.csv`.

    Raises InputError, with the closest names, if there is no such file.

    >>> path("TV06/table1.csv").name
    'table1.csv'
    """
    file = folder() / name
    if not file.is_file():
        raise InputError(f"there is no dataset {name!r}. {closest(name, names())}")
    return file


def names() -> list[str]:
    """Return the names of all tables, hierarchies and policies, sorted."""
    top, endings = folder(), (".csv", ".csv.gz", ".toml")
    files = [path for path in top.rglob("*") if path.name.endswith(endings) and path.is_file()]
    return sorted(path.relative_to(top).as_posix() for path in files)
