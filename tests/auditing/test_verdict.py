"""The one place that decides: a whole passes exactly where each of its parts does."""

from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonaudit
from anonaudit.auditing.examining import outcome_of, partial_report
from anonaudit.findings import Disclosure, Measurement, Notice, Outcome
from anonaudit.policy.policy import Policy, parse_policy

PASSES = (Outcome.HOLDS, Outcome.MEASURED)
ALLOW = parse_policy("columns.quasi-identifiers = ['a']\nconventions.inconclusive = 'allow'")
FAIL = parse_policy("columns.quasi-identifiers = ['a']")
RELEASED = Notice("identifier-released", "an identifier is in the release", "name")


def model(outcome: Outcome, violating: int | None = 0, required: int | None = 2) -> Measurement:
    return Measurement("m", {}, 1, required, "higher", outcome, violating, violating)


def attack(outcome: Outcome, allowed: float | None = 0.5) -> Disclosure:
    return Disclosure("a", "", 1, 0, 0, 0.0, None, outcome, allowed)


@given(
    st.sampled_from([ALLOW, FAIL]),
    st.integers(0, 1),
    st.lists(st.builds(model, st.sampled_from(Outcome), st.sampled_from([0, None])), max_size=3),
    st.lists(st.builds(attack, st.sampled_from(Outcome), st.sampled_from([0.0, None])), max_size=3),
    st.lists(
        st.sampled_from([RELEASED, Notice("not-audited", "1 column has no role")]), max_size=2
    ),
)
def test_a_whole_passes_where_every_part_does(policy: Policy, classes, models, attacks, notices):
    whole = outcome_of(policy, classes, models, attacks, notices)
    parts = [outcome_of(policy, classes, (), (), notices)]
    parts += [outcome_of(policy, classes, (one,), (), ()) for one in models]
    parts += [outcome_of(policy, classes, (), (one,), ()) for one in attacks]
    assert (whole in PASSES) == all(part in PASSES for part in parts)
    assert (whole is Outcome.VIOLATED) == (Outcome.VIOLATED in parts)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_what_is_required_and_not_kept_is_no_pass(outcome):
    """A model or an attack of somebody else may leave it at that it has measured."""
    expected = {Outcome.HOLDS: Outcome.HOLDS, Outcome.VIOLATED: Outcome.VIOLATED}
    undecided = expected.get(outcome, Outcome.INCONCLUSIVE)
    for one in (model(outcome), model(outcome, violating=None), model(outcome, required=None)):
        assert outcome_of(FAIL, 1, (one,), (), ()) is undecided
    assert outcome_of(FAIL, 1, (), (attack(outcome),), ()) is undecided
    # What nobody asked for decides nothing.
    assert outcome_of(FAIL, 1, (model(outcome, None, None),), (), ()) is Outcome.MEASURED
    assert outcome_of(FAIL, 1, (), (attack(outcome, None),), ()) is Outcome.MEASURED


@pytest.mark.parametrize(("policy", "outcome"), list(product([ALLOW, FAIL], Outcome)))
def test_without_a_class_nothing_passes(policy, outcome):
    assert outcome_of(policy, 0, (), (), ()) is Outcome.INCONCLUSIVE
    found = outcome_of(policy, 0, (model(outcome),), (), ())
    assert found is (outcome if outcome is Outcome.VIOLATED else Outcome.INCONCLUSIVE)


def test_the_report_on_a_part_has_the_verdict_on_that_part(tmp_path):
    file = tmp_path / "r.csv"
    file.write_text("a,b\n1,x\n1,x\n")
    policy = parse_policy(
        "columns = { quasi-identifiers = ['a'], sensitive = ['b'] }\n"
        "require = { k-anonymity = { k = 2 }, l-diversity = { l = 2 } }"
    )
    report = anonaudit.audit(file, policy)
    k, diversity, *_ = report.models
    assert (k.model, diversity.model) == ("k-anonymity", "l-diversity")
    parts = SimpleNamespace(
        k=partial_report(report, policy, models=[k]),
        diversity=partial_report(report, policy, models=[diversity]),
        rest=partial_report(report, policy, warnings=report.warnings),
    )
    assert report.outcome is Outcome.VIOLATED
    assert (parts.k.outcome, parts.k.models, parts.k.attacks) == (Outcome.HOLDS, (k,), ())
    assert parts.diversity.outcome is Outcome.VIOLATED
    assert (parts.rest.outcome, parts.rest.warnings) == (Outcome.MEASURED, report.warnings)
