"""`no-direct-identifiers`: violated, undecided or kept, by counts made by hand."""

import duckdb
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import anonaudit
from anonaudit.auditing import in_parts
from anonaudit.errors import PolicyError
from anonaudit.findings import AuditReport, Measurement, Outcome
from anonaudit.generalization import direct_identifiers
from anonaudit.models.no_direct_identifiers import NoDirectIdentifiers
from anonaudit.policy.policy import parse_policy
from anonaudit.remedies import remedies
from anonaudit.report import render
from anonaudit.source import open_source
from anonaudit.source.memory import TooManyCombinationsError

POLICY = "columns.quasi-identifiers = ['sex']\n{}require.no-direct-identifiers = true\n"
EMAILS = [f"p{n}@example.org" for n in range(20)]
# The first two digits are 98 less what the rest, DE and 00 leave of a division by 97.
REST = [f"37040044{n:010d}" for n in range(40)]
IBANS = [f"DE{98 - int(rest + '131400') % 97:02d}{rest}" for rest in REST]
NAME = NoDirectIdentifiers.name


def audited(values: list[str], more: str = "") -> AuditReport:
    table = pd.DataFrame({"sex": "F", "x": values}, dtype=object)
    return anonaudit.audit(table, parse_policy(POLICY.format(more)))


def found(report: AuditReport) -> Measurement:
    [one] = [model for model in report.models if model.model == NAME]
    assert report.outcome is one.outcome  # nothing else is required
    return one


@pytest.mark.parametrize(
    ("values", "level", "outcome", "recognised"),
    [
        (EMAILS, 1, Outcome.VIOLATED, 20),
        ([*EMAILS[:18], "a", "b"], 1, Outcome.VIOLATED, 18),  # nine in ten
        ([*EMAILS[:17], "a", "b", "c"], 0, Outcome.INCONCLUSIVE, 17),
        (["a", "b", EMAILS[0]], 0, Outcome.INCONCLUSIVE, 1),
        (["a", "b", "call 617-555-0134 or " + EMAILS[0]], 0, Outcome.INCONCLUSIVE, 1),
        (["a", "b", "c" * 5_000 + " " + EMAILS[0]], 0, Outcome.INCONCLUSIVE, 1),
        (["Mary Jones", "John Smith", "oak", "elm", "ash"], 0, Outcome.INCONCLUSIVE, 2),
        (["a", "b", "c"], 0, Outcome.HOLDS, None),
        ([f"198.51.100.10{n}" for n in range(8)] + ["a", "b"], 0, Outcome.INCONCLUSIVE, 8),
        ([f"198.51.100.10{n}" for n in range(9)] + ["a"], 1, Outcome.VIOLATED, 9),
        ([*IBANS[:40], "a", "b", "c", "d", "e"], 0, Outcome.INCONCLUSIVE, 40),
        (IBANS[:5], 1, Outcome.VIOLATED, 5),
        (IBANS[:4], 0, Outcome.INCONCLUSIVE, 4),
        ([f"v{n}" for n in range(2999)] + IBANS[:1], 0, Outcome.INCONCLUSIVE, 1),
        (["4111 1111 1111 1111", "a"], 0, Outcome.INCONCLUSIVE, 1),
        (["12345678Z", "a"], 0, Outcome.INCONCLUSIVE, 1),
        (["00:1A:2B:3C:4D:5E", "a", "b"], 0, Outcome.INCONCLUSIVE, 1),
        ([*IBANS[:4], "4111 1111 1111 1111"], 1, Outcome.VIOLATED, 5),  # two kinds
        (["Mary Smith", "John Miller", *"abcdefgh"], 0, Outcome.INCONCLUSIVE, 2),
        (["Mary Smith"], 0, Outcome.INCONCLUSIVE, 1),
        (["Mary Smith", *"abcdefgh"], 0, Outcome.HOLDS, None),  # two names at least
        (["Mary Smith", "John Miller", *(f"v{n}" for n in range(19))], 0, Outcome.HOLDS, None),
        (["482081740", "1250"], 0, Outcome.INCONCLUSIVE, 1),
        (["48.2081740", "12.50"], 0, Outcome.HOLDS, None),  # 482081740 is a Dutch number
        (["2024-01-31", "1990", "12.50", "1.2.3"], 0, Outcome.HOLDS, None),
        (["48208-1740", "60647"], 0, Outcome.HOLDS, None),  # ZIP+4, and a Dutch number without -
    ],
)
@pytest.mark.parametrize("part", ["", "columns.sensitive = ['x']\n"])
def test_a_column(values, level, outcome, recognised, part):
    one = found(audited(values, part))
    assert (one.measured, one.required, one.outcome) == (level, 0, outcome)
    by_column = {column: reached.measured for column, reached in one.per_attribute.items()}
    assert by_column == ({} if recognised is None else {"x": recognised})


