"""Read the keys of a policy that name tables.

These tables are the release, its original, its population, and the tables of an adversary.
"""

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
    """A table of people: the population of a release, or the table of an adversary.

    columns: column of the release -> its name in this table. Columns with the same name are left
        out.
    identity: the columns of this table that identify a person.
    """

    columns: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    identity: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class Population:
    """The population that a release was sampled from. A None means that the policy does not say it.

    file: a table of the people of the population.
    size: the number of people in the population.
    sampling_fraction: the share of these people that is in the release, from 0 to 1.

    At most one of `size` and `sampling_fraction` is given.
    """

    file: PeopleFile | None = None
    size: int | None = None
    sampling_fraction: float | None = None


@dataclass(frozen=True, repr=False)
class OriginalFile(TableFile):
    """The table that a release was masked from, and how to pair its rows with the released rows.

    key: a column that identifies the rows of both tables; None if there is no such column.
    align: `order`: the rows of both tables are in the same order. `best-permutation`: search for
        the best permutation of the rows. None: use `key`, or the best permutation without a key.

    Raises InputError for an unknown `align`, and if both `key` and `align` are given.
    """

    key: str | None = field(default=None, kw_only=True)
    align: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.align not in (None, "order", "best-permutation"):
            raise InputError(f"align must be 'order' or 'best-permutation', not {self.align!r}")
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


# The release may not exist yet when the policy is read.
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
    """Read section `release`.

    Returns a TableFile with the format of the releases, and name -> path for each release that the
    policy names. A name is the text in the policy. The TableFile has a path only if the policy
    names one release with `file`, not if it uses `files`.
    """
    settings = table(_RELEASE, "[release]")(entry)
    if "file" in settings and "files" in settings:
        raise MistakeError("has file and files, which exclude each other; leave out one")
    one, several = settings.pop("file", None), settings.pop("files", ())
    named = dict(several if one is None else [one])
    return TableFile(None if one is None else one[1], **settings, shared=True), named


def population(entry: Entry) -> Population:
    """Read section `population`: its file, its size, or the sampling fraction."""
    before = len(entry.document.problems)
    settings = table(_POPULATION, "[population]")(entry)
    if entry.value.keys().isdisjoint(("file", "size", "sampling-fraction")):
        raise MistakeError("needs file, size or sampling-fraction")
    if "size" in settings and "sampling-fraction" in settings:
        entry.note("has size and sampling-fraction; remove one, as each follows from the other")
    for key in ("size", "sampling-fraction"):
        if settings.get(key, 1) <= 0:
            entry.inside(key).note("must be above 0")
    for key in _PEOPLE:
        if key in entry.value and "file" not in entry.value:
            entry.inside(key).note("is valid only with file")
    if len(entry.document.problems) > before:
        raise MistakeError
    people = {key: settings[key] for key in _PEOPLE if key in settings}
    return Population(
        PeopleFile(people.pop("file"), **people) if people else None,
        settings.get("size"),
        settings.get("sampling-fraction"),
    )


def original_file(entry: Entry) -> OriginalFile:
    """Read section `original`: the unmasked table, and how to pair its rows."""
    settings = _with_file(entry, _ORIGINAL, '[original]\nfile = "patients.csv"')
    if "key" in settings and "align" in settings:
        raise MistakeError("has key and align, which exclude each other; leave out one")
    return OriginalFile(**settings)


def _with_file(entry: Entry, readers: Mapping[str, Reader[Any]], example: str) -> dict[str, Any]:
    """Read a section in which `file` is mandatory; raise MistakeError if anything is wrong."""
    before = len(entry.document.problems)
    settings = table(readers, example)(entry)
    if "file" not in entry.value:
        raise MistakeError("needs file, the path of the original")
    if len(entry.document.problems) > before:
        raise MistakeError
    return settings


def external_file(settings: Mapping[str, Any]) -> PeopleFile | None:
    """Return the external table of an attack; None if its section names none.

    settings: the values of the keys that name tables in the section of the attack.
    """
    if "external" not in settings:
        return None
    given = {key: settings[key] for key in EXTERNAL if key in settings}
    return PeopleFile(given.pop("external"), **given, shared="second" in settings)


def other_releases(settings: Mapping[str, Any]) -> tuple[TableFile, ...]:
    """Return the releases that the key `second` of an attack's section names, in the same order.

    The delimiter and the encoding of the section apply to them, and to `external` as well.

    settings: as in `external_file`.
    """
    read_as = {key: settings[key] for key in _TABLE if key in settings}
    return tuple(TableFile(path, **read_as, shared=True) for path in settings.get("second", ()))
