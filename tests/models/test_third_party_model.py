"""Somebody else's model, installed as a package of its own, and the page that explains it."""

import json

import pytest
from example_packages import (
    DOCS,
    anonaudit,
    by_hand,
    by_pip,
    completed,
    python,
    shown_on,
)

from anonaudit import datasets

EXAMPLE = DOCS / "example-model"
RELEASE = datasets.path("TV06/table1.csv")
COLUMNS = """
[columns]
quasi-identifiers = ["age", "zip-code", "sex"]
sensitive = ["illness"]
"""


def policy(folder, requirement):
    file = folder / "policy.toml"
    file.write_text(f"{COLUMNS}\n[require]\n{requirement}\n")
    return file


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages") / "site"
    by_hand(EXAMPLE, folder)
    return folder


@pytest.mark.parametrize("install", [by_hand, pytest.param(by_pip, marks=pytest.mark.long)])
def test_an_installed_model_can_be_required(tmp_path, install):
    """TV06 Table 1 has three classes of two rows; one of them has one illness, twice.

    Two different values: 1 / (1/4 + 1/4) = 2. One value: 1.
    """
    install(EXAMPLE, tmp_path / "site")
    for required, code, outcome, short in ((1.5, 1, "violated", (1, 2)), (1, 0, "holds", (0, 0))):
        asked = policy(tmp_path, f"simpson-diversity = {{ l = {required} }}")
        run = anonaudit(tmp_path / "site", "audit", RELEASE, asked, "--format", "json")
        assert run.returncode == code, run.stderr
        found = [m for m in json.loads(run.stdout)["models"] if m["name"] == "simpson-diversity"]
        assert [(m["measured"], m["required"], m["outcome"]) for m in found] == [
            (1, required, outcome)
        ]
        assert (found[0]["classes_violating"], found[0]["rows_violating"]) == short
        assert found[0]["parameters"] == {"l": required}


def test_it_is_measured_without_being_asked_for_and_last(tmp_path, site):
    run = anonaudit(site, "audit", RELEASE, policy(tmp_path, ""), "--format", "json")
    names = [m["name"] for m in json.loads(run.stdout)["models"]]
    assert names[0] == "k-anonymity"
    assert names[-1] == "simpson-diversity"
    nothing = tmp_path / "without.toml"
    nothing.write_text('columns.quasi-identifiers = ["age"]')
    run = anonaudit(site, "audit", RELEASE, nothing, "--format", "json")
    assert "simpson-diversity" not in [m["name"] for m in json.loads(run.stdout)["models"]]


def test_reports_have_its_words(tmp_path, site):
    asked = policy(tmp_path, "simpson-diversity = { l = 1.5 }")
    text = " ".join(anonaudit(site, "audit", RELEASE, asked, "--all").stdout.split())
    assert "simpson-diversity l >= 1.5 1 1 2 VIOLATED" in text
    assert "Two random rows of a class have different sensitive values as often as with l" in text
    assert "1 class with 2 rows (33.3% of all) falls short of l = 1.5" in text
    sarif = json.loads(anonaudit(site, "audit", RELEASE, asked, "--format", "sarif").stdout)
    rules = {rule["id"]: rule for rule in sarif["runs"][0]["tool"]["driver"]["rules"]}
    assert "A class of many values is no protection" in str(rules["simpson-diversity"])


@pytest.mark.parametrize(
    ("requirement", "problem"),
    [
        ("simpson-diversity = { ll = 2 }", "there is no such key here. Did you mean 'l'?"),
        ("simpson-diversity = { l = 0.5 }", "simpson-diversity.l: must be a number at least 1"),
        ("simpson-diversity = { l = 'two' }", "simpson-diversity.l: must be a number at least 1"),
        ("simpson-diversity = {}", "requires nothing; give it l"),
        ("simpsons-diversity = { l = 2 }", "there is no such model. Did you mean 'simpson-div"),
        ("simpson-diversity = { about = 2 }", "there is no such key here"),
    ],
)
def test_its_parameters_are_checked(tmp_path, site, requirement, problem):
    run = anonaudit(site, "audit", RELEASE, policy(tmp_path, requirement))
    assert run.returncode == 2
    assert problem in run.stderr


