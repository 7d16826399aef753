"""What the readers hold for any bytes: one function a reader, which raises only where one is wrong.

A reader may refuse what it is given, by an AnonauditError; every other exception is a fault. What
it accepts is compared with a second opinion: Python's csv module, Decimal, a round trip. The first
byte of CSV files, hierarchies and labels chooses the options, the rest is what is read.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, get_args

import numpy as np

from anonaudit.errors import AnonauditError, InputError, PolicyError
from anonaudit.frequency.counting import count
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.generalization.labels import (
    REPAIRS,
    Interval,
    Prefix,
    Reading,
    Rounded,
    Spelled,
    Start,
    Truncated,
    ValueSet,
    ambiguous,
    canonical,
    exact_number,
    parse,
    readings,
    visible,
)
from anonaudit.generalization.lint import lint
from anonaudit.generalization.ranks import ranks
from anonaudit.generalization.spellings import (
    name_key,
    spelled_alike,
    spelled_beginnings,
    spelled_otherwise,
)
from anonaudit.linking.matching import match_column
from anonaudit.linking.moments import moment
from anonaudit.policy.policy import read_policy
from anonaudit.source.table import open_source

DELIMITERS: Final = (",", ";", "\t", "|", ":", "\\t", None)
ENCODINGS: Final = (None, "latin-1", "utf-16", "cp1252", "utf-7")
# How files begin that are no text: compressed ones, Parquet, other encodings.
_MAGIC: Final = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"PK", b"\x28\xb5\x2f\xfd", b"PAR1")
_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]+\.?[0-9]*|[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?",
    re.ASCII,
)
_READINGS: Final = (
    None,
    *get_args(Spelled),
    Rounded(Fraction(5)),
    Truncated(frozenset({1, 3})),
    Truncated(frozenset({2}), every=True),
)


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="fuzz-")


def _file(content: bytes, name: str = "file") -> Path:
    path = Path(_folder().name, name)
    path.write_bytes(content)
    return path


def read_csv(data: bytes) -> None:
    """A CSV file has the cells that Python's csv module finds in it, or is refused."""
    option, content = data[0] if data else 0, data[1:]
    delimiter = DELIMITERS[option % len(DELIMITERS)]
    encoding = ENCODINGS[option // len(DELIMITERS) % len(ENCODINGS)]
    truth = _truth(content, "\t" if delimiter == "\\t" else delimiter, encoding)
    try:
        source = open_source(_file(content), delimiter=delimiter, encoding=encoding)
        found = count(source, source.columns)
    except InputError:
        first = (content.splitlines() or [b""])[0]
        # The truth has no line `sep=`, so it does not see a NUL byte there, which no text has.
        if isinstance(truth, tuple) and not (first.startswith(b"sep=") and b"\0" in first):
            header = [name.strip() for name in truth[0]]
            named = [name or f"(column {at})" for at, name in enumerate(header, 1)]
            assert len({*named}) < len(named), "a well-formed file was refused"
        return
    assert truth != "broken", "a file that Python refuses was read"
    if isinstance(truth, tuple):
        cells = zip(found.codes.tolist(), found.counts.tolist(), strict=True)
        told = Counter(
            {tuple(l[c] for l, c in zip(found.labels, codes, strict=True)): n for codes, n in cells}
        )
        records = (tuple(record) for record in truth[1] if any(record))  # the others are padding
        assert told == Counter(records), "other cells than Python's"


def _truth(
    content: bytes, delimiter: str | None, encoding: str | None
) -> tuple[list[str], list[list[str]]] | str:
    """Header and records as Python's csv module reads them; why not, where they are none."""
    if encoding is not None or content.startswith((*_MAGIC, *_MARKS)):
        return "unknown"
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "broken"
    told, text = _told(text)
    delimiter = delimiter or told
    if delimiter is None:
        return "unknown"
    if "\0" in text or not text.strip():
        return "broken"
    csv.field_size_limit(1 << 30)
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        return "broken"
    while records and not records[0]:
        del records[0]
    if not records:
        return "broken"
    header, *rows = records
    rows = [row or [""] for row in rows] if len(header) == 1 else [row for row in rows if row]
    return (header, rows) if all(len(row) == len(header) for row in rows) else "broken"


def _told(text: str) -> tuple[str | None, str]:
    """The delimiter that a first line `sep=;` tells, and the text behind that line."""
    line = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text, maxsplit=1)[0]
    delimiter = line.lstrip('"')[4:5]
    end = line.lstrip('"')[5:].lstrip(delimiter).lstrip('"').lstrip(delimiter)
    said = line.lstrip('"')[:4].lower() == "sep=" and line.count('"') in (0, 2)
    if not said or end not in ("\n", "\r", "\r\n") or re.match(r"[\w\r\n]", delimiter):
        return None, text
    return delimiter, text[len(line) :]


