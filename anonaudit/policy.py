"""A policy: what a release must satisfy, in a TOML file. Every mistake is reported at once.

Each section has a reader below, and most are a table from its keys to what their values must
be. A mistake is noted with its line and the reading goes on; at the end all are raised together.
"""

from __future__ import annotations

import codecs
import hashlib
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import NoneType
from typing import Any, Final, cast, get_args, get_type_hints

from anonaudit.attack import Attack
from anonaudit.attack import attacks as installed_attacks
from anonaudit.cells import Convention, QuasiIdentifierRule, SensitiveRule, SuppressedTupleRule
from anonaudit.errors import AnonauditError, HierarchyError, InputError, PolicyError, closest
from anonaudit.hierarchy import Hierarchy
from anonaudit.labels import REPAIRS, Reading, Repair
from anonaudit.models import MODELS, Model
from anonaudit.roles import Roles
from anonaudit.toml_lines import Document, Entry, KeyPath, Reader, line_of, load, located

LONGEST_FILE: Final = 1 << 20  # bytes; a longer file is not a policy, but most likely the data

# Parameters of models that the audit takes from the other sections.
_FILLED_IN: Final = frozenset({"hierarchies", "protected", "scale"})


@dataclass(frozen=True)
class Requirement:
    """A privacy model to reach. `parameters` are the fields of the model's class."""

    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class AttackRequest:
    """An attack to run.

    options: the attack's own, spelled as the attack names them.
    allowed: the rate that is still accepted; None if the rate is only measured.
    external: the identified table, with `delimiter` and `encoding` where the policy names them.
    identity: the columns of the external table that name a person.
    columns: what columns of the release are called in the external table, if not the same.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    allowed: float | None = None
    external: Path | None = None
    identity: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    delimiter: str | None = None
    encoding: str | None = None


@dataclass(frozen=True)
class HierarchySpec:
    """The hierarchy of one column: read from a file, or to be built around the column's values.

    tree: the hierarchy, if it was read from a file.
    intervals, origin: widths of intervals, see `Hierarchy.from_intervals`.
    prefixes: how many leading characters to keep, see `Hierarchy.from_prefixes`.
    protected: the values whose subtrees are protected (CT06 Def. 3).
    max_generalization: the values no generalization may go beyond (MCT08 Def. 3).
    """

    attribute: str
    tree: Hierarchy | None = None
    intervals: tuple[int | float, ...] = ()
    origin: int | float = 0
    prefixes: tuple[int, ...] = ()
    protected: tuple[str, ...] = ()
    max_generalization: tuple[str, ...] = ()

    def resolve(self, values: Iterable[str]) -> Hierarchy:
        """The hierarchy, built around these values of the column if it came from no file.

        Raises HierarchyError where values do not fit (intervals need numbers), and where
        `protected` or `max_generalization` name something that the hierarchy does not have.
        No value of the column is quoted; `.values` holds the offending ones.

        >>> HierarchySpec("zip", prefixes=(3,)).resolve(["48201", "48330"]).paths["48201"]
        ('48201', '482**', '*')
        """
        if self.tree is not None:
            return self.tree
        labels = list(values)
        try:
            tree = self._built(labels)
        except HierarchyError as error:
            needs = "numbers" if self.intervals else "codes that are not masked yet"
            kind = "intervals" if self.intervals else "prefixes"
            raise HierarchyError(
                f"hierarchy {self.attribute!r}: {kind} need {needs}, but {len(error.values)} of "
                f"the column's {len(labels)} values do not fit. Name a hierarchy file instead.",
                error.values,
            ) from None
        unknown = sorted({*self.protected, *self.max_generalization} - set(tree.nodes))
        if unknown:
            raise HierarchyError(
                f"hierarchy {self.attribute!r}: protected and max-generalization name labels it "
                f"does not have: {listed(unknown)}.",
                unknown,
            )
        return tree

    def _built(self, values: Sequence[str]) -> Hierarchy:
        if self.intervals:
            return Hierarchy.from_intervals(
                self.attribute, values, widths=self.intervals, origin=self.origin
            )
        return Hierarchy.from_prefixes(self.attribute, values, keep=self.prefixes)


@dataclass(frozen=True)
class Policy:
    """What to audit and what is required; made by `read_policy` or `from_options`.

    attacks: the attacks to run, in the order of the policy.
    hierarchies: by column, as are `ordered` (values from low to high) and `readings`.
    numeric: columns to read as numbers. decimal: their mark, `.` or `,`.
    normalize: the repairs of spelling to make before counting (see labels.py).
    release: the file the policy is about, with its delimiter and encoding; None if none is named.
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
    readings: Mapping[str, Reading] = field(default_factory=dict)
    decimal: str = "."
    normalize: tuple[Repair, ...] = ()
    release: Path | None = None
    delimiter: str | None = None
    encoding: str | None = None
    source: str = "options"
    sha256: str | None = None
    lines: Mapping[KeyPath, int] = field(default_factory=dict, repr=False, compare=False)

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
            key: list(value) if isinstance(value, Iterable) and not isinstance(value, str) else value
            for key, value in given.items()
            if value is not None
        }
        document = Document("options", {"columns": columns})
        roles = _columns(document.entry("columns"))
        document.close()
        return cls(roles=roles)

    def check(self, columns: Sequence[str]) -> None:
        """Raise PolicyError for every column the policy names and the release does not have.

        Identifiers may be absent; they should be.

        >>> Policy.from_options(quasi_identifiers=["agee"]).check(["age", "illness"])
        Traceback (most recent call last):
        anonaudit.errors.PolicyError: options: 1 mistake in the policy
          - columns.quasi-identifiers: the release has no column 'agee'. Did you mean 'age'?
        """
        document = Document(self.source, {}, self.lines)
        for path, column in self._named():
            if column not in columns:
                near = closest(column, columns)
                document.note(path, f"the release has no column {column!r}. {near}")
        document.close()

    def _named(self) -> Iterator[tuple[KeyPath, str]]:
        """Every column the policy expects in the release, with the place that names it."""
        for path, part, column in _parts(self.roles):
            if part != "identifiers":
                yield path, column
        for number, column in enumerate(self.numeric):
            yield ("values", "numeric", number), column
        for section, named in (
            (("hierarchies",), self.hierarchies),
            (("values", "ordered"), self.ordered),
            (("values", "reading"), self.readings),
            *((("attacks", a.name, "columns"), a.columns) for a in self.attacks),
        ):
            for column in named:
                yield (*section, column), column


