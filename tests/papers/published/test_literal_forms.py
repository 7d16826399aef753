"""The literal forms of the papers' algorithms: as long as may be read at once, equal to the fast ones.

Where the paper's listing is faulty, the repaired steps are compared, and the faults are shown by the
claims.
"""

import ast
import inspect
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.anatomy import anatomize as fast_anatomize
from anonaudit.masking.goals import Groups, KAnonymous, PSensitive
from anonaudit.masking.greedy_cka import greedy_cka as fast_greedy_cka
from anonaudit.masking.greedy_cka import parts
from anonaudit.masking.k_member import k_member
from anonaudit.masking.lattice import minimal_nodes, p_k_minimal
from anonaudit.masking.mondrian import partition
from anonaudit.masking.multi_attribute_goals import MultiAttributeL
from anonaudit.masking.recoding import NotAchievableError, Recoding
from anonaudit.masking.rule_hiding import hide_rules as fast_hide_rules
from anonaudit.models import multi_attribute_l_diversity, p_sensitive
from anonaudit.models.boundaries import Boundaries
from anonaudit.models.level import ParameterError
from anonaudit.papers import published
from anonaudit.papers.claims import small
from anonaudit.papers.claims.mct08 import LEAVES, mam
from anonaudit.papers.claims.tv06 import FAULTS, maskings
from anonaudit.papers.published.mct08 import information_loss
from anonaudit.papers.published.tv06 import max_groups
from anonaudit.strategies import boundaries, hierarchies

