"""What docs/security.md promises: nobody's value where it was not asked for, and nothing run.

The commands are run as users run them. Every cell of the tables here begins like a canary, so
that one that got out is found wherever it sings.
"""

import ast
import contextlib
import csv
import itertools
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Command, Ended
from hypothesis import given
from hypothesis import strategies as st

import anonaudit as package
from anonaudit.errors import AnonauditError, HierarchyError, InputError
from anonaudit.findings import AuditReport
from anonaudit.formulas import defused, is_formula
from anonaudit.hierarchy import Hierarchy
from anonaudit.report import render

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

CANARY, NUMBER = "canary", 7310000  # no report has either by chance
FORMATS = ("text", "json", "html", "markdown", "sarif")
COLUMNS = ("key", "who", "age", "zip", "sex", "illness", "income", "n")


@pytest.fixture(scope="module")
def anonaudit() -> Iterator[Command]:
    command = Command()
    yield command
    command.close()


def rows(kind: str) -> list[list[str]]:
    """Classes of two: alike in both sensitive values, and in none; `unique`: every cell once."""
    number = itertools.count(1)

    def word() -> str:
        return f"{CANARY}{next(number)}"

    def whole() -> str:
        return str(NUMBER + next(number))

    found = []
    for size in (2, 2, 2, 2) if kind != "unique" else (1,) * 8:
        age, zip_, sex, illness, income = whole(), word(), word(), word(), whole()
        for alike in (True, len(found) % 4 == 0)[:size]:
            private = [illness, income] if alike else [word(), whole()]
            found.append([word(), word(), age, zip_, sex, *private, "1"])
    if kind == "masked":
        found[0][3], found[1][2], found[3][5] = "*", "", ""
        found[2][2:5] = ["*"] * 3
    return found


