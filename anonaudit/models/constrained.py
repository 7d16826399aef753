"""Constrained models: a privacy model together with generalization boundaries (MCT08)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from anonaudit.about import AboutModel, Need, Unasked, Unions
from anonaudit.findings import Measurement, Outcome
from anonaudit.frequency.classes import EquivalenceClasses
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.models.alpha_k import AlphaKAnonymity
from anonaudit.models.boundaries import Boundaries, Violations
from anonaudit.models.k_anonymity import KAnonymity
from anonaudit.models.l_diversity import LDiversity
from anonaudit.models.p_sensitive import PSensitiveKAnonymity
from anonaudit.models.t_closeness import Distance, TCloseness
from anonaudit.special_details import BeyondBoundaries, Counted

_MEANS = ", and no quasi-identifier is generalized beyond its boundary"
_MATTERS = (
    " A value generalized beyond its boundary is useless to those who set the boundary. "
    "Boundaries are named in [hierarchies] of the policy."
)


def _within_boundaries(inner: AboutModel, *unasked: Unasked) -> AboutModel:
    """Return the texts of a constrained model: the texts of `inner`, extended by the boundaries."""
    return replace(
        inner,
        means=inner.means + _MEANS,
        matters=inner.matters + _MATTERS,
        bounded=True,
        facts=(BeyondBoundaries, *inner.facts),
        symbol="",
        unasked=unasked,
        unions=Unions.NOT_KNOWN,  # the maximum allowed microdata decides (MCT08 Property 4)
    )


Inner = AlphaKAnonymity | KAnonymity | PSensitiveKAnonymity | LDiversity | TCloseness


@dataclass(frozen=True, kw_only=True)
class Constrained:
    """A model that also forbids generalization beyond boundaries (MCT08 Definitions 5 and 6).

    The inner model is the model without boundaries, for example k-anonymity. The boundary of an
    original value is its MAGVal, the maximum allowed generalization value; see `Boundaries`.

    Level: the level of the inner model. `details` has the number of constraint violations by
    attribute. A single violation breaks the model, and the class of the violating row counts as
    violating. A suppressed cell counts as the root of the hierarchy. A fully suppressed row breaks
    no boundary, under any convention: MCT08 suppresses tuples in order to keep the boundaries.

    Edge cases: no rows, undefined; no boundaries, as the inner model; a boundary at the root
    forbids nothing. If only the original can decide some boundaries or cells, a model that would
    otherwise hold is undecided.

    boundaries: the maximum allowed generalizations.
    exact: the violations, counted cell by cell by comparison with the original. None if there is no
        original. Then the cells of `Boundaries.suspected` are counted.
    """

    name: ClassVar[str]
    about: ClassVar[AboutModel]
    boundaries: Boundaries = field(default_factory=Boundaries)
    exact: Violations | None = None

    @property
    def inner(self) -> Inner:
        """The model without its boundaries."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        self.inner  # noqa: B018 - building the inner model checks its parameters

    def measure(self, classes: EquivalenceClasses) -> Measurement:
        """Return the level of the inner model and the constraint violations."""
        beyond = self.boundaries.suspected(classes) if self.exact is None else self.exact
        certain = beyond.rows - beyond.suspected_rows
        inner = self.inner.measure(classes, also_violating=certain > 0)
        undecided = beyond.suspected_rows > 0
        for decided in (inner.violating, inner.undecided):
            undecided &= True if decided is None else ~decided
        details = BeyondBoundaries(
            inner=inner.details,
            by_column=dict(beyond.by_attribute),
            suspected={column: n for column, n in beyond.suspected.items() if n} or None,
            classes=int((certain > 0).sum()),
            rows=int(certain.sum()),
            undecided_classes=int(undecided.sum()) or None,
            undecided_rows=int(beyond.suspected_rows[undecided].sum()) or None,
            how=Counted.WITHOUT_ORIGINAL if self.exact is None else Counted.WITH_ORIGINAL,
        )
        outcome, notes = inner.outcome, inner.notes
        if any(details.certain.values()):
            outcome = Outcome.VIOLATED  # a violating row may be in no class
        elif (self.boundaries.unchecked or details.leaves_open) and outcome is Outcome.HOLDS:
            outcome = Outcome.INCONCLUSIVE
        if self.boundaries.unchecked:
            named = ", ".join(self.boundaries.unchecked)
            text = f"the boundaries of {named} need the original values: give the original"
            notes = (*notes, text)
        return replace(
            inner,
            model=self.name,
            outcome=outcome,
            classes_undecided=inner.classes_undecided + int(undecided.sum()),
            undecided=undecided if inner.undecided is None else undecided | inner.undecided,
            details=details,
            notes=(*notes, *details.notes(None, None, {})),
        )


@dataclass(frozen=True)
class ConstrainedKAnonymity(Constrained):
    """Constrained k-anonymity (MCT08 Definition 6). Level: k; higher is safer."""

    name: ClassVar[str] = "constrained-k-anonymity"
    about: ClassVar[AboutModel] = _within_boundaries(
        KAnonymity.about, Unasked(place=20, needs=frozenset({Need.BOUNDARIES}))
    )
    k: int | None = None

    @property
    def inner(self) -> KAnonymity:
        """The model without its boundaries: k-anonymity."""
        return KAnonymity(self.k)


@dataclass(frozen=True)
class ConstrainedPSensitiveKAnonymity(Constrained):
    """Constrained p-sensitive k-anonymity (MCT08 section 4). Level: p; higher is safer."""

    name: ClassVar[str] = "constrained-p-sensitive-k-anonymity"
    about: ClassVar[AboutModel] = _within_boundaries(PSensitiveKAnonymity.about)
    p: int | None = None
    k: int | None = None

    @property
    def inner(self) -> PSensitiveKAnonymity:
        """The model without its boundaries: p-sensitive k-anonymity."""
        return PSensitiveKAnonymity(self.p, self.k)


@dataclass(frozen=True)
class ConstrainedLDiversity(Constrained):
    """Constrained l-diversity (MCT08 section 4). Level: l; higher is safer."""

    name: ClassVar[str] = "constrained-l-diversity"
    about: ClassVar[AboutModel] = _within_boundaries(LDiversity.about)
    l: int | None = None

    @property
    def inner(self) -> LDiversity:
        """The model without its boundaries: distinct l-diversity."""
        return LDiversity(self.l)


@dataclass(frozen=True)
class ConstrainedAlphaKAnonymity(Constrained):
    """Constrained (alpha, k)-anonymity (MCT08 section 6). Level: alpha; lower is safer."""

    name: ClassVar[str] = "constrained-alpha-k-anonymity"
    about: ClassVar[AboutModel] = _within_boundaries(AlphaKAnonymity.about)
    alpha: float | None = None
    k: int | None = None
    values: tuple[str, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)

    @property
    def inner(self) -> AlphaKAnonymity:
        """The model without its boundaries: (alpha, k)-anonymity."""
        return AlphaKAnonymity(self.alpha, self.k, self.values, self.hierarchies)


@dataclass(frozen=True)
class ConstrainedTCloseness(Constrained):
    """Constrained t-closeness (MCT08 section 4). Level: t; lower is safer."""

    name: ClassVar[str] = "constrained-t-closeness"
    about: ClassVar[AboutModel] = _within_boundaries(TCloseness.about)
    t: float | None = None
    distance: Distance = "equal"
    scale: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    @property
    def inner(self) -> TCloseness:
        """The model without its boundaries: t-closeness."""
        return TCloseness(self.t, self.distance, self.scale, self.hierarchies)
