"""Whether a release got worse: each way to get worse by hand, and that nothing else is one."""

import copy
import json

import pytest
from hypothesis import given, settings
from report.arbitrary import audit_reports
from report.shared_reports import PLAIN_REPORTS

from anonaudit.errors import InputError
from anonaudit.report import to_json
from anonaudit.report.comparison import compare, differences, read_report, to_text
from anonaudit.report.comparison import to_json as written


def of(report):
    """The report as it is read back."""
    return json.loads(to_json(report))


@pytest.fixture
def old():
    return of(PLAIN_REPORTS["violated"])


@pytest.fixture
def new(old):
    return copy.deepcopy(old)


def verdicts(old, new):
    """What changed, by name."""
    return {c.name: (c.verdict, *c.said) for c in compare(old, new) if c.verdict != "same"}


def test_nothing_changed(case):
    found = of(case[1])
    assert verdicts(found, found) == {}
    assert differences(found, found) == []


def test_a_lower_k_is_worse_and_a_higher_one_better(old, new):
    new["models"][0]["measured"] = 3
    assert verdicts(old, new) == {"k-anonymity": ("better", "level 1 -> 3")}
    assert verdicts(new, old) == {"k-anonymity": ("worse", "level 3 -> 1")}


def test_a_higher_t_is_worse(old, new):
    new["models"][2]["measured"] = 0.9955
    assert verdicts(old, new) == {"t-closeness (equal)": ("worse", "level 0.9954 -> 0.9955")}


def test_one_attribute_that_got_worse_is_told(old, new):
    new["models"][2]["per_attribute"]["income"]["measured"] = 0.9
    assert verdicts(old, new)["t-closeness (equal)"][0] == "worse"
    del new["models"][2]["per_attribute"]["income"]
    assert verdicts(old, new)["t-closeness (equal)"] == ("worse", "level of income 0.7592 -> -")


def test_more_rows_that_fall_short_of_the_same_level_is_worse(old, new):
    new["models"][0]["rows_violating"] = 3256  # of 32561 rows; 424 were 1.3%
    said = "rows that fall short 1.3% -> 10%"
    assert verdicts(old, new) == {"k-anonymity": ("worse", said)}
    new["models"][0]["required"] = 10  # another question, so no answer
    new["models"][0]["parameters"]["k"] = 10
    assert verdicts(old, new) == {}


def test_shares_are_compared_not_counts(old, new):
    """Twice the rows, twice the disclosures: the same."""
    new["release"]["rows"] *= 2
    new["models"][0]["rows_violating"] *= 2
    new["models"][1]["rows_violating"] *= 2
    for what in ("targets", "disclosed"):
        new["attacks"][0][what] *= 2
    assert verdicts(old, new) == {}


def test_a_higher_rate_is_worse(old, new):
    new["attacks"][0].update(disclosed=3121, rate=3121 / 32561)
    name, (verdict, *said) = verdicts(old, new).popitem()
    assert (name, verdict) == ("homogeneity", "worse")
    assert said == ["rate 9.58% -> 9.59%", "disclosed 9.58% -> 9.59%"]


def test_the_same_rate_with_more_identified_is_worse(old, new):
    new["attacks"][0]["identified"] = 100
    assert verdicts(old, new) == {"homogeneity": ("worse", "identified 0% -> 0.307%")}


def test_what_is_undecided_or_gone_is_worse(old, new):
    new["models"][0]["measured"] = None
    new["attacks"][0]["rate"] = None
    del new["models"][2]
    assert verdicts(old, new) == {
        "k-anonymity": ("worse", "level 1 -> undecided"),
        "homogeneity": ("worse", "rate 9.58% -> undecided"),
        "t-closeness (equal)": ("worse", "is not answered any more"),
    }
    new["models"][0]["notes"] = ["no finite level: a class has no limit"]
    assert verdicts(old, new)["k-anonymity"] == ("worse", "level 1 -> infinite")
    assert verdicts(new, old)["k-anonymity"] == ("better", "level infinite -> 1")
    # The other way round nothing is known to have got worse.
    assert {v[0] for v in verdicts(new, old).values()} == {"better", "new"}


