"""Maskers with a fault that the suite must catch, told nothing but the roles and the promise.

All are one masker with something wrong. It keeps `q1` where every value of it occurs twice, and
stars it otherwise; it stars `q2` always, and sorts the rows by what it releases.
"""

import hashlib
from collections import Counter

import pandas as pd
import pytest
from contract.one_law import breaks

from anonaudit.models import KAnonymity, PSensitiveKAnonymity
from anonaudit.roles import Roles
from anonaudit.testing import ContractError, check_masker, laws

ROLES = Roles(("q1", "q2"), ("s1", "s2"), ("name",))
SHOWN = ["q1", "q2", "s1", "s2"]


@pytest.fixture(autouse=True)
def _as_drawn(monkeypatch):
    """Broken laws are reported with the input drawn: to shrink it takes most of the time."""
    monkeypatch.setattr(laws, "_smallest", lambda law, found, *_: found)


def generalized(frame):
    """The rows with their quasi-identifiers generalized, in their order; None for a refusal."""
    if len(frame) < 2:
        return None
    found = {name: [known(cell) for cell in frame[name].tolist()] for name in SHOWN}
    if min(Counter(found["q1"]).values()) < 2:
        found["q1"] = "*"
    return pd.DataFrame({**found, "q2": "*"}, dtype=object)


def known(cell):
    return cell if isinstance(cell, str) else None


def in_order(frame, by=SHOWN, *, ascending=True):
    """The rows sorted by some columns, a missing cell before all others."""
    if frame is None:
        return None
    cells = list(zip(*(frame[name].tolist() for name in by), strict=True))
    order = sorted(range(len(cells)), key=lambda i: [known(cell) or "" for cell in cells[i]])
    return frame.iloc[order if ascending else order[::-1]]


def mask(frame):
    return in_order(generalized(frame))


def drops_missing_keys(frame):
    """As `groupby` does unless `dropna` is false."""
    return mask(frame[frame["q1"].notna() & frame["q2"].notna()])


def drops_missing_sensitive(frame):
    return mask(frame.dropna(subset=["s1", "s2"]))


def writes_none(frame):
    """A missing cell becomes a word."""
    found = mask(frame)
    return None if found is None else found.fillna("None")


def fills_keys(frame):
    """Missing quasi-identifiers get the most frequent value."""
    most = frame["q1"].mode()
    return mask(frame.assign(q1=frame["q1"].fillna(most[0] if len(most) else "a")))


def fills_sensitive(frame):
    found = mask(frame)
    return None if found is None else found.assign(s1=found["s1"].ffill().bfill())


def keeps_the_order(frame):
    return generalized(frame)


def reverses_the_order(frame):
    found = generalized(frame)
    return None if found is None else found.iloc[::-1]


def shuffles_with_a_large_seed(frame):
    """Any seed that stands in the code."""
    found = generalized(frame)
    return None if found is None else found.sample(frac=1, random_state=20_261_129)


def keeps_the_order_within_classes(frame):
    """A stable sort by the quasi-identifiers alone."""
    found = generalized(frame)
    return in_order(found, ["q1", "q2"])


def sorts_before_generalizing(frame):
    """Whoever stands first in a class had the smallest values."""
    return generalized(in_order(frame))


def sorts_by_identifier(frame):
    return generalized(in_order(frame, ["name"]))


def adds(name, column):
    def faulty(frame):
        found = generalized(frame)
        return None if found is None else in_order(found.assign(**{name: column(frame)}))

    return faulty


def short(text):
    return hashlib.sha256(str(text).encode()).hexdigest()[:8]


row_number = adds("row", lambda frame: [str(i) for i in range(len(frame))])
hashed_identifier = adds("key", lambda frame: [short(name) for name in frame["name"]])
copied_key = adds("q2_original", lambda frame: frame["q2"].tolist())


def large_classes(frame):
    """A class of more than 8 rows is not looked at: its first row keeps its values."""
    found = generalized(frame)
    if found is not None and len(found) > 8:
        found.iloc[0, :2] = frame[["q1", "q2"]].iloc[0].tolist()
    return in_order(found)


