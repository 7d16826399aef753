"""Columns that name people, and columns that only look so at first sight.

The numbers are examples that those who give such numbers publish, or in the ranges that they keep
free for fiction (555-01xx, example.org). The categories are those of public data sets.
"""

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from anonaudit import datasets
from anonaudit.frequency.counting import count
from anonaudit.generalization import direct_identifiers
from anonaudit.generalization.check_digits import is_account_or_card, is_official_number
from anonaudit.generalization.direct_identifiers import NAMES
from anonaudit.source.table import open_source

recognised = direct_identifiers.direct_identifiers
PHONES = "telephone numbers"
EMAILS = "e-mail addresses"
SOCIAL = "social security numbers"


HOLDING: dict[str, list[Sequence[str]]] = {
    EMAILS: [
        ["ann@example.org", "bo@example.org"],
        ["unknown", "none", "first.last+tag@mail.example.co.uk"],
        ["Call me", "write to <jürgen@exämple.de>, please"],
        ["A.B@EXAMPLE.ORG"],
        *[[f"no {i}" for i in range(999)] + ["x_1@example.org"]],
    ],
    SOCIAL: [
        ["078-05-1120", "219-09-9999"],  # both printed on sample cards
        ["219 09 9999"],
        ["SSN: 219-09-9999."],
        ["unknown", "n/a", "219-09-9999"],
    ],
    PHONES: [
        ["617-555-0134", "617-555-0135"],
        ["(617) 555-0134"],
        ["+1 617 555 0134", "+44 20 7946 0958", "+49 30 23125 000"],
        ["1-617-555-0134"],
        ["617.555.0134"],
        ["+442079460958"],
        ["020 7946 0958", "(030) 23125000", "030/23125000"],
        ["01 99 00 12 34"],
        ["0171-39200123"],
        ["pt doing well", "call wife at 617-555-0134"],
    ],
    "account or card numbers": [
        [
            "DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "FR1420041010050500013M02606",
            "NL91ABNA0417164300", "AT611904300234573201",
        ],
        [
            "4111 1111 1111 1111", "5555555555554444", "378282246310005", "6011111111111117",
            "4012888888881881", "5105-1051-0510-5100",
        ],
    ],
    "official numbers of persons": [
        ["12345678Z", "X1234567L", "00000000T", "11111111H", "87654321X"],
        ["AB123456C", "CE123456A", "GH111111D", "JK222222B", "LM333333C"],
        ["RSSMRA85T10A562S", "RSSMRA85T10A562S", "VRDGPP13R10B293P", "BNCLRA90A41H501X",
         "FRNFNC80A01F205X"],
    ],
    "network addresses": [
        [f"192.168.0.{i}" for i in range(5)],
        [f"00:1A:2B:3C:4D:5{i}" for i in range(5)],
    ],
    NAMES: [
        ["John Smith", "Mary Jones", "Robert Brown"],
        ["SMITH, JOHN", "JONES, MARY A.", "BROWN, ROBERT"],
        ["Dr. María José García", "Jean-Pierre Dupont", "Jürgen Müller", "Łukasz Wójcik"],
        ["anna", "boris", "carlos", "dmitri"],
        ["Андрей Иванов", "Мария Петрова", "Сергей Сидоров"],
        ["mary.jones", "john_smith", "robert-brown"],
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("what", "labels"), [(what, labels) for what, some in HOLDING.items() for labels in some]
)
def test_what_names_people_is_recognised(what, labels):
    assert recognised(labels) == what
    assert recognised(labels, of_persons=True) == what
    assert recognised(random.Random(1).sample(labels, len(labels))) == what


# Only the column tells that these are not categories or codes.
OF_PERSONS: dict[str, list[Sequence[str]]] = {
    NAMES: [
        ["First Person", "Second Person", "Third Person", "Fourth Person", "Fifth Person"],
        ["Nguyen Thi Hoa"],
        ["Zed"],
        ["O'Brien", "D'Souza", "McNamara"],
        ["王小明", "李娜", "张伟"],
        ["Παπαδόπουλος Γιώργος", "Νικολάου Ελένη"],
        ["अनिल कुमार", "सुनीता देवी"],
        ["FIRST PERSON", "second person"],
    ],
    PHONES: [
        [f"0617555013{i}" for i in range(5)],
        [f"004420794609{i}0" for i in range(6)],
    ],
}


@pytest.mark.parametrize(
    ("what", "labels"), [(what, labels) for what, some in OF_PERSONS.items() for labels in some]
)
def test_where_a_value_stands_for_a_person(what, labels):
    assert recognised(labels, of_persons=True) == what
    assert recognised(labels) is None


# None of these names anybody, whatever part the column plays.
CODES: dict[str, Sequence[str]] = {
    "surrogates": ["P0000001", "P0000002", "P0000003"],
    "row numbers": [str(i) for i in range(1, 300)],
    "numbers of ten digits": [str(2_175_550_100 + i) for i in range(300)],
    "numbers of nine digits": [str(512_345_600 + i) for i in range(300)],
    "numbers of sixteen digits": [str(4_000_000_000_000_000 + i) for i in range(300)],
    "padded numbers": [f"{i:010d}" for i in range(300)],
    "hashes": ["5d41402abc4b2a76b9719d911017c592", "7d793037a0760186574b0282f2f435e7"],
    "UUIDs": ["123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001"],
    "letters": ["A", "B", "C", "AA", "AB"],
    "small codes": ["qxzt", "wkjh", "bbcd"],
    "households": ["Household A", "Household B", "Household C", "Household D", "Household E"],
    "patients": ["Patient 1", "Patient 2", "Patient 3"],
    "dates": ["2020-01-02", "02.01.2020", "01/02/2020", "1 Jan 2020", "Jan-20", "2020-01"],
    "dates with times": ["2020-01-02 10:11:12", "01/02/2020 1030", "01 02 2020 1030", "2020-01-02T10:11:12+01:00"],
    "zip codes": ["02139", "02139-4307", "48201", "482**", "1010 AB", "K1A 0B1"],
    "ranges of zip codes": ["02100-02109", "01000-01999", "90000-99999"],
    "ICD codes": ["E11.65", "I10", "S72.001A", "Z38.00", "C50.911", "1A00.0", "250.00"],
    "ATC codes": ["N02BE01", "C09AA05", "A10BA02"],
    "NDC codes": ["0378-1805-10", "50580-449-05", "0002-8215-01"],
    "CAS numbers": ["50-78-2", "107-07-3", "7732-18-5"],
    "ISBN": ["0-306-40615-2", "978-0-306-40615-7", "9780306406157"],
    "order numbers": ["2020-000123", "ORD-2020-0001", "10-123-4567", "100-200-300"],
    "intervals": ["[20,30)", "20-29", ">=65", "[1000, 2000[", "200-3999"],
    "sets": ["{F,M}", "02139~02140", "a, b"],
    "numbers never given out": ["000-12-3456", "666-12-3456", "912-12-3456", "219-00-9999"],
    "two households": ["Household A", "Household B"],
    "decimals": ["0.123456789", "0123.4567890", "012345.678901", "+1234567.50", "-1234567.89", "1,234,567.00"],
    "chapters": ["1.2.3.4", "10.1.2.3", "2.1.1.1", "3.1.4.1", "1.1.1.1"],
    "masked addresses": ["j***@example.org", "***@example.org", "@example.org", "a@b"],
    "masked telephones": ["617-555-****", "(617) ***-0134", "617-***-****"],
    "sums": ["EUR 1 234 567", "12 345 678", "200 300 400"],
}  # fmt: skip


@pytest.mark.parametrize("kind", CODES)
def test_codes_and_numbers_name_nobody(kind):
    assert recognised(CODES[kind]) is None
    assert recognised(CODES[kind], of_persons=True) is None


CATEGORIES: dict[str, Sequence[str]] = {
    "census tracts": ["06037206031", "06037206032", "06037206050", "06037207101", "06037207102"],
    "marital status": ["Never married", "Married civ spouse", "Divorced", "Widowed", "Separated"],
    "occupation": ["Protective Serv", "Exec Managerial", "Adm Clerical", "Tech Support", "Sales"],
    "cities": [
        "New York", "Los Angeles", "San Antonio", "San Diego", "Fort Worth", "San Jose", "Austin",
        "Charlotte", "Jackson", "Madison", "Virginia Beach", "Saint Paul", "Baton Rouge",
    ],
    "cities that are called like persons": [
        "Boston", "Chicago", "Vernon", "Warren", "Denver", "Dallas", "Houston", "Seattle", "Phoenix",
        "Detroit", "Memphis", "Tucson",
    ],
    "countries": [
        "United States", "Puerto Rico", "South Korea", "Georgia", "Jordan", "Chad", "Israel",
        "Trinadad&Tobago", "Viet Nam", "Hong", "Mali", "El Salvador", "Dominican Republic",
    ],
    "months": ["January", "April", "May", "June", "August", "Jan", "Jun"],
    "religions": ["Christian", "Muslim", "Jewish", "Hindu", "No Religion"],
    "illnesses": ["Breast Cancer", "Heart Disease", "Crohn Disease", "Down Syndrome", "Flu"],
    "plants": ["Iris setosa", "Iris virginica", "Rose", "Lily", "Daisy", "Violet"],
    "sex": ["Female", "Male", "F", "M"],
    "firms": ["Mercedes", "Ford Motor", "Morgan Stanley", "General Electric", "Siemens"],
    "insurance": ["Medicare", "Medicaid", "Private", "Self-pay"],
}  # fmt: skip


@pytest.mark.parametrize("kind", CATEGORIES)
def test_categories_name_nobody(kind):
    assert recognised(CATEGORIES[kind]) is None


@pytest.mark.parametrize(
    "labels", [[], [""], [" "], ["-"], ["'"], ["1" * 100_000], ["a" * 100_000]]
)
def test_odd_columns(labels):
    assert recognised(labels) is None
    assert recognised(labels, of_persons=True) is None


def test_one_digit_of_a_checked_number_matters():
    for text, holds in (
        *((text, is_account_or_card) for text in HOLDING["account or card numbers"][0]),
        *((text, is_account_or_card) for text in HOLDING["account or card numbers"][1]),
        ("12345678Z", is_official_number),
        ("44051401359", is_official_number),  # the usual example of a PESEL
        ("1800101221144", is_official_number),  # and of a CNP
        ("529.982.247-25", is_official_number),  # of a CPF
        ("111222333", is_official_number),  # of a BSN
    ):
        assert holds(text), text
        changed = re.sub(r"([0-9])(?=[^0-9]*$)", lambda m: str((int(m[0]) + 1) % 10), text)
        assert not holds(changed), text


def alarms(files: list[Path]) -> tuple[set[str], int]:
    """The columns of the files that seem to name people, and how many columns there are."""
    found, looked = set(), 0
    for file in files:
        table = open_source(file)
        for column in table.columns:
            looked += 1
            if recognised(count(table, [column]).labels_of(column)[2:]) is not None:
                found.add(f"{file.parent.name}/{file.name}: {column}")
    return found, looked


def test_the_tables_of_the_papers():
    """Three tables have a column of given names; all is told of what else is there."""
    files = sorted(
        file
        for key in ("TV06", "CT06", "MCT08", "Z07", "GCG08")
        for file in (datasets.folder() / key).glob("*.csv")
    )
    found, looked = alarms([file for file in files if file.stat().st_size > 1])
    assert looked > 100
    assert found == {"CT06/table2.csv: name", "MCT08/figure3.csv: name", "TV06/table2.csv: name"}


def test_adult():
    found, looked = alarms(
        [datasets.path("adult/adult.csv.gz"), datasets.path("adult/release.csv.gz")]
    )
    assert (found, looked) == (set(), 22)


@pytest.mark.long
def test_releases_of_other_tools(shared):
    found, looked = alarms(sorted((shared / "releases").glob("*.csv")))
    assert found == set()
    assert looked > 400
