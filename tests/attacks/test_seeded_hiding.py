"""Rule hiding drawn with a known seed, undone: against every original, and against the truth."""

import random
from itertools import product

import numpy as np
import pandas as pd
import pytest

import anonaudit
from anonaudit.policy.policy import parse_policy
from attacks.seeded_hiding import Gaps, cell_chances

C = 0.5  # of four rows at most one may show a value


def hidden_by(rows, order, c=C):
    """Rule hiding in plain Python: of each value, rows in `order` lose it until below c."""
    shown = [value for _, value in rows]
    for key in {key for key, _ in rows}:
        inside = [i for i, row in enumerate(rows) if row[0] == key]
        for value in {rows[i][1] for i in inside}:
            for i in order:
                if i in inside and rows[i][1] == value:
                    if sum(shown[j] == value for j in inside) / len(inside) < c:
                        break
                    shown[i] = "*"
    return shown


@pytest.mark.parametrize("seed", range(6))
def test_the_chances_of_a_class_by_every_original(seed):
    """All 4^5 originals of one class over a, b, c, d, hidden in the same draw."""
    order = np.random.default_rng(seed).permutation(5)
    place = np.argsort(order)
    origins = {}
    for values in product("abcd", repeat=5):
        shown = tuple(hidden_by([("x", v) for v in values], order, 0.4))
        origins.setdefault(shown, []).append(values)
    for shown, found in origins.items():
        cells = np.array([i for i, v in enumerate(shown) if v == "*"])
        if not len(cells):
            continue
        fillings = {tuple(sum(o[i] == v for i in cells) for v in "abcd") for o in every(shown)}
        gaps = Gaps(
            "dx",
            0,
            cells,
            {v: np.array([i for i in range(5) if shown[i] == v], int) for v in "abcd"},
            [dict(zip("abcd", filling, strict=True)) for filling in sorted(fillings)],
        )
        for i, chances in zip(cells, cell_chances(gaps, place), strict=True):
            of_cell = {v: sum(o[i] == v for o in found) / len(found) for v in "abcd"}
            assert chances == pytest.approx({v: n for v, n in of_cell.items() if n})


def every(shown):
    """The originals that give this class in some draw: hidden are as many as it takes."""
    gone = [i for i, v in enumerate(shown) if v == "*"]
    for values in product("abcd", repeat=len(gone)):
        full = list(shown)
        for i, v in zip(gone, values, strict=True):
            full[i] = v
        need = {v: max(full.count(v) - 1, 0) if full.count(v) / 5 >= 0.4 else 0 for v in "abcd"}
        if all(values.count(v) == need[v] for v in "abcd"):
            yield full


def table(classes, rng):
    """Classes of four rows with one value twice: one cell of each is hidden, and may be any."""
    rows = []
    for number in range(classes):
        one, two, three = rng.sample("abcdefg", 3)
        rows += [(f"z{number:03}", value) for value in (one, one, two, three)]
    rng.shuffle(rows)
    return rows


def attacked(rows, shown, options=""):
    frame = pd.DataFrame({"zip": [key for key, _ in rows], "dx": shown})
    rules = parse_policy(
        "columns = { quasi-identifiers = ['zip'], sensitive = ['dx'] }\n"
        f"[attacks.algorithm-aware]\nconfidence = {C}\nmin-suppressed = 1\n{options}"
    )
    return anonaudit.audit(frame, rules).attacks[0]


def determined(rows, shown, order):
    """How many gaps hold one value only: those shown in no row that was drawn before."""
    place, count = np.argsort(order), 0
    for i, value in enumerate(shown):
        if value == "*":
            inside = [j for j in range(len(rows)) if rows[j][0] == rows[i][0] and j != i]
            able = {shown[j] for j in inside if place[j] > place[i]}
            assert rows[i][1] in able
            count += len(able) == 1
    return count


@pytest.mark.parametrize("seed", [0, 1, 63])
def test_cells_that_a_known_seed_hid_are_drawn_again(seed):
    """Without the seed each gap may hold three values."""
    rows = table(60, random.Random(seed))
    order = np.random.default_rng(seed).permutation(len(rows))
    shown = hidden_by(rows, order)
    found = attacked(rows, shown)
    assert found.targets == 60
    assert found.disclosed == determined(rows, shown, order) > 0
    assert found.details["draw undone"] == "by a known seed"
    blind = attacked(rows, shown, "seeds = []")
    assert (blind.disclosed, blind.details.get("draw undone")) == (0, None)
    assert blind.details["highest chance of a value"] == pytest.approx(1 / 3)
    assert attacked(rows, shown, f"seeds = [{seed + 1}, {seed}]").disclosed == found.disclosed


def test_cells_that_the_operating_system_hid_are_not():
    """One draw in a hundred may be mistaken: of 30, none or one but for a chance of 0.04."""
    mistaken = 0
    for number in range(30):
        rows = table(30, random.Random(number))
        order = list(range(len(rows)))
        random.SystemRandom().shuffle(order)
        mistaken += "draw undone" in attacked(rows, hidden_by(rows, order)).details
    assert mistaken <= 1


def test_one_draw_for_two_attributes_is_no_evidence_twice():
    """A second attribute that is like the first says nothing more: it never makes a seed believed."""
    believed = []
    for classes in range(8, 60, 4):
        rows = table(classes, random.Random(classes))
        shown = hidden_by(rows, np.random.default_rng(0).permutation(len(rows)))
        once, twice = [("dx", shown)], [("dx", shown), ("again", shown)]
        believed.append([])
        for columns in (once, twice):
            frame = pd.DataFrame({"zip": [key for key, _ in rows], **dict(columns)})
            rules = parse_policy(
                "columns.quasi-identifiers = ['zip']\n"
                f"columns.sensitive = {[name for name, _ in columns]}\n"
                f"[attacks.algorithm-aware]\nconfidence = {C}\nmin-suppressed = 1\n"
            )
            found = anonaudit.audit(frame, rules).attacks[0]
            believed[-1].append("draw undone" in found.details)
    assert all(one >= two for one, two in believed)
    assert [False, False] in believed
    assert [True, True] in believed


def test_gaps_know_how_many_fillings_a_secret_draw_leaves():
    """a, b, c and a gap: three fillings, each drawn for two cells, so 3/2."""
    shown = {v: np.array([i]) for i, v in enumerate("abc")}
    gaps = Gaps("dx", 0, np.array([3]), shown, [{v: 1} for v in "abc"])
    assert np.exp(gaps.if_secret) == pytest.approx(1.5)
