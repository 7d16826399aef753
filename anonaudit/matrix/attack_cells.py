"""The data of the matrix: a row is one release, a cell is the result of one attack on it."""

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
    """One way to mask: an algorithm and its goals.

    name: the name of the row, for example "mondrian k p".
    aim: the goals that the algorithm aims at.
    lacking: the goals of the policy that the algorithm does not aim at, as short words.
    """

    name: str
    algorithm: str
    aim: Aim
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """The result of one attack on one release.

    If the attack did not run, or decided about no target, then `rate` and all counts except
    `targets` are None, and `reason` says why. This does not mean that the release is safe.

    attack: the label of the attack.
    targets: the number of persons attacked.
    identified: the number of targets who were re-identified.
    disclosed: the number of targets with a disclosed sensitive value.
    exposed: the number of targets who were re-identified or have a disclosed value.
    rate: exposed / targets.
    undecided: the number of further targets who may be exposed, not counted in `exposed`.
    confidence: the least confidence of a value that counts as disclosed; 1 if disclosures are
        certain. None if the adversary only believes the values, or if `rate` is None.
    baseline: the share of sensitive values that a guess gets right without an attack.
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
        """Return the cell of a disclosure, without numbers if the attack decided nothing."""
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
        """The rate as text; if targets are undecided, its bounds, for example `25% to 50%`."""
        return figures.between(self.rate, self.highest_rate, None)[0]

    @property
    def highest_rate(self) -> float | None:
        """The rate if every undecided target were exposed; None if nothing was decided."""
        return highest(self.rate, self.targets, self.undecided or 0)


@dataclass(frozen=True, repr=False)
class MatrixRow(notebook.Result):
    """One release: its cost, the measured levels of the models, and the results of the attacks.

    name: the name of the row.
    algorithm: the masking algorithm; "given" for a release that others made.
    lacking: the goals of the policy that the algorithm did not aim at, as short words.
    reason: why there is no release; the numbers are then None, and there are no cells. None if
        there is a release.
    outcome: the outcome of all requirements of the policy together.
    released: the number of rows of the release.
    suppressed: the number of suppressed rows.
    empty: the number of rows left out because no released column has a value.
    hidden: the number of sensitive cells suppressed to hide rules.
    classes: the number of equivalence classes.
    loss: the information loss (MCT08 Definition 11) divided by the largest possible loss, 0 to 1.
    highest_loss: for a release that others made, the loss if every cell whose loss is unknown lost
        everything; otherwise None.
    discernability: the mean, over all records, of the size of the record's class (GCG08).
    guessed: the share of the known sensitive cells that equal the most frequent value of their
        class, averaged over the sensitive attributes. Compare it with `baseline`.
    baseline: the share of the known sensitive cells that equal the most frequent value of the whole
        release, averaged in the same way.
    levels: the measured level of each model, by the name of the model.
    cells: the results of the attacks.
    notes: sentences about the information loss.
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
        """The loss as text; if the loss of some cells is unknown, its bounds."""
        highest = self.loss if self.highest_loss is None else self.highest_loss
        return figures.between(self.loss, highest, None)[0]

    def _line(self) -> str:
        loss = self.reason or f"{self.outcome}, loss {self.losses}"
        return f"{self.name}: {loss}, {len(self.cells)} attack(s)"


@dataclass(frozen=True, repr=False)
class Matrix(notebook.Result):
    """The results of all attacks on all releases.

    persons: the number of persons of the original.
    required: the requirements of the policy, as text.
    attacks: what the adversary knows, by the label of the attack. Each attack is a column.
    rows: one row for each release.
    seed: the seed of the call.
    policy, policy_sha256: the source of the policy, and the hash of its text.
    original: the name of the original.
    left_out: a sentence for each table whose empty records were ignored. Such a table is the
        original, or a table that the policy names.
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
        """Return the symbol of each model that has one, by name, in the order of the report.

        For example, the symbol of k-anonymity is `k`.
        """
        names = {name for row in self.rows for name in row.levels}
        models = [(describe_model(name), name) for name in names if describe_model(name).symbol]
        models.sort(key=lambda one: (one[0].place, one[1]))
        return {name: about.symbol for about, name in models}

    def plot(
        self, kind: Literal["heatmap", "scatter"] = "heatmap", attack: str | None = None
    ) -> notebook.Picture:
        """Draw the releases.

        kind: `heatmap` draws a cell for each release and attack. `scatter` draws a point for each
            release: its information loss and the share of the targets that an attack exposes.
        attack: the label of the attack in the scatter plot. With None, the point of each release
            shows the worst of the attacks whose disclosures are certain.

        Raises AnonauditError if the matrix has no such attack.
        """
        return notebook.plot(self, kind=kind, attack=attack)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one line for each model and each attack of each release.

        Columns of the release: release, algorithm, outcome (of the whole policy), reason (why there
        is no release), released, suppressed, classes, loss, highest_loss, discernability, guessed.
        Columns of the model or attack: kind, name, status and measured, as in
        `AuditReport.to_frame`. Columns of the attack only: highest_rate, targets, identified,
        disclosed, exposed, undecided, confidence. A release that was not made has one line, with
        only the columns of the release.
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
        """Return the table of the rates for a notebook."""
        symbols = self.symbols()
        rows = [["release", "policy", "loss", *symbols.values(), *self.attacks]]
        for row in self.rows:
            rates = {cell.attack: cell.rates for cell in row.cells}
            outcome = row.outcome.value if row.reason is None else "none made"
            levels = [figures.level(row.levels.get(name)) for name in symbols]
            shown = [rates.get(attack, "") for attack in self.attacks]
            rows.append([row.name, outcome, row.losses, *levels, *shown])
        said = "A rate is the share of exposed persons; - means that nothing was decided."
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
    """Return the reason why nothing was decided.

    If the attack exposed some targets before it stopped, their number is added.
    """
    reason = disclosure.reason or "no reason is given"
    if not disclosure.rate:
        return reason
    exposed = round(disclosure.rate * disclosure.targets)
    return f"{reason}; exposed by then: {exposed} of {disclosure.targets}"


def _confidence(disclosure: Disclosure) -> float | None:
    """Return the least confidence of a value that the attack counts as disclosed.

    Returns 1 if only certain values count, None if the adversary only believes the values.
    """
    about = describe_attack(disclosure.attack)
    if not about.certain:
        return None
    if about.confidence:
        return float(disclosure.details[about.confidence])  # type: ignore[arg-type]
    return 1.0
