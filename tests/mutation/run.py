"""Mutation testing of the packages of AREAS: `python tests/mutation/run.py`.

docs/mutation.md says what is changed and how to read the answer. The tests of an area are collected
once. Each mutant gets a fork of that process, puts its changed function in the place of the original,
and runs the tests that reach the changed lines until one fails.
"""

import argparse
import hashlib
import json
import os
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Area(NamedTuple):
    """Packages, and the tests that are asked about their mutants."""

    packages: tuple[str, ...]
    tests: tuple[str, ...]
    left_out: tuple[str, ...] = ()  # options of pytest


AREAS = (
    Area(
        ("anonaudit/models", "attacks"),
        (
            "tests/models", "tests/attacks", "tests/laws", "tests/claims", "tests/auditing/test_bounds.py", "tests/frequency/test_batches.py",
            "tests/test_reported_cases.py",
            "tests/auditing/test_conventions.py", "tests/test_hostile_numbers.py", "tests/policy/test_policy.py",
        ),
        (
            "--ignore=tests/attacks/test_third_party.py",  # starts other processes
            "--ignore=tests/claims/test_ledger.py",
            "-k=not test_the_check_of_the_ledger",  # a search of its own, for seconds each
        ),
    ),
    Area(("anonaudit/masking",), ("tests/masking",)),
    Area(
        ("anonaudit/papers/claims", "anonaudit/papers/published"),
        ("tests/claims", "tests/papers/published"),
        ("-k=not test_importing_anonaudit_loads_no_hypothesis",),  # starts another process
    ),
    Area(
        ("anonaudit/papers/reproduction",),
        ("tests/papers/reproduction",),
        ("--ignore=tests/papers/reproduction/test_ending.py",),  # starts other processes
    ),
)  # fmt: skip
PACKAGES = [package for area in AREAS for package in area.packages]
SURVIVORS = ROOT / "tests/mutation/survivors.toml"
STATE = ROOT / ".mutation"
LEAST_KILLED = 0.9

os.environ["HYPOTHESIS_PROFILE"] = "mutation"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.chdir(ROOT)

import pytest  # noqa: E402
from mutation.forked import Reach, outcome, reached  # noqa: E402
from mutation.mutants import Mutant, mutants  # noqa: E402

# By key: the outcome; digests of the code and of the tests, and their seconds; the test that failed.
Known = dict[str, tuple[str, str, str]]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", action="append", help="only this file; may be repeated")
    parser.add_argument(
        "--sample", type=int, help="at most so many mutants a file, drawn at random"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--seconds", type=float, default=15, help="of tests a mutant, at most")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--report", action="store_true", help="run nothing, show what is known")
    return parser.parse_args()


def files(chosen: list[str] | None) -> list[str]:
    every = [
        p.relative_to(ROOT).as_posix() for d in PACKAGES for p in sorted((ROOT / d).glob("*.py"))
    ]
    if unknown := set(chosen or []) - set(every):
        sys.exit(f"not among the files to mutate: {', '.join(sorted(unknown))}")
    return chosen or every


def keyed(file: str) -> dict[str, Mutant]:
    """The mutants of a file by a key that lasts as long as their function's text."""
    found: dict[str, Mutant] = {}
    for mutant in mutants((ROOT / file).read_text("utf-8")):
        key = hashlib.sha256(f"{mutant.where}\n{mutant.was}\n{mutant.now}".encode())
        found.setdefault(key.hexdigest()[:12], mutant)
    return found


def sampled(every: Iterable[str], sample: int | None, seed: str) -> list[str]:
    keys = list(every)
    if sample is None or sample >= len(keys):
        return keys
    return random.Random(seed).sample(keys, sample)


def still_true(
    state: str, then: str, killer: str, now: str, items: Container[str], explained: bool
) -> bool:
    """Killed holds as long as the code and the killing test do.

    Survived as long as all tests do, unless they are given more seconds now; where it is
    explained, as long as the code does.
    """
    (code, tests, seconds), (code_now, tests_now, seconds_now) = then.split(), now.split()
    if state == "survived" and not explained:
        return (code, tests) == (code_now, tests_now) and float(seconds) >= float(seconds_now)
    return code == code_now and (not killer or killer in items)


def survivors() -> dict[tuple[str, str, str, str], str]:
    """The reasons of those that survive, by file, place, and statement before and after."""
    listed = tomllib.loads(SURVIVORS.read_text("utf-8")).get("survivor", [])
    return {(s["file"], s["where"], s["was"], s["now"]): s["reason"] for s in listed}


def digest(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]


def load(name: str) -> dict:
    path = STATE / name
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def save(name: str, what: object) -> None:
    STATE.mkdir(exist_ok=True)
    part = STATE / f"{name}.part"
    part.write_text(json.dumps(what), "utf-8")
    part.replace(STATE / name)


