"""Linkage beside a brute force: everybody's own row is in the release, as a band in some spelling.

The brute force knows what each band holds from how it was made; it reads no label.
"""

from collections import Counter

from builders import reduced
from hypothesis import given
from hypothesis import strategies as st

from anonaudit.attack import Setting
from anonaudit.frequency.frequency_set import FrequencySet
from attacks.linkage import Linkage

# For the whole numbers from low to high; high is below the next band by one.
CLOSED = (
    "{low}-{high}", "{low} - {high}", "{low}\u2013{high}", "{low} \u2014 {high}", "[{low},{high}]",
    "[{low}, {high}]", "[{low};{high}]", "[{low}-{high}]", "{low} to {high}", "{low} TO {high}",
    "{low} to {high} years", "{low}-{high} yrs", "{low}..{high}", "{low}...{high}",
    "{low} through {high}", "aged {low} to {high}", "Ages {low}-{high}", "from {low} to {high}",
    "{low} years to {high} years old", "[{low},{next})", "[{low}, {next}[", "{low}-<{next}",
    "{low} to <{next}", "{low} to under {next}", ">={low}-<{next}", "[{low}.0,{next}.0)",
    "{low}.0 - {high}.0", "['{low}-{high}']",
)  # fmt: skip
AT_LEAST = (
    "{low}+", "{low} +", ">={low}", ">= {low}", "\u2265{low}", "{low} and over", "{low} AND OVER",
    "{low} years and over", "{low} or older", "{low} & above", "{low} or more", "{low} plus",
    "{low}+ years", "at least {low}", "aged {low} and over", "[{low},inf)", "{low} years +",
)  # fmt: skip
ABOVE = (
    ">{low}",
    "> {low}",
    "over {low}",
    "Over {low} years",
    "more than {low}",
    "older than {low}",
)
AT_MOST = ("<={high}", "\u2264 {high}", "{high} or younger", "{high} and under", "up to {high}",
           "at most {high}", "{high} or fewer", "(-inf,{high}]")  # fmt: skip
BELOW = ("<{high}", "< {high}", "under {high}", "Under {high} years", "less than {high}",
         "younger than {high}", "fewer than {high}")  # fmt: skip
NOT_READ = ("{low} bis {high}", "{low} \u00e0 {high}", "{low}%-{high}%", "${low}-${high}", "about {low}",
            "{low}k-{high}k", "between {low} and {high}", "{low}-{high} months", "unter {high}",
            "{low} of {high}?", "{low}-", "born {low}-{high}")  # fmt: skip

# With separators of thousands, commas part these in several ways, as in `[1,200,1,300]`.
COMMAS = ("[{low},{high}]", "[{low},{next})", "[{low}.0,{next}.0)", "[{low},inf)", "(-inf,{high}]")


@st.composite
def released(draw, value, written=str, not_read=()):
    """How a number is released: the label, and the test that a number may be behind it."""
    low = value - draw(st.integers(0, 12))
    high = value + draw(st.integers(0, 12))
    low = max(low, 0)
    shape = draw(st.sampled_from(["itself", "closed", "least", "above", "most", "below", "unread"]))
    kinds = {
        "itself": (("{value}",), lambda x: x == value),
        "closed": (CLOSED, lambda x: low <= x <= high),
        "least": (AT_LEAST, lambda x: x >= low),
        "above": (ABOVE, lambda x: x > low),
        "most": (AT_MOST, lambda x: x <= high),
        "below": (BELOW, lambda x: x < high),
        "unread": (NOT_READ, None),
    }
    if (shape == "above" and low == value) or (shape == "below" and high == value):
        shape = "closed"
    spellings, holds = kinds[shape]
    texts = {"low": low, "high": high, "next": high + 1, "value": value}
    spelled = draw(st.sampled_from(spellings))
    label = spelled.format(**{name: written(number) for name, number in texts.items()})
    return label, None if spelled in not_read else holds


def check(values, rows, written=str):
    """Compare the attack with the sets of rows that hold, or may hold, each number."""
    classes = reduced([(label, f"v{i}") for i, (label, _) in enumerate(rows)], [0], [1])
    people = FrequencySet.of(["0"], [(written(value),) for value in values])
    found = Linkage().run(Setting(classes=classes, external=people))
    exposed = undecided = behind_unread = 0
    unread = Counter(label for label, holds in rows if holds is None)
    for value in values:
        fitting = sum(holds is not None and holds(value) for _, holds in rows)
        assert fitting or unread, "the brute force lost somebody's own row"
        exposed += fitting == 1 and not unread
        # All rows of an unread label hold a number, or none.
        one = fitting == 1 or (not fitting and 1 in unread.values())
        undecided += bool(unread) and one
        behind_unread += not fitting
    assert found.undecided == undecided
    assert found.identified == exposed
    assert found.details["no match"] == behind_unread


@given(st.data())
def test_bands_of_ages(data):
    ages = data.draw(st.lists(st.integers(0, 110), min_size=1, max_size=6))
    check(ages, [data.draw(released(age)) for age in ages])


@given(st.data())
def test_bands_of_incomes_with_separators_of_thousands(data):
    def written(number):
        return f"{number:,}"

    incomes = data.draw(st.lists(st.integers(1_013, 2_000_000), min_size=1, max_size=6))
    rows = [data.draw(released(income, written, COMMAS)) for income in incomes]
    check(incomes, rows, lambda number: data.draw(st.sampled_from([str(number), written(number)])))


@given(st.data())
def test_decades(data):
    years = data.draw(st.lists(st.integers(1910, 1999), min_size=1, max_size=6))
    rows = [
        data.draw(
            st.sampled_from(
                [
                    (f"{year // 10 * 10}s", lambda x, d=year // 10: x // 10 == d),
                    (
                        f"{year // 10 * 10}-{year // 10 * 10 + 9}",
                        lambda x, d=year // 10: x // 10 == d,
                    ),
                    ("1900s", None),
                    (str(year), lambda x, y=year: x == y),
                ]
            )
        )
        for year in years
    ]
    check(years, rows)


def test_every_spelling_is_read_alone():
    """Of one band from 20 to 29, or open at one of them, each spelling holds what it says."""
    for spellings, holds in (
        (CLOSED, lambda x: 20 <= x <= 29),
        (AT_LEAST, lambda x: x >= 20),
        (ABOVE, lambda x: x > 20),
        (AT_MOST, lambda x: x <= 29),
        (BELOW, lambda x: x < 29),
    ):
        for spelled in spellings:
            label = spelled.format(low=20, high=29, next=30)
            rows = [(label, holds)] * 2 + [(str(x), lambda y, x=x: x == y) for x in range(60)]
            check(range(60), rows)
