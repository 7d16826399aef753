"""What the audit as a whole decides, whatever the model or attack."""

from dataclasses import replace

import pandas as pd
import pytest

import anonaudit
import anonaudit.report
from anonaudit.asserting import Auditor
from anonaudit.errors import AnonauditError, InputError
from anonaudit.findings import Outcome
from anonaudit.policy.policy import PeopleFile, parse_policy
from anonaudit.source.table import TableFile


def audit(columns, policy):
    return anonaudit.audit(pd.DataFrame(columns, dtype=object), parse_policy(policy))


def test_spellings_of_persons_are_mended_with_those_of_the_columns():
    report = audit(
        {"a": ["x", "X"], "u": ["p1", "P1"]},
        "columns = { quasi-identifiers = ['a'], unit = 'u' }\nvalues.normalize = ['case']",
    )
    assert (report.release.persons, report.release.classes) == (1, 1)


def test_orders_and_hierarchies_are_mended_with_the_release(tmp_path):
    (tmp_path / "s.csv").write_text("Low;Any\nHigh;Any\n")
    policy = parse_policy(
        """
        columns = { quasi-identifiers = ['a'], sensitive = ['s'] }
        values = { normalize = ['case'], ordered = { s = ['Low', 'High'] } }
        hierarchies.s = { file = 's.csv', protected = ['Any'] }
        """,
        folder=tmp_path,
    )
    frame = pd.DataFrame({"a": ["x", "x"], "s": ["LOW", "high"]})
    levels = {m.model: m.measured for m in anonaudit.audit(frame, policy).models}
    assert levels["extended-p-sensitive-k-anonymity"] == 1
    assert levels["t-closeness"] == 0


def test_a_value_for_unknown_cells_needs_no_place_in_an_order():
    report = audit(
        {"a": ["x", "x", "x"], "s": ["", "1", "50"]},
        "columns = { quasi-identifiers = ['a'], sensitive = ['s'] }\n"
        "conventions.sensitive = 'one-value'\nrequire.k-anonymity = { k = 2 }",
    )
    assert report.outcome is Outcome.HOLDS


def test_a_star_is_a_value_where_something_else_means_suppressed():
    report = audit(
        {"a": ["*", "x", "x"]},
        "columns.quasi-identifiers = ['a']\nvalues.suppressed = ['x']\n"
        "conventions.suppressed-tuples = 'include'",
    )
    assert report.models[0].witness.positions == (1,)


def test_other_sensitive_values_are_known_only_within_the_classes():
    """Rows left out of the classes stay left out when sensitive columns are taken as known."""
    columns = {"a": ["x", "x", "*", "*"], "s": list("ABAB"), "t": list("1122")}
    policy = (
        "columns = { quasi-identifiers = ['a'], sensitive = ['s', 't'] }\n"
        "require.l-diversity = { l = 2, reading = 'others-known' }"
    )
    report = audit(columns, policy)
    assert (report.models[0].measured, report.outcome) == (1, Outcome.VIOLATED)
    columns["a"][3] = ""
    with pytest.raises(AnonauditError, match="not defined under wildcards"):
        audit(columns, policy + "\nconventions.quasi-identifiers = 'wildcard'")


IN_NO_CLASS = "rows are in no class, so the levels describe only the other"


@pytest.mark.parametrize(
    ("starred", "empty", "conventions", "told"),
    [
        # Ten rows; a tenth of them is not more than a tenth.
        (1, 0, "", None),
        (2, 0, "", ("2 of 10", "8: 2 suppressed", "suppressed-tuples")),
        (10, 0, "", ("10 of 10", "0: 10 suppressed", "suppressed-tuples")),
        (2, 0, "suppressed-tuples = 'include'", None),
        (0, 2, "", None),  # a missing cell is a value of its own
        (0, 1, "quasi-identifiers = 'drop-rows'", None),
        (
            0,
            2,
            "quasi-identifiers = 'drop-rows'",
            ("2 of 10", "8: 2 dropped", "own-category"),
        ),
        (
            1,
            1,
            "quasi-identifiers = 'drop-rows'",
            (
                "1 suppressed",
                'suppressed-tuples = "include" and quasi-identifiers = "own-category")',
                "and 1 dropped",
            ),
        ),
        (
            2,
            1,
            "quasi-identifiers = 'drop-rows'\nsuppressed-tuples = 'include'",
            ("3 of 10", "7: 3 dropped"),
        ),
    ],
)
def test_many_rows_in_no_class_are_told_of(starred, empty, conventions, told):
    cells = ["*"] * starred + [""] * empty + ["x"] * (10 - starred - empty)
    table = {"a": cells, "b": ["x"] * 10}  # no row is empty throughout
    report = audit(table, f"columns.quasi-identifiers = ['a']\n[conventions]\n{conventions}")
    found = [notice.message for notice in report.warnings if notice.code == "rows-in-no-class"]
    assert len(found) == (told is not None)
    for part in (IN_NO_CLASS, *told) if told else ():
        assert part in found[0]
    assert ("rows-in-no-class: " in anonaudit.report.to_text(report)) == bool(told)


