"""Similarity: CT06's cancers, against the oracle's protected subtrees."""

import oracle
import pandas as pd
import pytest
from builders import all_tables, reduced

import anonaudit
from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError, HierarchyError
from anonaudit.findings import Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.policy.policy import parse_policy
from attacks.similarity import Similarity

PATHS = [["colon", "cancer", "*"], ["breast", "cancer", "*"], ["flu", "other", "*"]]
PARENTS = {"colon": "cancer", "breast": "cancer", "flu": "other", "cancer": "*", "other": "*"}


def run(rows, unit=None, **more):
    more = {"protected": {"1": ("cancer",)}, "hierarchies": {"1": Hierarchy("1", PATHS)}} | more
    return Similarity().run(Setting(classes=reduced(rows, [0], [1], unit=unit), **more))


def test_colon_and_breast_are_cancer():
    found = run([("x", "colon"), ("x", "breast"), ("y", "colon"), ("y", "flu")])
    assert (found.targets, found.disclosed) == (4, 2)
    assert found.details["although the values differ"] == 2
    assert (found.exposed.tolist(), found.per_attribute) == ([True, False], {"1": 2})
    same = run([("x", "colon"), ("x", "colon"), ("y", "flu"), ("y", "flu")])
    assert (same.disclosed, same.details["although the values differ"]) == (2, 0)


@pytest.mark.long
def test_on_all_small_tables():
    """Disclosed where the oracle sees one protected subtree, it is cancer, and nothing unknown.

    So extended p-sensitivity of 2 or more leaves none (CT06 Def. 5).
    """
    for rows in all_tables(("x", "y"), ("colon", "breast", "flu", "cancer", None), most=4, least=1):
        expected = 0
        for members in oracle.classes(rows, [0]).values():
            values = [row[1] for row in members]
            subtrees = oracle.protected_subtrees(oracle.known(values), (PARENTS, {"cancer"}))
            if None not in values and subtrees == {"cancer"}:
                expected += len(members)
        assert run(rows).disclosed == expected
        p = oracle.extended_p(rows, [0], [1], {1: (PARENTS, {"cancer"})})
        assert p is None or p < 2 or expected == 0


def test_a_value_above_the_protected_ones_rules_nothing_out():
    assert run([("x", "colon"), ("x", "*")]).disclosed == 0


def test_persons_need_one_such_value_each():
    rows = [("x", "colon", "p"), ("x", "flu", "p"), ("x", "breast", "q")]
    assert run(rows).disclosed == 0
    assert run(rows, unit=2).disclosed == 2


def test_the_option_comes_before_the_policy():
    rows = [("x", "flu"), ("x", "flu"), ("y", "colon")]
    assert run(rows, options={"protected": {"1": ("other",)}}).disclosed == 2
    assert run(rows).disclosed == 1


def test_what_cannot_be_attacked_is_said():
    for protected in ({}, {"1": ()}, {"0": ("x",)}):  # no column, no value, not sensitive
        assert run([("x", "flu")], protected=protected).outcome is Outcome.SKIPPED
    empty = run([])
    assert (empty.outcome, empty.reason) == (Outcome.INCONCLUSIVE, "there is no class to attack")
    with pytest.raises(AnonauditError, match="no hierarchy"):
        run([("x", "flu")], hierarchies={})
    with pytest.raises(HierarchyError):
        run([("x", "gout")])
    for wrong, message in (("cancer", "table"), ({"0": ("x",)}, "sensitive"), ({"1": 3}, "list")):
        with pytest.raises(AnonauditError, match=message):
            run([("x", "flu")], options={"protected": wrong})


def test_through_a_policy(tmp_path):
    lines = "\n".join(",".join(path) for path in PATHS)
    (tmp_path / "dx.csv").write_text(lines + "\n")
    frame = pd.DataFrame({"age": ["x", "x"], "dx": ["colon", "breast"]})
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        "hierarchies.dx = { file = 'dx.csv', protected = ['cancer'] }\n"
        "attacks.similarity = {}",
        folder=tmp_path,
    )
    found = anonaudit.audit(frame, policy).attacks[0]
    assert (found.attack, found.disclosed) == ("similarity", 2)


@pytest.mark.parametrize("wrong", ["g", ["g", 1], [1], 3, {"g": 1}])
def test_protected_values_are_a_list_of_texts(wrong):
    with pytest.raises(AnonauditError, match="must be a list of values"):
        run([("x", "a")], options={"protected": {"1": wrong}})
