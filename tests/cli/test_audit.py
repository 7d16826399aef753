"""`anonaudit audit` as a black box: files of every kind of wrong, options, streams, signals.

What is wrong ends in exit code 2 and one message that names the file and the place, never in a
traceback, a cell, or a row that is missing without a word.
"""

import json
import os
import re
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command import Command, Ended, interrupt_when
from conftest import ROOT
from reading import file, parsed, written

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

SECRET = "Sm1th"  # a cell; no message may quote it
COLUMNS = ("-q", "a", "-s", "b")
GOOD = "a,b\n1,x\n1,y\n2,z\n"
VIOLATED = "columns = { quasi-identifiers = ['a'] }\nrequire.k-anonymity = { k = 2 }\n"


def assert_refused(ended: Ended, *said: str) -> None:
    """Exit code 2, and one message that says all this."""
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert ended.err.count("error:") == 1
    assert ended.err.endswith("\n")
    assert "Traceback" not in ended.err
    assert SECRET not in ended.err
    for part in said:
        assert part in ended.err


def report_of(ended: Ended) -> dict[str, Any]:
    """The report in JSON of an audit that went well."""
    progress = re.compile(r"^after \d+ s: .*\n", re.MULTILINE)  # on a slow machine
    assert (ended.code, progress.sub("", ended.err)) == (0, "")
    found: dict[str, Any] = json.loads(ended.out, parse_constant=pytest.fail)
    return found


# --- files

CONTENTS: dict[str, tuple[str | bytes, list[str]]] = {
    "empty": ("", ["is empty", "expected a header line"]),
    "blank": (" \n\n \n", ["holds only blanks", "expected a header line"]),
    "duplicate column": (f"a,b,a\n1,{SECRET},3\n", ["duplicate column name 'a'"]),
    "binary": (bytes(range(256)) * 40, ["line 3 ", "name the encoding"]),
    "wrong encoding": (f"a,b\n1,2\n{SECRET},é\n".encode("latin-1"), ["line 3 is not UTF-8", "latin-1"]),
    "unbalanced quotes": (f'a,b\n1,2\n"{SECRET},3\n4,5\n', ["starts at line 3", "close each quoted cell"]),
    "row too short": (f"a,b\n1,2\n{SECRET}\n", ["line 3 has 1 field, expected 2", "correct the line"]),
    "row too long": (f"a,b\n1,2\n3,{SECRET},4\n", ["line 3 has 3 fields, expected 2"]),
    "a delimiter too many": (f"a,b\n1,2\n3,{SECRET},\n", ["line 3 has 3 fields, expected 2"]),
    "one wrong row after many": (
        'a,b\n"x\ny",1\n' + "1,2\n" * 100_000 + f"3,{SECRET},5\n",
        ["line 100004 has 3 fields, expected 2"],
    ),
    "a compressed file cut off": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03KL", ["damaged or cut off"]),
    "a Parquet file cut off": (b"PAR1" + b"x" * 50, ["Parquet file is damaged or cut off"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", CONTENTS)
def test_a_file_that_is_no_table_is_refused(anonaudit: Command, tmp_path: Path, kind: str) -> None:
    content, said = CONTENTS[kind]
    file(tmp_path, content)
    assert_refused(anonaudit(tmp_path, "audit", "release.csv", *COLUMNS), "release.csv: ", *said)


def test_what_is_no_file_is_refused(anonaudit: Command, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    for path, said in {
        "nothing.csv": "is not there; check the path",
        "link": "is a link to a file that is not there",
        ".": "is a folder without Parquet files; name a CSV or Parquet file",
        "/dev/null": "is a device or socket",
        "new\nline\x1b[31m.csv": "is not there",
        "ü" * 300: "cannot be read",
    }.items():
        ended = anonaudit(tmp_path, "audit", path, *COLUMNS)
        assert_refused(ended, said)
        assert "\x1b" not in ended.err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read_is_refused(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD).chmod(0)
    ended = anonaudit(tmp_path, "audit", "release.csv", *COLUMNS)
    assert_refused(ended, "release.csv: cannot be read (permission denied)")


def test_a_header_without_rows_is_no_pass(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, "a,b\n")
    ended = anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, "-f", "json")
    assert (ended.code, ended.err) == (2, "")
    assert json.loads(ended.out)["outcome"] == "inconclusive"


def test_a_column_that_is_not_there_is_named_with_the_nearest(
    anonaudit: Command, tmp_path: Path
) -> None:
    file(tmp_path, f"Age,illness\n{SECRET},x\n")
    ended = anonaudit(tmp_path, "audit", "release.csv", "-q", "ages", "-s", "ilness")
    assert_refused(ended, "'ages'", "Did you mean 'Age'?", "'ilness'", "Did you mean 'illness'?")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--delimiter", ";"], ["no column 'a'", "There are: 'a,b'"]),
        (["--delimiter", ";;"], ["the delimiter must be one character", "';;'"]),
        (["--delimiter", ""], ["the delimiter must be one character"]),
        (["--encoding", "klingon"], ["there is no encoding 'klingon'", "expected for example"]),
        (["--encoding", ""], ["there is no encoding ''"]),
        (["--encoding", "utf-16"], ["is not text in the encoding utf-16"]),
        (["--identity", "name"], ["--identity", "--external"]),
        (["--external", "nothing.csv", "--identity", "name"], ["nothing.csv: is not there"]),
        (["-o", "missing/report.txt"], ["there is no folder 'missing'", "make it first"]),
        (["-o", "."], ["is a folder; name a file to write"]),
        (["-o", "release.csv"], ["release.csv: is read by this command"]),
        (["-o", "./link.csv"], ["link.csv: is read by this command"]),
        (["-o", "x" * 300], ["cannot be written (file name too long)"]),
    ],
)
def test_options_that_make_no_sense_are_refused(
    anonaudit: Command, tmp_path: Path, options: list[str], said: list[str]
) -> None:
    content = GOOD + f"{SECRET},1\n"
    file(tmp_path, content)
    (tmp_path / "link.csv").symlink_to("release.csv")
    assert_refused(anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, *options), *said)
    assert (tmp_path / "release.csv").read_text() == content


