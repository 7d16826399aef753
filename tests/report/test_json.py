"""JSON: the contract, to the letter, and nothing that no program or terminal should meet."""

import copy
import json
import math
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from report.arbitrary import audit_reports
from report.golden_files import agrees_with

from anonaudit.errors import AnonauditError
from anonaudit.findings import AttributeLevel, Measurement, Outcome
from anonaudit.report import FORMATS, render, schema, to_dict, to_json
from anonaudit.report.plain import plain

VALIDATOR = jsonschema.Draft202012Validator(schema())

# The names of the contract in their order, typed from the issue and the brief.
TOP = "schema_version outcome release columns models attacks warnings provenance"
RELEASE = (
    "source sha256 rows persons classes suppressed_tuples dropped_rows missing_cells "
    "suppressed_cells convention class_sizes"
)
MODEL = (
    "name parameters measured required safer outcome classes_violating rows_violating "
    "per_attribute details notes witness by_convention"
)
ATTACK = (
    "name knowledge targets identified disclosed rate undecided highest_rate baseline allowed "
    "outcome per_attribute details notes reason witness"
)


def strictly(text):
    """JSON as the standard has it: Python's reader would let NaN and Infinity pass."""

    def refuse(constant):
        raise ValueError(constant)

    return json.loads(text, parse_constant=refuse)


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("show_values", [False, True])
def test_every_report_obeys_the_schema(case, show_values):
    VALIDATOR.validate(strictly(to_json(case[1], show_values=show_values)))


def test_names_are_those_of_the_contract_in_their_order(reports):
    found = strictly(to_json(reports["violated"]))
    assert list(found) == TOP.split()
    assert list(found["release"]) == RELEASE.split()
    assert list(found["release"]["class_sizes"]) == ["min", "mean", "median", "max"]
    assert list(found["models"][0]) == MODEL.split()
    assert list(found["models"][1]["per_attribute"]["income"]) == [
        "measured",
        "classes_violating",
        "rows_violating",
        "classes_without_known_value",
    ]
    assert list(found["models"][0]["witness"]) == ["class_number", "rows", "attribute", "positions"]
    assert list(found["attacks"][0]) == ATTACK.split()
    assert list(found["warnings"][0]) == ["code", "message", "column", "label_count"]


def test_golden(reports):
    agrees_with("violated.json", to_json(reports["violated"]))


def test_numbers_arrive_as_they_were_measured(reports):
    found = strictly(to_json(reports["violated"]))
    k, p, t = found["models"]
    assert (k["measured"], k["required"], k["rows_violating"]) == (1, 5, 424)
    assert p["per_attribute"]["occupation"] == {
        "measured": 1,
        "classes_violating": 75,
        "rows_violating": 86,
        "classes_without_known_value": 0,
    }
    assert p["details"] == {"k": 1.0, "maxP": 2, "maxGroups": {"2": 7841}}
    assert t["per_attribute"]["income"]["measured"] == 0.759190442554  # 12 digits of ...4425539756
    assert found["attacks"][0]["disclosed"] == 3120
    assert found["release"]["missing_cells"]["occupation"] == 1843
    assert found["release"]["convention"]["missing"] == ["?"]


@pytest.mark.parametrize(
    "breaks",
    [
        lambda r: r.pop("outcome"),
        lambda r: r.pop("provenance"),
        lambda r: r.update(outcome="passed"),
        lambda r: r.update(outcome="skipped"),  # an attack can be skipped, an audit cannot
        lambda r: r.update(schema_version=1),
        lambda r: r["release"].pop("convention"),
        lambda r: r["release"].update(rows=-1),
        lambda r: r["release"].update(rows=1.5),
        lambda r: r["models"][0].pop("required"),
        lambda r: r["models"][0].update(safer="more"),
        lambda r: r["models"][0].update(measured="1"),
        lambda r: r["models"][0].update(measured=math.nan),
        lambda r: r["models"][0]["details"].update(deep=[{"x": math.inf}]),
        lambda r: r["models"][0]["parameters"].update(k=-math.inf),
        lambda r: r["models"][1]["per_attribute"]["income"].pop("measured"),
        lambda r: r["attacks"][0].update(outcome="VIOLATED"),
        lambda r: r["attacks"][0].update(rate=1.1),
        lambda r: r["attacks"][0].update(rate=math.nan),
        lambda r: r["attacks"][0].pop("baseline"),
        lambda r: r["attacks"][0]["witness"].update(positions=[0]),
        lambda r: r["warnings"][0].pop("code"),
        lambda r: r["columns"].update(sensitive=[1]),
        lambda r: r["provenance"].update(seed=math.nan),
    ],
)
def test_schema_refuses_broken_reports(reports, breaks):
    broken = copy.deepcopy(to_dict(reports["violated"], show_values=True))
    VALIDATOR.validate(broken)
    breaks(broken)
    assert not VALIDATOR.is_valid(broken)


