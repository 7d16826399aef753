"""What is said beside the numbers of an attack: few and plain sentences."""

from dataclasses import replace

import pandas as pd
import pytest
from report.shared_reports import elimination, linkage

import anonaudit
from anonaudit.findings import NO_LIMIT
from anonaudit.policy.policy import parse_policy
from anonaudit.report import render
from anonaudit.report.sections.descriptions import about_attack, about_model
from anonaudit.report.words.explanations import explanation
from anonaudit.special_details import (
    BestGuess,
    ByEliminations,
    Chance,
    ChanceBand,
    Gain,
    Guesses,
    GuessScores,
    Learned,
    LikeliestValue,
    Marketer,
    Matches,
    Reappearance,
    RightLink,
    SinglingOut,
)

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
FITS = "Of the targets, 10 fit several rows (4 or more each)."
ALL_KINDS = "Of the targets, 3 fit no row, 2 fit exactly one row, 5 fit several rows."
CHANCE = "a random pick among the fitting rows is right with a chance of 20% on average"
GUESS = f"Suppose the 10 targets that fit a row are in the release. Then {CHANCE}"
GUESS_OF_7 = f"Suppose the 7 targets that fit a row are in the release. Then {CHANCE}"
GUESS_OF_1 = f"Suppose the 1 target that fits a row is in the release. Then {CHANCE}"
VALUES = (
    ". The most frequent value of these rows is right with a chance of 75% (illness), 50% (income)"
)


