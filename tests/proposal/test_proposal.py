"""What `anonaudit init` proposes: by name, by numbers, for Adult; and that it can be read back."""

import re
from collections.abc import Sequence
from dataclasses import FrozenInstanceError

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonaudit import datasets
from anonaudit.frequency.frequency_set import FrequencySet
from anonaudit.generalization import column_names
from anonaudit.policy.policy import HierarchySpec, Policy, parse_policy
from anonaudit.proposal import Proposal, propose, proposed_columns, spelling, to_toml
from anonaudit.source.table import TableFile
from attacks.homogeneity import Homogeneity

ATTACKS = {"homogeneity": Homogeneity}
PARTS = ("identifier", "quasi-identifier", "sensitive", "unit", None)
# A setting in a comment has no blank behind the hash.
SETTING = re.compile(r'^#(?=[A-Za-z0-9_"-])', re.MULTILINE)


def parts(proposal: Proposal) -> dict[str | None, list[str]]:
    """The names of the columns by part, without empty parts."""
    found = {part: [column.name for column in proposal.of(part)] for part in PARTS}
    return {part: columns for part, columns in found.items() if columns}


def read(text: str) -> Policy:
    """The policy, with the attack that it may name."""
    return parse_policy(text, attacks=ATTACKS)


def proposed(cells: Sequence[str | None], name: str = "q") -> proposed_columns.ColumnProposal:
    """What is proposed for a column of a name that says nothing; another has a value in each row."""
    column = pd.Series(list(cells), dtype=object)
    return propose(pd.DataFrame({name: column, "filled": "x"})).columns[0]


@pytest.mark.parametrize(
    ("kind", "spellings"),
    [
        ("identifier", "name;SSN;e-mail;eMail;FirstName;telefon;Straße;address 1;Reisepass-Nr;姓名"),
        ("identifier", "medical record number;patient_name;ip_address;nombre;Фамилия;credit card"),
        ("person", "id;ID;PatientID;patient_no;subject;respondent key;Matrikelnummer;user id"),
        ("number", "row;Unnamed: 0;(column 3);index;record_id;order no;level_0"),
        ("quasi-identifier", "age;Age Group;date of birth;DOB;Geburtsdatum;année de naissance;年龄"),
        ("quasi-identifier", "zip;ZIPCode;zip-code;PLZ;city;address_city;Bundesland;país;native-country"),
        ("quasi-identifier", "sex;Gender;Geschlecht;płeć;kön;Пол;race;ethnicity;nationality;marital-status"),
        ("quasi-identifier", "état civil;education-num;job title;occupation;workclass;beruf;admission date"),
        ("sensitive", "disease;illness;diagnosis;Diagnose;maladie;HIV status;drug_name;age at diagnosis"),
        ("sensitive", "income;Salary;salary-class;capital-gain;annualincome;Gehalt;ingresos;pay;religion"),
        ("sensitive", "test score;criminal record;political party;疾病;class"),
        ("count", "n;count;Freq;Anzahl"),
    ],
)  # fmt: skip
def test_names(kind: str, spellings: str) -> None:
    assert {name: column_names.hint(name).kind for name in spellings.split(";")} == dict.fromkeys(
        spellings.split(";"), kind
    )


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "fnlwgt",
        "thyroid",
        "hours-per-week",
        "hospital id",
        "engage",
        "average",
        "x1",
        "🙂",
    ],
)
def test_names_that_say_nothing(name: str) -> None:
    """Words inside others are none: age in average, id in thyroid, paid or covid."""
    assert column_names.hint(name) is None


def test_a_very_long_name_is_no_trouble() -> None:
    assert column_names.hint("x" * 140_000) is None
    assert column_names.hint("age " + "x" * 140_000) == column_names.Hint(
        "quasi-identifier", "age or birth"
    )


