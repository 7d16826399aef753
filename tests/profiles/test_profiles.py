"""Profiles: each line with its source, and an answer that never says "compliant"."""

import hashlib
import json
import re
from dataclasses import replace
from itertools import combinations

import pandas as pd
import pytest

from anonaudit.errors import AnonauditError, PolicyError
from anonaudit.generalization.check_digits import is_account_or_card
from anonaudit.policy import parse_policy
from anonaudit.profiles import PROFILES, LineStatus, ask, read_profile, to_json, to_text
from anonaudit.scanning import scan
from anonaudit.source import open_source

POLICY = 'columns = { quasi-identifiers = ["age"], sensitive = ["dx"] }'


def asked(name, table, policy=POLICY, tmp_path=None):
    return ask(read_profile(name), open_source(table), parse_policy(policy, folder=tmp_path))


def line_of(answers, start):
    """The answer to the first line that asks what begins so."""
    return next(a for a in answers.lines if a.line.asks.startswith(start))


def statuses(answers):
    return [answer.status for answer in answers.lines]


def classes_of(size):
    """Two classes of that size, of two diagnoses each."""
    ages = ["30s"] * size + ["40s"] * size
    return pd.DataFrame({"age": ages, "dx": (["a", "b"] * size)[: 2 * size]})


@pytest.mark.parametrize(("size", "risk", "k"), [(10, 0, 0), (11, 0, 1), (12, 1, 1)])
def test_a_risk_of_one_in_eleven_exceeds_009_and_practice_says_eleven(size, risk, k):
    """1/10 and 1/11 = 0.0909 exceed 0.09, 1/12 = 0.083 does not. Both readings are printed."""
    answers = asked("ema-0070", classes_of(size))
    wanted = [LineStatus.MET if met else LineStatus.NOT_MET for met in (risk, k)]
    assert statuses(answers)[:2] == wanted
    assert answers.lines[2].status is LineStatus.NOT_DECIDABLE
    assert "the policy names no file of the population" in answers.lines[2].found


def test_of_two_readings_of_one_threshold_the_strict_one_counts():
    """At 11 they differ. Five lines are printed, four counted: 1 not met, 1 undecided, 2 for a person."""
    profile, answers = read_profile("ema-0070"), asked("ema-0070", classes_of(11))
    wanted = [
        LineStatus.NOT_MET,
        LineStatus.NOT_DECIDABLE,
        LineStatus.FOR_A_PERSON,
        LineStatus.FOR_A_PERSON,
    ]
    assert list(answers.statuses) == wanted
    told = json.loads(to_json(profile, "r", answers))
    assert [line["counted"] for line in told["lines"]] == [True, False, True, True, True]
    assert list(told["counts"].values()) == [0, 1, 1, 2]
    assert "\nMET (not counted): The smallest class has at least 11" in to_text(
        profile, "r", answers
    )


def test_with_a_population_its_risk_is_asked(tmp_path):
    pd.DataFrame({"age": ["30s"] * 12 + ["40s"] * 11}).to_csv(tmp_path / "p.csv", index=False)
    answer = asked(
        "ema-0070", classes_of(2), f'{POLICY}\npopulation.file = "p.csv"', tmp_path
    ).lines[2]
    assert answer.status is LineStatus.NOT_MET
    assert answer.found == "journalist-risk is 0.09091; at most 0.09 is asked. 2 row(s) fall short."


@pytest.mark.parametrize(
    ("diagnoses", "people", "cells"),
    [
        ([f"d{number}" for number in range(12)], True, 1),
        (["a"] * 12, True, 12),
        (["a"] * 11, True, 11),
        (["a"] * 10, False, 10),
        (["a"] * 11 + ["b"] * 10, True, 10),
        (["a"] * 11 + ["b"] * 11, True, 11),
    ],
)
def test_a_cell_of_cms_is_of_a_diagnosis_too(diagnoses, people, cells):
    """One class. people: whether it has eleven. cells: the fewest rows of a diagnosis in it."""
    table = pd.DataFrame({"age": ["30s"] * len(diagnoses), "dx": diagnoses})
    by_class, by_value, derived = asked("cms-11", table).lines
    assert by_class.status is (LineStatus.FOR_A_PERSON if people else LineStatus.NOT_MET)
    assert by_value.status is (LineStatus.FOR_A_PERSON if cells >= 11 else LineStatus.NOT_MET)
    assert f"k-anonymity is {cells};" in by_value.found
    assert derived.status is LineStatus.FOR_A_PERSON


