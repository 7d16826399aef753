"""Every definition once more, typed from the paper over plain lists: slow, literal, independent.

A table is a list of rows, a row a tuple of cells, a cell a string, ``None`` (missing) or ``STAR``
(suppressed); columns are positions. Nothing here imports anonaudit or takes a shortcut that a fast
implementation may share: sets are counted, subsets enumerated, optima left to a linear program.

* Released rows: all but the suppressed tuples, whose quasi-identifiers are all ``STAR``.
* In a key, missing and ``STAR`` are ordinary values, except in ``wildcard_classes``.
* In a sensitive column both are unknown, never a value. A class without a known value is left out
  of every minimum and maximum; ``unknown_classes`` lists it.
* ``None`` says that nothing could be measured, and then a yes-or-no question is answered no.
* Ratios are exact; floats stand for logarithms, linear programs and infinity only.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import NamedTuple

from scipy.optimize import linprog

STAR = "*"

Cell = str | None
Row = tuple[Cell, ...]
Rows = Sequence[Row]
Columns = Sequence[int]
History = frozenset[tuple[Row, int]]  # a multiset of keys
Parents = Mapping[str, str | None]  # a root has no parent, or None
Hierarchy = tuple[Parents, AbstractSet[str]]  # with the protected values
Hierarchies = Mapping[int, Hierarchy]  # by column; a column without one has ground values only
Distance = Callable[[str, str], Fraction]


def key_of(row: Row, columns: Columns) -> Row:
    """Return the cells of the row at these columns."""
    return tuple(row[column] for column in columns)


def is_suppressed(row: Row, qi: Columns) -> bool:
    """Say whether there are quasi-identifiers and every one is suppressed."""
    return len(qi) > 0 and all(row[column] == STAR for column in qi)


def suppressed_tuples(rows: Rows, qi: Columns) -> list[Row]:
    """Return the suppressed tuples."""
    return [row for row in rows if is_suppressed(row, qi)]


def released(rows: Rows, qi: Columns) -> list[Row]:
    """Return all rows but the suppressed tuples."""
    return [row for row in rows if not is_suppressed(row, qi)]


def classes(
    rows: Rows, qi: Columns, *, exclude_suppressed_tuples: bool = True
) -> dict[Row, list[Row]]:
    """MCT08 Def. 1: the rows by their quasi-identifiers; without any, all rows are one class."""
    kept = released(rows, qi) if exclude_suppressed_tuples else rows
    keys = {key_of(row, qi) for row in kept}
    return {key: [row for row in kept if key_of(row, qi) == key] for key in keys}


def wildcard_classes(
    rows: Rows, qi: Columns, weight: float = 1.0
) -> dict[Row, tuple[float, list[Row]]]:
    """Case B01: per key its count under the alpha rule, and every row compatible with it.

    Missing and ``STAR`` match anything, yet remain two different keys. Suppressed tuples match all
    and are counted; who wants them out passes ``released`` rows.
    """

    def gaps(key: Row) -> list[bool]:
        return [cell is None or cell == STAR for cell in key]

    def compatible(one: Row, other: Row) -> bool:
        pairs = zip(one, gaps(one), other, gaps(other), strict=True)
        return all(a == b or a_gap or b_gap for a, a_gap, b, b_gap in pairs)

    found = {}
    for key in {key_of(row, qi) for row in rows}:
        members = [row for row in rows if compatible(key, key_of(row, qi))]
        others = [key_of(row, qi) for row in members if key_of(row, qi) != key]
        partial = sum(any(gaps(other)) for other in others)
        found[key] = (len(members) - partial + weight * partial, members)
    return found


def k_anonymity(rows: Rows, qi: Columns) -> int | None:
    """TV06 Def. 1: the size of the smallest class."""
    return min((len(members) for members in classes(rows, qi).values()), default=None)


def _person(row: Row, unit: int) -> str:
    person = row[unit]
    if person is None or person == STAR:
        message = f"expected a person in column {unit}, got {person!r}"
        raise ValueError(message)
    return person


def persons(rows: Rows, qi: Columns, unit: int) -> dict[Row, set[str]]:
    """Return the set of persons in each class; an unknown person is refused."""
    found = classes(rows, qi).items()
    return {key: {_person(row, unit) for row in members} for key, members in found}


def k_persons(rows: Rows, qi: Columns, unit: int) -> int | None:
    """TV06 Def. 1 with persons for tuples: the fewest persons in a class."""
    return min((len(people) for people in persons(rows, qi, unit).values()), default=None)


def histories(rows: Rows, qi: Columns, unit: int) -> dict[History, set[str]]:
    """Case B23: the persons by the multiset of keys of all their released rows."""
    found: dict[History, set[str]] = {}
    for person in {_person(row, unit) for row in released(rows, qi)}:
        keys = Counter(key_of(row, qi) for row in released(rows, qi) if row[unit] == person)
        found.setdefault(frozenset(keys.items()), set()).add(person)
    return found


def k_histories(rows: Rows, qi: Columns, unit: int) -> int | None:
    """Case B23: the fewest persons who share one history."""
    return min((len(people) for people in histories(rows, qi, unit).values()), default=None)


def known(values: Iterable[Cell]) -> list[str]:
    """Return the values that are neither missing nor suppressed, repetitions kept."""
    return [value for value in values if value is not None and value != STAR]


def known_in(rows: Rows, column: int) -> list[str]:
    """Return the known values of one column."""
    return known(row[column] for row in rows)


def held_in(rows: Rows, column: int, unit: int | None = None) -> list[str]:
    """Return the known values, one entry a row; with a unit, one a person and value."""
    if unit is None:
        return known_in(rows, column)
    pairs = {(_person(row, unit), row[column]) for row in rows}
    return known(value for _, value in pairs)


def best_guess(rows: Rows, qi: Columns, column: int, unit: int | None = None) -> Fraction | None:
    """How often the most frequent value is right: of released rows, or persons, that know one."""
    kept = released(rows, qi)
    values, knowing = held_in(kept, column, unit), [row for row in kept if known([row[column]])]
    number = len(knowing) if unit is None else len({_person(row, unit) for row in knowing})
    return max((Fraction(values.count(value), number) for value in set(values)), default=None)


def distinct(rows: Rows, column: int, *, unknown_as_value: bool = False) -> set[Cell]:
    """Return the set of known values; on request all unknown cells are one more, ``None``."""
    values = known_in(rows, column)
    gap = [None] if unknown_as_value and len(values) < len(rows) else []
    return {*values, *gap}


def unknown_classes(rows: Rows, qi: Columns, sensitive: Columns) -> set[tuple[Row, int]]:
    """Return each class key and sensitive column where the class has no known value."""
    groups = classes(rows, qi).items()
    return {(key, c) for key, members in groups for c in sensitive if not known_in(members, c)}


def _measured(rows: Rows, qi: Columns, sensitive: Columns) -> list[tuple[list[Row], int]]:
    unknown = unknown_classes(rows, qi, sensitive)
    groups = classes(rows, qi).items()
    return [(members, c) for key, members in groups for c in sensitive if (key, c) not in unknown]


def p_sensitivity(rows: Rows, qi: Columns, sensitive: Columns) -> int | None:
    """TV06 Def. 2: the fewest distinct values of one sensitive attribute in one class."""
    return min((len(distinct(part, c)) for part, c in _measured(rows, qi, sensitive)), default=None)


def is_p_sensitive_k_anonymous(rows: Rows, qi: Columns, sensitive: Columns, p: int, k: int) -> bool:
    """TV06 Def. 2 for given p and k."""
    size, level = k_anonymity(rows, qi), p_sensitivity(rows, qi, sensitive)
    return size is not None and size >= k and level is not None and level >= p


def frequencies(rows: Rows, column: int) -> list[int]:
    """TV06 Def. 4 for one attribute: the counts of its known values, in descending order."""
    values = known_in(rows, column)
    return sorted((values.count(value) for value in set(values)), reverse=True)


def _expect(least: int, value: int) -> None:
    if value < least:
        message = f"expected {least} or more, got {value!r}"
        raise ValueError(message)


def max_p(rows: Rows, sensitive: Columns) -> int | None:
    """TV06 Condition 1: the least s_j of the attributes that have a known value anywhere."""
    counts = [len(distinct(rows, column)) for column in sensitive]
    return min((s for s in counts if s > 0), default=None)


def max_groups(rows: Rows, sensitive: Columns, p: int) -> int | None:
    """TV06 Condition 2: the most classes; n counts every row given, its values known or not.

    ``None`` is "no bound": nothing to take a minimum over when p = 1 or no attribute is sensitive.
    cf_i = n once an attribute with a known value has no i-th value.
    """
    _expect(least=1, value=p)
    if p == 1 or not sensitive:
        return None
    n, s = len(rows), max_p(rows, sensitive) or 0
    cf = {i: max(sum(frequencies(rows, j)[:i]) for j in sensitive) for i in range(1, s + 1)}
    return min((n - cf.get(p - i, n)) // i for i in range(1, p))


def algorithm1(rows: Rows, qi: Columns, sensitive: Columns, p: int, k: int) -> bool:
    """TV06 Algorithm 1; nothing known is a no, as everywhere here."""
    _expect(least=2, value=p)
    _expect(least=p, value=k)
    if (k_anonymity(rows, qi) or 0) >= k:
        condition = len(_measured(rows, qi, sensitive)) > 0
        for members, column in _measured(rows, qi, sensitive):
            d = len(distinct(members, column))
            if d < p:
                condition = False
                break
    else:
        condition = False
    return condition


def algorithm2(rows: Rows, qi: Columns, sensitive: Columns, p: int, k: int) -> bool:
    """TV06 Algorithm 2: the two necessary conditions, then k, then the check in detail."""
    _expect(least=2, value=p)
    _expect(least=p, value=k)
    mm = released(rows, qi)
    condition = True
    if p > (max_p(mm, sensitive) or 0):
        condition = False
    if condition:
        most, groups = max_groups(mm, sensitive, p), len(classes(mm, qi))
        if most is not None and groups > most:
            condition = False
    if condition and (k_anonymity(mm, qi) or 0) < k:
        condition = False
    for members, column in _measured(mm, qi, sensitive):
        d = len(distinct(members, column))
        if d < p:
            condition = False
            break
    return condition


def ancestors(value: str, parent: Parents) -> list[str]:
    """Return the path from the value, itself included, up to its root; a circle is refused."""
    path = [value]
    while (above := parent.get(path[-1])) is not None:
        if above in path:
            message = f"expected a tree, got a circle through {above!r}"
            raise ValueError(message)
        path.append(above)
    return path


def strong_ancestor(value: str, parent: Parents, protected: AbstractSet[str]) -> str:
    """CT06 Def. 3 and section 4: the first protected value on the way down from the root.

    Ground values are protected: without a protected ancestor they stand for themselves, and so do
    values the hierarchy does not know and unprotected inner values found in the data.
    """
    path = reversed(ancestors(value, parent))
    return next((node for node in path if node in protected), value)


def unclosed(parent: Parents, protected: AbstractSet[str]) -> set[str]:
    """CT06, second requirement: unprotected inner values below a protected one."""
    inner = {above for above in parent.values() if above is not None} - protected
    return {value for value in inner if not protected.isdisjoint(ancestors(value, parent))}


def protected_subtrees(values: Iterable[str], hierarchy: Hierarchy) -> set[str]:
    """CT06 Def. 4: the roots of the protected subtrees in which these values lie."""
    return {strong_ancestor(value, *hierarchy) for value in values}


def extended_p(rows: Rows, qi: Columns, sensitive: Columns, hierarchies: Hierarchies) -> int | None:
    """CT06 Def. 5: the fewest protected subtrees that one attribute reaches in one class."""
    counts = [
        len(protected_subtrees(known_in(members, c), hierarchies.get(c, ({}, set()))))
        for members, c in _measured(rows, qi, sensitive)
    ]
    return min(counts, default=None)


def largest_unrelated(values: Iterable[str], hierarchy: Hierarchy) -> int:
    """CT06 section 3 in words: the most values of which no two share a protected ancestor."""
    parent, protected = hierarchy

    def related(one: str, other: str) -> bool:
        shared = set(ancestors(one, parent)) & set(ancestors(other, parent))
        return not shared.isdisjoint(protected)

    different = sorted(set(values))
    return max(
        size
        for size in range(len(different) + 1)
        for chosen in combinations(different, size)
        if not any(related(one, other) for one, other in combinations(chosen, 2))
    )


def extended_p_in_words(
    rows: Rows, qi: Columns, sensitive: Columns, hierarchies: Hierarchies
) -> int | None:
    """CT06 section 3 in words: ``extended_p`` by pairs of values instead of subtrees."""
    counts = [
        largest_unrelated(known_in(members, c), hierarchies.get(c, ({}, set())))
        for members, c in _measured(rows, qi, sensitive)
    ]
    return min(counts, default=None)


def lift(rows: Rows, hierarchies: Hierarchies) -> list[Row]:
    """CT06 section 4, first step: every known value becomes its strong ancestor."""

    def lifted(column: int, cell: Cell) -> Cell:
        if cell is None or cell == STAR or column not in hierarchies:
            return cell
        return strong_ancestor(cell, *hierarchies[column])

    return [tuple(lifted(column, cell) for column, cell in enumerate(row)) for row in rows]


def extended_condition_1(p: int, k: int) -> bool:
    """CT06 Condition 1: p is at most k."""
    return p <= k


def extended_condition_2(hierarchies: Iterable[Hierarchy], p: int) -> bool:
    """CT06 Condition 2: every hierarchy (not the data) has at least p protected subtrees."""
    leaves = [(set(parent) - set(parent.values()), (parent, out)) for parent, out in hierarchies]
    return all(len(protected_subtrees(ground, hierarchy)) >= p for ground, hierarchy in leaves)


def extended_condition_3(
    rows: Rows, qi: Columns, sensitive: Columns, p: int, hierarchies: Hierarchies
) -> bool:
    """CT06 Condition 3: the classes are at most ``max_groups`` of the lifted released rows."""
    most = max_groups(lift(released(rows, qi), hierarchies), sensitive, p)
    return most is None or len(classes(rows, qi)) <= most


def distinct_l(rows: Rows, qi: Columns, column: int) -> int | None:
    """GCG08 Def. 5: the fewest distinct values of the attribute in a class."""
    return min((len(distinct(part, c)) for part, c in _measured(rows, qi, [column])), default=None)


def joint_l(rows: Rows, qi: Columns, sensitive: Columns) -> int | None:
    """Case B27: the fewest distinct sensitive tuples in a class; one with a gap is no tuple."""
    counts = []
    for members in classes(rows, qi).values():
        whole = [row for row in members if all(known([row[column]]) for column in sensitive)]
        counts.append(len({key_of(row, sensitive) for row in whole}))
    return min((count for count in counts if count > 0), default=None)


def others_known_l(rows: Rows, qi: Columns, sensitive: Columns, column: int) -> int | None:
    """GCG08 section "Our Model", on Machanavajjhala: the other sensitive attributes join the QI.

    The suppressed tuples remain those of the quasi-identifiers proper.
    """
    wider = [*qi, *(other for other in sensitive if other != column)]
    groups = classes(released(rows, qi), wider, exclude_suppressed_tuples=False).values()
    counts = [len(distinct(members, column)) for members in groups]
    return min((count for count in counts if count > 0), default=None)


def entropy(rows: Rows, column: int) -> float:
    """Return the entropy of the known values in nats."""
    values = known_in(rows, column)
    shares = [values.count(value) / len(values) for value in set(values)]
    return -sum(share * math.log(share) for share in shares)


def entropy_l(rows: Rows, qi: Columns, column: int) -> float | None:
    """Machanavajjhala 2006, entropy l-diversity: the least exp(entropy) of a class."""
    levels = [math.exp(entropy(members, c)) for members, c in _measured(rows, qi, [column])]
    return min(levels, default=None)


def recursive_c(rows: Rows, qi: Columns, column: int, l: int) -> Fraction | float | None:
    """Machanavajjhala 2006, recursive (c,l): what c must exceed; infinite below l values."""
    _expect(least=1, value=l)
    bounds: list[Fraction | float] = []
    for members, _ in _measured(rows, qi, [column]):
        r = frequencies(members, column)
        tail = sum(r[l - 1 :])
        bounds.append(Fraction(r[0], tail) if tail > 0 else math.inf)
    return max(bounds, default=None)


def is_recursive(rows: Rows, qi: Columns, column: int, c: Fraction | float, l: int) -> bool:
    """Machanavajjhala 2006: r_1 < c (r_l + ... + r_m), strictly, in every class."""
    _expect(least=1, value=l)
    counts = [frequencies(members, column) for members, _ in _measured(rows, qi, [column])]
    return len(counts) > 0 and all(r[0] < c * sum(r[l - 1 :]) for r in counts)


def alpha(rows: Rows, qi: Columns, column: int) -> Fraction | None:
    """Wong 2006: the largest share of one value among all rows of its class, known or not."""
    groups = [members for members, _ in _measured(rows, qi, [column])]
    return max((Fraction(frequencies(m, column)[0], len(m)) for m in groups), default=None)


def equal_distance(one: str, other: str) -> Fraction:
    """Return 0 for the same value, else 1."""
    return Fraction(one != other)


def ordered_distance(order: Sequence[str]) -> Distance:
    """Return |i - j| / (m - 1) on the m values listed; 0 where only one is listed."""
    if len(set(order)) < len(order):
        message = "expected each value once in the order"
        raise ValueError(message)
    steps = max(len(order) - 1, 1)
    return lambda one, other: Fraction(abs(order.index(one) - order.index(other)), steps)


def numeric_distance(numbers: Sequence[str]) -> Distance:
    """Return |a - b| over the range of the numbers given; 0 where the range is 0."""
    values = [Fraction(number) for number in numbers]
    span = max(values, default=Fraction(0)) - min(values, default=Fraction(0))
    return lambda one, other: abs(Fraction(one) - Fraction(other)) / (span or 1)


def earth_movers(have: Sequence[str], want: Sequence[str], distance: Distance) -> float:
    """Rubner's transportation problem between the distributions of two lists of values."""
    values = sorted({*have, *want})
    flows = [(source, target) for source in values for target in values]
    constraints, masses = [], []
    for value in values:  # all masses times len(have) * len(want), so that they are whole numbers
        constraints.append([int(source == value) for source, _ in flows])
        masses.append(have.count(value) * len(want))
        constraints.append([int(target == value) for _, target in flows])
        masses.append(want.count(value) * len(have))
    costs = [float(distance(source, target)) for source, target in flows]
    solution = linprog(costs, A_eq=constraints, b_eq=masses, bounds=(0, None))
    if solution.fun is None:
        raise ArithmeticError(solution.message)
    return float(solution.fun) / (len(have) * len(want))


