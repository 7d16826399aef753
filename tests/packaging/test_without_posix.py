"""The commands and pytest without what only POSIX has, in a process that hides it.

That is no Windows. It shows that none of these names is needed on the way, not that all else works
there; `.github/workflows/pythons.yml` runs the commands on Windows and macOS.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

HIDING = """
import mmap, os, signal, sys
for module in ("resource", "fcntl", "termios", "pwd", "grp"):
    sys.modules[module] = None
for name in ("sysconf", "set_blocking", "mkfifo", "getuid", "geteuid", "fork", "register_at_fork",
             "killpg", "getpgid", "setsid", "nice", "statvfs", "chown", "pread", "pwrite",
             "sched_getaffinity", "getloadavg", "O_NOFOLLOW", "O_CLOEXEC", "O_DIRECTORY"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("MAP_PRIVATE", "MAP_SHARED", "PROT_READ", "PROT_WRITE"):
    delattr(mmap, name)
for name in ("SIGHUP", "SIGKILL", "SIGALRM", "SIGUSR1", "SIGPIPE", "alarm", "pthread_sigmask"):
    delattr(signal, name)
def other_drive(path, start="."):
    raise ValueError("path is on mount 'D:', start on mount 'C:'")
os.path.relpath = other_drive
"""
POLICY = """
release.file = "release.csv"
columns = { quasi-identifiers = ["age"], sensitive = ["ill"] }
require.k-anonymity = { k = 2 }
"""
RUN = {
    "audit": ("anonaudit.cli", ["anonaudit", "audit", "p.anonaudit.toml"], "HOLDS"),
    "check": ("anonaudit.cli", ["anonaudit", "check"], "1 policy, 1 release, 2 checks: 2 holds"),
    "record": (
        "anonaudit.cli",
        ["anonaudit", "audit", "p.anonaudit.toml", "--attest", "record.json"],
        "HOLDS",
    ),
    "init": ("anonaudit.cli", ["anonaudit", "init", "release.csv", "-o", "new.toml"], ""),
    "baseline": (
        "anonaudit.cli",
        ["anonaudit", "check", "--write-baseline", "known.json"],
        "",
    ),
    "mask": (
        "anonaudit.cli",
        ["anonaudit", "mask", "original.csv", "p.anonaudit.toml", "-o", "masked.csv"],
        "",
    ),
    "pytest": (
        "pytest",
        ["pytest", "-q", "-p", "anonaudit.pytest_plugin", "-p", "no:cacheprovider"],
        "2 passed",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("command", RUN)
def test_nothing_needs_posix(tmp_path: Path, command: str) -> None:
    rows = "age,ill\n30,a\n30,b\n40,a\n40,b\n"
    (tmp_path / "release.csv").write_text(rows)
    (tmp_path / "original.csv").write_text(rows)
    (tmp_path / "p.anonaudit.toml").write_text(POLICY)
    module, arguments, said = RUN[command]
    script = f"{HIDING}\nsys.argv = {arguments!r}\nfrom {module} import main\nsys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert said in done.stdout