@pytest.mark.parametrize(
    ("options", "there", "absent"),
    [
        ([], ["Do not release", "What was required"], ["How this was audited"]),
        (["--brief"], ["Do not release"], ["What was required"]),
        (["--all"], ["Do not release", "What was required", "How this was audited"], []),
    ],
)
def test_how_much_of_the_report_is_printed(
    anonaudit: Command, tmp_path: Path, options: list[str], there: list[str], absent: list[str]
) -> None:
    file(tmp_path, GOOD)
    file(tmp_path, VIOLATED, "policy.toml")
    ended = anonaudit(tmp_path, "audit", "release.csv", "policy.toml", *options)
    assert ended.code == 1
    assert [text in ended.out for text in there + absent] == [True] * len(there) + [False] * len(
        absent
    )


@pytest.mark.parametrize(
    "options", [["--brief", "--all"], ["--brief", "-f", "json"], ["--all", "-f", "html"]]
)
def test_how_much_is_asked_for_once_and_of_text_alone(
    anonaudit: Command, tmp_path: Path, options: list[str]
) -> None:
    file(tmp_path, GOOD)
    refused = anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, *options)
    assert_refused(refused, "--brief or --all", "--format text")


@pytest.mark.parametrize("command", ["audit", "feasible", "init"])
def test_a_policy_in_the_place_of_a_table(anonaudit: Command, tmp_path: Path, command: str) -> None:
    file(tmp_path, VIOLATED, "one.toml")
    file(tmp_path, VIOLATED, "two.toml")
    policies = ["one.toml"] if command == "init" else ["one.toml", "two.toml"]
    refused = anonaudit(tmp_path, command, *policies)
    assert_refused(refused, "one.toml: is a policy, but a table was expected")


