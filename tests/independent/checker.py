"""An independent checker: verdicts on a release by brute force over sets, in plain Python.

It parses no label: every cell comes with the ground values that it denotes. A level or rate is an
interval if unknowns may change it; a requirement that only one end meets is inconclusive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, pairwise, product
from operator import ge, le
from typing import Any

from independent.cases import MISSING, SUPPRESSED, UNREAD, Case, Cell, Row, Verdict

UNKNOWN, NO, MAYBE, YES = {MISSING, SUPPRESSED}, 0, 1, 2


def verdicts(case: Case) -> dict[str, Verdict]:
    """The verdict on every requirement, and on every attack."""
    found = {name: MODELS[name](case, **given) for name, given in case.require.items()}
    for name, given in case.attacks.items():
        *both, every = targets(case, name, **given)
        ends = (Fraction(n, every) if every else None for n in both)
        found[name] = judged(*ends, lambda rate, most=case.allowed[name]: rate <= most)
    return found


def judged(low: Any, high: Any, holds: Callable[[Any], bool]) -> Verdict:
    if low is None or high is None or holds(low) != holds(high):
        return Verdict("inconclusive", low, high)
    return Verdict("holds" if holds(low) else "violated", low, high)


def size(case: Case, rows: Iterable[Row]) -> int:
    """How many persons the rows are: distinct units, or records."""
    records = (int(row[case.count].text) if case.count else 1 for row in rows)
    return len({row[case.unit].text for row in rows}) if case.unit else sum(records)


def unknown(row: Row, columns: list[str]) -> list[str]:
    return [column for column in columns if row[column].state in UNKNOWN]


def grouped(rows: list[Row], columns: list[str]) -> list[list[Row]]:
    """The rows equal as written on the columns; missing and suppressed are values of their own."""
    found = defaultdict(list)
    for row in rows:
        cells = (row[column] for column in columns)
        found[tuple((c.state,) if c.state in UNKNOWN else c.text for c in cells)].append(row)
    return list(found.values())


def released(case: Case) -> list[Row]:
    """The rows in a class: those not suppressed in every quasi-identifier."""
    return [row for row in case.rows if {row[q].state for q in case.quasi} != {SUPPRESSED}]


def classes(case: Case) -> list[list[Row]]:
    return grouped(released(case), case.quasi)


def value(row: Row, attribute: str) -> str | None:
    return None if row[attribute].state in UNKNOWN else row[attribute].text


def values(rows: list[Row], attribute: str) -> set[str]:
    return {v for row in rows if (v := value(row, attribute)) is not None}


def amounts(case: Case, rows: list[Row], attribute: str) -> dict[str, int]:
    """For each known value the records, or distinct persons, that have it."""
    known = values(rows, attribute)
    return {v: size(case, [r for r in rows if value(r, attribute) == v]) for v in known}


def subsets(columns: list[str]) -> list[list[str]]:
    return [list(c) for n in range(1, len(columns) + 1) for c in combinations(columns, n)]


def fits(cell: Cell, ground: Cell, unknown: int = YES) -> int:
    """Whether a ground value may stand behind a released cell; unknown: if nobody knows it."""
    if cell.state in UNKNOWN or cell.text == ground.text:
        return YES
    if ground.state in UNKNOWN:
        return unknown
    if UNREAD in (cell.state, ground.state):
        return MAYBE
    return YES if ground.means <= cell.means else NO


def worlds(rows: list[Row], person: Row, columns: list[str]) -> list[list[Row]]:
    """The rows that fit a person, for all that unread labels may denote; the fewest first."""
    found = list[tuple[Row, set[str]]]()
    for row in rows:
        how = {f"{c} {row[c].text}": fits(row[c], person[c]) for c in columns}
        if NO not in how.values():
            silent = {"anybody's, or nobody's"} if unknown(row, columns) == columns else set()
            found.append((row, silent | {label for label, fit in how.items() if fit == MAYBE}))
    choices = [[], *subsets(sorted(set().union(*(doubts for _, doubts in found))))]
    return [[row for row, doubts in found if doubts <= {*so}] for so in choices]


def filled(case: Case, rows: list[Row]) -> Iterable[tuple[Case, list[Row]]]:
    """The unknown cells of a class get one value, all others one too: nothing is farther off."""
    every = released(case)
    for s in (s for s in case.sensitive if values(rows, s) and any(unknown(r, [s]) for r in every)):
        for pair in product(values(every, s), repeat=2):
            full = [r | {s: Cell(pair[r in rows])} if unknown(r, [s]) else r for r in every]
            yield replace(case, rows=full), [full[every.index(r)] for r in rows]


def of_classes(levels: Callable[..., Iterable[Any]], worst: Any, holds: Any) -> Any:
    """A model whose level is that of its worst class; a k that is given must be reached too."""

    def verdict(case: Case, limit: Any, k: int = 1, **given: Any) -> Verdict:
        big = all(size(case, rows) >= k for rows in classes(case))
        known = [x for rows in classes(case) for x in levels(case, rows, **given)]
        full = (one for rows in classes(case) for one in filled(case, rows))
        more = (x for one in full for x in levels(*one, **given))
        ends = (worst(some, default=None) for some in (known, [*known, *more]))
        return judged(*ends, lambda x: holds(x, limit) and big)

    return verdict


def distinct(case: Case, rows: list[Row]) -> list[int]:
    return [len(some) for s in case.sensitive if (some := values(rows, s))]


def shares(case: Case, rows: list[Row], min_rows: int = 1) -> Iterable[Fraction]:
    """The share of every value; 0 if fewer than min_rows show it."""
    for n in chain(*(amounts(case, rows, s).values() for s in case.sensitive)):
        yield Fraction(n, size(case, rows)) if n >= min_rows else Fraction(0)


def rule_confidence(case: Case, limit: Fraction, min_rows: int) -> Verdict:
    groups = [rows for columns in subsets(case.quasi) for rows in grouped(released(case), columns)]
    level = max((x for rows in groups for x in shares(case, rows, min_rows)), default=None)
    return judged(level, level, lambda x: x < limit)


def distances(case: Case, rows: list[Row], distance: str) -> Iterable[Fraction]:
    """The work to turn the distribution of a class into that of all."""
    for s in case.sensitive:
        counts, whole = amounts(case, rows, s), amounts(case, released(case), s)
        order = case.order.get(s) or sorted(whole, key=lambda v: (len(v), v))  # whole numbers
        ordered = distance != "equal" and (s in case.order or all(v.isdigit() for v in whole))
        place = [int(v) if ordered and distance == "numeric" else i for i, v in enumerate(order)]
        gaps = [b - a for a, b in pairwise(place)]
        if n := sum(counts.values()):
            q = [(Fraction(counts.get(v, 0), n), whole.get(v, 0)) for v in order]
            more = [own - Fraction(all_, sum(whole.values())) for own, all_ in q]
            work = (abs(sum(more[: i + 1])) * gap for i, gap in enumerate(gaps))
            yield sum(work) / Fraction(sum(gaps) or 1) if ordered else sum(map(abs, more)) / 2


def pairs_of(case: Case, rows: Iterable[Row]) -> set[tuple[str, str]]:
    """Every known (attribute, value) that the rows carry."""
    return {(s, v) for row in rows for s in case.sensitive if (v := value(row, s)) is not None}


def cover(case: Case, rows: list[Row]) -> list[int]:
    """The size of a smallest set of values that every row has, or may have, one of."""
    every, told = pairs_of(case, rows), [row for row in rows if pairs_of(case, [row])]
    may = [{(s, v) for s, v in every if value(row, s) in (None, v)} for row in told]
    some = subsets(sorted(every))  # the smallest first
    return [next(len(s) for s in some if all(one & {*s} for one in may))] if told else []


def of_population(level: Callable[..., Any], holds: Any) -> Any:
    """A model on (rows of a class, people of the population who fit it)."""

    def fit(case: Case, rows: list[Row], least: int) -> int:
        row, people = rows[0], case.population
        return sum(all(fits(row[q], one[q], MAYBE) >= least for q in case.quasi) for one in people)

    def verdict(case: Case, limit: Any) -> Verdict:
        both = [[(size(case, r), fit(case, r, least)) for r in classes(case)] for least in (2, 1)]
        return judged(*map(level, both), lambda x: holds(x, limit))

    return verdict


def valid(case: Case) -> Verdict:
    """The quasi-identifier cells that do not stand for their original."""
    pairs = [(row, was) for row, was in zip(case.rows, case.pairs, strict=True) if was]
    found = [fits(row[q], was[q]) for row, was in pairs for q in case.quasi]
    other = any(value(r, s) not in (None, was[s].text) for r, was in pairs for s in case.sensitive)
    ends = found.count(NO), len(found) - found.count(YES)
    return judged(*ends, lambda x: x == 0 and not other and len(pairs) == len(case.rows))


MODELS: dict[str, Callable[..., Verdict]] = {
    "k-anonymity": of_classes(lambda case, rows: [size(case, rows)], min, ge),
    "prosecutor-risk": of_classes(lambda c, rows: [Fraction(1, size(c, rows))], max, le),
    "p-sensitive-k-anonymity": of_classes(distinct, min, ge),
    "l-diversity": of_classes(distinct, min, ge),
    "alpha-k-anonymity": of_classes(shares, max, le),
    "t-closeness": of_classes(distances, max, le),
    "rule-confidence": rule_confidence,
    "multi-attribute-l-diversity": of_classes(cover, min, ge),
    "k-map": of_population(lambda fit: min(f for _, f in fit), ge),
    "journalist-risk": of_population(lambda fit: max(Fraction(1, max(x)) for x in fit), le),
    "marketer-risk": of_population(
        lambda fit: sum(Fraction(n, max(n, f)) for n, f in fit) / sum(n for n, _ in fit), le
    ),
    "valid-generalization": valid,
}


def members(case: Case, rows: list[Row]) -> list[list[Row]]:
    return grouped(rows, [case.unit]) if case.unit else [[row] for row in rows]


def agree(group: list[list[Row]], s: str, up: dict[str, str] | None = None) -> int:
    """Whether everybody has one value, or all may have one that somebody has; up: lifted, one of it."""
    known = [{(up or {}).get(v, v) for v in values(rows, s)} for rows in group]
    any_ = set().union(*known)
    likely = [x if all(value(r, s) for r in m) else any_ for x, m in zip(known, group, strict=True)]
    some = any_ if up is None else {*up.values()}
    sure, may = (set.intersection(some, *x) for x in (known, likely))
    return max(YES * bool(sure), MAYBE * bool(may))


def homogeneity(case: Case, group: list[list[Row]]) -> Iterable[int]:
    return [max(agree(group, s) for s in case.sensitive)] * len(group)


def similarity(case: Case, group: list[list[Row]]) -> Iterable[int]:
    """Homogeneity of the protected values; the others stay as they are."""
    return [max((agree(group, s, up) for s, up in case.lifted.items()), default=NO)] * len(group)


def elimination(case: Case, group: list[list[Row]], values: int, budget: int = 0) -> Iterable[int]:
    every = subsets(sorted(pairs_of(case, chain(*group))))
    choices = [set[tuple[str, str]](), *({*some} for some in every if len(some) <= values)]
    for own in (pairs_of(case, member) for member in group):
        left = [[m for m in group if not pairs_of(case, m) & c] for c in choices if not own & c]
        yield max(agree(some, s) for some in left for s in case.sensitive)


def told(case: Case, every: list[list[Row]], *, alone: bool) -> int:
    """What a person's candidates disclose in all worlds; alone: a single one counts too."""
    found = {MAYBE * (alone and case.all_released) for rows in every if not rows}
    for rows in filter(None, every):
        single = YES * (alone and size(case, rows) == 1)
        found.add(max(single, *(agree(members(case, rows), s) for s in case.sensitive)))
    return found.pop() if len(found) == 1 else MAYBE


