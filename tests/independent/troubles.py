"""Troubles of real files, each planted into a clean world, in its tables and in its case alike.

A trouble returns whether the world could have it: a file padded with empty records must exist.
What a test read is written again from the folder `tests` by

    python -m independent.troubles SEED TROUBLE FOLDER      # TROUBLE "" for a clean world
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

from independent.cases import KNOWN, MISSING, SUPPRESSED, UNREAD, Cell, Row
from independent.generator import World, world

Trouble = Callable[[World], bool]

# Where nobody of a population can be compared with a class, it may be the population of another
# release, which no number of the checker's says.
FOREIGN = {"k-map", "journalist-risk", "marketer-risk"}


def some(made: World, items: list[int]) -> list[int]:
    """At least one of the items, few more often than many."""
    return made.rng.sample(items, min(len(items), made.rng.choice([1, 1, 2, 4])))


def attacked(made: World, name: str) -> None:
    """Let the policy run an attack."""
    made.case.attacks.setdefault(name, {})
    made.case.allowed.setdefault(name, made.rng.choice([*made.case.allowed.values()]))


def linked(made: World) -> None:
    attacked(made, "linkage")
    if made.rng.random() < 0.5:
        attacked(made, "association")


def changed(rows: list[Row], chosen: list[int], cells: dict[str, Cell]) -> None:
    """Put cells into the chosen rows; a row may stand in other tables too, so it is copied."""
    for i in chosen:
        rows[i] = rows[i] | cells


def padding(file: str) -> Trouble:
    """Records without a value in any column."""

    def plant(made: World) -> bool:
        case = made.case
        if file == "people.csv":
            linked(made)
        if file == "second.csv" and case.second and len(case.sensitive) == 1:
            attacked(made, "composition")
        made.padding[file] = made.rng.choice([1, 1, 2, 5])
        return {
            "release.csv": True,
            "people.csv": True,
            "population.csv": bool(case.population),
            "original.csv": bool(made.original),
            "second.csv": "composition" in case.attacks,
        }[file]

    return plant


def token(made: World, state: str) -> Cell:
    """A cell without a value, as this file writes it."""
    written = {MISSING: ["", "?"], SUPPRESSED: ["*", "-"]}[state]
    text = made.rng.choice(written)
    if text in "?-" and text and not made.extra:
        made.extra = ['values.missing = ["?"]', 'values.suppressed = ["*", "-"]']
    return Cell(text, state=state)


def silent_rows(state: str) -> Trouble:
    """Rows that say nothing of who they are, and keep their sensitive values."""

    def plant(made: World) -> bool:
        case = made.case
        linked(made)
        if case.second and len(case.sensitive) == 1 and made.rng.random() < 0.3:
            attacked(made, "composition")
        chosen = made.rng.sample(range(len(case.rows)), made.rng.choice([1, 1, 2]))
        cell = token(made, state)
        changed(case.rows, chosen, dict.fromkeys(case.quasi, cell))
        return len(chosen) < len(case.rows)

    return plant


def unknown_quasi(state: str) -> Trouble:
    def plant(made: World) -> bool:
        linked(made)
        column = made.rng.choice(made.case.quasi)
        chosen = some(made, list(range(len(made.case.rows) - 1)))
        changed(made.case.rows, chosen, {column: token(made, state)})
        return bool(chosen)

    return plant


def unknown_sensitive(state: str) -> Trouble:
    def plant(made: World) -> bool:
        linked(made)
        column = made.rng.choice(made.case.sensitive)
        chosen = some(made, list(range(len(made.case.rows) - 1)))
        changed(made.case.rows, chosen, {column: token(made, state)})
        return bool(chosen)

    return plant


def unknown_of_persons(made: World) -> bool:
    """Some persons lack a sensitive cell in one of several rows."""
    linked(made)
    case, rows = made.case, made.case.rows
    units = [row[case.unit].text for row in rows] if case.unit else []
    several = [i for i, who in enumerate(units) if units.count(who) > 1]
    for i in some(made, several) if several else []:
        column = made.rng.choice(case.sensitive)
        changed(rows, [i], {column: token(made, MISSING)})
    return bool(several)


def unread_label(made: World) -> bool:
    """Numbers generalized to words."""
    linked(made)
    rows = made.case.rows
    for column in made.columns:
        labels = {row[column.name].text for row in rows if len(row[column.name].means) > 1}
        if column.numbers and labels:
            label = made.rng.choice(sorted(labels))
            words = made.rng.choice(["about thirty", "thirties", "30 or so", "mid"])
            chosen = [i for i, row in enumerate(rows) if row[column.name].text == label]
            for i in chosen:
                cell = replace(rows[i][column.name], text=words, state=UNREAD)
                changed(rows, [i], {column.name: cell})
            made.planted |= FOREIGN
            return True
    return False


def label_outside_tree(made: World) -> bool:
    """A released value that the hierarchy lacks."""
    linked(made)
    rows = made.case.rows
    if not (tree := [column for column in made.columns if column.hierarchy]):
        return False
    for i in some(made, list(range(len(rows)))):
        cell = replace(rows[i][tree[0].name], text="elsewhere", state=UNREAD)
        changed(rows, [i], {tree[0].name: cell})
    made.planted |= FOREIGN
    return True


def spelled(
    table: str,
    column: Callable[[World], str | None],
    text: Callable[[str], str],
    state: str,
    *,
    few: bool = False,
) -> Trouble:
    """Ground values of a second table, spelled otherwise; state: whether that can be read.

    few: only those of some of the people.
    """

    def again(row: Row, name: str) -> Row:
        was = row[name]
        return row | {name: Cell(text(was.text), was.means, state) if was.state == KNOWN else was}

    def plant(made: World) -> bool:
        case, name = made.case, column(made)
        if name is None:
            return False
        if table == "people":
            linked(made)
            for i in some(made, list(range(len(case.people)))) if few else range(len(case.people)):
                case.people[i] = again(case.people[i], name)
            return name in case.known
        if table == "population":
            case.population = [again(row, name) for row in case.population]
            made.planted |= FOREIGN if state == UNREAD else set()
            return bool(case.population)
        case.pairs = [row and again(row, name) for row in case.pairs]
        made.original = [again(row, name) for row in made.original]
        return bool(made.original)

    return plant


def numbers(made: World) -> str | None:
    return next((column.name for column in made.columns if column.numbers), None)


def named(name: str) -> Callable[[World], str | None]:
    return lambda made: name if name in made.case.quasi else None


def birthday(text: str) -> str:
    return f"{2024 - round(float(text) * (100 if '.' in text else 1))}-05-13"


def decimal(text: str) -> str:
    return text.rstrip("0") if "." in text else text + ".0"


def spelled_in_release(made: World) -> bool:
    """The same number in two spellings: two values as written."""
    rows, name = made.case.rows, numbers(made)
    linked(made)
    if name is None:
        return False
    chosen = [i for i, row in enumerate(rows) if row[name].text in row[name].means]
    for i in some(made, chosen):
        changed(rows, [i], {name: replace(rows[i][name], text=decimal(rows[i][name].text))})
    return bool(chosen)


def repeated_people(made: World) -> bool:
    linked(made)
    made.repeated = some(made, list(range(len(made.case.people))))
    return True


def header(made: World) -> bool:
    """A column of the external table in another spelling, which no policy maps."""
    linked(made)
    case, column = made.case, made.rng.choice(made.case.known)
    made.called.setdefault("people.csv", {})[column] = made.rng.choice(
        [column.upper(), column + " "]
    )
    for i, row in enumerate(case.people):
        case.people[i] = row | {column: replace(row[column], state=UNREAD)}
    return True


def unknown_people(made: World) -> bool:
    """Cells that the adversary does not know."""
    linked(made)
    people = made.case.people
    for i in some(made, list(range(len(people)))):
        changed(people, [i], {made.rng.choice(made.case.known): Cell("", state=MISSING)})
    return True


def unknown_population(made: World) -> bool:
    people = made.case.population
    if len(made.case.quasi) == 1:  # a record without its only value is padding
        return False
    for i in some(made, list(range(len(people)))) if people else []:
        changed(people, [i], {made.rng.choice(made.case.quasi): Cell("", state=MISSING)})
    return bool(people)


def other_order(made: World) -> bool:
    """A release in another order than the original that is paired by order."""
    if made.pairing != "order":
        return False
    made.rng.shuffle(made.case.rows)
    return True


def missing_code_is_a_row_number(made: World) -> bool:
    """No cell has a number that means missing; row numbers have them."""
    case = made.case
    tables = (case.rows, case.people, case.population, case.second, made.original)
    cells = {cell.text for table in tables for row in table for cell in row.values()}
    if made.pairing != "order" or {"1", "2"} & cells:
        return False
    made.extra = ['values.missing = ["1", "2"]']
    return True


def persons_in_several_classes(made: World) -> bool:
    """The overall distribution is one of distinct persons."""
    made.case.require = {"t-closeness": made.distance}
    return bool(made.case.unit) and made.wanders


def value_outside_the_classes(made: World) -> bool:
    """A row in no class has a number that no class has, so it is no step of their order."""
    if "income" not in made.case.sensitive or len(made.case.rows) < 2 or made.wanders:
        return False
    cells = dict.fromkeys(made.case.quasi, token(made, SUPPRESSED))
    number = made.rng.choice(["15", "30", "70", "99"])
    changed(made.case.rows, [0], cells | {"income": Cell(number)})
    made.case.sensitive, made.case.lifted, made.case.order = ["income"], {}, {}
    made.case.require = {"t-closeness": made.distance | {"distance": "ordered"}}
    made.case.attacks, made.original, made.case.pairs = {}, [], []
    return True


def composition_of_several(made: World) -> bool:
    """Values of several attributes that each occur in both releases, but never together."""
    rows, sensitive = made.case.second, made.case.sensitive
    if not rows or len(sensitive) < 2:
        return False
    attacked(made, "composition")
    mixed = [{s: made.rng.choice(made.case.rows)[s] for s in sensitive} for _ in rows]
    rows += [made.rng.choice(rows) | cells for cells in mixed]
    return True


def budget(made: World) -> bool:
    """No work is paid for, so some targets may stay undecided."""
    made.case.attacks["elimination"] = {"values": 2, "budget": 0}
    made.planted.add("elimination")
    return len(made.case.sensitive) > 1


def everyone_released(made: World) -> bool:
    """Whoever matches nothing is in the release all the same."""
    attacked(made, "linkage")
    made.case.all_released = True
    made.external["everyone-released"] = "true"
    return True


TROUBLES: dict[str, Trouble] = {
    "padding in the release": padding("release.csv"),
    "padding in the external table": padding("people.csv"),
    "padding in the population": padding("population.csv"),
    "padding in the original": padding("original.csv"),
    "padding in the second release": padding("second.csv"),
    "rows suppressed throughout": silent_rows(SUPPRESSED),
    "rows missing throughout": silent_rows(MISSING),
    "suppressed quasi-identifiers": unknown_quasi(SUPPRESSED),
    "missing quasi-identifiers": unknown_quasi(MISSING),
    "suppressed sensitive cells": unknown_sensitive(SUPPRESSED),
    "missing sensitive cells": unknown_sensitive(MISSING),
    "missing cells of persons": unknown_of_persons,
    "labels in words": unread_label,
    "a label that the hierarchy lacks": label_outside_tree,
    "people whom the hierarchy lacks": spelled(
        "people", named("job"), "registered {}".format, UNREAD, few=True
    ),
    "dates for numbers, people": spelled("people", numbers, birthday, UNREAD),
    "dates for numbers, population": spelled("population", numbers, birthday, UNREAD),
    "dates for numbers, original": spelled("pairs", numbers, birthday, UNREAD),
    "other codes for categories, people": spelled(
        "people", named("sex"), {"F": "2", "M": "1"}.__getitem__, UNREAD
    ),
    "30.0 for 30, people": spelled("people", numbers, decimal, KNOWN, few=True),
    "30.0 for 30, population": spelled("population", numbers, decimal, KNOWN),
    "30.0 for 30, original": spelled("pairs", numbers, decimal, KNOWN),
    "30.0 for 30, release": spelled_in_release,
    "people twice": repeated_people,
    "a header in another spelling": header,
    "unknown cells of people": unknown_people,
    "unknown cells of the population": unknown_population,
    "rows in another order": other_order,
    "a missing code that is a row number": missing_code_is_a_row_number,
    "persons in several classes": persons_in_several_classes,
    "a number that no class has": value_outside_the_classes,
    "two releases, several attributes": composition_of_several,
    "no budget": budget,
    "everyone released": everyone_released,
}


# What changes the policy rather than a table, and what replaces all codes of a column.
ALONE = {
    "persons in several classes",
    "a number that no class has",
    "no budget",
    "everyone released",
    "other codes for categories, people",
}
TOGETHER = [name for name in TROUBLES if name not in ALONE]


def seeded(seed: int, trouble: str = "") -> World:
    """The world of a seed, the first one that can have the trouble; "several" plants two or three."""
    rng = Random(f"{seed} {trouble}")
    while True:
        made = world(rng)
        names = [trouble] if trouble else []
        if trouble == "several":
            names = rng.sample(TOGETHER, rng.choice([2, 3]))
        planted = [TROUBLES[name](made) for name in names]
        if made.wanders and trouble != "persons in several classes":
            made.case.require.pop("t-closeness", None)
        if all(planted):
            return made


if __name__ == "__main__":
    seeded(int(sys.argv[1]), sys.argv[2]).write(Path(sys.argv[3]))
