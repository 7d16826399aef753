"""Measure audits, a floor and other tools in the same run, and print a Markdown table.

    python benchmarks/run.py [--sizes 30k,1M] [--repeat 3] [--peers] [--only floor,audit]
        [--data FOLDER] [-o FILE]

Each case runs in a process of its own, measured from start to end. The cases take turns, so that
other load on the machine affects all of them. Limits apply to processor time and peak memory, and
to their ratios to the floor. Wall time is shown too. Missing data files are generated.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from columns import QUASI, SENSITIVE, VISITS_QUASI, VISITS_SENSITIVE, VISITS_UNIT

HERE = Path(__file__).parent
NEEDED = ("anonaudit", "duckdb", "mlxtend", "numpy", "pandas", "pyarrow", "scipy")
PEERS = ("pycanon",)
COLUMNS = ["-q", ",".join(QUASI), "-s", ",".join(SENSITIVE)]
ATTACKED = f"""
columns.quasi-identifiers = {list(QUASI)}
columns.sensitive = {list(SENSITIVE)}
require.multi-attribute-l-diversity = {{ l = 3 }}
attacks.elimination = {{ values = 2 }}
"""
VISITS = f"""
columns.identifiers = ["encounter_id"]
columns.quasi-identifiers = {list(VISITS_QUASI)}
columns.sensitive = {list(VISITS_SENSITIVE)}
require.k-anonymity = {{ k = 5 }}
require.p-sensitive-k-anonymity = {{ p = 2 }}
"""
START_UP = 1.0  # seconds allowed for start-up, where no ratio to a floor covers it
# The allowed processor time of an audit, as a multiple of the floor, by size and file format.
MOST = {
    ("30k", "parquet"): 2.5,
    ("30k", "csv"): 2.5,
    ("1M", "parquet"): 1.8,
    ("1M", "csv"): 1.6,
    ("10M", "parquet"): 1.5,
    ("10M", "csv"): 1.4,
    ("100M", "parquet"): 1.5,
}
SIX_ROWS = 1.5  # the same for 6 rows, as a multiple of the floor of 30,000 rows of CSV
MOST_MEMORY = 3.0  # the allowed memory, as a multiple of the floor


@dataclass
class Case:
    """A command, its limit, and its measurements.

    floor: the name of the case that is its floor. The limit in CPU s is `times` times that of the
    floor, plus `plus` seconds. cpu, wall (seconds) and memory (MB): one value for each run. said:
    the output of the last run.
    """

    name: str
    command: list[str]
    floor: str = ""
    times: float = 0.0
    plus: float = START_UP
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    said: str = ""


def cases(sizes: Sequence[str], data: Path, *, peers: bool) -> list[Case]:
    """Return the floors and audits of each size, then the cases that have one size."""
    python = sys.executable
    program = str(Path(python).with_name("anonaudit"))
    found = []
    for size in sizes:
        for form in ("parquet", "csv"):
            file = str(data / f"release-{size}.{form}")
            if (size, form) not in MOST:
                continue
            floor = f"floor {size} {form}"
            audit = [program, "audit", file, "-f", "json", "--quiet"]
            found += [
                Case(floor, [python, str(HERE / "floor.py"), file]),
                Case(f"audit {size} {form}", [*audit, *COLUMNS], floor, MOST[size, form], 0.0),
            ]
            if form == "parquet" and size != "100M":
                attacked = [*audit, str(data / "attacked.toml")]
                found.append(Case(f"audit, elimination {size}", attacked, floor, 6.0))
    table = str(HERE.parent / "datasets/TV06/table1.csv")
    few = [program, "audit", table, "-q", "age,zip-code,sex", "-s", "illness", "--quiet"]
    found.append(Case("six rows csv", few, "floor 30k csv", SIX_ROWS, 0.0))
    tasks = [python, str(HERE / "tasks.py")]
    found += [
        Case("import anonaudit", [python, "-c", "import anonaudit"], "python", 1.0, 0.15),
        Case("python", [python, "-c", ""]),
        Case("anonaudit --help", [program, "--help"], "", 0.0, 0.5),
        Case("rules of 255 sets, 30k", [*tasks, "rules", str(data)], "", 0.0, 0.0),
        Case("k-member, 10,000 x 8", [*tasks, "k-member", str(data)], "", 0.0, 5.0 + START_UP),
        Case("GreedyCKA, 10,000 x 8", [*tasks, "greedy-cka", str(data)], "", 0.0, 5.0 + START_UP),
    ]
    if "1M" in sizes:
        found.append(Case("k and l in memory, 1M", [*tasks, "k-and-l", str(data)], "", 0.0, 0.0))
    if "ANONAUDIT_SHARED" in os.environ:
        minimal = [*tasks, "minimal", str(data)]
        found.append(Case("p-k-minimal, 30k x 8", minimal, "", 0.0, 5.0 + START_UP))
        found += visits(data)
    if peers:
        found += [
            Case("rules by mlxtend, 30k", [*tasks, "rules-by-mlxtend", str(data)]),
            Case("pycanon report 30k", [*tasks, "pycanon", str(data)]),
        ]
    return found


def visits(data: Path) -> list[Case]:
    """Return the cases of 300,000 visits by 112,641 patients: two floors and two audits.

    One audit has a unit, and counts persons. The other counts rows.
    """
    file = str(data / "visits" / "extract.csv")
    floor = [sys.executable, str(HERE / "floor_persons.py"), file]
    audit = [str(Path(sys.executable).with_name("anonaudit")), "audit", file]
    asked = {name: str(data / f"visits-{name}.toml") for name in ("persons", "rows")}
    end = ["-f", "json", "--quiet"]
    return [
        Case("floor visits, k in persons alone", [*floor, "bare"]),
        Case("floor visits, persons", floor),
        Case(
            "audit visits, persons", [*audit, asked["persons"], *end], "floor visits, persons", 3.0
        ),
        Case("audit of visits without a unit", [*audit, asked["rows"], *end]),
    ]


def make_visits(data: Path) -> None:
    """Make the visits by the generator in ANONAUDIT_SHARED, and a policy with and without unit."""
    folder = data / "visits"
    if not (folder / "extract.csv").exists():
        folder.mkdir(exist_ok=True)
        script = Path(os.environ["ANONAUDIT_SHARED"], "hospital", "make_extract.py").resolve()
        subprocess.run([sys.executable, script, "300000"], check=True, cwd=folder)
    (data / "visits-rows.toml").write_text(VISITS)
    (data / "visits-persons.toml").write_text(f"{VISITS}columns.unit = {VISITS_UNIT!r}\n")


def run(case: Case) -> None:
    """Run a case once in a process of its own, and add its measurements."""
    start = time.perf_counter()
    # Without this, Python would compile all modules in each run, unlike an installed program.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        case.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    out, err = process.stdout.read(), process.stderr.read()  # type: ignore[union-attr]
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: the release breaks its policy
        sys.exit(f"{case.name} failed: {err.decode()[-2000:]}")
    case.wall.append(time.perf_counter() - start)
    case.cpu.append(used.ru_utime + used.ru_stime)
    case.memory.append(used.ru_maxrss / 1024)
    case.said = out.decode()


def check(done: dict[str, Case]) -> None:
    """Assert that each audit has the numbers of its floor. Otherwise the times mean nothing."""
    for name, case in done.items():
        if not name.startswith("audit ") or case.floor not in done:
            continue
        report, floor = json.loads(case.said), json.loads(done[case.floor].said)
        found = {
            (m["name"], m["parameters"].get("distance")): m
            for m in report["models"]
            if not m["parameters"].get("reading")
        }
        (_, k, classes, _, _), *rest = floor
        assert found["k-anonymity", None]["measured"] == k, name
        assert report["release"]["classes"] == classes, name
        for attribute, distinct, alpha, entropy, distance in rest:
            for model, how, expected in (
                ("l-diversity", None, distinct),
                ("alpha-k-anonymity", None, alpha),
                ("entropy-l-diversity", None, entropy),
                ("t-closeness", "equal", distance),
            ):
                level = found[model, how]["per_attribute"][attribute]["measured"]
                assert abs(level - expected) < 1e-9 * max(1, abs(expected)), (name, model)


def table(done: dict[str, Case]) -> str:
    """Return the table: for each case the medians, the ratios to the floor, and the limit."""
    lines = [
        "| case | CPU s | wall s | MB | of the floor's CPU | of its MB | allowed CPU s | kept |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for case in done.values():
        cpu, wall, memory = map(statistics.median, (case.cpu, case.wall, case.memory))
        cells = [case.name, f"{cpu:.2f}", f"{wall:.2f}", f"{memory:.0f}", "", "", "", ""]
        floor = done.get(case.floor)
        if floor is not None:
            base = statistics.median(floor.cpu)
            cells[4] = f"{cpu / base:.2f}"
            cells[5] = f"{memory / statistics.median(floor.memory):.2f}"
        if case.times or (case.plus and case.plus != START_UP):
            most = case.times * (statistics.median(floor.cpu) if floor else 0.0) + case.plus
            fits = (
                floor is None or not case.name.startswith("audit") or float(cells[5]) <= MOST_MEMORY
            )
            cells[6], cells[7] = f"{most:.2f}", "yes" if cpu <= most and fits else "NO"
        lines.append(f"| {' | '.join(cells)} |")
    for name in (
        "rules of 255 sets, 30k",
        "k and l in memory, 1M",
        "k-member, 10,000 x 8",
        "GreedyCKA, 10,000 x 8",
    ):
        if name in done:
            lines += ["", f"{name}: `{done[name].said.strip()}`"]
    return "\n".join(lines) + "\n"


def refuse_without(packages: Sequence[str]) -> None:
    """Exit with an installation command if one of these packages is missing."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        extra = f" -e '{HERE.parent}[dev]'" if {*missing} & {*NEEDED} else ""
        peers = "".join(f" {name}" for name in missing if name in PEERS)
        sys.exit(
            f"error: {', '.join(missing)} not found for {sys.executable}. Run: "
            f"{sys.executable} -m pip install{extra}{peers}"
        )


