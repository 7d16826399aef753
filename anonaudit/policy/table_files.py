"""The tables a policy names: the release, its original, its population, an adversary's table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from anonaudit.errors import InputError
from anonaudit.policy.entries import (
    Entry,
    MistakeError,
    Reader,
    boolean,
    delimiter,
    each,
    encoding,
    file,
    file_or_folder,
    integer,
    list_of,
    number_between,
    one_of,
    string,
    table,
)
from anonaudit.source.table import TableFile


@dataclass(frozen=True, repr=False)
class PeopleFile(TableFile):
    """A table of people: the population a release is drawn from, or what an adversary has.

    columns: column of the release -> its name in this table, where the names differ.
    identity: its columns that name a person.
    """

    columns: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    identity: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class Population:
    """The population that a release is drawn from.

    file: a table of its people. size: how many people it has. sampling_fraction: the share of them
    that is in the release. At most one of the last two is known.
    """

    file: PeopleFile | None = None
    size: int | None = None
    sampling_fraction: float | None = None


@dataclass(frozen=True, repr=False)
class OriginalFile(TableFile):
    """The table a release was masked from, and how their rows are paired.

    key: a column that identifies the rows of both. align: `order` if the rows stand in the same
    order. Without a key and without an order, the best permutation is looked for.

    Raises InputError for an unknown `align`, and for a key together with one.
    """

    key: str | None = field(default=None, kw_only=True)
    align: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.align not in (None, "order", "best-permutation"):
            raise InputError(f"align must be 'order' or left out, not {self.align!r}")
        if self.key is not None and self.align is not None:
            raise InputError("key and align exclude each other; give one of them")


FORMAT: Final[Mapping[str, Reader[Any]]] = {"delimiter": delimiter, "encoding": encoding}
_TABLE: Final[Mapping[str, Reader[Any]]] = {**FORMAT, "labels": boolean}
_NAMES: Final = list_of("names", string)
_RENAMED: Final = each(string, '{ age = "Age" }')


def _as_written(entry: Entry) -> tuple[str, Path]:
    if entry.value == "":
        raise MistakeError("must be the name of a file, not an empty text")
    return entry.value, file_or_folder(entry)


# A policy may be there before its release is.
_RELEASE: Final[Mapping[str, Reader[Any]]] = {
    "file": _as_written,
    "files": list_of("names of files", _as_written, least=1),
    **_TABLE,
}
_PEOPLE: Final[Mapping[str, Reader[Any]]] = {"file": file, **_TABLE, "columns": _RENAMED}
_POPULATION: Final[Mapping[str, Reader[Any]]] = {
    **_PEOPLE,
    "size": integer,
    "sampling-fraction": number_between(0, 1),
}
_ORIGINAL: Final[Mapping[str, Reader[Any]]] = {
    "file": file,
    **_TABLE,
    "key": string,
    "align": one_of(("order", "best-permutation")),
}
EXTERNAL: Final[Mapping[str, Reader[Any]]] = {
    "external": file,
    **_TABLE,
    "identity": _NAMES,
    "columns": _RENAMED,
}


def _one_file(entry: Entry) -> tuple[Path, ...]:
    return (file(entry),)


def _one_file_or_several(entry: Entry) -> tuple[Path, ...]:
    if isinstance(entry.value, list):
        return list_of("names of files", file, least=1)(entry)
    return _one_file(entry)


SECOND: Final[Mapping[str, Reader[Any]]] = {"second": _one_file}
SEVERAL: Final[Mapping[str, Reader[Any]]] = {"second": _one_file_or_several}


def release_files(entry: Entry) -> tuple[TableFile, dict[str, Path]]:
    """Section `release`: how to read the release, and every release by its name as written.

    The table has a file where the policy names one release, by `file`.
    """
    settings = table(_RELEASE, "[release]")(entry)
    if "file" in settings and "files" in settings:
        raise MistakeError("has file and files, which exclude each other; leave out one")
    one, several = settings.pop("file", None), settings.pop("files", ())
    named = dict(several if one is None else [one])
    return TableFile(None if one is None else one[1], **settings), named


def population(entry: Entry) -> Population:
    """Section `population`: a table of its people, its size, or the share in the release."""
    before = len(entry.document.problems)
    settings = table(_POPULATION, "[population]")(entry)
    if entry.value.keys().isdisjoint(("file", "size", "sampling-fraction")):
        raise MistakeError("needs file, size or sampling-fraction")
    if "size" in settings and "sampling-fraction" in settings:
        entry.note("has size and sampling-fraction, which say the same; leave out one")
    for key in ("size", "sampling-fraction"):
        if settings.get(key, 1) <= 0:
            entry.inside(key).note("must be above 0")
    for key in _PEOPLE:
        if key in entry.value and "file" not in entry.value:
            entry.inside(key).note("goes with file only")
    if len(entry.document.problems) > before:
        raise MistakeError
    people = {key: settings[key] for key in _PEOPLE if key in settings}
    return Population(
        PeopleFile(people.pop("file"), **people) if people else None,
        settings.get("size"),
        settings.get("sampling-fraction"),
    )


def original_file(entry: Entry) -> OriginalFile:
    """Section `original`: the unmasked table, to check the generalization against."""
    settings = _with_file(entry, _ORIGINAL, '[original]\nfile = "patients.csv"')
    if "key" in settings and "align" in settings:
        raise MistakeError("has key and align, which exclude each other; leave out one")
    return OriginalFile(**settings)


def _with_file(entry: Entry, readers: Mapping[str, Reader[Any]], example: str) -> dict[str, Any]:
    """What a section says that must name a file; raises MistakeError if anything is wrong."""
    before = len(entry.document.problems)
    settings = table(readers, example)(entry)
    if "file" not in entry.value:
        raise MistakeError("names no file; give it a file")
    if len(entry.document.problems) > before:
        raise MistakeError
    return settings


def external_file(settings: Mapping[str, Any]) -> PeopleFile | None:
    """The external table in the keys of an attack section; None without one."""
    if "external" not in settings:
        return None
    given = {key: settings[key] for key in EXTERNAL if key in settings}
    return PeopleFile(given.pop("external"), **given)


def other_releases(settings: Mapping[str, Any]) -> tuple[TableFile, ...]:
    """The other releases in the keys of an attack section, the second one first.

    As CSV they have the delimiter and encoding of `external`.
    """
    read_as = {key: settings[key] for key in _TABLE if key in settings}
    return tuple(TableFile(path, **read_as) for path in settings.get("second", ()))
