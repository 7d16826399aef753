"""Valid generalization and over-suppression, on tables small enough to count by hand."""

import json
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

import anonaudit
from anonaudit import datasets
from anonaudit.cli import main
from anonaudit.errors import HierarchyError, InputError, PolicyError
from anonaudit.findings import Outcome
from anonaudit.frequency.classes import equivalence_classes
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.linking.alignment import align_by_key
from anonaudit.linking.validity import unchanged
from anonaudit.models.valid_generalization import ValidGeneralization
from anonaudit.policy.policy import parse_policy
from anonaudit.report import schema
from anonaudit.report.plain import plain
from anonaudit.roles import Roles

COLUMNS = "[columns]\nquasi-identifiers = ['age', 'zip']\nsensitive = ['dx']\n"
ASKED = COLUMNS + "[require]\nvalid-generalization = {}\n"
NAMES = ["id", "age", "zip", "dx"]


def frame(*rows):
    return pd.DataFrame([row.split() for row in rows], columns=NAMES)


ORIGINAL = frame(
    "1 23 101 flu", "2 27 102 hiv", "3 24 201 flu", "4 29 202 flu", "5 41 101 hiv", "6 47 102 flu"
)
RELEASE = frame(
    "1 20-29 10* flu", "2 20-29 10* hiv", "3 20-29 20* flu", "4 20-29 20* flu", "5 40-49 10* hiv"
)


def measured(release, original=ORIGINAL, policy=ASKED, **how):
    how = how or {"key": "id"}
    report = anonaudit.audit(release, parse_policy(policy), original=original, **how)
    return next(m for m in report.models if m.model == "valid-generalization")


def changed(**cells):
    """The release with cells of row 1 (and 2) replaced."""
    release = RELEASE.copy()
    for column, values in cells.items():
        release.loc[: len(values) - 1, column] = values
    return release


@pytest.mark.parametrize("how", [{"key": "id"}, {"align": "best-permutation"}])
def test_a_valid_release_with_a_missing_row(how):
    found = measured(RELEASE, **how)
    assert (found.measured, found.required, found.safer) == (0, 0, "lower")
    assert (found.outcome, found.rows_violating) == (Outcome.HOLDS, 0)
    assert found.details["rows missing"] == found.details["suppressed tuples"] == 1
    assert found.details["cells checked"] == {"age": 5, "zip": 5}


def test_bad_cells_are_counted_by_column():
    found = measured(changed(age=["30-39", "20-29"], zip=["30*", "20*"]))
    assert found.measured == 3
    assert {c: level.measured for c, level in found.per_attribute.items()} == {"age": 1, "zip": 2}
    assert (found.rows_violating, found.classes_violating) == (2, 2)
    assert found.details["rows with a bad cell"] == 2
    assert found.outcome is Outcome.VIOLATED


def test_suppressed_and_blanked_cells_are_valid():
    found = measured(changed(age=["*"], zip=["10*", None]))
    assert found.measured == 0
    assert found.details["cells suppressed"] == {"age": 1, "zip": 1}


def test_a_changed_sensitive_cell_breaks_it_and_a_hidden_one_does_not():
    found = measured(changed(dx=["hiv"]))
    assert (found.measured, found.outcome, found.rows_violating) == (0, Outcome.VIOLATED, 1)
    assert found.details["sensitive cells changed"] == {"dx": 1}
    found = measured(changed(dx=["*"]))
    assert (found.outcome, found.details["sensitive cells hidden"]) == (Outcome.HOLDS, {"dx": 1})


def test_an_invented_row_breaks_it():
    more = pd.concat([RELEASE, frame("7 40-49 10* flu")])
    for how in ({"key": "id"}, {"align": "best-permutation"}):
        original = ORIGINAL.iloc[:5]
        found = measured(more, original, **how)
        assert (found.measured, found.outcome, found.rows_violating) == (0, Outcome.VIOLATED, 1)
        assert found.details["rows invented"] == 1
        assert found.notes[0].startswith(
            "0 sensitive cell(s) were changed and 1 row(s) have no original"
        )


