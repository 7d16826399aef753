"""What would help: derived from the numbers, and only where something falls short."""

from dataclasses import replace

import pytest

from anonaudit.findings import Demanded, Outcome, Remedies, Remedy, Step
from anonaudit.report import render
from anonaudit.report.sections.advice import advice

# What is said of each shared report, in full.
SAID = {
    "holds": [],
    "third_party": [],
    "identifiers": ["Remove the identifier columns name, ssn from the release."],
    "measured": [
        """homogeneity discloses a sensitive value of 3,120 of 32,561 targets: merge or suppress the
        classes that disclose it (p-sensitive-k-anonymity with a p of 2 or more leaves no class
        with one value).""",
        "Nothing was required. State the required levels in a policy.",
    ],
    "inconclusive": [
        """No row is in any class (3 rows read, 3 suppressed or dropped), so nothing can be decided.
        Check that this is the right file, and that the policy names its missing and suppressed
        values."""
    ],
    "persons": [
        """1 class with 19 rows (0.365% of all) falls short of k = 5 (k-anonymity): suppress those rows, or merge
        these classes with others by generalizing a quasi-identifier further, and audit again."""
    ],
    "bounds": [
        """k = 50 is out of reach: the release has only 20 rows. Require a smaller k, or
        release more rows.""",
        """p = 3 is out of reach: no masking gives every class more than 2 values (maxP). Require
        a lower level, or drop the attribute income, which has only 2 values.""",
        """2 classes with 3 rows (15% of all) fall short of p = 2 (p-sensitive-k-anonymity); 2 classes
        with 3 rows (15% of all) fall short of p = 2 with k = 3
        (extended-p-sensitive-k-anonymity): suppress those rows, or merge these classes with others by
        generalizing a quasi-identifier further, and audit again.""",
        """p = 2 allows at most 4 classes (maxGroups), but the release has 6. Generalize until at
        most 4 classes remain.""",
    ],
    "other_models": [
        """2 classes with 9 rows (9% of all) fall short of k = 500 (k-map); 2 classes with 9 rows (9% of
        all) fall short of e = 10 with k = 3 (k-e-anonymity); 2 classes with 9 rows (9% of all) fall short of
        confidence < 0.7 (rule-confidence); 2 classes with 9 rows (9% of all) fall short of l = 3
        (multi-attribute-l-diversity): suppress those
        rows, or merge these classes with others by generalizing a quasi-identifier further, and
        audit again.""",
        """marketer-risk is 0.08, but risk <= 0.05 is required: suppress the rows of the smallest
        classes, or generalize a quasi-identifier further, and audit again.""",
        """zip: values are generalized beyond their boundary. Generalize them at most to the
        boundary, or suppress their rows.""",
    ],
    "linkage": [
        "linkage is undecided: nobody in the external table matches the release.",
        "linkage did not run: no external table was given.",
        """linkage finds exactly one candidate row for 1,500 of 1,500 targets: generalize the
        quasi-identifiers until more rows fit each target (k-anonymity with a k of 2 or more).""",
        """linkage discloses a sensitive value of 1,500 of 1,500 targets: merge or suppress the classes
        that disclose it (p-sensitive-k-anonymity with a p of 2 or more leaves no class with one
        value).""",
    ],
}


@pytest.mark.parametrize("name", SAID)
def test_advice(reports, name):
    assert advice(reports[name]) == [" ".join(text.split()) for text in SAID[name]]


def test_a_requirement_at_its_bound_is_in_reach(reports):
    report = reports["bounds"]
    k = replace(report.models[0], required=20, parameters={"k": 20})
    p = replace(report.models[2], details=replace(report.models[2].details, max_groups={"2": 6}))
    [found] = advice(replace(report, models=(k, p)))
    assert "fall short of k = 20 (k-anonymity); 2 classes" in found


def test_persons_bound_k_where_persons_are_counted(reports):
    report = reports["persons"]
    k = replace(report.models[0], required=813, parameters={"k": 813})
    [found] = advice(replace(report, models=(k,)))
    assert found.startswith("k = 813 is out of reach: the release has only 812 persons.")


def test_advice_does_not_suppress_most_of_the_release(reports):
    report = reports["violated"]
    most = replace(report.models[0], rows_violating=20000)
    [found] = advice(replace(report, models=(most,), attacks=()))
    assert "merge these classes" in found
    assert "suppress those rows" not in found


