"""docs/security.md: what is written is whole, its user's alone, and no formula."""

import contextlib
import csv
import json
import os
import signal
import stat
import time
from pathlib import Path

import pytest
from command import Command
from safety.canaries import MASKING, silent, write

from anonaudit.report.spreadsheet import defused, is_formula

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.mark.parametrize("umask", [pytest.param(0o000, marks=pytest.mark.long), 0o022])
def test_what_a_command_writes_is_its_users_alone(
    anonaudit: Command, place: Path, tmp_path: Path, umask: int
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    before = os.umask(umask)
    command = Command()  # which is forked from a process with that umask
    try:
        command(place, "audit", "pairs.csv", "-q", "age", "-f", "html", "-o", out / "a.html")
        command(place, "init", "pairs.csv", "-o", out / "p.toml")
        command(place, "mask", "pairs.csv", "masking.toml", "-o", out / "r.csv")
    finally:
        os.umask(before)
        command.close()
    found = {path.name: stat.S_IMODE(path.lstat().st_mode) for path in out.rglob("*")}
    assert {name: mode for name, mode in found.items() if mode not in {0o600, 0o700}} == {}
    assert {"a.html", "p.toml", "r.csv", "r.audit.json", "r.hierarchies", "zip.csv"} <= {*found}
    assert found["r.hierarchies"] == 0o700


def test_a_release_takes_the_rights_of_the_one_before(anonaudit: Command, place: Path) -> None:
    old = place / "old.csv"
    old.write_text("old")
    old.chmod(0o640)
    (place / "old.hierarchies").mkdir()
    (place / "old.hierarchies" / "mine.csv").write_text("mine")
    silent(anonaudit(place, "mask", "pairs.csv", "masking.toml", "-o", "old.csv"), 0)
    assert old.read_text().startswith("age,zip,sex,")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert (place / "old.hierarchies" / "mine.csv").read_text() == "mine"


def test_a_release_never_takes_the_place_of_a_device(
    anonaudit: Command, place: Path, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(os.devnull)
    for name in ("pipe", "link"):
        ended = anonaudit(place, "mask", "pairs.csv", "masking.toml", "-o", tmp_path / name)
        assert ended.code == 2
        assert "is a device or pipe; name a file to write" in ended.err
    assert stat.S_ISFIFO((tmp_path / "pipe").lstat().st_mode)
    assert (tmp_path / "link").is_symlink()


def test_a_release_goes_where_a_link_leads(anonaudit: Command, place: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.csv").symlink_to("real/release.csv")
    silent(anonaudit(place, "mask", "pairs.csv", "masking.toml", "-o", tmp_path / "link.csv"), 0)
    assert (tmp_path / "link.csv").is_symlink()
    assert sorted(path.name for path in (tmp_path / "real").iterdir()) == [
        "release.audit.json", "release.csv", "release.hierarchies",
    ]  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.csv", "real"]


def test_each_hierarchy_has_a_file_of_its_own(anonaudit: Command, tmp_path: Path) -> None:
    """Also if two names differ only in case, or one is like the number that names another."""
    names = ["zip code", "column-1", "Age", "age", "sex"]
    rows = [[f"{name[0]}{number}1", f"{name[0]}{number}2"] for number, name in enumerate(names)]
    (tmp_path / "t.csv").write_text(
        "".join(f"{','.join(line)}\n" for line in (names, *zip(*rows, strict=True)))
    )
    (tmp_path / "p.toml").write_text(
        f"columns.quasi-identifiers = {names}\nrequire.k-anonymity.k = 2\n[hierarchies]\n"
        + "".join(f"'{name}' = {{ prefixes = [2] }}\n" for name in names)
    )
    silent(anonaudit(tmp_path, "mask", "t.csv", "p.toml", "-o", "r.csv"), 0)
    files = sorted((tmp_path / "r.hierarchies").iterdir())
    assert len({file.name.lower() for file in files}) == len(names)
    assert "sex.csv" in {file.name for file in files}
    written = [{line.split(";")[0] for line in file.read_text().splitlines()} for file in files]
    assert sorted(map(sorted, written)) == sorted(rows)


def test_what_a_policy_names_is_not_written_to(
    anonaudit: Command, place: Path, tmp_path: Path
) -> None:
    """Nor is a hierarchy that lies where `mask` would put its own."""
    (tmp_path / "out.hierarchies").mkdir()
    inputs = {
        "in.csv": "pairs.csv",
        "voters.csv": "voters.csv",
        "out.hierarchies/zip.csv": "zip.csv",
    }
    for name, source in inputs.items():
        (tmp_path / name).write_bytes((place / source).read_bytes())
    (tmp_path / "p.toml").write_text(
        MASKING.replace("zip.csv", "out.hierarchies/zip.csv")
        + '[attacks]\nlinkage = { external = "voters.csv", identity = ["name"] }\n'
    )
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for command in (
        ("mask", "in.csv", "p.toml", "-o", "out.csv"),
        ("mask", "in.csv", "p.toml", "-o", "voters.csv"),
        ("audit", "in.csv", "p.toml", "-o", "voters.csv"),
        ("audit", "in.csv", "p.toml", "-o", "out.hierarchies/zip.csv"),
    ):
        ended = anonaudit(tmp_path, *command)
        assert ended.code == 2, command
        assert "is read by this command" in ended.err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_where_nothing_can_be_written_that_is_said(
    anonaudit: Command, place: Path, tmp_path: Path
) -> None:
    (tmp_path / "r.hierarchies").write_text("mine")  # where a folder should be
    asked = ("mask", "pairs.csv", "masking.toml", "-o", tmp_path / "r.csv")
    ended = anonaudit(place, *asked)
    assert ended.code == 2
    assert "cannot be written (file exists)" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["r.hierarchies"]
    nowhere = anonaudit(place, "mask", "pairs.csv", "masking.toml", "-o", "/proc/r.csv")
    assert nowhere.code == 2
    assert "cannot be written" in nowhere.err


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGHUP])
def test_who_is_told_to_end_leaves_no_copy_of_the_data(
    anonaudit: Command, tmp_path: Path, told: signal.Signals
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    pipe = tmp_path / "release"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDWR)  # an end that does not come
    os.write(held, b"a,b\ncanary,2\n")

    def end(process: int) -> None:
        until = time.monotonic() + 60
        while not [*scratch.glob("*/copy-*")] and time.monotonic() < until:
            time.sleep(0.01)
        # Once may not be enough: between two reads Python sees a signal only after the second. But
        # one more must not come while the process, already told, is ending.
        with contextlib.suppress(ProcessLookupError):
            while time.monotonic() < until:
                os.kill(process, told)
                again = time.monotonic() + 10
                while time.monotonic() < again:
                    os.kill(process, 0)  # until it is gone
                    time.sleep(0.02)

    environment = {"TMPDIR": str(scratch)}
    asked = ("audit", "release", "-q", "a", "-o", "report")
    before = signal.signal(told, signal.SIG_DFL)  # a run under nohup ignores SIGHUP
    command = Command()
    try:
        ended = command(tmp_path, *asked, environment=environment, meanwhile=end)
    finally:
        command.close()
        signal.signal(told, before)
        os.close(held)
    assert ended.code == 128 + told
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "report").exists()


