"""What users of other tools reported as wrong, as small tables with the right answer.

The tables are invented; each answer was counted by hand, and again by SQL (see the comment of
each test for the kind of mistake). Every case runs through the whole of `audit`.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonaudit
from anonaudit.errors import HierarchyError, InputError
from anonaudit.findings import AuditReport, Measurement, Outcome
from anonaudit.generalization.hierarchy import Hierarchy
from anonaudit.masking.maskers import mask
from anonaudit.policy.policy import parse_policy


class Bench:
    """Writes a release and a policy, and audits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    def audit(self, csv: str, policy: str) -> AuditReport:
        release = self.file("release.csv", csv)
        return anonaudit.audit(release, parse_policy(policy, folder=self.folder))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def model(report: AuditReport, name: str, **parameters: object) -> Measurement:
    """The first measurement of a model with these parameters."""
    return next(
        m for m in report.models if m.model == name and parameters.items() <= m.parameters.items()
    )


LOCALLY_SUPPRESSED = """\
valley,job,band
Lune,smith,40-59
Lune,smith,40-59
Lune,smith,40-59
Lune,baker,40-59
Lune,baker,40-59
Lune,,40-59
Orr,baker,40-59
Orr,baker,40-59
Orr,baker,40-59
"""


@pytest.mark.parametrize(
    ("conventions", "k", "dropped"),
    [
        ("", 1, 0),
        ("quasi-identifiers = 'wildcard'", 3, 0),
        ("quasi-identifiers = 'wildcard'\nwildcard-weight = 0.5", 2.5, 0),
        ("quasi-identifiers = 'wildcard'\nwildcard-weight = 0.0", 2, 0),
        ("quasi-identifiers = 'drop-rows'", 2, 1),
    ],
)
def test_k_of_a_locally_suppressed_file_depends_on_the_convention_and_says_so(
    bench: Bench, conventions: str, k: float, dropped: int
) -> None:
    report = bench.audit(
        LOCALLY_SUPPRESSED,
        f"columns.quasi-identifiers = ['valley', 'job', 'band']\n[conventions]\n{conventions}",
    )
    assert model(report, "k-anonymity").measured == k
    assert report.release.dropped_rows == dropped
    assert report.release.convention["quasi_identifiers"] in (conventions or "own-category")
    assert report.release.missing_cells == {"valley": 0, "job": 1, "band": 0}


def test_rows_with_a_missing_key_stay_in_the_count(bench: Bench) -> None:
    csv = (
        "district,sex,dx\nAshby,F,flu\nAshby,F,asthma\nAshby,F,flu\n"
        "Borl,M,flu\nBorl,M,gout\nBorl,M,gout\n,M,hiv\nBorl,,flu\n"
    )
    columns = "columns = { quasi-identifiers = ['district', 'sex'], sensitive = ['dx'] }\n"
    report = bench.audit(csv, columns)
    assert (report.release.rows, report.release.classes) == (8, 4)
    assert model(report, "k-anonymity").measured == 1
    wild = bench.audit(csv, columns + "conventions.quasi-identifiers = 'wildcard'")
    assert model(wild, "k-anonymity").measured == 3


def test_missing_sensitive_cells_are_no_values_of_their_own(bench: Bench) -> None:
    csv = "qi,result\nP,pos\nP,\nP,\nQ,\nQ,\nQ,\nR,pos\nR,neg\nR,\n"
    columns = "columns = { quasi-identifiers = ['qi'], sensitive = ['result'] }\n"
    found = model(bench.audit(csv, columns + "require.l-diversity = { l = 2 }"), "l-diversity")
    assert (found.measured, found.classes_violating, found.rows_violating) == (1, 1, 3)
    assert found.per_attribute["result"].classes_without_known_value == 1  # Q
    as_value = bench.audit(
        csv, columns + "conventions.sensitive = 'one-value'\nrequire.l-diversity = { l = 3 }"
    )
    found = model(as_value, "l-diversity")
    # P has 2, Q 1, R 3 values: never 3 for the empty cells of P and Q.
    assert (found.measured, found.classes_violating, found.rows_violating) == (1, 2, 6)


STARRED = """\
age,sex,post,dx
<40,F,55***,flu
<40,F,55***,gout
>=40,M,55***,flu
>=40,M,55***,flu
*,*,*,asthma
>=40,F,55***,gout
>=40,F,55***,hiv
"""


