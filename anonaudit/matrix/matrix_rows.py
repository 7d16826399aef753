"""The work: mask, attack, write down; one row after the other."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd

from anonaudit.arrays import Index
from anonaudit.attack import Attack, attack_named, attacks, undecided
from anonaudit.auditing.attack_inputs import setting_of
from anonaudit.auditing.bounds import check_bounds
from anonaudit.auditing.examining import Progress, examine
from anonaudit.auditing.preparation import prepare
from anonaudit.auditing.prepared import PreparedRelease
from anonaudit.cells import MISSING, SUPPRESSED
from anonaudit.errors import AnonauditError, InputError
from anonaudit.findings import AuditReport, Disclosure, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.masking.aims import aim_of
from anonaudit.masking.loss import class_sizes, discernability
from anonaudit.masking.maskers import UNMASKED, Masked, Original, ground_rows, person_names
from anonaudit.masking.order import drawing
from anonaudit.masking.recoding import NotAchievableError
from anonaudit.matrix.attack_cells import Cell, Defence, Matrix, MatrixRow
from anonaudit.matrix.cache import Cache, fingerprint, of_file
from anonaudit.matrix.defences import defences, requests
from anonaudit.plugins import ATTACKS, describe_attack, describe_model
from anonaudit.policy.policy import AttackRequest, PeopleFile, Policy
from anonaudit.source.table import Source, TableFile, open_source, own_table

# Up to so many rows the adversary who knows the algorithm tries other originals.
MOST_ROWS_TO_TRY = 30
WORLDS = 500


def matrix(
    original: Any,
    policy: Policy,
    *,
    algorithms: Sequence[str] = (),
    only: Sequence[str] = (),
    threshold: int | None = None,
    seed: int = 0,
    cache: Path | None = None,
    progress: Progress = lambda _: None,
) -> Matrix:
    """Every attack on the output of every masking algorithm (see `defences` and `requests`).

    original: a path, or a table in memory. policy: what the maskers aim at, and the attacks with
    their options; attacks it does not name are run as they are by default. Everybody in the
    original is a target of those that link, with all quasi-identifiers known: the worst case.
    algorithms, only: names of maskers and attacks; all if none. threshold: as in `mask`.
    cache: a folder for finished rows and cells; the same call with it does none of them again.

    An attack on two releases is given a second one, of a random half of the people, masked in the
    same way on its own (Ganta, Kasiviswanathan, Smith 2008); that half is attacked. With an
    external table but no second release in the policy there is none: nobody knows who of that
    table is in a half. An attack that knows the algorithm is given the masker; beyond
    MOST_ROWS_TO_TRY rows only rule hiding is undone, in closed form, and other cells are
    inconclusive.

    Raises InputError and PolicyError as `mask` does.

    >>> from anonaudit import datasets
    >>> from anonaudit.policy import parse_policy
    >>> rules = parse_policy('''
    ...     columns = { quasi-identifiers = ["age", "sex"], sensitive = ["illness"] }
    ...     require.k-anonymity = { k = 2 }
    ... ''')
    >>> found = matrix(
    ...     datasets.path("TV06/table1.csv"), rules, algorithms=["mondrian"], only=["homogeneity"]
    ... )
    >>> [(row.name, row.cells[0].exposed) for row in found.rows]
    [('unmasked', 2), ('mondrian k', 2)]
    """
    progress("reading rows")
    run = Run.read(original, policy, only=only, threshold=threshold, seed=seed, cache=cache)
    todo = defences(aim_of(policy), algorithms)
    rows = []
    for number, defence in enumerate(todo, 1):
        step = f"{defence.name} ({number} of {len(todo)})"

        def say(what: str, step: str = step) -> None:
            progress(f"{step}: {what}")

        rows.append(run.row(_ByDefence(run, defence, say), say))
    return run.matrix(rows)


def _tables(columns: Mapping[str, AttackRequest]) -> list[TableFile]:
    """The other tables that attacks are given by the policy."""
    return [one for r in columns.values() for one in (r.external, r.second) if one is not None]


def _left_out(source: Source, others: Sequence[TableFile]) -> Iterator[str]:
    """What padding the original and the tables that the policy names have, a sentence each."""
    tables = [source]
    for file in {repr(other): other for other in others}.values():
        with contextlib.suppress(InputError):  # the cells of its attack say so
            tables.append(file.open())
    for table in tables:
        table.leave_out_padding()
        if table.left_out is not None:
            yield f"{table.name}: {table.left_out}"


class Made(Protocol):
    """A release of the original: what it is, what it costs, and who can make another."""

    @property
    def key(self) -> str:
        """Its name in the cache."""
        ...

    @property
    def prepared(self) -> PreparedRelease:
        """The release, counted as an auditor would, or NotAchievableError."""
        ...

    @property
    def report(self) -> AuditReport:
        """What it reaches of the policy."""
        ...

    @property
    def masker(self) -> _ByDefence | None:
        """Its masker; None of a release that somebody else made."""
        ...

    def named(self) -> MatrixRow:
        """The row, before anything is known."""
        ...

    def costs(self) -> MatrixRow:
        """The row with what was released, and the loss."""
        ...


@dataclass(frozen=True)
class Run:
    """What all rows have in common."""

    source: Source
    table: Original
    columns: Mapping[str, AttackRequest]
    threshold: int | None
    seed: int
    kept: Cache

    @classmethod
    def read(
        cls,
        original: Any,
        policy: Policy,
        *,
        only: Sequence[str] = (),
        threshold: int | None = None,
        seed: int = 0,
        cache: Path | None = None,
    ) -> Run:
        """The original, read once, and the attacks; parameters and errors as of `matrix`."""
        source = open_source(original)
        # Nothing is published, and persons are counted whatever becomes of the unit in a release.
        policy = replace(policy, masking=replace(policy.masking, unit_in_release="renumbered"))
        table = Original.read(source, policy)
        columns = requests(policy, attacks(), aim_of(policy).confidence, only)
        externals = [] if cache is None else [of_file(one.path) for one in _tables(columns)]
        kept = Cache(cache, fingerprint(table, threshold, seed, externals))
        return cls(source, table, columns, threshold, seed, kept)

    def matrix(self, rows: Sequence[MatrixRow]) -> Matrix:
        """The whole answer."""
        known, policy = attacks(), self.table.policy
        return Matrix(
            persons=self.table.data.n_persons,
            required=tuple(f"{r.name} {_shown(r.parameters)}".strip() for r in policy.requirements),
            attacks={label: known[r.name].knowledge for label, r in self.columns.items()},
            rows=tuple(rows),
            seed=self.seed,
            policy=policy.source,
            policy_sha256=policy.sha256,
            original=self.source.name,
            left_out=tuple(_left_out(self.source, _tables(self.columns))),
        )

    def row(self, made: Made, progress: Progress) -> MatrixRow:
        """Measure and attack; what was finished before is taken from the cache."""
        facts = self.kept.get(made.key)
        if facts is None:
            facts = self._facts(made, progress)
            self.kept.put(made.key, facts)
        texts = {name: tuple(facts[name]) for name in ("lacking", "notes")}
        row = MatrixRow(**{**facts, **texts, "outcome": Outcome(facts["outcome"])})
        if row.reason is not None:
            return row
        cells, fresh = [], []
        for label, request in self.columns.items():
            name = f"{made.key} {label} {request!r}"
            if cell := self.kept.get(name):
                cells.append(Cell(**{**cell, "outcome": Outcome(cell["outcome"])}))
                continue
            progress(f"attacking by {label}")
            asked, disclosure = self._attack(made, request)
            # What is learnt from a second release no model of the first one bounds.
            if disclosure.outcome is not Outcome.SKIPPED and asked.second is None:
                fresh.append((asked, disclosure))
            cells.append(Cell.of(label, disclosure))
            self.kept.put(name, asdict(cells[-1]))
        if fresh:
            check_bounds(made.prepared, made.report.models, fresh)
        return replace(row, cells=tuple(cells))

    def _facts(self, made: Made, progress: Progress) -> dict[str, Any]:
        try:
            row = made.costs()
        except NotAchievableError as error:
            return asdict(replace(made.named(), reason=str(error)))
        progress("measuring")
        classes, report = made.prepared.classes, made.report
        guessed, base = _guessed(classes)
        row = replace(
            row,
            outcome=report.outcome,
            classes=len(classes),
            guessed=guessed,
            baseline=base,
            levels={_name(m.model, m.parameters): m.level for m in report.models},
        )
        return asdict(row)

    def _attack(self, made: Made, request: AttackRequest) -> tuple[AttackRequest, Disclosure]:
        kind, about = attack_named(request.name), describe_attack(request.name)
        attack: Attack = kind()
        left_open = partial(undecided, attack, allowed=request.allowed)
        people, masker = self.people, made.masker
        alone = request.second is None and request.external is None
        if alone and "second" in attack.options:
            if masker is None:
                return request, left_open("the policy names no second release")
            half = self._half
            try:
                second = masker.again(half)
            except NotAchievableError as error:
                return request, left_open(f"the second release: {error}")
            request = replace(request, second=TableFile(own_table(second)))
            people = people.iloc[half].reset_index(drop=True)
        if about.knows_masker and masker is None:
            return request, left_open("nobody has said which algorithm made this release")
        if masker is not None and about.knows_masker and masker.defence.aim.confidence is not None:
            if (self.table.data.sensitive == SUPPRESSED).any():
                reason = "the original has suppressed cells too, so not every gap hides a rule"
                return request, left_open(reason, Outcome.INCONCLUSIVE)
        elif masker is not None and about.knows_masker:
            if masker.defence.algorithm == UNMASKED:
                return request, left_open("nothing was masked")
            if len(self.table.data) > MOST_ROWS_TO_TRY:
                reason = f"too many originals to try with more than {MOST_ROWS_TO_TRY} rows"
                return request, left_open(reason, Outcome.INCONCLUSIVE)
            attack = kind(masker=masker.as_seen)  # type: ignore[call-arg]
            request = replace(request, options={**request.options, "worlds": WORLDS})
        needs_people = "external" in attack.options and about.matrix.people
        if needs_people and request.external is None:
            unit = self.table.data.roles.unit
            named = () if unit is None else (unit,)
            request = replace(request, external=PeopleFile(own_table(people), identity=named))
        try:
            with ATTACKS.blamed(request.name):
                disclosure = attack.run(setting_of(made.prepared, request, self.seed))
        except AnonauditError as error:
            disclosure = left_open(str(error), Outcome.INCONCLUSIVE)
        return request, replace(disclosure, allowed=request.allowed)

    @cached_property
    def draws(self) -> int:
        """What secret draws come from here, where nothing is published.

        The same call must give the same numbers, and a row that is taken from the cache must be of
        the release that its cells attack. Only who has the original can guess this number.
        """
        content = repr((self.seed, self.table.data.labels)).encode("utf-8", "surrogatepass")
        content += self.table.data.codes.tobytes()
        return int.from_bytes(hashlib.sha256(content).digest())

    @cached_property
    def people(self) -> pd.DataFrame:
        """Everybody in the original, with the quasi-identifiers and the unit."""
        data, rows = self.table.data, np.arange(len(self.table.data))
        people = ground_rows(data, rows)[list(data.roles.quasi_identifiers)]
        unit = data.roles.unit
        return people if unit is None else people.assign(**{unit: person_names(data, rows)})

    @property
    def _half(self) -> Index:
        """The rows of a random half of the persons, in their order."""
        data = self.table.data
        person = np.arange(len(data)) if data.persons is None else data.persons
        everybody = np.unique(person)
        draw = np.random.default_rng(self.seed).permutation(len(everybody))
        return np.flatnonzero(np.isin(person, everybody[draw[: len(everybody) // 2]]))


@dataclass
class _ByDefence:
    """The release of one defence, made when it is first needed."""

    run: Run
    defence: Defence
    progress: Progress

    @property
    def key(self) -> str:
        """The algorithm, and what it aims at."""
        return repr(self.defence)

    @property
    def masker(self) -> _ByDefence:
        """The masker of this release."""
        return self

    @cached_property
    def masked(self) -> Masked:
        """The release, or NotAchievableError."""
        self.progress("masking")
        return self._masked(self.run.table)

    @cached_property
    def prepared(self) -> PreparedRelease:
        """The release, counted as an auditor would."""
        return prepare(own_table(self.masked.release), replace(self.masked.policy, attacks=()))

    @cached_property
    def report(self) -> AuditReport:
        """What it reaches of the policy."""
        return examine(self.prepared, seed=self.run.seed)

    def named(self) -> MatrixRow:
        """The algorithm, and what it does not know."""
        return MatrixRow(self.defence.name, self.defence.algorithm, self.defence.lacking)

    def costs(self) -> MatrixRow:
        """What was suppressed and generalized, or NotAchievableError."""
        masked, recoding = self.masked, self.masked.recoding
        suppressed, released = int(recoding.suppressed.sum()), len(masked.release)
        return replace(
            self.named(),
            released=released,
            suppressed=suppressed,
            empty=len(recoding.data) - suppressed - released,
            hidden=_hidden(masked),
            loss=masked.loss,
            discernability=discernability(class_sizes(recoding)),
        )

    def again(self, rows: np.ndarray[Any, Any]) -> pd.DataFrame:
        """The release that is made of some of the rows."""
        part = replace(self.run.table, data=self.run.table.data.take(rows))
        return self._masked(part).release

    def as_seen(self, rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]] | None:
        """What the masker makes of other rows (see `attacks.algorithm_aware.Masker`)."""
        table = self.run.table
        frame = pd.DataFrame(rows, columns=list(table.data.attributes), dtype=object)
        policy = replace(table.for_release, convention=table.policy.convention)
        try:
            release = self._masked(Original.read(own_table(frame), policy)).release
        except NotAchievableError:
            return None
        kind = table.policy.convention.kind
        marks = {MISSING: "", SUPPRESSED: "*"}  # as `encode` has
        return [
            tuple(marks.get(kind(cell), cell) for cell in row)
            for row in release.itertuples(index=False)
        ]

    def _masked(self, table: Original) -> Masked:
        run, defence = self.run, self.defence
        return table.masked(
            defence.algorithm,
            defence.aim,
            threshold=run.threshold,
            seed=run.seed,
            insecure_seed=run.draws,
            numbers=drawing(run.draws),
        )


def _guessed(classes: EquivalenceClasses) -> tuple[float | None, float | None]:
    """How many sensitive cells the likeliest value of the class names, and that of the table."""
    counted = [counts for counts in classes.sensitive.values() if counts.totals.sum() > 0]
    if not counted:
        return None, None
    by_class = [float(counts.largest.sum() / counts.totals.sum()) for counts in counted]
    overall = [float(counts.overall.max() / counts.overall.sum()) for counts in counted]
    return sum(by_class) / len(counted), sum(overall) / len(counted)


def _hidden(masked: Masked) -> int:
    """The sensitive cells that are suppressed in the release, and were not in the original."""
    data = masked.recoding.data
    after, before = (
        sum(
            int((frame[name] == data.texts(name)[SUPPRESSED]).sum())
            for name in data.roles.sensitive
        )
        for frame in (masked.release, masked.ground)
    )
    return after - before


def _name(model: str, parameters: Mapping[str, Any]) -> str:
    named_by = describe_model(model).named_by
    forms = {name: value for name, value in parameters.items() if name in named_by}
    return f"{model} ({_shown(forms)})" if forms else model


def _shown(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())
