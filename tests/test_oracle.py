"""The oracle on numbers that a reader can check by hand: the papers' tables, and small cases.

The rows are typed here, one a line, cells separated by commas; an empty cell is missing. The last
part checks the oracle's literal definitions against each other on every table up to a bound.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement

import oracle
import pytest
from oracle import STAR, Cell, Hierarchy, Row


def table(text: str) -> list[Row]:
    """Read one row a line."""
    lines = [line.split(",") for line in text.strip().splitlines()]
    return [tuple(cell.strip() or None for cell in line) for line in lines]


def column(*frequencies: int) -> list[str]:
    """Spell out one column from the frequencies of its values."""
    return [str(value) for value, times in enumerate(frequencies) for _ in range(times)]


def every_table(kinds: Sequence[Row], most: int) -> chain[tuple[Row, ...]]:
    """Return every multiset of at most so many rows of these kinds, the empty one too."""
    return chain(*(combinations_with_replacement(kinds, size) for size in range(most + 1)))


def grouped(rows: Sequence[Row], qi: Sequence[int]) -> dict[Row, int]:
    """Return the class sizes."""
    return {key: len(members) for key, members in oracle.classes(rows, qi).items()}


def same(_column: int, ground: Cell, released: Cell) -> bool:
    """Match equal cells only."""
    return ground == released


# --- TV06 ---------------------------------------------------------------------------------------

TV06_TABLE_1 = table("""
    50, 43102, M, Colon Cancer
    30, 43102, F, Breast Cancer
    30, 43102, F, HIV
    20, 43102, M, Diabetes
    20, 43102, M, Diabetes
    50, 43102, M, Heart Disease
""")
TV06_TABLE_2 = table("""
    Sam, 29, M, 43102
    Gloria, 38, F, 43102
    Adam, 51, M, 43102
    Eric, 29, M, 43102
    Tanisha, 34, F, 43102
    Don, 51, M, 43102
""")
TV06_TABLE_3 = table("""
    20, 43102, F, AIDS, 50000
    20, 43102, F, AIDS, 50000
    20, 43102, F, Diabetes, 50000
    30, 43102, M, Diabetes, 30000
    30, 43102, M, Diabetes, 40000
    30, 43102, M, Heart Disease, 30000
    30, 43102, M, Heart Disease, 40000
