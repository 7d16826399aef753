"""The input and the output of a masker: the rows of a table, and a recoding of the rows.

A frequency set counts equal rows, so it does not tell single rows apart. A masker must assign every
row to a group, so it works on `Microdata`, which has the codes of every single row. Every masker
returns a `Recoding`, which holds the group of each row and makes the released table.
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
from anonaudit.frequency.codes import Codes, by_column, distinct_rows
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import Counts, FrequencySet, encode, in_row_order
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.roles import Roles
from anonaudit.source.table import ROW_NUMBER, open_source, own_table


class NotAchievableError(AnonauditError):
    """The algorithm found no release that meets the goal within the limits.

    reason: a short name of the obstacle: "k", "maxP", "l", "threshold", "OUT", ...
    why: the message without the prefix "not achievable: ".
    nearest: parameters that can be achieved instead, for example {"threshold": 12} or {"p": 2}.
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
    """The rows of an unmasked table as codes, in their original order (TV06 section 2: microdata).

    labels: the texts of the codes of each attribute, as in a FrequencySet. The quasi-identifiers
        come first, then the sensitive attributes.
    codes: the codes of each row, shape (n, attributes). Equal rows are not merged.
    hierarchies: the hierarchies by attribute. A quasi-identifier without a hierarchy is released
        as it is, as `*`, or, if all its values are numbers, as an interval.
    convention: the texts that mean a missing or a suppressed cell.
    persons: the person of each row as a code of the unit column, shape (n,); None if every row is
        a person.
    person_labels: the texts of the codes of the unit column.
    whole_persons: True if the suppression of a row also suppresses all other rows of its person.

    A missing quasi-identifier cell counts as a separate value, whose only ancestor is the root. An
    unknown sensitive cell is not a value.
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
                "masking needs one row for each record, but the count column "
                f"{self.roles.count!r} makes one row stand for several; repeat each row as often "
                "as its count, and remove `count`"
            )
        if self.roles.unit is not None and self.persons is None:
            raise RoleError(
                f"`persons` is missing, but the roles name the unit column {self.roles.unit!r}"
            )

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
        """Return the texts of the codes of one attribute."""
        return self.labels[self.attributes.index(attribute)]

    def texts(self, attribute: str) -> npt.NDArray[Any]:
        """Return the text released for each code of an attribute.

        A missing cell is None; a suppressed cell is the mark of the convention, for example `*`.
        """
        values = self.labels_of(attribute)[FIRST_VALUE:]
        return np.array([None, self.convention.mark, *values], dtype=object)

    def frequency(self) -> FrequencySet:
        """Return the frequency set over all attributes (TV06 Definition 4)."""
        ones = np.ones(len(self), np.int64)
        return FrequencySet(self.attributes, self.labels, self.codes, ones).project(self.attributes)

    @property
    def n_persons(self) -> int:
        """The number of persons; the number of rows if every row is a person."""
        return len(self) if self.persons is None else len(np.unique(self.persons))

    def take(self, rows: npt.NDArray[Any]) -> Microdata:
        """Return a table with some of the rows.

        rows: positions of rows, or a mask of shape (n,).
        """
        persons = None if self.persons is None else self.persons[rows]
        return replace(self, codes=self.codes[rows], persons=persons)

    def generalized_by(self, hierarchies: Mapping[str, Hierarchy]) -> Microdata:
        """Return the same rows with these hierarchies.

        Raises HierarchyError if a hierarchy lacks a value of its quasi-identifier.
        """
        for attribute in self.roles.quasi_identifiers:
            if attribute in hierarchies:
                hierarchies[attribute].check_covers(self.labels_of(attribute)[FIRST_VALUE:])
        return replace(self, hierarchies=dict(hierarchies))

    def lifted(self, protected: Mapping[str, Sequence[str]]) -> Microdata:
        """Return the same rows with each sensitive value replaced by its strong value.

        The strong value is the highest protected ancestor of a value (`Hierarchy.strong_values`).
        An attribute without a hierarchy does not change. Source: CT06 section 4.

        protected: the protected inner values of each sensitive attribute. Every leaf is protected
            too.

        Raises HierarchyError if a hierarchy lacks a value, or if an attribute with protected values
        has no hierarchy.
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
        """Read the rows of a file or dataframe, in their order.

        table: any input of `anonaudit.source.table.open_source`.
        roles: the roles of the columns. Columns without a role are not read.
        hierarchies: the hierarchies by attribute; None for no hierarchies.
        convention: the texts that mean a missing or a suppressed cell; its other settings are
            ignored. None for the default convention.
        repair: a function that normalizes the spelling of the cells.

        Raises RoleError if a column does not exist, if there is a count column, or if a row has no
        value in the unit column. Raises InputError if the table cannot be read, HierarchyError if a
        hierarchy lacks a value.

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
                f"{roles.unit!r}, so their persons are unknown; fill in the values, or remove "
                "these rows"
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

    labels: the texts of the n values; None for a missing cell.
    loss: the information loss of a cell that is released with each value, shape (n,): 0 for an
        original value, 1 for the root (the fraction in MCT08 Definition 10).
    """

    labels: tuple[str | None, ...] = field(repr=False)
    loss: npt.NDArray[np.float64]

    @property
    def covers(self) -> Bools:
        """A mask of the original codes that each value generalizes, shape (n, number of codes).

        The mask is computed at every call and not stored, because its size grows with the square of
        the number of values.
        """
        raise NotImplementedError