def test_an_external_table_that_lacks_columns_is_told_of():
    table = {"born": ["1990", "1991"], "zip": ["1", "2"], "dx": ["flu", "hiv"]}
    voters = pd.DataFrame({"birth": ["1990"], "zip": ["1"], "name": ["Ann"]})
    found = anonaudit.audit(
        pd.DataFrame(table),
        quasi_identifiers=["born", "zip"],
        sensitive=["dx"],
        external=voters,
        identity=["name"],
    )
    told = [one.message for one in found.warnings if one.code == "external-lacks-columns"]
    assert len(told) == 1
    assert told[0].startswith("the external table of linkage has no column 'born', so")
    found = anonaudit.audit(
        pd.DataFrame(table),
        quasi_identifiers=["zip"],
        external=voters,
        identity=["name"],
    )
    assert "external-lacks-columns" not in {one.code for one in found.warnings}


def test_an_engine_that_fails_shows_no_cell():
    duckdb = pytest.importorskip("duckdb")
    table = duckdb.connect().sql("SELECT CAST(x AS INT) AS a FROM (VALUES ('SECRET')) t(x)")
    with pytest.raises(InputError) as caught:
        anonaudit.audit(table, quasi_identifiers=["a"])
    assert "SECRET" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_an_identifier_in_the_release_breaks_any_policy():
    report = audit(
        {"a": ["x", "x"], "name": ["p", "q"]},
        "columns = { quasi-identifiers = ['a'], identifiers = ['name'] }\n"
        "require.k-anonymity = { k = 2 }",
    )
    assert report.outcome is Outcome.VIOLATED
    assert [n.column for n in report.warnings if n.code == "identifier-released"] == ["name"]


def test_the_same_input_and_seed_give_the_same_bytes():
    frame = pd.DataFrame({"a": list("xyxy"), "s": list("1122")})
    texts = {
        anonaudit.report.render(
            anonaudit.audit(frame, quasi_identifiers=["a"], sensitive=["s"]), "json"
        )
        for _ in range(2)
    }
    assert len(texts) == 1


def test_an_assertion_reads_the_columns_as_the_table_is_read(tmp_path):
    (tmp_path / "r.csv").write_text("age^dx\n30^flu\n")
    (tmp_path / "p.toml").write_text(
        "columns = { quasi-identifiers = ['age', 'sex'] }\nrequire.k-anonymity = { k = 0 }\n"
    )
    with pytest.raises(pytest.fail.Exception) as told:
        Auditor().assert_holds(tmp_path / "r.csv", tmp_path / "p.toml", delimiter="^")
    assert "2 mistakes" in str(told.value)
    assert "the release has no column 'sex'" in str(told.value)


def test_a_table_file_is_read_as_it_says_and_then_as_the_policy_says(tmp_path):
    """By hand: one class of two rows, wherever the delimiter `^` is named."""
    (tmp_path / "r.csv").write_text("age^dx\n30^flu\n30^hiv\n")
    text = "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\nrequire.k-anonymity = {%s}\n"
    (tmp_path / "plain.toml").write_text(text % " k = 2 ")
    (tmp_path / "own.toml").write_text(text % " k = 2 " + "release.delimiter = '^'\n")
    (tmp_path / "all.toml").write_text(
        text % " k = 2 " + "release = { file = 'r.csv', delimiter = '^' }\n"
    )
    file = tmp_path / "r.csv"
    caret = TableFile(file, delimiter="^")
    for table, policy in [
        (caret, "plain"),
        (caret, "own"),
        (TableFile(file), "own"),
        (TableFile(), "all"),
        (None, "all"),
        (TableFile(caret), "plain"),
        (TableFile(file, delimiter="^", encoding="utf-8"), "all"),
    ]:
        for report in (
            anonaudit.audit(table, tmp_path / f"{policy}.toml"),
            Auditor().assert_holds(table, tmp_path / f"{policy}.toml"),
        ):
            assert (report.models[0].measured, report.release.source) == (2, str(file))
    with pytest.raises(InputError, match="give delimiter"):
        anonaudit.audit(caret, tmp_path / "plain.toml", delimiter=";")
    with pytest.raises(pytest.fail.Exception, match="give delimiter"):
        Auditor().assert_holds(caret, tmp_path / "plain.toml", encoding="cp1252")


