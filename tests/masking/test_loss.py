"""Measures of loss against hand counts and plain enumeration."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from masking.tables import Row, fewer, hierarchies, microdata, tables

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking import loss
from anonaudit.masking.goals import KAnonymous
from anonaudit.masking.k_member import k_member
from anonaudit.masking.lattice import recode
from anonaudit.masking.mondrian import mondrian
from anonaudit.masking.recoding import Microdata, Recoding
from anonaudit.masking.rule_hiding import hide_rules
from anonaudit.masking.trees import generalized
from anonaudit.models.level import ParameterError
from anonaudit.roles import Roles


def test_information_loss_by_hand() -> None:
    """Height 2: low/high is 1 of 2. Two rows keep their value, two are suppressed at 1 each."""
    data = microdata([("0", "0"), ("1", "0"), ("2", "0"), ("2", "0"), ("3", "1")], 2, 0)
    one = recode(data, (1, 0), k=2, threshold=1)
    assert loss.information_loss(one) == 4 * 0.5 + 2 * 1
    zero = recode(data, (0, 0), k=2, threshold=3)
    assert loss.information_loss(zero) == 3 * 2
    top = recode(data, (2, 1), k=5)
    assert loss.information_loss(top) == 10
    assert one.suppressed.sum() == 1
    assert loss.class_sizes(one).tolist() == [2, 2]
    assert zero.suppressed.sum() == 3


def test_a_tree_of_unequal_depth_has_the_height_of_its_longest_branch() -> None:
    """q2: 2 below c; 0 and 1 below a below b. b has height 2, c height 1, the root 3."""
    data = microdata([("0", "0", "0"), ("0", "0", "1"), ("0", "0", "2"), ("0", "0", "3")], 3, 0)
    found = recode(data, (0, 0, 3), k=4)
    assert loss.information_loss(found) == 4
    tree = found.domains[2]
    worth = dict(zip(tree.labels, tree.loss.tolist(), strict=True))
    expected = {"0": 0, "a": 1 / 3, "b": 2 / 3, "c": 1 / 3, "d": 1 / 3, "e": 2 / 3, "*": 1}
    assert {label: worth[label] for label in expected} == pytest.approx(expected)
    assert hierarchies("q2")["q2"].height == 3


@pytest.mark.parametrize(
    ("cells", "root", "lost"),
    [
        (["", "", "1", "1"], "*", 0),  # missing cells, alone with each other
        (["", "1", "1"], "*", 3),  # and joined: all three cells are at the root
        (["*", "*", "1", "1"], "any", 0),
        (["*", "1", "1"], "any", 2),  # a suppressed cell has nothing to lose
        (["*", "*", "1", "1"], None, 0),  # numbers without a hierarchy
        (["*", "1", "1"], None, 2),
        (["*", "*", "1", "1"], "*", 0),
    ],
)
def test_what_the_original_lacks_is_lost_where_it_is_joined(
    cells: list[str], root: str | None, lost: float
) -> None:
    data = Microdata.read(pd.DataFrame({"a": cells, "id": range(len(cells))}), Roles(("a",)))
    if root is not None:
        data = data.generalized_by({"a": Hierarchy.from_levels("a", [["1", root], ["2", root]])})
    assert loss.information_loss(mondrian(data, KAnonymous(2))) == lost


def test_discernability_by_hand() -> None:
    sizes = np.array([3, 5, 2])
    assert loss.discernability(sizes) == (9 + 25 + 4) / 10
    empty = np.array([], np.int64)
    assert math.isnan(loss.discernability(empty))
    assert loss.discernability(np.array([4, 4, 4])) == 4  # its best value is k


def below(data: Microdata, j: int, label: str | None, code: int) -> bool:
    """Whether a released label stands for a value, by the rows of the tree."""
    name, text = f"q{j}", data.labels_of(f"q{j}")[code]
    if label == hierarchies(name)[name].root:
        return True
    return label in hierarchies(name)[name].paths[text]


def plain_estimate(recoding: Recoding, query: loss.Query, anatomized: bool) -> float:
    """The estimate by its definition, row by row."""
    data, total = recoding.data, 0.0
    quasi, sensitive = data.roles.quasi_identifiers, data.roles.sensitive
    for i, g in enumerate(recoding.group):
        if g < 0:
            continue
        members = np.flatnonzero(recoding.group == g)
        likely = 1.0
        for attribute, wanted in query.conditions:
            if attribute in quasi and anatomized:
                likely *= bool(wanted[data.quasi[i, quasi.index(attribute)]])
            elif attribute in quasi:
                j = quasi.index(attribute)
                label = recoding.domains[j].labels[recoding.keys[g, j]]
                stands_for = [c for c in set(data.quasi[:, j].tolist()) if below(data, j, label, c)]
                likely *= sum(bool(wanted[code]) for code in stands_for) / len(stands_for)
            elif anatomized:
                values = data.sensitive[members, sensitive.index(attribute)]
                likely *= sum(bool(wanted[v]) for v in values) / len(members)
            else:
                likely *= bool(wanted[data.sensitive[i, sensitive.index(attribute)]])
        total += likely
    return total


@fewer
@given(tables(quasi=2, sensitive=2), st.integers(1, 3), st.integers(0, 9))
def test_query_errors_by_their_definition(rows: list[Row], k: int, seed: int) -> None:
    data = microdata(rows, 2, 2)
    if len(rows) < k or not (data.sensitive >= 2).any(axis=0).all():
        return
    queries = loss.random_queries(data, 5, seed=seed, tries=1_000)
    for recoding in (k_member(data, k=k), mondrian(data, KAnonymous(k))):
        for anatomized in (False, True):
            found = loss.query_error(recoding, queries, anatomized=anatomized)
            for query, error in zip(queries, found, strict=True):
                true = query.count(data)
                guess = plain_estimate(recoding, query, anatomized)
                assert error == pytest.approx(abs(guess - true) / true)


def asked(data: Microdata, **conditions: str) -> loss.Query:
    """A query of values, `m|f` for two of one column."""
    return loss.Query(
        tuple(
            (name, np.array([label in wanted.split("|") for label in data.labels_of(name)]))
            for name, wanted in conditions.items()
        )
    )


def read(quasi: str, sensitive: str) -> Microdata:
    """The columns `sex` and `ill` of these cells, one character a row."""
    frame = pd.DataFrame({"sex": list(quasi), "ill": list(sensitive)}, dtype=str)
    return Microdata.read(frame.replace("?", ""), Roles(("sex",), ("ill",)))


@pytest.mark.parametrize(
    ("quasi", "sensitive", "conditions", "error"),
    [
        # T2-53: * stands for m and f. The row of flu is m with 1/2: |1/2 - 1| / 1.
        ("mf", "xy", {"sex": "m", "ill": "x"}, 0.5),
        # It is m or f for certain: |1 - 1| / 1.
        ("mf", "xy", {"sex": "m|f", "ill": "x"}, 0),
        # * stands for m, f and d: 2/3 of 4 rows, and 3 are m or f.
        ("mmfd", "xxxx", {"sex": "m|f"}, 1 / 9),
        # A missing cell occurs, so * stands for m, f and missing: 3 rows of 1/3, and one is m.
        ("mf?", "xxx", {"sex": "m"}, 0),
        # The same for a suppressed one; both: four values, 4 rows of 1/4.
        ("mf*", "xyy", {"sex": "f", "ill": "y"}, 1 / 3),
        ("mf*?", "xxxx", {"sex": "m"}, 0),
        # One value only: * is that one.
        ("mm", "xy", {"sex": "m", "ill": "y"}, 0),
    ],
)
def test_the_root_stands_for_the_values_that_occur(
    quasi: str, sensitive: str, conditions: dict[str, str], error: float
) -> None:
    data = read(quasi, sensitive)
    found = loss.query_error(recode(data, (1,), k=1), [asked(data, **conditions)])
    assert found == pytest.approx([error])


def test_values_of_rows_that_were_not_taken_do_not_occur() -> None:
    """Of m, f, d only m and f are left: * stands for two. No query asks for d."""
    data = read("mfd", "xyz").take(np.array([0, 1]))
    one = asked(data, sex="m", ill="x")
    assert loss.query_error(recode(data, (1,), k=1), [one]).tolist() == [0.5]
    conditions = [c for q in loss.random_queries(data, 40, seed=1) for c in q.conditions]
    codes = {(name, data.labels_of(name)[c]) for name, w in conditions for c in np.flatnonzero(w)}
    assert codes == {("sex", "m"), ("sex", "f"), ("ill", "x"), ("ill", "y")}


def test_an_inner_node_stands_for_the_leaves_below_it_that_occur() -> None:
    """q0: 0 and 1 below low, 2 and 3 below high. 3 does not occur, so high is 2.

    low is 0 with 1/2: 2 rows of 1/2 where 1 is. high is 2 for certain: 2 rows, and 2 are.
    """
    data = microdata([("0", "x"), ("1", "x"), ("2", "x"), ("2", "x")], 1, 1)
    found = recode(data, (1,), k=2)
    queries = [asked(data, q0="0"), asked(data, q0="2"), asked(data, q0="0|2")]
    assert loss.query_error(found, queries).tolist() == [0, 0, 0]
    two = asked(data, q0="0|1")
    assert loss.query_error(found, [two]).tolist() == [0]
    three = microdata([("0", "x"), ("1", "x"), ("1", "x")], 1, 1)
    # 3 rows of 1/2 where 1 is.
    assert loss.query_error(recode(three, (1,), k=2), [asked(three, q0="0")]).tolist() == [0.5]


def test_what_is_released_as_it_was_has_no_error() -> None:
    rng = np.random.default_rng(5)
    rows = [(*rng.choice(list("0123"), 1), *rng.choice(list("xyz"), 2)) for _ in range(60)]
    data = microdata(rows, 1, 2)
    queries = loss.random_queries(data, 50, seed=7)
    same = recode(data, (0,), k=1)
    assert loss.query_error(same, queries).max() == 0
    hidden = hide_rules(data, c=0.2)
    assert loss.query_error(hidden, queries).max() > 0


def test_the_workload_of_gcg08() -> None:
    rng = np.random.default_rng(6)
    rows = [tuple(rng.choice(list("01"), 6)) for _ in range(80)]
    data = microdata([(r[0], r[1], r[2], *r[3:]) for r in rows], 3, 3)
    queries = loss.random_queries(data, 300, seed=1)
    numbers = [len(query.conditions) for query in queries]
    assert set(numbers) == {1, 2, 3, 4}
    for query in queries:
        names = [name for name, _ in query.conditions]
        assert len(set(names)) == len(names)
        assert sum(name.startswith("s") for name in names) == 1
        assert query.count(data) > 0
    again = loss.random_queries(data, 300, seed=1)
    assert [q.count(data) for q in again] == [q.count(data) for q in queries]
    with pytest.raises(ParameterError, match="sensitive"):
        loss.random_queries(microdata([("0",)], 1, 0), 1, seed=0)
    with pytest.raises(ParameterError, match="tries"):
        loss.random_queries(data, 5, seed=0, tries=0)
    with pytest.raises(ParameterError, match="tries must be a whole number of at least 0"):
        loss.random_queries(data, 5, seed=0, tries=1.5)  # type: ignore[arg-type]


def test_groups_released_with_one_text_are_one_class() -> None:
    """Each group has a missing cell and another number, so all three are released with `*`."""
    table = pd.DataFrame({"q": [None, "10", None, "20", None, "30", "5", "5"], "s": "x"})
    data = Microdata.read(table, Roles(("q",), ("s",)))
    group = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    domains, keys = generalized(data, group, 4)
    one = Recoding(data, group, domains, keys, "by hand")
    assert sorted(one.frame()["q"].value_counts().tolist()) == [2, 6]
    assert sorted(loss.class_sizes(one).tolist()) == [2, 6]
    assert loss.discernability(loss.class_sizes(one)) == (36 + 4) / 8