def t_per_class(
    rows: Rows, qi: Columns, column: int, distance: Distance, unit: int | None = None
) -> dict[Row, float]:
    """Li 2007: how far each class is from all released rows, by known values on both sides."""
    overall = held_in(released(rows, qi), column, unit)
    found = {key: held_in(members, column, unit) for key, members in classes(rows, qi).items()}
    return {key: earth_movers(have, overall, distance) for key, have in found.items() if have}


def t_equal(rows: Rows, qi: Columns, column: int, unit: int | None = None) -> float | None:
    """Li 2007, equal distance: the largest t of a class."""
    return max(t_per_class(rows, qi, column, equal_distance, unit).values(), default=None)


def t_ordered(
    rows: Rows, qi: Columns, column: int, order: Sequence[str], unit: int | None = None
) -> float | None:
    """Li 2007, ordered distance; ``order`` is the domain, and an unlisted value is an error."""
    distance = ordered_distance(order)
    return max(t_per_class(rows, qi, column, distance, unit).values(), default=None)


def t_numeric(rows: Rows, qi: Columns, column: int, unit: int | None = None) -> float | None:
    """Case B28: the largest t by difference over range, the range that of the released rows."""
    distance = numeric_distance(known_in(released(rows, qi), column))
    return max(t_per_class(rows, qi, column, distance, unit).values(), default=None)


