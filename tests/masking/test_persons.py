"""Several rows a person: what is suppressed, and that every release holds when persons are counted.

The second opinion is plain Python over sets of persons.
"""

import hashlib
from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from masking.tables import Row, at_node, fewer, hierarchies, nodes

import anonaudit
from anonaudit.auditing.feasibility import feasibility
from anonaudit.errors import InputError, PolicyError, RoleError
from anonaudit.findings import Outcome
from anonaudit.masking.aims import Aim
from anonaudit.masking.goals import (
    EntropyL,
    Every,
    Goal,
    Groups,
    KAnonymous,
    PSensitive,
    Unshared,
)
from anonaudit.masking.lattice import full_domain, k_minimal, p_k_minimal
from anonaudit.masking.maskers import ALGORITHMS, BEST, mask
from anonaudit.masking.recoding import Microdata, NotAchievableError
from anonaudit.masking.rule_hiding import hide_rules
from anonaudit.masking.suppression import short_rows
from anonaudit.masking.task import Task
from anonaudit.matrix import matrix
from anonaudit.models.boundaries import Boundaries
from anonaudit.policy.policy import HierarchySpec, Policy, parse_policy
from anonaudit.remedies import remedies
from anonaudit.roles import Roles

# Rows of two quasi-identifiers, a sensitive value, and the person they are about.
visits = st.lists(
    st.tuples(
        st.sampled_from("0123"),
        st.sampled_from("01"),
        st.sampled_from(["x", "y", "z", None]),
        st.integers(1, 5).map(str),
    ),
    min_size=1,
    max_size=14,
)
NAMES = ["q0", "q1", "s0", "who"]


def frame(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=NAMES, dtype=object)


def read(rows: list[Row], trees: bool = True) -> Microdata:
    found = hierarchies("q0", "q1") if trees else {}
    return Microdata.read(frame(rows), Roles(("q0", "q1"), ("s0",), unit="who"), found)


def holds(rows: list[Row], k: int, p: int) -> bool:
    """Whether every class has k persons and p known values; rows: (key, value, person)."""
    people, values = defaultdict(set), defaultdict(set)
    for key, value, person in rows:
        people[key].add(person)
        values[key].add(value)
    enough = all(len(some) >= k for some in people.values())
    return enough and (p < 2 or all(len(some - {None}) >= p for some in values.values()))


def largest(rows: list[Row], k: int, p: int) -> set[str]:
    """The persons of the largest release of whole persons, of all choices of persons."""
    everybody = sorted({person for *_, person in rows})
    for n in range(len(everybody), -1, -1):
        for chosen in combinations(everybody, n):
            if holds([row for row in rows if row[2] in chosen], k, p):
                return set(chosen)
    raise AssertionError


def keyed(rows: list[Row]) -> list[Row]:
    return [(row[:2], row[2], row[3]) for row in rows]


@given(visits, st.integers(1, 4), st.integers(1, 2))
def test_whole_persons_that_stay_are_the_most_there_can_be(rows: list[Row], k: int, p: int) -> None:
    data = read(rows)
    keys = [row[:2] for row in rows]
    of = np.array([sorted({*keys}).index(key) for key in keys])
    groups = Groups.of_rows(data, np.arange(len(rows)), of, len({*keys}))
    goal: Goal = KAnonymous(k) if p == 1 else PSensitive(p, max(k, p))
    gone = short_rows(groups, goal)
    stay = largest(keyed(rows), max(k, p), p)
    assert [row[3] in stay for row in rows] == (~gone).tolist()
    # By rows, those of the classes that fall short.
    alone = short_rows(groups, goal, whole_persons=False)
    for key in {*keys}:
        inside = [i for i, own in enumerate(keys) if own == key]
        short = not holds([keyed(rows)[i] for i in inside], max(k, p), p)
        assert alone[inside].tolist() == [short] * len(inside)


