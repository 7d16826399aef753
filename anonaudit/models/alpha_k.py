"""(alpha, k)-anonymity: no sensitive value has a share above alpha in any class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from anonaudit.about import CLASS_SIZE, SPREAD, AboutModel, Need, Unasked, Unions
from anonaudit.cells import FIRST_VALUE
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.frequency.sensitive_counts import SensitiveCounts
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models.level import (
    Chosen,
    Levels,
    ParameterError,
    measurement,
    real_number,
    whole_number,
)
from anonaudit.special_details import ClassSize

NAMED, OTHER = "a named value", "another value"


@dataclass(frozen=True)
class AlphaKAnonymity:
    """(alpha, k)-anonymity: k-anonymity, and no sensitive value has a share above alpha in a class.

    The share of a value in a class is the count of the value divided by the number of all rows of
    the class, including rows with an unknown value. It is the confidence of the rule "class =>
    value".

    alpha: the largest share allowed. k: the smallest class size allowed; None means 1.
    values: the sensitive values whose shares are limited, for example ("HIV",). If empty, the share
        of every value is limited. A named value counts in every sensitive attribute. If it is an
        inner value of an attribute's hierarchy, all values below it count as the named value.
    hierarchies: by sensitive attribute; used only to look up `values`.

    With `values`, a model that would otherwise hold is undecided in two cases:

    - A released value may stand for a named value, and a share would exceed alpha if it did. A
      released value may stand for a named value if it lies above the named value in the hierarchy,
      or if the hierarchy lacks it.
    - A named value is in no sensitive attribute and in no hierarchy.

    Level: alpha, the largest share. Lower is safer; 1 means that all rows of some class have the
    same value.

    Edge cases: no rows, undefined; a class with no known value has no level. A class whose unknown
    cells could raise a share above alpha is undecided.

    Source: Wong, Li, Fu, Wang, (alpha, k)-anonymity: an enhanced k-anonymity model for privacy
    preserving data publishing, KDD 2006, Definitions 1 and 2. The paper limits the share of one
    sensitive value.
    """

    name: ClassVar[str] = "alpha-k-anonymity"
    about: ClassVar[AboutModel] = AboutModel(
        level="alpha",
        parameter="alpha",
        variants=("values",),
        symbol="alpha",
        means="No sensitive value has a share above alpha in a class",
        matters="If most rows of a class have the same value, that value is nearly certain for "
        "everybody in the class.",
        do=SPREAD,
        beside=CLASS_SIZE,
        rows=("k",),
        facts=(ClassSize,),
        unasked=(Unasked(place=90, needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        unions=Unions.IF_APART,
    )
    alpha: float | None = None
    k: int | None = None
    values: tuple[str, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        real_number("alpha", self.alpha, 0, 1)
        whole_number("k", self.k, 1)
        if isinstance(self.values, str) or not all(isinstance(v, str) and v for v in self.values):
            raise ParameterError('values must be a list of sensitive values, for example ["HIV"]')
        object.__setattr__(self, "values", tuple(self.values))  # TOML has lists

    def measure(
        self, classes: EquivalenceClasses, also_violating: Chosen | None = None
    ) -> Measurement:
        """Return the largest share of one value in any class.

        also_violating: see `measurement`.
        """
        short = None if self.k is None else classes.sizes < self.k
        if also_violating is not None:
            short = also_violating if short is None else short | also_violating

        def summed_up(levels: Mapping[str, Levels], worst: Mapping[str, Levels]) -> Measurement:
            return measurement(
                self.name,
                classes,
                levels,
                worst=worst,
                parameters={"alpha": self.alpha, "k": self.k, **self._named()},
                required=self.alpha,
                safer="lower",
                also_violating=short,
                details=ClassSize(k=float(classes.sizes.min()) if len(classes) else None),
            )

        if not self.values:

            def share(counts: SensitiveCounts) -> Levels:
                most = np.minimum(counts.largest, classes.sizes)  # at most all persons
                return np.where(counts.totals > 0, most / classes.sizes, np.nan)

            each = classes.sensitive.items()
            return summed_up(
                {name: share(counts) for name, counts in each},
                {name: share(counts.filled()) for name, counts in each},
            )

        shown = {name: self._shares(classes, name, may=False) for name in classes.sensitive}
        level = summed_up(
            {name: as_released for name, (as_released, _) in shown.items()},
            {name: filled for name, (_, filled) in shown.items()},
        )
        possible = {name: self._shares(classes, name, may=True)[1] for name in classes.sensitive}
        notes = []
        if (lost := self._nowhere(classes)) and self.alpha is not None:
            notes.append(
                f"{lost} of the {len(self.values)} named value(s) are in no sensitive column and "
                "in no hierarchy of a sensitive column; check their spelling, or give the hierarchy"
            )
        if summed_up(possible, possible).outcome is not level.outcome is Outcome.HOLDS:
            notes.append(
                "some released values lie above a named value in the hierarchy, or are missing "
                "from it; if they stand for the named value, a share exceeds alpha; complete the "
                "hierarchy, or name the higher value"
            )
        undecided = bool(notes) and level.outcome is Outcome.HOLDS
        outcome = Outcome.INCONCLUSIVE if undecided else level.outcome
        return replace(level, outcome=outcome, notes=(*level.notes, *notes))

    def _named(self) -> dict[str, str]:
        return {"values": f"{len(self.values)} named"} if self.values else {}

    def _shares(
        self, classes: EquivalenceClasses, attribute: str, *, may: bool
    ) -> tuple[Levels, Levels]:
        """The largest share of a named value in each class, as released and in the worst case.

        In the worst case, all unknown cells of the class have the named value. Returns two arrays
        of shape (n_classes,).

        may: also count released labels that may stand for the named value.
        """
        as_released, filled = np.full((2, len(classes)), np.nan)
        for value in self.values:
            test = self._test(attribute, value, may)
            renamed = {v: NAMED if test(v) else OTHER for v in classes.base.labels_of(attribute)}
            base = classes.base.relabel({attribute: renamed.__getitem__}, classes.convention)
            counts = classes.recounted(base).sensitive[attribute]
            named = np.array([label == NAMED for label in counts.labels])[counts.value]
            held = counts.add_up(np.where(named, counts.count, 0.0))
            most = np.minimum(held + counts.unknown, classes.sizes)
            sizes = np.where(counts.totals > 0, classes.sizes, np.nan)
            as_released = np.fmax(as_released, held / sizes)
            filled = np.fmax(filled, most / sizes)
        return as_released, filled

    def _test(self, attribute: str, value: str, may: bool) -> Callable[[str], bool]:
        """Return a test that is True for a label that equals the named value or lies below it.

        may: the test is also True for a label that may stand for the named value.
        """
        tree = self.hierarchies.get(attribute)
        if tree is None:
            return lambda label: label == value
        top = tree.named(value)

        def test(label: str) -> bool:
            node = tree.named(label)
            # The hierarchy lacks the named value. The named value may belong below any inner value
            # of the hierarchy, or below any label that the hierarchy lacks.
            if top not in tree:
                group = node not in tree or bool(tree.children(node))
                return label == value or (may and group)
            if node not in tree:
                return may
            return tree.is_ancestor(top, node) or (may and tree.is_ancestor(node, top))

        return test

    def _nowhere(self, classes: EquivalenceClasses) -> int:
        """The number of named values that are in no sensitive attribute and in no hierarchy."""
        known: set[str] = set()
        for name in classes.sensitive:
            table = classes.base if classes.whole is None else classes.whole.values[name]
            known.update(table.labels_of(name)[FIRST_VALUE:])
        trees = [tree for name, tree in self.hierarchies.items() if name in classes.sensitive]
        return sum(
            v not in known and not any(tree.named(v) in tree for tree in trees) for v in self.values
        )
