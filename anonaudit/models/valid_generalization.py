"""Valid generalization: every released cell equals, generalizes or suppresses its original cell.

Generalization replaces a value by one of its ancestors in a hierarchy (MCT08 section 2, TV06
section 2); suppression removes the value. Any other cell was perturbed, swapped or entered by
mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from anonaudit.about import AboutModel, Need, Unasked
from anonaudit.cells import FIRST_VALUE
from anonaudit.details import Details, Kind, fact
from anonaudit.findings import NO_DATA, AttributeLevel, Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.alignment import Alignment, How, LeftOver
from anonaudit.linking.over_suppression import over_suppression
from anonaudit.models.level import whole_number


@dataclass(frozen=True, kw_only=True, eq=False)
class Needless(Details):
    """The number of suppressed rows that could have been published.

    published: rows that fit a published class.
    own: rows that would form new classes of the needed size; "not known" if there is no needed
        size, if it counts persons, or if a column is perturbed.
    unknown: rows whose generalization cannot be inferred.
    """

    published: int = fact("in a published class")
    own: int | str = fact("in classes of their own")
    unknown: int = fact("not known")


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared(Details):
    """The result of comparing released rows with their originals: numbers of rows and of cells.

    how: how rows were paired. left_over: how the rows that fit no remaining original were paired.
    rows: rows with an original. explained: rows that are valid in every compared cell. bad: rows
        with a bad cell (see `ValidGeneralization`).
    checked, suppressed_cells: by quasi-identifier, the number of cells compared, and of cells
        without a value whose original has a value.
    changed, hidden: by sensitive column, the number of cells changed, and of cells without a value
        whose original has a value.
    invented: released rows without an original. missing: original rows without a released row.
    suppressed: rows suppressed as a whole. needless: those that could have been published.
    """

    how: How = fact(
        "rows paired by",
        Kind.TEXT,
        words={
            How.KEY: "Rows were paired with their originals by a key",
            How.ORDER: "Rows were paired with their originals in the order of the files",
            How.PERMUTATION: "Rows were paired such that as many as possible are valid "
            "generalizations of their originals",
        },
    )
    rows: int = fact("rows compared", said="Rows compared with their originals: {}")
    explained: int = fact("rows explained", said="Rows that are valid in every column: {}")
    bad: int = fact(
        "rows with a bad cell",
        Kind.COUNT,
        one="1 row has a cell that is no generalization of its original",
        said="{} rows have a cell that is no generalization of its original",
    )
    left_over: LeftOver = fact(
        "unexplained rows paired by",
        Kind.TEXT,
        words={
            LeftOver.NONE: "",
            LeftOver.FEWEST_BAD: "Rows that generalize no remaining original were paired such that "
            "the fewest cells are bad",
            LeftOver.ORDER: "Rows that generalize no remaining original were paired with the "
            "remaining originals in order",
        },
    )
    checked: Mapping[str, int] = fact("cells checked", said="Cells checked: {}")
    suppressed_cells: Mapping[str, int] = fact("cells suppressed", said="Cells suppressed: {}")
    changed: Mapping[str, int] = fact(
        "sensitive cells changed",
        said="Sensitive cells changed: {}",
        safer="lower",
        whole="rows",
    )
    hidden: Mapping[str, int] = fact("sensitive cells hidden", said="Sensitive cells hidden: {}")
    invented: int = fact(
        "rows invented",
        Kind.COUNT,
        one="1 row has no original",
        said="{} rows have no original",
        safer="lower",
        whole="rows",
    )
    missing: int = fact(
        "rows missing",
        Kind.COUNT,
        one="1 row of the original is missing",
        said="{} rows of the original are missing",
    )
    suppressed: int = fact("suppressed tuples", said="Rows suppressed as a whole: {}")
    needless: Needless = fact(
        "could have been kept", said="Suppressed rows that could have been published: {}"
    )


@dataclass(frozen=True)
class ValidGeneralization:
    """Bad cells: quasi-identifier cells that are no generalization of their original cell.

    Level: the number of bad cells. A cell is valid if it equals its original, generalizes it (by
    the label or the hierarchy), or has no value; otherwise it is bad. Lower is safer; 0 is
    required, and there is no other threshold. A changed sensitive cell, or a row without an
    original, violates the requirement too.

    A cell whose label cannot be compared with the original counts as bad. If nothing else violates
    the requirement, the requirement is undecided. It is also undecided if it would otherwise hold,
    but a column is declared perturbed and was not compared. Without an original, or without rows,
    nothing is decided.

    `details` has the numbers of suppressed and emptied cells, of missing rows, and of suppressed
    rows that could have been published.

    asked: True if 0 bad cells are required, False if the level is only measured.
    alignment: the released rows, paired with the original rows; None without an original.
    trees: hierarchies by column.
    needed_k: the smallest class size in which a suppressed row could have been published; None for
        the size of the smallest released class.
    """

    name: ClassVar[str] = "valid-generalization"
    about: ClassVar[AboutModel] = AboutModel(
        level="bad cells",
        means="Every released cell is its original cell, a generalization of it, or suppressed",
        matters="The levels of other models mean nothing if cells were shifted, swapped or are "
        "wrong.",
        do="Correct the cells that the report names, or declare the hierarchy that was used.",
        of_the_whole=True,
        facts=(Compared,),
        unasked=(Unasked(place=160, needs=frozenset({Need.ORIGINAL})),),
    )
    asked: bool = True
    alignment: Alignment | None = None
    trees: dict[str, Hierarchy] = field(default_factory=dict)
    needed_k: int | None = None

    def __post_init__(self) -> None:
        whole_number("needed_k", self.needed_k, 1)

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the number of bad cells, in total and by column; the details are `Compared`."""
        pairs = self.alignment
        if pairs is None or pairs.released.total == 0:
            return self._undecided(
                "there is no original to compare with; name one"
                if pairs is None
                else f"{NO_DATA}: the release has no row, so there is nothing to compare"
            )
        bad = {column: ~pairs.valid(column) for column in pairs.quasi_identifiers}
        changed = {column: ~pairs.valid(column) for column in pairs.sensitive}
        cells = {column: int(pairs.count[wrong].sum()) for column, wrong in bad.items()}
        altered = {column: int(pairs.count[wrong].sum()) for column, wrong in changed.items()}
        invented, total = int(pairs.invented.sum()), sum(cells.values())
        wrong = np.logical_or.reduce([*bad.values(), *changed.values()])
        holds = not (wrong.any() or invented)
        outcome = Outcome.HOLDS if holds else Outcome.VIOLATED
        unread = {
            column: int(pairs.count[wrong & pairs.may_be_valid(column)].sum())
            for column, wrong in bad.items()
        }
        if sum(unread.values()) == total > 0 and not (sum(altered.values()) or invented):
            outcome = Outcome.INCONCLUSIVE
        if pairs.perturbed and outcome is Outcome.HOLDS:
            outcome = Outcome.INCONCLUSIVE
        where = pairs.invented > 0
        where[pairs.new[wrong]] = True
        number = classes.number_of(pairs.released.where(where))
        violating = np.isin(np.arange(len(classes)), number)
        kept = over_suppression(pairs, classes, self.trees, self.needed_k)
        bad_row = np.logical_or.reduce(list(bad.values()))  # a single False without columns
        return Measurement(
            model=self.name,
            parameters={},
            measured=total,
            required=0 if self.asked else None,
            safer="lower",
            outcome=outcome if self.asked else Outcome.MEASURED,
            classes_violating=int(violating.sum()) if self.asked else None,
            rows_violating=int(pairs.count[wrong].sum()) + invented if self.asked else None,
            per_attribute={
                column: AttributeLevel(n, rows_violating=n if self.asked else None)
                for column, n in cells.items()
            },
            details=Compared(
                how=pairs.how,
                rows=int(pairs.count.sum()),
                explained=int(pairs.count[pairs.explained].sum()),
                bad=int(pairs.count[bad_row].sum()),
                left_over=pairs.left_over,
                checked={c: int(pairs.count.sum()) for c in pairs.quasi_identifiers},
                suppressed_cells=self._silent(pairs, pairs.quasi_identifiers),
                changed=altered,
                hidden=self._silent(pairs, pairs.sensitive),
                invented=invented,
                missing=int(pairs.missing.sum()),
                suppressed=kept.suppressed,
                needless=Needless(
                    published=kept.published,
                    own="not known" if kept.own is None else kept.own,
                    unknown=kept.unknown,
                ),
            ),
            notes=(
                *_unread(unread),
                *self._notes(pairs, classes, sum(altered.values()), invented),
            ),
            violating=violating if self.asked else None,
        )

    def _undecided(self, why: str) -> Measurement:
        return Measurement(
            model=self.name,
            parameters={},
            measured=None,
            required=0 if self.asked else None,
            safer="lower",
            outcome=Outcome.INCONCLUSIVE,
            classes_violating=0 if self.asked else None,
            rows_violating=0 if self.asked else None,
            notes=(why,),
        )

    def _notes(
        self, alignment: Alignment, classes: EquivalenceClasses, altered: int, invented: int
    ) -> tuple[str, ...]:
        notes = []
        if altered or invented:
            notes.append(
                f"{altered} sensitive cell(s) were changed and {invented} row(s) have no original; "
                "generalization does neither"
            )
        if alignment.how is How.PERMUTATION:
            notes.append(
                "paired by a permutation with which as many rows as possible are valid; another "
                "such permutation may give other results for single rows and for suppressed rows"
            )
        if alignment.perturbed:
            notes.append(
                f"perturbed, so not compared with the original: {', '.join(alignment.perturbed)} "
                f"({len(alignment.perturbed) * int(alignment.count.sum())} cell(s))"
            )
        known = (*alignment.sensitive, *alignment.perturbed)
        lost = [name for name in classes.roles.sensitive if name not in known]
        if lost:
            notes.append(f"not in the original, so not compared: {', '.join(lost)}")
        return tuple(notes)

    @staticmethod
    def _silent(alignment: Alignment, columns: tuple[str, ...]) -> dict[str, int]:
        """The number of released cells without a value whose original has a value, by column."""
        count = {}
        for column in columns:
            old, new = alignment.codes(column)
            count[column] = int(alignment.count[(old >= FIRST_VALUE) & (new < FIRST_VALUE)].sum())
        return count


def _unread(cells: Mapping[str, int]) -> Iterator[str]:
    """Yield a note on the undecided cells of each column."""
    for column, number in cells.items():
        if number:
            yield (
                f"{number} cell(s) of {column} cannot be compared with the original; declare what "
                f"the labels mean: hierarchies or values.reading of {column}"
            )
