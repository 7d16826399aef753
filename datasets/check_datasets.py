"""Check the form of every data file here, and the hashes in SHA256SUMS and README.md.

The tables are typed by hand, and hierarchies have no header, so a typing error would show up far
from its cause. In a hierarchy, a short branch repeats a value until its line is as long as the
other lines. Every value must have one path to one root.
"""

import argparse
import csv
import io
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from build_adult import ADULT, BuildError, read_stored, sha256

FOLDER = ADULT.parent.parent
SUMS = FOLDER / "SHA256SUMS"
README = FOLDER / "README.md"
MARKS = ("<!-- sums: written by check_datasets.py --update -->\n", "<!-- end of sums -->\n")
COLUMN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Files that list inner values of hierarchies. True: inner descendants must be listed too.
LISTS = {"protected.csv": True, "magvals.csv": False}

Line = list[str]


def name_of(path: Path) -> str:
    """Return the path below datasets/, as README.md and SHA256SUMS have it."""
    return path.relative_to(FOLDER).as_posix()


def data_files() -> list[Path]:
    """Return every data file, sorted by name."""
    found = [path for path in FOLDER.rglob("*") if path.name.endswith((".csv", ".csv.gz"))]
    return sorted(found, key=name_of)


def read_lines(path: Path, delimiter: str) -> list[Line]:
    """Return the cells of a file, line by line."""
    return list(csv.reader(io.StringIO(read_stored(path)), delimiter=delimiter))


def check_text(path: Path) -> Iterator[str]:
    """Yield violations of the form: UTF-8 without BOM, LF, no blank at the ends of a cell."""
    text = read_stored(path)
    hierarchy = path.parent.name == "hierarchies"
    if text.startswith("\ufeff") or "\r" in text or not text.endswith("\n"):
        yield "expected UTF-8 without byte order mark, every line ended by LF"
    lines = read_lines(path, ";" if hierarchy else ",")
    if len({len(line) for line in lines}) != 1:
        yield f"lines have different numbers of cells: {sorted({len(line) for line in lines})}"
    if any(cell != cell.strip() for line in lines for cell in line):
        yield "a cell begins or ends with a blank"
    if not hierarchy:
        if not all(COLUMN.fullmatch(name) for name in lines[0]) or len(lines) == 1:
            yield f"expected lower-case column names and rows below them, got {lines[0]}"
        if len(set(lines[0])) != len(lines[0]):
            yield f"a column name occurs twice: {lines[0]}"


def paths_upward(lines: Sequence[Line]) -> dict[str, set[tuple[str, ...]]]:
    """Return the paths from each value to the root. A value repeated to fill a line counts once."""
    ways: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for line in lines:
        path = tuple(dict.fromkeys(line))
        for index, value in enumerate(path):
            ways[value].add(path[index:])
    return ways