def test_advice_cannot_merge_a_single_class(reports):
    report = reports["violated"]
    release = replace(report.release, classes=1)
    model = replace(report.models[0], classes_violating=1)
    [found] = advice(replace(report, release=release, models=(model,), attacks=()))
    assert "merge" not in found
    assert "the only class" in found


def test_advice_does_not_guess_which_attribute_is_scarce(reports):
    report = reports["bounds"]
    levels = dict(report.models[1].per_attribute, illness=report.models[1].per_attribute["income"])
    model = replace(report.models[1], per_attribute=levels)
    [found] = advice(replace(report, models=(model,)))
    assert found.endswith("drop the attribute with only 2 values (among income, illness).")


def test_an_undecided_attack_alone_is_told(reports):
    report = reports["inconclusive"]
    [only] = advice(replace(report, models=()))
    assert only.startswith("No row is in any class")
    # A release without a class is undecided as a whole, whatever was required of it.
    assert advice(replace(report, models=(), attacks=())) == [only]
    assert advice(replace(report, outcome=Outcome.HOLDS, models=(), attacks=())) == []


def test_half_of_the_release_may_be_suppressed(reports):
    report = reports["violated"]
    half = replace(report.models[0], rows_violating=16280)
    [found] = advice(replace(report, models=(half,), attacks=()))
    assert "(50% of all) fall short of k = 5 (k-anonymity): suppress those rows, or merge" in found
    [found] = advice(replace(report, models=(replace(half, rows_violating=16281),), attacks=()))
    assert "suppressing alone would cost over half of the release" in found


def test_an_attribute_that_reaches_max_p_in_a_class_may_set_it(reports):
    report = reports["bounds"]
    levels = dict(report.models[1].per_attribute)
    levels["illness"] = replace(levels["illness"], measured=2)
    [found] = advice(replace(report, models=(replace(report.models[1], per_attribute=levels),)))
    assert found.endswith("with only 2 values (among income, illness).")


def test_a_model_of_others_falls_short_of_its_name(reports):
    report = reports["third_party"]
    model = replace(
        report.models[0],
        outcome=Outcome.VIOLATED,
        classes_violating=2,
        rows_violating=30,
        parameters={"delta": 0.5},
    )
    [found] = advice(replace(report, models=(model,), outcome=Outcome.VIOLATED))
    assert found.startswith("2 classes with 30 rows (3% of all) fall short of other-presence: ")


@pytest.mark.parametrize(
    ("k", "required", "asked"),
    [
        (1, None, " (k-anonymity with a k of 2 or more)."),
        (1, 5, ", as k = 5 asks for."),
        (2, 2, "fit each target."),
    ],
)
def test_advice_does_not_repeat_what_is_required_or_reached(reports, k, required, asked):
    report = reports["linkage"]
    outcome = Outcome.MEASURED
    model = replace(reports["measured"].models[0], measured=k, required=required, outcome=outcome)
    [found, _] = advice(replace(report, models=(model,), attacks=report.attacks[:1]))
    assert found.endswith(asked)


def test_values_given_away_although_p_is_required(reports):
    found = advice(reports["violated"])
    assert found[-1].endswith("classes that disclose it, or generalize a quasi-identifier further.")
    values = replace(reports["violated"].models[1], model="l-diversity", parameters={"l": 2})
    assert advice(replace(reports["violated"], models=(values,)))[-1] == found[-1]


def tried(*demanded, suffices=True):
    """A remedy, by the requirements that it mends and those that it does not."""
    outcome = Outcome.HOLDS if suffices else Outcome.VIOLATED
    return Remedy((Step("suppress", rows=1, classes=1),), demanded, outcome, 1, 0, 0.1)


def mended(kind, name, required, outcome=Outcome.HOLDS):
    return Demanded(kind, name, required, 1, 2, Outcome.VIOLATED, outcome)


