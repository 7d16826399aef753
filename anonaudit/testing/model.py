"""`check_model`: laws for privacy models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from anonaudit.findings import Measurement, Outcome
from anonaudit.models import Model
from anonaudit.roles import Roles
from anonaudit.strategies import ROLES, Table, near_misses, releases
from anonaudit.testing.laws import (
    Complaint,
    Law,
    Run,
    any_tables,
    before_and_after,
    check,
    raised,
    renamed,
    safely,
    turned,
)


def check_model(
    model: Model,
    *,
    roles: Roles = ROLES,
    at: Callable[[Any], Model] | None = None,
    monotone: bool = False,
    constructed: bool = False,
    inputs: SearchStrategy[Table] | None = None,
    skip: Sequence[str] = (),
    examples: int = 30,
) -> None:
    """Check that a model measures releases consistently.

    model: with its parameters. at: the model with a level required.
    monotone: whether merging classes never makes a release less safe.
    constructed: whether `releases` and `near_misses` know how to build releases for it.
    inputs, skip, examples: as for `check_masker`.

    Laws: `runs`; `no data` (a release without rows is inconclusive, never a pass); `counts`
    (violated if and only if classes are, and no more rows than there are); `row order`,
    `column order`, `value names` (sensitive ones); with `at`, `reached`: the level measured can
    be required; with `monotone`, `merging`; with `constructed`, `release` and `near miss`.

    Returns nothing. Raises ContractError with every broken law.
    """
    drawn = inputs or any_tables(roles)

    def run(table: Table) -> Measurement:
        return model.measure(table.classes())

    def law(name: str, promised: str, complaint: Callable[[Table], Complaint]) -> Law:
        return Law(name, promised, complaint, drawn)

    empty = st.just(Table(roles, ()))
    laws = [
        law("runs", "a measurement, no exception", lambda table: raised(run, table)),
        Law("no data", "inconclusive", safely(run, _passes), empty),
        law("counts", "numbers that go together", lambda table: _odd_violations(run, table)),
        law("row order", "the same level for rows in any order", partial(_level, run, turned)),
        law(
            "column order",
            "the same level for columns in any order",
            partial(_level, run, _columns_turned),
        ),
        law(
            "value names",
            "the same level whatever values are called",
            partial(_level, run, renamed),
        ),
    ]
    if at is not None:
        laws.append(law("reached", "the measured level holds if required", partial(_reached, at)))
    if monotone:
        laws.append(law("merging", "no less safe with merged classes", partial(_merging, run)))
    if constructed:
        made, missed = releases(model, roles), near_misses(model, roles)
        laws.append(Law("release", "holds", safely(run, _does_not_hold), made))
        laws.append(Law("near miss", "violated by one class", safely(run, _not_one), missed))
    check(f"check_model {model.name}", laws, skip, examples)


def _passes(came: Measurement) -> Complaint:
    return None if came.outcome is Outcome.INCONCLUSIVE else str(came.outcome)


def _odd_violations(run: Callable[[Table], Measurement], table: Table) -> Complaint:
    try:
        came = run(table)
    except Exception:
        return None
    if came.classes_violating is None:
        return None
    some = came.classes_violating > 0
    fine = (came.outcome is Outcome.VIOLATED) == some == bool(came.rows_violating)
    within = (came.rows_violating or 0) <= len(table.rows)
    numbers = f"{came.classes_violating} classes, {came.rows_violating} rows"
    return None if fine and within else f"{came.outcome} with {numbers} violating"


def _level(run: Run[Measurement], change: Callable[[Table], Table], table: Table) -> Complaint:
    came = before_and_after(run, table, change(table))
    if came is None:
        return None
    one, other = came
    near = one.measured == other.measured or (
        one.measured is not None
        and other.measured is not None
        and abs(one.measured - other.measured) < 1e-9
    )
    return None if near and one.outcome == other.outcome else f"{one.measured}, {other.measured}"


def _columns_turned(table: Table) -> Table:
    quasi, sensitive = table.roles.quasi_identifiers[::-1], table.roles.sensitive[::-1]
    parts = replace(table.roles, quasi_identifiers=quasi, sensitive=sensitive)
    place = {name: j for j, name in enumerate(table.columns)}
    order = [place[name] for name in (*parts.identifiers, *quasi, *sensitive)]
    return Table(parts, tuple(tuple(row[j] for j in order) for row in table.rows))


def _reached(at: Callable[[Any], Model], table: Table) -> Complaint:
    try:
        free = at(None).measure(table.classes())
        if free.measured is None:
            return None
        asked = at(free.measured).measure(table.classes())
    except Exception:
        return None
    if asked.outcome is Outcome.HOLDS:
        return None
    return f"{asked.outcome} where {free.measured} was required, and measured"


def _merging(run: Callable[[Table], Measurement], table: Table) -> Complaint:
    fine = replace(
        table, rows=tuple(row for row in table.rows if None not in row and "*" not in row)
    )
    start, width = len(table.roles.identifiers), len(table.roles.quasi_identifiers)
    coarse = replace(
        fine,
        rows=tuple((*row[:start], *["x"] * width, *row[start + width :]) for row in fine.rows),
    )
    came = before_and_after(run, fine, coarse)
    if came is None:
        return None
    before, after = came
    if before.measured is None or after.measured is None:
        return None
    lower = after.measured < before.measured - 1e-9
    higher = after.measured > before.measured + 1e-9
    worse = lower if before.safer == "higher" else higher
    return f"{before.measured} before, {after.measured} as one class" if worse else None


def _does_not_hold(came: Measurement) -> Complaint:
    return None if came.outcome is Outcome.HOLDS else f"{came.outcome}, level {came.measured}"


def _not_one(came: Measurement) -> Complaint:
    one = came.outcome is Outcome.VIOLATED and came.classes_violating == 1
    return None if one else f"{came.outcome}, {came.classes_violating} classes violating"
