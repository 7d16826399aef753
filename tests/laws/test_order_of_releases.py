"""An adversary who knows the program and its seed learns nothing from the order of a release.

Laws, for every algorithm of `anonaudit mask`: the release is a function of the multiset of rows, so
that no order of it leads back to that of the original; putting rows back by any known seed, or
linking them as they stand, puts as many in their place as guessing does; and unsorted matching links
nobody. Releases shuffled with a seed, as they were before, break each of them. Cells that rule
hiding suppressed are not recovered by any known seed.
"""

import random
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonaudit
from anonaudit.linking.known_orders import known_orders
from anonaudit.masking.maskers import ALGORITHMS, mask
from anonaudit.masking.recoding import NotAchievableError
from anonaudit.policy.policy import parse_policy

COLUMNS = "columns = { quasi-identifiers = ['q', 'r'], sensitive = ['s'] }\n"
RULES = parse_policy(
    COLUMNS + "hierarchies.q = { intervals = [2, 4], origin = 0 }\n"
    "hierarchies.r = { prefixes = [1] }\nrequire.k-anonymity = { k = 2 }\n"
)
FEW_SEEDS = range(10)

cells = st.tuples(
    st.sampled_from("0123"), st.sampled_from(["ab", "ac", "b"]), st.sampled_from("xyz")
)
tables = st.lists(cells, min_size=2, max_size=9)
some = settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])


def released(rows, algorithm):
    frame = pd.DataFrame(rows, columns=["q", "r", "s"], dtype=object)
    return mask(frame, RULES, algorithm=algorithm)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@some
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_the_original_is_nowhere_in_a_release(algorithm, rows, rng):
    turned = list(rows)
    rng.shuffle(turned)
    try:
        one = released(rows, algorithm)
    except NotAchievableError:
        return
    other = released(turned, algorithm)
    assert one.release.equals(other.release)
    assert one.ground.equals(other.ground)
    texts = one.release.to_numpy().tolist()
    assert texts == sorted(texts)


def put_right(before, after, order):
    """How many rows of the original an order gives its own released row."""
    return sum(before[place] == after[i] for i, place in enumerate(order))


def orders_tried(n):
    return [np.arange(n), *(order for _, order in known_orders(n, FEW_SEEDS))]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_known_seed_puts_more_rows_back_than_guessing(algorithm):
    """Four rows that all differ: over all 24 orders of the original, a guess gets one row right.

    A release is linked by its sensitive values, all different, which the adversary does not know.
    """
    rows = [("0", "ab", "v"), ("1", "ab", "w"), ("2", "b", "x"), ("3", "b", "y")]
    right = np.zeros(len(orders_tried(4)))
    for original in permutations(rows):
        after = released(original, algorithm).release["s"].tolist()
        right += [put_right([r[2] for r in original], after, o) for o in orders_tried(4)]
    assert (right / 24 == 1).all()


def test_a_release_that_a_known_seed_shuffled_breaks_this_law():
    """As `anonaudit mask` did by default: all four rows of every original are put back."""
    after = {}
    for original in permutations("vwxy"):
        after[original] = [original[i] for i in np.random.default_rng(0).permutation(4)]
    right = np.zeros(len(orders_tried(4)))
    for original, shuffled in after.items():
        right += [put_right(original, shuffled, order) for order in orders_tried(4)]
    assert (right / 24 == 4).any()


def table(n, rng):
    """Rows of n people in four decades, in no order."""
    ages = rng.sample(range(20, 60), n)
    return pd.DataFrame({"age": [str(a) for a in ages], "dx": [rng.choice("uvwx") for _ in ages]})


DECADES = (
    "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
    "hierarchies.age = { intervals = [10], origin = 0 }\n"
)


def attacked(release, people, tmp_path):
    people[["age"]].to_csv(tmp_path / "people.csv", index=False)
    rules = parse_policy(
        DECADES + "attacks.unsorted-matching = { external = 'people.csv', allow-rate = 0 }",
        folder=tmp_path,
    )
    return anonaudit.audit(release, rules).attacks[0]


@pytest.mark.parametrize("algorithm", ["full-domain", "k-member"])
@pytest.mark.parametrize("n", [10, 40])
def test_unsorted_matching_links_nobody(tmp_path, algorithm, n):
    for number in range(3):
        people = table(n, random.Random(number))
        rules = parse_policy(DECADES + "require.k-anonymity = { k = 2 }")
        for seed in (0, 3):
            found = mask(people, rules, algorithm=algorithm, seed=seed)
            assert attacked(found.release, people, tmp_path).identified == 0


def test_unsorted_matching_links_everybody_if_a_seed_shuffled_them(tmp_path):
    people = table(40, random.Random(1))
    decades = people.assign(age=[f"[{a[0]}0,{int(a[0]) + 1}0)" for a in people["age"]])
    for seed in (0, 17, 99):
        shuffled = decades.iloc[np.random.default_rng(seed).permutation(40)]
        found = attacked(shuffled, people, tmp_path)
        assert (found.identified, found.outcome) == (40, "violated")


@pytest.mark.parametrize("seed", [0, 8])
def test_no_known_seed_recovers_a_cell_that_was_hidden(seed):
    """Classes with one value twice, of two columns, so that it shows which cell was taken."""
    rng = random.Random(seed)
    rows = []
    for number in range(60):
        one, two, three = rng.sample("abcdefg", 3)
        rows += [(f"z{number}", v, f"t{rng.randrange(10**6)}") for v in (one, one, two, three)]
    rng.shuffle(rows)
    text = (
        "columns = { quasi-identifiers = ['q'], sensitive = ['s', 't'] }\n"
        "[require]\nk-anonymity = { k = 4 }\nrule-confidence = { below = 0.5 }\n"
        "[attacks]\nalgorithm-aware = { confidence = 0.5, min-suppressed = 1, seeds = SEEDS }\n"
    )
    frame = pd.DataFrame(rows, columns=["q", "s", "t"], dtype=object)
    release = mask(frame, parse_policy(text.replace("SEEDS", "[]")), seed=seed).release
    assert (release["s"] == "*").sum() == 60
    for seeds in ("[]", str([*range(100)])):
        found = anonaudit.audit(release, parse_policy(text.replace("SEEDS", seeds))).attacks[0]
        assert (found.targets, found.disclosed) == (60, 0)
        assert found.details["highest chance of a value"] == pytest.approx(1 / 3)