def test_measured_only_where_it_is_not_asked_for():
    found = measured(changed(age=["30-39"]), policy=COLUMNS)
    assert (found.outcome, found.measured, found.required) == (Outcome.MEASURED, 1, None)
    assert found.rows_violating is None
    report = anonaudit.audit(RELEASE, parse_policy(COLUMNS))
    assert all(m.model != "valid-generalization" for m in report.models)


def test_without_an_original_or_rows_nothing_is_decided():
    report = anonaudit.audit(RELEASE, parse_policy(ASKED))
    assert (report.models[0].outcome, report.outcome) == (Outcome.INCONCLUSIVE,) * 2
    empty = equivalence_classes(FrequencySet.of(["age"], []), Roles(("age",)))
    nothing = ValidGeneralization().measure(empty)
    assert (nothing.outcome, nothing.measured) == (Outcome.INCONCLUSIVE, None)
    assert (nothing.required, nothing.classes_violating, nothing.rows_violating) == (0, 0, 0)
    assert nothing.safer == "lower"
    assert nothing.notes == ("there is no original to compare with; name one",)
    nothing = ValidGeneralization(asked=False).measure(empty)
    assert (nothing.outcome, nothing.required) == (Outcome.INCONCLUSIVE, None)
    assert (nothing.classes_violating, nothing.rows_violating) == (None, None)
    nothing = measured(RELEASE.iloc[:0])
    assert nothing.outcome is Outcome.INCONCLUSIVE
    assert nothing.notes[0].startswith("no data: the release has no row")


def test_without_a_quasi_identifier_in_common_no_row_has_a_bad_cell():
    """The one changed cell is sensitive."""
    names = ["id", "dx"]
    tables = [FrequencySet.of(names, [("1", dx), ("2", "hiv")]) for dx in ("flu", "hiv")]
    same = {"dx": unchanged(*(table.labels_of("dx") for table in tables))}
    pairs = align_by_key(*tables, "id", quasi_identifiers=[], sensitive=["dx"], validity=same)
    classes = equivalence_classes(tables[1], Roles((), ("dx",)))
    found = ValidGeneralization(alignment=pairs).measure(classes)
    assert (found.measured, found.outcome) == (0, Outcome.VIOLATED)
    assert found.details["rows with a bad cell"] == 0
    assert found.details["sensitive cells changed"] == {"dx": 1}


def test_the_bad_cells_of_a_column_are_what_it_falls_short_by():
    """Two ages and no zip code are wrong."""
    found = measured(changed(age=["30-39", "30-39"]))
    assert {c: (a.measured, a.rows_violating) for c, a in found.per_attribute.items()} == {
        "age": (2, 2), "zip": (0, 0),
    }  # fmt: skip
    found = measured(changed(age=["30-39", "30-39"]), policy=COLUMNS)
    assert [a.rows_violating for a in found.per_attribute.values()] == [None, None]


def test_a_sensitive_column_that_the_original_lacks_is_named():
    found = measured(RELEASE, ORIGINAL.drop(columns="dx"))
    assert found.notes == ("not in the original, so not compared: dx",)
    assert measured(RELEASE).notes == ()


def test_key_without_an_original_is_refused():
    with pytest.raises(InputError, match="need an original"):
        anonaudit.audit(RELEASE, parse_policy(COLUMNS), key="id")


def kept(release, original=ORIGINAL, policy=ASKED):
    found = measured(release, original, policy)
    return found.details["suppressed tuples"], *found.details["could have been kept"].values()