""")


def by_decade(position: int, ground: Cell, released: Cell) -> bool:
    """Match ages that were generalized to multiples of ten, in column 0."""
    if position == 0 and ground is not None:
        return released == str(int(ground) // 10 * 10)
    return ground == released


def test_tv06_table_1_is_2_anonymous_and_gives_away_two_diabetics() -> None:
    """Nobody is identified, yet both candidates of Sam and of Eric have diabetes."""
    candidates = oracle.linkage(TV06_TABLE_2, TV06_TABLE_1, by_decade, [(1, 0), (2, 2), (3, 1)])
    assert oracle.k_anonymity(TV06_TABLE_1, [0, 1, 2]) == 2
    assert candidates == [[3, 4], [1, 2], [0, 5], [3, 4], [1, 2], [0, 5]]
    assert oracle.homogeneous_rows(TV06_TABLE_1, [0, 1, 2], 3) == [3, 4]
    assert oracle.p_sensitivity(TV06_TABLE_1, [0, 1, 2], [3]) == 1


def test_tv06_table_3_is_1_sensitive_and_2_sensitive_with_one_other_income() -> None:
    """The first class has a single income until its first tuple has 40,000."""
    changed = [(*TV06_TABLE_3[0][:4], "40000"), *TV06_TABLE_3[1:]]
    assert oracle.k_anonymity(TV06_TABLE_3, [0, 1, 2]) == 3
    assert oracle.p_sensitivity(TV06_TABLE_3, [0, 1, 2], [3, 4]) == 1
    assert oracle.p_sensitivity(changed, [0, 1, 2], [3, 4]) == 2
    for rows, answer in ((TV06_TABLE_3, False), (changed, True)):
        assert oracle.is_p_sensitive_k_anonymous(rows, [0, 1, 2], [3, 4], 2, 3) is answer
        assert oracle.algorithm1(rows, [0, 1, 2], [3, 4], 2, 3) is answer
        assert oracle.algorithm2(rows, [0, 1, 2], [3, 4], 2, 3) is answer
    assert not oracle.is_p_sensitive_k_anonymous(changed, [0, 1, 2], [3, 4], 2, 4)
    assert not oracle.is_p_sensitive_k_anonymous(changed, [0, 1, 2], [3, 4], 3, 3)


def test_tv06_figure_3_counts_tuples_below_3_anonymity() -> None:
    """The number in parentheses at each node of the lattice."""
    rows = [
        tuple(row.split())
        for row in """
        M 41076;F 41099;M 41099;M 41076;F 43102;M 43102;M 43102;F 43103;M 48202;M 48201
    """.strip().split(";")
    ]

    def below_3(*, sex: bool, digits: int) -> int:
        masked = [("*" if sex else s, z[:digits] + "**"[: 5 - digits]) for s, z in rows]
        return sum(size for size in grouped(masked, [0, 1]).values() if size < 3)

    nodes = [(False, 5), (True, 5), (False, 3), (True, 3), (False, 0), (True, 0)]
    assert [below_3(sex=sex, digits=digits) for sex, digits in nodes] == [10, 7, 7, 2, 0, 0]


def test_tv06_five_frequencies_allow_ten_3_sensitive_classes() -> None:
    """Frequencies 900, 90, 5, 3 and 2."""
    rows = [(value,) for value in column(900, 90, 5, 3, 2)]
    assert oracle.frequencies(rows, 0) == [900, 90, 5, 3, 2]
    assert oracle.max_groups(rows, [0], 3) == 10


def test_tv06_example_1() -> None:
    """Tables 5 and 6; beyond maxP = 5 the values have run out and no class is allowed."""
    columns = (
        column(300, 300, 200, 100, 100),
        column(500, 300, 100, 40, 35, 25),
        column(700, 200, 50, 10, 10, 10, 10, 5, 3, 2),
    )
    rows = list(zip(*columns, strict=True))
    assert len(rows) == 1000
    assert oracle.frequencies(rows, 1) == [500, 300, 100, 40, 35, 25]
    assert oracle.max_p(rows, [0, 1, 2]) == 5
    groups = [oracle.max_groups(rows, [0, 1, 2], p) for p in range(1, 9)]
    assert groups == [None, 300, 100, 50, 25, 0, 0, 0]


def test_tv06_conditions_without_anything_to_bound() -> None:
    """Nothing sensitive is no bound, nothing known leaves no values at all."""
    assert oracle.max_groups([("a",)], [], 2) is None
    assert oracle.max_groups([(None,), ("*",)], [0], 2) == 0
    assert oracle.max_groups([], [0], 2) == 0
    assert oracle.max_p([(None,)], [0]) is None
    assert oracle.max_p([("x", None), ("y", None)], [0, 1]) == 2
    assert oracle.max_p([("x", "u"), ("x", "v")], [0, 1]) == 1
    for p, k in ((1, 2), (3, 2)):
        for algorithm in (oracle.algorithm1, oracle.algorithm2):
            with pytest.raises(ValueError, match="or more, got"):
                algorithm(TV06_TABLE_3, [0, 1, 2], [3], p, k)
    with pytest.raises(ValueError, match="expected 1 or more, got 0"):
        oracle.max_groups(TV06_TABLE_3, [3], 0)


# --- CT06 ---------------------------------------------------------------------------------------

DISEASES = {
    "Colon Cancer": "Cancer",
    "Breast Cancer": "Cancer",
    "Cancer": "Disease",
    "HIV": "Infection",
    "Flu": "Infection",
    "Infection": "Disease",
}
CANCER: Hierarchy = (DISEASES, {"Cancer"})


def test_ct06_two_cancers_are_one_protected_subtree() -> None:
    """2-sensitive, but extended only 1-sensitive; HIV makes it 2, and two infections 3."""
    rows = table("a, Colon Cancer\na, Breast Cancer")
    assert oracle.p_sensitivity(rows, [0], [1]) == 2
    for levels in (oracle.extended_p, oracle.extended_p_in_words):
        assert levels(rows, [0], [1], {1: CANCER}) == 1
        assert levels(rows, [0], [1], {}) == 2
        assert levels([*rows, ("a", "HIV")], [0], [1], {1: CANCER}) == 2
        assert levels([*rows, ("a", "HIV"), ("a", "Flu")], [0], [1], {1: CANCER}) == 3
        assert levels([*rows, ("b", None)], [0], [1], {1: CANCER}) == 1
        assert levels([*rows, ("b", "HIV"), ("b", "Flu")], [0], [1], {1: CANCER}) == 1


def test_ct06_strong_ancestors() -> None:
    """The topmost protected value counts; a ground value without one stands for itself."""
    nested = {"Cancer", "Disease"}
    assert oracle.strong_ancestor("Colon Cancer", DISEASES, {"Cancer"}) == "Cancer"
    assert oracle.strong_ancestor("Colon Cancer", DISEASES, nested) == "Disease"
    assert oracle.strong_ancestor("Cancer", DISEASES, {"Cancer"}) == "Cancer"
    assert oracle.strong_ancestor("Infection", DISEASES, {"Cancer"}) == "Infection"
    assert oracle.strong_ancestor("Flu", DISEASES, {"Cancer"}) == "Flu"
    assert oracle.strong_ancestor("Gout", DISEASES, {"Cancer"}) == "Gout"
    assert oracle.unclosed(DISEASES, {"Cancer"}) == set()
    assert oracle.unclosed(DISEASES, {"Disease"}) == {"Cancer", "Infection"}
    with pytest.raises(ValueError, match="circle through 'a'"):
        oracle.strong_ancestor("a", {"a": "b", "b": "a"}, set())


def test_ct06_conditions() -> None:
    """Lifted frequencies 4 and 2 allow two classes, unlifted 2, 2 and 2 would allow four."""
    rows = table("""
        a, Colon Cancer
        a, Colon Cancer
        b, Breast Cancer
        b, Breast Cancer
        c, Flu
        c, Flu
    """)
    lifted = oracle.lift([*rows, ("c", None)], {1: CANCER})
    assert [row[1] for row in lifted] == [*["Cancer"] * 4, "Flu", "Flu", None]
    assert oracle.max_groups(oracle.lift(rows, {1: CANCER}), [1], 2) == 2
    assert oracle.max_groups(rows, [1], 2) == 4
    assert not oracle.extended_condition_3(rows, [0], [1], 2, {1: CANCER})
    assert oracle.extended_condition_3(rows, [0], [1], 2, {})
    assert oracle.extended_condition_3([*rows[:4], ("b", "Flu")], [0], [1], 1, {1: CANCER})
    assert oracle.extended_condition_3(rows[1:5], [], [1], 2, {1: CANCER})
    assert oracle.extended_condition_3(rows[2:6], [0], [1], 2, {1: CANCER})
    assert oracle.extended_condition_1(2, 2)
    assert not oracle.extended_condition_1(3, 2)
    assert oracle.extended_condition_2([CANCER], 3)
    assert not oracle.extended_condition_2([CANCER], 4)
    assert not oracle.extended_condition_2([CANCER, (DISEASES, {"Disease"})], 2)


# --- Z07 ----------------------------------------------------------------------------------------

Z07_TABLE_2 = table("""
    1967, Black, Male, 40121, Cancer
    1967, Black, Male, 40121, Hypertension
    1967, Black, Male, 40121, Cancer
    1968, White, Male, 40242, Heart disease
    1968, White, Male, 40242, Heart disease
    1968, White, Male, 40242, Heart disease
    1969, Black, Female, 40373, Cancer
    1969, Black, Female, 40373, Hypertension
    1969, Black, Female, 40373, Hypertension
    1970, White, Female, 40404, Heart disease
    1970, White, Female, 40404, Cancer
    1970, White, Female, 40404, Hypertension
