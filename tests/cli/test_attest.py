"""`audit --attest` and `verify`: what is recorded, and what is noticed later.

The release has two classes of three rows, counted by hand; without its last row k is 2.
"""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest
from command import Command

from anonaudit.errors import InputError
from anonaudit.report.attestation import read_statement, statement_differences

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

RELEASE = "age,illness\n30,flu\n30,gout\n30,flu\n40,flu\n40,gout\n40,gout\n"
POLICY = """
[columns]
quasi-identifiers = ["age"]
sensitive = ["illness"]
[hierarchies]
illness = { file = "illness.csv" }
[require]
k-anonymity = { k = 3 }
[attacks]
linkage = { external = "people.csv", identity = ["name"], allow-rate = 0.5 }
"""


@pytest.fixture(scope="module")
def recorded(anonaudit: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "release.csv").write_text(RELEASE)
    (folder / "policy.toml").write_text(POLICY)
    (folder / "illness.csv").write_text("flu,any\ngout,any\n")
    (folder / "people.csv").write_text("name,age\nAnn,30\n")
    ended = anonaudit(folder, "audit", "release.csv", "policy.toml", "--attest", "r.json")
    assert (ended.code, ended.err) == (0, "")
    return folder


@pytest.fixture
def folder(recorded: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return shutil.copytree(recorded, tmp_path / "copy")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_statement(folder: Path) -> None:
    """The fields of https://in-toto.io/Statement/v1, with hashes that hashlib makes."""
    found = json.loads((folder / "r.json").read_text())
    assert found["_type"] == "https://in-toto.io/Statement/v1"
    digest = {"sha256": sha256(folder / "release.csv")}
    assert found["subject"] == [{"name": "release.csv", "digest": digest}]
    predicate = found["predicate"]
    assert predicate["policy"] == {
        "name": "policy.toml",
        "digest": {"sha256": sha256(folder / "policy.toml")},
    }
    assert {f["name"]: f["digest"]["sha256"] for f in predicate["files"]} == {
        name: sha256(folder / name) for name in ("illness.csv", "people.csv")
    }
    assert predicate["report"]["outcome"] == "holds"
    assert {"anonaudit", "python", "duckdb"} <= predicate["versions"].keys()
    assert "gout" not in (folder / "r.json").read_text()


def test_nothing_differs(anonaudit: Command, folder: Path) -> None:
    ended = anonaudit(folder, "verify", "release.csv", "r.json")
    assert (ended.code, ended.out) == (0, "CONFIRMED: the record says HOLDS\n")
    # From another folder, and for a copy of the release.
    (folder / "sub").mkdir()
    shutil.copy(folder / "release.csv", folder / "sub" / "release.csv")
    assert anonaudit(folder / "sub", "verify", "release.csv", "../r.json").code == 0
    shutil.copy(folder / "policy.toml", folder / "sub" / "policy.toml")
    for name in ("illness.csv", "people.csv"):
        shutil.copy(folder / name, folder / "sub" / name)
    (folder / "policy.toml").rename(folder / "away.toml")
    ended = anonaudit(folder, "verify", "release.csv", "r.json", "--policy", "sub/policy.toml")
    assert (ended.code, ended.out) == (0, "CONFIRMED: the record says HOLDS\n")
    (folder / "away.toml").rename(folder / "policy.toml")
    # Of the same bytes, and of another name than the record has.
    shutil.copy(folder / "release.csv", folder / "copy.csv")
    ended = anonaudit(folder, "verify", "copy.csv", "r.json")
    assert (ended.code, "record.subject[" in ended.out) == (1, True)
    first = (folder / "r.json").read_bytes()
    anonaudit(folder, "audit", "release.csv", "policy.toml", "--attest", "r.json")
    assert (folder / "r.json").read_bytes() == first


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("release.csv", RELEASE[: -len("40,gout\n")], "the release is another file"),
        ("release.csv", RELEASE[: -len("40,gout\n")], "report.models[k-anonymity].measured: 3, now 2"),
        ("policy.toml", POLICY + "# more\n", "the policy is another file"),
        ("illness.csv", "gout,any\nflu,any\n", "the file 'illness.csv' differs"),
        ("people.csv", "name,age\nBen,40\n", "the file 'people.csv' differs"),
    ],
)  # fmt: skip
def test_what_differs(anonaudit: Command, folder: Path, file: str, content: str, said: str) -> None:
    (folder / file).write_text(content)
    ended = anonaudit(folder, "verify", "release.csv", "r.json")
    assert (ended.code, said in ended.out) == (1, True), ended.out
    assert ended.out.startswith("DIFFERS in ")


@pytest.mark.long
@pytest.mark.parametrize("place", ["measured", "classes", "disclosed"])
def test_a_number_that_was_changed_in_the_record(
    anonaudit: Command, folder: Path, place: str
) -> None:
    record = json.loads((folder / "r.json").read_text())
    report = record["predicate"]["report"]
    where = {
        "measured": report["models"][0],
        "classes": report["release"],
        "disclosed": report["attacks"][0],
    }[place]
    where[place] += 1
    (folder / "r.json").write_text(json.dumps(record))
    ended = anonaudit(folder, "verify", "release.csv", "r.json")
    assert (ended.code, f".{place}: " in ended.out) == (1, True)
    assert ended.out.startswith("DIFFERS in 1 point(s)")


ADDED = [
    ("_type", {"conclusion": None}, "record.conclusion: is only in the record"),
    ("subject", {"who": 1}, "].who: is only in the record"),
    ("digest", {"sha1": "0"}, "].digest.sha1: is only in the record"),
    ("predicate", {"conclusion": "nobody can be identified"}, "record.predicate.conclusion: is"),
    ("policy", {"by": "us"}, "record.predicate.policy.by: is only in the record"),
    ("file", {"by": "us"}, "].by: is only in the record"),
    ("versions", {"law": "1"}, "record.predicate.versions.law: is only in the record"),
]


