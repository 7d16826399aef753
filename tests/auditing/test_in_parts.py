"""A release audited in parts: every number is that of the audit in one piece."""

import csv
from datetime import date
from decimal import Decimal
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonaudit
from anonaudit.auditing import in_parts
from anonaudit.cells import Convention
from anonaudit.details import Details
from anonaudit.errors import InputError
from anonaudit.findings import AuditReport, Outcome
from anonaudit.models import MODELS
from anonaudit.models.level import ParameterError
from anonaudit.models.rule_confidence import ONLY_HIDDEN
from anonaudit.policy.policy import Policy, read_policy
from anonaudit.remedies import remedies
from anonaudit.report import render
from anonaudit.roles import Roles
from anonaudit.source import duck, duck_parts, memory, open_source
from anonaudit.source.memory import BYTES_A_CELL

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
zip = { file = "zip.csv", max-generalization = BOUNDARIES }
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
multi-attribute-l-diversity = [{ l = 2 }, { l = 3, at-most = { dx = 1 } }]
alpha-k-anonymity = [{ alpha = 0.6, k = 2 }, { alpha = 0.5, values = ["virus", "1"] }]
constrained-alpha-k-anonymity = { alpha = 0.5, k = 2, values = ["flu"] }
rule-confidence = { below = 0.9 }
t-closeness = [{ t = 0.2 }, { t = 0.2, distance = "hierarchical" }, { t = 0.4, distance = "numeric" }]
beta-likeness = { beta = 1.0 }
delta-disclosure = { delta = 1.0 }
k-e-anonymity = { k = 2, e = 5 }
prosecutor-risk = [{ highest = 0.4 }, { highest = 0.4 }]
[attacks]
homogeneity = { allow-rate = 0.2 }
elimination = { values = 2, allow-rate = 0.5 }
"""
# With both boundaries no leaf allows `ab`; with one of them `b` allows it, so it is suspected.
BOUNDARIES = {"both": '["a", "b"]', "one": '["a"]'}
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
    for bounded, (name, text) in product(BOUNDARIES, CONVENTIONS.items()):
        policy = POLICY.replace("BOUNDARIES", BOUNDARIES[bounded]) + text
        (made / f"{name}-measured-{bounded}.toml").write_text(policy)
        # An unknown value has no place in an order.
        asked = (
            REQUIRED
            if not name.startswith("one-value")
            else REQUIRED.replace(', { t = 0.4, distance = "numeric" }', "")
        )
        (made / f"{name}-required-{bounded}.toml").write_text(policy + asked)
    return made


def write(path: Path, rows) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return path


def both(release: Path, policy, parts: int) -> tuple[AuditReport, AuditReport]:
    """The audit in one piece, and in so many parts."""
    return anonaudit.audit(release, policy), in_so_many(release, policy, parts)


def in_so_many(release: Path, policy, parts: int) -> AuditReport:
    """The audit in so many parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duck, "check_combinations", refuse_once())
        patch.setattr(duck_parts, "parts_needed", lambda *_: parts)
        return anonaudit.audit(release, policy)


def refuse_once():
    left = [memory.TooManyCombinationsError(1, 1, 1)]

    def check(*_):
        if left:
            raise left.pop()

    return check


def without(finding, *names):
    return {name: value for name, value in vars(finding).items() if name not in names}


def shown(witness):
    """A witness, but for the place of its class, which depends on the parts."""
    return witness and without(witness, "class_number")


# About all classes at once, or about other conventions.
LEFT_OUT = {
    "verdict-depends-on-convention",
    "convention-not-measured",
}

NAMES = [
    f"{convention}-{asked}-{bounded}"
    for convention, asked, bounded in product(CONVENTIONS, ("measured", "required"), BOUNDARIES)
]


def kept(finding) -> dict[str, object]:
    """The details that are known from those of parts."""
    if not isinstance(finding.details, Details):
        return {}
    return dict(type(finding.details).together([finding.details]))


