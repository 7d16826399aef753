"""Writes a release, the tables that belong to it and a policy into a folder, all from one seed.

It makes the ground table and the generalization itself, so it knows of every released row which
ground row it was and of every label which ground values it denotes: that is the `Case` for the
checker. It imports nothing of anonaudit.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from independent.cases import Case, Cell, Row

Level = dict[str, Cell]  # the released cell of every ground value


@dataclass
class Column:
    """A quasi-identifier: its ground values, and how each level of generalization writes them.

    hierarchy: the text of its hierarchy file, if its labels cannot be read without one.
    """

    name: str
    levels: list[Level]
    hierarchy: str = ""
    numbers: bool = False

    @property
    def domain(self) -> list[str]:
        return list(self.levels[0])


def level(groups: dict[str, list[str]]) -> Level:
    """The level that writes each group by its label."""
    return {v: Cell(label, frozenset(group)) for label, group in groups.items() for v in group}


def ground(values: list[str]) -> Level:
    return level({value: [value] for value in values})


def interval(style: str, low: int, high: int) -> str:
    """The whole numbers from low to high, both in it, in one of the spellings that tools write."""
    return {
        "[a,b)": f"[{low},{high + 1})",
        "[a, b[": f"[{low}, {high + 1}[",
        "[a;b[": f"[{low};{high + 1}[",
        "(a,b]": f"({low - 1},{high}]",
        "]a, b]": f"]{low - 1}, {high}]",
        "[a,b]": f"[{low},{high}]",
        "a-b": f"{low}-{high}",
        "a - b": f"{low} - {high}",
        "en dash": f"{low}\u2013{high}",
        "[a-b]": f"[{low}-{high}]",
        "a~b": f"{low}~{high}",
        "{a,b,c}": "{" + ",".join(map(str, range(low, high + 1))) + "}",
    }[style]


WITH_COMMA = ["[a,b)", "[a, b[", "[a;b[", "(a,b]", "]a, b]", "[a,b]", "{a,b,c}"]
WITH_DASH = ["a-b", "a - b", "en dash", "[a-b]", "a~b"]


def age(rng: Random) -> Column:
    start = rng.choice([-6, 20, 34])
    style = rng.choice(WITH_COMMA if start < 0 else WITH_COMMA + WITH_DASH)
    open_ends = style != "{a,b,c}" and rng.random() < 0.3
    last = rng.choice([">={}", "{}+", "≥ {}"])
    levels = [ground([str(start + i) for i in range(12)])]
    for width in rng.choice([[3, 6], [4, 12], [6]]):
        groups = {}
        for low in range(start, start + 12, width):
            label = interval(style, low, low + width - 1)
            if open_ends and width < 12:
                label = f"<{low + width}" if low == start else label
                label = last.format(low) if low == start + 12 - width else label
            groups[label] = [str(low + i) for i in range(width)]
        levels.append(level(groups))
    return Column("age", levels, numbers=True)


def height(rng: Random) -> Column:
    values = [f"1.{50 + i}" for i in range(12)]
    spelled = rng.choice(
        ["[{0},{2})", "[{0}, {2}[", "[{0},{1}]", "{0}-{1}", "{0} - {1}", "[{0}-{1}]"]
    )
    levels = [ground(values)]
    for width in (3, 6):
        groups = {}
        for i in range(0, 12, width):
            label = spelled.format(values[i], values[i + width - 1], f"1.{50 + i + width}")
            groups[label] = values[i : i + width]
        levels.append(level(groups))
    return Column("height", levels, numbers=True)


def masked(name: str, values: list[str], kept: list[list[int]]) -> Column:
    """Codes of which some characters are starred; kept: the places that stay, by level."""
    levels = [ground(values)]
    for places in kept:
        groups: dict[str, list[str]] = {}
        for value in values:
            mask = "".join(c if i in places or c == "-" else "*" for i, c in enumerate(value))
            groups.setdefault(mask, []).append(value)
        levels.append(level(groups))
    return Column(name, levels)


def zip_code(rng: Random) -> Column:
    values = [f"{area}{rng.randrange(10)}{i}" for area in ("021", "022", "482") for i in range(3)]
    return masked("zip", values, [[0, 1, 2], [0]])


def born(rng: Random) -> Column:
    values = [f"19{y}-{m:02}-{rng.randrange(10, 28)}" for y in (70, 71) for m in (2, 3, 11)]
    return masked("born", values, [[0, 1, 2, 3, 5, 6], [0, 1, 2, 3]])


def job(rng: Random) -> Column:
    groups = {
        "crafts": ["baker", "smith", "tailor"],
        "care": ["nurse", "midwife"],
        "law": ["judge"],
    }
    leaves = [leaf for group in groups.values() for leaf in group]
    text = "".join(f"{leaf};{group};any\n" for group, some in groups.items() for leaf in some)
    return Column("job", [ground(leaves), level(groups), level({"any": leaves})], text)


def ward(rng: Random) -> Column:
    opening, mark, closing = rng.choice(
        [("{", ",", "}"), ("{", ", ", "}"), ("", "~", ""), ("{", ";", "}")]
    )
    values = ["north", "east", "south", "west", "hill", "port"]
    levels = [ground(values)]
    for width in (2, 3):
        some = [values[i : i + width] for i in range(0, 6, width)]
        levels.append(level({opening + mark.join(one) + closing: one for one in some}))
    return Column("ward", levels)


def sex(rng: Random) -> Column:
    return Column("sex", [ground(["F", "M"])])


KINDS: list[Callable[[Random], Column]] = [age, height, zip_code, born, job, ward, sex]
ILLNESSES = {"colon cancer": "cancer", "breast cancer": "cancer", "flu": "", "gout": "", "HIV": ""}


@dataclass
class World:
    """A case, and how its tables are written.

    called: by file what it calls a column. padding: by file the records without a value in it.
    repeated: people of the external table that stand in it twice. extra: further lines of the
    policy. planted: the requirements that a trouble may leave inconclusive though the checker
    decides them.
    """

    case: Case
    columns: list[Column]
    rng: Random
    pairing: str = "key"
    records: list[int] = field(default_factory=list)
    original: list[Row] = field(default_factory=list)
    called: dict[str, dict[str, str]] = field(default_factory=dict)
    padding: dict[str, int] = field(default_factory=dict)
    repeated: list[int] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    external: dict[str, str] = field(default_factory=dict)
    planted: set[str] = field(default_factory=set)
    persons: list[Row] = field(default_factory=list)
    distance: dict[str, Any] = field(default_factory=dict)

    @property
    def wanders(self) -> bool:
        """Whether some person is in several classes."""
        case = self.case
        places: dict[str, set[tuple[str, ...]]] = {}
        for row in case.rows if case.unit else []:
            places.setdefault(row[str(case.unit)].text, set()).add(
                tuple(row[q].text for q in case.quasi)
            )
        return any(len(some) > 1 for some in places.values())

    def write(self, folder: Path) -> Path:
        """Write all files; return the policy's path."""
        case, quasi = self.case, self.case.quasi
        texts: dict[str, str] = {"policy.toml": self.policy()}
        named = [dict(one, name=Cell(f"P{i}")) for i, one in enumerate(case.people)]
        named += [named[i] for i in self.repeated]
        rows = case.rows
        if self.pairing == "key":
            rows = [
                dict(row, record=Cell(str(n))) for row, n in zip(rows, self.records, strict=True)
            ]
        other = [column for column in (case.unit, case.count) if column]
        key = ["record"] if self.pairing == "key" else []
        tables = {
            "release.csv": (key + quasi + case.sensitive + other, rows),
            "people.csv": (["name", *case.known], named),
            "population.csv": (quasi, case.population),
            "second.csv": (quasi + case.sensitive, case.second),
            "original.csv": (key + quasi + case.sensitive, self.original),
        }
        for name, (columns, some) in tables.items():
            if some:
                texts[name] = self.table(name, columns, some)
        for column in self.columns:
            if column.hierarchy:
                texts[f"{column.name}-tree.csv"] = column.hierarchy
        if case.lifted:
            texts["illness-tree.csv"] = "".join(
                f"{leaf};{above};any\n" if above else f"{leaf};any\n"
                for leaf, above in ILLNESSES.items()
            )
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder / "policy.toml"

    def table(self, name: str, columns: list[str], rows: list[Row]) -> str:
        called = self.called.get(name, {})
        lines = [[row[column].text for column in columns] for row in rows]
        for i in range(self.padding.get(name, 0)):
            lines.insert((i * 7) % (len(lines) + 1), [""] * len(columns))
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([[called.get(column, column) for column in columns], *lines])
        return text.getvalue()

    def policy(self) -> str:
        case = self.case
        lines = ['release.file = "release.csv"', f"columns.quasi-identifiers = {toml(case.quasi)}"]
        lines.append(f"columns.sensitive = {toml(case.sensitive)}")
        lines += [
            f"columns.{part} = {toml(c)}"
            for part, c in (("unit", case.unit), ("count", case.count))
            if c
        ]
        for column in self.columns:
            if column.hierarchy:
                lines.append(f'hierarchies.{column.name}.file = "{column.name}-tree.csv"')
        if case.lifted:
            lines.append(
                'hierarchies.illness = { file = "illness-tree.csv", protected = ["cancer"] }'
            )
        lines += [f"values.ordered.{name} = {toml(order)}" for name, order in case.order.items()]
        if case.population:
            lines.append('population.file = "population.csv"')
            lines += self.mapping("population.csv", "population.")
        if self.original:
            pairing = 'key = "record"' if self.pairing == "key" else 'align = "order"'
            lines.append(f'original = {{ file = "original.csv", {pairing} }}')
        for name, given in case.require.items():
            called = {"limit": THRESHOLDS.get(name, "")}
            options = {called.get(key, key): value for key, value in given.items()}
            lines.append(f"require.{name} = {toml(options)}")
        for name, given in case.attacks.items():
            lines.append(f"[attacks.{name}]")
            lines += [f"{key} = {toml(value)}" for key, value in given.items()]
            lines.append(f"allow-rate = {toml(case.allowed[name])}")
            if name in ("linkage", "association", "composition"):
                lines += ['external = "people.csv"', 'identity = ["name"]']
                lines += self.mapping("people.csv")
            lines += [
                f"{key} = {value}" for key, value in self.external.items() if name == "linkage"
            ]
            if name == "composition":
                lines.append('second = "second.csv"')
        return "\n".join(self.extra + lines) + "\n"

    def mapping(self, file: str, before: str = "") -> list[str]:
        """The policy's line for columns that a file calls otherwise; blank or case is not mapped."""
        named = {c: n for c, n in self.called.get(file, {}).items() if n.strip().lower() != c}
        return [f"{before}columns = {toml(named)}"] if named else []


