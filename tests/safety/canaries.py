"""Tables of which every cell begins like a canary: one that got out is found wherever it sings."""

import csv
import itertools
import re
from pathlib import Path

from command import Ended

CANARY, NUMBER = "canary", 7310000  # no report has either by chance
# A hash may have the digits of NUMBER by chance; no cell of these releases is as long as one.
HASH = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{64})(?![0-9a-f])")
FORMATS = ("text", "json", "html", "markdown", "sarif")
COLUMNS = ("key", "who", "age", "zip", "sex", "illness", "income", "n")


def rows(kind: str) -> list[list[str]]:
    """Classes of two: alike in both sensitive values, and in none; `unique`: every cell once."""
    number = itertools.count(1)

    def word() -> str:
        return f"{CANARY}{next(number)}"

    def whole() -> str:
        return str(NUMBER + next(number))

    found = []
    for size in (2, 2, 2, 2) if kind != "unique" else (1,) * 8:
        age, zip_, sex, illness, income = whole(), word(), word(), word(), whole()
        for alike in (True, len(found) % 4 == 0)[:size]:
            private = [illness, income] if alike else [word(), whole()]
            found.append([word(), word(), age, zip_, sex, *private, "1"])
    if kind == "masked":
        found[0][3], found[1][2], found[3][5] = "*", "", ""
        found[2][2:5] = ["*"] * 3
    return found


def write(path: Path, lines: list[list[str]], delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(lines)


POLICY = """
[columns]
quasi-identifiers = ["age", "zip", "sex"]
sensitive = ["illness", "income"]
[values]
numeric = ["income"]
[hierarchies]
illness = { file = "illness.csv", protected = ["canary-group0"] }
zip = { file = "zip.csv" }
age = { intervals = [10, 100] }
[require]
k-anonymity = { k = 3 }
p-sensitive-k-anonymity = { p = 2 }
extended-p-sensitive-k-anonymity = { p = 2 }
entropy-l-diversity = { l = 2 }
recursive-c-l-diversity = { c = 2 }
alpha-k-anonymity = { alpha = 0.5, k = 2 }
t-closeness = [{ t = 0.1 }, { t = 0.1, distance = "numeric" }]
multi-attribute-l-diversity = { l = 2 }
rule-confidence = { below = 0.5 }
delta-disclosure = { delta = 0.1 }
beta-likeness = { beta = 0.1 }
ck-safety = { c = 0.5, k = 1 }
k-e-anonymity = { k = 2, e = 5 }
k-map = { k = 5 }
journalist-risk = { highest = 0.1 }
sample-uniques = { share = 0.0 }
[population]
file = "voters.csv"
[attacks]
homogeneity = { allow-rate = 0.0 }
linkage = { external = "voters.csv", identity = ["name"], allow-rate = 0.0 }
elimination = { values = 1, allow-rate = 0.0 }
association = { allow-rate = 0.0 }
similarity = { allow-rate = 0.0 }
residual = { external = "voters.csv", identity = ["name"], allow-rate = 0.0 }
composition = { second = "second.csv", allow-rate = 0.0 }
skewness = { allow-rate = 0.0 }
unsorted-matching = { external = "voters.csv", identity = ["name"], allow-rate = 0.0 }
"""
MASKING = """
[columns]
identifiers = ["who", "key"]
quasi-identifiers = ["age", "zip", "sex"]
sensitive = ["illness", "income"]
[hierarchies]
zip = { file = "zip.csv" }
age = { intervals = [10, 100] }
[require]
k-anonymity = { k = 2 }
"""
# Policies that cannot be kept or read: what is changed, and into what.
MISTAKES = {
    "lacking": ('"illness.csv"', '"lacking.csv"'),
    "two-parents": ('"illness.csv"', '"two-parents.csv"'),
    "circle": ('"illness.csv"', '"circle.csv"'),
    "no-hierarchy": ('"illness.csv"', '"masked.csv"'),
    "no-numbers": ('["income"]', '["illness"]'),
    "no-counts": ('\nsensitive = ["illness", "income"]', '\nsensitive = ["income"]\ncount = "illness"'),
    "intervals": ('zip = { file = "zip.csv" }', "zip = { intervals = [5] }"),
    "prefixes": ('zip = { file = "zip.csv" }', "zip = { prefixes = [5, 2] }"),
    "unit": ("[values]", 'unit = "who"\n[values]'),
    "wildcards": ("[population]", '[conventions]\nquasi-identifiers = "wildcard"\n[population]'),
    "original": ("[population]", '[original]\nfile = "unique.csv"\nkey = "key"\n[population]'),
}  # fmt: skip
BROKEN = {
    "uneven.csv": "a,b\ncanary1,canary2\ncanary3\n",
    "quotes.csv": 'a,b\ncanary1,"canary2\n',
    "nul.csv": "a,b\ncanary1,\0canary2\n",
    "latin.csv": b"a,b\ncanary1,canary\xe9\n",
    "noise.toml": 'a = "canary1"\ncanary2 = [\n',
}


def lay_out(folder: Path) -> None:
    """The tables, hierarchies and policies, all in one folder."""
    for kind in ("unique", "pairs", "masked"):
        write(folder / f"{kind}.csv", [list(COLUMNS), *rows(kind)])
    every = [row for kind in ("unique", "pairs") for row in rows(kind)]
    for column in ("illness", "zip"):
        values = sorted({row[COLUMNS.index(column)] for row in every})
        paths = [[value, f"canary-group{at % 3}", "*"] for at, value in enumerate(values)]
        write(folder / f"{column}.csv", paths, ";")
    one, two, three = values[:3]
    write(folder / "lacking.csv", [[one, "canary-group0", "*"]], ";")
    write(folder / "two-parents.csv", [[one, two, "*"], [one, three, "*"]], ";")
    write(folder / "circle.csv", [["child", "parent"], [one, two], [two, one]])
    people = [[f"{CANARY}-name{at}", *row[2:5]] for at, row in enumerate(rows("pairs"))]
    write(folder / "voters.csv", [["name", "age", "zip", "sex"], *people])
    write(folder / "second.csv", [list(COLUMNS[2:7]), *(row[2:7] for row in rows("pairs"))])
    (folder / "policy.toml").write_text(POLICY)
    (folder / "masking.toml").write_text(MASKING)
    (folder / "masking-lacking.toml").write_text(MASKING.replace("zip.csv", "lacking.csv"))
    for name, (old, new) in MISTAKES.items():
        assert POLICY.count(old) == 1, name
        (folder / f"{name}.toml").write_text(POLICY.replace(old, new))
    for name, content in BROKEN.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def sings(text: str) -> list[str]:
    plain = HASH.sub("", text)
    return [line for line in plain.splitlines() if CANARY in line or str(NUMBER)[:4] in line]


def silent(ended: Ended, *codes: int) -> None:
    assert sings(ended.out) == []
    assert sings(ended.err) == []
    assert ended.code in codes, ended.err
