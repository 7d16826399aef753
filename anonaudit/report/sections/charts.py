"""What is drawn: how large the classes are, and how many are exposed by how much knowledge.

A chart is bars with their numbers beside them, so that nothing is told by the drawing alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from anonaudit.details import ByEliminations, part_of
from anonaudit.findings import AuditReport, Disclosure, Number, sizes_of_bin
from anonaudit.plugins import describe_model
from anonaudit.report.words import figures, layout, wording


@dataclass(frozen=True)
class Bar:
    """One bar.

    share: its length, from 0 to 1. note: what is to be said of it, if anything. threshold: the
    required size, on the first bar that reaches it; where it is drawn, in front of the bar.
    """

    label: str
    shown: str
    share: float
    note: str = ""
    threshold: str = ""


@dataclass(frozen=True)
class Chart:
    """Bars under a title.

    label, value: what stands in front of the bars, and behind them. threshold: the required size
    where no bar reaches it; it is drawn below the last.
    """

    title: str
    label: str
    value: str
    bars: tuple[Bar, ...]
    threshold: str = ""


def histogram(report: AuditReport) -> Chart | None:
    """How many classes have which size, if the report counts them."""
    bins = [
        (*sizes, count)
        for key, count in report.release.class_sizes.items()
        if (sizes := sizes_of_bin(key)) and count is not None
    ]
    if not bins:
        return None
    asked = [
        m.required for m in report.models if describe_model(m.model).size_of_class and m.required
    ]
    k = max(asked, default=0)
    most = max(count for *_, count in bins)
    bins.sort()
    reaching = next((bin_ for bin_ in bins if bin_[1] >= k), None) if k else None
    bars = [
        Bar(
            f"{low:,}" if low == high else f"{low:,} to {high:,}",
            figures.whole(count),
            count / most if most > 0 else 0.0,
            f"below k = {figures.level(k)}" if high < k else "",
            _threshold(k, low) if reaching == (low, high, count) else "",
        )
        for low, high, count in bins
    ]
    beyond = _threshold(k, k) if k and reaching is None else ""
    return Chart("Sizes of the classes", wording.people(report), "classes", tuple(bars), beyond)


def _threshold(k: Number, low: Number) -> str:
    """The required size, in front of the first bar that reaches it. low: the bar's least size."""
    inside = ", inside the next bar" if low < k else ""
    return f"k = {figures.level(k)}{inside}"


def exposures(report: AuditReport) -> tuple[Chart, ...]:
    """For each attack that rules out values: how many are exposed by how many eliminations."""
    charts = (_exposure(attack, report) for attack in report.attacks)
    return tuple(chart for chart in charts if chart is not None)


def _exposure(attack: Disclosure, report: AuditReport) -> Chart | None:
    eliminations = part_of(attack.details, ByEliminations)
    if eliminations is None or not attack.targets:
        return None
    bars = [
        Bar(
            layout.name(str(t)),
            f"{figures.whole(n)} ({figures.percent(n / attack.targets)})",
            min(max(n / attack.targets, 0.0), 1.0),
        )
        for t, n in eliminations.exposed.items()
    ]
    if not bars:
        return None
    title = f"Exposed by {layout.name(attack.attack)}, by how many values are ruled out at most"
    return Chart(title, "values", wording.people(report), tuple(bars))
