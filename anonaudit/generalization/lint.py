"""Warn about labels of a column that should perhaps be equal, disjoint, or missing values.

Each public function examines the distinct labels of a column. It returns a tuple of findings, which
is empty if there is no problem. Its docstring names the codes of its findings, for example
`near-duplicate-labels`. Codes are stable. `lint` calls all functions that need only one table.

A finding is a warning and changes no verdict: labels that are written differently count as
different. The message of a finding quotes no label, because reports must not disclose values.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Final

from anonaudit.generalization.labels import (
    REPAIRS,
    Interval,
    Label,
    Reading,
    ValueSet,
    ambiguous,
    canonical,
    exact_number,
    parse,
    readings,
    visible,
)
from anonaudit.generalization.ranks import ranks
from anonaudit.generalization.spellings import spelled_alike, spelled_otherwise

# Texts that tools write for a cell without a value.
NO_VALUE: Final = re.compile(
    r"|\*+|\?|--?|\.\.?|:|#?n/a|na|n\.a\.|<na>|nan|nat|\\n|none|nil|\(?null\)?|\(?blank\)?|unknown"
    r"|undefined|missing|not available|suppressed|masked|redacted|hidden"
    # And in German, French, Spanish, Italian, Dutch and Portuguese.
    r"|k\. ?a\.|keine angaben?|unbekannt|fehlt|fehlend|inconnue?|non renseignée?|non disponible"
    r"|desconocid[oa]|no disponible|sconosciut[oa]|onbekend|desconhecid[oa]",
    re.IGNORECASE,
)
# Texts that tables write before a sum, in the same languages.
_TOTAL: Final = re.compile(
    r"(?:(?:(?:grand|overall|sub)[- ]?)?totals?|sum|(?:gesamt|end)?summe|(?:ins)?gesamt|somme|somma"
    r"|suma(?: total)?|total (?:général|general|geral)|totale|totaal|totais|soma):?",
    re.IGNORECASE,
)
# The short months of spreadsheets set to English, German, French or Spanish.
_MONTHS: Final = (
    "jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|mrz|mär|mai|okt|dez|janv|févr|mars|avr"
    "|juin|juil|août|déc|ene|abr|ago|dic"
)
# Numbers that code books use for a missing value: -1, 7, 8, 9, 77, 97, 98, 99, 888, 997, 9998, ...
_PLACEHOLDER: Final = re.compile(r"-1|-?(?:7+|8+|9+|9+[78])")
_DATE: Final = re.compile(
    rf"[0-3]?[0-9](?:[-/ ]|\. ?)(?:{_MONTHS})\.?|(?:{_MONTHS})\.?[-/ ](?:[0-9]{{2}}){{1,2}}",
    re.IGNORECASE,
)
_DIGIT: Final = re.compile("[0-9]")
# Round brackets on both sides are ordinary text, such as a phone number.
_BRACKETED: Final = re.compile(
    r"(?!\(.*\)$)[][(]\s*[-+.]?[0-9][^-,;]*[-,;].*[0-9]\s*[])[]", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class LabelFinding:
    """One warning about a column.

    code: the stable code of the warning.
    message: the meaning of the warning and what to do, without labels.
    count: the number of groups, pairs or labels concerned.
    labels: these groups, pairs or single labels, each as a tuple; shown only on request. There can
        be many pairs, so only the first ones are kept.
    """

    code: str
    column: str
    message: str
    count: int
    labels: tuple[tuple[str, ...], ...] = field(repr=False)


SPLIT: Final = "Rows that belong to one class may be in two classes"
SPELLED_TWICE: Final = (
    "One value may count as two, so p, l and homogeneity may look safer than they are"
)


def near_duplicates(
    labels: Iterable[str],
    column: str,
    *,
    risk: str = SPLIT,
) -> tuple[LabelFinding, ...]:
    """`near-duplicate-labels`: groups of labels that differ only in spelling (see `spellings`).

    risk: the text of the message that states the consequence if the labels mean one value.

    >>> near_duplicates(["[20, 30[", "[20,30)", "[20,30]"], "age")[0].labels
    (('[20, 30[', '[20,30)'),)
    """
    groups = spelled_alike(labels, numbers=True)
    what = "of labels that differ only in spelling"
    advice = f"{risk}; if so, {_to_make_one(groups)}."
    return _finding("near-duplicate-labels", column, "group", what, advice, groups)


def unlike_labels(
    ours: Collection[str], theirs: Collection[str], column: str, table: str
) -> tuple[LabelFinding, ...]:
    """`near-duplicate-labels`: groups of labels that two tables spell differently.

    ours, theirs: the labels of the release and of the other table.
    table: the other table in words, such as "the population".

    >>> unlike_labels(["BERGEN", "Oslo"], ["Bergen", "Oslo"], "city", "the population")[0].labels
    (('BERGEN', 'Bergen'),)
    """
    groups = spelled_otherwise(ours, theirs)
    what = f"of labels that the release and {table} spell differently"
    advice = (
        "Rows with the same value may not match because of the spelling; if so, "
        f"{_to_make_one(groups)}."
    )
    return _finding("near-duplicate-labels", column, "group", what, advice, groups)


def unshared_texts(
    ours: Collection[str], theirs: Collection[str], column: str, table: str
) -> tuple[LabelFinding, ...]:
    """`unshared-labels`: words of the release that the other table does not have.

    A word is a plain label without digits. Words are reported only if the tables share some words,
    and if the other table also has words that the release does not have. A reported word may be a
    generalization of values of the other table, as `Norway` is of `Bergen`. But two tables of
    ground values may also differ in some values, so this is a warning and not a verdict.

    ours, theirs: the labels of the release and of the other table.
    table: the other table in words, such as "the population".

    >>> unshared_texts(["Oslo", "Norway"], ["Oslo", "Bergen"], "city", "the population")[0].labels
    (('Norway',),)
    """
    here, there = (
        {text for text in some if parse(text) is None and not _DIGIT.search(text)}
        for some in (ours, theirs)
    )
    shared = {canonical(text, REPAIRS) for text in here} & {canonical(t, REPAIRS) for t in there}
    rest = [{t for t in some if canonical(t, REPAIRS) not in shared} for some in (here, there)]
    unshared = rest[0] if shared and rest[1] else ()
    what = f"of the release cannot be found in {table}, which has other words"
    advice = (
        "A row with such a label matches no person. If a label stands for several values, name a "
        f"hierarchy under [hierarchies.{column}]."
    )
    return _finding("unshared-labels", column, "word", what, advice, _single(unshared))


def _to_make_one(groups: Sequence[tuple[str, ...]]) -> str:
    """Return the advice that makes the labels of each group equal.

    The advice names only the repairs that are needed. If repairs do not make the labels of some
    group equal, it also asks to write each value in one way.
    """
    repairs = [group for group in groups if len({canonical(t, REPAIRS) for t in group}) == 1]
    needed = set(REPAIRS)
    for repair in REPAIRS:
        fewer = needed - {repair}
        if all(len({canonical(text, fewer) for text in group}) == 1 for group in repairs):
            needed = fewer
    names = ", ".join(repr(repair) for repair in sorted(needed))
    todo = [f"set normalize = [{names}]"] if repairs else []
    if len(repairs) < len(groups):
        todo.append("write each value in one way, with the same letters, digits, marks and blanks")
    return " and ".join(todo)


def same_meaning(
    labels: Iterable[str], column: str, *, reading: Reading | None = None, decimal: str = "."
) -> tuple[LabelFinding, ...]:
    """`same-meaning-labels`: groups of labels that mean the same interval or set.

    The labels of a group still differ after all repairs (see `labels.canonical`). Labels with two
    readings are ignored unless the reading is declared.

    >>> same_meaning(["20-30", "[20,30]", "{F,M}", "{M,F}"], "age")[0].labels
    (('20-30', '[20,30]'), ('{F,M}', '{M,F}'))
    """
    meanings = _read(labels, reading, decimal)
    meaning: dict[str, Hashable] = {t: x for t, x in meanings.items() if isinstance(x, ValueSet)}
    meaning |= _spans(meanings, decimal)
    groups = [
        group
        for group in _groups(meaning, meaning.__getitem__)
        if len({canonical(text, REPAIRS) for text in group}) > 1
    ]
    what = "of labels that mean the same interval or set, although written differently"
    advice = f"{SPLIT}; if so, recode the release, because normalize does not make them equal."
    return _finding("same-meaning-labels", column, "group", what, advice, groups)


def overlapping_intervals(
    labels: Iterable[str],
    column: str,
    *,
    reading: Reading | None = None,
    decimal: str = ".",
    limit: int = 20,
) -> tuple[LabelFinding, ...]:
    """Warn about pairs of intervals with a number in common.

    A value in both intervals could be recoded to either of them. There are two codes:

    - `overlapping-intervals`: each interval has numbers that the other interval lacks.
    - `nested-intervals`: one interval lies inside the other, for example because levels of a
      hierarchy are mixed.

    If the column has intervals, a plain number counts as the interval of that number. Two labels of
    the same interval are no pair. Labels with two readings are ignored unless the reading is
    declared. All pairs are counted, but a finding keeps at most `limit` of them.

    >>> overlapping_intervals(["[20,40[", "[30,50[", "[50,60["], "age")[0].labels
    (('[20,40[', '[30,50['),)
    """
    span_of = _spans(_read(labels, reading, decimal), decimal)
    first: dict[tuple[int, int], str] = {}
    for text, span in span_of.items():
        first[span] = min(text, first.get(span, text))
    spans = sorted(first, key=lambda span: (span[0], -span[1]))
    names = [first[span] for span in spans]
    lows = [low for low, _ in spans]
    highs = [high for _, high in spans]
    # The intervals are sorted by their low ends; of two with the same low end, the longer comes
    # first. So the later intervals that overlap a given interval follow it without a gap.
    stops = [bisect_right(lows, high) for high in highs]
    inside = _not_higher_behind(highs)
    across = [stop - i - 1 - n for i, (stop, n) in enumerate(zip(stops, inside, strict=True))]

    def pairs(counts: Sequence[int], *, nested: bool) -> list[tuple[str, ...]]:
        kept: list[tuple[str, ...]] = []
        for i in (i for i, count in enumerate(counts) if count):
            run = range(i + 1, stops[i])
            kept += [(names[i], names[j]) for j in run if (highs[j] <= highs[i]) is nested]
            if len(kept) >= limit:
                break
        return kept[:limit]

    homes = (
        "A value in both intervals may be recoded to either, so the records with this value may be "
        "in two classes."
    )
    return (
        *_finding(
            "overlapping-intervals",
            column,
            "pair",
            "of intervals that overlap in part",
            f"{homes} Local recoding makes such pairs. Full-domain recoding makes none, unless its "
            "hierarchy is wrong.",
            pairs(across, nested=False),
            count=sum(across),
        ),
        *_finding(
            "nested-intervals",
            column,
            "pair",
            "of intervals with one inside the other",
            f"{homes} The levels of a hierarchy are mixed in this column.",
            pairs(inside, nested=True),
            count=sum(inside),
        ),
    )


def unreadable_intervals(
    labels: Iterable[str], column: str, *, decimal: str = "."
) -> tuple[LabelFinding, ...]:
    """`unreadable-intervals`: labels with numbers in brackets that are no interval.

    An example is `[600, 1.200[`, where the upper end is below the lower end.
    """
    unreadable = (
        text
        for text in set(labels)
        if _BRACKETED.fullmatch(text.strip()) and parse(text, decimal=decimal) is None
    )
    what = "with brackets and numbers cannot be read as an interval"
    advice = (
        "Check that the lower end comes first, and check the separators of thousands and the "
        "decimal mark."
    )
    return _finding("unreadable-intervals", column, "label", what, advice, _single(unreadable))


def date_like(labels: Iterable[str], column: str) -> tuple[LabelFinding, ...]:
    """`date-like-labels`: labels such as `9-May`, which a spreadsheet makes of the range 5-9.

    >>> date_like(["9-May", "10-14", "May"], "age")[0].labels
    (('9-May',),)
    """
    dates = (text for text in set(labels) if _DATE.fullmatch(text.strip()))
    what = "can be read as a day and a month, or as a month and a year"
    advice = (
        "A spreadsheet turns ranges into such dates (5-9 becomes 9-May). If that happened, write "
        "the file again from its source, with this column as text."
    )
    return _finding("date-like-labels", column, "label", what, advice, _single(dates))


def ambiguous_labels(
    labels: Iterable[str], column: str, *, decimal: str = "."
) -> tuple[LabelFinding, ...]:
    """`ambiguous-labels`: labels with two readings, see `anonaudit.generalization.labels`."""
    what = "can be read in two ways, as a range, a list of codes or plain text"
    advice = (
        "Declare the reading of the column in the policy: interval, set or plain; for numbers with "
        "a decimal comma, the decimal mark. Without it, the default reading is used."
    )
    labels_read = ambiguous(labels, decimal=decimal)
    return _finding("ambiguous-labels", column, "label", what, advice, _single(labels_read))


def undeclared_missing(
    labels: Iterable[str], column: str, *, declared: Collection[str] = ("", "*")
) -> tuple[LabelFinding, ...]:
    """`undeclared-missing-token`: labels such as `NA`, `?` or `**`, or a set with one: `F,nan`.

    declared: the texts that the policy declares as missing or suppressed, as written in cells.
    """

    def suspect(text: str) -> bool:
        shown = visible(text).strip()
        return text not in declared and NO_VALUE.fullmatch(shown) is not None

    def holds(text: str) -> bool:
        label = None if suspect(text) else parse(text)
        return isinstance(label, ValueSet) and any(map(suspect, label.members))

    tokens = (text for text in set(labels) if suspect(text) or holds(text))
    what = (
        "may stand for a missing or suppressed value, or for a set of values, one of which is "
        "missing or suppressed"
    )
    advice = (
        "Such a label counts as a value. Declare it as missing or suppressed, unless it is a real "
        "value."
    )
    return _finding("undeclared-missing-token", column, "label", what, advice, _single(tokens))


def totals(labels: Iterable[str], column: str) -> tuple[LabelFinding, ...]:
    """`total-row`: labels such as `Total`, `Grand total` or `Sum`, which a row of totals has.

    >>> totals(["Total", "Totals:", "Totally"], "ward")[0].labels
    (('Total',), ('Totals:',))
    """
    # Most labels end with a digit, which no total does: skip the pattern for them.
    words = (
        text for text in set(labels) if not text[-1:].isdigit() and _TOTAL.fullmatch(text.strip())
    )
    what = "may be the total of a table"
    advice = "A total is no record but is counted as one: remove such rows from the table."
    return _finding("total-row", column, "label", what, advice, _single(words))


def placeholder_numbers(
    labels: Iterable[str], column: str, *, decimal: str = "."
) -> tuple[LabelFinding, ...]:
    """`placeholder-numbers`: -9, 99, 999, ... far below or far above all other numbers.

    Code books use such numbers for missing values. A placeholder is reported in two cases:

    - Its distance to the other numbers is larger than the largest gap between two neighbours among
      the other numbers.
    - It is below zero, and all other numbers are above zero.

    Nothing is reported if there are fewer than two other numbers. The ends of intervals count as
    other numbers, too.

    >>> placeholder_numbers(["31", "45", "58", "999", "-9"], "age")[0].labels
    (('-9',), ('999',))
    """
    numbers: dict[str, Fraction] = {}
    ends: set[Fraction] = set()
    for text in set(labels):
        if (value := exact_number(text, decimal)) is not None:
            numbers[text] = value
        elif isinstance(label := parse(text, decimal=decimal), Interval):
            ends |= {end for end in (label.low, label.high) if end is not None}
    suspected = _apart({*numbers.values(), *ends} if numbers else set())
    texts = (text for text, value in numbers.items() if value in suspected)
    what = (
        "may stand for a missing value: code books use such numbers, and the other numbers are far "
        "away"
    )
    advice = "Such a number counts as a value. Declare it as missing, unless it is a real value."
    return _finding("placeholder-numbers", column, "number", what, advice, _single(texts))


def _apart(numbers: Collection[Fraction]) -> frozenset[Fraction]:
    """Return the placeholders at either end that are far from the other numbers.

    See `placeholder_numbers` for the two cases.
    """
    values = sorted(numbers)
    low, high = 0, len(values)
    while low < high and _PLACEHOLDER.fullmatch(str(values[low])) and values[low] < 0:
        low += 1
    while low < high and _PLACEHOLDER.fullmatch(str(values[high - 1])) and values[high - 1] > 0:
        high -= 1
    gap = max((b - a for a, b in pairwise(values[low:high])), default=None)
    if gap is None:
        return frozenset()
    while high < len(values) and values[high] - values[high - 1] <= gap:
        high += 1
    while low and values[low] - values[low - 1] <= gap and values[low] <= 0:
        low -= 1
    return frozenset((*values[:low], *values[high:]))


def lint(
    labels: Iterable[str],
    column: str,
    *,
    reading: Reading | None = None,
    decimal: str = ".",
    declared: Collection[str] = ("", "*"),
    sensitive: bool = False,
) -> tuple[LabelFinding, ...]:
    """Return all findings of a column, in a fixed order.

    reading: the reading that the policy declares, or None. If it is declared, ambiguous labels are
        not reported.
    declared: the texts that mean missing or suppressed; they are left out.
    sensitive: True if the column is a sensitive attribute.

    >>> [finding.code for finding in lint(["F", "f", "NA"], "sex")]
    ['near-duplicate-labels', 'undeclared-missing-token']
    """
    distinct = [text for text in set(labels) if text not in declared]
    ranges = reading in (None, "interval")
    return (
        *near_duplicates(distinct, column, risk=SPELLED_TWICE if sensitive else SPLIT),
        *same_meaning(distinct, column, reading=reading, decimal=decimal),
        *overlapping_intervals(distinct, column, reading=reading, decimal=decimal),
        *(unreadable_intervals(distinct, column, decimal=decimal) if ranges else ()),
        *date_like(distinct, column),
        *(ambiguous_labels(distinct, column, decimal=decimal) if reading is None else ()),
        *undeclared_missing(distinct, column, declared=declared),
        *totals(distinct, column),
        *placeholder_numbers(distinct, column, decimal=decimal),
    )


def _read(labels: Iterable[str], reading: Reading | None, decimal: str) -> dict[str, Label | None]:
    """Return the meaning of each label.

    If no reading is declared, labels with two readings are left out.
    """
    if reading is not None:
        return {text: parse(text, reading=reading, decimal=decimal) for text in labels}
    meanings: dict[str, Label | None] = {}
    doubtful = False
    for text in labels:
        admitted = readings(text, decimal=decimal)
        meanings[text] = next(iter(admitted.values()))
        doubtful = doubtful or len(admitted) > 1
    for text in ambiguous(meanings, decimal=decimal) if doubtful else ():
        del meanings[text]
    return meanings


def _spans(meanings: Mapping[str, Label | None], decimal: str) -> dict[str, tuple[int, int]]:
    """Return the lowest and the highest rank of each interval (see `ranks`), by label.

    If there are intervals, each plain number is included as the interval of that number.
    """
    intervals = {text: label for text, label in meanings.items() if isinstance(label, Interval)}
    for text in meanings if intervals else ():
        if meanings[text] is None and (value := exact_number(text, decimal)) is not None:
            intervals[text] = Interval(value, value, True, True)
    low, high = (ends.tolist() for ends in ranks([*intervals.values()]))
    return dict(zip(intervals, zip(low, high, strict=True), strict=True))


def _not_higher_behind(values: Sequence[float]) -> list[int]:
    """Return, for each value, the number of later values that are not higher.

    The algorithm is a Fenwick tree over ranks.
    """
    rank = {value: place for place, value in enumerate(sorted(set(values)), 1)}
    tree = [0] * (len(rank) + 1)
    counts = []
    for value in reversed(values):
        count, place = 0, rank[value]
        while place:
            count += tree[place]
            place &= place - 1
        counts.append(count)
        place = rank[value]
        while place < len(tree):
            tree[place] += 1
            place += place & -place
    return counts[::-1]


def _groups(labels: Iterable[str], key: Callable[[str], Hashable]) -> list[tuple[str, ...]]:
    """Return the sorted groups of two or more distinct labels with the same key."""
    groups: defaultdict[Hashable, list[str]] = defaultdict(list)
    for text in sorted(set(labels)):
        groups[key(text)].append(text)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _single(labels: Iterable[str]) -> list[tuple[str, ...]]:
    return [(text,) for text in sorted(labels)]


def _finding(
    code: str,
    column: str,
    noun: str,
    what: str,
    advice: str,
    labels: Sequence[tuple[str, ...]],
    *,
    count: int | None = None,
) -> tuple[LabelFinding, ...]:
    """Return the finding; empty if there is nothing to report.

    noun, what: the message after the count. The noun is in the singular. The rest must read well
        after one and after several.
    """
    count = len(labels) if count is None else count
    message = f"{count:,} {noun}{'' if count == 1 else 's'} {what}. {advice}"
    return (LabelFinding(code, column, message, count, tuple(labels)),) if count else ()
