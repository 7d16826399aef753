"""Build the `Setting` of an attack from a prepared release and a request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from anonaudit.attack import Attack, Setting
from anonaudit.auditing.contradictions import of_disclosure
from anonaudit.auditing.model_inputs import copied
from anonaudit.auditing.people import people_of
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.errors import InputError
from anonaudit.findings import Disclosure
from anonaudit.frequency.classes import EquivalenceClasses, equivalence_classes
from anonaudit.frequency.counting import count
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.plugins import ATTACKS
from anonaudit.policy.policy import AttackRequest, PeopleFile
from anonaudit.policy.repairs import repaired
from anonaudit.roles import Roles
from anonaudit.source.table import ROW_NUMBER, TableFile


def setting_of(prepared: PreparedRelease, request: AttackRequest, seed: int) -> Setting:
    """Return the input of an attack, as the policy describes it.

    request: the attack and its options. seed: the seed for attacks that draw at random.

    Raises InputError if a table of the adversary cannot be read, if it lacks a column that the
    policy names in it, or if another release has no quasi-identifier or no sensitive attribute.
    """
    policy, external = prepared.policy, request.external
    return Setting(
        classes=prepared.classes,
        hierarchies=copied(prepared.hierarchies),
        readings=copied(policy.read_as),
        separators=copied(policy.separators),
        decimal=policy.decimal,
        orders=copied(policy.ordered),
        external=None if external is None else people_of(prepared, external),
        identity=() if external is None else external.identity,
        ordered=None if external is None else partial(_in_order, prepared, external),
        rows=partial(_by_row, prepared) if prepared.source.ordered else None,
        population=None if policy.population is None else partial(_population, prepared),
        second=None if request.second is None else _second(prepared, request.second),
        others=tuple(_second(prepared, other) for other in request.others),
        alignment=prepared.alignment,
        protected={c: spec.protected for c, spec in policy.hierarchies.items()},
        options=copied(request.options),
        seed=seed,
        allowed=request.allowed,
    )


def disclosed(attack: Attack, setting: Setting) -> Disclosure:
    """Run an attack.

    Raises AnonauditError if an attack of another package fails or contradicts itself.
    """
    found = ATTACKS.result(attack.name, lambda: attack.run(setting), Disclosure)
    if not ATTACKS.ours(attack.name):
        ATTACKS.refuse(attack.name, of_disclosure(found, attack.name, setting.allowed))
    return found


def _in_order(prepared: PreparedRelease, external: PeopleFile) -> tuple[FrequencySet, FrequencySet]:
    """Count the release and the external table with one entry per row (see `Setting.ordered`)."""
    policy = prepared.policy
    outside = people_of(prepared, external, (ROW_NUMBER,))
    known = [q for q in policy.roles.quasi_identifiers if q in outside.attributes]
    inside = count(prepared.source, [ROW_NUMBER, *known], policy.convention)
    return repaired(inside, policy), outside


def _population(prepared: PreparedRelease) -> FrequencySet:
    """Count the population over sensitive attributes and quasi-identifiers that it has.

    See `Setting.population`.
    """
    policy = prepared.policy
    assert policy.population is not None  # noqa: S101  # `setting_of` checks this
    columns = prepared.open(policy.population).columns
    sensitive = [column for column in policy.roles.sensitive if column in columns]
    return people_of(prepared, policy.population, sensitive)


def _by_row(prepared: PreparedRelease, columns: Sequence[str]) -> FrequencySet:
    """Count the release with one entry per row (see `Setting.rows`). columns: all if empty."""
    source, policy = prepared.source, prepared.policy
    counted = count(source, [ROW_NUMBER, *(columns or source.columns)], policy.convention)
    return repaired(counted, policy)


def _second(prepared: PreparedRelease, file: TableFile) -> EquivalenceClasses:
    """Return the classes of another release, over the columns of the policy that it has.

    Rows are counted, even if the policy names a unit column.

    Raises InputError if it has no quasi-identifier or no sensitive attribute of the policy.
    """
    policy, table = prepared.policy, prepared.open(file)
    quasi, sensitive = (
        tuple(column for column in columns if column in table.columns)
        for columns in (policy.roles.quasi_identifiers, policy.roles.sensitive)
    )
    if not quasi or not sensitive:
        kind = "sensitive column" if quasi else "quasi-identifier"
        raise InputError(
            f"{table.name}: this release has no {kind} of the policy; rename its columns"
        )
    weight = policy.roles.count if policy.roles.count in table.columns else None
    counted = count(table, [*quasi, *sensitive], policy.convention, weight=weight)
    return equivalence_classes(
        repaired(counted, policy), Roles(quasi, sensitive), policy.convention
    )