""")
Z07_QI = [0, 1, 2, 3]


def z07_hidden(*tuples: int) -> list[Row]:
    """Return Table 2 with the disease of these tuples suppressed, numbered as in the paper."""
    numbered = enumerate(Z07_TABLE_2, start=1)
    return [(*row[:4], STAR) if number in tuples else row for number, row in numbered]


def test_z07_table_2_has_thirteen_rules_above_70_percent_and_one_with_a_full_antecedent() -> None:
    """All predict heart disease with certainty, from three rows."""
    strong = [r for r in oracle.rules(Z07_TABLE_2, Z07_QI, [4]) if r.confidence > Fraction(7, 10)]
    counts = {(rule.consequent, rule.both, rule.of, rule.unknown) for rule in strong}
    assert oracle.k_anonymity(Z07_TABLE_2, Z07_QI) == 3
    assert len(strong) == 13
    assert counts == {((4, "Heart disease"), 3, 3, 0)}
    assert [rule.antecedent for rule in strong if len(rule.antecedent) == 4] == [
        ((0, "1968"), (1, "White"), (2, "Male"), (3, "40242"))
    ]


@pytest.mark.parametrize(
    ("tuples", "in_class", "in_table"),
    [
        ((), Fraction(1), Fraction(1)),
        ((4,), Fraction(2, 3), Fraction(2, 3)),
        ((4, 5), Fraction(1, 3), Fraction(2, 3)),
        ((1, 4, 5, 8), Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_z07_hiding(tuples: tuple[int, ...], in_class: Fraction, in_table: Fraction) -> None:
    """Tables 2, 3 and 4, and section 5: the confidence falls, k stays."""
    rows = z07_hidden(*tuples)
    assert oracle.rule_confidence(rows[3:6], Z07_QI, [4]) == in_class
    assert oracle.rule_confidence(rows, Z07_QI, [4]) == in_table
    assert oracle.alpha(rows, Z07_QI, 4) == in_table
    assert oracle.k_anonymity(rows, Z07_QI) == 3


# --- GCG08 --------------------------------------------------------------------------------------

GCG08_FIGURE_2 = table("""
    41-50, Heart disease, Medicine
    41-50, Heart disease, Surgery
    41-50, Flu, Intravenous therapy
    41-50, Stomach disease, Intravenous therapy
