"""Pairing released rows with original ones: by key, by order, and the best permutation."""

from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pandas as pd
import pytest

from anonaudit import datasets
from anonaudit.auditing.preparation import prepare
from anonaudit.cells import Convention
from anonaudit.errors import InputError
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.linking.matching import match_column
from anonaudit.linking.permutation import align_by_best_permutation
from anonaudit.linking.validity import unchanged, valid_pairs
from anonaudit.policy.policy import OriginalFile, parse_policy
from anonaudit.source.table import open_source

TREE = Hierarchy.from_levels("x", [["a", "P", "T"], ["b", "P", "T"], ["c", "c", "T"]])
ANCESTORS = {"a": "aPT", "b": "bPT", "c": "cT"}


def stands_for(new, old):
    """The definition, typed anew: itself, an ancestor, or nothing; a missing cell only the top."""
    return new in ("", "*") or (new == "T" if old in ("", "*") else new in ANCESTORS[old])


def same(new, old):
    return new in ("", "*", old)


def aligned(original, released, sensitive=1):
    """The best permutation of rows with one quasi-identifier x and perhaps a sensitive s."""
    names = ["x", "s"][: 1 + sensitive]
    old, new = FrequencySet.of(names, original), FrequencySet.of(names, released)
    labels = old.labels_of("x"), new.labels_of("x")
    match = match_column(*labels, hierarchy=TREE)
    validity = {"x": valid_pairs(match, len(labels[0]), labels[1], TREE)}
    if sensitive:
        validity["s"] = unchanged(old.labels_of("s"), new.labels_of("s"))
    return align_by_best_permutation(
        old, new, quasi_identifiers=["x"], sensitive=names[1:], validity=validity
    )


def most_explained(original, released):
    """By trying every way to give released rows different original rows."""
    few, many, swapped = released, original, False
    if len(few) > len(many):
        few, many, swapped = many, few, True
    best = 0
    for chosen in permutations(many, len(few)):
        pairs = zip(few, chosen, strict=True)
        pairs = [(b, a) for a, b in pairs] if swapped else list(pairs)
        ok = [stands_for(n[0], o[0]) and all(map(same, n[1:], o[1:])) for n, o in pairs]
        best = max(best, sum(ok))
    return best


def fewest_bad(alignment):
    return sum(int(alignment.count[~alignment.valid(c)].sum()) for c in alignment.validity)


def test_what_may_stand_for_what():
    for cell in ("a", "b", "c", "", "*"):
        for released in ("a", "b", "c", "P", "T", "", "*", "other"):
            found = aligned([(cell,)], [(released,)], 0)
            assert bool(found.explained[0]) == stands_for(released, cell), (cell, released)


@pytest.mark.parametrize("sizes", list(product(range(1, 5), repeat=2)))
def test_the_best_permutation_of_tiny_tables(sizes):
    """Against all permutations, for a random few hundred of the tables of up to 4 rows."""
    rng = np.random.default_rng(sizes)
    for _ in range(60):
        original = [
            (rng.choice(["a", "b", "c", ""]), rng.choice(["u", "v"])) for _ in range(sizes[0])
        ]
        released = [
            (rng.choice(["a", "b", "c", "P", "T", "*", ""]), rng.choice(["u", "v", "*"]))
            for _ in range(sizes[1])
        ]
        found = aligned(original, released)
        assert found.count[found.explained].sum() == most_explained(original, released)
        assert found.count.sum() == min(sizes)
        assert found.missing.sum() == max(0, sizes[0] - sizes[1])
        assert found.invented.sum() == max(0, sizes[1] - sizes[0])
        assert (found.missing >= 0).all()
        assert (found.invented >= 0).all()


def test_all_tables_of_one_column_and_up_to_three_rows():
    for n, m in product(range(1, 4), repeat=2):
        for original in combinations_with_replacement("ab", n):
            for released in combinations_with_replacement(["a", "b", "P", "c"], m):
                old, new = [(x,) for x in original], [(x,) for x in released]
                found = aligned(old, new, 0)
                assert found.count[found.explained].sum() == most_explained(old, new)
                # One column: every row that is not explained has one bad cell.
                assert fewest_bad(found) == found.count.sum() - most_explained(old, new)


def test_left_over_rows_are_paired_with_few_bad_cells():
    # Neither released row is explained; crosswise both cells would be bad, straight one is.
    found = aligned([("a", "u"), ("c", "v")], [("a", "w"), ("c", "y")])
    assert (fewest_bad(found), found.left_over) == (2, "fewest bad cells")
    assert found.explained.sum() == 0


def test_a_hidden_cell_is_the_last_explanation():
    """Both pairings explain both rows; the plain one keeps the missing value with the missing."""
    found = aligned([("a", ""), ("b", "u")], [("P", ""), ("P", "u")])
    old, new = found.codes("s")
    assert found.explained.all()
    assert sorted(zip(old.tolist(), new.tolist(), strict=True)) == [(0, 0), (2, 2)]


def test_too_many_left_over_rows_are_paired_in_order():
    original = [("a", f"{i}") for i in range(2_001)]
    released = [("c", f"{i}") for i in range(2_001)]
    found = aligned(original, released)
    assert found.left_over == "in order"
    assert found.count.sum() == 2_001
    assert not found.explained.any()


