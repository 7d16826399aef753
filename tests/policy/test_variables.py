"""`${NAME}` in the names of a policy's files: opened by value, shown as written everywhere.

The value is looked for in all that is printed or written; a file of that name is there or not.
"""

import copy
import os
import pickle
from pathlib import Path

import pytest

from anonaudit.auditing.audit import audit
from anonaudit.checking import documents
from anonaudit.checking.baseline import to_json
from anonaudit.checking.check_policies import CheckResult, CheckStatus, check_policies
from anonaudit.checking.policies import releases_of
from anonaudit.errors import AnonauditError, PolicyError
from anonaudit.policy.policy import read_policy
from anonaudit.report import render
from anonaudit.report.attestation import statement_of
from anonaudit.report.attestation import to_json as attested

SECRET = "s3cr3t-value"
NAME = "${DEPLOY_TOKEN}"
FORMS = ("text", "json", "html", "markdown", "sarif")


@pytest.fixture(autouse=True)
def variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", SECRET)


def policy(folder: Path, release: str, more: str = "") -> Path:
    path = folder / "p.anonaudit.toml"
    path.write_text(
        f"[release]\n{release}\n[columns]\nquasi-identifiers = ['age']\n"
        f"[require]\nk-anonymity = {{ k = 3 }}\n{more}"
    )
    return path


def everything(found: CheckResult) -> str:
    forms = (documents.to_text, documents.to_junit, documents.to_markdown, documents.to_sarif)
    return "".join(form(found) for form in forms) + to_json(found.violated) + repr(found)


@pytest.mark.parametrize(
    "release",
    [
        f"file = '{NAME}'",
        f"file = '{NAME}/r.csv'",
        f"files = ['{NAME}']",
        f"files = ['{NAME}/*.csv']",
        f"file = '{NAME}/*.parquet'",
    ],
)
def test_a_release_that_is_not_there(tmp_path: Path, release: str) -> None:
    found = check_policies([policy(tmp_path, release)], folder=tmp_path)
    assert [one.status for one in found.findings] == [CheckStatus.ERROR]
    assert (NAME in found.findings[0].said, SECRET in everything(found)) == (True, False)


@pytest.mark.parametrize(
    ("content", "kind"),
    [(None, "folder"), (b"", "empty"), (b"a,a\n1,2\n", "twice"), (b"PAR1\0", "parquet"),
     (b"age\n\xff\n", "encoding"), (b"PK\3\4", "zip"), (b"\x1f\x8b\0", "gzip")],
)  # fmt: skip
def test_a_release_that_cannot_be_read(tmp_path: Path, content: bytes | None, kind: str) -> None:
    file = tmp_path / f"{SECRET}.csv"
    file.mkdir() if content is None else file.write_bytes(content)
    found = check_policies([policy(tmp_path, f"file = '{NAME}.csv'")], folder=tmp_path)
    assert [one.status for one in found.findings] == [CheckStatus.ERROR], kind
    assert (NAME in found.findings[0].said, SECRET in everything(found)) == (True, False)


@pytest.mark.parametrize(
    "more",
    [
        f"[hierarchies]\nage = {{ file = '{NAME}.h' }}\n",
        f"[population]\nfile = '{NAME}.h'\n",
        f"[original]\nfile = '{NAME}.h'\n",
        f"[attacks]\nlinkage = {{ external = '{NAME}.h', identity = ['name'] }}\n",
    ],
)
@pytest.mark.parametrize("content", [None, "", "3;2\n3;4\n"])
def test_other_files(tmp_path: Path, more: str, content: str | None) -> None:
    """Files that are not there, are empty, or are not what they should be."""
    (tmp_path / "r.csv").write_text("age\n3\n3\n3\n")
    if content is not None:
        (tmp_path / f"{SECRET}.h").write_text(content)
    with pytest.raises(AnonauditError) as error:
        audit(tmp_path / "r.csv", read_policy(policy(tmp_path, "file = 'r.csv'", more)))
    assert (SECRET in str(error.value), NAME in str(error.value)) == (False, True)


def test_an_audit(tmp_path: Path) -> None:
    """Two of five rows are in a class below 3; the release and its hierarchy are named."""
    (tmp_path / f"{SECRET}.csv").write_text("age\n3\n3\n3\n4\n4\n")
    (tmp_path / f"{SECRET}.h").write_text("3;any\n4;any\n")
    more = f"[hierarchies]\nage = {{ file = '{NAME}.h' }}\n"
    path = policy(tmp_path, f"file = '{NAME}.csv'", more)
    rules = read_policy(path)
    report = audit(None, rules)
    assert (report.models[0].measured, report.release.source) == (2, str(tmp_path / f"{NAME}.csv"))
    for form in FORMS:
        assert SECRET not in render(report, form), form
    statement = statement_of(
        report, None, path, tmp_path, own=rules.release.path, beside=rules.read_beside
    )
    assert statement["subject"][0]["name"] == f"{NAME}.csv"
    assert [one["name"] for one in statement["predicate"]["files"]] == [f"{NAME}.h"]
    assert SECRET not in attested(statement)
    assert SECRET not in repr(rules)
    for shown in (repr(rules.release), repr(copy.deepcopy(rules.files)), f"{rules.files}"):
        assert (SECRET in shown, NAME in shown) == (False, True)
    (again,) = pickle.loads(pickle.dumps(rules.files[:1]))
    assert (str(again), os.fspath(again)) == (str(rules.files[0]), os.fspath(rules.files[0]))
    found = check_policies([path], folder=tmp_path)
    assert ([one.status.value for one in found.findings], SECRET in everything(found)) == (
        ["holds", "violated"],
        False,
    )


def test_a_pattern(tmp_path: Path) -> None:
    """The files that match are named as written; elsewhere in a pattern a variable is refused."""
    (tmp_path / SECRET).mkdir()
    (tmp_path / SECRET / "a.csv").write_text("age\n3\n")
    path = policy(tmp_path, f"files = ['{NAME}/*.csv']")
    assert [*releases_of(read_policy(path))] == [f"{NAME}/a.csv"]
    found = check_policies([path], folder=tmp_path)
    assert ([one.status.value for one in found.findings], SECRET in everything(found)) == (
        ["holds", "violated"],
        False,
    )
    for pattern in (f"*/{NAME}.csv", f"*{NAME}*", f"{NAME}*"):
        with pytest.raises(PolicyError, match="before the pattern only") as error:
            read_policy(policy(tmp_path, f"files = ['{pattern}']"))
        assert SECRET not in str(error.value)