def test_nothing_to_audit(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    file(tmp_path, VIOLATED, "policy.toml")
    assert_refused(anonaudit(tmp_path, "audit"), "no release was named")
    assert_refused(anonaudit(tmp_path, "audit", "release.csv"), "no policy and no columns")
    assert_refused(anonaudit(tmp_path, "audit", "release.csv", "-q", ""), "no quasi-identifier")
    both = anonaudit(tmp_path, "audit", "release.csv", "policy.toml", "-s", "b")
    assert_refused(both, "--sensitive and a policy exclude each other")


def test_all_mistakes_of_a_policy_at_once(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    text = "columns.quasi-identifiers = ['a']\nrequire.k-anonimity = { k = 2 }\n"
    file(tmp_path, text + "require.t-closeness = { t = 3 }\nnonsense = 1\n", "policy.toml")
    ended = anonaudit(tmp_path, "audit", "release.csv", "policy.toml")
    assert_refused(ended, "3 mistakes", "line 2", "line 3", "line 4", "'k-anonymity'")


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("audit", ()),
        ("mask", ("-o", "new.csv")),
        ("feasible", ()),
        ("matrix", ()),
        ("remedy", ("-o", "new.csv")),
    ],
)
def test_missing_columns_are_told_with_other_mistakes(
    anonaudit: Command, tmp_path: Path, command: str, more: tuple[str, ...]
) -> None:
    file(tmp_path, GOOD)
    file(tmp_path, "columns.sensitive = ['nowhere']\nrequire.k-anonymity.k = 0\n", "policy.toml")
    ended = anonaudit(tmp_path, command, "release.csv", "policy.toml", *more)
    two = ["2 mistakes", "line 1, columns.sensitive", "no column 'nowhere'", "line 2, require"]
    assert_refused(ended, *two)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.toml", "release.csv"]


# --- what must be read all the same

READABLE = {
    "long": f"a,b\n{'x' * 140_000},1\ny,2\n",
    "longer": "a,b\n" + '"' + "x,\n" * 1_700_000 + '",1\ny,2\n',
    "line ends": 'a,b\r\n1,2\n3,4\r"5\n6",7\r\n\r\n8,9',
    "quotes": 'a,b\n"say ""a,b""\n1,2",3\n4" x 5",6\n7, "8"\n',
    "words": "a,b\nNA,NULL\nnan,None\n,\n*,*\n",
    "semicolon": "a;b\n1,5;2,5\n3,5;4,5\n",
    "controls": "a,b\n\x1b[31m,\x85\u2028\n\x0b,\x1a\n",
    "byte order mark": "\ufeffa,b\n1,2\n",
}


@pytest.mark.parametrize("kind", READABLE)
def test_every_row_is_counted(anonaudit: Command, tmp_path: Path, kind: str) -> None:
    file(tmp_path, READABLE[kind])
    ended = anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, "-f", "json")
    truth = parsed(READABLE[kind], ";" if kind == "semicolon" else ",")
    assert truth is not None
    assert report_of(ended)["release"]["rows"] == sum(any(row) for row in truth[1])


NAMES = ["a b", "q'uo\"te", "[x]", "😀", "x; DROP TABLE t; --", "new\nline", "c,d"]
NAMES += ["Age", "age", "row", "n", "c0", "--help", "Fee, net", "[x](y)", "{{x}}", "<b>"]


def test_any_text_is_a_column_name(anonaudit: Command, tmp_path: Path) -> None:
    rows = [[str(i % 2) for i in range(len(NAMES))], ["0"] * len(NAMES)]
    file(tmp_path, written([*NAMES, "dx"], [[*row, "x"] for row in rows]))
    options = [f"--quasi-identifiers={name}" for name in NAMES]
    command = ["audit", "release.csv", *options, "-s", "dx"]
    report = report_of(anonaudit(tmp_path, *command, "-f", "json"))
    assert report["columns"]["quasi_identifiers"] == NAMES
    assert (report["release"]["rows"], report["release"]["classes"]) == (2, 2)
    assert anonaudit(tmp_path, *command).code == 0


@pytest.mark.long
def test_thousands_of_columns(anonaudit: Command, tmp_path: Path) -> None:
    names = [f"k{i}" for i in range(2000)]
    file(tmp_path, written(names, [["1"] * 2000] * 3))
    columns = ("-q", "k0,k1999", "-s", "k5", "-f", "json")
    report = report_of(anonaudit(tmp_path, "audit", "release.csv", *columns))
    assert report["release"]["rows"] == 3


def test_too_many_columns_are_refused_at_once(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, written([f"k{i}" for i in range(100_000)], [["1"] * 100_000] * 2))
    begin = time.monotonic()
    ended = anonaudit(tmp_path, "audit", "release.csv", "-q", "k0,k9", "-s", "k5")
    assert time.monotonic() - begin < 10
    assert_refused(ended, "release.csv: has 100000 columns, more than 4096")


