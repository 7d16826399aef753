"""The command as a black box: whatever comes in, one clear message or a whole report."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from anonaudit.cli import main; main()"]
SECRET = "SECRETVALUE"


def run(*arguments, cwd, stdin=None, env=None):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **(env or {})},
        timeout=120,
    )


def audit(folder, data, *arguments, name="release.csv"):
    (folder / name).write_bytes(data)
    return run("audit", name, "-q", "a", "-s", "b", *arguments, cwd=folder)


REFUSED = {
    "empty": (b"", "header"),
    "blanks only": (b" \n \n", "header"),
    "duplicate column": (b"a,b,a\n1,2,3\n", "duplicate column name 'a'"),
    "missing column": (b"aa,b\n1,2\n", "Did you mean 'aa'?"),
    "binary": (b"\x7fELF\x00\x01\x02\x00" * 50, "NUL"),
    "wrong encoding": (b"a,b\n1,\xff\xfe" + SECRET.encode() + b"\n", "line 2"),
    "unbalanced quotes": (f'a,b\n1,2\n3,"{SECRET}\n4,5\n'.encode(), "line 3"),
    "text after a quote": (f'a,b\n1,"{SECRET}"x\n'.encode(), "line 2"),
    "too short": (f"a,b\n1,2\n{SECRET}\n".encode(), "line 3"),
    "too long": (f"a,b\n1,2\n1,2,{SECRET}\n".encode(), "line 3"),
    "not parquet": (b"PAR1" + b"x" * 100, "Parquet"),
    "cut gzip": (b"\x1f\x8b\x08\x00" + b"x" * 20, "damaged"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused_with_one_message(tmp_path, kind):
    data, expected = REFUSED[kind]
    ended = audit(tmp_path, data)
    message = ended.stderr.decode()
    assert ended.returncode == 2
    assert ended.stdout == b""
    assert message.startswith("error: ")
    assert expected in message
    assert "release.csv" in message or kind == "missing column"
    assert "Traceback" not in message
    assert SECRET not in message


def test_a_bad_row_after_many_good_ones_is_named_by_its_line(tmp_path):
    good = b'"x\ny",1\n' + b"1,2\n" * 100_000  # one record of two lines first
    ended = audit(tmp_path, b"a,b\n" + good + b"1,2,3\n")
    assert ended.returncode == 2
    assert "line 100004" in ended.stderr.decode()


ACCEPTED = {
    "140,000 characters": (b"a,b\n" + b"x" * 140_000 + b",2\n1,3\n", 2),
    "5 MB in a cell": (b"a,b\n" + b"x" * 5_000_000 + b",2\n1,3\n", 2),
    "mixed line ends": (b"a,b\r\n1,2\n3,4\r\n5,6\n", 3),
    "no last line end": (b"a,b\n1,2\n3,4", 2),
    "byte order mark": (b"\xef\xbb\xbfa,b\n1,2\n", 1),
    "utf-16": ("a,b\n1,é\n".encode("utf-16"), 1),
    "quoted line ends": (b'a,b\n"1\n2","x,""y"""\n3,4\n', 2),
    "semicolons": (b"a;b\n1,5;2\n", 1),
    "one quote in a cell": (b'a,b\n1,5"\n', 1),
}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_every_row_is_counted(tmp_path, kind):
    data, rows = ACCEPTED[kind]
    ended = audit(tmp_path, data, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["release"]["rows"] == rows


@pytest.mark.parametrize(
    "name",
    [
        "zip code",
        'the "best"',
        "[x](y)",
        "🙂",
        "'; DROP TABLE t; --",
        "Fee, net",
        "row",
        "n",
        "c0",
        "A",
        "ünïcode",
        "{{x}}",
        "<b>",
    ],
)
def test_any_column_name(tmp_path, name):
    quoted = '"' + name.replace('"', '""') + '"'
    (tmp_path / "r.csv").write_text(f"{quoted},a,s\n1,2,3\n1,2,4\n", encoding="utf-8")
    ended = run("audit", "r.csv", "-q", name, "-q", "a", "-s", "s", "-f", "json", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["columns"]["quasi_identifiers"] == [name, "a"]
    assert report["models"][0]["measured"] == 2


def test_names_that_differ_in_case_are_two_columns(tmp_path):
    (tmp_path / "r.csv").write_text("Age,age\n1,2\n1,3\n")
    one = json.loads(run("audit", "r.csv", "-q", "Age", "-f", "json", cwd=tmp_path).stdout)
    two = json.loads(run("audit", "r.csv", "-q", "age", "-f", "json", cwd=tmp_path).stdout)
    assert (one["release"]["classes"], two["release"]["classes"]) == (1, 2)


def test_header_only_with_columns_nobody_named(tmp_path):
    (tmp_path / "r.csv").write_text("a,b,c,d\n")
    ended = run("audit", "r.csv", "-q", "a", "-s", "b", cwd=tmp_path)
    assert ended.returncode == 2
    assert b"INCONCLUSIVE" in ended.stdout
    assert ended.stderr == b""


def test_header_only_is_undecided(tmp_path):
    ended = audit(tmp_path, b"a,b\n", "--format", "json")
    assert ended.returncode == 2
    assert json.loads(ended.stdout)["outcome"] == "inconclusive"


@pytest.mark.parametrize("name", ["missing.csv", ".", "dangling.csv"])
def test_what_is_no_file(tmp_path, name):
    (tmp_path / "dangling.csv").symlink_to("nowhere.csv")
    ended = run("audit", name, "-q", "a", cwd=tmp_path)
    assert ended.returncode == 2
    assert name in ended.stderr.decode()
    assert b"Traceback" not in ended.stderr


def test_no_permission(tmp_path):
    path = tmp_path / "locked.csv"
    path.write_text("a\n1\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    ended = run("audit", "locked.csv", "-q", "a", cwd=tmp_path)
    assert ended.returncode == 2
    assert b"permission" in ended.stderr


@pytest.mark.parametrize("name", ["a[1]*.csv", "it's.csv", "semi;colon.csv", "blank name.csv"])
def test_odd_file_names(tmp_path, name):
    ended = audit(tmp_path, b"a,b\n1,2\n1,3\n", "-f", "json", name=name)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["release"]["rows"] == 2


def test_standard_input_and_exit_codes(tmp_path):
    (tmp_path / "p.toml").write_text(
        "columns.quasi-identifiers = ['a']\nrequire.k-anonymity = {k = 2}"
    )
    holds = run("audit", "-", "p.toml", cwd=tmp_path, stdin=b"a\n1\n1\n")
    broken = run("audit", "-", "p.toml", cwd=tmp_path, stdin=b"a\n1\n2\n")
    assert (holds.returncode, broken.returncode) == (0, 1)


def test_values_are_shown_only_when_asked_for(tmp_path):
    data = f"a,b\n{SECRET},{SECRET}\n{SECRET},{SECRET}\n".encode()
    for form in ("text", "json"):
        hidden = audit(tmp_path, data, "-f", form)
        shown = audit(tmp_path, data, "-f", form, "--show-values")
        assert SECRET.encode() not in hidden.stdout + hidden.stderr
        assert SECRET.encode() in shown.stdout


def test_a_failing_run_keeps_the_old_report(tmp_path):
    (tmp_path / "out.json").write_text("old")
    ended = audit(tmp_path, b"a,b\n1\n", "-o", "out.json")
    assert ended.returncode == 2
    assert (tmp_path / "out.json").read_text() == "old"
    ended = audit(tmp_path, b"a,b\n1,2\n", "-f", "json", "-o", "out.json")
    assert ended.returncode == 0
    assert json.loads((tmp_path / "out.json").read_text())["outcome"] == "measured"
    assert {p.name for p in tmp_path.iterdir()} == {"out.json", "release.csv"}
    ended = audit(tmp_path, b"a,b\n1,2\n", "-o", "no/such/out.json")
    assert ended.returncode == 2
    assert b"no/such" in ended.stderr


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_a_closed_pipe_does_not_change_the_verdict(tmp_path):
    rows = "".join(f"{i % 50},{i}\n" for i in range(100))
    (tmp_path / "r.csv").write_text("a,b\n" + rows)
    command = " ".join(f"'{part}'" for part in COMMAND)
    script = f"{{ {command} audit r.csv -q a; echo $? >code; }} | true"
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=False, timeout=120)
    assert (tmp_path / "code").read_text().strip() == "0"


def test_interrupting_ends_quietly(tmp_path):
    (tmp_path / "r.csv").write_text("a,b\n" + "".join(f"{i},{i}\n" for i in range(600_000)))
    process = subprocess.Popen(
        [*COMMAND, "audit", "r.csv", "-q", "a", "-s", "b"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert b"Traceback" not in err
    assert process.returncode in (130, 0)  # 0 only where the machine was faster than the signal
    assert process.returncode == 0 or (out == b"" and b"interrupted" in err)
    assert [p.name for p in tmp_path.iterdir()] == ["r.csv"]


def test_help_loads_no_engine():
    code = (
        "import sys\n"
        "from anonaudit.cli.app import app\n"
        "from typer.testing import CliRunner\n"
        "assert CliRunner().invoke(app, ['audit', '--help']).exit_code == 0\n"
        "loaded = {'pandas', 'duckdb', 'numpy', 'scipy', 'matplotlib', 'mlxtend', 'hypothesis'}\n"
        "print(sorted(loaded & set(sys.modules)))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ended.stdout.decode().strip() == "[]"


def test_importing_loads_no_engine():
    code = "import sys, anonaudit; print([m for m in ('pandas', 'duckdb', 'numpy') if m in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ended.stdout.decode().strip() == "[]"


def test_options_take_one_name_or_several(tmp_path):
    (tmp_path / "r.csv").write_text('a,"b,c",d\n1,2,3\n1,2,3\n')
    ended = run("audit", "r.csv", "-q", "a,d", "-q", "b,c", "-f", "json", cwd=tmp_path)
    columns = json.loads(ended.stdout)["columns"]
    assert columns["quasi_identifiers"] == ["a", "d", "b,c"]


def test_all_mistakes_of_a_policy_at_once(tmp_path):
    (tmp_path / "r.csv").write_text("age\n1\n")
    (tmp_path / "p.toml").write_text(
        "columns.quasi-identifiers = ['age']\nrequire.k-anonimity = { k = 2 }\n"
        "require.t-closeness = { t = 3 }\nnonsense = 1\n"
    )
    ended = run("audit", "r.csv", "p.toml", cwd=tmp_path)
    message = ended.stderr.decode()
    assert ended.returncode == 2
    assert "3 mistakes" in message
    assert all(f"line {n}" in message for n in (2, 3, 4))
    assert "'k-anonymity'" in message


def test_missing_folders_are_not_made(tmp_path):
    assert not Path(tmp_path, ".tmp").exists()
    audit(tmp_path, b"a,b\n1,2\n")
    assert {p.name for p in tmp_path.iterdir()} == {"release.csv"}
