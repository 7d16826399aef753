"""The class Policy, and the functions that read it from TOML.

A policy states what a release must satisfy. All mistakes in a policy are reported together.
"""

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

# Added if the release lacks the unit column and the policy tells `mask` to drop that column.
_DROPPED: Final = (
    ' The policy says masking.unit-in-release = "dropped". If `mask` dropped the column, the '
    "persons of this file cannot be counted any more. To count rows instead, remove columns.unit "
    "and masking.unit-in-release from the policy."
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

LONGEST_FILE: Final = 1 << 20  # bytes; a larger file is most likely the release, not a policy


@dataclass(frozen=True, repr=False)
class Policy(notebook.Result):
    """The roles of the columns, the requirements and the attacks that a policy states.

    Made by `read_policy`, `parse_policy` or `from_options`.

    roles: the role of each column.
    convention: the rules for missing and suppressed cells.
    inconclusive_allowed: False if an inconclusive requirement or attack makes the audit
        inconclusive (`conventions.inconclusive`).
    requirements: the models that the release must satisfy, in the order of the policy.
    attacks: the attacks to run, in the order of the policy.
    hierarchies: column -> its generalization hierarchy.
    numeric: columns to read as numbers. decimal: their decimal mark, `.` or `,`.
    ordered: column -> its values from low to high.
    readings: column -> how its labels are read, for example as sets.
    separators: column -> the text between the members of a label that is a set.
    population: the table that the release was sampled from; None if the policy names none.
    population_size: the number of people in the population; None if the policy does not state it.
    sampling_fraction: the share of the population that is in the release; None if the policy does
        not state it.
    original: the table that the release was masked from; None if the policy names none.
    normalize: the repairs of spelling to make before counting (see labels.py).
    release: the release that the policy names, and its format. `release.file` is None if the policy
        names no release, or several releases.
    releases: name of a release as the policy writes it -> its path. A name may be a pattern.
    masking: how `mask` treats persons with several rows.
    source, sha256: the name and the hash of the policy file, for provenance. The hash is None for a
        policy made by `from_options`.
    lines: path of a key -> its line in the policy file, for messages.
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
        """The roles of the columns, the requirements and the attacks, as a table."""
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
        """Return a policy that only gives columns their roles. It requires nothing.

        The arguments are column names (see `Roles`).

        Raises PolicyError if a column has two roles, if both `unit` and `count` are given, or if an
        argument is not a column name or a sequence of column names.

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
        """Return a copy that also runs every attack that links an external table with the release.

        `AboutAttack.links` marks these attacks. If `external` is None, return the policy itself.

        external: a path, or a table in memory. identity: the columns of `external` that identify a
            person.
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
        """Return a copy with another original, or with another way to pair its rows.

        If `original` is None, `key` and `align` apply to the original that the policy names. If all
        three are None, return the policy itself.

        original: a path, or a table in memory. key, align: see `OriginalFile`.

        Raises InputError if `key` or `align` is given but there is no original, and if both are
        given.
        """
        if original is not None:
            return replace(self, original=OriginalFile(original, key=key, align=align))
        if key is None and align is None:
            return self
        if self.original is None:
            raise InputError("key and align need an original; name the original as well")
        return replace(self, original=replace(self.original, key=key, align=align))

    def without_release(self) -> Policy:
        """Return a copy that names no release and no format of a release."""
        return replace(self, release=TableFile(), releases={})

    @property
    def requires_anything(self) -> bool:
        """True if the policy has a requirement, an allow-rate or a declared identifier."""
        rates = [request.allowed for request in self.attacks if request.allowed is not None]
        return bool(self.requirements or rates or self.roles.identifiers)

    @property
    def read_as(self) -> dict[str, Reading]:
        """Column -> how its released labels are read.

        It is the reading that the policy declares. A column whose hierarchy has `prefixes`, and no
        other declared reading, is read as texts cut to these lengths.
        """
        readings: dict[str, Reading] = {**self.readings}
        for column, spec in self.hierarchies.items():
            if spec.prefixes and self.readings.get(column, "prefix") == "prefix":
                lengths = frozenset(spec.prefixes)
                readings[column] = Truncated(lengths, every=column in self.readings)
        return readings

    @property
    def perturbed(self) -> tuple[str, ...]:
        """The quasi-identifiers and sensitive columns that the policy declares as perturbed."""
        columns = (*self.roles.quasi_identifiers, *self.roles.sensitive)
        return tuple(c for c in columns if self.readings.get(c) == PERTURBED)

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that the policy names. Output must not overwrite any of them."""
        one = () if self.release.path is None else (self.release.path,)
        return (*dict.fromkeys((*one, *self.releases.values())), *self.read_beside)

    @property
    def read_beside(self) -> tuple[Path, ...]:
        """The files that an audit reads in addition to the release."""
        tables: list[TableFile | None] = [self.population, self.original]
        tables += [table for attack in self.attacks for table in attack.tables]
        paths = [spec.file for spec in self.hierarchies.values()]
        paths += [table.path for table in tables if table is not None]
        return tuple(path for path in paths if path is not None)

    def check(self, columns: Sequence[str]) -> None:
        """Raise PolicyError if the policy names columns that the release lacks.

        Identifiers are exempt: a release should not contain them.

        columns: the columns of the release.

        >>> Policy.from_options(unit="idd").check(["id", "age"])
        Traceback (most recent call last):
        anonaudit.errors.PolicyError: options: 1 mistake in the policy
          - columns.unit: the release has no column 'idd'. Did you mean 'id'?
        """
        document = Document(self.source, {}, self.lines)
        self.note_missing(columns, document)
        document.close()

    def note_missing(self, columns: Sequence[str], document: Document) -> None:
        """Record a mistake in `document` for each named column that the release lacks.

        Identifiers are exempt. columns: the columns of the release.
        """
        for path, column in self.named():
            if column not in columns:
                problem = f"the release has no column {column!r}. {closest(column, columns)}"
                if path == ("columns", "unit") and self.masking.unit_in_release == "dropped":
                    problem += _DROPPED
                document.note(path, problem)

    def named(self) -> Iterator[tuple[KeyPath, str]]:
        """Yield (path, column) for every column that the policy expects in the release.

        path: the key of the policy that names the column.
        """
        for path, column in places(self.roles):
            if path[1] != "identifiers":
                yield path, column
        for at, column in enumerate(self.numeric):
            yield ("values", "numeric", at), column
        for one in self.requirements:
            listed = describe_model(one.name).names_columns
            columns = one.parameters.get(listed) if listed else None
            # The model itself reports a value of the wrong type.
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


# Returns the columns of the release, given the part of the policy that could be read.
ColumnsOf = Callable[["Policy"], Sequence[str]]


def read_policy(
    path: str | os.PathLike[str],
    *,
    attacks: Mapping[str, type[Attack]] | None = None,
    columns: ColumnsOf | None = None,
) -> Policy:
    """Read a policy file. Relative paths in the policy start in the folder of the policy.

    attacks: name -> class of each attack that the policy may name; None for the installed attacks.
    columns: a function that returns the columns of the release, see `parse_policy`.

    Raises InputError if the file does not exist or cannot be read, and PolicyError with every
    mistake in the policy and its line.
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
    """Read a policy from a text. The policy's `sha256` is the hash of the text in UTF-8.

    source: the name of the policy in messages.
    folder: relative paths in the policy start in this folder; None for the current folder.
    attacks: name -> class of each attack that the policy may name; None for the installed attacks.
    columns: a function that takes the part of the policy that could be read, and returns the
        columns of the release. It is called only if the policy has mistakes, so that columns that
        the release lacks are reported together with them. (If the policy has no mistakes,
        `Policy.check` reports such columns.) If it raises AnonauditError, the error is ignored.
        None: such columns are not reported here.

    Raises PolicyError with every mistake in the policy and its line.

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
        with contextlib.suppress(AnonauditError):  # an unreadable release is reported later
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
            f"{path}: expected a policy, but this file has more than {LONGEST_FILE} bytes. "
            "Is it the release?"
        )
    return data