@pytest.mark.parametrize(
    ("cells", "part", "reason"),
    [
        ([], None, "no rows"),
        (["a"] * 30, None, "all cells are equal"),
        ([None] * 30, None, "all cells are equal"),
        (["*"] * 30, "quasi-identifier", "suppressed"),
        (["[0,5)"] * 10 + ["[5,9)"] * 5 + ["x"] * 15, "quasi-identifier", "generalized"),
        (["48***", "49***"] * 15, "quasi-identifier", "generalized"),
        (["[0,5)"] * 14 + ["x", "y"] * 8, "quasi-identifier", "few different"),
        (["a", "b", "c", "d"] * 3, "quasi-identifier", "few different"),
        (["a", "b", "c", "d", "e", "e"], None, "too few"),
        ([str(i) for i in range(1, 31)], "identifier", "row numbers"),
        ([str(i) for i in range(30)], "identifier", "row numbers"),
        ([str(i) for i in (*range(29), 40)], "identifier", "a different value"),
        ([f"A{i:03}" for i in range(30)], "identifier", "a different value"),
        ([f"{i / 7:.4f}" for i in range(30)], None, "fractions"),
        ([f"{i / 7:.4f}".replace(".", ",") for i in range(30)], None, "fractions"),
        ([str(i // 2) for i in range(60)], None, "many different numbers"),
        ([str(i % 20) for i in range(60)], "quasi-identifier", "few different"),
        ([str(i % 21) for i in range(60)], None, "many different numbers"),
        ([f"t{i}" for i in range(57)] + ["t0"] * 3, "identifier", "nearly every row"),
        ([f"t{i}" for i in range(54)] + ["t0"] * 6, "quasi-identifier", "few different"),
        ([f"t{i % 100}" for i in range(300)], "quasi-identifier", "few different"),
        ([f"t{i % 101}" for i in range(300)], None, "many different texts"),
    ],
)  # fmt: skip
def test_by_numbers(cells: list[str | None], part: str | None, reason: str) -> None:
    found = proposed(cells)
    assert (found.part, reason in found.reason) == (part, True), found.reason


def test_the_numbers_of_a_column() -> None:
    found = proposed(["a", "a", "b", "c", None, "*", "?"])
    assert (found.distinct, found.look.missing, found.look.alone) == (4, 1, 3)
    assert (found.look.suppressed, found.look.missing_tokens, found.look.known) == (1, ("?",), 3)
    with pytest.raises(FrozenInstanceError):
        found.part = None  # type: ignore[misc]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["?", "na", "None", "a"], ("?", "None", "na")),
        ([" ", "-", "--", "a"], (" ", "-", "--")),
        (["F,nan", "{a,?}", "a"], ()),  # a list that holds one is quoted nowhere
        (["NA 1", "unknown person", "a"], ()),
    ],
)
def test_missing_tokens(cells: list[str], expected: tuple[str, ...]) -> None:
    assert proposed(cells).look.missing_tokens == expected


def test_suppressed_tokens() -> None:
    found = proposed(["**", "*****", "*", "suppressed", "?", "a"]).look
    assert found.suppressed_tokens == ("**", "*****", "suppressed")
    assert found.missing_tokens == ("?",)
    assert found.suppressed == 1


@pytest.mark.parametrize(
    ("cells", "numbers", "decimal", "whole"),
    [
        (["1", "2", "30"], True, ".", True),
        (["1", "2.5", "-3e2"], True, ".", False),
        (["1,5", "2", "3,25"], True, ",", False),
        (["50,000", "1,234,567"], False, ".", False),  # separators of thousands, or not
        (["1,5", "2.5"], False, ".", False),
        (["1", "x"], False, ".", False),
        (["1", "2", "?"], True, ".", True),
        (["?"], False, ".", False),
    ],
)
def test_numbers(cells: list[str], numbers: bool, decimal: str, whole: bool) -> None:
    found = proposed(cells).look
    assert (found.numbers, found.decimal, found.whole) == (numbers, decimal, whole)


@pytest.mark.parametrize(
    ("name", "cells", "kind", "levels"),
    [
        ("age", ["17", "90", "35"], "intervals", (5, 10, 20)),
        ("age", ["1", "2", "3"], "intervals", (1, 5, 10)),
        ("income", ["0", "99999", "7298"], "intervals", (5000, 10000, 20000)),
        ("income", ["0.5", "40.5", "7"], "intervals", (2, 10, 20)),
        ("income", ["0.5", "0.7", "0.9"], None, None),  # narrower than 1: left to a person
        ("zip", ["48201", "48330", "10001"], "prefixes", (4, 3, 2, 1)),
        ("year", ["1950", "1961", "1970"], "intervals", (1, 5, 10)),
        ("diagnosis", ["C50", "F32", "E11"], "prefixes", (2, 1)),
        ("year", ["0950", "1961", "1970"], "prefixes", (3, 2, 1)),
        ("zip", ["48201", "4833", "10001"], "intervals", (5000, 10000, 20000)),
        # Of a day the month and the year may stay, of a time the day too.
        ("birth date", ["1990-01-31", "1990-02-01", "2004-12-09"], "prefixes", (7, 4)),
        (
            "visit date",
            ["2020-01-31T09:15", "2020-01-31T10:00", "2021-03-01T23:59"],
            "prefixes",
            (10, 7, 4),
        ),
        (
            "visit date",
            ["2020-01-31 09:15:07Z", "2020-01-31 10:00:00Z", "2021-03-01 23:59:59Z"],
            "prefixes",
            (10, 7, 4),
        ),
        ("date", ["1990-01", "1990-02", "2004-12"], "prefixes", (4,)),
        ("date", ["1990-01-31", "1990-02-01", "2004-12"], None, None),  # of two lengths
        ("date", ["1990-31-01", "1990-02-01", "2004-12-09"], None, None),  # there is no month 31
        ("date", ["1990-02-29", "1990-02-01", "2004-12-09"], None, None),  # 1990 had 28 days of it
        ("date", ["1860-02-29", "1990-02-01", "2004-12-09"], "prefixes", (7, 4)),  # a leap year
        ("date", ["31.01.1990", "01.02.1990", "09.12.2004"], None, None),  # prefixes would be days
        ("age", ["[10,20)", "20", "30"], None, None),
        ("age", ["10", "20", "*"], None, None),
        ("age", ["10", "20"], None, None),
        ("sex", ["F", "M", "X"], None, None),
    ],
)
def test_hierarchies(
    name: str, cells: list[str], kind: str | None, levels: tuple[int, ...] | None
) -> None:
    """A hierarchy is suggested for ground values only, and it can be built around them."""
    found = proposed(cells, name).hierarchy
    if kind is None:
        assert found is None
        return
    assert (found.kind, found.levels) == (kind, levels)
    tree = HierarchySpec(name, **{kind: levels}).resolve(cells)
    assert len(tree.paths[cells[0]]) >= len(levels) + 1


@pytest.mark.parametrize(
    ("end", "is_time"),
    [
        (" 09:15", True),
        ("T23:59:60Z", True),
        ("T0915", True),
        ("T091507,5+0100", True),
        (" 09:15:07.123456+01:00", True),
        (" 09:15:07 -08", True),
        (" 09:15:07 CET", True),
        (" 95:71", False),
        (" 24:15", False),
        (" 09:60", False),
        (" 09:15:61", False),
        (" 09:15 or so", False),
        (" 09:15:07.", False),
        (" 09", False),
        ("T", False),
    ],
)
def test_what_follows_a_day_is_a_time(end: str, is_time: bool) -> None:
    """Hours to 23, minutes to 59, seconds to 60 (ISO 8601: a leap second), fractions, a zone."""
    found = proposed([f"2021-02-{day}{end}" for day in ("01", "02", "28")], "visit date").hierarchy
    assert (found is not None and found.levels == (10, 7, 4)) is is_time


def test_dates_become_months_and_years() -> None:
    """The proposal, put in force by taking its hash away, generalizes a day to its month."""
    days = pd.DataFrame({"birth date": ["1990-01-31", "1990-02-01", "2004-12-09"] * 2})
    policy = read(SETTING.sub("", to_toml(propose(days))))
    tree = policy.hierarchies["birth date"].resolve(days["birth date"])
    assert tree.paths["1990-01-31"] == ("1990-01-31", "1990-01***", "1990******", "*")


def test_several_rows_a_person() -> None:
    frame = pd.DataFrame({"patient": list("aabbccdd") * 5, "doctor id": list("xy") * 20,
                          "subject": list("zzzzwwww") * 5, "visit id": range(40)}).astype(str)  # fmt: skip
    found = propose(frame)
    assert parts(found) == {
        "unit": ["patient"], "quasi-identifier": ["doctor id"], "identifier": ["visit id"],
        None: ["subject"],
    }  # fmt: skip
    assert found.people == 4
    assert "10 rows on average" in found.unit.reason
    policy = read(to_toml(found))
    assert policy.roles.unit == "patient"
    # Four persons are fewer than k = 5, although there are forty rows.
    assert [requirement.name for requirement in policy.requirements] == []


def test_a_person_number_that_some_rows_lack_is_no_unit() -> None:
    assert proposed(["a", "a", None, "b"] * 9, "patient id").part is None
    assert proposed(["a", "a", "?", "b"] * 9, "patient id").part is None
    assert proposed(["a", "a", "b", "b"] * 9, "patient id").part == "unit"
    assert proposed(["*"] * 36, "patient id").part is None


def test_records_counted_in_a_column() -> None:
    frame = pd.DataFrame({"age": ["1"] * 9, "n": ["3", "4", "5"] * 3})
    text = to_toml(propose(frame))
    assert '#count = "n"' in text
    assert read(SETTING.sub("", text)).roles.count == "n"
    assert "#count" not in to_toml(propose(frame.assign(n="x")))


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ({"age": ["1"] * 5, "illness": ["a", "b", "a", "b", "a"]}, ["k", "p"]),
        ({"age": ["1"] * 4, "illness": ["a", "b", "a", "b"]}, ["p"]),
        ({"age": ["1"] * 5, "illness": ["a"] * 5}, ["k"]),
        ({"age": ["1"] * 5, "illness": ["a", "?", "a", "a", "a"]}, ["k"]),
        ({"age": ["1"] * 5, "illness": list("abcde"), "income": ["1"] * 5}, ["k"]),
        ({"age": ["1"] * 5}, ["k"]),
        ({"illness": ["a", "b"] * 5}, ["p"]),
        ({"age": [], "illness": []}, []),
    ],
)
def test_what_is_required(frame: dict[str, list[str]], expected: list[str]) -> None:
    """k = 5 and p = 2 are in force unless nothing could ever satisfy them.

    no-direct-identifiers is in force unless nothing else is.
    """
    text = to_toml(propose(pd.DataFrame(frame, dtype=object)))
    found = [(r.name[0], dict(r.parameters)) for r in read(text).requirements]
    levels = {"k": {"k": 5}, "p": {"p": 2}}
    direct = [("n", {})] if expected else []
    assert found == [(letter, levels[letter]) for letter in expected] + direct
    everything = read(SETTING.sub("", text))
    assert [r.name[0] for r in everything.requirements] == ["k", "p", "n"]
    assert [(a.name, a.allowed) for a in everything.attacks] == [("homogeneity", 0)]


