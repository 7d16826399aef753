"""What of a policy a masker aims at, requirement by requirement; by hand."""

import pytest

from anonaudit.masking.aims import Aim, aim_of
from anonaudit.masking.goals import EntropyL
from anonaudit.masking.multi_attribute_goals import MultiAttributeL
from anonaudit.policy.policy import parse_policy


@pytest.mark.parametrize(
    ("requirements", "aim"),
    [
        ("k-anonymity = { k = 3 }", Aim(k=3)),
        ("k-anonymity = [{ k = 3 }, { k = 2 }]", Aim(k=3)),
        ("p-sensitive-k-anonymity = { p = 2 }", Aim(k=2, p=2)),  # p values take p rows
        ("p-sensitive-k-anonymity = { p = 2, k = 4 }", Aim(k=4, p=2)),
        ("k-anonymity = { k = 2 }\np-sensitive-k-anonymity = { p = 3 }", Aim(k=3, p=3)),
        ("extended-p-sensitive-k-anonymity = { p = 2, k = 3 }", Aim(k=3, p=2, protected={})),
        ("l-diversity = { l = 3 }", Aim(k=3, p=3)),
        ("l-diversity = { l = 3, reading = 'joint' }", Aim(only_measured=("l-diversity",))),
        ("entropy-l-diversity = { l = 1.5 }", Aim(more=(EntropyL(1.5),))),
        (
            "entropy-l-diversity = { l = 1.5, reading = 'joint' }",
            Aim(only_measured=("entropy-l-diversity",)),
        ),
        (
            "multi-attribute-l-diversity = { l = 3, at-most = { s = 1 } }",
            Aim(more=(MultiAttributeL(3, at_most={"s": 1}),)),
        ),
        ("prosecutor-risk = { highest = 0.3 }", Aim(k=4)),  # 1/4 <= 0.3 < 1/3
        ("prosecutor-risk = { highest = 0 }", Aim(only_measured=("prosecutor-risk",))),
        ("rule-confidence = [{ below = 0.7 }, { below = 0.8 }]", Aim(confidence=0.7)),
        (
            "rule-confidence = { below = 0.7, min-rows = 2 }",
            Aim(only_measured=("rule-confidence",)),
        ),
        ("t-closeness = { t = 0.2 }", Aim(only_measured=("t-closeness",))),
        ("k-map = { k = 9 }", Aim(only_measured=("k-map",))),
        ("constrained-k-anonymity = { k = 3 }", Aim(k=3, bounded=True)),
        ("constrained-p-sensitive-k-anonymity = { p = 2 }", Aim(k=2, p=2, bounded=True)),
        ("constrained-l-diversity = { l = 2 }", Aim(k=2, p=2, bounded=True)),
        (
            "constrained-alpha-k-anonymity = { alpha = 0.5, k = 2 }",
            Aim(bounded=True, only_measured=("constrained-alpha-k-anonymity",)),
        ),
        (
            "t-closeness = { t = 0.1 }\nconstrained-t-closeness = { t = 0.2 }",
            Aim(bounded=True, only_measured=("t-closeness", "constrained-t-closeness")),
        ),
    ],
)
def test_what_is_aimed_at(requirements, aim):
    text = (
        f"columns = {{ quasi-identifiers = ['q'], sensitive = ['s'] }}\n[require]\n{requirements}"
    )
    assert aim_of(parse_policy(text)) == aim