@pytest.mark.parametrize(("place", "more", "said"), ADDED)
def test_what_was_added_to_the_record(
    recorded: Path, place: str, more: dict[str, object], said: str
) -> None:
    """One difference each, which says where; the untouched record has none."""
    record = json.loads((recorded / "r.json").read_text())
    changed = json.loads((recorded / "r.json").read_text())
    assert statement_differences(record, record) == []
    (subject,), predicate = changed["subject"], changed["predicate"]
    where = {"_type": changed, "subject": subject, "digest": subject["digest"]}
    where |= {"predicate": predicate, "versions": predicate["versions"]}
    where |= {"policy": predicate["policy"], "file": predicate["files"][0]}
    where[place].update(more)
    (found,) = statement_differences(read_statement("r.json", json.dumps(changed)), record)
    assert said in found
    assert "nobody" not in found


def test_a_name_that_was_changed_in_the_record(anonaudit: Command, folder: Path) -> None:
    """In one place it is a contradiction; in both it is another name."""
    record = json.loads((folder / "r.json").read_text())
    record["subject"][0]["name"] = "other.csv"
    (folder / "r.json").write_text(json.dumps(record))
    ended = anonaudit(folder, "verify", "release.csv", "r.json")
    assert (ended.code, "contradict each other" in ended.err) == (2, True)
    record["predicate"]["report"]["release"]["source"] = "other.csv"
    (folder / "r.json").write_text(json.dumps(record))
    ended = anonaudit(folder, "verify", "release.csv", "r.json")
    assert (ended.code, ended.out) == (
        1,
        """DIFFERS in 1 point(s): the record says HOLDS
  - record.subject[other.csv].name: "other.csv", now "release.csv"
""",
    )


def test_a_record_that_contradicts_itself(recorded: Path) -> None:
    """A hash that is empty, and an outcome that no audit has: neither is compared."""
    text = (recorded / "r.json").read_text()
    for digest in (sha256(recorded / "people.csv"), sha256(recorded / "release.csv")):
        with pytest.raises(InputError, match="damaged"):
            read_statement("r.json", text.replace(digest, ""))
    with pytest.raises(InputError, match="audit --attest`") as error:
        read_statement("r.json", text.replace('"outcome": "holds"', '"outcome": "fine"'))
    assert "--format" not in str(error.value)
    version = json.loads(text)["predicate"]["versions"]["anonaudit"]
    with pytest.raises(InputError, match="contradict each other"):
        read_statement("r.json", text.replace(f'"anonaudit": "{version}"', '"anonaudit": "9"'))


@pytest.mark.long
def test_all_differences_in_json(anonaudit: Command, folder: Path) -> None:
    (folder / "release.csv").write_text("age,illness\n30,flu\n")
    answer = json.loads(anonaudit(folder, "verify", "release.csv", "r.json", "-f", "json").out)
    assert (answer["confirmed"], answer["outcome"]) == (False, "holds")
    assert "report.release.rows: 6, now 1" in answer["differences"]


@pytest.mark.long
def test_of_options(anonaudit: Command, folder: Path) -> None:
    """Without a policy the columns are recorded, and nothing else can be."""
    options = ("-q", "age", "-s", "illness", "--attest", "o.json")
    assert anonaudit(folder, "audit", "release.csv", *options).code == 0
    ended = anonaudit(folder, "verify", "release.csv", "o.json")
    assert (ended.code, ended.out) == (0, "CONFIRMED: the record says MEASURED\n")
    ended = anonaudit(folder, "audit", "release.csv", *options, "--original", "release.csv")
    assert (ended.code, "--attest and --original exclude each other" in ended.err) == (2, True)


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:-9], "is not a statement, or is damaged"),
        (lambda text: text.replace("audit/v1", "other/v1"), "is a statement about something else"),
        (lambda text: text.replace('"sha256": "', '"sha1": "'), "is not a statement"),
        (lambda text: text.replace('"outcome": "holds"', '"outcome": "fine"'), "damaged"),
        (lambda text: text.replace('"policy.toml"', '"gone.toml"'), "name the policy by --policy"),
        (lambda text: text.replace('"seed": 0', '"seed": null'), "seed is no whole number"),
    ],
)
def test_what_is_no_record(anonaudit: Command, folder: Path, change, said: str) -> None:
    (folder / "r.json").write_text(change((folder / "r.json").read_text()))
    ended = anonaudit(folder, "verify", "release.csv", "r.json")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


@pytest.mark.long
@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
def test_signed_as_documented(folder: Path) -> None:
    """docs/attest.md: what it says to run, on the record above."""
    import re
    import subprocess

    page = (Path(__file__).parents[2] / "docs" / "attest.md").read_text("utf-8")
    sign, check = re.findall(r"```sh\n(ssh-keygen.*?)```", page, re.DOTALL)
    shutil.copy(folder / "r.json", folder / "release.attest.json")
    key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")]
    subprocess.run(key, check=True)
    public = (folder / "key.pub").read_text()
    (folder / "signers").write_text(f"owner@example.org {public}")
    for script, code in ((sign, 0), (check, 0)):
        done = subprocess.run(["bash", "-e", "-c", script], cwd=folder, check=False)
        assert done.returncode == code
    (folder / "release.attest.json").write_text("{}")
    assert subprocess.run(["bash", "-e", "-c", check], cwd=folder, check=False).returncode != 0
