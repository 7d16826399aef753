"""What masking starts from and ends with: the rows of a table, and a recoding of them.

A frequency set says all there is to say about a table, except which row is which. Maskers must
send rows somewhere, so they work on `Microdata`: the same codes, one line a row. Every masker
returns a `Recoding`, which knows where each row went, and writes the release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonaudit import notebook
from anonaudit.arrays import Bools, Index
from anonaudit.cells import FIRST_VALUE, SUPPRESSED, Convention
from anonaudit.errors import AnonauditError, HierarchyError, RoleError
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.frequency.codes import Codes
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import Counts, FrequencySet, encode, in_row_order
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.roles import Roles
from anonaudit.source.table import ROW_NUMBER, open_source, own_table


class NotAchievableError(AnonauditError):
    """No release that keeps to the rules meets the goal, so none is made.

    reason: a short name of what stands in the way: "k", "maxP", "l", "threshold", "OUT", ...
    why: the message, without the words that it begins with.
    nearest: what could be had instead, for example {"threshold": 12} or {"p": 2}.
    """

    def __init__(
        self, message: str, *, reason: str, nearest: Mapping[str, object] | None = None
    ) -> None:
        self.reason = reason
        self.nearest = dict(nearest or {})
        could = ", ".join(f"{name} = {value}" for name, value in self.nearest.items())
        self.why = message + (f"; nearest: {could}" if could else "")
        super().__init__(f"not achievable: {self.why}")


@dataclass(frozen=True, eq=False, repr=False)
class Microdata(notebook.Result):
    """The rows of an unmasked table as codes, in their order (TV06 section 2: microdata).

    labels, codes: as in a FrequencySet, for the quasi-identifiers, then the sensitive attributes;
        but one line of `codes` a row, equal rows and all. Shape of codes: (n, m).
    hierarchies: of some of these attributes. A quasi-identifier without one is kept or replaced
        by `*`.
    persons, person_labels: the person of each row, shape (n,), as a code of the unit column, and
        the texts of these codes; None if every row is a person.
    whole_persons: suppression takes all rows of a person, not the rows that fall short only.

    A missing quasi-identifier cell is a value of its own, below the root alone; an unknown
    sensitive cell is no value.
    """

    roles: Roles
    labels: tuple[tuple[str, ...], ...] = field(repr=False)
    codes: Codes
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    convention: Convention = field(default_factory=Convention)
    persons: Codes | None = field(default=None, repr=False)
    person_labels: tuple[str, ...] = field(default=(), repr=False)
    whole_persons: bool = True

    def __post_init__(self) -> None:
        if not self.roles.quasi_identifiers:
            raise RoleError("there is nothing to mask: name at least one quasi-identifier")
        if self.roles.count is not None:
            raise RoleError(
                "masking needs one row a record, and a count column says that a row stands for "
                "several; repeat each row so often, and leave out `count`"
            )
        if self.roles.unit is not None and self.persons is None:
            raise RoleError(f"no row says whom it is about in the unit column {self.roles.unit!r}")

    def __len__(self) -> int:
        return len(self.codes)

    def _line(self) -> str:
        return f"of {len(self)} rows: {', '.join(self.attributes)}"

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the columns of `codes`."""
        return self.roles.quasi_identifiers + self.roles.sensitive

    @property
    def quasi(self) -> Codes:
        """The codes of the quasi-identifiers, shape (n, number of quasi-identifiers)."""
        return self.codes[:, : len(self.roles.quasi_identifiers)]

    @property
    def sensitive(self) -> Codes:
        """The codes of the sensitive attributes, shape (n, number of sensitive attributes)."""
        return self.codes[:, len(self.roles.quasi_identifiers) :]

    def labels_of(self, attribute: str) -> tuple[str, ...]:
        """The texts of one attribute's codes."""
        return self.labels[self.attributes.index(attribute)]

    def texts(self, attribute: str) -> npt.NDArray[Any]:
        """What is released for each code of an attribute: None if missing, the suppressed mark."""
        values = self.labels_of(attribute)[FIRST_VALUE:]
        return np.array([None, self.convention.mark, *values], dtype=object)

    def frequency(self) -> FrequencySet:
        """The frequency set over all its attributes (TV06 Definition 4)."""
        ones = np.ones(len(self), np.int64)
        return FrequencySet(self.attributes, self.labels, self.codes, ones).project(self.attributes)

    @property
    def n_persons(self) -> int:
        """The number of persons; of rows if every row is a person."""
        return len(self) if self.persons is None else len(np.unique(self.persons))

    def take(self, rows: npt.NDArray[Any]) -> Microdata:
        """Some of the rows, by number or by mask."""
        persons = None if self.persons is None else self.persons[rows]
        return replace(self, codes=self.codes[rows], persons=persons)

    def generalized_by(self, hierarchies: Mapping[str, Hierarchy]) -> Microdata:
        """The same rows, with these hierarchies. Raises HierarchyError for values one lacks."""
        for attribute in self.roles.quasi_identifiers:
            if attribute in hierarchies:
                hierarchies[attribute].check_covers(self.labels_of(attribute)[FIRST_VALUE:])
        return replace(self, hierarchies=dict(hierarchies))

    def lifted(self, protected: Mapping[str, Sequence[str]]) -> Microdata:
        """The same rows, sensitive values replaced by their strong ancestors (CT06 section 4).

        protected: for each sensitive attribute the protected inner values. One without a
        hierarchy stays as it is. Raises HierarchyError for values a hierarchy lacks.
        """
        labels, codes = list(self.labels), self.codes.copy()
        for attribute in self.roles.sensitive:
            if attribute not in self.hierarchies:
                if protected.get(attribute):
                    raise HierarchyError(f"{attribute!r} has protected values, but no hierarchy")
                continue
            j, tree = self.attributes.index(attribute), self.hierarchies[attribute]
            tree.check_covers(labels[j][FIRST_VALUE:])
            strong = tree.strong_values(protected.get(attribute, ()))
            new = [strong[label] for label in labels[j][FIRST_VALUE:]]
            labels[j], translate = encode(new, self.convention)
            codes[:, j] = np.concatenate([[0, 1], translate])[codes[:, j]]
        return replace(self, labels=tuple(labels), codes=codes)

    @classmethod
    def read(
        cls,
        table: Any,
        roles: Roles,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        convention: Convention | None = None,
        repair: Callable[[FrequencySet], FrequencySet] = lambda counted: counted,
    ) -> Microdata:
        """The rows of a file or frame, in their order.

        table: what `anonaudit.source.table.open_source` takes. convention: only which texts are
        missing or suppressed is taken from it. repair: mends the spelling of its cells.

        Raises RoleError for columns that are not there, for a count column, and for rows without
        a value in the unit column; InputError for what cannot be read; HierarchyError for values
        a hierarchy lacks.

        >>> frame = pd.DataFrame({"age": ["31", "38"], "illness": ["flu", "hiv"]})
        >>> Microdata.read(frame, Roles(("age",), ("illness",))).codes.tolist()
        [[2, 2], [3, 3]]
        """
        source = open_source(table)
        roles.check(source.columns, source.name)
        used = convention or Convention()
        names = (*roles.quasi_identifiers, *roles.sensitive)
        unit = () if roles.unit is None else (roles.unit,)
        counted = repair(count(source, (ROW_NUMBER, *names, *unit), used))
        codes, last = counted.codes[in_row_order(counted), 1:], len(names)
        if unit and (nameless := int((codes[:, last] < FIRST_VALUE).sum())):
            raise RoleError(
                f"{source.name}: {nameless} row(s) have no value in the unit column "
                f"{roles.unit!r}, so nobody knows whom they are about; fill it in, or take these "
                "rows out"
            )
        data = cls(
            roles,
            counted.labels[1 : last + 1],
            codes[:, :last],
            {},
            Convention(missing=used.missing, suppressed=used.suppressed),
            persons=codes[:, last].copy() if unit else None,
            person_labels=counted.labels[-1] if unit else (),
        )
        return data.generalized_by(hierarchies or {})


