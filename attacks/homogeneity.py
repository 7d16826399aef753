"""Homogeneity: a class whose rows all carry one sensitive value gives it away.

Source: TV06 section 2 (Sam and Eric); Machanavajjhala et al. 2006 named the attack.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from anonaudit.about import AboutAttack, Bound, Need, Unasked, discloses
from anonaudit.attack import Setting, undecided
from anonaudit.details import GivenAway
from anonaudit.findings import Disclosure
from anonaudit.models.p_sensitive import PSensitiveKAnonymity
from attacks.shared import disclosure, largest_of, unknown_cells


def _one_value(p: float, _options: Mapping[str, Any], found: Disclosure) -> str | None:
    """No class with two values has only one."""
    return discloses(found, f"{PSensitiveKAnonymity.name} with p >= 2") if p >= 2 else None


class Homogeneity:
    """The adversary knows a target's quasi-identifiers, and so its class.

    Success: every row of the class (every person, maybe beside others) carries one known value
    of a sensitive attribute. Where all rows (persons) without an unknown cell agree, and others of
    the class have one, it is undecided. Bounded by p-sensitivity: p >= 2 leaves none.

    Baseline: guessing the most frequent value of the release.
    """

    name: ClassVar[str] = "homogeneity"
    knowledge: ClassVar[str] = "the target's quasi-identifiers"
    options: ClassVar[tuple[str, ...]] = ()
    about: ClassVar[AboutAttack] = AboutAttack(
        means="A class whose {people} all share one sensitive value gives that value away",
        matters="No guess is needed: to find somebody's class is to know the value. It finds "
        "values and tells nobody apart: identified is 0 even where k is 1. Whether somebody is "
        "alone is for k-anonymity to say, and who that is for linkage.",
        do="Require p-sensitive-k-anonymity with a p of 2 or more.",
        unasked=(Unasked(needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        bounds=(Bound(model=PSensitiveKAnonymity, broken=_one_value, rows=True),),
    )

    def run(self, setting: Setting) -> Disclosure:
        """Everyone in a class with one value only."""
        classes = setting.classes
        if not classes.sensitive:
            return undecided(self, "no sensitive column is named")
        certain = {
            name: counts.largest >= classes.sizes for name, counts in classes.sensitive.items()
        }
        open_ = {name: classes.may_agree(name) & ~certain[name] for name in classes.sensitive}
        exposed = np.logical_or.reduce(list(certain.values()))
        likely = np.logical_or.reduce(list(open_.values())) & ~exposed
        return disclosure(
            self,
            setting,
            targets=classes.people(np.ones(len(classes), bool)),
            disclosed=classes.people(exposed),
            undecided=classes.people(likely),
            reason=unknown_cells(open_) if likely.any() else None,
            per_attribute={name: classes.people(found) for name, found in certain.items()},
            details=GivenAway(
                classes={name: int(found.sum()) for name, found in certain.items()},
                likely=classes.people(likely),
            ),
            witness=largest_of(classes, certain),
            exposed=exposed,
        )
