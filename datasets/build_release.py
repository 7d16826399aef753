"""Make a masked release of Adult to audit, and the external table of an adversary.

Tests and examples need a realistic release with known flaws. The release is the full-domain
generalization of the lattice node <A1, M1, R1, S1> of TV06 (Table 7), without the tuples of classes
smaller than k. So it is k-anonymous and promises nothing more. The script counts the printed facts
over plain rows, with the standard library only. So tests of the audit can use them as expected
numbers.
"""

import argparse
import csv
import io
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from build_adult import ADULT, BuildError, compare, read_stored, store

K = 3
SEED = 2006
PERSONS = 200
LEVELS = {"age": 1, "marital-status": 1, "race": 1, "sex": 1}
SENSITIVE = ("occupation", "income", "capital-gain")
HIERARCHIES = ADULT.parent / "hierarchies"
RELEASE = ADULT.with_name("release.csv.gz")
EXTERNAL = ADULT.with_name("external.csv")

Row = tuple[str, ...]


def to_text(header: Sequence[str], rows: Iterable[Row]) -> str:
    """Return rows as CSV text with a header line and LF."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def read_level(attribute: str, level: int) -> dict[str, str]:
    """Return the ancestor at a level of each leaf in the hierarchy of an attribute."""
    path = HIERARCHIES / f"{attribute}.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return {cells[0]: cells[level] for cells in (line.split(";") for line in lines)}


def generalize(people: Sequence[dict[str, str]]) -> list[Row]:
    """Return for each person the generalized quasi-identifiers, then the sensitive values."""
    maps = {attribute: read_level(attribute, level) for attribute, level in LEVELS.items()}
    for attribute, ancestor in maps.items():
        missing = {person[attribute] for person in people} - ancestor.keys()
        if missing:
            message = f"hierarchy {attribute}.csv has no leaf for {sorted(missing)}"
            raise BuildError(message)
    return [
        (
            *(ancestor[person[attribute]] for attribute, ancestor in maps.items()),
            *(person[attribute] for attribute in SENSITIVE),
        )
        for person in people
    ]


def shuffle(rows: Iterable[Row], rng: random.Random) -> list[Row]:
    """Return the rows in random order.

    It uses `random()`, the only method with the same draws for a seed in every Python version.
    """
    drawn = [(rng.random(), row) for row in rows]
    return [row for _, row in sorted(drawn)]


def make_release(people: Sequence[dict[str, str]]) -> list[Row]:
    """Return the release: generalized, without classes smaller than K, and shuffled."""
    rows = generalize(people)
    sizes = Counter(row[: len(LEVELS)] for row in rows)
    kept = [row for row in rows if sizes[row[: len(LEVELS)]] >= K]
    return shuffle(kept, random.Random(SEED))


def make_external(people: Sequence[dict[str, str]]) -> list[Row]:
    """Return the external table: persons drawn without replacement, with their original values."""
    known = [tuple(person[attribute] for attribute in LEVELS) for person in people]
    drawn = shuffle(known, random.Random(SEED + 1))[:PERSONS]
    return [(f"P{number:04}", *row) for number, row in enumerate(drawn, start=1)]


def facts(people: Sequence[dict[str, str]], release: Sequence[Row]) -> Iterator[str]:
    """Yield the facts about the release in README.md, counted over the rows."""
    before = Counter(row[: len(LEVELS)] for row in generalize(people))
    classes: dict[Row, list[Row]] = defaultdict(list)
    for row in release:
        classes[row[: len(LEVELS)]].append(row[len(LEVELS) :])
    sizes = [len(members) for members in classes.values()]
    yield f"classes before suppression: {len(before)}, rows: {before.total()}"
    yield f"removed: {before.total() - len(release)} rows in {len(before) - len(classes)} classes"
    yield f"release: {len(release)} rows, {len(classes)} classes, k = {min(sizes)}"
    yield f"largest class: {max(sizes)} rows"
    for index, attribute in enumerate(SENSITIVE):
        columns = [[member[index] for member in members] for members in classes.values()]
        yield f"{attribute}: {spread(columns)}"
        if any("?" in column for column in columns):
            known = [[value for value in column if value != "?"] for column in columns]
            yield f"{attribute}, '?' as unknown: {spread(known)}"
    weak = [
        len(members)
        for members in classes.values()
        if any(len(set(column)) == 1 for column in zip(*members, strict=True))
    ]
    yield f"2-sensitivity fails in {len(weak)} classes with {sum(weak)} rows ('?' as a value)"


def spread(columns: Sequence[Sequence[str]]) -> str:
    """Return a description of the diversity of an attribute. columns: the values of each class."""
    distinct = [len(set(column)) for column in columns]
    single = [len(column) for column in columns if len(set(column)) == 1]
    empty = distinct.count(0)
    text = (
        f"least distinct values in a class {min(count for count in distinct if count)}, "
        f"homogeneous classes {len(single)}, rows in them {sum(single)}"
    )
    return text + (f", classes without a known value {empty}" if empty else "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or compare both files. Return 0, or 1 if something differs."""
    parser = argparse.ArgumentParser(
        description="Make adult/release.csv.gz and adult/external.csv from adult/adult.csv.gz."
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; compare with the stored files"
    )
    options = parser.parse_args(arguments)
    try:
        people = list(csv.DictReader(io.StringIO(read_stored(ADULT))))
        rows = make_release(people)
        release = to_text([*LEVELS, *SENSITIVE], rows)
        external = to_text(["person", *LEVELS], make_external(people))
        act = compare if options.check else store
        lines = [act(RELEASE, release), act(EXTERNAL, external), *facts(people, rows)]
    except BuildError as error:
        sys.stderr.write(f"build_release: {error}\n")
        return 1
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