def test_what_a_remedy_mends_needs_no_advice(reports):
    """Adult falls short of k = 5 and p = 2, and homogeneity takes too many."""
    report = reports["violated"]
    k, p = report.models[:2]
    attack = report.attacks[0]
    both, by_attack = untried = advice(report)
    assert "fall short of k = 5" in both
    assert "fall short of p = 2" in both
    assert by_attack.startswith("homogeneity discloses")
    all_three = [
        mended("model", "k-anonymity", k.required),
        mended("model", "p-sensitive-k-anonymity", p.required),
        mended("attack", "homogeneity", attack.allowed),
    ]

    def told(*remedies):
        return advice(replace(report, remedies=Remedies(remedies)))

    assert told(tried(*all_three)) == []
    # A remedy that does not suffice cannot be taken, whatever it mends.
    assert told(tried(*all_three, suffices=False)) == untried
    assert told(tried(*all_three[:2]), tried(all_three[2], suffices=False)) == [by_attack]
    # What only one of several remedies mends is mended; what none does gets its advice.
    assert told(tried(all_three[0]), tried(*all_three[1:])) == []
    assert told(tried(*all_three[:2])) == [by_attack]
    [left] = told(tried(*all_three[1:]))
    assert "k = 5" in left
    assert "p = 2" not in left
    still = [replace(one, outcome=Outcome.VIOLATED) for one in all_three]
    assert told(tried(*still, suffices=False)) == untried
    # Another level of the same model is another requirement.
    other = tried(replace(all_three[0], required=3), *all_three[1:])
    assert told(other) == [left]
    assert advice(replace(report, remedies=Remedies(reason="too many rows"))) == untried


def test_an_identifier_that_a_remedy_leaves_out_needs_no_advice(reports):
    report = reports["identifiers"]
    gone = tried(mended("identifiers", "identifiers", 0))
    assert advice(replace(report, remedies=Remedies((gone,)))) == []


@pytest.mark.parametrize("format_", ["text", "markdown", "html"])
def test_no_format_gives_advice_beside_what_was_tried_out(reports, format_):
    report = reports["violated"]
    remedy = tried(
        mended("model", "k-anonymity", 5),
        mended("model", "p-sensitive-k-anonymity", 2),
        mended("attack", "homogeneity", report.attacks[0].allowed),
    )
    plain, told = (
        render(replace(report, remedies=found), format_) for found in (None, Remedies((remedy,)))
    )
    assert ("What would help" in plain, "What was tried out" in plain) == (True, False)
    assert ("What would help" in told, "What was tried out" in told) == (False, True)


@pytest.mark.parametrize("format_", ["text", "markdown"])
def test_remedies_about_different_columns_do_not_look_alike(reports, format_):
    """Names that begin and end alike, up to 40 characters, stand there whole each time."""
    long = [f"patient_{middle}_{'x' * 23}_name" for middle in ("1st", "2nd", "3rd")]
    assert {len(name) for name in long} == {40}
    one = Demanded("model", "k-anonymity", 5, 1, 5, Outcome.VIOLATED, Outcome.HOLDS)
    found = [
        Remedy((Step("drop", (first, other)), Step("merge")), (one,), Outcome.HOLDS, 0, 1, 0.1)
        for first, other in ((long[0], long[1]), (long[0], long[2]), ("patient_first_name", "name"))
    ]
    told = render(replace(reports["violated"], remedies=Remedies(tuple(found))), format_)
    told = " ".join(told.replace("\\", "").split())
    for number, remedy in enumerate(found, 1):
        name = f"{number} drop {', '.join(remedy.steps[0].columns)} + merge classes"
        assert told.count(name) == 2, told  # in the table, and before what was done


def test_sarif_has_no_remedies_and_keeps_its_advice(reports):
    report = reports["violated"]
    remedy = tried(mended("model", "k-anonymity", 5))
    assert render(replace(report, remedies=Remedies((remedy,))), "sarif") == render(report, "sarif")


@pytest.mark.parametrize(("c", "l", "asked"), [(3.0, 1, False), (3.0, 2, True), (0.5, 2, True)])
def test_l_of_recursive_diversity_decides_whether_a_class_may_have_one_value(reports, c, l, asked):
    """With l = 1 a class of one value has r1 / r1 = 1 < c; with l = 2 it has no finite ratio."""
    report = reports["measured"]
    recursive = replace(
        report.models[1],
        model="recursive-c-l-diversity",
        parameters={"c": c, "l": l},
        required=c,
    )
    attack = replace(report.attacks[0], outcome=Outcome.VIOLATED, disclosed=3)
    said = " ".join(advice(replace(report, models=(recursive,), attacks=(attack,))))
    assert ("p-sensitive-k-anonymity with a p of 2" in said) is not asked
