"""`check_attack`: the laws that an attack must keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from hypothesis.strategies import SearchStrategy

from anonaudit.attack import Attack, Setting, judge
from anonaudit.errors import FOREIGN_FAULTS
from anonaudit.findings import Disclosure, Outcome
from anonaudit.models import Model
from anonaudit.roles import Roles
from anonaudit.strategies import ROLES, Table, as_text, releases
from anonaudit.testing.inputs import any_tables
from anonaudit.testing.laws import (
    CLOSE,
    Call,
    Complaint,
    Law,
    before_and_after,
    check_laws,
    classes_turned,
    columns_turned,
    of_persons,
    raised,
    remembered,
    renamed,
    safely,
    turned,
)

UNKNOWN_CELLS = (None, "*")


def check_attack(
    attack: Attack,
    *,
    roles: Roles = ROLES,
    setting: Callable[[Table], Setting] | None = None,
    targets: Callable[[Table], int] | None = None,
    by_hand: Callable[[Table], int] | None = None,
    bounded_by: Model | None = None,
    finds: SearchStrategy[Table] | None = None,
    inputs: SearchStrategy[Table] | None = None,
    skip: Sequence[str] = (),
    examples: int = 30,
) -> None:
    """Check on small generated releases that the numbers an attack reports are consistent.

    attack: an instance with `name`, `knowledge` and `run`.
    roles: the roles of the columns of the generated tables.
    setting: returns the input of the attack for a table; by default a `Setting` with the
        equivalence classes of the table only.
    targets: returns the number of targets in a table; by default the number of rows in classes.
    by_hand: returns the number of exposed targets in a table, counted row by row from the
        definition.
    bounded_by: a model; a release that satisfies it must have no disclosed targets.
    finds: a strategy for releases in which the attack must disclose or identify a target.
    inputs, skip, examples: as for `check_masker`.

    A target is exposed if it is identified or disclosed.

    Laws:

    - `runs`: the attack returns a disclosure and raises no exception
    - `counts`: exposed = rate * targets is a whole number, max(identified, disclosed) <= exposed <=
      identified + disclosed, and exposed + undecided <= targets. Each count by attribute is at most
      `disclosed`, and their sum is at least `disclosed`. If all rows in classes are targets, the
      classes marked as exposed have at least as many persons as there are exposed targets, and none
      if no target is exposed.
    - `targets`: the number of targets is right
    - `reason`: without targets or without a rate, the outcome is inconclusive or skipped; a result
      that is inconclusive or skipped, or has undecided targets, has a reason
    - `limit`: for several allowed rates: if the rate is above the allowed rate, the outcome is
      violated; if only the highest rate is above it, the outcome is inconclusive; otherwise the
      outcome is holds or inconclusive
    - `deterministic`: a second run gives the same numbers
    - `row order`, `class order`, `column order`, `value names`: the numbers do not depend on these
    - `persons`: with a unit column, equal rows of a person count once
    - `unknown cells`: after unknown sensitive cells are filled in, at least as many targets are
      exposed as before, and at most as many as were exposed or undecided before
    - `definition`, only with `by_hand`: the number of exposed targets is the number counted by hand
    - `bounded`, only with `bounded_by`: no target is disclosed if the release satisfies the model
    - `finds`, only with `finds`: a target is disclosed or identified

    Raises ContractError with every broken law.
    """
    situate = setting or (lambda table: Setting(table.classes()))
    drawn = any_tables(roles) if inputs is None else (inputs,)

    def allowing(table: Table, allowed: float | None = None) -> Disclosure:
        return attack.run(replace(situate(table), allowed=allowed))

    run = remembered(allowing)

    def law(name: str, promised: str, complaint: Callable[[Table], Complaint]) -> Law:
        return Law(name, promised, complaint, drawn)

    def same(name: str, of: str, change: Callable[[Table], Table]) -> Law:
        return law(name, f"the same numbers {of}", partial(_same, run, change))

    laws = [
        law("runs", "a disclosure, no exception", lambda table: raised(run, table)),
        law("counts", "consistent numbers", partial(_odd_numbers, run)),
        law(
            "targets",
            "the right number of targets",
            partial(_other_targets, run, targets or _in_classes),
        ),
        law("reason", "a reason if nothing was attacked", safely(run, _no_reason)),
        law("limit", "the outcome for the allowed rate", partial(_limit, allowing)),
        same("deterministic", "each time", replace),
        same("row order", "for rows in any order", turned),
        same("class order", "for classes in any order", classes_turned),
        same("column order", "for columns in any order", columns_turned),
        same("value names", "for any names of values", renamed),
        law("persons", "each person counted once", partial(_once, run)),
        law("unknown cells", "numbers that allow for unknown cells", partial(_outside, run)),
    ]
    if by_hand is not None:
        laws.append(law("definition", "the number by hand", partial(_differs, run, by_hand)))
    if bounded_by is not None:
        safe = (releases(bounded_by, roles),)
        promised = f"no disclosure if {bounded_by} holds"
        laws.append(Law("bounded", promised, safely(run, _disclosed), safe))
    if finds is not None:
        laws.append(Law("finds", "a disclosure", safely(run, _nothing_found), (finds,)))
    check_laws(f"check_attack {attack.name}", laws, skip, examples)


def _number(came: Disclosure) -> float | None:
    """Return the number of exposed targets, rate * targets; None if nothing was decided."""
    return None if came.rate is None else came.rate * came.targets


def _odd_numbers(run: Call[Disclosure], table: Table) -> Complaint:
    try:
        came = run(table)
    except FOREIGN_FAULTS:
        return None
    parts, exposed = [came.identified, came.disclosed], _number(came)
    fine = all(0 <= n <= came.targets for n in (*parts, came.undecided))
    if exposed is not None:
        fine &= abs(exposed - round(exposed)) < CLOSE
        fine &= max(parts) <= round(exposed) <= min(sum(parts), came.targets - came.undecided)
    if came.per_attribute:
        of = came.per_attribute.values()
        fine &= max(of) <= came.disclosed <= sum(of)
    classes = table.classes()
    if came.exposed is not None and exposed is not None and came.targets == classes.rows.sum():
        inside = classes.people(came.exposed)
        fine &= inside >= round(exposed) and (inside > 0) == (round(exposed) > 0)
    return None if fine else str(came)


def _in_classes(table: Table) -> int:
    return int(table.classes().rows.sum())


def _other_targets(
    run: Call[Disclosure], targets: Callable[[Table], int], table: Table
) -> Complaint:
    try:
        came = run(table)
    except FOREIGN_FAULTS:
        return None
    if came.rate is None or came.targets == targets(table):
        return None
    return f"{came.targets} targets, expected {targets(table)}"


def _no_reason(came: Disclosure) -> Complaint:
    idle = came.outcome in (Outcome.SKIPPED, Outcome.INCONCLUSIVE)
    if (came.targets == 0 or came.rate is None) and not idle:
        return f"{came.outcome}, without targets"
    if (idle or came.undecided) and not came.reason:
        return f"{came.outcome}, {came.undecided} undecided, without a reason"
    return None


def _limit(run: Call[Disclosure], table: Table) -> Complaint:
    """Check the outcome for several allowed rates. Inconclusive is accepted in place of holds."""
    try:
        free = run(table)
        if free.rate is None or free.highest_rate is None:
            return None
        below = max(free.rate - 1 / (2 * free.targets), 0.0)
        rates = 0.0, below, free.rate, free.highest_rate, 1.0
        tried = [(run(table, allowed), allowed) for allowed in rates]
    except FOREIGN_FAULTS:
        return None
    for came, allowed in tried:
        wanted = judge(came.rate, allowed, came.highest_rate)
        unsure = came.outcome is Outcome.INCONCLUSIVE and wanted is Outcome.HOLDS
        if came.allowed != allowed or not (came.outcome is wanted or unsure):
            said = f"a rate of {came.rate} to {came.highest_rate}, {came.allowed} allowed"
            return f"{came.outcome} with {said}; the limit was {allowed}"
    return None


def _same(run: Call[Disclosure], change: Callable[[Table], Table], table: Table) -> Complaint:
    came = before_and_after(run, table, change(table))
    if came is None:
        return None
    numbers = [
        (d.targets, d.identified, d.disclosed, d.rate, d.outcome, dict(d.per_attribute))
        for d in came
    ]
    return None if numbers[0] == numbers[1] else f"{numbers[0]}\nbut also\n{numbers[1]}"


def _once(run: Call[Disclosure], table: Table) -> Complaint:
    """Check that the numbers do not change if each row becomes one or two rows of a person."""

    def decided(table: Table) -> Disclosure:
        came = run(table)
        if came.rate is None:  # an attack need not be defined for persons
            raise ValueError
        return came

    complaints = (_same(decided, partial(of_persons, rows_each=n), table) for n in (1, 2))
    return next(filter(None, complaints), None)


def _outside(run: Call[Disclosure], table: Table) -> Complaint:
    for filled in (_filled(table, apart=True), _filled(table, apart=False)):
        came = before_and_after(run, table, filled)
        if came is None or came[0].targets != came[1].targets:
            continue
        before, after = map(_number, came)
        if before is None or after is None:
            continue
        if not before - CLOSE <= after <= before + came[0].undecided + CLOSE:
            known = "\n" + as_text(filled.columns, filled.rows)
            was = f"{before:g} exposed, {came[0].undecided} undecided"
            return f"{was}; with the unknown cells filled in, {after:g} exposed in{known}"
    return None


def _filled(table: Table, *, apart: bool) -> Table:
    """Return the table with the unknown sensitive cells filled in.

    apart: True gives each cell a unique value; False repeats the last known value of the attribute
    in the class. In a class with no known value of the attribute, the cells stay unknown, because
    such a class discloses nothing.
    """
    start, width = len(table.roles.identifiers), len(table.roles.quasi_identifiers)
    keys = [row[start : start + width] for row in table.rows]
    shown = range(start + width, len(table.columns))
    known = {
        (key, j): row[j]
        for key, row in zip(keys, table.rows, strict=True)
        for j in shown
        if row[j] not in UNKNOWN_CELLS
    }

    def cell(i: int, j: int) -> str | None:
        shared = known.get((keys[i], j))
        if table.rows[i][j] not in UNKNOWN_CELLS or shared is None:
            return table.rows[i][j]
        return f"own-{i}" if apart else shared

    rows = [
        (*row[: start + width], *(cell(i, j) for j in shown)) for i, row in enumerate(table.rows)
    ]
    return replace(table, rows=tuple(rows))


def _differs(run: Call[Disclosure], by_hand: Callable[[Table], int], table: Table) -> Complaint:
    try:
        came = _number(run(table))
    except FOREIGN_FAULTS:
        return None
    wanted = by_hand(table)
    if came is None or abs(came - wanted) < CLOSE:
        return None
    return f"{came:g} exposed, {wanted} by hand"


def _disclosed(came: Disclosure) -> Complaint:
    return f"{came.disclosed} of {came.targets} disclosed" if came.disclosed else None


def _nothing_found(came: Disclosure) -> Complaint:
    return None if came.disclosed or came.identified else f"{came.outcome}: nothing was disclosed"
