"""What every attack has: its name, and an answer that says why it did not run."""

import pytest
from builders import reduced

from anonaudit.attack import Setting, attack_named, attack_names
from anonaudit.findings import Outcome


def test_an_attack_goes_by_its_name():
    assert {name: attack_named(name).name for name in attack_names()} == {
        name: name for name in attack_names()
    }


@pytest.mark.parametrize("name", attack_names())
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
