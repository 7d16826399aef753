"""The contract suite on maskers that keep every law, and on one masker a law that breaks only it."""

import random

import pandas as pd
import pytest
from hypothesis import strategies as st

from anonaudit.attack import Setting, judge
from anonaudit.findings import Disclosure, Measurement, Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.recoding import NotAchievableError
from anonaudit.models import KAnonymity, LDiversity, PSensitiveKAnonymity
from anonaudit.models.level import measurement
from anonaudit.roles import Roles
from anonaudit.strategies import Table, tables
from anonaudit.testing import ContractError, check_attack, check_masker, check_model
from attacks.homogeneity import Homogeneity

ROLES = Roles(("q1", "q2"), ("s1",), ("name",))
TREES = {
    name: Hierarchy.from_levels(name, [["a", "ab"], ["b", "ab"], ["c", "cd"], ["d", "cd"]])
    for name in ("q1", "q2")
}
QUASI = ["q1", "q2"]


def top(frame, *, meet=False):
    """All rows as one class: at the root, or with what they have in common."""
    if len(frame) < 2:
        raise NotAchievableError("too few rows", reason="k")
    found = frame[[*QUASI, "s1"]].astype(object)
    for name in QUASI:
        meets = meet and frame[name].notna().all()
        found[name] = TREES[name].lowest_common_ancestor(frame[name].astype(str)) if meets else "*"
    return found


def broken_laws(mask, *, examples=15, **options):
    with pytest.raises(ContractError) as caught:
        check_masker(
            mask, KAnonymity(2), roles=ROLES, hierarchies=TREES, examples=examples, **options
        )
    return caught.value


def test_a_masker_that_keeps_every_law():
    check_masker(top, KAnonymity(2), roles=ROLES, hierarchies=TREES, examples=20)


def raises(frame):
    return 1 / 0 if len(frame) > 2 else top(frame)


def releases_all(frame):
    return frame[[*QUASI, "s1"]] if len(frame) > 1 else top(frame)


def never_says_no(frame):
    return frame[[*QUASI, "s1"]] if len(frame) < 2 else top(frame)


def refuses_much(frame):
    return None if len(frame) % 2 else top(frame)


def leaks(frame):
    return top(frame).assign(name=frame["name"])


def forgets_a_column(frame):
    return top(frame).drop(columns="s1")


def loses(frame):
    return top(frame).sort_values("s1").iloc[: max(2, len(frame) - 1)]


def invents(frame):
    found = top(frame).sort_values("s1")
    return pd.concat([found, found.iloc[:1]])


def makes_up(frame):
    return top(frame).assign(q1="cd") if len(frame) > 1 else top(frame)


def swaps(frame):
    """Two classes of two rows with their sensitive values exchanged."""
    found = top(frame)
    if len(frame) == 4 and frame["q1"].tolist() == ["a", "a", "c", "c"]:
        found["q1"] = frame["q1"]
        found["s1"] = frame["s1"].tolist()[::-1]
    return found


def changes(frame):
    return top(frame).assign(s1="zz")


def shuffles(frame):
    found = top(frame)
    order = list(range(len(found)))
    random.shuffle(order)
    return found.iloc[order]


def overwrites(frame):
    found = top(frame)
    frame["q1"] = "*"
    return found


def by_first_row(frame):
    return top(frame, meet=str(frame["s1"].iloc[0]) == "a")


def by_first_column(frame):
    return top(frame, meet=frame.columns[0] == "name")


def by_index(frame):
    return top(frame, meet=frame.index[0] == 0)


def by_dtype(frame):
    return top(frame, meet=isinstance(frame["q1"].dtype, pd.StringDtype))


def by_categories(frame):
    dtype = frame["q1"].dtype
    turned = isinstance(dtype, pd.CategoricalDtype) and not dtype.categories.is_monotonic_increasing
    return top(frame, meet=turned)