def check(folder: Path, name: str, rows, parts: int) -> None:
    release = write(folder / "release.csv", rows)
    whole, found = both(release, folder / f"{name}.toml", parts)
    assert found.outcome is whole.outcome
    assert found.release == whole.release
    assert [m.model for m in found.models] == [m.model for m in whole.models]
    for one, other in zip(whole.models, found.models, strict=True):
        apart = ("violating", "undecided", "witness", "details", "notes", "by_convention")
        assert without(one, *apart) == without(other, *apart)
        assert kept(one) == other.details
        assert {n for n in one.notes if "Condition 2" not in n} == set(other.notes)
        assert shown(one.witness) == shown(other.witness)
    for one, other in zip(whole.attacks, found.attacks, strict=True):
        apart = ("witness", "exposed", "details", "reason")  # a part knows its own reason only
        assert without(one, *apart) == without(other, *apart)
        assert bool(one.reason) is bool(other.reason)
        assert kept(other) == (kept(one) if one.targets else {})
        assert ("witness" in other.details) == ("witness" in one.details)
        assert shown(one.witness) == shown(other.witness)
    codes = {"audited-in-parts"} | {w.code for w in whole.warnings} - LEFT_OUT
    assert {warning.code for warning in found.warnings} == codes


@settings(max_examples=8)
@given(name=st.sampled_from(NAMES), rows=TABLES, parts=st.integers(2, 5))
def test_nothing_depends_on_the_parts(folder, name, rows, parts):
    check(folder, name, rows, parts)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8)
@given(rows=TABLES, parts=st.integers(1, 5))
def test_nothing_depends_on_the_parts_long(folder, name, rows, parts):
    check(folder, name, rows, parts)


def test_every_model_is_known_to_be_decided_by_class_or_not():
    beyond = {
        "all-m-anonymity",
        "ck-safety",
        "delta-presence",
        "interval-disclosure",
        "household-k-anonymity",
        "household-risk",
        "individual-risk",
        "journalist-risk",
        "k-map",
        "marketer-risk",
        "no-direct-identifiers",
        "population-uniqueness",
        "sample-uniques",
        "valid-generalization",
    }
    assert {name for name, model in MODELS.items() if not model.about.by_class} == beyond