@pytest.mark.parametrize(
    ("conventions", "k", "classes", "suppressed"),
    [
        ("", 2, 3, 1),
        ("suppressed-tuples = 'include'", 1, 4, 0),
        ("suppressed-tuples = 'include'\nquasi-identifiers = 'wildcard'", 3, 4, 0),
    ],
)
def test_a_fully_starred_row_is_a_suppressed_tuple(
    bench: Bench, conventions: str, k: int, classes: int, suppressed: int
) -> None:
    report = bench.audit(
        STARRED,
        "columns = { quasi-identifiers = ['age', 'sex', 'post'], sensitive = ['dx'] }\n"
        f"[conventions]\n{conventions}",
    )
    assert model(report, "k-anonymity").measured == k
    assert report.release.classes == classes
    assert report.release.suppressed_tuples == suppressed
    if not conventions:
        assert report.release.class_sizes["mean"] == 2.0
    # 55*** is generalized, not suppressed.
    assert report.release.suppressed_cells["post"] == 1


def test_without_quasi_identifiers_no_row_is_suppressed(bench: Bench) -> None:
    report = bench.audit(STARRED, "columns.sensitive = ['dx']")
    assert (report.release.suppressed_tuples, report.release.classes) == (0, 1)


def test_categories_nobody_has_are_no_classes() -> None:
    frame = pd.DataFrame(
        {
            "ward": pd.Categorical(list("AABBB"), categories=["A", "B", "C"]),
            "sex": pd.Categorical(list("FFMMM"), categories=["F", "M"]),
            "dx": ["flu", "gout", "flu", "gout", "flu"],
        }
    )
    report = anonaudit.audit(frame, quasi_identifiers=["ward", "sex"], sensitive=["dx"])
    assert report.release.classes == 2
    assert report.models[0].measured == 2
    assert report.release.class_sizes == {
        "min": 2,
        "mean": 2.5,
        "median": 2.5,
        "max": 3,
        "classes of 2": 1,
        "classes of 3": 1,
    }


def test_codes_keep_their_leading_zeros(bench: Bench) -> None:
    csv = (
        "code,sex,dx\n0712,F,flu\n0712,F,gout\n712,F,flu\n712,F,hiv\n"
        "7120,F,flu\n7120,F,gout\n00712,F,asthma\n"
    )
    columns = "columns = { quasi-identifiers = ['code', 'sex'], sensitive = ['dx'] }"
    report = bench.audit(csv, columns)
    assert (model(report, "k-anonymity").measured, report.release.classes) == (1, 4)
    shortened = "".join(line[:2] + line[line.index(",") :] + "\n" for line in csv.split()[1:])
    report = bench.audit("code,sex,dx\n" + shortened, columns)
    assert (model(report, "k-anonymity").measured, report.release.classes) == (1, 3)
    assert report.release.class_sizes["max"] == 4


SPELLINGS = (
    'age,town\n"[20, 30[",Ostby\n"[20,30)",ostby\n"[20,30[","Ostby "\n"[ 20 , 30 [",OSTBY\n'
    '"]30, 40]",Vika\n"(30,40]",Vika\n"[20,30]",Ostby\n"[20,30]",Ostby\n'
)


@pytest.mark.parametrize(
    ("normalize", "k", "classes"),
    [
        ("[]", 1, 7),
        ("['whitespace']", 1, 6),
        ("['whitespace', 'case', 'intervals']", 2, 3),
    ],
)
def test_spellings_are_counted_as_written_unless_told_otherwise(
    bench: Bench, normalize: str, k: int, classes: int
) -> None:
    report = bench.audit(
        SPELLINGS,
        f"columns.quasi-identifiers = ['age', 'town']\nvalues.normalize = {normalize}",
    )
    assert (model(report, "k-anonymity").measured, report.release.classes) == (k, classes)
    warned = {notice.column for notice in report.warnings if "near-dup" in notice.code}
    assert warned == ({"age", "town"} if classes > 3 else set())


