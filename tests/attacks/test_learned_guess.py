"""Best guess: chances by hand, what linkage finds for certain, the victim left out, and the truth."""

import builtins
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from builders import reduced

import anonaudit
from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.policy.policy import parse_policy
from attacks import learned_guess
from attacks.guess_scores import GUESS, MODE, POPULATION, WITHOUT, scores
from attacks.learned_chances import LearnedChances, learned_chances
from attacks.learned_guess import LearnedGuess
from attacks.learners import NO_LEARNER, TrainingRows, fitted, folds_of, learners, predict
from attacks.linkage import Linkage
from attacks.shared import link

# Four people of 30 to 39 years share three rows of flu and one of hiv.
THIRTIES = [("30-39", "flu")] * 3 + [("30-39", "hiv")]


def run(rows, people, *, attack=LearnedGuess, **options):
    more = {k: options.pop(k) for k in ("allowed", "seed", "unit", "convention") if k in options}
    unit, convention = more.pop("unit", None), more.pop("convention", None)
    external = FrequencySet.of(["0"], [(age,) for age in people])
    classes = reduced(rows, [0], [1], unit=unit, convention=convention)
    return attack().run(Setting(classes, external=external, options=options, **more))


@pytest.mark.parametrize(("sure", "exposed"), [(0.75, 4), (0.76, 0), (0.5, 4), (1.0, 0)])
def test_three_candidates_of_four_are_a_chance_of_three_quarters(sure, exposed):
    found = run(THIRTIES, ["31", "33", "35", "37"], sure=sure, allowed=0.5)
    assert (found.targets, found.disclosed, found.undecided) == (4, exposed, 0)
    assert found.outcome is (Outcome.VIOLATED if exposed else Outcome.HOLDS)
    best = found.details["best guess of the value"]["1"]
    assert best["mean"] == pytest.approx(0.75)
    assert (best["at 0.5 and above"], best["at 0.9 and above"]) == (4, 0)
    assert found.details["learner"] == {"1": NO_LEARNER}


def test_only_what_is_certain_counts_if_nothing_is_said():
    assert run(THIRTIES, ["31"]).disclosed == 0
    assert run([("30-39", "flu")] * 2, ["31"]).disclosed == 1


@pytest.mark.parametrize(
    ("sure", "outcome"),
    [(0.75, Outcome.INCONCLUSIVE), (0.8, Outcome.HOLDS), (0.5, Outcome.VIOLATED)],
)
def test_an_unknown_cell_may_be_the_likeliest_value(sure, outcome):
    """Two of four have flu, one hiv, and one is unknown: flu has a chance of 1/2 to 3/4."""
    rows = [("30-39", "flu")] * 2 + [("30-39", "hiv"), ("30-39", "*")]
    found = run(rows, ["31", "32", "33", "34"], sure=sure, allowed=0.0)
    assert found.outcome is outcome
    assert found.undecided == (4 if outcome is Outcome.INCONCLUSIVE else 0)
    assert ("unknown" in (found.reason or "")) is (outcome is Outcome.INCONCLUSIVE)


def test_a_label_that_is_not_understood_leaves_its_people_undecided():
    rows = [*THIRTIES, ("late 30s", "gout"), ("late 30s", "gout")]
    found = run(rows, ["31", "37"], sure=0.6, allowed=0.0)
    assert (found.disclosed, found.undecided, found.outcome) == (0, 2, Outcome.INCONCLUSIVE)
    assert "cannot be compared" in found.reason


def test_a_label_that_is_not_understood_may_lift_a_chance():
    """Flu has a chance of 1/2, and of 3/4 if the two rows of `late 30s` fit."""
    rows = [("30-39", "flu"), ("30-39", "hiv"), ("late 30s", "flu"), ("late 30s", "flu")]
    found = run(rows, ["31"], sure=0.7, allowed=0.0)
    assert (found.disclosed, found.undecided, found.outcome) == (0, 1, Outcome.INCONCLUSIVE)


