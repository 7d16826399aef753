"""The benchmark, where what it needs is not installed."""

import subprocess
import sys

from conftest import ROOT


def test_it_says_what_to_install() -> None:
    """Without `site` Python finds no installed package."""
    command = [sys.executable, "-S", str(ROOT / "benchmarks" / "run.py")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: anonaudit, duckdb, ")
    assert f"-m pip install -e '{ROOT}[dev]'" in ended.stderr
    assert "Traceback" not in ended.stderr