@given(visits, st.integers(2, 3), st.integers(1, 2), st.integers(0, 6))
def test_the_lattice_counts_persons_at_every_node(
    rows: list[Row], k: int, p: int, threshold: int
) -> None:
    """What a node needs, and the least height, by all choices of persons at all nodes."""
    needed = {}
    for node in nodes(2):
        general = keyed(at_node(rows, node))
        stay = largest(general, max(k, p), p)
        needed[node] = sum(person not in stay for *_, person in general)
    goal: Goal = KAnonymous(k) if p == 1 else PSensitive(p, k)
    table = full_domain(read(rows), goal, len(rows))
    bottom = table.bottom()
    assert {node: table.needed(bottom, node) for node in needed} == needed
    allowed = min(threshold, len(rows) - 1)
    good = [node for node, n in needed.items() if n <= allowed]
    try:
        if p == 1:
            found = k_minimal(read(rows), k=k, threshold=threshold)
        else:
            found = p_k_minimal(read(rows), p=p, k=k, threshold=threshold)
    except NotAchievableError:
        assert not good
        return
    least = min(sum(node) for node in good)
    assert found.how["node"] == min(
        (node for node in good if sum(node) == least), key=lambda node: (needed[node], node)
    )
    assert int(found.suppressed.sum()) == needed[found.how["node"]]  # type: ignore[index]


RULES = """
columns = {{ quasi-identifiers = ["q0", "q1"], sensitive = ["s0"], unit = "who" }}
require.k-anonymity = {{ k = {k} }}
{more}
"""
MORE = {
    "k alone": "",
    "p": "require.p-sensitive-k-anonymity = { p = 2 }",
    "entropy": "require.entropy-l-diversity = { l = 1.5 }",
    "L": "require.multi-attribute-l-diversity = { l = 2 }",
    "risk": "require.prosecutor-risk = { highest = 0.4 }",
    "rules": "require.rule-confidence = { below = 0.8 }",
    "rows": 'masking.suppress = "rows"',
    "kept": 'masking.unit-in-release = "kept"',
    "dropped": 'masking.unit-in-release = "dropped"',
}


def rules(k: int, more: str) -> str:
    return RULES.format(k=k, more=more)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("more", MORE)
@fewer
@given(rows=visits, k=st.integers(1, 3), threshold=st.sampled_from([None, 3, 20]))
def test_a_release_passes_its_own_audit_in_persons(
    more: str, algorithm: str, rows: list[Row], k: int, threshold: int | None
) -> None:
    policy = parse_policy(rules(k, MORE[more]))
    if more in ("entropy", "L") and algorithm == "full-domain":
        return
    try:
        found = mask(frame(rows), policy, algorithm=algorithm, threshold=threshold)
    except NotAchievableError as error:
        if error.reason == "merged" and more == "entropy":
            return
        counted = [((), value, person) for _, _, value, person in rows]
        p = 2 if more in ("p", "L", "entropy") else 1
        assert not holds(counted, max(k, p, 3 if more == "risk" else 1), p) or p == 2
        return
    release = found.counted if found.counted is not None else found.release
    written = [tuple(row) for row in release.itertuples(index=False)]
    assert holds(keyed(written), k, 2 if more == "p" else 1)
    report = found.audit()
    if more not in ("entropy", "rules"):
        assert report.outcome is Outcome.HOLDS
    if more == "rules":  # all cells hidden: nothing is left to measure
        assert report.outcome is not Outcome.VIOLATED
    assert ("who" in found.release) == (more != "dropped")
    gone = found.recoding.suppressed
    if more != "rows":  # nobody is released in part
        people = {row[3] for row, out in zip(rows, gone, strict=True) if out}
        assert people.isdisjoint(row[3] for row, out in zip(rows, gone, strict=True) if not out)
    kept = sorted(row[3] for row, out in zip(rows, gone, strict=True) if not out)
    drawn = release["who"].tolist()
    if more == "kept":
        assert sorted(drawn) == kept
    else:  # as many persons, with as many rows each, under the numbers from 1 on
        assert {*drawn} == {str(n + 1) for n in range(len({*kept}))}
        assert sorted(map(drawn.count, {*drawn})) == sorted(map(kept.count, {*kept}))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=8)
@given(rows=visits, k=st.integers(2, 3), p=st.integers(1, 2), threshold=st.integers(0, 4))
def test_with_one_row_for_each_person_a_release_is_the_one_without_a_unit(
    algorithm: str, rows: list[Row], k: int, p: int, threshold: int
) -> None:
    """Persons are rows then; no number is compared, as these are drawn."""
    table = frame(rows).assign(who=[f"patient {n}" for n in range(len(rows))])
    text = rules(k, MORE["p"] if p == 2 else "")
    without = (table.drop(columns="who"), text.replace(', unit = "who"', ""))
    released: list[object] = []
    for original, policy in ((table, text), without):
        try:
            found = mask(original, parse_policy(policy), algorithm=algorithm, threshold=threshold)
        except NotAchievableError as error:
            released.append(error.reason)
        else:
            cells = found.release[NAMES[:3]].fillna("").to_numpy().tolist()
            released.append((sorted(cells), found.loss))
    assert released[0] == released[1]