@pytest.mark.parametrize("columns", [["dx", "drg"], ["drg", "dx"]])
def test_the_sensitive_column_with_the_smallest_cell_decides(columns):
    """Of 12 rows all have one dx, 11 have one drg and 1 another."""
    table = pd.DataFrame({"age": ["30s"] * 12, "dx": ["a"] * 12, "drg": ["x"] * 11 + ["y"]})
    policy = f'columns = {{ quasi-identifiers = ["age"], sensitive = {json.dumps(columns)} }}'
    answer = asked("cms-11", table, policy).lines[1]
    assert answer.status is LineStatus.NOT_MET
    assert answer.found == "k-anonymity is 1; at least 11 is asked. 1 row(s) fall short."


def test_without_a_sensitive_column_the_cells_of_diagnoses_are_undecided():
    table = pd.DataFrame({"age": ["30s"] * 12, "dx": [str(number) for number in range(12)]})
    answers = asked("cms-11", table, 'columns.quasi-identifiers = ["age"]')
    assert statuses(answers) == [
        LineStatus.FOR_A_PERSON,
        LineStatus.NOT_DECIDABLE,
        LineStatus.FOR_A_PERSON,
    ]


PATIENTS = 'columns.quasi-identifiers = ["age"]\ncolumns.sensitive = ["dx"]'


@pytest.mark.parametrize("rows", [10, 12])
def test_rows_are_no_people_if_the_policy_names_no_unit(rows):
    """Four patients have 12 rows. With the unit their class has 4 people; of 10 rows, fewer than 11."""
    persons = [f"P{number % 4}" for number in range(rows)]
    table = pd.DataFrame({"age": ["30s"] * rows, "dx": ["a"] * rows, "patient_id": persons})
    wanted = LineStatus.NOT_MET if rows < 11 else LineStatus.NOT_DECIDABLE
    answers = asked("cms-11", table, PATIENTS)
    assert statuses(answers)[:2] == [wanted] * 2
    told = to_text(read_profile("cms-11"), "r", answers)
    assert "undeclared-unit ('patient_id')" in " ".join(told.split())
    warned = json.loads(to_json(read_profile("cms-11"), "r", answers))["warnings"]
    assert {"code": "undeclared-unit", "column": "patient_id"} in warned
    named = asked("cms-11", table, f'{PATIENTS}\ncolumns.unit = "patient_id"')
    assert statuses(named)[:2] == [LineStatus.NOT_MET] * 2
    assert "k-anonymity is 4;" in named.lines[0].found


def test_a_line_of_columns_is_decided_without_a_unit(tmp_path):
    """No column of the file holds direct identifiers, however the rows belong to people."""
    (tmp_path / "ours.toml").write_text(
        'title = "T"\nsource = "S"\n[[lines]]\nasks = "None."\nsource = "S"\n'
        "require = { no-direct-identifiers = {} }\n"
    )
    persons = [f"P{number % 4}" for number in range(12)]
    table = pd.DataFrame({"age": ["30s"] * 12, "dx": ["a"] * 12, "patient_id": persons})
    answers = asked(str(tmp_path / "ours.toml"), table, PATIENTS)
    assert statuses(answers) == [LineStatus.MET]


def test_what_is_only_necessary_is_never_met():
    """k = 2 and p = 2 rule out the worst; whether that is enough, a person judges."""
    assert statuses(asked("wp216", classes_of(2))) == [LineStatus.FOR_A_PERSON] * 4
    alone = pd.DataFrame({"age": ["30s", "40s"], "dx": ["a", "b"]})
    assert statuses(asked("wp216", alone)) == [
        LineStatus.NOT_MET, LineStatus.FOR_A_PERSON, LineStatus.NOT_MET, LineStatus.FOR_A_PERSON
    ]  # fmt: skip


