"""Every model on every small table, against the oracle's literal definitions."""

import math

import oracle
import pytest
from builders import all_tables, reduced

from anonaudit.attack import baseline
from anonaudit.cells import Convention
from anonaudit.findings import Outcome
from anonaudit.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    EntropyLDiversity,
    KAnonymity,
    LDiversity,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from anonaudit.models.p_sensitive import algorithm_1, algorithm_2, max_groups, max_p

# Each entry: quasi-identifier columns, sensitive columns, and the most rows: about 3,000 tables
# in all, some 20,000 in the long form, which adds a row.
SPACES = {
    "one sensitive attribute, unknown cells": (
        [("x", "y", "*")],
        [("a", "b", None, "*")],
        3,
    ),
    "two quasi-identifiers, suppressed and missing": (
        [("x", "*"), ("u", None, "*")],
        [("a", "b")],
        3,
    ),
    "two sensitive attributes": ([("x", "y")], [("a", "b", None), ("1", "2")], 3),
    "three values, many rows": ([("x", "y")], [("a", "b", "c")], 5),
    "four values in one class": ([("x",)], [("1", "2", "4", "8")], 7),
}


# In the long form alone: these take seconds each, and the others have what they have.
SLOW = {
    "two quasi-identifiers, suppressed and missing",
    "two sensitive attributes",
    "three values, many rows",
}


def spaces() -> list[object]:
    return [
        pytest.param(space, marks=pytest.mark.long if space in SLOW else ()) for space in SPACES
    ]


longer = pytest.mark.parametrize("extra", [0, pytest.param(1, marks=pytest.mark.long)])


def close(ours: float | None, theirs: object) -> bool:
    if theirs is None or theirs == math.inf:
        return ours is None
    return ours is not None and math.isclose(ours, float(theirs), abs_tol=1e-12)  # type: ignore[arg-type]


@longer
@pytest.mark.parametrize("space", spaces())
def test_counts_shares_and_entropies(space: str, extra: int) -> None:
    quasi, sensitive_values, most = SPACES[space]
    qi = list(range(len(quasi)))
    sa = [len(quasi) + i for i in range(len(sensitive_values))]
    tables = 0
    for rows in all_tables(*quasi, *sensitive_values, most=most + extra):
        tables += 1
        classes = reduced(rows, qi, sa)
        assert KAnonymity().measure(classes).measured == oracle.k_anonymity(rows, qi)
        assert classes.suppressed_tuples == len(oracle.suppressed_tuples(rows, qi))
        p = PSensitiveKAnonymity().measure(classes)
        assert p.measured == oracle.p_sensitivity(rows, qi, sa)
        joint = LDiversity(reading="joint").measure(classes).measured
        assert joint == oracle.joint_l(rows, qi, sa)
        others = LDiversity(reading="others-known").measure(classes)
        entropy = EntropyLDiversity().measure(classes)
        alpha = AlphaKAnonymity().measure(classes)
        for c in sa:
            name = str(c)
            assert p.per_attribute[name].measured == oracle.distinct_l(rows, qi, c)
            assert close(entropy.per_attribute[name].measured, oracle.entropy_l(rows, qi, c))
            assert close(alpha.per_attribute[name].measured, oracle.alpha(rows, qi, c))
            expected = oracle.others_known_l(rows, qi, sa, c)
            assert others.per_attribute[name].measured == expected
            for l in (1, 2, 3):
                recursive = RecursiveCLDiversity(l=l).measure(classes)
                assert close(
                    recursive.per_attribute[name].measured, oracle.recursive_c(rows, qi, c, l)
                )
                for bound in (0.5, 1, 2):
                    asked = RecursiveCLDiversity(c=bound, l=l).measure(classes)
                    if len(sa) == 1 and asked.outcome is not Outcome.INCONCLUSIVE:
                        holds = oracle.is_recursive(rows, qi, c, bound, l)
                        assert (asked.outcome is Outcome.HOLDS) == holds
    assert tables > 300


@longer
@pytest.mark.parametrize("space", spaces())
def test_p_sensitivity_with_its_conditions_and_algorithms(space: str, extra: int) -> None:
    quasi, sensitive_values, most = SPACES[space]
    qi = list(range(len(quasi)))
    sa = [len(quasi) + i for i in range(len(sensitive_values))]
    whole = all(None not in v and "*" not in v for v in sensitive_values)
    for rows in all_tables(*quasi, *sensitive_values, most=most + extra):
        classes = reduced(rows, qi, sa)
        kept = oracle.released(rows, qi)
        assert max_p(classes.sensitive) == oracle.max_p(kept, sa)
        for p in (2, 3):
            literal = oracle.max_groups(kept, sa, p)
            ours = max_groups(classes.sensitive, p)
            if whole and rows and kept:
                assert ours == literal
            elif ours is not None and literal is not None:
                assert ours <= literal  # each attribute by the rows that know it: sharper
            for k in (p, p + 1):
                holds = oracle.is_p_sensitive_k_anonymous(rows, qi, sa, p, k)
                assert algorithm_1(classes, p, k) == holds
                assert algorithm_2(classes, p, k).holds == holds
                asked = PSensitiveKAnonymity(p=p, k=k).measure(classes)
                assert (asked.outcome is Outcome.HOLDS) == holds
                if asked.outcome is Outcome.VIOLATED:
                    short = [
                        members
                        for members in oracle.classes(rows, qi).values()
                        if len(members) < k
                        or any(0 < len(oracle.distinct(members, c)) < p for c in sa)
                    ]
                    assert asked.classes_violating == len(short)
                    assert asked.rows_violating == sum(map(len, short))