def test_adult() -> None:
    found = propose(datasets.path("adult/adult.csv.gz"))
    assert parts(found) == {
        "quasi-identifier": [
            "age", "workclass", "education", "education-num", "marital-status", "occupation",
            "relationship", "race", "sex", "native-country",
        ],
        "sensitive": ["capital-gain", "capital-loss", "income"],
        None: ["fnlwgt", "hours-per-week"],
    }  # fmt: skip
    text = to_toml(found)
    assert '#missing = ["?"]' in text
    assert "in workclass, occupation, native-country" in text
    assert '#numeric = ["capital-gain", "capital-loss"]' in text
    assert "\nage = { intervals = [5, 10, 20] }" in text
    assert '"age",             # 73 values (2 only once); the name suggests age or birth' in text
    required = ["k-anonymity", "p-sensitive-k-anonymity", "no-direct-identifiers"]
    assert [r.name for r in read(text).requirements] == required
    for cell in ("Prof-specialty", "Doctorate", ">50K", "Holand-Netherlands"):
        assert cell not in text


def test_the_masked_release_of_adult() -> None:
    found = propose(datasets.path("adult/release.csv.gz"))
    assert parts(found) == {
        "quasi-identifier": ["age", "marital-status", "race", "sex", "occupation"],
        "sensitive": ["income", "capital-gain"],
    }
    assert found.columns[3].look.suppressed == found.rows == 32_554