def table_of(n: int = 60) -> pd.DataFrame:
    """Two rows a person, in classes of a row each."""
    rng = np.random.default_rng(5)
    who = [f"patient {i // 2}" for i in range(n)]
    columns = {"q0": rng.choice(list("0123"), n), "q1": rng.choice(list("01"), n)}
    return pd.DataFrame({**columns, "s0": rng.choice(list("xyz"), n), "who": who}).astype(object)


def test_numbers_are_drawn_anew_whatever_the_seeds() -> None:
    policy = parse_policy(rules(2, ""))
    drawn = [mask(table_of(), policy, seed=1, insecure_seed=1).release for _ in range(3)]
    plain = [release.drop(columns="who").to_numpy().tolist() for release in drawn]
    assert plain[0] == plain[1] == plain[2]
    assert not drawn[0].equals(drawn[1])
    assert not drawn[1].equals(drawn[2])
    assert {*drawn[0]["who"]} == {str(n) for n in range(1, 31)}


@pytest.mark.parametrize("more", ["", MORE["dropped"]])
def test_no_number_of_a_person_means_missing_or_suppressed(more: str) -> None:
    """99999 is a common sign of a missing postal code, and a number of 100,000 patients."""
    values = 'values = { missing = ["2", "30", "x"], suppressed = ["7"] }\n'
    found = mask(table_of(), parse_policy(values + rules(2, more)))
    release = found.counted if found.counted is not None else found.release
    assert {*release["who"]} == {str(n) for n in range(1, 34)} - {"2", "30", "7"}
    assert found.audit().outcome is Outcome.HOLDS
    policy = parse_policy(values + rules(2, ""))
    told = anonaudit.audit(release, policy, original=table_of()).warnings
    assert "unit-kept" not in {n.code for n in told}


