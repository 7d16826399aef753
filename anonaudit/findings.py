"""The vocabulary of results: what models measure, what attacks disclose, what an audit says.

All frozen, all plain numbers and texts: a result holds no table, no row and no frame.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from anonaudit import notebook
from anonaudit.details import Price

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

Number = int | float
# How the note begins that says why a level is no number: nothing was there to measure, or the level
# is infinite.
NO_DATA: Final = "no data"
NO_FINITE_LEVEL: Final = "no finite level"
NO_LIMIT: Final = f"{NO_FINITE_LEVEL}: a class has no limit"
NOT_BROUGHT_DOWN: Final = f"{NO_FINITE_LEVEL}: no class can be brought down"
Change = Literal["suppress", "merge", "generalize", "drop"]
Parameter = int | float | str | bool | tuple[str, ...]


class Outcome(enum.StrEnum):
    """What came of a requirement, an attack or a whole audit."""

    HOLDS = "holds"
    VIOLATED = "violated"
    MEASURED = "measured"  # nothing was required
    INCONCLUSIVE = "inconclusive"  # nothing could be decided, for a stated reason; never a pass
    SKIPPED = "skipped"  # not run, for a stated reason


@dataclass(frozen=True)
class Witness:
    """The equivalence class that decides a level.

    class_number: its place among the classes. rows: how many rows it has.
    attribute: the sensitive attribute that decides, if one does.
    positions: the first data rows (from 1) of the class in the release.
    cells: the class's quasi-identifier values; only filled in when values may be shown.
    """

    class_number: int
    rows: int
    attribute: str | None = None
    positions: tuple[int, ...] = ()
    cells: Mapping[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class AttributeLevel:
    """The level one sensitive attribute reaches."""

    measured: Number | None
    classes_violating: int | None = None
    rows_violating: int | None = None
    classes_without_known_value: int = 0


@dataclass(frozen=True)
class Measurement:
    """The level of one privacy model that a release reaches.

    measured: None where there is no data, or no finite level (then `notes` says so).
    required: the level asked for, None if none was.
    safer: whether a higher or a lower level protects more.
    classes_violating, rows_violating: below the required level; None if none was asked for.
    classes_undecided: those that reach the required level, or not, by what their unknown cells are.
    details: what else the model's definition speaks of (maxP, maxGroups, ...): `Details`, or of a
        model that has none a plain mapping.
    by_convention: the level under every other convention for cells without a value that
        changes anything, by the name of what was changed.
    violating: which classes fall short, shape (n_classes,); None if that is not known. For who
        looks for a remedy; no part of a report.
    """

    model: str
    parameters: Mapping[str, Parameter]
    measured: Number | None
    required: Number | None
    safer: Literal["higher", "lower"]
    outcome: Outcome
    classes_violating: int | None = None
    rows_violating: int | None = None
    per_attribute: Mapping[str, AttributeLevel] = field(default_factory=dict)
    witness: Witness | None = None
    details: Mapping[str, object] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()
    by_convention: Mapping[str, Number | None] = field(default_factory=dict)
    violating: npt.NDArray[np.bool_] | None = field(default=None, repr=False, compare=False)
    classes_undecided: int = 0

    @property
    def judged(self) -> bool:
        """Whether anything was required of the model."""
        return self.required is not None or self.classes_violating is not None

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return notebook.to_html(self)


def highest(rate: float | None, targets: int, undecided: int) -> float | None:
    """The rate of an attack if every undecided target were exposed.

    An expected number of targets, such as 2.4, is exposed as it is.

    >>> highest(0.25, 8, 2), highest(0.3, 8, 2)
    (0.5, 0.55)
    """
    if rate is None or not undecided:
        return rate
    exposed = rate * targets
    if math.isclose(exposed, round(exposed)):
        exposed = round(exposed)
    return min((exposed + undecided) / max(targets, 1), 1.0)


@dataclass(frozen=True)
class Disclosure:
    """What one attack learns.

    knowledge: what the adversary is taken to know, in a sentence.
    targets: the persons (or rows) attacked. identified: those told apart from everyone else.
    disclosed: those of whom a sensitive value becomes certain.
    undecided: those who may be identified or disclosed, or may not: something about them was not
        read, compared or finished.
    rate: the share of targets identified or disclosed; None where nothing could be decided.
    baseline: the share an adversary gets right who knows only how frequent each value is
        and guesses the most frequent one (the largest over the attributes); None where
        nothing was guessed.
    allowed: the rate the policy allows; None if it names none.
    reason: why an attack was skipped or is inconclusive.
    exposed: the classes that lay somebody open, shape (n_classes,); None if that is not known.
        For who looks for a remedy; no part of a report.
    """

    attack: str
    knowledge: str
    targets: int
    identified: int
    disclosed: int
    rate: float | None
    baseline: float | None
    outcome: Outcome
    allowed: float | None = None
    per_attribute: Mapping[str, int] = field(default_factory=dict)
    details: Mapping[str, object] = field(default_factory=dict, repr=False)
    witness: Witness | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    undecided: int = 0
    exposed: npt.NDArray[np.bool_] | None = field(default=None, repr=False, compare=False)

    @property
    def highest_rate(self) -> float | None:
        """The rate if every undecided target were exposed; None where nothing could be decided."""
        return highest(self.rate, self.targets, self.undecided)

    def to_frame(self) -> pd.DataFrame:
        """One row a sensitive attribute: of how many targets a value of it becomes certain."""
        shares = [
            count / self.targets if self.targets else None for count in self.per_attribute.values()
        ]
        columns: dict[str, list[Any]] = {
            "attribute": list(self.per_attribute),
            "disclosed": list(self.per_attribute.values()),
            "rate": shares,
        }
        return _frame(columns, disclosed="int64", rate="float64")

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return notebook.to_html(self)


@dataclass(frozen=True)
class Feasibility:
    """Whether one requirement can be met by masking, and what it costs.

    reachable: the level of the whole table as one class (of the maximum allowed microdata,
        where boundaries are given): no masking by generalization gets further.
    feasible: None where it is not known: one class falls short, but finer classes may not.
    bottleneck: the sensitive attribute that keeps the level down, if one does.
    price: what is known of the cost: the most classes there may be, how many rows must be
        suppressed.
    """

    model: str
    required: Number | None
    reachable: Number | None
    feasible: bool | None
    bottleneck: str | None = None
    price: Price = field(default_factory=Price, repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Notice:
    """Something an auditor should look at that is no verdict. `code` is stable."""

    code: str
    message: str
    column: str | None = None
    labels: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Release:
    """The release as it was read."""

    source: str
    sha256: str | None
    rows: int
    persons: int | None
    classes: int
    suppressed_tuples: int
    dropped_rows: int
    missing_cells: Mapping[str, int]
    suppressed_cells: Mapping[str, int]
    convention: Mapping[str, Parameter]
    class_sizes: Mapping[str, Number | None]


@dataclass(frozen=True)
class Step:
    """One change to a release.

    kind: `suppress` deletes rows; `merge` gives classes one common generalization; `generalize`
        takes columns to a higher level; `drop` leaves columns out.
    columns: those changed; none where rows are deleted.
    rows, classes: how many were changed, as the release was before this step; 0 classes where
        rows of no class are meant.
    levels: for each generalized column the lowest level of its values before and after.
    """

    kind: Change
    columns: tuple[str, ...] = ()
    rows: int = 0
    classes: int = 0
    levels: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Demanded:
    """One requirement before and after a remedy.

    What is required and found is the level of a model, the rate of an attack, or how many
    identifiers are in the release.
    """

    kind: Literal["model", "attack", "identifiers"]
    name: str
    required: Number | None
    before: Number | None
    after: Number | None
    outcome_before: Outcome
    outcome: Outcome


@dataclass(frozen=True)
class Remedy:
    """A changed release, as the audit of it found it.

    steps: what was changed, in this order. requirements: each of them before and after.
    outcome: of the new audit. rows_suppressed: rows (records) deleted. cells_changed: cells of the
        rows that are left, generalized or merged.
    loss: the information loss added, as a share of the largest there is (every quasi-identifier of
        every row suppressed); see `anonaudit.masking.loss.information_loss`.
    """

    steps: tuple[Step, ...]
    requirements: tuple[Demanded, ...]
    outcome: Outcome
    rows_suppressed: int
    cells_changed: int
    loss: float

    @property
    def suffices(self) -> bool:
        """Whether nothing required is broken or undecided any more."""
        return self.outcome in (Outcome.HOLDS, Outcome.MEASURED)


@dataclass(frozen=True)
class Remedies:
    """What was tried out to mend a release.

    tried: those that suffice, the least loss first; then, of each kind of which none does, the
        best. reason: why nothing, or not everything, was tried. unreachable: requirements that no
        generalization or suppression of these rows can meet.
    """

    tried: tuple[Remedy, ...] = ()
    reason: str | None = None
    unreachable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Blame:
    """How many rows are in small classes, and how many would be without one quasi-identifier.

    below: small is a class of fewer rows, or of fewer persons where persons are counted. rows,
    persons: those in small classes; no persons where rows are counted. A person with rows in
    several classes is in a small class if one of them is. without: by each quasi-identifier, the
    rows (or the persons, where they are counted) in small classes if it were left out.
    """

    below: Number
    rows: int
    without: Mapping[str, int]
    persons: int | None = None


@dataclass(frozen=True)
class AuditReport:
    """The whole answer to one audit: requirements, levels, attacks, warnings, provenance.

    `outcome` is `violated` if any requirement or allowed rate is broken, or an identifier
    was released; else `inconclusive` if anything required could not be decided; else
    `holds` if anything was required; else `measured`.

    remedies: what was tried out to mend the release; None where that was not asked for.
    blame: which column singles rows out; None where that was not counted, or nothing falls short.
    """

    outcome: Outcome
    release: Release
    columns: Mapping[str, tuple[str, ...] | str | None]
    models: tuple[Measurement, ...]
    attacks: tuple[Disclosure, ...]
    warnings: tuple[Notice, ...]
    provenance: Mapping[str, Parameter | None]
    remedies: Remedies | None = None
    blame: Blame | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing required was broken or left undecided."""
        return self.outcome in (Outcome.HOLDS, Outcome.MEASURED)

    def to_frame(self) -> pd.DataFrame:
        """One row a model, then one an attack.

        Columns: kind, name, required (of an attack the rate that is allowed), measured (of an
        attack its rate), outcome, classes_violating and rows_violating (of a model only).
        """
        models, attacks = self.models, self.attacks
        none: list[Any] = [None] * len(attacks)
        columns: dict[str, list[Any]] = {
            "kind": ["model"] * len(models) + ["attack"] * len(attacks),
            "name": [m.model for m in models] + [a.attack for a in attacks],
            "required": [m.required for m in models] + [a.allowed for a in attacks],
            "measured": [m.measured for m in models] + [a.rate for a in attacks],
            "outcome": [m.outcome.value for m in models] + [a.outcome.value for a in attacks],
            "classes_violating": [m.classes_violating for m in models] + none,
            "rows_violating": [m.rows_violating for m in models] + none,
        }
        numbers = {"required": "float64", "measured": "float64"}
        return _frame(columns, **numbers, classes_violating="Int64", rows_violating="Int64")

    def _repr_html_(self) -> str:
        """How a notebook shows it: the verdict and the tables, without values of the release."""
        return notebook.to_html(self)


def _frame(columns: Mapping[str, list[Any]], **types: Any) -> pd.DataFrame:
    import pandas as pd

    # Texts stay Python's own: pandas' texts hold no lone surrogate, the name of a column may.
    frame = pd.DataFrame(dict(columns), dtype=object)
    return frame.astype(types)
