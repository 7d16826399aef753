"""What the claims draw at random: mostly inputs about which the claim says something.

The quick tests draw the same inputs in every run. The long ones draw 2,000 for each claim, with the
date as seed; the header of the run shows it.
"""

import oracle
import pytest

from anonaudit.papers.claims import CLAIMS, Cases, recheck
from anonaudit.papers.claims.mct08 import mam, outside, setups
from anonaudit.papers.claims.tv06 import masked, maskings

EXAMPLES = 200
SECONDS = 60  # for one claim; what is not drawn by then is not drawn


def drawn_from(strategy):
    found = []
    Cases(examples=EXAMPLES).drawn(strategy, found.append)
    return found


def says_something_of_theorems_1_and_2(drawn):
    """Some rows kept, some not; several classes; maxGroups of the release above 0 up to p = 4."""
    table, node, kept = drawn
    release = masked(table, node, kept)
    return (
        0 < len(kept) < len(table.rows)
        and len({row[:2] for row in release}) > 1
        and all(oracle.max_groups(release, [2, 3], p) > 0 for p in (2, 3, 4))
    )


def says_something_of_properties_5_and_6(drawn):
    """OUT neither empty nor everything, two classes of the MAM kept, both attributes bounded."""
    rows, limits = drawn
    bounded = all(limits.magset(n) != {tree.root} for n, tree in limits.hierarchies.items())
    tops = mam(rows, limits)
    kept = [{*range(len(rows))} - {*outside(rows, k, limits)} for k in (2, 3)]
    return bounded and any(
        0 < len(some) < len(rows) and len({tops[i] for i in some}) > 1 for some in kept
    )


@pytest.mark.parametrize(
    ("strategy", "proper"),
    [
        (maskings(), says_something_of_theorems_1_and_2),
        (setups(), says_something_of_properties_5_and_6),
        (setups(10), says_something_of_properties_5_and_6),
    ],
    ids=["maskings", "setups", "setups of up to 10 rows"],
)
def test_at_least_half_of_the_examples_are_proper(strategy, proper):
    found = drawn_from(strategy)
    share = sum(map(proper, found)) / len(found)
    assert share >= 0.5
    assert share < 1  # any other input is drawn as well


def test_nodes_are_drawn_from_the_bottom_to_the_top():
    found = drawn_from(maskings())
    levels = {(node[1], table.hierarchies["q2"].height) for table, node, _ in found}
    assert any(level == 0 for level, _ in levels)
    assert any(level == height > 1 for level, height in levels)


def test_two_classes_are_kept_with_k_of_3_too():
    """And in others k = 2 alone leaves two classes of the MAM."""

    def kept(drawn, k):
        rows, limits = drawn
        return len(
            {*map(mam(rows, limits).__getitem__, {*range(len(rows))} - {*outside(rows, k, limits)})}
        )

    found = drawn_from(setups())
    assert any(kept(one, 3) > 1 for one in found)
    assert any(kept(one, 2) > 1 >= kept(one, 3) for one in found)


@pytest.mark.long
@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.check], ids=lambda c: c.id)
def test_a_claim_with_2000_inputs_of_the_day(claim, seed_of_the_day):
    found = recheck(claim, SECONDS, seed=seed_of_the_day, examples=2000)
    assert found.outcome in ("confirmed", "cut short"), (seed_of_the_day, found.found)
