"""What each model and each attack means: one short plain sentence, found by its name.

A name that is not here, somebody's own model or attack, is reported with its numbers and
without a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Words(NamedTuple):
    """How a model is spoken of.

    level: what its level is called. parameter: which parameter requires that level.
    meaning: what holds where the model holds; `{people}` stands for rows or persons.
    strict: whether reaching the required level exactly is not enough.
    beside: what a parameter k beside the level counts; empty if there is none.
    of_the_whole: whether the level is one number of the release, decided by no single class.
    """

    level: str
    parameter: str
    meaning: str
    strict: bool = False
    beside: str = ""
    of_the_whole: bool = False


CLASS_SIZE = "class size"

_PLAIN: Mapping[str, Words] = {
    "k-anonymity": Words(
        "k", "k", "Every combination of quasi-identifier values is shared by k {people} or more"
    ),
    "p-sensitive-k-anonymity": Words(
        "p",
        "p",
        "Every class has p or more different values of every sensitive attribute",
        beside=CLASS_SIZE,
    ),
    "extended-p-sensitive-k-anonymity": Words(
        "p",
        "p",
        "Every class has sensitive values from p or more different protected subtrees",
        beside=CLASS_SIZE,
    ),
    "l-diversity": Words("l", "l", "Every class has l or more different sensitive values"),
    "entropy-l-diversity": Words(
        "l", "l", "The sensitive values of every class are as mixed as l equally frequent ones"
    ),
    "recursive-c-l-diversity": Words(
        "ratio",
        "c",
        "In every class the most frequent sensitive value occurs less than c times as often as "
        "the l-th most frequent and all rarer ones together; the ratio is what c must exceed",
        strict=True,
    ),
    "multi-attribute-l-diversity": Words(
        "l",
        "l",
        "It takes l or more different sensitive values, of any attributes, to cover all rows of a "
        "class",
    ),
    "alpha-k-anonymity": Words(
        "alpha",
        "alpha",
        "No sensitive value takes more than a share alpha of its class",
        beside=CLASS_SIZE,
    ),
    "rule-confidence": Words(
        "confidence",
        "below",
        "No rule from quasi-identifier values to sensitive values is as sure as that confidence",
        strict=True,
    ),
    "t-closeness": Words(
        "t",
        "t",
        "The sensitive values of every class are distributed like those of the whole release, "
        "within a distance t",
    ),
    "delta-disclosure": Words(
        "delta",
        "delta",
        "The share of a sensitive value in a class, compared with its share in the whole release, "
        "has a logarithm below delta, up or down",
        strict=True,
    ),
    "beta-likeness": Words(
        "beta",
        "beta",
        "No sensitive value's share grows in a class by more than beta times its share in the "
        "whole release",
    ),
    "k-e-anonymity": Words(
        "e",
        "e",
        "Every class has k or more different numbers, and they spread over a range of e or more",
        beside="different values",
    ),
    "k-map": Words("k", "k", "Every class fits k or more persons of the population"),
    "prosecutor-risk": Words(
        "risk",
        "highest",
        "Who knows that a target is in the release and picks one of its class is right with at "
        "most this chance",
    ),
    "journalist-risk": Words(
        "risk",
        "highest",
        "Who picks a row and then one of its class in the population is right with at most this "
        "chance",
    ),
    "marketer-risk": Words(
        "risk",
        "average",
        "Who links every row with somebody of its class is right for at most this share of rows",
        of_the_whole=True,
    ),
    "sample-uniques": Words(
        "share", "share", "At most this share of rows is alone in its class", of_the_whole=True
    ),
    "valid-generalization": Words(
        "bad cells",
        "",
        "Every released cell is its original cell, stands for it, or is suppressed",
        of_the_whole=True,
    ),
    "individual-risk": Words(
        "risk",
        "highest",
        "The chance to re-identify a row, estimated from sampling weights, is at most this",
    ),
}

CONSTRAINED = "constrained-"
_BOUNDARIES = ", and no quasi-identifier is generalized beyond its boundary"

MODELS: Mapping[str, Words] = {
    **_PLAIN,
    **{
        CONSTRAINED + name: _PLAIN[name]._replace(meaning=_PLAIN[name].meaning + _BOUNDARIES)
        for name in ("k-anonymity", "p-sensitive-k-anonymity", "l-diversity", "t-closeness")
    },
}

# The models whose level is itself the size of a class of the release.
OF_CLASS_SIZE = frozenset({"k-anonymity", CONSTRAINED + "k-anonymity"})

ATTACKS: Mapping[str, str] = {
    "algorithm-aware": "What only some originals could have become in the hands of this algorithm "
    "is worked back: a suppressed cell, or a value, that all of them share is disclosed",
    "association": "A rule from some of the quasi-identifiers to a sensitive value that is sure "
    "enough discloses that value of everybody it speaks of",
    "composition": "A value that is possible for somebody in both releases, and is the only one, "
    "is disclosed",
    "elimination": "Sensitive values that the target does not have are ruled out, and the {people} "
    "with them; if those left share a sensitive value, it is disclosed",
    "homogeneity": "A class whose {people} all share one sensitive value gives that value away",
    "linkage": "Each person of the table is matched with the released rows that may be theirs: "
    "one match identifies, matches that agree on a sensitive value disclose it",
    "residual": "Who fits no published class must be one of the suppressed {people}; what these "
    "have in common is disclosed",
    "similarity": "A class whose {people} all fall under one protected value of the hierarchy "
    "gives that value away, even where the values differ",
    "skewness": "A class in which a sensitive value is much more frequent than in the whole "
    "release makes that value likely, though not certain",
    "unsorted-matching": "Two files whose rows stand in the same order are linked row by row",
}