def test_a_policy_may_have_its_release_as_text_or_in_memory(tmp_path):
    (tmp_path / "r.csv").write_text("a\nx\nx\n")
    rules = parse_policy("columns.quasi-identifiers = ['a']\nrequire.k-anonymity = { k = 2 }")
    for file in (str(tmp_path / "r.csv"), tmp_path / "r.csv", pd.DataFrame({"a": ["x", "x"]})):
        policy = replace(rules, release=TableFile(file))
        assert anonaudit.audit(policy=policy).outcome is Outcome.HOLDS
    gone = replace(rules, release=TableFile(str(tmp_path / "gone.csv")))
    with pytest.raises(InputError, match="which the policy names as its release, does not exist"):
        anonaudit.audit(policy=gone)


def test_a_population_in_memory_shows_no_cell():
    """It was named by its cells, where a file is named by its path."""
    rules = parse_policy("columns.quasi-identifiers = ['a', 'b']")
    people = PeopleFile(pd.DataFrame({"a": ["secret"]}))
    release = pd.DataFrame({"a": ["x"], "b": ["y"]})
    with pytest.raises(InputError, match=r"^the population: lacks the quasi-identifier") as refused:
        anonaudit.audit(release, replace(rules, population=people))
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(("gap", "ordered"), [("row in no class", 1), ("row in a class", 0)])
def test_an_unknown_cell_has_no_place_in_an_order_only_where_it_counts_as_a_value(gap, ordered):
    """A row that is dropped for its quasi-identifier takes its unknown amount with it."""
    age = None if gap == "row in no class" else "1"
    report = audit(
        {"age": ["1", "1", age], "pay": ["5", "6", None]},
        """
        columns = { quasi-identifiers = ['age'], sensitive = ['pay'] }
        conventions = { quasi-identifiers = 'drop-rows', sensitive = 'one-value' }
        """,
    )
    asked = [m.parameters["distance"] for m in report.models if m.model == "t-closeness"]
    assert asked.count("ordered") == ordered


def test_a_model_of_another_name_is_no_request():
    """Constrained t-closeness has the parameters of t-closeness, which is measured all the same."""
    rules = """
        columns = { quasi-identifiers = ['age'], sensitive = ['pay'] }
        require.%s = { t = 0.5, distance = 'ordered' }
        """
    cells = {"age": ["1", "1"], "pay": ["5", "6"]}
    for required, unasked in (("constrained-t-closeness", 1), ("t-closeness", 0)):
        models = audit(cells, rules % required).models
        ordered = [m for m in models if m.parameters.get("distance") == "ordered"]
        assert sum(m.model == "t-closeness" and m.required is None for m in ordered) == unasked


@pytest.mark.parametrize("rows", [2, 25])
@pytest.mark.parametrize("kind", ["list", "struct", "binary"])
@pytest.mark.parametrize("held", ["parquet", "arrow", "polars", "pandas"])
def test_a_nested_column_without_a_part_is_no_obstacle(tmp_path, rows, kind, held):
    pa = pytest.importorskip("pyarrow")
    cells = {"list": [[1, 2]], "struct": [{"x": 1}], "binary": [b"x"]}[kind]
    table = pa.table(
        {"q": ["a"] * rows, "n": pa.array(cells * rows), "u": [*map(str, range(rows))]}
    )
    if held == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "t.parquet")
    found = anonaudit.audit(
        {
            "parquet": lambda: tmp_path / "t.parquet",
            "arrow": lambda: table,
            "polars": lambda: pytest.importorskip("polars").from_arrow(table),
            "pandas": table.to_pandas,
        }[held](),
        quasi_identifiers=["q"],
    )
    assert found.models[0].measured == rows
    unique = [n.column for n in found.warnings if n.code == "undeclared-unique-column"]
    assert unique == ["u"] * (rows >= 20)


def test_a_table_that_cannot_be_compared_is_refused_whatever_is_allowed(tmp_path):
    """Were its attack inconclusive, a policy that allows that would pass with a misspelled name."""
    (tmp_path / "voters.csv").write_text("name,age\nA,30\n")
    rules = (
        "columns = { quasi-identifiers = ['age'], sensitive = ['dx'] }\nconventions.inconclusive = 'allow'\n"
        "attacks.linkage = { external = 'voters.csv', identity = ['nam'], allow-rate = 1.0 }"
    )
    frame = pd.DataFrame({"age": ["30", "30"], "dx": ["flu", "hiv"]})
    with pytest.raises(InputError, match=r"voters\.csv: there is no column 'nam'"):
        anonaudit.audit(frame, parse_policy(rules, folder=tmp_path))


@pytest.mark.parametrize("more", [(["a"],), (["a"], ["b"]), (None, ["a"]), (3,)])
def test_columns_without_a_keyword(more):
    frame = pd.DataFrame({"a": ["x"], "b": ["y"]})
    with pytest.raises(InputError, match="name columns by keyword"):
        anonaudit.audit(frame, *more)
