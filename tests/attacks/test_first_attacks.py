"""Homogeneity and linkage: rows and persons, unknown cells, names, what a policy allows."""

import oracle
import pandas as pd
import pytest
from builders import all_tables, reduced

import anonaudit
from anonaudit.attack import Setting
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.policy.policy import parse_policy
from attacks.algorithm_aware import AlgorithmAware
from attacks.association import Association
from attacks.composition import Composition
from attacks.distance_linkage import DistanceLinkage
from attacks.editions import Editions
from attacks.elimination import Elimination
from attacks.homogeneity import Homogeneity
from attacks.linkage import Linkage
from attacks.residual import Residual
from attacks.shared import persons_of
from attacks.similarity import Similarity
from attacks.skewness import Skewness
from attacks.unsorted_matching import UnsortedMatching


def audit(rows, columns, policy=None, **options):
    frame = pd.DataFrame(rows, columns=columns, dtype=object)
    return anonaudit.audit(frame, None if policy is None else parse_policy(policy), **options)


def attack(report, name):
    return next(a for a in report.attacks if a.attack == name)


@pytest.mark.parametrize("most", [2, pytest.param(4, marks=pytest.mark.long)])
def test_homogeneity_on_all_small_tables(most):
    """Certain where the oracle's one value stands beside no unknown cell; else likely."""
    for rows in all_tables(("x", "y"), ("a", "b", None), most=most, least=1):
        found = attack(
            audit(rows, ["q", "s"], quasi_identifiers=["q"], sensitive=["s"]), "homogeneity"
        )
        one = {rows[i][0] for i in oracle.homogeneous_rows(rows, [0], 1)}
        groups = oracle.classes(rows, [0])
        certain = [k[0] for k, m in groups.items() if k[0] in one and None not in {r[1] for r in m}]
        assert found.targets == len(rows)
        assert found.disclosed == sum(row[0] in certain for row in rows)
        assert found.details["likely"] == sum(
            row[0] in one and row[0] not in certain for row in rows
        )


def test_a_value_that_every_person_of_a_class_has_is_disclosed():
    """p1 has A and B, p2 has A: everyone in the class has A."""
    people = pd.DataFrame({"a": ["x"]})
    report = audit(
        [("x", "p1", "A"), ("x", "p1", "B"), ("x", "p2", "A")],
        ["a", "u", "s"],
        quasi_identifiers=["a"],
        sensitive=["s"],
        unit="u",
        external=people,
    )
    assert attack(report, "homogeneity").disclosed == 2
    assert attack(report, "linkage").disclosed == 1
    assert attack(report, "linkage").identified == 0


def test_one_person_in_several_rows_is_identified():
    report = audit(
        [("x", "p1", "A"), ("x", "p1", "B"), ("y", "p2", "A"), ("y", "p3", "B")],
        ["a", "u", "s"],
        quasi_identifiers=["a"],
        sensitive=["s"],
        unit="u",
        external=pd.DataFrame({"a": ["x", "y"]}),
    )
    found = attack(report, "linkage")
    assert found.identified == found.details["exactly one match"] == 1
    assert found.details["several matches"] == 1


def test_people_without_a_name_stay_apart():
    people = pd.DataFrame({"name": [None, None, None, "B"], "a": ["x", "x", "x", "y"]})
    report = audit(
        [("x", "A"), ("x", "B")],
        ["a", "s"],
        quasi_identifiers=["a"],
        sensitive=["s"],
        external=people,
        identity=["name"],
    )
    found = attack(report, "linkage")
    assert (found.targets, found.details["no match"]) == (4, 1)


def test_an_attack_that_could_not_run_passes_no_gate():
    report = audit(
        [("x", "q"), ("x", "w")],
        ["a", "b"],
        "columns = { quasi-identifiers = ['a'] }\nattacks.homogeneity = { allow-rate = 0.0 }",
    )
    assert attack(report, "homogeneity").outcome is Outcome.SKIPPED
    assert report.outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(("rate", "outcome"), [(0.4, "violated"), (0.5, "holds")])
def test_a_rate_is_allowed_up_to_its_limit(rate, outcome):
    report = audit(
        [("x", "A"), ("x", "A"), ("y", "A"), ("y", "B")],
        ["a", "s"],
        "columns = { quasi-identifiers = ['a'], sensitive = ['s'] }\n"
        f"attacks.homogeneity = {{ allow-rate = {rate} }}",
    )
    assert attack(report, "homogeneity").rate == 0.5
    assert report.outcome.value == outcome