ACCEPTS = "columns.quasi-identifiers = ['sex']\nrequire.no-direct-identifiers = {{ accept = {} }}\n"


@pytest.mark.parametrize(("values", "looks"), [(["482081740", "1250"], 1), (EMAILS, 20)])
def test_a_column_that_the_policy_accepts_is_named_and_not_counted(values, looks):
    table = pd.DataFrame({"sex": "F", "x": values, "y": "a"}, dtype=object)
    one = found(anonaudit.audit(table, parse_policy(ACCEPTS.format('["x"]'))))
    assert (one.measured, one.outcome, one.per_attribute) == (0, Outcome.HOLDS, {})
    [note] = one.notes
    verb = "looks" if looks == 1 else "look"
    assert note.startswith(f"{looks} of {len(values)} different values of x {verb} like")
    assert note.endswith("; the policy accepts the column")
    table["y"] = EMAILS[: len(values)]  # what is accepted says nothing about other columns
    other = found(anonaudit.audit(table, parse_policy(ACCEPTS.format('["x"]'))))
    assert (other.measured, other.outcome) == (1, Outcome.VIOLATED)


def test_an_accepted_column_that_cannot_be_read(monkeypatch):
    def refuse(*_):
        raise TooManyCombinationsError(10, 1, 1)

    monkeypatch.setattr("anonaudit.auditing.looking._values", refuse)
    table = pd.DataFrame({"sex": "F", "x": ["a"]}, dtype=object)
    one = found(anonaudit.audit(table, parse_policy(ACCEPTS.format('["sex", "x"]'))))
    assert one.outcome is Outcome.HOLDS
    for note, column in zip(one.notes, ["sex", "x"], strict=True):
        assert note.startswith(f"the policy accepts {column}, but its values could not be examined")


@pytest.mark.parametrize(
    ("accept", "place"),
    [
        ('["z"]', "accept, item 1"),
        *((wrong, "accept") for wrong in ('"x"', "[1]", "true", "1", "[['a']]", "{ a = 1 }")),
    ],
)
def test_what_is_accepted_must_be_columns_of_the_release(accept, place):
    table = pd.DataFrame({"sex": ["F"], "x": ["a"]})
    with pytest.raises(PolicyError, match=rf"line 2, require.no-direct-identifiers.{place}: "):
        anonaudit.audit(table, parse_policy(ACCEPTS.format(accept)))


@pytest.mark.parametrize(
    ("rows", "require", "half"),
    [(1000, "", False), (1001, "", True), (1001, "require.no-direct-identifiers = true", False)],
)
def test_a_report_says_where_only_the_first_rows_were_looked_at(rows, require, half):
    table = pd.DataFrame({"sex": ["F"] * rows, "x": "a"})
    report = anonaudit.audit(
        table, parse_policy(f"columns.quasi-identifiers = ['sex']\n{require}\n")
    )
    [message] = [w.message for w in report.warnings if w.code == "not-audited"]
    assert message.startswith("1 column has no role: 'x'")
    assert ("first 1,000 rows" in message) is half