def changing_extents(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the values that cover different sets of leaves at different levels."""
    covered: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for line in lines:
        for level, value in enumerate(line):
            covered[value][level].add(line[0])
    for value, levels in covered.items():
        if len({frozenset(extent) for extent in levels.values()}) != 1:
            yield value


def check_hierarchy(path: Path) -> Iterator[str]:
    """Yield violations of: one root, each leaf once, one path to the root for each value."""
    lines = read_lines(path, ";")
    leaves = [line[0] for line in lines]
    if len(set(leaves)) != len(leaves):
        yield "a leaf has two lines"
    if len({line[-1] for line in lines}) != 1:
        yield f"expected one root, got {sorted({line[-1] for line in lines})}"
    for line in lines:
        if any(line.index(value) + line.count(value) <= at for at, value in enumerate(line)):
            yield f"a value occurs again after another value: {line}"
    for value, ways in paths_upward(lines).items():
        if len(ways) != 1:
            yield f"{value!r} has {len(ways)} paths: {sorted(ways)}"
    for value in changing_extents(lines):
        yield f"{value!r} covers other leaves at another level"


def check_list(path: Path, *, closed: bool) -> Iterator[str]:
    """Yield listed values that are not inner values of their hierarchy.

    closed: also yield inner values below a listed value that are not listed themselves.
    """
    listed: dict[str, set[str]] = defaultdict(set)
    for attribute, value in read_lines(path, ",")[1:]:
        listed[attribute].add(value)
    for attribute, values in listed.items():
        lines = read_lines(path.parent / "hierarchies" / f"{attribute}.csv", ";")
        leaves = {line[0] for line in lines}
        inner = {value for line in lines for value in line} - leaves
        if values - inner:
            yield f"{attribute}: not inner values: {sorted(values - inner)}"
        if closed:
            ways = paths_upward(lines)
            below = {value for value in inner for way in ways[value] if values & set(way)}
            if below - values:
                yield f"{attribute}: below a listed value, not listed: {sorted(below - values)}"


def check_cover(path: Path, hierarchies: Path) -> Iterator[str]:
    """Yield the values of a table that its hierarchies lack."""
    header, *rows = read_lines(path, ",")
    for index, column in enumerate(header):
        hierarchy = hierarchies / f"{column}.csv"
        if hierarchy.is_file():
            known = {value for line in read_lines(hierarchy, ";") for value in line}
            missing = {row[index] for row in rows} - known
            if missing:
                yield f"{name_of(hierarchy)} lacks {sorted(missing)} of column {column}"


def faults(path: Path) -> Iterator[str]:
    """Yield the faults of a file by all checks that apply to it."""
    yield from check_text(path)
    if path.parent.name == "hierarchies":
        yield from check_hierarchy(path)
        return
    if path.name in LISTS:
        yield from check_list(path, closed=LISTS[path.name])
    yield from check_cover(path, path.parent / "hierarchies")
    if path == ADULT:
        yield from check_cover(path, FOLDER / "MCT08" / "adult" / "hierarchies")


def sums() -> dict[str, str]:
    """Return the SHA-256 of each data file, by name."""
    return {name_of(path): sha256(path.read_bytes()) for path in data_files()}


def sums_text() -> str:
    """Return the text of SHA256SUMS."""
    return "".join(f"{value}  {name}\n" for name, value in sums().items())


def readme_text() -> str:
    """Return README.md with a new table of hashes between its marks."""
    text = read_stored(README)
    if any(text.count(mark) != 1 for mark in MARKS):
        message = f"{README.name} needs each of these lines once: {MARKS}"
        raise BuildError(message)
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    rows = "".join(f"| {name} | `{value}` |\n" for name, value in sums().items())
    return f"{before}{MARKS[0]}\n| file | sha256 |\n|---|---|\n{rows}\n{MARKS[1]}{after}"


def check_sums() -> Iterator[str]:
    """Yield the lists of hashes that are not up to date."""
    for path, text in ((SUMS, sums_text()), (README, readme_text())):
        if read_stored(path) != text:
            yield f"{path.name}: the hashes differ from those of the files; run with --update"


def main(arguments: Sequence[str] | None = None) -> int:
    """Check all files and print the faults. Return 0, or 1 if there are any."""
    parser = argparse.ArgumentParser(description="Check the files below datasets/ and their sums.")
    parser.add_argument(
        "--update", action="store_true", help="write the hashes into SHA256SUMS and README.md first"
    )
    options = parser.parse_args(arguments)
    try:
        if options.update:
            SUMS.write_text(sums_text(), encoding="utf-8", newline="\n")
            README.write_text(readme_text(), encoding="utf-8", newline="\n")
        found = [f"{name_of(path)}: {fault}" for path in data_files() for fault in faults(path)]
        found += check_sums()
    except BuildError as error:
        found = [str(error)]
    if found:
        sys.stderr.write("".join(f"check_datasets: {fault}\n" for fault in found))
        return 1
    sys.stdout.write(f"{len(data_files())} data files: form, hierarchies and hashes are right\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
