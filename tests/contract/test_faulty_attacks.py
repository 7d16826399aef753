"""Attacks with a fault that the suite must catch, told nothing about them.

All are homogeneity with something wrong: a class whose rows agree on a sensitive value.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from contract.one_law import breaks

from anonaudit.attack import Setting, judge
from anonaudit.findings import Outcome, highest
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.testing import check_attack, laws
from attacks.algorithm_aware import AlgorithmAware
from attacks.association import Association
from attacks.composition import Composition
from attacks.editions import Editions
from attacks.elimination import Elimination
from attacks.homogeneity import Homogeneity
from attacks.learned_guess import LearnedGuess
from attacks.linkage import Linkage
from attacks.residual import Residual
from attacks.similarity import Similarity
from attacks.skewness import Skewness
from attacks.unsorted_matching import UnsortedMatching


@pytest.fixture(autouse=True)
def _as_drawn(monkeypatch):
    """Broken laws are reported with the input drawn: to shrink it takes most of the time."""
    monkeypatch.setattr(laws, "_smallest", lambda law, found, *_: found)


class Faulty(Homogeneity):
    """Homogeneity whose result is changed."""

    def run(self, setting):
        return self.changed(super().run(setting), setting)

    @staticmethod
    def judged(found, **changes):
        """With other numbers, and the outcome that they ask for."""
        one = replace(found, **changes)
        if one.rate is None:
            return one
        top = highest(one.rate, one.targets, one.undecided)
        return replace(one, outcome=judge(one.rate, one.allowed, top))


class RateOfClasses(Faulty):
    """The share of classes, not of targets."""

    def changed(self, found, setting):
        if found.rate is None:
            return found
        return self.judged(found, rate=float(found.exposed.mean()))


class RateOfKnown(Faulty):
    """The share among those that are decided."""

    def changed(self, found, setting):
        decided = found.targets - found.undecided
        if found.rate is None or not decided:
            return found
        return self.judged(found, rate=found.disclosed / decided)


class TargetsOfTheTable(Faulty):
    """All rows are targets, those that are suppressed throughout too."""

    def changed(self, found, setting):
        n = setting.classes.base.total
        if found.rate is None:
            return found
        return self.judged(found, targets=n, rate=found.disclosed / n)


class TargetsAreClasses(Faulty):
    """A class is one target."""

    def changed(self, found, setting):
        if found.rate is None:
            return found
        n, hit = len(setting.classes), int(found.exposed.sum())
        per = {name: min(count, hit) for name, count in found.per_attribute.items()}
        return self.judged(
            found, targets=n, disclosed=hit, rate=hit / n, per_attribute=per, undecided=0
        )


class TargetsWithKnownCells(Faulty):
    """Rows without a known value of the first attribute are no targets."""

    def changed(self, found, setting):
        n = int(setting.classes.sensitive["s1"].totals.sum())
        if found.rate is None or n < found.disclosed + found.undecided or not n:
            return found
        return self.judged(found, targets=n, rate=found.disclosed / n)


class UnknownIsCertain(Homogeneity):
    """The known values of a class agree, so it is disclosed whatever the others are."""

    def run(self, setting):
        classes = setting.classes
        found = super().run(setting)
        if found.rate is None:
            return found
        agree = {name: counts.distinct == 1 for name, counts in classes.sensitive.items()}
        exposed = np.logical_or.reduce(list(agree.values()))
        hit = classes.people(exposed)
        return Faulty.judged(
            found, disclosed=hit, rate=hit / found.targets, undecided=0, exposed=exposed,
            per_attribute={name: classes.people(one) for name, one in agree.items()},
        )  # fmt: skip


class UnknownIsSafe(Faulty):
    """Nobody is undecided."""

    def changed(self, found, setting):
        return self.judged(found, undecided=0, reason=found.reason if not found.targets else None)


class UndecidedWithoutReason(Faulty):
    def changed(self, found, setting):
        return replace(found, reason=None) if found.undecided else found


class FirstAttributeOnly(Homogeneity):
    def run(self, setting):
        roles = setting.classes.roles
        first = replace(roles, sensitive=roles.sensitive[:1])
        return super().run(replace(setting, classes=setting.classes.reread(first)))


class LargestAttribute(Faulty):
    """The most of one attribute, not who is disclosed by any."""

    def changed(self, found, setting):
        hit = max(found.per_attribute.values(), default=0)
        if found.rate is None:
            return found
        return self.judged(found, disclosed=hit, rate=hit / found.targets)


class SumOfAttributes(Faulty):
    """Who is disclosed by two attributes counts twice, up to all targets."""

    def changed(self, found, setting):
        if found.rate is None:
            return found
        hit = min(sum(found.per_attribute.values()), found.targets - found.undecided)
        return self.judged(found, disclosed=hit, rate=hit / found.targets)


class AllowedIsTooMuch(Faulty):
    """Violated where the rate is what is allowed."""

    def changed(self, found, setting):
        at = found.rate is not None and 0 < found.rate == found.allowed
        return replace(found, outcome=Outcome.VIOLATED) if at else found


class HoldsThoughUndecided(Faulty):
    def changed(self, found, setting):
        undecided = found.outcome is Outcome.INCONCLUSIVE and found.rate is not None
        return replace(found, outcome=Outcome.HOLDS) if undecided and found.targets else found


class LastClassLeftOut(Faulty):
    def changed(self, found, setting):
        if found.rate is None or not found.exposed[-1]:
            return found
        left = found.exposed.copy()
        left[-1] = False
        hit = setting.classes.people(left)
        per = {name: min(hit, count) for name, count in found.per_attribute.items()}
        return self.judged(
            found, disclosed=hit, rate=hit / found.targets, exposed=left, per_attribute=per
        )


class RowsArePersons(Homogeneity):
    """Rows are counted, whoever they are of."""

    def run(self, setting):
        classes = setting.classes
        roles = replace(classes.roles, unit=None)
        return super().run(replace(setting, classes=equivalence_classes(classes.base, roles)))


class PersonsOfOneRow(Homogeneity):
    """A person with two rows is taken for two values, so never disclosed."""

    def run(self, setting):
        found, classes = super().run(setting), setting.classes
        if classes.roles.unit is None or found.rate is None:
            return found
        if classes.total_persons == classes.total_rows:
            return found
        per = dict.fromkeys(found.per_attribute, 0)
        none = np.zeros_like(found.exposed)
        return Faulty.judged(found, disclosed=0, rate=0.0, per_attribute=per, exposed=none)


class TargetsInTheirClasses(Faulty):
    """With a unit column, a target for each row, and the rate of persons."""

    def changed(self, found, setting):
        if found.rate is None or setting.classes.roles.unit is None:
            return found
        return self.judged(found, targets=int(setting.classes.rows.sum()))


FAULTY = [
    (RowsArePersons, "persons"),
    (PersonsOfOneRow, "persons"),
    (TargetsInTheirClasses, "persons"),
    (RateOfClasses, "counts"),
    (RateOfKnown, "counts"),
    (TargetsOfTheTable, "targets"),
    (TargetsAreClasses, "targets"),
    (TargetsWithKnownCells, "targets"),
    (UnknownIsCertain, "unknown cells"),
    (UnknownIsSafe, "unknown cells"),
    (UndecidedWithoutReason, "reason"),
    (FirstAttributeOnly, "column order"),
    (LargestAttribute, "unknown cells"),
    (SumOfAttributes, "counts"),
    (AllowedIsTooMuch, "limit"),
    (HoldsThoughUndecided, "limit"),
    (LastClassLeftOut, "class order"),
]


@pytest.mark.parametrize(("attack", "law"), FAULTY)
def test_a_faulty_attack_is_caught(attack, law):
    assert breaks(law, check_attack, attack())


def alike(table):
    """The rows of classes that have one known value of an attribute throughout, row by row."""
    rows = [row for row in table.rows if set(row[:2]) != {"*"}]
    return sum(
        any(
            {other[j] for other in rows if other[:2] == row[:2]} == {row[j]}
            and row[j] not in (None, "*")
            for j in (2, 3)
        )
        for row in rows
    )


class ClassesOfTwo(Faulty):
    """A larger class is taken for safe; nothing but a count by hand can tell."""

    def changed(self, found, setting):
        if found.rate is None:
            return found
        classes = setting.classes
        chosen = found.exposed & (classes.sizes <= 2)
        hit = classes.people(chosen)
        return replace(
            found, disclosed=hit, rate=hit / found.targets, exposed=chosen, per_attribute={}
        )


def test_a_count_by_hand():
    assert not breaks("definition", check_attack, Homogeneity(), by_hand=alike)
    assert breaks("definition", check_attack, ClassesOfTwo(), by_hand=alike)


def test_the_example_attack_is_checked_as_its_page_says(monkeypatch):
    docs = Path(__file__).parents[2] / "docs"
    page = (docs / "writing_an_attack.md").read_text(encoding="utf-8")
    code = page.split("<!-- test_small_crowd.py -->\n```python\n")[1].split("```")[0]
    monkeypatch.syspath_prepend(docs / "example-attack")
    names = {}
    exec(code, names)
    names["test_small_crowd"]()


def people(table):
    """The rows (persons) with all quasi-identifiers, each a person with a name."""
    place = [table.columns.index(name) for name in ("q1", "q2")]
    cells = [
        (f"p{i}" if table.roles.unit is None else row[-1], *(row[j] for j in place))
        for i, row in enumerate(table.rows)
    ]
    return [row for row in dict.fromkeys(cells) if not {None, "*"} & set(row)]


def against(**options):
    def setting(table):
        external = FrequencySet.of(("who", "q1", "q2"), people(table))
        return Setting(table.classes(), external=external, identity=("who",), options=options)

    return setting


def twice(table):
    return replace(against()(table), second=table.classes())


def from_nobody(table):
    """The earlier edition has no rows, so everybody is a newcomer."""
    classes = table.classes()
    return Setting(classes, second=classes.recounted(classes.base.where(classes.base.counts < 0)))


def with_trees(table):
    levels = [["a", "ab"], ["b", "ab"], ["c", "cd"], ["d", "cd"]]
    trees = {name: Hierarchy.from_levels(name, levels) for name in ("s1", "s2")}
    return Setting(table.classes(), hierarchies=trees, protected={"s1": ("ab",), "s2": ("cd",)})


def hidden(table):
    return sum(cell == "*" for row in table.rows if set(row[:2]) != {"*"} for cell in row[2:])


NAMED = {"targets": lambda table: len(people(table)), "setting": against(), "examples": 9}


@pytest.mark.parametrize(
    ("attack", "options"),
    [
        (Elimination(), {"examples": 12}),
        (Similarity(), {"setting": with_trees, "examples": 12}),
        # A chance, which any cell changes.
        (Skewness(), {"skip": ["unknown cells"], "examples": 12}),
        (Association(), {"examples": 12}),
        (Association(), NAMED),
        (Linkage(), NAMED),
        (Linkage(), NAMED | {"setting": against(everyone_released=True)}),
        (LearnedGuess(), NAMED | {"examples": 6}),
        # A chance, which any cell changes.
        pytest.param(
            LearnedGuess(),
            NAMED | {"setting": against(sure=0.6), "skip": ["unknown cells"]},
            marks=pytest.mark.long,
        ),
        pytest.param(Residual(), NAMED, marks=pytest.mark.long),
        (Composition(), NAMED | {"setting": twice}),
        (
            Editions(),
            {"setting": from_nobody, "targets": lambda table: len(table.rows), "examples": 9},
        ),
        pytest.param(UnsortedMatching(), {"setting": against()}, marks=pytest.mark.long),
        # Its targets are cells.
        (AlgorithmAware(), {"targets": hidden}),
    ],
)
def test_our_attacks_keep_every_law(attack, options):
    check_attack(attack, **options)
