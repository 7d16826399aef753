"""Helpers that several attacks use: options, linking with an external table, and outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from anonaudit.arrays import Bools
from anonaudit.attack import Attack, Setting, baseline, judge, undecided
from anonaudit.cells import FIRST_VALUE
from anonaudit.errors import AnonauditError, listed
from anonaudit.findings import Disclosure, Outcome, Witness, highest
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.known_orders import MOST_SEED, SEEDS
from anonaudit.linking.matching import Candidates, ColumnMatch, candidates, match_columns
from anonaudit.linking.too_much import TooMuchError
from anonaudit.models.level import ParameterError, real_number, whole_number

T = TypeVar("T")
A = TypeVar("A", bound=Attack)

# With the option everyone-released, a target that matches no row is undecided for this reason.
AWAY = "some people match no row, although everyone-released states that everybody has a row"
# `link` refuses to match if it expects more pairs (external and released combination) than this.
MOST_PAIRS = 200_000_000
# The largest number of (target, combination, value) triples. With more triples, an attack does not
# compute the chances of values, or raises TooMuchError.
MOST_TRIPLES = 50_000_000
# The largest number of choices of known columns that an attack tries.
MOST_CHOICES = 1_000


class NothingComparedError(AnonauditError):
    """No column of an external table can be compared with the release; the message says why."""


def bounded(run: Callable[[A, Setting], Disclosure]) -> Callable[[A, Setting], Disclosure]:
    """Return a function that calls `run`, and catches TooMuchError and NothingComparedError.

    After such an error the function returns an inconclusive result. The message of the error is the
    reason.
    """

    @wraps(run)
    def attempt(attack: A, setting: Setting) -> Disclosure:
        try:
            return run(attack, setting)
        except (TooMuchError, NothingComparedError) as error:
            return nothing(attack, setting, str(error), Outcome.INCONCLUSIVE)

    return attempt


def number_option(attack: str, setting: Setting, name: str, default: T, least: int) -> int | T:
    """Return the option `name`, a whole number of at least `least`; `default` if not given.

    Raises ParameterError for any other value.
    """
    return _checked(attack, setting, name, default, lambda key, v: whole_number(key, v, least))


def share_option(attack: str, setting: Setting, name: str, default: float) -> float:
    """Return the option `name`, a number above 0 and at most 1; `default` if not given.

    Raises ParameterError for any other value.
    """
    share = _checked(
        attack, setting, name, default, lambda key, v: real_number(key, v, 0, 1, above=True)
    )
    return float(share)


def factor_option(attack: str, setting: Setting, name: str, default: float) -> float:
    """Return the option `name`, a number above 1; `default` if not given.

    Raises ParameterError for any other value.
    """
    factor = _checked(
        attack, setting, name, default, lambda key, v: real_number(key, v, 1, above=True)
    )
    return float(factor)


def flag_option(attack: str, setting: Setting, name: str) -> bool:
    """Return the option `name`, True or False; False if not given.

    Raises ParameterError for any other value.
    """
    value = setting.options.get(name, False)
    if not isinstance(value, bool):
        raise ParameterError(f"{attack}: {_spelled(name)} must be true or false")
    return value


def choice_option(attack: str, setting: Setting, name: str, choices: tuple[str, ...]) -> str:
    """Return the option `name`, one of the choices; the first choice if not given.

    Raises ParameterError for any other value.
    """
    value = setting.options.get(name, choices[0])
    if value not in choices:
        raise ParameterError(f"{attack}: {_spelled(name)} must be one of {listed(choices)}")
    return str(value)


def seeds_option(attack: str, setting: Setting) -> Sequence[int]:
    """Return the seeds that the adversary tries; `known_orders.SEEDS` if the option is not given.

    Raises ParameterError unless the seeds are a list of whole numbers from 0 to MOST_SEED.
    """
    value = setting.options.get("seeds", SEEDS)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ParameterError(f"{attack}: seeds must be a list of whole numbers, not {value!r}")
    for seed in value:
        whole_number(f"{attack}: seeds", seed, 0)
        if seed > MOST_SEED:
            raise ParameterError(f"{attack}: seeds must be at most {MOST_SEED}, not {seed}")
    return value


def per_attribute_option(
    attack: str, setting: Setting, name: str, check: Callable[[str, object], None]
) -> dict[str, object]:
    """Return the option `name`, which maps sensitive attributes to values; empty if not given.

    check: validates one value. Its arguments are the name of the option, for messages, and the
        value.

    Raises ParameterError if the option is no mapping, or a key is no sensitive attribute.
    """
    value = setting.options.get(name, {})
    key = f"{attack}: {_spelled(name)}"
    if not isinstance(value, Mapping):
        raise ParameterError(
            f"{key} must be a table with sensitive attributes as keys, not {value!r}"
        )
    known = setting.classes.roles.sensitive
    for attribute, inner in value.items():
        if attribute not in known:
            raise ParameterError(
                f"{key} names {attribute!r}, which is not sensitive; there are: {listed(known)}"
            )
        check(f"{key} for {attribute!r}", inner)
    return dict(value)


def _checked(
    attack: str, setting: Setting, name: str, default: T, check: Callable[[str, object], None]
) -> T:
    value = setting.options.get(name, default)
    if value is None:
        raise ParameterError(f"{attack}: {_spelled(name)} must be a number, not None")
    check(f"{attack}: {_spelled(name)}", value)
    return value  # type: ignore[return-value]  # checked


def _spelled(option: str) -> str:
    return option.replace("_", "-")


def nothing(
    attack: Attack, setting: Setting, reason: str, outcome: Outcome = Outcome.SKIPPED
) -> Disclosure:
    """Return the Disclosure of an attack that did not run, or that decided nothing.

    reason: why. outcome: SKIPPED or INCONCLUSIVE. So a report never shows the release as safe.
    """
    return undecided(attack, reason, outcome, allowed=setting.allowed)


def disclosure(
    attack: Attack,
    setting: Setting,
    *,
    targets: int,
    disclosed: int,
    identified: int = 0,
    successes: int | None = None,
    undecided: int | None = None,
    reason: str | None = None,
    base: float | None = None,
    **more: object,
) -> Disclosure:
    """Return the Disclosure of an attack that ran, with its rate and outcome.

    If the external table has perturbed quasi-identifiers, every target that is not exposed is
    undecided.

    targets: how many people are attacked.
    disclosed: for how many of them a sensitive value is disclosed.
    identified: how many of them are linked with a single row (person).
    successes: how many of them are exposed, that is, identified or disclosed; `disclosed` if None.
    undecided: how many of them are undecided. None means 0 without a `reason`, and with a reason
        all targets that are not exposed.
    reason: why targets are undecided.
    base: the baseline. If None, it is the success rate of guessing the most frequent value of the
        release (`anonaudit.attack.baseline`).
    more: further fields of Disclosure.
    """
    hit = disclosed if successes is None else successes
    if undecided is None:
        undecided = targets - hit if reason else 0
    notes: tuple[str, ...] = more.pop("notes", ())  # type: ignore[assignment]
    not_compared, believed = _perturbed(setting)
    if not_compared and undecided < targets - hit:
        undecided, reason = targets - hit, "; ".join(filter(None, [reason, not_compared]))
    rate = hit / targets if targets else None
    outcome = judge(rate, setting.allowed, highest(rate, targets, undecided))
    if not targets:
        reason = "there is nobody to attack"
    return Disclosure(
        attack.name,
        attack.knowledge,
        targets,
        identified,
        disclosed,
        rate,
        baseline(setting.classes) if base is None else base,
        outcome,
        allowed=setting.allowed,
        reason=reason,
        undecided=undecided,
        notes=(*notes, *believed),
        **more,  # type: ignore[arg-type]
    )


def _perturbed(setting: Setting) -> tuple[str, list[str]]:
    """Return why perturbed columns leave targets undecided, and notes on perturbed columns.

    The reason is empty unless the external table has a perturbed quasi-identifier. There is one
    note for each perturbed sensitive column.
    """
    columns = setting.perturbed
    quasi, sensitive = (
        [column for column in some if column in columns]
        for some in (setting.classes.roles.quasi_identifiers, setting.classes.roles.sensitive)
    )
    known = [q for q in quasi if setting.external is not None and q in setting.external.attributes]
    believed = [
        f"{name} is perturbed, so a disclosed value may not be the true one: it is believed, not "
        "certain"
        for name in sensitive
    ]
    return _not_compared(known) if known else "", believed


def unknown_cells(open_: Mapping[str, Bools], sure: float = 1.0) -> str:
    """Return the reason why classes are undecided because of unknown sensitive cells.

    open_: by attribute, True for the undecided classes, shape (n_classes,).
    sure: the threshold of the attack: a target is exposed if the chance of a value is at least
        `sure`. If `sure` is 1, the text says that the known values of these classes agree. If it is
        below 1, the text says that unknown cells may raise the chance to `sure`.
    """
    names = [name for name, classes in open_.items() if classes.any()]
    if sure < 1:
        return (
            f"unknown cells of {listed(names)} may lift a chance to {sure:g} "
            '(conventions.sensitive = "one-value" counts them as a value)'
        )
    return (
        f"cells of {listed(names)} are unknown in classes whose other values agree "
        '(conventions.sensitive = "one-value" counts them as a value)'
    )


def largest_class(classes: EquivalenceClasses, exposed: Bools) -> Witness | None:
    """Return the exposed class with the most rows; None if no class is exposed.

    exposed: True for the exposed classes, shape (n_classes,).
    """
    if not exposed.any():
        return None
    number = int(np.flatnonzero(exposed)[np.argmax(classes.rows[exposed])])
    return Witness(number, int(classes.rows[number]))


def largest_of(classes: EquivalenceClasses, exposed: Mapping[str, Bools]) -> Witness | None:
    """Return the largest class that some attribute exposes, with the first such attribute.

    Returns None if no class is exposed. exposed: by attribute, True for the exposed classes, shape
    (n_classes,).
    """
    witness = largest_class(classes, np.logical_or.reduce(list(exposed.values())))
    if witness is None:
        return None
    return replace(witness, attribute=most_of(exposed, witness.class_number))


def most_of(exposed_by: Mapping[str, Bools], number: int) -> str | None:
    """Return the first attribute that exposes class `number`; None if no attribute does."""
    return next((name for name, exposed in exposed_by.items() if exposed[number]), None)


def shared_columns(attack: str, setting: Setting, table: FrequencySet) -> list[str]:
    """Return the quasi-identifiers that an external table has, without the perturbed ones.

    No match of a perturbed cell is certain, so attacks do not link people by perturbed columns.
    `disclosure` counts every target that the other columns do not expose as undecided.

    Raises AnonauditError if the table has no quasi-identifier, and NothingComparedError if it has
    only perturbed ones.
    """
    known = known_columns(attack, setting, table)
    compared = [column for column in known if column not in setting.perturbed]
    if not compared:
        raise NothingComparedError(_not_compared(known))
    return compared


def _not_compared(columns: Sequence[str]) -> str:
    verb = "is" if len(columns) == 1 else "are"
    return (
        f"{listed(columns)} {verb} perturbed and not compared, but near values may still link "
        "people (the attack distance-linkage measures this)"
    )


def known_columns(attack: str, setting: Setting, table: FrequencySet) -> list[str]:
    """Return the quasi-identifiers that an external table has.

    Raises AnonauditError if the table has none.
    """
    quasi = setting.classes.roles.quasi_identifiers
    known = [column for column in quasi if column in table.attributes]
    if not known:
        raise AnonauditError(
            f"{attack}: the external table has none of the quasi-identifiers {listed(quasi)}; "
            "rename its columns, or map them in the policy"
        )
    return known


def persons_of(
    setting: Setting, external: FrequencySet, known: Sequence[str]
) -> tuple[FrequencySet, npt.NDArray[np.int64]]:
    """Return the n combinations of an external table, and how many persons have each, shape (n,).

    known: the columns of the combinations. Rows with the same name and the same combination are one
    person. Without identity columns, or if a part of the name is missing, each row is one person.
    """
    named = [column for column in setting.identity if column not in known]
    people = external.project([*named, *known])
    persons = people.counts
    if setting.identity:
        known_name = people.columns(setting.identity) >= FIRST_VALUE
        persons = np.where(np.all(known_name, axis=1), 1, people.counts)
    outside = people.project(known)
    sharing = np.bincount(outside.entry_of(people), weights=persons, minlength=len(outside))
    return outside, sharing.astype(np.int64)


@dataclass(frozen=True)
class Links:
    """The released combinations that are candidates of each external combination.

    sure: the pairs that match. widest: the pairs that match or may match.
    unread: by column, how many released labels are undecided: it is not known whether they match
        some external value. Columns without undecided labels are absent.
    respelled: by column, how many of these labels differ from an external value only in spelling.
    """

    sure: Candidates
    widest: Candidates
    unread: Mapping[str, int]
    respelled: Mapping[str, int]

    @property
    def unread_labels(self) -> list[str]:
        """A reason for each column with undecided labels; it names the policy line to set."""
        compared = [
            f"{n} label(s) of {column} cannot be compared with the external table (state what they "
            f"denote: hierarchies or values.reading of {column})"
            for column, n in self.unread.items()
            if n > self.respelled[column]
        ]
        spelled = [
            f"{n} label(s) of {column} differ only in spelling from the external table "
            f'(values.normalize makes them equal; values.reading of {column} = "plain" keeps '
            "them different)"
            for column, n in self.respelled.items()
            if n
        ]
        return compared + spelled


def link(setting: Setting, outside: FrequencySet, inside: FrequencySet) -> Links:
    """Return the released combinations that match, or may match, each external combination.

    outside: the external combinations. inside: the released combinations, over the same columns.

    Raises TooMuchError if more than MOST_PAIRS pairs are expected to match. The expected number is
    computed as if the columns were independent.
    """
    matches = match_columns(
        outside,
        inside,
        hierarchies=setting.hierarchies,
        readings=setting.readings,
        separators=setting.separators,
        decimal=setting.decimal,
        maybe=True,
    )
    sure = _candidates(outside, inside, matches)
    open_ = {c: m for c, m in zip(outside.attributes, matches, strict=True) if m.unread}
    unread = {column: match.unread for column, match in open_.items()}
    respelled = {column: match.respelled for column, match in open_.items()}
    if not unread:
        return Links(sure, sure, unread, respelled)
    widest = _candidates(outside, inside, [match.widest for match in matches])
    return Links(sure, widest, unread, respelled)


def _candidates(
    outside: FrequencySet, inside: FrequencySet, matches: Sequence[ColumnMatch]
) -> Candidates:
    expected = float(len(outside)) * len(inside)
    for column, match in zip(outside.attributes, matches, strict=True):
        theirs = np.bincount(outside.column(column), minlength=len(match.start) - 1)
        ours = np.bincount(inside.column(column), minlength=len(inside.labels_of(column)))
        fits = np.add.reduceat(
            np.append(ours[match.released], 0), np.minimum(match.start[:-1], len(match.released))
        )
        fits = np.where(np.diff(match.start) > 0, fits, 0)
        expected *= float(theirs @ fits) / max(float(len(outside)) * len(inside), 1)
    if expected > MOST_PAIRS:
        raise TooMuchError(
            f"about {expected:.0e} pairs of {len(outside)} external and {len(inside)} released "
            "combinations match; name more columns, or fewer people"
        )
    return candidates(outside, inside, matches)
