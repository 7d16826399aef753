"""Rule hiding against Z07's tables, the smallest number by brute force, and who knows how it works."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from masking.tables import Row, fewer, lines, microdata, released, tables

from anonaudit import datasets
from anonaudit.findings import Outcome
from anonaudit.masking.recoding import Microdata
from anonaudit.masking.rule_hiding import hide_evenly, hide_rules
from anonaudit.models import KAnonymity, RuleConfidence
from anonaudit.models.level import ParameterError
from anonaudit.roles import Roles

ROLES = Roles(("date-of-birth", "race", "sex", "zip-code"), ("disease",))


def z07(table: str) -> Microdata:
    return Microdata.read(datasets.path(f"Z07/{table}.csv"), ROLES)


@pytest.mark.parametrize(
    ("start", "c", "at_least", "end"),
    [
        ("table2", 0.7, 1, "table3"),
        ("table2", 0.7, 2, "table4"),
        ("table4", 2 / 3, 1, "section5"),
    ],
)
def test_the_tables_of_z07(start: str, c: float, at_least: int, end: str) -> None:
    found = hide_rules(z07(start), c=c, at_least=at_least, as_printed=True)
    assert found.frame()["disease"].tolist() == [line["disease"] for line in lines(f"Z07/{end}")]
    columns = [[line[a] for line in lines(f"Z07/{end}")] for a in ROLES.quasi_identifiers]
    assert [found.frame()[a].tolist() for a in ROLES.quasi_identifiers] == columns
    assert KAnonymity(k=3).measure(found.classes()).measured == 3


confidences = st.sampled_from([0.3, 1 / 3, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.9, 1.0])


@fewer
@given(tables(quasi=2, sensitive=2), confidences, st.integers(1, 3), st.integers(0, 2))
def test_no_rule_is_left_and_no_cell_too_many_is_hidden(
    rows: list[Row], c: float, at_least: int, seed: int
) -> None:
    data = microdata(rows, 2, 2)
    for start in (None, seed):
        found = hide_rules(data, c=c, at_least=at_least, seed=start)
        assert found.hidden is not None
        shown = released(found)
        highest = oracle.rule_confidence(shown, (0, 1), (2, 3))
        assert highest is None or float(highest) < c
        assert [row[:2] for row in shown] == [row[:2] for row in rows]
        outcome = RuleConfidence(below=c).measure(found.classes()).outcome
        assert outcome in {Outcome.HOLDS, Outcome.INCONCLUSIVE}
        for key in {row[:2] for row in rows}:
            inside = [i for i, row in enumerate(rows) if row[:2] == key]
            for j in (2, 3):
                count = Counter(rows[i][j] for i in inside)
                hidden = Counter(rows[i][j] for i in inside if found.hidden[i, j - 2])
                for value in oracle.known(count):
                    n = count[value]
                    least = next(s for s in range(n + 1) if (n - s) / len(inside) < c)
                    assert hidden[value] == (min(max(least, at_least), n) if least else 0)
                assert set(hidden) <= set(oracle.known(count))
    again = hide_rules(data, c=c, at_least=at_least, seed=seed)
    assert (again.hidden == hide_rules(data, c=c, at_least=at_least, seed=seed).hidden).all()


def test_the_number_hidden_is_the_smallest_of_all() -> None:
    for values in product("xyz", repeat=4):
        data = microdata([("0", v) for v in values], 1, 1)
        for c in (0.4, 0.5, 0.75, 0.8):
            least = next(
                size
                for size in range(5)
                for gone in combinations(range(4), size)
                if all(
                    sum(values[i] == v for i in range(4) if i not in gone) / 4 < c for v in values
                )
            )
            assert hide_rules(data, c=c).how["cells"] == least


@fewer
@given(tables(quasi=2, sensitive=1), confidences, st.integers(1, 3), st.integers(0, 5))
def test_even_hiding_lets_no_rule_through(
    rows: list[Row], c: float, at_least: int, seed: int
) -> None:
    found = hide_evenly(microdata(rows, 2, 1), c=c, at_least=at_least, seed=seed)
    highest = oracle.rule_confidence(released(found), (0, 1), (2,))
    assert highest is None or float(highest) < c


@given(tables(quasi=2, sensitive=1, unknown=False), st.data())
def test_even_hiding_does_not_look_at_the_values(rows: list[Row], data: st.DataObject) -> None:
    """So a release is as likely under any filling of its gaps: it says nothing about them."""
    others = [(*row[:2], data.draw(st.sampled_from("xyz"))) for row in rows]
    one = hide_evenly(microdata(rows, 2, 1), c=0.7, at_least=2, seed=4)
    other = hide_evenly(microdata(others, 2, 1), c=0.7, at_least=2, seed=4)
    assert np.array_equal(one.hidden, other.hidden)


def originals(shown: tuple[str, ...], c: float, m: int, hide: object) -> set[tuple[str, ...]]:
    """Every table of one class that, masked in any order of its rows, may give this release."""
    n = len(shown)
    found = set()
    for values in product("xyz", repeat=n):
        masked = hide(values, c, m)  # type: ignore[operator]
        if shown in masked:
            found.add(values)
    return found


def by_rules(values: tuple[str, ...], c: float, m: int) -> set[tuple[str, ...]]:
    """All outcomes of hide_rules under every choice of cells, in plain Python."""
    n, outcomes = len(values), {values}
    for value in set(values):
        count = values.count(value)
        least = next(s for s in range(count + 1) if Fraction(count - s, n) < Fraction(str(c)))
        size = min(max(least, m), count) if least else 0
        places = [i for i in range(n) if values[i] == value]
        outcomes = {
            tuple("*" if i in gone else cell for i, cell in enumerate(shown))
            for shown in outcomes
            for gone in combinations(places, size)
        }
    return outcomes


def evenly(values: tuple[str, ...], c: float, m: int) -> set[tuple[str, ...]]:
    n = len(values)
    least = next(s for s in range(n + 1) if Fraction(n - s, n) < Fraction(str(c)))
    size = min(max(least, m), n)
    return {
        tuple("*" if i in gone else cell for i, cell in enumerate(values))
        for gone in combinations(range(n), size)
    }


@pytest.mark.parametrize(("n", "c", "m"), [(3, 0.7, 2), (3, 0.7, 1), (4, 0.6, 1), (4, 0.7, 2)])
def test_who_knows_the_algorithm_is_sure_of_hidden_cells_unless_they_are_drawn_evenly(
    n: int, c: float, m: int
) -> None:
    def sure(hide: object) -> int:
        releases = {r for v in product("xyz", repeat=n) for r in hide(v, c, m) if "*" in r}  # type: ignore[operator]
        total = 0
        for shown in releases:
            possible = originals(shown, c, m, hide)
            hidden = [i for i in range(n) if shown[i] == "*"]
            total += any(len({values[i] for values in possible}) == 1 for i in hidden)
        return total

    assert sure(by_rules) > 0
    assert sure(evenly) == 0
    # And ours are among the outcomes enumerated.
    for values in product("xyz", repeat=n):
        data = microdata([("0", v) for v in values], 1, 1)
        rules = hide_rules(data, c=c, at_least=m, seed=1)
        even = hide_evenly(data, c=c, at_least=m, seed=1)
        assert tuple(row[1] for row in released(rules)) in by_rules(values, c, m)
        assert tuple(row[1] for row in released(even)) in evenly(values, c, m)


def test_table_4_of_z07_has_one_original() -> None:
    assert originals(("*", "*", "x"), 0.7, 2, by_rules) == {("x", "x", "x")}


def test_refusals() -> None:
    data = microdata([("0", "x")], 1, 1)
    for c, m in ((0.0, 1), (1.5, 1), (0.5, 0)):
        with pytest.raises(ParameterError):
            hide_rules(data, c=c, at_least=m)
        with pytest.raises(ParameterError):
            hide_evenly(data, c=c, at_least=m, seed=1)
