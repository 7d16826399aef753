"""Releases that somebody else made: their rows, their loss by hand, and their pictures."""

import re

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonaudit
from anonaudit.errors import AnonauditError, InputError
from anonaudit.findings import Outcome
from anonaudit.frequency.counting import count
from anonaudit.masking.maskers import Original, mask
from anonaudit.masking.recoding import NotAchievableError
from anonaudit.matrix import to_csv, to_json, to_text
from anonaudit.matrix.label_loss import by_width, loss_of_release
from anonaudit.policy import parse_policy
from anonaudit.source.table import own_table

PEOPLE = pd.DataFrame(
    {
        "age": ["20", "30", "40", "60"],
        "zip": ["48201", "48202", "50123", "50199"],
        "city": ["a", "b", "c", "d"],
        "ill": ["x", "y", "y", "x"],
    }
)
# By hand: 10 of the 40 years, 2 of 5 characters, half of the height, and so on.
LOSSES = {
    "age": {"[20,30)": 1 / 4, "30": 0, "<=30": 1 / 4, "[0,100]": 1, "*": 1},
    "zip": {"482**": 2 / 5, "50123": 0, "{50123,50199}": 1 / 3, "*": 1, "": 1},
    "city": {"west": 1 / 2, "c": 0, "*": 1},
}
UNKNOWN = {"age": "old", "zip": "near Bonn", "city": "north"}


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    (folder / "city.csv").write_text("a;west;*\nb;west;*\nc;east;*\nd;east;*\n")
    return parse_policy(
        """
        columns = { quasi-identifiers = ["age", "zip", "city"], sensitive = ["ill"] }
        hierarchies.city = { file = "city.csv" }
        require.k-anonymity = { k = 2 }
        """,
        folder=folder,
    )


def loss(release, rules, original=PEOPLE):
    table = Original.read(own_table(original), rules)
    base = count(own_table(release), rules.roles.quasi_identifiers, rules.convention)
    return loss_of_release(base, table, by_width([base], table))


@pytest.mark.parametrize(
    ("column", "label"), [(column, label) for column in LOSSES for label in LOSSES[column]]
)
def test_the_loss_of_a_label(rules, column, label):
    release = PEOPLE.copy()
    release.loc[1, column] = label
    if label in {*PEOPLE[column]} and label != PEOPLE.loc[1, column]:
        release = release.drop(index=PEOPLE.index[PEOPLE[column] == label])  # or it is there twice
    found = loss(release, rules)
    missing = 3 * (4 - len(release))
    assert found.least == pytest.approx((LOSSES[column][label] + missing) / 12)


def test_a_missing_cell_of_the_original_loses_nothing(rules):
    people = PEOPLE.assign(zip=["48201", "", "50123", "50199"])
    assert loss(people, rules, people).least == 0
    assert loss(people.assign(zip=""), rules, people).least == pytest.approx(3 / 12)


@pytest.mark.parametrize("column", UNKNOWN)
def test_a_label_that_is_not_understood_may_lose_nothing_or_everything(rules, column):
    release = PEOPLE.copy()
    release.loc[[1, 2], column] = UNKNOWN[column]
    found = loss(release, rules)
    assert (found.least, found.most) == (0, pytest.approx(2 / 12))
    (note,) = [note for note in found.notes if "2 cells" in note]
    assert note.startswith(f"{column}: ")
    assert UNKNOWN[column] not in note


def test_changed_values_are_not_taken_for_kept_ones(rules):
    """Two people exchange their ages: two combinations that the original does not have."""
    found = loss(PEOPLE.assign(age=["30", "20", "40", "60"]), rules)
    assert (found.least, found.most) == (0, pytest.approx(2 * 3 / 12))
    assert found.notes[0].startswith("2 rows ")
    assert loss(PEOPLE.iloc[::-1], rules).most == 0  # another order changes nothing


def test_a_changed_value_beside_a_generalized_cell_is_noticed(rules):
    """Everybody is 20 now, as one person was: three cells of twelve may have lost everything."""
    plain = loss(PEOPLE.assign(zip="*"), rules)
    found = loss(PEOPLE.assign(age="20", zip="*"), rules)
    assert plain.least == plain.most == found.least
    assert found.most == pytest.approx(found.least + 3 / 12)
    assert found.notes[0].startswith("age: 3 cells with a value that is less frequent")


def test_a_release_with_more_rows_has_no_loss(rules):
    found = loss(pd.concat([PEOPLE, PEOPLE]), rules)
    assert (found.least, found.most) == (None, None)
    assert "4 rows more" in found.notes[0]


