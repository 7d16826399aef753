"""What each model takes and tells: its parameters, the level asked for, and what falls short.

The limits of a parameter are those of the model's definition; the levels are counted by hand.
"""

import math

import numpy as np
import pytest
from builders import reduced

from anonaudit.findings import Outcome
from anonaudit.models import (
    AlphaKAnonymity,
    BetaLikeness,
    CKSafety,
    DeltaDisclosure,
    EntropyLDiversity,
    ExtendedPSensitiveKAnonymity,
    IndividualRisk,
    JournalistRisk,
    KAnonymity,
    KEAnonymity,
    KMap,
    LDiversity,
    MarketerRisk,
    MultiAttributeLDiversity,
    ProsecutorRisk,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    RuleConfidence,
    SampleUniques,
    TCloseness,
)
from anonaudit.models.level import ParameterError
from anonaudit.models.p_sensitive import algorithm_1, algorithm_2

WHOLE = [
    (KAnonymity, "k", "k"), (PSensitiveKAnonymity, "p", "p"), (PSensitiveKAnonymity, "k", "k"),
    (ExtendedPSensitiveKAnonymity, "p", "p"), (ExtendedPSensitiveKAnonymity, "k", "k"),
    (LDiversity, "l", "l"), (RecursiveCLDiversity, "l", "l"), (MultiAttributeLDiversity, "l", "l"),
    (AlphaKAnonymity, "k", "k"), (KEAnonymity, "k", "k"), (KMap, "k", "k"),
    (SampleUniques, "most", "most"), (RuleConfidence, "min_rows", "min-rows"),
]  # fmt: skip
SHARES = [
    (AlphaKAnonymity, "alpha"), (TCloseness, "t"), (ProsecutorRisk, "highest"),
    (ProsecutorRisk, "threshold"), (JournalistRisk, "highest"), (JournalistRisk, "threshold"),
    (MarketerRisk, "average"), (SampleUniques, "share"), (IndividualRisk, "highest"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "name", "spelled"), WHOLE)
def test_a_count_is_a_whole_number_from_1(model, name, spelled):
    for good in (1, 2, 10**6):
        assert getattr(model(**{name: good}), name) == good
    for bad in (0, -1, 1.5, True, "2"):
        with pytest.raises(
            ParameterError, match=f"^{spelled} must be a whole number of at least 1"
        ):
            model(**{name: bad})


@pytest.mark.parametrize(("model", "name"), SHARES)
def test_a_share_is_from_0_to_1(model, name):
    for good in (0, 0.5, 1):
        assert getattr(model(**{name: good}), name) == good
    for bad in (-0.01, 1.01, math.nan, True, "1"):
        with pytest.raises(
            ParameterError, match=f"^{name} must be a number at least 0 and at most 1"
        ):
            model(**{name: bad})


@pytest.mark.parametrize(
    ("model", "name", "good", "bad"),
    [
        (EntropyLDiversity, "l", [1, 1.5, 100], [0.99, 0, math.inf]),
        (RecursiveCLDiversity, "c", [0.01, 7], [0, -1, math.inf]),
        (DeltaDisclosure, "delta", [0.01, 7], [0, -1, math.inf]),
        (BetaLikeness, "beta", [0, 0.01, 7], [-0.01, math.inf]),
        (CKSafety, "c", [0.01, 1], [0, 1.01, math.nan]),
        (KEAnonymity, "e", [0, 0.01, 7], [-0.01, math.inf]),
        (RuleConfidence, "below", [0.01, 1], [0, 1.01, math.nan]),
    ],
)
def test_other_numbers(model, name, good, bad):
    for value in good:
        assert getattr(model(**{name: value}), name) == value
    for value in bad:
        with pytest.raises(ParameterError, match=f"^{name} must be a number"):
            model(**{name: value})


