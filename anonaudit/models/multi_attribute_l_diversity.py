"""L-diversity over several sensitive attributes: the exact model, and the heuristics of GCG08."""

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
from anonaudit.models.level import ParameterError, measurement, no_level, whole_number

# The largest number of entries of the frequency set in a batch of classes.
MOST_AT_ONCE = 2**19
LIMIT = "at-most "  # the prefix of a limit among the parameters of a measurement


@dataclass(frozen=True, kw_only=True, eq=False)
class Deletions(Details):
    """Facts about deleting all rows of a class by deleting values; see `MultiAttributeLDiversity`.

    undeletable: the number of classes that no deletion within the limits deletes.
    fewest: for each attribute with a limit, the smallest number of distinct values in a class with
        a known value.
    unfinished: the number of classes whose cover number was not computed exactly; the level uses
        their lower bound.
    """

    undeletable: int = fact(
        "classes that no allowed deletion deletes",
        Kind.COUNT,
        one="1 class keeps rows under every deletion that the limits allow",
        said="{} classes keep rows under every deletion that the limits allow",
        adds=sum,
    )
    fewest: Mapping[str, int] | None = fact(
        "fewest values where limited", adds=least_by_name, optional=True, safer="higher"
    )
    unfinished: int | None = fact(
        "classes that were not finished", Kind.COUNT, adds=sum, optional=True
    )

    def notes(
        self, measured: float | None, required: float | None, parameters: Mapping[str, object]
    ) -> tuple[str, ...]:
        """Return notes on unfinished classes, and on attributes that a limit leaves unprotected."""
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
    """Yield a note on classes whose cover number was not computed exactly, and what to do."""
    if classes:
        yield (
            f"{classes} class(es) have too many different sensitive rows for an exact count, so "
            "the level may be higher: generalize sensitive columns, or name fewer of them"
        )


@dataclass(frozen=True)
class MultiAttributeLDiversity:
    """L-diversity for several sensitive attributes (GCG08 Definition 6; with limits, Definition 7).

    Deleting a value deletes the rows that have it. To delete all rows of a class, at least L
    distinct values must be deleted, from any of the sensitive attributes. So after an adversary
    rules out L-2 values, every attribute still has at least two values in the class (Theorem 1).

    l: the required L; None requires nothing.
    at_most: the limit L_i of attribute i, by name (Definition 7): at most L_i of the deleted values
        may belong to the attribute. With a limit, a class may reach L although it has fewer than L
        values of the attribute. Theorem 1 does not hold for this attribute, and a note says that it
        is not protected.

    Level: L, the least cover number of a class (see cover.py). With one attribute, L is the level
    of distinct l-diversity. Higher is safer; 1 means that all rows of some class have the same
    value of an attribute. Infinity is only possible with limits: no deletion within the limits
    deletes all rows of a class.

    Edge cases: no rows, undefined. An unknown cell may have any value that its class has in the
    attribute, whichever makes L smallest. A row with no known value is ignored; a class with no
    known value has no level. A class with very many distinct rows may be too large for an exact
    cover number. Then the level is a lower bound, and the outcome is inconclusive unless the bounds
    decide it. Rows are counted, even with a unit column.
    """

    name: ClassVar[str] = "multi-attribute-l-diversity"
    about: ClassVar[AboutModel] = AboutModel(
        level="l",
        parameter="l",
        symbol="L",
        means="At least l different sensitive values, of any attributes, are needed to cover "
        "all rows of a class",
        matters="An adversary who rules out a value of one sensitive attribute rules out all rows "
        "with this value. That can make a value of another attribute certain, although each "
        "attribute by itself is diverse.",
        do=SPREAD,
        several_values="l",
        variants=(LIMIT,),
        facts=(Deletions,),
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
        """Return the least number of values whose deletion deletes all rows of some class."""
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
            notes=(
                *no_level(worst, len(classes), level.safer),
                *details.notes(worst, self.l, parameters),
            ),
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
    """Yield a note on each attribute that its limit leaves unprotected.

    An attribute is unprotected if some class has fewer than L distinct values of it, and more than
    its limit allows to delete.

    at_most: the limit of each attribute. fewest: for each attribute, the smallest number of
    distinct values in a class with a known value. level: L; None for infinity.
    """
    for name, limit in at_most.items():
        least = fewest.get(name, 0)
        if limit < least and (level is None or least < level):
            against = "infinity" if level is None else level
            yield (
                f"{name!r} is not protected: a class has only {least} of its values, but because "
                f"of its limit the level is still L = {against}"
            )


def _sensitive_rows(
    classes: EquivalenceClasses, chosen: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.intp], Codes]:
    """Return the distinct sensitive rows of each class.

    chosen: mask of the entries of `classes.kept` to use, shape (len(classes.kept),).

    Returns the class of each row, shape (n,), and the codes of its cells, shape (n, n_sensitive).
    """
    kept, class_of = classes.kept.where(chosen), classes.class_of[chosen]
    cells, which = distinct_rows(kept.codes, kept.positions(classes.roles.sensitive))
    if classes.compatibility is not None:  # a class has the rows of all compatible classes
        shape = (len(classes), len(cells))
        table = classes.compatibility.reach(sparse_table(kept.counts, class_of, which, shape))
        entries = table.tocoo()
        there = entries.data > 0
        class_of, which = entries.row[there].astype(np.intp), entries.col[there].astype(np.intp)
    # If the convention counts unknown cells as values, they can be deleted like other values.
    return class_of, cells[which] + FIRST_VALUE - classes.convention.first_counted


def figure_6(rows: Sequence[tuple[str, ...]], l: int) -> bool:
    """Return True if the heuristic of GCG08 Figure 6 finds L rows that share no value.

    Rows with rare values are tried first; rows of equal total frequency are tried in the order
    given. True proves L-diversity. False proves nothing.

    rows: the sensitive values of each row of a class, in the same order of attributes.

    >>> figure_6([("heart", "pill"), ("heart", "knife"), ("flu", "iv"), ("gut", "iv")], 2)
    True
    """
    return len(_disjoint(rows)) >= l


def figure_7(rows: Sequence[tuple[str, ...]], l: int, limits: Sequence[int]) -> bool:
    """Return True if the corrected heuristic of GCG08 Figure 7 proves L-diversity with limits.

    The heuristic first takes rows that share no value; x is their number. Then it adds each other
    row in turn. It finds the x most frequent values that the limits allow, and adds up their counts
    in the taken rows. If the sum is at most the number of taken rows, these rows are x-diverse, and
    the added row is kept. Otherwise the row is removed again. If the condition is also true for
    x + 1 values, x is raised by 1. The result is True as soon as x is L.

    Correction: if the limits allow fewer than x values, the printed figure sums over these fewer
    values and may accept. Here the condition is then false, as Theorem 6 requires.

    rows: as for `figure_6`. limits: the limit of each attribute (Definition 7).
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
    """Return the chosen row numbers in ascending order of the total frequency of their values."""
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
    """Return True if the x most frequent allowed values occur in at most len(rows) rows.

    A row with two of these values counts twice. False if the limits allow fewer than x values.
    """
    left, picked = list(limits), 0
    total = 0
    frequency = Counter((j, value) for row in rows for j, value in enumerate(row))
    for (j, _), n in frequency.most_common():  # the order of equal counts does not matter
        if picked < x and left[j] > 0:
            left[j] -= 1
            picked += 1
            total += n
    return picked == x and total <= len(rows)