def test_the_external_table_may_know_fewer_columns_and_call_them_otherwise(tmp_path):
    (tmp_path / "people.csv").write_text("who,Age\nv,43\n")
    (tmp_path / "release.csv").write_text("age,zip,s\n40-49,1,A\n40-49,2,B\n50-59,1,B\n")
    policy = parse_policy(
        """
        columns = { quasi-identifiers = ['age', 'zip'], sensitive = ['s'] }
        [attacks.linkage]
        external = 'people.csv'
        identity = ['who']
        columns = { age = 'Age' }
        """,
        folder=tmp_path,
    )
    found = attack(anonaudit.audit(tmp_path / "release.csv", policy), "linkage")
    assert found.details["several matches"] == 1
    assert found.details["pairs"] == 2
    assert any("zip" in note for note in found.notes)


def test_the_witness_is_the_largest_class_and_the_first_attribute_that_gives_it_away():
    """By hand: a (two rows) gives away s, b (three rows) t only; c nothing."""
    rows = [("a", "u", "w"), ("a", "u", "x"), ("b", "u", "w"), ("b", "v", "w"), ("b", "u", "w")]
    rows += [("c", "u", "w"), ("c", "v", "x"), ("c", "u", "x"), ("c", "u", "x")]
    report = audit(rows, ["q", "s", "t"], quasi_identifiers=["q"], sensitive=["s", "t"])
    witness = attack(report, "homogeneity").witness
    assert (witness.rows, witness.attribute, witness.positions) == (3, "t", (3, 4, 5))


def test_homogeneity_tells_everything_by_hand():
    """w: one row; x: a, a; y: a, b, b is not; z: b and a gap is likely."""
    rows = [("w", "b"), ("x", "a"), ("x", "a"), ("y", "a"), ("y", "b"), ("y", "b"), ("z", "b")]
    classes = reduced([*rows, ("z", None)], [0], [1])
    found = Homogeneity().run(Setting(classes=classes, allowed=0.5))
    assert (found.attack, found.knowledge) == ("homogeneity", "the target's quasi-identifiers")
    assert (found.targets, found.identified, found.disclosed) == (8, 0, 3)
    assert (found.rate, found.undecided, found.highest_rate) == (3 / 8, 2, 5 / 8)  # z may be b
    assert (found.outcome, found.allowed) == (Outcome.INCONCLUSIVE, 0.5)
    loose = Homogeneity().run(Setting(classes=classes, allowed=5 / 8))
    tight = Homogeneity().run(Setting(classes=classes, allowed=2 / 8))
    assert (loose.outcome, tight.outcome) == (Outcome.HOLDS, Outcome.VIOLATED)
    assert found.per_attribute == {"1": 3}
    assert (found.details["classes"], found.details["likely"]) == ({"1": 2}, 2)
    assert (found.witness.rows, found.witness.attribute) == (2, "1")
    assert found.reason.startswith("cells of '1' are unknown in classes whose other values agree")
    assert found.exposed.tolist() == [True, True, False, False]  # w and x


def test_homogeneity_of_two_attributes_counts_a_person_once():
    """x gives s away, y gives t away and s maybe: certain both, so likely is nobody."""
    rows = [("x", "a", "u"), ("x", "a", "v"), ("y", "b", "w"), ("y", None, "w")]
    options = {"quasi_identifiers": ["q"], "sensitive": ["s", "t"]}
    found = attack(audit(rows, ["q", "s", "t"], **options), "homogeneity")
    assert (found.disclosed, found.per_attribute) == (4, {"s": 2, "t": 2})
    assert (found.details["classes"], found.details["likely"]) == ({"s": 1, "t": 1}, 0)


def test_homogeneity_without_rows_or_sensitive_columns():
    options = {"quasi_identifiers": ["q"]}
    nobody = audit([("*", "a")], ["q", "s"], sensitive=["s"], **options)
    found = attack(nobody, "homogeneity")
    assert (found.targets, found.rate, found.reason) == (
        0, None, "there is nobody to attack",
    )  # fmt: skip
    found = Homogeneity().run(Setting(classes=reduced([("x",)], [0], [])))
    assert (found.outcome, found.reason) == (Outcome.SKIPPED, "no sensitive column is named")
    assert (found.targets, found.identified, found.disclosed) == (0, 0, 0)


