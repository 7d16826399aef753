"""docs/security.md: what strangers wrote stays text, names files only, and is never run."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import Command
from safety.canaries import FORMATS, write

import anonaudit as package
from anonaudit.errors import AnonauditError, InputError
from anonaudit.generalization.hierarchy import Hierarchy

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# --- names and cells from strangers

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e'; DROP TABLE t; --{{ 7 * 7 }}${x}|`a`"


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_names_and_cells_stay_text(anonaudit: Command, tmp_path: Path, form: str) -> None:
    name = HOSTILE.replace("/", "") + ".csv"
    cells = [[HOSTILE, "\x1b]0;x\x07"], [HOSTILE, "x" * 100_000], ["line\nbreak", "y"]]
    write(tmp_path / name, [[HOSTILE, "b"], *cells])
    asked = ("audit", name, "-q", HOSTILE.replace(",", ""), "-s", "b", "-f", form, "--show-values")
    ended = anonaudit(tmp_path, *asked)
    assert ended.code == 0, ended.err
    assert not any(c in ended.out for c in ("\x1b", "\x07", "\u202e"))
    if form == "html":
        assert "<script>alert" not in ended.out
        assert "49" not in ended.out.partition("DROP TABLE t; --")[2][:12]  # no template is run
    if form in {"json", "sarif"}:
        json.loads(ended.out)
    refused = anonaudit(tmp_path, "audit", name, "-q", "nothing")
    assert refused.code == 2
    assert refused.err.isascii() or "\u202e" not in refused.err
    assert "\x1b" not in refused.err


@pytest.mark.long
def test_no_message_lets_a_file_name_speak_to_the_terminal(
    anonaudit: Command, tmp_path: Path
) -> None:
    name = "\x1b]0;x\x07\u202e.csv"
    (tmp_path / name).write_text("a,b\n1,2\n1,2\n")
    (tmp_path / "p.toml").write_text(
        "[columns]\nquasi-identifiers = ['a']\n[require]\nk-anonymity = { k = 2 }\n"
    )
    (tmp_path / "x.anonaudit.toml").write_text(
        '[release]\nfile = "\\u001b]0;x\\u0007\\u202e.csv"\n' + (tmp_path / "p.toml").read_text()
    )
    ended = [
        anonaudit(tmp_path, "init", name, "-o", f"{name}.toml"),
        anonaudit(tmp_path, "mask", name, "p.toml", "-o", f"out{name}"),
        anonaudit(tmp_path, "matrix", name, "p.toml", "-o", f"matrix{name}"),
        anonaudit(tmp_path, "audit", f"no{name}", "p.toml"),
    ]
    assert [one.code for one in ended] == [0, 0, 0, 2]
    (tmp_path / name).write_text("a,b\n1\n")  # what is wrong with it is said by its name
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "x.anonaudit.toml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "line 2 has 1 field" in tested.stdout
    for text in [tested.stdout, *(one.out + one.err for one in ended)]:
        assert not {"\x1b", "\x07", "\u202e"} & set(text)


# --- what a policy can name

PLACES = [
    *("https://example.org/voters.csv", "s3://bucket/voters.csv", "~/voters.csv", "*.csv"),
    *("read_csv('voters.csv')", "voters.csv'); SELECT 1; --", "/dev/zero", "/dev/stdin", "."),
    *("voters.csv\\u0000", "pipe", "file://voters.csv", "$HOME/voters.csv", "gone"),
]
KEYS = ["release.file", "population.file", "original.file", "hierarchies.b.file"]
KEYS += ["attacks.linkage.external", "attacks.composition.second"]


@pytest.mark.parametrize("place_", PLACES)
def test_a_policy_names_ordinary_files_and_nothing_else(tmp_path: Path, place_: str) -> None:
    (tmp_path / "voters.csv").write_text("a,b\n1,2\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "p.toml").write_text(
        '[columns]\nquasi-identifiers = ["a"]\nsensitive = ["b"]\n[require]\n[attacks]\n'
    )
    for key in KEYS:
        text = f'columns.sensitive = ["b"]\n{key} = "{place_}"\n'
        (tmp_path / "p.toml").write_text(text)
        with pytest.raises(
            AnonauditError,
            match=r"the file|there is no|cannot be opened|one table only|neither a file",
        ):
            package.audit(policy=tmp_path / "p.toml")  # a release need not be there before


@pytest.mark.long
def test_what_has_no_end_is_not_read(anonaudit: Command, place: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/zero")
    (tmp_path / "report.json").write_text("{}")
    for path in ("/dev/zero", tmp_path / "link"):
        for command in (
            ("audit", path, "-q", "a"),
            ("audit", "pairs.csv", path),
            ("init", path),
            ("feasible", path, "policy.toml"),
            ("mask", path, "masking.toml", "-o", tmp_path / "out.csv"),
            ("matrix", path, "masking.toml"),
            ("diff", path, tmp_path / "report.json"),
            ("audit", "pairs.csv", "-q", "age", "--external", path, "--identity", "who"),
            ("audit", "pairs.csv", "-q", "age", "--original", path),
        ):
            assert anonaudit(place, *command).code == 2, command
        with pytest.raises(InputError, match="is a device"):
            Hierarchy.read(path)


# --- nothing is run

FORBIDDEN = {
    *("pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "subprocess", "socket"),
    *("urllib.request", "http.client", "ftplib", "requests", "httpx", "yaml", "ctypes"),
}
CALLS = {"eval", "exec", "read_pickle", "to_pickle", "system", "popen"}


def test_no_module_unpickles_evaluates_or_speaks_to_the_network() -> None:
    """Attacks of others are code, loaded by entry point; nothing that is read as data is."""
    root = Path(package.__file__).parents[1]
    files = [*(root / "anonaudit").rglob("*.py"), *(root / "attacks").rglob("*.py")]
    assert len(files) > 150
    for path in files:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            own = {"socket"} if path.name == "signals.py" else set()  # a pair inside the process
            assert not (FORBIDDEN - own) & {*names, *(n.partition(".")[0] for n in names)}, path
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "socket":
                assert node.attr == "socketpair", (path, node.lineno)
            if isinstance(node, ast.Call):
                called = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
                assert called not in CALLS, (path, node.lineno)
                given = {keyword.arg: keyword.value for keyword in node.keywords}
                assert "shell" not in given, path
                assert "allow_pickle" not in given, path


def test_the_engine_fetches_no_extension() -> None:
    from anonaudit.source import duck

    for name in ("autoinstall_known_extensions", "autoload_known_extensions"):
        found = duck.connect().sql(f"SELECT current_setting('{name}')").fetchall()
        assert found == [(False,)]