def test_rows_that_are_suppressed_throughout_may_be_anybodys():
    """Without them flu has a chance of 3/4; with six more rows of gout it has less."""
    rows = THIRTIES + [("*", "gout")] * 6
    people = ["31", "33", "35", "37"]
    found = run(rows, people, sure=0.7, allowed=0.0)
    assert (found.disclosed, found.undecided) == (0, 4)
    assert run(rows, people, sure=0.7, suppressed_rows="left-out").disclosed == 4
    chosen = run(rows, people, sure=0.7, suppressed_rows="candidates", allowed=0.0)
    assert (chosen.disclosed, chosen.undecided, chosen.outcome) == (0, 0, Outcome.HOLDS)


def test_chances_that_are_too_many_to_weigh_leave_everything_undecided(monkeypatch):
    monkeypatch.setattr(learned_guess, "value_chances", lambda *_: None)
    found = run([*THIRTIES, ("*", "gout")], ["31", "33"], sure=0.7, allowed=0.0)
    assert (found.rate, found.outcome) == (None, Outcome.INCONCLUSIVE)
    assert found.reason.startswith("there are too many candidates to weigh the values of '1'")


def test_an_unknown_cell_beside_rows_that_are_suppressed_throughout():
    """Flu has a chance of 2/4; of 3/4 if the unknown cell is flu and the other rows are nobody's."""
    rows = [("30-39", "flu")] * 2 + [("30-39", "cold"), ("30-39", "*")]
    rows += [("*", f"v{i}") for i in range(12)]
    found = run(rows, ["31"], sure=0.6, allowed=0.0)
    assert (found.disclosed, found.undecided, found.outcome) == (0, 1, Outcome.INCONCLUSIVE)
    filled = [*rows[:3], ("30-39", "flu"), *rows[4:]]
    assert run(filled, ["31"], sure=0.6, suppressed_rows="left-out").disclosed == 1


def shares_of_the_likeliest(inside, away):
    """The share of the likeliest value, by every filling, with the rows of `away` and without."""
    for rows in (inside, inside + away):
        options = [["flu", "hiv", "gout", "new"] if v == "*" else [v] for v in rows]
        for filled in product(*options):
            yield max(map(filled.count, filled)) / len(filled)


@pytest.mark.parametrize("sure", [0.45, 0.6, 0.7])
def test_every_filling_of_rows_that_may_be_anybodys(sure):
    """One target, so every candidate is as likely: shares are counted over all fillings."""
    outcomes = Counter()
    for n, more in ((2, 2), (3, 1), (1, 3)):
        for inside in combinations_with_replacement(["flu", "hiv", "*"], n):
            for away in combinations_with_replacement(["flu", "gout", "*"], more):
                rows = [("30-39", v) for v in inside] + [("*", v) for v in away]
                if all(value == "*" for _, value in rows):
                    continue
                outcome = run(rows, ["31"], sure=sure, allowed=0.0).outcome
                outcomes[outcome] += 1
                shares = list(shares_of_the_likeliest(list(inside), list(away)))
                assert (outcome is Outcome.HOLDS) == (max(shares) < sure), rows
                assert outcome is not Outcome.VIOLATED or min(shares) >= sure, rows
    assert outcomes[Outcome.INCONCLUSIVE]


def test_too_many_values_are_not_guessed_and_nobody_is_safe():
    rows = [("30-39", f"v{i}") for i in range(101)]
    found = run(rows, ["31"], sure=0.9, allowed=0.0)
    assert (found.disclosed, found.undecided, found.outcome) == (0, 1, Outcome.INCONCLUSIVE)
    assert "101 values" in found.reason
    assert run(rows, ["31"], allowed=0.0).outcome is Outcome.HOLDS  # nothing is certain


def test_persons_with_several_rows_are_not_learned():
    rows = [
        ("30-39", "flu", "p"),
        ("30-39", "flu", "q"),
        ("40-49", "flu", "r"),
        ("40-49", "x", "s"),
    ]
    found = run(rows, ["31", "41"], unit=2, sure=0.9, allowed=0.5)
    assert (found.disclosed, found.undecided, found.outcome) == (1, 1, Outcome.INCONCLUSIVE)
    assert "unit" in found.reason
    assert run(rows, ["31", "41"], unit=2, allowed=0.5).outcome is Outcome.HOLDS


