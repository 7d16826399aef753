"""Direct identifiers in a column that is declared as something else: warned of, by no value."""

import html
import json
from collections.abc import Sequence

import pandas as pd
import pytest

import anonaudit
from anonaudit.errors import AnonauditError
from anonaudit.findings import AuditReport, Outcome
from anonaudit.policy.policy import Policy, parse_policy
from anonaudit.report import render
from anonaudit.report.words.explanations import explanation

CODE = "direct-identifiers"
# Five persons of two rows each, under the names of columns that `init` took for units.
PEOPLE: dict[str, Sequence[str]] = {
    "patient": [f"{n} Person" for n in ("First", "Second", "Third", "Fourth", "Fifth")],
    "user": [f"person{n}@example.org" for n in range(5)],
    "client": [f"219-09-{n}" for n in range(1000, 1005)],
    "member": [f"617-555-013{n}" for n in range(5)],
}
KINDS = {
    "patient": "names of persons",
    "user": "e-mail addresses",
    "client": "social security numbers",
    "member": "telephone numbers",
}
# Recognised whatever the column stands for, and in every part it may play.
ANYWHERE: dict[str, Sequence[str]] = PEOPLE | {
    "patient": ["Mary Jones", "John Smith", "Robert Brown", "Susan Miller", "Peter Wilson"]
}


def table(name: str, people: Sequence[str]) -> pd.DataFrame:
    rows = [(one, "F", disease) for one in people for disease in ("flu", "gout")]
    return pd.DataFrame(rows, columns=[name, "sex", "disease"], dtype=object)


def policy(part: str) -> Policy:
    return parse_policy(
        "columns.quasi-identifiers = ['sex']\ncolumns.sensitive = ['disease']\n"
        f"{part}\nrequire.k-anonymity = {{ k = 5 }}"
    )


def warned(report: AuditReport) -> list[tuple[str | None, str]]:
    return [(n.column, n.message) for n in report.warnings if n.code == CODE]


@pytest.mark.parametrize("name", PEOPLE)
def test_a_unit(name):
    """It changes no verdict: what values look like is a guess (see CHANGELOG.md)."""
    report = anonaudit.audit(table(name, PEOPLE[name]), policy(f"columns.unit = '{name}'"))
    assert report.outcome is Outcome.HOLDS
    [(column, message)] = warned(report)
    assert column == name
    assert message.startswith(f"the unit holds what looks like {KINDS[name]}")


@pytest.mark.parametrize("name", ANYWHERE)
@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ("quasi-identifiers = ['sex'], sensitive = ['disease']", "a column without a role"),
        ("quasi-identifiers = ['sex', '{}'], sensitive = ['disease']", "a quasi-identifier"),
        ("quasi-identifiers = ['sex'], sensitive = ['disease', '{}']", "a sensitive column"),
    ],
)
def test_any_other_part(name, roles, said):
    rules = parse_policy(f"columns = {{ {roles.format(name)} }}")
    [(column, message)] = warned(anonaudit.audit(table(name, ANYWHERE[name]), rules))
    assert column == name
    assert message.startswith(f"{said} holds what looks like {KINDS[name]}")


@pytest.mark.parametrize("part", ["count", "weight"])
@pytest.mark.parametrize("name", ANYWHERE)
def test_a_count_or_a_weight_that_names_people_is_refused(name, part):
    with pytest.raises(AnonauditError, match=name):
        anonaudit.audit(table(name, ANYWHERE[name]), policy(f"columns.{part} = '{name}'"))


@pytest.mark.parametrize("name", PEOPLE)
def test_no_reader_can_miss_it(name):
    """The sentence that gives the verdict warns, in every format; no value is shown."""
    report = anonaudit.audit(table(name, PEOPLE[name]), policy(f"columns.unit = '{name}'"))
    sentence = f"met. WARNING: column '{name}' seems to hold direct identifiers"
    for form in ("text", "markdown", "html", "sarif"):
        for show_values in (False, True):
            shown = render(report, form, show_values=show_values)
            assert sentence in " ".join(html.unescape(shown).split()), form
    assert sentence in html.unescape(report._repr_html_())
    for form in ("text", "markdown", "html", "sarif", "json"):
        assert not [one for one in PEOPLE[name] if one in render(report, form)], form
        assert CODE in render(report, form), form
    (run,) = json.loads(render(report, "sarif"))["runs"]
    assert [r["level"] for r in run["results"] if r["ruleId"] == CODE] == ["warning"]


def test_several_columns_are_named():
    frame = table("patient", PEOPLE["patient"])
    frame["user"] = [one for one in PEOPLE["user"] for _ in range(2)]
    report = anonaudit.audit(frame, policy("columns.unit = 'patient'"))
    shown = " ".join(render(report, "text").split())
    assert "WARNING: columns 'patient', 'user' seem to hold direct identifiers" in shown


def test_who_agrees_declares_an_identifier_and_the_audit_is_violated():
    frame = table("patient", PEOPLE["patient"])
    report = anonaudit.audit(frame, policy("columns.identifiers = ['patient']"))
    assert report.outcome is Outcome.VIOLATED
    assert warned(report) == []


@pytest.mark.parametrize(
    "people",
    [
        ["p1", "p2", "p3", "p4", "p5"],
        [str(n) for n in range(6175550130, 6175550135)],
        ["8f14e45f", "c9f0f895", "45c48cce", "d3d94468", "6512bd43"],
        ["Household A", "Household B", "Household C", "Household D", "Household E"],
    ],
)
def test_codes_for_persons_are_no_names(people):
    report = anonaudit.audit(table("patient", people), policy("columns.unit = 'patient'"))
    assert warned(report) == []
    assert "WARNING" not in render(report, "text")


def test_undeclared_columns_are_looked_at_in_their_first_rows(tmp_path):
    """In files and frames of any length; not in a column whose cells are no single values."""
    pyarrow = pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"sex": ["F"] * 2_000, "n": range(2_000)})
    frame["remark"] = ["call 617-555-0134"] * 2_000
    frame["late"] = ["fine"] * 1_999 + ["call 617-555-0134"]
    frame.to_csv(tmp_path / "r.csv", index=False)
    for release in (frame, tmp_path / "r.csv"):
        report = anonaudit.audit(release, quasi_identifiers=["sex"])
        assert [column for column, _ in warned(report)] == ["remark"]
    nested = pyarrow.table({"sex": ["F"], "lists": [["x"]], "mail": ["x@example.org"]})
    assert [c for c, _ in warned(anonaudit.audit(nested, quasi_identifiers=["sex"]))] == ["mail"]


def test_it_is_explained():
    told = explanation(CODE)
    assert told is not None
    assert "guess" in told.matters