def level_of_meeting(one: str, other: str, paths: Mapping[str, Sequence[str]]) -> int:
    """Return the lowest level, column of the paths, on which both stand under one value.

    A value that is no leaf is under the same value as the leaves below it from its own level up.
    """
    height = len(next(iter(paths.values()))) - 1

    def at(value: str, level: int) -> str:
        path = next(path for path in paths.values() if value in path)
        last = max(i for i, node in enumerate(path) if node == value)
        return value if level <= last else path[level]

    return next(i for i in range(height + 1) if at(one, i) == at(other, i))


def tree_distance(paths: Mapping[str, Sequence[str]]) -> Distance:
    """Li 2007, section on categorical attributes: level of the meeting over the height."""
    height = len(next(iter(paths.values()))) - 1
    return lambda one, other: Fraction(level_of_meeting(one, other, paths), height)


def t_hierarchical(
    rows: Rows,
    qi: Columns,
    column: int,
    paths: Mapping[str, Sequence[str]],
    unit: int | None = None,
) -> float | None:
    """Li 2007, hierarchical distance: the largest t of a class."""
    return max(t_per_class(rows, qi, column, tree_distance(paths), unit).values(), default=None)


def least_deletions(
    members: Rows, sensitive: Columns, limits: Mapping[int, int] | None = None
) -> float | None:
    """GCG08 Def. 6 (with limits per column, Def. 7): the fewest values that delete every row.

    The same text in two columns is two values. An unknown cell may be each known value of its
    column, as in the filling that makes the number least; a row of unknown cells is left out.
    Infinite: no deletion that the limits allow deletes all rows.
    """
    members = [row for row in members if known([row[c] for c in sensitive])]
    everything = {(c, row[c]) for row in members for c in sensitive if known([row[c]])}
    held = [
        {(c, v) for c, v in everything if row[c] == v or not known([row[c]])} for row in members
    ]
    for size in range(1, len(everything) + 1):
        for deleted in combinations(everything, size):
            used = Counter(column for column, _ in deleted)
            allowed = all(used[column] <= most for column, most in (limits or {}).items())
            if allowed and all(values.intersection(deleted) for values in held):
                return size
    return math.inf if held else None


