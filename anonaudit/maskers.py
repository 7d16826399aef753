"""From a policy to a masked release: which algorithm, what it aims at, and the audit of what comes.

A masker aims at the models it knows; whatever else the policy requires is measured in the result
like in anybody's release. Nothing is released that breaks the policy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from anonaudit.aims import BOUNDARIES, GOALS, PROTECTED, Aim, aim_of
from anonaudit.auditing import audit
from anonaudit.cells import SUPPRESSED
from anonaudit.errors import InputError, closest, listed
from anonaudit.findings import AuditReport
from anonaudit.hierarchy import Hierarchy
from anonaudit.loss import information_loss
from anonaudit.masking.goals import Every, Goal, KAnonymous, PSensitive
from anonaudit.masking.greedy_cka import greedy_cka
from anonaudit.masking.k_member import k_member
from anonaudit.masking.lattice import k_minimal, p_k_minimal, recode
from anonaudit.masking.mondrian import mondrian
from anonaudit.masking.rule_hiding import hide_rules
from anonaudit.model_inputs import boundaries_from
from anonaudit.models.boundaries import Boundaries
from anonaudit.original import trees_of
from anonaudit.policy import Policy
from anonaudit.recoding import Index, Microdata, Recoding
from anonaudit.source import Source, open_source

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Task:
    """A table to mask: its rows, what to aim at, and what may be lost."""

    data: Microdata
    aim: Aim
    boundaries: Boundaries
    threshold: int | None
    seed: int

    @property
    def goal(self) -> Goal:
        """Everything aimed at, for maskers that take one goal."""
        sensitive = PSensitive(self.aim.p, self.aim.k) if self.aim.p > 1 else KAnonymous(self.aim.k)
        return Every((sensitive, *self.aim.more))

    @property
    def more(self) -> Goal | None:
        """What is aimed at beyond k and p."""
        return Every(self.aim.more) if self.aim.more else None


def _full_domain(task: Task) -> Recoding:
    aim, boundaries = task.aim, task.boundaries if task.aim.bounded else None
    if aim.p == 1 and aim.protected is None:  # k alone, whatever is known of sensitive values
        return k_minimal(task.data, k=aim.k, threshold=task.threshold or 0, boundaries=boundaries)
    return p_k_minimal(
        task.data,
        p=aim.p,
        k=aim.k,
        threshold=task.threshold or 0,
        protected=aim.protected,
        boundaries=boundaries,
    )


def _greedy_cka(task: Task) -> Recoding:
    return greedy_cka(
        task.data,
        k=task.aim.k,
        p=task.aim.p,
        goal=task.more,
        boundaries=task.boundaries,
        most_suppressed=task.threshold,
        seed=task.seed,
    )


def _k_member(task: Task) -> Recoding:
    return k_member(task.data, k=task.aim.k, p=task.aim.p, goal=task.more, seed=task.seed)


def _mondrian(task: Task) -> Recoding:
    return mondrian(task.data, task.goal)


def _unmasked(task: Task) -> Recoding:
    return recode(task.data, (0,) * len(task.data.roles.quasi_identifiers), k=1)


@dataclass(frozen=True)
class Algorithm:
    """A masker, and what of an aim it does not know."""

    run: Callable[[Task], Recoding]
    lacks: frozenset[str]


ALGORITHMS: Final[Mapping[str, Algorithm]] = {
    "full-domain": Algorithm(_full_domain, frozenset({GOALS})),
    "mondrian": Algorithm(_mondrian, frozenset({PROTECTED, BOUNDARIES})),
    "greedy-cka": Algorithm(_greedy_cka, frozenset({PROTECTED})),
    "k-member": Algorithm(_k_member, frozenset({PROTECTED, BOUNDARIES})),
}
# No masker: the original's columns as they are, to compare with.
UNMASKED: Final = "unmasked"


def algorithm_for(aim: Aim, data: Microdata) -> str:
    """The masker a policy gets if none is named: the first that knows all of its aims.

    Full-domain recoding only where every quasi-identifier has a hierarchy.

    Raises InputError if none does.
    """
    trees = all(name in data.hierarchies for name in data.roles.quasi_identifiers)
    for name, algorithm in ALGORITHMS.items():
        if not algorithm.lacks & aim.beyond and (trees or name != "full-domain"):
            return name
    raise InputError(
        f"no algorithm masks for {listed(sorted(aim.beyond))} together"
        + ("" if trees else ", unless every quasi-identifier has a hierarchy")
    )


@dataclass(frozen=True)
class Masked:
    """A release that keeps its policy, with all that a publisher needs beside it.

    recoding: what was done, before sensitive cells were suppressed. release: the table to
    publish. ground: the original of each released row, in the same order; not to be published.
    hierarchies: those used. notes: what to tell.
    """

    algorithm: str
    recoding: Recoding
    release: pd.DataFrame
    ground: pd.DataFrame
    hierarchies: Mapping[str, Hierarchy]
    policy: Policy
    notes: tuple[str, ...]

    @property
    def loss(self) -> float:
        """The information loss (MCT08 Definition 11), as a share of the largest there is."""
        cells = len(self.recoding.data) * len(self.recoding.domains)
        return information_loss(self.recoding) / max(cells, 1)

    def audit(
        self, release: Any = None, *, seed: int = 0, progress: Progress = lambda _: None
    ) -> AuditReport:
        """The audit of the release (as it was written, if a path is given).

        Boundaries are checked cell by cell: the masker knows what every row was.
        """
        bounded = any(spec.max_generalization for spec in self.policy.hierarchies.values())
        return audit(
            self.release if release is None else release,
            self.policy,
            original=self.ground if bounded else None,
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
    progress: Progress = lambda _: None,
) -> Masked:
    """Mask a table so that it keeps a policy.

    original: a path, or a table in memory. algorithm: one of ALGORITHMS; chosen by the policy if
    None. threshold: how many rows may be suppressed: none by default; for greedy-cka, which must
    suppress what fits no boundary, any number by default. seed: of the choices left to chance and
    of the order of the released rows.

    Columns that are neither quasi-identifier nor sensitive are not released.

    Raises NotAchievableError where no release that keeps the policy can be made that way;
    InputError and PolicyError for what cannot be read or asked for together.

    >>> import pandas as pd
    >>> from anonaudit.policy import parse_policy
    >>> rules = parse_policy('''
    ...     columns.quasi-identifiers = ["age"]
    ...     hierarchies.age = { intervals = [10], origin = 0 }
    ...     require.k-anonymity = { k = 2 }
    ... ''')
    >>> mask(pd.DataFrame({"age": ["21", "24", "35", "38"]}), rules).release["age"].tolist()
    ['[30,40)', '[20,30)', '[30,40)', '[20,30)']
    """
    if algorithm is not None and algorithm not in ALGORITHMS:
        raise InputError(f"there is no algorithm {algorithm!r}. {closest(algorithm, ALGORITHMS)}")
    progress("reading rows")
    table = Original.read(original, policy)
    aim = aim_of(policy)
    chosen = algorithm or algorithm_for(aim, table.data)
    lacking = sorted(ALGORITHMS[chosen].lacks & aim.beyond)
    if lacking:
        raise InputError(f"the algorithm {chosen} does not know {listed(lacking)}; leave it out")
    progress(f"masking by {chosen}")
    return table.masked(chosen, aim, threshold=threshold, seed=seed, progress=progress)


@dataclass(frozen=True)
class Original:
    """A table to mask, read once, with the policy it is masked for.

    data: its rows, with the hierarchies of the policy. rest: its columns without a part.
    """

    data: Microdata
    policy: Policy
    trees: Mapping[str, Hierarchy]
    rest: tuple[str, ...]

    @classmethod
    def read(cls, original: Any, policy: Policy) -> Original:
        """A path, or a table in memory. Raises InputError and PolicyError as `mask` does."""
        source = original if isinstance(original, Source) else open_source(original)
        policy.check(source.columns)
        data = Microdata.read(source, policy.roles, {}, policy.convention)
        trees = trees_of(policy, data.frequency())
        roles = policy.roles
        named = (*roles.quasi_identifiers, *roles.sensitive, *roles.identifiers)
        rest = tuple(column for column in source.columns if column not in named)
        return cls(data.generalized_by(trees), policy, trees, rest)

    def masked(
        self,
        algorithm: str,
        aim: Aim,
        *,
        threshold: int | None = None,
        seed: int = 0,
        progress: Progress = lambda _: None,
    ) -> Masked:
        """The release one of ALGORITHMS (or `unmasked`) makes for an aim it knows.

        Raises NotAchievableError where there is none.
        """
        data = self.data
        boundaries = boundaries_from(self.policy, self.trees)
        run = _unmasked if algorithm == UNMASKED else ALGORITHMS[algorithm].run
        recoding = run(Task(data, aim, boundaries, threshold, seed))
        rows, release = np.flatnonzero(~recoding.suppressed), recoding.frame()
        if algorithm != UNMASKED:  # the order of the rows would link them to the original
            order = np.random.default_rng(seed).permutation(len(rows))
            rows, release = rows[order], release.iloc[order].reset_index(drop=True)
        if aim.confidence is not None:
            progress("hiding rules")
            masked = Microdata.read(release, data.roles, {}, data.convention)
            release = hide_rules(masked, c=aim.confidence, seed=seed).frame()
        return Masked(
            algorithm=algorithm,
            recoding=recoding,
            release=release,
            ground=ground_rows(data, rows),
            hierarchies=boundaries.hierarchies,
            policy=self.for_release,
            notes=(*_notes(self.rest, recoding, aim), *self._at_the_top(release)),
        )

    def _at_the_top(self, release: pd.DataFrame) -> list[str]:
        """What to tell of rows that stand for everybody: they are a class here, not left out."""
        quasi = self.data.roles.quasi_identifiers
        at_top = np.all([release[q] == self.data.texts(q)[SUPPRESSED] for q in quasi], axis=0)
        if self.policy.convention.suppressed_tuples == "include" or not at_top.any():
            return []
        told = (
            f"{int(at_top.sum())} row(s) are suppressed in every quasi-identifier; they count as a "
            "class here, and in later audits if the policy says conventions.suppressed-tuples = "
            '"include"'
        )
        return [told]

    @property
    def for_release(self) -> Policy:
        """The policy of what is released: trees as they are, rows at the top rows like others."""
        specs = {
            name: replace(spec, tree=self.trees[name], intervals=(), prefixes=())
            for name, spec in self.policy.hierarchies.items()
        }
        told = replace(self.policy.convention, suppressed_tuples="include")
        return replace(self.policy, hierarchies=specs, convention=told, release=None, original=None)


def ground_rows(data: Microdata, rows: Index) -> pd.DataFrame:
    """Rows of the original as texts; not to be published."""
    columns = zip(data.attributes, data.codes[rows].T, strict=True)
    return pd.DataFrame({name: data.texts(name)[codes] for name, codes in columns})


def _notes(rest: Sequence[str], recoding: Recoding, aim: Aim) -> tuple[str, ...]:
    notes = []
    if rest:
        notes.append(f"not released, having no part: {listed(rest)}")
    if recoding.suppressed.any():
        notes.append(f"suppressed and left out: {int(recoding.suppressed.sum())} row(s)")
    if aim.only_measured:
        notes.append(f"not aimed at, only measured in the release: {listed(aim.only_measured)}")
    return tuple(notes)