def test_one_count_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(source, attributes):
        asked.append(list(attributes))
        return FrequencySet.of(attributes, [["a"]])

    monkeypatch.setattr(proposed_columns, "count", counted)
    propose(pd.DataFrame({"age": ["1"], "sex": ["F"], "x": ["2"]}))
    assert asked == [["age"], ["sex"], ["x"]]


def test_many_values_are_told_apart_by_a_part_of_them() -> None:
    cells = [f"{i:06}" for i in range(25_000)]
    found = proposed(cells, "zip").look
    assert (found.numbers, found.code_length, found.padded) == (True, 6, True)
    assert proposed([str(i) for i in range(25_000)]).look.consecutive
    assert proposed([str(3 * i) for i in range(25_000)]).look.widths == (5000, 10000, 20000)
    assert proposed([*cells, "?"]).look.missing_tokens == ("?",)


HOSTILE = [
    "", " ", '"', "'", '"""', "\\", "a\nb", "a\r\nb", "\t", "\x00", "\x1b[2J", "\x7f", "\x85", "\u2028",
    "\u202egnp.exe", "\ufeff", "\udcff", "\ud83d", "😀 mood", "🏳️‍🌈", "住所", "a]", "[columns]", "# not a comment",
    "x = 1", "a.b", "a,b", "'; DROP TABLE x; --", "<script>alert(1)</script>", "#k = 9", "{}", "age\n[require]",
    "1", "true", "nan", "age", "Age ", "zip code", "patient id", "id", "n", "income", "e" * 300,
]  # fmt: skip
NAMES = st.sampled_from(HOSTILE) | st.text(max_size=8) | st.characters().map(lambda c: f"zip{c}")
CELLS = st.sampled_from(
    [None, "", "*", "**", "?", "NA", "1", "2", "03", "1.5", "1,5", "1,000", "[1,2)", "48***", "F,nan", "x",
     'secret"\n']
)  # fmt: skip


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """A few rows under names that mean no good."""
    found = draw(st.lists(NAMES, unique=True, min_size=1, max_size=6))
    rows = draw(st.integers(0, 24))
    pool = [draw(st.lists(CELLS, min_size=1, max_size=4)) for _ in found]
    cells = {
        place: pd.Series([values[i % len(values)] for i in range(rows)], dtype=object)
        for place, values in enumerate(pool)
    }
    # Lone surrogates are names that pandas takes as objects only.
    return pd.DataFrame(cells).set_axis(pd.Index(found, dtype=object), axis="columns")