def test_rows_of_one_person_stay_together_under_their_number() -> None:
    table = table_of().assign(s0=[str(i // 2) for i in range(60)])  # the value says who it is
    found = mask(table, parse_policy(rules(2, ""))).release
    pairs = {*zip(found["who"], found["s0"], strict=True)}
    assert len(pairs) == 30 == len({who for who, _ in pairs}) == len({value for _, value in pairs})


def test_a_kept_unit_is_a_warning_in_every_audit() -> None:
    """In the masker's own audit, in one with the same policy, and in one beside the original."""
    kept = parse_policy(rules(2, MORE["kept"]))
    found = mask(table_of(), kept)
    assert "who" in found.notes[-1]
    plain = parse_policy(rules(2, ""))
    fresh = mask(table_of(), plain)

    def codes(table: pd.DataFrame, policy, **options) -> set[str]:
        return {n.code for n in anonaudit.audit(table, policy, **options).warnings}

    assert "unit-kept" in {n.code for n in found.audit().warnings}
    assert "unit-kept" in codes(found.release, kept)
    assert "unit-kept" in codes(found.release, plain, original=table_of())
    assert "unit-kept" not in codes(found.release, plain)  # nobody can know
    assert "unit-kept" not in codes(fresh.release, plain, original=table_of())
    assert "unit-kept" not in {n.code for n in fresh.audit().warnings}


def test_histories_that_single_out_are_a_warning() -> None:
    """Three persons with rows in the same two classes, one of them twice in one."""
    rows = [("a", "1"), ("b", "1"), ("a", "2"), ("b", "2"), ("a", "3"), ("a", "3"), ("b", "3")]
    table = pd.DataFrame(rows, columns=["q", "who"])
    policy = parse_policy('columns = { quasi-identifiers = ["q"], unit = "who" }')
    (told,) = [
        n for n in anonaudit.audit(table, policy).warnings if n.code == "persons-alone-by-history"
    ]
    assert told.message.startswith("1 person(s)")
    few = anonaudit.audit(table.head(4), policy).warnings
    assert "persons-alone-by-history" not in {n.code for n in few}


def test_a_count_column_and_rows_about_nobody_are_refused_with_a_way_out() -> None:
    policy = parse_policy('columns = { quasi-identifiers = ["q0"], count = "who" }')
    with pytest.raises(RoleError, match=r"repeat each row .*remove `count`"):
        mask(table_of(), policy)
    table = table_of()
    table.loc[[3, 5], "who"] = None
    with pytest.raises(RoleError, match=r"2 row\(s\) have no value in the unit column"):
        mask(table, parse_policy(rules(2, "")))


def test_masking_options_without_a_unit_are_a_mistake() -> None:
    wrong = 'columns.quasi-identifiers = ["a"]\nmasking = { unit-in-release = "kept", x = 1 }'
    with pytest.raises(PolicyError) as refused:
        parse_policy(wrong)
    assert "is valid only with columns.unit" in str(refused.value)
    assert "masking.x" in str(refused.value)
    with pytest.raises(PolicyError, match="renumbered"):
        parse_policy('columns.unit = "a"\nmasking.unit-in-release = "renumberd"')


@given(visits, st.sampled_from([0.3, 0.5, 0.8, 1.0]), st.integers(0, 3))
def test_no_rule_over_any_columns_is_sure_of_a_person(rows: list[Row], c: float, seed: int) -> None:
    """By hand: the share of the persons with some values who show a value."""
    found = hide_rules(read(rows, trees=False), c=c, seed=seed)
    left = [
        (*row[:2], None if out else row[2], row[3])
        for row, out in zip(rows, found.hidden[:, 0], strict=True)  # type: ignore[index]
    ]
    for columns in ((0,), (1,), (0, 1)):
        keys = {tuple(row[j] for j in columns) for row in left}
        for key in keys:
            inside = [row for row in left if tuple(row[j] for j in columns) == key]
            people = {row[3] for row in inside}
            for value in {row[2] for row in inside} - {None}:
                shown = {row[3] for row in inside if row[2] == value}
                assert len(shown) < c * len(people) or len(shown) / len(people) < c


def test_a_rule_over_one_of_three_columns_is_hidden_too() -> None:
    """Both persons show x and y under a, but under each pair of columns one of two shows each."""
    rows = [("a", "0", "0", "x", "1"), ("a", "0", "0", "y", "2"), ("a", "1", "1", "y", "1"), ("a", "1", "1", "x", "2")]  # fmt: skip
    table = pd.DataFrame(rows, columns=["q0", "q1", "q2", "s0", "who"], dtype=object)
    data = Microdata.read(table, Roles(("q0", "q1", "q2"), ("s0",), unit="who"))
    hidden = hide_rules(data, c=0.8, seed=0).hidden
    assert hidden is not None
    left = [row[3] for row, out in zip(rows, hidden[:, 0], strict=True) if not out]
    assert sorted(left) == ["x", "y"]


def test_what_else_is_aimed_at_stays_with_persons() -> None:
    """With p above 1 no value may be shared by all persons, if the whole table can have that."""
    limits = Boundaries()
    for values, more in (("xxyy", (EntropyL(2), Unshared())), ("xyxy", (EntropyL(2),))):
        rows = [("0", "0", value, who) for value, who in zip(values, "1122", strict=True)]
        aim = Aim(k=2, p=2, more=(EntropyL(2),))
        found = Task(read(rows), aim, limits, None, seed=0).more
        assert found == Every(more), values


def test_entropy_counts_whoever_shows_a_value_once() -> None:
    """Nine rows x of one person and one row y of another: two values, one person each."""
    rows = [("0", "0", "x", "1")] * 9 + [("0", "0", "y", "2")]
    assert EntropyL(2.0).met(Groups.whole(read(rows)))[0]
    assert not EntropyL(2.1).met(Groups.whole(read(rows)))[0]


def test_best_tries_every_algorithm_by_persons() -> None:
    found = mask(table_of(), parse_policy(rules(4, "")), algorithm=BEST)
    assert [one.algorithm for one in found.tried] == list(ALGORITHMS)
    people = found.release.groupby(["q0", "q1"])["who"].nunique()
    assert people.min() >= 4


def test_the_table_of_t2_48_has_classes_of_two_persons() -> None:
    """The case as it was filed: six rows of three persons, k = 2."""
    rows = [("1", "30", "F", dx) for dx in ("flu", "gout", "hiv")]
    rows += [("2", "50", "M", "flu"), ("2", "50", "M", "gout"), ("3", "52", "M", "hiv")]
    table = pd.DataFrame(rows, columns=["p", "age", "sex", "dx"])
    policy = parse_policy("""
        columns = { quasi-identifiers = ["age", "sex"], sensitive = ["dx"], unit = "p" }
        hierarchies.age = { intervals = [10, 50] }
        require.k-anonymity = { k = 2 }
    """)
    for algorithm in ALGORITHMS:
        found = mask(table, policy, algorithm=algorithm).release
        assert len(found) == 6
        assert found.groupby(["age", "sex"])["p"].nunique().min() >= 2
    # One person's three rows leave with them; those of the other two are alike but for one step.
    policy = parse_policy("""
        columns = { quasi-identifiers = ["age", "sex"], sensitive = ["dx"], unit = "p" }
        hierarchies.age = { intervals = [10, 50] }
        hierarchies.sex = { prefixes = [1] }
        require.k-anonymity = { k = 2 }
    """)
    found = mask(table, policy, threshold=3).release
    assert found["sex"].tolist() == ["M"] * 3
    assert found["age"].tolist() == ["[50,60)"] * 3


BOUNDED = """
columns = {{ quasi-identifiers = ["q0", "q1"], sensitive = ["s0"], unit = "who" }}
require.constrained-k-anonymity = {{ k = {k} }}
{more}
"""
PARTS = {"0": "low", "1": "low", "2": "high", "3": "high"}


def bounded(k: int, more: str) -> Policy:
    """Values of q0 may be generalized to low and high, and those of q1 at will."""
    policy = parse_policy(BOUNDED.format(k=k, more=more))
    specs = {
        "q0": HierarchySpec("q0", hierarchies("q0")["q0"], max_generalization=("low", "high")),
        "q1": HierarchySpec("q1", hierarchies("q1")["q1"]),
    }
    return replace(policy, hierarchies=specs)


@fewer
@given(visits, st.integers(2, 3), st.booleans())
def test_within_boundaries_as_many_rows_go_as_feasible_says(
    rows: list[Row], k: int, by_row: bool
) -> None:
    """The rows outside the largest choice of persons with k in every part, or in short parts."""
    policy = bounded(k, 'masking.suppress = "rows"' if by_row else "")
    parts = [((PARTS[q0 or ""],), value, who) for q0, _, value, who in rows]
    if by_row:
        short = [
            part
            for part in {key for key, *_ in parts}
            if len({who for key, _, who in parts if key == part}) < k
        ]
        out = sum(key in short for key, *_ in parts)
    else:
        out = sum(who not in largest(parts, k, 1) for *_, who in parts)
    (told,) = feasibility(frame(rows), policy)
    assert told.price["rows to suppress (OUT)"] == out
    if out < len(rows):
        found = mask(frame(rows), policy, algorithm="greedy-cka")
        assert found.recoding.how["OUT"] == int(found.recoding.suppressed.sum()) == out
        assert found.audit().outcome is Outcome.HOLDS
    else:
        with pytest.raises(NotAchievableError):
            mask(frame(rows), policy, algorithm="greedy-cka")


@fewer
@given(visits, st.integers(2, 3))
def test_remedies_suppress_whole_persons(rows: list[Row], k: int) -> None:
    policy = parse_policy(rules(k, ""))
    stay = largest(keyed(rows), k, 1)
    told = remedies(frame(rows), policy)
    found = [r for r in told.tried if [s.kind for s in r.steps] == ["suppress"]]
    gone = sum(row[3] not in stay for row in rows)
    if gone and 2 * gone <= len(rows):
        assert (found[0].rows_suppressed, found[0].suffices) == (gone, True)
    elif found:
        assert not found[0].suffices


def test_a_chain_of_persons_is_followed_to_its_end() -> None:
    """Each class has two persons but the first, which has one: all of thirty must go in turn."""
    chain = [(str(n), who) for n in range(30) for who in (n, n + 1) if who]
    table = pd.DataFrame(
        [(f"c{q}", str(who)) for q, who in chain] + [("d", f"x{n}") for n in range(99)],
        columns=["q", "who"],
    )
    policy = parse_policy(
        'columns = { quasi-identifiers = ["q"], unit = "who" }\nrequire.k-anonymity = { k = 2 }'
    )
    (alone,) = [
        r for r in remedies(table, policy).tried if len(r.steps) == 1 and not r.cells_changed
    ]
    assert (alone.rows_suppressed, alone.suffices) == (len(chain), True)
    found = mask(table, policy, algorithm="full-domain", threshold=99)
    assert int(found.recoding.suppressed.sum()) == len(chain)


def test_the_audit_of_a_file_without_units_is_of_that_file(tmp_path: Path) -> None:
    """Persons are those of the masked table, so any other file is refused."""
    masked = mask(table_of(), parse_policy(rules(3, MORE["dropped"])))
    file = tmp_path / "release.csv"
    masked.release.to_csv(file, index=False)
    report = masked.audit(file)
    assert report.release.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert report.release.persons == masked.audit().release.persons == 30
    masked.release.iloc[::-1].to_csv(file, index=False)
    with pytest.raises(InputError, match="differs from the masked release"):
        masked.audit(file)


@pytest.mark.parametrize(
    "more", ["dropped", *(pytest.param(one, marks=pytest.mark.long) for one in ("p", "kept"))]
)
def test_the_matrix_counts_persons(more: str) -> None:
    policy = parse_policy(rules(9, MORE[more]))
    found = matrix(table_of(), policy)
    assert found == matrix(table_of(), policy)  # its numbers come from no system
    assert found.persons == 30
    assert [row.levels["k-anonymity"] >= 9 for row in found.rows] == [
        False,
        *[True] * (len(found.rows) - 1),
    ]
    cells = {cell.attack: cell for cell in found.rows[0].cells}
    assert cells["homogeneity"].targets == 30


def test_rows_outside_the_boundaries_take_their_persons_along() -> None:
    """One person alone in the low part, with a row in the high one, where two others stay."""
    rows = [("0", "0", "x", "1"), ("2", "0", "x", "1"), ("2", "0", "x", "2"), ("2", "0", "x", "3")]
    for more, out in (("", 2), ('masking.suppress = "rows"', 1)):
        (told,) = feasibility(frame(rows), bounded(2, more))
        assert told.price["rows to suppress (OUT)"] == out


@pytest.mark.long
def test_few_rows_of_persons_are_no_trouble_for_any_attack() -> None:
    """Below 30 rows the adversary who knows the algorithm would try other originals."""
    found = matrix(table_of(24), parse_policy(rules(2, MORE["rules"])))
    reasons = {c.attack: c.reason for row in found.rows for c in row.cells if c.reason}
    assert not any("Error" in reason for reason in reasons.values())


@given(visits)
def test_no_value_is_shared_by_all_persons_of_a_group(rows: list[Row]) -> None:
    """By hand: for each known value somebody is sure not to have it; who lacks a cell may."""
    data = read(rows)
    keys = [row[0] for row in rows]
    of = np.array([sorted({*keys}).index(key) for key in keys])
    met = Unshared().met(Groups.of_rows(data, np.arange(len(rows)), of, len({*keys})))
    for key, found in zip(sorted({*keys}), met, strict=True):
        cells = defaultdict(set)
        for q0, _, value, who in rows:
            if q0 == key:
                cells[who].add(value)
        values = set().union(*cells.values()) - {None}
        agree = any(all(some & {value, None} for some in cells.values()) for value in values)
        assert found == (not agree)


@pytest.mark.parametrize("algorithm", ["mondrian", "k-member", "greedy-cka"])
@fewer
@given(rows=visits)
def test_p_of_persons_leaves_no_value_that_all_of_a_class_have(
    algorithm: str, rows: list[Row]
) -> None:
    """Then nobody is exposed by homogeneity, whatever the rows; where the whole table allows it."""
    people = defaultdict(set)
    for _, _, value, who in rows:
        people[who].add(value)
    shared = any(all(some & {v, None} for some in people.values()) for v in "xyz")
    policy = parse_policy(rules(2, MORE["p"]) + "attacks.homogeneity = { allow-rate = 0 }")
    if shared:
        return
    try:
        found = mask(frame(rows), policy, algorithm=algorithm)
    except NotAchievableError:
        return
    if algorithm == "mondrian":
        assert found.audit().outcome is Outcome.HOLDS
    (attack,) = [a for a in found.audit().attacks if a.allowed is not None]
    keys = [tuple(row) for row in found.recoding.keys.tolist()]
    if len({*keys}) == len(keys):  # clusters that are released alike are one class, not aimed at
        assert attack.outcome is Outcome.HOLDS