def test_schema_lets_names_be_added(reports):
    found = to_dict(reports["violated"])
    for place in (found, found["release"], found["models"][0], found["attacks"][0]):
        place["added later"] = [1]
    VALIDATOR.validate(found)


def test_no_cell_and_no_label_unless_shown(case):
    name, report = case
    cells = {"violated": ["Amer-Indian-Eskimo", " White"], "third_party": ["HIV", "30-39"]}
    for cell in cells.get(name, ()):
        assert json.dumps(cell) not in to_json(report)
        assert json.dumps(cell) in to_json(report, show_values=True)
    assert '"cells"' not in to_json(report)
    assert '"labels"' not in to_json(report)


def test_hidden_cells_leave_their_number(reports):
    found = to_dict(reports["violated"]), to_dict(reports["third_party"])
    assert found[0]["warnings"][0]["label_count"] == 2
    assert found[1]["attacks"][0]["details"] == {"rules": [{"values": 2, "confidence": 1.0}]}


def test_numbers_of_other_libraries_become_plain_ones(reports):
    assert to_dict(reports["third_party"])["models"][0]["details"] == {
        "bound": 0.3,
        "classes": [1, 2, 3],
        "flag": True,
        "undefined": None,
        "set": ["a", "b"],
        "7": [1, None],
        "largest": None,
    }
    found = plain([np.int64(3), np.float32(0.5), np.bool_(False), np.str_("x"), Outcome.HOLDS])
    assert found == [3, 0.5, False, "x", "holds"]
    assert [type(part) for part in found] == [int, float, bool, str, str]


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (0.1 + 0.2, 0.3),
        (2 / 3, 0.666666666667),
        (-0.0, 0.0),
        (1e-300, 1e-300),
        (123456789.123456789, 123456789.123),
        (math.nan, None),
        (math.inf, None),
        (-math.inf, None),
    ],
)
def test_floats_have_twelve_digits(given, written):
    assert repr(plain(given)) == repr(written)


def test_a_level_that_is_not_finite_is_null(reports):
    odd = Measurement(
        "t-closeness",
        {"t": math.nan},
        math.inf,
        None,
        "lower",
        Outcome.MEASURED,
        per_attribute={"dx": AttributeLevel(math.nan)},
    )
    found = strictly(to_json(replace(reports["holds"], models=(odd,))))["models"][0]
    assert (found["measured"], found["parameters"], found["per_attribute"]["dx"]["measured"]) == (
        None,
        {"t": None},
        None,
    )


def test_bytes(case):
    text = to_json(case[1])
    assert text.endswith("}\n")
    assert text == to_json(copy.deepcopy(case[1]))
    text.encode("utf-8")  # a file name may hold a lone surrogate, a file may not
    assert all(character.isprintable() or character == "\n" for character in text)


def test_class_sizes_have_their_names_first_and_may_have_more(reports):
    report = reports["holds"]
    release = replace(report.release, class_sizes={"p90": 40, "max": 61})
    found = to_dict(replace(report, release=release))["release"]["class_sizes"]
    assert list(found.items()) == [
        ("min", None),
        ("mean", None),
        ("median", None),
        ("max", 61),
        ("p90", 40),
    ]


def test_names_survive(reports):
    found = strictly(to_json(reports["hostile"], show_values=True))
    assert (
        tuple(found["columns"]["quasi-identifiers"])
        == reports["hostile"].columns["quasi-identifiers"]
    )
    assert "住所の郵便番号" in to_json(reports["hostile"])  # readable, not escaped


def test_render(reports):
    report = reports["violated"]
    assert set(FORMATS) >= {"text", "json"}
    assert render(report, "json") == to_json(report)
    assert render(report, "json", show_values=True) == to_json(report, show_values=True)
    with pytest.raises(AnonauditError, match=r"no report format 'jsn'.*Did you mean 'json'"):
        render(report, "jsn")


@given(audit_reports())
def test_any_report_is_valid_json(report):
    text = to_json(report, show_values=True)
    text.encode("utf-8")
    found = strictly(text)
    VALIDATOR.validate(found)
    assert len(found["models"]) == len(report.models)