""")
GCG08_FIGURE_4 = table("D1, T1\nD2, T1\nD3, T2\nD4, T2\nD5, T3\nD6, T3")


def test_gcg08_figure_2_is_2_diverse_though_each_attribute_has_three_values() -> None:
    """Heart disease and the therapy delete all; without heart disease the therapy is certain."""
    left = [row for row in GCG08_FIGURE_2 if row[1] != "Heart disease"]
    assert oracle.k_anonymity(GCG08_FIGURE_2, [0]) == 4
    assert oracle.distinct_l(GCG08_FIGURE_2, [0], 1) == 3
    assert oracle.distinct_l(GCG08_FIGURE_2, [0], 2) == 3
    assert oracle.multi_attribute_l(GCG08_FIGURE_2, [0], [1, 2]) == 2
    assert oracle.homogeneous_rows(left, [0], 2) == [0, 1]


def test_gcg08_figure_4_with_and_without_limits() -> None:
    """Three treatments delete all; at most two of them need two diseases more."""
    assert oracle.multi_attribute_l(GCG08_FIGURE_4, [], [0, 1]) == 3
    assert oracle.multi_attribute_l(GCG08_FIGURE_4, [], [0, 1], {0: 4, 1: 2}) == 4
    assert oracle.multi_attribute_l(GCG08_FIGURE_4, [], [0, 1], {1: 0}) == 6
    assert oracle.multi_attribute_l(GCG08_FIGURE_4, [], [0, 1], {0: 1, 1: 2}) == math.inf


def test_gcg08_counterexamples_to_theorems_1_and_6_with_limits() -> None:
    """L = 3, yet one eliminated value fixes the second attribute; and L = 1 where 6 says 2."""
    rows = table("3, 3\n2, 0\n0, 3\n1, 0")
    left = [row for row in rows if row[1] != "0"]
    assert oracle.least_deletions(rows, [0, 1], {0: 4, 1: 1}) == 3
    assert oracle.distinct(left, 1) == {"3"}
    assert oracle.least_deletions(table("2, 1\n2, 1"), [0, 1], {0: 0, 1: 1}) == 1


def test_gcg08_values_belong_to_their_attribute_and_unknown_cells_are_filled() -> None:
    """Equal texts in two columns are two values; a row of unknown cells asks for nothing.

    In (x, y), (?, z) the cell may be x. In (?, y), (?, z) no x is known.
    """
    assert oracle.least_deletions(table("x, y\nz, x"), [0, 1]) == 2
    assert oracle.least_deletions(table("x, y\nx, \n, "), [0, 1]) == 1
    assert oracle.least_deletions(table("x, y\n, z"), [0, 1]) == 1
    assert oracle.least_deletions(table(", y\n, z"), [0, 1]) == 2
    assert oracle.least_deletions(table(", \n*, "), [0, 1]) is None
    assert oracle.multi_attribute_l(table("a, *\nb, x\nb, y"), [0], [1]) == 2
    assert oracle.multi_attribute_l(table("a, x\nb, x\nb, y"), [0], [1]) == 1


# --- small cases --------------------------------------------------------------------------------


def test_b01_missing_quasi_identifier_under_every_convention() -> None:
    """The empty job matches three smiths and two bakers of Lune."""
    rows = table("""
        Lune, smith, 40-59
        Lune, smith, 40-59
        Lune, smith, 40-59
        Lune, baker, 40-59
        Lune, baker, 40-59
        Lune, , 40-59
        Orr, baker, 40-59
        Orr, baker, 40-59
        Orr, baker, 40-59
    """)
    assert oracle.k_anonymity(rows, [0, 1, 2]) == 1
    assert oracle.k_anonymity([row for row in rows if None not in row], [0, 1, 2]) == 2
    for weight, least in ((1.0, 3), (0.5, 2.5), (0.0, 2)):
        found = oracle.wildcard_classes(rows, [0, 1, 2], weight)
        assert min(count for count, _ in found.values()) == least
        assert found["Lune", None, "40-59"] == (6, rows[:6])
        assert found["Lune", "baker", "40-59"] == (2 + weight, rows[3:6])


def test_b02_every_row_is_counted() -> None:
    """Sizes 3, 3, 1 and 1, or 3, 5 and 5 with wildcards; never 6 rows with k = 3."""
    rows = table("""
        Ashby, F, flu
        Ashby, F, asthma
        Ashby, F, flu
        Borl, M, flu
        Borl, M, gout
        Borl, M, gout
        , M, hiv
        Borl, , flu
    """)
    sizes = {("Ashby", "F"): 3, ("Borl", "M"): 3, (None, "M"): 1, ("Borl", None): 1}
    assert grouped(rows, [0, 1]) == sizes
    assert oracle.k_anonymity(rows, [0, 1]) == 1
    counts = {key: count for key, (count, _) in oracle.wildcard_classes(rows, [0, 1]).items()}
    assert counts == {("Ashby", "F"): 3, ("Borl", "M"): 5, (None, "M"): 5, ("Borl", None): 5}
    half = {key: count for key, (count, _) in oracle.wildcard_classes(rows, [0, 1], 0.5).items()}
    assert half == {("Ashby", "F"): 3, ("Borl", "M"): 4, (None, "M"): 4.5, ("Borl", None): 4.5}


def test_b03_missing_sensitive_values_are_unknown_or_one_value() -> None:
    """Q has no known value and is listed apart; P shows one value in all its rows."""
    rows = table("P, pos\nP,\nP,\nQ,\nQ,\nQ,\nR, pos\nR, neg\nR,")
    groups = {key[0]: members for key, members in oracle.classes(rows, [0]).items()}
    ignored = {key: len(oracle.distinct(members, 1)) for key, members in groups.items()}
    counted = {
        key: len(oracle.distinct(members, 1, unknown_as_value=True))
        for key, members in groups.items()
    }
    assert ignored == {"P": 1, "Q": 0, "R": 2}
    assert counted == {"P": 2, "Q": 1, "R": 3}
    assert min(counted.values()) == 1
    assert oracle.distinct(rows[6:8], 1, unknown_as_value=True) == {"pos", "neg"}
    assert oracle.distinct_l(rows, [0], 1) == oracle.p_sensitivity(rows, [0], [1]) == 1
    assert oracle.unknown_classes(rows, [0], [1]) == {(("Q",), 1)}
    assert oracle.homogeneous_rows(rows, [0], 1) == [0, 1, 2]
    assert oracle.alpha(rows, [0], 1) == Fraction(1, 3)


def test_b05_suppressed_tuples() -> None:
    """Three pairs and one row with every quasi-identifier suppressed."""
    rows = table("""
        <40, F, 55***, flu
        <40, F, 55***, gout
        >=40, M, 55***, flu
        >=40, M, 55***, flu
        *, *, *, asthma
        >=40, F, 55***, gout
        >=40, F, 55***, hiv
    """)
    own = oracle.classes(rows, [0, 1, 2], exclude_suppressed_tuples=False)
    wild = oracle.wildcard_classes(rows, [0, 1, 2])
    assert oracle.k_anonymity(rows, [0, 1, 2]) == 2
    assert list(grouped(rows, [0, 1, 2]).values()) == [2, 2, 2]
    assert oracle.suppressed_tuples(rows, [0, 1, 2]) == [rows[4]]
    assert sorted(len(members) for members in own.values()) == [1, 2, 2, 2]
    assert wild["*", "*", "*"] == (7, rows)
    assert min(count for count, _ in wild.values()) == 3
    assert oracle.suppressed_tuples(rows, []) == []
    assert grouped(rows, []) == {(): 7}


def test_b22_k_is_the_smallest_class() -> None:
    """Sizes 3, 3, 5 and 2; a class of exactly k is no violation."""
    rows = table("""
        30s, AB, flu
        30s, AB, gout
        30s, AB, flu
        40s, AB, flu
        40s, AB, flu
        40s, AB, hiv
        30s, CD, flu
        30s, CD, gout
        30s, CD, hiv
        30s, CD, flu
        30s, CD, flu
        50s, CD, gout
        50s, CD, flu
    """)
    sizes = grouped(rows, [0, 1]).values()
    assert oracle.k_anonymity(rows, [0, 1]) == 2
    assert oracle.distinct_l(rows, [0, 1], 2) == 2
    below = {k: [size for size in sizes if size < k] for k in (2, 3, 5)}
    assert {k: (sum(found), len(found)) for k, found in below.items()} == {
        2: (0, 0),
        3: (2, 1),
        5: (8, 3),
    }


def test_b23_persons_are_not_rows() -> None:
    """Three rows of one person are a class of one person; histories single out three people."""
    rows = table("""
        p1, 30s, F, flu
        p1, 30s, F, flu
        p1, 30s, F, gout
        p2, 40s, M, flu
        p3, 40s, M, hiv
        p4, 40s, M, gout
        p5, 40s, M, flu
        p5, 50s, M, flu
        p6, 50s, M, gout
    """)
    people = {key: len(found) for key, found in oracle.persons(rows, [1, 2], 0).items()}
    alone = [found for found in oracle.histories(rows, [1, 2], 0).values() if len(found) == 1]
    assert oracle.k_anonymity(rows, [1, 2]) == 2
    assert oracle.k_persons(rows, [1, 2], 0) == 1
    assert people == {("30s", "F"): 1, ("40s", "M"): 4, ("50s", "M"): 2}
    assert oracle.k_histories(rows, [1, 2], 0) == 1
    assert set.union(*alone) == {"p1", "p5", "p6"}
    assert oracle.histories(rows[:4], [1, 2], 0) == {
        frozenset({(("30s", "F"), 3)}): {"p1"},
        frozenset({(("40s", "M"), 1)}): {"p2"},
    }
    assert oracle.k_histories(rows[3:6], [1, 2], 0) == 3
    assert oracle.k_histories([*rows[:2], ("p7", "30s", "F", "flu")], [1, 2], 0) == 1
    for unknown in (None, STAR):
        with pytest.raises(ValueError, match="expected a person in column 0"):
            oracle.k_persons([(unknown, "30s", "F", "flu")], [1, 2], 0)


def test_b27_readings_of_l_for_two_sensitive_attributes() -> None:
    """Everyone in their thirties has low debt, which the two joint tuples hide."""
    rows = table("""
        30s, F, flu, low
        30s, F, gout, low
        30s, F, flu, low
        30s, F, gout, low
        40s, M, flu, low
        40s, M, hiv, low
        40s, M, gout, high
        40s, M, gout, high
    """)
    assert oracle.k_anonymity(rows, [0, 1]) == 4
    assert [oracle.distinct_l(rows, [0, 1], position) for position in (2, 3)] == [2, 1]
    assert oracle.p_sensitivity(rows, [0, 1], [2, 3]) == 1
    assert oracle.joint_l(rows, [0, 1], [2, 3]) == 2
    assert oracle.others_known_l(rows, [0, 1], [2, 3], 2) == 1
    assert oracle.others_known_l(rows, [0, 1], [2, 3], 3) == 1
    with_gaps = [*rows, ("30s", "F", "hiv", None), ("*", "*", "flu", "low")]
    assert oracle.joint_l(with_gaps, [0, 1], [2, 3]) == 2
    alone = table("a, x, u\na, y, u\n*, z, u")
    assert oracle.others_known_l(alone, [0], [1, 2], 1) == 2
    assert oracle.others_known_l(table("x, *\ny, *"), [], [0, 1], 0) == 2
    assert oracle.joint_l(table("a, x, u\na, x, u\nb, x, u\nb, y, u"), [0], [1, 2]) == 1


def test_b28_t_with_ties_and_with_one_value() -> None:
    """Cumulated gaps 1/3, 1/3, 1/6: 5/18 by order; 1/3 by equality; 2/9 by value."""
    rows = table("g1,30,7\ng1,30,7\ng1,40,7\ng2,40,7\ng2,50,7\ng2,90,7")
    assert oracle.t_ordered(rows, [0], 1, ["30", "40", "50", "90"]) == pytest.approx(5 / 18)
    assert oracle.t_equal(rows, [0], 1) == pytest.approx(1 / 3)
    assert oracle.t_numeric(rows, [0], 1) == pytest.approx(2 / 9)
    assert oracle.t_equal(rows, [0], 2) == oracle.t_numeric(rows, [0], 2) == 0
    assert oracle.t_ordered(rows, [0], 2, ["7"]) == 0
    assert oracle.distinct_l(rows, [0], 2) == 1
    assert oracle.homogeneous_rows(rows, [0], 2) == [0, 1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="each value once"):
        oracle.ordered_distance(["a", "a"])
    with pytest.raises(ValueError, match="not in list"):
        oracle.t_ordered(rows, [0], 1, ["30", "40", "50"])


def test_b16_t_per_class_leaves_unknown_values_and_suppressed_tuples_out() -> None:
    """P = (2, 2, 1)/5; the women are 7/30 away, the men 7/20 (by value 53/255 and 53/170)."""
    rows = table("F,1.5\nF,2.5\nF,1.5\nM,2.5\nM,10.0\nM,\nF,*\n*,10.0\nQ,")
    distance = oracle.ordered_distance(["1.5", "2.5", "10.0"])
    found = oracle.t_per_class(rows, [0], 1, distance)
    assert found == {("F",): pytest.approx(7 / 30), ("M",): pytest.approx(0.35)}
    assert oracle.t_equal(rows, [0], 1) == pytest.approx(0.4)
    assert oracle.t_ordered(rows, [0], 1, ["1.5", "2.5", "10.0"]) == pytest.approx(0.35)
    assert oracle.t_numeric(rows, [0], 1) == pytest.approx(53 / 170)
    assert oracle.ordered_distance(["low", "high"])("low", "high") == 1


def test_b30_entropy_l_has_no_base() -> None:
    """Two equal shares are 2, not almost 2; shares of 3/4 and 1/4 are 1.754765."""
    rows = table("a,flu\na,gout\nb,flu\nb,flu\nb,flu\nb,gout")
    nats = [oracle.entropy(rows[:2], 1), oracle.entropy(rows[2:], 1)]
    assert nats == pytest.approx([0.693147, 0.562335], abs=1e-6)
    assert [h / math.log(2) for h in nats] == pytest.approx([1.0, 0.811278], abs=1e-6)
    assert oracle.entropy_l(rows[:2], [0], 1) == pytest.approx(2, abs=1e-12)
    assert oracle.entropy_l(rows, [0], 1) == pytest.approx(1.754765, abs=1e-6)


def test_b31_recursive_counts_from_the_most_frequent() -> None:
    """Class a has 5, 2, 1; at c = 5, l = 3 the two sides are equal, which is not enough."""
    rows = table("""
        a, flu
        a, flu
        a, flu
        a, flu
        a, flu
        a, gout
        a, gout
        a, hiv
        b, flu
        b, flu
        b, gout
        b, gout
        b, hiv
        b, hiv
    """)
    assert oracle.recursive_c(rows, [0], 1, 2) == Fraction(5, 3)
    assert oracle.recursive_c(rows, [0], 1, 3) == 5
    assert oracle.recursive_c(rows, [0], 1, 4) == math.inf
    assert oracle.recursive_c(rows[8:], [0], 1, 2) == Fraction(1, 2)
    assert oracle.recursive_c(rows[8:], [0], 1, 3) == 1
    assert oracle.is_recursive(rows, [0], 1, 2, 2)
    assert oracle.is_recursive(rows[8:], [0], 1, 2, 2)
    assert not oracle.is_recursive(rows, [0], 1, 5, 3)
    assert oracle.is_recursive(rows, [0], 1, 5.001, 3)
    assert not oracle.is_recursive(rows, [0], 1, Fraction(5, 3), 2)
    assert not oracle.is_recursive(rows, [0], 1, 1e9, 4)
    with pytest.raises(ValueError, match="expected 1 or more, got 0"):
        oracle.recursive_c(rows, [0], 1, 0)


def test_b34_linkage_outcomes() -> None:
    """Cyd and Dov share their one row; Bea's two rows agree; the second file overlaps nowhere."""
    rows = table("30s,F,flu\n30s,F,gout\n40s,M,hiv\n40s,M,hiv\n50s,F,flu")
    first = table("Ada,30s,F\nBea,40s,M\nCyd,50s,F\nDov,50s,F\nEli,60s,M")
    second = table("Fay,70s,F\nGus,80s,M")
    found = oracle.linkage(first, rows, same, [(1, 0), (2, 1)])
    assert found == [[0, 1], [2, 3], [4], [4], []]
    assert oracle.linkage([person[1:] for person in first], rows, same) == found
    assert oracle.linkage(second, rows, same, [(1, 0), (2, 1)]) == [[], []]
    diagnoses = [{rows[position][2] for position in candidates} for candidates in found]
    assert [who[0] for who, dx in zip(first, diagnoses, strict=True) if len(dx) == 1] == [
        "Bea",
        "Cyd",
        "Dov",
    ]


