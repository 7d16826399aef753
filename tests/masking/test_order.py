"""The order of released rows against Python's own sorting; draws that nobody repeats."""

from itertools import permutations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.masking.order import by_values, drawing

cells = st.sampled_from([None, "*", "10", "9", "[20,30)", "Z", "a", "é", " a"])


@given(st.lists(st.tuples(cells, cells, cells), max_size=12))
def test_rows_are_sorted_as_python_sorts_their_texts_empty_cells_first(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "g"], dtype=object)
    order = by_values(frame[["a", "b"]], frame[["g"]])
    assert [rows[i] for i in order] == sorted(rows, key=lambda row: [cell or "" for cell in row])


def test_the_second_table_decides_where_the_first_has_equal_rows():
    release, ground = pd.DataFrame({"a": ["y", "x", "x"]}), pd.DataFrame({"g": ["1", "3", "2"]})
    assert by_values(release, ground).tolist() == [2, 1, 0]
    assert by_values(release).tolist() == [1, 2, 0]


def test_a_draw_without_a_seed_is_another_one_each_time():
    draw = drawing()
    drawn = {tuple(draw(3)) for _ in range(300)}
    assert drawn == set(permutations(range(3)))  # missing one has a chance of 6 (5/6)^300
    assert tuple(draw(30)) != tuple(drawing()(30))  # equal in one case of 30!
    assert draw(0).tolist() == []


def test_a_draw_with_a_seed_is_numpys():
    """Whoever knows the seed has it: that is what the warning is about."""
    draw, rng = drawing(4), np.random.default_rng(4)
    assert [draw(9).tolist() for _ in range(2)] == [rng.permutation(9).tolist() for _ in range(2)]