def test_odd_paths_are_just_paths(anonaudit: Command, tmp_path: Path) -> None:
    for name in ["we'ird [x]*?.csv", "year=2020", "~", "ü😀", "--x.csv", "a\\b"]:
        file(tmp_path, GOOD, name)
        ended = anonaudit(tmp_path, "audit", *COLUMNS, "-f", "json", "--", name)
        assert report_of(ended)["release"]["source"] == name


def test_a_path_that_is_no_unicode(anonaudit: Command, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.csv")
    try:
        file(tmp_path, GOOD, name)
    except OSError:
        pytest.skip("this file system has no such names")
    for form, output in (("text", []), ("json", []), ("json", ["-o", "report"])):
        ended = anonaudit(tmp_path, "audit", name, *COLUMNS, "-f", form, *output)
        assert (ended.code, ended.err) == (0, "")
    json.loads((tmp_path / "report").read_text("utf-8"))
    assert_refused(anonaudit(tmp_path, "audit", "no" + name, *COLUMNS), "is not there")


# --- columns by options


@pytest.mark.parametrize(
    "options",
    [
        ["-q", "a", "-q", "b", "-q", "c, d", "-s", "e", "-s", "f"],
        ["--quasi-identifiers", "a,b", "-q", "c, d", "--sensitive", "e, f,"],
        ["-q", " a , b ", "-q", "c, d", "-s", "e,f"],
    ],
)
def test_columns_are_named_in_a_list_or_one_an_option(
    anonaudit: Command, tmp_path: Path, options: list[str]
) -> None:
    file(tmp_path, 'a,b,"c, d",e,f\n1,2,3,4,5\n')
    ended = anonaudit(tmp_path, "audit", "release.csv", *options, "-f", "json")
    columns = report_of(ended)["columns"]
    assert columns["quasi_identifiers"] == ["a", "b", "c, d"]
    assert columns["sensitive"] == ["e", "f"]


def test_an_identity_may_have_a_comma_in_its_name(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    file(tmp_path, 'a,"name, first"\n1,Ann\n2,Bob\n', "voters.csv")
    link = ["--external", "voters.csv", "--identity", "name, first"]
    report = report_of(anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, *link, "-f", "json"))
    linkage = next(attack for attack in report["attacks"] if attack["name"] == "linkage")
    assert (linkage["targets"], linkage["identified"]) == (2, 1)  # Bob alone has a row alone


def test_values_are_shown_on_demand_only(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, f"a,b\n{SECRET},x\n{SECRET}2,y\n")
    for form in ("text", "json"):
        command = ["audit", "release.csv", *COLUMNS, "-f", form]
        assert SECRET not in anonaudit(tmp_path, *command).out
        assert SECRET in anonaudit(tmp_path, *command, "--show-values").out


# --- where the report goes


def test_exit_codes(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    file(tmp_path, VIOLATED, "violated.toml")
    file(tmp_path, VIOLATED.replace("k = 2", "k = 1"), "holds.toml")
    for policy, code in {"holds.toml": 0, "violated.toml": 1, "none.toml": 2}.items():
        assert anonaudit(tmp_path, "audit", "release.csv", policy).code == code
    assert anonaudit(tmp_path, "audit", "--nonsense").code == 2


def test_the_report_is_the_same_in_a_file(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    for form in ("text", "json"):
        command = ["audit", "release.csv", *COLUMNS, "-f", form]
        printed = anonaudit(tmp_path, *command)
        silent = anonaudit(tmp_path, *command, "-o", "report")
        assert (silent.code, silent.out, silent.err) == (0, "", "")
        assert (tmp_path / "report").read_text("utf-8") == printed.out
        assert sorted(path.name for path in tmp_path.iterdir()) == ["release.csv", "report"]


def test_a_new_report_is_private_and_an_old_one_keeps_its_rights(
    anonaudit: Command, tmp_path: Path
) -> None:
    file(tmp_path, GOOD)
    file(tmp_path, "old", "old").chmod(0o644)
    for name, rights in {"new": 0o600, "old": 0o644}.items():
        assert anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, "-o", name).code == 0
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == rights


def test_a_report_goes_where_a_link_leads(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    file(tmp_path, "old", "real")
    (tmp_path / "link").symlink_to("real")
    assert anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, "-o", "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert "MEASURED" in (tmp_path / "real").read_text()


def test_a_device_is_written_to_and_not_replaced(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    (tmp_path / "device").symlink_to(os.devnull)
    for output in ("device", "/dev/stdout"):
        ended = anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, "-o", output)
        assert (ended.code, ended.err) == (0, "")
    assert (tmp_path / "device").is_symlink()
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_failure_leaves_the_old_report(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, "old", "report")
    file(tmp_path, "a,b\n1\n")
    assert_refused(anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, "-o", "report"), "line 2")
    file(tmp_path, GOOD)
    assert_refused(anonaudit(tmp_path, "audit", "release.csv", "-q", "c", "-o", "report"), "'c'")
    assert (tmp_path / "report").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release.csv", "report"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_that_may_not_be_written_to(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    (tmp_path / "locked").mkdir(0o500)
    ended = anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, "-o", "locked/report")
    assert_refused(ended, "locked/report: cannot be written (permission denied)")


def test_output_that_cannot_be_written_is_refused(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    command = ["audit", "release.csv", *COLUMNS]
    assert_refused(anonaudit(tmp_path, *command, stdout=None), "standard output: is closed")
    if Path("/dev/full").exists():
        full = "cannot be written (no space left on device)"
        assert_refused(
            anonaudit(tmp_path, *command, stdout="/dev/full"), f"standard output: {full}"
        )
        assert_refused(anonaudit(tmp_path, *command, "-o", "/dev/full"), f"/dev/full: {full}")
    nowhere = anonaudit(tmp_path, "audit", "nothing.csv", *COLUMNS, stderr=None)
    assert (nowhere.code, nowhere.out) == (2, "")


def test_whoever_has_seen_enough_may_leave(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    file(tmp_path, VIOLATED, "policy.toml")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    leave_at_once = [sys.executable, "-c", "import sys; open(sys.argv[1]).close()", str(pipe)]
    with subprocess.Popen(leave_at_once) as reader:
        ended = anonaudit(tmp_path, "audit", "release.csv", "policy.toml", stdout=str(pipe))
    assert reader.returncode == 0
    assert (ended.code, ended.err) == (1, "")  # the verdict, whoever listens


def test_json_is_utf8_wherever_it_goes(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, "é,b\n1,2\n")
    command = ["audit", "release.csv", "-q", "é", "-s", "b"]
    narrow = {"PYTHONIOENCODING": "ascii"}
    ended = anonaudit(tmp_path, *command, "-f", "json", environment=narrow)
    assert report_of(ended)["columns"]["quasi_identifiers"] == ["é"]
    ended = anonaudit(tmp_path, *command, environment=narrow)
    assert (ended.code, ended.err) == (0, "")
    assert "\\xe9" in ended.out


def test_no_colour_where_nobody_looks(anonaudit: Command, tmp_path: Path) -> None:
    file(tmp_path, GOOD)
    plain = anonaudit(tmp_path, "audit", "release.csv", *COLUMNS)
    assert "\x1b" not in plain.out + plain.err
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert (
            anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, environment=environment) == plain
        )


# --- standard input, pipes, signals


def test_standard_input(anonaudit: Command, tmp_path: Path) -> None:
    path = file(tmp_path, GOOD)
    ended = anonaudit(tmp_path, "audit", "-", *COLUMNS, "-f", "json", stdin=str(path))
    named = anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, "-f", "json")
    piped, plain = report_of(ended), report_of(named)
    assert piped["release"].pop("source") == "standard input"
    assert plain["release"].pop("source") == "release.csv"
    assert piped == plain
    assert_refused(anonaudit(tmp_path, "audit", "-", *COLUMNS), "standard input: is empty")
    closed = anonaudit(tmp_path, "audit", "-", *COLUMNS, stdin=None)
    assert_refused(closed, "standard input: is closed; name a file")


@pytest.mark.parametrize(
    ("phase", "sign"), [("pipe", "*/copy-*"), ("engine", "*"), ("reader", "*/clean.csv")]
)
def test_ctrl_c(anonaudit: Command, tmp_path: Path, phase: str, sign: str) -> None:
    """Waiting for a pipe; while the engine reads; while Python's reader writes a clean copy.

    sign: the temporary file that tells when it is time.
    """
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    release = tmp_path / "release"
    if phase == "pipe":
        os.mkfifo(release)
        held = os.open(release, os.O_RDWR)  # an end that does not come
        os.write(held, b"a,b\n1,2\n")
    else:
        end = "\r\n" if phase == "reader" else "\n"
        lines = "".join(f"{i},{i * i},{i % 7},x{i % 11}\n" for i in range(60_000))
        release.write_text("a,b,c,d" + end + lines * 10, newline="")
    ended = anonaudit(
        tmp_path,
        *("audit", "release", "-q", "a,c,d", "-s", "b", "-o", "report"),
        environment={"TMPDIR": str(scratch)},
        meanwhile=interrupt_when(lambda: [*scratch.glob(sign)], 0.2 if phase == "pipe" else 0.0),
    )
    if phase == "pipe":
        os.close(held)
    assert (ended.code, ended.out, ended.err) == (130, "", "interrupted; nothing was written\n")
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "report").exists()


