"""k-anonymity: every combination of quasi-identifier values occurs k times or more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonaudit.about import GENERALIZE, AboutModel, Unasked, Unions
from anonaudit.findings import Measurement
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.codes import by_column, distinct_rows, row_numbers
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.models.level import Chosen, measurement, whole_number
from anonaudit.special_details import Histories


@dataclass(frozen=True)
class KAnonymity:
    """k-anonymity (TV06 Definition 1; MCT08 Definitions 1 and 2).

    Level: k, the size of the smallest equivalence class. Higher is safer; 1 means that a row is
    alone in its class. With a unit column, k counts persons: three rows of one person have size 1.

    Edge cases: no rows, k is undefined (inconclusive, never a pass); one class of n rows, k = n; a
    missing cell is counted by the convention. If the required k exceeds the number of rows (or
    persons), a note says that no masking can reach it.

    k: the required level; None requires nothing.

    >>> KAnonymity(k=5).k
    5
    """

    name: ClassVar[str] = "k-anonymity"
    about: ClassVar[AboutModel] = AboutModel(
        level="k",
        parameter="k",
        symbol="k",
        means="Every combination of quasi-identifier values is shared by k {people} or more",
        matters="An adversary who knows the quasi-identifiers of a person can find the person's "
        "row if few rows share them.",
        do=GENERALIZE,
        size_of_class=True,
        rows=("k",),
        facts=(Histories,),
        unasked=(Unasked(place=10),),
        by_class=True,
        unions=Unions.ALWAYS,
    )
    k: int | None = None

    def __post_init__(self) -> None:
        whole_number("k", self.k, 1)

    def measure(
        self, classes: EquivalenceClasses, also_violating: Chosen | None = None
    ) -> Measurement:
        """Return the size of the smallest class.

        also_violating: see `measurement`.
        """
        details: Mapping[str, object] = {}
        notes: tuple[str, ...] = ()
        unit = classes.roles.unit
        if unit is not None:
            histories = person_histories(classes.kept, classes.roles.quasi_identifiers, unit)
            details = Histories(
                k=int(histories.min()) if len(histories) else None,
                alone=int((histories == 1).sum()),
            )
        whole = classes.convention.wildcard_weight == 1
        n = classes.total_persons if unit is not None else classes.total_rows
        if self.k is not None and n is not None and 0 < n < self.k:
            counted = "persons" if unit is not None else "rows"
            notes = (f"k = {self.k} cannot be reached by any masking: there are {n} {counted}",)
        return measurement(
            self.name,
            classes,
            {"": classes.sizes},
            parameters={"k": self.k},
            required=self.k,
            whole=whole,
            also_violating=also_violating,
            details=details,
            notes=notes,
        )


def person_histories(base: FrequencySet, quasi: tuple[str, ...], unit: str) -> np.ndarray:
    """The number of persons with each history, shape (n_histories,).

    The history of a person is the multiset of the quasi-identifier combinations in all rows of the
    person. An adversary who knows all records of a person can use the history to find the person.
    The smallest returned number is the k of the release if the history is taken as the
    quasi-identifier.
    """
    place = row_numbers(base.codes, base.positions(quasi))
    visits, visit = distinct_rows(by_column([base.column(unit), place]))
    times = np.bincount(visit, base.counts).astype(np.int64)
    items = by_column([visits[:, 1], times])
    return np.unique(histories(visits[:, 0], items), return_counts=True)[1]


def histories(owner: np.ndarray, items: np.ndarray) -> np.ndarray:
    """Return a number for each owner; owners with equal sets of items get the same number.

    owner: the owner of each item, shape (n,). items: one item per row, shape (n, width). The items
    of each owner must be distinct. Returns numbers from 0, shape (n_owners,), one for each owner in
    ascending order of `owner`.

    >>> histories(np.array([0, 0, 1, 1, 2]), np.array([[7], [8], [8], [7], [7]])).tolist()
    [1, 1, 0]
    """
    _, item = distinct_rows(items)
    person, start = np.unique(np.sort(owner), return_index=True)
    order = np.lexsort((item, owner))
    item, length = item[order], np.diff(np.append(start, len(item)))
    history = np.zeros(len(person), np.int64)
    for step in range(int(length.max(initial=0))):  # item number `step` of every owner
        going = length > step
        prefix = np.column_stack([history[going], item[start[going] + step]])
        # The offset keeps the numbers of different steps apart. Without it, a history that ended
        # earlier could get the same number as a longer one.
        history[going] = distinct_rows(prefix)[1] + (step + 1) * (len(person) + 1)
    numbers: np.ndarray = np.unique(history, return_inverse=True)[1]
    return numbers
