"""L-diversity over several sensitive attributes: exact, with limits, and the paper's heuristics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from anonaudit.about import SPREAD, AboutModel, Need, Unasked, Unions
from anonaudit.cells import FIRST_VALUE
from anonaudit.details import Details, Kind, fact, least_by_name
from anonaudit.errors import closest
from anonaudit.findings import Measurement, Number, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import Codes, distinct_rows
from anonaudit.frequency.wildcards import sparse_table
from anonaudit.models.cover import cover_bounds
from anonaudit.models.level import ParameterError, measurement, whole_number

# Entries of the frequency set whose classes are worked on at once.
MOST_AT_ONCE = 2**19
LIMIT = "at-most "  # how the parameters of a measurement call a limit


@dataclass(frozen=True, kw_only=True, eq=False)
class Deletions(Details):
    """What deletions of values leave.

    undeletable: classes that no allowed deletion deletes. fewest: by attribute with a limit the
    fewest values of a class that knows it. unfinished: classes whose cover number was not found;
    the level takes the least that it can be.
    """

    undeletable: int = fact(
        "classes that no allowed deletion deletes",
        Kind.COUNT,
        one="1 class keeps rows whatever values are ruled out, as far as that is allowed",
        said="{} classes keep rows whatever values are ruled out, as far as that is allowed",
        adds=sum,
    )
    fewest: Mapping[str, int] | None = fact(
        "fewest values where limited", adds=least_by_name, optional=True
    )
    unfinished: int | None = fact(
        "classes that were not finished", Kind.COUNT, adds=sum, optional=True
    )

    def notes(
        self, measured: float | None, required: float | None, parameters: Mapping[str, object]
    ) -> tuple[str, ...]:
        """What was not finished, and which attributes a limit leaves unprotected."""
        if measured is None:
            return ()
        limits = {
            name.removeprefix(LIMIT): limit
            for name, limit in parameters.items()
            if name.startswith(LIMIT) and isinstance(limit, int)
        }
        level = required or (int(measured) if np.isfinite(measured) else None)
        return (*unfinished(self.unfinished), *unprotected(limits, self.fewest or {}, level))


def unfinished(classes: int | None) -> Iterator[str]:
    """What it means that the cover numbers of some classes were not found, and what to do."""
    if classes:
        yield (
            f"{classes} class(es) have too many different sensitive rows for an exact count, so "
            "the level may be higher: generalize sensitive columns, or name fewer of them"
        )


@dataclass(frozen=True)
class MultiAttributeLDiversity:
    """L-diversity for several sensitive attributes (GCG08 Definition 6; with limits, Definition 7).

    To delete all rows of a class, at least L distinct values must be deleted, from any of the
    sensitive attributes; a deleted value deletes the rows that carry it. So whoever can rule
    out L-2 values still faces two values in every attribute (Theorem 1).

    at_most: limits L_i for some attributes (Definition 7): at most so many of the deleted
        values are theirs. Attributes with few values need not hold L down then, and are not
        protected by it: Theorem 1 does not carry over.

    Level: L, the least cover number of a class (see cover.py); with one attribute, distinct
    l-diversity. Higher is safer; 1 means that a class gives a value away. Infinity (only with
    limits): no allowed deletion deletes a class. Edge cases: no rows, undefined; an unknown cell
    may be any value that its class has of the attribute, whichever makes L least; a row without a
    known value is left out, a class without one is apart; a class of very many different rows may
    be too large for an exact count, and is undecided between its bounds. Persons do not matter: it
    is rows that are deleted.
    """

    name: ClassVar[str] = "multi-attribute-l-diversity"
    about: ClassVar[AboutModel] = AboutModel(
        level="l",
        parameter="l",
        symbol="L",
        means="At least l different sensitive values, of any attributes, are needed to cover "
        "all rows of a class",
        matters="With several sensitive attributes, ruling out a value of one rules out rows. "
        "That can make a value of another attribute certain, although each attribute by "
        "itself is diverse.",
        do=SPREAD,
        several_values="l",
        variants=(LIMIT,),
        unasked=(Unasked(place=80, needs=frozenset({Need.SEVERAL_SENSITIVE})),),
        by_class=True,
        unions=Unions.ALWAYS,
    )
    l: int | None = None
    at_most: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        whole_number("l", self.l, 1)
        if not isinstance(self.at_most, Mapping):
            raise ParameterError(
                f"at_most must be a table from sensitive attributes to limits, not {self.at_most!r}"
            )
        for attribute, limit in self.at_most.items():
            whole_number(f"at-most for {attribute!r}", limit, 0)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """The least number of deletions that deletes a class."""
        names = classes.roles.sensitive
        for attribute in self.at_most:
            if attribute not in names:
                raise ParameterError(
                    f"at-most: {attribute!r} is not sensitive. {closest(attribute, names)}"
                )
        limits = [self.at_most.get(name) for name in names]
        low, high = np.full((2, len(classes)), np.nan)
        for chosen in classes.batches(MOST_AT_ONCE):
            rows = _sensitive_rows(classes, chosen)
            bounds = cover_bounds(*rows, len(classes), limits, filled=True, enough=self.l or 0)
            low, high = np.fmin(low, bounds[0]), np.fmin(high, bounds[1])
        level = measurement(
            self.name,
            classes,
            {"": high},
            parameters={"l": self.l},
            required=self.l,
            whole=True,
        )
        distinct = {name: classes.sensitive[name].distinct for name in self.at_most}
        fewest = {name: int(n[n > 0].min()) for name, n in distinct.items() if (n > 0).any()}
        details = Deletions(
            undeletable=int(np.isinf(low).sum()),
            fewest=fewest if self.at_most else None,
            unfinished=int((low < high).sum()) or None,
        )
        worst = float(np.nanmin(low)) if level.witness else None
        parameters = {**level.parameters, **{f"{LIMIT}{a}": n for a, n in self.at_most.items()}}
        level = replace(
            level,
            parameters=parameters,
            details=details,
            notes=(*level.notes, *details.notes(worst, self.l, parameters)),
        )
        if worst is None or worst == np.nanmin(high):
            return level
        asked_more = self.l is None or worst < self.l
        open_ = level.outcome is not Outcome.VIOLATED and asked_more
        return replace(
            level,
            measured=int(worst),
            outcome=Outcome.INCONCLUSIVE if open_ else level.outcome,
        )


def unprotected(
    at_most: Mapping[str, int], fewest: Mapping[str, int], level: Number | None
) -> Iterator[str]:
    """Notes on attributes that a limit leaves with fewer distinct values than L in some class.

    fewest: by attribute, of all classes that know it. level: L, None for infinity.
    """
    for name, limit in at_most.items():
        least = fewest.get(name, 0)
        if limit < least and (level is None or least < level):
            against = "infinity" if level is None else level
            yield (
                f"{name!r} is not protected: a class has {least} of its values, and its limit "
                f"keeps that from counting against L = {against}"
            )


def _sensitive_rows(
    classes: EquivalenceClasses, chosen: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.intp], Codes]:
    """The different sensitive rows of each class: its number, and the cells, row by row.

    chosen: shape (len(classes.kept),), of these entries.
    """
    kept, class_of = classes.kept.where(chosen), classes.class_of[chosen]
    cells, which = distinct_rows(kept.codes, kept.positions(classes.roles.sensitive))
    if classes.compatibility is not None:  # the rows of all compatible classes are in a class
        shape = (len(classes), len(cells))
        table = classes.compatibility.reach(sparse_table(kept.counts, class_of, which, shape))
        entries = table.tocoo()
        there = entries.data > 0
        class_of, which = entries.row[there].astype(np.intp), entries.col[there].astype(np.intp)
    # Where a convention counts unknown cells as values, they can be deleted like the others.
    return class_of, cells[which] + FIRST_VALUE - classes.convention.first_counted


def figure_6(rows: Sequence[tuple[str, ...]], l: int) -> bool:
    """GCG08 Figure 6: whether L rows without a common value are found, rarest rows first.

    Sound, not complete: a yes means L-diverse, a no means nothing. Rows of equal total frequency
    are taken in the order given.

    >>> figure_6([("heart", "pill"), ("heart", "knife"), ("flu", "iv"), ("gut", "iv")], 2)
    True
    """
    return len(_disjoint(rows)) >= l


def figure_7(rows: Sequence[tuple[str, ...]], l: int, limits: Sequence[int]) -> bool:
    """GCG08 Figure 7, corrected: sound for Definition 7.

    Rows are added to the disjoint ones as long as the x most frequent values that the limits
    allow cover no more than the rows taken (then C is x-diverse). As printed it also says yes
    where fewer than x values may be deleted at all, so a sum over fewer values passes
    (Theorem 6); here x values must be there.
    """
    chosen = _disjoint(rows)
    if len(chosen) >= l:
        return True
    rest = _by_frequency(rows, [i for i in range(len(rows)) if i not in chosen])
    taken, x = [rows[i] for i in chosen], len(chosen)
    for i in rest:
        taken.append(rows[i])
        if not _covers_at_most(taken, x, limits):
            taken.pop()
        elif _covers_at_most(taken, x + 1, limits):
            x += 1
            if x >= l:
                return True
    return False


def _by_frequency(rows: Sequence[tuple[str, ...]], chosen: Sequence[int]) -> list[int]:
    """Row numbers by the total frequency of their values, the rarest first."""
    frequency = Counter((j, value) for row in rows for j, value in enumerate(row))
    return sorted(chosen, key=lambda i: sum(frequency[j, v] for j, v in enumerate(rows[i])))


def _disjoint(rows: Sequence[tuple[str, ...]]) -> list[int]:
    used: set[tuple[int, str]] = set()
    chosen: list[int] = []
    for i in _by_frequency(rows, range(len(rows))):
        values = set(enumerate(rows[i]))
        if used.isdisjoint(values):
            used |= values
            chosen.append(i)
    return chosen


def _covers_at_most(rows: Sequence[tuple[str, ...]], x: int, limits: Sequence[int]) -> bool:
    """Whether the x most frequent allowed values occur in no more rows than there are."""
    left, picked = list(limits), 0
    total = 0
    frequency = Counter((j, value) for row in rows for j, value in enumerate(row))
    for (j, _), n in frequency.most_common():  # the order of equals does not change the sum
        if picked < x and left[j] > 0:
            left[j] -= 1
            picked += 1
            total += n
    return picked == x and total <= len(rows)
