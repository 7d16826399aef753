"""Write the table of audited releases into docs/third-party.md.

Run as `python benchmarks/thirdparty/releases_table.py`; the folder of releases is looked for beside
the checkout, or where ANONAUDIT_SHARED says.
"""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from releases_audit import SHARES, Audited, Entry, Read, audited

from anonaudit.findings import Measurement

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "third-party.md"
BEGIN, END = "<!-- releases: begin -->", "<!-- releases: end -->"
COLUMNS = ("file", "tool, version", "claim", "measured", "verdict", "linkage", "remark")
LETTERS = {
    "k-anonymity": "k",
    "p-sensitive-k-anonymity": "p",
    "l-diversity": "l",
    "recursive-c-l-diversity": "r1 / (r2 + ...)",
    "alpha-k-anonymity": "α",
    "t-closeness": "t",
    "delta-disclosure": "δ",
}
CLAIMS = {
    "k": "k = {}",
    "p_sensitive": "p = {}",
    "l_distinct": "l = {}",
    "c": "c = {}",
    "l_recursive": "with l = {}",
    "alpha": "α = {}",
    "t": "t = {}",
    "t_metric": "by {}",
    "delta": "δ = {}",
    "log_base": "in logarithms to base {}",
    "missing": "{}",
    "max_suppressed_pct": "at most {} % suppressed",
    "none": "none ({})",
}


def entries(folder: Path) -> list[Entry]:
    """The manifest."""
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def table(folder: Path) -> str:
    """The whole table as Markdown, one row a release."""
    lines = [line(COLUMNS), line(["---"] * len(COLUMNS))]
    lines += [row(entry, audited(entry, folder)) for entry in entries(folder)]
    return "\n".join(lines)


def line(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def row(entry: Entry, found: Audited) -> str:
    """The row of one release."""
    claimed = entry["claimed"]
    asked = [text.format(claimed[key]) for key, text in CLAIMS.items() if key in claimed]
    on = [f"on {claimed['on'].replace(',', ', ')}"] if "on" in claimed else []
    levels = found.reads[0].models if found.reads else ()
    return line(
        [
            f"`{entry['file'].removesuffix('.csv')}`",
            f"{entry['tool']}, {entry['version']}",
            ", ".join([*asked, *on]),
            ", ".join(map(_level, levels)) or "—",
            found.verdict,
            _linkage(found),
            "; ".join(remarks(entry, found)) or "—",
        ]
    )


def _level(model: Measurement) -> str:
    return _level_of(model, model.measured)


def _level_of(model: Measurement, level: float | None) -> str:
    return f"{LETTERS[model.model]} = {_number(level)}"


def _number(level: float | None) -> str:
    return "∞" if level is None else f"{level:.4g}"


def _linkage(found: Audited) -> str:
    link = found.linkage
    if link is None:
        return "—"
    fewest = link.details["fewest candidates"]
    return (
        f"{link.targets} targets: {link.identified} with one candidate, {link.disclosed} certain;"
        f" fewest candidates {fewest}"
    )


def remarks(entry: Entry, found: Audited) -> Iterator[str]:
    """What explains the verdict, and what else was seen."""
    joined = entry["kind"] == "aggregate-sets"
    starred, rows = found.report.release.suppressed_tuples, found.report.release.rows
    if found.reads:
        first, *others = found.reads
        yield from _short(first)
        yield from _turned(first, others)
        yield from _unclaimed(first, others)
    if starred == rows:
        yield "every quasi-identifier of every row is `*`: one class"
    elif starred:
        yield f"{starred} fully suppressed rows, which show their sensitive values"
    if found.linkage is not None and found.linkage.details["fit no published class"]:
        alone = found.linkage.details["fit no published class"]
        yield f"{alone} people fit no published class, so those rows are theirs"
    limit = entry["claimed"].get("max_suppressed_pct", 100)
    if found.lost is not None and 100 * found.lost > limit:
        yield f"{100 * found.lost:.1f} % of the rows suppressed"
    if found.people is not None and rows < found.people:
        yield f"{rows} of {found.people} rows released"
    if joined:
        yield "one row a class, see above"
    for notice in found.report.warnings:
        if notice.code == "undeclared-unique-column":
            yield f"`{notice.column}` is in the release and unique"


def _short(first: Read) -> Iterator[str]:
    """How much falls short of a k that does not hold."""
    for model in first.models:
        if model.model == "k-anonymity" and model.classes_violating:
            classes, rows = model.classes_violating, model.rows_violating
            yield f"{classes} class{'es' * (classes > 1)} with {rows} rows below k"


def _turned(first: Read, others: list[Read]) -> Iterator[str]:
    """The readings of the tool: those that turn a verdict, and those that cannot save a claim."""
    for other in others:
        if other.holds and first.holds:
            continue
        pairs = zip(first.models, other.models, strict=False)
        found = [new for old, new in pairs if new.measured != old.measured]
        levels = [f"difference {_number(other.level)}"] if other.reading == SHARES else []
        told = ", ".join([*map(_level, found), *levels])
        word = "holds" if other.holds else "violated"
        yield f"{word} with {other.reading}" + (f" ({told})" if told else "")


def _unclaimed(first: Read, others: list[Read]) -> Iterator[str]:
    """Conventions no claim speaks of that would turn the verdict on one model."""
    for model in first.models if not others else ():
        higher = model.safer == "higher"
        for name, level in model.by_convention.items():
            good = level is not None and (level >= model.required) == higher
            if good != (model.classes_violating == 0) and level is not None:
                yield f"with `{name}`, which the tool does not claim, {_level_of(model, level)}"


def published() -> tuple[str, str, str]:
    """The page: what stands before the table, the table, and what follows."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    found, _, after = rest.partition(END)
    return before, found.strip(), after


def write(folder: Path) -> None:
    """Put the table between its markers."""
    before, _, after = published()
    PAGE.write_text(f"{before}{BEGIN}\n{table(folder)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    write(Path(os.environ.get("ANONAUDIT_SHARED", ROOT.parent / "shared")) / "releases")
