"""Two laws: anonaudit agrees with an independent checker on files that a generator wrote.

1. On clean files every verdict and every number is the checker's, and none is inconclusive.
2. On files with troubles no requirement holds, and none is violated, unless the checker says so, and
   at most 5 % are inconclusive where the checker decides. A label that cannot be read is unknown to
   the checker; a verdict that is right with all labels read is accepted too. So is either
   convention for association: a row with an unknown cell is in no rule about its column, or it may
   be anybody's.

A failure prints the smallest files; `python -m independent.troubles` writes them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from independent.cases import KNOWN, UNREAD, Case, Row, Verdict
from independent.checker import verdicts
from independent.generator import World
from independent.troubles import TROUBLES, seeded

import anonaudit
from anonaudit.errors import AnonauditError
from anonaudit.findings import highest

QUICK, LONG, CHUNK = 50, 2_000, 100
EVERY = [*TROUBLES, "several"]
OPEN = "inconclusive"


class Compared(NamedTuple):
    """What the checker and anonaudit say of one requirement.

    also: what it says with all labels read, and with rules of whole rows. number: the level or
    rate. highest: the rate with all undecided targets exposed, the level of a model. planted: whether the trouble itself allows it to be inconclusive. refused: why anonaudit
    audited nothing.
    """

    seed: int
    folder: Path
    requirement: str
    expected: Verdict
    also: list[Verdict]
    outcome: str
    number: float | None
    highest: float | None
    planted: bool
    refused: str

    @property
    def agrees(self) -> bool:
        """Whether the outcome is one of those, and the number where it is no interval.

        A rate of an attack that left some targets undecided may be lower, the highest may not.
        """
        return any(
            self.outcome == outcome and (low != high or self.counts(low))
            for outcome, low, high in (self.expected, *self.also)
        )

    def counts(self, exact: Any) -> bool:
        """Whether the number is this one, or lies between where some targets are undecided."""
        if self.number is None or self.highest is None:
            return False
        return self.number - 1e-9 < float(exact) < self.highest + 1e-9

    def __str__(self) -> str:
        expected = f"{self.expected.outcome} [{self.expected.low}, {self.expected.high}]"
        return f"seed {self.seed}, {self.requirement}: {expected}, not {self.outcome} ({self.number}) {self.refused}"


def read(case: Case) -> Case:
    """The case with every label read, as it is known to whoever made it."""

    def known(rows: Sequence[Row | None]) -> list[Row]:
        return [
            {c: replace(x, state=KNOWN) if x.state == UNREAD else x for c, x in (row or {}).items()}
            for row in rows
        ]

    tables = {
        name: known(getattr(case, name))
        for name in ("rows", "people", "population", "second", "pairs")
    }
    return replace(case, **tables)


def compared(made: World, seed: int, folder: Path) -> Iterator[Compared]:
    policy = made.write(folder)
    found: dict[str, tuple[str, float | None, float | None]] = {}
    try:
        report = anonaudit.audit(policy=policy)
    except AnonauditError as error:
        refused = str(error)
    else:
        refused = ""
        for model in reversed(report.models):  # what is required stands before what is measured
            level = model.measured
            found[model.model] = model.outcome.value, level, level
        for one in report.attacks:
            highest_rate = highest(one.rate, one.targets, one.undecided)
            found[one.attack] = one.outcome.value, one.rate, highest_rate
    whole = replace(made.case, whole_rules=True)
    also = [verdicts(case) for case in (read(made.case), whole, read(whole))]
    for name, expected in verdicts(made.case).items():
        outcome, number, most = found.get(name, (OPEN, None, None))
        planted = name in made.planted
        others = [some[name] for some in also]
        if name == "linkage" and made.case.all_released:
            # That rows of their own rule out links the checker does not know: more may be exposed
            # (tests/attacks/test_assignments.py counts every assignment).
            number = 0.0
            if outcome == "violated":
                others.append(Verdict(outcome, 0, most))
        numbers = number, most
        yield Compared(seed, folder, name, expected, others, outcome, *numbers, planted, refused)


def shown(wrong: list[Compared]) -> str:
    """The disagreements, and the smallest folder with one."""

    def length(folder: Path) -> int:
        return sum(len(file.read_text(encoding="utf-8")) for file in folder.iterdir())

    smallest = min(wrong, key=lambda one: length(one.folder))
    files = [
        f"--- {file.name}\n{file.read_text(encoding='utf-8')}"
        for file in sorted(smallest.folder.iterdir())
    ]
    return "\n".join([*map(str, wrong[:20]), f"=== the smallest: {smallest}", *files])


def the_first_law(seeds: range, folder: Path) -> None:
    wrong = []
    for seed in seeds:
        for one in compared(seeded(seed), seed, folder / str(seed)):
            assert one.expected.outcome in ("holds", "violated"), one
            wrong += [] if one.agrees and one.number == one.highest else [one]
    assert not wrong, shown(wrong)


def the_second_law(trouble: str, seeds: range, folder: Path) -> None:
    wrong, left_open, decided = [], [], 0
    for seed in seeds:
        for one in compared(seeded(seed, trouble), seed, folder / str(seed)):
            decided += one.expected.outcome != OPEN
            if one.outcome == OPEN:
                left_open += [one] if one.expected.outcome != OPEN and not one.planted else []
            elif not one.agrees:
                wrong.append(one)
    assert not wrong, shown(wrong)
    few = len(left_open) <= 0.05 * decided
    assert few, f"{len(left_open)} of {decided} inconclusive\n{shown(left_open)}"


@pytest.mark.parametrize("start", range(0, QUICK, 10))
def test_clean_files(start: int, tmp_path: Path) -> None:
    the_first_law(range(start, start + 10), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("start", range(QUICK, QUICK + LONG, CHUNK))
def test_many_clean_files(start: int, tmp_path: Path) -> None:
    the_first_law(range(start, start + CHUNK), tmp_path)


@pytest.mark.parametrize("trouble", EVERY)
def test_files_with_a_trouble(trouble: str, tmp_path: Path) -> None:
    the_second_law(trouble, range(-(-QUICK // len(EVERY))), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("trouble", EVERY)
def test_many_files_with_a_trouble(trouble: str, tmp_path: Path) -> None:
    the_second_law(trouble, range(QUICK, QUICK - (-LONG // len(EVERY))), tmp_path)


@pytest.mark.parametrize("trouble", EVERY)
def test_what_the_checker_decides_without_reading_a_label_is_so(trouble: str) -> None:
    for seed in range(8):
        case = seeded(seed, trouble).case
        truth = verdicts(read(case))
        for name, found in verdicts(case).items():
            assert found.outcome in (OPEN, truth[name].outcome), (seed, name, found, truth[name])
