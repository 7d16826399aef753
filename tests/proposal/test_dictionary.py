"""Data dictionaries in three forms, and what `init` makes of them."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from anonaudit.errors import InputError
from anonaudit.policy.policy import parse_policy
from anonaudit.proposal import ColumnDescription, propose, read_dictionary, to_toml

EXPECTED = {
    "AGEP": ColumnDescription("Person's age", {"99": "99 or more"}, ranged=True, missing=("-1",)),
    "SEX": ColumnDescription("Person's gender", {"1": "Male", "2": "Female"}),
    "ward": ColumnDescription("Ward", part="sensitive"),
}
FORMS = {
    "d.csv": "Name,label,values,missing,role\n"
    "AGEP,Person's age,0..98; 99=99 or more,-1,\n"
    "SEX,Person's gender,1=Male;2 = Female,,\n"
    "\nward,Ward,,,sensitive\n",
    "nist.json": json.dumps(
        {
            "AGEP": {
                "description": "Person's age",
                "values": {"min": 0, "max": 98, "99": "99 or more"},
                "missing": [-1],
            },
            "SEX": {"description": "Person's gender", "values": {"1": "Male", "2": "Female"}},
            "ward": {"description": "Ward", "role": "sensitive", "link": "example.org"},
        }
    ),
    "schema.json": json.dumps(
        {
            "missingValues": [""],
            "fields": [
                {
                    "name": "AGEP",
                    "title": "Person's age",
                    "type": "integer",
                    "constraints": {"minimum": 0, "maximum": 98},
                    "categories": [{"value": 99, "label": "99 or more"}],
                    "missingValues": ["", "-1"],
                },
                {
                    "name": "SEX",
                    "description": "Person's gender",
                    "categories": [
                        {"value": "1", "label": "Male"},
                        {"value": "2", "label": "Female"},
                    ],
                },
                {"name": "ward", "title": "Ward", "role": "sensitive"},
            ],
        }
    ),
}
FORMS["package.json"] = json.dumps({"resources": [{"schema": json.loads(FORMS["schema.json"])}]})


@pytest.mark.parametrize("form", FORMS)
def test_the_forms_say_the_same(tmp_path: Path, form: str) -> None:
    (tmp_path / form).write_text(FORMS[form])
    assert read_dictionary(tmp_path / form) == EXPECTED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("label\nx\n", "neither JSON nor CSV with a header"),
        ("name,label\nage\n", "line 2: 1 cell(s), expected 2"),
        ("name\nage\nage\n", "line 3: the column 'age' is described already"),
        ("name,role\nage,quasi-identifer\n", "line 2: unknown role. Did you mean"),
        ("name,label\n,x\n", "line 2: the name of the column is missing"),
        ('name\n"age\n', "line 2: "),
        ('{"age": }', "line 1: is not valid JSON"),
        ("[1]", "must hold an object for each column"),
        ('{"age": 1}', "must hold an object for each column"),
        ('{"age": {"values": 3}}', "must be a list or an object"),
        ('{"fields": [{"title": "x"}]}', "field 1: must be an object with a name"),
        ('{"resources": [{}, {}]}', "has 2 resources"),
        ("\xff", "is not UTF-8 text"),
    ],
)
def test_mistakes_have_a_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "d").write_text(text, encoding="latin-1")
    with pytest.raises(InputError) as error:
        read_dictionary(tmp_path / "d")
    assert said in str(error.value)
    assert str(tmp_path / "d") in str(error.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_dictionary(tmp_path / "d.csv")


def table(**columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame(columns, dtype=object)


def test_a_label_speaks_where_a_name_does_not() -> None:
    frame = table(c1=["1", "2"] * 20, c2=[str(n) for n in range(40)], zip=["1", "2"] * 20)
    known = {
        "c1": ColumnDescription("Diagnosis at admission"),
        "c2": ColumnDescription("Person's age"),
        "zip": ColumnDescription("Household income"),
    }
    found = propose(frame, known)
    assert [(one.name, one.part) for one in found.columns] == [
        ("c1", "sensitive"),
        ("c2", "quasi-identifier"),
        ("zip", "quasi-identifier"),
    ]
    assert found.columns[0].reason == "the label suggests health"


def test_a_role_decides_before_all_but_direct_identifiers() -> None:
    frame = table(age=["1", "2"] * 20, contact=[f"p{n}@example.org" for n in range(40)])
    known = {
        "age": ColumnDescription(part="sensitive"),
        "contact": ColumnDescription(part="quasi-identifier"),
    }
    assert [one.part for one in propose(frame, known).columns] == ["sensitive", "identifier"]


def test_listed_values_are_categories_and_no_quantities() -> None:
    codes = [str(n) for n in range(30)]
    frame = table(c=codes * 3)
    assert propose(frame).columns[0].part is None
    found = propose(frame, {"c": ColumnDescription(codes=dict.fromkeys(codes[:28], ""))}).columns[0]
    assert (found.part, found.hierarchy, found.unlisted) == ("quasi-identifier", None, 2)
    ranged = {"c": ColumnDescription(codes={"x": ""}, ranged=True)}
    assert propose(frame, ranged).columns[0].unlisted == 0
    text = to_toml(propose(frame, {"c": ColumnDescription(codes=dict.fromkeys(codes, ""))}))
    line = '#reading = { c = "plain" }'
    assert (line in text, line in to_toml(propose(frame, ranged))) == (True, False)
    assert parse_policy(text.replace(line, line[1:])).readings == {"c": "plain"}


def test_missing_values_are_in_force_where_no_other_column_has_them_as_values() -> None:
    frame = table(age=["20", "30", "-1", "99"] * 5, n=["99", "98", "97", "96"] * 5)
    known = {"age": ColumnDescription(missing=("-1", "99", "77"))}
    found = propose(frame, known)
    assert found.columns[0].look.missing == 10
    text = to_toml(found)
    assert parse_policy(text).convention.missing == ("-1",)
    assert 'Replace them in the file:\n# ["99"]' in text
    only = to_toml(propose(frame.drop(columns="n"), known))
    assert parse_policy(only).convention.missing == ("-1", "99")


def test_the_policy_says_what_was_described() -> None:
    text = to_toml(
        propose(table(age=["1", "2"] * 20, x=["3"] * 40), {"age": ColumnDescription("Age [y]")})
    )
    assert "# The dictionary describes 1 of 2 columns." in text
    assert '"Age [y]" in the dictionary; the name suggests age or birth' in text
    lacking = {"age": ColumnDescription(), "gone": ColumnDescription()}
    assert "the release lacks: gone" in to_toml(propose(table(age=["1"]), lacking))


@pytest.mark.skipif("ANONAUDIT_SHARED" not in os.environ, reason="the shared data are not here")
def test_the_american_community_survey() -> None:
    """By the labels of its dictionary, read by a person: age, sex, race, ... and money."""
    folder = Path(os.environ["ANONAUDIT_SHARED"], "datasets", "nist")
    found = propose(folder / "ma2019.csv", read_dictionary(folder / "data_dictionary.json"))
    parts = {one.name: one.part for one in found.columns}
    quasi = ("AGEP", "SEX", "MSP", "HISP", "RAC1P", "NOC", "NPF", "EDU", "INDP", "PUMA")
    assert {name for name in quasi if parts[name] != "quasi-identifier"} == set()
    money = ("PINCP", "PINCP_DECILE", "POVPIP", "DVET")
    assert {name for name in money if parts[name] != "sensitive"} == set()
    assert found.absent == ()
    assert all(one.described is not None for one in found.columns)
    assert {one.name for one in found.columns if one.unlisted} == set()