def released_classes(domains: Sequence[Domain], keys: Codes) -> Index:
    """Return the equivalence class of each group, numbered from 0, shape (number of groups,).

    Groups that are released with equal texts are one class. Two positions of a domain may have the
    same text. For example, a group with a missing cell and 10, and a group with a missing cell and
    20, are both released with `*`.

    domains, keys: as in `Recoding`.
    """
    columns = [np.zeros(len(keys), np.int64)]
    for domain, column in zip(domains, keys.T, strict=True):
        place = {text: i for i, text in enumerate(domain.labels)}
        columns.append(np.array([place[text] for text in domain.labels], np.int64)[column])
    return distinct_rows(by_column(columns))[1]


@dataclass(frozen=True, eq=False, repr=False)
class Recoding(notebook.Result):
    """The result of every masker: the group of each row and the released values of each group.

    data: the original rows.
    group: the group of each row, numbered from 0, shape (n,); -1 for a suppressed tuple.
    domains: the values that may be released for each quasi-identifier.
    keys: the released values of each group as positions in the domains, shape (number of groups,
        number of quasi-identifiers). `released_classes` gives the class of each group.
    algorithm: the name of the algorithm that made the recoding.
    how: the parameters of the algorithm and facts about its run, for example the lattice node.
    hidden: a mask of the suppressed sensitive cells, shape (n, number of sensitive attributes);
        None if no sensitive cell is suppressed.
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
        """A mask of the rows that were suppressed as a whole, shape (n,)."""
        return self.group < 0

    @cached_property
    def sizes(self) -> Counts:
        """The number of rows in each group, shape (number of groups,)."""
        return np.bincount(self.group[~self.suppressed], minlength=len(self.keys)).astype(np.int64)

    def frame(self) -> pd.DataFrame:
        """Return the released table with the quasi-identifiers and the sensitive attributes only.

        Suppressed tuples are left out. The other rows keep the order of the original, so their
        order links them to the original. Sort the rows by `order.by_values` before a release.
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
        """Return the classes of the release, counted from the released table.

        Rows with `*` in every quasi-identifier count as a class. The released table has no
        suppressed tuples, so these rows are not suppressed, but generalized to the root.
        """
        roles = Roles(self.data.roles.quasi_identifiers, self.data.roles.sensitive)
        convention = replace(self.data.convention, suppressed_tuples="include")
        base = count(own_table(self.frame()), self.data.attributes, convention)
        return equivalence_classes(base, roles, convention)