def test_who_fits_nothing_is_not_exposed():
    found = run([("30-39", "flu")] * 4, ["31", "90"], sure=0.5)
    assert (found.targets, found.disclosed, found.undecided) == (2, 1, 0)
    assert run(THIRTIES, ["90"], sure=0.5).outcome is Outcome.INCONCLUSIVE
    assert run(THIRTIES, []).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(8, 80))]
)
def test_what_is_certain_is_what_linkage_discloses(seed):
    rng = np.random.default_rng(seed)
    labels = ["30-39", "30-34", "35", "*", "late 30s", "40+"]
    rows = [
        (labels[rng.integers(6)], ["flu", "flu", "hiv", "*"][rng.integers(4)])
        for _ in range(rng.integers(1, 7))
    ]
    people = [str(age) for age in rng.integers(28, 45, 5)]
    ours, theirs = (run(rows, people, attack=kind, allowed=0.3) for kind in (LearnedGuess, Linkage))
    assert (ours.identified, ours.disclosed, ours.undecided, ours.outcome) == (
        theirs.identified, theirs.disclosed, theirs.undecided, theirs.outcome,
    )  # fmt: skip
    # What is certain stays exposed at every chance.
    assert run(rows, people, sure=0.6).disclosed >= ours.disclosed or ours.rate is None


@pytest.mark.parametrize("sure", [0, 1.5, "high", True])
def test_a_chance_is_above_0_and_at_most_1(sure):
    with pytest.raises(AnonauditError, match="best-guess: sure"):
        run(THIRTIES, ["31"], sure=sure)


def table(n=240, seed=0):
    """People whose illness follows their age, nine times in ten."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, n)
    ill = np.where(rng.random(n) < 0.9, age >= 50, age < 50)
    return [(str(a), "heart" if i else "cold") for a, i in zip(age, ill, strict=True)]


def banded(people, width=10):
    return [
        (f"[{int(a) // width * width},{int(a) // width * width + width})", x) for a, x in people
    ]


def guess_of(people, rows, seed=0) -> LearnedChances:
    classes = reduced(rows, [0], [1])
    outside, inside = FrequencySet.of(["0"], [(a,) for a, _ in people]), classes.base.project(["0"])
    setting = Setting(classes, seed=seed)
    pairs = link(setting, outside, inside).sure
    return learned_chances(setting, outside, outside.counts, inside, pairs)[0]["1"]


@pytest.fixture(scope="module")
def few_learners():
    """Two quick learners, so that the tests are."""
    with pytest.MonkeyPatch.context() as patch:
        quick = {k: v for k, v in learners(0).items() if k in ("naive Bayes", "nearest neighbours")}
        patch.setattr("attacks.learners.learners", lambda _: quick)
        yield


@pytest.mark.usefixtures("few_learners")
def test_the_victims_class_is_not_learned_from():
    """All forty-somethings have the plague, and nobody else: nobody can know that without them."""
    people = [(a, "plague" if 40 <= int(a) < 50 else x) for a, x in table()]
    found = guess_of(people, banded(people))
    place = found.labels.index("plague")
    forties = np.unique([int(a) for a, x in people]).reshape(-1)
    inside = (forties >= 40) & (forties < 50)
    assert found.without[inside, place].max() < 0.2
    assert found.chances[inside, place].min() == pytest.approx(1)


@pytest.mark.usefixtures("few_learners")
def test_what_everybody_knows_is_learned_from_the_other_classes():
    """Who is 65 has a bad heart nine times in ten; the other classes of old people say so."""
    people = table()
    found = guess_of(people, banded(people))
    ages = np.unique([int(a) for a, _ in people])
    heart = found.labels.index("heart")
    assert found.without[ages >= 60, heart].min() > 0.7
    assert found.without[ages < 35, heart].max() < 0.3


@pytest.mark.usefixtures("few_learners")
def test_one_seed_and_any_order_of_rows_give_one_answer():
    people = table(120)
    rows = banded(people)
    first, again, turned = (
        guess_of(people, rows),
        guess_of(people, rows),
        guess_of(people, rows[::-1]),
    )
    for other in (again, turned):
        assert np.array_equal(first.chances, other.chances)
        assert first.learner == other.learner


@pytest.mark.usefixtures("few_learners")
def test_classes_stay_whole_in_folds():
    group, count = np.array([0, 1, 1, 2, 3, 4, 4, 5]), np.array([3, 1, 2, 3, 3, 1, 2, 3])
    fold = folds_of(group, count, 0)
    assert fold.shape == (6,)
    assert set(fold) == set(range(5))


@pytest.mark.usefixtures("few_learners")
def test_a_learner_of_one_value_is_sure_but_for_a_little_doubt():
    rows = TrainingRows(
        np.arange(60.0)[:, None], np.zeros(60, np.intp), np.ones(60, np.int64), np.arange(60)
    )
    made = predict(rows, np.array([[1.0], [2.0]]), np.array([0, -1]), 1)
    assert made.chances == pytest.approx(np.ones((2, 1)))


def audited(tmp_path, people, rows, more=""):
    for name, table_ in (("people", people), ("release", rows)):
        lines = ["age,dx", *(f'"{a}",{x}' for a, x in table_)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    policy = parse_policy(
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
        "original = { file = 'people.csv', align = 'order' }\n"
        "attacks.best-guess = { sure = 0.9 }\n" + more,
        folder=tmp_path,
    )
    report = anonaudit.audit(tmp_path / "release.csv", policy)
    return next(a for a in report.attacks if a.attack == "best-guess")


@pytest.mark.usefixtures("few_learners")
def test_through_a_policy_with_the_truth_and_a_population(tmp_path):
    """Everybody's class has one value, which no rule explains: all guesses are right by the class."""
    rng = np.random.default_rng(1)
    value = {age: ["cold", "heart"][rng.integers(2)] for age in range(20, 80)}
    people = [(str(age), value[age]) for age in range(20, 80) for _ in range(3)]
    other = [(age, x) for age, x in table(100, seed=2)]
    lines = ["age,dx", *(f"{a},{x}" for a, x in other)]
    (tmp_path / "others.csv").write_text("\n".join(lines) + "\n")
    found = audited(tmp_path, people, people, "population = { file = 'others.csv' }")
    assert (found.targets, found.disclosed) == (180, 180)
    scores = found.details["scores"]["dx"]
    assert scores["right guesses"][GUESS] == 1
    assert scores["balanced accuracy"][GUESS] == 1
    assert scores["right guesses"][WITHOUT] < 0.8
    assert scores["gain over"][WITHOUT]["lower end"] > 0.1
    assert scores["gain over"][POPULATION]["gain"] > 0.1
    assert scores["right at coverage"]["0.1"] == 1
    (band,) = scores["calibration"]  # every chance is 1
    assert (band["from"], band["people"], band["right"]) == (1, 180, 180)


