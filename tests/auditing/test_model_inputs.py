"""What a policy fills into a model, and what it may say itself."""

from dataclasses import fields

import pytest

from anonaudit.auditing import model_inputs
from anonaudit.errors import PolicyError
from anonaudit.models import MODELS
from anonaudit.policy import sections
from anonaudit.policy.policy import parse_policy


def test_no_policy_can_set_what_the_audit_fills_in():
    """Nor is there a name that neither fills. `asked` is set by an audit that measures unasked."""
    assert {
        *model_inputs._FILLS,
        "population",
        "possible",
        "overlapping",
        "asked",
    } == sections._FILLED_IN
    for name in sections._FILLED_IN:
        models = [model for model, kind in MODELS.items() if name in {f.name for f in fields(kind)}]
        assert models, name
        key = name.replace("_", "-")
        for model in models:
            with pytest.raises(PolicyError, match=f"{model}.{key}: there is no such key here"):
                parse_policy(f"columns.sensitive = ['s']\nrequire.{model}.{key} = 1")