def read_policy(
    path: str | os.PathLike[str], *, attacks: Mapping[str, type[Attack]] | None = None
) -> Policy:
    """The policy in a file. Files it names are looked for from the folder it stands in.

    attacks: the attacks there are, by name; those that are installed if not given.

    Raises InputError where there is no such file or it cannot be read, and PolicyError with
    every mistake in it, each with its line.
    """
    file = Path(path)
    data = _bytes_of(file)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = located((), line, "is not UTF-8 text, which TOML must be; save it as UTF-8")
        raise PolicyError(str(file), [problem]) from None
    sha256 = hashlib.sha256(data).hexdigest()
    found = parse_policy(text, source=str(file), folder=file.parent, attacks=attacks)
    return replace(found, sha256=sha256)


def parse_policy(
    text: str,
    *,
    source: str = "policy",
    folder: Path | None = None,
    attacks: Mapping[str, type[Attack]] | None = None,
) -> Policy:
    """The policy in a text; its `sha256` is that of the text in UTF-8.

    folder: where the files it names are looked for; the current one if not given.
    attacks: the attacks there are, by name; those that are installed if not given.

    Raises PolicyError with every mistake in it, each with its line.

    >>> parse_policy("require.k-anonymity = { k = 5 }").requirements
    (Requirement(name='k-anonymity', parameters={'k': 5}),)
    """
    document = load(text, source, folder or Path())
    for section in document.entry().children():
        if section.key not in _SECTIONS:
            section.note(f"there is no such section. {closest(section.key, _SECTIONS)}")
    ...
