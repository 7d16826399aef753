"""Faults planted in a small masker, as anonymizers have had them, each caught by its law.

The masker generalizes whole numbers to the range of their class, k rows a class in their order.
"""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from anonaudit.masking.recoding import NotAchievableError
from anonaudit.models import KAnonymity
from anonaudit.roles import Roles
from anonaudit.strategies import Table
from anonaudit.testing import ContractError, check_masker

ROLES = Roles(("age",), ("illness",), ("name",))
K = 2


@st.composite
def ages(draw, unknown=False, least=1):
    """Tables of at least so many rows, with ages from 20 to 29; unknown: one of them missing."""
    years = st.lists(st.integers(20, 29), min_size=least, max_size=8)
    known = [str(year) for year in draw(years)]
    illness = draw(st.lists(st.sampled_from("abc"), min_size=len(known), max_size=len(known)))
    if unknown:
        known[0] = None
    rows = zip([f"name-{i}" for i in range(len(known))], known, illness, strict=True)
    return Table(ROLES, tuple(rows))


def classes(frame, k=K):
    """Row positions by age, k in a class, the rest in the last; a missing age is the highest."""
    if len(frame) < k:
        raise NotAchievableError("too few rows", reason="k")
    order = sorted(range(len(frame)), key=lambda i: (str(frame["age"].iloc[i]), i))
    cuts = [*range(0, len(order) - k + 1, k), len(order)]
    return [order[a:b] for a, b in zip(cuts, cuts[1:-1] + cuts[-1:], strict=False) if b > a]


def label(ages):
    """The closed range of ages; all there is where one is missing."""
    if any(not isinstance(age, str) for age in ages):
        return "*"
    return min(ages) if len(set(ages)) == 1 else f"{min(ages)}-{max(ages)}"


def release(frame, parts=None, name=label):
    """The rows class by class."""
    rows = [
        (name(frame["age"].iloc[part].tolist()), frame["illness"].iloc[i])
        for part in parts or classes(frame)
        for i in part
    ]
    return pd.DataFrame(rows, columns=["age", "illness"])


def off_by_one(frame):
    """k - 1 rows are taken for enough."""
    if len(frame) < K:
        raise NotAchievableError("too few rows", reason="k")
    return release(frame, classes(frame, K - 1))


def last_class_too_small(frame):
    """What is left over becomes a class of its own."""
    parts = classes(frame)
    if len(parts[-1]) > K:
        parts[-1:] = [parts[-1][:K], parts[-1][K:]]
    return release(frame, parts)


def missing_rows_dropped(frame):
    """As `groupby` does unless told otherwise."""
    kept = frame[frame["age"].notna()].reset_index(drop=True)
    return release(kept) if len(kept) else kept[["age", "illness"]]


def a_class_left_out(frame):
    parts = classes(frame)
    return release(frame, parts[:-1] if len(parts) > 1 else parts)


def identifier_leaked(frame):
    parts = classes(frame)
    order = [i for part in parts for i in part]
    return release(frame, parts).assign(name=frame["name"].iloc[order].tolist())


def identifier_in_the_label(frame):
    """Another column under the name of the quasi-identifier."""
    return release(frame).assign(age=frame["name"].iloc[0])


def order_preserved(frame):
    """One class, row after row as they came."""
    return release(frame, [list(range(len(frame)))]) if len(frame) >= K else release(frame)


def open_end(frame):
    """The upper end is written as left out, though a row has it."""
    return release(frame, name=lambda a: f"[{min(a)},{max(a)})" if label(a) != a[0] else a[0])


def end_too_low(frame):
    def short(a):
        return f"{min(a)}-{int(max(a)) - 1}" if int(max(a)) - int(min(a)) > 1 else label(a)

    return release(frame, name=short)


def one_row_ungeneralized(frame):
    """The first row keeps its age and is told apart by it."""
    found = release(frame)
    found.loc[0, "age"] = min(frame["age"])
    return found


def suppressed_beyond_the_limit(frame):
    """Every class is suppressed but the first."""
    return release(frame, classes(frame)[:1])


def sensitive_swapped(frame):
    """Values of the first and the last row exchanged across classes."""
    found = release(frame)
    values = found["illness"].tolist()
    values[0], values[-1] = values[-1], values[0]
    return found.assign(illness=values)