def test_no_data_is_not_decidable():
    """Every line that is measured; in this file each is, as it names a sensitive column."""
    empty = pd.DataFrame({"age": [], "dx": []}, dtype=str)
    for name, measured in (("cms-11", 2), ("ema-0070", 2), ("wp216", 2)):
        answers = [a for a in asked(name, empty).lines if a.line.require and " is " in a.found]
        answers = [a for a in answers if "not measured" not in a.found]
        assert [a.status for a in answers] == [LineStatus.NOT_DECIDABLE] * measured


RECOGNISED = {
    "(A)": [f"{first} Miller" for first in ("Anna", "Peter", "Maria", "John", "Susan") * 5],
    "(C)": [f"2024-01-{day:02}" for day in range(1, 26)],
    "(D)": [f"+49 30 90182{number:03}" for number in range(25)],
    "(F)": [f"p{number}@example.org" for number in range(25)],
    "(G)": [f"123-45-67{number:02}" for number in range(25)],
    "(N)": [f"https://example.org/{number}" for number in range(25)],
    "(O)": [f"192.0.2.{number}" for number in range(25)],
    "(R)": [f"A-{number}" for number in range(25)],
}


@pytest.mark.parametrize("clause", RECOGNISED)
def test_an_identifier_of_the_safe_harbor_is_found_by_its_form(clause):
    """And the cells are not shown. An empty clause is for a person, as forms are not all there is."""
    plain = pd.DataFrame({"age": ["30s"] * 25, "dx": ["a"] * 25})
    table = plain.assign(column=RECOGNISED[clause])
    answers = asked("hipaa-safe-harbor", table)
    answer = line_of(answers, clause)
    assert answer.status is LineStatus.NOT_MET
    assert "'column'" in answer.found
    others = {a.line.asks[:3] for a in answers.lines if a.status is LineStatus.NOT_MET} - {
        clause,
        "(R)",
    }
    assert others == set()
    written = to_text(read_profile("hipaa-safe-harbor"), "r", answers)
    assert not any(cell in written for cell in RECOGNISED[clause])
    none = asked("hipaa-safe-harbor", plain)
    assert {*statuses(none)} == {LineStatus.FOR_A_PERSON}


@pytest.mark.parametrize("first", ["(D)", "(F)", "(G)"])
@pytest.mark.parametrize("second", ["(D)", "(F)", "(G)"])
@pytest.mark.parametrize("join", [None, ", "])
def test_a_column_of_two_kinds_breaks_the_line_of_each(first, second, join):
    """Every second row has the other kind; or each cell has both."""
    pairs = list(zip(RECOGNISED[first], RECOGNISED[second], strict=True))
    cells = [join.join(pair) if join else pair[row % 2] for row, pair in enumerate(pairs)]
    table = pd.DataFrame({"age": ["30s"] * 25, "dx": ["a"] * 25, "contact": cells})
    answers = asked("hipaa-safe-harbor", table)
    broken = {a.line.asks[:3] for a in answers.lines if a.status is LineStatus.NOT_MET} - {"(R)"}
    assert broken == {first, second}
    found = line_of(asked("ema-0070", table), "No direct identifier")
    assert found.status is LineStatus.NOT_MET


@pytest.mark.parametrize(
    ("shares", "clauses"), [((25, 0), {"(O)"}), ((0, 25), {"(M)"}), ((13, 12), {"(O)", "(M)"})]
)
def test_a_mac_address_is_a_device_and_no_internet_address(shares, clauses):
    ips = [f"192.0.2.{number}" for number in range(shares[0])]
    macs = [f"00:1B:44:11:3A:{number:02X}" for number in range(shares[1])]
    table = pd.DataFrame({"age": ["30s"] * 25, "dx": ["a"] * 25, "address": ips + macs})
    answers = asked("hipaa-safe-harbor", table)
    broken = {a.line.asks[:3] for a in answers.lines if a.status is LineStatus.NOT_MET} - {"(R)"}
    assert broken == clauses
    found = line_of(asked("ema-0070", table), "No direct identifier")
    assert found.status is LineStatus.NOT_MET