# As the docstring of each attack names them.
OPTIONS = {
    AlgorithmAware: {
        "algorithm", "confidence", "min_suppressed", "seeds", "worlds", "external", "identity",
    },
    Association: {"confidence", "min_rows", "most_known", "engine", "external", "identity",
                  "everyone_released"},
    Composition: {"external", "identity", "second", "sure", "everyone_released",
                  "suppressed_rows"},
    Editions: {"second", "change"},
    DistanceLinkage: {"external", "identity", "categories"},
    Elimination: {"values", "at_most", "budget"},
    Homogeneity: {"sure"},
    Linkage: {"external", "identity", "sweep", "sure", "everyone_released", "suppressed_rows",
              "shifted_dates"},
    Residual: {"external", "identity"},
    Similarity: {"protected", "sure"},
    Skewness: {"factor"},
    UnsortedMatching: {"external", "identity", "agreement", "chance", "seeds"},
}  # fmt: skip


@pytest.mark.parametrize("kind", OPTIONS)
def test_every_attack_takes_the_options_its_docstring_names(kind):
    assert set(kind.options) == OPTIONS[kind]


def test_a_named_person_counts_once_and_rows_without_a_name_each():
    """Ann twice and Bob, who all are a; two rows of b have no name, one of b is Ann again."""
    rows = [("ann", "a"), ("ann", "a"), ("bob", "a"), (None, "b"), (None, "b"), ("ann", "b")]
    table = FrequencySet.of(["who", "0"], rows)
    classes = reduced([("a",)], [0], [])
    people, sharing = persons_of(Setting(classes=classes, identity=("who",)), table, ["0"])
    assert (people.attributes, sharing.tolist()) == (("0",), [2, 3])
    both = Setting(classes=classes, identity=("who", "0"))  # a quasi-identifier names too
    assert persons_of(both, table, ["0"])[1].tolist() == [2, 3]
    assert persons_of(Setting(classes=classes), table, ["0"])[1].tolist() == [3, 3]


def test_composition_needs_a_second_release():
    people = FrequencySet.of(["0"], [("a",)])
    classes = reduced([("a", "s")], [0], [1])
    found = Composition().run(Setting(classes=classes, external=people))
    assert (found.outcome, found.reason) == (Outcome.SKIPPED, "no second release was given")
    found = Composition().run(Setting(classes=classes, second=classes))
    assert found.reason == "no external table of people was given"


@pytest.mark.parametrize("kind", [Composition, Residual, Linkage])
def test_an_external_table_without_rows_decides_nothing(kind):
    classes = reduced([("a", "s")], [0], [1])
    nobody = FrequencySet.of(["0"], [])
    found = kind().run(Setting(classes=classes, external=nobody, second=classes))
    assert (found.outcome, found.reason) == (
        Outcome.INCONCLUSIVE, "the external table has no rows",
    )  # fmt: skip


def test_a_release_that_shows_nothing_leaves_what_the_other_shows():
    """a is s in the first release; the second has a gap there. b is s or t."""
    first = reduced([("a", "s"), ("b", "s"), ("b", "t")], [0], [1])
    second = reduced([("a", None), ("b", None)], [0], [1])
    people = FrequencySet.of(["0"], [("a",), ("b",)])
    found = Composition().run(Setting(classes=first, external=people, second=second))
    assert (found.targets, found.disclosed) == (2, 1)


def test_who_is_disclosed_by_one_release_alone():
    """a is s in the first release and s or t in the second; b takes both; c is s in both."""
    first = reduced([("a", "s"), ("b", "s"), ("b", "t"), ("c", "s")], [0], [1])
    second = reduced([("a", "s"), ("a", "t"), ("b", "t"), ("b", "u"), ("c", "s")], [0], [1])
    people = FrequencySet.of(["0"], [("a",), ("b",), ("c",)])
    found = Composition().run(Setting(classes=first, external=people, second=second))
    assert (found.targets, found.disclosed) == (3, 3)
    assert {label: n for label, n in found.details.items() if isinstance(n, int)} == {
        "match both releases": 3,
        "certain by one release alone": 2,
        "only by both together": 1,
        "nothing in common": 0,
    }


def test_a_gap_beside_the_value_in_common_takes_nothing_away():
    first = reduced([("a", "s")], [0], [1])
    second = reduced([("a", "s"), ("a", None)], [0], [1])
    people = FrequencySet.of(["0"], [("a",)])
    found = Composition().run(Setting(classes=first, external=people, second=second))
    assert (found.disclosed, found.details["nothing in common"]) == (1, 0)
