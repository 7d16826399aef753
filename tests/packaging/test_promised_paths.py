"""The import paths that docs/versioning.md promises."""

from importlib import import_module

import pytest

import anonaudit

PROMISED = {
    "anonaudit.attack": ["Attack", "Setting", "attack_named", "attacks", "baseline", "judge"],
    "anonaudit.datasets": ["path"],
    "anonaudit.errors": ["AnonauditError", "InputError", "PolicyError"],
    "anonaudit.findings": ["AuditReport", "Disclosure", "Measurement", "Outcome", "Witness"],
    "anonaudit.matrix": ["matrix", "to_text"],
    "anonaudit.models": ["KAnonymity", "MODELS"],
    "anonaudit.policy": ["Policy", "parse_policy", "read_policy"],
    "anonaudit.remedies": ["remedies", "take", "tried_out"],
    "anonaudit.report": ["render"],
    "anonaudit.roles": ["Roles"],
    "anonaudit.source": ["Source", "TableFile", "open_source"],
    "anonaudit.strategies": ["tables", "releases", "hierarchies"],
    "anonaudit.testing": ["check_attack", "check_masker", "check_model"],
}


@pytest.mark.parametrize("module", PROMISED)
def test_a_module_has_its_names(module):
    assert [name for name in PROMISED[module] if not hasattr(import_module(module), name)] == []


@pytest.mark.parametrize("name", anonaudit.__all__)
def test_the_package_has_its_names(name):
    assert getattr(anonaudit, name) is not None