def test_a_national_number_is_found_with_its_country():
    stdnum = pytest.importorskip("stdnum.nl.bsn")
    numbers = [str(n) for n in range(100000000, 100001000) if stdnum.is_valid(str(n))][:25]
    table = pd.DataFrame({"age": ["30s"] * 25, "dx": ["a"] * 25, "number": numbers})
    profile = read_profile("hipaa-safe-harbor")
    answers = ask(profile, open_source(table), parse_policy(POLICY), countries=["nl"])
    assert line_of(answers, "(G)").status is LineStatus.NOT_MET


@pytest.mark.parametrize(
    ("profile", "line"),
    [("ema-0070", "No direct"), ("hipaa-safe-harbor", "(H)"), ("hipaa-safe-harbor", "(R)")],
)
@pytest.mark.parametrize("there", [True, False])
def test_a_declared_identifier_in_the_file_breaks_the_line(profile, line, there):
    """Its values have no form: two rows share each. If it is not in the file, a person judges."""
    table = pd.DataFrame({"age": ["30s"] * 26, "dx": ["a"] * 26})
    if there:
        table["mrn"] = [f"M{number // 2}" for number in range(26)]
    policy = POLICY.replace("{ ", '{ identifiers = ["mrn"], ')
    answer = line_of(asked(profile, table, policy), line)
    assert answer.status is (LineStatus.NOT_MET if there else LineStatus.FOR_A_PERSON)
    assert ("'mrn'" in answer.found) is there


def test_what_is_declared_hides_nothing_that_is_recognised():
    table = pd.DataFrame({"age": ["30s"] * 25, "mrn": ["M"] * 25, "mail": RECOGNISED["(F)"]})
    policy = 'columns = { quasi-identifiers = ["age"], identifiers = ["mrn"] }'
    found = line_of(asked("ema-0070", table, policy), "No direct identifier").found
    assert "'mrn'" in found
    assert "'mail' (e-mail addresses)" in found


def test_free_text_may_hold_anything():
    words = [f"The patient {n} came in on foot and left after a short rest" for n in range(25)]
    table = pd.DataFrame({"age": ["30s"] * 25, "dx": ["a"] * 25, "notes": words})
    answer = asked("hipaa-safe-harbor", table).lines[0]
    assert answer.status is LineStatus.FOR_A_PERSON
    assert answer.found.endswith("Free text may hold anything: 'notes'.")


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_cites_its_source_and_says_no_more_than_it_knows(name):
    profile = read_profile(name)
    assert profile.name == name
    assert all(line.source and line.asks.endswith(".") for line in profile.lines)
    answers = ask(profile, open_source(classes_of(20)), parse_policy(POLICY))
    text = to_text(profile, "r.csv", answers)
    assert "compliant" not in text.lower()
    assert "This is no verdict on compliance" in text
    told = json.loads(to_json(profile, "r.csv", answers))
    assert [line["status"] for line in told["lines"]] == [str(a.status) for a in answers.lines]
    assert sum(told["counts"].values()) == sum(line.counted for line in profile.lines)


CELLS = {
    **{kind: RECOGNISED[clause] for kind, clause in {
        "names of persons": "(A)", "dates": "(C)", "telephone numbers": "(D)",
        "e-mail addresses": "(F)", "social security numbers": "(G)", "URLs": "(N)",
        "IP addresses": "(O)", "network addresses": "(O)", "key: every row has its own value": "(R)",
    }.items()},
    "postal codes": [f"021{number:02}" for number in range(25)],
    "coordinates": [f"52.{number:03}, 13.{number:03}" for number in range(25)],
    "dates in several formats": [f"2024-01-{d:02}" if d % 2 else f"{d}.1.2024" for d in range(1, 26)],
    "MAC addresses": [f"00:1B:44:11:3A:{number:02X}" for number in range(25)],
    "UUIDs": [f"00000000-0000-4000-8000-0000000000{number:02}" for number in range(25)],
    **{
        f"hashes ({name})": [hashlib.new(name, str(n).encode()).hexdigest() for n in range(25)]
        for name in ("md5", "sha1", "sha256", "sha512")
    },
    "account or card numbers": [
        text for n in range(250) if is_account_or_card(text := f"4000000000000{n:03}")
    ][:25],
"official numbers of persons": [f"AB{number:06}C" for number in range(25)],
}  # fmt: skip
BY_COUNTRY = {"national identity numbers"}