def test_overlapping_intervals_are_warned_about_and_linked_by_meaning(bench: Bench) -> None:
    csv = (
        'age,sex,dx\n"[20,40[",F,flu\n"[20,40[",F,gout\n"[30,50[",F,flu\n"[30,50[",F,hiv\n'
        '"[30,50[",F,flu\n"[50,60[",F,gout\n"[50,60[",F,flu\n'
    )
    candidates = {25: 2, 35: 5, 45: 3, 50: 2, 60: 0}
    for age, rows in candidates.items():
        bench.file("people.csv", f"name,age,sex\nx,{age},F\n")
        report = bench.audit(
            csv,
            "columns = { quasi-identifiers = ['age', 'sex'], sensitive = ['dx'] }\n"
            "attacks.linkage = { external = 'people.csv', identity = ['name'] }",
        )
        assert model(report, "k-anonymity").measured == 2
        assert report.attacks[0].details["pairs"] == rows
        (notice,) = [n for n in report.warnings if n.code == "overlapping-intervals"]
        assert set(notice.labels) == {"[20,40[ ~ [30,50["}


AGES = "age,dx\n18,flu\n23,gout\n23,flu\n52,hiv\n61,gout\n"


def test_a_hierarchy_that_lacks_a_value_is_refused(bench: Bench) -> None:
    tree = Hierarchy.read(bench.file("age.csv", "23,<30,*\n52,>=30,*\n61,>=30,*\n"))
    with pytest.raises(HierarchyError, match="no leaf for 1 value of the data") as caught:
        tree.check_covers(["18", "23", "52", "61"])
    assert caught.value.values == ("18",)


def test_a_value_with_two_parents_is_refused_by_its_lines(bench: Bench) -> None:
    path = bench.file("age.csv", "18,<30,*\n23,<30,*\n23,20s,*\n52,>=30,*\n61,>=30,*\n")
    with pytest.raises(HierarchyError, match=r"lines 2, 3: .*several parents") as caught:
        Hierarchy.read(path)
    assert caught.value.values == ("23",)


def test_a_repeated_line_is_harmless(bench: Bench) -> None:
    path = bench.file("age.csv", "18,<30,*\n23,<30,*\n23,<30,*\n52,>=30,*\n61,>=30,*\n")
    tree = Hierarchy.read(path)
    levels = []
    for level in (0, 1, 2):
        rows = [line.split(",") for line in AGES.split()[1:]]
        masked = "".join(f"{tree.generalize(age, level)},{dx}\n" for age, dx in rows)
        report = bench.audit(
            "age,dx\n" + masked,
            "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\n"
            "conventions.suppressed-tuples = 'include'",
        )
        levels.append(model(report, "k-anonymity").measured)
    assert levels == [1, 2, 5]


def test_levels_that_cut_through_each_other_are_refused_by_name(bench: Bench) -> None:
    path = bench.file(
        "rent.csv",
        "150,0-200,0-400\n350,200-400,0-400\n450,400-800,400-700\n650,400-800,400-700\n"
        "750,400-800,700-1000\n900,800-1600,700-1000\n1500,800-1600,1000-1600\n",
    )
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.read(path)
    assert set(caught.value.values) >= {"400-800"}
    assert set(caught.value.values) <= {"400-800", "800-1600"}


def test_a_european_export_is_read_as_it_is_meant(bench: Bench) -> None:
    csv = "\ufeffplz;sex;dose\n04109;F;1,5\n04109;F;2,5\n04109;F;1,5\n08056;M;2,5\n08056;M;10,0\n"
    report = bench.audit(
        csv,
        "columns = { quasi-identifiers = ['plz', 'sex'], sensitive = ['dose'] }\n"
        "values = { decimal = ',', numeric = ['dose'] }",
    )
    assert model(report, "k-anonymity").measured == 2
    assert model(report, "l-diversity").measured == 2
    assert model(report, "t-closeness", distance="ordered").measured == pytest.approx(0.35)
    assert model(report, "t-closeness", distance="equal").measured == pytest.approx(0.4)


def test_a_column_name_twice_is_refused(bench: Bench) -> None:
    with pytest.raises(InputError, match="duplicate column name 'age'"):
        bench.audit(
            "age,sex,age,dx\n20-29,F,20,flu\n30-39,M,34,hiv\n",
            "columns.quasi-identifiers = ['age', 'sex']",
        )