# --- formulas

FORMULAS = [
    *("=1+1", "=cmd|' /C calc'!A0", "+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "@SUM(A1)"),
    *("\t=A1", "\r=A1", "  =A1", "\n@A1", "\uff1dA1", "+1+1", "-x", '=HYPERLINK("http://x","y")'),
]
TEXTS = ["", "-5", "+5", "-1,5", "-1.5e3", "-10--5", "-", "--", "+", "=", "@", "<50", "[-5,3)"]
TEXTS += ["50+", "a=b", "x@y.z", "1-2", "*", "'=A1", "−5"]


# What is split off by a spreadsheet that expects another delimiter, and what begins unseen.
FORMULAS += ["x;=1+1", "a,=1", "a\t=1", "a|=1", "a\n=1", "a\r\n@A1", "x; =1", "a,b,c,-x", "{1,=A1}"]
FORMULAS += ["\ufeff=1", "\u200b=1", "\u2060=1", "\u180e=1", "\ufe0f=1", "\u00ad+A1", "\u202e=A1"]
FORMULAS += ["\x00=1", "x;\u200b=1", "a\u2028=1", "\ufe661+1", "x,\uff1dA1"]
TEXTS += ["[-10,-5)", "[-10;-5)", "{-1,-5}", "1;-5", "a=b;c=d", "x, y", "a,-", "x@y;z", "-20,000"]
TEXTS += ["\u200b-5", "a;-5", "a - b, c", "(-5,-1]"]


def test_what_a_spreadsheet_would_run() -> None:
    """The signs that the OWASP page on CSV injection names; a number may have one."""
    assert [text for text in FORMULAS if not is_formula(text)] == []
    assert [text for text in TEXTS if is_formula(text)] == []
    assert [text for text in map(defused, FORMULAS) if is_formula(text)] == []
    assert [defused(text).replace("'", "") for text in FORMULAS] == [
        text.replace("'", "") for text in FORMULAS
    ]
    assert [defused(text) for text in TEXTS] == TEXTS
    assert defused("=1;x;@A1,-5") == "'=1;x;'@A1,-5"


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "@SUM(A1)", "x;=1+1", "\u2060=1"])
@pytest.mark.parametrize("where", ["cell", "column"])
def test_a_release_with_formulas_is_written_only_if_asked(
    anonaudit: Command, tmp_path: Path, cell: str, where: str
) -> None:
    column = "illness" if where == "cell" else cell
    value = cell if where == "cell" else "flu"
    write(tmp_path / "in.csv", [["age", column], *[["21", value], ["24", "asthma"]] * 2])
    (tmp_path / "p.toml").write_text(
        f'[columns]\nquasi-identifiers = ["age"]\nsensitive = [{json.dumps(column)}]\n'
        "[require]\nk-anonymity = { k = 2 }\n"
    )
    asked = ("mask", "in.csv", "p.toml", "-o", "out.csv")
    refused = anonaudit(tmp_path, *asked)
    assert refused.code == 2
    assert "as formulas" in refused.err
    assert where == "column" or cell not in refused.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "p.toml"]
    assert anonaudit(tmp_path, *asked, "--allow-formulas").code == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        assert sorted(row[column] for row in csv.DictReader(file)) == sorted([value, "asthma"] * 2)