THRESHOLDS = {
    "k-anonymity": "k", "prosecutor-risk": "highest", "p-sensitive-k-anonymity": "p", "l-diversity": "l",
    "alpha-k-anonymity": "alpha", "t-closeness": "t", "rule-confidence": "below",
    "multi-attribute-l-diversity": "l", "k-map": "k", "journalist-risk": "highest", "marketer-risk": "average",
}  # fmt: skip


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{k.replace('_', '-')} = {toml(v)}" for k, v in value.items()) + " }"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return (
        str(float(value))
        if isinstance(value, Fraction)
        else f'"{value}"'
        if isinstance(value, str)
        else str(value)
    )


def parts(rng: Random, *texts: str) -> Fraction:
    return Fraction(rng.choice(texts))


def world(rng: Random) -> World:
    """A clean release: every label can be read, every cell is known."""
    columns = [kind(rng) for kind in rng.sample(KINDS, rng.choice([1, 2, 2, 3]))]
    quasi = [column.name for column in columns]
    case = Case(quasi, [], [])
    case.unit, case.count = rng.choice([("who", None), (None, "n"), *[(None, None)] * 4])
    domains = sensitive_domains(rng, case)
    wandering = rng.random() < 0.5  # a person's rows may differ in the quasi-identifiers
    narrow = [
        rng.sample(column.domain, min(len(column.domain), rng.choice([1, 2, 4, 8])))
        for column in columns
    ]

    def someone() -> dict[str, str]:
        return {q: rng.choice(values) for q, values in zip(quasi, narrow, strict=True)}

    people = [someone() for _ in range(rng.choice([2, 4, 6, 9, 12, 15]))]
    base = levels_of(rng, columns)
    local = rng.random() < 0.3
    made = World(case, columns, rng)
    for number, person in enumerate(people):
        for _ in range(rng.choice([1, 1, 2, 3]) if case.unit else 1):
            facts = someone() if case.unit and wandering and rng.random() < 0.5 else person
            was = {q: Cell(v, frozenset({v})) for q, v in facts.items()}
            was |= {s: Cell(rng.choice(values)) for s, values in domains.items()}
            made.original.append(was)
            made.persons.append({q: Cell(v, frozenset({v})) for q, v in person.items()})
            row = released(rng, columns, was, base, local)
            if case.unit:
                row["who"] = Cell(f"id{number}")
            if case.count:
                row["n"] = Cell(str(rng.choice([1, 1, 2, 3])))
            case.rows.append(row)
    order = rng.sample(range(len(case.rows)), len(case.rows))
    case.rows = [case.rows[i] for i in order]
    case.pairs = [made.original[i] for i in order]
    # What another table has of a person is the ground row of one of the released rows.
    made.persons = [{q: was[q] for q in quasi} for was in case.pairs if was]
    outside(made, someone)
    pairing(made)
    policies(made)
    return made