def test_no_rows_is_no_pass(bench: Bench) -> None:
    report = bench.audit(
        "age,sex,dx\n",
        "columns = { quasi-identifiers = ['age', 'sex'], sensitive = ['dx'] }\n"
        "require.k-anonymity = { k = 2 }",
    )
    assert (report.release.rows, report.release.classes) == (0, 0)
    assert {m.measured for m in report.models} == {None}
    assert model(report, "k-anonymity").outcome is Outcome.INCONCLUSIVE
    assert report.outcome is Outcome.INCONCLUSIVE
    assert not report.passed


def test_an_empty_file_has_no_columns(bench: Bench) -> None:
    with pytest.raises(InputError, match="header"):
        bench.audit("", "columns.quasi-identifiers = ['age']")


def test_one_oddly_named_column_and_k_beyond_the_rows(bench: Bench) -> None:
    report = bench.audit(
        "shoe size (EU)\n41\n41\n38\n38\n38\n",
        "columns.quasi-identifiers = ['shoe size (EU)']\nrequire.k-anonymity = { k = 10 }",
    )
    found = model(report, "k-anonymity")
    assert (found.measured, found.rows_violating, report.release.classes) == (2, 5, 2)
    assert any("cannot be reached" in note for note in found.notes)


def test_many_quasi_identifiers(bench: Bench) -> None:
    header = ",".join(f"q{i:02}" for i in range(1, 13))
    rows = ["0" * 12, "0" * 12, "1" + "0" * 10 + "1", "1" + "0" * 10 + "1", "01" + "0" * 9 + "1"]
    rows.append("11" + "0" * 10)
    csv = "\n".join([header, *(",".join(row) for row in rows)]) + "\n"
    report = bench.audit(
        csv, f"columns.quasi-identifiers = {header.split(',')}\nrequire.k-anonymity = {{ k = 2 }}"
    )
    found = model(report, "k-anonymity")
    assert (found.measured, found.rows_violating) == (1, 2)


@pytest.mark.parametrize(("k", "classes", "rows"), [(2, 0, 0), (3, 1, 2), (5, 3, 8)])
def test_k_is_the_smallest_class_and_a_class_of_k_is_fine(
    bench: Bench, k: int, classes: int, rows: int
) -> None:
    csv = (
        "age,area,dx\n30s,AB,flu\n30s,AB,gout\n30s,AB,flu\n40s,AB,flu\n40s,AB,flu\n40s,AB,hiv\n"
        "30s,CD,flu\n30s,CD,gout\n30s,CD,hiv\n30s,CD,flu\n30s,CD,flu\n50s,CD,gout\n50s,CD,flu\n"
    )
    report = bench.audit(
        csv,
        "columns = { quasi-identifiers = ['age', 'area'], sensitive = ['dx'] }\n"
        f"require.k-anonymity = {{ k = {k} }}",
    )
    found = model(report, "k-anonymity")
    assert (found.measured, found.classes_violating, found.rows_violating) == (2, classes, rows)
    assert model(report, "l-diversity").measured == 2
    assert report.release.class_sizes["mean"] == 3.25
    assert report.release.class_sizes["median"] == 3


def test_rows_of_one_person_are_no_crowd(bench: Bench) -> None:
    csv = (
        "pid,age,sex,dx\np1,30s,F,flu\np1,30s,F,flu\np1,30s,F,gout\np2,40s,M,flu\np3,40s,M,hiv\n"
        "p4,40s,M,gout\np5,40s,M,flu\np5,50s,M,flu\np6,50s,M,gout\n"
    )
    columns = "quasi-identifiers = ['age', 'sex']\nsensitive = ['dx']"
    rows = bench.audit(csv, f"[columns]\n{columns}")
    assert model(rows, "k-anonymity").measured == 2
    assert rows.release.persons is None
    persons = bench.audit(csv, f"[columns]\n{columns}\nunit = 'pid'")
    found = model(persons, "k-anonymity")
    assert found.measured == 1
    assert (persons.release.rows, persons.release.persons) == (9, 6)
    assert persons.release.class_sizes == {
        "min": 1,
        "mean": pytest.approx(7 / 3),
        "median": 2,
        "max": 4,
        "classes of 1": 1,
        "classes of 2": 1,
        "classes of 4": 1,
    }
    assert found.details["k by whole histories"] == 1
    assert found.details["persons alone by history"] == 3  # p1, p5, p6


