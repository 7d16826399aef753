"""The vocabulary of results: what models measure, what attacks disclose, what an audit says.

All frozen, all plain numbers and texts: a result holds no table, no row and no frame.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterator, Mapping
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


@dataclass(frozen=True, repr=False)
class Measurement(notebook.Result):
    """The level of one privacy model that a release reaches.

    measured: None where there is no data, or no finite level (then `notes` says so).
    required: the level asked for, None if none was.
    safer: whether a higher or a lower level protects more.
    classes_violating, rows_violating: below the required level; None if none was asked for.
    classes_undecided: those that reach the required level, or not, by what their unknown cells are.
    details: what else the model's definition speaks of (maxP, maxGroups, ...): `Details`, or of a
        model that has none a plain mapping.
    by_convention: the level under every other convention for cells without a value that
        changes anything, by the name of what was changed; `inf` if it is infinite, None if there
        is nothing to measure.
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

    @property
    def level(self) -> Number | None:
        """The level: `inf` if it is infinite, None if there was nothing to measure."""
        infinite = any(note.startswith(NO_FINITE_LEVEL) for note in self.notes)
        return math.inf if self.measured is None and infinite else self.measured

    def _line(self) -> str:
        level = self.notes[0] if self.measured is None and self.notes else _short(self.measured)
        asked = "" if self.required is None else f", required {_short(self.required)}"
        return f"{self.model}: {level}{asked}, {self.outcome}"


def _short(level: Number | None) -> str:
    return "-" if level is None else f"{level:.4g}" if isinstance(level, float) else f"{level}"


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


@dataclass(frozen=True, repr=False)
class Disclosure(notebook.Result):
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
        return frame_of(columns, disclosed="Int64", rate="Float64")

    def _line(self) -> str:
        counts = f"{self.identified} identified, {self.disclosed} disclosed"
        return (
            f"{self.attack}: {counts}, {self.undecided} undecided of {self.targets}, {self.outcome}"
        )


@dataclass(frozen=True, repr=False)
class Feasibility(notebook.Result):
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
    price: Price = field(default_factory=Price)
    notes: tuple[str, ...] = ()

    def _line(self) -> str:
        said = {True: "feasible", False: "not feasible", None: "not known"}[self.feasible]
        levels = f"required {_short(self.required)}, reachable {_short(self.reachable)}"
        return f"{self.model}: {said}, {levels}"


@dataclass(frozen=True)
class Notice:
    """Something an auditor should look at that is no verdict. `code` is stable."""

    code: str
    message: str
    column: str | None = None
    labels: tuple[str, ...] = field(default=(), repr=False)


_SIZE_BIN: Final = re.compile(r"classes of ([0-9]+)(?: to ([0-9]+))?")


def size_bin(low: int, high: int) -> str:
    """The key of `Release.class_sizes` for the classes of `low` to `high` rows.

    >>> size_bin(1, 1), size_bin(5, 9)
    ('classes of 1', 'classes of 5 to 9')
    """
    return f"classes of {low}" + (f" to {high}" if high > low else "")


def sizes_of_bin(key: str) -> tuple[int, int] | None:
    """The least and the largest size of a bin; None for another key of `Release.class_sizes`.

    >>> sizes_of_bin("classes of 5 to 9"), sizes_of_bin("classes of 1"), sizes_of_bin("max")
    ((5, 9), (1, 1), None)
    """
    match = _SIZE_BIN.fullmatch(key)
    return (int(match[1]), int(match[2] or match[1])) if match else None


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


@dataclass(frozen=True, repr=False)
class Remedy(notebook.Result):
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

    def _line(self) -> str:
        steps = ", ".join(f"{step.kind} {step.rows} row(s)" for step in self.steps)
        return f"{steps}: {self.outcome}, loss {self.loss:.3%}"


@dataclass(frozen=True, repr=False)
class Remedies(notebook.Result):
    """What was tried out to mend a release.

    tried: those that suffice, the least loss first; then, of each kind of which none does, the
        best. reason: why nothing, or not everything, was tried. unreachable: requirements that no
        generalization or suppression of these rows can meet.
    """

    tried: tuple[Remedy, ...] = ()
    reason: str | None = None
    unreachable: tuple[str, ...] = ()

    def _line(self) -> str:
        good = sum(remedy.suffices for remedy in self.tried)
        return f"{len(self.tried)} tried, {good} of them suffice"


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


