"""A changed release with its audit.

The release is kept as rows of texts, because a change edits rows. The audit names the classes that
violate a model or that an attack exposes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonaudit import notebook
from anonaudit.arrays import Bools, Index
from anonaudit.auditing.examining import examine
from anonaudit.auditing.notices import released_identifiers
from anonaudit.auditing.original import check_same_rows
from anonaudit.auditing.preparation import prepare
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import FIRST_VALUE, SUPPRESSED, Convention
from anonaudit.findings import AuditReport, Change, Outcome, Step
from anonaudit.frequency.cell_texts import read_texts
from anonaudit.frequency.codes import Codes
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import FrequencySet, in_row_order
from anonaudit.generalization.labels import exact_number
from anonaudit.plugins import describe_model
from anonaudit.policy.policy import OriginalFile, Policy
from anonaudit.policy.repairs import repaired
from anonaudit.source.table import ROW_NUMBER, Source, own_table

LabelArray = npt.NDArray[Any]


class Ground(NamedTuple):
    """An original whose rows are in the order of the release.

    name: the name of the table. rows: the rows as texts.
    """

    name: str
    rows: pd.DataFrame

    def __repr__(self) -> str:
        return f"Ground({self.name!r}, {len(self.rows)} rows)"

    @classmethod
    def read(cls, original: OriginalFile, columns: Collection[str] | None = None) -> Ground:
        """Read the original that a policy names: all columns, or only `columns`."""
        table = original.open()
        kept = [name for name in table.columns if columns is None or name in columns]
        return cls(table.name, read_texts(table, kept))

    def paired_with(self, rows: pd.DataFrame) -> OriginalFile:
        """Return the original of some rows of the release.

        rows: rows of the release. The index has the row number of each row in the release as given.
        """
        return OriginalFile(own_table(self.rows.loc[rows.index], self.name), align="order")


@dataclass(frozen=True, eq=False)
class Faults:
    """The classes that break the requirements, as masks of shape (n_classes,).

    every: the classes that must all be changed.
    enough: the classes of which only some must be changed: as many as needed until the rate of an
        attack, or the level of the whole release, is within its limit.
    """

    every: Bools
    enough: Bools


@dataclass(frozen=True, eq=False, repr=False)
class Trial(notebook.Result):
    """A changed release with its audit.

    rows: the cells as texts, None for an empty cell. Only the columns that the audit needs are
        read. The index has the row number of each row in the release as given.
    records: the number of records that each row stands for (the count column; 1 without a count
        column), shape (n,).
    policy: the policy.
    seed: the seed of the audit.
    prepared: the release as it was counted for the audit.
    report: the audit of the release.
    ground: the original, if the policy pairs rows with an original by their order.
    steps: the changes made so far.
    """

    rows: pd.DataFrame = field(repr=False)
    records: npt.NDArray[np.int64]
    policy: Policy
    seed: int
    prepared: PreparedRelease
    report: AuditReport
    ground: Ground | None = None
    steps: tuple[Step, ...] = ()

    def _line(self) -> str:
        return f"of {len(self.rows)} rows, {len(self.steps)} change(s), {self.report.outcome}"

    @classmethod
    def read(cls, source: Source, policy: Policy, seed: int) -> Trial:
        """Read and audit a release as it is. Raises InputError if its rows cannot be read."""
        roles, original = policy.roles, policy.original
        named = {column for _, column in policy.named()}
        named |= {*released_identifiers(roles, source.columns)}
        if any(describe_model(r.name).of_the_columns for r in policy.requirements):
            named |= {*source.columns}
        named |= {original.key} if original is not None and original.key is not None else set()
        rows = read_texts(source, [column for column in source.columns if column in named])
        ground = None
        if original is not None and original.align == "order":
            ground = Ground.read(original, {*roles.quasi_identifiers, *roles.sensitive})
            check_same_rows(ground.name, len(ground.rows), len(rows))
        records = np.ones(len(rows), np.int64)
        if roles.count is not None:
            records = np.array(
                [int(exact_number(cell) or 0) for cell in rows[roles.count]], np.int64
            )
        return cls._audited(rows, records, policy, seed, source.name, ground)

    @classmethod
    def _audited(
        cls,
        rows: pd.DataFrame,
        records: npt.NDArray[np.int64],
        policy: Policy,
        seed: int,
        name: str,
        ground: Ground | None,
    ) -> Trial:
        rules = policy
        if ground is not None:
            rules = replace(policy, original=ground.paired_with(rows))
        prepared = prepare(own_table(rows, name), rules)
        return cls(rows, records, policy, seed, prepared, examine(prepared, seed=seed), ground)

    def _again(self, rows: pd.DataFrame, records: npt.NDArray[np.int64]) -> Trial:
        name = self.prepared.source.name
        return self._audited(rows, records, self.policy, self.seed, name, self.ground)

    @property
    def passed(self) -> bool:
        """True if no requirement is broken or undecided."""
        return self.report.passed

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.policy.roles.quasi_identifiers

    @property
    def convention(self) -> Convention:
        """The convention of the policy for missing and suppressed cells."""
        return self.policy.convention

    @cached_property
    def cells(self) -> FrequencySet:
        """The quasi-identifiers of each row, in the order of `rows`, with normalized spellings."""
        counted = count(self.prepared.source, (ROW_NUMBER, *self.quasi), self.convention)
        mended = repaired(counted, self.policy)
        return replace(mended, codes=mended.codes[in_row_order(mended)])

    def column(self, name: str) -> tuple[list[str | None], Codes]:
        """Return the texts of the codes of a quasi-identifier, and the code of each row."""
        labels = self.cells.labels_of(name)
        return [None, self.convention.mark, *labels[FIRST_VALUE:]], self.cells.column(name)

    @cached_property
    def class_of(self) -> Index:
        """The class of each row, shape (n,); -1 for a row that is in no class."""
        return self.prepared.classes.number_of(self.cells)

    @property
    def silent(self) -> Bools:
        """A mask of the rows in which every quasi-identifier is suppressed, shape (n,)."""
        every: Bools = (self.cells.codes[:, 1:] == SUPPRESSED).all(axis=1)
        return every

    def inside(self, classes: Bools) -> Bools:
        """Return a mask of the rows of these classes, shape (n,).

        classes: a mask, shape (n_classes,).
        """
        inside: Bools = np.append(classes, False)[self.class_of]
        return inside

    def with_whole_persons(self, rows: Bools) -> Bools:
        """Return a mask of these rows and all other rows of their persons, shape (n,).

        rows: a mask, shape (n,). It is returned as it is if there is no unit column, or if the
        policy sets masking.suppress = "rows".
        """
        unit = self.policy.roles.unit
        if unit is None or self.policy.masking.suppress == "rows":
            return rows
        person = self.persons
        whole: Bools = np.isin(person, person[rows])
        return whole

    @cached_property
    def persons(self) -> Codes:
        """The person of each row, with normalized spellings, shape (n,)."""
        unit = self.policy.roles.unit or ""
        counted = count(self.prepared.source, (ROW_NUMBER, unit), self.convention)
        mended = repaired(counted, self.policy)
        persons: Codes = mended.codes[in_row_order(mended), 1]
        return persons

    def faults(self) -> Faults:
        """Return the classes that break a requirement, as far as the audit names them."""
        n = len(self.prepared.classes)
        every, enough = np.zeros(n, bool), np.zeros(n, bool)
        for model in self.report.models:
            if model.outcome is not Outcome.VIOLATED:
                continue
            if describe_model(model.model).of_the_whole:
                enough[:] = True
            elif model.violating is not None:
                every |= model.violating
        for attack in self.report.attacks:
            if attack.outcome is Outcome.VIOLATED and attack.exposed is not None:
                chosen = enough if attack.allowed else every
                chosen |= attack.exposed
        return Faults(every, enough)

    @property
    def attacked(self) -> bool:
        """True if an attack exceeds its limit."""
        return any(attack.outcome is Outcome.VIOLATED for attack in self.report.attacks)

    def without_columns(self, columns: Sequence[str]) -> Trial:
        """Return the release without these columns."""
        fresh = self._again(self.rows.drop(columns=[*columns]), self.records)
        step = Step("drop", tuple(columns), int(self.records.sum()))
        return replace(fresh, steps=(*self.steps, step))

    def without_rows(self, gone: Bools) -> Trial:
        """Return the release without the rows where the mask `gone` is True, shape (n,)."""
        fresh = self._again(self.rows[~gone], self.records[~gone])
        steps, rows, classes = self.steps, int(self.records[gone].sum()), self._classes(gone)
        if steps and steps[-1].kind == "suppress":
            steps, last = steps[:-1], steps[-1]
            rows, classes = rows + last.rows, classes + last.classes
        return replace(fresh, steps=(*steps, Step("suppress", rows=rows, classes=classes)))

    def with_cells(self, cells: Mapping[str, LabelArray]) -> Trial | None:
        """Return the release with new texts in some columns. Call `noted` to record the step.

        cells: the new texts by column, shape (n,). Returns None if more rows than before would be
        in no class, because the audit would not see these rows.
        """
        rows = self.rows.copy()
        for name, column in cells.items():
            # Without the dtype, pandas could choose a string type, which has NaN instead of None.
            rows[name] = pd.Series(column, rows.index, dtype=object)
        fresh = self._again(rows, self.records)
        return None if _apart(fresh) > _apart(self) else fresh

    def noted(self, start: Trial, kind: Change, levels: Mapping[str, tuple[int, int]]) -> Trial:
        """Return the release with all changes since `start` recorded as one step.

        The release must have the same rows as `start`.

        start: the release before the changes.
        kind: the kind of the step.
        levels: the old and the new hierarchy level by column; empty for a merger.
        """
        differs = {
            name: self.rows[name].to_numpy(object) != start.rows[name].to_numpy(object)
            for name in self.quasi
        }
        columns = tuple(name for name, other in differs.items() if other.any())
        touched = np.logical_or.reduce(list(differs.values()))
        rows, classes = int(self.records[touched].sum()), start._classes(touched)
        step = Step(kind, columns, rows, classes, levels)
        return replace(self, steps=(*start.steps, step))

    def _classes(self, rows: Bools) -> int:
        """Return the number of classes that have at least one of these rows. rows: a mask."""
        return len(np.unique(self.class_of[rows & (self.class_of >= 0)]))


def _apart(trial: Trial) -> int:
    """Return the number of rows that are in no class."""
    return trial.report.release.suppressed_tuples + trial.report.release.dropped_rows