def multi_attribute_l(
    rows: Rows, qi: Columns, sensitive: Columns, limits: Mapping[int, int] | None = None
) -> float | None:
    """GCG08 Def. 6 and 7: the least ``least_deletions`` of a class."""
    found = [least_deletions(part, sensitive, limits) for part in classes(rows, qi).values()]
    return min((number for number in found if number is not None), default=None)


class Rule(NamedTuple):
    """Z07 section 3: X => Y and its counts of rows."""

    antecedent: tuple[tuple[int, Cell], ...]
    consequent: tuple[int, str]
    both: int
    of: int
    unknown: int  # rows with X whose cell for Y is unknown, counted in ``of`` too

    @property
    def confidence(self) -> Fraction:
        """The share of the rows with X that show Y: an unknown cell shows nothing."""
        return Fraction(self.both, self.of)


def rules(rows: Rows, qi: Columns, sensitive: Columns) -> list[Rule]:
    """Z07 section 4.1: every X => Y, X one or more quasi-identifiers, Y one known value.

    Only rows suppressed in all quasi-identifiers are left out, whatever X is.
    """
    kept, found = released(rows, qi), []
    for columns in [x for size in range(len(qi)) for x in combinations(qi, size + 1)]:
        for key, having in classes(kept, columns, exclude_suppressed_tuples=False).items():
            x = tuple(zip(columns, key, strict=True))
            for column in sensitive:
                values = known_in(having, column)
                n, gaps = len(having), len(having) - len(values)
                found += [Rule(x, (column, y), values.count(y), n, gaps) for y in set(values)]
    return found