def test_b36_rule_with_unknown_cells() -> None:
    """Two of five as absent, two of three when ignored, at most four of five."""
    rows = table("onc,long\nonc,long\nonc,*\nonc,*\nonc,short\neye,short")
    found = oracle.rules(rows, [0], [1])
    rule = next(r for r in found if r.antecedent == ((0, "onc"),) and r.consequent == (1, "long"))
    assert (rule.both, rule.of, rule.unknown) == (2, 5, 2)
    assert rule.confidence == Fraction(2, 5)
    assert Fraction(rule.both, rule.of - rule.unknown) == Fraction(2, 3)
    assert Fraction(rule.both + rule.unknown, rule.of) == Fraction(4, 5)


def test_a_partly_suppressed_row_supports_rules_and_a_suppressed_tuple_does_not() -> None:
    """The cell is an ordinary value of its quasi-identifier."""
    found = oracle.rules(table("*, F, flu\n*, *, gout"), [0, 1], [2])
    assert {(rule.antecedent, rule.consequent) for rule in found} == {
        (((0, "*"),), (2, "flu")),
        (((1, "F"),), (2, "flu")),
        (((0, "*"), (1, "F")), (2, "flu")),
    }


@pytest.mark.parametrize("rows", [[], table("*, flu, flu"), table("a, , *")])
def test_nothing_to_measure_is_neither_a_number_nor_a_yes(rows: list[Row]) -> None:
    """B18: no rows; and only suppressed tuples, and only unknown values."""
    for levels in (oracle.p_sensitivity, oracle.joint_l, oracle.multi_attribute_l):
        assert levels(rows, [0], [1, 2]) is None
    for level in (oracle.distinct_l, oracle.entropy_l, oracle.alpha, oracle.t_equal):
        assert level(rows, [0], 1) is None
    assert oracle.t_numeric(rows, [0], 1) is oracle.t_ordered(rows, [0], 1, []) is None
    assert oracle.extended_p(rows, [0], [1], {1: CANCER}) is None
    assert oracle.extended_p_in_words(rows, [0], [1], {1: CANCER}) is None
    assert oracle.others_known_l(rows, [0], [1, 2], 1) is None
    assert oracle.recursive_c(rows, [0], 1, 1) is None
    assert oracle.rule_confidence(rows, [0], [1]) is None
    assert oracle.homogeneous_rows(rows, [0], 1) == []
    assert not oracle.is_recursive(rows, [0], 1, 9, 1)
    assert not oracle.is_p_sensitive_k_anonymous(rows, [0], [1], 1, 1)
    assert not oracle.algorithm1(rows, [0], [1], 2, 2)
    assert not oracle.algorithm2(rows, [0], [1], 2, 2)


