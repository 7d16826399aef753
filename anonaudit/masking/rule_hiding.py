"""Hide sensitive association rules by suppressing sensitive cells (Z07 section 4.1)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final

import numpy as np

from anonaudit.arrays import Bools, Index
from anonaudit.cells import FIRST_VALUE
from anonaudit.frequency.codes import Codes, by_column, distinct_rows, runs
from anonaudit.frequency.frequency_set import Counts
from anonaudit.masking.order import drawing
from anonaudit.masking.recoding import Microdata, Recoding
from anonaudit.masking.trees import tree_of
from anonaudit.models.level import ParameterError, real_number, whole_number

# With more quasi-identifiers, their 2**n subsets are not enumerated.
MOST_RULE_COLUMNS: Final = 12


def hide_rules(
    data: Microdata,
    *,
    c: float,
    at_least: int = 1,
    seed: int | None = None,
    as_printed: bool = False,
) -> Recoding:
    """Suppress sensitive cells until every rule has a confidence below c.

    A rule predicts a sensitive value from values of quasi-identifiers, for example: if zip is a,
    the illness is flu. The confidence of this rule is the share of flu among the rows with zip a.

    A rule over fewer columns never has a higher confidence than the best rule over all
    quasi-identifiers, because its confidence is a weighted mean of the confidences in the classes.
    So it is enough to treat every class once for each sensitive attribute: if the share of a value
    in the class is c or more, cells with this value are suppressed until the share is below c.
    Suppression does not change the number of rows that a rule applies to, so it never raises the
    confidence of another rule. With `at_least` = 1, the number of suppressed cells is the least
    possible for each class and value.

    If persons have several rows, confidence is a share of persons. A person may be in several
    classes, so a rule over fewer columns can have a higher confidence than every rule over all
    columns. Therefore the rules over every subset of the quasi-identifiers are brought below c, the
    largest subsets first. If there are more than MOST_RULE_COLUMNS quasi-identifiers, only the
    rules over all columns are brought below c. If a person's value is suppressed for a rule, it is
    suppressed in all rows of the person that the rule applies to.

    data: a table that is k-anonymous already. Its quasi-identifiers do not change, so it stays
        k-anonymous.
    c: every rule must have a confidence below this number.
    at_least: if cells with some value are suppressed in a class, at least this number of them is
        suppressed (or all of them, if there are fewer). If persons have several rows, `at_least`
        counts persons. This is Z07's protection of rules that few tuples support. It does not help
        against an adversary who knows the algorithm.
    seed: the seed of the choice of cells, see `drawing`; None draws from the operating system.
        An adversary who knows the seed knows the order in which the cells of a class were
        considered. The adversary can then exclude values: if a value is still shown in a row that
        comes before a suppressed cell, the suppressed cell had another value.
    as_printed: True suppresses the first rows of each class, as the example of the paper does. Do
        not use it for a release. It is ignored if persons have several rows.

    Returns a Recoding with the suppressed cells in `hidden`. No row is suppressed, and no group
    changes. `how["cells"]` is the number of suppressed cells.

    Raises ParameterError unless 0 < c <= 1 and at_least >= 1.

    Source: Z07 section 4.1, step 3; example in section 4.2.

    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> table = pd.DataFrame({"zip": ["a"] * 3, "illness": ["flu"] * 3})
    >>> data = Microdata.read(table, Roles(("zip",), ("illness",)))
    >>> hide_rules(data, c=0.7, as_printed=True).frame()["illness"].tolist()
    ['*', 'flu', 'flu']
    """
    _check(c, at_least)
    keys, group = distinct_rows(data.quasi)
    how: dict[str, object] = {"c": c, "at_least": at_least, "seed": seed}
    if data.persons is not None:
        hidden = _hidden_by_persons(data, data.persons, c, at_least, drawing(seed))
        return _recoding(data, group, keys, hidden, "rule hiding", how)
    sizes = np.bincount(group)
    order = np.arange(len(data)) if as_printed else drawing(seed)(len(data))
    hidden = np.zeros(data.sensitive.shape, bool)
    for j in range(data.sensitive.shape[1]):
        values = data.sensitive[:, j]
        pairs, pair = distinct_rows(np.column_stack([group, values]))
        count = np.bincount(pair, minlength=len(pairs))
        too_many = _surplus(count, sizes[pairs[:, 0]], c)
        needed = np.where(too_many > 0, np.minimum(np.maximum(too_many, at_least), count), 0)
        needed[pairs[:, 1] < FIRST_VALUE] = 0
        hidden[:, j] = _rank(pair, order) < needed[pair]
    return _recoding(data, group, keys, hidden, "rule hiding", how)


def _hidden_by_persons(
    data: Microdata, persons: Codes, c: float, at_least: int, draw: Callable[[int], Index]
) -> Bools:
    """Return a mask of the cells to suppress so that every rule has a confidence below c.

    Confidence is a share of persons. The rules are those over every subset of the quasi-identifiers
    or, with more than MOST_RULE_COLUMNS quasi-identifiers, only those over all of them.
    """
    columns = range(data.quasi.shape[1])
    sets = [tuple(columns)]
    if len(columns) <= MOST_RULE_COLUMNS:
        sets += [some for n in columns[:0:-1] for some in combinations(columns, n)]
    hidden = np.zeros(data.sensitive.shape, bool)
    for chosen in sets:
        group = distinct_rows(data.quasi, chosen)[1]
        people = distinct_rows(by_column([group, persons]))[0]
        sizes = np.bincount(people[:, 0])
        for j, values in enumerate(data.sensitive.T):
            rows = np.flatnonzero(~hidden[:, j] & (values >= FIRST_VALUE))
            shown, who = distinct_rows(by_column([group[rows], values[rows], persons[rows]]))
            rules, rule = distinct_rows(shown, (0, 1))
            count = np.bincount(rule, minlength=len(rules))
            too_many = _surplus(count, sizes[rules[:, 0]], c)
            needed = np.where(too_many > 0, np.minimum(np.maximum(too_many, at_least), count), 0)
            hides = _rank(rule, draw(len(rule))) < needed[rule]
            hidden[rows[hides[who]], j] = True
    return hidden


def hide_evenly(
    data: Microdata, *, c: float, at_least: int = 1, seed: int | None = None
) -> Recoding:
    """Suppress randomly drawn sensitive cells; their number in a class depends on its size only.

    This function protects against an adversary who knows the algorithm. `hide_rules` suppresses
    cells only where a value is frequent, so a suppressed cell reveals its value. For example, if a
    class shows `*`, `*`, heart disease at c = 0.7, all three cells were heart disease.

    `hide_evenly` assumes the worst case in each class and sensitive attribute: all cells have the
    same value. It suppresses as many cells as this case needs, so that no rule can reach c. Neither
    the number nor the place of the suppressed cells depends on the values, so a suppressed cell may
    have had any value.

    A share of about 1 - c of all sensitive cells is suppressed, while `hide_rules` suppresses cells
    only in classes with a rule of confidence c or more. Parameters, result and errors are those of
    `hide_rules`. Also raises ParameterError if persons have several rows.

    Source: ours; see the claim Z07-no-certainty.

    >>> from anonaudit.roles import Roles
    >>> import pandas as pd
    >>> table = pd.DataFrame({"zip": ["a"] * 3, "illness": ["flu", "hiv", "tb"]})
    >>> data = Microdata.read(table, Roles(("zip",), ("illness",)))
    >>> int(hide_evenly(data, c=0.7, at_least=2, seed=1).hidden.sum())
    2
    """
    _check(c, at_least)
    if data.persons is not None:
        raise ParameterError(
            "hide_evenly counts rows, but the table has a unit column; use hide_rules instead"
        )
    keys, group = distinct_rows(data.quasi)
    sizes = np.bincount(group)
    lost = np.minimum(np.maximum(_surplus(sizes, sizes, c), at_least), sizes)
    hidden = np.zeros(data.sensitive.shape, bool)
    draw = drawing(seed)
    for j in range(data.sensitive.shape[1]):
        hidden[:, j] = _rank(group, draw(len(data))) < lost[group]
    how: dict[str, object] = {"c": c, "at_least": at_least, "seed": seed}
    return _recoding(data, group, keys, hidden, "even hiding", how)


def _check(c: float, at_least: int) -> None:
    real_number("c", c, 0, 1, above=True)
    whole_number("at_least", at_least, 1)


def _surplus(count: Counts, size: Counts, c: float) -> Counts:
    """Return the least number of cells to suppress so that the share of a value is below c.

    The share is the number of cells that still show the value, divided by `size`.

    count: the number of cells with the value. size: the number of cells in the class. Both are
    arrays of the same shape, and so is the result.
    """
    # `left` may be off by one in floating point, so it is corrected below.
    left = np.maximum(np.ceil(c * size).astype(np.int64), 1)
    for _ in range(2):
        left -= (left / size >= c) & (left > 0)
    left += (left + 1) / size < c
    surplus: Counts = np.maximum(count - left, 0)
    return surplus


def _rank(group: Index, order: Index) -> Index:
    """Return the rank of each row within its group, from 0, if all rows are sorted by `order`.

    order: the row numbers in the order in which they count.
    """
    sorted_rows = order[np.argsort(group[order], kind="stable")]
    rank = np.empty(len(group), np.intp)
    rank[sorted_rows] = runs(np.bincount(group))[1]
    return rank


def _recoding(
    data: Microdata, group: Index, keys: Codes, hidden: Bools, name: str, how: dict[str, object]
) -> Recoding:
    """Return a recoding with the original quasi-identifiers, one group for each class."""
    hidden &= data.sensitive >= FIRST_VALUE
    trees = tuple(tree_of(data, attribute) for attribute in data.roles.quasi_identifiers)
    # Level 0 of a tree's path is the node of the original value.
    ground = np.column_stack([tree.path[keys[:, j], 0] for j, tree in enumerate(trees)])
    how = {**how, "cells": int(hidden.sum())}
    return Recoding(data, group, trees, ground, name, how, hidden)