def rule_confidence(rows: Rows, qi: Columns, sensitive: Columns) -> Fraction | None:
    """Z07 section 4.1: the largest confidence of a rule."""
    return max((rule.confidence for rule in rules(rows, qi, sensitive)), default=None)


def homogeneous_rows(rows: Rows, qi: Columns, column: int) -> list[int]:
    """TV06 section 2: the positions of all rows in classes that show exactly one known value."""
    one = {key for key, members in classes(rows, qi).items() if len(distinct(members, column)) == 1}
    return [position for position, row in enumerate(rows) if key_of(row, qi) in one]


def linkage(
    external_rows: Rows,
    released_rows: Rows,
    matches: Callable[[int, Cell, Cell], bool],
    columns: Sequence[tuple[int, int]] | None = None,
) -> list[list[int]]:
    """TV06 section 2: for each person the positions of the released rows that may be theirs.

    ``columns`` pairs external with released columns (default: same positions, external width);
    ``matches`` gets the released one and decides about suppressed tuples too: no row is left out.
    """

    def candidate(person: Row, row: Row) -> bool:
        pairs = [(c, c) for c in range(len(person))] if columns is None else columns
        return all(matches(theirs, person[ours], row[theirs]) for ours, theirs in pairs)

    places = range(len(released_rows))
    return [[i for i in places if candidate(who, released_rows[i])] for who in external_rows]


