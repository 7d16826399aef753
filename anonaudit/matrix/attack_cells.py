"""The vocabulary of the matrix: a row is one way to mask, a cell one attack on what it made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonaudit import notebook
from anonaudit.findings import Disclosure, Number, Outcome, highest
from anonaudit.masking.aims import Aim
from anonaudit.plugins import describe_attack
from anonaudit.report.words import figures, layout


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
        upper = highest(self.rate, self.targets, self.undecided or 0)
        return figures.between(self.rate, upper, None)[0]


@dataclass(frozen=True)
class MatrixRow:
    """One way to mask, what it cost, what it reached, and what attacks still learn.

    reason: why nothing was released; then the numbers are None and there are no cells.
    suppressed: rows left out; empty: those left out for lack of a value in any released column.
    hidden: sensitive cells suppressed to hide rules.
    loss: information loss (MCT08 Definition 11) over its most, 0 to 1.
    discernability: the average size of a record's class (GCG08). guessed: the share of the known
        sensitive cells that are right by naming the most frequent value of the class, averaged
        over the sensitive attributes; to be read beside `baseline`, where no class is known.
    levels: what each model measures. outcome: of everything the policy requires.
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


@dataclass(frozen=True)
class Matrix:
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

    def __repr__(self) -> str:
        """Its size."""
        return f"<Matrix of {self.original}: {self._size()}>"

    def _size(self) -> str:
        return f"{len(self.attacks)} attacks on {len(self.rows)} ways to mask"

    def _repr_html_(self) -> str:
        """How a notebook shows it: the rate of each attack on each release."""
        rows = [["masked by", "loss", *self.attacks]]
        for row in self.rows:
            cells = {cell.attack: cell.rates for cell in row.cells}
            shown = [cells.get(attack, "") for attack in self.attacks]
            rows.append([row.name, figures.percent(row.loss), *shown])
        title = f"{layout.printable(self.original)}: {self._size()}"
        said = "A rate is the share of persons exposed; - stands where nothing was decided."
        return notebook.html_of(notebook.Shown(title, rows, points=(said,)))


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
