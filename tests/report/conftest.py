"""The shared reports as fixtures, those that are not from everyday life among them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from report.shared_reports import ADULT, COLUMNS, PAIR, PLAIN_REPORTS, PROVENANCE, holds, levels

from anonaudit.findings import (
    NO_LIMIT,
    AttributeLevel,
    AuditReport,
    Disclosure,
    Measurement,
    Notice,
    Outcome,
    Witness,
)
from anonaudit.special_details import BeyondBoundaries, ClassSize, Counted

LONG = "date of the first appointment of the patient, as entered by the front desk (2nd try)"
HOSTILE = (
    "\x1b[2J\x1b[31mage",
    "zip\ncode",
    "",
    " sex ",
    "\u202egnp.exe",
    LONG,
    LONG[:-9] + "(3rd try)",
    "住所の郵便番号",
    "😀 mood",
    "a,b",
    "<script>alert(1)</script>",
    "'; DROP TABLE x; --",
    "\udcff",
)


def hostile() -> AuditReport:
    """Names from a file whose author means no good."""
    cells = dict(zip(HOSTILE, reversed(HOSTILE), strict=True))
    model = Measurement(
        "l-diversity",
        {"l": 2},
        1,
        2,
        "higher",
        Outcome.VIOLATED,
        13,
        286,
        {name: AttributeLevel(1, 1, 10 + i) for i, name in enumerate(HOSTILE)},
        Witness(3, 2, HOSTILE[0], (7, 8), cells),
        notes=("note\nwith\ta break\x07",),
    )
    attack = Disclosure(
        "evil\r\nattack\x1b]0;title\x07",
        "every\nthing",
        13,
        1,
        2,
        3 / 13,
        0.5,
        Outcome.MEASURED,
        per_attribute=dict.fromkeys(HOSTILE, 1),
        details={"\x00": "\x9b31m", "values": ["dx"]},
    )
    release = replace(
        ADULT,
        source="/tmp/\udce9\x1b[0m/" + "x" * 100 + ".csv",
        sha256=None,
        missing_cells={name: i for i, name in enumerate(HOSTILE)},
        suppressed_cells={},
    )
    warning = Notice("odd\u2028code", "message\x85", HOSTILE[1], HOSTILE)
    columns = {"quasi-identifiers": HOSTILE, "sensitive": HOSTILE[:2], "unit": HOSTILE[3]}
    provenance = {"version": "0.1.0", "policy\n": "\x1b[1m"}
    return AuditReport(
        Outcome.VIOLATED, release, columns, (model,), (attack,), (warning,), provenance
    )


def infinite():
    """A level that no threshold reaches, and one that misses its threshold by a hair."""
    recursive = Measurement(
        "recursive-c-l-diversity",
        {"c": 4.0, "l": 2},
        None,
        4.0,
        "lower",
        Outcome.VIOLATED,
        375,
        15275,
        {"income": AttributeLevel(None, 375, 15275, 2)},
        PAIR,
        notes=(NO_LIMIT,),
    )
    near = Measurement(
        "t-closeness",
        {"t": 0.2, "distance": "ordered"},
        0.2000004,
        0.2,
        "lower",
        Outcome.VIOLATED,
        1,
        44,
        levels(income=(0.2000004, 1, 44)),
        notes=("no order is known for income: measured with the equal distance",),
    )
    columns = {**COLUMNS, "sensitive": ("income",)}
    return AuditReport(Outcome.VIOLATED, ADULT, columns, (recursive, near), (), (), PROVENANCE)


def other_models() -> AuditReport:
    """Models whose numbers need more words: boundaries, averages, populations, limits."""
    release = replace(ADULT, rows=100, classes=8, missing_cells={})
    boundaries = BeyondBoundaries(
        by_column={"age": 0, "zip": 12}, classes=1, rows=12, how=Counted.WITH_ORIGINAL
    )
    model = Measurement("k-map", {"k": 500}, 3, 500, "higher", Outcome.VIOLATED, 2, 9)
    whole = replace(model, safer="lower", required=0.05, classes_violating=8, rows_violating=100)
    models = (
        replace(
            model,
            model="constrained-k-anonymity",
            parameters={"k": 5},
            measured=6,
            required=5,
            classes_violating=0,
            rows_violating=0,
            details=boundaries,
        ),
        model,
        replace(
            whole,
            model="marketer-risk",
            parameters={"average": 0.05},
            measured=0.08,
            witness=Witness(0, 5, None, (1, 2)),
        ),
        replace(
            model,
            model="k-e-anonymity",
            parameters={"k": 3, "e": 10},
            measured=12.5,
            required=10,
            details=ClassSize(k=2),
        ),
        replace(
            model,
            model="rule-confidence",
            parameters={"below": 0.7, "min-rows": 1},
            measured=0.75,
            required=0.7,
            safer="lower",
        ),
        replace(
            model,
            model="multi-attribute-l-diversity",
            parameters={"l": 3, "at-most income": 1},
            measured=2,
            required=3,
        ),
    )
    return AuditReport(Outcome.VIOLATED, release, COLUMNS, models, (), (), PROVENANCE)


def third_party() -> AuditReport:
    """A model and an attack nobody here knows, with numpy's numbers and with cells in details."""
    model = Measurement(
        "other-presence",
        {"delta": 0.5, "sides": ("low", "high"), "exact": True},
        0.3,
        0.5,
        "lower",
        Outcome.HOLDS,
        0,
        0,
        details={
            "bound": np.float64(0.1) + np.float64(0.2),
            "classes": np.array([1, 2, 3]),
            "flag": np.bool_(True),
            "undefined": float("nan"),
            "set": {"b", "a"},
            np.int64(7): (np.int64(1), None),
            "largest": np.float64(np.inf),
        },
    )
    attack = Disclosure(
        "shadow",
        "",
        np.int64(10),
        np.int64(0),
        np.int64(1),
        np.float64(0.1),
        None,
        Outcome.MEASURED,
        details={"rules": [{"values": ["flu", "HIV"], "confidence": 1.0}]},
        witness=Witness(2, 3, cells={"age": "30-39"}),
    )
    return replace(holds(), models=(model,), attacks=(attack,))


REPORTS = {
    **PLAIN_REPORTS,
    **{make.__name__: make() for make in (hostile, infinite, other_models, third_party)},
}


@pytest.fixture(params=REPORTS)
def case(request):
    """The name of a shared report, and the report: every test with it runs for all of them."""
    return request.param, REPORTS[request.param]


@pytest.fixture
def reports():
    """All shared reports by name."""
    return REPORTS