@dataclass(frozen=True, eq=False)
class Domain:
    """The values that may be released for a quasi-identifier.

    labels: their texts, None for a missing cell. Below, n is their number.
    loss: shape (n,), what releasing each of them loses: 0 for an original value, 1 for the root
        (the fraction of MCT08 Definition 10).
    """

    labels: tuple[str | None, ...] = field(repr=False)
    loss: npt.NDArray[np.float64]

    @property
    def covers(self) -> Bools:
        """Which original values each of them stands for, shape (n, number of codes).

        It is made anew each time, as it is the square of a column of many values.
        """
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class Recoding(notebook.Result):
    """Where each row of a table went, and how: the result of every masker.

    group: shape (n,), the group of each row, numbered from 0; -1 for a suppressed tuple.
    domains: for each quasi-identifier the values that may be released.
    keys: shape (number of groups, number of quasi-identifiers), what the rows of a group are
        released with, as positions in the domains. Groups with equal keys are one class.
    hidden: shape (n, number of sensitive attributes), the sensitive cells suppressed.
    algorithm, how: what made it, and with what: node and levels, parameters, numbers of interest.
    """

    data: Microdata
    group: Index
    domains: tuple[Domain, ...]
    keys: Codes
    algorithm: str
    how: Mapping[str, object] = field(default_factory=dict)
    hidden: Bools | None = None

    def _line(self) -> str:
        gone = int(self.suppressed.sum())
        return f"by {self.algorithm}: {len(self.group)} rows, {gone} suppressed"

    @property
    def suppressed(self) -> Bools:
        """Which rows were suppressed as a whole, shape (n,)."""
        return self.group < 0

    @cached_property
    def sizes(self) -> Counts:
        """The number of rows in each group, shape (number of groups,)."""
        return np.bincount(self.group[~self.suppressed], minlength=len(self.keys)).astype(np.int64)

    def frame(self) -> pd.DataFrame:
        """The released table: quasi-identifiers and sensitive attributes, nothing else.

        Suppressed tuples are left out. The rows stand in the order of the original, which links
        both: `order.by_values` sorts them for a release.
        """
        rows = np.flatnonzero(~self.suppressed)
        columns: dict[str, Any] = {}
        for j, name in enumerate(self.data.roles.quasi_identifiers):
            texts = np.array([*self.domains[j].labels, None], dtype=object)
            columns[name] = texts[self.keys[self.group[rows], j]]
        for j, name in enumerate(self.data.roles.sensitive):
            codes = self.data.sensitive[rows, j]
            if self.hidden is not None:
                codes = np.where(self.hidden[rows, j], SUPPRESSED, codes)
            columns[name] = self.data.texts(name)[codes]
        return pd.DataFrame(columns, dtype=object)

    def classes(self) -> EquivalenceClasses:
        """The classes of the release, counted from the released table as an auditor would.

        All its rows are in a class, even those generalized to the top everywhere: no suppressed
        tuple is left in it.
        """
        roles = Roles(self.data.roles.quasi_identifiers, self.data.roles.sensitive)
        convention = replace(self.data.convention, suppressed_tuples="include")
        base = count(own_table(self.frame()), self.data.attributes, convention)
        return equivalence_classes(base, roles, convention)