def _shares(
    rows: Rows, qi: Columns, column: int, unit: int | None = None
) -> list[dict[str, tuple[Fraction, Fraction]]]:
    """For each class every value of the release with its share there and in the whole."""
    overall, found = held_in(released(rows, qi), column, unit), []
    for members, _ in _measured(rows, qi, [column]):
        here = held_in(members, column, unit)
        share = {
            value: (
                Fraction(here.count(value), len(here)),
                Fraction(overall.count(value), len(overall)),
            )
            for value in set(overall)
        }
        found.append(share)
    return found


def delta_disclosure(
    rows: Rows, qi: Columns, column: int, *, ignore_absent: bool = False, unit: int | None = None
) -> float | None:
    """Brickell 2008: the largest |ln(q / p)|; an absent value has q = 0, and ln 0 is infinite."""
    levels = []
    for shares in _shares(rows, qi, column, unit):
        for q, p in shares.values():
            if q > 0:
                levels.append(abs(math.log(q) - math.log(p)))
            elif not ignore_absent:
                levels.append(math.inf)
    return max(levels, default=None)


def is_beta_like(
    rows: Rows, qi: Columns, column: int, beta: float, *, enhanced: bool, unit: int | None = None
) -> bool:
    """Cao 2012: no q above p by more than beta (enhanced: or -ln p) times p."""
    pairs = [pair for shares in _shares(rows, qi, column, unit) for pair in shares.values()]
    return len(pairs) > 0 and all(
        float((q - p) / p) <= (min(beta, -math.log(p)) if enhanced else beta)
        for q, p in pairs
        if q > p
    )


def beta_likeness(rows: Rows, qi: Columns, column: int, unit: int | None = None) -> Fraction | None:
    """Cao 2012, basic: the largest relative gain; a loss is none."""
    pairs = [pair for shares in _shares(rows, qi, column, unit) for pair in shares.values()]
    return max((max((q - p) / p, Fraction(0)) for q, p in pairs), default=None)


def worlds_of(rows: Rows, qi: Columns, column: int) -> list[tuple[str, ...]]:
    """Martin 2007: all ways to hand out the known values of each class to its rows that have one.

    A world lists the values of the rows, class by class.
    """
    groups = [known_in(members, column) for members in classes(rows, qi).values()]
    each = [sorted(set(permutations(group))) for group in groups]
    return [sum(world, ()) for world in product(*each)]