def test_linkage_is_told_in_two_sentences():
    attack = replace(linkage().attacks[0], details=DETAILS)
    assert about_attack(attack, show_values=False) == f"{FITS} {GUESS}{VALUES}."
    told = about_attack(attack, show_values=False, people="persons")
    assert told.startswith("Of the targets, 10 fit several persons (4 or more each). Suppose ")
    assert (
        "Suppose the 10 targets that fit a person are in the release. Then a random pick among the "
        "fitting persons is right"
    ) in told
    assert (
        "The most frequent value of these persons is right with a chance of 75% (illness)" in told
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"guesses": Guesses(right_link=CHANCES)}, f"{FITS} {GUESS}."),
        ({"guesses": Guesses()}, FITS),
        (
            {"none": 3, "one": 2, "several": 5, "fewest": 1},
            f"{ALL_KINDS} {GUESS_OF_7}{VALUES}. Targets whose only candidate fits no other target: 0.",
        ),
        (
            {"none": 9, "several": 1},
            f"Of the targets, 9 fit no row, 1 fit several rows (4 or more each). {GUESS_OF_1}{VALUES}.",
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
    assert "identified is 0 even if k is 1" in found.matters


SCORES = GuessScores(
    people=100,
    right={"the guess": 0.75, "the most frequent value": 0.5},
    balanced={"the guess": 0.625, "guesses without the victim": 0.5},
    gains={
        "guesses without the victim": Gain(value=0.125, low=-0.02, high=0.27),
        "guesses by the population": Gain(value=0.25, low=0.1, high=0.4),
    },
    precision={"0.1": 0.9, "1.0": 0.75},
    bands=[
        ChanceBand(least=0.0, people=20, chance=0.4, right=7, low=0.2, high=0.6),
        ChanceBand(least=0.5, people=30, chance=0.6, right=20, low=0.5, high=0.8),
        ChanceBand(least=0.9, people=50, chance=0.9, right=48, low=0.9, high=1.0),
    ],
)
LEARNED = Learned(
    learner={"illness": "random forest"},
    best_value={
        "illness": BestGuess(certain=1, nine_tenths=50, half=80, mean=0.75, base=0.5, bounded=0)
    },
    without={"illness": 0.625},
    sure=0.9,
    scores={"illness": SCORES},
    reappearance=Reappearance(unique=40, alone=3, maybe=1),
    singling_out={
        "1": SinglingOut(predicates=0, alone=0, maybe=0, by_chance=0.0),
        "2": SinglingOut(predicates=12, alone=7, maybe=2, by_chance=3.5),
    },
)


def test_what_is_learned_is_told_beside_its_baselines():
    """The gain is over the better baseline. 80 guesses in two bands: 30 * 0.6 + 50 * 0.9 = 63."""
    attack = replace(linkage().attacks[0], details=LEARNED)
    assert about_attack(attack, show_values=False) == (
        "Best guess of illness: the chance is 100% for 1 target, at least 90% for "
        "50, and at least 50% for 80. The average chance is 75% (base: 50%). Without the target's "
        "class, the best "
        "guess of illness has a chance of 62.5% on average. Guesses of illness that agree with the "
        "original: 75% by the guess, 50% by the most frequent value. Balanced accuracy of illness: "
        "62.5%, a gain of 12.5 points over guesses without the victim (95% interval: -2 to 27). Of "
        "the surest 10% of the guesses of illness, 90% are right. Of 80 guesses of illness with a "
        "chance of 0.5 or more, 68 are right (63 expected from their chances). Of 40 people unique in "
        "the original, nobody else fits the released row of 3, and maybe of 1 more. In only one "
        "released row: 12 combinations of labels of 2 columns. Exactly one person of the original "
        "fits 7 of them, and maybe 2 more (3.5 expected by chance). The learner that predicts best: illness random forest. A target is exposed from a chance of 0.9 on."
    )
    plain = replace(attack, details=replace(LEARNED, scores=None, reappearance=None, sure=None))
    assert "original: 75%" not in about_attack(plain, show_values=False)


@pytest.mark.parametrize(
    ("columns", "values", "hidden", "shown"),
    [
        (
            ["treatment", "illness"],
            ["surgery", "flu"],
            "ruling out 1 value of treatment, 1 value of illness in one class discloses illness",
            "ruling out treatment = surgery, illness = flu in one class discloses illness = HIV",
        ),
        (
            [],
            [],
            "one class discloses illness if no value is ruled out",
            "one class discloses illness = HIV if no value is ruled out",
        ),
    ],
)
def test_an_example_of_eliminations_quotes_cells_only_on_demand(columns, values, hidden, shown):
    replay = {
        "attribute": "illness",
        "eliminated of": columns,
        "values": values,
        "survives": {"values": "HIV"},
    }
    details = ByEliminations(at_most=3, exposed={"3": 1}, classes={"3": 1}, replay=replay)
    attack = replace(elimination().attacks[0], details=details)
    for show_values, said in ((False, hidden), (True, shown)):
        assert f" For example, {said}. " in about_attack(attack, show_values=show_values)
    without = replace(attack, details=replace(details, replay=None))
    assert "For example" not in about_attack(without, show_values=True)


def test_the_reason_of_an_attack_has_no_plural_of_one():
    attack = replace(linkage().attacks[0], reason="1 row(s) are suppressed in all known columns")
    said = about_attack(attack, show_values=False)
    assert "Reason: 1 row is suppressed in all known columns" in said


def test_a_guess_of_the_row_is_compared_with_a_random_row():
    best = BestGuess(certain=2, nine_tenths=2, half=6, mean=0.5, base=0.125, bounded=0)
    details = replace(DETAILS, guesses=Guesses(best_link=best))
    attack = replace(linkage().attacks[0], details=details)
    for people, one in (("rows", "row"), ("persons", "person")):
        assert (
            f"Best guess of the {one}: the chance is 100% for 2 targets, at least 90% "
            "for 2, and at least 50% for 6. The average chance is 50% (12.5% for a random "
            f"{one} of the release)."
        ) in about_attack(attack, show_values=False, people=people)


@pytest.mark.parametrize(
    ("third", "unit", "bound"),
    [
        ("flu", "", None),
        ("", "", 1),  # if the unknown cell is gout, both rows of age 40 have gout
        ("flu", ', unit = "person"', None),
    ],
)
def test_a_bound_is_told_if_it_differs_from_the_level(third, unit, bound):
    """Two rows of age 30 and two of age 40. In a class of two rows each risk is 1/2, above 0.2."""
    illness = ["flu", "gout", third, "gout"]
    table = pd.DataFrame({"age": [30, 30, 40, 40], "illness": illness, "person": list("abcd")})
    policy = (
        f'columns = {{ quasi-identifiers = ["age"], sensitive = ["illness"]{unit} }}\n'
        "require.rule-confidence = { below = 0.9 }\n"
        "require.prosecutor-risk = { highest = 1, threshold = 0.2 }\n"
    )
    report = anonaudit.audit(table, parse_policy(policy))
    said = {m.model: about_model(m, report, show_values=False) for m in report.models}
    if bound:
        assert f"the largest confidence is at most {bound}." in said["rule-confidence"]
    else:
        assert "at most" not in said["rule-confidence"]
    people = "persons" if unit else "rows"
    assert (
        f"The share of {people} with a risk above this threshold is 1." in said["prosecutor-risk"]
    )


def test_each_note_is_a_sentence_of_its_own():
    attack = replace(linkage().attacks[0], details={}, notes=("age is x; y", "zip is z."))
    assert about_attack(attack, show_values=False) == "Note: age is x; y. Note: zip is z."


@pytest.mark.parametrize(
    ("requirement", "reason"),
    [
        # Class 30 has one illness, so fewer than l = 2, and lacks cold.
        ("recursive-c-l-diversity = {c = 4, l = 2}", "fewer than l different values"),
        ("delta-disclosure = {delta = 2}", "lacks a value of the release"),
        # The share of flu is 3/4 in the release and 1 in class 30. ln(4/3) = 0.288 < 1/3.
        ("beta-likeness = {beta = 5, form = 'enhanced'}", "larger than any beta allows"),
    ],
)
def test_an_infinite_level_has_the_reason_of_its_model(tmp_path, requirement, reason):
    file = tmp_path / "r.csv"
    file.write_text("age,illness\n30,flu\n30,flu\n40,flu\n40,cold\n", encoding="utf-8")
    columns = "[columns]\nquasi-identifiers = ['age']\nsensitive = ['illness']\n"
    report = anonaudit.audit(file, parse_policy(f"{columns}[require]\n{requirement}\n"))
    (model,) = (one for one in report.models if one.required is not None)
    assert model.notes == (NO_LIMIT,)
    said = about_model(model, report, show_values=False)
    assert "Note: the level is infinite, because " in said
    assert reason in said