def test_a_suppressed_row_that_fits_a_published_class():
    # Row 6 is 47 and 102: 102 becomes 10*, but what becomes of 47 nothing tells.
    assert kept(RELEASE) == (1, 0, 0, 1)
    # With another 47 published, it belongs to the class of row 5.
    original = pd.concat([ORIGINAL, frame("7 47 101 flu")])
    release = pd.concat([RELEASE, frame("7 40-49 10* flu")])
    assert kept(release, original) == (1, 1, 0, 0)
    # The same where the row is there, with everything suppressed.
    assert kept(pd.concat([release, frame("6 * * flu")]), original) == (1, 1, 0, 0)


def test_suppressed_rows_that_form_a_class_of_their_own():
    # 41 and 202 are both published, but not together; two such rows are a class of k = 2.
    original = pd.concat([ORIGINAL, frame("7 41 202 flu", "8 41 201 flu", "9 41 102 flu")])
    release = pd.concat([RELEASE, frame("9 40-49 10* flu")])
    assert kept(release, original) == (3, 0, 2, 1)  # row 6 is not known
    asked = ASKED + "k-anonymity = { k = 3 }\n"
    assert kept(release, original, asked) == (3, 0, 0, 1)


def test_without_a_published_class_there_is_no_k_for_classes_of_their_own():
    """Of six rows one is suppressed and five are missing; nothing tells what they would become."""
    assert kept(frame("1 * * flu")) == (6, 0, "not known", 6)


def test_one_level_tells_what_a_value_without_a_kept_row_would_become():
    policy = parse_policy(ASKED + "[hierarchies]\nage = { intervals = [10] }\n")
    release = RELEASE.assign(age=["[20,30)"] * 4 + ["[40,50)"])
    report = anonaudit.audit(release, policy, original=ORIGINAL, key="id")
    found = report.models[0]
    assert found.measured == 0
    assert list(found.details["could have been kept"].values()) == [1, 0, 0]


def test_values_do_not_show():
    text = json.dumps(plain(measured(changed(age=["30-39"])).details))
    for cell in ("23", "30-39", "10*", "flu"):
        assert cell not in text


def mct08_policy(extra=""):
    file = datasets.path("MCT08/hierarchies/location.csv")
    return parse_policy(
        "columns.quasi-identifiers = ['age', 'location', 'sex', 'race']\n[hierarchies]\n"
        f"location = {{ file = '{file}', max-generalization = ['California', 'Kansas', 'Midwest'] }}\n"
        "[require]\nconstrained-k-anonymity = { k = 2 }\nvalid-generalization = {}\n" + extra
    )


@pytest.mark.parametrize("how", [{"key": "record"}, {"align": "order"}, {}])
@pytest.mark.parametrize(("figure", "violations"), [("figure4a", 3), ("figure4b", 0)])
def test_figure_4_counts_violations_against_the_original(how, figure, violations):
    """MCT08-fig4: MM1 has three violations, at r3, r4 and r7, and MM2 none."""
    if (figure, how) == ("figure4b", {"align": "order"}):
        pytest.skip("the figure prints its rows in another order")
    report = anonaudit.audit(
        datasets.path(f"MCT08/{figure}.csv"),
        mct08_policy(),
        original=datasets.path("MCT08/figure3.csv"),
        **how,
    )
    constrained, valid = report.models[:2]
    assert constrained.details["constraint violations"] == {"location": violations}
    assert constrained.details["how violations were found"] == "counted against the original"
    assert constrained.outcome == ("violated" if violations else "holds")
    assert (valid.measured, valid.outcome) == (0, "holds")


def test_figure_4_without_the_original():
    report = anonaudit.audit(datasets.path("MCT08/figure4a.csv"), mct08_policy())
    assert report.models[0].details["constraint violations"] == {"location": 5}


ADULT = """
columns = { quasi-identifiers = ["age", "marital-status", "race", "sex"], \
sensitive = ["occupation", "income", "capital-gain"] }
values.missing = ["?"]
[hierarchies]
age = { file = "hierarchies/age.csv" }
marital-status = { file = "hierarchies/marital-status.csv" }
race = { file = "hierarchies/race.csv" }
sex = { file = "hierarchies/sex.csv" }
[require]
valid-generalization = {}
"""


