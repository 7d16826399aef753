"""Privacy models, one file each.

`MODELS` maps the name of each installed model, as policies and reports write it, to its class. The
models are loaded through entry points, so `MODELS` also has the models of other packages.

Importing this package loads no model: each class is loaded at its first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from anonaudit.models.level import Model
from anonaudit.plugins import MODELS as INSTALLED

if TYPE_CHECKING:
    from anonaudit.models.all_m_anonymity import AllMAnonymity
    from anonaudit.models.alpha_k import AlphaKAnonymity
    from anonaudit.models.ck_safety import CKSafety
    from anonaudit.models.constrained import (
        ConstrainedAlphaKAnonymity,
        ConstrainedKAnonymity,
        ConstrainedLDiversity,
        ConstrainedPSensitiveKAnonymity,
        ConstrainedTCloseness,
    )
    from anonaudit.models.delta_presence import DeltaPresence
    from anonaudit.models.disclosure_risk import JournalistRisk, KMap, MarketerRisk, ProsecutorRisk
    from anonaudit.models.extended_p_sensitive import ExtendedPSensitiveKAnonymity
    from anonaudit.models.household import HouseholdKAnonymity, HouseholdRisk
    from anonaudit.models.interval_disclosure import IntervalDisclosure
    from anonaudit.models.k_anonymity import KAnonymity
    from anonaudit.models.k_e_anonymity import KEAnonymity
    from anonaudit.models.l_diversity import EntropyLDiversity, LDiversity, RecursiveCLDiversity
    from anonaudit.models.likeness import BetaLikeness, DeltaDisclosure
    from anonaudit.models.multi_attribute_l_diversity import MultiAttributeLDiversity
    from anonaudit.models.no_direct_identifiers import NoDirectIdentifiers
    from anonaudit.models.p_sensitive import PSensitiveKAnonymity
    from anonaudit.models.population_uniqueness import PopulationUniqueness
    from anonaudit.models.rule_confidence import RuleConfidence
    from anonaudit.models.t_closeness import TCloseness
    from anonaudit.models.uniqueness import IndividualRisk, SampleUniques
    from anonaudit.models.valid_generalization import ValidGeneralization

MODELS: Mapping[str, type[Model]] = INSTALLED

_HOME = {
    "AllMAnonymity": "all_m_anonymity",
    "AlphaKAnonymity": "alpha_k",
    "BetaLikeness": "likeness",
    "CKSafety": "ck_safety",
    "ConstrainedAlphaKAnonymity": "constrained",
    "ConstrainedKAnonymity": "constrained",
    "ConstrainedLDiversity": "constrained",
    "ConstrainedPSensitiveKAnonymity": "constrained",
    "ConstrainedTCloseness": "constrained",
    "DeltaDisclosure": "likeness",
    "DeltaPresence": "delta_presence",
    "EntropyLDiversity": "l_diversity",
    "ExtendedPSensitiveKAnonymity": "extended_p_sensitive",
    "HouseholdKAnonymity": "household",
    "HouseholdRisk": "household",
    "IndividualRisk": "uniqueness",
    "IntervalDisclosure": "interval_disclosure",
    "JournalistRisk": "disclosure_risk",
    "KAnonymity": "k_anonymity",
    "KEAnonymity": "k_e_anonymity",
    "KMap": "disclosure_risk",
    "LDiversity": "l_diversity",
    "MarketerRisk": "disclosure_risk",
    "MultiAttributeLDiversity": "multi_attribute_l_diversity",
    "NoDirectIdentifiers": "no_direct_identifiers",
    "PSensitiveKAnonymity": "p_sensitive",
    "PopulationUniqueness": "population_uniqueness",
    "ProsecutorRisk": "disclosure_risk",
    "RecursiveCLDiversity": "l_diversity",
    "RuleConfidence": "rule_confidence",
    "SampleUniques": "uniqueness",
    "TCloseness": "t_closeness",
    "ValidGeneralization": "valid_generalization",
}

__all__ = [
    "MODELS",
    "AllMAnonymity",
    "AlphaKAnonymity",
    "BetaLikeness",
    "CKSafety",
    "ConstrainedAlphaKAnonymity",
    "ConstrainedKAnonymity",
    "ConstrainedLDiversity",
    "ConstrainedPSensitiveKAnonymity",
    "ConstrainedTCloseness",
    "DeltaDisclosure",
    "DeltaPresence",
    "EntropyLDiversity",
    "ExtendedPSensitiveKAnonymity",
    "HouseholdKAnonymity",
    "HouseholdRisk",
    "IndividualRisk",
    "IntervalDisclosure",
    "JournalistRisk",
    "KAnonymity",
    "KEAnonymity",
    "KMap",
    "LDiversity",
    "MarketerRisk",
    "Model",
    "MultiAttributeLDiversity",
    "NoDirectIdentifiers",
    "PSensitiveKAnonymity",
    "PopulationUniqueness",
    "ProsecutorRisk",
    "RecursiveCLDiversity",
    "RuleConfidence",
    "SampleUniques",
    "TCloseness",
    "ValidGeneralization",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'anonaudit.models' has no attribute {name!r}")
    value = getattr(import_module(f"anonaudit.models.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
