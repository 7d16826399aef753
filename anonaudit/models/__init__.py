"""Privacy models, one file each; `MODELS` finds them by the names reports use."""

from __future__ import annotations

from anonaudit.models.alpha_k import AlphaKAnonymity
from anonaudit.models.extended_p_sensitive import ExtendedPSensitiveKAnonymity
from anonaudit.models.k_anonymity import KAnonymity
from anonaudit.models.l_diversity import EntropyLDiversity, LDiversity, RecursiveCLDiversity
from anonaudit.models.level import Model
from anonaudit.models.p_sensitive import PSensitiveKAnonymity
from anonaudit.models.t_closeness import TCloseness

MODELS: dict[str, type[Model]] = {
    model.name: model
    for model in (
        KAnonymity,
        PSensitiveKAnonymity,
        ExtendedPSensitiveKAnonymity,
        LDiversity,
        EntropyLDiversity,
        RecursiveCLDiversity,
        AlphaKAnonymity,
        TCloseness,
    )
}

__all__ = [
    "MODELS",
    "AlphaKAnonymity",
    "EntropyLDiversity",
    "ExtendedPSensitiveKAnonymity",
    "KAnonymity",
    "LDiversity",
    "Model",
    "PSensitiveKAnonymity",
    "RecursiveCLDiversity",
    "TCloseness",
]
