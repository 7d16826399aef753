"""`anonaudit explain` and `anonaudit diff`, and the formats of `audit`, as black boxes."""

import json
import os

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

GOOD = "age,illness\n1,a\n1,b\n1,a\n2,b\n2,a\n2,b\n"
BAD = "age,illness\n1,a\n1,b\n1,a\n2,b\n2,a\n3,b\n"  # the last row is alone: k falls from 3 to 1
COLUMNS = ("-q", "age", "-s", "illness")


@pytest.fixture
def folder(anonaudit, tmp_path):
    for name, content in (("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.csv").write_text(content)
        told = anonaudit(
            tmp_path, "audit", f"{name}.csv", *COLUMNS, "-f", "json", "-o", f"{name}.json"
        )
        assert (told.code, told.err) == (0, "")
    return tmp_path


def test_explain(anonaudit, tmp_path):
    told = anonaudit(tmp_path, "explain", "K-Anonymity")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("k-anonymity (model)\n\nWhat it means\n")
    assert "Why it matters\n" in told.out
    assert "What to do\n" in told.out


def test_explain_lists_all(anonaudit, tmp_path):
    told = anonaudit(tmp_path, "explain")
    assert (told.code, told.err) == (0, "")
    told_of = ("t-closeness", "linkage", "date-like-labels", "PolicyError", "inconclusive", "maxP")
    for code in told_of:
        assert f"  {code}\n" in told.out


def test_explain_answers_to_terms_of_the_papers(anonaudit, tmp_path):
    for asked, name in (("maxp", "maxP"), ("maxGroups", "maxGroups"), ("out", "OUT")):
        told = anonaudit(tmp_path, "explain", asked)
        assert (told.code, told.err) == (0, "")
        assert told.out.startswith(f"{name} (term)\n\nWhat it means\n")


def test_explain_helps_with_spelling(anonaudit, tmp_path):
    told = anonaudit(tmp_path, "explain", "k-anonimity")
    assert (told.code, told.out) == (2, "")
    assert "there is no code 'k-anonimity'. Did you mean 'k-anonymity'" in told.err


def test_diff(anonaudit, folder):
    told = anonaudit(folder, "diff", "good.json", "good.json")
    assert (told.code, told.out.split("\n")[0], told.err) == (0, "NOT WORSE", "")
    told = anonaudit(folder, "diff", "good.json", "bad.json")
    assert (told.code, told.err) == (1, "")
    assert told.out.startswith("WORSE: ")
    assert "model k-anonymity: level 3 -> 1" in told.out
    told = anonaudit(folder, "diff", "bad.json", "good.json", "--format", "json", "-o", "diff.json")
    assert (told.code, told.out) == (0, "")
    assert json.loads((folder / "diff.json").read_text())["worse"] is False


@pytest.mark.parametrize("wrong", ["good.csv", "nowhere.json", "."])
def test_diff_of_what_is_no_report(anonaudit, folder, wrong):
    for pair in (("good.json", wrong), (wrong, "good.json")):
        told = anonaudit(folder, "diff", *pair)
        assert (told.code, told.out) == (2, "")
        assert told.err.startswith(f"error: {wrong}: ")
        assert "anonaudit audit --format json" in told.err


def test_diff_takes_the_place_of_no_report(anonaudit, folder):
    told = anonaudit(folder, "diff", "good.json", "bad.json", "-o", "bad.json")
    assert told.code == 2
    assert "is read by this command" in told.err


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("html", "<!DOCTYPE html>\n"),
        ("markdown", "## MEASURED: nothing was required"),
        ("sarif", '{\n  "$schema": '),
    ],
)
def test_formats(anonaudit, folder, form, begins):
    told = anonaudit(folder, "audit", "good.csv", *COLUMNS, "--format", form)
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith(begins)
    written = anonaudit(folder, "audit", "good.csv", *COLUMNS, "--format", form, "-o", "report")
    assert (written.code, written.out) == (0, "")
    assert (folder / "report").read_text("utf-8") == told.out


def test_feasible_has_no_page(anonaudit, folder):
    told = anonaudit(folder, "feasible", "good.csv", "policy.toml", "--format", "html")
    assert told.code == 2
    assert "html" in told.err
