"""The statements of GCG08 about its Table 1 and Figures 9 to 14, tested with our numbers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from anonaudit.papers.reproduction.experiment import Results, SeriesKey, printed
from anonaudit.papers.reproduction.gcg08_runs import (
    ANONYMIZE,
    COLUMN,
    ERROR,
    EXPONENTIAL,
    GROUP_SIZE,
    GROUPS,
    KINDS,
    QUERIES,
    SECONDS,
    K,
)
from anonaudit.papers.reproduction.readings import (
    ABOUT,
    ReadingResult,
    ends,
    held,
    rising,
    spread,
    within_a_quarter,
)

ORDERS: Final = 100  # "several orders of magnitude" means two or more
SAME: Final = 0.01  # "the same" means within 1%


def _share(text: str) -> float:
    return round(float(text.rstrip("%")) / 100, 6)


def table1() -> dict[SeriesKey, float]:
    """Return the numbers in Table 1 and in the text about it."""
    place = {"All": 0.0, "<": 1.0, "≥": 2.0}
    numbers: dict[SeriesKey, float] = {
        (QUERIES, "drawn", 0.0): 8800.0,
        (QUERIES, "drawn", 2.0): 1117.0,
    }
    for line in printed("GCG08/table1.csv"):
        x = next(x for mark, x in place.items() if mark in line["queries"])
        numbers[ERROR, line["algorithm"], x] = _share(line["average-relative-error"])
    return numbers


def figure12() -> dict[SeriesKey, float]:
    """Return the numbers in the text about Figure 12."""
    lines = printed("GCG08/figure12-error.csv")
    return {
        (ERROR, COLUMN, float(line["l3"])): _share(line["average-relative-error"]) for line in lines
    }


def read_l(results: Results) -> list[ReadingResult]:
    """Test the statements about Figure 9."""
    ours = results.of(GROUP_SIZE, ANONYMIZE)
    rise = 100 * (ours[10] / ours[2] - 1)
    small = held(
        "the increase from L = 2 to 10 is quite small",
        rise < 100 * ABOUT,
        "no number",
        f"{spread(rise, '%')}, less than {ABOUT:.0%} required",
    )
    return [
        rising("discernability increases with L", ours, "L"),
        small,
        _below_twice(ours, np.full(ours.shape[1], K)),
        *_exponential(results),
    ]


def read_k(results: Results) -> list[ReadingResult]:
    """Test the statements about Figure 10."""
    ours = results.of(GROUP_SIZE, ANONYMIZE)
    return [
        rising("discernability increases with K", ours, "K"),
        _below_twice(ours, ours.columns.to_numpy(float)),
        *_exponential(results),
    ]


def read_m(results: Results) -> list[ReadingResult]:
    """Test the statements about Figure 11."""
    ours, groups = results.of(GROUP_SIZE, ANONYMIZE), results.of(GROUPS, EXPONENTIAL)
    return [
        rising("discernability increases with the number of sensitive attributes", ours, "m"),
        _below_twice(ours, np.full(ours.shape[1], K)),
        *_exponential(results, above=1),
        held(
            "with one sensitive attribute Exponential-L has more than one group",
            groups[1] > 1,
            "more than one",
            spread(groups[1]),
        ),
    ]


def _below_twice(ours: pd.DataFrame, k: Any) -> ReadingResult:
    share = (ours < 2 * k).mean(axis=1)
    return held(
        "discernability is less than twice the best possible, K, in most cases",
        share > 0.5,
        "most",
        f"at {spread(100 * share, '%')} of the places, more than half required; on average "
        f"{spread((ours / k).mean(axis=1))} K",
    )


def _exponential(results: Results, above: int = 0) -> list[ReadingResult]:
    """Test the statements about Exponential-L with more than one sensitive attribute."""
    sizes, groups = (results.of(m, EXPONENTIAL) for m in (GROUP_SIZE, GROUPS))
    places = [x for x in map(float, sizes.columns) if x > above]
    times = (sizes / results.of(GROUP_SIZE, ANONYMIZE))[places]
    return [
        held(
            "the discernability of Exponential-L is higher by several orders of magnitude",
            times >= ORDERS,
            "several orders",
            f"{spread(times)} times that of Anonymize, at least {ORDERS} required",
        ),
        held(
            "with more than one sensitive attribute Exponential-L has a single group",
            groups[places] == 1,
            "one",
            spread(groups[places]),
        ),
    ]


def read_limit(results: Results) -> list[ReadingResult]:
    """Test the statements about Figure 12."""
    ours, plain = (results.of(GROUP_SIZE, name) for name in (COLUMN, ANONYMIZE))
    error = results.of(ERROR, COLUMN)
    before = ours[[x for x in map(float, ours.columns) if x <= 8]]
    apart = 100 * (ours[[8.0, 10.0]] / plain[[8.0, 10.0]] - 1)
    wider = [error[10] / error[2], ours[10] / ours[2]]
    return [
        rising("discernability increases with L_3, up to 8", before, "L_3"),
        held(
            "from L_3 = 8 on discernability is the same as without limits",
            abs(apart) <= 100 * SAME,
            "the same",
            f"{spread(apart, '%')} more, ±{SAME:.0%} allowed",
        ),
        within_a_quarter("the query error with L_3 = 2", error[2] * 100, 10.4, "%"),
        within_a_quarter("the query error with L_3 = 10", error[10] * 100, 11.7, "%"),
        held(
            "L_3 = 2 has a smaller query error than L_3 = 10",
            error[2] < error[10],
            "10.4% and 11.7%",
            f"{error[2].mean():.1%} and {error[10].mean():.1%} on average",
        ),
        held(
            "L_3 = 10 increases the error less than discernability, compared with L_3 = 2",
            wider[0] < wider[1],
            f"{11.7 / 10.4 - 1:.1%} in error",
            f"{wider[0].mean() - 1:.1%} in error, {wider[1].mean() - 1:.1%} in discernability",
        ),
    ]


def read_errors(results: Results) -> list[ReadingResult]:
    """Test the statements about Table 1."""
    lines = {name: results.of(ERROR, name) for name in (ANONYMIZE, EXPONENTIAL)}
    ours, other = lines.values()
    return [
        *(
            within_a_quarter(
                f"the error of {name}, queries: {KINDS[x]}",
                lines[name][x] * 100,
                printed * 100,
                "%",
            )
            for (measure, name, x), printed in table1().items()
            if measure == ERROR
        ),
        held(
            "Anonymize: small answers have a larger error than large answers",
            ours[1] > ours[2],
            "14.6% and 1.6%",
            f"{ours[1].mean():.1%} and {ours[2].mean():.1%} on average",
        ),
        within_a_quarter(
            "the error of Exponential-L divided by that of Anonymize, all answers",
            other[0] / ours[0],
            2,
        ),
        within_a_quarter(
            "the error of Exponential-L divided by that of Anonymize, large answers",
            other[2] / ours[2],
            5,
        ),
        within_a_quarter(
            "the number of queries with large answers", results.of(QUERIES, "drawn")[2], 1117
        ),
    ]


def exponent(lines: pd.DataFrame) -> list[float]:
    """Return the slope of log y over log x for each run. A slope of 1 means that y is linear in x.

    lines: a row for each run, and a column for each x.

    >>> exponent(pd.DataFrame({1.0: [2.0], 2.0: [4.0], 4.0: [8.0]}))
    [1.0]
    """
    x = np.log(lines.columns.to_numpy(float))
    fitted = [np.polyfit(x, np.log(y), 1)[0] for y in np.maximum(lines.to_numpy(), 1e-6)]
    return [round(float(slope), 6) for slope in fitted]


def read_seconds_by_m(results: Results) -> list[ReadingResult]:
    """Test the statements about Figure 13."""
    slower = []
    for name in (ANONYMIZE, COLUMN):
        line = results.of(SECONDS, name)
        early, late = (line[4] - line[1]) / 3, (line[7] - line[4]) / 3
        slower.append(
            held(
                f"{name}: the time for an additional attribute falls with their number",
                late < early,
                "a fall",
                f"{late.mean():.3g} s per attribute from 4 to 7, {early.mean():.3g} s from 1 to 4",
            )
        )
    return [*_linear(results, "attributes", "m"), *slower, *_column_takes(results)]


def read_seconds_by_n(results: Results) -> list[ReadingResult]:
    """Test the statements about Figure 14."""
    return [*_linear(results, "rows", "n"), *_column_takes(results)]


def _linear(results: Results, by: str, axis: str) -> list[ReadingResult]:
    """Test if time is almost linear: an exponent within a quarter of 1."""
    readings = []
    for name in (ANONYMIZE, COLUMN):
        line = results.of(SECONDS, name)
        fitted = np.array(exponent(line))
        readings.append(
            held(
                f"{name}: time is almost linear in the number of {by}",
                abs(fitted - 1) <= ABOUT,
                "exponent 1",
                f"{spread(fitted)}, ±{ABOUT:.0%} allowed; seconds: {ends(line, axis)}",
            )
        )
    return readings


def _column_takes(results: Results) -> list[ReadingResult]:
    ours, column = (results.of(SECONDS, name) for name in (ANONYMIZE, COLUMN))
    more = 100 * (column / ours - 1)
    return [
        held(
            "Anonymize-Column takes slightly more time than Anonymize",
            (more > 0) & (more <= 100 * ABOUT),
            "slightly more",
            f"{spread(more, '%')} more, above 0 and up to {ABOUT:.0%} required",
        )
    ]
