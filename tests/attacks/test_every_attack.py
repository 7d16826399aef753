"""What every attack has: its name, its options, and an answer that says why it did not run."""

import pytest
from builders import reduced

from anonaudit.attack import Setting, attack_named, attack_names
from anonaudit.findings import Outcome

OPTIONS = {  # as README.md and docs/ name them, with underscores
    "algorithm-aware": "algorithm confidence min_suppressed worlds external identity",
    "association": "confidence min_rows most_known engine external identity",
    "composition": "external identity second",
    "elimination": "values at_most budget",
    "homogeneity": "",
    "linkage": "external identity sweep",
    "residual": "external identity",
    "similarity": "protected",
    "skewness": "factor",
    "unsorted-matching": "external identity agreement chance",
}


def test_all_attacks_are_listed():
    assert attack_names() == sorted(OPTIONS)


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_an_attack_goes_by_its_name_and_takes_its_options(name):
    attack = attack_named(name)
    assert attack.name == name
    assert attack.options == tuple(OPTIONS[name].split())


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_an_attack_with_nothing_to_go_by_is_skipped(name):
    """No sensitive column, no external table, no second release, no protected value."""
    attack = attack_named(name)
    found = attack().run(Setting(classes=reduced([("a",), ("b",)], [0], []), allowed=0.5))
    assert (found.attack, found.knowledge, found.outcome) == (
        name, attack.knowledge, Outcome.SKIPPED,
    )  # fmt: skip
    assert (found.targets, found.identified, found.disclosed) == (0, 0, 0)
    assert (found.rate, found.baseline, found.exposed, found.witness) == (None,) * 4
    assert found.reason
