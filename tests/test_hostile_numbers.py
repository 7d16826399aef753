"""Numbers that once went wrong: too large, infinite, or of nobody."""

import pandas as pd
import pytest

import anonaudit
from anonaudit.errors import InputError, PolicyError
from anonaudit.findings import Outcome
from anonaudit.masking.maskers import mask
from anonaudit.policy.policy import parse_policy

COLUMNS = "columns = { quasi-identifiers = ['q'], sensitive = ['s'] }\n"


def audited(rows: list[tuple[object, ...]], require: str = "", columns: str = COLUMNS):
    table = pd.DataFrame(rows, columns=["q", "s", "n"][: len(rows[0])] if rows else ["q", "s"])
    return anonaudit.audit(table, parse_policy(columns + require))


@pytest.mark.parametrize(
    "counts",
    [("9223372036854775807", "1"), ("5000000000000000000",) * 2, ("1e30", "1")],
)
def test_counts_that_cannot_be_added_up_are_refused(counts: tuple[str, str]) -> None:
    """No row may vanish because its count does not fit."""
    columns = "columns = { quasi-identifiers = ['q'], sensitive = ['s'], count = 'n' }\n"
    with pytest.raises(InputError, match="column 'n' adds up to more than 9,007,199,254,740,992"):
        audited([("a", "x", counts[0]), ("a", "y", counts[1])], columns=columns)


@pytest.mark.parametrize(
    "require",
    [
        "delta-disclosure = { delta = inf }",
        "recursive-c-l-diversity = { c = inf }",
        "beta-likeness = { beta = inf, form = 'enhanced' }",
        "entropy-l-diversity = { l = nan }",
        "t-closeness = { t = nan }",
    ],
)
def test_a_threshold_is_a_number(require: str) -> None:
    with pytest.raises(PolicyError, match="line 2, require"):
        parse_policy(f"{COLUMNS}require.{require}")


def test_a_threshold_is_compared_at_its_own_scale() -> None:
    """Two equal numbers span 0, which is less than any e; 2/3 is less than 0.6666666667."""
    found = audited([("a", 1), ("a", 1)], "require.k-e-anonymity = { k = 1, e = 5e-10 }")
    assert (found.models[0].measured, found.models[0].outcome) == (0, Outcome.VIOLATED)
    rows = [("a", "x"), ("a", "x"), ("a", "y")]
    found = audited(rows, "require.rule-confidence = { below = 0.6666666667 }")
    assert found.models[0].outcome is Outcome.HOLDS
    assert found.models[0].details["rules at or above"] == 0


def test_a_class_without_a_known_value_beside_one_without_a_finite_level() -> None:
    found = audited(
        [("a", None), ("b", "x")],
        "require.multi-attribute-l-diversity = { l = 2, at-most = { s = 0 } }",
    ).models[0]
    assert found.measured is None
    assert "no finite level: no class has a finite level" in found.notes


def test_numbers_without_a_float_have_no_order() -> None:
    assert audited([("a", "1e500"), ("a", "1")]).models[0].measured == 2
    with pytest.raises(
        InputError, match="column 's' is declared numeric, which is not so for 1 of its 2"
    ):
        audited([("a", "1e500"), ("a", "1")], "values.numeric = ['s']")


@pytest.mark.parametrize("role", ["count", "weight"])
def test_a_count_or_weight_without_a_float_is_refused(role: str) -> None:
    columns = f"columns = {{ quasi-identifiers = ['q'], sensitive = ['s'], {role} = 'n' }}\n"
    with pytest.raises(InputError, match=r"column 'n' must hold .* but 1 row"):
        audited([("a", "x", "1e400"), ("a", "y", "2")], columns=columns)


@pytest.mark.parametrize("largest", ["1e400", "9" * 150])
@pytest.mark.parametrize("algorithm", ["full-domain", "mondrian", "greedy-cka", "k-member"])
def test_a_table_with_such_numbers_is_masked(algorithm: str, largest: str) -> None:
    """Ten rows of each of four quasi-identifiers; no class of the masked table has fewer than 12."""
    rows = [(q, s) for q in ("1", "2", largest, "-" + largest) for s in "xy" for _ in range(5)]
    table = pd.DataFrame(rows, columns=["q", "s"])
    policy = parse_policy(COLUMNS + "require.k-anonymity = { k = 12 }")
    sizes = mask(table, policy, algorithm=algorithm).release.groupby("q", dropna=False).size()
    assert sizes.min() >= 12


@pytest.mark.parametrize("model", ["p-sensitive-k-anonymity", "extended-p-sensitive-k-anonymity"])
def test_a_p_that_nothing_reaches_is_answered_at_once(model: str) -> None:
    found = audited([("a", "x"), ("a", "y")], f"require.{model} = {{ p = 9223372036854775807 }}")
    assert found.models[0].outcome is Outcome.VIOLATED
    assert "Condition 1, maxP = 2" in found.models[0].notes[0]


def test_at_most_is_a_table() -> None:
    with pytest.raises(PolicyError, match="at-most: must be a table"):
        parse_policy(
            f"{COLUMNS}require.multi-attribute-l-diversity = {{ l = 2, at-most = 1979-05-27 }}"
        )


def test_many_quasi_identifiers_with_gaps() -> None:
    """25 columns, every row unknown in others of them: wildcards are not tried unasked."""
    names = [f"q{i}" for i in range(25)]
    rows = [["" if (row >> (i % 8)) & 1 else "a" for i in range(25)] + ["x"] for row in range(200)]
    table = pd.DataFrame(rows, columns=[*names, "s"])
    report = anonaudit.audit(table, quasi_identifiers=names, sensitive=["s"])
    assert "convention-not-measured" in {notice.code for notice in report.warnings}
    assert "quasi-identifiers = wildcard" not in report.models[0].by_convention


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_half_floats_and_columns_of_one_name(kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    np = pytest.importorskip("numpy")
    twice = pd.DataFrame([[1, 2], [1, 3]], columns=["a", "a"])
    if kind == "arrow":
        twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(InputError, match="duplicate column name 'a'"):
        anonaudit.audit(twice, quasi_identifiers=["a"])
    half = pa.table({"a": pa.array([np.float16(0.5)] * 2), "b": [1, 2]})
    table = half if kind == "arrow" else pd.DataFrame({"a": np.float16([0.5, 0.5]), "b": [1, 2]})
    report = anonaudit.audit(table, quasi_identifiers=["a"], sensitive=["b"])
    assert report.models[0].measured == 2


def test_three_hundred_quasi_identifiers() -> None:
    names = [f"q{i}" for i in range(300)]
    table = pd.DataFrame([["a"] * 300, ["b"] * 300], columns=names)
    report = anonaudit.audit(table, quasi_identifiers=names[:-1], sensitive=[names[-1]])
    assert report.models[0].measured == 1