@pytest.mark.parametrize("name", PROFILES)
def test_every_kind_of_a_profile_is_one_that_a_scan_finds(name):
    """Each is tried on cells of its form, in a column of its own."""
    plain = pd.DataFrame({"age": ["30s"] * 25, "dx": ["a"] * 25})
    profile = read_profile(name)
    for line in profile.lines:
        for kind in {*line.kinds} - BY_COUNTRY:
            alone = replace(profile, lines=(replace(line, kinds=(kind,)),))
            table = plain.assign(zip=CELLS[kind])
            (answer,) = ask(alone, open_source(table), parse_policy(POLICY)).lines
            assert (kind, answer.status) == (kind, LineStatus.NOT_MET)
            assert kind in answer.found


def test_a_profile_of_an_organization(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text(
        'title = "Our rules"\nsource = "Handbook"\n[[lines]]\nasks = "Three or more."\n'
        'source = "Handbook, 4.2"\nrequire = { k-anonymity = { k = 3 } }\n'
    )
    (answer,) = asked(str(path), classes_of(2)).lines
    assert answer.status is LineStatus.NOT_MET
    assert answer.found == "k-anonymity is 2; at least 3 is asked. 4 row(s) fall short."


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('asks = "A."\njudge = "B"', "has no source"),
        ('asks = "A."\nsource = "S"', "one of require, kinds, labels, evidence, attack and judge"),
        ('asks = "A."\nsource = "S"\nlabels = "ages"\njudge = "B"', "must have exactly one of"),
        ('asks = "A."\nsource = "S"\nlabels = "shoes"', "cannot be 'shoes'"),
        ('asks = "A."\nsource = "S"\nevidence = ["k-anonimity"]', "Did you mean 'k-anonymity'"),
        ('asks = "A."\nsource = "S"\nattack = "linkege"', "Did you mean 'linkage'"),
        ('asks = "A."\nsource = "S"\nattack = "linkage"\nidentifiers = true', "only with kinds or"),
        ('asks = "A."\nsource = "S"\njudge = "B"\nkinds = ["URLs"]', "must have exactly one of"),
        ('asks = "A."\nsource = "S"\nrequire = { k-anonimity.k = 3 }', "Did you mean 'k-anonymity'"),
        ('asks = "A."\nsource = "S"\njudge = "B"\nneeds = "luck"', "'sensitive' or 'population'"),
        ('asks = "A."\nsource = "S"\njudge = "B"\ncrossed = true', "only with require and needs"),
        ('asks = "A."\nsource = "S"\nrequire.k-anonymity.k = 3\nidentifiers = true', "only with kinds or"),
        ('asks = "A."\nsource = "S"\njudge = "B"\ncounted = 1', "true or false"),
    ],
)  # fmt: skip
def test_mistakes_in_a_profile_are_named(tmp_path, line, problem):
    path = tmp_path / "ours.toml"
    path.write_text(f'title = "T"\nsource = "S"\n[[lines]]\n{line}\n')
    with pytest.raises(PolicyError, match=re.escape(problem)):
        read_profile(str(path))


def test_a_profile_that_is_not_there(tmp_path):
    with pytest.raises(AnonauditError, match="there is no profile 'gdpr'; there are cms-11"):
        read_profile("gdpr")
    with pytest.raises(AnonauditError, match="cannot be read"):
        read_profile(str(tmp_path / "none.toml"))


def test_the_scan_is_that_of_the_command():
    """The column that the profile names is the one that `anonaudit scan` names."""
    table = classes_of(13).assign(mail=[f"p{number}@example.org" for number in range(26)])
    (column,) = [one.name for one in scan(table).columns if one.direct == "e-mail addresses"]
    answer = asked("ema-0070", table).lines[3]
    assert (answer.status, column) == (LineStatus.NOT_MET, "mail")
    assert "'mail' (e-mail addresses)" in answer.found


