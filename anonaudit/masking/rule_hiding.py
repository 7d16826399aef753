"""Hiding sensitive association rules by suppressing sensitive cells (Z07 section 4.1)."""

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

MOST_RULE_COLUMNS: Final = 12  # whose sets are all gone through


def hide_rules(
    data: Microdata,
    *,
    c: float,
    at_least: int = 1,
    seed: int | None = None,
    as_printed: bool = False,
) -> Recoding:
    """Suppress the fewest sensitive cells that bring every rule below confidence c.

    data: a table that is k-anonymous already; its quasi-identifiers are not touched, so it stays
        so. A rule goes from values of quasi-identifiers to a sensitive value. The surest rules
        are those of whole classes (any other is a weighted mean of them), so each class and
        sensitive attribute is looked at once: where the share of a value among the rows of the
        class is c or more, cells with it are suppressed, one after the other, until it is below.
    at_least: where any cell is suppressed, so many are (or all that show the value): Z07's guard
        for rules that few tuples support. It does not help against who knows the algorithm.
    seed: of the choice of cells, see `drawing`; None draws it from the operating system. Whoever
        knows the choice rules out every value that is shown in a row chosen before a gap.
    as_printed: take the first rows, as the paper's example does; not for a release.

    Hiding one rule raises no other: the rows with the antecedent stay the same. The number of
    cells is the smallest that does it, for each class and value.

    Where persons have several rows, confidence is a share of persons, who may be in several
    classes; so a rule over fewer columns can be surer than those of all classes. Then the rules of
    every set of quasi-identifiers are brought below c, the largest sets first, up to MOST_COLUMNS
    columns (of more, whole classes only), and where a person hides a value, all rows of the person
    that the rule speaks of do.

    Returns a Recoding with the suppressed cells in `hidden`; no row is suppressed, no group
    changed. `how["cells"]` is the number of cells suppressed.

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
    """The cells that bring the rules of every set of quasi-identifiers below c of the persons."""
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
    """A counter-measure: suppress as many cells in every class, drawn without looking at them.

    `hide_rules` suppresses where a value is frequent, so that a suppressed cell says which value
    it held: of (*, *, heart disease) at c = 0.7 only three heart diseases can be the original.
    Here each class of n rows loses, in each sensitive attribute, the number of cells that a class
    of one value would have to lose, drawn at random. No rule can reach c then, and as neither
    their number nor their place depends on the values, what is left says nothing about them:
    every filling of the gaps may be the original.

    The price is about (1 - c) of all sensitive cells, where `hide_rules` pays only for classes
    with a sure rule. Parameters, result and errors as for `hide_rules`.

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
        raise ParameterError("even hiding counts rows; use hide_rules where persons have several")
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
    """The fewest cells to take from `count` so that the share of what is left is below c."""
    left = np.maximum(np.ceil(c * size).astype(np.int64), 1)  # may be one off, in floats
    for _ in range(2):
        left -= (left / size >= c) & (left > 0)
    left += (left + 1) / size < c
    surplus: Counts = np.maximum(count - left, 0)
    return surplus


def _rank(group: Index, order: Index) -> Index:
    """The place of each row within its group, in a given order of all rows."""
    sorted_rows = order[np.argsort(group[order], kind="stable")]
    rank = np.empty(len(group), np.intp)
    rank[sorted_rows] = runs(np.bincount(group))[1]
    return rank


def _recoding(
    data: Microdata, group: Index, keys: Codes, hidden: Bools, name: str, how: dict[str, object]
) -> Recoding:
    """The rows as they are, each class a group; a tree's path holds the ground nodes."""
    hidden &= data.sensitive >= FIRST_VALUE
    trees = tuple(tree_of(data, attribute) for attribute in data.roles.quasi_identifiers)
    ground = np.column_stack([tree.path[keys[:, j], 0] for j, tree in enumerate(trees)])
    how = {**how, "cells": int(hidden.sum())}
    return Recoding(data, group, trees, ground, name, how, hidden)