def adult(table):
    folder = datasets.path("adult/adult.csv.gz").parent
    policy = parse_policy(ADULT, folder=folder)
    report = anonaudit.audit(table, policy, original=folder / "adult.csv.gz")
    return report.models[0]


def test_the_masked_release_of_adult():
    """By datasets/build_release.py: full-domain, 7 rows in classes under 3 left out."""
    found = adult(datasets.path("adult/release.csv.gz"))
    assert (found.measured, found.details["rows explained"]) == (0, 32_554)
    assert (found.details["suppressed tuples"], found.details["rows missing"]) == (7, 7)
    # Nothing was suppressed in vain: each was in a class of its own recoding smaller than 3.
    assert list(found.details["could have been kept"].values()) == [0, 0, 0]


def test_three_cells_of_adult_changed_by_hand():
    table = pd.read_csv(datasets.path("adult/release.csv.gz"), dtype=str, keep_default_na=False)
    other = {"Black": "White", "White": "Black", "Single": "Married", "Married": "Single"}
    assert table.loc[0, "age"] != "70-79"
    table.loc[0, "age"] = "70-79"
    table.loc[1_000, "race"] = other[table.loc[1_000, "race"]]
    table.loc[2_000, "marital-status"] = other[table.loc[2_000, "marital-status"]]
    found = adult(table)
    assert (found.measured, found.rows_violating) == (3, 3)
    assert {c: level.measured for c, level in found.per_attribute.items()} == {
        "age": 1,
        "marital-status": 1,
        "race": 1,
        "sex": 0,
    }
    assert found.details["sensitive cells changed"] == {
        "occupation": 0,
        "income": 0,
        "capital-gain": 0,
    }


def test_the_policy_names_the_original(tmp_path: Path):
    ORIGINAL.to_csv(tmp_path / "o.csv", sep=";", index=False)
    text = ASKED + "[original]\nfile = 'o.csv'\nkey = 'id'\ndelimiter = ';'\n"
    policy = parse_policy(text, folder=tmp_path)
    report = anonaudit.audit(RELEASE, policy)
    assert report.models[0].details["rows paired by"] == "key"
    report = anonaudit.audit(RELEASE.iloc[:, 1:], policy, align="best-permutation")
    assert report.models[0].details["rows paired by"] == "best permutation"


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("key = 'id'", "original: needs file"),
        ("file = 'o.csv'\nkey = 'id'\nalign = 'order'", "exclude each other"),
        ("file = 'o.csv'\nalign = 'sorted'", "original.align: cannot be 'sorted'"),
        ("file = 'o.csv'\nkeys = 'id'", "Did you mean 'key'?"),
        ("file = 'p.csv'", "does not exist"),
    ],
)
def test_mistakes_of_the_policy(section, said, tmp_path):
    (tmp_path / "o.csv").write_text("id\n1\n")
    with pytest.raises(PolicyError) as error:
        parse_policy(f"[original]\n{section}\n", folder=tmp_path)
    assert said in str(error.value)


def test_the_command_line(tmp_path, monkeypatch, capsys):
    ORIGINAL.to_csv(tmp_path / "o.csv", index=False)
    changed(age=["30-39"]).to_csv(tmp_path / "r.csv", index=False)
    (tmp_path / "p.toml").write_text(ASKED)
    release, policy, original = (str(tmp_path / name) for name in ("r.csv", "p.toml", "o.csv"))
    options = ["--original", original, "--key", "id", "--format", "json", "--quiet"]
    monkeypatch.setattr("sys.argv", ["anonaudit", "audit", release, policy, *options])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, schema())
    assert report["models"][0]["name"] == "valid-generalization"
    assert report["models"][0]["measured"] == 1


