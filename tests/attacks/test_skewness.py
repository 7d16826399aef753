"""Skewness: shares in a class against shares in the whole, both ways."""

from fractions import Fraction

import oracle
import pytest
from builders import all_tables, reduced

from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from attacks.skewness import Skewness


def run(rows, **options):
    return Skewness().run(Setting(classes=reduced(rows, [0], [1]), options=options))


def test_a_rare_value_that_half_a_class_has():
    """Li 2007: 1 % positive overall, half of one class: 50 times as likely as before."""
    rows = [("x", "pos"), ("x", "neg")] + [("y", "neg")] * 98
    found = run(rows, factor=50)
    assert found.disclosed == 2
    assert found.details["largest gain"] == {"1": pytest.approx(50)}
    assert found.details["some value ruled out"] == {"1": 98}
    assert run(rows, factor=50.001).disclosed == 0
    assert "not certain" in found.notes[0]


def test_a_value_that_became_rarer():
    """b: 3 of 8 overall, 1 of 6 in x, so rarer by 9/4; in y it is likelier by 8/3."""
    rows = [("x", "a")] * 5 + [("x", "b")] + [("y", "b")] * 2
    assert run(rows, factor=2).details["some value present but rarer by the factor"] == 6
    assert run(rows, factor=2.5).details["some value present but rarer by the factor"] == 0


def test_gains_on_all_small_tables():
    """Exposed where the oracle's share is at least the factor times the overall one."""
    for rows in all_tables(("x", "y"), ("a", "b", None), most=5, least=1):
        exposed = 0
        values = oracle.known_in(rows, 1)
        for members in oracle.classes(rows, [0]).values():
            here = oracle.known_in(members, 1)
            gains = [
                Fraction(here.count(v), len(here)) / Fraction(values.count(v), len(values))
                for v in here
            ]
            exposed += len(members) * any(gain >= 2 for gain in gains)
        assert run(rows).disclosed == exposed
        beta = oracle.beta_likeness(rows, [0], 1)
        assert beta is None or beta >= 1 or exposed == 0  # beta-likeness bounds the attack


def test_what_cannot_be_attacked_is_said():
    assert run([]).outcome is Outcome.INCONCLUSIVE
    plain = reduced([("x",)], [0], [])
    assert Skewness().run(Setting(classes=plain)).outcome is Outcome.SKIPPED
    for factor in (1, 0.5, "two", None):
        with pytest.raises(AnonauditError, match="skewness: factor must be a number"):
            run([("x", "a")], factor=factor)


def test_what_is_ruled_out_by_hand():
    """a and b have half the rows each: x doubles a, which is reached exactly, and rules b out.

    z shows nothing, and so rules nothing out.
    """
    rows = [("x", "a"), ("x", "a"), ("y", "b"), ("y", "b"), ("z", None)]
    found = run(rows, factor=2)
    assert (found.targets, found.disclosed, found.rate) == (5, 4, 4 / 5)
    assert found.details == {
        "factor": 2.0,
        "largest gain": {"1": 2.0},
        "some value present but rarer by the factor": 0,
        "some value ruled out": {"1": 4},
    }
    assert (found.exposed.tolist(), found.per_attribute) == ([True, True, False], {"1": 4})
    assert run(rows, factor=2.001).disclosed == 0


def test_a_value_that_is_rarer_by_exactly_the_factor_counts():
    """Half of all rows are a; a quarter of x is a, and a quarter of y is b."""
    rows = [("x", "a"), *[("x", "b")] * 3, *[("y", "a")] * 3, ("y", "b")]
    assert run(rows, factor=2).details["some value present but rarer by the factor"] == 8
    assert run(rows, factor=2.1).details["some value present but rarer by the factor"] == 0