def test_a_unit_column_of_few_telephone_numbers():
    four, five = (
        found(audited([f"0617555013{i}" for i in range(n)], "columns.unit = 'x'\n")) for n in (4, 5)
    )
    assert (four.measured, four.outcome) == (0, Outcome.INCONCLUSIVE)
    assert (five.measured, five.outcome) == (1, Outcome.VIOLATED)


def test_one_address_in_a_million_rows(tmp_path):
    """In a column of a file that the policy does not name, and in the last row."""
    path = tmp_path / "t.parquet"
    duckdb.sql(
        "SELECT 'F' AS sex, CASE WHEN i = 999999 THEN 'z@example.org' ELSE 'v' || i % 1000 END AS x"
        " FROM range(1000000) t(i)"
    ).write_parquet(str(path))
    one = found(anonaudit.audit(path, parse_policy(POLICY.format(""))))
    assert one.outcome is Outcome.INCONCLUSIVE
    [note] = one.notes
    assert note.startswith(
        "1 of 1001 different values of x looks like e-mail addresses, so the column is undecided"
    )


def test_an_audit_in_parts_looks_at_whole_columns(tmp_path):
    """By hand: 200 classes of one row; each part alone would see a few addresses."""
    lines = [f"{n},p{n}@example.org" for n in range(200)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["sex,x", *lines]) + "\n")
    policy = parse_policy("require.k-anonymity = { k = 1 }\n" + POLICY.format(""))
    expected = anonaudit.audit(path, policy)
    error = TooManyCombinationsError(200, 1, 1)
    report = in_parts.audit_in_parts(open_source(path), policy, error)
    for one in (expected, report):
        assert [m.model for m in one.models][:2] == ["k-anonymity", NAME]
        assert (one.models[1].measured, one.outcome) == (1, Outcome.VIOLATED)


def test_what_cannot_be_looked_at_is_undecided(monkeypatch):
    def refuse(*_):
        raise TooManyCombinationsError(10, 1, 1)

    monkeypatch.setattr("anonaudit.auditing.looking._values", refuse)
    one = found(audited(["a", "b"]))
    assert one.outcome is Outcome.INCONCLUSIVE
    assert len(one.notes) == 2  # sex and x


def test_columns_with_the_part_of_identifiers_break_the_audit_by_themselves():
    report = audited(EMAILS, "columns.identifiers = ['x']\n")
    assert report.models[0].outcome is Outcome.HOLDS
    assert report.outcome is Outcome.VIOLATED


def test_the_report_names_columns_and_no_cell():
    report = audited(EMAILS)
    for form in ("text", "json", "html", "markdown", "sarif"):
        shown = render(report, form)
        assert NAME in shown
        assert "@example.org" not in shown
    assert "Remove the columns" in render(report, "text")


def test_it_is_required_or_the_line_is_left_out():
    with pytest.raises(PolicyError, match="must be true; delete the line"):
        parse_policy("require.no-direct-identifiers = false")
    short, long = (f"require.no-direct-identifiers = {said}" for said in ("true", "{}"))
    assert parse_policy(short).requirements == parse_policy(long).requirements


def test_a_remedy_does_not_lose_columns_that_nobody_named():
    """One row is alone; without it k-anonymity holds, and the addresses are still there."""
    table = pd.DataFrame({"sex": ["F"] * 3 + ["M"], "x": EMAILS[:4]}, dtype=object)
    k2 = "columns.quasi-identifiers = ['sex']\nrequire.k-anonymity = { k = 2 }\n"
    assert any(one.suffices for one in remedies(table, parse_policy(k2)).tried)
    both = parse_policy(k2 + "require.no-direct-identifiers = true\n")
    tried = remedies(table, both).tried
    assert tried
    assert not any(one.suffices for one in tried)


@example("617.555.0134")
@example("617-555-0134")
@example("(030)123 4567")
@example("+4915112345678")
@given(st.text("0169+()-/. @a", max_size=18))
def test_no_format_is_without_a_mark(text):
    """What is passed over because it has no mark has no format."""
    if any(holds(text) for holds in direct_identifiers._FORMATS.values()):
        assert direct_identifiers._MARKED.search(text)