def levels_of(rng: Random, columns: list[Column]) -> list[int]:
    """A level for each column, the coarsest one more often than others."""
    return [rng.choice([*range(len(c.levels)), len(c.levels) - 1]) for c in columns]


def released(rng: Random, columns: list[Column], was: Row, base: list[int], local: bool) -> Row:
    row = dict(was)
    for column, most in zip(columns, base, strict=True):
        row[column.name] = column.levels[rng.randint(0, most) if local else most][
            was[column.name].text
        ]
    return row


def sensitive_domains(rng: Random, case: Case) -> dict[str, list[str]]:
    domains = {"illness": rng.sample([*ILLNESSES], rng.choice([2, 3, 4]))}
    if rng.random() < 0.4:
        domains["income"] = rng.sample(["10", "20", "50", "90"], rng.choice([2, 3]))
    elif rng.random() < 0.4:
        domains["severity"] = rng.sample(["low", "mid", "high"], rng.choice([2, 3]))
        case.order["severity"] = ["low", "mid", "high"]
    case.sensitive = [*domains]
    if rng.random() < 0.5:
        case.lifted["illness"] = {leaf: above for leaf, above in ILLNESSES.items() if above}
    return domains


def outside(made: World, someone: Callable[[], dict[str, str]]) -> None:
    """The external table, the population and the second release."""
    case, rng = made.case, made.rng

    def stranger() -> Row:
        return {q: Cell(v, frozenset({v})) for q, v in someone().items()}

    one_each = (
        list({row[case.unit].text: i for i, row in enumerate(case.rows)}.values())
        if case.unit
        else range(len(case.rows))
    )
    chosen = rng.sample(list(one_each), rng.randint(1, len(one_each)))
    case.known = (
        case.quasi
        if rng.random() < 0.7
        else rng.sample(case.quasi, rng.randint(1, len(case.quasi)))
    )
    case.people = [made.persons[i] for i in chosen] + [
        stranger() for _ in range(rng.choice([0, 0, 1, 3]))
    ]
    rng.shuffle(case.people)
    if rng.random() < 0.3:
        made.called["people.csv"] = {c: f"their {c}" for c in case.known if rng.random() < 0.7}
    # With visits in several places nobody can be one row of a population.
    settled = not case.unit or all(
        {a[q] for q in case.quasi} == {b[q] for q in case.quasi}
        for a, x in zip(made.persons, case.rows, strict=True)
        for b, y in zip(made.persons, case.rows, strict=True)
        if x[case.unit] == y[case.unit]
    )
    if settled and rng.random() < 0.4:
        for i in one_each:
            times = int(case.rows[i][case.count].text) if case.count else 1
            case.population += [made.persons[i]] * times
        case.population += [stranger() for _ in range(rng.choice([0, 2, 8]))]
        rng.shuffle(case.population)
        if rng.random() < 0.3:
            made.called["population.csv"] = {
                c: f"{c}-1990" for c in case.quasi if rng.random() < 0.7
            }
    if not case.unit and not case.count:
        base = levels_of(rng, made.columns)
        both = {*chosen, *rng.sample(range(len(case.rows)), rng.randint(0, len(case.rows)))}
        grounds = [was for i, was in enumerate(case.pairs) if i in both and was]
        grounds += [
            stranger() | {s: rng.choice(case.rows)[s] for s in case.sensitive}
            for _ in range(rng.choice([0, 1, 3]))
        ]
        rng.shuffle(grounds)
        case.second = [
            released(rng, made.columns, was, base, rng.random() < 0.2) for was in grounds
        ]


