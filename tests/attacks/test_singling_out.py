"""Combinations of labels that fit one person: by hand, and by every combination and person."""

from itertools import combinations
from math import prod

import numpy as np
import pandas as pd
import pytest

import anonaudit
from anonaudit.policy.policy import parse_policy

COLUMNS = ("age", "sex", "dx")


def facts(people, rows):
    """The counts by the number of columns; people and rows stand in one order."""
    tables = [pd.DataFrame(table, columns=list(COLUMNS)) for table in (people, rows)]
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age', 'sex'], sensitive = ['dx'] }\n"
        "attacks.best-guess = {}"
    )
    report = anonaudit.audit(tables[1], policy, original=tables[0], align="order")
    found = next(a for a in report.attacks if a.attack == "best-guess").details["singling out"]
    return {
        size: (one["predicates"], one["single out one person"], one["may single out"])
        for size, one in found.items()
    }, {size: one["expected by chance"] for size, one in found.items()}


def test_by_hand():
    """Of single labels, `[30,40)` and `hiv` are one row's. Only Ann is in her thirties."""
    people = [("31", "F", "flu"), ("44", "F", "flu"), ("45", "F", "hiv")]
    rows = [("[30,40)", "F", "flu"), ("[40,50)", "F", "flu"), ("[40,50)", "F", "hiv")]
    found, by_chance = facts(people, rows)
    assert found["1"] == (2, 2, 0)
    # (age, sex) of the first row; all three of (age, dx); (sex, hiv).
    assert found["2"] == (5, 5, 0)
    # A label that fits one of three people: 3 * 1/3 * (2/3) ** 2 = 4/9.
    assert by_chance["1"] == pytest.approx(2 * 4 / 9)


def test_a_label_that_is_not_understood_leaves_it_open():
    """`young` may be Ann's age alone, or Bob's, or nobody's."""
    people = [("31", "F", "flu"), ("44", "F", "flu"), ("45", "F", "flu")]
    rows = [("young", "F", "flu"), ("44", "F", "flu"), ("44", "F", "flu")]
    assert facts(people, rows)[0]["1"] == (1, 0, 1)


def test_a_suppressed_cell_is_no_label():
    people = [("31", "F", "flu"), ("44", "F", "flu")]
    assert facts(people, [("*", "F", "flu"), ("*", "F", "flu")])[0] == {
        "1": (0, 0, 0),
        "2": (0, 0, 0),
    }


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 30))]
)
def test_by_every_combination_and_person(seed):
    rng = np.random.default_rng(seed)
    people = [
        (str(rng.integers(20, 26)), "FM"[rng.integers(2)], ("flu", "hiv", "gout")[rng.integers(3)])
        for _ in range(7)
    ]

    def banded(age):
        low = int(age) // 2 * 2
        return f"[{low},{low + 2})"

    def label(age):
        return (age, banded(age), "*")[rng.integers(3)]

    rows = [(label(age), (sex, "*")[rng.integers(2)], dx) for age, sex, dx in people]

    def fits(cell, said):
        return said in (cell, "*") or (said[0] == "[" and banded(cell) == said)

    found, by_chance = facts(people, rows)
    for size in (1, 2):
        predicates, alone, expected = 0, 0, 0.0
        for chosen in combinations(range(3), size):
            labels = [tuple(row[c] for c in chosen) for row in rows]
            for one in labels:
                if labels.count(one) == 1 and "*" not in one:
                    each = [
                        [fits(p[c], x) for c, x in zip(chosen, one, strict=True)] for p in people
                    ]
                    predicates += 1
                    alone += sum(map(all, each)) == 1
                    share = prod(sum(column) / 7 for column in zip(*each, strict=True))
                    expected += 7 * share * (1 - share) ** 6
        assert found[str(size)] == (predicates, alone, 0)
        assert by_chance[str(size)] == pytest.approx(expected)
