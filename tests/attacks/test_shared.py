"""What attacks share: options at their limits, outcomes, witnesses, who may be meant; by hand."""

from itertools import product

import numpy as np
import pytest
from builders import reduced

from anonaudit.attack import Setting
from anonaudit.errors import AnonauditError
from anonaudit.findings import Outcome, Witness
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.too_much import TooMuchError
from attacks import shared
from attacks.homogeneity import Homogeneity
from attacks.shared import (
    bounded,
    choice_option,
    disclosure,
    factor_option,
    largest_class,
    largest_of,
    link,
    nothing,
    number_option,
    per_attribute_option,
    persons_of,
    share_option,
    shared_columns,
)

CLASSES = reduced(
    [("a", "s"), ("b", "s"), ("b", "t"), ("c", "s"), ("c", "s"), ("d", "t")], [0], [1]
)


def setting(classes=CLASSES, **more):
    return Setting(classes=classes, **more)


@pytest.mark.parametrize(
    ("read", "good", "bad"),
    [
        (lambda s: share_option("it", s, "my_share", 0.5), [1, 0.01, 1e-9], [0, 1.01, 1.5, -1]),
        (lambda s: factor_option("it", s, "my_share", 0.5), [1.01, 1.5, 9], [1, 0.5, 0, -2]),
        (lambda s: number_option("it", s, "my_share", 0.5, 2), [2, 3], [1, 0, -1, 2.5]),
        (lambda s: number_option("it", s, "my_share", 0.5, 0), [0, 1], [-1]),
        (
            lambda s: choice_option("it", s, "my_share", ("yes", "so")),
            ["yes", "so"],
            ["not so", ""],
        ),
    ],
)
def test_options_and_their_limits(read, good, bad):
    """The default where the option is not given; `my_share` is spelled my-share to people."""
    for value in good:
        assert read(setting(options={"my_share": value, "other": 7})) == value
    for value in [*bad, None, "high", True]:
        with pytest.raises(AnonauditError, match=r"^it: my-share must be "):
            read(setting(options={"my_share": value}))


def test_options_that_are_not_given():
    assert share_option("it", setting(options={"myshare": 1}), "my_share", 0.25) == 0.25
    assert factor_option("it", setting(), "factor", 2.5) == 2.5
    assert number_option("it", setting(), "number", 7, 1) == 7
    assert choice_option("it", setting(), "choice", ("first", "second")) == "first"


def test_tables_by_attribute():
    seen = []
    options = {"per_one": {"1": "x"}}

    def read(options):
        return per_attribute_option("it", setting(options=options), "per_one", seen.append)

    with pytest.raises(TypeError):  # the check is told the key and the value
        read(options)
    found = per_attribute_option(
        "it", setting(options=options), "per_one", lambda *told: seen.append(told)
    )
    assert (found, seen) == ({"1": "x"}, [("it: per-one for '1'", "x")])
    assert read({}) == {}
    with pytest.raises(AnonauditError, match="it: per-one must be a table"):
        read({"per_one": [1]})
    with pytest.raises(
        AnonauditError, match=r"it: per-one names '0', which is not sensitive; .*'1'"
    ):
        read({"per_one": {"0": "x"}})


@pytest.mark.parametrize(
    ("told", "rate", "outcome", "reason"),
    [
        ({"targets": 4, "disclosed": 2}, 1 / 2, Outcome.HOLDS, None),
        ({"targets": 4, "disclosed": 3}, 3 / 4, Outcome.VIOLATED, None),
        ({"targets": 4, "disclosed": 3, "successes": 1}, 1 / 4, Outcome.HOLDS, None),
        ({"targets": 4, "disclosed": 3, "successes": 0}, 0, Outcome.HOLDS, None),
        ({"targets": 4, "disclosed": 1, "successes": 3}, 3 / 4, Outcome.VIOLATED, None),
        ({"targets": 0, "disclosed": 0}, None, Outcome.INCONCLUSIVE, "there is nobody to attack"),
        ({"targets": 4, "disclosed": 2, "reason": "?"}, 1 / 2, Outcome.INCONCLUSIVE, "?"),
        ({"targets": 4, "disclosed": 3, "reason": "?"}, 3 / 4, Outcome.VIOLATED, "?"),
    ],
)
def test_a_disclosure_is_judged(told, rate, outcome, reason):
    """Half is allowed. What is unfinished holds nothing, but may be violated already."""
    found = disclosure(Homogeneity(), setting(allowed=0.5), **told)
    assert (found.rate, found.outcome, found.reason) == (rate, outcome, reason)
    assert (found.attack, found.allowed, found.identified) == ("homogeneity", 0.5, 0)
    assert found.knowledge == Homogeneity.knowledge
    assert (found.targets, found.disclosed) == (told["targets"], told["disclosed"])
    assert found.baseline == 4 / 6  # of six rows four show s


