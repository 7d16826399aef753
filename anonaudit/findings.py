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
from anonaudit.special_details import Price

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

Number = int | float
# The note that says why a level is not a number begins with `NO_DATA` if there was nothing to
# measure, and with `NO_FINITE_LEVEL` if the level is infinite.
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

    class_number: the index of the class in `EquivalenceClasses`.
    rows: the number of rows of the class.
    attribute: the sensitive attribute that determines the level; None if no single one does.
    positions: the numbers of the first data rows of the class in the release, counted from 1; empty
        if they are not known.
    cells: quasi-identifier -> its value in the class; None before an audit has added the values. A
        report shows them only if values may be shown.
    """

    class_number: int
    rows: int
    attribute: str | None = None
    positions: tuple[int, ...] = ()
    cells: Mapping[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class AttributeLevel:
    """The level that a model reaches for one sensitive attribute.

    measured: the level; None if it is infinite or there is no data.
    classes_violating, rows_violating: the numbers of classes and rows that miss the required level
        for this attribute; None if nothing is required.
    classes_without_known_value: the number of classes that have no known value of the attribute.
    """

    measured: Number | None
    classes_violating: int | None = None
    rows_violating: int | None = None
    classes_without_known_value: int = 0


@dataclass(frozen=True, repr=False)
class Measurement(notebook.Result):
    """The level that a release reaches for one privacy model.

    measured: the level; None if there is no data or the level is infinite. `notes` says which.
    required: the required level; None if no level is required.
    safer: `higher` if a higher level protects more, otherwise `lower`.
    classes_violating, rows_violating: the numbers of classes and rows that miss the required level;
        None if nothing is required.
    per_attribute: sensitive attribute -> the level that the model reaches for it.
    classes_undecided: the number of classes that reach the required level or not depending on their
        unknown cells or on original values.
    details: further quantities of the model's definition (maxP, maxGroups, ...), as `Details` or as
        a plain mapping.
    by_convention: changed setting, such as `quasi-identifiers = wildcard` -> the level under this
        convention for cells without a value; `inf` if it is infinite, None if there is nothing to
        measure. Only conventions that may change the classes or their values are included.
    violating: a mask of the classes that miss the level, shape (n_classes,); None if it is not
        known. The search for remedies uses the mask; reports omit it.
    undecided: a mask of the classes of `classes_undecided`, shape (n_classes,); None if it is not
        known. Reports omit it.
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
    undecided: npt.NDArray[np.bool_] | None = field(default=None, repr=False, compare=False)

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
    """Return the rate that an attack would have if all undecided targets were exposed.

    The number of exposed targets, `rate * targets`, may be an expected number such as 2.4. It is
    rounded only if it differs from an integer by no more than floating-point error.

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
    targets: the number of persons (or rows) attacked.
    identified: the number of targets that are singled out.
    disclosed: the number of targets of whom the attack discloses a sensitive value.
    undecided: the number of targets for whom the attack could not decide, because something about
        them could not be parsed, compared or finished.
    rate: the share of targets identified or disclosed; None if nothing was decided.
    baseline: the success rate of an adversary who knows only the frequencies of the values and
        guesses the most frequent value; the largest rate over the attributes. None if the attack
        guesses no value.
    allowed: the highest rate that the policy accepts; None if it sets no rate.
    per_attribute: sensitive attribute -> the number of targets of whom a value is disclosed.
    reason: why the attack was skipped or is inconclusive; None otherwise.
    exposed: a mask of the classes with an exposed target, shape (n_classes,); None if it is not
        known. The search for remedies uses the mask; reports omit it.
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

    reachable: the level of the whole table as one class. With boundaries, the level of the maximum
        allowed microdata (MCT08). No generalization reaches a safer level, unless `feasible` is
        None.
    feasible: True if generalization can reach the required level, False if it cannot. None if this
        is not known: the table as one class misses the level, but smaller classes may reach it.
    bottleneck: the sensitive attribute that limits the level; None if no single one does.
    price: the known costs, such as the number of rows to suppress.
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
    """A warning: something that a person should check. It changes no verdict.

    code: the name of the kind of warning. It is the same in all versions.
    message: the warning in words, without cells of the release.
    column: the column that the warning is about; None if there is no single one.
    labels: cells of the release that the warning is about.
    """

    code: str
    message: str
    column: str | None = None
    labels: tuple[str, ...] = field(default=(), repr=False)


_SIZE_BIN: Final = re.compile(r"classes of ([0-9]+)(?: to ([0-9]+))?")


def size_bin(low: int, high: int) -> str:
    """Return the key of `Release.class_sizes` for the classes of `low` to `high` rows (persons).

    >>> size_bin(1, 1), size_bin(5, 9)
    ('classes of 1', 'classes of 5 to 9')
    """
    return f"classes of {low}" + (f" to {high}" if high > low else "")


def sizes_of_bin(key: str) -> tuple[int, int] | None:
    """Return the smallest and largest size of a bin; None if the key is not that of a bin.

    >>> sizes_of_bin("classes of 5 to 9"), sizes_of_bin("classes of 1"), sizes_of_bin("max")
    ((5, 9), (1, 1), None)
    """
    match = _SIZE_BIN.fullmatch(key)
    return (int(match[1]), int(match[2] or match[1])) if match else None


@dataclass(frozen=True)
class Release:
    """The facts about a release as it was read.

    source: the name of the file or table.
    sha256: the hash of the file; None if there is no file.
    persons: the number of persons; None if rows are counted.
    classes: the number of equivalence classes.
    suppressed_tuples: the number of rows in no class because all their quasi-identifiers are
        suppressed.
    dropped_rows: the number of rows dropped for a missing or suppressed quasi-identifier.
    missing_cells, suppressed_cells: column -> its number of missing or suppressed cells.
    convention: setting -> value, as in `anonaudit.cells.Convention`.
    class_sizes: `min`, `mean`, `median` and `max` of the class sizes, and for each bin of sizes
        (see `size_bin`) the number of classes.
    """

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
    levels: generalized column -> (the lowest level of its values before, the lowest level after).
    """

    kind: Change
    columns: tuple[str, ...] = ()
    rows: int = 0
    classes: int = 0
    levels: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Demanded:
    """A requirement before and after a remedy.

    The unit of `required`, `before` and `after` depends on `kind`: the level of a model, the rate
    of an attack, or the number of identifiers in the release.
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

    steps: the changes, in order.
    requirements: each requirement before and after the changes.
    outcome: the outcome of the new audit.
    rows_suppressed: the number of rows (records) deleted.
    cells_changed: the number of cells that were generalized or merged in the remaining rows.
    loss: the additional information loss, as a share of the maximum loss (every quasi-identifier of
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

    tried: first the remedies that suffice, by ascending loss. Then, for each kind of change without
        a listed remedy, the best insufficient remedy. A remedy that changes cells is not listed if
        it suppresses at least as many rows as suppression alone.
    reason: why nothing, or not everything, was tried; None if everything was tried.
    unreachable: the requirements that no generalization or suppression of these rows can meet.
    """

    tried: tuple[Remedy, ...] = ()
    reason: str | None = None
    unreachable: tuple[str, ...] = ()

    def _line(self) -> str:
        good = sum(remedy.suffices for remedy in self.tried)
        return f"{len(self.tried)} tried, {good} of them suffice"