def most_frequent_value(frame):
    """A rare sensitive value replaced by the most frequent one."""
    found = release(frame)
    ((most, _),) = Counter(found["illness"]).most_common(1)
    return found.assign(illness=most)


def row_twice(frame):
    """A class padded with a copy of its row."""
    if len(frame) == 1:
        frame = pd.concat([frame, frame], ignore_index=True)
    return release(frame)


def identifies_rows_by_label(frame):
    """Labels of rows taken for their positions."""
    return release(frame.loc[[i for i in range(len(frame)) if i in frame.index] or frame.index])


def gives_up(frame):
    """A refusal wherever the rows do not divide into classes of k."""
    return release(frame) if len(frame) % K == 0 else None


def never_says_no(frame):
    """A table with too few rows comes back as it is."""
    return release(frame) if len(frame) >= K else frame[["age", "illness"]]


PLANTED = [
    # No table drawn is too small: they are cut for this law.
    (never_says_no, "says no", {"inputs": ages(least=3)}),
    (off_by_one, "promise", {}),
    (last_class_too_small, "promise", {}),
    (one_row_ungeneralized, "promise", {}),
    (missing_rows_dropped, "rows", {"inputs": ages(unknown=True)}),
    (a_class_left_out, "rows", {}),
    (suppressed_beyond_the_limit, "rows", {"suppression": 1}),
    (row_twice, "rows", {}),
    (identifier_leaked, "columns", {}),
    (identifier_in_the_label, "generalizes", {}),
    (open_end, "generalizes", {}),
    (end_too_low, "generalizes", {}),
    (sensitive_swapped, "sensitive", {}),
    (most_frequent_value, "sensitive", {}),
    (gives_up, "answers", {}),
    (identifies_rows_by_label, "index", {}),
]


LAWS = {
    "runs", "promise", "says no", "answers", "columns", "rows", "generalizes", "sensitive",
    "deterministic", "input unchanged", "row order", "column order", "index", "dtype",
    "category order",
}  # fmt: skip


def test_the_masker_without_a_fault():
    """It cuts rows of one age by their order, so that one law is not for it."""
    for inputs in (ages(), ages(unknown=True)):
        check_masker(
            release, KAnonymity(K), roles=ROLES, inputs=inputs, skip=["row order"], examples=8
        )


@pytest.mark.parametrize(("mask", "law", "options"), PLANTED)
def test_a_planted_fault_is_caught(mask, law, options):
    told = {"inputs": ages(), "skip": LAWS - {law}, **options}
    with pytest.raises(ContractError) as caught:
        check_masker(mask, KAnonymity(K), roles=ROLES, **told)
    assert [one.law for one in caught.value.broken] == [law]


def test_rows_in_the_order_of_the_input_are_caught_where_they_must_be_shuffled():
    told = {"roles": ROLES, "skip": LAWS, "examples": 10}
    with pytest.raises(ContractError, match="order of the input"):
        check_masker(order_preserved, KAnonymity(K), shuffled=True, **told)
    check_masker(order_preserved, KAnonymity(K), **told)
    for generator in (np.random.default_rng, np.random.RandomState):

        def shuffled(frame, generator=generator):
            return order_preserved(frame).iloc[generator(7).permutation(len(frame))]

        with pytest.raises(ContractError, match="order of the input"):
            check_masker(shuffled, KAnonymity(K), shuffled=True, **told)
    check_masker(
        lambda frame: order_preserved(frame).sort_values("illness"),
        KAnonymity(K),
        shuffled=True,
        **told,
    )


def test_sorted_rows_may_stand_in_the_order_of_the_input_by_luck():
    """The input is sorted already; turned round, it is released in the same order."""
    rows = tuple((f"name-{i}", str(20 + i), illness) for i, illness in enumerate("abcdef"))
    told = {"roles": ROLES, "skip": LAWS, "inputs": st.just(Table(ROLES, rows)), "examples": 1}
    check_masker(
        lambda frame: release(frame).sort_values(["age", "illness"]),
        KAnonymity(K),
        shuffled=True,
        **told,
    )
    with pytest.raises(ContractError, match="the order of the input"):
        check_masker(order_preserved, KAnonymity(K), shuffled=True, **told)