def test_an_aggregated_release_counts_records_and_refuses_weights(bench: Bench) -> None:
    policy = "columns = { quasi-identifiers = ['age'], sensitive = ['dx'], count = 'n' }"
    report = bench.audit("age,dx,n\n30s,flu,2\n30s,hiv,1\n40s,flu,4\n50s,flu,0\n", policy)
    assert report.release.rows == 7
    assert report.release.classes == 2
    assert model(report, "k-anonymity").measured == 3
    with pytest.raises(InputError, match="'n' must hold whole numbers"):
        bench.audit("age,dx,n\n30s,flu,2.5\n", policy)


@pytest.mark.parametrize(
    ("reading", "measured", "by_attribute"),
    [
        ("each", 1, {"dx": 2, "debt": 1}),
        ("joint", 2, {"dx / debt": 2}),
        ("others-known", 1, {"dx": 1, "debt": 1}),
    ],
)
def test_several_sensitive_attributes_have_three_readings(
    bench: Bench, reading: str, measured: int, by_attribute: dict[str, int]
) -> None:
    csv = (
        "age,sex,dx,debt\n30s,F,flu,low\n30s,F,gout,low\n30s,F,flu,low\n30s,F,gout,low\n"
        "40s,M,flu,low\n40s,M,hiv,low\n40s,M,gout,high\n40s,M,gout,high\n"
    )
    report = bench.audit(
        csv,
        "columns = { quasi-identifiers = ['age', 'sex'], sensitive = ['dx', 'debt'] }\n"
        f"require.l-diversity = {{ l = 2, reading = '{reading}' }}",
    )
    found = model(report, "l-diversity")
    assert found.measured == measured
    assert {name: level.measured for name, level in found.per_attribute.items()} == by_attribute
    assert model(report, "p-sensitive-k-anonymity").measured == 1
    assert model(report, "k-anonymity").measured == 4


def test_ties_and_a_constant_in_ordered_t_closeness(bench: Bench) -> None:
    csv = "grp,pay,site\ng1,30,7\ng1,30,7\ng1,40,7\ng2,40,7\ng2,50,7\ng2,90,7\n"
    policy = (
        "columns = { quasi-identifiers = ['grp'], sensitive = ['pay', 'site'] }\n"
        "values.numeric = ['pay', 'site']\nrequire.t-closeness = [{ t = 1, distance = 'equal' }, "
        "{ t = 1, distance = 'ordered' }, { t = 1, distance = 'numeric' }]"
    )
    report = bench.audit(csv, policy)
    for distance, pay in (("equal", 1 / 3), ("ordered", 5 / 18), ("numeric", 2 / 9)):
        found = model(report, "t-closeness", distance=distance)
        assert found.per_attribute["pay"].measured == pytest.approx(pay)
        assert found.per_attribute["site"].measured == 0
    assert report.attacks[0].per_attribute["site"] == 6  # one value: t is 0, all are disclosed


def test_entropy_does_not_depend_on_a_base_nor_on_rounding(bench: Bench) -> None:
    csv = "grp,dx\na,flu\na,gout\nb,flu\nb,flu\nb,flu\nb,gout\n"
    columns = "columns = { quasi-identifiers = ['grp'], sensitive = ['dx'] }\n"
    both = model(
        bench.audit(csv, columns + "require.entropy-l-diversity = { l = 2 }"), "entropy-l-diversity"
    )
    assert both.measured == pytest.approx(1.754765, abs=1e-6)
    assert (both.outcome, both.classes_violating) == (Outcome.VIOLATED, 1)
    alone = bench.audit(csv[: csv.index("b,")], columns + "require.entropy-l-diversity = { l = 2 }")
    assert model(alone, "entropy-l-diversity").outcome is Outcome.HOLDS