@pytest.mark.parametrize(
    ("model", "name"),
    [(RecursiveCLDiversity, "l"), (SampleUniques, "most"), (RuleConfidence, "min_rows"),
     (CKSafety, "k"), (ProsecutorRisk, "threshold"), (JournalistRisk, "threshold")],
)  # fmt: skip
def test_a_parameter_without_which_nothing_is_measured_must_be_given(model, name):
    with pytest.raises(ParameterError, match="must be given"):
        model(**{name: None})


@pytest.mark.parametrize(
    ("model", "name", "choices"),
    [
        (LDiversity, "reading", ["each", "joint", "others-known"]),
        (EntropyLDiversity, "reading", ["each", "joint", "others-known"]),
        (TCloseness, "distance", ["equal", "ordered", "numeric", "hierarchical"]),
        (DeltaDisclosure, "absent", ["infinite", "ignored"]),
        (BetaLikeness, "form", ["basic", "enhanced"]),
    ],
)
def test_a_choice_is_one_of_the_documented_and_the_first_if_left_out(model, name, choices):
    assert getattr(model(), name) == choices[0]
    for choice in choices:
        assert getattr(model(**{name: choice}), name) == choice
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        model(**{name: "other"})


@pytest.mark.parametrize("model", [PSensitiveKAnonymity, ExtendedPSensitiveKAnonymity])
def test_p_may_be_k_and_not_above(model):
    assert (model(p=3, k=3).p, model(p=3, k=4).k) == (3, 4)
    with pytest.raises(ParameterError, match="p must be at most k"):
        model(p=3, k=2)


@pytest.mark.parametrize("algorithm", [algorithm_1, algorithm_2])
def test_the_algorithms_take_p_and_k_from_2(algorithm):
    classes = reduced([("x", "a"), ("x", "b")], [0], [1])
    assert algorithm(classes, 2, 2) in (True, (True, "details"))
    with pytest.raises(ParameterError, match=r"^p must be a whole number of at least 2"):
        algorithm(classes, 1, 2)
    with pytest.raises(ParameterError, match=r"^k must be a whole number of at least 2"):
        algorithm(classes, 2, 1)
    with pytest.raises(ParameterError, match="p must be at most k"):
        algorithm(classes, 3, 2)


@pytest.mark.parametrize(
    ("rows", "p", "k", "holds"),
    [
        ([("x", "a"), ("x", "b"), ("y", "a"), ("y", "b"), ("y", "b")], 2, 3, False),  # x is small
        ([("x", "a"), ("x", "b"), ("y", None), ("y", None)], 2, 2, True),  # y shows nothing
        ([("x", None), ("x", None)], 2, 2, False),  # nobody shows anything
    ],
)
def test_algorithm_1_asks_every_class_that_shows_something(rows, p, k, holds):
    assert algorithm_1(reduced(rows, [0], [1]), p, k) is holds


# x: a, a; y: a, b, b. In the whole a has 3/5, b 2/5. So, for x and y: sizes 2 and 3; distinct
# values 1 and 2; exp(H) 1 and 3 / 4^(1/3); r1/r2 infinite and 2; t 2/5 and 4/15; logarithms
# ln(5/3) and ln(9/5), of b none in x; gains 2/3 and 2/3; shares of one value 1 and 2/3.
ROWS = [("x", "a"), ("x", "a"), ("y", "a"), ("y", "b"), ("y", "b")]
FOUR_AND_THREE = np.array([4.0, 3.0])  # people of x and of y in the population
A_0_B_1 = {"1": {"a": 0.0, "b": 1.0}}


