"""Skewness: find classes in which a value is much more frequent than in the whole release.

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
    """How much likelier values become in a class.

    The gain of a value is its share of the class divided by its share of the release. factor: a
    value counts if its gain is at least this factor. largest: by column, the largest gain; None
    without one. rarer: how many rows (persons) are in a class with a value whose gain is at most
    1 / factor. ruled_out: by column, how many rows (persons) are in a class that lacks some value.
    """

    factor: float = fact(
        "factor", said="A value counts if it is {} or more times as frequent as in the release"
    )
    largest: Mapping[str, float | None] = fact(
        "largest gain",
        said="Largest ratio of a share in a class to the share in the release: {}",
    )
    rarer: int = fact(
        "some value present but rarer by the factor",
        said="Targets whose class has some value, but makes it rarer by this factor: {}",
    )
    ruled_out: Mapping[str, int] = fact(
        "some value ruled out", said="Targets whose class lacks some value of the release: {}"
    )


class Skewness:
    """The adversary knows the target's class, and how frequent each value is in the release.

    For somebody who does not know the class, the chance of a value is its share p of the release.
    For the adversary, the chance is its share q of the class. Success: the class has a value with
    q >= factor * p. The value is then likelier, not certain. `details` also reports values that
    become rarer (q <= p / factor), and values that a class rules out because it lacks them. A class
    of k rows rules out nearly all values of an attribute with many values.

    Options: factor (above 1, default 2). Unknown cells are ignored. If the release counts persons,
    each pair of a person and a value counts once, and p and q are shares of these pairs. Bounded by
    beta-likeness: with beta < factor - 1 there is no success. delta-disclosure bounds how much
    likelier and how much rarer a value becomes. Baseline: guess the most frequent value of the
    release.
    """

    name: ClassVar[str] = "skewness"
    knowledge: ClassVar[str] = "the target's quasi-identifiers and the frequencies of all values"
    options: ClassVar[tuple[str, ...]] = ("factor",)
    about: ClassVar[AboutAttack] = AboutAttack(
        means="In a class where a sensitive value is much more frequent than in the whole "
        "release, that value is likelier, though not certain",
        matters="People act on what is likely, even if it is not certain.",
        do="Require t-closeness or beta-likeness.",
        certain=False,
    )

    def run(self, setting: Setting) -> Disclosure:
        """Find the people of the classes that make some value likelier by the factor."""
        classes = setting.classes
        factor = factor_option(self.name, setting, "factor", 2.0)
        if not classes.sensitive:
            return nothing(self, setting, "no sensitive column is named")
        if not len(classes):
            return nothing(self, setting, "there is no class to attack", Outcome.INCONCLUSIVE)
        likelier, rarer, ruled_out, gains = {}, np.zeros(len(classes), bool), {}, {}
        for name, counts in classes.sensitive.items():
            p = counts.overall / max(counts.overall.sum(), 1.0)
            q = counts.shares
            gain = q / p[counts.value]
            likely = np.zeros(len(classes), bool)
            # Without the tolerance, rounding could miss a gain that is exactly the factor.
            likely[counts.class_of[gain >= factor * (1 - 1e-12)]] = True
            likelier[name] = likely
            gains[name] = float(gain.max(initial=0.0)) or None
            rarer[counts.class_of[gain * factor <= 1 + 1e-12]] = True
            known = counts.totals > 0
            ruled_out[name] = classes.people(known & (counts.distinct < (counts.overall > 0).sum()))
        exposed = np.logical_or.reduce(list(likelier.values()))
        return disclosure(
            self,
            setting,
            targets=classes.people(np.ones(len(classes), bool)),
            disclosed=classes.people(exposed),
            per_attribute={name: classes.people(likely) for name, likely in likelier.items()},
            details=Gains(
                factor=factor, largest=gains, rarer=classes.people(rarer), ruled_out=ruled_out
            ),
            witness=largest_of(classes, likelier),
            exposed=exposed,
            notes=("disclosed values are likelier than in the whole release, but not certain",),
        )