def highest_chance(rows: Rows, qi: Columns, column: int, k: int, form: str) -> Fraction | None:
    """Martin 2007: the highest Pr(a person has a value | k implications), over all of them.

    ``form`` is "one-target" (atom => atom, the same atom on the right), "simple" (atom => atom), or
    "basic" (some atoms => one of some atoms). An event is the set of worlds in which it occurs, the
    bits of a number.
    """
    worlds = worlds_of(rows, qi, column)
    values, everything = sorted({*known_in(rows, column)}), 2 ** len(worlds) - 1
    atoms = {
        sum(1 << w for w, world in enumerate(worlds) if world[person] == value)
        for person in range(len(worlds[0]))
        for value in values
    }
    if form == "one-target":
        known = {a: _all_of(({everything ^ b | a for b in atoms}), k, everything) for a in atoms}
    else:
        left, right = {*atoms}, {*atoms}
        if form == "basic":
            while (more := left | {a & b for a in left for b in atoms}) != left:
                left = more
            while (more := right | {a | b for a in right for b in atoms}) != right:
                right = more
        said = _all_of({everything ^ a | b for a in left for b in right}, k, everything)
        known = dict.fromkeys(atoms, said)
    return max(
        (
            Fraction((atom & given).bit_count(), given.bit_count())
            for atom, all_given in known.items()
            for given in all_given
            if given
        ),
        default=None,
    )


def _all_of(events: set[int], k: int, everything: int) -> set[int]:
    """All events that say up to ``k`` events occur."""
    result = {everything}
    for _ in range(k):
        result |= {one & other for one in result for other in events}
    return result


def k_e(rows: Rows, qi: Columns, column: int) -> tuple[int, Fraction] | None:
    """Zhang 2007: the fewest different values of a class, and the least range of a class."""
    groups = [known_in(members, column) for members, _ in _measured(rows, qi, [column])]
    if not groups:
        return None
    spans = [max(map(Fraction, group)) - min(map(Fraction, group)) for group in groups]
    return min(len(set(group)) for group in groups), min(spans)


def prosecutor_risks(rows: Rows, qi: Columns) -> list[Fraction]:
    """El Emam 2008: for each released row 1 over the rows that share its key."""
    keys = [key_of(row, qi) for row in released(rows, qi)]
    return [Fraction(1, keys.count(key)) for key in keys]


def journalist_risks(rows: Rows, qi: Columns, population: Sequence[Row]) -> list[Fraction]:
    """El Emam 2008: for each released row 1 over the people with its key, itself one of them.

    ``population`` lists keys. It cannot have fewer people with a key than the release.
    """
    keys = [key_of(row, qi) for row in released(rows, qi)]
    return [Fraction(1, max(list(population).count(key), keys.count(key))) for key in keys]


def k_map(rows: Rows, qi: Columns, population: Sequence[Row]) -> int | None:
    """Sweeney 2002: the fewest people of the population who share a released key."""
    return min((list(population).count(key) for key in classes(rows, qi)), default=None)


def sample_uniques(rows: Rows, qi: Columns) -> list[int]:
    """Return the positions of the rows, suppressed tuples left out, that share no key."""
    keys = [None if is_suppressed(row, qi) else key_of(row, qi) for row in rows]
    return [i for i, key in enumerate(keys) if key is not None and keys.count(key) == 1]


def minimal_sample_uniques(rows: Rows, qi: Columns) -> list[list[tuple[int, ...]]]:
    """Elliot 2002: for each released row the columns it is alone on, no smaller part being so."""
    kept = released(rows, qi)

    def alone(row: Row, columns: Columns) -> bool:
        return [key_of(other, columns) for other in kept].count(key_of(row, columns)) == 1

    sets = [x for size in range(1, len(qi) + 1) for x in combinations(qi, size)]
    found = []
    for row in kept:
        unique = [columns for columns in sets if alone(row, columns)]
        found.append([x for x in unique if not any(set(part) < set(x) for part in unique)])
    return found


def suda_scores(rows: Rows, qi: Columns, most: int) -> list[int]:
    """Elliot 2002: per released row, over its small sets, the paths up to sets of ``most``."""
    m, scores = len(qi), []
    for sets in minimal_sample_uniques(rows, qi):
        score = 0
        for columns in sets:
            if len(columns) <= most:
                score += math.prod(m - size for size in range(len(columns), min(most, m)))
        scores.append(score)
    return scores


def individual_risk(f: int, weight: float) -> float:
    """Benedetti 1998: E[1/F | f], F - f negative binomial with p = f / weight, term by term.

    P(F = f + j) = C(f + j - 1, j) p^f (1 - p)^j; summed until nothing is left to matter.
    """
    p = min(f / weight, 1.0)
    probability, total, j, left = p**f, 0.0, 0, 1.0
    while left > 1e-15 and j < 10**6:
        total += probability / (f + j)
        left -= probability
        probability *= (f + j) / (j + 1) * (1 - p)
        j += 1
    return total