@given(frames(), st.none() | st.sampled_from([";", "\t", "|"]))
def test_every_proposal_can_be_read_back(frame: pd.DataFrame, delimiter: str | None) -> None:
    found = propose(frame)
    text = to_toml(found, release=TableFile(delimiter=delimiter))
    policy = read(text)
    roles = policy.roles
    assert list(roles.identifiers) == [c.name for c in found.of("identifier")]
    assert list(roles.quasi_identifiers) == [c.name for c in found.of("quasi-identifier")]
    assert list(roles.sensitive) == [c.name for c in found.of("sensitive")]
    assert roles.unit == (found.unit and found.unit.name)
    assert policy.release.delimiter == delimiter
    assert sorted(c.name for part in PARTS for c in found.of(part)) == sorted(frame.columns)
    text.encode()
    read(SETTING.sub("", text))
    assert "secret" not in text


@given(st.text(max_size=30))
def test_texts_are_quoted(text: str) -> None:
    written = spelling.quoted(text)
    assert written.isprintable()
    if text.isprintable() or not re.search(r"[\ud800-\udfff]", text):
        assert parse_policy(f"columns.unit = {written}").roles.unit == text
        assert [*parse_policy(f"values.reading = {{ {spelling.key(text)} = 'set' }}").readings] == [
            text
        ]


