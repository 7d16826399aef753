"""`check_masker`: the laws that a masker must keep."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import narwhals as nw
import pandas as pd
from hypothesis.strategies import SearchStrategy

from anonaudit.cells import Convention, cell_text
from anonaudit.errors import FOREIGN_FAULTS
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.matching import match_column
from anonaudit.linking.permutation import align_by_best_permutation
from anonaudit.linking.validity import Validity, unchanged, valid_pairs
from anonaudit.masking.recoding import NotAchievableError
from anonaudit.models import Model
from anonaudit.roles import Roles
from anonaudit.strategies import ROLES, Row, Table, as_text
from anonaudit.testing.inputs import VARIANTS, alike, few, masker_tables, poor, told_apart
from anonaudit.testing.laws import (
    Complaint,
    Law,
    check_laws,
)

MaskFunction = Callable[[Any], Any]


@dataclass(frozen=True)
class _Masker:
    """A masker under test, its declared properties, and caches of results.

    The declared properties are the arguments of `check_masker`. known: the results of `run` by the
    rows of the table. possible: the results of `feasible` by the rows of the table.
    """

    mask: MaskFunction
    model: Model
    roles: Roles
    trees: Mapping[str, Hierarchy]
    suppression: float
    refusals: tuple[type[Exception], ...]
    starred: bool
    hides: bool
    other_columns: Sequence[str] = ()
    known: dict[tuple[Row, ...], list[Row] | BaseException | None] = field(default_factory=dict)
    possible: dict[tuple[Row, ...], bool] = field(default_factory=dict)

    @property
    def convention(self) -> Convention:
        """The convention to measure releases with.

        Rows with `*` in every quasi-identifier are excluded only if the masker marks suppressed
        rows in this way.
        """
        return Convention(suppressed_tuples="exclude" if self.starred else "include")

    def run(self, table: Table, frame: Any = None) -> list[Row] | BaseException | None:
        """Return the released rows; None for a refusal; the exception if another one was raised.

        frame: the input of the masker; None for the frame of the table.
        """
        if frame is None:
            if table.rows not in self.known:
                self.known[table.rows] = self._run(table.frame())
            return self.known[table.rows]
        return self._run(frame)

    def _run(self, frame: Any) -> list[Row] | BaseException | None:
        try:
            released = self.mask(frame)
            return None if released is None else self.rows_of(released)
        except self.refusals:
            return None
        except FOREIGN_FAULTS as error:
            return error

    def rows_of(self, released: Any) -> list[Row]:
        """Return the quasi-identifiers and sensitive attributes of a release, as texts."""
        frame: Any = nw.from_native(released)
        wanted = [*self.roles.quasi_identifiers, *self.roles.sensitive]
        lost = [column for column in wanted if column not in frame.columns]
        if lost:
            raise _LostColumnsError(lost)
        columns = [[cell_text(cell) for cell in frame[column].to_list()] for column in wanted]
        rows: list[Row] = list(zip(*columns, strict=True))
        return rows

    def released(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows that are not suppressed."""
        q = len(self.roles.quasi_identifiers)
        return [row for row in rows if not (self.starred and set(row[:q]) == {"*"})]

    def allowed(self, n: int) -> int:
        """Return how many of n rows may be suppressed."""
        share = isinstance(self.suppression, float)
        return int(self.suppression * n) if share else int(self.suppression)

    def original(self, table: Table) -> list[Row]:
        """Return the rows of the input without the identifiers."""
        return [row[len(self.roles.identifiers) :] for row in table.rows]

    def measured(self, rows: Sequence[Row], roles: Roles | None = None) -> Measurement:
        """Measure the model on rows of a release.

        roles: None for the roles of the masker. Roles without quasi-identifiers put all rows in one
        class.
        """
        names = self.roles.quasi_identifiers + self.roles.sensitive
        parts = replace(roles or self.roles, identifiers=())
        base = FrequencySet.of(names, rows, self.convention)
        return self.model.measure(equivalence_classes(base, parts, self.convention))

    def feasible(self, table: Table) -> bool:
        """Return True if the table satisfies the model when all its rows form one class."""
        if table.rows not in self.possible:
            whole = self.measured(self.original(table), Roles((), self.roles.sensitive))
            self.possible[table.rows] = whole.outcome is Outcome.HOLDS
        return self.possible[table.rows]

    def kept(self, measurement: Measurement) -> bool:
        """Return True if the model holds, or is inconclusive for a masker that may hide cells."""
        nothing_left = self.hides and measurement.outcome is Outcome.INCONCLUSIVE
        return nothing_left or measurement.outcome is Outcome.HOLDS

    def shown(self, rows: Sequence[Row]) -> str:
        """Return a release as text."""
        names = self.roles.quasi_identifiers + self.roles.sensitive
        return as_text(names, rows) if rows else "no rows"