def test_k_without_classes_is_nothing() -> None:
    """A person whose rows are all suppressed is in no class and has no history."""
    for rows in ([], table("*, p1")):
        assert oracle.k_anonymity(rows, [0]) is None
        assert oracle.k_persons(rows, [0], 1) is None
        assert oracle.k_histories(rows, [0], 1) is None


# --- definitions against each other, on every table up to a bound -------------------------------

ONE_ATTRIBUTE = [(key, value) for key in "ab" for value in ("x", "y", "z", None)]
TWO_ATTRIBUTES = [(key, s, t) for key in "ab" for s in ("x", "y", None) for t in "uv"]


@pytest.mark.parametrize(
    ("kinds", "most", "sensitive"), [(ONE_ATTRIBUTE, 6, [1]), (TWO_ATTRIBUTES, 4, [1, 2])]
)
def test_tv06_algorithms_agree_with_the_definition(
    kinds: list[Row], most: int, sensitive: list[int]
) -> None:
    """So both conditions are necessary, with unknown values too.

    And p is at most k, as long as no class is left out of p but counted in k.
    """
    answers = set()
    for rows in every_table(kinds, most):
        if rows and not oracle.unknown_classes(rows, [0], sensitive):
            level, size = oracle.p_sensitivity(rows, [0], sensitive), oracle.k_anonymity(rows, [0])
            assert level is not None
            assert size is not None
            assert level <= size
        for p, k in ((2, 2), (2, 3), (3, 3)):
            answer = oracle.is_p_sensitive_k_anonymous(rows, [0], sensitive, p, k)
            assert oracle.algorithm1(rows, [0], sensitive, p, k) is answer
            assert oracle.algorithm2(rows, [0], sensitive, p, k) is answer
            answers.add(answer)
    assert answers == {False, True}