@pytest.mark.parametrize(
    ("header", "values", "kind"),
    [
        ("patient", [f"{n} Person" for n in ("First", "Second", "Third")], "names of persons"),
        ("patient", ["Zed"], "names of persons"),
        ("user", ["a@example.org", "b@example.org"], "e-mail addresses"),
        ("client", ["219-09-9999", "078-05-1120"], "social security numbers"),
        ("member", ["617-555-0134", "617-555-0135"], "telephone numbers"),
        ("member", [f"0617555013{n}" for n in range(5)], "telephone numbers"),
        # A header that says something else, or nothing, hides nothing.
        ("q", ["a@example.org", "b@example.org"], "e-mail addresses"),
        ("region", ["Mary Jones", "John Smith"], "names of persons"),
        ("diagnosis", ["flu", "gout", "call 617-555-0134"], "telephone numbers"),
        ("count", ["219-09-9999", "078-05-1120"], "social security numbers"),
    ],
)
def test_direct_identifiers_are_identifiers_however_often_they_repeat(header, values, kind):
    frame = pd.DataFrame({header: values * 20, "sex": ["F"] * 20 * len(values)})
    found = propose(frame)
    assert found.unit is None
    first = found.columns[0]
    assert (first.part, first.reason) == ("identifier", f"the values look like {kind}")
    text = to_toml(found)
    assert not [value for value in values if value in text]
    assert read(text).roles.identifiers == (header,)


@pytest.mark.parametrize(
    ("header", "values", "part"),
    [
        ("patient", ["p1", "p2", "p3"], "unit"),
        ("patient", ["Household A", "Household B"], "unit"),
        ("user", ["6175550134", "6175550135"], "unit"),
        ("marital-status", ["Never married", "Married", "Divorced"], "quasi-identifier"),
        ("occupation", ["Protective Serv", "Exec Managerial"], "quasi-identifier"),
        ("city", ["New York", "Los Angeles", "San Diego"], "quasi-identifier"),
        ("q", ["Tech Support", "Farming Fishing"], "quasi-identifier"),
    ],
)
def test_what_names_nobody_keeps_its_part(header, values, part):
    frame = pd.DataFrame({header: values * 20, "sex": ["F"] * 20 * len(values)})
    assert propose(frame).columns[0].part == part


def test_diagnoses_are_sensitive_and_free_text_goes_whatever_they_are_called():
    codes = ["C34.1", "I10", "E11.9", "J45", "C50.9"] * 6
    texts = [f"came back on day {i} with some pain in the chest" for i in range(10)] * 3
    words = ["came back", "in pain", "well"] * 10
    frame = pd.DataFrame({"c7": codes, "city": texts, "c9": words, "zip": codes})
    found = {column.name: column.part for column in propose(frame).columns}
    assert found == {
        "c7": "sensitive",
        "city": "identifier",
        "c9": "quasi-identifier",
        "zip": "sensitive",
    }


@pytest.mark.parametrize(("iso", "levels", "odd"), [(18, (7, 4), 2), (17, None, 0)])
def test_dates_written_otherwise_here_and_there(
    iso: int, levels: tuple[int, ...] | None, odd: int
) -> None:
    """Nine rows in ten decide, not nine values in ten."""
    others = [f"{n}.5.1990" for n in range(10, 10 + 20 - iso)][:2]
    cells = [f"1990-01-{n:02}" for n in range(10, 10 + iso)] + others + others[:1] * (18 - iso)
    found = proposed(cells, "birth date")
    assert (found.hierarchy and found.hierarchy.levels) == levels
    assert found.look.odd == odd
    text = to_toml(propose(pd.DataFrame({"birth date": cells})))
    assert ("2 values have another format" in text) == (levels is not None)


def test_postal_codes_that_lost_a_zero() -> None:
    cells = [f"0{n}" for n in range(1001, 1096)] + ["1096", "1097", "01098-1234"]
    found = proposed(cells, "zip")
    assert found.hierarchy == proposed_columns.Suggestion("prefixes", (4, 3, 2, 1))
    assert found.look.odd == 3
