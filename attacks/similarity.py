"""Similarity: find classes whose values all lie under one protected value of a hierarchy.

Source: CT06 section 3 (colon cancer and breast cancer are both cancer); Li, Li, Venkatasubramanian
2007 named the attack.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from anonaudit.about import AboutAttack, Bound, discloses
from anonaudit.attack import Setting
from anonaudit.details import Details, fact, part_of
from anonaudit.findings import Disclosure, Outcome
from anonaudit.models.extended_p_sensitive import ExtendedPSensitiveKAnonymity, lift
from anonaudit.models.level import ParameterError
from attacks.best_guess import Guess
from attacks.shared import (
    disclosure,
    largest_of,
    nothing,
    per_attribute_option,
    share_option,
    unknown_cells,
)


def _one_subtree(p: float, _options: Mapping[str, Any], disclosure: Disclosure) -> str | None:
    """Return an error text if a value is disclosed although extended p-sensitivity holds.

    The theorem holds for p >= 2 and `sure` = 1 only. None means no error.
    """
    apart = part_of(disclosure.details, Apart)
    if p < 2 or (apart is not None and apart.sure is not None):
        return None
    return discloses(disclosure, f"{ExtendedPSensitiveKAnonymity.name} with p >= 2")


@dataclass(frozen=True, kw_only=True, eq=False)
class Apart(Details):
    """What similarity finds in addition to homogeneity.

    differing: how many exposed rows (persons) are in classes with different values. sure: a target
    is exposed if the chance is at least `sure`; None if it is 1.
    """

    differing: int = fact("although the values differ")
    sure: float | None = fact(
        "sure", said="A target is exposed from a chance of {} on", optional=True
    )


class Similarity:
    """The adversary knows the target's class, and the hierarchy of a sensitive attribute.

    Success: every row (person) of the class has a known value under the same protected value of the
    hierarchy. So the target has "some cancer", even if it is uncertain which cancer. Undecided: all
    rows (persons) without an unknown cell have such a value, and the class has unknown cells.

    Options: protected, a table from sensitive attributes to lists of protected values (default: the
    protected values of the policy's hierarchies). sure, a threshold: a target is exposed if the
    chance is at least `sure` (default 1). The chance is the share of the rows (persons) of the
    class that have a value under the same protected value.

    Bounded by extended p-sensitivity: with p >= 2 and sure = 1 no class is exposed. Baseline: guess
    the most frequent value of the release.

    `details` has how many exposed rows (persons) are in classes with different values. If rows are
    counted and sure = 1, homogeneity does not expose these rows.
    """

    name: ClassVar[str] = "similarity"
    knowledge: ClassVar[str] = "the target's quasi-identifiers and a hierarchy of sensitive values"
    options: ClassVar[tuple[str, ...]] = ("protected", "sure")
    about: ClassVar[AboutAttack] = AboutAttack(
        means="A class whose {people} all have values below one protected value of the "
        "hierarchy gives that value away, even if the values differ",
        matters="It is harmful enough if others learn that a person has cancer, whatever the kind.",
        do="Require extended-p-sensitive-k-anonymity, with the protected values in [hierarchies].",
        bounds=(Bound(model=ExtendedPSensitiveKAnonymity, broken=_one_subtree, rows=True),),
    )

    def run(self, setting: Setting) -> Disclosure:
        """Find the people of the classes whose values lie under one protected value."""
        classes = setting.classes
        asked = per_attribute_option(self.name, setting, "protected", _texts)
        protected = {**setting.protected, **cast("dict[str, tuple[str, ...]]", asked)}
        named = {n: tuple(p) for n, p in protected.items() if p and n in classes.roles.sensitive}
        if not named:
            return nothing(self, setting, "no value of a sensitive hierarchy is protected")
        without = [name for name in named if name not in setting.hierarchies]
        if without:
            raise ParameterError(
                f"similarity: {without[0]!r} has protected values but no hierarchy"
            )
        if not len(classes):
            return nothing(self, setting, "there is no class to attack", Outcome.INCONCLUSIVE)
        trees = {name: setting.hierarchies[name] for name in named}
        sure = share_option(self.name, setting, "sure", 1.0)
        lifted = lift(classes, trees, named)
        similar, open_, differ = {}, {}, np.zeros(len(classes), bool)
        for name, values in named.items():
            counts = lifted.sensitive[name]
            zones = set(map(trees[name].named, values))
            strong = np.array([label in zones for label in counts.labels])
            most = np.zeros(len(classes))  # by class, the most rows (persons) under one value
            np.maximum.at(most, counts.class_of, np.where(strong[counts.value], counts.count, 0))
            guess = Guess.of_share(most, counts.unknown, classes.sizes)
            inside = guess.surely(sure)
            similar[name] = inside
            open_[name] = lifted.may_agree(name, strong) & ~inside
            if sure < 1:
                open_[name] = guess.maybe(sure) & (counts.totals > 0) & ~inside
            differ |= inside & (classes.sensitive[name].distinct > 1)
        exposed = np.logical_or.reduce(list(similar.values()))
        likely = np.logical_or.reduce(list(open_.values())) & ~exposed
        return disclosure(
            self,
            setting,
            targets=classes.people(np.ones(len(classes), bool)),
            disclosed=classes.people(exposed),
            undecided=classes.people(likely),
            reason=unknown_cells(open_, sure) if likely.any() else None,
            per_attribute={name: classes.people(inside) for name, inside in similar.items()},
            details=Apart(differing=classes.people(differ), sure=sure if sure < 1 else None),
            witness=largest_of(classes, similar),
            exposed=exposed,
        )


def _texts(name: str, value: object) -> None:
    if not isinstance(value, (tuple, list)) or not all(isinstance(one, str) for one in value):
        raise ParameterError(f"{name} must be a list of values, not {value!r}")