@pytest.mark.parametrize(
    ("model", "parameters", "measured", "short"),
    [
        (KAnonymity(k=3), {"k": 3}, 2, (1, 2)),
        (KAnonymity(k=2), {"k": 2}, 2, (0, 0)),
        (PSensitiveKAnonymity(p=2), {"p": 2, "k": 2}, 1, (1, 2)),
        (PSensitiveKAnonymity(p=1), {"p": 1, "k": 1}, 1, (0, 0)),
        (PSensitiveKAnonymity(p=1, k=3), {"p": 1, "k": 3}, 1, (1, 2)),
        (PSensitiveKAnonymity(k=4), {"k": 4}, 1, (2, 5)),
        (ExtendedPSensitiveKAnonymity(p=2, k=3), {"p": 2, "k": 3}, 1, (1, 2)),
        (ExtendedPSensitiveKAnonymity(p=1, k=4), {"p": 1, "k": 4}, 1, (2, 5)),
        (LDiversity(l=2), {"l": 2}, 1, (1, 2)),
        (LDiversity(l=2, reading="joint"), {"l": 2, "reading": "joint"}, 1, (1, 2)),
        (EntropyLDiversity(l=1.5), {"l": 1.5}, 1, (1, 2)),
        (EntropyLDiversity(l=3 / 4 ** (1 / 3) + 1e-6), {"l": 3 / 4 ** (1 / 3) + 1e-6}, 1, (2, 5)),
        (RecursiveCLDiversity(c=2.1), {"c": 2.1, "l": 2}, None, (1, 2)),
        (RecursiveCLDiversity(c=2), {"c": 2, "l": 2}, None, (2, 5)),
        (RecursiveCLDiversity(c=1.1, l=1), {"c": 1.1, "l": 1}, 1, (0, 0)),
        (MultiAttributeLDiversity(l=2), {"l": 2}, 1, (1, 2)),
        (AlphaKAnonymity(alpha=0.7, k=2), {"alpha": 0.7, "k": 2}, 1, (1, 2)),
        (AlphaKAnonymity(alpha=1, k=3), {"alpha": 1, "k": 3}, 1, (1, 2)),
        (TCloseness(t=0.3), {"t": 0.3, "distance": "equal"}, 0.4, (1, 2)),
        (TCloseness(t=0.4), {"t": 0.4, "distance": "equal"}, 0.4, (0, 0)),
        (DeltaDisclosure(delta=1.0), {"delta": 1.0, "absent": "infinite"}, None, (1, 2)),
        (DeltaDisclosure(delta=0.55, absent="ignored"), {"delta": 0.55, "absent": "ignored"},
         math.log(9 / 5), (1, 3)),
        (BetaLikeness(beta=0.5), {"beta": 0.5, "form": "basic"}, 2 / 3, (2, 5)),
        (BetaLikeness(beta=0.7), {"beta": 0.7, "form": "basic"}, 2 / 3, (0, 0)),
        (CKSafety(c=0.9, k=0), {"c": 0.9, "k": 0}, 1, (1, 2)),
        (CKSafety(c=0.6), {"c": 0.6, "k": 1}, 1, (2, 5)),
        (ProsecutorRisk(highest=0.4), {"highest": 0.4}, 0.5, (1, 2)),
        (RuleConfidence(below=0.9), {"below": 0.9, "min-rows": 1}, 1, (1, 2)),
        (SampleUniques(share=0.1), {"share": 0.1, "most": 3}, 0, (0, 0)),
        (KMap(k=3, population=FOUR_AND_THREE), {"k": 3}, 3, (0, 0)),
        (KMap(k=4, population=FOUR_AND_THREE), {"k": 4}, 3, (1, 3)),
        (JournalistRisk(highest=0.3, population=FOUR_AND_THREE), {"highest": 0.3}, 1 / 3, (1, 3)),
        (MarketerRisk(average=0.3, population=FOUR_AND_THREE), {"average": 0.3}, 0.3, (0, 0)),
        (MarketerRisk(average=0.29, population=FOUR_AND_THREE), {"average": 0.29}, 0.3, (2, 5)),
        # (2 / 4 + 3 / 3) / 5 = 0.3; without weights a row stands for itself, so 1 / 2 and 1 / 3.
        (IndividualRisk(highest=0.4), {"highest": 0.4}, 1 / 2, (1, 2)),
        (KEAnonymity(k=2, e=1.0, scale=A_0_B_1), {"k": 2, "e": 1.0}, 0, (1, 2)),
        (KEAnonymity(k=2, scale=A_0_B_1), {"k": 2}, 0, (1, 2)),
    ],
)  # fmt: skip
def test_the_level_what_was_asked_and_what_falls_short(model, parameters, measured, short):
    found = model.measure(reduced(ROWS, [0], [1]))
    assert found.model == type(model).name
    assert found.parameters == parameters
    of_class = (KAnonymity, MultiAttributeLDiversity, ProsecutorRisk, JournalistRisk, MarketerRisk)
    alone = isinstance(model, (*of_class, KMap, SampleUniques, IndividualRisk))
    assert set(found.per_attribute) == (set() if alone else {"1"})
    assert found.measured == (None if measured is None else pytest.approx(measured))
    counted = (KAnonymity, PSensitiveKAnonymity, ExtendedPSensitiveKAnonymity, LDiversity)
    whole = isinstance(model, (*counted, MultiAttributeLDiversity, KMap))
    assert measured is None or isinstance(found.measured, int) == whole
    higher = (*counted, MultiAttributeLDiversity, EntropyLDiversity, KMap, KEAnonymity)
    assert found.safer == ("higher" if isinstance(model, higher) else "lower")
    assert (found.classes_violating, found.rows_violating) == short
    assert found.outcome is (Outcome.VIOLATED if any(short) else Outcome.HOLDS)


