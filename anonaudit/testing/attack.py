"""`check_attack`: laws for attacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from hypothesis.strategies import SearchStrategy

from anonaudit.attack import Attack, Setting
from anonaudit.findings import Disclosure, Outcome
from anonaudit.models import Model
from anonaudit.roles import Roles
from anonaudit.strategies import ROLES, Table, releases
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


def check_attack(
    attack: Attack,
    *,
    roles: Roles = ROLES,
    setting: Callable[[Table], Setting] | None = None,
    bounded_by: Model | None = None,
    finds: SearchStrategy[Table] | None = None,
    inputs: SearchStrategy[Table] | None = None,
    skip: Sequence[str] = (),
    examples: int = 30,
) -> None:
    """Check that an attack reports what it can stand by, on small releases drawn for it.

    attack: an instance with `name`, `knowledge` and `run`.
    setting: what it is given for a release; the classes alone if not given.
    bounded_by: a model that leaves it nothing to disclose.
    finds: releases of which it must disclose something.
    inputs, skip, examples: as for `check_masker`.

    Laws: `runs`; `counts` (no more identified or disclosed than targets, the rate a share);
    `reason` (without targets it is inconclusive or skipped, says why, and is never a pass);
    `limit` (any disclosure breaks an allowed rate of 0, none one of 1); `deterministic`,
    `row order`, `value names`; with `bounded_by`, `bounded`: no disclosure in releases that satisfy
    the model; with `finds`, `finds`.

    Returns nothing. Raises ContractError with every broken law.
    """
    situate = setting or (lambda table: Setting(table.classes()))
    drawn = inputs or any_tables(roles)

    def run(table: Table, allowed: float | None = None) -> Disclosure:
        return attack.run(replace(situate(table), allowed=allowed))

    def law(name: str, promised: str, complaint: Callable[[Table], Complaint]) -> Law:
        return Law(name, promised, complaint, drawn)

    laws = [
        law("runs", "a disclosure, no exception", lambda table: raised(run, table)),
        law("counts", "numbers that go together", safely(run, _odd_counts)),
        law("reason", "a reason where nothing was attacked", safely(run, _no_reason)),
        law("limit", "the outcome that the allowed rate asks for", partial(_limit, run)),
        law("deterministic", "the same disclosure again", partial(_same, run, lambda t: t)),
        law("row order", "the same disclosure for rows in any order", partial(_same, run, turned)),
        law(
            "value names",
            "the same numbers whatever values are called",
            partial(_same, run, renamed),
        ),
    ]
    if bounded_by is not None:
        safe = releases(bounded_by, roles)
        promised = f"no disclosure where {bounded_by} holds"
        laws.append(Law("bounded", promised, safely(run, _disclosed), safe))
    if finds is not None:
        laws.append(Law("finds", "a disclosure", safely(run, _nothing_found), finds))
    check(f"check_attack {attack.name}", laws, skip, examples)


def _odd_counts(came: Disclosure) -> Complaint:
    numbers = (came.identified, came.disclosed, *came.per_attribute.values())
    fine = all(0 <= n <= came.targets for n in numbers)
    share = came.rate is None or 0 <= came.rate <= 1
    told = came.rate is None or came.rate > 0 or not (came.identified or came.disclosed)
    return None if fine and share and told else str(came)


def _no_reason(came: Disclosure) -> Complaint:
    idle = came.outcome in (Outcome.SKIPPED, Outcome.INCONCLUSIVE)
    if (came.targets == 0 or came.rate is None) and not idle:
        return f"{came.outcome}, with no targets"
    return f"{came.outcome} without a reason" if idle and not came.reason else None


def _limit(run: Run[Disclosure], table: Table) -> Complaint:
    try:
        strict, lax = run(table, 0.0), run(table, 1.0)
    except Exception:
        return None
    if strict.rate is None:
        return None
    wanted = Outcome.VIOLATED if strict.rate > 0 else Outcome.HOLDS
    for came, expected in ((strict, wanted), (lax, Outcome.HOLDS)):
        if came.outcome not in (expected, Outcome.INCONCLUSIVE):
            return f"{came.outcome} at a rate of {came.rate}, where {came.allowed} is allowed"
    return None


def _same(run: Run[Disclosure], change: Callable[[Table], Table], table: Table) -> Complaint:
    came = before_and_after(run, table, change(table))
    if came is None:
        return None
    numbers = [
        (d.targets, d.identified, d.disclosed, d.rate, d.outcome, dict(d.per_attribute))
        for d in came
    ]
    return None if numbers[0] == numbers[1] else f"{numbers[0]}\nbut also\n{numbers[1]}"


def _disclosed(came: Disclosure) -> Complaint:
    return f"{came.disclosed} of {came.targets} disclosed" if came.disclosed else None


def _nothing_found(came: Disclosure) -> Complaint:
    return None if came.disclosed or came.identified else f"{came.outcome}: nothing was disclosed"
