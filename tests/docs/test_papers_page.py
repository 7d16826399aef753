"""docs/papers.md, from the paper to the code: every name in it exists, and nothing is missing."""

import pkgutil
import re
from pathlib import Path

import pytest

from anonaudit import datasets
from anonaudit.papers.claims import CLAIMS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
ROWS = [
    (paper.split(":")[0], *(cell.strip() for cell in row.strip("|").split(" | ")))
    for paper, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    for row in re.findall(r"^\| (?!in the paper)(.*) \|$", body, re.MULTILINE)
]

# What each paper numbers; the texts are in the shared folder, and the test below counts them there.
NUMBERED = {
    "TV06": {"Definition": 4, "Condition": 2, "Theorem": 2, "Algorithm": 3, "Table": 8, "Figure": 3, "Example": 1},
    "CT06": {"Definition": 5, "Property": 1, "Condition": 3, "Table": 4, "Figure": 3},
    "MCT08": {"Definition": 11, "Property": 6, "Table": 2, "Figure": 9},
    "Z07": {"Table": 4},
    "GCG08": {"Definition": 7, "Theorem": 6, "Lemma": 1, "Example": 1, "Table": 1, "Figure": 14},
}  # fmt: skip


def names_in(cell):
    return re.findall(r"`([^`]+)`", cell)


def exists(name):
    """An object by its dotted name, a file of datasets/, or a function of a test file."""
    if name.startswith("datasets/"):
        return name.removeprefix("datasets/") in datasets.names()
    if "::" in name:
        file, function = name.split("::")
        return re.search(rf"^def {function}\(", (ROOT / file).read_text("utf-8"), re.MULTILINE)
    try:
        return pkgutil.resolve_name(name) is not None
    except (ModuleNotFoundError, AttributeError):
        return False


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]}")
def test_the_names_of_a_row_exist(row):
    _, _, code, shown = row
    assert names_in(code)
    claims = set(re.findall(r"[A-Z]+\d\d-[\w-]+", re.sub("`[^`]*`", "", shown)))
    assert claims or names_in(shown)
    assert claims <= {claim.id for claim in CLAIMS}
    for name in (*names_in(code), *names_in(shown)):
        assert exists(name), name


def test_a_name_that_is_not_there_is_found():
    assert not exists("anonaudit.models.p_sensitive.algorithm_4")
    assert not exists("anonaudit.models.p_sensitive.PSensitiveKAnonymity.level")
    assert not exists("anonaudit.no_such_module.name")
    assert not exists("datasets/TV06/table9.csv")
    assert not exists("tests/claims/test_printed_tables.py::table9_of_tv06")


def test_every_claim_of_the_papers_is_on_the_page():
    named = set(re.findall(r"[A-Z]+\d\d-[\w-]+", PAGE))
    assert {claim.id for claim in CLAIMS if claim.paper != "BOUNDS"} <= named


def test_every_printed_table_is_on_the_page():
    listed = {n.removeprefix("datasets/") for row in ROWS for n in names_in(row[2])}
    tables = {n for n in datasets.names() if n.split("/")[0] in NUMBERED and n.count("/") == 1}
    assert tables - {"CT06/protected.csv"} <= listed  # ours, and in no paper


@pytest.mark.parametrize("paper", NUMBERED)
def test_everything_a_paper_numbers_is_on_the_page(paper):
    found = {re.match(r"([A-Z]\w+ \d+)?", what)[0] for key, what, *_ in ROWS if key == paper}
    wanted = {f"{kind} {n}" for kind, most in NUMBERED[paper].items() for n in range(1, most + 1)}
    assert found - {""} == wanted


@pytest.mark.parametrize("paper", NUMBERED)
def test_the_numbers_are_those_of_the_texts(paper, shared):
    text = (shared / "papers" / f"{paper}.txt").read_text("utf-8")
    for kind, most in NUMBERED[paper].items():
        there = re.findall(rf"\b{kind}s? (\d+)(?: and (\d+))?", text, re.IGNORECASE)
        assert max(int(n) for pair in there for n in pair if n) == most, kind