def test_without_a_table_or_an_original_there_is_nobody(tmp_path):
    found = LearnedGuess().run(Setting(reduced(THIRTIES, [0], [1])))
    assert found.outcome is Outcome.SKIPPED
    assert "no external table" in found.reason


def test_without_scikit_learn_an_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def refusing(name, *rest, **more):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refusing)
    with pytest.raises(AnonauditError, match=r"pip install 'anonaudit\[guess\]'"):
        learners(0)
    monkeypatch.setattr("attacks.learners.learners", learners)  # not the quick ones of this module
    people = table()
    with pytest.raises(AnonauditError, match=r"pip install 'anonaudit\[guess\]'"):
        run(banded(people), [age for age, _ in people])


@pytest.mark.long
def test_scikit_learn_is_imported_where_it_is_used():
    code = "import sys, attacks.learned_guess; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.usefixtures("few_learners")
def test_where_nothing_can_be_learned_frequencies_are_the_prediction():
    """All rows look alike, and of each class two of three have a cold."""
    value = np.array([0, 0, 1] * 40, np.intp)
    rows = TrainingRows(
        np.zeros((120, 1)), value, np.ones(120, np.int64), np.repeat(np.arange(40), 3)
    )
    made = predict(rows, np.zeros((2, 1)), np.array([0, -1]), 2)
    assert made.learner == NO_LEARNER
    assert made.chances == pytest.approx(np.array([[2 / 3, 1 / 3]] * 2))