MOST_LINES = 60
EVERY = [getattr(published, name) for name in published.__all__]
FUNCTIONS = [one for one in EVERY if inspect.isfunction(one)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_form_is_read_at_once(function):
    """With its docstring and comments, and every helper of its file too."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(function)))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < MOST_LINES, node.name


def test_algorithms_1_and_2_of_tv06():
    for rows in small.all_tables("xyz", "abc", "12", most=3):
        classes = small.classes(rows, 1)
        for p, k in ((2, 2), (2, 3), (3, 3)):
            yes = published.algorithm_1(rows, 1, p=p, k=k)
            assert yes == p_sensitive.algorithm_1(classes, p, k)
            assert published.algorithm_2(rows, 1, p=p, k=k) == yes
            assert p_sensitive.algorithm_2(classes, p, k).holds == yes


def test_max_groups_of_tv06_on_its_example_1():
    """1,000 rows with the frequencies of Table 5: at most 300, 100, 50 and 25 groups, p = 2 to 5."""
    frequencies = (
        (300, 300, 200, 100, 100),
        (500, 300, 100, 40, 35, 25),
        (700, 200, 50, 10, 10, 10, 10, 5, 3, 2),
    )
    rows = list(zip(*([v for v, n in enumerate(one) for _ in range(n)] for one in frequencies), strict=True))  # fmt: skip
    assert [max_groups(rows, p) for p in (2, 3, 4, 5)] == [300, 100, 50, 25]


def test_algorithms_1_and_2_of_tv06_without_rows():
    """No group falls short in Algorithm 1. In Algorithm 2 no attribute has a value: p > maxP = 0."""
    assert published.algorithm_1([], 1, p=2, k=2) is True
    assert published.algorithm_2([], 1, p=2, k=2) is False


@pytest.mark.parametrize(("p", "k"), [(1, 1), (1, 2), (3, 2)])
def test_the_algorithms_of_tv06_take_p_from_2_to_k(p, k):
    """Input of each listing: "p, k (p <= k) natural numbers greater than or equal to 2"."""
    rows = [("x", "a"), ("x", "b"), ("x", "c")]
    data = small.small_microdata(rows, 1, small.flat("x"))
    for run in (
        lambda: published.algorithm_1(rows, 1, p=p, k=k),
        lambda: published.algorithm_2(rows, 1, p=p, k=k),
        lambda: published.algorithm_3(data, p=p, k=k),
    ):
        with pytest.raises(ParameterError):
            run()


@pytest.mark.parametrize(("rows", "p"), [([], 2), ([("a",), ("b",)], 1), ([("a",), ("b",)], 3)])
def test_max_groups_of_tv06_is_defined_for_p_from_2_to_max_p(rows, p):
    """With one value there is no i to take a minimum over, and there is no cf_i for i > maxP."""
    with pytest.raises(ParameterError, match="maxGroups is defined for p from 2 to maxP"):
        max_groups(rows, p)


def test_algorithm_3_of_tv06_as_printed_keeps_groups_of_k():
    """Two groups of x and y: 2-sensitive 2-anonymous as they are, and maxGroups is (4 - 2) / 1."""
    rows = [("0", "x"), ("0", "y"), ("1", "x"), ("1", "y")]
    data = small.small_microdata(rows, 1, small.flat("01"))
    assert published.algorithm_3(data, p=2, k=2) == (True, (0,))


@pytest.mark.parametrize(("rows", "trees", "threshold", "node"), [fault[1:] for fault in FAULTS])
def test_each_repair_of_algorithm_3_is_needed(rows, trees, threshold, node):
    """The four smallest tables of the claim: the printed steps find nothing there."""
    data = small.small_microdata(rows, len(trees), *trees)
    asked = {"p": 2, "k": 2, "threshold": threshold}
    assert published.algorithm_3(data, **asked) == (False, None)
    assert published.algorithm_3(data, **asked, corrected=True) == (True, node)


@given(maskings(), st.integers(0, 3))
def test_algorithm_3_of_tv06_repaired(drawn, threshold):
    """It ends at a minimal node, as low as the fast form's."""
    table, _, _ = drawn
    data = small.small_microdata(table.rows, 2, *table.hierarchies.values())
    found = published.algorithm_3(data, p=2, k=2, threshold=threshold, corrected=True)
    try:
        fast = p_k_minimal(data, p=2, k=2, threshold=threshold).how["node"]
    except NotAchievableError:
        assert found == (False, None)
        return
    assert found.condition
    assert sum(found.node) == sum(fast)
    if threshold < len(table.rows):
        assert found.node in minimal_nodes(data, p=2, k=2, threshold=threshold)


KEYS = Hierarchy.from_levels("0", [["x", "A", "*"], ["y", "A", "*"], ["z", "B", "*"]])
ILLNESSES = Hierarchy.from_levels("1", [["a", "P", "Q"], ["b", "P", "Q"], ["c", "c", "Q"], ["d", "R", "R"]])  # fmt: skip


@pytest.mark.parametrize(
    ("values", "top", "zone"), [("abd", "P", {*"abcd", "P"}), ("acd", "Q", {*"abcd", "P", "Q"})]
)
def test_the_two_steps_of_ct06(values, top, zone):
    """With Algorithm 3 of TV06, and each class that falls short suppressed."""

    def masked(rows):
        modified = small.small_microdata(rows, 1, KEYS)
        found = published.algorithm_3(modified, p=2, k=2, threshold=1, corrected=True)
        if not found.condition:
            return [None] * len(rows)
        released = small.generalize(rows, (KEYS,), found.node)
        short = {key for key, group in small.grouped(released, 1).items() if len(set(group)) < 2}
        return [None if row[:1] in short else row[:1] for row in released]

    for rows in small.all_tables("xyz", values, most=3, least=3):
        found = published.two_steps(rows, 1, [ILLNESSES], [zone], masked)
        data = small.small_microdata(rows, 1, KEYS)
        data = replace(data, hierarchies={**data.hierarchies, "1": ILLNESSES})
        try:
            fast = p_k_minimal(data, p=2, k=2, threshold=1, protected={"1": (top,)})
        except NotAchievableError:
            assert found == []
            continue
        assert found == list(fast.frame().itertuples(index=False, name=None))


numbered = st.lists(
    st.tuples(
        st.sampled_from("0123459"),
        st.sampled_from("0127"),
        st.sampled_from("abc"),
        st.sampled_from("xyz"),
    ),
    min_size=2,
    max_size=14,
)


def groups_of(numbers, of):
    return {frozenset(np.flatnonzero(of == number).tolist()) for number in range(numbers)}


@given(numbered, st.sampled_from([KAnonymous(2), PSensitive(2, 2), MultiAttributeL(2, 3, check="heuristic")]))  # fmt: skip
def test_split_of_gcg08_repaired(rows, goal):
    data = small.small_microdata(rows, 2)
    if not goal.met(Groups.whole(data))[0]:
        return

    def satisfies(some):
        chosen = np.array(some, int)
        met = goal.met(Groups.of_rows(data, chosen, np.zeros_like(chosen), 1))
        return bool(len(some) and met[0])

    points = [(float(a), float(b)) for a, b, *_ in rows]
    found = published.split(points, satisfies, corrected=True)
    assert sorted(i for group in found for i in group) == list(range(len(rows)))
    of, number = partition(data, goal, every_attribute=False)
    assert {frozenset(group) for group in found} == groups_of(number, of)


def test_split_of_gcg08_as_printed():
    """K = 2. Of 0, 1, 2 the half {0, 1} is split on; neither of its halves has two rows, so line 10
    adds T. {2} has one row, but {0, 1} has two, so line 9 says no. Of 0 to 3 both halves end so.
    """

    def two(group):
        return len(group) >= 2

    assert published.split([(0,), (1,), (2,)], two) == [[0, 1, 2]]
    assert published.split([(0,), (1,), (2,), (3,)], two) == [[0, 1, 2, 3]] * 2


@given(numbered)
def test_anonymize_and_anatomize_of_gcg08(rows):
    data, goal = small.small_microdata(rows, 2), MultiAttributeL(2, 2, check="heuristic")
    if not goal.met(Groups.whole(data))[0]:
        return
    points = [(float(a), float(b)) for a, b, *_ in rows]
    qit, sensitive = published.anonymize(points, [row[2:] for row in rows], 2, 2, corrected=True)
    of, number = partition(data, goal, every_attribute=False)
    assert {frozenset(i for i, g in qit if g == group) for _, group in qit} == groups_of(number, of)
    # The same partition, its groups numbered as they are there.
    group = np.array([g - 1 for _, g in sorted(qit)])
    fast = fast_anatomize(
        Recoding(data, group, (), np.zeros((number, 0), np.int64), "split"), as_printed=True
    )
    for j, name in enumerate(data.roles.sensitive):
        told = fast.sensitive[name].to_numpy().tolist()
        assert {(g, value): n for g, value, n in told} == sensitive[j]


def test_figures_6_and_7_of_gcg08():
    """All classes of up to 4 rows over 3 and 3 values, L = 1 to 4, limits 0, 1 and 3."""
    for rows in small.all_tables("abc", "123", most=4):
        for l in range(1, 5):
            yes = published.figure_6(rows, l)
            assert yes == multi_attribute_l_diversity.figure_6(rows, l)
            for limits in product((0, 1, 3), repeat=2):
                yes = published.figure_7(rows, l, limits, reading="exactly x")
                assert yes == multi_attribute_l_diversity.figure_7(rows, l, limits)


def drawn_by(seed):
    rng = np.random.default_rng(seed)
    return lambda n: int(rng.integers(n))


# Heights of 1 and 2, so that sums of losses are exact and equal ones are ties in both forms.
TREES = (
    Hierarchy.from_levels(
        "0", [["a", "P", "*"], ["b", "P", "*"], ["c", "Q", "*"], ["d", "Q", "*"]]
    ),
    Hierarchy.from_levels("1", [["x", "*"], ["y", "*"], ["z", "*"]]),
)
places = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=1, max_size=14
)