def test_ct06_subtrees_lifting_and_pairs_agree() -> None:
    """For every set of values and every protected set of a small tree, closed downwards or not."""
    parent: dict[str, str | None] = {"a": "A", "b": "A", "A": "R", "c": "B", "B": "R", "R": None}
    nodes = sorted(parent)
    sets = [set(chosen) for size in range(7) for chosen in combinations(nodes, size)]
    for protected in sets:
        for values in sets:
            rows = [("q", value) for value in sorted(values)]
            hierarchies: dict[int, Hierarchy] = {1: (parent, protected)}
            by_subtree = oracle.extended_p(rows, [0], [1], hierarchies)
            assert by_subtree == oracle.extended_p_in_words(rows, [0], [1], hierarchies)
            lifted = oracle.lift(rows, hierarchies)
            assert by_subtree == oracle.p_sensitivity(lifted, [0], [1])


def test_transport_agrees_with_the_closed_forms() -> None:
    """Half the sum of differences; and the cumulated differences over m - 1."""
    order = ["1", "2", "3", "7"]
    lists = [list(values) for values in every_table([(value,) for value in order], 3) if values]
    for have in lists:
        for want in ([("1",), ("2",), ("3",), ("7",)], [("1",), ("1",), ("7",)]):
            ours, theirs = ([str(row[0]) for row in values] for values in (have, want))
            gaps = [ours.count(v) / len(ours) - theirs.count(v) / len(theirs) for v in order]
            equal = sum(abs(gap) for gap in gaps) / 2
            heights = [abs(sum(gaps[: place + 1])) for place in range(3)]
            numeric = sum(h * width for h, width in zip(heights, (1, 1, 4), strict=True)) / 6
            assert oracle.earth_movers(ours, theirs, oracle.equal_distance) == pytest.approx(equal)
            ordered = oracle.ordered_distance(order)
            assert oracle.earth_movers(ours, theirs, ordered) == pytest.approx(sum(heights) / 3)
            by_value = oracle.numeric_distance(order)
            assert oracle.earth_movers(ours, theirs, by_value) == pytest.approx(numeric)


