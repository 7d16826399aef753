"""From a policy to a masked release: which algorithm, what it aims at, and the audit of what comes.

A masker aims at the models it knows; whatever else the policy requires is measured in the result
like in anybody's release. Nothing is released that breaks the policy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final

import numpy as np
import pandas as pd

from anonaudit.auditing import audit
from anonaudit.errors import InputError, closest, listed
from anonaudit.findings import AuditReport
from anonaudit.hierarchy import Hierarchy
from anonaudit.masking.goals import EntropyL, Every, Goal, KAnonymous, PSensitive
from anonaudit.masking.greedy_cka import greedy_cka
from anonaudit.masking.k_member import k_member
from anonaudit.masking.lattice import p_k_minimal
from anonaudit.masking.mondrian import mondrian
from anonaudit.masking.multi_attribute_goals import MultiAttributeL
from anonaudit.masking.rule_hiding import hide_rules
from anonaudit.model_inputs import boundaries_from, protected_by
from anonaudit.models.boundaries import Boundaries
from anonaudit.original import trees_of
from anonaudit.policy import Policy, Requirement
from anonaudit.recoding import Index, Microdata, Recoding
from anonaudit.source import Source, open_source

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Aim:
    """What of a policy a masker can aim at.

    k, p: rows and different values of every sensitive attribute in a class. more: other goals.
    protected: the protected values of extended p-sensitivity, None without it. bounded: whether
    boundaries must be kept. confidence: what no rule may reach, None if nothing is said.
    only_measured: requirements nobody aims at.
    """

    k: int = 1
    p: int = 1
    more: tuple[Goal, ...] = ()
    protected: Mapping[str, Sequence[str]] | None = None
    bounded: bool = False
    confidence: float | None = None
    only_measured: tuple[str, ...] = ()


def aim_of(policy: Policy) -> Aim:
    """What the requirements of a policy come to for a masker."""
    aim = Aim()
    for requirement in policy.requirements:
        aim = _with(aim, requirement, policy)
    return aim


def _with(aim: Aim, requirement: Requirement, policy: Policy) -> Aim:
    asked, name = requirement.parameters, requirement.name
    if name.startswith("constrained-"):
        aim, name = replace(aim, bounded=True), name.removeprefix("constrained-")
    k, p = max(aim.k, asked.get("k") or 1), max(aim.p, asked.get("p") or 1)
    k = max(k, p)
    if name in {"k-anonymity", "p-sensitive-k-anonymity"}:
        return replace(aim, k=k, p=p)
    if name == "extended-p-sensitive-k-anonymity":
        return replace(aim, k=k, p=p, protected=protected_by(policy))
    if name == "l-diversity" and asked.get("reading", "each") == "each":
        least = max(aim.p, asked["l"])
        return replace(aim, k=max(aim.k, least), p=least)
    if name == "entropy-l-diversity" and asked.get("reading", "each") == "each":
        return replace(aim, more=(*aim.more, EntropyL(asked["l"])))
    if name == "multi-attribute-l-diversity":
        goal = MultiAttributeL(asked["l"], at_most=asked.get("at_most", {}))
        return replace(aim, more=(*aim.more, goal))
    if name == "prosecutor-risk" and asked["highest"] > 0:
        return replace(aim, k=max(aim.k, ceil(1 / asked["highest"])))
    if name == "rule-confidence" and asked.get("min_rows", 1) == 1:
        limits = [c for c in (aim.confidence, asked["below"]) if c is not None]
        return replace(aim, confidence=min(limits))
    return replace(aim, only_measured=(*aim.only_measured, requirement.name))


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
    aim = task.aim
    return p_k_minimal(
        task.data,
        p=aim.p,
        k=aim.k,
        threshold=task.threshold or 0,
        protected=aim.protected,
        boundaries=task.boundaries if aim.bounded else None,
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


@dataclass(frozen=True)
class Algorithm:
    """A masker, and what of an aim it does not know."""

    run: Callable[[Task], Recoding]
    lacks: frozenset[str]


ALGORITHMS: Final[Mapping[str, Algorithm]] = {
    "full-domain": Algorithm(_full_domain, frozenset({"goals beyond k and p"})),
    "mondrian": Algorithm(_mondrian, frozenset({"protected values", "boundaries"})),
    "greedy-cka": Algorithm(_greedy_cka, frozenset({"protected values"})),
    "k-member": Algorithm(_k_member, frozenset({"protected values", "boundaries"})),
}


def _needs(aim: Aim) -> set[str]:
    return {
        name
        for name, needed in {
            "goals beyond k and p": bool(aim.more),
            "protected values": aim.protected is not None,
            "boundaries": aim.bounded,
        }.items()
        if needed
    }


def algorithm_for(aim: Aim, data: Microdata) -> str:
    """The masker a policy gets if none is named: the first that knows all of its aims.

    Full-domain recoding only where every quasi-identifier has a hierarchy.

    Raises InputError if none does.
    """
    trees = all(name in data.hierarchies for name in data.roles.quasi_identifiers)
    for name, algorithm in ALGORITHMS.items():
        if not algorithm.lacks & _needs(aim) and (trees or name != "full-domain"):
            return name
    raise InputError(
        f"no algorithm masks for {listed(sorted(_needs(aim)))} together"
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
    source = original if isinstance(original, Source) else open_source(original)
    policy.check(source.columns)
    progress("reading rows")
    data = Microdata.read(source, policy.roles, {}, policy.convention)
    trees = trees_of(policy, data.frequency())
    data = data.generalized_by(trees)
    aim = aim_of(policy)
    chosen = algorithm or algorithm_for(aim, data)
    lacking = sorted(ALGORITHMS[chosen].lacks & _needs(aim))
    if lacking:
        raise InputError(f"the algorithm {chosen} does not know {listed(lacking)}; leave it out")
    boundaries = boundaries_from(policy, trees)
    progress(f"masking by {chosen}")
    recoding = ALGORITHMS[chosen].run(Task(data, aim, boundaries, threshold, seed))
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(~recoding.suppressed))
    release = recoding.frame(shuffle=seed)  # in the order of `rows`
    if aim.confidence is not None:
        progress("hiding rules")
        masked = Microdata.read(release, data.roles, {}, data.convention)
        release = hide_rules(masked, c=aim.confidence, seed=seed).frame()
    specs = {
        name: replace(spec, tree=trees[name], intervals=(), prefixes=())
        for name, spec in policy.hierarchies.items()
    }
    # Rows generalized to the top everywhere are released like any other, so they count.
    told = replace(policy.convention, suppressed_tuples="include")
    return Masked(
        algorithm=chosen,
        recoding=recoding,
        release=release,
        ground=_ground(data, rows),
        hierarchies=boundaries.hierarchies,
        policy=replace(policy, hierarchies=specs, convention=told, release=None, original=None),
        notes=_notes(policy, source, recoding, aim),
    )


def _ground(data: Microdata, rows: Index) -> pd.DataFrame:
    columns = zip(data.attributes, data.codes[rows].T, strict=True)
    return pd.DataFrame({name: data.texts(name)[codes] for name, codes in columns})


def _notes(policy: Policy, source: Source, recoding: Recoding, aim: Aim) -> tuple[str, ...]:
    notes = []
    released = (*policy.roles.quasi_identifiers, *policy.roles.sensitive)
    rest = [c for c in source.columns if c not in released and c not in policy.roles.identifiers]
    if rest:
        notes.append(f"not released, having no part: {listed(rest)}")
    if recoding.suppressed.any():
        notes.append(f"suppressed and left out: {int(recoding.suppressed.sum())} row(s)")
    if aim.only_measured:
        notes.append(f"not aimed at, only measured in the release: {listed(aim.only_measured)}")
    return tuple(notes)