def pairing(made: World) -> None:
    """The original: paired by a key, or in the order of rows, or none at all."""
    case, rng = made.case, made.rng
    made.pairing = rng.choice(["key", "order", "none", "none"]) if not case.count else "none"
    if made.pairing == "none":
        made.original, case.pairs = [], []
        return
    if rng.random() < 0.3:  # a cell that is no generalization, or a changed value
        column = rng.choice(case.quasi + case.sensitive)
        other = rng.choice(made.original)[column]
        i = rng.randrange(len(case.pairs))
        case.pairs[i] = dict(case.pairs[i] or {}, **{column: other})
    made.records = rng.sample(range(100, 100 + len(case.rows)), len(case.rows))
    made.original = [was for was in case.pairs if was]
    if made.pairing == "key":
        made.original = [
            dict(was, record=Cell(str(n)))
            for was, n in zip(made.original, made.records, strict=True)
        ]
        rng.shuffle(made.original)


def policies(made: World) -> None:
    """Thresholds that small tables meet and miss about equally often."""
    case, rng = made.case, made.rng
    k = rng.choice([1, 2, 2, 3])
    p = rng.choice([1, 2, 2, 3])
    numeric = "severity" not in case.sensitive
    distance = rng.choice(["equal", "ordered", "numeric" if numeric else "ordered"])
    case.require = {
        "k-anonymity": {"limit": k},
        "prosecutor-risk": {"limit": parts(rng, "0.2", "0.4", "0.5", "0.7")},
        "p-sensitive-k-anonymity": {"limit": p, "k": p + rng.choice([0, 0, 1])},
        "l-diversity": {"limit": rng.choice([1, 2, 3])},
        "alpha-k-anonymity": {"limit": parts(rng, "0.5", "0.75", "0.9"), "k": rng.choice([1, 2])},
        "rule-confidence": {
            "limit": parts(rng, "0.5", "0.7", "1"),
            "min_rows": rng.choice([1, 1, 2]),
        },
        "multi-attribute-l-diversity": {"limit": rng.choice([1, 2, 3])},
    }
    made.distance = {"limit": parts(rng, "0.1", "0.3", "0.5", "0.6"), "distance": distance}
    if not made.wanders:
        case.require["t-closeness"] = made.distance
    if case.population:
        case.require["k-map"] = {"limit": rng.choice([1, 2, 3, 5])}
        case.require["journalist-risk"] = {"limit": parts(rng, "0.2", "0.4", "0.5")}
        case.require["marketer-risk"] = {"limit": parts(rng, "0.2", "0.4", "0.6")}
    if made.original:
        case.require["valid-generalization"] = {}
    case.attacks = {
        "homogeneity": {},
        "elimination": {"values": rng.choice([1, 1, 2])},
        rng.choice(["linkage", "linkage", "association"]): {},
    }
    if case.lifted:
        case.attacks["similarity"] = {}
    if case.second and len(case.sensitive) == 1 and rng.random() < 0.6:
        case.attacks["composition"] = {}
    case.allowed = {name: parts(rng, "0", "0.25", "0.5", "0.8") for name in case.attacks}