POLICY = """
[columns]
quasi-identifiers = ["age", "sex"]
sensitive = ["dx"]
"""
ORIGINAL = pd.DataFrame(
    {
        "id": ["1", "2", "3"],
        "age": ["23", "27", "41"],
        "sex": ["f", "m", "f"],
        "dx": ["u", "v", "w"],
    }
)
RELEASE = pd.DataFrame(
    {
        "id": ["3", "1", "2"],
        "age": ["40-49", "20-29", "20-29"],
        "sex": ["*"] * 3,
        "dx": ["w", "u", "v"],
    }
)


def paired(release=RELEASE, original=ORIGINAL, policy=POLICY, **how):
    policy = parse_policy(policy)
    object.__setattr__(policy, "original", OriginalFile(original, **how))
    return prepare(open_source(release), policy).alignment


def test_by_key_by_order_and_by_permutation():
    by_key, best = paired(key="id"), paired()
    assert (by_key.how, best.how) == ("key", "best permutation")
    assert by_key.explained.all()
    assert best.explained.all()
    by_order = paired(align="order")
    assert by_order.how == "order"
    assert not by_order.explained.any()  # the rows stand in another order
    in_order = paired(RELEASE.loc[[1, 2, 0]], align="order")
    assert in_order.explained.all()
    assert in_order.count.tolist() == [1, 1, 1]


def test_by_order_of_files(tmp_path):
    RELEASE.loc[[1, 2, 0]].to_csv(tmp_path / "r.csv", index=False)
    ORIGINAL.to_csv(tmp_path / "o.csv", index=False)
    assert paired(tmp_path / "r.csv", tmp_path / "o.csv", align="order").explained.all()


def test_missing_and_invented_rows_by_key():
    release = pd.concat([RELEASE.iloc[:2], RELEASE.iloc[:1].assign(id="9")])
    found = paired(release, key="id")
    assert (found.count.sum(), found.missing.sum(), found.invented.sum()) == (2, 1, 1)


@pytest.mark.parametrize(
    ("release", "original", "how", "said"),
    [
        (RELEASE.assign(id="1"), ORIGINAL, {"key": "id"}, "0 row(s) have no key and 3 share a key"),
        (RELEASE, ORIGINAL.assign(id=["1", "2", None]), {"key": "id"}, "1 row(s) have no key"),
        (RELEASE.drop(columns="id"), ORIGINAL, {"key": "id"}, "there is no key column 'id'"),
        (RELEASE, ORIGINAL.drop(columns="id"), {"key": "id"}, "there is no key column 'id'"),
        (RELEASE, ORIGINAL.iloc[:2], {"align": "order"}, "has 2 rows and the release 3"),
        (RELEASE, ORIGINAL.drop(columns="sex"), {}, "lacks the column(s) 'sex'"),
    ],
)
def test_what_cannot_be_paired(release, original, how, said):
    with pytest.raises(InputError) as error:
        paired(release, original, **how)
    assert said in str(error.value)
    for cell in ("23", "40-49", "20-29"):
        assert cell not in str(error.value)


def test_counted_releases_are_paired_by_permutation_only():
    policy = POLICY + 'count = "n"\n'
    release = RELEASE.assign(n=[1, 2, 1])
    original = ORIGINAL.assign(n=[2, 1, 1])
    found = paired(release, original, policy)
    assert (found.count.sum(), found.explained.all()) == (4, True)
    with pytest.raises(InputError, match="stand for several records"):
        paired(release, original, policy, key="id")


def test_options_that_exclude_each_other():
    with pytest.raises(InputError, match="exclude each other"):
        OriginalFile("x", key="id", align="order")
    with pytest.raises(InputError, match="must be 'order'"):
        OriginalFile("x", align="sideways")


def test_spellings_are_mended_on_both_sides_but_not_in_the_key():
    policy = POLICY + "[values]\nnormalize = ['case']\n"
    release = RELEASE.assign(id=["c", "A", "a"], sex=["F", "F", "M"])
    original = ORIGINAL.assign(id=["A", "a", "c"])
    assert paired(release, original, policy, key="id").explained.all()


def test_a_missing_token_in_the_hierarchy():
    tree = Hierarchy.from_levels("x", [["?", "unknown", "T"], ["a", "P", "T"]])
    names, convention = ["x"], Convention(missing=("?",))
    old = FrequencySet.of(names, [("?",), ("a",)], convention)
    new = FrequencySet.of(names, [("unknown",), ("P",)], convention)
    labels = old.labels_of("x"), new.labels_of("x")
    match = match_column(*labels, hierarchy=tree)
    check = valid_pairs(match, len(labels[0]), labels[1], tree, convention.missing)
    unknown, group = (labels[1].index(label) for label in ("unknown", "P"))
    assert check.holds(np.array([0, 0]), np.array([unknown, group])).tolist() == [True, False]


def test_figure_4_by_any_pairing():
    """MCT08 Figure 4: both maskings of Figure 3 are valid generalizations."""
    policy = 'columns.quasi-identifiers = ["age", "location", "sex", "race"]\n[hierarchies]\n'
    file = datasets.path("MCT08/hierarchies/location.csv")
    policy += f"location = {{ file = '{file}' }}\n"
    original = datasets.path("MCT08/figure3.csv")
    for figure in ("figure4a", "figure4b"):
        for how in ({"key": "record"}, {}):
            found = paired(datasets.path(f"MCT08/{figure}.csv"), original, policy, **how)
            assert found.explained.all()
            assert found.count.sum() == 7
