"""Small crowd: everybody in a class of few people can be found by asking each of them."""

from __future__ import annotations

from typing import ClassVar

from anonaudit.attack import Setting, judge
from anonaudit.errors import AnonauditError
from anonaudit.findings import Disclosure, Outcome, Witness


class SmallCrowd:
    """The adversary knows the target's class and can ask a few people.

    Success: the class has no more people than that. Option: most (1 if not given).
    Baseline: none, nothing is guessed. Source: the definition of k-anonymity (Sweeney 2002).
    """

    name: ClassVar[str] = "small-crowd"
    knowledge: ClassVar[str] = "the target's quasi-identifiers, and time to ask a few people"
    options: ClassVar[tuple[str, ...]] = ("most",)

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
            details={"classes": int(small.sum())},
            witness=witness,
        )
