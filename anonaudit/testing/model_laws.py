"""`check_model`: the laws that a privacy model must keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from math import isclose
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from anonaudit.about import AboutModel
from anonaudit.details import Details, compared_facts
from anonaudit.errors import FOREIGN_FAULTS
from anonaudit.findings import Measurement, Number, Outcome
from anonaudit.models import Model
from anonaudit.models.level import ParameterError
from anonaudit.roles import Roles
from anonaudit.strategies import ROLES, Table, can_be_built, near_misses, releases
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


def check_model(
    model: Model,
    *,
    roles: Roles = ROLES,
    by_hand: Callable[[Table], Number | None] | None = None,
    at: Callable[[Any], Model] | None = None,
    monotone: bool = True,
    constructed: bool | None = None,
    inputs: SearchStrategy[Table] | None = None,
    skip: Sequence[str] = (),
    examples: int = 30,
) -> None:
    """Check on small generated releases that the results of a model are consistent.

    model: an instance with parameters.
    roles: the roles of the columns of the generated tables.
    by_hand: returns the level of a table, computed row by row from the definition; None for no
        level.
    at: returns the model with a given required level (None requires nothing), for the law
        `reached`. By default the check sets the dataclass field that the measurement returns as
        `required`. The default does not require the measured level itself if it is a fraction,
        because some models need a level strictly below their limit.
    monotone: True if merging classes never lowers the protection.
    constructed: True if `releases` and `near_misses` of `anonaudit.strategies` support the model;
        None to find out.
    inputs, skip, examples: as for `check_masker`.

    Laws:

    - `runs`: the model returns a measurement and raises no exception
    - `no data`: a release without rows is inconclusive
    - `counts`: the outcome is violated exactly if some class is violating; the numbers of violating
      classes and rows agree with the mask `violating`; the witness has the row count of its class;
      the level is not safer than the level of any attribute
    - `verdict`: the outcome is violated if the level is less safe than required
    - `row order`, `class order`, `column order`, `value names` (of sensitive values): the level
      does not depend on these
    - `persons`: with a unit column, equal rows of a person count once
    - `one more class`: if the level has a witness, adding a class with a copy of every row does not
      change the level
    - `facts`: `about.facts` lists the class of each fact that says which numbers are safer
    - `reached`: the model is not violated if the measured level, or a slightly less safe level, is
      required; it does not hold if a slightly safer level is required
    - `definition`, only with `by_hand`: the level is the level computed by hand
    - `merging`, only with `monotone`: merging all classes does not lower the protection
    - `release`, only with `constructed`: a release that is constructed to satisfy the model holds
    - `near miss`, only with `constructed`: a release that is constructed to violate the model in
      exactly one class is violated by exactly one class

    Raises ContractError with every broken law.
    """
    drawn = any_tables(roles) if inputs is None else (inputs,)

    @remembered
    def run(table: Table) -> Measurement:
        return model.measure(table.classes())

    def law(name: str, promised: str, complaint: Callable[[Table], Complaint]) -> Law:
        return Law(name, promised, complaint, drawn)

    def same(name: str, of: str, change: Callable[[Table], Table]) -> Law:
        return law(name, f"the same level {of}", partial(_level, run, change))

    empty = st.just(Table(roles, ()))
    reached = partial(_reached, at or partial(_requiring, model), at is not None)
    laws = [
        law("runs", "a measurement, no exception", lambda table: raised(run, table)),
        Law("no data", "inconclusive", safely(run, _passes), (empty,)),
        law("counts", "consistent numbers", partial(_odd_numbers, run)),
        law("verdict", "violated if less safe than required", safely(run, _lenient)),
        same("row order", "for rows in any order", turned),
        same("class order", "for classes in any order", classes_turned),
        same("column order", "for columns in any order", columns_turned),
        same("value names", "for any names of values", renamed),
        law("persons", "each person counted once", partial(_once, run)),
        law("facts", "in a class of `about.facts`", safely(run, partial(_not_listed, model))),
        law("one more class", "the same level with a class of all rows", partial(_more, run)),
        law(
            "reached",
            "the measured level holds, and no safer one",
            reached,
        ),
    ]
    if by_hand is not None:
        laws.append(law("definition", "the level by hand", partial(_differs, run, by_hand)))
    if monotone:
        laws.append(law("merging", "no lower protection after merging", partial(_merging, run)))
    if constructed or (constructed is None and can_be_built(model, roles)):
        made, missed = (releases(model, roles),), (near_misses(model, roles),)
        laws.append(Law("release", "holds", safely(run, _does_not_hold), made))
        laws.append(Law("near miss", "violated by one class", safely(run, _not_one), missed))
    check_laws(f"check_model {model.name}", laws, skip, examples)


def _not_listed(model: Model, came: Measurement) -> Complaint:
    if not isinstance(came.details, Details):
        return None
    about: AboutModel = getattr(model, "about", AboutModel())
    listed = {fact.label for fact in compared_facts(about.facts)}
    lost = [fact.label for fact in came.details.facts() if fact.safer and fact.label not in listed]
    return f"{lost[0]!r} is not in `about.facts`, so no comparison sees it" if lost else None


def _passes(came: Measurement) -> Complaint:
    return None if came.outcome is Outcome.INCONCLUSIVE else str(came.outcome)


def _odd_numbers(run: Call[Measurement], table: Table) -> Complaint:
    try:
        came = run(table)
    except FOREIGN_FAULTS:
        return None
    return _odd_violations(came, table) or _odd_witness(came, table) or _odd_attributes(came)


def _odd_violations(came: Measurement, table: Table) -> Complaint:
    if came.classes_violating is None:
        return None
    classes, rows = came.classes_violating, came.rows_violating or 0
    fine = (came.outcome is Outcome.VIOLATED) == (classes > 0) == (rows > 0)
    if came.violating is not None:
        marked = came.violating
        fine &= classes == marked.sum() and rows == table.classes().rows[marked].sum()
    if fine and classes <= rows <= len(table.rows):
        return None
    return f"{came.outcome} with {classes} classes and {rows} rows violating"


def _odd_witness(came: Measurement, table: Table) -> Complaint:
    if came.witness is None:
        return None
    number, rows = came.witness.class_number, table.classes().rows
    if 0 <= number < len(rows) and rows[number] == came.witness.rows:
        return None
    return f"witness: class {number} with {came.witness.rows} rows; class sizes: {list(rows)}"


def _odd_attributes(came: Measurement) -> Complaint:
    levels = [one.measured for one in came.per_attribute.values() if one.measured is not None]
    if came.measured is None or not levels:
        return None
    worst = min(levels) if came.safer == "higher" else max(levels)
    if not _safer(came, came.measured, worst):
        return None
    return f"level {came.measured}, although an attribute has {worst}"


def _safer(came: Measurement, one: Number, other: Number) -> bool:
    """Return True if a level is safer than another one by more than rounding."""
    more, less = (one, other) if came.safer == "higher" else (other, one)
    return more > less and not isclose(more, less, rel_tol=CLOSE, abs_tol=CLOSE)


def _lenient(came: Measurement) -> Complaint:
    level, required = came.measured, came.required
    if level is None or required is None or not _safer(came, required, level):
        return None
    if came.outcome is Outcome.VIOLATED:
        return None
    return f"{came.outcome} at level {level}, {required} required"


def _differs(
    run: Call[Measurement], by_hand: Callable[[Table], Number | None], table: Table
) -> Complaint:
    try:
        came = run(table)
    except FOREIGN_FAULTS:
        return None
    wanted = by_hand(table)
    same = _equal(came.measured, wanted)
    return None if same else f"level {came.measured}, {wanted} by hand"


def _equal(one: Number | None, other: Number | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)


def _more(run: Call[Measurement], table: Table) -> Complaint:
    """Check that the level stays the same if a class with a copy of every row is added.

    The added class is no worse than the worst class, and the shares of values in the whole release
    do not change.
    """
    start, width = len(table.roles.identifiers), len(table.roles.quasi_identifiers)
    kept = [row for row in table.rows if set(row[start : start + width]) != {"*"}]
    whole = [(*row[:start], *["whole"] * width, *row[start + width :]) for row in kept]
    one, other = replace(table, rows=tuple(kept)), replace(table, rows=(*kept, *whole))
    came = before_and_after(run, one, other)
    if came is None or came[0].witness is None:
        return None
    levels = came[0].measured, came[1].measured
    return None if _equal(*levels) else f"level {levels[0]}, {levels[1]} with one more class"


def _level(run: Call[Measurement], change: Callable[[Table], Table], table: Table) -> Complaint:
    came = before_and_after(run, table, change(table))
    if came is None:
        return None
    one, other = came
    # A change may add unknown cells, and so change the number of undecided classes and the outcome.
    open_ = one.classes_undecided or other.classes_undecided
    same = one.outcome == other.outcome or open_
    near = _equal(one.measured, other.measured) and same
    return None if near else f"{one.measured}, {other.measured}"


def _once(run: Call[Measurement], table: Table) -> Complaint:
    """Check that the level does not change if each row becomes one or two rows of a person."""
    complaints = (_level(run, partial(of_persons, rows_each=n), table) for n in (1, 2))
    return next(filter(None, complaints), None)


def _requiring(model: Any, level: Number | None) -> Model:
    """Return the model with a required level.

    The level is set in the dataclass field that `measure` returns as `required`.

    Raises ParameterError if there is no such field.
    """
    empty = Table(ROLES, ()).classes()

    def required(name: str, value: Number | None) -> Number | None:
        asked: Measurement = replace(model, **{name: value}).measure(empty)
        return asked.required

    for one in fields(model):
        with suppress(Exception):  # the field does not accept a number
            if required(one.name, 1) == 1 and required(one.name, None) is None:
                requiring: Model = replace(model, **{one.name: level})
                return requiring
    raise ParameterError(f"no field of {model!r} requires a level")


def _reached(at: Callable[[Any], Model], exact: bool, table: Table) -> Complaint:
    """Check the outcomes if the measured level, a slightly less safe or a safer one is required.

    at: returns the model with a required level. exact: True also requires a measured level that is
    a fraction. A model with a strict limit would be violated at its measured level.
    """
    classes = table.classes()

    def asked(level: Number) -> Outcome | None:
        try:
            return at(level).measure(classes).outcome
        except FOREIGN_FAULTS:
            return None  # the model does not accept this level

    try:
        free = at(None).measure(classes)
    except FOREIGN_FAULTS:
        return None
    level = free.measured
    if level is None or free.outcome is Outcome.VIOLATED:  # another parameter is violated
        return None
    step = 1 if isinstance(level, int) else max(abs(level) * 1e-6, 1e-6)
    sign = 1 if free.safer == "higher" else -1
    if (exact or isinstance(level, int)) and asked(level) is Outcome.VIOLATED:
        return f"violated at the required level {level}, which was measured"
    if asked(level - sign * step) is Outcome.VIOLATED:
        return f"violated at the required level {level - sign * step}; {level} was measured"
    if asked(level + sign * step) is Outcome.HOLDS:
        return f"holds at the required level {level + sign * step}; {level} was measured"
    return None


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
    worse = _safer(before, before.measured, after.measured)
    return f"level {before.measured}, {after.measured} as one class" if worse else None


def _does_not_hold(came: Measurement) -> Complaint:
    return None if came.outcome is Outcome.HOLDS else f"{came.outcome}, level {came.measured}"


def _not_one(came: Measurement) -> Complaint:
    one = came.outcome is Outcome.VIOLATED and came.classes_violating == 1
    return None if one else f"{came.outcome}, {came.classes_violating} classes violating"
