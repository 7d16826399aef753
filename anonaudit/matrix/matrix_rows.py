"""Build the matrix row by row: mask the original, attack the release, and cache the results."""

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
from anonaudit.auditing.attack_inputs import disclosed, setting_of
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

# An adversary who knows the algorithm masks candidate originals and compares the results with the
# release. With more rows than this, there are too many candidates.
MOST_ROWS_TO_TRY = 30
# The largest number of candidate originals that this adversary masks.
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
    """Mask a table by every algorithm, and run every attack on every release.

    `defences` lists the ways to mask, `requests` lists the attacks. The adversaries of the attacks
    that link know all quasi-identifiers of everybody in the original. This is the worst case.

    An attack on two releases gets a second release: a random half of the persons, masked separately
    in the same way. The persons of this half are the targets (Ganta, Kasiviswanathan, Smith 2008).
    If the policy names an external table for the attack, but no second release, no half is masked,
    because it is unknown which persons of the external table are in the half.

    An attack that knows the algorithm has two forms. On a release with hidden rules, it undoes the
    hiding, by a closed formula. On any other masked release, it gets a function that masks
    candidate originals; with more than MOST_ROWS_TO_TRY rows, it is inconclusive there.

    original: a path, or a table in memory.
    policy: the goals of the algorithms, and the attacks with their options. Other installed attacks
        run with default options.
    algorithms: the names of the algorithms to use; all if empty.
    only: the names of the attacks to run; all if empty.
    threshold: the number of rows that may be suppressed; None for the default of `mask`.
    seed: the seed of the algorithms, of the attacks that draw at random, and of the random half.
    cache: a folder for finished rows and cells; None for no cache. If the same call is repeated
        with the same folder, finished results are read from it and not computed again.
    progress: called with a short text before each step.

    Raises the InputError and PolicyError of `mask`.

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
    """Return the external tables and second releases that the policy names."""
    return [one for r in columns.values() for one in (r.external, r.second) if one is not None]


def _left_out(source: Source, others: Sequence[TableFile]) -> Iterator[str]:
    """Yield a sentence for each table whose empty records are ignored.

    source: the original. others: the tables that the policy names.
    """
    tables = [source]
    for file in {repr(other): other for other in others}.values():
        with contextlib.suppress(InputError):  # the cells of the attack report the error
            tables.append(file.open())
    for table in tables:
        table.leave_out_padding()
        if table.left_out is not None:
            yield f"{table.name}: {table.left_out}"


class Made(Protocol):
    """A release of the original that the matrix measures and attacks."""

    @property
    def key(self) -> str:
        """The name of the release in the cache."""
        ...

    @property
    def prepared(self) -> PreparedRelease:
        """The release, read and counted. Raises NotAchievableError if none can be made."""
        ...

    @property
    def report(self) -> AuditReport:
        """The models of the policy, measured on the release."""
        ...

    @property
    def masker(self) -> _ByDefence | None:
        """The object that masks other rows in the same way; None if others made the release."""
        ...

    def named(self) -> MatrixRow:
        """Return a row with the name and the algorithm, but without numbers."""
        ...

    def costs(self) -> MatrixRow:
        """Return a row with the numbers of rows and the information loss.

        Raises NotAchievableError if no release can be made.
        """
        ...


@dataclass(frozen=True)
class Run:
    """The inputs that all rows share.

    source: the original as it was opened.
    table: the rows of the original, with the policy and the hierarchies.
    columns: the attacks by their labels, as from `requests`.
    threshold, seed: as in `matrix`.
    kept: the cache.
    """

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
        """Read the original and choose the attacks. Parameters and errors are those of `matrix`."""
        source = open_source(original)
        # The releases of the matrix are not published. So they can always keep the unit column,
        # with new numbers. Without this column, persons could not be counted.
        policy = replace(policy, masking=replace(policy.masking, unit_in_release="renumbered"))
        table = Original.read(source, policy)
        columns = requests(policy, attacks(), aim_of(policy).confidence, only)
        externals = [] if cache is None else [of_file(one.path) for one in _tables(columns)]
        kept = Cache(cache, fingerprint(table, threshold, seed, externals))
        return cls(source, table, columns, threshold, seed, kept)

    def matrix(self, rows: Sequence[MatrixRow]) -> Matrix:
        """Return the matrix of these rows."""
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
        """Measure and attack a release, and return its row.

        Results in the cache are not computed again.
        """
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
            # No model of the first release bounds what an adversary learns from a second release.
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
        """Run an attack.

        Returns the request, to which the tables that were used are added, and the disclosure.
        """
        kind, about = attack_named(request.name), describe_attack(request.name)
        with ATTACKS.blamed(request.name):
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
            return request, left_open("the algorithm that made this release is unknown")
        if masker is not None and about.knows_masker and masker.defence.aim.confidence is not None:
            if (self.table.data.sensitive == SUPPRESSED).any():
                reason = (
                    "the original has suppressed cells, so it is unknown which suppressed cells of "
                    "the release hide a rule"
                )
                return request, left_open(reason, Outcome.INCONCLUSIVE)
        elif masker is not None and about.knows_masker:
            if masker.defence.algorithm == UNMASKED:
                return request, left_open("nothing was masked")
            if len(self.table.data) > MOST_ROWS_TO_TRY:
                reason = f"with more than {MOST_ROWS_TO_TRY} rows, too many originals are possible"
                return request, left_open(reason, Outcome.INCONCLUSIVE)
            with ATTACKS.blamed(request.name):
                attack = kind(masker=masker.as_seen)  # type: ignore[call-arg]
            request = replace(request, options={**request.options, "worlds": WORLDS})
        needs_people = "external" in attack.options and about.matrix.people
        if needs_people and request.external is None:
            unit = self.table.data.roles.unit
            named = () if unit is None else (unit,)
            request = replace(request, external=PeopleFile(own_table(people), identity=named))
        try:
            disclosure = disclosed(attack, setting_of(made.prepared, request, self.seed))
        except AnonauditError as error:
            disclosure = left_open(str(error), Outcome.INCONCLUSIVE)
        return request, replace(disclosure, allowed=request.allowed)

    @cached_property
    def draws(self) -> int:
        """The seed of those random draws of masking that must stay secret.

        The number is computed from the original and `seed`, so only somebody with the original can
        compute it. It is fixed for two reasons: the same call must give the same matrix, and a
        cached row must describe the release that its cells attack. A fixed seed is acceptable,
        because the releases of the matrix are not published.
        """
        content = repr((self.seed, self.table.data.labels)).encode("utf-8", "surrogatepass")
        content += self.table.data.codes.tobytes()
        return int.from_bytes(hashlib.sha256(content).digest())

    @cached_property
    def people(self) -> pd.DataFrame:
        """The quasi-identifiers, and the unit if there is one, of every row of the original."""
        data, rows = self.table.data, np.arange(len(self.table.data))
        people = ground_rows(data, rows)[list(data.roles.quasi_identifiers)]
        unit = data.roles.unit
        return people if unit is None else people.assign(**{unit: person_names(data, rows)})

    @property
    def _half(self) -> Index:
        """The positions of the rows of a random half of the persons, in ascending order."""
        data = self.table.data
        person = np.arange(len(data)) if data.persons is None else data.persons
        everybody = np.unique(person)
        draw = np.random.default_rng(self.seed).permutation(len(everybody))
        return np.flatnonzero(np.isin(person, everybody[draw[: len(everybody) // 2]]))


@dataclass
class _ByDefence:
    """The release of one way to mask. It is made when it is first needed."""

    run: Run
    defence: Defence
    progress: Progress

    @property
    def key(self) -> str:
        """The algorithm and its goals, as text."""
        return repr(self.defence)

    @property
    def masker(self) -> _ByDefence:
        """The object itself, because it can mask other rows in the same way."""
        return self

    @cached_property
    def masked(self) -> Masked:
        """The masked table. Raises NotAchievableError if none can be made."""
        self.progress("masking")
        return self._masked(self.run.table)

    @cached_property
    def prepared(self) -> PreparedRelease:
        """The release, read and counted."""
        return prepare(own_table(self.masked.release), replace(self.masked.policy, attacks=()))

    @cached_property
    def report(self) -> AuditReport:
        """The models of the policy, measured on the release."""
        return examine(self.prepared, seed=self.run.seed)

    def named(self) -> MatrixRow:
        """Return a row with the algorithm and the goals that it does not aim at."""
        return MatrixRow(self.defence.name, self.defence.algorithm, self.defence.lacking)

    def costs(self) -> MatrixRow:
        """Return a row with the numbers of rows and the information loss.

        Raises NotAchievableError if no release can be made.
        """
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
        """Mask only these rows of the original in the same way, and return the release.

        rows: the positions of the rows.
        """
        part = replace(self.run.table, data=self.run.table.data.take(rows))
        return self._masked(part).release

    def as_seen(self, rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]] | None:
        """Mask a candidate original in the same way, as `attacks.algorithm_aware.Masker` requires.

        rows: the cells of each row, in the columns of the original.

        Returns the rows of the release; None if no release can be made.
        """
        table = self.run.table
        frame = pd.DataFrame(rows, columns=list(table.data.attributes), dtype=object)
        policy = replace(table.for_release, convention=table.policy.convention)
        try:
            release = self._masked(Original.read(own_table(frame), policy)).release
        except NotAchievableError:
            return None
        kind = table.policy.convention.kind
        marks = {MISSING: "", SUPPRESSED: "*"}  # the labels that `encode` uses
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
    """Return two shares of the known sensitive cells that an adversary guesses right.

    For the first share, the guess is the most frequent value of the class, for the second share,
    that of the whole table. Both are means over the sensitive attributes; None if no cell is known.
    """
    counted = [counts for counts in classes.sensitive.values() if counts.totals.sum() > 0]
    if not counted:
        return None, None
    by_class = [float(counts.largest.sum() / counts.totals.sum()) for counts in counted]
    overall = [float(counts.overall.max() / counts.overall.sum()) for counts in counted]
    return sum(by_class) / len(counted), sum(overall) / len(counted)


def _hidden(masked: Masked) -> int:
    """Return the number of sensitive cells suppressed in the release but not in the original."""
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
