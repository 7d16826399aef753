"""The synthetic registry has the distributions its docstring states; patients are drawn by seed.

Shares are of 72,194 drawn rows. A share p is off by 4 standard deviations, 4 sqrt(p (1 - p) / n), in
one draw of 16,000; seed 0 is one draw, always the same.
"""

import numpy as np
import pandas as pd
import pytest

from anonaudit.papers.reproduction import patients
from anonaudit.papers.reproduction.patients import ADULT, MA2019, REGISTRY, rows_of
from anonaudit.papers.reproduction.registry import registry


@pytest.fixture
def drawn():
    return registry(0)


def near(found, share, n):
    return abs(found - share) <= 4 * (share * (1 - share) / n) ** 0.5


def zipf(values, exponent):
    """The shares of ranks 1, 2, ... by Zipf's law."""
    weights = [rank**-exponent for rank in range(1, values + 1)]
    return [w / sum(weights) for w in weights]


def follows(column, values, exponent):
    """Whether the first three ranks have the shares of Zipf's law, and nothing is beyond the last."""
    shares = column.value_counts(normalize=True)
    wanted = zipf(values, exponent)
    return (
        len(shares) <= values
        and len(shares) > 0.8 * values
        and all(near(shares.iloc[r], wanted[r], len(column)) for r in range(3))
    )


def test_codes_follow_zipf(drawn):
    assert follows(drawn["zip"], 900, 0.8)
    assert follows(drawn["recur-status"], 31, 2.0)
    zips = drawn["zip"].astype(int)
    assert (zips.min(), zips.max()) == (40_003, 40_003 + 899 * 3)
    assert set(zips % 3) == {40_003 % 3}
    # Which topography is frequent depends on gender and age in twenties; which histology, on the site.
    places = drawn["tumor-topography"]
    assert places.nunique() <= 330
    age = drawn["age-at-diagnosis"].astype(int)
    first = {}
    for key, group in places.groupby([drawn["gender"], age // 20]):
        if len(group) > 5000:
            shares = group.value_counts(normalize=True)
            assert near(shares.iloc[0], zipf(330, 1.2)[0], len(group))
            assert near(shares.iloc[1], zipf(330, 1.2)[1], len(group))
            first[key] = shares.index[0]
    # Ages of 40 to 79, by 20 years and gender, are groups of more than 5000.
    assert len(first) == len(set(first.values())) == 4
    sites = drawn["tumor-site"]
    assert (places.str.partition(".")[0] == sites).all()
    assert sites.nunique() == 70
    tops = set()
    for _, group in drawn["histology"].groupby(sites):
        if len(group) > 3000:
            shares = group.value_counts(normalize=True)
            assert near(shares.iloc[0], zipf(400, 1.4)[0], len(group))
            tops.add(shares.index[0])
    assert len(tops) >= 4
    kinds = drawn["histology"].astype(int)
    assert set((kinds - 8000) % 3) == {0}
    assert kinds.max() <= 8000 + 3 * 399


def test_persons_and_their_dates(drawn):
    n = len(drawn)
    assert drawn["race"].value_counts().index.tolist() == ["white", "black", "asian", "other", "unknown"]  # fmt: skip
    shares = drawn["race"].value_counts(normalize=True)
    for race, share in {"white": 0.89, "black": 0.08, "asian": 0.015, "other": 0.01, "unknown": 0.005}.items():  # fmt: skip
        assert near(shares[race], share, n)
    assert near((drawn["gender"] == "female").mean(), 0.52, n)
    day, born = (pd.to_datetime(drawn[name]) for name in ("diagnose-date", "birth-date"))
    # 5844 days are 16 years; in later years more.
    assert day.min() >= pd.Timestamp("1991-01-01")
    assert day.max() < pd.Timestamp("2007-01-01")
    late = (day >= pd.Timestamp("1999-01-01")).mean()
    assert near(late, 1 - 0.5**1.3, n)  # of a beta distribution with 1.3 and 1: x^1.3 at a half
    age = drawn["age-at-diagnosis"].astype(int)
    assert 0 <= age.min() < 15
    assert age.max() == 104  # as much as there is beyond: 0.214% are 40 / 14 deviations above 64
    assert near((age == 104).mean(), 0.00214, n)
    assert abs(age.mean() - 63.5) < 0.2  # 64, rounded down
    assert abs(age.std() - 14) < 0.2
    years = (day - born).dt.days / 365.25
    assert (years - age).between(-0.01, 1.01).all()


def test_survival_and_sizes(drawn):
    years, age = drawn["survival-years"].astype(int), drawn["age-at-diagnosis"].astype(int)
    assert (years.min(), years.max()) == (0, 40)
    # Mean 6 - 4 age / 104: at 24 to 43 about 4.7, at 85 to 104 about 2.5.
    for low, high in ((24, 43), (54, 73), (85, 104)):
        some = age.between(low, high)
        wanted = 6 - 4 * (age[some] + 0.5).mean() / 104
        assert abs(years[some].mean() - wanted) < 0.25
    size = drawn["tumor-size"].astype(int)
    known = size[size != 999]
    assert near(1 - len(known) / len(size), 1 / 6, len(size))
    assert (known.min(), known.max()) == (1, 200)
    fives = (known % 5 == 0).mean()
    assert near(fives, 2 / 3 + 1 / 3 * 0.2, len(known)) or abs(fives - 11 / 15) < 0.01
    assert (known[known % 5 == 0] >= 5).all()
    assert abs(np.log(known).mean() - 3.1) < 0.05
    assert abs(np.log(known).std() - 0.7) < 0.05


def test_patients_are_drawn_by_seed(monkeypatch):
    assert (rows_of(True), rows_of(False)) == (2000, 72_194)
    assert REGISTRY.rows(3, True).equals(registry(3, 2000))
    assert len(ADULT.rows(3, True)) == 2000
    assert ADULT.rows(3, True).index.is_unique
    assert not ADULT.rows(3, True).index.equals(ADULT.rows(2, True).index)
    frame = pd.DataFrame({"AGEP": range(2001)})
    monkeypatch.setattr(patients, "ma2019", lambda: frame)
    assert len(MA2019.rows(0, True)) == 2000
    assert len(MA2019.rows(0, False)) == 1500  # three of four
    assert MA2019.rows(0, False).index.is_unique
