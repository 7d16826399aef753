"""Homogeneity: find the classes in which all rows have the same sensitive value.

Source: TV06 section 2 (Sam and Eric). Machanavajjhala et al. 2006 named the attack.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from anonaudit.about import AboutAttack, Bound, Need, Unasked, discloses
from anonaudit.attack import Setting
from anonaudit.details import part_of
from anonaudit.findings import Disclosure
from anonaudit.models.p_sensitive import PSensitiveKAnonymity
from anonaudit.special_details import GivenAway
from attacks.best_guess import Crowd, Guess, summaries
from attacks.shared import disclosure, largest_of, nothing, share_option, unknown_cells


def _one_value(p: float, _options: Mapping[str, Any], disclosure: Disclosure) -> str | None:
    """Return an error text if a value is disclosed although p-sensitivity with p >= 2 holds.

    The theorem holds for `sure` = 1 only. None means no error.
    """
    given = part_of(disclosure.details, GivenAway)
    if given is not None and given.sure is not None:
        return None
    return discloses(disclosure, f"{PSensitiveKAnonymity.name} with p >= 2") if p >= 2 else None


class Homogeneity:
    """The adversary knows a target's quasi-identifiers, and therefore its class.

    Success: all rows of the class have the same known value of a sensitive attribute. With a unit
    column, every person of the class has this value; a person may have other values too.
    Undecided: the class has unknown cells, and all rows (persons) without an unknown cell agree.
    Bounded by p-sensitivity: with p >= 2 and sure = 1 no class is exposed.

    Options: sure, a threshold: a target is exposed if the chance is at least `sure` (default 1).
    The chance is the share of the rows (persons) of the class that have the most frequent value of
    the class. With `sure` below 1, a target is undecided if unknown cells decide whether the chance
    reaches `sure`.

    Baseline: guess the most frequent value of the release.
    """

    name: ClassVar[str] = "homogeneity"
    knowledge: ClassVar[str] = "the target's quasi-identifiers"
    options: ClassVar[tuple[str, ...]] = ("sure",)
    about: ClassVar[AboutAttack] = AboutAttack(
        means="A class whose {people} all share one sensitive value gives that value away",
        matters="Whoever knows the class of a person learns the value with certainty. This attack "
        "discloses values, not rows, so identified is 0 even if k is 1. k-anonymity measures "
        "whether somebody is unique, and linkage finds out who.",
        do="Require p-sensitive-k-anonymity with a p of 2 or more.",
        unasked=(Unasked(needs=frozenset({Need.SENSITIVE})),),
        by_class=True,
        bounds=(Bound(model=PSensitiveKAnonymity, broken=_one_value, rows=True),),
    )

    def run(self, setting: Setting) -> Disclosure:
        """Find the people of the classes in which a value has at least the chance `sure`."""
        classes = setting.classes
        if not classes.sensitive:
            return nothing(self, setting, "no sensitive column is named")
        sure = share_option(self.name, setting, "sure", 1.0)
        guesses = {
            name: Guess.of_share(counts.largest, counts.unknown, classes.sizes)
            for name, counts in classes.sensitive.items()
        }
        certain = {name: guess.surely(sure) for name, guess in guesses.items()}
        open_ = {name: classes.may_agree(name) & ~certain[name] for name in classes.sensitive}
        if sure < 1:
            open_ = {
                name: guess.maybe(sure) & (guess.low > 0) & ~certain[name]
                for name, guess in guesses.items()
            }
        exposed = np.logical_or.reduce(list(certain.values()))
        likely = np.logical_or.reduce(list(open_.values())) & ~exposed
        return disclosure(
            self,
            setting,
            targets=classes.people(np.ones(len(classes), bool)),
            disclosed=classes.people(exposed),
            undecided=classes.people(likely),
            reason=unknown_cells(open_, sure) if likely.any() else None,
            per_attribute={name: classes.people(inside) for name, inside in certain.items()},
            details=GivenAway(
                classes={name: int(inside.sum()) for name, inside in certain.items()},
                likely=classes.people(likely),
                sure=sure if sure < 1 else None,
                best_value=summaries(
                    classes,
                    guesses,
                    Crowd(np.asarray(classes.sizes, np.float64), classes.people),
                ),
            ),
            witness=largest_of(classes, certain),
            exposed=exposed,
        )