NAMES = {
    "k-anonymity": KAnonymity, "p-sensitive-k-anonymity": PSensitiveKAnonymity,
    "l-diversity": LDiversity, "entropy-l-diversity": EntropyLDiversity,
    "t-closeness": TCloseness, "recursive-c-l-diversity": RecursiveCLDiversity,
    "alpha-k-anonymity": AlphaKAnonymity, "delta-disclosure": DeltaDisclosure,
    "beta-likeness": BetaLikeness, "ck-safety": CKSafety, "prosecutor-risk": ProsecutorRisk,
    "multi-attribute-l-diversity": MultiAttributeLDiversity, "rule-confidence": RuleConfidence,
    "extended-p-sensitive-k-anonymity": ExtendedPSensitiveKAnonymity, "k-map": KMap,
    "k-e-anonymity": KEAnonymity, "sample-uniques": SampleUniques,
    "journalist-risk": JournalistRisk, "marketer-risk": MarketerRisk,
    "individual-risk": IndividualRisk,
}  # fmt: skip


def test_models_have_the_names_that_stand_in_policies_and_reports():
    assert [model.name for model in NAMES.values()] == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_without_a_requirement_nothing_holds_or_is_violated(name):
    classes = reduced(ROWS, [0], [1])
    own = {"population": np.array([4.0, 3.0]), "weights": np.array([9.0, 9.0])}
    fields = NAMES[name].__dataclass_fields__
    given = {key: value for key, value in own.items() if key in fields}
    if name == "k-e-anonymity":
        given = {"scale": {"1": {"a": 0.0, "b": 1.0}}}
    found = NAMES[name](**given).measure(classes)
    assert found.model == name
    assert (found.outcome, found.required) == (Outcome.MEASURED, None)
    assert (found.classes_violating, found.rows_violating) == (None, None)


@pytest.mark.parametrize("model", [KMap, JournalistRisk, MarketerRisk])
def test_without_a_population_the_release_stands_for_it_and_it_says_so(model):
    """Sizes 2 and 3: k is 2, the highest risk 1/2, the average (2 / 2 + 3 / 3) / 5."""
    found = model().measure(reduced(ROWS, [0], []))
    assert found.measured == {KMap: 2, JournalistRisk: 0.5, MarketerRisk: 0.4}[model]
    assert found.notes == ("no population file was given: the release is taken as the population",)
    assert model(population=np.array([2.0, 3.0])).measure(reduced(ROWS, [0], [])).notes == ()


def test_sets_of_up_to_three_columns_are_looked_at_if_nothing_else_is_said():
    assert SampleUniques().most == 3
    assert SampleUniques().measure(reduced(ROWS, [0], [])).parameters == {"most": 3}