def test_rows_in_no_class_leave_a_risk_undecided():
    """Twelve people share an age; three rows are suppressed, and may be of three others."""
    table = pd.DataFrame({"age": ["30s"] * 12 + ["*"] * 3, "dx": ["a", "b", "c"] * 5})
    answer = asked("ema-0070", table).lines[0]
    assert answer.status is LineStatus.NOT_DECIDABLE
    assert "3 rows are in no class" in answer.found


def test_persons_whom_all_their_rows_tell_apart_leave_a_risk_undecided():
    """35 persons, each with another three of seven months, so each month has 15."""
    persons = list(combinations(range(7), 3))
    rows = [(str(month), f"s{i}") for i, months in enumerate(persons) for month in months]
    table = pd.DataFrame(rows, columns=["age", "subject"]).assign(dx="a")
    assert len(persons) == 35
    answer = asked("ema-0070", table, f'{PATIENTS}\ncolumns.unit = "subject"').lines[0]
    assert answer.status is LineStatus.NOT_DECIDABLE
    assert "35 person(s) are unique by all their rows together" in answer.found


def test_without_quasi_identifiers_nothing_is_met():
    answers = asked("ema-0070", classes_of(20), 'columns.sensitive = ["dx"]')
    assert LineStatus.MET not in statuses(answers)
    assert "the policy names no quasi-identifier" in answers.lines[0].found


# How each line is answered: m(easure), k(inds), l(abels), e(vidence), a(ttack), j(udge).
WAYS = {
    "cms-11": "m m j",
    "ema-0070": "m m m k j",
    "hipaa-expert": "j e e e e e j j j",
    "hipaa-safe-harbor": "k kl kl l k k k j k j k k k j k j",
    "ico-motivated-intruder": "j k m a a a j j j",
    "wp216": "m j m j",
}


@pytest.mark.parametrize("name", PROFILES)
def test_every_line_maps_to_a_measurement_or_says_why_a_person_must(name):
    given = {
        "require": "m",
        "kinds": "k",
        "labels": "l",
        "evidence": "e",
        "attack": "a",
        "judge": "j",
    }
    lines = read_profile(name).lines
    ways = ["".join(way for key, way in given.items() if getattr(line, key)) for line in lines]
    assert " ".join(ways) == WAYS[name]


PLANTED = pd.DataFrame(
    {
        "age": ["95", *(str(age) for age in range(20, 44))],
        "dx": [f"d{number}" for number in range(25)],
        "mrn": [f"M{number // 2}" for number in range(25)],
        "zip": CELLS["postal codes"],
        **{f"c{i}": CELLS[kind] for i, kind in enumerate((
            "names of persons", "dates", "telephone numbers", "e-mail addresses",
            "social security numbers", "URLs", "IP addresses", "MAC addresses",
            "account or card numbers", "UUIDs",
        ))},
    }
)  # fmt: skip
ALL_GIVEN = """
columns = { quasi-identifiers = ["age"], sensitive = ["dx"], identifiers = ["mrn"] }
population = { file = "people.csv", sampling-fraction = 1 }
attacks.linkage = { external = "people.csv", identity = ["c0"], allow-rate = 1.0 }
attacks.composition = { external = "people.csv", second = "people.csv", identity = ["c0"] }
"""


@pytest.mark.parametrize("name", PROFILES)
def test_a_planted_file_breaks_every_line_that_a_file_decides(tmp_path, name):
    """Everybody is alone, by every identifier there is; the policy's own allowed rate counts not."""
    PLANTED.to_csv(tmp_path / "people.csv", index=False)
    answers = asked(name, PLANTED, ALL_GIVEN, tmp_path)
    for answer in answers.lines:
        line = answer.line
        decides = line.require or line.kinds or line.labels or line.attack or line.identifiers
        wanted = LineStatus.NOT_MET if decides else LineStatus.FOR_A_PERSON
        assert (line.asks, answer.status) == (line.asks, wanted)