def _completions(cells: Sequence[Cell], values: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Every way to fill the unknown cells."""
    options = [[cell] if known([cell]) else list(values) for cell in cells]
    return product(*options)  # type: ignore[arg-type]


def confidence_interval(
    rows: Rows, qi: Columns, column: int, rule: tuple[Mapping[int, Cell], str]
) -> tuple[Fraction, Fraction]:
    """The lowest and highest confidence of X => Y over all fillings of the column's gaps.

    A gap may hold any value of the column, or one that is not seen in the release.
    """
    antecedent, y = rule
    kept = released(rows, qi)
    values = [*sorted(set(known_in(kept, column))), "unseen"]
    cells = [row[column] for row in kept if all(row[c] == x for c, x in antecedent.items())]
    found = [Fraction(full.count(y), len(full)) for full in _completions(cells, values)]
    return min(found), max(found)


def highest_possible_confidence(rows: Rows, qi: Columns, sensitive: Columns) -> Fraction | None:
    """The largest confidence of a rule in any filling of the gaps, whole classes and parts."""
    kept, best = released(rows, qi), None
    for columns in [x for size in range(len(qi)) for x in combinations(qi, size + 1)]:
        for key in {key_of(row, columns) for row in kept}:
            for c in sensitive:
                x = dict(zip(columns, key, strict=True))
                for y in [*set(known_in(kept, c)), "unseen"]:
                    _, highest = confidence_interval(rows, qi, c, (x, y))
                    best = highest if best is None else max(best, highest)
    return best


def all_m_anonymity(
    rows: Rows, qi: Columns, m: int, *, wildcards: bool = False, weight: float = 1.0
) -> float | None:
    """The all-m approach: the smallest class of any 1 to m columns, counted by these alone."""
    kept, smallest = released(rows, qi), []
    for columns in [x for size in range(1, m + 1) for x in combinations(qi, size)]:
        if wildcards:
            groups = wildcard_classes(released(kept, columns), columns, weight).values()
            smallest += [size for size, _ in groups]
        elif (size := k_anonymity(kept, columns)) is not None:
            smallest.append(size)
    return min(smallest, default=None)


def delta_presence(rows: Rows, qi: Columns, population: Sequence[Row]) -> Fraction | None:
    """Nergiz 2007 Def. 1: the highest chance of a person of the population to be in the release.

    ``population`` lists the key of each of its people, those of the release among them.
    """
    groups = classes(rows, qi)
    chances = [
        Fraction(len(groups[key]), population.count(key)) for key in population if key in groups
    ]
    return max(chances, default=None)


def possible_presence(rows: Rows, qi: Columns, population: Sequence[Row]) -> Fraction | None:
    """The highest chance of delta_presence, whosever the suppressed tuples are.

    Every one of them is given to every person of the population who can have one more row.
    """
    kept, best = [key_of(row, qi) for row in released(rows, qi)], None
    for whose in product(set(population), repeat=len(suppressed_tuples(rows, qi))):
        full = [*kept, *whose]
        if all(full.count(key) <= population.count(key) for key in set(population)):
            found = delta_presence(full, range(len(qi)), population)
            best = found if best is None or (found is not None and found > best) else best
    return best


def household_risks(rows: Rows, qi: Columns, household: int) -> dict[Cell, Fraction]:
    """sdcMicro's hierarchical risk: by household 1 - the product of (1 - r) over its members.

    r is the share of a member's class that belongs to the household.
    """
    groups, risks = classes(rows, qi), {}
    for home in {row[household] for row in released(rows, qi)}:
        missed = Fraction(1)
        for row in released(rows, qi):
            if row[household] == home:
                of_home = [other[household] for other in groups[key_of(row, qi)]]
                missed *= 1 - Fraction(of_home.count(home), len(of_home))
        risks[home] = 1 - missed
    return risks


def suda_contributions(rows: Rows, qi: Columns, most: int) -> dict[int, Fraction] | None:
    """sdcMicro's attribute_contributions, as shares: of all scores what comes of sets with c."""
    total, of = Fraction(0), dict.fromkeys(qi, Fraction(0))
    for sets in minimal_sample_uniques(rows, qi):
        for columns in sets:
            if len(columns) <= most:
                path = math.prod(len(qi) - size for size in range(len(columns), min(most, len(qi))))
                total += path
                for c in columns:
                    of[c] += path
    return {c: part / total for c, part in of.items()} if total else None