def test_information_loss_of_mct08():
    """Definition 10: a and b meet in P, one of two levels up; x and y at the root, one of one."""
    assert information_loss([("a", "x"), ("b", "x")], TREES) == 2 * (1 / 2 + 0)
    assert information_loss([("a", "x"), ("b", "y"), ("a", "y")], TREES) == 3 * (1 / 2 + 1)
    assert information_loss([("c", "z")] * 4, TREES) == 0


@given(places, st.integers(1, 4), st.integers(0, 9))
def test_k_member_clustering(rows, k, seed):
    rows = sorted(rows)  # the order in which the fast form takes them
    if len(rows) < k:
        return
    found = published.greedy_k_member(rows, range(len(rows)), TREES, k, drawn_by(seed))
    data = small.small_microdata(rows, 2, *TREES)
    fast = k_member(data, k=k, exchanges=False, seed=seed)
    assert {frozenset(c) for c in found} == groups_of(len(fast.keys), fast.group)


@given(places, st.sampled_from([(), ("P",), ("P", "Q"), ("a", "Q")]), st.integers(1, 3), st.integers(0, 9))  # fmt: skip
def test_greedy_cka_of_mct08(rows, values, k, seed):
    limits = Boundaries({"0": TREES[0], "1": TREES[1]}, {"0": values})
    magvals = [limits.magvals(name) for name in ("0", "1")]
    of, _ = parts(small.small_microdata(rows, 2, *TREES), limits)
    rows = [row for _, row in sorted(zip(of.tolist(), rows, strict=True))]
    clusters, out = published.greedy_cka(rows, TREES, magvals, k, drawn_by(seed))
    data = small.small_microdata(rows, 2, *TREES)
    try:
        fast = fast_greedy_cka(data, k=k, boundaries=limits, exchanges=False, seed=seed)
    except NotAchievableError:
        assert len(out) == len(rows)
        return
    assert sorted(out) == np.flatnonzero(fast.suppressed).tolist()
    assert {frozenset(c) for c in clusters} == groups_of(len(fast.keys), fast.group)


