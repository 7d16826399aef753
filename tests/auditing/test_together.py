"""How what was found in parts is put together, on findings made by hand."""

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace

import pytest

from anonaudit.auditing.together import attacks_together, models_together
from anonaudit.findings import Disclosure, Measurement, Outcome, Witness
from anonaudit.models.rule_confidence import ONLY_HIDDEN, Rules
from anonaudit.special_details import ByEliminations

ELIMINATION = Disclosure(
    attack="elimination",
    knowledge="",
    targets=4,
    identified=0,
    disclosed=0,
    rate=0.0,
    baseline=0.5,
    outcome=Outcome.HOLDS,
    allowed=0.5,
)
OPEN = "1 target(s) were left undecided; a budget above 0 may decide them"


def attacked(*parts: Disclosure) -> Disclosure:
    (found,) = attacks_together([report(attacks=(part,)) for part in parts])
    return found


def measured(*parts: Measurement) -> Measurement:
    (found,) = models_together([report(models=(part,)) for part in parts])
    return found


def report(**findings: tuple[Disclosure | Measurement, ...]):
    return SimpleNamespace(release=SimpleNamespace(classes=3), **findings)


@pytest.mark.parametrize(
    ("disclosed", "outcome"),
    [(3, Outcome.HOLDS), (7, Outcome.HOLDS), (8, Outcome.INCONCLUSIVE), (9, Outcome.VIOLATED)],
)
def test_targets_left_undecided_in_a_part_that_breaks_the_limit_alone(disclosed, outcome):
    """Of 16 targets 3, 7, 8 or 9 are disclosed, half are allowed, and one is undecided."""
    part = {"outcome": Outcome.VIOLATED, "reason": OPEN, "undecided": 1}
    broken = replace(ELIMINATION, targets=4, disclosed=min(disclosed, 4), **part)
    rest = replace(ELIMINATION, targets=12, disclosed=disclosed - broken.disclosed)
    for parts in ((broken, rest), (rest, broken)):
        found = attacked(*parts)
        assert (found.targets, found.disclosed, found.rate) == (16, disclosed, disclosed / 16)
        assert found.outcome is outcome
        assert found.reason == OPEN
        assert found.undecided == 1


def test_a_part_without_a_target_decides_nothing():
    nobody = replace(
        ELIMINATION, targets=0, rate=None, outcome=Outcome.INCONCLUSIVE, reason="no class"
    )
    found = attacked(nobody, ELIMINATION)
    assert (found.outcome, found.reason, found.rate) == (Outcome.HOLDS, None, 0)
    found = attacked(nobody, nobody)
    assert (found.outcome, found.reason, found.rate) == (Outcome.INCONCLUSIVE, "no class", None)


def test_exposed_by_number_counts_up_to_each_number():
    """Up to 1: 2 and 0 rows; up to 3: still 2, and 5; up to 4: 3, and 5."""
    one = ByEliminations(at_most=4, exposed={"1": 2, "4": 3}, classes={})
    other = replace(one, exposed={"3": 5})
    found = attacked(replace(ELIMINATION, details=one), replace(ELIMINATION, details=other))
    assert found.details["exposed by number eliminated"] == {"1": 2, "3": 7, "4": 8}


def test_facts_without_labels_are_not_known_to_add_up():
    """As an attack of another package may report them, under a label of ours even."""
    parts = [replace(ELIMINATION, details={"classes": n, "rows": n}) for n in (1, 2)]
    assert attacked(*parts).details == {}


def test_the_witness_is_of_the_fewest_eliminations_then_of_most_rows():
    """Its class is the seventh: three classes in each part before, and the first of its own."""
    parts = [
        replace(
            ELIMINATION,
            witness=Witness(0, rows, "dx"),
            details=ByEliminations(
                at_most=1,
                exposed={},
                classes={least: 1, "none": 2},
                replay={"values": [rows]},
            ),
        )
        for rows, least in ((9, "2"), (4, "1"), (5, "1"))
    ]
    found = attacked(*parts)
    assert found.witness == Witness(6, 5, "dx")
    assert found.details["witness"] == {"values": [5]}
    assert found.details["classes by least number"] == {"1": 2, "2": 1, "none": 6}


def confidence(level: float | None, details: Mapping[str, object]) -> Measurement:
    known = level is not None
    return Measurement(
        model="rule-confidence",
        parameters={"below": 0.9},
        measured=level,
        required=0.9,
        safer="lower",
        outcome=Outcome.HOLDS if known else Outcome.INCONCLUSIVE,
        witness=Witness(0, 4, "dx") if known else None,
        details=details,
    )


@pytest.mark.parametrize(
    ("levels", "possible", "hidden"),
    [
        ((0.5, 0.6), (0.5, 0.9), True),
        ((0.5, None), (0.5, 1.0), True),  # all that one part has is unknown
        ((0.5, 0.95), (1.0, 0.95), False),  # not hidden in the other part
        ((0.5, 0.6), (0.5, 0.8), False),
    ],
)
def test_a_rule_that_one_part_only_hides(levels, possible, hidden):
    parts = [
        replace(found, notes=(ONLY_HIDDEN,)) if x and x < 0.9 <= most else found
        for x, most in zip(levels, possible, strict=True)
        for found in [confidence(x, Rules(possible=most))]
    ]
    found = measured(*parts)
    assert found.details == {"largest possible confidence": max(possible)}
    assert found.notes == ((ONLY_HIDDEN,) if hidden else ())
    assert found.measured == max(x for x in levels if x is not None)
