"""`anonaudit init` as a black box: what it writes where, and what it refuses."""

import io
import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from anonaudit.auditing.audit import audit
from anonaudit.cli import main
from anonaudit.cli.init import named_from
from anonaudit.findings import Outcome
from anonaudit.policy.policy import parse_policy, read_policy

# k = 3 and p = 2, so the proposed k = 5 is violated; the zip codes keep their zeros.
RELEASE = (
    "age;zip;illness\n"
    + "20-29;02138;flu\n20-29;02138;flu\n20-29;02138;asthma\n" * 2
    + ("30-39;02139;flu\n30-39;02139;asthma\n30-39;02139;asthma\n")
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a release in it."""
    (tmp_path / "release.csv").write_text(RELEASE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def init(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The command, run with these arguments: its exit code and what it wrote."""

    def run(*arguments: str) -> SimpleNamespace:
        monkeypatch.setattr(sys, "argv", ["anonaudit", "init", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return SimpleNamespace(code=ended.value.code, out=said.out, err=said.err)

    return run


def test_the_policy_goes_to_standard_output(folder: Path, init) -> None:
    done = init("release.csv")
    assert (done.code, done.err) == (0, "")
    policy = parse_policy(done.out)
    assert policy.roles.quasi_identifiers == ("age", "zip")
    assert policy.roles.sensitive == ("illness",)
    assert policy.release.file == Path("release.csv")
    assert sorted(path.name for path in folder.iterdir()) == ["release.csv"]


def test_written_and_audited(folder: Path, init) -> None:
    done = init("release.csv", "-o", "release.anonaudit.toml")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("wrote release.anonaudit.toml; ")
    report = audit(policy="release.anonaudit.toml")
    assert report.outcome is Outcome.VIOLATED
    assert [(m.model, m.measured, m.outcome) for m in report.models[:2]] == [
        ("k-anonymity", 3, Outcome.VIOLATED),
        ("p-sensitive-k-anonymity", 2, Outcome.HOLDS),
    ]
    mode = stat.S_IMODE((folder / "release.anonaudit.toml").stat().st_mode)
    assert mode & 0o077 == 0


def test_quiet(folder: Path, init) -> None:
    done = init("release.csv", "-o", "policy.toml", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_nothing_is_overwritten_unless_forced(folder: Path, init) -> None:
    policy = folder / "policy.toml"
    policy.write_text("mine")
    done = init("release.csv", "-o", "policy.toml")
    assert done.code == 2
    assert "already exists" in done.err
    assert policy.read_text() == "mine"
    assert init("release.csv", "-o", "policy.toml", "--force").code == 0
    assert read_policy(policy).roles.sensitive == ("illness",)


@pytest.mark.parametrize("output", ["release.csv", "./release.csv", "link.csv"])
def test_the_release_is_never_overwritten(folder: Path, init, output: str) -> None:
    (folder / "link.csv").symlink_to("release.csv")
    done = init("release.csv", "-o", output, "--force")
    assert done.code == 2
    assert "is the release itself" in done.err
    assert (folder / "release.csv").read_text() == RELEASE


def test_a_dangling_link_counts_as_a_file(folder: Path, init) -> None:
    (folder / "link.toml").symlink_to("nowhere.toml")
    assert init("release.csv", "-o", "link.toml").code == 2


@pytest.mark.parametrize("output", [".", "no/such/folder/policy.toml"])
def test_places_where_nothing_can_be_written(folder: Path, init, output: str) -> None:
    done = init("release.csv", "-o", output, "--force")
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("given", ["missing.csv", "empty.csv", "binary.csv", "."])
def test_files_that_are_no_table(folder: Path, init, given: str) -> None:
    (folder / "empty.csv").touch()
    (folder / "binary.csv").write_bytes(b"\x00\x01\xff")
    done = init(given, "-o", "policy.toml")
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert not (folder / "policy.toml").exists()


@pytest.mark.parametrize(
    ("release", "output"),
    [
        ("release.csv", "policies/policy.toml"),
        ("policies/../release.csv", "policies/policy.toml"),
        ("data/deep/other.csv", "policies/policy.toml"),
        ("data/deep/other.csv", "link/policy.toml"),
        ("release.csv", "link/policy.toml"),
        ('odd " \\ name.csv', "policy.toml"),
        ("new\nline.csv", "policies/policy.toml"),
    ],
)
def test_the_policy_finds_its_release(folder: Path, init, release: str, output: str) -> None:
    """Named from the folder of the policy, also where that is a link to somewhere else."""
    for path in ("policies", "data/deep", "else/where"):
        (folder / path).mkdir(parents=True)
    (folder / "link").symlink_to(folder / "else" / "where")
    (folder / release).parent.mkdir(exist_ok=True)
    (folder / release).write_text(RELEASE)
    assert init(release, "-o", output).code == 0
    named = read_policy(output).release.file
    assert named is not None
    assert named.samefile(folder / release)
    assert not Path((folder / output).read_text().partition('file = "')[2]).is_absolute()


def test_an_absolute_release_is_named_from_the_policy_too(folder: Path, init) -> None:
    assert init(str(folder / "release.csv"), "-o", str(folder / "policy.toml")).code == 0
    text = (folder / "policy.toml").read_text()
    assert 'file = "release.csv"' in text
    # Whoever has not masked yet is told what belongs there.
    assert "is the original and not masked yet, name the release instead" in text


def test_what_it_took_to_read_the_release_is_kept(folder: Path, init) -> None:
    (folder / "latin.csv").write_bytes(
        "âge|maladie\n30|rhumatisme aigu à répétition\n".encode("cp1252")
    )
    done = init("latin.csv", "--delimiter", "|", "--encoding", "cp1252")
    policy = parse_policy(done.out)
    assert (policy.release.delimiter, policy.release.encoding) == ("|", "cp1252")
    assert policy.roles.quasi_identifiers == ("âge",)
    assert policy.roles.sensitive == ("maladie",)


def test_standard_input_has_no_name(folder: Path, init, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(RELEASE.encode())))
    done = init("-")
    assert done.code == 0
    assert "[release]" not in done.out
    assert "for standard input (9 rows, 3 columns)" in done.out
    assert parse_policy(done.out).roles.sensitive == ("illness",)


def test_a_header_alone_is_judged_by_its_names(folder: Path, init) -> None:
    (folder / "header.csv").write_text("name,age,illness,x\n")
    policy = parse_policy(init("header.csv").out)
    assert policy.roles.identifiers == ("name",)
    assert policy.roles.quasi_identifiers == ("age",)
    assert policy.requirements == ()


def test_more_columns_than_a_policy_can_name(folder: Path, init) -> None:
    (folder / "wide.csv").write_text(",".join(f"{i}{'x' * 300_000}" for i in range(4)) + "\n")
    done = init("wide.csv", "-o", "policy.toml")
    assert done.code == 2
    assert "exceed 1048576 bytes" in done.err
    assert len(done.err) < 1000
    assert not (folder / "policy.toml").exists()


def test_a_file_name_that_is_no_text_is_not_named(folder: Path) -> None:
    name = os.fsdecode(b"release-\xff.csv")
    try:
        Path(name).write_text(RELEASE)
    except OSError:
        pytest.skip("this file system has no such names")
    assert named_from(name, None) is None