@given(st.data())
def test_greedy_cka_keeps_to_any_boundaries(data):
    """Ragged trees, nested boundaries: OUT are the small classes of the MAM, k rows a cluster."""
    trees = {name: data.draw(hierarchies(name, leaves)) for name, leaves in LEAVES.items()}
    limits = Boundaries(trees, {name: data.draw(boundaries(tree)) for name, tree in trees.items()})
    rows = data.draw(places)
    magvals = [limits.magvals(name) for name in trees]
    clusters, out = published.greedy_cka(rows, list(trees.values()), magvals, 2, lambda n: n - 1)
    tops = mam(rows, limits)
    assert sorted(out) == [i for i, top in enumerate(tops) if tops.count(top) < 2]
    assert all(len(c) >= 2 and len({tops[i] for i in c}) == 1 for c in clusters)
    assert sorted([*out, *(i for c in clusters for i in c)]) == list(range(len(rows)))


def test_rule_hiding_on_the_tables_of_z07():
    """Four quasi-identifiers: at 70% tuple 4 loses its disease (Table 3), of two 4 and 5 (Table 4)."""
    columns = ("date-of-birth", "race", "sex", "zip-code", "disease")

    def table(number):
        rows = small.paper_rows(f"Z07/table{number}", *columns)
        return [(*row[:4], None if row[4] == "*" else row[4]) for row in rows]

    assert published.hide_rules(table(2), 0.7) == table(3)
    assert published.hide_rules(table(2), 0.7, at_least=2) == table(4)


@pytest.mark.parametrize(("c", "at_least"), [(0.5, 1), (0.7, 1), (0.7, 2), (1.0, 1), (2 / 3, 3)])
def test_rule_hiding_of_z07(c, at_least):
    for rows in small.all_tables("xy", ["a", "b", "c", None], most=4):
        data = small.small_microdata(rows, 1)
        fast = fast_hide_rules(data, c=c, at_least=at_least, as_printed=True).frame()
        cells = [None if cell == "*" else cell for cell in fast["1"]]
        found = published.hide_rules(rows, c, at_least)
        assert [row[1] for row in found] == cells
