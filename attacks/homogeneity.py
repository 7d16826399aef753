"""Homogeneity: a class whose rows all carry one sensitive value gives it away.

Source: TV06 section 2 (Sam and Eric); Machanavajjhala et al. 2006 named the attack.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from anonaudit.attack import Setting, baseline, judge, undecided
from anonaudit.findings import Disclosure
from attacks.shared import largest_of


class Homogeneity:
    """The adversary knows a target's quasi-identifiers, and so its class.

    Success: every row of the class (every person, maybe beside others) carries one known value
    of a sensitive attribute. Where some cells of the class are unknown the value is likely, not
    certain; such rows are counted apart. Bounded by p-sensitivity: p >= 2 leaves none.

    Baseline: guessing the most frequent value of the release.
    """

    name: ClassVar[str] = "homogeneity"
    knowledge: ClassVar[str] = "the target's quasi-identifiers"
    options: ClassVar[tuple[str, ...]] = ()

    def run(self, setting: Setting) -> Disclosure:
        """Everyone in a class with one value only."""
        classes = setting.classes
        if not classes.sensitive:
            return undecided(self, "no sensitive column is named")
        certain = {
            name: counts.largest >= classes.sizes for name, counts in classes.sensitive.items()
        }
        likely = {
            name: (counts.distinct == 1) & ~certain[name]
            for name, counts in classes.sensitive.items()
        }
        exposed = np.logical_or.reduce(list(certain.values()))
        targets = classes.people(np.ones(len(classes), bool))
        disclosed = classes.people(exposed)
        rate = disclosed / targets if targets else None
        return Disclosure(
            attack=self.name,
            knowledge=self.knowledge,
            targets=targets,
            identified=0,
            disclosed=disclosed,
            rate=rate,
            baseline=baseline(classes),
            outcome=judge(rate, setting.allowed),
            allowed=setting.allowed,
            per_attribute={name: classes.people(found) for name, found in certain.items()},
            details={
                "classes": {name: int(found.sum()) for name, found in certain.items()},
                "likely": classes.people(np.logical_or.reduce(list(likely.values())) & ~exposed),
            },
            witness=largest_of(classes, certain),
            reason=None if targets else "the release has no class to attack",
            exposed=exposed,
        )
