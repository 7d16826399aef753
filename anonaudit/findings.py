"""The result types: what models measure, what attacks disclose, and what an audit reports.

All result types are frozen and hold numbers and texts only, never a table or its rows.
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
# Beginnings of the note that explains why a level is not a number: there was nothing to measure, or
# the level is infinite.
NO_DATA: Final = "no data"
NO_FINITE_LEVEL: Final = "no finite level"
NO_LIMIT: Final = f"{NO_FINITE_LEVEL}: some class misses every threshold"
NOT_BROUGHT_DOWN: Final = f"{NO_FINITE_LEVEL}: no class has a finite level"
Change = Literal["suppress", "merge", "generalize", "drop"]
Parameter = int | float | str | bool | tuple[str, ...]


class Outcome(enum.StrEnum):
    """The outcome of a requirement, an attack or a whole audit."""

    HOLDS = "holds"
    VIOLATED = "violated"
    MEASURED = "measured"  # nothing was required
    INCONCLUSIVE = "inconclusive"  # undecided, for a stated reason; never a pass
    SKIPPED = "skipped"  # not run, for a stated reason


@dataclass(frozen=True)
class Witness:
    """The equivalence class that determines a level.

    class_number: the index of the class in `EquivalenceClasses`. rows: its number of rows.
    attribute: the sensitive attribute that determines the level, if one does.
    positions: the first data rows (counted from 1) of the class in the release.
    cells: the quasi-identifier values of the class; None unless values may be shown.
    """

    class_number: int
    rows: int
    attribute: str | None = None
    positions: tuple[int, ...] = ()
    cells: Mapping[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class AttributeLevel:
    """The level that a model reaches for one sensitive attribute."""

    measured: Number | None
    classes_violating: int | None = None
    rows_violating: int | None = None
    classes_without_known_value: int = 0


@dataclass(frozen=True, repr=False)
class Measurement(notebook.Result):
    """The level that a release reaches for one privacy model.

    measured: None if there is no data or the level is infinite; `notes` says which.
    required: the required level; None if no level is required.
    safer: whether a higher or a lower level protects more.
    classes_violating, rows_violating: the classes that miss the required level, and their rows;
        None if nothing is required.
    classes_undecided: the classes whose unknown cells decide if they reach the required level.
    details: further quantities of the model's definition (maxP, maxGroups, ...). Either `Details`
        or a plain mapping.
    by_convention: the levels if cells without a value were counted by another convention. Only
        conventions that may change the classes or their values are included. The key names the
        changed setting. The level is `inf` if infinite, None if there is nothing to measure.
    violating: a mask of the classes that miss the level, shape (n_classes,); None if unknown. The
        search for remedies uses it; reports leave it out.
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
        """Return True if the policy requires anything of the model."""
        return self.required is not None or self.classes_violating is not None

    @property
    def level(self) -> Number | None:
        """The level: `inf` if it is infinite, None if there is nothing to measure."""
        infinite = any(note.startswith(NO_FINITE_LEVEL) for note in self.notes)
        return math.inf if self.measured is None and infinite else self.measured

    def _line(self) -> str:
        level = self.notes[0] if self.measured is None and self.notes else _short(self.measured)
        asked = "" if self.required is None else f", required {_short(self.required)}"
        return f"{self.model}: {level}{asked}, {self.outcome}"


def _short(level: Number | None) -> str:
    return "-" if level is None else f"{level:.4g}" if isinstance(level, float) else f"{level}"


def highest(rate: float | None, targets: int, undecided: int) -> float | None:
    """Return the rate of an attack if all undecided targets were exposed.

    `rate * targets` may be an expected number such as 2.4; it is rounded only if it is an integer
    up to floating-point error.

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
    """The result of one attack.

    knowledge: what the adversary is assumed to know, in one sentence.
    targets: the number of persons (or rows) attacked. identified: targets that are singled out.
    disclosed: targets with a sensitive value that the attack discloses.
    undecided: targets that may or may not be identified or disclosed, because something about them
        could not be parsed, compared or finished.
    rate: the share of targets identified or disclosed; None if nothing was decided.
    baseline: the success rate of an adversary who knows only the frequencies of the values and
        guesses the most frequent one; the largest rate over the attributes. None if the attack
        guesses no value.
    allowed: the rate that the policy allows; None if it sets no rate.
    reason: why the attack was skipped or is inconclusive.
    exposed: a mask of the classes with an exposed target, shape (n_classes,); None if unknown. The
        search for remedies uses it; reports leave it out.
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
        """The rate if all undecided targets were exposed; None if nothing was decided."""
        return highest(self.rate, self.targets, self.undecided)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each sensitive attribute, with the number of disclosed targets."""
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
    """The feasibility of a requirement: whether masking can meet it, and at what cost.

    reachable: the level of the whole table as one class. With boundaries: the level of the maximum
        allowed microdata. No generalization reaches a better level, unless `feasible` is None.
    feasible: None if unknown: a single class misses the level, but finer classes may reach it.
    bottleneck: the sensitive attribute that limits the level, if one does.
    price: the known costs: the largest number of classes, the number of rows to suppress.
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
    """Something that an auditor should check, without a verdict. `code` never changes."""

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
    """Return the smallest and largest size of a bin; None for another key of `class_sizes`.

    >>> sizes_of_bin("classes of 5 to 9"), sizes_of_bin("classes of 1"), sizes_of_bin("max")
    ((5, 9), (1, 1), None)
    """
    match = _SIZE_BIN.fullmatch(key)
    return (int(match[1]), int(match[2] or match[1])) if match else None


