"""What is drawn: how large the classes are, and how many are exposed by how much knowledge.

A chart is bars with their numbers beside them, so that nothing is told by the drawing alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from anonaudit.findings import AuditReport, Disclosure, Number
from anonaudit.report.words import figures, layout, wording
from anonaudit.report.words.meanings import OF_CLASS_SIZE

Sizes = npt.NDArray[Any]
_BIN = re.compile(r"classes of ([0-9]+)(?: to ([0-9]+))?")

# Where an attack that rules out values keeps how many targets it exposes, by their number.
BY_NUMBER = "exposed by number eliminated"


@dataclass(frozen=True)
class Bar:
    """One bar. share: its length, from 0 to 1. note: what is to be said of it, if anything."""

    label: str
    shown: str
    share: float
    note: str = ""


@dataclass(frozen=True)
class Chart:
    """Bars under a title. label, value: what stands in front of the bars, and behind them."""

    title: str
    label: str
    value: str
    bars: tuple[Bar, ...]


def binned(size: Sequence[float] | Sizes, number: Sequence[int] | Sizes) -> dict[str, int]:
    """How many classes have which size, for `Release.class_sizes`; bins widen with the size.

    size, number: the sizes there are, and how many classes have each.

    >>> binned([1, 3, 7, 60], [2, 1, 1, 1])
    {'classes of 1': 2, 'classes of 3': 1, 'classes of 5 to 9': 1, 'classes of 50 to 99': 1}
    """
    found: Counter[tuple[int, int]] = Counter()
    for one, classes in zip(size, number, strict=True):
        found[_bin(float(one))] += int(classes)
    return {
        f"classes of {low}" + (f" to {high}" if high > low else ""): found[low, high]
        for low, high in sorted(found)
    }


def spread(size: Sizes, number: Sizes) -> dict[str, Number | None]:
    """What `Release.class_sizes` says: least, mean, median and largest, and the bins.

    size, number: the sizes there are, ascending, and how many classes have each.

    >>> spread(np.array([1, 2, 9]), np.array([1, 2, 1]))["median"]
    2
    """
    classes = int(number.sum())
    if not classes:
        return {"min": None, "mean": None, "median": None, "max": None}
    middle = size[np.searchsorted(np.cumsum(number), [(classes + 1) // 2, classes // 2 + 1])]
    return {
        "min": _plain(size[0]),
        "mean": _plain((size * number).sum() / classes),
        "median": _plain(middle.mean()),
        "max": _plain(size[-1]),
        **binned(size, number),
    }


def _plain(value: float | np.floating) -> Number:
    number = float(value)
    return int(number) if number.is_integer() else number


def _bin(size: float) -> tuple[int, int]:
    """Single sizes where a threshold usually lies, then steps of 1, 2 and 5 in every decade."""
    whole = int(size)
    if whole < 5:
        return whole, whole
    decade = 10 ** (len(str(whole)) - 1)
    low, end = next((a, b) for a, b in ((5, 10), (2, 5), (1, 2)) if whole >= a * decade)
    return low * decade, end * decade - 1


def histogram(report: AuditReport) -> Chart | None:
    """How many classes have which size, if the report counts them."""
    bins = [
        (int(match[1]), int(match[2] or match[1]), count)
        for key, count in report.release.class_sizes.items()
        if (match := _BIN.fullmatch(key)) and count is not None
    ]
    if not bins:
        return None
    asked = [m.required for m in report.models if m.model in OF_CLASS_SIZE and m.required]
    k = max(asked, default=0)
    most = max(count for *_, count in bins)
    bars = [
        Bar(
            f"{low:,}" if low == high else f"{low:,} to {high:,}",
            figures.whole(count),
            count / most if most > 0 else 0.0,
            f"below k = {figures.level(k)}" if high < k else "",
        )
        for low, high, count in sorted(bins)
    ]
    return Chart("Sizes of the classes", wording.people(report), "classes", tuple(bars))


def exposures(report: AuditReport) -> tuple[Chart, ...]:
    """For each attack that rules out values: how many are exposed by how many eliminations."""
    found = (_exposure(attack, report) for attack in report.attacks)
    return tuple(chart for chart in found if chart is not None)


def _exposure(attack: Disclosure, report: AuditReport) -> Chart | None:
    counted = attack.details.get(BY_NUMBER)
    if not isinstance(counted, dict) or not attack.targets:
        return None
    numbers = {str(t): wording.number(n) for t, n in counted.items()}
    bars = [
        Bar(
            layout.name(t),
            f"{figures.whole(n)} ({figures.percent(n / attack.targets)})",
            min(max(n / attack.targets, 0.0), 1.0),
        )
        for t, n in numbers.items()
        if n is not None
    ]
    if not bars:
        return None
    title = f"Exposed by {layout.name(attack.attack)}, by how many values are ruled out at most"
    return Chart(title, "values", wording.people(report), tuple(bars))
