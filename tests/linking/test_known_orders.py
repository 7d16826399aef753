"""The orders that a known generator and seed give, against the tools that shuffle by them."""

import numpy as np
import pandas as pd

from anonaudit.linking.known_orders import SEEDS, known_orders, level_of_order


def test_every_order_is_one_that_numpy_or_pandas_makes():
    old = np.array(list("abcdefg"))
    found = {(name, *old[order]) for name, order in known_orders(7, [0, 5])}
    expected = set()
    for seed in (0, 5):
        frame = pd.DataFrame({"x": old}).sample(frac=1, random_state=seed)
        drawn = {
            "numpy.random.default_rng": np.random.default_rng(seed).permutation(7),
            "numpy.random.RandomState": frame.index.to_numpy(),
        }
        for name, order in drawn.items():
            back = [""] * 7
            for place, value in zip(order, old, strict=True):
                back[place] = value
            expected |= {(f"{name}, forward", *old[order]), (f"{name}, backward", *back)}
    assert found == expected


def test_the_old_default_of_mask_comes_first_and_a_hundred_seeds_are_tried():
    orders = list(known_orders(5))
    assert orders[0][1].tolist() == np.random.default_rng(0).permutation(5).tolist()
    assert len(SEEDS) == 100
    assert len(orders) == 2 * 2 * 100
    assert [*known_orders(5, [])] == []


def test_the_levels_of_all_orders_add_up_to_the_chance():
    """1/2 + 1/6 + 1/12 + ... + 1/(n (n + 1)) is n / (n + 1)."""
    assert sum(level_of_order(j, 0.01) for j in range(1, 401)) - 0.01 * 400 / 401 < 1e-12
    assert level_of_order(1, 0.01) == 0.005