def test_an_identifier_in_the_release_is_worse():
    safe, bad = of(PLAIN_REPORTS["holds"]), of(PLAIN_REPORTS["identifiers"])
    assert verdicts(safe, bad) == {
        "release": ("worse", "holds -> violated"),
        "name": ("worse", "is in the release now"),
        "ssn": ("worse", "is in the release now"),
    }
    assert {v[0] for v in verdicts(bad, safe).values()} == {"better"}
    assert differences(safe, bad) == [
        "the columns differ: other quasi-identifiers or sensitive attributes"
    ]


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("holds", "inconclusive", "worse"),
        ("inconclusive", "violated", "worse"),
        ("measured", "violated", "worse"),
        ("violated", "inconclusive", "better"),
    ],
)
def test_outcomes(old, new, before, after, verdict):
    old["outcome"], new["outcome"] = before, after
    assert verdicts(old, new) == {"release": (verdict, f"{before} -> {after}")}
    old["outcome"], new["outcome"] = "holds", "measured"
    assert verdicts(old, new) == {}


def test_findings_are_paired_by_name_and_parameters(old, new):
    """Two t-closeness with two distances, in another order, and another threshold."""
    ordered = copy.deepcopy(new["models"][2])
    ordered["parameters"] = {"distance": "ordered", "t": 0.3}
    ordered["required"], ordered["measured"] = 0.3, 0.25
    old["models"].append(copy.deepcopy(ordered))
    ordered["parameters"]["t"] = ordered["required"] = 0.2
    new["models"].insert(0, ordered)
    assert verdicts(old, new) == {}
    ordered["measured"] = 0.35
    assert verdicts(old, new) == {"t-closeness (ordered)": ("worse", "level 0.25 -> 0.35")}


def test_rounding_is_no_change(old, new):
    new["models"][2]["measured"] = old["models"][2]["measured"] * (1 + 1e-12)
    assert verdicts(old, new) == {}


def test_what_else_differs(old, new):
    new["provenance"].update(policy_sha256="ff", version="9")
    new["release"]["convention"]["sensitive"] = "one-value"
    assert len(differences(old, new)) == 3


def test_text_and_json(old, new):
    new["models"][0]["measured"] = 3
    new["attacks"][0].update(disclosed=3256, rate=3256 / 32561)
    changes = compare(old, new)
    assert to_text(changes, ["the policies differ"]) == (
        "WORSE: 1 of 5 got worse\n\nWorse\n-----\n"
        "  - attack homogeneity: rate 9.58% -> 10%; disclosed 9.58% -> 10%\n"
        "\nBetter\n------\n  - model k-anonymity: level 1 -> 3\n"
        "\nSame\n----\n  release, p-sensitive-k-anonymity, t-closeness (equal)\n"
        "\nMind that\n---------\n  - the policies differ\n"
    )
    found = json.loads(written(changes, []))
    assert found["worse"] is True
    assert [change["verdict"] for change in found["changes"]] == [
        "same", "better", "same", "same", "worse",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"schema_version": NaN}', "is not JSON"),
        ("[]", "is JSON, but no report"),
        ("{}", "is JSON, but no report"),
        ('{"schema_version": "2"}', "report of version '2', expected '1'"),
        ('{"schema_version": "1"}', "damaged report"),
        ('{"schema_version": "1", "outcome": "fine"}', "damaged report"),
    ],
)
def test_what_is_no_report_is_refused(text, said):
    with pytest.raises(InputError, match=said):
        read_report("old.json", text)


@pytest.mark.parametrize("where", ["outcome", "warnings", "models", "attacks"])
def test_a_damaged_report_is_refused(old, where):
    for broken in (None, 3, "x", [3], [{}], [{"name": "k-anonymity"}]):
        with pytest.raises(InputError, match="damaged"):
            read_report("old.json", json.dumps({**old, where: broken}))


@settings(max_examples=50)
@given(audit_reports(), audit_reports())
def test_any_two_reports_are_compared(one, other):
    one, other = (read_report("x", to_json(report)) for report in (one, other))
    changes = compare(one, other)
    text = to_text(changes, differences(one, other))
    assert all(character.isprintable() or character == "\n" for character in text)
    json.loads(written(changes, []))
    assert {change.verdict for change in compare(one, one)} == {"same"}
