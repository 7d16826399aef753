"""The vocabulary of the matrix: a row is one way to mask, a cell one attack on what it made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from anonaudit import notebook
from anonaudit.findings import Disclosure, Number, Outcome, frame_of, highest, level_cells
from anonaudit.masking.aims import Aim
from anonaudit.plugins import describe_attack, describe_model
from anonaudit.report.words import figures

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Defence:
    """One way to mask: an algorithm and what it aims at.

    name: of the row, for example "mondrian k p". lacking: what of the policy it does not know.
    """

    name: str
    algorithm: str
    aim: Aim
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """What one attack learns from one release.

    targets: the persons attacked. exposed: those identified, or with a sensitive value disclosed.
    undecided: those who may be exposed. rate: exposed over targets. All counts but `targets`, and
        the rate, are None where the attack did not run or decided nobody: never "safe", and
        `reason` says why.
    confidence: how sure the adversary is of what counts as disclosed, None where it is only
        believed. baseline: the share that is right without an attack.
    """

    attack: str
    outcome: Outcome
    targets: int
    identified: int | None = None
    disclosed: int | None = None
    exposed: int | None = None
    rate: float | None = None
    confidence: float | None = None
    baseline: float | None = None
    reason: str | None = None
    undecided: int | None = None

    @classmethod
    def of(cls, label: str, disclosure: Disclosure) -> Cell:
        """What an attack found; no numbers where it decided nothing."""
        decided = (
            disclosure.outcome not in {Outcome.INCONCLUSIVE, Outcome.SKIPPED}
            or disclosure.undecided
        )
        if disclosure.rate is None or not decided or disclosure.undecided == disclosure.targets > 0:
            reason = _so_far(disclosure)
            return cls(
                label,
                disclosure.outcome,
                disclosure.targets,
                baseline=disclosure.baseline,
                reason=reason,
            )
        return cls(
            attack=label,
            outcome=disclosure.outcome,
            targets=disclosure.targets,
            identified=disclosure.identified,
            disclosed=disclosure.disclosed,
            exposed=round(disclosure.rate * disclosure.targets),
            rate=disclosure.rate,
            confidence=_confidence(disclosure),
            baseline=disclosure.baseline,
            reason=disclosure.reason,
            undecided=disclosure.undecided,
        )

    @property
    def rates(self) -> str:
        """The rate, up to the one if everybody undecided were exposed: `25% to 50%`."""
        return figures.between(self.rate, self.highest_rate, None)[0]

    @property
    def highest_rate(self) -> float | None:
        """The rate if everybody undecided were exposed; None where nothing was decided."""
        return highest(self.rate, self.targets, self.undecided or 0)


@dataclass(frozen=True, repr=False)
class MatrixRow(notebook.Result):
    """One way to mask, what it cost, what it reached, and what attacks still learn.

    reason: why nothing was released; then the numbers are None and there are no cells.
    suppressed: rows left out; empty: those left out for lack of a value in any released column.
    hidden: sensitive cells suppressed to hide rules.
    loss: information loss (MCT08 Definition 11) over its most, 0 to 1.
    discernability: the average size of a record's class (GCG08). guessed: the share of the known
        sensitive cells that are right by naming the most frequent value of the class, averaged
        over the sensitive attributes; to be read beside `baseline`, where no class is known.
    levels: what each model measures. outcome: of everything the policy requires.
    highest_loss: of a release that somebody else made, the loss if every label that was not
        understood lost everything. notes: what to tell of it.
    """

    name: str
    algorithm: str
    lacking: tuple[str, ...] = ()
    reason: str | None = None
    outcome: Outcome = Outcome.SKIPPED
    released: int | None = None
    suppressed: int | None = None
    hidden: int | None = None
    classes: int | None = None
    loss: float | None = None
    discernability: float | None = None
    guessed: float | None = None
    baseline: float | None = None
    levels: Mapping[str, Number | None] = field(default_factory=dict)
    cells: tuple[Cell, ...] = ()
    empty: int | None = None
    highest_loss: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def losses(self) -> str:
        """The loss, up to the one if every label that was not understood lost everything."""
        highest = self.loss if self.highest_loss is None else self.highest_loss
        return figures.between(self.loss, highest, None)[0]

    def _line(self) -> str:
        loss = self.reason or f"{self.outcome}, loss {self.losses}"
        return f"{self.name}: {loss}, {len(self.cells)} attack(s)"


@dataclass(frozen=True, repr=False)
class Matrix(notebook.Result):
    """The whole answer.

    rows: by the order of the defences. attacks: the columns, by name, with what the adversary
    knows. persons: of the original. required: what the policy asks for, in words. left_out: the
    empty records of the original and of the tables that the policy names, a sentence a table.
    """

    persons: int
    required: tuple[str, ...]
    attacks: Mapping[str, str]
    rows: tuple[MatrixRow, ...]
    seed: int
    policy: str
    policy_sha256: str | None
    original: str
    left_out: tuple[str, ...] = ()

    def _line(self) -> str:
        return f"of {self.original}: {len(self.attacks)} attacks on {len(self.rows)} releases"

    def symbols(self) -> dict[str, str]:
        """The symbol of each level that has one (`k`), in the order of reports."""
        names = {name for row in self.rows for name in row.levels}
        models = [(describe_model(name), name) for name in names if describe_model(name).symbol]
        models.sort(key=lambda one: (one[0].place, one[1]))
        return {name: about.symbol for about, name in models}

    def plot(
        self, kind: Literal["heatmap", "scatter"] = "heatmap", attack: str | None = None
    ) -> notebook.Picture:
        """Draw the releases.

        kind: `heatmap` has a cell for each release and attack. `scatter` has a point for each
        release: the information loss, and the share of the targets that an attack exposes.
        attack: of the scatter; None takes for each release the worst of the attacks whose
        disclosures are certain.

        Raises AnonauditError for an attack that is no column.
        """
        return notebook.plot(self, kind=kind, attack=attack)

    def to_frame(self) -> pd.DataFrame:
        """One row for each release and model, then one for each release and attack.

        Columns: release, algorithm, outcome (of the whole policy), reason (why nothing was
        released), released, suppressed, classes, loss, highest_loss, discernability, guessed; kind,
        name, status and measured as of `AuditReport.to_frame`; highest_rate, targets, identified,
        disclosed, exposed, undecided and confidence of attacks. A release that was not made has one
        row without any of these.
        """
        rows: list[dict[str, Any]] = []
        for row in self.rows:
            about = {name: getattr(row, name, None) for name in _OF_RELEASE}
            about |= {"release": row.name, "outcome": row.outcome.value}
            cells = [_of_level(name, level) for name, level in row.levels.items()]
            cells += [_of_cell(cell) for cell in row.cells]
            rows += [about | cell for cell in cells or [{}]]
        columns = {name: [row.get(name) for row in rows] for name in (*_OF_RELEASE, *_OF_CELL)}
        counts = dict.fromkeys(_COUNTS, "Int64")
        return frame_of(columns, **dict.fromkeys(_SHARES, "Float64"), **counts)

    def _shown(self) -> notebook.Shown:
        """The rate of each attack on each release."""
        symbols = self.symbols()
        rows = [["release", "policy", "loss", *symbols.values(), *self.attacks]]
        for row in self.rows:
            rates = {cell.attack: cell.rates for cell in row.cells}
            outcome = row.outcome.value if row.reason is None else "none made"
            levels = [figures.level(row.levels.get(name)) for name in symbols]
            shown = [rates.get(attack, "") for attack in self.attacks]
            rows.append([row.name, outcome, row.losses, *levels, *shown])
        said = "A rate is the share of persons exposed; - stands where nothing was decided."
        notes = (f"{row.name}: {note}" for row in self.rows for note in row.notes)
        return notebook.Shown(f"Matrix {self._line()}", rows, (0, 1), (said, *notes))


_SHARES: Final = (
    *("loss", "highest_loss", "discernability", "guessed", "highest_rate", "confidence"),
)
_COUNTS: Final = (
    *("released", "suppressed", "classes"),
    *("targets", "identified", "disclosed", "exposed", "undecided"),
)
_OF_RELEASE: Final = (
    *("release", "algorithm", "outcome", "reason", "released", "suppressed", "classes"),
    *("loss", "highest_loss", "discernability", "guessed"),
)
_OF_CELL: Final = (
    *("kind", "name", "status", "measured", "highest_rate", "targets", "identified"),
    *("disclosed", "exposed", "undecided", "confidence"),
)


def _of_level(name: str, level: Number | None) -> dict[str, Any]:
    return {"kind": "model", "name": name, **level_cells(level)}


def _of_cell(cell: Cell) -> dict[str, Any]:
    counts = {name: getattr(cell, name) for name in _OF_CELL[5:]}
    skipped = cell.outcome is Outcome.SKIPPED
    open_ = cell.rate is None or cell.undecided
    return {
        **counts,
        "kind": "attack",
        "name": cell.attack,
        "status": "not measured" if skipped else "undecided" if open_ else "measured",
        "measured": cell.rate,
        "highest_rate": cell.highest_rate,
    }


def _so_far(disclosure: Disclosure) -> str:
    """Why nothing was decided, and whom an attack that was cut short had exposed by then."""
    reason = disclosure.reason or "no reason is given"
    if not disclosure.rate:
        return reason
    exposed = round(disclosure.rate * disclosure.targets)
    return f"{reason}; {exposed} of {disclosure.targets} were exposed by then"


def _confidence(disclosure: Disclosure) -> float | None:
    """An attack discloses what is certain, unless it counts likely values too."""
    about = describe_attack(disclosure.attack)
    if not about.certain:
        return None
    if about.confidence:
        return float(disclosure.details[about.confidence])  # type: ignore[arg-type]
    return 1.0