def test_nothing_is_left_behind(anonaudit: Command, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for content, code in ((GOOD, 0), ("a,b\n1\n", 2)):
        file(tmp_path, content.encode("utf-16"))  # which is copied
        environment = {"TMPDIR": str(scratch)}
        ended = anonaudit(tmp_path, "audit", "release.csv", *COLUMNS, environment=environment)
        assert ended.code == code
        assert list(scratch.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release.csv", "scratch"]


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        (ZeroDivisionError(SECRET), 3, "internal error (ZeroDivisionError); this is a fault of"),
        (MemoryError(SECRET), 2, "not enough memory"),
    ],
)
def test_a_fault_of_ours_says_so(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: Exception,
    code: int,
    said: str,
) -> None:
    from anonaudit.cli import main

    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr("anonaudit.auditing.audit.audit_release", fail)
    monkeypatch.setattr(sys, "argv", ["anonaudit", "audit", str(file(tmp_path, GOOD)), *COLUMNS])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert (ended.value.code, told.out) == (code, "")
    assert said in told.err
    assert SECRET not in told.err
    assert "Traceback" not in told.err


# --- the real thing


ENGINES = {"numpy", "duckdb", "narwhals"}
# What only some commands, tables, models, attacks and formats need. Each takes long to load.
HEAVY = {
    *("pandas", "scipy", "pyarrow", "polars", "pyspark", "sklearn", "mlxtend", "matplotlib"),
    *("hypothesis", "pytest", "jinja2", "jsonschema"),
}


