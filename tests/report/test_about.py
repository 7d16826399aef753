"""What is said beside the numbers of an attack: few and plain sentences."""

from dataclasses import replace

import pytest
from report.shared_reports import linkage

from anonaudit.details import Chance, Guesses, LikeliestValue, Marketer, Matches, RightLink
from anonaudit.report import render
from anonaudit.report.sections.about import about_attack
from anonaudit.report.words.explanations import explanation

# Ten people of an identified table: four candidates or more each, 1 / 5 of them right on average.
CHANCES = RightLink(
    prosecutor=Chance(highest=0.25, average=0.2),
    journalist=Chance(highest=1, average=0.5),
    marketer=Marketer(right=2.0, share=0.2),
)
LIKELIEST = {
    "illness": LikeliestValue(
        uniform=Chance(highest=1.0, average=0.75), by_population=Chance(highest=1.0, average=0.9)
    ),
    "income": LikeliestValue(
        uniform=Chance(highest=0.5, average=0.5), by_population=Chance(highest=1.0, average=0.9)
    ),
}
DETAILS = Matches(
    none=0,
    one=0,
    several=10,
    pairs=50,
    fewest=4,
    mutual=0,
    split=0,
    unpublished=0,
    guesses=Guesses(right_link=CHANCES, likeliest=LIKELIEST),
)
FITS = "Of the targets, 10 fit several rows (at least 4)."
ALL_KINDS = "Of the targets, 3 fit no row, 2 fit exactly one row, 5 fit several rows."
CHANCE = "picking one that fits is right with a chance of 20% on average"
GUESS = f"For the 10 that fit a row, if they are in the release, {CHANCE}"
GUESS_OF_7 = f"For the 7 that fit a row, if they are in the release, {CHANCE}"
GUESS_OF_1 = f"For the 1 that fits a row, if it is in the release, {CHANCE}"
VALUES = ", naming the most frequent value among those that fit with 75% (illness), 50% (income)"


def test_linkage_is_told_in_two_sentences():
    attack = replace(linkage().attacks[0], details=DETAILS)
    assert about_attack(attack, show_values=False) == f"{FITS} {GUESS}{VALUES}."
    told = about_attack(attack, show_values=False, people="persons")
    assert told.startswith("Of the targets, 10 fit several persons (at least 4). For the 10 that")
    assert "10 that fit a person, if they are in the release" in told


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"guesses": Guesses(right_link=CHANCES)}, f"{FITS} {GUESS}."),
        ({"guesses": Guesses()}, FITS),
        (
            {"none": 3, "one": 2, "several": 5, "fewest": 1},
            f"{ALL_KINDS} {GUESS_OF_7}{VALUES}. Targets whose only candidate fits nobody else: 0.",
        ),
        (
            {"none": 9, "several": 1},
            f"Of the targets, 9 fit no row, 1 fit several rows (at least 4). {GUESS_OF_1}{VALUES}.",
        ),
        (
            {"split": 7},
            f"{FITS} {GUESS}{VALUES}. Targets with candidates in several classes: 7.",
        ),
    ],
)
def test_only_what_there_is_is_said_of_linkage(changed, said):
    attack = replace(linkage().attacks[0], details=replace(DETAILS, **changed))
    assert about_attack(attack, show_values=False) == said


@pytest.mark.parametrize("format_", ["text", "markdown", "html"])
def test_every_format_says_so(format_):
    report = linkage()
    attack = replace(report.attacks[0], details=DETAILS)
    told = " ".join(render(replace(report, attacks=(attack,)), format_).split())
    assert GUESS in told
    assert "journalist" not in told


def test_homogeneity_says_why_it_identifies_nobody():
    """See attacks/homogeneity.py: it looks at the values of a class, however small it is."""
    found = explanation("homogeneity")
    assert found is not None
    assert "identified is 0 even where k is 1" in found.matters