def test_z07_largest_confidence_is_alpha() -> None:
    """The largest confidence over all X is reached at full classes, unknown cells or not."""
    kinds = [(q, r, s) for q in ("a", STAR) for r in ("b", STAR) for s in ("x", "y", STAR)]
    for rows in every_table(kinds, 4):
        assert oracle.rule_confidence(rows, [0, 1], [2]) == oracle.alpha(rows, [0, 1], 2)


def test_gcg08_theorem_1_where_all_is_known() -> None:
    """L is at most the values of any attribute, and two of each survive L - 2 eliminations."""
    kinds = [(s, t) for s in "xyz" for t in "uvw"]
    values = [
        (position, row[position]) for row in zip("xyz", "uvw", strict=True) for position in (0, 1)
    ]
    deepest = 0
    for rows in every_table(kinds, 4):
        level = int(oracle.least_deletions(rows, [0, 1]) or 0)
        deepest = max(deepest, level)
        assert level <= min(len(oracle.distinct(rows, position)) for position in (0, 1))
        for gone in combinations(values, level - 2) if level > 1 else ():
            left = [row for row in rows if all(row[position] != v for position, v in gone)]
            assert all(len(oracle.distinct(left, position)) > 1 for position in (0, 1))
    assert deepest == 3


def test_gcg08_theorem_1_holds_with_an_unknown_cell() -> None:
    """The first attribute shows a single value before anything is eliminated: L is no 2."""
    rows = table("x, u\n, v")
    assert oracle.least_deletions(rows, [0, 1]) == 1
    assert oracle.homogeneous_rows(rows, [], 0) == [0, 1]


def test_tv06_p_exceeds_k_where_the_small_class_is_unknown() -> None:
    """The class of one row counts for k and is left out of p."""
    rows = table("a, x\na, y\nb,")
    assert oracle.p_sensitivity(rows, [0], [1]) == 2
    assert oracle.k_anonymity(rows, [0]) == 1
