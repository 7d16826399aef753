"""Small crowd: everybody in a class of few people can be found by asking each of them."""

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
    """Where every class has more people than can be asked, nobody is found."""
    if k <= options.get("most", 1) or not found.identified:
        return None
    return f"small-crowd identifies {found.identified} although k-anonymity has k = {k}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Crowds(Details):
    """The classes whose people are few enough to ask each of them."""

    classes: int = fact(
        "classes",
        Kind.COUNT,
        one="Everybody in 1 class can be asked",
        said="Everybody in {} classes can be asked",
        adds=sum,
    )


class SmallCrowd:
    """The adversary knows the target's class and can ask a few people.

    Success: the class has no more people than that. Option: most (1 if not given).
    Baseline: none, nothing is guessed. Source: the definition of k-anonymity (Sweeney 2002).
    """

    name: ClassVar[str] = "small-crowd"
    knowledge: ClassVar[str] = "the target's quasi-identifiers, and time to ask a few people"
    options: ClassVar[tuple[str, ...]] = ("most",)
    about: ClassVar[AboutAttack] = AboutAttack(
        means="The {people} of a class are few enough to ask each of them",
        matters="Whoever has time finds the target among a handful of people.",
        do="Require k-anonymity with a k above the number of people who can be asked.",
        by_class=True,
        bounds=(Bound(model=KAnonymity, broken=_too_large),),
    )

    def run(self, setting: Setting) -> Disclosure:
        """Everybody in a class of at most `most` people."""
        classes, most = setting.classes, setting.options.get("most", 1)
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise AnonauditError(f"small-crowd: most must be a whole number >= 1, not {most!r}")
        small = classes.sizes <= most
        targets, found = classes.people(classes.sizes > 0), classes.people(small)
        if not targets:
            reason = "the release has no class to attack"
            return Disclosure(
                self.name, self.knowledge, 0, 0, 0, None, None, Outcome.INCONCLUSIVE, reason=reason
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