def write(path: Path, lines: list[list[str]], delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(lines)


POLICY = """
[columns]
quasi-identifiers = ["age", "zip", "sex"]
sensitive = ["illness", "income"]
[values]
numeric = ["income"]
[hierarchies]
illness = { file = "illness.csv", protected = ["canary-group0"] }
zip = { file = "zip.csv" }
age = { intervals = [10, 100] }
[require]
k-anonymity = { k = 3 }
p-sensitive-k-anonymity = { p = 2 }
extended-p-sensitive-k-anonymity = { p = 2 }
entropy-l-diversity = { l = 2 }
recursive-c-l-diversity = { c = 2 }
alpha-k-anonymity = { alpha = 0.5, k = 2 }
t-closeness = [{ t = 0.1 }, { t = 0.1, distance = "numeric" }]
multi-attribute-l-diversity = { l = 2 }
rule-confidence = { below = 0.5 }
delta-disclosure = { delta = 0.1 }
beta-likeness = { beta = 0.1 }
k-e-anonymity = { k = 2, e = 5 }
k-map = { k = 5 }
journalist-risk = { highest = 0.1 }
sample-uniques = { share = 0.0 }
[population]
file = "voters.csv"
[attacks]
homogeneity = { allow-rate = 0.0 }
linkage = { external = "voters.csv", identity = ["name"], allow-rate = 0.0 }
elimination = { values = 1, allow-rate = 0.0 }
association = { allow-rate = 0.0 }
similarity = { allow-rate = 0.0 }
residual = { external = "voters.csv", identity = ["name"], allow-rate = 0.0 }
composition = { second = "second.csv", allow-rate = 0.0 }
skewness = { allow-rate = 0.0 }
unsorted-matching = { external = "voters.csv", identity = ["name"], allow-rate = 0.0 }
"""
MASKING = """
[columns]
identifiers = ["who", "key"]
quasi-identifiers = ["age", "zip", "sex"]
sensitive = ["illness", "income"]
[hierarchies]
zip = { file = "zip.csv" }
age = { intervals = [10, 100] }
[require]
k-anonymity = { k = 2 }
"""
# Policies that cannot be kept or read: what is changed, and into what.
MISTAKES = {
    "lacking": ('"illness.csv"', '"lacking.csv"'),
    "two-parents": ('"illness.csv"', '"two-parents.csv"'),
    "circle": ('"illness.csv"', '"circle.csv"'),
    "no-hierarchy": ('"illness.csv"', '"masked.csv"'),
    "no-numbers": ('["income"]', '["illness"]'),
    "no-counts": ('\nsensitive = ["illness", "income"]', '\nsensitive = ["income"]\ncount = "illness"'),
    "intervals": ('zip = { file = "zip.csv" }', "zip = { intervals = [5] }"),
    "prefixes": ('zip = { file = "zip.csv" }', "zip = { prefixes = [5, 2] }"),
    "unit": ("[values]", 'unit = "who"\n[values]'),
    "wildcards": ("[population]", '[conventions]\nquasi-identifiers = "wildcard"\n[population]'),
    "original": ("[population]", '[original]\nfile = "unique.csv"\nkey = "key"\n[population]'),
}  # fmt: skip
BROKEN = {
    "uneven.csv": "a,b\ncanary1,canary2\ncanary3\n",
    "quotes.csv": 'a,b\ncanary1,"canary2\n',
    "nul.csv": "a,b\ncanary1,\0canary2\n",
    "latin.csv": b"a,b\ncanary1,canary\xe9\n",
    "noise.toml": 'a = "canary1"\ncanary2 = [\n',
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("canaries")
    for kind in ("unique", "pairs", "masked"):
        write(folder / f"{kind}.csv", [list(COLUMNS), *rows(kind)])
    every = [row for kind in ("unique", "pairs") for row in rows(kind)]
    for column in ("illness", "zip"):
        values = sorted({row[COLUMNS.index(column)] for row in every})
        paths = [[value, f"canary-group{at % 3}", "*"] for at, value in enumerate(values)]
        write(folder / f"{column}.csv", paths, ";")
    one, two, three = values[:3]
    write(folder / "lacking.csv", [[one, "canary-group0", "*"]], ";")
    write(folder / "two-parents.csv", [[one, two, "*"], [one, three, "*"]], ";")
    write(folder / "circle.csv", [["child", "parent"], [one, two], [two, one]])
    people = [[f"{CANARY}-name{at}", *row[2:5]] for at, row in enumerate(rows("pairs"))]
    write(folder / "voters.csv", [["name", "age", "zip", "sex"], *people])
    write(folder / "second.csv", [list(COLUMNS[2:7]), *(row[2:7] for row in rows("pairs"))])
    (folder / "policy.toml").write_text(POLICY)
    (folder / "masking.toml").write_text(MASKING)
    (folder / "masking-lacking.toml").write_text(MASKING.replace("zip.csv", "lacking.csv"))
    for name, (old, new) in MISTAKES.items():
        assert POLICY.count(old) == 1, name
        (folder / f"{name}.toml").write_text(POLICY.replace(old, new))
    for name, content in BROKEN.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def sings(text: str) -> list[str]:
    return [line for line in text.splitlines() if CANARY in line or str(NUMBER)[:4] in line]


def silent(ended: Ended, *codes: int) -> None:
    assert sings(ended.out) == []
    assert sings(ended.err) == []
    assert ended.code in codes, ended.err


# --- no value where none was asked for


@pytest.fixture(scope="module")
def report(place: Path) -> AuditReport:
    return package.audit(place / "pairs.csv", place / "policy.toml")


@pytest.mark.parametrize("form", FORMATS)
def test_no_report_has_a_value(report: AuditReport, form: str) -> None:
    text = render(report, form)
    assert len(text) > 2000
    assert sings(text) == []
    if form != "sarif":  # which has none even then
        assert sings(render(report, form, show_values=True))


@pytest.mark.long
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("release", ["unique.csv", "masked.csv", "pairs.csv"])
def test_no_printed_report_has_a_value(
    anonaudit: Command, place: Path, release: str, form: str
) -> None:
    silent(anonaudit(place, "audit", release, "policy.toml", "-f", form), 1)


def test_no_mistake_in_a_policy_quotes_a_value(anonaudit: Command, place: Path) -> None:
    """protected names a label that the hierarchy lacks; no message says which, or what is near."""
    for name in ("lacking", "two-parents", "circle", "no-hierarchy", "no-numbers"):
        silent(anonaudit(place, "audit", "masked.csv", f"{name}.toml"), 2)


@pytest.mark.long
@pytest.mark.parametrize("name", MISTAKES)
def test_no_policy_makes_a_command_tell(anonaudit: Command, place: Path, name: str) -> None:
    for release in ("pairs.csv", "masked.csv"):
        silent(anonaudit(place, "audit", release, f"{name}.toml", "-f", "json"), 1, 2)
        silent(anonaudit(place, "feasible", release, f"{name}.toml"), 0, 1, 2)


@pytest.mark.parametrize("name", [name for name in BROKEN if name.endswith(".csv")])
def test_no_broken_file_is_quoted(anonaudit: Command, place: Path, name: str) -> None:
    for command in (("audit", name, "-q", "a"), ("init", name)):
        silent(anonaudit(place, *command), 2)
    silent(anonaudit(place, "audit", "unique.csv", "noise.toml"), 2)
    silent(anonaudit(place, "audit", "unique.csv", name), 2)
    silent(anonaudit(place, "diff", name, name), 2)


@pytest.mark.parametrize("release", ["unique.csv", "pairs.csv", "masked.csv"])
def test_a_proposal_has_no_value(anonaudit: Command, place: Path, release: str) -> None:
    silent(anonaudit(place, "init", release), 0)


@pytest.mark.long
@pytest.mark.parametrize("form", ["text", "json"])
def test_neither_feasibility_nor_a_comparison_has_a_value(
    anonaudit: Command, place: Path, form: str
) -> None:
    silent(anonaudit(place, "feasible", "pairs.csv", "masking.toml", "-f", form), 0, 1)
    for name in ("unique", "pairs"):
        asked = ("audit", f"{name}.csv", "policy.toml", "-f", "json", "-o", f"{name}.json")
        silent(anonaudit(place, *asked), 1)
    silent(anonaudit(place, "diff", "unique.json", "pairs.json", "-f", form), 0, 1)


@pytest.mark.long
@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_no_matrix_has_a_value(anonaudit: Command, place: Path, tmp_path: Path, form: str) -> None:
    """Nor have the results it keeps for the next run."""
    asked = ("matrix", "pairs.csv", "masking.toml", "-f", form, "-o", tmp_path / "matrix")
    silent(anonaudit(place, *asked), 0)
    kept = [path for path in (tmp_path / "matrix").rglob("*") if path.is_file()]
    assert len(kept) > 5
    assert [path.name for path in kept if sings(path.read_bytes().decode("latin-1"))] == []


def test_masking_tells_nothing_but_by_the_release(anonaudit: Command, place: Path) -> None:
    silent(anonaudit(place, "mask", "pairs.csv", "masking-lacking.toml", "-o", "no.csv"), 2)
    silent(anonaudit(place, "mask", "pairs.csv", "masking.toml", "-o", "masked-pairs.csv"), 0)
    assert sings((place / "masked-pairs.csv").read_text())  # sensitive values are released
    assert sings((place / "masked-pairs.audit.json").read_text()) == []


@pytest.mark.long
def test_no_test_report_has_a_value(place: Path, tmp_path: Path) -> None:
    """Nor a traceback of pytest's with all local variables."""
    for path in place.glob("*.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for name in ("policy", *MISTAKES):
        text = '[release]\nfile = "masked.csv"\n' + (place / f"{name}.toml").read_text()
        (tmp_path / f"{name}.anonaudit.toml").write_text(text)
    (tmp_path / "test_frame.py").write_text(
        "import pandas\n"
        "def test_frame(anonaudit):\n"
        "    table = pandas.read_csv('pairs.csv', dtype=str)\n"
        "    anonaudit.assert_holds(table, 'policy.anonaudit.toml')\n"
    )
    options = ("-vv", "-rA", "--showlocals", "--continue-on-collection-errors", "--junitxml=a.xml")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert " failed" in ended.stdout
    assert sings(ended.stdout + ended.stderr + (tmp_path / "a.xml").read_text()) == []


LABELS = st.sampled_from(["*", "", "child", *(f"{CANARY}{at}" for at in range(5))])


@given(st.lists(st.lists(LABELS, min_size=1, max_size=4), max_size=5))
def test_no_hierarchy_quotes_a_label(lines: list[list[str]]) -> None:
    makers = (
        lambda: Hierarchy.from_levels("x", lines),
        lambda: Hierarchy.from_parents("x", lines),
        lambda: Hierarchy.from_mappings("x", [dict.fromkeys(line, line[0]) for line in lines]),
        lambda: Hierarchy.from_intervals("x", lines[0] if lines else [], widths=[5]),
        lambda: Hierarchy.from_levels("x", [["a", "*"]]).check_covers(*lines[:1]),
        lambda: Hierarchy.from_levels("x", [["a", "*"]]).ancestors(lines[0][0]),
    )
    for make in makers:
        try:
            make()
        except (HierarchyError, TypeError, IndexError) as error:
            assert CANARY not in str(error)  # noqa: PT017 (most lines are no mistake)


# --- what is written


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


def test_what_a_spreadsheet_would_run() -> None:
    """The signs that the OWASP page on CSV injection names; a number may have one."""
    assert [text for text in FORMULAS if not is_formula(text)] == []
    assert [text for text in TEXTS if is_formula(text)] == []
    assert [defused(text) for text in FORMULAS] == ["'" + text for text in FORMULAS]
    assert [defused(text) for text in TEXTS] == TEXTS


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "@SUM(A1)"])
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
        with pytest.raises(AnonauditError, match=r"the file|there is no|cannot be opened"):
            package.read_policy(tmp_path / "p.toml")


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
            assert not FORBIDDEN & {*names, *(name.partition(".")[0] for name in names)}, path
            if isinstance(node, ast.Call):
                called = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
                assert called not in CALLS, (path, node.lineno)
                given = {keyword.arg: keyword.value for keyword in node.keywords}
                assert "shell" not in given, path
                assert "allow_pickle" not in given, path


def test_the_engine_fetches_no_extension() -> None:
    from anonaudit import duck

    for name in ("autoinstall_known_extensions", "autoload_known_extensions"):
        found = duck._connect().sql(f"SELECT current_setting('{name}')").fetchall()
        assert found == [(False,)]
