"""Measure how time and memory of an audit grow with rows, columns and distinct values.

    python benchmarks/growth.py [--data FOLDER] [--sizes 30k,1M,10M] [-o FOLDER]

Each series varies one number and keeps the others. Each audit is a process of its own, and is
measured from start to end. The script writes growth.csv and growth.svg, and prints a table. FOLDER
must have the releases of `generate.py`. The script makes the releases with a column of many
distinct values from the release of 1M rows.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from columns import QUASI, SENSITIVE
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from run import HERE, Case, run

DISTINCT = (100, 1_000, 10_000, 100_000, 1_000_000)


class Point(NamedTuple):
    """One audit: the varied number, the size of the release, the time and memory of the audit."""

    series: str
    varied: int
    rows: int
    classes: int
    combinations: int
    cpu: float
    wall: float
    megabytes: float


def points(data: Path, sizes: Sequence[str]) -> Iterator[Point]:
    """Yield the points of all series, one audit after the other."""
    for size in sizes:
        file = data / f"release-{size}.parquet"
        yield measured("rows", None, file, QUASI, SENSITIVE)
    file = data / "release-1M.parquet"
    for number in range(1, len(QUASI) + 1):
        yield measured("quasi-identifiers", number, file, QUASI[:number], SENSITIVE)
    for number in range(len(SENSITIVE) + 1):
        yield measured("sensitive attributes", number, file, QUASI, SENSITIVE[:number])
    for number in DISTINCT:
        with_id = data / f"distinct-{number}.parquet"
        if not with_id.exists():
            numbered = f"SELECT (row_number() OVER ()) % {number} AS id, * FROM '{file}'"
            copy = f"COPY ({numbered}) TO '{with_id}'"
            code = f"import duckdb; duckdb.sql({copy!r})"
            subprocess.check_call([sys.executable, "-c", code])
        yield measured("distinct values", number, with_id, ("id", "age"), ("diagnosis",))


def measured(
    series: str, varied: int | None, file: Path, quasi: Sequence[str], sensitive: Sequence[str]
) -> Point:
    """Audit a file and return the point. varied: None for the number of rows of the file."""
    print(f"{series}: {file.stem if varied is None else varied}", file=sys.stderr)
    columns = ["-q", ",".join(quasi), *(["-s", ",".join(sensitive)] if sensitive else [])]
    program = str(Path(sys.executable).with_name("anonaudit"))
    case = Case(series, [program, "audit", str(file), "-f", "json", "--quiet", *columns])
    run(case)
    release = json.loads(case.said)["release"]
    together = ", ".join((*quasi, *sensitive))
    # DuckDB runs in a process of its own, so that this process stays small: the next audit is
    # forked from it, and would start with its memory.
    count = f"SELECT count(*) FROM (SELECT DISTINCT {together} FROM '{file}')"
    quiet = "duckdb.sql('SET enable_progress_bar = false')"
    code = f"import duckdb; {quiet}; print(duckdb.sql({count!r}).fetchall()[0][0])"
    counted = int(subprocess.check_output([sys.executable, "-c", code]))
    rows = release["rows"]
    spent = (case.cpu[0], case.wall[0], case.memory[0])
    return Point(
        series, rows if varied is None else varied, rows, release["classes"], counted, *spent
    )


def draw(found: Sequence[Point], path: Path) -> None:
    """Draw one column of panels for each series: processor time above, memory below."""
    names = list(dict.fromkeys(point.series for point in found))
    with mpl.rc_context({"svg.hashsalt": "anonaudit", "svg.fonttype": "none"}):
        figure = Figure(figsize=(3 * len(names), 5), layout="constrained")
        FigureCanvasSVG(figure)
        panels = figure.subplots(2, len(names), sharey="row", squeeze=False)
        for at, name in enumerate(names):
            line = [point for point in found if point.series == name]
            wide = max(point.varied for point in line) > 100
            for axes, values in zip(
                panels[:, at],
                ([p.cpu for p in line], [p.megabytes for p in line]),
                strict=True,
            ):
                axes.plot([p.varied for p in line], values, marker="o")
                axes.set(xscale="log" if wide else "linear", yscale="log")
                axes.yaxis.set_major_formatter("{x:g}")
                axes.yaxis.set_minor_formatter("{x:g}")
                axes.grid(visible=True, which="both", alpha=0.3)
            panels[1, at].set_xlabel(name)
        panels[0, 0].set_ylabel("processor time, s")
        panels[1, 0].set_ylabel("peak memory, MB")
        figure.savefig(path, metadata={"Date": None, "Creator": None})


def main() -> None:
    """Run all audits, write both files, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="30k,1M,10M", help="of 30k, 1M, 10M, 100M")
    parser.add_argument("--data", type=Path, default=HERE / "data")
    parser.add_argument("-o", "--output", type=Path, default=Path())
    asked = parser.parse_args()
    found = list(points(asked.data, asked.sizes.split(",")))
    asked.output.mkdir(parents=True, exist_ok=True)
    with (asked.output / "growth.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Point._fields)
        writer.writerows(
            [*p[:5], *(round(x, 2) for x in p[5:7]), round(p.megabytes)] for p in found
        )
    draw(found, asked.output / "growth.svg")
    print("| varied | to | rows | classes | combinations | CPU s | wall s | MB |")
    print("|---|---|---|---|---|---|---|---|")
    for p in found:
        whole = " | ".join(f"{x:,}" for x in p[1:5])
        print(f"| {p.series} | {whole} | {p.cpu:.1f} | {p.wall:.1f} | {p.megabytes:.0f} |")


if __name__ == "__main__":
    main()
