"""Mask a table according to a policy: choose an algorithm, run it, and audit the release.

An algorithm aims only at the requirements that `aims.py` translates into goals. All other
requirements of the policy are only measured in the release. The command `anonaudit mask` writes a
release only if its audit passes.
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
from anonaudit.frequency.cell_texts import has_cells
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

# The note about the unit column, by `masking.unit-in-release`.
_UNIT: Final = {
    "renumbered": "the unit column {!r} has new random numbers; they show which rows belong to the "
    "same person, but not who the person is",
    "dropped": "the unit column {!r} is not released: this audit counted persons, but an audit of "
    "the released file alone can count only rows",
    "kept": "the unit column {!r} is released unchanged: an adversary who knows a person's value "
    "in this column finds all rows of the person; "
    'masking.unit-in-release = "renumbered" prevents this',
}
# The name that runs all algorithms and takes the release with the least loss.
BEST: Final = "best"
INSECURE: Final = (
    "the random draws of this release come from an insecure seed: an adversary who knows or "
    "guesses the seed can repeat and undo the draws; do not publish this release"
)

__all__ = ["ALGORITHMS", "BEST", "UNMASKED", "Attempt", "Masked", "Original", "ground_rows", "mask"]


@dataclass(frozen=True)
class Attempt:
    """The result of one algorithm when all algorithms were tried.

    algorithm: the name of the algorithm.
    loss: the information loss of its release (`Masked.loss`); None if there is no release.
    reason: why there is no release, or which requirements the release breaks or leaves undecided;
        None if the release satisfies the policy.
    """

    algorithm: str
    loss: float | None
    reason: str | None = None

    def __str__(self) -> str:
        facts = [] if self.loss is None else [f"loss {figures.percent(self.loss)}"]
        return f"{self.algorithm} ({', '.join(facts + ([self.reason] if self.reason else []))})"


@dataclass(frozen=True, repr=False)
class Masked(notebook.Result):
    """A masked table, with the original rows, the policy and notes for the publisher.

    algorithm: the name of the algorithm.
    recoding: the result of the algorithm, before sensitive cells were suppressed to hide rules.
    release: the table to publish, sorted by its values (see `by_values`).
    ground: the original of each row of `release`, in the same order. Equal released rows are sorted
        by their originals. Never publish this table.
    hierarchies: the hierarchies that were used.
    policy: the policy for an audit of the release, see `Original.for_release`.
    notes: sentences to show to the publisher.
    tried: the result of each algorithm if `mask` tried all of them (`best`); otherwise empty.
    counted: if the unit column was dropped from `release`: the release with a unit column of random
        numbers, so that an audit can count persons. Otherwise None.
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
        """Return counts and notes for a notebook, but no row of the release."""
        return notebook.Shown(f"Masked {self._line()}", points=self.notes)

    @property
    def loss(self) -> float:
        """The information loss (MCT08 Definition 11) as a share of the largest possible loss.

        Only quasi-identifiers count. Sensitive cells that were suppressed to hide rules do not.
        """
        cells = len(self.recoding.data) * len(self.recoding.domains)
        return information_loss(self.recoding) / max(cells, 1)

    def audit(
        self, release: Any = None, *, seed: int = 0, progress: Progress = lambda _: None
    ) -> AuditReport:
        """Audit the release, and return the report.

        Boundaries are checked cell by cell against the original of every row. Persons are counted
        even if the unit column is not released.

        release: a path or table to audit instead, for example the written file; by default the
            table in memory. If the unit column was dropped, `release` must have the same cells as
            the table in memory, and the persons of that table are counted.
        seed: the seed of attacks that draw at random.

        Raises InputError if the unit column was dropped and `release` has other cells.
        """
        given = None if release is None else open_source(release)
        if given is None or self.counted is None:
            return self._audited(self.release if given is None else given, seed, progress)
        if not has_cells(given, self.release):
            raise InputError(
                f"{given.name}: differs from the masked release, so its persons are not known; "
                'set masking.unit-in-release = "renumbered" to audit it'
            )
        report = self._audited(self.release, seed, progress)
        named = replace(report.release, source=given.name, sha256=given.sha256)
        return replace(report, release=named)

    def _audited(self, table: Any, seed: int, progress: Progress) -> AuditReport:
        """Audit a table. If the unit column was dropped, audit `counted` instead."""
        bounded = any(spec.max_generalization for spec in self.policy.hierarchies.values())
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
    """Mask a table with an algorithm that aims at the requirements of a policy.

    Only quasi-identifiers, sensitive attributes and the unit column are released. If the policy
    names a unit, persons are counted. The unit column gets new random numbers, unless
    `masking.unit-in-release` says otherwise; these numbers always come from the operating system.

    Unless numbers or suppressed cells are drawn at random, the order of the rows in the original
    does not change the release.

    original: a path, or a table in memory.
    algorithm: a name in ALGORITHMS, or `best`, or None. None chooses the first algorithm that can
        aim at the requirements. `best` runs every algorithm that can aim at the requirements, and
        audits the releases. Among the releases that satisfy the policy, it returns the release with
        the least `Masked.loss`; if losses are equal, the first in the order of ALGORITHMS.
    threshold: the largest number of rows that may be suppressed. The default is 0. For greedy-cka,
        the default is no limit, because this algorithm must suppress the rows that cannot be masked
        within the boundaries.
    seed: the seed that draws the row from which k-member and greedy-cka start, and the seed of the
        attacks when `best` audits. The seed does not help an adversary to undo the masking.
    insecure_seed: None lets the operating system draw the cells that are suppressed to hide
        rules, so that every run differs. A number makes the draws repeatable, also for an adversary
        who knows the number. Use it only in tests; `notes` contain a warning.

    Returns the masked table. With `best`, the release satisfies every requirement. Otherwise only
    the goals of the algorithm were checked: call `Masked.audit` before you publish the release.

    Raises NotAchievableError if the algorithm cannot make a release. Raises InputError or
    PolicyError if the table cannot be read, or if no algorithm can aim at all requirements
    together.

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
        raise InputError(f"unknown algorithm {algorithm!r}. {closest(algorithm, known)}")
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
        raise InputError(
            f"the algorithm {chosen} cannot aim at {listed(unknown)}; name another algorithm, or "
            "leave the choice to anonaudit"
        )
    progress(f"masking by {chosen}")
    return make(chosen, progress=progress)


def _best(aim: Aim, make: Callable[..., Masked], seed: int, progress: Progress) -> Masked:
    """Run every algorithm, and return the release with the least loss that satisfies the policy.

    make: masks the table with the algorithm of a given name. seed: the seed of the audits.
    """
    if all(lacking(name, aim) for name in ALGORITHMS):
        raise InputError(f"no algorithm can aim at all of: {listed(sorted(aim.beyond))}")
    best: Masked | None = None
    tried: list[Attempt] = []
    for name in ALGORITHMS:
        if unknown := lacking(name, aim):
            tried.append(Attempt(name, None, f"cannot aim at {listed(unknown)}"))
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
        reason = f"breaks or leaves undecided {', '.join(broken)}" if broken else None
        tried.append(Attempt(name, made.loss, reason))
        if not broken and (best is None or made.loss < best.loss):
            best = made
    attempts = f"tried: {'; '.join(map(str, tried))}"
    if best is None:
        message = f"no algorithm made a release that satisfies the policy; {attempts}"
        raise NotAchievableError(message, reason="every algorithm")
    return replace(best, tried=tuple(tried), notes=(*best.notes, attempts))


# Warnings about the original that masking cannot repair: rows are counted as persons, although a
# person may have several; total rows are counted as records; cells that mean "missing" are counted
# as values; different spellings of one value are counted as different values.
_SPOILS_MASKING: Final = (
    "undeclared-unit",
    "total-row",
    "undeclared-missing-token",
    "near-duplicate-labels",
)


def _categories(policy: Policy, data: Microdata) -> dict[str, Hierarchy]:
    """Return a hierarchy without inner nodes for each quasi-identifier with the reading `plain`.

    With this hierarchy, a column of numbers is released as its values or `*`, not as intervals.
    """
    return {
        column: Hierarchy.from_levels(column, [(value, "*") for value in values])
        for column in data.roles.quasi_identifiers
        if policy.readings.get(column) == "plain"
        and (values := data.labels_of(column)[FIRST_VALUE:])
    }


def _about(source: Source, data: Microdata, policy: Policy) -> tuple[str, ...]:
    """Return the warnings that an audit of the original would give about its rows and labels.

    After masking, an audit of the release may no longer see the problem.
    """
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
    """A table to mask and its policy. The table is read once, and may be masked several times.

    data: the rows, with the hierarchies of the policy.
    trees: the hierarchies by column, also those of sensitive attributes.
    rest: the columns that are not released, because they have no role.
    notes: warnings about the original table.
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
        """Read a table and normalize the spelling of its cells as the policy says.

        original: a path, or a table in memory.

        Raises InputError if the table cannot be read, PolicyError if the policy does not fit it.
        """
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
        """Mask the table by one algorithm.

        algorithm: one of ALGORITHMS, or UNMASKED. With UNMASKED, the rows and their order do not
            change.
        aim: the goals. The algorithm must be able to aim at all of them.
        threshold, seed, insecure_seed: as in `mask`.
        numbers: a function as from `drawing`, which draws the numbers of the persons. None draws
            from the operating system; use None for every release that you publish.

        Raises NotAchievableError if the algorithm cannot make a release.
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
            there = shown.notna().any(axis=1).to_numpy()  # a row without any value is left out
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
                *_note_of_empty_rows(
                    len(recoding.data) - int(recoding.suppressed.sum()) - len(release)
                ),
                *self._starred(release),
                *([] if unit is None or algorithm == UNMASKED else [_UNIT[how].format(unit)]),
                *([] if insecure_seed is None else [INSECURE]),
            ),
            counted=release if dropped else None,
        )

    def _starred(self, release: pd.DataFrame) -> list[str]:
        """Return notes about rows with `*` in every quasi-identifier and columns with only `*`."""
        data, remarks = self.data, []
        stars = {q: release[q] == data.texts(q)[SUPPRESSED] for q in data.roles.quasi_identifiers}
        at_top = np.all([*stars.values()], axis=0)
        if self.policy.convention.suppressed_tuples != "include" and at_top.any():
            remarks.append(
                f"{int(at_top.sum())} row(s) are suppressed in every quasi-identifier; this audit "
                "counts them as a class; a later audit does so only with "
                'conventions.suppressed-tuples = "include" in its policy'
            )
        gone = [q for q, star in stars.items() if star.all()]
        if gone and not release.empty:
            remarks.append(
                f"suppressed in every row: {listed(gone)}; to keep more of the other columns, use "
                "hierarchies with coarser levels, or remove these columns from the table"
            )
        return remarks

    @property
    def for_release(self) -> Policy:
        """The policy for an audit of the release.

        The hierarchies are those of the masking. Rows with `*` in every quasi-identifier count as a
        class.
        """
        specs = {
            name: replace(spec, tree=self.trees[name], intervals=(), prefixes=(), icd_10=False)
            for name, spec in self.policy.hierarchies.items()
        }
        convention = replace(self.policy.convention, suppressed_tuples="include")
        policy = self.policy.without_release()
        return replace(policy, hierarchies=specs, convention=convention, original=None)


def person_names(data: Microdata, rows: Index) -> npt.NDArray[Any]:
    """Return the texts of the unit column in these rows of the original. Never publish them.

    rows: positions of rows. Returns an empty array if there is no unit column.
    """
    names = np.array(data.person_labels, dtype=object)
    return np.empty(0, object) if data.persons is None else names[data.persons[rows]]


def _numbers(
    data: Microdata, rows: Index, numbers: Callable[[int], Index] | None
) -> npt.NDArray[Any]:
    """Return a newly drawn number for the person of each row, as text.

    The numbers start at 1. Numbers that the policy reads as missing or suppressed, for example 99,
    are not used.

    rows: positions of rows. numbers: as in `Original.masked`.
    """
    if data.persons is None:
        return np.empty(0, object)
    people, person = np.unique(data.persons[rows], return_inverse=True)
    passed_over = {*data.convention.missing, *data.convention.suppressed}
    texts = map(str, range(1, len(people) + len(passed_over) + 1))
    free = np.array([text for text in texts if text not in passed_over], dtype=object)
    return free[(numbers or drawing())(len(people))[person]]


def ground_rows(data: Microdata, rows: Index) -> pd.DataFrame:
    """Return the rows of the original at these positions, as texts. Never publish them."""
    columns = zip(data.attributes, data.codes[rows].T, strict=True)
    return pd.DataFrame({name: data.texts(name)[codes] for name, codes in columns})


def _note_of_empty_rows(rows: int) -> Iterator[str]:
    """Yield a note about the rows without a value in any released column."""
    if rows:
        yield f"left out, because no released column has a value: {rows} row(s)"


def _notes(rest: Sequence[str], recoding: Recoding, aim: Aim) -> tuple[str, ...]:
    notes = []
    if rest:
        notes.append(f"not released, because no role is given: {listed(rest)}")
    if recoding.suppressed.any():
        gone = recoding.data.take(recoding.suppressed)
        of = "" if gone.persons is None else f" of {gone.n_persons} person(s)"
        notes.append(f"suppressed and not released: {len(gone)} row(s){of}")
    if aim.only_measured:
        notes.append(
            "required, but only measured in the release and not aimed at: "
            f"{listed(aim.only_measured)}"
        )
    return tuple(notes)