@pytest.mark.parametrize("m", [2, 3, 4, 6, 7, 8, 10])
def test_equally_frequent_values_are_exactly_entropy_diverse(bench: Bench, m: int) -> None:
    csv = "grp,dx\n" + "".join(f"a,v{i}\n" for i in range(m))
    report = bench.audit(
        csv,
        "columns = { quasi-identifiers = ['grp'], sensitive = ['dx'] }\n"
        f"require.entropy-l-diversity = {{ l = {m} }}",
    )
    assert report.outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    ("c", "l", "level", "holds"), [(2, 2, 5 / 3, True), (5, 3, 5.0, False), (5.01, 3, 5.0, True)]
)
def test_recursive_diversity_counts_from_the_most_frequent_value(
    bench: Bench, c: float, l: int, level: float, holds: bool
) -> None:
    csv = "grp,dx\n" + "a,flu\n" * 5 + "a,gout\n" * 2 + "a,hiv\n"
    csv += "b,flu\nb,flu\nb,gout\nb,gout\nb,hiv\nb,hiv\n"
    report = bench.audit(
        csv,
        "columns = { quasi-identifiers = ['grp'], sensitive = ['dx'] }\n"
        f"require.recursive-c-l-diversity = {{ c = {c}, l = {l} }}",
    )
    found = model(report, "recursive-c-l-diversity")
    assert found.measured == pytest.approx(level)
    assert (found.outcome is Outcome.HOLDS) == holds


LINKED = "age,sex,dx\n30s,F,flu\n30s,F,gout\n40s,M,hiv\n40s,M,hiv\n50s,F,flu\n"
LINK = (
    "columns = { quasi-identifiers = ['age', 'sex'], sensitive = ['dx'] }\n"
    "attacks.linkage = { external = 'people.csv', identity = ['name'], allow-rate = 0.9 }"
)


def test_linkage_tells_none_one_and_several_matches_apart(bench: Bench) -> None:
    bench.file("people.csv", "name,age,sex\nA,30s,F\nB,40s,M\nC,50s,F\nD,50s,F\nE,60s,M\n")
    linked = bench.audit(LINKED, LINK).attacks[0]
    assert linked.targets == 5
    expected = {
        "no match": 1,
        "exactly one match": 2,
        "several matches": 2,
        "pairs": 6,
        "unique on both sides": 0,  # C and D share their one row
    }
    assert expected.items() <= linked.details.items()
    assert (linked.identified, linked.disclosed) == (2, 3)  # B, C and D are certain to be ...
    assert linked.rate == pytest.approx(0.6)


def test_linkage_that_reaches_nobody_is_no_safety(bench: Bench) -> None:
    bench.file("people.csv", "name,age,sex\nF,70s,F\nG,80s,M\n")
    report = bench.audit(LINKED, LINK)
    linked = report.attacks[0]
    assert (linked.targets, linked.identified, linked.undecided) == (2, 0, 2)
    assert linked.outcome is Outcome.INCONCLUSIVE
    assert report.outcome is Outcome.INCONCLUSIVE


@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_a_zip_code_generalized_by_a_digit_still_identifies_everyone(seed: int) -> None:
    """1,500 rows, all classes of size 1: an attack that compares texts finds nobody."""
    rng = np.random.default_rng(seed)
    zips = rng.permutation(9000)[:1500] + 1000  # four digits, all different
    last = rng.integers(0, 10, 1500)
    ages = rng.integers(18, 90, 1500)
    release = pd.DataFrame(
        {
            "zip": [f"{z}*" for z in zips],
            "age": ages.astype(str),
            "dx": rng.choice(["flu", "hiv", "gout"], 1500),
        }
    )
    people = pd.DataFrame(
        {
            "person": [f"p{i}" for i in range(1500)],
            "zip": [f"{z}{d}" for z, d in zip(zips, last, strict=True)],
            "age": ages.astype(str),
        }
    )
    report = anonaudit.audit(
        release,
        quasi_identifiers=["zip", "age"],
        sensitive=["dx"],
        external=people,
        identity=["person"],
    )
    linked = report.attacks[0]
    assert (linked.targets, linked.identified, linked.disclosed) == (1500, 1500, 1500)
    assert linked.rate == 1.0


QUASI = "columns = { quasi-identifiers = ['q', 'sex'], sensitive = ['dx'] }\n"
AT_HALF = "attacks.linkage = { external = 'people.csv', identity = ['name'], allow-rate = 0.5 }\n"


def written(*cells: str) -> str:
    """A release of one row a cell, each with an illness of its own."""
    rows = [f'"{cell}",F,d{n}\n' for n, cell in enumerate(cells)]
    return "q,sex,dx\n" + "".join(rows)


