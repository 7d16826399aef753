"""Adversaries by brute force, over plain lists of rows: everything tried, nothing clever.

Rows are tuples of cells as in oracle.py; nothing here imports anonaudit.
"""

import math
from collections import Counter
from itertools import combinations, permutations, product

from oracle import key_of, known


def values_that_survive(rows, gone, column):
    """The values of a column in the rows without an eliminated value.

    gone: the eliminated values by column.
    """
    left = [row for row in rows if not any(row[j] in values for j, values in gone.items())]
    return {row[column] for row in left}


def _surviving(people, gone):
    """Those of whom no row carries an eliminated value; values are (column, text) pairs."""
    return [
        rows
        for rows in people
        if not any((c, row[c]) in gone for row in rows for c in range(len(row)))
    ]


def least_eliminations(rows, qi, sensitive, position, limits=None, unit=None):
    """For the row at a position, by sensitive column, the fewest values to eliminate.

    Values that the target (its person, in this class) does not have, until all that survive carry
    one and the same value of the column as the target does.
    """
    target = rows[position]
    inside = [row for row in rows if key_of(row, qi) == key_of(target, qi)]
    if unit is None:
        people, mine = [[row] for row in inside], [target]
    else:
        names = sorted({row[unit] for row in inside})
        people = [[row for row in inside if row[unit] == name] for name in names]
        mine = [row for row in inside if row[unit] == target[unit]]
    own = {(c, row[c]) for row in mine for c in sensitive}
    others = {(c, row[c]) for row in inside for c in sensitive if known([row[c]])} - own
    found = {}
    for column in sensitive:
        found[column] = math.inf
        values = known(row[column] for row in mine)
        for size in range(len(others) + 1):
            for gone in combinations(sorted(others), size):
                used = Counter(c for c, _ in gone)
                if any(used[c] > most for c, most in (limits or {}).items()):
                    continue
                left = _surviving(people, set(gone))
                if any(all(any(r[column] == v for r in one) for one in left) for v in values):
                    found[column] = min(found[column], size)
    return found


def least_knowledge(rows, qi, sensitive, position, confidence, min_rows=1):
    """The fewest quasi-identifiers of a rule of that confidence about a row; None if none is."""
    target = rows[position]
    for size in range(1, len(qi) + 1):
        for columns in combinations(qi, size):
            if len(known(key_of(target, columns))) < size:
                continue
            having = [row for row in rows if key_of(row, columns) == key_of(target, columns)]
            for column in sensitive:
                for n in Counter(known(row[column] for row in having)).values():
                    if n >= min_rows and n >= confidence * len(having) - 1e-9:
                        return size
    return None


def hide(values, limit, least):
    """Z07 section 4.1 for one class, one tuple at a time; what is left, and how many are gone.

    limit: a Fraction. Rules are hidden while they reach it, and of each rule at least `least`.
    """
    left, n = Counter(values), len(values)
    for value, frequency in Counter(values).items():
        if frequency >= limit * n:
            gone = 0
            while left[value] > 0 and (left[value] >= limit * n or gone < least):
                left[value] -= 1
                gone += 1
    return frozenset((+left).items()), n - sum(left.values())


def behind_suppressed(shown, gone, domain, limit, least):
    """The chance of each value behind a suppressed cell: every filling tried, all as likely."""
    fixed = [value for value, n in shown.items() for _ in range(n)]
    weights, total = Counter(), 0
    for filling in product(domain, repeat=gone):
        if hide([*fixed, *filling], limit, least) == (frozenset((+Counter(shown)).items()), gone):
            total += 1
            weights.update(filling)
    return {value: n / (total * gone) for value, n in weights.items()}


def who_has_what(people, secrets, masker, release):
    """The chance of each secret of each person: every order of the secrets put to the masker."""
    found, total = [Counter() for _ in people], 0
    for order in permutations(secrets):
        world = [(*person, *secret) for person, secret in zip(people, order, strict=True)]
        masked = masker(world)
        if masked is not None and Counter(masked) == Counter(release):
            total += 1
            for counter, secret in zip(found, order, strict=True):
                counter[secret] += 1
    return [{secret: n / total for secret, n in counter.items()} for counter in found]