def test_it_is_explained_and_completed(site):
    said = anonaudit(site, "explain", "Simpson-Diversity").stdout
    assert said.startswith("simpson-diversity (model)\n")
    for sentence in (
        "Two random rows of a class have different sensitive values as often as with l equally",
        "A class of many values is no protection if nearly everybody has one of them.",
        "Merge each class that falls short with a class that has other sensitive values",
    ):
        assert sentence in " ".join(said.split())
    assert "  simpson-diversity\n" in anonaudit(site, "explain").stdout
    assert completed(site, "explain", "simp") == ["simpson-diversity"]


def test_feasible_and_matrix_know_it(tmp_path, site):
    """All six rows: 2 of one illness, 4 of others: 36 / (4 + 1 + 1 + 1 + 1) = 4.5."""
    asked = policy(tmp_path, "simpson-diversity = { l = 4.6 }")
    run = anonaudit(site, "feasible", RELEASE, asked, "--format", "json")
    [found] = json.loads(run.stdout)["feasible"]
    assert (found["reachable"], found["feasible"]) == (4.5, False)
    asked = policy(tmp_path, "k-anonymity = { k = 2 }")
    options = ("--algorithm", "mondrian", "--attack", "homogeneity")
    text = anonaudit(site, "matrix", RELEASE, asked, *options).stdout
    assert any("guessed" in line and line.endswith("simpson") for line in text.splitlines())


@pytest.mark.long
def test_check_diff_and_profile_know_it(tmp_path, site):
    """TV06 Table 1 has level 1, as above; one class of two values has level 2."""
    asked = policy(tmp_path, "simpson-diversity = { l = 1.5 }")
    known = tmp_path / "baseline.json"
    check = ("check", asked, "--release", RELEASE)
    run = anonaudit(site, *check)
    assert (run.returncode, "simpson-diversity[l=1.5]: l = 1 < 1.5" in run.stdout) == (1, True)
    assert anonaudit(site, *check, "--write-baseline", known).returncode == 0
    assert "KNOWN" in anonaudit(site, *check, "--baseline", known).stdout
    mixed = tmp_path / "mixed.csv"
    mixed.write_text("age,zip-code,sex,illness\n1,1,1,a\n1,1,1,b\n")
    for name, release in (("old", mixed), ("new", RELEASE)):
        report = ("--format", "json", "--output", tmp_path / f"{name}.json")
        anonaudit(site, "audit", release, asked, *report)
    run = anonaudit(site, "diff", tmp_path / "old.json", tmp_path / "new.json")
    said = " ".join(run.stdout.split())  # the line is wrapped
    assert "model simpson-diversity: outcome holds -> violated; level 2 -> 1" in said
    rules = tmp_path / "rules.toml"
    rules.write_text(
        "title = 'Ours'\nsource = 'us'\n[[lines]]\nasks = 'Mixed.'\nsource = '1'\n"
        "require = { simpson-diversity = { l = 1.5 } }\n"
    )
    run = anonaudit(site, "profile", rules, RELEASE, asked)
    assert "simpson-diversity is 1; at least 1.5 is asked." in run.stdout


CHECK = """
from anonaudit.testing import check_model
from simpson_diversity import SimpsonDiversity
check_model(SimpsonDiversity(1.5), at=SimpsonDiversity, monotone=True)
"""


def test_it_keeps_the_contract(site):
    run = python(site, CHECK)
    assert run.returncode == 0, run.stderr


def test_the_page_shows_the_package_as_it_is():
    assert shown_on("writing_a_model.md", EXAMPLE)


def test_the_example_is_short():
    [module] = EXAMPLE.glob("*.py")
    assert len(module.read_text().splitlines()) < 80
