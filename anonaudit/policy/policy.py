"""A policy: what a release must satisfy, from a TOML file. Every mistake is reported at once."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from anonaudit import notebook
from anonaudit.attack import Attack
from anonaudit.cells import Convention
from anonaudit.errors import AnonauditError, InputError, PolicyError, closest
from anonaudit.generalization.labels import PERTURBED, Declared, Reading, Repair, Truncated
from anonaudit.plugins import ATTACKS, describe_attack, describe_model
from anonaudit.policy.entries import Document, Reader, each, table
from anonaudit.policy.sections import (
    AttackRequest,
    HierarchySpec,
    Masking,
    Requirement,
    attack_requests,
    conventions,
    hierarchy,
    masking,
    places,
    python_keys,
    refuse_useless,
    refuse_without_unit,
    requirements,
    role_columns,
    value_rules,
)
from anonaudit.policy.table_files import (
    OriginalFile,
    PeopleFile,
    Population,
    original_file,
    population,
    release_files,
)
from anonaudit.policy.toml_lines import KeyPath, TomlError, load
from anonaudit.roles import Roles
from anonaudit.source.table import TableFile
from anonaudit.source.unpacking import content_of

# Added where the unit column is absent and the masker was asked to drop it.
_DROPPED: Final = (
    ' If masking.unit-in-release = "dropped" left it out, nobody can count the persons of this '
    "file any more. To count rows instead, remove columns.unit and masking.unit-in-release from "
    "the policy."
)

__all__ = [
    "AttackRequest",
    "HierarchySpec",
    "Masking",
    "OriginalFile",
    "PeopleFile",
    "Policy",
    "Requirement",
    "parse_policy",
    "read_policy",
]

LONGEST_FILE: Final = 1 << 20  # bytes; a longer file is no policy but, most likely, the release


@dataclass(frozen=True, repr=False)
class Policy(notebook.Result):
    """What to audit and what is required; made by `read_policy` or `from_options`.

    attacks: the attacks to run, in the order of the policy.
    hierarchies: by column, as are `ordered` (values from low to high), `readings`, and
        `separators` of labels that are sets.
    population: the table the release is drawn from, None if it is not known. population_size: how
        many people it has, sampling_fraction: the share of them that is in the release, if known.
    original: the table the release was masked from, None if it is not at hand.
    numeric: columns to read as numbers. decimal: their mark, `.` or `,`.
    normalize: the repairs of spelling to make before counting (see labels.py).
    release: the release the policy names, and its format; `file` is None if it names none, or
        several.
    releases: every release the policy names, by its name as written there; a name may be a pattern.
    masking: how `mask` treats persons with several rows.
    source, sha256: the name and the hash of the policy file, for provenance.
    lines: where each key stands, for `check`.
    """

    roles: Roles = field(default_factory=Roles)
    convention: Convention = field(default_factory=Convention)
    inconclusive_allowed: bool = False
    requirements: tuple[Requirement, ...] = ()
    attacks: tuple[AttackRequest, ...] = ()
    hierarchies: Mapping[str, HierarchySpec] = field(default_factory=dict)
    numeric: tuple[str, ...] = ()
    ordered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    readings: Mapping[str, Declared] = field(default_factory=dict)
    separators: Mapping[str, str] = field(default_factory=dict)
    population: PeopleFile | None = None
    population_size: int | None = None
    sampling_fraction: float | None = None
    original: OriginalFile | None = None
    decimal: str = "."
    normalize: tuple[Repair, ...] = ()
    release: TableFile = field(default_factory=TableFile)
    releases: Mapping[str, Path] = field(default_factory=dict)
    masking: Masking = field(default_factory=Masking)
    source: str = "options"
    sha256: str | None = None
    lines: Mapping[KeyPath, int] = field(default_factory=dict, repr=False, compare=False)

    def _line(self) -> str:
        asked = f"{len(self.requirements)} requirement(s), {len(self.attacks)} attack(s)"
        return f"{self.source}: {asked}"

    def _shown(self) -> notebook.Shown:
        """Which columns play which part, and what is required."""
        roles = self.roles
        parts = {
            "identifiers": roles.identifiers,
            "quasi-identifiers": roles.quasi_identifiers,
            "sensitive": roles.sensitive,
            "unit": (roles.unit,) if roles.unit else (),
            "count": (roles.count,) if roles.count else (),
            "required": [one.name for one in self.requirements],
            "attacks": [one.name for one in self.attacks],
        }
        rows = [[part, ", ".join(names)] for part, names in parts.items() if names]
        return notebook.Shown(f"Policy {self._line()}", [["", ""], *rows], left=(0, 1))

    @classmethod
    def from_options(
        cls,
        *,
        quasi_identifiers: Sequence[str] = (),
        sensitive: Sequence[str] = (),
        identifiers: Sequence[str] = (),
        unit: str | None = None,
        count: str | None = None,
    ) -> Policy:
        """A policy that only names columns: everything is measured, nothing required.

        Raises PolicyError for columns that play two parts, and for anything but names.

        >>> Policy.from_options(quasi_identifiers=["age"], sensitive=["illness"]).requirements
        ()
        """
        given = {
            "quasi-identifiers": quasi_identifiers,
            "sensitive": sensitive,
            "identifiers": identifiers,
            "unit": unit,
            "count": count,
        }
        columns = {
            key: list(value)
            if isinstance(value, Iterable) and not isinstance(value, str)
            else value
            for key, value in given.items()
            if value is not None
        }
        document = Document("options", {"columns": columns})
        roles = document.entry("columns").read(role_columns)
        document.close()
        return cls(roles=roles or Roles())

    def linked_with(self, external: Any, identity: Sequence[str] = ()) -> Policy:
        """A copy that also links `external` with the release; without it, the policy itself.

        It asks for every attack that links (see `AboutAttack.links`).

        external: a path, or a table in memory. identity: its columns that name a person.
        """
        if external is None:
            return self
        people = PeopleFile(external, identity=(*identity,))
        linking = [name for name in ATTACKS if describe_attack(name).links]
        requests = [AttackRequest(name, external=people) for name in linking]
        return replace(self, attacks=(*self.attacks, *requests))

    def paired_with(
        self, original: Any, key: str | None = None, align: str | None = None
    ) -> Policy:
        """A copy with this original. Without one, the policy's own original with this key or align.

        original: a path, or a table in memory. key, align: see `OriginalFile`.

        Raises InputError for a key or an order without any original.
        """
        if original is not None:
            return replace(self, original=OriginalFile(original, key=key, align=align))
        if key is None and align is None:
            return self
        if self.original is None:
            raise InputError("key and align say how to pair rows with the original; name one")
        return replace(self, original=replace(self.original, key=key, align=align))

    def without_release(self) -> Policy:
        """A copy for another release: it names none, nor the format of one."""
        return replace(self, release=TableFile(), releases={})

    @property
    def requires_anything(self) -> bool:
        """Whether there is anything that a release could break."""
        rates = [request.allowed for request in self.attacks if request.allowed is not None]
        return bool(self.requirements or rates or self.roles.identifiers)

    @property
    def read_as(self) -> dict[str, Reading]:
        """How released labels are read, by column: as declared, or as its prefix hierarchy says."""
        readings: dict[str, Reading] = {**self.readings}
        for column, spec in self.hierarchies.items():
            if spec.prefixes and self.readings.get(column, "prefix") == "prefix":
                lengths = frozenset(spec.prefixes)
                readings[column] = Truncated(lengths, every=column in self.readings)
        return readings

    @property
    def perturbed(self) -> tuple[str, ...]:
        """The quasi-identifiers and sensitive columns that are declared perturbed."""
        columns = (*self.roles.quasi_identifiers, *self.roles.sensitive)
        return tuple(c for c in columns if self.readings.get(c) == PERTURBED)

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file the policy names, no table in memory: nothing may be written onto one."""
        one = () if self.release.path is None else (self.release.path,)
        return (*dict.fromkeys((*one, *self.releases.values())), *self.read_beside)

    @property
    def read_beside(self) -> tuple[Path, ...]:
        """The files that are read besides the release."""
        tables: list[TableFile | None] = [self.population, self.original]
        tables += [table for attack in self.attacks for table in attack.tables]
        paths = [spec.file for spec in self.hierarchies.values()]
        paths += [table.path for table in tables if table is not None]
        return tuple(path for path in paths if path is not None)

    def check(self, columns: Sequence[str]) -> None:
        """Raise PolicyError for every column the policy names and the release does not have.

        Identifiers may be absent; they should be.

        >>> Policy.from_options(unit="idd").check(["id", "age"])
        Traceback (most recent call last):
        anonaudit.errors.PolicyError: options: 1 mistake in the policy
          - columns.unit: the release has no column 'idd'. Did you mean 'id'?
        """
        document = Document(self.source, {}, self.lines)
        self.note_missing(columns, document)
        document.close()

    def note_missing(self, columns: Sequence[str], document: Document) -> None:
        """Keep as mistakes the columns the policy names and the release does not have."""
        for path, column in self.named():
            if column not in columns:
                problem = f"the release has no column {column!r}. {closest(column, columns)}"
                if path == ("columns", "unit") and self.masking.unit_in_release == "dropped":
                    problem += _DROPPED
                document.note(path, problem)

    def named(self) -> Iterator[tuple[KeyPath, str]]:
        """Every column the policy expects in the release, with the place that names it."""
        for path, column in places(self.roles):
            if path[1] != "identifiers":
                yield path, column
        for at, column in enumerate(self.numeric):
            yield ("values", "numeric", at), column
        for one in self.requirements:
            listed = describe_model(one.name).names_columns
            columns = one.parameters.get(listed) if listed else None
            # A value of another type is a mistake that the model itself names.
            for at, column in enumerate(columns if isinstance(columns, (list, tuple)) else ()):
                if isinstance(column, str):
                    yield ("require", one.name, listed, at), column
        for section, named in (
            (("hierarchies",), self.hierarchies),
            (("values", "ordered"), self.ordered),
            (("values", "reading"), self.readings),
            (("values", "separators"), self.separators),
            (("population", "columns"), self.population.columns if self.population else ()),
            *(
                (("attacks", a.name, "columns"), a.external.columns)
                for a in self.attacks
                if a.external is not None
            ),
        ):
            for column in named:
                yield (*section, column), column


