"""Interval disclosure: the share of original numbers that lie close to their perturbed numbers.

Source: Mateo-Sanz, Sebe, Domingo-Ferrer, Outlier Protection in Continuous Microdata Masking, PSD
2004 (standard deviation-based intervals, SDID); `dRisk` of sdcMicro.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from anonaudit.about import AboutModel, Need, Unasked
from anonaudit.arrays import Bools, Floats
from anonaudit.cells import FIRST_VALUE
from anonaudit.details import Details, fact
from anonaudit.errors import listed
from anonaudit.findings import NO_DATA, AttributeLevel, Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.generalization.labels import as_float
from anonaudit.linking.alignment import Alignment, How
from anonaudit.models.level import ROUNDING, ParameterError, real_number


@dataclass(frozen=True, kw_only=True, eq=False)
class CloseValues(Details):
    """The numbers of original values, of values in their intervals, and of undecided values.

    compared: the number of original values, by column. close: the number of these that lie in the
    interval around their released value. undecided: the number of these that cannot be compared,
    because the original or the released cell has a text that is no number. everywhere: the share of
    rows with a close value in every column, among the rows that can be compared in every column;
    the `dRisk` of sdcMicro.
    """

    compared: Mapping[str, int] = fact("values compared", said="Original values compared: {}")
    close: Mapping[str, int] = fact(
        "values in the interval",
        said="Original values in the interval: {}",
        safer="lower",
        whole="rows",
    )
    undecided: Mapping[str, int] = fact(
        "values undecided", said="Values undecided: {}", safer="lower", whole="rows"
    )
    everywhere: float | None = fact(
        "rows in all intervals", said="Share of rows in the intervals of all columns: {}"
    )


class _Column(NamedTuple):
    """The result of comparing one column: three masks of the pairs of an alignment, and a flag.

    there, close, undecided: shape (n_pairs,). there: the original cell has a value. close: both
    cells are numbers, and the original number is in the interval. undecided: both cells have a
    value, and one of the values is no number.
    numeric: True if any original value of the column is a number.
    """

    there: Bools
    close: Bools
    undecided: Bools
    numeric: bool


@dataclass(frozen=True)
class IntervalDisclosure:
    """Interval disclosure: the share of original numbers in an interval around the released number.

    The interval around a released number y of a column is [y - w s, y + w s]. Here s is the
    standard deviation of the released numbers of the column (with the divisor n - 1), and w is
    `within`. If the original number is in the interval, the adversary knows it up to an error of
    w s.

    Level: for each column, the share of original values that lie in their intervals; the highest
    share over the columns. Lower is safer; 1 means that every original value of a column lies in
    its interval, 0 that none does.

    Rows are paired with their originals by a key or by order. An original cell without a value is
    not counted, and a released cell without a value discloses nothing. Two kinds of values are
    undecided: a pair of cells one of which has a text that is no number, and a released row without
    a paired original. The requirement is

    - violated if a share exceeds `most` even if all undecided values lie outside their intervals;
    - satisfied if all columns are compared, and no share exceeds `most` even if all undecided
      values lie in their intervals;
    - undecided otherwise.

    Edge cases: undecided if there is no row, no original or no column, or if rows are paired by the
    best permutation. With one released number, or only equal numbers, s is 0 and only equal values
    are in the interval. A column without any number in the original is undecided; to leave it out,
    list the other columns in `columns`.

    most: the largest share allowed; None requires nothing. within: half the width of the interval,
        in standard deviations; sdcMicro's `k`.
    columns: the columns to compare; if empty, those that are declared perturbed.
    alignment: the released rows, paired with the original rows; None without an original. decimal:
        the decimal mark.

    Example:
    -------
    The standard deviation of the released numbers 10, 20 and 30 is 10. With within=0.1, each
    interval reaches 1 to both sides. The originals 10 and 21 are in their intervals, 34 is not.

    >>> from anonaudit.frequency.classes import equivalence_classes
    >>> from anonaudit.frequency.frequency_set import FrequencySet
    >>> from anonaudit.linking.alignment import align_by_key
    >>> from anonaudit.roles import Roles
    >>> old = FrequencySet.of(["id", "age"], [("1", "10"), ("2", "21"), ("3", "34")])
    >>> new = FrequencySet.of(["id", "age"], [("1", "10"), ("2", "20"), ("3", "30")])
    >>> paired = align_by_key(
    ...     old, new, "id", quasi_identifiers=[], sensitive=[], validity={}, perturbed=["age"]
    ... )
    >>> classes = equivalence_classes(new.project(["age"]), Roles(("age",)))
    >>> found = IntervalDisclosure(most=0.5, within=0.1, alignment=paired).measure(classes)
    >>> round(found.measured, 3), found.outcome.value
    (0.667, 'violated')
    """

    name: ClassVar[str] = "interval-disclosure"
    about: ClassVar[AboutModel] = AboutModel(
        level="share",
        parameter="most",
        means="At most this share of the original values of a column lies in a narrow interval "
        "around the perturbed value",
        matters="A value that is known up to a small error is disclosed, although it was changed.",
        do="Perturb the column more: more noise, larger groups, or swapping over larger distances.",
        of_the_whole=True,
        names_columns="columns",
        facts=(CloseValues,),
        unasked=(Unasked(place=165, needs=frozenset({Need.ORIGINAL, Need.PERTURBED})),),
    )
    most: float | None = None
    within: float = 0.05
    columns: tuple[str, ...] = ()
    alignment: Alignment | None = None
    decimal: str = "."

    def __post_init__(self) -> None:
        real_number("most", self.most, 0, 1)
        if self.within is None:
            raise ParameterError("within must be given")
        real_number("within", self.within, 0, above=True)
        if not isinstance(self.columns, (list, tuple)) or not all(
            isinstance(c, str) and c for c in self.columns
        ):
            raise ParameterError('columns must be a list of columns, for example ["income"]')
        object.__setattr__(self, "columns", tuple(self.columns))  # TOML has lists

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the highest share of close values in a column; `per_attribute` has each column."""
        del classes
        pairs = self.alignment
        if pairs is None or pairs.how is How.PERMUTATION:
            why = (
                "there is no original to compare with; name one"
                if pairs is None
                else (
                    "rows were paired by their values, which this model cannot use; pair them by "
                    "original.key or original.align"
                )
            )
            return self._measured(None, Outcome.INCONCLUSIVE, notes=(why,))
        chosen = self.columns or pairs.perturbed
        known = [c for c in chosen if c in pairs.original.attributes]
        absent = [c for c in chosen if c not in known]
        notes = [f"not compared, as absent from the original or used as key: {listed(absent)}"]
        notes = notes if absent else []
        if not known or not pairs.count.sum():
            if known:
                notes.append(f"{NO_DATA}: no row is paired with an original one")
            elif not absent:
                notes.append(
                    "no column is declared perturbed (values.reading), and none is named (columns)"
                )
            return self._measured(None, Outcome.INCONCLUSIVE, notes=tuple(notes))
        found = {column: self._column(pairs, column) for column in known}
        blind = [column for column, one in found.items() if not one.numeric]
        if blind:
            notes.append(
                f"no original value is a number: {listed(blind)}; list the other columns in columns"
            )
        compared, close, undecided = (
            {column: int(pairs.count[getattr(one, what)].sum()) for column, one in found.items()}
            for what in ("there", "close", "undecided")
        )
        lowest = {c: close[c] / compared[c] for c in known if compared[c]}
        alone = int(pairs.invented.sum())  # their originals are not known
        surest = {c: close[c] / (compared[c] + alone) for c in lowest if c not in blind}
        highest = {c: (close[c] + undecided[c] + alone) / (compared[c] + alone) for c in lowest}
        level = max((lowest[c] for c in lowest if c not in blind), default=None)
        outcome = Outcome.MEASURED if level is not None else Outcome.INCONCLUSIVE
        if self.most is not None and level is not None:
            limit = self.most * (1 + ROUNDING)
            outcome = Outcome.HOLDS
            if max(surest.values()) > limit:
                outcome = Outcome.VIOLATED
            elif notes or max(highest.values()) > limit:
                outcome = Outcome.INCONCLUSIVE
        notes += [
            f"not read as numbers, so undecided: {n} value(s) of {column}; declare values.decimal "
            "or values.missing"
            for column, n in undecided.items()
            if n
        ]
        if alone:
            notes.append(
                f"{alone} released row(s) are not paired with an original row and undecided; "
                "original.key and original.align say how rows are paired"
            )
        return self._measured(
            level,
            outcome,
            {column: AttributeLevel(lowest.get(column)) for column in known if column not in blind},
            CloseValues(
                compared=compared,
                close=close,
                undecided=undecided,
                everywhere=_everywhere(pairs, found),
            ),
            tuple(notes),
        )

    def _column(self, pairs: Alignment, column: str) -> _Column:
        """Compare the original values of a column with the intervals around the released values."""
        old, new = pairs.codes(column)
        ours, theirs = (
            _numbers(table.labels_of(column), self.decimal)
            for table in (pairs.original, pairs.released)
        )
        every = theirs[pairs.released.column(column)]
        reach = self.within * _deviation(every, pairs.released.counts)
        before, after = ours[old], theirs[new]
        with np.errstate(invalid="ignore"):
            slack = ROUNDING * np.maximum(np.abs(before), np.abs(after))
            close = np.abs(before - after) <= reach + slack  # False if one is NaN
        there = old >= FIRST_VALUE
        unread = (np.isnan(before) | np.isnan(after)) & there & (new >= FIRST_VALUE)
        return _Column(there, close & there, unread, bool((~np.isnan(before)).any()))

    def _measured(
        self,
        level: float | None,
        outcome: Outcome,
        per_attribute: Mapping[str, AttributeLevel] | None = None,
        details: Details | None = None,
        notes: tuple[str, ...] = (),
    ) -> Measurement:
        columns = {"columns": self.columns} if self.columns else {}
        most = {} if self.most is None else {"most": self.most}
        return Measurement(
            model=self.name,
            parameters={**most, "within": self.within, **columns},
            measured=level,
            required=self.most,
            safer="lower",
            outcome=outcome,
            per_attribute=per_attribute or {},
            details=details or {},
            notes=notes,
        )