@pytest.mark.parametrize(
    ("released", "outcome", "rows"),
    [
        (["[20,30)", "[20,30)", "[20,40)", "[20,40)"], "holds", 0),
        (["[20,40)", "[20,40)", "[20,40)", "[20,40)"], "violated", 4),  # 21 and 24, in one class
    ],
)
def test_boundaries_in_a_hierarchy_that_is_built(tmp_path, released, outcome, rows):
    """21 and 24 may become [20,30) at most; 31 and 38 have no boundary. Built from the original."""
    (tmp_path / "o.csv").write_text("age\n21\n24\n31\n38\n")
    (tmp_path / "m.csv").write_text("age\n" + "".join(f'"{cell}"\n' for cell in released))
    policy = parse_policy(
        "columns.quasi-identifiers = ['age']\nrequire.constrained-k-anonymity = { k = 2 }\n"
        "hierarchies.age = { intervals = [10, 20], origin = 20, max-generalization = ['[20,30)'] }"
    )
    found = anonaudit.audit(
        tmp_path / "m.csv", policy, original=tmp_path / "o.csv", align="order"
    ).models[0]
    assert (found.measured, found.outcome, found.rows_violating) == (
        4 if rows else 2,
        outcome,
        rows,
    )
    assert found.details["constraint violations"] == {"age": 2 if rows else 0}
    alone = anonaudit.audit(tmp_path / "m.csv", policy).models[0]
    assert alone.outcome == "inconclusive"
    assert "the boundaries of age need the original values" in alone.notes[-1]


PLACES = "San Diego;California;US\nLos Angeles;California;US\nWichita;Kansas;US\n"


@pytest.mark.parametrize(
    ("released", "key", "outcome"),
    [
        (["US", "US"], ["7", "8"], "violated"),  # nothing pairs, so all are suspected
        (["US", "US"], ["1", "8"], "violated"),
        (["California", "California"], ["7", "8"], "holds"),
        (["", ""], ["1", "2"], "violated"),  # emptied is as general as the root
        (["", ""], ["7", "8"], "inconclusive"),  # the original cells may be empty too
        (["California", "Kansas"], ["1", "2"], "violated"),  # Kansas is not above Los Angeles
    ],
)
def test_no_boundary_is_kept_by_rows_that_pair_with_nothing(tmp_path, released, key, outcome):
    (tmp_path / "places.csv").write_text(PLACES)
    (tmp_path / "o.csv").write_text("id,place\n1,San Diego\n2,Los Angeles\n")
    rows = "".join(f"{k},{cell}\n" for k, cell in zip(key, released, strict=True))
    (tmp_path / "m.csv").write_text(f"id,place\n{rows}")
    policy = parse_policy(
        "columns.quasi-identifiers = ['place']\nrequire.constrained-k-anonymity = { k = 1 }\n"
        "hierarchies.place = { file = 'places.csv', max-generalization = ['California', 'Kansas'] }",
        folder=tmp_path,
    )
    found = anonaudit.audit(tmp_path / "m.csv", policy, original=tmp_path / "o.csv", key="id")
    assert found.models[0].outcome == outcome


@pytest.mark.parametrize(("old", "new"), [("San Diego", "Anywhere"), ("Paris", "US")])
def test_boundaries_of_values_the_hierarchy_lacks_are_refused(tmp_path, old, new):
    (tmp_path / "places.csv").write_text(PLACES)
    (tmp_path / "o.csv").write_text(f"id,place\n1,{old}\n")
    (tmp_path / "m.csv").write_text(f"id,place\n1,{new}\n")
    policy = parse_policy(
        "columns.quasi-identifiers = ['place']\nrequire.constrained-k-anonymity = { k = 1 }\n"
        "hierarchies.place = { file = 'places.csv', max-generalization = ['California'] }",
        folder=tmp_path,
    )
    with pytest.raises(HierarchyError):
        anonaudit.audit(tmp_path / "m.csv", policy, original=tmp_path / "o.csv", key="id")