def known(*cells: str) -> str:
    """An external table of one person a cell."""
    return "name,q,sex\n" + "".join(f'P{n},"{cell}",F\n' for n, cell in enumerate(cells))


@pytest.mark.parametrize(
    ("rules", "cells", "people", "identified", "undecided"),
    [
        # Bands in words: P0 has two rows, the others one each.
        ("", ["20 to 29", "20 to 29", "5-9", "40s", "85 and over"], ["22", "7", "44", "88"], 3, 0),
        ("", ["under 5", "20s", "20-29 years", "1990s"], ["4", "25", "1993", "60"], 2, 0),
        ("", ["20..29", "30-<40", "90 or older"], ["29", "40", "95"], 2, 0),
        ("", ["in the twenties", "40s"], ["25", "44"], 0, 2),
        # Truncation without stars.
        ("values.reading = { q = 'prefix' }\n", ["02139", "02139", "100", "113"],
         ["02139", "10027", "11375"], 2, 0),
        ("hierarchies.q = { prefixes = [3] }\n", ["02139", "02139", "100", "113"],
         ["02139", "10027", "11375"], 2, 0),
        ("hierarchies.q = { prefixes = [3] }\n", ["021", "100"], ["02139", "10027"], 2, 0),
        ("hierarchies.q = { prefixes = [2] }\n", ["021", "100"], ["02139", "10027"], 0, 2),
        ("hierarchies.q = { prefixes = [3] }\nvalues.reading = { q = 'prefix' }\n",
         ["021", "10"], ["02139", "10027"], 2, 0),
        # Thousands.
        ("", ["20,000-29,999", "<20,000"], ["999", "25000", "25,000"], 3, 0),
        ("", ["1,200", "3,400.50"], ["1200", "3400.5", "200", "7"], 2, 1),
        ("values.decimal = ','\n", ["1.200", "20.000-29.999"], ["1200", "25000,5"], 2, 0),
        # Rounded numbers: 39 and 40 fit one row, 34 two.
        ("values.reading = { q = { rounded = 5 } }\n", ["35", "35", "40"], ["34", "39", "40"], 2, 0),
        ("values.reading = { q = { rounded = 5 } }\n", ["35", "40"], ["37.5", "44"], 0, 1),
        ("values.reading = { q = { rounded = 1000 } }\n", ["12,000", "13000"], ["12,499", "12501"],
         2, 0),
        # Dates, and numbers in sets.
        ("", ["2020-05", "2021"], ["2020-05-17", "2021-11-30", "2019-01-01"], 2, 0),
        ("", ["2020-05-17T08:30:00", "2020-06-01T09:00:00"], ["2020-05-17", "2020-07-01"], 1, 0),
        ("", ["{1,2}", "{30,31}"], ["1.0", "30.0", "3"], 2, 0),
    ],
)  # fmt: skip
def test_labels_as_people_write_them(
    bench: Bench, rules: str, cells: list[str], people: list[str], identified: int, undecided: int
) -> None:
    bench.file("people.csv", known(*people))
    found = bench.audit(written(*cells), QUASI + rules + AT_HALF).attacks[0]
    assert (found.identified, found.undecided) == (identified, undecided)


@pytest.mark.parametrize(
    ("reading", "cells"),
    [
        ("'set'", ["20-30", "40-50"]),
        ("'interval'", ["a", "b"]),
        ("'prefix'", ["20-30", "{1,2}"]),
        ("{ rounded = 5 }", ["33", "a", "20-30"]),
    ],
)
def test_a_reading_that_no_label_admits_is_refused(
    bench: Bench, reading: str, cells: list[str]
) -> None:
    rules = QUASI + f"values.reading = {{ q = {reading} }}"
    with pytest.raises(InputError, match="no label of column 'q' can be read"):
        bench.audit(written(*cells), rules)
    bench.audit(written("*", "*"), rules)  # nothing to read


