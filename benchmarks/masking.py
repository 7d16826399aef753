"""Measure time and memory of maskers on large tables, and print a Markdown table.

    python benchmarks/masking.py [--only mondrian,k-member] [--data FOLDER] [-o FILE]

Each case is one `anonaudit mask` in a process of its own, with reading, masking, audit and writing.
The rows are drawn from the complete rows of Adult. The table has eight quasi-identifiers that are
not generalized. Each of their cells is drawn again from its column with probability 2%.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from run import Case, run

from anonaudit import datasets

QUASI = (
    *("age", "workclass", "education-num", "marital-status"),
    *("occupation", "race", "sex", "native-country"),
)
MEMORY = "4GiB"
# The inner values of two hierarchies. The other columns have intervals, or only `*`.
INNER = {
    "workclass": {
        "self-employed": ("Self-emp-not-inc", "Self-emp-inc"),
        "government": ("Federal-gov", "Local-gov", "State-gov"),
        "none": ("Without-pay", "Never-worked"),
        "private": ("Private",),
    },
    "marital-status": {
        "married": ("Married-civ-spouse", "Married-AF-spouse"),
        "left": ("Divorced", "Separated"),
        "alone": ("Widowed", "Married-spouse-absent", "Never-married"),
    },
}
INTERVALS = {"age": [5, 10, 20, 40], "education-num": [4, 8]}


def table(rows: int) -> pd.DataFrame:
    """Return a number of rows drawn from Adult. The same number gives the same rows."""
    adult = pd.read_csv(datasets.path("adult/adult.csv.gz"), dtype=str, keep_default_na=False)
    adult = adult[(adult != "?").all(axis=1)]
    rng = np.random.default_rng([2026, rows])
    drawn = adult.iloc[rng.integers(0, len(adult), rows)][[*QUASI, "income"]]
    for name in QUASI:
        again = rng.random(rows) < 0.02
        drawn.loc[again, name] = adult[name].to_numpy()[rng.integers(0, len(adult), again.sum())]
    return drawn


def policy(folder: Path, *, bounded: bool) -> str:
    """Return a policy with k = 5 and p = 2. bounded: if the inner values are boundaries."""
    lines = [f"columns = {{ quasi-identifiers = {list(QUASI)}, sensitive = ['income'] }}"]
    for name in QUASI:
        how = f"file = '{folder / name}.csv'"
        if name in INTERVALS:
            how = f"intervals = {INTERVALS[name]}, origin = 0"
        most = f", max-generalization = {list(INNER[name])}" if bounded and name in INNER else ""
        lines.append(f"hierarchies.{name} = {{ {how}{most} }}")
    return "\n".join([*lines, "require.k-anonymity.k = 5\nrequire.p-sensitive-k-anonymity.p = 2\n"])


def hierarchies(folder: Path, rows: pd.DataFrame) -> None:
    """Write a hierarchy file for each column without intervals."""
    for name in {*QUASI} - {*INTERVALS}:
        above = {leaf: group for group, leaves in INNER.get(name, {}).items() for leaf in leaves}
        paths = [
            ";".join([value, *([above[value]] if above else []), "*"])
            for value in sorted(rows[name].unique())
        ]
        (folder / f"{name}.csv").write_text("\n".join(paths) + "\n")


def cases(folder: Path) -> dict[str, Case]:
    """Return a case for each masker and number of rows, by name."""
    program = str(Path(sys.executable).with_name("anonaudit"))
    asked = {
        "full-domain 1M": (10**6, "full-domain", ["--threshold", "50000"]),
        "mondrian 1M": (10**6, "mondrian", []),
        "k-member 100k": (10**5, "k-member", []),
        "greedy-cka 100k": (10**5, "greedy-cka", []),
        "greedy-cka 100k, bounded": (10**5, "greedy-cka", []),
    }
    found = {}
    for name, (rows, algorithm, more) in asked.items():
        rules = folder / ("bounded.toml" if name.endswith("bounded") else "masked.toml")
        files = [str(folder / f"adult-{rows}.csv"), str(rules)]
        how = ["--algorithm", algorithm, *more, "-o", str(folder / "masked.csv")]
        found[name] = Case(name, [program, "mask", *files, *how])
    return found


def main() -> None:
    """Make the tables, run the cases in turn, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--only", default="", help="run only cases whose names begin with one of these"
    )
    parser.add_argument("--data", type=Path, default=Path(__file__).parent / "data")
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    folder = asked.data.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for rows in (10**5, 10**6):
        if not (folder / f"adult-{rows}.csv").exists():
            table(rows).to_csv(folder / f"adult-{rows}.csv", index=False)
    hierarchies(folder, pd.read_csv(folder / "adult-1000000.csv", dtype=str))
    (folder / "masked.toml").write_text(policy(folder, bounded=False))
    (folder / "bounded.toml").write_text(policy(folder, bounded=True))
    os.environ["ANONAUDIT_MEMORY"] = MEMORY
    lines = ["| case | CPU s | wall s | GB |", "|---|---|---|---|"]
    for name, case in cases(folder).items():
        if name.startswith(tuple(asked.only.split(","))):
            print(name, file=sys.stderr)
            run(case)
            spent = f"{case.cpu[0]:.0f} | {case.wall[0]:.0f} | {case.memory[0] / 1024:.1f}"
            lines.append(f"| {name} | {spent} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if asked.output:
        asked.output.write_text(text)


if __name__ == "__main__":
    main()
