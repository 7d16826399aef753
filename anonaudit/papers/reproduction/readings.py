"""Tests of a paper's statements with our numbers, with explicit tolerances.

"About" allows a quarter more or less than the paper's number. A count that the paper took from one
unknown sample must lie in the middle 90% of our counts. All other statements are taken literally:
for "increases", a series must rise at each step, and for "smaller", any difference is enough.
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
    """The result of testing a statement of a paper.

    A case is a run, a place on the x axis, or a run at a place.

    says: the statement.
    held: the number of cases in which the statement held.
    of: the number of cases.
    there: the paper's numbers, as text.
    here: our numbers and the tolerance, as text.
    """

    says: str
    held: int
    of: int
    there: str
    here: str

    @property
    def verdict(self) -> Agreement:
        """The verdict on the statement.

        `agrees`: it held in all cases. `agrees in part`: in at least half of them. `disagrees`: in
        fewer. `not measured`: there are no cases.
        """
        if not self.of:
            return "not measured"
        if self.held == self.of:
            return "agrees"
        return "agrees in part" if 2 * self.held >= self.of else "disagrees"

    def __str__(self) -> str:
        verdict = self.verdict.capitalize()
        numbers = f"Paper: {self.there}. Ours: {self.here}."
        return f"{verdict} ({self.held} of {self.of} cases): {self.says}. {numbers}"


def held(says: str, cases: Any, there: str, here: str) -> ReadingResult:
    """Count the cases in which a statement held.

    says, there, here: as in `ReadingResult`.
    cases: True or False for each case; an array of any shape, or nested lists.

    >>> str(held("it grows", [True, False, True], "from 2 to 8", "from 2 to 7"))
    'Agrees in part (2 of 3 cases): it grows. Paper: from 2 to 8. Ours: from 2 to 7.'
    """
    flat = np.asarray(cases, bool).ravel()
    return ReadingResult(says, int(flat.sum()), len(flat), there, here)


def within_a_quarter(says: str, ours: Any, paper: float, unit: str = "") -> ReadingResult:
    """Test if each of our numbers differs by at most a quarter from the paper's number.

    >>> str(within_a_quarter("twice as much", [1.4, 2.5], 2.0))
    'Agrees in part (1 of 2 cases): twice as much. Paper: 2. Ours: 1.95 (1.4 to 2.5), ±25% allowed.'
    """
    flat = np.asarray(ours, np.float64).ravel()
    near = np.abs(flat - paper) <= ABOUT * paper * (1 + 1e-9)
    here = f"{spread(flat, unit)}, ±{ABOUT:.0%} allowed"
    return held(says, near, f"{_short(paper)}{unit}", here)


def about_each(says: str, lines: pd.DataFrame, paper: Sequence[float], axis: str) -> ReadingResult:
    """Test if our numbers at each place of an axis are within a quarter of the paper's number.

    lines: a row for each run, and a column for each place.
    paper: the paper's number at each place.
    axis: the name of the axis.
    """
    printed = np.asarray(paper, np.float64)
    near = np.abs(lines.to_numpy(np.float64) - printed) <= ABOUT * printed * (1 + 1e-9)
    here = f"{ends(lines, axis)}, ±{ABOUT:.0%} of each allowed"
    there = f"{_short(printed[0])} at {axis} = {lines.columns[0]:g} to {_short(printed[-1])} at "
    return held(says, near, f"{there}{lines.columns[-1]:g}", here)


def rising(says: str, lines: pd.DataFrame, axis: str, there: str = "an increase") -> ReadingResult:
    """Test if each run rises at each step along an axis. An equal number is not a rise.

    lines: a row for each run, and a column for each place.
    axis: the name of the axis.
    there: the paper's numbers, as text.
    """
    steps = lines.diff(axis=1).iloc[:, 1:] > 0
    return held(says, steps, there, f"{ends(lines, axis)}, a rise at each step required")


def typical(says: str, cells: Iterable[tuple[str, float, Any]]) -> ReadingResult:
    """Test if the paper's counts are typical of our samples.

    cells: (name, the paper's count, our counts in all samples) for each case. A case holds if at
        least 5% of our counts are at most the paper's count, and at least 5% are at least as high.

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
    """Return the mean with the minimum and maximum; the mean alone if all numbers are equal.

    >>> spread([1.0, 2.0]), spread([3.0, 3.0], "%")
    ('1.5 (1 to 2)', '3%')
    """
    flat = np.asarray(numbers, np.float64).ravel()
    mean, low, high = (f"{_short(x)}{unit}" for x in (flat.mean(), flat.min(), flat.max()))
    return mean if low == high else f"{mean} ({low} to {high})"


def _short(number: float) -> str:
    return f"{number:.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def ends(lines: pd.DataFrame, axis: str) -> str:
    """Return the means at both ends of an axis.

    >>> ends(pd.DataFrame({2.0: [1.0, 3.0], 10.0: [6.0, 8.0]}), "K")
    '2 at K = 2 to 7 at 10'
    """
    first, last = lines.columns[0], lines.columns[-1]
    low, high = (_short(float(lines[x].mean())) for x in (first, last))
    return f"{low} at {axis} = {first:g} to {high} at {last:g}"


def everywhere(lines: pd.DataFrame) -> Floats:
    """Return all values of a frame as a flat array."""
    return lines.to_numpy(np.float64).ravel()