def few_at_the_end(frame):
    """Classes of 5 by position, the rest in one of its own."""
    found = generalized(frame)
    return (
        None
        if found is None
        else found.assign(q1=[f"{{{i // 5},a,b,c,d}}" for i in range(len(found))])
    )


def first_attribute_only(frame):
    """p = 2 is looked at for `s1` only."""
    found = mask(frame)
    return None if found is None or found["s1"].nunique() < 2 else found.assign(q1="*")


def missing_counts_as_a_value(frame):
    """p = 2 with the missing cell as one of the two."""
    found = mask(frame)
    if found is None:
        return None
    enough = all(found[name].nunique(dropna=False) >= 2 for name in ("s1", "s2"))
    return found.assign(q1="*") if enough else None


def equal_rows_once(frame):
    return mask(frame.drop_duplicates(["q1", "q2", "s1", "s2"]))


def pads_with_a_copy(frame):
    """The release has an even number of rows."""
    found = mask(frame)
    return found if found is None or len(found) % 2 == 0 else pd.concat([found, found.iloc[:1]])


def broken(mask, model, **options):
    with pytest.raises(ContractError) as caught:
        check_masker(mask, model, roles=ROLES, **options)
    return {one.law for one in caught.value.broken}


SHUFFLED = {"shuffled": True}
FAULTY = [
    (drops_missing_keys, "rows", {}),
    (drops_missing_sensitive, "rows", {}),
    (writes_none, "sensitive", {}),
    (fills_keys, "generalizes", {}),
    (fills_sensitive, "sensitive", {}),
    (keeps_the_order, "order", SHUFFLED),
    (reverses_the_order, "order", SHUFFLED),
    (shuffles_with_a_large_seed, "order", SHUFFLED),
    (keeps_the_order_within_classes, "order", SHUFFLED),
    (sorts_before_generalizing, "order", SHUFFLED),
    (sorts_by_identifier, "order", SHUFFLED),
    (row_number, "columns", {}),
    (hashed_identifier, "columns", {}),
    (copied_key, "columns", {}),
    (large_classes, "promise", {}),
    (few_at_the_end, "promise", {}),
    (equal_rows_once, "rows", {}),
    (pads_with_a_copy, "rows", {}),
]


def test_the_masker_without_a_fault():
    check_masker(mask, KAnonymity(2), roles=ROLES, shuffled=True)


@pytest.mark.parametrize(("mask", "law", "options"), FAULTY)
def test_a_faulty_masker_is_caught(mask, law, options):
    assert breaks(law, check_masker, mask, KAnonymity(2), roles=ROLES, **options)


@pytest.mark.parametrize("mask", [first_attribute_only, missing_counts_as_a_value])
def test_a_faulty_promise_about_sensitive_values_is_caught(mask):
    assert broken(mask, PSensitiveKAnonymity(2)) & {"promise", "says no"}


def test_a_column_that_is_declared_may_be_in_the_release():
    check_masker(copied_key, KAnonymity(2), roles=ROLES, other_columns=["q2_original"])


def test_a_masker_for_tables_without_missing_cells():
    def complete(frame):
        assert frame.notna().all(axis=None)
        return mask(frame)

    check_masker(complete, KAnonymity(2), roles=ROLES, missing=False)
    assert breaks("runs", check_masker, complete, KAnonymity(2), roles=ROLES)


@pytest.mark.parametrize("by", [SHOWN, ["s1", "s2", "q1", "q2"]])
@pytest.mark.parametrize("ascending", [True, False])
def test_a_masker_that_sorts_what_it_releases_keeps_the_law_of_order(by, ascending):
    """Also where the rows of the input were sorted already."""

    def sorts(frame):
        return in_order(generalized(in_order(frame)), by, ascending=ascending)

    check_masker(sorts, KAnonymity(2), roles=ROLES, shuffled=True, examples=9)


def test_a_masker_with_a_secret_seed_keeps_the_law_of_order():
    def shuffles(frame):
        found = generalized(frame)
        return None if found is None else found.sample(frac=1)

    options = {"roles": ROLES, "shuffled": True, "skip": ["deterministic"]}
    check_masker(shuffles, KAnonymity(2), **options)
