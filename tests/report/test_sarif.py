"""SARIF: valid, only what falls short, and the same alert for the same fault."""

import json
from dataclasses import replace

import jsonschema
import pytest
from hypothesis import given
from report.arbitrary import audit_reports
from report.golden_files import agrees_with

from anonaudit.findings import Outcome
from anonaudit.report import to_sarif
from anonaudit.report.words.explanations import explanation

TEXT = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}
LOCATION = {
    "type": "object",
    "required": ["uri"],
    "properties": {
        "uri": {"type": "string", "pattern": r"^[A-Za-z0-9._~:/?@!$&'()*+,;=%-]+$"},
        "uriBaseId": {"type": "string"},
        "index": {"type": "integer", "minimum": 0},
    },
    "additionalProperties": False,
}
# Typed from the SARIF 2.1.0 standard (sections 3.13, 3.14, 3.19, 3.24, 3.27 to 3.30, 3.49), as far
# as we use it, and what GitHub's page on code scanning says that it needs.
SCHEMA = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "properties": {
                                                "id": {"type": "string", "minLength": 1},
                                                "shortDescription": TEXT,
                                                "fullDescription": TEXT,
                                                "help": TEXT,
                                                "properties": {"type": "object"},
                                            },
                                            "additionalProperties": False,
                                        },
                                    },
                                },
                                "additionalProperties": False,
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "artifacts": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "location": LOCATION,
                                "hashes": {
                                    "type": "object",
                                    "additionalProperties": {"type": "string"},
                                },
                            },
                            "additionalProperties": False,
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["ruleId", "message", "locations", "partialFingerprints"],
                            "properties": {
                                "ruleId": {"type": "string", "minLength": 1},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": TEXT,
                                "locations": {
                                    "type": "array",
                                    "minItems": 1,
                                    "maxItems": 1,
                                    "items": {
                                        "type": "object",
                                        "required": ["physicalLocation"],
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "required": ["artifactLocation", "region"],
                                                "properties": {
                                                    "artifactLocation": LOCATION,
                                                    "region": {"const": {"startLine": 1}},
                                                },
                                                "additionalProperties": False,
                                            },
                                            "logicalLocations": {"type": "array"},
                                        },
                                        "additionalProperties": False,
                                    },
                                },
                                "partialFingerprints": {
                                    "type": "object",
                                    "required": ["primaryLocationLineHash"],
                                },
                            },
                            "additionalProperties": False,
                        },
                    },
                    "properties": {"type": "object"},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def run_of(report, **options):
    """The one run, after the checks that hold for every report."""
    log = json.loads(to_sarif(report, **options), parse_constant=pytest.fail)
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    hashes = [r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"]]
    assert len(hashes) == len(set(hashes))
    return run


def told(run):
    return [(result["ruleId"], result["level"]) for result in run["results"]]


@pytest.mark.parametrize("show_values", [False, True])
def test_every_report_is_valid(case, show_values):
    run_of(case[1], show_values=show_values)


def test_golden(reports):
    agrees_with("violated.sarif", to_sarif(reports["violated"]))


def test_what_falls_short_and_nothing_else(reports):
    assert told(run_of(reports["holds"])) == []
    assert told(run_of(reports["measured"])) == []
    assert told(run_of(reports["violated"])) == [
        ("k-anonymity", "error"),
        ("p-sensitive-k-anonymity", "error"),
        ("homogeneity", "error"),
        ("near-duplicate-labels", "note"),
    ]
    assert told(run_of(reports["inconclusive"])) == [
        ("k-anonymity", "warning"),
        ("p-sensitive-k-anonymity", "warning"),
        ("homogeneity", "warning"),
    ]
    assert told(run_of(reports["identifiers"])) == [("identifier-released", "error")] * 2
    # Nobody asked for a rate of the attack that did not run.
    assert told(run_of(reports["linkage"])) == [("linkage", "error"), ("linkage", "warning")]


def test_rules_are_explained(reports):
    for rule in run_of(reports["violated"])["tool"]["driver"]["rules"]:
        known = explanation(rule["id"])
        assert rule["shortDescription"]["text"] == known.means
        assert known.do in rule["help"]["text"]
        assert len(rule["fullDescription"]["text"]) <= 1024  # GitHub's limit
    (unknown,) = {r["id"] for r in run_of(reports["hostile"])["tool"]["driver"]["rules"]} - {
        "l-diversity"
    }
    assert unknown == r"odd\u2028code"


def test_values_are_shown_only_when_asked(reports):
    assert " White" not in to_sarif(reports["violated"])
    assert " White" in to_sarif(reports["violated"], show_values=True)
    for name in ("violated", "elimination", "third_party"):
        for cell in ("Amer-Indian-Eskimo", "chemotherapy", "30-39", "HIV"):
            assert cell not in to_sarif(reports[name])


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("data/patients 1.csv", "data/patients%201.csv"),
        ("/srv/a#b?.csv", "file:///srv/a%23b%3F.csv"),
        ("pandas.DataFrame", "pandas.DataFrame"),
        ("grüße.csv", "gr%C3%BC%C3%9Fe.csv"),
        ("", "."),
        ("-", "-"),
        ("a:b", "./a%3Ab"),
        ("javascript:alert(1)", "./javascript%3Aalert%281%29"),
    ],
)
def test_a_file_is_a_uri(reports, source, uri):
    report = reports["violated"]
    run = run_of(replace(report, release=replace(report.release, source=source)))
    found = run["artifacts"][0]["location"]
    assert found["uri"].removeprefix("./") == uri.removeprefix("./")
    assert ("uriBaseId" in found) is not source.startswith("/")


def test_an_alert_stays_the_same_when_numbers_change(reports):
    report = reports["violated"]
    worse = replace(report.models[0], measured=0, rows_violating=9999)
    one, other = run_of(report), run_of(replace(report, models=(worse, *report.models[1:])))
    assert one["results"][0]["message"] != other["results"][0]["message"]
    assert one["results"][0]["partialFingerprints"] == other["results"][0]["partialFingerprints"]
    twice = run_of(replace(report, models=(report.models[0],) * 2))  # asked for twice, two alerts
    assert told(twice)[:2] == [("k-anonymity", "error")] * 2


def test_no_message_is_a_link(reports):
    report = reports["identifiers"]
    warning = replace(report.warnings[0], column="[x](http://evil.example)")
    run = run_of(replace(report, warnings=(warning,)))
    assert "](" not in run["results"][0]["message"]["text"]


@given(audit_reports())
def test_any_report_is_valid(report):
    run_of(report, show_values=True)
    assert to_sarif(report) == to_sarif(report)


def test_same_outcome_as_the_audit(case):
    assert run_of(case[1])["properties"]["outcome"] == case[1].outcome.value
    assert Outcome(run_of(case[1])["properties"]["outcome"]) is case[1].outcome