class _LostColumnsError(Exception):
    """The release lacks columns."""

    def __init__(self, lost: Sequence[str]) -> None:
        super().__init__(f"the release has no column {', '.join(map(repr, lost))}")


def check_masker(
    mask: MaskFunction,
    model: Model,
    *,
    roles: Roles = ROLES,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    suppression: float = 0,
    suppressed: Literal["left out", "starred"] = "left out",
    hides: bool = False,
    shuffled: bool = False,
    missing: bool = True,
    other_columns: Sequence[str] = (),
    refusals: tuple[type[Exception], ...] = (NotAchievableError,),
    inputs: SearchStrategy[Table] | None = None,
    skip: Sequence[str] = (),
    examples: int = 30,
) -> None:
    """Check on small generated tables that a masker keeps the laws listed below.

    mask: takes a pandas frame of text with the columns of `roles`, and returns a frame. If the
        model cannot be satisfied, it refuses: it raises one of `refusals`, or returns None or a
        frame without rows.
    model: the model, with parameters, that every release must satisfy.
    roles: the roles of the columns of the generated tables.
    hierarchies: by quasi-identifier. Without a hierarchy a cell may be kept, or replaced by `*` or
        by an interval, set or prefix that covers it.
    suppression: the largest allowed number of suppressed rows; a float is the largest share of
        suppressed rows.
    suppressed: "left out" if suppressed rows are missing from the release; "starred" if they have
        `*` in every quasi-identifier.
    hides: True if the masker may suppress sensitive cells. A release without any sensitive value
        then counts as safe.
    shuffled: True also checks the law `order`.
    missing: True if the input may have missing cells.
    other_columns: columns that the release may have besides quasi-identifiers and sensitive
        attributes.
    refusals: the types of exceptions that count as a refusal.
    inputs: a strategy that replaces the generated tables. To test refusals, its tables are also cut
        to one row or changed to one sensitive value.
    skip: the names of laws not to check. examples: the number of inputs for each law.

    Laws. A table is feasible if it satisfies the model when all its rows form one class.

    - `runs`: the masker raises no exception other than a refusal
    - `promise`: if the table is feasible, the release satisfies the model
    - `says no`: if the table is not feasible, the masker refuses, or suppresses rows such that the
      release satisfies the model
    - `answers`: if the table is feasible, the masker does not return None or raise a refusal
    - `columns`: the release has all declared columns, and no others
    - `rows`: the release has no added rows, and lacks only the allowed number of suppressed rows
    - `generalizes`: each released row generalizes a row of the input
    - `sensitive`: sensitive values stay with their rows
    - `deterministic`: a second run gives the same release
    - `input unchanged`: the masker does not change its input frame
    - `row order`, `column order`, `index`, `dtype`, `category order`: the rows of the release do
      not depend on these properties of the input frame
    - `order`, only with `shuffled`: the order of the released rows reveals nothing that the release
      does not show: not the order of the input, the identifiers or the ungeneralized values. A
      shuffle with a fixed seed reveals the order of the input.

    Raises ContractError with every broken law, and ValueError for an unknown name in `skip`.
    """
    trees = dict(hierarchies or {})
    starred = suppressed == "starred"
    m = _Masker(mask, model, roles, trees, suppression, refusals, starred, hides, other_columns)
    if inputs is None:
        drawn, hopeless = (draw(roles, trees, missing=missing) for draw in (masker_tables, poor))
    else:
        one_value = partial(alike, roles=roles)
        drawn, hopeless = (inputs,), (inputs, inputs.map(few), inputs.map(one_value))

    def law(name: str, promised: str, complaint: Callable[[Table], Complaint]) -> Law:
        return Law(name, promised, complaint, drawn)

    laws = [
        law("runs", "a release or a refusal, no other exception", partial(_runs, m)),
        law("promise", f"a release that satisfies {model}", partial(_promise, m)),
        Law("says no", f"a refusal if {model} cannot hold", partial(_says_no, m), hopeless),
        law("answers", "no refusal if one class of all rows will do", partial(_answers, m)),
        law("columns", "the declared columns, and no others", partial(_columns, m)),
        law("rows", "no added rows, none missing beyond suppression", partial(_rows, m)),
        law("generalizes", "rows that generalize rows of the input", partial(_generalizes, m)),
        law("sensitive", "sensitive values stay with their rows", partial(_sensitive, m)),
        law("deterministic", "the same release each time", partial(_deterministic, m)),
        law("input unchanged", "an unchanged input frame", partial(_input_unchanged, m)),
    ]
    for name, variants in VARIANTS:
        promised = f"a release that does not depend on the {name}"
        laws.append(law(name, promised, partial(_invariant, m, variants)))
    if shuffled:
        promised = "a row order that reveals nothing the release does not show"
        apart = (told_apart(roles, trees),) if inputs is None else drawn
        laws.append(Law("order", promised, partial(_order, m), apart))
    check_laws("check_masker", laws, skip, examples)


