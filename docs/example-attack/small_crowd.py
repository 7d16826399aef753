"""Small crowd: an attack that asks everybody in a small class until it finds the target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from anonaudit.about import AboutAttack, Bound
from anonaudit.attack import Setting, judge
from anonaudit.details import Details, Kind, fact
from anonaudit.errors import AnonauditError
from anonaudit.findings import Disclosure, Outcome, Witness
from anonaudit.models import KAnonymity


def _too_large(k: float, options: Mapping[str, Any], found: Disclosure) -> str | None:
    """Return a message if somebody is identified although every class is too large to ask."""
    if k <= options.get("most", 1) or not found.identified:
        return None
    return f"small-crowd identifies {found.identified} although k-anonymity has k = {k}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Crowds(Details):
    """The number of classes that are small enough to ask everybody."""

    classes: int = fact(
        "classes",
        Kind.COUNT,
        one="Everybody in 1 class can be asked",
        said="Everybody in {} classes can be asked",
        adds=sum,
    )


class SmallCrowd:
    """The adversary knows the target's class and can ask up to `most` people.

    Success: the class has at most `most` people. Option: most (1 by default).
    Baseline: none, because the adversary guesses nothing.
    Source: the definition of k-anonymity (Sweeney 2002).
    """

    name: ClassVar[str] = "small-crowd"
    knowledge: ClassVar[str] = "the target's quasi-identifiers, and time to ask a few people"
    options: ClassVar[tuple[str, ...]] = ("most",)
    about: ClassVar[AboutAttack] = AboutAttack(
        means="The {people} of a class are few enough to ask each of them",
        matters="An adversary with enough time finds the target in a small class.",
        do="Require k-anonymity with a k above the number of people who can be asked.",
        by_class=True,
        bounds=(Bound(model=KAnonymity, broken=_too_large),),
    )

    def run(self, setting: Setting) -> Disclosure:
        """Identify everybody in a class of at most `most` people."""
        classes, most = setting.classes, setting.options.get("most", 1)
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise AnonauditError(f"small-crowd: most must be a whole number >= 1, not {most!r}")
        small = classes.sizes <= most
        targets, found = classes.people(classes.sizes > 0), classes.people(small)
        if not targets:
            reason = "the release has no class to attack"
            return Disclosure(
                self.name,
                self.knowledge,
                0,
                0,
                0,
                None,
                None,
                Outcome.INCONCLUSIVE,
                allowed=setting.allowed,
                reason=reason,
            )
        rate = found / targets
        witness = None
        if small.any():
            number = int(small.argmax())
            witness = Witness(number, int(classes.rows[number]))
        return Disclosure(
            attack=self.name,
            knowledge=self.knowledge,
            targets=targets,
            identified=found,
            disclosed=0,
            rate=rate,
            baseline=None,
            outcome=judge(rate, setting.allowed),
            allowed=setting.allowed,
            details=Crowds(classes=int(small.sum())),
            witness=witness,
        )
