"""TV06 Table 8: the attribute disclosures that remain after k-minimal generalization of Adult."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, cast

import numpy as np
import pandas as pd

from anonaudit import datasets
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.full_domain import Node
from anonaudit.masking.goals import distinct_values
from anonaudit.masking.lattice import k_minimal, recode
from anonaudit.masking.recoding import Microdata, Recoding
from anonaudit.papers.reproduction.experiment import (
    Experiment,
    MeasuredNumber,
    Results,
    SeriesKey,
    printed,
    sampled,
)
from anonaudit.papers.reproduction.readings import ReadingResult, held, spread, typical
from anonaudit.papers.reproduction.tv06_nodes import levels_of, small_rows, standing
from anonaudit.roles import Roles

QUASI: Final = ("age", "marital-status", "race", "sex")
CONFIDENTIAL: Final = ("pay", "capital-gain", "capital-loss", "tax")
SOURCES: Final = ("Adult's gains and losses", "drawn gains and losses")
FOUND: Final = "attribute disclosures at the node found"
THERE: Final = "attribute disclosures at the paper's node"
SAME: Final = "the node found is the paper's"
HEIGHT: Final = "height of the node found"
LOST: Final = "rows suppressed at the paper's node"
MINIMAL: Final = "the paper's node is k-minimal"
LEAST: Final = "the paper's node has the least height"
LOWER: Final = "A3, M1, R0, S1 is k-anonymous"
APART: Final = "50 apart"
THRESHOLD: Final = 6
BELOW: Final = (3, 1, 0, 1)  # its height is one less than that of <A2, M1, R2, S1>
CELLS: Final = ((400, 2), (400, 3), (4000, 2), (4000, 3))
INPUTS: Final = ("adult/adult.csv.gz", *(f"adult/hierarchies/{name}.csv" for name in QUASI))


def sample(rng: np.random.Generator, size: int, *, drawn: bool) -> Microdata:
    """Draw rows of Adult with the four confidential attributes of TV06 and CT06.

    Pay is Adult's income. The tax has ten values. No available version of Adult contains it, so it
    is drawn uniformly.

    drawn: True to draw capital gain (3 values) and loss (4) uniformly as well, as CT06 describes
        them. If False, they are Adult's.
    """
    rows = sampled(rng, size)
    table = rows[list(QUASI)].assign(pay=rows["income"])
    gain, loss, tax = (
        np.char.mod("%d", rng.integers(1, most + 1, size) * unit)
        for most, unit in ((3, 1000), (4, 1000), (10, 100))
    )
    table["capital-gain"] = gain if drawn else rows["capital-gain"]
    table["capital-loss"] = loss if drawn else rows["capital-loss"]
    table["tax"] = tax
    return Microdata.read(table, Roles(QUASI, CONFIDENTIAL), hierarchies())


def hierarchies() -> dict[str, Hierarchy]:
    """Return quasi-identifier -> its hierarchy in Table 7."""
    return {a: Hierarchy.read(datasets.path(f"adult/hierarchies/{a}.csv")) for a in QUASI}


def disclosures(recoding: Recoding) -> int:
    """Count attribute disclosures (TV06 Table 8): pairs of a class and a confidential attribute.

    A pair counts if the attribute has one value in the class. Suppressed rows are in no class.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": list("mmff"), "pay": list("aaab"), "tax": list("1122")})
    >>> disclosures(recode(Microdata.read(table, Roles(("sex",), ("pay", "tax"))), (0,), k=2))
    3
    """
    kept, number = ~recoding.suppressed, len(recoding.keys)
    return sum(
        int((distinct_values(recoding.group[kept], values[kept], number) == 1).sum())
        for values in recoding.data.sensitive.T
    )


def measure(seed: int, quick: bool) -> list[MeasuredNumber]:
    """Measure 40 samples of 400 and of 4000 rows with k = 2 and 3; quick: 2 samples of each size.

    The search for k-minimal nodes suppresses no row.
    """
    rng = np.random.default_rng([806, seed])
    rows = []
    for draw in range(2 if quick else 40):
        for size in (400, 4000):
            for source in SOURCES:
                data = sample(rng, size, drawn=source == SOURCES[1])
                for k in (2, 3):
                    series = f"{size} rows, {source}"
                    recoding, node = k_minimal(data, k=k), _nodes()[size, k]
                    there = recode(data, node, k=k, threshold=size)
                    rows += [
                        MeasuredNumber(FOUND, series, k, disclosures(recoding), draw),
                        MeasuredNumber(THERE, series, k, disclosures(there), draw),
                    ]
                    if source == SOURCES[0]:  # the search ignores confidential attributes
                        height = sum(cast("Node", recoding.how["node"]))
                        rows += [
                            MeasuredNumber(
                                SAME, f"{size} rows", k, float(recoding.how["node"] == node), draw
                            ),
                            MeasuredNumber(HEIGHT, f"{size} rows", k, height, draw),
                            MeasuredNumber(
                                LOST, f"{size} rows", k, int(there.suppressed.sum()), draw
                            ),
                            *_standings(data, node, k, draw),
                        ]
    return rows


def _standings(data: Microdata, node: Node, k: int, draw: int) -> Iterator[MeasuredNumber]:
    """Yield two numbers for each reading of Table 7 and each threshold, about the paper's node.

    The first number is 1 if the node is k-minimal, otherwise 0. The second number is 1 if the node
    has the least height of all k-anonymous nodes, otherwise 0. A third number, for the first
    reading only, is 1 if the node `BELOW` is k-anonymous.
    """
    size = f"{len(data)} rows"
    for reading in ("", APART):
        small = small_rows(levels_of(data, apart=reading == APART), k)
        for threshold in (0, THRESHOLD):
            place = standing(small, node, threshold)
            series = ", ".join(
                filter(None, (size, f"TS = {threshold}" if threshold else "", reading))
            )
            yield MeasuredNumber(MINIMAL, series, k, float(place.minimal), draw)
            yield MeasuredNumber(LEAST, series, k, float(place.least), draw)
        if not reading:
            yield MeasuredNumber(LOWER, size, k, float(small[BELOW] == 0), draw)


def _nodes() -> dict[tuple[int, int], Node]:
    return {
        (int(line["size"]), int(line["k"])): tuple(map(int, re.findall(r"\d", line["node"])))
        for line in printed("TV06/table8.csv")
    }


def _paper() -> dict[SeriesKey, float]:
    numbers: dict[SeriesKey, float] = {
        (HEIGHT, f"{size} rows", float(k)): float(sum(node)) for (size, k), node in _nodes().items()
    }
    for line in printed("TV06/table8.csv"):
        for name in (FOUND, THERE):
            for source in SOURCES:
                key = (name, f"{line['size']} rows, {source}", float(line["k"]))
                numbers[key] = float(line["attribute-disclosures"])
    return numbers


def _read(results: Results) -> list[ReadingResult]:
    return [*(r for source in SOURCES for r in _of_source(results, source)), *_of_nodes(results)]


def _of_source(results: Results, source: str) -> list[ReadingResult]:
    paper = _paper()
    at = {
        (name, size, k): results.of(name, f"{size} rows, {source}")[float(k)]
        for name in (FOUND, THERE)
        for size, k in CELLS
    }
    printed = {(n, s, k): paper[n, f"{s} rows, {source}", float(k)] for n, s, k in at}
    some = [at[FOUND, size, k] for size, k in CELLS[:3]]
    falls = [at[FOUND, size, 3] < at[FOUND, size, 2] for size in (400, 4000)]
    means = [f"{at[FOUND, size, k].mean():.3g}" for size, k in CELLS]
    return [
        held(
            f"{source}: k-anonymity discloses attributes (400 rows, and 4000 with k = 2)",
            [x > 0 for x in some],
            "6, 2 and 4",
            "; ".join(map(spread, some)),
        ),
        held(
            f"{source}: 4000 rows with k = 3 disclose nothing",
            at[FOUND, 4000, 3] == 0,
            "0",
            spread(at[FOUND, 4000, 3]),
        ),
        held(
            f"{source}: a larger k has fewer disclosures",
            falls,
            "from 6 to 2 and, with 4000 rows, from 4 to 0",
            f"on average from {means[0]} to {means[1]} and from {means[2]} to {means[3]}",
        ),
        *(
            typical(
                f"{source}: the paper's number of disclosures is typical of our samples, {where}",
                [
                    (f"{size} rows, k = {k}", printed[name, size, k], at[name, size, k])
                    for size, k in CELLS
                ],
            )
            for name, where in ((FOUND, "at the node found"), (THERE, "at the paper's node"))
        ),
    ]


def _of_nodes(results: Results) -> list[ReadingResult]:
    def of(measure: str) -> list[pd.Series[float]]:
        return [results.of(measure, f"{size} rows")[float(k)] for size, k in CELLS]

    names = [f"{size} rows, k = {k}" for size, k in CELLS]
    heights = [float(sum(_nodes()[cell])) for cell in CELLS]
    lower = results.of(LOWER, "4000 rows")[3.0]
    return [
        held(
            "the search ends at the paper's node",
            of(SAME),
            "; ".join(line["node"].strip("<>") for line in printed("TV06/table8.csv")),
            "in " + ", ".join(f"{x.mean():.0%}" for x in of(SAME)) + " of our samples",
        ),
        typical(
            "the search ends at the paper's height", zip(names, heights, of(HEIGHT), strict=True)
        ),
        held(
            "no row needs suppression at the paper's node",
            [x == 0 for x in of(LOST)],
            "none",
            "; ".join(map(spread, of(LOST))),
        ),
        _stands(results, "is k-minimal", MINIMAL),
        _stands(results, "has the least height of all k-anonymous nodes", LEAST),
        held(
            "<A3, M1, R0, S1>, one level lower, is not 3-anonymous (4000 rows)",
            lower == 0,
            "<A2, M1, R2, S1> was found, so it is not",
            f"3-anonymous in {lower.mean():.0%} of our samples",
        ),
    ]


def _stands(
    results: Results,
    says: str,
    measure_name: str,
    extra: str = "",
    cells: Sequence[tuple[int, int]] = CELLS,
) -> ReadingResult:
    """Test a statement about the paper's node in each of these cells of Table 8.

    says: the statement, without its subject.
    measure_name: the measure that is 1 in the runs where the statement holds.
    extra: the end of the name of the series, after the number of rows.
    cells: (number of rows, k) for each cell.
    """
    at = [results.of(measure_name, f"{size} rows{extra}")[float(k)] for size, k in cells]
    nodes = {(int(x["size"]), int(x["k"])): x["node"] for x in printed("TV06/table8.csv")}
    return held(
        f"the paper's node {says}",
        np.concatenate([x == 1 for x in at]),
        "; ".join(nodes[cell].strip("<>") for cell in cells),
        "in " + ", ".join(f"{x.mean():.0%}" for x in at) + " of our samples",
    )


def _read_apart(results: Results) -> list[ReadingResult]:
    many = f", TS = {THRESHOLD}"
    return [
        _stands(results, "is k-minimal", MINIMAL, f", {APART}"),
        _stands(results, "has the least height of all k-anonymous nodes", LEAST, f", {APART}"),
        _stands(
            results,
            f"is k-minimal with up to {THRESHOLD} of 400 rows suppressed",
            MINIMAL,
            f"{many}, {APART}",
            CELLS[:2],
        ),
        _stands(
            results,
            f"has the least height with up to {THRESHOLD} of 400 rows suppressed",
            LEAST,
            f"{many}, {APART}",
            CELLS[:2],
        ),
    ]


EXPERIMENTS: Final = (
    Experiment(
        id="TV06-table8",
        claim="TV06-table8",
        title="Attribute disclosures after k-minimal generalization",
        run=measure,
        measures=(FOUND, THERE, SAME, HEIGHT, LOST, MINIMAL, LEAST, LOWER),
        x="k",
        read=_read,
        paper=_paper(),
        inputs=(*INPUTS, "TV06/table8.csv"),
        notes=(
            "The paper's samples are unknown. Each seed draws 40 samples of each size.",
            "TaxPeriod is not in Adult. It has ten values here, drawn uniformly.",
            (
                "Capital gains and losses are Adult's. In a second series they are drawn (3 and 4 "
                "values), as CT06 describes them."
            ),
            "Our search suppresses nothing. At the paper's node, classes below k are suppressed.",
        ),
    ),
    Experiment(
        id="TV06-table8-apart",
        claim="TV06-table8",
        title="Minimality of the printed nodes if age 50 is a group of its own",
        run=measure,
        measures=(MINIMAL, LEAST),
        x="k",
        read=_read_apart,
        tuned=True,
        inputs=(*INPUTS, "TV06/table8.csv"),
        notes=(
            (
                "Table 7 names the groups <50 and >50. Taken literally, 50 is a group of its own, "
                "and the ranges of 10 years do not nest in these groups."
            ),
            "The threshold of 6 rows is chosen because the printed nodes fit it best.",
        ),
    ),
)