def read_hierarchy(data: bytes) -> None:
    """A hierarchy file is a tree with the leaves that Python's csv module finds, or is refused."""
    option, content = data[0] if data else 0, data[1:]
    delimiter = (None, ";", ",", "\t", "|")[option % 5]
    encoding = ("utf-8-sig", "latin-1", "utf-16", "cp1252", "utf-7")[option // 5 % 5]
    try:
        tree = Hierarchy.read(_file(content), delimiter=delimiter, encoding=encoding)
    except AnonauditError:
        return
    _, text = _told(content.decode(encoding).removeprefix("\ufeff"))
    if delimiter is not None and not re.match(r'\s*"?child', text, re.IGNORECASE):
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        assert {row[0] for row in rows if any(map(str.strip, row))} == {*tree.leaves}
    assert Hierarchy(tree.attribute, tree.paths.values()) == tree
    for leaf, path in tree.paths.items():
        assert len(path) == tree.height + 1
        assert path[0] == leaf
        assert path[-1] == tree.root
        assert [tree.generalize(leaf, level) for level in range(len(path))] == list(path)
    copy = Path(_folder().name, "written.csv")
    try:
        tree.write(copy)
    except AnonauditError:  # a first leaf called `child`, or text that UTF-8 has not
        return
    assert Hierarchy.read(copy, attribute=tree.attribute, delimiter=";") == tree


def read_a_policy(data: bytes) -> None:
    """A policy is read the same every time, or its mistakes are told, each with its line."""
    for name in ("release.csv", "voters.csv"):
        if not Path(_folder().name, name).exists():
            _file(b"age,zip,sex,illness,income\n1,2,3,4,5\n", name)
            _file(b"flu;acute;*\nasthma;chronic;*\n", "illness.csv")
    path = _file(data, "policy.toml")
    try:
        policy = read_policy(path)
    except PolicyError as error:
        lines = [re.match(r"line (\d+)[,:] ", problem) for problem in error.problems]
        last = data.count(b"\n") + 1
        assert lines
        assert all(line is not None and 1 <= int(line[1]) <= last for line in lines)
        return
    except AnonauditError:
        return
    assert repr(read_policy(path)) == repr(policy)  # repr, for nan is not itself
    with contextlib.suppress(AnonauditError):
        policy.check(["age", "zip", "sex", "illness", "income"])


def read_label(data: bytes) -> None:
    """Any text is a label; what it denotes is written and read again, numbers are Decimal's."""
    option = data[0] if data else 0
    text = data[1:].decode("utf-8", "surrogateescape")
    decimal, mark = ((".", ","), (",", ";"))[option % 2]
    for reading in _READINGS:
        label = parse(text, reading=reading, decimal=decimal)
        if isinstance(label, Interval):
            assert parse(label.canonical(decimal), decimal=decimal) == label
            low, high = label.low, label.high
            assert low is None or high is None or low <= high
            assert low is None or low != high or (label.low_closed and label.high_closed)
            for end, closed in ((low, label.low_closed), (high, label.high_closed)):
                if end is not None:
                    cell = Interval(end, end, True, True).canonical(decimal)[1:-1].split(mark)[0]
                    spelled = label.canonical(decimal)
                    assert _stands_for(spelled, cell, decimal) == closed
        elif isinstance(label, ValueSet):
            assert all(_stands_for(text, x, decimal, reading) for x in label.members)
            if not any(set(member) & set(";,~{}'") for member in label.members):
                written = "{" + mark.join(sorted(label.members)) + "}"
                assert parse(written, reading="set", decimal=decimal, separator=mark) == label
        elif isinstance(label, Start):
            assert label.longest is None or len(label.text) < label.longest
            assert _stands_for(text, label.text, decimal, reading)
        elif isinstance(label, Prefix):
            assert _stands_for(text, label.pattern.replace("*", "x"), decimal, reading)
    parse(text, reading="set", separator=chr(option))
    assert next(iter(readings(text, decimal=decimal).values())) == parse(text, decimal=decimal)
    assert set(ambiguous([text], decimal=decimal)) <= {text}
    repaired = canonical(text, REPAIRS)
    assert canonical(repaired, REPAIRS) == repaired
    _check_number(text, decimal)


def _stands_for(label: str, cell: str, decimal: str, reading: Reading | None = None) -> bool:
    """Whether linkage finds the ground cell behind the released label."""
    found = match_column(["", "*", cell], ["", "*", label], reading=reading, decimal=decimal)
    return 2 in found.of(np.array([2]))[1]


def _check_number(text: str, decimal: str) -> None:
    value, plain = exact_number(text, decimal), text.strip()
    if decimal == ",":
        plain = plain.translate(str.maketrans(",.", ".,"))
    if _NUMBER.fullmatch(plain) is None:
        assert value is None
    elif value is not None:
        assert value == Fraction(Decimal(plain.replace(",", "")))
    else:
        power = plain.lower().partition("e")[2]
        assert len(plain) + abs(int(power or 0)) > 150, "a short number was not read"


def read_columns(data: bytes) -> None:
    """Equal texts match, a moment holds what begins with it, and no order of labels matters."""
    option = data[0] if data else 0
    decimal, reading = (".", ",")[option % 2], _READINGS[option // 2 % len(_READINGS)]
    lines = [*dict.fromkeys(data[1:].decode("utf-8", "surrogateescape").split("\n"))]
    values, labels = lines[::2], lines[1::2]
    labels += values[:2]

    def pairs(ours: list[str], theirs: list[str]) -> tuple[set[tuple[str, str]], ...]:
        found = match_column(
            ["", "*", *ours], ["", "*", *theirs], reading=reading, decimal=decimal, maybe=True
        )
        known = np.arange(2, len(ours) + 2)
        matches = (match.of(known) for match in (found, found.widest))
        return tuple(
            {(ours[g], theirs[c - 2]) for g, c in zip(place, code, strict=True) if c > 1}
            for place, code in matches
        )

    sure, every = pairs(values, labels)
    assert sure <= every
    if not isinstance(reading, Rounded) and reading not in ("prefix", "perturbed"):
        assert {(text, text) for text in {*values} & {*labels}} <= sure
    assert pairs(values[::-1], labels[::-1]) == (sure, every)
    for value, label in every if reading is None else ():
        ours, theirs = moment(value), moment(label)
        if ours and theirs and len(ours) > 2 and len(theirs) > 1:
            shorter = min(len(ours), len(theirs))
            assert (value, label) not in sure or ours[:shorter] == theirs[:shorter]
    _check_ranks([x for x in map(parse, lines) if isinstance(x, Interval)][:8])


def _check_ranks(intervals: list[Interval]) -> None:
    """Intervals compared by ranks are as all their ends, and the numbers between these, say."""
    ends = sorted({end for i in intervals for end in (i.low, i.high) if end is not None})
    points = [*ends, *((a + b) / 2 for a, b in pairwise(ends))]
    points += [ends[0] - 1, ends[-1] + 1] if ends else []
    inside = [{p for p in points if _holds(i, p)} for i in intervals]
    low, high = ranks(intervals)
    for i, ours in enumerate(inside):
        for j, theirs in enumerate(inside):
            assert bool(low[i] >= low[j] and high[i] <= high[j]) == (ours <= theirs)
            assert bool(low[i] <= high[j] and high[i] >= low[j]) == bool(ours & theirs)


def _holds(label: Interval, point: Fraction) -> bool:
    above = label.low is None or point > label.low or (label.low_closed and point == label.low)
    below = label.high is None or point < label.high or (label.high_closed and point == label.high)
    return above and below


def read_spellings(data: bytes) -> None:
    """Texts that the repairs make equal are in one group; nothing invisible is left."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    groups = spelled_alike(lines)
    in_group = {text: number for number, group in enumerate(groups) for text in group}
    assert sum(map(len, groups)) == len(in_group)
    assert {*in_group} <= {*lines}
    by_key: dict[str, set[int]] = {}
    for text in {*lines}:
        by_key.setdefault(canonical(text, REPAIRS), set()).add(in_group.get(text, -1))
        shown = visible(text)
        assert visible(shown) == shown
        assert [c for c in shown if unicodedata.category(c) == "Cf"] == [
            c for c in text if unicodedata.category(c) == "Cf" and c in shown
        ]
        assert name_key(canonical(text, REPAIRS)) == name_key(text)
    same = Counter(canonical(text, REPAIRS) for text in {*lines})
    assert all(len(by_key[key]) == 1 and -1 not in by_key[key] for key, n in same.items() if n > 1)
    for group in spelled_otherwise(lines[::2], lines[1::2]):
        assert len({in_group[text] for text in group}) == 1
    for beginning, text in spelled_beginnings(lines[::2], lines[1::2]):
        assert not text.startswith(beginning)
    reading = _READINGS[len(data) % len(_READINGS)]
    for finding in lint(lines, "q", reading=None if isinstance(reading, Truncated) else reading):
        assert finding.count > 0


def read_prefixes(data: bytes) -> None:
    """Every level keeps as many characters as asked for, one label a prefix, or it is refused."""
    option = data[0] if data else 0
    keep = [length for bit, length in enumerate((5, 3, 2, 1, 0)) if option >> bit & 1]
    codes = [*dict.fromkeys(data[1:].decode("utf-8", "surrogateescape").split("\n"))]
    try:
        tree = Hierarchy.from_prefixes("code", codes, keep=keep)
    except AnonauditError:
        return
    for place, kept in enumerate(keep, 1):
        groups: dict[str, set[str]] = {}
        for code in codes:
            groups.setdefault(code[:kept], set()).add(code)
        for prefix, members in groups.items():
            (label,) = {tree.paths[code][place] for code in members}
            assert label == prefix + "*" * (max(map(len, members)) - len(prefix))
            if prefix and len(prefix) == kept and not prefix.endswith("*") and label != prefix:
                assert tree.named(prefix + "*" * 9) == label
    labels = [*tree.nodes]
    found = match_column(["", "*", *codes], ["", "*", *labels], hierarchy=tree, maybe=True)
    place, code = found.of(np.arange(2, len(codes) + 2))
    told = {(codes[g], labels[c - 2]) for g, c in zip(place, code, strict=True) if c > 1}
    assert {(leaf, node) for leaf, path in tree.paths.items() for node in path} <= told


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "csv": read_csv,
    "hierarchy": read_hierarchy,
    "policy": read_a_policy,
    "labels": read_label,
    "columns": read_columns,
    "spellings": read_spellings,
    "prefixes": read_prefixes,
}

_POLICY: Final = b"""
[release]
file = "release.csv"
delimiter = ","
encoding = "cp1252"
[columns]
identifiers = ["name"]
quasi-identifiers = ["age", "zip", "sex"]
sensitive = ["illness", "income"]
unit = "patient"
[population]
file = "voters.csv"
columns = { sex = "Sex" }
[original]
file = "voters.csv"
key = "patient"
[values]
missing = ["?", "n/a"]
suppressed = ["*", "-"]
decimal = ","
numeric = ["income"]
ordered = { severity = ["low", "mid", "high"] }
reading = { zip = "set", age = "interval" }
separators = { zip = "/" }
normalize = ["whitespace", "unicode"]
[conventions]
quasi-identifiers = "wildcard"
wildcard-weight = 0.5
suppressed-tuples = "include"
sensitive = "one-value"
inconclusive = "allow"
[hierarchies]
illness = { file = "illness.csv", protected = ["acute"], max-generalization = ["*"] }
age = { intervals = [5, 10, 20], origin = 18 }
zip = { prefixes = [3, 0] }
[require]
k-anonymity = { k = 5 }
recursive-c-l-diversity = { c = 2, l = 3 }
t-closeness = [{ t = 0.2, distance = "ordered" }, { t = 0.3 }]
[[require.l-diversity]]
l = 2
reading = "joint"
[attacks]
homogeneity = {}
elimination = { values = [1, 2], at-most = { income = 2 }, allow-rate = 0.05 }
[attacks.linkage]
external = "voters.csv"
identity = ["surname", "first name"]
columns = { age = "Age" }
allow-rate = 0
"""

# What fuzzing starts from: well-formed, and crooked in the ways that files are.
SEEDS: Final[dict[str, tuple[bytes, ...]]] = {
    "csv": (
        b"\x00age,zip\n20,48201\n30,482**\n",
        b'\x01"a";b\r\n"x;y";"q""q"\r\n\r\n;\r\n',
        b"\x06\xef\xbb\xbfa\tb\n1\t2\n",
        b"\x06a|b\r1|2\r3|4\r",
        b"\x0d\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00",
        b"\x00a\n\n1\n\n",
        b'\x00a,b\n1,"2\n3"\n"",4\n',
        b"\x00a,a \n1,2\n",
        b"\x06sep=;\r\nage;dx\r\n30;flu\r\n",
        b'\x01"sep=|"\na;b\n1;2\n',
        b"\x06sep=,,\na,b\n1,2\n",
        b"\x03a|b\n1|2|3\n",
        b"\x04a:b\n1:2\n",
        b'\x00a,b\n1,2\r\n\r\n3,"4\n"\r5,6\n\n7,8\r\n9,"1""0"\n1,2\r3,4',
    ),
    "hierarchy": (
        b"\x00flu;acute;*\nasthma;chronic;*\n",
        b"\x00child,parent\nflu,acute\nacute,*\n",
        b'\x02"a,b",c\nd,c,"*"\n',
        b"\x01a;b;b;*\nc;c;d;*\n",
        b"\x0b\xff\xfea\x00;\x00b\x00\n\x00",
        b"\x03a\tb\r\nc\tb\r\n",
        b"\x01sep=;\r\na;b;*\r\nc;b;*\r\n",
        b'\x01"a""b";c;*\n"x;y";"c";*\nd;"e\n";*\n',
    ),
    "policy": (
        _POLICY,
        b"require.k-anonymity = { k = 5 }\n",
        b'columns."a.b" = ["""x""", \'\'\'y\'\'\']\n# end',
        *(b"[" + part for part in _POLICY.split(b"\n[") if part.strip()),
    ),
    "labels": tuple(
        b"\x00" + text.encode()
        for text in (
            *("[20,30)", "]30, 40]", "[20, 30[", "20-30", "0.0 - 5.0", "26~33", "<50", ">=40"),
            *("50+", "482**", "{a,b}", "Local-gov~Self-emp-inc", "F,M", "['F,M']", "00501-10001"),
            *("10002-01002-02108", "(-inf;1e5]", "[-1.5,2.5E-3]", "≤ 7", "9-May", "10\u20135"),
            *("[1,5;2,5)", "-0", "1e-400", "{1;2}", "['35-44']", "(555-1234)"),
            *("20 to 29", "under 5", "over 89", "85 and over", "90 or older", "20s", "1990s"),
            *("20-29 years", "20..29", "20-<30", "20,000-29,999", "1,200.50", "[1,000, 2,000)"),
            *("aged 20 to under 30", "at least 18 years old", "E11***", "2020-05", "1,5-2,5"),
        )
    ),
    "columns": (
        b"\x0022\n20 to 29\n25000\n20,000-29,999\n5 bis 9\n5-9\n20s\nunder 5",
        b"\x002020-05-17\n2020-05\n2020-05-17T08:30\n2020\n2021-01-01\n2020-01-01",
        b"\x02E11.9\nE11***\nE11\nE11.65\n02139\n021\nE11-E14\n021**",
        b"\x0a37\n40\n37.5\n35\n41\n42\nold\n85 and over",
        b"\x0c02139\n021\nE11.9\nE11**\nE11.65\nE11***",
        b"\x00Oslo\nOSLO \nI20.1\nI201\nF\nF,M\n{1,2}\n1.0\n1,200\n1,5\n1.5",
    ),
    "spellings": (
        "Oslo\nOSLO \nab\nab\u200f\nI20.1\nI201\nstraße\nSTRASSE\n[20, 30[\n[20,30)".encode(),
        b"-9\n99\n999\n34\n45\nTotal\nNA\nA-1\nA1\nA1.12\nA11.2",
        "é\ne\u0301\na\u00adb\nab\nFirst Name\nfirst_name\n20 - 30\n20-30".encode(),
    ),
    "prefixes": (
        b"\x0aE11.9\nE11.65\nJ45.9\nI10",
        b"\x1248201\n48330\n482\n4820*",
        b"\x1fa\nab\nabc\nabcd\nabcdef",
    ),
}
