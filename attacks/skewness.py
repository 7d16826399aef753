"""Skewness: a class whose distribution is far from that of everybody tells something.

Source: Li, Li, Venkatasubramanian 2007 (skewness attack); Brickell and Shmatikov 2008 and Cao and
Karras 2012 for losses and gains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonaudit.about import AboutAttack
from anonaudit.attack import Setting
from anonaudit.details import Details, fact
from anonaudit.findings import Disclosure, Outcome
from attacks.shared import disclosure, factor_option, largest_of, nothing


@dataclass(frozen=True, kw_only=True, eq=False)
class Gains(Details):
    """How much likelier values become.

    factor: from which on a value counts. largest: by column. rarer: rows (persons) in a class that
    makes some value rarer by the factor. ruled_out: by column, those in a class without some value.
    """

    factor: float = fact("factor")
    largest: Mapping[str, float | None] = fact("largest gain")
    rarer: int = fact("some value present but rarer by the factor")
    ruled_out: Mapping[str, int] = fact("some value ruled out")


class Skewness:
    """The adversary knows the target's class and how frequent each value is in the release.

    The overall share p of a value is what is believed of anybody; the share q in the target's
    class is what is believed of the target. Success: the target's class has a value whose q is at
    least `factor` times its p. Belief, not certainty. The other way, values that became less
    likely by that factor, is reported beside it; a class without a value rules it out, and a
    class of k rows rules out nearly all values of an attribute with many.

    Options: factor (2 if not given). An unknown cell speaks for no value. Where the release has
    persons, shares are of the pairs of a person and a value, each counted once. Bounded by
    beta-likeness: with beta below factor - 1 there is no success; and by delta-disclosure, both
    ways. Baseline: guessing the most frequent value of the release.
    """

    name: ClassVar[str] = "skewness"
    knowledge: ClassVar[str] = "the target's quasi-identifiers and the frequencies of all values"
    options: ClassVar[tuple[str, ...]] = ("factor",)
    about: ClassVar[AboutAttack] = AboutAttack(
        means="In a class where a sensitive value is much more frequent than in the whole "
        "release, that value is likely, though not certain",
        matters="People believe what is likely, even if it is not certain.",
        do="Require t-closeness or beta-likeness.",
        certain=False,
    )

    def run(self, setting: Setting) -> Disclosure:
        """Everyone in a class that makes some value much likelier than it is overall."""
        classes = setting.classes
        factor = factor_option(self.name, setting, "factor", 2.0)
        if not classes.sensitive:
            return nothing(self, setting, "no sensitive column is named")
        if not len(classes):
            return nothing(self, setting, "there is no class to attack", Outcome.INCONCLUSIVE)
        likelier, rarer, gone, gains = {}, np.zeros(len(classes), bool), {}, {}
        for name, counts in classes.sensitive.items():
            p = counts.overall / max(counts.overall.sum(), 1.0)
            q = counts.shares
            gain = q / p[counts.value]
            likely = np.zeros(len(classes), bool)
            # A factor that is reached exactly is not lost to rounding.
            likely[counts.class_of[gain >= factor * (1 - 1e-12)]] = True
            likelier[name] = likely
            gains[name] = float(gain.max(initial=0.0)) or None
            rarer[counts.class_of[gain * factor <= 1 + 1e-12]] = True
            known = counts.totals > 0
            gone[name] = classes.people(known & (counts.distinct < (counts.overall > 0).sum()))
        exposed = np.logical_or.reduce(list(likelier.values()))
        return disclosure(
            self,
            setting,
            targets=classes.people(np.ones(len(classes), bool)),
            disclosed=classes.people(exposed),
            per_attribute={name: classes.people(likely) for name, likely in likelier.items()},
            details=Gains(
                factor=factor, largest=gains, rarer=classes.people(rarer), ruled_out=gone
            ),
            witness=largest_of(classes, likelier),
            exposed=exposed,
            notes=("a value that became likelier is believed, not certain",),
        )