@longer
@pytest.mark.parametrize("weight", [1.0, 0.5, 0.0])
def test_wildcards(weight: float, extra: int) -> None:
    convention = Convention("wildcard", weight, suppressed_tuples="include")
    for rows in all_tables(("x", "y", "*"), ("u", "v", None), ("a", "b"), most=2 + extra, least=1):
        classes = reduced(rows, [0, 1], [2], convention=convention)
        expected = oracle.wildcard_classes(rows, [0, 1], weight)
        smallest = min(size for size, _ in expected.values())
        assert KAnonymity().measure(classes).measured == pytest.approx(smallest)
        if weight == 1:
            least = min(len(oracle.distinct(members, 2)) for _, members in expected.values())
            assert PSensitiveKAnonymity().measure(classes).measured == least


@longer
@pytest.mark.long
def test_persons(extra: int) -> None:
    for rows in all_tables(("x", "y"), ("a", "b", None), ("p", "q", "r"), most=3 + extra, least=1):
        classes = reduced(rows, [0], [1], unit=2)
        found = KAnonymity().measure(classes)
        assert found.measured == oracle.k_persons(rows, [0], 2)
        assert found.details["k by whole histories"] == oracle.k_histories(rows, [0], 2)
        alone = [v for v in oracle.histories(rows, [0], 2).values() if len(v) == 1]
        assert found.details["persons alone by history"] == len(alone)
        p = PSensitiveKAnonymity().measure(classes)
        assert p.measured == oracle.p_sensitivity(rows, [0], [1])


@pytest.mark.long
@longer
def test_distributions_of_persons(extra: int) -> None:
    """A person and a value count once, in a class and in the whole, in however many rows."""
    values, differs = ("1", "2", "4"), 0
    cells = (*values, None) if extra else values
    for rows in all_tables(("x", "y"), cells, ("p", "q"), most=3, least=1):
        classes = reduced(rows, [0], [1], unit=2)
        scale = {"1": {v: float(v) for v in values}}
        for distance, expected in (
            ("equal", oracle.t_equal(rows, [0], 1, 2)),
            ("ordered", oracle.t_ordered(rows, [0], 1, values, 2)),
            ("numeric", oracle.t_numeric(rows, [0], 1, 2)),
        ):
            found = TCloseness(distance=distance, scale=scale).measure(classes)  # type: ignore[arg-type]
            assert (found.measured is None) == (expected is None)
            assert expected is None or found.measured == pytest.approx(expected, abs=1e-9)
        assert close(
            BetaLikeness().measure(classes).measured, oracle.beta_likeness(rows, [0], 1, 2)
        )
        for absent in ("infinite", "ignored"):
            delta = DeltaDisclosure(absent=absent).measure(classes)  # type: ignore[arg-type]
            ignore = absent == "ignored"
            wanted = oracle.delta_disclosure(rows, [0], 1, ignore_absent=ignore, unit=2)
            assert close(delta.measured, wanted)
        assert close(baseline(classes), oracle.best_guess(rows, [0], 1, 2))
        differs += oracle.beta_likeness(rows, [0], 1, 2) != oracle.beta_likeness(rows, [0], 1)
    assert differs > 50


@longer
def test_persons_under_wildcards(extra: int) -> None:
    convention = Convention("wildcard", suppressed_tuples="include")
    for rows in all_tables(("x", "y", None), ("a", "b"), ("p", "q"), most=3 + extra, least=1):
        classes = reduced(rows, [0], [1], unit=2, convention=convention)
        members = [m for _, m in oracle.wildcard_classes(rows, [0]).values()]
        assert KAnonymity().measure(classes).measured == min(
            len({r[2] for r in m}) for m in members
        )


@longer
@pytest.mark.parametrize(("values", "most"), [(("1", "2", "4"), 3), (("1", "2", "4", "8"), 2)])
def test_t_closeness(values: tuple[str, ...], most: int, extra: int) -> None:
    scale = {"1": {v: float(v) for v in values}}
    for rows in all_tables(("x", "y"), (*values, None), most=most + extra):
        classes = reduced(rows, [0], [1])
        for distance, expected in (
            ("equal", oracle.t_equal(rows, [0], 1)),
            ("ordered", oracle.t_ordered(rows, [0], 1, values)),
            ("numeric", oracle.t_numeric(rows, [0], 1)),
        ):
            found = TCloseness(distance=distance, scale=scale).measure(classes)  # type: ignore[arg-type]
            assert (found.measured is None) == (expected is None)
            if expected is not None:
                assert found.measured == pytest.approx(expected, abs=1e-9)
