"""A release audited in parts: every number is that of the audit in one piece."""

import csv
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonaudit
from anonaudit import duck, duck_parts, in_parts, memory
from anonaudit.cells import Convention
from anonaudit.errors import InputError
from anonaudit.findings import AuditReport, Outcome
from anonaudit.memory import BYTES_A_CELL
from anonaudit.models import MODELS
from anonaudit.policy import Policy
from anonaudit.report import render
from anonaudit.roles import Roles
from anonaudit.together import DETAILS

COLUMNS = ("age", "zip", "dx", "pay")
TABLES = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "3", "?", "*", ""]),
        st.sampled_from(["a", "b", "ab", "*", ""]),
        st.sampled_from(["flu", "cold", "hiv", "aids", "?", "*", ""]),
        st.sampled_from(["1", "2", "10", "?", ""]),
    ),
    min_size=1,
    max_size=25,
)
FILES = {
    "zip.csv": "a,ab,*\nb,ab,*\n",
    "dx.csv": "flu,cough,*\ncold,cough,*\nhiv,virus,*\naids,virus,*\n",
}
POLICY = """
[columns]
quasi-identifiers = ["age", "zip"]
sensitive = ["dx", "pay"]
[values]
missing = ["?"]
[hierarchies]
zip = { file = "zip.csv", max-generalization = ["a", "b"] }
dx = { file = "dx.csv", protected = ["cough", "virus"] }
"""
REQUIRED = """
[require]
k-anonymity = { k = 2 }
p-sensitive-k-anonymity = { p = 2, k = 2 }
extended-p-sensitive-k-anonymity = { p = 2 }
constrained-k-anonymity = { k = 2 }
constrained-p-sensitive-k-anonymity = { p = 2, k = 3 }
constrained-l-diversity = { l = 2 }
constrained-t-closeness = { t = 0.3 }
l-diversity = [{ l = 2 }, { l = 3, reading = "joint" }, { l = 2, reading = "others-known" }]
entropy-l-diversity = [{ l = 1.5 }, { l = 1.5, reading = "joint" }]
recursive-c-l-diversity = { c = 2.0, l = 2 }
multi-attribute-l-diversity = { l = 2 }
alpha-k-anonymity = { alpha = 0.6, k = 2 }
rule-confidence = { below = 0.9 }
t-closeness = [{ t = 0.2 }, { t = 0.2, distance = "hierarchical" }, { t = 0.4, distance = "numeric" }]
beta-likeness = { beta = 1.0 }
delta-disclosure = { delta = 1.0 }
k-e-anonymity = { k = 2, e = 5 }
prosecutor-risk = { highest = 0.4 }
[attacks]
homogeneity = { allow-rate = 0.2 }
elimination = { values = 2, allow-rate = 0.5 }
"""
CONVENTIONS = {
    "plain": "",
    "dropped": '[conventions]\nquasi-identifiers = "drop-rows"\n',
    "one-value": '[conventions]\nsensitive = "one-value"\nsuppressed-tuples = "include"\n',
    "one-value-dropped": (
        '[conventions]\nsensitive = "one-value"\nquasi-identifiers = "drop-rows"\n'
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("parts")
    for name, text in FILES.items():
        (made / name).write_text(text)
    for name, text in CONVENTIONS.items():
        (made / f"{name}-measured.toml").write_text(POLICY + text)
        # An unknown value has no place in an order.
        asked = (
            REQUIRED
            if not name.startswith("one-value")
            else REQUIRED.replace(', { t = 0.4, distance = "numeric" }', "")
        )
        (made / f"{name}-required.toml").write_text(POLICY + text + asked)
    return made


def write(path: Path, rows) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return path


def both(release: Path, policy, parts: int) -> tuple[AuditReport, AuditReport]:
    """The audit in one piece, and in so many parts."""
    whole = anonaudit.audit(release, policy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duck, "check_combinations", refuse_once())
        patch.setattr(duck_parts, "parts_needed", lambda *_: parts)
        return whole, anonaudit.audit(release, policy)


def refuse_once():
    left = [memory.TooManyCombinationsError(1, 1, 1)]

    def check(*_):
        if left:
            raise left.pop()

    return check


def without(finding, *names):
    return {name: value for name, value in vars(finding).items() if name not in names}


# About all classes at once, or about other conventions.
LEFT_OUT = {
    "nearly-unique-quasi-identifier",
    "verdict-depends-on-convention",
    "convention-not-measured",
}

NAMES = [
    f"{convention}-{asked}" for convention in CONVENTIONS for asked in ("measured", "required")
]


def kept(finding) -> dict[str, object]:
    """The details that are known from those of parts."""
    known = finding.details.items()
    return {key: value for key, value in known if key in DETAILS and value is not None}


def check(folder: Path, name: str, rows, parts: int) -> None:
    release = write(folder / "release.csv", rows)
    whole, found = both(release, folder / f"{name}.toml", parts)
    assert found.outcome is whole.outcome
    assert found.release == whole.release
    assert [m.model for m in found.models] == [m.model for m in whole.models]
    for one, other in zip(whole.models, found.models, strict=True):
        apart = ("witness", "violating", "details", "notes", "by_convention")
        assert without(one, *apart) == without(other, *apart)
        assert kept(one) == other.details
        assert {n for n in one.notes if not n.startswith("Condition 2")} == set(other.notes)
        assert (one.witness is None) == (other.witness is None)
    for one, other in zip(whole.attacks, found.attacks, strict=True):
        apart = ("witness", "exposed", "details")
        assert without(one, *apart) == without(other, *apart)
        assert kept(other) == (kept(one) if one.targets else {})
        assert ("witness" in other.details) == ("witness" in one.details)
        shown = [None if w is None else w.rows for w in (one.witness, other.witness)]
        assert shown[0] == shown[1]
    codes = {"audited-in-parts"} | {w.code for w in whole.warnings} - LEFT_OUT
    assert {warning.code for warning in found.warnings} == codes


@settings(max_examples=8)
@given(name=st.sampled_from(NAMES), rows=TABLES, parts=st.integers(2, 5))
def test_nothing_depends_on_the_parts(folder, name, rows, parts):
    check(folder, name, rows, parts)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20)
@given(rows=TABLES, parts=st.integers(1, 5))
def test_nothing_depends_on_the_parts_long(folder, name, rows, parts):
    check(folder, name, rows, parts)


def test_every_model_is_known_to_be_decided_by_class_or_not():
    beyond = {
        "individual-risk",
        "journalist-risk",
        "k-map",
        "marketer-risk",
        "sample-uniques",
        "valid-generalization",
    }
    assert in_parts.MODELS | beyond == set(MODELS)
    assert not in_parts.MODELS & beyond


@pytest.mark.parametrize(
    ("section", "named"),
    [
        ("[columns]\ncount = 'n'", "a count column"),
        ("[columns]\nunit = 'n'", "a unit column"),
        ("[columns]\nweight = 'n'", "a weight column"),
        ("[values]\nnormalize = ['whitespace']", "repairs of spelling (normalize)"),
        ("[conventions]\nquasi-identifiers = 'wildcard'", "wildcards"),
        ("[original]\nfile = 'o.csv'\nalign = 'order'", "an original"),
        ("[population]\nfile = 'o.csv'", "a population"),
        ("[require]\nsample-uniques = { share = 0.1 }", "sample-uniques"),
        (
            "[require]\nrule-confidence = { below = 0.5, min-rows = 2 }",
            "rule-confidence with min-rows",
        ),
        ("[attacks]\nskewness = {}", "skewness"),
    ],
)
def test_what_is_about_all_classes_is_not_put_together(tmp_path, section, named):
    columns = "quasi-identifiers = ['age']\nsensitive = ['dx']\n"
    head, _, rest = section.partition("\n")
    text = f"[columns]\n{columns}" + (rest if head == "[columns]" else section)
    (tmp_path / "p.toml").write_text(text)
    (tmp_path / "r.csv").write_text("age,dx,n\n1,flu,1\n2,flu,2\n2,hiv,3\n")
    (tmp_path / "o.csv").write_text("age,dx,n\n1,flu,1\n2,flu,2\n2,hiv,3\n")
    with pytest.raises(InputError) as refused:
        both(tmp_path / "r.csv", tmp_path / "p.toml", 2)
    assert f"cannot be audited in parts because of {named}" in str(refused.value)
    assert "There are 2 combinations of quasi-identifiers" in str(refused.value)


TYPED = {
    "whole": pa.array([1, 2, 2, None, 999, 1], pa.int32()),
    "cents": pa.array([1.5, 2.0, 2.0, None, 1.5, 1.5], pa.float64()),
    "exact": pa.array([Decimal("1.50"), None, Decimal(2), Decimal(2), None, None]),
    "day": pa.array([date(2020, 1, d) if d else None for d in (1, 2, 2, 0, 1, 1)]),
    "flag": pa.array([True, False, False, None, True, True]),
    "text": pa.array(["a", "?", "", None, "999", "a"]),
    "kind": pa.array(["x", "y", "y", None, "x", "x"]).dictionary_encode(),
}


@pytest.mark.parametrize("left_out", [None, *TYPED])
def test_columns_of_any_type(tmp_path, left_out):
    """Cells that the convention makes equal must not come into different parts."""
    table = pa.table({**TYPED, "dx": ["flu", "hiv", "flu", "hiv", "flu", "flu"]})
    pq.write_table(table, tmp_path / "r.parquet")
    quasi = [name for name in TYPED if name != left_out]
    policy = Policy(
        Roles(tuple(quasi), ("dx",)), Convention(missing=("?", "999"), suppressed=("*", "x"))
    )
    whole, found = both(tmp_path / "r.parquet", policy, 5)
    assert found.release == whole.release
    assert [m.measured for m in found.models] == [m.measured for m in whole.models]


def test_columns_of_fractions_alone_tell_no_parts_apart(tmp_path):
    pq.write_table(pa.table({"x": [1.5, 2.5], "dx": ["flu", "hiv"]}), tmp_path / "r.parquet")
    policy = Policy(Roles(("x",), ("dx",)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "available", lambda: 2 * 2 * BYTES_A_CELL - 1)
        with pytest.raises(InputError, match="2 different combinations of cells"):
            anonaudit.audit(tmp_path / "r.parquet", policy)


def test_a_class_of_too_many_combinations_is_refused(tmp_path):
    """Of ten rows nine are one class: no part without it is small enough."""
    rows = [("1", f"d{i}") for i in range(9)] + [("2", "d")]
    (tmp_path / "r.csv").write_text("age,dx\n" + "".join(f"{a},{d}\n" for a, d in rows))
    policy = Policy(Roles(("age",), ("dx",)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "available", lambda: 9 * 2 * BYTES_A_CELL - 1)
        with pytest.raises(InputError, match=r"r\.csv: 9 different combinations.* too large"):
            anonaudit.audit(tmp_path / "r.csv", policy)
        patch.setattr(memory, "available", lambda: 9 * 2 * BYTES_A_CELL)
        report = anonaudit.audit(tmp_path / "r.csv", policy)
    assert report.release.classes == 2
    assert report.models[0].measured == 1


def test_a_file_that_python_must_copy_first(folder):
    """A record with a line end in a quoted cell behind a blank line; then as any other."""
    text = 'age,zip,dx,pay\r\n1,a,flu,1\n\n2,a,hiv,"2\n"\n1,a,cold,3\n'
    (folder / "odd.csv").write_bytes(text.encode())
    whole, found = both(folder / "odd.csv", folder / "plain-measured.toml", 2)
    assert found.release == whole.release
    assert found.release.rows == 3
    assert {w.code for w in whole.warnings} <= {w.code for w in found.warnings}


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown", "sarif"])
def test_a_report_in_every_form(folder, form):
    release = write(folder / "shown.csv", [("1", "a", "flu", "1"), ("2", "b", "hiv", "2")])
    _, found = both(release, folder / "plain-required.toml", 2)
    assert found.outcome is Outcome.VIOLATED
    assert "audited-in-parts" in render(found, form)