def _runs(m: _Masker, table: Table) -> Complaint:
    came = m.run(table)
    if isinstance(came, BaseException) and not isinstance(came, _LostColumnsError):
        return f"{type(came).__name__}: {came}"
    return None


def _promise(m: _Masker, table: Table) -> Complaint:
    came = m.run(table)
    if not isinstance(came, list) or not m.released(came) or not m.feasible(table):
        return None
    level = m.measured(came)
    return None if m.kept(level) else f"{level.outcome}, level {level.measured}\n{m.shown(came)}"


def _says_no(m: _Masker, table: Table) -> Complaint:
    came = m.run(table)
    if not isinstance(came, list) or not m.released(came) or m.feasible(table):
        return None
    enough = len(m.released(came)) >= len(table.rows) - m.allowed(len(table.rows))
    if enough and m.kept(m.measured(came)):
        return None  # suppression made a valid release possible
    return f"a release, although the model cannot be satisfied\n{m.shown(came)}"


def _answers(m: _Masker, table: Table) -> Complaint:
    came = m.run(table)
    return "a refusal" if came is None and m.feasible(table) else None


def _columns(m: _Masker, table: Table) -> Complaint:
    try:
        released = m.mask(table.frame())
    except FOREIGN_FAULTS:
        return None
    if released is None:
        return None
    columns = list(nw.from_native(released).columns)
    named = {*m.roles.quasi_identifiers, *m.roles.sensitive, *m.other_columns}
    leaked = [name for name in columns if name in m.roles.identifiers or name not in named]
    if leaked:
        what = "identifier" if leaked[0] in m.roles.identifiers else "undeclared column"
        return f"the {what} {leaked[0]!r} is in the release"
    came = m.run(table)
    return str(came) if isinstance(came, _LostColumnsError) else None


def _rows(m: _Masker, table: Table) -> Complaint:
    came, n = m.run(table), len(table.rows)
    if not isinstance(came, list):
        return None
    if len(came) > n:
        return f"{len(came)} released rows from {n} input rows\n{m.shown(came)}"
    left = len(m.released(came))
    if not left and not m.feasible(table):
        return None  # an empty release is a refusal
    if n - left > m.allowed(n):
        return f"{n - left} of {n} rows suppressed, {m.allowed(n)} allowed\n{m.shown(came)}"
    return None


def _generalizes(m: _Masker, table: Table) -> Complaint:
    came = m.run(table)
    if not isinstance(came, list):
        return None
    wrong = _unexplained(m, table, m.released(came), sensitive=False)
    return f"{wrong} row(s) that generalize no row of the input\n{m.shown(came)}" if wrong else None


def _sensitive(m: _Masker, table: Table) -> Complaint:
    came = m.run(table)
    if not isinstance(came, list):
        return None
    q, rows, shown = len(m.roles.quasi_identifiers), m.released(came), m.shown(came)
    if len(rows) > len(table.rows):
        return None  # the law `rows` reports this
    before = Counter(row[q:] for row in m.original(table))
    after = Counter(row[q:] for row in rows)
    if not m.hides and after - before:
        return f"a sensitive value occurs more often than in the input\n{shown}"
    if _unexplained(m, table, rows, sensitive=False):
        return None
    wrong = _unexplained(m, table, rows, sensitive=True)
    return f"{wrong} row(s) with sensitive values of another row\n{shown}" if wrong else None