def test_what_else_a_disclosure_is_given():
    more = {"identified": 2, "base": 0.25, "details": {"x": 1}, "notes": ("so",)}
    found = disclosure(Homogeneity(), setting(), targets=4, disclosed=1, **more)
    assert (found.identified, found.baseline, found.details) == (2, 0.25, {"x": 1})
    assert (found.notes, found.outcome, found.allowed) == (("so",), Outcome.MEASURED, None)
    zero = disclosure(Homogeneity(), setting(), targets=4, disclosed=1, base=0.0)
    assert zero.baseline == 0


def test_nothing_is_never_safe():
    found = nothing(Homogeneity(), setting(allowed=0.5), "why")
    assert (found.outcome, found.reason, found.allowed) == (Outcome.SKIPPED, "why", 0.5)
    assert (found.rate, found.targets) == (None, 0)

    class Large(Homogeneity):
        @bounded
        def run(self, setting):
            raise TooMuchError("too much")

    found = Large().run(setting(allowed=0.5))
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, "too much")
    assert found.allowed == 0.5


@pytest.mark.parametrize(
    ("exposed", "number"),
    [
        ([0, 0, 0, 0], None),
        ([1, 1, 1, 1], 1),
        ([1, 0, 1, 1], 2),
        ([1, 0, 0, 1], 0),
        ([0, 0, 0, 1], 3),
    ],
)
def test_the_largest_exposed_class(exposed, number):
    """a and d have one row, b and c two; of equal ones the first."""
    rows = {0: 1, 1: 2, 2: 2, 3: 1}
    found = largest_class(CLASSES, np.array(exposed, bool))
    assert found == (None if number is None else Witness(number, rows[number]))


def test_the_first_attribute_that_gives_the_largest_class_away():
    exposed = {"x": [1, 0, 0, 0], "y": [1, 0, 1, 0], "z": [1, 0, 1, 1]}
    found = {name: np.array(one, bool) for name, one in exposed.items()}
    assert largest_of(CLASSES, found) == Witness(2, 2, "y")
    assert largest_of(CLASSES, {"x": found["x"]}) == Witness(0, 1, "x")
    assert largest_of(CLASSES, {"x": np.zeros(4, bool)}) is None


def test_columns_in_common():
    classes = reduced([("a", "b", "c")], [0, 1, 2], [])
    table = FrequencySet.of(["2", "who", "0"], [("c", "Ann", "a")])
    assert shared_columns("it", setting(classes), table) == ["0", "2"]
    with pytest.raises(AnonauditError, match="it: the external table has none"):
        shared_columns("it", setting(classes), table.project(["who"]))


def test_persons_by_two_columns_of_names():
    """Ann Li is one, however often; who has no first or no last name is one a row."""
    rows = [("Ann", "Li", "a")] * 3 + [("Ann", "Wu", "a")] + [("Ann", None, "a")] * 2
    rows += [(None, "Li", "b"), ("Bo", "Li", "b"), ("Bo", "Li", "b"), ("Ann", "Li", "b")]
    table = FrequencySet.of(["first", "last", "0"], rows)
    names = {"identity": ("first", "last")}
    people, sharing = persons_of(setting(**names), table, ["0"])
    assert (people.labels_of("0")[2:], sharing.tolist()) == (("a", "b"), [4, 3])
    assert persons_of(setting(), table, ["0"])[1].tolist() == [6, 4]