@pytest.mark.usefixtures("few_learners")
def test_a_class_of_most_rows_leaves_too_few_to_learn_from():
    """Without the class of 50, ten rows are left."""
    group = np.repeat(np.arange(11), [50] + [1] * 10)
    rows = TrainingRows(
        np.arange(60.0)[:, None], np.array([0, 1] * 30), np.ones(60, np.int64), group
    )
    for seed in range(6):
        made = predict(rows, np.array([[1.0]]), np.array([0]), 2, seed=seed)
        assert made.chances == pytest.approx(np.array([[0.5, 0.5]]), abs=0.1)


def test_of_many_rows_some_are_learned_from_drawn_by_lot(monkeypatch):
    """30 of 60: about half of each value, with the features that go with it."""
    seen = []

    class Looking:
        classes_ = np.array([0, 1])

        def fit(self, features, values):
            seen.append((features[:, 0], values))

        def predict_proba(self, asked):
            return np.full((len(asked), 2), 0.5)

    monkeypatch.setattr("attacks.learners.MOST_TRAINING_ROWS", 30)
    rows = TrainingRows(
        np.array([[3.0], [4.0]]), np.array([0, 1]), np.array([30, 30]), np.array([0, 1])
    )
    fitted(Looking(), rows, np.zeros((1, 1)), 2, np.array([0.5, 0.5]))
    ((features, values),) = seen
    assert len(values) == 30
    assert np.array_equal(features, values + 3.0)
    assert 8 <= values.sum() <= 22


@pytest.mark.usefixtures("few_learners")
def test_a_learner_that_is_too_sure_of_itself_is_flattened(monkeypatch):
    """It is sure of what is right three times in four; its log loss is least near 3/4."""

    class Sure:
        classes_ = np.array([0, 1])

        def fit(self, *_):
            return self

        def predict_proba(self, asked):
            return np.where(asked == [[0]], [0.99, 0.01], [0.01, 0.99])

    monkeypatch.setattr("attacks.learners.learners", lambda _: {"sure": Sure})
    said = np.repeat([0, 1], 80)
    value = np.where(np.arange(160) % 4 == 0, 1 - said, said)
    rows = TrainingRows(
        said[:, None].astype(float), value, np.ones(160, np.int64), np.arange(160) // 4
    )
    made = predict(rows, np.array([[0.0], [1.0]]), np.array([-1, -1]), 2)
    assert made.learner == "sure"
    # The odds 3 = 49 ** (1 / 3.5) of 0.98 and 0.02: of the temperatures 3 and 5, 3 is nearer.
    assert made.temperature == 3
    assert made.chances[0, 0] == pytest.approx(0.75, abs=0.04)
    assert made.chances[1, 1] == pytest.approx(0.75, abs=0.04)


def test_values_too_rare_to_be_scored_are_not_the_raised_guess():
    """The nine people of the third value have the highest ratio of chance and share."""
    chances = np.array([[0.5, 0.2, 0.3], [0.5, 0.4, 0.1]])
    counts = np.array([80.0, 11.0, 9.0])
    guess = LearnedChances(
        labels=["a", "b", "c"],
        chances=chances,
        without=chances,
        population=None,
        unknown=np.zeros(2),
        home=np.zeros(2, np.intp),
        counts=counts,
        learner="",
    )
    assert guess.raised(chances).tolist() == [1, 1]
    assert guess.likeliest(chances).tolist() == [0, 0]
    assert replace(guess, counts=counts / 10).raised(chances).tolist() == [0, 0]


def test_a_baseline_is_never_worse_than_one_value_for_everybody():
    """Ten people with each of two values. A learner that is always wrong is no baseline."""
    wrong = np.array([[0.1, 0.9], [0.9, 0.1]])
    one_for_all = np.array([[0.9, 0.1], [0.9, 0.1]])
    guess = LearnedChances(
        labels=("a", "b"), chances=one_for_all, without=wrong, population=None,
        unknown=np.zeros(2), home=np.array([0, 1]), counts=np.array([10.0, 10.0]), learner="x",
    )  # fmt: skip
    each = np.array([0, 1])
    found = scores(guess, each, each, np.array([10, 10]), 0)
    assert found.balanced[WITHOUT] == 0
    assert found.balanced[MODE] == found.balanced[GUESS] == 0.5
    over, gain = found.gain
    assert (over, gain.value) == (MODE, 0)