def main() -> None:
    """Run all cases in turn, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="30k,1M", help="of 30k, 1M, 10M, 100M")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--peers", action="store_true", help="also run pycanon and mlxtend (minutes)"
    )
    parser.add_argument(
        "--only", default="", help="run only cases whose names begin with one of these"
    )
    parser.add_argument("--data", type=Path, default=HERE / "data")
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    sizes = asked.sizes.split(",")
    refuse_without([*NEEDED, *(PEERS if asked.peers else ())])
    asked.data.mkdir(parents=True, exist_ok=True)
    for size in sizes:
        if not (asked.data / f"release-{size}.parquet").exists():
            print(f"making {size}", file=sys.stderr)
            subprocess.run(
                [sys.executable, str(HERE / "generate.py"), asked.data, size], check=True
            )
    (asked.data / "attacked.toml").write_text(ATTACKED)
    if "ANONAUDIT_SHARED" in os.environ:
        make_visits(asked.data)
    found = cases(sizes, asked.data, peers=asked.peers)
    found = [case for case in found if case.name.startswith(tuple(asked.only.split(",")))]
    for turn in range(asked.repeat):
        for case in found:
            if turn == 0 or case.name != "pycanon report 30k":
                print(f"{turn + 1} of {asked.repeat}: {case.name}", file=sys.stderr)
                run(case)
    done = {case.name: case for case in found}
    check(done)
    libraries = ", ".join(f"{n} {version(n)}" for n in ("duckdb", "pandas", "numpy", "scipy"))
    head = (
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}; Python {platform.python_version()}, "
        f"{libraries}; {os.cpu_count()} cores; load {os.getloadavg()[0]:.1f} at the end; medians "
        f"of {asked.repeat}.\n\n"
    )
    text = head + table(done)
    print(text)
    if asked.output:
        asked.output.write_text(text)


if __name__ == "__main__":
    main()
