"""Readings: a sentence of a paper put to our numbers, with the tolerance said.

A paper's "about" allows a quarter of its number on either side. Where the number is a count on
one sample that nobody knows, it has to lie in the middle nine tenths of ours. Everything else is
tested as it is written: what increases must rise at each step, what is smaller must be smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import pandas as pd

from anonaudit.arrays import Floats

ABOUT: Final = 0.25
OUTER: Final = 0.05


Agreement = Literal["agrees", "agrees in part", "disagrees", "not measured"]


class ReadingResult(NamedTuple):
    """A statement of a paper, in how many of our cases it held, and the numbers of both.

    says: the statement. of: the cases: runs, or runs at each place of the axis, or places.
    there: what the paper has. here: what we have, and how much it may differ.
    """

    says: str
    held: int
    of: int
    there: str
    here: str

    @property
    def verdict(self) -> Agreement:
        """Agrees if it held in all cases, in part if in half of them or more."""
        if not self.of:
            return "not measured"
        if self.held == self.of:
            return "agrees"
        return "agrees in part" if 2 * self.held >= self.of else "disagrees"

    def __str__(self) -> str:
        verdict = self.verdict.capitalize()
        numbers = f"There: {self.there}. Here: {self.here}."
        return f"{verdict} ({self.held} of {self.of} cases): {self.says}. {numbers}"


def held(says: str, cases: Any, there: str, here: str) -> ReadingResult:
    """Count the cases in which a statement held.

    there: what the paper has. here: what we have, and what counts as the same.

    >>> str(held("it grows", [True, False, True], "from 2 to 8", "from 2 to 7"))
    'Agrees in part (2 of 3 cases): it grows. There: from 2 to 8. Here: from 2 to 7.'
    """
    flat = np.asarray(cases, bool).ravel()
    return ReadingResult(says, int(flat.sum()), len(flat), there, here)


def within_a_quarter(says: str, ours: Any, paper: float, unit: str = "") -> ReadingResult:
    """Whether each of our numbers is a quarter more or less than the paper's at most.

    >>> str(within_a_quarter("twice as much", [1.4, 2.5], 2.0))
    'Agrees in part (1 of 2 cases): twice as much. There: 2. Here: 1.95 (1.4 to 2.5), ±25% counts.'
    """
    flat = np.asarray(ours, np.float64).ravel()
    near = np.abs(flat - paper) <= ABOUT * paper * (1 + 1e-9)
    here = f"{spread(flat, unit)}, ±{ABOUT:.0%} counts"
    return held(says, near, f"{_short(paper)}{unit}", here)


def about_each(says: str, lines: pd.DataFrame, paper: Sequence[float], axis: str) -> ReadingResult:
    """The same for each place of an axis; paper has a number for each column of lines."""
    printed = np.asarray(paper, np.float64)
    near = np.abs(lines.to_numpy(np.float64) - printed) <= ABOUT * printed * (1 + 1e-9)
    here = f"{ends(lines, axis)}, ±{ABOUT:.0%} of each counts"
    there = f"{_short(printed[0])} at {axis} = {lines.columns[0]:g} to {_short(printed[-1])} at "
    return held(says, near, f"{there}{lines.columns[-1]:g}", here)


def rising(says: str, lines: pd.DataFrame, axis: str, there: str = "an increase") -> ReadingResult:
    """Whether each run rises at each step along an axis; to stay equal is not to rise."""
    steps = lines.diff(axis=1).iloc[:, 1:] > 0
    return held(says, steps, there, f"{ends(lines, axis)}, each step counts")


def typical(says: str, cells: Iterable[tuple[str, float, Any]]) -> ReadingResult:
    """Whether the paper's counts are such as our samples give.

    A case is a cell: its name, the paper's count, ours of all samples. It holds if at least 5%
    of ours are as small as the paper's or smaller, and 5% as large or larger.

    >>> typical("a count", [("a", 3, [2, 3, 4]), ("b", 9, [2, 3, 4])]).here
    '2 to 4 (a), 2 to 4 (b) in nine of ten samples'
    """
    cases, there, here = [], [], []
    for name, paper, measured in cells:
        ours = np.sort(np.asarray(measured, np.float64).ravel())
        cases.append(min(np.mean(ours <= paper), np.mean(ours >= paper)) >= OUTER)
        low, high = np.quantile(ours, [OUTER, 1 - OUTER], method="inverted_cdf")
        there.append(f"{paper:.4g} ({name})")
        here.append(f"{low:.4g} to {high:.4g} ({name})")
    return held(says, cases, ", ".join(there), f"{', '.join(here)} in nine of ten samples")


def spread(numbers: Any, unit: str = "") -> str:
    """The mean, and the least and the most, of all numbers; the mean alone if all are equal.

    >>> spread([1.0, 2.0]), spread([3.0, 3.0], "%")
    ('1.5 (1 to 2)', '3%')
    """
    flat = np.asarray(numbers, np.float64).ravel()
    mean, low, high = (f"{_short(x)}{unit}" for x in (flat.mean(), flat.min(), flat.max()))
    return mean if low == high else f"{mean} ({low} to {high})"


def _short(number: float) -> str:
    return f"{number:.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def ends(lines: pd.DataFrame, axis: str) -> str:
    """The means at both ends of an axis.

    >>> ends(pd.DataFrame({2.0: [1.0, 3.0], 10.0: [6.0, 8.0]}), "K")
    '2 at K = 2 to 7 at 10'
    """
    first, last = lines.columns[0], lines.columns[-1]
    low, high = (_short(float(lines[x].mean())) for x in (first, last))
    return f"{low} at {axis} = {first:g} to {high} at {last:g}"


def everywhere(lines: pd.DataFrame) -> Floats:
    """All values as one flat array."""
    return lines.to_numpy(np.float64).ravel()