def _numbers(labels: Sequence[str], decimal: str) -> Floats:
    """Return the number of each label; NaN for a cell without a value or with another text."""
    numbers = [as_float(label, decimal) for label in labels[FIRST_VALUE:]]
    return np.array([np.nan] * FIRST_VALUE + numbers)


def _deviation(numbers: Floats, rows: npt.NDArray[np.int64]) -> float:
    """Return the standard deviation of the numbers that are not NaN; 0 for fewer than two rows.

    rows: how often each number occurs, the same shape as `numbers`.
    """
    there = ~np.isnan(numbers)
    each, weight = numbers[there], rows[there]
    if weight.sum() < 2:
        return 0.0
    middle = np.average(each, weights=weight)
    return float(np.sqrt((weight * np.square(each - middle)).sum() / (weight.sum() - 1)))


def _everywhere(pairs: Alignment, found: Mapping[str, _Column]) -> float | None:
    """Return the share of rows that are close in all columns, among the rows comparable in all.

    A row is comparable in a column if its original cell has a value and the pair of cells is not
    undecided. None if no row is comparable in all columns.
    """
    whole = np.logical_and.reduce([one.there & ~one.undecided for one in found.values()])
    close = np.logical_and.reduce([one.close for one in found.values()])
    total = int(pairs.count[whole].sum())
    return float(pairs.count[whole & close].sum() / total) if total else None