@pytest.mark.parametrize(
    ("section", "named"),
    [
        ("[columns]\ncount = 'n'", "a count column"),
        ("[columns]\nunit = 'n'", "a unit column"),
        ("[columns]\nweight = 'n'", "a weight column"),
        ("[columns]\nhousehold = 'n'", "a household column"),
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
    assert f"in parts because of {named}" in str(refused.value)
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
        with pytest.raises(
            InputError, match=r"r\.csv: 10 different .* too large \(9 combinations\)"
        ):
            anonaudit.audit(tmp_path / "r.csv", policy)
        patch.setattr(memory, "available", lambda: 9 * 2 * BYTES_A_CELL)
        report = anonaudit.audit(tmp_path / "r.csv", policy)
    assert report.release.classes == 2
    assert report.models[0].measured == 1


def test_a_file_that_python_must_copy_first(folder):
    """A record with a line end in a quoted cell behind a blank line; then as any other."""
    text = 'age,zip,dx,pay\r\n1,a,flu,1\n\n2,a,hiv,"2\n"\n1,a,cold,3\n'
    (folder / "odd.csv").write_bytes(text.encode())
    whole, found = both(folder / "odd.csv", folder / "plain-measured-both.toml", 2)
    assert found.release == whole.release
    assert found.release.rows == 3
    assert {w.code for w in whole.warnings} <= {w.code for w in found.warnings}


def test_persons_with_several_rows_are_warned_of(tmp_path):
    """Six rows of three patients, and no unit: once, as of one piece."""
    rows = "".join(f"{q},{dx},{p}\n" for q, dx, p in zip("112233", "xyxyxy", "abcabc", strict=True))
    (tmp_path / "r.csv").write_text("q,dx,patient_id\n" + rows)
    (tmp_path / "p.toml").write_text(by_q("dx"))
    for report in both(tmp_path / "r.csv", tmp_path / "p.toml", 3):
        warned = [w.column for w in report.warnings if w.code == "undeclared-unit"]
        assert warned == ["patient_id"]


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown", "sarif"])
def test_a_report_in_every_form(folder, form):
    release = write(folder / "shown.csv", [("1", "a", "flu", "1"), ("2", "b", "hiv", "2")])
    found = in_so_many(release, folder / "plain-required-both.toml", 2)
    assert found.outcome is Outcome.VIOLATED
    assert "audited-in-parts" in render(found, form)


def by_q(*sensitive: str) -> str:
    """The columns of a policy with one quasi-identifier."""
    return f'[columns]\nquasi-identifiers = ["q"]\nsensitive = {[*sensitive]}\n'


def apart(folder: Path, policy: str, rows: str):
    """Both audits of a release with two kinds of rows, each in a part of its own."""
    (folder / "apart.toml").write_text(policy)
    (folder / "apart.csv").write_text(rows)
    whole, found = both(folder / "apart.csv", folder / "apart.toml", 20)
    assert "in 2 part(s) of whole classes" in found.warnings[0].message
    return whole, found


def test_a_limit_that_is_broken_in_one_part_decides_nothing_of_the_others(tmp_path):
    """Of seven rows six are disclosed by two values, and one is undecided; of nine others none.

    In nine rows of different values, eight must be eliminated to make one certain.
    """
    mixed = ["303", "200", "112", "120", "132", "000", "101"]
    rows = [f"p,{','.join(row)}" for row in mixed] + [f"q,{i},{i},{i}" for i in range(9)]
    policy = (
        by_q("a", "b", "c")
        + """
[attacks]
elimination = { values = 2, budget = 0, allow-rate = 0.4 }
"""
    )
    whole, found = apart(tmp_path, policy, "q,a,b,c\n" + "\n".join(rows) + "\n")
    for report in (whole, found):
        attack = report.attacks[0]
        assert (attack.disclosed, attack.undecided, attack.targets) == (6, 1, 16)
        assert attack.outcome is Outcome.INCONCLUSIVE
        assert "1 " in (attack.reason or "")
        assert report.outcome is Outcome.INCONCLUSIVE


def test_what_unknown_cells_may_hide_in_one_part_is_said(tmp_path):
    """Were the unknown cell flu, everybody with 1 would have it."""
    policy = (
        by_q("dx")
        + """
[require]
rule-confidence = { below = 0.9 }
"""
    )
    rows = "q,dx\n1,flu\n1,\n2,flu\n2,hiv\n"
    for report in apart(tmp_path, policy, rows):
        assert report.models[0].outcome is Outcome.HOLDS
        assert ONLY_HIDDEN in report.models[0].notes


def test_an_attribute_that_a_limit_leaves_unprotected_is_said_with_the_fewest_of_its_values(
    tmp_path,
):
    """One dx with 1, two with 2, which may not be deleted; three ages protect L = 3."""
    policy = (
        by_q("dx", "age")
        + """
[require]
multi-attribute-l-diversity = { l = 3, at-most = { dx = 0 } }
"""
    )
    rows = "q,dx,age\n1,flu,1\n1,flu,2\n1,flu,3\n2,flu,1\n2,hiv,2\n2,hiv,3\n"
    for report in apart(tmp_path, policy, rows):
        assert report.models[0].measured == 3
        [note] = report.models[0].notes
        assert note.startswith("'dx' is not protected: a class has only 1 of its values")


@pytest.mark.parametrize("parts", range(1, 8))
@pytest.mark.parametrize(
    ("required", "rows"),
    [
        # The row of the empty cell is in no class; the two of `ab` have no known value.
        (
            'constrained-k-anonymity = { k = 2 }\n[conventions]\nquasi-identifiers = "drop-rows"',
            "a,1,x\na,1,y\n,3,x\n",
        ),
        ("constrained-l-diversity = { l = 2 }", "a,1,x\na,1,y\nab,2,\nab,2,\n"),
    ],
)
def test_a_part_with_suspected_values_and_no_level_is_not_ignored(tmp_path, required, rows, parts):
    """An empty cell and `ab` may come from b, which allows them, or from a, which does not."""
    (tmp_path / "q.csv").write_text("a,ab,*\nb,ab,*\n")
    (tmp_path / "p.toml").write_text(
        '[columns]\nquasi-identifiers = ["q", "z"]\nsensitive = ["s"]\n'
        '[hierarchies]\nq = { file = "q.csv", max-generalization = ["a"] }\n'
        f"[require]\n{required}\n"
    )
    (tmp_path / "r.csv").write_text("q,z,s\n" + rows)
    for report in both(tmp_path / "r.csv", tmp_path / "p.toml", parts):
        assert [model.outcome for model in report.models][:1] == [Outcome.INCONCLUSIVE]


def test_values_without_a_number_are_counted_in_all_parts(tmp_path):
    policy = (
        by_q("pay")
        + """
[values]
ordered = { pay = ["low", "high"] }
[require]
k-e-anonymity = { e = 1 }
"""
    )
    (tmp_path / "p.toml").write_text(policy)
    (tmp_path / "r.csv").write_text("q,pay\n1,low\n2,mid\n3,top\n4,mad\n")
    for parts in (1, 20):
        with pytest.raises(ParameterError, match=r"^3 value\(s\) of 'pay' have no number"):
            in_so_many(tmp_path / "r.csv", tmp_path / "p.toml", parts)


def test_an_unknown_value_in_no_class_takes_no_order_away(tmp_path):
    """The suppressed row is in no class, so every value there has a place in the order."""
    policy = (
        by_q("pay")
        + """
[conventions]
sensitive = "one-value"
"""
    )
    for report in apart(tmp_path, policy, "q,pay\n2,10\n2,20\n*,\n"):
        named = [m.parameters.get("distance") for m in report.models if m.model == "t-closeness"]
        assert named == ["equal", "ordered"]


def test_a_value_in_no_class_is_no_step_of_the_order_in_any_part(tmp_path):
    """10 is 2/3 of the whole, and the class of 20 has none of it: one step of one."""
    policy = f"{by_q('pay')}[require]\nt-closeness = {{ t = 0.5, distance = 'ordered' }}\n"
    (tmp_path / "p.toml").write_text(policy)
    (tmp_path / "r.csv").write_text("q,pay\np,10\np,10\nq,20\n*,50\n")
    for parts in (1, 20):
        report = in_so_many(tmp_path / "r.csv", tmp_path / "p.toml", parts)
        assert report.models[0].measured == pytest.approx(2 / 3)


def test_nothing_depends_on_how_many_parts_there_are(folder):
    """Three classes of one row: the first in order is shown, whatever its part."""
    release = write(folder / "many.csv", [(a, "a", "flu", "1") for a in ("2", "3", "1")])
    for parts in range(1, 8):
        found = in_so_many(release, folder / "plain-required-both.toml", parts)
        findings = [*found.models, *found.attacks]
        shown_rows = {f.witness.positions for f in findings if f.witness is not None}
        assert shown_rows == {(3,)}


def test_a_reading_is_admitted_by_a_label_of_any_part(tmp_path):
    rows = '"{20,30}",F,a\n40,F,b\n50,M,c\n60,M,d\n'
    (tmp_path / "r.csv").write_text("age,sex,dx\n" + rows)
    columns = 'columns = { quasi-identifiers = ["age", "sex"], sensitive = ["dx"] }\n'
    for reading in ("set", "interval"):
        (tmp_path / "r.toml").write_text(columns + f'values.reading.age = "{reading}"')
        assert in_so_many(tmp_path / "r.csv", tmp_path / "r.toml", 20).release.rows == 4
    (tmp_path / "r.toml").write_text(columns + 'values.reading.sex = "set"')
    with pytest.raises(InputError, match="no label of column 'sex' can be read"):
        in_so_many(tmp_path / "r.csv", tmp_path / "r.toml", 20)


def test_remedies_are_not_tried_in_parts(folder):
    release = write(folder / "mend.csv", [("1", "a", "flu", "1"), ("2", "b", "hiv", "2")])
    policy = read_policy(folder / "plain-required-both.toml")
    told = remedies(release, policy, report=in_so_many(release, policy, 2))
    assert told.reason == "remedies are not tried on releases that are audited in parts"


def test_interrupting_duckdb_is_interrupting(tmp_path):
    """DuckDB raises RuntimeError where it is interrupted while a query is put together."""
    (tmp_path / "r.csv").write_text("a\n1\n")

    def interrupted(_):
        raise RuntimeError("Query interrupted")

    source = open_source(tmp_path / "r.csv")
    with pytest.raises(KeyboardInterrupt):
        source.parts(interrupted, [], [])
    with pytest.raises(KeyboardInterrupt):
        source.collect(interrupted)


def test_columns_that_tell_most_rows_apart(tmp_path):
    """32 rows: 29 or 31 values of each column; 999, {0}, it's and an empty text mean missing."""
    rest = list(range(29))
    table = {
        "whole": [999, None, 999, *rest],
        "text": ["it's", "{0}", "", *map(str, rest)],
        "cents": pa.array([float("nan"), 29.5, 30.5, *map(float, rest)], pa.float64()),
        "same": ["a"] * 32,
        "dx": ["flu", "hiv"] * 16,
    }
    pq.write_table(pa.table(table), tmp_path / "r.parquet")
    policy = Policy(
        Roles(("whole", "text", "cents", "same"), ("dx",)),
        Convention(missing=("999", "{0}", "it's")),
    )
    expected = [("whole", 29), ("text", 29), ("cents", 31)]
    for looked_at in (in_parts.MOST_LABELS, 1):  # known from the labels; asked of the engine
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(in_parts, "MOST_LABELS", looked_at)
            for report in both(tmp_path / "r.parquet", policy, 3):
                told = [
                    (w.column, int(w.message.split()[0]))
                    for w in report.warnings
                    if w.code == "nearly-unique-quasi-identifier"
                ]
                assert told == expected
