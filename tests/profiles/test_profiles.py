"""Profiles: each line with its source, and an answer that never says "compliant"."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from anonaudit.errors import AnonauditError, PolicyError
from anonaudit.policy import parse_policy
from anonaudit.profiles import PROFILES, Status, ask, read_profile, to_json, to_text
from anonaudit.scanning import scan
from anonaudit.source import open_source

POLICY = 'columns = { quasi-identifiers = ["age"], sensitive = ["dx"] }'


def asked(name, table, policy=POLICY, tmp_path=None):
    return ask(read_profile(name), open_source(table), parse_policy(policy, folder=tmp_path))


def classes_of(size):
    """Two classes of that size, of two diagnoses each."""
    ages = ["30s"] * size + ["40s"] * size
    return pd.DataFrame({"age": ages, "dx": (["a", "b"] * size)[: 2 * size]})


@pytest.mark.parametrize(("size", "risk", "k"), [(10, 0, 0), (11, 0, 1), (12, 1, 1)])
def test_a_risk_of_one_in_eleven_exceeds_009_and_practice_says_eleven(size, risk, k):
    """1/10 and 1/11 = 0.0909 exceed 0.09, 1/12 = 0.083 does not. Both readings are printed."""
    answers = asked("ema-0070", classes_of(size))
    wanted = [Status.MET if met else Status.NOT_MET for met in (risk, k)]
    assert [answer.status for answer in answers[:2]] == wanted
    assert answers[2].status is Status.NOT_DECIDABLE
    assert "the policy names no file of the population" in answers[2].found


def test_with_a_population_its_risk_is_asked(tmp_path):
    pd.DataFrame({"age": ["30s"] * 12 + ["40s"] * 11}).to_csv(tmp_path / "p.csv", index=False)
    answer = asked("ema-0070", classes_of(2), f'{POLICY}\npopulation.file = "p.csv"', tmp_path)[2]
    assert answer.status is Status.NOT_MET
    assert answer.found == "journalist-risk is 0.09091; at most 0.09 is asked. 2 row(s) fall short."


@pytest.mark.parametrize(("size", "status"), [(10, Status.NOT_MET), (11, Status.MET)])
def test_the_smallest_cell_of_cms_is_eleven(size, status):
    first, second = asked("cms-11", classes_of(size))
    assert (first.status, second.status) == (status, Status.FOR_A_PERSON)


def test_what_is_only_necessary_is_never_met():
    """k = 2 and p = 2 rule out the worst; whether that is enough, a person judges."""
    statuses = [answer.status for answer in asked("wp216", classes_of(2))]
    assert statuses == [Status.FOR_A_PERSON] * 4
    alone = pd.DataFrame({"age": ["30s", "40s"], "dx": ["a", "b"]})
    assert [a.status for a in asked("wp216", alone)] == [
        Status.NOT_MET, Status.FOR_A_PERSON, Status.NOT_MET, Status.FOR_A_PERSON
    ]  # fmt: skip


def test_no_data_is_not_met():
    empty = pd.DataFrame({"age": [], "dx": []}, dtype=str)
    assert Status.MET not in {answer.status for answer in asked("cms-11", empty)}


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
    answer = next(answer for answer in answers if answer.line.asks.startswith(clause))
    assert answer.status is Status.NOT_MET
    assert "'column'" in answer.found
    written = to_text(read_profile("hipaa-safe-harbor"), "r", answers)
    assert not any(cell in written for cell in RECOGNISED[clause])
    none = asked("hipaa-safe-harbor", plain)
    assert {answer.status for answer in none} == {Status.FOR_A_PERSON}


def test_free_text_may_hold_anything():
    words = [f"The patient {n} came in on foot and left after a short rest" for n in range(25)]
    table = pd.DataFrame({"age": ["30s"] * 25, "dx": ["a"] * 25, "notes": words})
    answer = asked("hipaa-safe-harbor", table)[0]
    assert answer.status is Status.FOR_A_PERSON
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
    assert [line["status"] for line in told["lines"]] == [str(a.status) for a in answers]
    assert sum(told["counts"].values()) == len(profile.lines)


def test_every_kind_of_a_profile_is_one_that_a_scan_knows():
    """Each is a text of the modules that recognise them, or of those of hashes."""
    from anonaudit.generalization import direct_identifiers, value_kinds
    from anonaudit.scanning import columns, countries

    modules = (direct_identifiers, value_kinds, columns, countries)
    sources = "".join(Path(module.__file__).read_text("utf-8") for module in modules)
    for name in PROFILES:
        for line in read_profile(name).lines:
            unknown = [
                kind for kind in line.kinds
                if f'"{kind}"' not in sources and not re.fullmatch(r"hashes \((md5|sha\d+)\)", kind)
            ]  # fmt: skip
            assert unknown == []


def test_a_profile_of_an_organization(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text(
        'title = "Our rules"\nsource = "Handbook"\n[[lines]]\nasks = "Three or more."\n'
        'source = "Handbook, 4.2"\nrequire = { k-anonymity = { k = 3 } }\n'
    )
    (answer,) = asked(str(path), classes_of(2))
    assert answer.status is Status.NOT_MET
    assert answer.found == "k-anonymity is 2; at least 3 is asked. 4 row(s) fall short."


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('asks = "A."\njudge = "B"', "has no source"),
        ('asks = "A."\nsource = "S"', "is answered by one of require, kinds and judge"),
        ('asks = "A."\nsource = "S"\njudge = "B"\nkinds = ["URLs"]', "is answered by one of"),
        ('asks = "A."\nsource = "S"\nrequire = { k-anonimity.k = 3 }', "Did you mean 'k-anonymity'"),
        ('asks = "A."\nsource = "S"\njudge = "B"\nneeds = "luck"', "'sensitive' or 'population'"),
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
    answer = asked("ema-0070", table)[3]
    assert (answer.status, column) == (Status.NOT_MET, "mail")
    assert "'mail' (e-mail addresses)" in answer.found