@pytest.mark.parametrize(
    ("mask", "law"),
    [
        (raises, "runs"),
        (releases_all, "promise"),
        (never_says_no, "says no"),
        (refuses_much, "answers"),
        (leaks, "columns"),
        pytest.param(forgets_a_column, "columns", marks=pytest.mark.long),
        (loses, "rows"),
        (invents, "rows"),
        pytest.param(makes_up, "generalizes", marks=pytest.mark.long),
        (changes, "sensitive"),
        pytest.param(shuffles, "deterministic", marks=pytest.mark.long),
        pytest.param(overwrites, "input unchanged", marks=pytest.mark.long),
        pytest.param(by_first_row, "row order", marks=pytest.mark.long),
        pytest.param(by_first_column, "column order", marks=pytest.mark.long),
        pytest.param(by_index, "index", marks=pytest.mark.long),
        pytest.param(by_dtype, "dtype", marks=pytest.mark.long),
        pytest.param(by_categories, "category order", marks=pytest.mark.long),
    ],
)
def test_a_masker_that_breaks_one_law_is_caught_by_it_alone(mask, law):
    # What has the rows in common lies below the root in few tables, so it takes more of them.
    examples = (
        50 if law in {"row order", "column order", "index", "dtype", "category order"} else 15
    )
    assert [one.law for one in broken_laws(mask, examples=examples).broken] == [law]


def test_values_that_go_to_another_row_are_found():
    rows = (("n", "a", "a", "x"), ("n", "a", "a", "x"), ("n", "c", "a", "y"), ("n", "c", "a", "y"))
    inputs = st.just(Table(ROLES, rows, TREES))
    skip = ("row order", "deterministic")
    error = broken_laws(swaps, inputs=inputs, skip=skip)
    assert [one.law for one in error.broken] == ["sensitive"]
    assert "of another row" in error.broken[0].came


def test_a_failure_can_be_read():
    text = str(broken_laws(releases_all))
    assert text == (
        "check_masker: 1 of 15 laws broken\n\n"
        "promise\n"
        "  promised: a release that satisfies KAnonymity(k=2)\n"
        "  got: violated, level 1\n"
        "    q1  q2  s1\n"
        "    a   a   a\n"
        "    a   b   a\n"
        "  smallest input: \n"
        "    name    q1  q2  s1\n"
        "    name-0  a   a   a\n"
        "    name-1  a   b   a"
    )


def test_a_law_that_is_skipped_is_not_tried_and_must_exist():
    check_masker(
        shuffles, KAnonymity(2), roles=ROLES, hierarchies=TREES, skip=["deterministic"], examples=10
    )
    with pytest.raises(ValueError, match="no law 'order'"):
        check_masker(top, KAnonymity(2), skip=["order"])


def test_homogeneity_keeps_every_law():
    finds = tables(Roles(("q1",), ("s1",)), values="a")
    check_attack(Homogeneity(), bounded_by=PSensitiveKAnonymity(2), finds=finds)


class Wrong:
    """An attack with numbers of its own."""

    name, knowledge, options = "wrong", "nothing", ()

    def __init__(self, disclose):
        self.disclose = disclose

    def run(self, setting):
        targets = int(setting.classes.rows.sum())
        hit, outcome = self.disclose(setting, targets)
        rate = hit / targets if targets else None
        reason = None if targets else "nobody"
        return Disclosure(
            self.name, "", targets, 0, hit, rate, None,
            outcome or judge(rate, setting.allowed), allowed=setting.allowed, reason=reason,
        )  # fmt: skip


def first_value_counts(setting, targets):
    return (targets if setting.classes.base.labels[2][2:3] == ("a",) else 0), None