def pairs_of(released, people, **more):
    inside, outside = (FrequencySet.of(["0"], [(x,) for x in xs]) for xs in (released, people))
    found = link(setting(**more), outside, inside).sure
    return {
        (outside.labels_of("0")[outside.codes[p, 0]], inside.labels_of("0")[inside.codes[k, 0]])
        for p, k in zip(found.person, found.key, strict=True)
    }


def test_labels_are_read_as_the_setting_says():
    """A tree, sets with a mark of their own, plain texts, and a decimal comma."""
    tree = Hierarchy("0", [["flu", "cold", "*"], ["hiv", "virus", "*"]])
    assert pairs_of(["cold", "virus"], ["flu"]) == set()
    assert pairs_of(["cold", "virus"], ["flu"], hierarchies={"0": tree}) == {("flu", "cold")}
    assert pairs_of(["20-29"], ["25"]) == {("25", "20-29")}
    assert pairs_of(["20-29"], ["25"], readings={"0": "plain"}) == set()
    sets = {"readings": {"0": "set"}, "separators": {"0": "/"}}
    assert pairs_of(["a/b", "c/d"], ["a", "d"], **sets) == {("a", "a/b"), ("d", "c/d")}
    assert pairs_of(["[1,5;2,5)"], ["2"], decimal=",") == {("2", "[1,5;2,5)")}
    assert pairs_of(["[1,5;2,5)"], ["2"]) == set()


def cross(*columns):
    """Every combination of these cells, as a table over 0, 1, ..."""
    return FrequencySet.of([str(i) for i in range(len(columns))], list(product(*columns)))


@pytest.mark.parametrize(
    ("people", "released", "expected"),
    [
        # Each of the columns by itself: 3 people and 2 labels, of 6 pairs 2 match.
        ((["1", "2", "9"],), (["0-1", "2-3"],), 2),
        # 6 people, 4 combinations; the first column matches in 2/6, the second in 2/4 of all.
        ((["1", "2", "9"], ["a", "b"]), (["0-1", "2-3"], ["a", "b"]), 6 * 4 * (2 / 6) * (2 / 4)),
        # 1 fits two labels, 2 one and 9 none; who is unknown fits both.
        ((["1", "2", "9", None],), (["0-1", "1-2"],), 2 + 1 + 2),
        ((["9", "8"],), (["0-1", "*"],), 2),
        ((["1", "5", "9"],), (["0-1", "8-9"],), 2),
        ((["1"],), (["0-1"],), 1),
        ((["9"],), (["0-1"],), 0),
    ],
)
def test_too_many_pairs(people, released, expected, monkeypatch):
    """As many are expected as the columns one by one say; here they are independent: so many are."""
    outside, inside = cross(*people), cross(*released)
    monkeypatch.setattr(shared, "MOST_PAIRS", expected)
    assert len(link(setting(), outside, inside).sure.key) == pytest.approx(expected)
    monkeypatch.setattr(shared, "MOST_PAIRS", expected - 0.001)
    words = f"about {expected:.0e} pairs of {len(outside)} external and {len(inside)} released"
    with pytest.raises(TooMuchError, match=words.replace("+", r"\+")):
        link(setting(), outside, inside)


def test_what_is_expected_of_columns_that_go_together():
    """Two people, two rows, each column matches in 2 of 4 pairs: 4 * 1/2 * 1/2 is one."""
    rows = [("a", "u"), ("b", "v")]
    outside, inside = FrequencySet.of(["0", "1"], rows), FrequencySet.of(["0", "1"], rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared, "MOST_PAIRS", 1)
        assert len(link(setting(), outside, inside).sure.key) == 2
        patch.setattr(shared, "MOST_PAIRS", 0.99)
        with pytest.raises(TooMuchError, match="about 1e"):
            link(setting(), outside, inside)


def test_labels_that_nobody_has_any_more_count_nothing():
    """The tables are parts of larger ones, so the last labels are in no row of them."""
    outside = FrequencySet.of(["0"], [("a",), ("b",), ("z",)]).where(np.array([True, True, False]))
    inside = FrequencySet.of(["0"], [("a",), ("y",), ("z",)]).where(np.array([True, False, False]))
    found = link(setting(), outside, inside).sure
    assert (found.person.tolist(), found.key.tolist()) == ([0], [0])