def linkage(case: Case, person: Row) -> int:
    return told(case, worlds(case.rows, person, case.known), alone=True)


def association(case: Case, person: Row) -> int:
    """Rules of confidence 1 on any of the columns that are known of the person."""
    found = [NO]
    for columns in subsets([c for c in case.known if not unknown(person, [c])]):
        rows = [r for r in case.rows if not case.whole_rules or not unknown(r, columns)]
        found.append(told(case, worlds(rows, person, columns), alone=False))
    return max(found)


def composition(case: Case, person: Row) -> int:
    """What the candidates of two releases have in common; an unknown value rules out nothing."""
    both = [worlds(rows, person, case.known) for rows in (case.rows, case.second)]
    few, few2 = ({tuple(value(r, s) for s in case.sensitive) for r in x[0]} for x in both)
    all_, all2 = ({tuple(value(r, s) for s in case.sensitive) for r in x[-1]} for x in both)
    pairs = [[*zip(x, y, strict=True)] for x, y in product(all_, all2)]
    met = [xy for xy in pairs if all(a == b or None in (a, b) for a, b in xy)]
    parts = zip(*(met or pairs), strict=True)  # without a joint candidate each column by itself
    columns = [{a or b for a, b in part if a == b or None in (a, b)} for part in parts]
    steady = few == all_ and few2 == all2
    one = any(len(column) == 1 and None not in column for column in columns)
    if few and few2 and one and (met or steady):
        return YES
    apart = [len(set(c)) > 1 for c in zip(*(x for x in few & few2 if None not in x), strict=True)]
    closed = steady and not any(None in x for x in all_ | all2)
    return NO if closed or not any(columns) or (apart and all(apart)) else MAYBE


OF_PEOPLE = {attack.__name__: attack for attack in (linkage, association, composition)}
OF_CLASSES = {attack.__name__: attack for attack in (homogeneity, similarity, elimination)}


def targets(case: Case, name: str, **given: Any) -> tuple[int, ...]:
    """The targets of an attack: surely exposed, possibly exposed, all of them."""
    if name in OF_PEOPLE:
        people = [OF_PEOPLE[name](case, person) for person in case.people]
        return tuple(sum(how >= least for how in people) for least in (YES, MAYBE, NO))
    found: dict[int, list[Row]] = {YES: [], MAYBE: [], NO: []}
    for group in (members(case, rows) for rows in classes(case)):
        for member, how in zip(group, OF_CLASSES[name](case, group, **given), strict=True):
            found[how] += member
    return tuple(size(case, chain(*[*found.values()][:n])) for n in (1, 2, 3))