class Session:
    """A pytest plugin: instead of the tests, the mutants."""

    def __init__(self, options: argparse.Namespace, chosen: list[str]) -> None:
        self.options, self.chosen = options, chosen
        self.results: dict = load("results.json")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        reach = self.reach(session, items)
        tests = digest(*sorted({item.path for item in session.items}), ROOT / "tests/oracle.py")
        for file in self.chosen:
            self.run(file, items, reach, f"{digest(ROOT / file)} {tests} {self.options.seconds}")
        return True

    def run(self, file: str, items: dict[str, pytest.Item], reach: Reach, now: str) -> None:
        """The mutants of a file of which nothing is known yet."""
        source, every = (ROOT / file).read_text("utf-8"), keyed(file)
        known: Known = self.results.setdefault(file, {})
        listed = survivors()
        reasons = {key for key, m in every.items() if (file, m.where, m.was, m.now) in listed}
        chosen = sampled(every, self.options.sample, f"{self.options.seed} {file}")
        for number, key in enumerate(chosen, 1):
            if key in known and still_true(*known[key], now, items, key in reasons):
                continue
            kills = Counter(killer for _, _, killer in known.values())
            covering = reach.covering(file, every[key], self.options.seconds, kills)
            tests = [items[test] for test in covering]
            state, killer = outcome(file, source, every[key], tests, reach)
            known[key] = state, now, killer
            save("results.json", self.results)
            show(f"{file} {number}/{len(chosen)} {state}: {every[key].where}")

    def reach(self, session: pytest.Session, items: dict[str, pytest.Item]) -> Reach:
        """Which lines each test reaches and how long it takes; kept as long as its file is."""
        kept = load("reach.json")
        now = {file: digest(ROOT / file) for file in files(None)}
        tests = {test: digest(item.path) for test, item in items.items()}

        def stale(test: str) -> bool:
            old = kept.get(test, {"at": {}, "lines": {}})
            at = {test: tests[test], **{file: now.get(file) for file in old["lines"]}}
            return old["at"] != at

        new = [item for test, item in items.items() if stale(test)]
        if new:
            show(f"which lines {len(new)} tests reach")
            for number, (test, found) in enumerate(reached(new, [str(ROOT / d) for d in PACKAGES])):
                at = {test: tests[test], **{file: now[file] for file in found["lines"]}}
                kept[test] = {**found, "at": at}
                if number % 20 == 0:
                    show(f"{number}/{len(new)} {test} {found['seconds']:.1f}s")
                    save("reach.json", kept)
            save("reach.json", kept)
        return Reach({test: kept[test] for test in items if kept.get(test, {}).get("passed")})


def show(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def report(options: argparse.Namespace) -> int:
    """The table, the survivors, and whether both are as they should be."""
    results, reasons, faults = load("results.json"), survivors(), []
    sums: dict[str, list[int]] = {}
    print("| file | mutants | run | killed | timed out | survived | share killed |")
    print("|---|---|---|---|---|---|---|")
    for file in files(options.file):
        every, code = keyed(file), digest(ROOT / file)
        known = {k: v for k, v in results.get(file, {}).items() if v[1].startswith(code)}
        states = [known[key][0] for key in every if key in known]
        counts = [states.count(state) for state in ("killed", "timed out", "survived")]
        row = [len(every), len(states), *counts]
        print(f"| {file} | {' | '.join(map(str, row))} | {share_killed(row):.0%} |")
        package = Path(file).parent.as_posix()
        sums[package] = [a + b for a, b in zip(sums.get(package, [0] * 5), row, strict=True)]
        faults += unexplained(file, every, known, reasons)
    for package, row in sums.items():
        share = share_killed(row)
        print(f"| **{package}** | {' | '.join(map(str, row))} | {share:.1%} |")
        if share < LEAST_KILLED:
            faults.append(f"{package}: {share:.1%} killed, less than {LEAST_KILLED:.0%}")
    print(*faults, sep="\n\n")
    return 1 if faults else 0


def share_killed(row: list[int]) -> float:
    """Of the mutants that were run, those killed or timed out."""
    _, run, killed, timed_out, _ = row
    return (killed + timed_out) / run if run else 0.0


def unexplained(file: str, every: dict, known: dict, reasons: dict) -> Iterator[str]:
    """Survivors without a reason, and reasons for what is killed or no longer there."""
    for key, mutant in every.items():
        state = known.get(key, [""])[0]
        reason = reasons.pop((file, mutant.where, mutant.was, mutant.now), None)
        text = (
            f"file = {file!r}\nwhere = {mutant.where!r}\nwas = {mutant.was!r}\nnow = {mutant.now!r}"
        )
        if state == "survived" and not reason:
            yield f"survived without a reason (line {mutant.lines.start}):\n[[survivor]]\n{text}"
        if state in {"killed", "timed out"} and reason:
            yield f"listed, but {state}:\n{text}"
    yield from (f"listed, but no mutant: {at}" for at in reasons if at[0] == file)


def main() -> int:
    options = arguments()
    if options.fresh:
        for path in STATE.glob("*.json"):
            path.unlink()
    if not options.report:
        quiet = ["-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:xdist", "-s"]
        for area in AREAS:
            chosen = [f for f in files(options.file) if Path(f).parent.as_posix() in area.packages]
            if chosen:
                asked = [*quiet, *area.left_out, *area.tests]
                if code := pytest.main(asked, plugins=[Session(options, chosen)]):
                    return int(code)
    return report(options)


if __name__ == "__main__":
    sys.exit(main())