@pytest.mark.parametrize(
    ("disclose", "law"),
    [
        (lambda s, n: (1 // (n - 3 or 0), None) if n == 3 else (0, None), "runs"),
        (lambda s, n: (n + 1 if n else 0, None), "counts"),
        (lambda s, n: (0, None if n else Outcome.HOLDS), "reason"),
        (lambda s, n: (n, Outcome.HOLDS if n else None), "limit"),
        pytest.param(
            lambda s, n: (random.randrange(n + 1), None), "deterministic", marks=pytest.mark.long
        ),
        (first_value_counts, "value names"),
    ],
)
def test_an_attack_that_breaks_a_law_is_caught(disclose, law):
    with pytest.raises(ContractError) as caught:
        check_attack(Wrong(disclose), roles=Roles(("q1", "q2"), ("s1",)))
    assert law in [one.law for one in caught.value.broken]


def test_an_attack_beyond_its_bound_or_that_finds_nothing_is_caught():
    finds = tables(Roles(("q1",), ("s1",)), values="a")
    for hit, law in ((lambda s, n: (n, None), "bounded"), (lambda s, n: (0, None), "finds")):
        with pytest.raises(ContractError) as caught:
            check_attack(
                Wrong(hit),
                bounded_by=PSensitiveKAnonymity(2),
                finds=finds,
                skip=["persons"],  # it counts rows
                examples=10,
            )
        assert [one.law for one in caught.value.broken] == [law]


@pytest.mark.parametrize(
    ("model", "at"),
    [
        (KAnonymity(2), KAnonymity),
        pytest.param(PSensitiveKAnonymity(2, 3), None, marks=pytest.mark.long),
        (LDiversity(2), LDiversity),
    ],
)
def test_our_models_keep_every_law(model, at):
    check_model(model, at=at, monotone=True, constructed=True, examples=20)


class Model:
    """k-anonymity with something wrong."""

    name = "wrong"

    def __init__(self, wrong):
        self.wrong, self.k = wrong, 2

    def __repr__(self):
        return "wrong"

    def measure(self, classes):
        found = KAnonymity(2).measure(classes)
        return self.wrong(found, classes)


def passing(found, classes):
    return measurement("wrong", classes, {"": classes.sizes}, parameters={}, required=2)


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (lambda m, c: 1 // (len(c) - 2) and m if len(c) == 2 else m, "runs"),
        (lambda m, c: _with(m, outcome=Outcome.HOLDS) if not c else m, "no data"),
        (lambda m, c: _with(m, classes_violating=0), "counts"),
        (lambda m, c: _with(m, measured=len(c.roles.sensitive[0]) + (c.roles.sensitive[0] == "s1")), "column order"),
        (lambda m, c: _with(m, measured=float("a" in c.kept.labels_of("s1"))), "value names"),
        pytest.param(
            lambda m, c: _with(m, measured=-c.sizes.max() if c else None), "merging",
            marks=pytest.mark.long,
        ),
    ],
)  # fmt: skip
def test_a_model_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(ContractError) as caught:
        check_model(Model(wrong), monotone=True)
    assert law in [one.law for one in caught.value.broken]


def _with(found: Measurement, **changes):
    from dataclasses import replace

    return replace(found, **changes)


@pytest.mark.long
def test_a_model_that_is_too_strict_or_too_lax_is_caught():
    class Strict(KAnonymity):
        def measure(self, classes, also_violating=None):
            return KAnonymity((self.k or 0) + 1 if self.k else None).measure(classes)

    class Lax(KAnonymity):
        def measure(self, classes, also_violating=None):
            return KAnonymity(max(1, (self.k or 0) - 1)).measure(classes)

    for kind, laws in ((Strict, {"reached", "release"}), (Lax, {"near miss"})):
        with pytest.raises(ContractError) as caught:
            check_model(kind(2), at=kind, constructed=True)
        assert laws <= {one.law for one in caught.value.broken}


def test_a_setting_of_ones_own():
    seen = []

    def setting(table):
        seen.append(table)
        return Setting(table.classes())

    check_attack(Homogeneity(), setting=setting, examples=5)
    assert seen