@dataclass(frozen=True)
class Release:
    """The facts about a release as it was read."""

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

    kind: `suppress` deletes rows. `merge` replaces the labels of several classes by one common
        generalization. `generalize` raises columns to a higher level. `drop` removes columns.
    columns: the changed columns; empty if rows are deleted.
    rows, classes: the numbers of changed rows and classes, counted before this step. `classes` is 0
        if the deleted rows are in no class.
    levels: for each generalized column, the lowest level of its values before and after.
    """

    kind: Change
    columns: tuple[str, ...] = ()
    rows: int = 0
    classes: int = 0
    levels: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Demanded:
    """A requirement before and after a remedy.

    `required`, `before` and `after` are levels of a model, rates of an attack, or numbers of
    identifiers in the release.
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
    """A changed release and the result of its audit.

    steps: the changes in order. requirements: each requirement before and after.
    outcome: of the new audit. rows_suppressed: rows (records) deleted. cells_changed: cells that
        were generalized or merged in the remaining rows.
    loss: the additional information loss, as a share of the maximum (every quasi-identifier of
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
        """Return True if no requirement is violated or undecided any more."""
        return self.outcome in (Outcome.HOLDS, Outcome.MEASURED)

    def _line(self) -> str:
        steps = ", ".join(f"{step.kind} {step.rows} row(s)" for step in self.steps)
        return f"{steps}: {self.outcome}, loss {self.loss:.3%}"


@dataclass(frozen=True, repr=False)
class Remedies(notebook.Result):
    """The remedies that were tried on a release.

    tried: first remedies that suffice, by ascending loss; then the best insufficient remedy of each
        kind of change of which no other is listed. A remedy that changes cells is not listed if it
        suppresses as many rows as suppression alone, or more.
    reason: why nothing, or not everything, was tried. unreachable: the requirements that no
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
    """The number of rows in small classes, now and without each of the quasi-identifiers.

    below: a class is small if it has fewer rows than this (fewer persons, if persons are counted).
    rows, persons: the rows and persons in small classes; `persons` is None if rows are counted. A
    person with rows in several classes counts if one of the classes is small. without: for each
    quasi-identifier, the rows (or persons) in small classes if that column were left out.
    """

    below: Number
    rows: int
    without: Mapping[str, int]
    persons: int | None = None


@dataclass(frozen=True, repr=False)
class AuditReport(notebook.Result):
    """The result of an audit: requirements, levels, attacks, warnings, provenance.

    `outcome` is `violated` if a requirement or an allowed rate is violated, or an identifier
    was released; otherwise `inconclusive` if a requirement is undecided; otherwise `holds` if
    anything was required; otherwise `measured`.

    remedies: the remedies that were tried; None if they were not asked for.
    blame: how much each column adds to small classes; None if nothing is violated, no class is
        small, or the counts were not made.
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
        """Return True if nothing required is violated or undecided."""
        return self.outcome in (Outcome.HOLDS, Outcome.MEASURED)

    def to_frame(self) -> pd.DataFrame:
        """Return a frame of models, attributes and conventions, then of attacks and attributes.

        A cell is empty if the column does not apply to the row. Columns:

        kind, number
            `model` or `attack`, and its position in `models` or `attacks`, counted from 1. A policy
            may require a model, or run an attack, several times.
        name, parameters
            `t-closeness`, `t = 0.2, distance = equal`.
        attribute
            The sensitive attribute; empty in rows about the whole release.
        convention
            `as audited`, or the changed convention: `quasi-identifiers = wildcard`.
        status
            The meaning of `measured`. `measured`: the level or the rate. `infinite`: the level is
            infinite. `undecided`: the certain part of the level or the rate, because some classes
            or targets are undecided. `no data`: there is nothing to measure. `not measured`: the
            attack did not run.
        measured, required
            The level of a model and the required level, or the rate of an attack and the allowed
            rate. Whole numbers have Python's type `int`; an infinite level is `inf`.
        outcome
            `holds`, `violated`, `measured`, `inconclusive` or `skipped`; only in rows about the
            whole release.
        classes_violating, rows_violating, classes_undecided
            Of models: the classes and rows that miss the level, and the undecided classes.
        highest_rate, targets, identified, disclosed, undecided
            Of attacks: the rate if all undecided targets were exposed, and numbers of targets.

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
        """Draw the class sizes and the share that each attack exposes, with their limits."""
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
    """Yield the rows of a model. classes: the number of classes in the release."""
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
    """Return the cells `status` and `measured` for a level as in `Measurement.level`."""
    if measured is not None and math.isinf(measured):
        return {"status": "infinite", "measured": measured}
    status = "undecided" if undecided else "no data" if measured is None else "measured"
    return {"status": status, "measured": measured}


def _of_attack(attack: Disclosure) -> Iterator[dict[str, Any]]:
    """Yield the rows of an attack."""
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
    """Return a frame of Python texts and numbers; None becomes an empty cell.

    types: the dtypes of columns that are not to have dtype object.
    """
    import pandas as pd

    # Keep dtype object: pandas' string type rejects lone surrogates, which a column name may hold,
    # and a float column would turn k = 5 into 5.0.
    nothing: Any = pd.NA
    frame = pd.DataFrame(dict(columns), dtype=object)
    frame = frame.where(frame.notna(), nothing)
    return frame.astype(types)