@dataclass(frozen=True, repr=False)
class AuditReport(notebook.Result):
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
        """One row for each model, attribute and convention, then one for each attack and attribute.

        Columns, with an empty cell where a row has nothing to say:

        kind, number
            `model` or `attack`, and its place in `models` or `attacks`, from 1: a policy may
            require a model, or run an attack, several times.
        name, parameters
            `t-closeness`, `t = 0.2, distance = equal`.
        attribute
            The sensitive attribute; empty in rows about the whole release.
        convention
            `as audited`, or what was changed: `quasi-identifiers = wildcard`.
        status
            What `measured` is. `measured`: the level or the rate. `infinite`: the level is
            infinite. `undecided`: what is certain; something was not decided. `no data`: there was
            nothing to measure. `not measured`: the attack did not run.
        measured, required
            The level; of an attack its rate, and the rate that is allowed. Whole numbers are
            Python's `int`, an infinite level is `inf`.
        outcome
            `holds`, `violated`, `measured`, `inconclusive` or `skipped`; of whole releases only.
        classes_violating, rows_violating, classes_undecided
            Of models: how many fall short, or may.
        highest_rate, targets, identified, disclosed, undecided
            Of attacks: the rate if every undecided target were exposed, and numbers of targets.

        >>> from anonaudit import audit, datasets
        >>> report = audit(
        ...     datasets.path("TV06/table3.csv"),
        ...     quasi_identifiers=["age", "zip-code", "sex"],
        ...     sensitive=["illness", "income"],
        ... )
        >>> frame = report.to_frame()
        >>> of_l = frame[frame["name"] == "l-diversity"]
        >>> of_l[["attribute", "measured"]].values.tolist()
        [[<NA>, 1], ['illness', 2], ['income', 1]]
        """
        rows = [
            {"kind": "model", "number": number, **row}
            for number, model in enumerate(self.models, 1)
            for row in _of_model(model, self.release.classes)
        ]
        rows += [
            {"kind": "attack", "number": number, **row}
            for number, attack in enumerate(self.attacks, 1)
            for row in _of_attack(attack)
        ]
        columns = {name: [row.get(name) for row in rows] for name in _COLUMNS}
        counts = dict.fromkeys(_COUNTS, "Int64")
        return frame_of(columns, number="int64", highest_rate="Float64", **counts)

    def plot(self) -> notebook.Picture:
        """The sizes of the classes and the share that each attack exposes, beside their limits."""
        return notebook.plot(self)

    def _line(self) -> str:
        release = self.release
        return (
            f"of {release.source}: {self.outcome}, {release.rows:,} rows in "
            f"{release.classes:,} class(es), {len(self.models)} model(s), "
            f"{len(self.attacks)} attack(s)"
        )


_COUNTS: Final = (
    *("classes_violating", "rows_violating", "classes_undecided"),
    *("targets", "identified", "disclosed", "undecided"),
)
_COLUMNS: Final = (
    *("kind", "number", "name", "parameters", "attribute", "convention", "status"),
    *("measured", "required", "outcome", *_COUNTS[:3], "highest_rate", *_COUNTS[3:]),
)
_AS_AUDITED: Final = "as audited"


def _of_model(model: Measurement, classes: int) -> Iterator[dict[str, Any]]:
    """The rows of a model. classes: of the release."""
    named = {
        "name": model.model,
        "parameters": ", ".join(f"{key} = {value}" for key, value in model.parameters.items())
        or None,
        "required": model.required,
    }
    no_data = any(note.startswith(NO_DATA) for note in model.notes)
    undecided = model.classes_undecided > 0 or model.outcome is Outcome.INCONCLUSIVE
    yield {
        **named,
        "convention": _AS_AUDITED,
        **level_cells(model.level, undecided=undecided and not no_data),
        "outcome": model.outcome.value,
        "classes_violating": model.classes_violating,
        "rows_violating": model.rows_violating,
        "classes_undecided": model.classes_undecided,
    }
    for attribute, level in model.per_attribute.items():
        infinite = level.measured is None and level.classes_without_known_value < classes
        yield {
            **named,
            "attribute": attribute,
            "convention": _AS_AUDITED,
            **level_cells(math.inf if infinite else level.measured),
            "classes_violating": level.classes_violating,
            "rows_violating": level.rows_violating,
        }
    for convention, measured in model.by_convention.items():
        yield {**named, "convention": convention, **level_cells(measured)}


def level_cells(measured: Number | None, *, undecided: bool = False) -> dict[str, Any]:
    """The cells `status` and `measured` of a frame, of a level as `Measurement.level` has it."""
    if measured is not None and math.isinf(measured):
        return {"status": "infinite", "measured": measured}
    status = "undecided" if undecided else "no data" if measured is None else "measured"
    return {"status": status, "measured": measured}


def _of_attack(attack: Disclosure) -> Iterator[dict[str, Any]]:
    """The rows of an attack."""
    named: dict[str, Any] = {"name": attack.attack, "convention": _AS_AUDITED}
    if attack.outcome is Outcome.SKIPPED:
        yield {**named, "status": "not measured", "outcome": attack.outcome.value}
        return
    open_ = attack.rate is None or attack.undecided or attack.outcome is Outcome.INCONCLUSIVE
    named |= {"status": "undecided" if open_ else "measured", "targets": attack.targets}
    yield {
        **named,
        "required": attack.allowed,
        "measured": attack.rate,
        "highest_rate": attack.highest_rate,
        "outcome": attack.outcome.value,
        "identified": attack.identified,
        "disclosed": attack.disclosed,
        "undecided": attack.undecided,
    }
    for attribute, count in attack.per_attribute.items():
        rate = count / attack.targets if attack.targets and attack.rate is not None else None
        yield {**named, "attribute": attribute, "measured": rate, "disclosed": count}


def frame_of(columns: Mapping[str, list[Any]], **types: Any) -> pd.DataFrame:
    """A frame of Python's own texts and numbers, but for columns of other types; None is empty."""
    import pandas as pd

    # Texts stay Python's own: pandas' texts hold no lone surrogate, the name of a column may.
    # Levels stay, too: a column of floats turns k = 5 into 5.0.
    nothing: Any = pd.NA
    frame = pd.DataFrame(dict(columns), dtype=object)
    frame = frame.where(frame.notna(), nothing)
    return frame.astype(types)
