"""From a policy to a masked release: which algorithm, what it aims at, and the audit of what comes.

A masker aims at the models it knows; whatever else the policy requires is measured in the result
like in anybody's release. Nothing is released that breaks the policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonaudit import notebook
from anonaudit.arrays import Index
from anonaudit.auditing.audit import audit
from anonaudit.auditing.examining import Progress
from anonaudit.auditing.model_inputs import boundaries_from
from anonaudit.auditing.notices import label_notices, totals_beside, undeclared_unit
from anonaudit.auditing.original import hierarchies_of
from anonaudit.cells import FIRST_VALUE, SUPPRESSED
from anonaudit.errors import InputError, closest, listed
from anonaudit.findings import AuditReport
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.aims import Aim, aim_of
from anonaudit.masking.algorithms import (
    ALGORITHMS,
    UNMASKED,
    algorithm_for,
    check_memory,
    lacking,
    unmasked,
)
from anonaudit.masking.loss import information_loss
from anonaudit.masking.order import by_values, drawing
from anonaudit.masking.recoding import Microdata, NotAchievableError, Recoding
from anonaudit.masking.rule_hiding import hide_rules
from anonaudit.masking.task import Task
from anonaudit.policy.policy import Policy
from anonaudit.policy.repairs import mended_spec, repaired
from anonaudit.report.brief import falling_short
from anonaudit.report.words import figures
from anonaudit.source.table import Source, open_source, own_table

# What to tell of the unit column.
_UNIT: Final = {
    "renumbered": "the unit column {!r} has fresh random numbers; they tell which rows belong to "
    "one person, and not who that is",
    "dropped": "the unit column {!r} is not released: this audit counted persons, and nobody who "
    "has the file can count them again",
    "kept": "the unit column {!r} is released as it was: whoever knows a person's value there "
    'finds all rows of that person; masking.unit-in-release = "renumbered" prevents that',
}
# Every algorithm is tried, and the release with the least loss taken.
BEST: Final = "best"
INSECURE: Final = (
    "the secret draws of this release come from an insecure seed: whoever knows or guesses it can "
    "draw again and undo them; do not publish it"
)

__all__ = ["ALGORITHMS", "BEST", "UNMASKED", "Attempt", "Masked", "Original", "ground_rows", "mask"]


@dataclass(frozen=True)
class Attempt:
    """What came of an algorithm where all were tried.

    loss: of the release it made, as `Masked.loss`; None if it made none. reason: why it made none,
    or what its release would break or leave undecided; None of a release that keeps the policy,
    taken or not.
    """

    algorithm: str
    loss: float | None
    reason: str | None = None

    def __str__(self) -> str:
        facts = [] if self.loss is None else [f"loss {figures.percent(self.loss)}"]
        return f"{self.algorithm} ({', '.join(facts + ([self.reason] if self.reason else []))})"


@dataclass(frozen=True, repr=False)
class Masked(notebook.Result):
    """A release that keeps its policy, with all that a publisher needs beside it.

    recoding: what was done, before sensitive cells were suppressed. release: the table to
    publish, sorted by its values (see `by_values`). ground: the original of each released row, in
    the same order, equal rows sorted by their originals; not to be published. hierarchies: those
    used. notes: what to tell. tried: what came of each algorithm, if the best was asked for.
    counted: the release with its persons numbered, where the unit column is dropped from it.
    """

    algorithm: str
    recoding: Recoding
    release: pd.DataFrame = field(repr=False)
    ground: pd.DataFrame = field(repr=False)
    hierarchies: Mapping[str, Hierarchy]
    policy: Policy
    notes: tuple[str, ...]
    tried: tuple[Attempt, ...] = ()
    counted: pd.DataFrame | None = field(default=None, repr=False)

    def _line(self) -> str:
        left_out, loss = int(self.recoding.suppressed.sum()), figures.percent(self.loss)
        return f"by {self.algorithm}: {len(self.release)} rows, {left_out} left out, loss {loss}"

    def _shown(self) -> notebook.Shown:
        """Counts and notes, no row of the release."""
        return notebook.Shown(f"Masked {self._line()}", points=self.notes)

    @property
    def loss(self) -> float:
        """The information loss (MCT08 Definition 11), as a share of the largest there is.

        Of the quasi-identifiers: sensitive cells that were suppressed to hide rules are not in it.
        """
        cells = len(self.recoding.data) * len(self.recoding.domains)
        return information_loss(self.recoding) / max(cells, 1)

    def audit(
        self, release: Any = None, *, seed: int = 0, progress: Progress = lambda _: None
    ) -> AuditReport:
        """The audit of the release (as it was written, if a path is given).

        Boundaries are checked cell by cell: the masker knows what every row was. Persons are
        counted, also where the unit column is dropped, so that the file itself cannot say them.
        """
        bounded = any(spec.max_generalization for spec in self.policy.hierarchies.values())
        table = self.release if release is None else release
        return audit(
            table if self.counted is None else own_table(self.counted, "the release"),
            self.policy,
            original=own_table(self.ground) if bounded else None,
            align="order" if bounded else None,
            seed=seed,
            progress=progress,
        )


def mask(
    original: Any,
    policy: Policy,
    *,
    algorithm: str | None = None,
    threshold: int | None = None,
    seed: int = 0,
    insecure_seed: int | None = None,
    progress: Progress = lambda _: None,
) -> Masked:
    """Mask a table so that it keeps a policy.

    original: a path, or a table in memory. algorithm: one of ALGORITHMS; chosen by the policy if
    None. `best` runs all that know what the policy requires, audits what each makes, and takes,
    of the releases that keep the policy, the one with the least `Masked.loss` (of equal ones the
    first in the order of ALGORITHMS). threshold: how many rows may be suppressed: none by default;
    for greedy-cka, which must suppress what fits no boundary, any number by default. seed: of the
    first row that k-member and greedy-cka start from, and of attacks that draw at random; nothing
    is undone by knowing it.

    insecure_seed: the cells that rule hiding suppresses are drawn by the operating system, so no
    two runs are alike where a policy limits the confidence of rules. A number makes such runs
    repeatable, for tests; who knows it draws again, and `notes` say so.

    If the policy names a unit, persons are counted, and its column is released with fresh random
    numbers, unless `masking.unit-in-release` says otherwise. The operating system draws these
    numbers, whatever the seeds.

    Columns that are neither quasi-identifier, sensitive nor unit are not released. The same table
    gives the same release, whatever the order of its rows, where nothing secret is drawn.

    Raises NotAchievableError where no release that keeps the policy can be made that way;
    InputError and PolicyError for what cannot be read or asked for together.

    >>> import pandas as pd
    >>> from anonaudit.policy import parse_policy
    >>> rules = parse_policy('''
    ...     columns.quasi-identifiers = ["age"]
    ...     hierarchies.age = { intervals = [10], origin = 0 }
    ...     require.k-anonymity = { k = 2 }
    ... ''')
    >>> sorted(mask(pd.DataFrame({"age": ["21", "24", "35", "38"]}), rules).release["age"])
    ['[20,30)', '[20,30)', '[30,40)', '[30,40)']
    """
    known = (*ALGORITHMS, BEST)
    if algorithm is not None and algorithm not in known:
        raise InputError(f"there is no algorithm {algorithm!r}. {closest(algorithm, known)}")
    progress("reading rows")
    table = Original.read(original, policy)
    aim = aim_of(policy)
    make = partial(
        table.masked, aim=aim, threshold=threshold, seed=seed, insecure_seed=insecure_seed
    )
    if algorithm == BEST:
        return _best(aim, make, seed, progress)
    chosen = algorithm or algorithm_for(aim, table.data)
    if unknown := lacking(chosen, aim):
        raise InputError(f"the algorithm {chosen} does not know {listed(unknown)}; leave it out")
    progress(f"masking by {chosen}")
    return make(chosen, progress=progress)


def _best(aim: Aim, make: Callable[..., Masked], seed: int, progress: Progress) -> Masked:
    """The release with the least loss of those that keep the policy, one an algorithm.

    make: the release of an algorithm, by its name. seed: of the audits.
    """
    if all(lacking(name, aim) for name in ALGORITHMS):
        raise InputError(f"no algorithm masks for {listed(sorted(aim.beyond))} together")
    best: Masked | None = None
    tried: list[Attempt] = []
    for name in ALGORITHMS:
        if unknown := lacking(name, aim):
            tried.append(Attempt(name, None, f"does not know {listed(unknown)}"))
            continue

        def say(doing: str, name: str = name) -> None:
            progress(f"{name}: {doing}")

        say("masking")
        try:
            made = make(name, progress=say)
        except NotAchievableError as error:
            tried.append(Attempt(name, None, error.why))
            continue
        except MemoryError:
            tried.append(Attempt(name, None, "did not fit into memory"))
            continue
        broken = falling_short(made.audit(seed=seed, progress=say))
        reason = f"breaks or leaves open {', '.join(broken)}" if broken else None
        tried.append(Attempt(name, made.loss, reason))
        if not broken and (best is None or made.loss < best.loss):
            best = made
    attempts = f"tried: {'; '.join(map(str, tried))}"
    if best is None:
        message = f"no algorithm made a release that keeps the policy; {attempts}"
        raise NotAchievableError(message, reason="every algorithm")
    return replace(best, tried=tuple(tried), notes=(*best.notes, attempts))


# Warnings of a table to mask: rows counted for persons, records that are none, and values that
# count as others.
_SPOILS_MASKING: Final = (
    "undeclared-unit",
    "total-row",
    "undeclared-missing-token",
    "near-duplicate-labels",
)


def _categories(policy: Policy, data: Microdata) -> dict[str, Hierarchy]:
    """Columns that are read as `plain` hold categories, numbers too: each value, or `*`."""
    return {
        column: Hierarchy.from_levels(column, [(value, "*") for value in values])
        for column in data.roles.quasi_identifiers
        if policy.readings.get(column) == "plain"
        and (values := data.labels_of(column)[FIRST_VALUE:])
    }


def _about(source: Source, data: Microdata, policy: Policy) -> tuple[str, ...]:
    """What an audit of the original would warn of in its rows and labels; masking may hide it."""
    rows = data.frequency()
    read = (*policy.roles.quasi_identifiers, *policy.roles.sensitive)
    labels = {column: rows.labels_of(column)[FIRST_VALUE:] for column in read}
    notices = (
        *undeclared_unit(source, policy.roles),
        *label_notices(
            labels, policy.readings, policy.decimal, policy.convention, policy.roles.sensitive
        ),
        *totals_beside(source, policy.roles.identifiers),
    )
    seen = [f"column {n.column!r}: {n.message}" for n in notices if n.code in _SPOILS_MASKING]
    left_out = () if source.left_out is None else (source.left_out,)
    return (*left_out, *seen)


@dataclass(frozen=True, repr=False)
class Original(notebook.Result):
    """A table to mask, read once, with the policy it is masked for.

    data: its rows, with the hierarchies of the policy. rest: its columns without a part. notes:
    what to tell of the table itself.
    """

    data: Microdata
    policy: Policy
    trees: Mapping[str, Hierarchy]
    rest: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def _line(self) -> str:
        return f"of {len(self.data)} rows for {self.policy!r}"

    @classmethod
    def read(cls, original: Any, policy: Policy) -> Original:
        """A path, or a table in memory. Raises InputError and PolicyError as `mask` does."""
        source = open_source(original)
        policy.check(source.columns)
        specs = {name: mended_spec(spec, policy) for name, spec in policy.hierarchies.items()}
        policy = replace(policy, hierarchies=specs)
        mend = partial(repaired, policy=policy)
        data = Microdata.read(source, policy.roles, {}, policy.convention, mend)
        trees = {**_categories(policy, data), **hierarchies_of(policy, data.frequency())}
        data = replace(data, whole_persons=policy.masking.suppress == "persons")
        named = [column for _, column in policy.roles.named()]
        rest = tuple(column for column in source.columns if column not in named)
        return cls(data.generalized_by(trees), policy, trees, rest, _about(source, data, policy))

    def masked(
        self,
        algorithm: str,
        aim: Aim,
        *,
        threshold: int | None = None,
        seed: int = 0,
        insecure_seed: int | None = None,
        numbers: Callable[[int], Index] | None = None,
        progress: Progress = lambda _: None,
    ) -> Masked:
        """The release one of ALGORITHMS (or `unmasked`) makes for an aim it knows.

        threshold, seed, insecure_seed: as in `mask`. numbers: draws those of the persons (see
        `drawing`); None for the operating system, as every release must have it that leaves the
        machine. An unmasked table keeps its order.

        Raises NotAchievableError where there is none.
        """
        data = self.data
        if algorithm != UNMASKED:
            check_memory(algorithm, data)
        boundaries = boundaries_from(self.policy, self.trees)
        run = unmasked if algorithm == UNMASKED else ALGORITHMS[algorithm].run
        recoding = run(Task(data, aim, boundaries, threshold, seed))
        unit, how = data.roles.unit, self.policy.masking.unit_in_release
        rows = np.flatnonzero(~recoding.suppressed)
        release = recoding.frame()
        if unit is not None:
            kept = how == "kept" or algorithm == UNMASKED
            release[unit] = person_names(data, rows) if kept else _numbers(data, rows, numbers)
        if aim.confidence is not None:
            progress("hiding rules")
            masked = Microdata.read(own_table(release), data.roles, {}, data.convention)
            hidden = hide_rules(masked, c=aim.confidence, seed=insecure_seed).frame()
            release = hidden if unit is None else hidden.assign(**{unit: release[unit]})
        ground = ground_rows(data, rows)
        if algorithm != UNMASKED:  # the order of the rows would link them to the original
            shown = release if how != "dropped" else release.drop(columns=unit, errors="ignore")
            there = shown.notna().any(axis=1).to_numpy()  # no padding is written
            release, ground = (table[there].reset_index(drop=True) for table in (release, ground))
            order = by_values(release, ground)
            release, ground = (
                table.iloc[order].reset_index(drop=True) for table in (release, ground)
            )
        dropped = unit is not None and how == "dropped" and algorithm != UNMASKED
        return Masked(
            algorithm=algorithm,
            recoding=recoding,
            release=release.drop(columns=unit) if dropped else release,
            ground=ground,
            hierarchies=boundaries.hierarchies,
            policy=self.for_release,
            notes=(
                *self.notes,
                *_notes(self.rest, recoding, aim),
                *_silent(len(recoding.data) - int(recoding.suppressed.sum()) - len(release)),
                *self._starred(release),
                *([] if unit is None or algorithm == UNMASKED else [_UNIT[how].format(unit)]),
                *([] if insecure_seed is None else [INSECURE]),
            ),
            counted=release if dropped else None,
        )

    def _starred(self, release: pd.DataFrame) -> list[str]:
        """What to tell of rows that stand for everybody, and of columns that say nothing.

        Such rows are a class here, not left out.
        """
        data, remarks = self.data, []
        stars = {q: release[q] == data.texts(q)[SUPPRESSED] for q in data.roles.quasi_identifiers}
        at_top = np.all([*stars.values()], axis=0)
        if self.policy.convention.suppressed_tuples != "include" and at_top.any():
            remarks.append(
                f"{int(at_top.sum())} row(s) are suppressed in every quasi-identifier; they count "
                "as a class here, and in later audits if the policy says "
                'conventions.suppressed-tuples = "include"'
            )
        gone = [q for q, star in stars.items() if star.all()]
        if gone and not release.empty:
            remarks.append(
                f"suppressed in every row: {listed(gone)}; hierarchies with coarser steps, or "
                "leaving such columns out, may lose less of the others"
            )
        return remarks

    @property
    def for_release(self) -> Policy:
        """The policy of what is released: trees as they are, rows at the top rows like others."""
        specs = {
            name: replace(spec, tree=self.trees[name], intervals=(), prefixes=(), icd_10=False)
            for name, spec in self.policy.hierarchies.items()
        }
        convention = replace(self.policy.convention, suppressed_tuples="include")
        policy = self.policy.without_release()
        return replace(policy, hierarchies=specs, convention=convention, original=None)


def person_names(data: Microdata, rows: Index) -> npt.NDArray[Any]:
    """The texts of the unit column in some rows of the original; not to be published."""
    names = np.array(data.person_labels, dtype=object)
    return np.empty(0, object) if data.persons is None else names[data.persons[rows]]


def _numbers(
    data: Microdata, rows: Index, numbers: Callable[[int], Index] | None
) -> npt.NDArray[Any]:
    """A number from 1 on for the person of each row, drawn anew.

    Numbers that mean missing or suppressed by the policy are passed over: they name nobody.
    """
    if data.persons is None:
        return np.empty(0, object)
    people, person = np.unique(data.persons[rows], return_inverse=True)
    passed_over = {*data.convention.missing, *data.convention.suppressed}
    texts = map(str, range(1, len(people) + len(passed_over) + 1))
    free = np.array([text for text in texts if text not in passed_over], dtype=object)
    return free[(numbers or drawing())(len(people))[person]]


def ground_rows(data: Microdata, rows: Index) -> pd.DataFrame:
    """Rows of the original as texts; not to be published."""
    columns = zip(data.attributes, data.codes[rows].T, strict=True)
    return pd.DataFrame({name: data.texts(name)[codes] for name, codes in columns})


def _silent(rows: int) -> Iterator[str]:
    """What to tell of rows that would be released without a value in any column."""
    if rows:
        yield f"left out, having no value in any released column: {rows} row(s)"


def _notes(rest: Sequence[str], recoding: Recoding, aim: Aim) -> tuple[str, ...]:
    notes = []
    if rest:
        notes.append(f"not released, having no part: {listed(rest)}")
    if recoding.suppressed.any():
        gone = recoding.data.take(recoding.suppressed)
        of = "" if gone.persons is None else f" of {gone.n_persons} person(s)"
        notes.append(f"suppressed and left out: {len(gone)} row(s){of}")
    if aim.only_measured:
        notes.append(f"not aimed at, only measured in the release: {listed(aim.only_measured)}")
    return tuple(notes)