def test_one_scale_for_all_releases_of_a_column():
    """[20,40) is of height 1 of 2, and 20 of 39 years; where a label is outside, years count."""
    ages = [str(age) for age in range(20, 60)]
    people = pd.DataFrame({"age": ages, "ill": "x"})
    rules = parse_policy(
        'columns = { quasi-identifiers = ["age"], sensitive = ["ill"] }\n'
        "hierarchies.age = { intervals = [20], origin = 0 }"
    )
    inside = people.assign(age=["[20,40)"] * 20 + ["[40,60)"] * 20)
    outside = people.assign(age=["[20,45)"] * 25 + ["[45,60)"] * 15)
    alone = anonaudit.compare({"inside": inside}, rules, original=people, only=["homogeneity"])
    assert alone.rows[0].loss == pytest.approx(1 / 2)
    both = {"inside": inside, "outside": outside}
    found = anonaudit.compare(both, rules, original=people, only=["homogeneity"])
    # [40,60) and [45,60) reach 1 beyond the largest age, which is cut off.
    assert found.rows[0].loss == pytest.approx((20 * 20 + 20 * 19) / 39 / 40)
    assert found.rows[1].loss == pytest.approx((25 * 25 + 15 * 14) / 39 / 40)
    assert all("age: the loss of intervals" in row.notes[0] for row in found.rows)


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["20", "21", "35", "60"]),
        st.sampled_from(["48201", "48202", "50123"]),
        st.sampled_from("abcd"),
        st.sampled_from("xy"),
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=30)
@given(ROWS, st.sampled_from(["mondrian", "full-domain", "k-member"]))
def test_a_release_of_ours_loses_what_its_masker_says(rules, rows, algorithm):
    """Two ways to one number: MCT08 Definition 11 by codes and by labels."""
    people = pd.DataFrame(rows, columns=[*PEOPLE])
    try:
        made = mask(people, rules, algorithm=algorithm, threshold=1)
    except NotAchievableError:
        return
    found = loss(made.release, rules, people)
    assert found.least == found.most == pytest.approx(made.loss)


@pytest.fixture(scope="module")
def found(rules):
    coarse = PEOPLE.assign(age=["[20,40)"] * 2 + ["[40,60]"] * 2, zip="*", city="*")
    releases = {"as it was": PEOPLE, "coarse": coarse}
    return anonaudit.compare(releases, rules, original=PEOPLE, only=["linkage", "composition"])


def cells_of(found, name):
    (row,) = [row for row in found.rows if row.name == name]
    return {cell.attack: cell for cell in row.cells}


def test_everybody_in_the_original_is_attacked(found):
    """By hand: in the original all four are alone; in the classes of two, x and y stay open."""
    assert [row.outcome for row in found.rows] == [Outcome.VIOLATED, Outcome.HOLDS]
    linkage = [cells_of(found, name)["linkage"] for name in ("as it was", "coarse")]
    assert [(cell.targets, cell.exposed) for cell in linkage] == [(4, 4), (4, 0)]
    assert found.rows[1].loss == pytest.approx((4 * 2 + 4 / 2) / 12)


def test_what_needs_another_release_does_not_run(found):
    """Nobody masked a second one; a cell without a rate is never safe."""
    cell = cells_of(found, "coarse")["composition"]
    assert (cell.outcome, cell.rate, cell.exposed) == (Outcome.SKIPPED, None, None)
    assert cell.reason == "the policy names no second release"


def test_a_comparison_as_a_frame(found):
    frame = found.to_frame().set_index(["release", "name"])
    assert frame.loc[("as it was", "linkage"), "measured"] == 1
    assert frame.loc[("coarse", "composition"), "status"] == "not measured"
    k = frame.loc[("coarse", "k-anonymity"), "measured"]
    assert (k, type(k)) == (2, int)
    assert frame.loc[("coarse", "k-anonymity"), "loss"] == pytest.approx(10 / 12)


def test_a_comparison_in_every_form(found):
    for text in (to_text(found), to_json(found), to_csv(found)):
        assert "coarse" in text
    assert "83.3%" in to_text(found)


def test_privacy_and_utility_are_drawn(found):
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", found.plot("scatter").svg.decode())
    assert {"as it was", "coarse", "information loss"} <= {*drawn}
    empty = found.plot("scatter", "composition").svg.decode()
    assert re.search("not drawn.*: as it was, coarse", empty)
    with pytest.raises(AnonauditError, match=r"attack 'linkag'\. Did you mean 'linkage'"):
        found.plot("scatter", "linkag")
    with pytest.raises(AnonauditError, match="there is no picture 'pie' of a matrix; use heatmap"):
        found.plot("pie")


def test_a_release_that_cannot_be_read_is_named(rules):
    for release in (PEOPLE.drop(columns="zip"), "nowhere.csv"):
        with pytest.raises(InputError, match=r"^release 'theirs': "):
            anonaudit.compare({"theirs": release}, rules, original=PEOPLE)
    with pytest.raises(InputError, match="there is no release to compare"):
        anonaudit.compare({}, rules, original=PEOPLE)


def test_rows_are_paired_with_the_original_of_the_policy(tmp_path):
    """Every age moved by 1: each nearest row is right, and all numbers are close."""
    people = pd.DataFrame({"age": [str(n) for n in range(20, 80, 5)], "ill": ["a", "b"] * 6})
    people.to_csv(tmp_path / "original.csv", index=False)
    policy = parse_policy(
        """
        columns = { quasi-identifiers = ["age"], sensitive = ["ill"] }
        values.reading = { age = "perturbed" }
        original = { file = "original.csv", align = "order" }
        require.interval-disclosure = { most = 0.5, within = 0.2 }
        attacks.distance-linkage = { allow-rate = 0.5 }
        """,
        folder=tmp_path,
    )
    moved = people.assign(age=[str(int(age) + 1) for age in people.age])
    [row] = anonaudit.compare(
        {"moved": moved}, policy, original=people, only=["distance-linkage"]
    ).rows
    assert (row.cells[0].identified, row.outcome) == (12, Outcome.VIOLATED)
    assert row.levels["interval-disclosure"] == 1