def loaded(*arguments: str | Path) -> set[str]:
    """The packages that a command has loaded in a process of its own, when it is done."""
    code = (
        "import sys\nfrom anonaudit.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print(*{m.split('.')[0] for m in sys.modules}, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    packages = {*done.stderr.splitlines()[-1].split()}
    assert "typer" in packages
    return packages


def test_help_loads_no_engine() -> None:
    """Which is why it is quick."""
    for arguments in (["--help"], ["audit", "--help"], ["--version"]):
        assert not loaded(*arguments) & (ENGINES | HEAVY)


def test_importing_loads_no_engine() -> None:
    code = "import sys, anonaudit; print(*{m.split('.')[0] for m in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {*done.stdout.split()} & (ENGINES | HEAVY)


def test_an_audit_of_a_file_loads_nothing_heavy() -> None:
    """Two sensitive attributes, so that the exact L and all attacks without options are run."""
    table = ROOT / "datasets/TV06/table3.csv"
    packages = loaded("audit", table, "-q", "age,zip-code,sex", "-s", "illness,income")
    assert packages >= ENGINES
    assert not packages & HEAVY


def test_the_installed_command(tmp_path: Path) -> None:
    """Once as it is installed; all other tests fork what it runs."""
    path = file(tmp_path, GOOD)
    command = Path(sys.executable).with_name("anonaudit")
    if not command.exists():
        pytest.skip("anonaudit is not installed beside this Python")
    done = subprocess.run(
        [command, "audit", "-", *COLUMNS, "--format", "json"],
        input=path.read_bytes(),
        capture_output=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["release"]["rows"] == 3