def test_evidence_is_never_met_and_without_a_level_undecided(tmp_path):
    """Two classes of 20: k is 20, and the risk 1/20. Nothing is required, however safe or unsafe."""
    lines = {a.line.source: a for a in asked("hipaa-expert", classes_of(20)).lines}
    assert {a.status for a in lines.values()} == {LineStatus.FOR_A_PERSON, LineStatus.NOT_DECIDABLE}
    risk = next(a for a in lines.values() if "prosecutor-risk" in a.line.evidence)
    assert risk.status is LineStatus.FOR_A_PERSON
    assert "k-anonymity is 20 (higher is safer); prosecutor-risk is 0.05 (lower" in risk.found
    unique = next(a for a in lines.values() if "population-uniqueness" in a.line.evidence)
    assert unique.status is LineStatus.NOT_DECIDABLE
    assert "population-uniqueness has no level (no sampling fraction is known" in unique.found
    persons = classes_of(20).assign(patient_id=[f"P{number % 4}" for number in range(40)])
    several = next(
        a for a in asked("hipaa-expert", persons).lines if "prosecutor-risk" in a.line.evidence
    )
    assert several.status is LineStatus.NOT_DECIDABLE


def test_evidence_says_where_no_value_is_known():
    """Of three classes of two rows, the second and the third have no known diagnosis."""
    release = pd.DataFrame({"age": [*"112233"], "dx": ["a", "b", None, None, None, None]})
    lines = asked("hipaa-expert", release).lines
    (found,) = (a.found for a in lines if "t-closeness" in a.line.evidence)
    assert "l-diversity is 2 (higher is safer; no known value of 'dx' in 2 classes)" in found


def test_the_log_of_attacks_has_adversary_data_time_and_outcome(tmp_path):
    """Two of a list of three are alone in the release; by homogeneity one class of two agrees."""
    release = pd.DataFrame({"age": ["30", "40", "50", "50"], "dx": ["a", "b", "c", "c"]})
    people = pd.DataFrame({"who": ["Ann", "Bob", "Cy"], "age": ["30", "40", "50"]})
    people.to_csv(tmp_path / "register.csv", index=False)
    policy = f'{POLICY}\nattacks.linkage = {{ external = "register.csv", identity = ["who"] }}'
    answers = asked("ico-motivated-intruder", release, policy, tmp_path)
    by_attack = {a.line.attack: a for a in answers.lines if a.line.attack}
    linked = by_attack["linkage"]
    assert linked.status is LineStatus.NOT_MET
    assert "Adversary: one who knows" in linked.found
    assert "Data: register.csv. Time: not measured" in linked.found
    assert (
        "Outcome: of 3 targets, 2 identified, 3 with a disclosed value, 0 undecided."
        in linked.found
    )
    alone = by_attack["homogeneity"]
    assert "Data: the release alone." in alone.found
    assert "of 4 targets, 0 identified, 4 with a disclosed value" in alone.found
    other = by_attack["composition"]
    assert (other.status, other.found[:8]) == (LineStatus.NOT_DECIDABLE, "Not run:")
    assert not any(name in answer.found for answer in answers.lines for name in people["who"])


def test_an_attack_that_finds_nobody_is_for_a_person(tmp_path):
    """Twenty people of an age have two diagnoses. Where the only known one is the same, it is open."""
    pd.DataFrame({"who": ["Ann"], "age": ["30s"]}).to_csv(tmp_path / "list.csv", index=False)
    policy = f'{POLICY}\nattacks.linkage = {{ external = "list.csv", identity = ["who"] }}'
    unknown = pd.DataFrame({"age": ["30s"] * 4, "dx": ["a", "a", "a", ""]})
    for table, wanted in (
        (classes_of(20), LineStatus.FOR_A_PERSON),
        (unknown, LineStatus.NOT_DECIDABLE),
    ):
        answers = asked("ico-motivated-intruder", table, policy, tmp_path)
        by_attack = {a.line.attack: a.status for a in answers.lines if a.line.attack}
        assert by_attack["homogeneity"] is by_attack["linkage"] is wanted