def _unexplained(m: _Masker, table: Table, rows: Sequence[Row], *, sensitive: bool) -> int:
    """Return the number of released rows that match no row of the input.

    A released row matches an input row if its quasi-identifiers generalize those of the input row.
    Each input row is matched with at most one released row.

    rows: released rows. sensitive: True if the sensitive values must be equal too.
    """
    quasi, names = m.roles.quasi_identifiers, m.roles.sensitive if sensitive else ()
    width = len(quasi) + len(names)
    convention = Convention()
    old = FrequencySet.of((*quasi, *names), [row[:width] for row in m.original(table)], convention)
    new = FrequencySet.of((*quasi, *names), [row[:width] for row in rows], convention)
    validity: dict[str, Validity] = {}
    for name in (*quasi, *names):
        ours, theirs = old.labels_of(name), new.labels_of(name)
        if name in names:
            validity[name] = unchanged(ours, theirs)
        else:
            tree = m.trees.get(name)
            match = match_column(ours, theirs, hierarchy=tree)
            validity[name] = valid_pairs(match, len(ours), theirs, tree)
    aligned = align_by_best_permutation(
        old, new, quasi_identifiers=quasi, sensitive=names, validity=validity
    )
    wrong = int(aligned.count[~aligned.explained].sum())
    invented = int(aligned.invented.sum()) if len(rows) <= len(table.rows) else 0
    return wrong + invented


def _deterministic(m: _Masker, table: Table) -> Complaint:
    state = random.getstate()
    one = m.run(table, table.frame())
    random.seed(str(state))
    other = m.run(table, table.frame())
    if isinstance(one, BaseException) or isinstance(other, BaseException) or one == other:
        return None
    return f"{_either(m, one)}\nthen\n{_either(m, other)}"


def _either(m: _Masker, came: list[Row] | None) -> str:
    return "a refusal" if came is None else m.shown(came)


def _order(m: _Masker, table: Table) -> Complaint:
    """Check that inputs with the same released rows give them in the same order.

    The inputs differ only in properties that the release does not show, so a different order of the
    released rows reveals such a property. A masker that shuffles with a secret seed is not
    examined, because its order differs in every run.
    """
    came, again = m.run(table, table.frame()), m.run(table, table.frame())
    if not isinstance(came, list) or came != again:
        return None
    for name, other in _unseen_changes(m, table, came).items():
        after = m.run(other)
        if isinstance(after, list) and after != came and Counter(after) == Counter(came):
            return f"an order that reveals the {name}\n{m.shown(came)}\nbut also\n{m.shown(after)}"
    return None


def _unseen_changes(m: _Masker, table: Table, came: list[Row]) -> dict[str, Table]:
    """Return variants of the table, by the property in which they differ from it.

    The release does not show these properties. came: the rows of the release of the table.
    """
    rows, names, q = table.rows, len(m.roles.identifiers), len(m.roles.quasi_identifiers)
    identified = [(*b[:names], *a[names:]) for a, b in zip(rows, rows[::-1], strict=True)]
    changes = {
        "order of the input": (*rows[1::-1], *rows[2:]),
        "order of the input, reversed": rows[::-1],
        "identifiers": tuple(identified),
    }
    # Exchange the original quasi-identifiers of two rows of one class. Sensitive values identify
    # the rows.
    label = {row[q:]: row[:q] for row in came}
    first: dict[object, int] = {}
    for j, row in enumerate(rows if len(label) == len(rows) else ()):
        i = first.setdefault(label.get(row[names + q :]), j)
        if i != j and rows[i][names : names + q] != row[names : names + q]:
            other = list(rows)
            for here, there in ((i, j), (j, i)):
                values = rows[there][names : names + q]
                other[here] = (*rows[here][:names], *values, *rows[here][names + q :])
            changes["ungeneralized values"] = tuple(other)
            break
    return {name: replace(table, rows=changed) for name, changed in changes.items()}


def _input_unchanged(m: _Masker, table: Table) -> Complaint:
    frame, before = table.frame(), table.frame()
    m.run(table, frame)
    if frame.equals(before) and list(frame.columns) == list(before.columns):
        return None
    return "a changed input\n" + as_text(list(map(str, frame.columns)), frame.to_numpy().tolist())


def _invariant(
    m: _Masker, variants: Callable[[pd.DataFrame], list[pd.DataFrame]], table: Table
) -> Complaint:
    one = m.run(table)
    if isinstance(one, BaseException):
        return None
    for frame in variants(table.frame()):
        other = m.run(table, frame)
        if isinstance(other, BaseException):
            return f"{type(other).__name__}: {other}"
        if (one is None) != (other is None) or Counter(one or ()) != Counter(other or ()):
            return f"{_either(m, one)}\nbut also\n{_either(m, other)}"
    return None