# What has the columns of the release, given the policy as far as it could be read.
ColumnsOf = Callable[["Policy"], Sequence[str]]


def read_policy(
    path: str | os.PathLike[str],
    *,
    attacks: Mapping[str, type[Attack]] | None = None,
    columns: ColumnsOf | None = None,
) -> Policy:
    """The policy in a file. Files it names are looked for from the folder it stands in.

    attacks: the attacks there are, by name; those that are installed if not given.
    columns: the columns of the release, see `parse_policy`.

    Raises InputError where there is no such file or it cannot be read, and PolicyError with
    every mistake in it, each with its line.
    """
    data = _bytes_of(Path(path))
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"line {line}: this is not UTF-8 text, which TOML must be; save it as UTF-8"
        raise PolicyError(str(path), [problem]) from None
    policy = parse_policy(
        content, source=str(path), folder=Path(path).parent, attacks=attacks, columns=columns
    )
    return replace(policy, sha256=hashlib.sha256(data).hexdigest())


def parse_policy(
    content: str,
    *,
    source: str = "policy",
    folder: Path | None = None,
    attacks: Mapping[str, type[Attack]] | None = None,
    columns: ColumnsOf | None = None,
) -> Policy:
    """The policy in a text; its `sha256` is that of the text in UTF-8.

    folder: where the files it names are looked for; the current one if not given.
    attacks: the attacks there are, by name; those that are installed if not given.
    columns: gives the columns of the release, for the policy as far as it could be read. It is
        called where there are mistakes, so that columns the release lacks are told with them;
        without other mistakes that is for `Policy.check`. What it raises is passed over.

    Raises PolicyError with every mistake in it, each with its line.

    >>> parse_policy("require.k-anonymity = { k = 5 }").requirements
    (Requirement(name='k-anonymity', parameters={'k': 5}),)
    """
    try:
        tables, lines = load(content)
    except TomlError as error:
        problem = f"line {error.line}: this is not valid TOML: {error}"
        raise PolicyError(source, [problem]) from None
    document = Document(source, tables, lines, folder or Path())
    sections: dict[str, Reader[Any]] = {
        "release": release_files,
        "columns": role_columns,
        "population": population,
        "original": original_file,
        "values": value_rules,
        "conventions": conventions,
        "hierarchies": each(hierarchy, "[hierarchies]"),
        "masking": masking,
        "require": requirements,
        "attacks": partial(attack_requests, registry=attacks),
    }
    sections_read = document.entry().read(table(sections, "")) or {}
    roles = sections_read.get("columns", Roles())
    if "columns" in sections_read or "columns" not in tables:
        refuse_useless(document.entry("hierarchies"), roles)
        refuse_without_unit(document.entry("masking"), roles)
    values = sections_read.get("values", {})
    release, releases = sections_read.get("release", (TableFile(), {}))
    rules = dict(sections_read.get("conventions", {}))
    drawn_from = sections_read.get("population", Population())
    inconclusive = rules.pop("inconclusive", "fail")
    tokens = {key: values[key] for key in ("missing", "suppressed") if key in values}
    policy = Policy(
        roles=roles,
        convention=Convention(**python_keys({**rules, **tokens})),
        inconclusive_allowed=inconclusive == "allow",
        requirements=sections_read.get("require", ()),
        attacks=sections_read.get("attacks", ()),
        hierarchies=sections_read.get("hierarchies", {}),
        numeric=values.get("numeric", ()),
        ordered=values.get("ordered", {}),
        readings=values.get("reading", {}),
        separators=values.get("separators", {}),
        population=drawn_from.file,
        population_size=drawn_from.size,
        sampling_fraction=drawn_from.sampling_fraction,
        original=sections_read.get("original"),
        decimal=values.get("decimal", "."),
        normalize=values.get("normalize", ()),
        release=release,
        releases=releases,
        masking=sections_read.get("masking", Masking()),
        source=source,
        sha256=hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        lines=lines,
    )
    if document.problems and columns is not None:
        with contextlib.suppress(AnonauditError):  # who has no release corrects the policy first
            policy.note_missing(columns(policy), document)
    document.close()
    return policy


def _bytes_of(path: Path) -> bytes:
    try:
        data = content_of(path, LONGEST_FILE + 1)
    except IsADirectoryError:
        raise InputError(f"{path}: expected a policy file, but this is a folder") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: the policy cannot be read: {reason}") from None
    if len(data) > LONGEST_FILE:
        raise InputError(
            f"{path}: expected a policy, but this file has more than {LONGEST_FILE} bytes; "
            "is it the release?"
        )
    return data