@pytest.mark.parametrize("amounts", [["1,200.00", "3,400.00", "900"], ["1,200", "3,400", "900"]])
def test_amounts_with_thousands_are_numbers(bench: Bench, amounts: list[str]) -> None:
    """By hand: 900, 1200, 3400 lie at 0, 1/2, 1; class a has 1200 and 3400, class b has 900.

    The whole has 1/4, 1/4, 1/2 on 1200, 3400, 900. Up to 900 class a lacks 1/2 and up to 1200 it
    lacks 3/4 - 1/2 = 1/4, so its distance is (1/2 + 1/4) / 2 = 0.375. Weights count 1000 and 2500.
    """
    one, two, three = amounts
    csv = f'q,pay,w\na,"{one}","1,000"\na,"{two}","2,500"\nb,"{three}",1\nb,"{three}",1\n'
    policy = (
        "columns = { quasi-identifiers = ['q'], sensitive = ['pay'], weight = 'w' }\n"
        "values.numeric = ['pay']\nrequire.t-closeness = { t = 0.3, distance = 'ordered' }\n"
    )
    report = bench.audit(csv, policy)
    assert model(report, "t-closeness", distance="ordered").measured == pytest.approx(0.375)
    same = bench.audit(csv.replace(",000", "000").replace(",500", "500"), policy)
    risk = "individual-risk"
    assert model(report, risk).measured == model(same, risk).measured


CODES = "zip,dx\na,E11.9\na,E11.65\nb,J45.9\nb,I10\n"
CODED = "columns = { quasi-identifiers = ['zip'], sensitive = ['dx'] }\n"
EXTENDED = "require.extended-p-sensitive-k-anonymity = { p = 2 }\nattacks.similarity = {}\n"


@pytest.mark.parametrize(
    "protected", [["E11**", "E11***"], ["E11***"], ["E11**"], ["E11*"], ["E11*****"]]
)
def test_codes_of_different_length_share_a_category(bench: Bench, protected: list[str]) -> None:
    """Both values of class a are kinds of E11, as in the file E11.9;E11;E;*."""
    rules = f"hierarchies.dx = {{ prefixes = [3, 1], protected = {protected} }}\n"
    report = bench.audit(CODES, CODED + rules + EXTENDED)
    assert model(report, "extended-p-sensitive-k-anonymity").measured == 1
    assert report.attacks[0].disclosed == 2
    bench.file("icd.csv", "E11.9;E11;E;*\nE11.65;E11;E;*\nJ45.9;J45;J;*\nI10;I10;I;*\n")
    file = "hierarchies.dx = { file = 'icd.csv', protected = ['E11'] }\n"
    other = bench.audit(CODES, CODED + file + EXTENDED)
    assert other.attacks[0].disclosed == 2


def test_hierarchical_distance_of_codes_of_different_length(bench: Bench) -> None:
    """It is that of the tree with E11.9 and E11.65 below one E11."""
    bench.file("icd.csv", "E11.9;E11;E;*\nE11.65;E11;E;*\nJ45.9;J45;J;*\nI10;I10;I;*\n")
    wanted = "require.t-closeness = { t = 0.1, distance = 'hierarchical' }\n"
    levels = [
        model(
            bench.audit(CODES, CODED + f"hierarchies.dx = {{ {tree} }}\n" + wanted),
            "t-closeness",
            distance="hierarchical",
        ).measured
        for tree in ("prefixes = [3, 1]", "file = 'icd.csv'")
    ]
    assert levels[0] == levels[1]


@pytest.mark.parametrize("algorithm", ["full-domain", "k-member", "greedy-cka", "mondrian"])
@pytest.mark.parametrize("line", ["E11;E11;E;*", "E11;E;*"])
def test_a_code_that_is_also_a_group_is_masked(bench: Bench, algorithm: str, line: str) -> None:
    bench.file("codes.csv", f"E11.9;E11;E;*\nE11.65;E11;E;*\n{line}\n")
    bench.file("sex.csv", "F;*\n")
    original = bench.file(
        "original.csv", "code,sex,dx\nE11.9,F,flu\nE11.65,F,gout\nE11,F,hiv\nE11.9,F,flu\n"
    )
    policy = parse_policy(
        "columns = { quasi-identifiers = ['code', 'sex'], sensitive = ['dx'] }\n"
        "hierarchies = { code = { file = 'codes.csv' }, sex = { file = 'sex.csv' } }\n"
        "require.k-anonymity = { k = 4 }\n",
        folder=bench.folder,
    )
    masked = mask(original, policy, algorithm=algorithm)
    assert masked.release["code"].tolist() == ["E11"] * 4
    assert masked.audit().outcome == "holds"