@dataclass(frozen=True)
class Blame:
    """The number of rows in small classes, and this number if a quasi-identifier were left out.

    below: a class is small if it has fewer than `below` rows (or persons, if persons are counted).
    rows: the number of rows in small classes.
    without: quasi-identifier -> the number of rows (or persons) that would be in small classes if
        this column were left out.
    persons: the number of persons in small classes; None if rows are counted. A person with rows in
        several classes counts if one of these classes is small.
    """

    below: Number
    rows: int
    without: Mapping[str, int]
    persons: int | None = None


@dataclass(frozen=True, repr=False)
class AuditReport(notebook.Result):
    """The result of an audit: requirements, levels, attacks, warnings, provenance.

    outcome: `violated` if a requirement is violated, an attack exceeds its allowed rate, or an
        identifier was released. Otherwise `inconclusive` if a requirement is undecided. Otherwise
        `holds` if anything was required. Otherwise `measured`.
    release: the release as it was read.
    columns: role -> its columns, a tuple or a single name; None if no column has the role.
    models, attacks, warnings: the results, in the order of the report.
    provenance: the version of anonaudit, the seed, the name and the SHA-256 of the policy.
    remedies: the remedies that were tried; None if the user did not ask for remedies.
    blame: how many rows would be in small classes without each column; None if nothing is violated,
        no class is small, or the rows were not counted.
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
            What the column `measured` holds. `measured`: the level or the rate. `infinite`: `inf`,
            because the level is infinite. `undecided`: the certain part of the level or the rate,
            because some classes or targets are undecided. `no data`: nothing, because there is
            nothing to measure. `not measured`: nothing, because the attack did not run.
        measured, required
            The level of a model and the required level, or the rate of an attack and the allowed
            rate. Whole numbers have Python's type `int`; an infinite level is `inf`.
        outcome
            `holds`, `violated`, `measured`, `inconclusive` or `skipped`; only in rows about the
            whole release.
        classes_violating, rows_violating, classes_undecided
            Of models: the numbers of classes and rows that miss the level, and the number of
            undecided classes.
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
        """Draw the class sizes with the required size, and the rate of each attack with its limit.

        Returns a picture for notebooks.
        """
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
    """Yield the rows of `AuditReport.to_frame` for a model.

    classes: the number of classes in the release.
    """
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
    """Return the cells `status` and `measured` of `AuditReport.to_frame` for a level.

    measured: the level, as in `Measurement.level`.
    """
    if measured is not None and math.isinf(measured):
        return {"status": "infinite", "measured": measured}
    status = "undecided" if undecided else "no data" if measured is None else "measured"
    return {"status": status, "measured": measured}


def _of_attack(attack: Disclosure) -> Iterator[dict[str, Any]]:
    """Yield the rows of `AuditReport.to_frame` for an attack."""
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

    types: column -> dtype, for the columns whose dtype is not object.
    """
    import pandas as pd

    # The dtype is object, because pandas' string type rejects lone surrogates, which a column name
    # may contain, and because a float column would turn k = 5 into 5.0.
    nothing: Any = pd.NA
    frame = pd.DataFrame(dict(columns), dtype=object)
    frame = frame.where(frame.notna(), nothing)
    return frame.astype(types)
